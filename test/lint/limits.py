#!/usr/bin/python3
"""How long pages, lines and COMMENTs may be: prints each that is longer."""

import glob
import re
import sys
from pathlib import Path


def files(*patterns):
    return sorted({name for pattern in patterns for name in glob.glob(pattern, recursive=True)})


PAGES = files("README.md", "SECURITY.md", "doc/*.md", "clients/*.md", "tools/**/*.md", "examples/**/*.md")
# Words of a page.  Some pages are looked up, and not read.
MOST_WORDS = {"README.md": 900, "doc/running-regions.md": 3500} | dict.fromkeys(
    (f"doc/{name}.md" for name in ("drivers", "reference", "errors", "format", "regions")), 3000)


def prose(text):
    """A page without its blocks of code and its tables, whose lines are empty then."""
    text = re.sub(r"^ *```.*?^ *```$", lambda block: "\n" * block[0].count("\n"), text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"^ *\|.*", "", text, flags=re.MULTILINE)


def long_lines(name, text, most):
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > most:
            yield f"{name}:{number}: {len(line)} characters, of {most} at most"


def what_is_too_long():
    words = {page: len(Path(page).read_text().split()) for page in PAGES}
    for page, most in [*((page, MOST_WORDS.get(page, 2000)) for page in PAGES), ("all pages", 44000)]:
        if (n := words.get(page) or sum(words.values())) > most:
            yield f"{page}: {n} words, of {most} at most"
    for page in [*PAGES, "CONTRIBUTING.md"]:
        yield from long_lines(page, prose(Path(page).read_text()), 100)
    for name in files("**/sql/*.sql", "test/t/*.p[lm]"):
        yield from long_lines(name, Path(name).read_text(), 120)
    for name in files("src/**/*.sql", "regions/*/*.sql"):
        for comment in re.findall(r"^COMMENT ON [^;]*? IS\s+'((?:[^']|'')*)';", Path(name).read_text(), re.MULTILINE):
            if len(comment) > 200:
                yield f"{name}: a COMMENT of {len(comment)} characters, of 200 at most: {comment}"


if __name__ == "__main__":
    found = list(what_is_too_long())
    print("\n".join(found))
    sys.exit(bool(found))
