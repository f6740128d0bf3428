#!/usr/bin/python3
"""Asks the server random questions, and computes in Python what the answers must be.

A world is a few random tables with their rows.  It is asked queries, and changed, under random
settings of the planner, with literals and with prepared statements.  The answers are computed row
by row from doc/format.md and doc/predicates.md, as if there were no index, partition or planner.

The server is the one of libpq's environment variables.  The program makes a database of its own
there.  The seed decides all: world W of a seed is always the same.  The first difference ends the
program with exit status 1, after a script for psql that shows the difference again.
"""

import argparse
import collections
import random
import sys
import time
from pathlib import Path

import psycopg

import aggregates
import calls
import changes
import joins
import one_table
import settings
from conditions import Maker
from question import Refused
from tables import Table
from values import Pool, literal

sys.path.append(str(Path(__file__).resolve().parents[1] / "models"))
from model import connect, make_database  # noqa: E402

QUERIES = one_table.KINDS + joins.KINDS + aggregates.KINDS
STATEMENTS = 150  # of a world
TIMEOUT = "60s"   # for a statement, which takes milliseconds

# What hides a value from the planner, or from the planner's folding of constants.
PREPARATION = ["CREATE DOMAIN key AS iuid"] + [
    f"CREATE FUNCTION {name}(anyelement) RETURNS anyelement LANGUAGE plpgsql "
    f"{volatility} PARALLEL SAFE COST {cost} AS 'BEGIN RETURN $1; END'"
    for name, volatility, cost in (("immutable", "IMMUTABLE", 1), ("stable", "STABLE", 1),
                                   ("volatile", "VOLATILE", 1), ("costly", "STABLE", 1000))]


class Difference(Exception):
    pass


