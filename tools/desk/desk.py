"""The desk: a page that finds any identifier in any region.

A WSGI application, app.  README.md has its settings, which are in the environment.  It has no
authentication: README.md says what to put before it.
"""

import collections
import os
import re
import unicodedata

import flask
import markupsafe
import psycopg
from psycopg import sql

import pasted
import questions

PAGE = 20  # rows of a history, or of what refers to a row
LONGEST = 10_000  # characters of a value
SERIES = 8  # countries with a colour of their own
HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self';"
                                      " form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
           "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}


def setting(name, default=""):
    return os.environ.get(f"IUID_DESK_{name}", default).split()


# The table of each entity, as SQL writes it, by the key of the entity: "AyanOrder=public.orders".
TABLES = dict(each.split("=") for each in setting("TABLES"))
# The table whose rows the history has, and the column by which it finds them.
HISTORY = setting("HISTORY")


def names():
    """What browsers call the desk, as they write it."""
    return [name.lower() for name in setting("NAMES", "localhost 127.0.0.1")]


def short(table):
    return table.rpartition(".")[2]


class Request(flask.Request):
    """A page of another host cannot read this one by giving its own name this address."""
    trusted_hosts = names()


app = flask.Flask(__name__)
app.request_class = Request
app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
app.jinja_env.globals["history_of"] = (short(HISTORY[0]), HISTORY[1]) if HISTORY else (None, None)
node = questions.Node(os.environ.get("IUID_DESK_NODE", ""), list(TABLES.values()))


@app.before_request
def begin():
    flask.request.host  # which refuses other names: 400
    if flask.request.headers.get("Sec-Fetch-Site") == "cross-site" and flask.request.headers.get("Sec-Fetch-Mode") != "navigate":
        flask.abort(403, "This desk is not a part of another page.")


@app.after_request
def protect(response):
    response.headers.update(HEADERS)
    return response


@app.errorhandler(psycopg.Error)
def refused(error):
    return flask.render_template("base.html", faults=[questions.words(error.diag)]), 503


@app.template_filter()
def shown(value):
    """A value as it is, with what nobody sees written out: line ends, and marks that turn the order of letters."""
    if value is None:
        return markupsafe.Markup('<span class="code">NULL</span>')
    if value == "":
        return markupsafe.Markup('<span class="code">empty</span>')
    if len(value) > LONGEST:
        return shown(value[:LONGEST]) + markupsafe.Markup('<span class="code">{:,} more characters</span>').format(len(value) - LONGEST)
    marks = {character: markupsafe.Markup('<span class="code">{}</span>{}').format(
        {"\n": "line end", "\t": "tab"}.get(character, f"U+{ord(character):04X}"), "\n" * (character == "\n"))
        for character in set(value) if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    return markupsafe.Markup("").join(marks.get(character, character) for character in value) if marks else value


@app.get("/")
def any_id():
    text = flask.request.args.get("id", "")
    clean = pasted.clean(text)
    page = {"text": text[:pasted.LONGEST], "faults": []}
    if len(text) > pasted.LONGEST:
        page["faults"].append(f"This text has {len(text):,} characters. Paste the part that has the iuid.")
    elif clean:
        first, *page["others"] = pasted.uuids(clean) or [clean]
        with node.asking() as ask:
            try:
                (found,), _ = ask(questions.INSPECT, first)
                page |= {"found": found, "bits": pasted.bits(found["id"], found["layout"]), "fields": pasted.FIELDS}
                page |= look_up(ask, found, page["faults"])
            except psycopg.errors.InvalidTextRepresentation as error:
                page["faults"].append(explain(ask, clean, error.diag))
    return flask.render_template("id.html", **page)


def explain(ask, text, refusal):
    """What a text is that is no iuid, and what can be done."""
    if pasted.uuids(text):
        return f"This is no iuid. {refusal.message_detail} {refusal.message_hint}"
    try:
        (floor,), _ = ask(questions.FLOOR, text)
        return f"Read as a time, this is {floor['time']}. The identifiers from then on begin at {floor['id']}."
    except psycopg.DataError:
        digits = pasted.count_digits(text)
        what = f"This has {digits} hexadecimal digits." if digits else "There is no iuid in this text."
        return f"{what} {refusal.message_detail}"


def look_up(ask, found, faults):
    """The row of an identifier, how long it took, and the rows that refer to it."""
    table = TABLES.get(found["key"])
    if found["node"] and not table:
        faults.append("The desk knows no table of this entity, so it cannot show the row.")
    elif found["node"]:
        try:
            columns, rows, took = ask.texts(questions.LOOK_UP, found["id"], table=sql.SQL(table))
        except psycopg.Error as error:
            faults.append(f"Nobody knows whether {found['node']} has the row: the look-up failed. {questions.words(error.diag)}")
        else:
            return {"columns": columns, "rows": rows, "took": took, "table": short(table),
                    "referring": [each for row in rows for each in refer(ask, table, dict(zip(columns, row)), found["node"], faults)]}
    return {}


def refer(ask, table, row, where, faults):
    """The rows of each table that refers to a row."""
    for key in ask(questions.REFERENCES, table)[0]:
        if any(row[column] is None for column in key["keys"]):
            continue
        command = "SELECT * FROM %s WHERE " + " AND ".join(["%I = %L"] * len(key["keys"])) + " ORDER BY 1 DESC LIMIT " + str(PAGE + 1)
        pairs = [part for column, of in zip(key["columns"], key["keys"]) for part in (column, row[of])]
        try:
            columns, rows, _ = ask.texts(questions.REFERRING, command, [key["child"], *pairs], where, table=sql.SQL(key["child"]))
        except psycopg.Error as error:
            faults.append(f"The rows of {key['name']} are missing here. {questions.words(error.diag)}")
        else:
            yield key["name"], columns, rows[:PAGE], len(rows) > PAGE
    faults += [f"Rows are missing here. {warning}" for warning in ask.warnings]


@app.get("/history")
def history():
    value, before = (flask.request.args.get(name, "").strip() for name in ("value", "before"))
    page = {"value": value, "before": before, "faults": []}
    if not HISTORY:
        page["faults"].append("IUID_DESK_HISTORY names no table.")
    elif value:
        table, column = HISTORY
        try:
            with node.asking() as ask:
                columns, rows, page["took"] = ask.texts(questions.HISTORY, table, column, value, before or "f" * 32, PAGE + 1,
                                                        value, table=sql.SQL(table), column=sql.Identifier(column))
        except psycopg.DataError as error:
            page["faults"].append(questions.words(error.diag))
        else:
            page["faults"] += [f"Rows are missing here, as a node failed. {warning}" for warning in ask.warnings]
            page |= {"columns": columns, "rows": rows[:PAGE], "more": len(rows) > PAGE,
                     "last": rows[PAGE - 1][columns.index("id")] if len(rows) > PAGE else None}
    return flask.render_template("history.html", **page)


@app.template_test()
def uuid(value):
    return value is not None and bool(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value))


