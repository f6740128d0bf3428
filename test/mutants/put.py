#!/usr/bin/python3
"""put.py [--check] TREE MUTANT...: puts mutants into the code of a tree, and prints the
files that they change; with --check, only says which of them have no place there.

A mutant is a file.  Its first line says what it breaks, and "Test: NAME..." which tests notice that.
Then it says where: "Function: NAME" is any function of that name, in C, SQL, Python, JavaScript, Go
or Rust, and "In: PLACE" a file or a folder, by a part of its path; one of them is enough.  Then comes
a text, with a - before each line, and what replaces it, with a + before each line.  The text must
stand there once.  Neither the width of white space nor line breaks count, so that a mutant stays as
it is when its function moves, or when its lines are wrapped or indented anew.
"""
import re
import sys
from pathlib import Path

FOLDERS = ("src", "regions", "tools", "clients", "examples")

# What a function looks like, by the language of its file.
BRACES = r"^(?:[\w ]*\b(?:function|func|fn) )?NAME\s*\([^;{}]*\{.*?^\}"
SQL = r'^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE) (?:[\w@]+\.)?NAME\(.*?(?=^(?:CREATE|COMMENT)\b|\Z)'
PYTHON = r"^([ \t]*)(?:async )?def NAME\b[^\n]*\n(?:\1[ \t]+[^\n]*\n|[ \t]*\n)*"
LANGUAGES = {".c": BRACES, ".h": BRACES, ".go": BRACES, ".rs": BRACES, ".mjs": BRACES, ".js": BRACES,
             ".sql": SQL, ".py": PYTHON, ".html": None, ".sh": None, ".java": None}


class Misfit(Exception):
    """Why a mutant cannot be put into the code."""


def read(mutant):
    """The function or None, the place or None, the text, and the lines that replace it."""
    lines = mutant.read_text().splitlines()
    fields = dict(re.findall(r"^(Test|Function|In): (.+)$", "\n".join(lines[1:]), re.M))
    old = [line[1:] for line in lines if line.startswith("-")]
    new = [line[1:] for line in lines if line.startswith("+")]
    rest = [line for line in lines[1:] if line and not re.match(r"[-+]|Test: |Function: |In: ", line)]
    if rest or "Test" not in fields or not old or not ("Function" in fields or "In" in fields):
        raise Misfit("it is not as test/mutants/put.py says" + (f": {rest[0]}" if rest else ""))
    return fields.get("Function"), fields.get("In"), old, new


def places(tree, function, place):
    """Each file that counts, its text, and the start and end of what to look at in it."""
    for file in sorted(file for folder in FOLDERS for file in (tree / folder).rglob("*")):
        # make writes scripts such as iuid_regions--1.0.sql.
        if file.suffix not in LANGUAGES or "--" in file.name or (place and f"/{place}/" not in f"/{file.relative_to(tree)}/"):
            continue
        text = file.read_text()
        if function is None:
            yield file, text, 0, len(text)
        elif LANGUAGES[file.suffix]:
            definition = LANGUAGES[file.suffix].replace("NAME", re.escape(function))
            for found in re.finditer(definition, text, re.M | re.S):
                yield file, text, *found.span()


def changed(tree, mutant):
    """The file that a mutant changes, and its text afterwards."""
    function, place, old, new = read(mutant)
    where = " in ".join(filter(None, (function, place)))
    words = re.compile(r"\s+".join(map(re.escape, " ".join(old).split())))
    found = list(places(tree, function, place))
    hits = [(file, text, hit) for file, text, start, end in found for hit in words.finditer(text, start, end)]
    if len(hits) != 1:
        raise Misfit(f"there is no {where}" if not found else f"its text stands {len(hits)} times in {where}")
    file, text, hit = hits[0]
    # The lines are indented as those that they replace.
    indent = re.match(r"\s*", text[text.rfind("\n", 0, hit.start()) + 1:hit.start()])[0]
    before = re.match(r"\s*", old[0])[0]
    lines = [indent + line.removeprefix(before) if line.strip() else "" for line in new]
    return file, text[:hit.start()] + "\n".join(lines).lstrip() + text[hit.end():]


def main():
    arguments = sys.argv[1:]
    check = arguments[:1] == ["--check"]
    tree, *mutants = map(Path, arguments[check:])
    misfits = 0
    for mutant in mutants:
        try:
            file, text = changed(tree, mutant)
        except Misfit as misfit:
            misfits += 1
            print(f"{mutant}: {misfit}", file=sys.stderr)
            continue
        if not check:
            file.write_text(text)
            print(file.relative_to(tree))
    sys.exit(misfits > 0)


if __name__ == "__main__":
    main()