class World:
    """Some tables, and the session that asks."""

    def __init__(self, connection, seed, number):
        self.connection, self.name = connection, f"--seed {seed} --world {number}"
        self.rng = random.Random(f"{seed} {number}")
        self.pool = Pool(self.rng)
        self.history, self.settings, self.counts = [], [], collections.Counter()
        old_server = not has_fixed_pruning(connection.info.server_version)
        self.tables = [Table(f"w{n}", self.pool, old_server) for n in range(1, self.rng.randrange(2, 5))]
        self.run("DROP SCHEMA IF EXISTS world CASCADE; CREATE SCHEMA world; SET search_path = world, public")
        for table in self.tables:
            for statement in table.create():
                self.do(statement)

    # --- statements ---------------------------------------------------------

    def run(self, sql):
        """The rows that a statement returns as texts, or its error."""
        result = self.connection.pgconn.exec_(sql.encode())
        if result.error_message:
            code = result.error_field(psycopg.pq.DiagnosticField.SQLSTATE)
            return (code or b"lost").decode(), result.error_message.decode()
        return [tuple(value if value is None else value.decode()
                      for value in (result.get_value(row, column) for column in range(result.nfields)))
                for row in range(result.ntuples)]

    def do(self, sql):
        """What must succeed, and stays."""
        self.history.append(sql)
        found = self.run(sql)
        if isinstance(found, tuple):
            self.differ([], "success", found)

    def compare(self, script, expected, found, order=None):
        """EXPECTED are rows, or the SQLSTATEs of errors of which one must come."""
        if isinstance(expected, tuple) or isinstance(found, tuple):
            same = isinstance(expected, tuple) and isinstance(found, tuple) and found[0] in expected
        else:
            same = collections.Counter(expected) == collections.Counter(found)
            if same and order:
                same = [row[order] for row in expected] == [row[order] for row in found]
        if not same:
            self.differ(script, expected, found)

    def differ(self, script, expected, found):
        """Prints all that leads to a difference, as a script."""
        print(f"-- A difference, with {self.name}.  This script shows it again:")
        lines = ["CREATE EXTENSION IF NOT EXISTS iuid", *PREPARATION, "SET timezone = 'UTC'", *self.history,
                 *(f"SET {each}" for each in self.settings), *script]
        print(";\n".join(lines) + ";")
        for what, rows in (("expected", expected), ("found", found)):
            if isinstance(rows, list):
                other = found if what == "expected" else expected
                other = collections.Counter(other) if isinstance(other, list) else collections.Counter()
                only = list((collections.Counter(rows) - other).elements())
                print(f"-- {what} {len(rows)} rows; only here, or in another order: {only[:10]}")
            else:
                print(f"-- {what}: {rows}")
        raise Difference

    # --- one question ---------------------------------------------------------

    def ask(self):
        """Changes settings, and asks one question or makes one change."""
        self.settings = settings.choose(self.rng)
        found = self.run("; ".join(["RESET ALL", "SET search_path = world, public"]
                                   + [f"SET {each}" for each in self.settings]))
        if isinstance(found, tuple):
            self.differ([], "success", found)
        kind = self.rng.random()
        if kind < 0.12:
            self.change()
        elif kind < 0.14:
            self.keep_up()
        else:
            self.question(self.rng.choice(calls.KINDS if kind < 0.24 else QUERIES))

    def question(self, kind):
        prepared = self.rng.random() < 0.5
        maker = Maker(self.pool, self.tables, prepared)
        question = kind(maker)
        self.counts[kind.__name__] += 1
        if not prepared:
            self.compare([question.sql], answer(question), self.run(question.sql), question.sorted)
            return
        types = ", ".join(parameter.type for parameter in maker.parameters)
        prepare = f"PREPARE q{'(' + types + ')' if types else ''} AS {question.sql}"
        found = self.run(prepare)
        if isinstance(found, tuple):
            self.compare([prepare], answer(question), found)
            return
        for _ in range(self.rng.choice((1, 2, 7))):
            arguments = ", ".join(literal(parameter.type, parameter.value) for parameter in maker.parameters)
            execute = f"EXECUTE q{'(' + arguments + ')' if arguments else ''}"
            self.compare([prepare, execute], answer(question), self.run(execute), question.sorted)
            for parameter in maker.parameters:
                parameter.value = parameter.draw()
        self.run("DEALLOCATE q")

    def change(self):
        """Half of the changes stay."""
        kind = self.rng.choice(changes.KINDS)
        change = kind(Maker(self.pool, self.tables, False))
        self.counts[kind.__name__] += 1
        keep = self.rng.random() < 0.5
        self.run("BEGIN")
        before = change.table.rows
        try:
            change.table.rows, expected = change.make()
        except Refused as refused:
            expected = refused.args
        self.compare(["BEGIN", change.sql], expected, self.run(change.sql))
        if isinstance(expected, list):
            contents = changes.contents(change.table)
            self.compare(["BEGIN", change.sql, contents.sql], contents.expected(), self.run(contents.sql))
        self.run("COMMIT" if keep else "ROLLBACK")
        if keep and isinstance(expected, list):
            self.history.append(change.sql)
        else:
            change.table.rows = before

    def keep_up(self):
        """What a table meets in its life, and what changes no row."""
        table = self.rng.choice(self.tables)
        command = self.rng.choice(("VACUUM", "ANALYZE", "REINDEX TABLE", "INDEX"))
        for sql in table.new_indexes() if command == "INDEX" else [f"{command} {table.name}"]:
            self.do(sql)
        self.counts["keep_up"] += 1


def answer(question):
    try:
        return question.expected()
    except Refused as refused:
        return refused.args


def has_fixed_pruning(version):
    """Whether the server finds the rows of a DEFAULT partition below the first level (README.md)."""
    major, minor = divmod(version, 10000)
    return minor >= {15: 20, 17: 11, 18: 6}.get(major, 99 if major < 18 else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="about as long (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="of all that is random")
    parser.add_argument("--world", type=int, help="only this one")
    given = parser.parse_args()

    make_database()
    end = time.monotonic() + given.seconds
    worlds, counts = 0, collections.Counter()
    print(f"fuzz.py --seed {given.seed}", flush=True)
    with connect() as connection:
        for statement in PREPARATION:
            connection.execute(statement)
        database = connection.info.dbname
        connection.execute(f"ALTER DATABASE {database} SET statement_timeout = '{TIMEOUT}'")
        # A plan that a setting forbids is so dear that the server would compile it.
        connection.execute(f"ALTER DATABASE {database} SET jit = off")
    with connect() as connection:
        while time.monotonic() < end and (given.world is None or worlds == 0):
            try:
                world = World(connection, given.seed, worlds if given.world is None else given.world)
                for _ in range(STATEMENTS):
                    world.ask()
            except Difference:
                sys.exit(1)
            counts += world.counts
            worlds += 1
    print(f"{worlds} worlds, no difference:", ", ".join(f"{n} {kind}" for kind, n in counts.most_common()))


if __name__ == "__main__":
    main()
