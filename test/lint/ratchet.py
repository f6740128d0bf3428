#!/usr/bin/python3
"""Counts of what there is to be less of: a count that is over its limit may only fall.

test/lint/ratchet.tsv has the counts that are over their limits.  ratchet.py --write lowers them there.
"""

import glob
import re
import sys


def pages():
    return sorted({"README.md", "SECURITY.md", *glob.glob("doc/*.md"), *glob.glob("clients/*.md"),
                   *glob.glob("tools/**/*.md", recursive=True), *glob.glob("examples/**/*.md", recursive=True)})


def prose(text):
    """The lines of a page that are neither code nor tables nor links alone."""
    text = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return [line for line in text.split("\n") if not line.lstrip().startswith("|")]


def long_lines(names, most):
    return sum(len(line.rstrip("\n")) > most for name in names for line in open(name))


# Words of a page.  Some pages are looked up, and not read.
LIMITS = {"README.md": 900, "doc/running-regions.md": 3500} | dict.fromkeys(
    (f"doc/{name}.md" for name in ("drivers", "reference", "errors", "format", "regions")), 3000)
FILE = "test/lint/ratchet.tsv"


def counts():
    """What is counted: how many, and how many may be."""
    words = {page: len(open(page).read().split()) for page in pages()}
    yield from ((f"words of {page}", n, LIMITS.get(page, 2000)) for page, n in words.items())
    yield "words of all pages", sum(words.values()), 44000
    yield "lines of prose over 100 characters", sum(
        len(line) > 100 for page in pages() for line in prose(open(page).read())), 0
    yield "lines of sql/*.sql over 120 characters", long_lines(glob.glob("**/sql/*.sql", recursive=True), 120), 0
    yield "lines of test/t over 120 characters", long_lines(glob.glob("test/t/*.p[lm]"), 120), 0
    comments = [text for name in glob.glob("src/**/*.sql", recursive=True) + glob.glob("regions/**/*.sql", recursive=True)
                if "/sql/" not in name
                for text in re.findall(r"^COMMENT ON [^;]*? IS\s+'((?:[^']|'')*)';", open(name).read(), re.MULTILINE)]
    yield "COMMENTs over 200 characters", sum(len(text) > 200 for text in comments), 0


def main():
    known = {name: int(n) for name, n in (line.split("\t") for line in open(FILE))}
    grown = [(name, n, max(limit, known.get(name, 0))) for name, n, limit in counts()
             if n > max(limit, known.get(name, 0))]
    for name, n, most in grown:
        print(f"{name}: {n}, of {most} at most")
    if "--write" in sys.argv:
        over = {name: min(n, known.get(name, n)) for name, n, limit in counts() if n > limit}
        with open(FILE, "w") as file:
            file.writelines(f"{name}\t{n}\n" for name, n in over.items())
    return bool(grown)


if __name__ == "__main__":
    sys.exit(main())
