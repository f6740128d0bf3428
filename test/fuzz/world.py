"""A world: a few random tables, whose rows are also here, and the session that asks about them."""

import collections
import random

import psycopg

import aggregates
import calls
import changes
import joins
import one_table
import settings
from conditions import Maker
from expressions import HIDING
from question import Refused
from tables import Table
from values import Pool, literal

QUERIES = one_table.KINDS + joins.KINDS + aggregates.KINDS

# What all worlds of a database use.
PREPARATION = ["CREATE DOMAIN key AS iuid", "CREATE DOMAIN uuid_key AS uuid CHECK (iuid_is_valid(VALUE))"] + [
    f"CREATE FUNCTION {name}(anyelement) RETURNS anyelement LANGUAGE plpgsql {options} "
    "PARALLEL SAFE AS 'BEGIN RETURN $1; END'" for name, options in HIDING.items()]


class Difference(Exception):
    """The server answered otherwise; all that is known of it has been printed."""


class World:
    """World NUMBER of SEED, which is always the same."""

    def __init__(self, connection, seed, number):
        self.connection, self.name = connection, f"--seed {seed} --world {number}"
        self.rng = random.Random(f"{seed} {number}")
        self.pool = Pool(self.rng)
        self.history, self.settings, self.counts = [], [], collections.Counter()
        old_server = not has_fixed_pruning(connection.info.server_version)
        self.tables = [Table(f"w{n + 1}", self.pool, old_server)
                       for n in range(self.rng.randrange(1, 4))]
        self.run("DROP SCHEMA IF EXISTS world CASCADE; CREATE SCHEMA world; "
                 "SET search_path = world, public")
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
        rows = ((result.get_value(row, column) for column in range(result.nfields))
                for row in range(result.ntuples))
        return [tuple(value if value is None else value.decode() for value in row) for row in rows]

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
        lines = ["CREATE EXTENSION iuid", *PREPARATION, "SET timezone = 'UTC'", *self.history,
                 *(f"SET {each}" for each in self.settings), *script]
        print(";\n".join(lines) + ";")
        if isinstance(expected, list) and isinstance(found, list):
            before, after = collections.Counter(expected), collections.Counter(found)
            print(f"-- missing: {list((before - after).elements())[:20]}")
            print(f"-- unexpected: {list((after - before).elements())[:20]}")
        print(f"-- expected: {expected if isinstance(expected, tuple) else expected[:100]}")
        print(f"-- found: {found if isinstance(found, tuple) else found[:100]}", flush=True)
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
            self.question(self.rng.choice(calls.KINDS if kind < 0.30 else QUERIES))

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
        script = [prepare]
        for _ in range(self.rng.choice((1, 1, 2, 7))):
            arguments = ", ".join(literal(parameter.type, parameter.value)
                                  for parameter in maker.parameters)
            execute = f"EXECUTE q{'(' + arguments + ')' if arguments else ''}"
            script.append(execute)
            self.compare(script, answer(question), self.run(execute), question.sorted)
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
            self.compare(["BEGIN", change.sql, contents.sql],
                         contents.expected(), self.run(contents.sql))
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
    """Whether a DEFAULT partition below the first level loses no rows (doc/packages.md)."""
    major, minor = divmod(version, 10000)
    return minor >= {15: 20, 17: 11, 18: 6}.get(major, 99 if major < 18 else 0)
