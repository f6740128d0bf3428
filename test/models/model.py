"""What the models of the examples share: arguments, a database, sessions, and the comparison.

A model is a program of this folder, named after an example, and the only test of the example's
truth.  It runs the file that shows the example.  It makes random data from a seed, gives the data
to the example through several sessions at once, computes in Python what the tables must hold
afterwards, and compares.  It knows nothing of how the example does that.  Last come the ends of the
rules: what the example refuses, and which partitions and indexes its questions read.

The server is the one of libpq's environment variables.  A model makes a database of its own there.
The exit status is 0 if nothing differed.
"""

import argparse
import concurrent.futures
import contextlib
import os
import queue
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parents[2]

_differences = 0


def arguments(rows):
    """The number of rows, which is ROWS unless the user says otherwise, of sessions, and the seed.

    The seed also starts Python's generator: sessions at once make a run no exact repetition.
    """
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--rows", type=int, default=rows, help="about as many rows (%(default)s)")
    parser.add_argument("--sessions", type=int, default=6, help="at once (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="of the data")
    given = parser.parse_args()
    random.seed(given.seed)
    name = Path(sys.argv[0]).stem
    print(f"{name} --rows {given.rows} --sessions {given.sessions} --seed {given.seed}", flush=True)
    return given


def make_database(*files):
    """A new database with iuid, named after the model, in which psql has run FILES of the tree."""
    name = "model_" + Path(sys.argv[0]).stem
    with psycopg.connect(autocommit=True, dbname="template1") as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0")
    os.environ["PGDATABASE"] = name
    with connect() as connection:
        connection.execute("CREATE EXTENSION iuid")
    for file in files:
        load(file)


def load(file):
    """Runs a file of the tree with psql, which must not fail."""
    command = ["psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-o", os.devnull, "-f", file]
    subprocess.run(command, cwd=ROOT, check=True)


def connect(**options):
    """A session whose statements commit one by one, and whose times are in UTC."""
    return psycopg.connect(autocommit=True, options="-c timezone=UTC", **options)


def in_sessions(sessions, work, jobs):
    """Calls WORK(connection, job) for each of JOBS, from as many SESSIONS at once.

    Gives what the calls returned, in no order.  An error of one call ends the model.
    """
    todo, done = queue.SimpleQueue(), []
    for job in jobs:
        todo.put(job)

    def session():
        with connect() as connection:
            while True:
                try:
                    job = todo.get_nowait()
                except queue.Empty:
                    return
                done.append(work(connection, job))

    with concurrent.futures.ThreadPoolExecutor(sessions) as pool:
        for future in [pool.submit(session) for _ in range(sessions)]:
            future.result()
    return done


@contextlib.contextmanager
def beside(work, pause=0.0):
    """Calls WORK(connection) again and again, in a session of its own, while the body runs.

    The body begins after the first call.  An error of a call ends the model after the body.
    """
    begun, stop = threading.Event(), threading.Event()

    def session():
        try:
            with connect() as connection:
                while not stop.is_set():
                    work(connection)
                    begun.set()
                    stop.wait(pause)
        finally:
            begun.set()

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(session)
        begun.wait()
        try:
            yield
        finally:
            stop.set()
        future.result()


def rows(statement, parameters=None):
    """All rows of a query."""
    with connect() as connection:
        return connection.execute(statement, parameters).fetchall()


def same(what, expected, found):
    """Compares two dictionaries, or two collections without duplicates, and prints what differs."""
    global _differences
    if not isinstance(expected, dict):
        _no_duplicates(what, expected)
        _no_duplicates(what, found)
        expected, found = dict.fromkeys(expected), dict.fromkeys(found)
    missing = [key for key in expected if key not in found]
    unexpected = [key for key in found if key not in expected]
    other = [key for key in expected if key in found and expected[key] != found[key]]
    print(f"{what}: {len(expected)} expected, {len(missing)} missing, "
          f"{len(unexpected)} unexpected, {len(other)} different", flush=True)
    for key in missing[:5]:
        print("  missing:", key, expected[key])
    for key in unexpected[:5]:
        print("  unexpected:", key, found[key])
    for key in other[:5]:
        print("  different:", key, "expected", expected[key], "found", found[key])
    _differences += len(missing) + len(unexpected) + len(other)


def _no_duplicates(what, collection):
    if len(set(collection)) != len(collection):
        sys.exit(f"{what}: a row is there twice")


def outcomes(*cases):
    """What the last of some statements says: an SQLSTATE, 00000 if it succeeds, or a message.

    A case is what must be said, and the statements, which are a transaction that is rolled back.
    """
    expected, found = {}, {}
    for said, *statements in cases:
        expected[tuple(statements)] = said
        with _last_of(statements) as (connection, last):
            try:
                connection.execute(last)
                got = {"00000"}
            except psycopg.Error as error:
                got = {error.sqlstate, error.diag.message_primary}
        found[tuple(statements)] = said if said in got else got
    same("outcomes", expected, found)


def answers(*cases):
    """The rows that the last of some statements gives, in cases as those of outcomes()."""
    expected, found = {}, {}
    for rows_, *statements in cases:
        expected[tuple(statements)] = rows_
        with _last_of(statements) as (connection, last):
            found[tuple(statements)] = connection.execute(last).fetchall()
    same("answers", expected, found)


def reads(*cases):
    """The indexes, and tables without one, that the last of some statements reads, as in outcomes().

    Small tables would be read from end to end, so that is forbidden.
    """
    expected, found = {}, {}
    for names, *statements in cases:
        expected[tuple(statements)] = names
        with _last_of(statements) as (connection, last):
            connection.execute("SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off")
            (plan,), = connection.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + last).fetchall()
        found[tuple(statements)] = set(_names_in(plan[0]["Plan"]))
    same("plans", expected, found)


@contextlib.contextmanager
def _last_of(statements):
    """A session in a transaction in which all of the statements but the last one were run."""
    with connect() as connection:
        with connection.transaction(force_rollback=True):
            for statement in statements[:-1]:
                connection.execute(statement)
            yield connection, statements[-1]


def _names_in(node):
    if node["Actual Loops"] > 0 and "Relation Name" in node:
        yield node.get("Index Name", node["Relation Name"])
    for child in node.get("Plans", []):
        yield from _names_in(child)


@contextlib.contextmanager
def timed(what, count):
    """Prints how many rows a second the body took."""
    begin = time.monotonic()
    yield
    seconds = time.monotonic() - begin
    print(f"{what}: {count} rows in {seconds:.1f} s, {count / seconds:.0f} a second", flush=True)


def finish():
    """The end of a model: the exit status says whether anything differed."""
    sys.exit(1 if _differences else 0)
