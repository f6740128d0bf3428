"""Runs the programs of the clients, and compares what they do with what is expected.

doc/drivers.md has a section for each client.  newest.tsv and debian12.tsv in this folder, each for an
edition, have what the programs print: the client, the check and the result, with an arrow where the
set-up makes a difference.  They also say which versions ran, which is not compared.

A program stands in the folder of its language, and is named as the heading of its client on the
page is: "### lib/pq" is lib-pq.go.  It runs as it is, and then with each line that is only the
comment "SET-UP" replaced by a block of code from that client's section, in their order.  So the page
shows what runs.  Each run has a database of its own.  A program of which one of the first lines is
"Only newest: ", or "Only debian12: ", and a reason, is left out of the other edition.  A section that
begins with "Not run" has no program.

A program prints a line for each check: its name, a tab and the result.  A result of five letters and
digits is the SQLSTATE of an error, another name is an error of the client itself, and "–" says that the
client has no such thing.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path("test/drivers")
SECTIONS = pathlib.Path("doc/drivers.md")

# How to run a program, by its ending, and how the page calls its language.  Python with -P does not
# take a program of this tree for the client of that name.
RUN = {
    ".py": ["python", "/usr/bin/python3", "-P"],
    ".java": ["java", "java", "-cp", "/usr/share/java/postgresql.jar"],
    ".go": ["go", "go", "run", "checks.go"],
    ".rb": ["ruby", "ruby"],
    ".pl": ["perl", "perl"],
    ".mjs": ["js", "node"],
    ".php": ["php", "php"],
    ".rs": ["rust", "sh", "-euc", 'cp "$0" client.rs; exec cargo run --quiet --offline'],
}

# The checks that all clients have, but those that only read the schema.
TIMES = ["id >= $1", "id >= iuid_floor($1)", "id >= $1::timestamptz", "gen_iuid($1, $2)", "gen_iuid($1::int, $2::int)"]
VALUES = ["table", "default", "UUID", "look-up", "IN", "= ANY", "reads as", "array", "COPY text", "COPY binary"]
# What a check gives if all is well: a look-up by an index, a table with a column of that type; "–" if there is none.
WELL = ["ok", "index", "uuid", "–"]
# What a client does with no uuid: it knows no UUIDs of Python, or no uuid[].
WITHOUT = [*(("psycopg2", check) for check in ["UUID", "look-up", "IN"]),
           *((client, "= ANY") for client in ["mikroorm", "pg-promise", "psycopg2", "ruby-pg", "sequelize"])]


def clients(page):
    """The headings of the clients, and their sections."""
    parts = re.split(r"^(##+) (.*)\n", page, flags=re.M)
    return {heading: section for level, heading, section in zip(parts[1::3], parts[2::3], parts[3::3])
            if level == "###" and not section.lstrip().startswith("Not run")}


def name_of(heading):
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def program_of(heading):
    found = [path for path in FOLDER.glob("*/*") if path.suffix in RUN and path.stem == name_of(heading)]
    if len(found) != 1:
        sys.exit(f"{heading}: not one program, but {found}")
    return found[0]


def is_of(program, edition):
    only = re.search(r"^(?:#|//) Only (\w+): ", program.read_text(), flags=re.M)
    return not only or only[1] == edition


def with_set_up(program, section):
    """The program's text with the blocks of the page in it, or None if it has no set-up."""
    blocks = re.findall(rf"^```{RUN[program.suffix][0]}\n(.*?)^```$", section, flags=re.M | re.S)
    marks = re.findall(r"^\s*(?:#|//) SET-UP$", program.read_text(), flags=re.M)
    if len(blocks) != len(marks):
        sys.exit(f"{program}: {len(marks)} places for a set-up, and {len(blocks)} blocks on the page")
    blocks = iter(blocks)

    def block(mark):
        return re.sub(r"^(?=.)", mark[1], next(blocks), flags=re.M).rstrip("\n")

    return re.sub(r"^([ \t]*)(?:#|//) SET-UP$", block, program.read_text(), flags=re.M) if marks else None


def results(program, text, set_up):
    """What each check of the program printed, run in a database of its own."""
    copy = program.with_stem(program.stem + set_up)
    copy.write_text(text)
    environment = os.environ | {
        "PGUSER": "app", "PGDATABASE": copy.stem, "SETUP": set_up.removeprefix("_uuid"), "GO111MODULE": "off",
        "GOPATH": "/usr/share/gocode", "PYTHONPATH": str(FOLDER.resolve())}
    template = "template_uuid" if set_up == "_uuid" else "template_app"
    subprocess.run(["createdb", "-T", template, "-O", "app", copy.stem], check=True)
    try:
        run = subprocess.run([*RUN[program.suffix][1:], copy.name], cwd=copy.parent, env=environment,
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=1200)
    finally:
        subprocess.run(["dropdb", "--force", copy.stem], check=True)
    lines = [line.split("\t") for line in run.stdout.splitlines()]
    if run.returncode != 0 or any(len(line) != 2 for line in lines):
        sys.exit(f"{copy}: exit status {run.returncode}\n{run.stdout}{run.stderr}")
    return dict(lines)


def check_uuid(program):
    """The program as it is, where each column of type iuid that it makes is a uuid at once: it needs nothing."""
    found = results(program, program.read_text(), "_uuid")
    for check in ["id >= iuid_floor($1)", *VALUES]:
        if check not in ("reads as", "array") and (program.stem, check) not in WITHOUT and found.get(check, "–") not in WELL:
            sys.exit(f"{program} with a column of type uuid: {check} gives {found[check]}")


def line(client, check, result):
    return f"{client}\t{check}\t{result}\n"


def run(heading, section):
    """The lines of a client."""
    program = program_of(heading)
    text = with_set_up(program, section)
    alone = results(program, program.read_text(), "")
    cured = results(program, text, "_set_up") if text else alone
    check_uuid(program)
    if alone.keys() != cured.keys():
        sys.exit(f"{program}: checks {alone.keys() ^ cured.keys()} ran only with or without the set-up")
    missing = {*TIMES, *VALUES} - alone.keys()
    if missing and alone.keys() & {*TIMES, *VALUES}:
        sys.exit(f"{program}: no result of {missing}")
    print(f"{heading} {alone['version']}", flush=True)
    return [line(program.stem, check, alone[check] if alone[check] == cured[check] else f"{alone[check]} → {cured[check]}")
            for check in alone]


def main(edition, write, names):
    page = SECTIONS.read_text()
    unknown = set(names) - {name_of(heading) for heading in clients(page)}
    if unknown:
        sys.exit(f"{SECTIONS} has no section for {unknown}")
    expected = FOLDER / f"{edition}.tsv"
    old = expected.read_text().splitlines(keepends=True)
    server = subprocess.run(["psql", "-XAtc", "SHOW server_version"], check=True, text=True, stdout=subprocess.PIPE)
    new = [line("postgresql", "version", server.stdout.split()[0])]
    for heading, section in clients(page).items():
        name = name_of(heading)
        if names and name not in names:
            new += [one for one in old if one.startswith(f"{name}\t")]
        elif is_of(program_of(heading), edition):
            new += run(heading, section)
    new.sort()
    if write == "yes":
        expected.write_text("".join(new))
        return
    lines = [[one for one in lines if "\tversion\t" not in one] for lines in (old, new)]
    difference = list(difflib.unified_diff(*lines, str(expected), "the clients", n=0))
    sys.stdout.writelines(difference)
    sys.exit(bool(difference))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
