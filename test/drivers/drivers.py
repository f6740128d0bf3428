"""Runs the programs of the clients, and compares what they do with the tables of doc/drivers.md.

A program stands in the folder of its language, and is named as the heading of its client on the
page is: "### lib/pq" is lib-pq.go.  It runs as it is, and then with each line that is only the
comment "SET-UP" replaced by a block of code from that client's section, in their order.  So the page
shows what runs.  Each run has a database of its own.

A program prints a line for each check: its name, a tab and the result.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path("test/drivers")

# How to run a program, by its ending, and how the page calls its language.  Python with -P does not
# take a program of this tree for the client of that name.
RUN = {
    ".py": ["python", "/usr/bin/python3", "-P"],
    ".java": ["java", "java", "-cp", "/usr/share/java/postgresql.jar"],
    ".go": ["go", "go", "run", "checks.go"],
    ".rb": ["ruby", "ruby"],
    ".pl": ["perl", "perl"],
    ".mjs": ["js", "node"],
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


def clients(page):
    """The headings of the clients, and their sections."""
    parts = re.split(r"^(##+) (.*)\n", page, flags=re.M)
    return {heading: section for level, heading, section in zip(parts[1::3], parts[2::3], parts[3::3])
            if level == "###"}


def name_of(heading):
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def program_of(heading):
    found = [path for path in FOLDER.glob("*/*") if path.suffix in RUN and path.stem == name_of(heading)]
    if len(found) != 1:
        sys.exit(f"{heading}: not one program, but {found}")
    return found[0]


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
    subprocess.run(["createdb", "-T", "template_app", "-O", "app", copy.stem], check=True)
    try:
        run = subprocess.run([*RUN[program.suffix][1:], copy.name], cwd=copy.parent, env=environment,
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=1200)
    finally:
        subprocess.run(["dropdb", "--force", copy.stem], check=True)
    lines = [line.split("\t") for line in run.stdout.splitlines()]
    if run.returncode != 0 or any(len(line) != 2 for line in lines):
        sys.exit(f"{copy}: exit status {run.returncode}\n{run.stdout}{run.stderr}")
    return dict(lines)


def run(heading, section):
    """The results as cells of the tables."""
    program = program_of(heading)
    text = with_set_up(program, section)
    alone = results(program, program.read_text(), "")
    cured = results(program, text, "_set_up") if text else alone
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


def link(heading):
    return f"[{heading}](#{re.sub('[^a-z0-9 -]', '', heading.lower()).replace(' ', '-')})"


def rows(client, cells):
    """For each table the rows of a client."""
    made = {table: row([client, *(cells[check] for check in checks)]) if checks[0] in cells else ""
            for table, checks in TABLES.items()}
    own = [check for check in cells if check != "version" and check not in COMMON]
    made["tools"] = "".join(row([client, check, cells[check]]) for check in own)
    made["versions"] = f"| {client} | {cells['version']} |\n"
    return made


def tables(page):
    """The bodies of the tables on the page, each a dictionary of a client's rows."""
    return {table: [line + "\n" for line in body.splitlines()]
            for table, body in re.findall(r"^<!-- (\w+) -->\n(.*?)^<!-- end -->$", page, flags=re.M | re.S)}


def heads(table):
    columns = {"tools": ["what", "result"], "versions": ["version"]}.get(table) or map(code, TABLES[table])
    titles = row(["client", *columns])
    return [titles, "|---" * (titles.count("|") - 1) + "|\n"]


def main(path, write, names):
    path = pathlib.Path(path)
    page = path.read_text()
    old = tables(page)
    new = {table: heads(table) for table in old}
    server = subprocess.run(["psql", "-XAtc", "SHOW server_version"], check=True, text=True, stdout=subprocess.PIPE)
    new["versions"].append(row(["PostgreSQL", server.stdout.split()[0]]))
    for heading, section in clients(page).items():
        if not names or name_of(heading) in names:
            made = rows(link(heading), run(heading, section))
        else:
            made = {table: "".join(line for line in lines if line.startswith(f"| {link(heading)} |"))
                    for table, lines in old.items()}
        for table in new:
            new[table] += made[table].splitlines(keepends=True)
    if write == "yes":
        for table, lines in new.items():
            page = re.sub(rf"(^<!-- {table} -->\n).*?(^<!-- end -->$)", lambda m: m[1] + "".join(lines) + m[2],
                          page, flags=re.M | re.S)
        path.write_text(page)
        return
    different = False
    for table in [*TABLES, "tools"]:
        for line in difflib.unified_diff(old[table], new[table], f"{path}, {table}", "the clients", n=0):
            sys.stdout.write(line)
            different = True
    sys.exit(different)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