@app.get("/health")
def health():
    faults = []

    def part(*question, **names):
        """The rows of a part of the page, which may fail, and milliseconds."""
        try:
            return ask(*question, **names)
        except psycopg.Error as error:
            faults.append(f"A part of this page is missing. {questions.words(error.diag)}")
            return [], None

    with node.asking() as ask:
        nodes, _ = ask(questions.NODES)
        states = {state.pop("node"): state for state in part(questions.STATES)[0]}
        up = [each["node"] for each in nodes if each["node"] in states]
        for each in nodes:
            said = [warning for warning in ask.warnings if warning.startswith(f'node "{each["node"]}"')]
            each["failure"] = None if each["node"] in states else " ".join(said) or "It did not answer."
            if each["node"] in states and not each["here"]:
                each["took"] = part(questions.ROUND_TRIP, [each["node"]])[1]
        moves, _ = part(questions.MOVES, up)
        tables = [(short(table), {"time": check(ask, questions.CHECK_PARTITIONS, table),
                                  "partitions": part(questions.PARTITIONS, table)[0],
                                  "series": series(part(questions.MINUTES, up, table=sql.SQL(table))[0])})
                  for table in dict.fromkeys(TABLES.values())]
        regions = check(ask, questions.CHECK_REGIONS)  # which closes the connections to the other nodes,
        part(questions.ROUND_TRIP, None)  # and this opens them
        faults += [f"A node did not say all. {warning}" for warning in ask.warnings]
    return flask.render_template("health.html", faults=faults, nodes=nodes, states=states, moves=moves, regions=regions,
                                 tables=tables)


def series(minutes):
    """For each country, most ids first, and the others as one: the name, the ids of an hour and of its last ten minutes, and columns of a chart."""
    ids = collections.defaultdict(collections.Counter)
    for row in minutes:
        ids[row["country"]][row["ago"]] += row["ids"]
    names = sorted(ids, key=lambda name: (-ids[name].total(), name))
    if len(names) > SERIES:
        ids["others"] = sum((ids[name] for name in names[SERIES:]), collections.Counter())
    below, found = collections.Counter(), []
    for name in names[:SERIES] + ["others"] * (len(names) > SERIES):
        found.append({"name": name, "hour": ids[name].total(), "late": sum(n for ago, n in ids[name].items() if ago < 10),
                      "columns": [(ago, below[ago], n) for ago, n in sorted(ids[name].items())]})
        below += ids[name]
    return {"each": found, "most": max(below.values(), default=1),
            "others": [(name, ids[name].total()) for name in names[SERIES:]]}


def check(ask, question, *values):
    """What a check finds.  A check that fails is a problem, too, and the page shows the rest."""
    try:
        return ask(question, *values)[0]
    except psycopg.Error as error:
        return [{"problem": "The check did not end.", "detail": questions.words(error.diag)}]
