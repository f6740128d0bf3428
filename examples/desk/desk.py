#!/usr/bin/python3
"""The desk: a page that finds any identifier in any region.

CONNECTION is a connection string of libpq, for a role that may read and no more, such as
"service=almaty user=desk".  The page has no authentication: README.md says where to put it.
"""

import argparse

import flask
import psycopg
import waitress

import pasted
import questions

PAGE = 20  # rows of a history
HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self';"
                                      " form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
           "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}
app = flask.Flask(__name__)
app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True


@app.before_request
def refuse_other_names():
    """A page of another host cannot read this one by giving its own name this address, nor ask in its reader's name."""
    if flask.request.headers.get("Sec-Fetch-Site") == "cross-site" and flask.request.headers.get("Sec-Fetch-Mode") != "navigate":
        flask.abort(403, "This desk is not a part of another page.")
    if flask.request.host not in app.config["NAMES"]:
        flask.abort(403, f"This desk is not called {flask.request.host}.")


@app.after_request
def protect(response):
    response.headers.update(HEADERS)
    return response


@app.errorhandler(psycopg.Error)
def refused(error):
    return flask.render_template("base.html", faults=[questions.words(error.diag)]), 503


@app.get("/")
def any_id():
    text = flask.request.args.get("id", "")
    clean = pasted.clean(text)
    page = {"text": text[:pasted.LONGEST], "faults": []}
    if len(text) > pasted.LONGEST:
        page["faults"].append(f"This text has {len(text):,} characters. Paste the part that has the iuid.")
    elif clean:
        first, *page["others"] = pasted.uuids(clean) or [clean]
        with app.config["NODE"].asking() as ask:
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


def failures(ask):
    """The nodes that failed, where the rest is shown."""
    return [f"Rows are missing here, as a node failed: {warning}" for warning in ask.warnings]


def look_up(ask, found, faults):
    """The row of an identifier, and how long it took."""
    table = questions.TABLES.get(found["key"])
    if found["node"] and not table:
        faults.append("The desk knows no table of this entity, so it cannot show the row.")
    elif found["node"]:
        try:
            rows, took = ask(questions.LOOK_UP, found["id"], table=table)
            return {"rows": rows, "took": took}
        except psycopg.Error as error:
            faults.append(f"The look-up at {found['node']} failed, so nobody knows whether it has the row."
                          f" {questions.words(error.diag)}")
    return {}


@app.get("/history")
def history():
    customer, before = (pasted.clean(flask.request.args.get(name, "")) for name in ("customer", "before"))
    page = {"customer": customer, "before": before, "table": next(iter(questions.TABLES.values())), "faults": []}
    if customer:
        try:
            with app.config["NODE"].asking() as ask:
                rows, page["took"] = ask(questions.HISTORY, customer, before or "f" * 32, PAGE + 1, table=page["table"])
        except psycopg.DataError as error:
            page["faults"].append(questions.words(error.diag))
        else:
            page["faults"] = failures(ask)
            rows = [{column: row[column] for column in ("id", *row) if column != "customer"} for row in rows]
            page["rows"], page["more"] = rows[:PAGE], len(rows) > PAGE
    return flask.render_template("history.html", **page)


@app.get("/health")
def health():
    faults = []

    def part(*question, **table):
        """The rows of a part of the page, which may fail, and milliseconds."""
        try:
            return ask(*question, **table)
        except psycopg.Error as error:
            faults.append(f"A part of this page is missing. {questions.words(error.diag)}")
            return [], None

    with app.config["NODE"].asking() as ask:
        nodes, _ = ask(questions.NODES)
        up = [node["node"] for node in nodes if node["success"]]
        took = {node["node"]: part(questions.ROUND_TRIP, node["node"])[1]
                for node in nodes if node["success"] and not node["here"]}
        moves, _ = part(questions.MOVES, up)
        regions = check(ask, questions.CHECK_REGIONS)
        tables = {table: {"time": check(ask, questions.CHECK_PARTITIONS, table),
                          "partitions": part(questions.PARTITIONS, table=table)[0],
                          "minutes": part(questions.MINUTES, up, table=table)[0]}
                  for table in questions.TABLES.values()}
        faults += failures(ask)
    return flask.render_template("health.html", faults=faults, nodes=nodes, took=took, moves=moves, regions=regions,
                                 tables=tables)


def check(ask, question, table=None):
    """What a check finds.  A check that fails is a problem, too, and the page shows the rest."""
    try:
        return ask(question, table=table)[0]
    except psycopg.Error as error:
        return [{"problem": "The check did not end.", "detail": questions.words(error.diag)}]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--listen", default="127.0.0.1:8080", metavar="ADDRESS:PORT")
    parser.add_argument("--name", action="append", default=[],
                        help="what a browser calls this desk, if not by --listen or as localhost")
    parser.add_argument("connection", help="such as 'service=almaty user=desk'")
    given = parser.parse_args()
    names = {given.listen, f"localhost:{given.listen.rpartition(':')[2]}", *given.name}
    app.config["NAMES"] = {name.removesuffix(":80") for name in names}
    app.config["NODE"] = questions.Node(given.connection)
    waitress.serve(app, listen=given.listen, threads=16, max_request_header_size=2**21, ident=None)


if __name__ == "__main__":
    main()
