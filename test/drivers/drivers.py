"""Runs the programs of the clients, and compares what they do with the tables of the pages.

doc/drivers.md has a section for each client, and the versions that ran.  doc/driver-tables.md has what
they did, in tables for each edition: "newest", or "debian12".

A program stands in the folder of its language, and is named as the heading of its client on the
page is: "### lib/pq" is lib-pq.go.  It runs as it is, and then with each line that is only the
comment "SET-UP" replaced by a block of code from that client's section, in their order.  So the page
shows what runs.  Each run has a database of its own.  A program of which one of the first lines is
"Only newest: ", or "Only debian12: ", and a reason, is left out of the other edition.  A section that
begins with "Not run" has no program.

A program prints a line for each check: its name, a tab and the result.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path("test/drivers")
SECTIONS = pathlib.Path("doc/drivers.md")
RESULTS = pathlib.Path("doc/driver-tables.md")
EDITIONS = ["newest", "debian12"]

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

# The checks that all clients have, by the table in which they are.  What else a program checks is
# in a table of its own.
TABLES = {
    "times": ["id >= $1", "id >= iuid_floor($1)", "id >= $1::timestamptz", "gen_iuid($1, $2)",
              "gen_iuid($1::int, $2::int)"],
    "values": ["table", "default", "UUID", "look-up", "IN", "= ANY", "reads as", "array",
               "COPY text", "COPY binary"],
}
COMMON = sum(TABLES.values(), [])
# What a check gives if all is well: a look-up by an index, a table with a column of that type; "–" if there is none.
WELL = ["ok", "index", "uuid", "–"]
# What a client does with no uuid: it knows no defaults of the server, or no arrays.
WITHOUT = [("django-3", "default"), ("ruby-pg", "= ANY")]


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
        "PGUSER": "app", "PGDATABASE": copy.stem, "SETUP": set_up, "GO111MODULE": "off",
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
    for check in ["id >= iuid_floor($1)", *TABLES["values"]]:
        if check not in ("reads as", "array") and (program.stem, check) not in WITHOUT and found.get(check, "–") not in WELL:
            sys.exit(f"{program} with a column of type uuid: {check} gives {found[check]}")


def run(heading, section):
    """The results as cells of the tables."""
    program = program_of(heading)
    text = with_set_up(program, section)
    alone = results(program, program.read_text(), "")
    cured = results(program, text, "_set_up") if text else alone
    check_uuid(program)
    if alone.keys() != cured.keys():
        sys.exit(f"{program}: checks {alone.keys() ^ cured.keys()} ran only with or without the set-up")
    cells = {check: alone[check] if alone[check] == cured[check] else f"{alone[check]} → {cured[check]}"
             for check in alone}
    missing = set(COMMON) - cells.keys()
    if missing and cells.keys() & set(COMMON):
        sys.exit(f"{program}: no result of {missing}")
    print(f"{heading} {cells['version']}", flush=True)
    return cells


def code(check):
    return f"`{check}`" if re.search(r"[$=]", check) else check


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def link(heading, page=""):
    return f"[{heading}]({page}#{re.sub('[^a-z0-9 -]', '', heading.lower()).replace(' ', '-')})"


def rows(client, cells):
    """For each table the rows of a client."""
    made = {table: row([client, *(cells[check] for check in checks)]) if checks[0] in cells else ""
            for table, checks in TABLES.items()}
    own = [check for check in cells if check != "version" and check not in COMMON]
    made["tools"] = "".join(row([client, check, cells[check]]) for check in own)
    return made


def lines_of(page, table):
    """The lines of a table on a page."""
    body = re.search(rf"^<!-- {table} -->\n(.*?)^<!-- end -->$", page, flags=re.M | re.S)[1]
    return body.splitlines(keepends=True)


def with_lines(page, table, lines):
    return re.sub(rf"(^<!-- {table} -->\n).*?(^<!-- end -->$)", lambda m: m[1] + "".join(lines) + m[2], page,
                  flags=re.M | re.S)


def heads(table):
    columns = {"tools": ["what", "result"]}.get(table) or map(code, TABLES[table])
    titles = row(["client", *columns])
    return [titles, "|---" * (titles.count("|") - 1) + "|\n"]


def with_versions(page, edition, ran):
    """The page of the sections with the versions of an edition; each client that is no more is left out."""
    lines = lines_of(page, "versions")
    old = dict(line.strip("| \n").split(" | ", 1) for line in lines[2:])
    del lines[2:]
    for client in ["PostgreSQL", *map(link, clients(page))]:
        cells = dict(zip(EDITIONS, old.get(client, "– | –").split(" | ")))
        lines.append(row([client, *(cells | {edition: ran.get(client, cells[edition])}).values()]))
    return with_lines(page, "versions", lines)


def main(edition, write, names):
    page, tables = SECTIONS.read_text(), RESULTS.read_text()
    unknown = set(names) - {name_of(heading) for heading in clients(page)}
    if unknown:
        sys.exit(f"{SECTIONS} has no section for {unknown}")
    old = {table: lines_of(tables, f"{edition} {table}") for table in [*TABLES, "tools"]}
    new = {table: heads(table) for table in old}
    server = subprocess.run(["psql", "-XAtc", "SHOW server_version"], check=True, text=True, stdout=subprocess.PIPE)
    versions = {"PostgreSQL": server.stdout.split()[0]}
    for heading, section in clients(page).items():
        client = link(heading, SECTIONS.name)
        if not is_of(program_of(heading), edition):
            made = rows(client, {})
            versions[link(heading)] = "–"
        elif not names or name_of(heading) in names:
            cells = run(heading, section)
            made = rows(client, cells)
            versions[link(heading)] = cells["version"]
        else:
            made = {table: "".join(line for line in lines if line.startswith(f"| {client} |"))
                    for table, lines in old.items()}
        for table in new:
            new[table] += made[table].splitlines(keepends=True)
    if write == "yes":
        for table, lines in new.items():
            tables = with_lines(tables, f"{edition} {table}", lines)
        RESULTS.write_text(tables)
        SECTIONS.write_text(with_versions(page, edition, versions))
        return
    different = False
    for table in old:
        for line in difflib.unified_diff(old[table], new[table], f"{RESULTS}, {table}", "the clients", n=0):
            sys.stdout.write(line)
            different = True
    sys.exit(different)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
