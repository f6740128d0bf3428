"""tools/moving_in.sql: random schemas move in, beside random clients, with kills at random points.

Each schema is there twice.  The tables of the one are moved, those of the other, its twin, are not.
Each statement of a client runs in both, in one transaction.  What the one answers or refuses the
other must answer or refuse, too, and at rest both have the same rows.  A log of the versions of
each row says which identifiers it can have, and the catalog of before what it must be afterwards.
Nothing here was written from the script, only from what it promises.

Schema number n of seed s is that of seed s + n: --schemas 1 --seed (s + n) makes it again.
"""

import argparse
import collections
import contextlib
import datetime
import itertools
import json
import random
import re
import sys
import threading
import time
import traceback

import psycopg

import identifiers
import model
import schemas
from schemas import CLIENT, OWNER, Schema, all_columns, catalog, fresh

AGAIN = "40001", "40P01"
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
HOT = 1, 2, 3              # the numbers of the keys that all clients insert
NOTHING = 20_999_999       # the number of no row
# What a session may have set, of whoever prints, runs, or is a client.
SETTINGS = ("standard_conforming_strings=off", "quote_all_identifiers=on", "extra_float_digits=0",
            "datestyle=SQL,DMY", "timezone=Asia/Kolkata", "bytea_output=escape",
            "search_path=sales",
            "plpgsql.variable_conflict=use_variable", "search_path=", "intervalstyle=sql_standard",
            "backslash_quote=on", "escape_string_warning=off",
            "plpgsql.extra_errors=shadowed_variables",
            "check_function_bodies=off", "default_transaction_isolation=serializable",
            "plpgsql.check_asserts=off", "row_security=off", "array_nulls=off", "jit=off",
            "transform_null_equals=on", "enable_seqscan=off", "default_transaction_deferrable=on")


class Fault(Exception):
    """Something that is not as promised."""


def differ(what, expected, found):
    if expected != found:
        if isinstance(expected, (set, dict, collections.Counter)):
            both = (expected, found) if not isinstance(expected, dict) or isinstance(
                expected, collections.Counter) else (set(expected.items()), set(found.items()))
            expected, found = (sorted(map(repr, both[0] - both[1]))[:6],
                               sorted(map(repr, both[1] - both[0]))[:6])
        raise Fault(f"{what}\n  expected {expected}\n  found    {found}")


def sqlstate(error):
    """What is said of an error, whichever of the two schemas it is of."""
    return error.sqlstate, error.diag.constraint_name, error.diag.column_name


def quoted(name):
    """A name in a statement with parameters."""
    return schemas.quoted(name).replace("%", "%%")


def listed(names):
    return ", ".join(map(quoted, names))


# --- clients ----------------------------------------------------------------

class Op:
    """A statement of a client, @ for the schema, and another of the twin if they differ.

    KEY is one for the twin if the other one's answer does not begin with it.
    """

    def __init__(self, sql, parameters=(), twin=None, twin_parameters=None, copy=None, key=()):
        self.sql, self.parameters, self.copy, self.key = sql, list(parameters), copy, key
        self.twin = twin or sql
        self.twin_parameters = self.parameters if twin_parameters is None else twin_parameters

    def run(self, connection, schema, twin=False, key=()):
        cursor = connection.cursor()
        sql = (self.twin if twin else self.sql).replace("@", quoted(schema))
        if self.copy:
            with cursor.copy(sql.replace("%%", "%")) as copy:
                for row in self.copy:
                    copy.write_row(row)
            return cursor.rowcount, None
        parameters = self.twin_parameters if twin else self.parameters
        cursor.execute(sql, [*key, *parameters] if twin else parameters)
        return cursor.rowcount, cursor.fetchall() if cursor.description else None

    def __str__(self):
        return f"{self.sql} {self.copy or self.parameters}"


class Client(threading.Thread):
    """Makes transactions until it is stopped.

    A new client knows only the new columns of tables that have moved.
    """

    def __init__(self, run, number, new=False):
        super().__init__(daemon=True)
        self.world, self.schema, self.new = run, run.schema, new
        self.rng = random.Random(f"{run.seed} {number}")
        self.error, self.turn, self.stopped = None, threading.Lock(), threading.Event()
        self.counts, self.given = collections.Counter(), {}

    def run(self):
        # A client reads no times in a style, and sees no rows that it may not.
        options = self.world.options(self.rng, "row_security", "search_path", "bytea_output")
        try:
            with psycopg.connect(autocommit=True, user=CLIENT, options=options) as c:
                c.prepare_threshold = self.rng.choice((1, None))
                self.connection = c
                while not self.stopped.is_set():
                    with self.turn, contextlib.suppress(psycopg.errors.SerializationFailure):
                        self.transaction()
                    time.sleep(self.rng.random() / 100)
        except BaseException as error:
            self.error = error

    def stop(self):
        self.stopped.set()
        self.join()

    # What a transaction is, and what becomes of it.

    def transaction(self):
        ops, given, done = [], {}, set()
        for _ in range(self.rng.choice((1, 1, 1, 2, 3, 4))):
            kinds = (self.new_ops if self.new and self.world.moved else self.old_ops)
            kind = self.rng.choice(kinds)
            # A key that goes and comes back in one transaction is what the page says fails.
            if {kind, *done} >= {Client.upserts, Client.deletes}:
                continue
            done.add(kind)
            some = kind(self, given)
            if some and self.rng.random() < .15:
                end = self.rng.choice(("ROLLBACK TO", "RELEASE"))
                some = [Op("SAVEPOINT s"), *some, Op(f"{end} s")]
            ops += some or []
        if not ops:
            return
        level = self.rng.choice(("READ COMMITTED",) * 4 + ("REPEATABLE READ", "SERIALIZABLE"))
        begin = f"BEGIN ISOLATION LEVEL {level}"
        if self.rng.random() < .3:
            begin += "; SET CONSTRAINTS ALL DEFERRED"
        odd, conflicts = [], 0
        while len(odd) < 8 and conflicts < 20:
            outcome, said = self.attempt(begin, ops)
            if outcome == "again":
                conflicts += 1
            elif outcome == "differs":
                odd.append(said)
            else:
                self.counts[outcome] += 1
                if outcome == "committed":
                    self.given.update(given)
                return
            time.sleep(self.rng.random() / 50)
        self.counts["gave up"] += 1
        if len(odd) == 8:
            raise Fault("a client is answered differently: " + said + "\n  " + begin
                        + "".join(f"\n  {op}" for op in ops))

    def attempt(self, begin, ops):
        """Runs a transaction: committed, failed as it had to, to be tried again, or different."""
        at, where = self.connection, "at COMMIT"
        try:
            at.execute(begin)
            for op in ops:
                where = str(op)
                one = op.run(at, self.schema.name)
                key = one[1][0][:len(op.key)] if op.key else ()
                where = f"in the twin: {op}"
                two = op.run(at, "twin", True, key)
                if one[0] != two[0] or one[1] != self.known_rows(two[1]):
                    at.execute("ROLLBACK")
                    return "differs", f"{op}: {one}, but the twin {two}"
            where = "at COMMIT"
            at.execute("COMMIT")
            return "committed", None
        except psycopg.Error as error:
            if at.closed:
                raise
            at.execute("ROLLBACK")
            said = sqlstate(error)
            if said[0] in AGAIN or self.upserts_twice(error, ops):
                return "again", None
            text = f"{where}: {said} {error}"
            if not self.new and not self.world.may_fail(error):
                raise Fault("a client gets an error that it cannot know: " + text + "\n  " + begin
                            + "".join(f"\n  {op}" for op in ops)) from error
            twin = self.twin_says(begin, ops)
            # Of several constraints either can be named first.
            if twin and (self.world.may_fail(error) or self.new and twin[0] == said[0]):
                return "failed", None
            if twin and twin[0] in AGAIN:
                return "again", None
            return "differs", f"{text}, but the twin {twin}"

    def upserts_twice(self, error, ops):
        """Two upserts can meet in the second index of the old key, which is then being built."""
        return (error.sqlstate == "23505" and any("ON CONFLICT" in op.sql for op in ops)
                and error.diag.constraint_name not in self.world.constraints)

    def known_rows(self, rows):
        """The NULL of a new client for what the twin has as a reference to no row."""
        return rows and [tuple(None if each in self.world.nothing else each for each in row)
                         for row in rows]

    def twin_says(self, begin, ops):
        try:
            self.connection.execute(begin)
            for op in ops:
                op.run(self.connection, "twin", True, op.key)
            self.connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
        except psycopg.Error as error:
            return sqlstate(error)
        finally:
            self.connection.execute("ROLLBACK")
        return None

    # The parts of transactions.

    def one(self, sql, parameters=()):
        return self.connection.execute(sql, parameters).fetchone()

    def pick(self, table, columns=None):
        """The key, or other columns, of a row that is there."""
        return self.one(f"SELECT {listed(columns or table.columns)} FROM twin.{quoted(table.name)}"
                        " WHERE area <> 77 ORDER BY random() LIMIT 1")

    def table(self):
        return self.rng.choice(self.schema.tables)

    def row(self, table, n=None):
        """The columns of a new row, or None if there is nothing that it can refer to."""
        tag = fresh()
        row = dict(zip(table.columns, table.key_of(n or tag)))
        row |= {"tag": tag, "n": self.rng.randint(0, 9), "made": self.world.a_time(self.rng),
                "area": self.rng.choice((1, 5, 100, 125))}
        for ref in table.refs:
            values = self.reference(ref)
            if values is None:
                return None
            row |= zip(ref.columns, values)
        return row

    def reference(self, ref):
        if ref.nullable and self.rng.random() < .3:
            if len(ref.columns) > 1 and not ref.full and self.rng.random() < .5:
                return self.pick(ref.parent, ref.target)[:1] + (None,
                                                                ) if self.pick(ref.parent) else None
            return [None] * len(ref.columns)
        return self.pick(ref.parent, ref.target)

    def insert(self, table, row, more="", key=None):
        """KEY says whether the client gives the key; RETURNING says what it became."""
        given = not table.generated or key or self.rng.random() < .4
        head = f"INSERT INTO @.{quoted(table.name)} "
        values = f"({listed(row)}) {{}}VALUES ({', '.join(['%s'] * len(row))}) {more}"
        if given:
            override = "OVERRIDING SYSTEM VALUE " if table.always else ""
            return Op(head + values.format(override), row.values())
        rest = {name: row[name] for name in row if name not in table.columns}
        places = ", ".join(["%s"] * len(rest))
        sql = f"({listed(rest)}) VALUES ({places}) RETURNING {listed(table.columns)}"
        twin = f"({listed([*table.columns, *rest])}) VALUES (%s, {places})"
        return Op(head + sql, rest.values(), f"{head}{twin} RETURNING {listed(table.columns)}",
                  key=[fresh()])

    def inserts(self, given):
        table = self.table()
        row = self.row(table)
        return row and [self.insert(table, row)]

    def upserts(self, given):
        table = self.table()
        row = self.row(table, self.rng.choice(HOT))
        do = self.rng.choice(("NOTHING", f"UPDATE SET n = {quoted(table.name)}.n + 1",
                              "UPDATE SET n = excluded.n, made = excluded.made"))
        more = f"ON CONFLICT ({listed(table.columns)}) DO {do}"
        return row and table.upserts and [self.insert(table, row, more, True)]

    def copies(self, given):
        table = self.table()
        rows = [row for row in (self.row(table) for _ in range(3)) if row]
        if not rows or table.secured:
            return None
        return [Op(f"COPY @.{quoted(table.name)} ({listed(rows[0])}) FROM STDIN",
                   copy=[tuple(row.values()) for row in rows])]

    def inserts_of_select(self, given):
        """A row like another one, with another key and tag."""
        table, row = self.table(), None
        key, row = self.pick(table), self.row(table)
        if not key or not row:
            return None
        own = table.columns[bool(table.key_ref):] + ["tag"]
        rest = [name for name in all_columns(table) if name not in own]
        over = "OVERRIDING SYSTEM VALUE " if table.always else ""
        return [Op(f"INSERT INTO @.{quoted(table.name)} ({listed(own + rest)}) {over}SELECT"
                   f" {'%s, ' * len(own)}{listed(rest)} FROM @.{quoted(table.name)} WHERE"
                   f" {self.where(table, key)[0]} FOR UPDATE",
                   [row[name] for name in own] + list(key))]

    def merges(self, given):
        table = self.table()
        key, row = self.pick(table), self.row(table)
        if not key or not row or not table.merges:
            return None
        own = table.columns[bool(table.key_ref):] + ["tag"]
        rest = [name for name in all_columns(table) if name not in own]
        on = " AND ".join(f"t.{quoted(name)} = s.{quoted(name)}" for name in table.columns)
        name = quoted(table.name)
        if self.rng.random() < .5:
            return [Op(f"MERGE INTO @.{name} AS t USING (SELECT {listed(table.columns)} FROM"
                       f" @.{name} WHERE {self.where(table, key)[0]}) AS s ON {on}"
                       " WHEN MATCHED THEN UPDATE SET n = t.n + 1", key)]
        over = "OVERRIDING SYSTEM VALUE " if table.always else ""
        return [Op(f"MERGE INTO @.{name} AS t USING (SELECT {listed(all_columns(table))} FROM"
                   f" @.{name} WHERE {self.where(table, key)[0]} FOR UPDATE) AS s ON false"
                   f" WHEN NOT MATCHED THEN INSERT ({listed(own + rest)}) {over}VALUES"
                   f" ({'%s, ' * len(own)}" + ", ".join("s." + quoted(each) for each in rest) + ")",
                   list(key) + [row[each] for each in own])]

    def where(self, table, row):
        return " AND ".join(f"{quoted(name)} = %s" for name in table.columns), list(row)

    def change(self, table, assignments, values, key=None):
        key = key or self.rng.random() < .8 and self.pick(table)
        key = key or table.key_of(self.rng.choice(HOT))
        condition, values_of_key = self.where(table, key)
        return [Op(f"UPDATE @.{quoted(table.name)} SET {assignments} WHERE {condition}",
                   [*values, *values_of_key])]

    def updates(self, given):
        what, values = self.rng.choice((("n = n + 1", []), ("n = %s", [self.rng.randint(0, 9)]),
                                        ("made = %s", [self.world.a_time(self.rng)])))
        return self.change(self.table(), what, values)

    def updates_of_key(self, given):
        table = self.table()
        key = self.pick(table)
        if table.always or not key:
            return None
        start = 1 if table.key_ref else 0
        return self.change(table,
                           ", ".join(f"{quoted(name)} = %s" for name in table.columns[start:]),
                           table.key_of(fresh())[start:], key)

    def updates_of_reference(self, given):
        table = self.table()
        if not table.refs:
            return None
        ref = self.rng.choice(table.refs)
        values = self.reference(ref)
        return values and self.change(table, ", ".join(f"{quoted(name)} = %s"
                                                       for name in ref.columns), values)

    def updates_of_many(self, given):
        name = quoted(self.table().name)
        return [Op(f"UPDATE @.{name} SET n = n + 1 WHERE tag %% 31 = {self.rng.randrange(31)}")]

    def deletes(self, given):
        table = self.table()
        key = self.pick(table)
        return key and [Op(f"DELETE FROM @.{quoted(table.name)} WHERE {self.where(table, key)[0]}",
                           key)]

    def reads(self, given):
        table = self.table()
        key = self.pick(table)
        lock = self.rng.choice(("FOR UPDATE", "FOR NO KEY UPDATE", "FOR SHARE", "FOR KEY SHARE",
                                ""))
        columns = [name for name in all_columns(table) if name != "made"]
        return key and [Op(f"SELECT made::text, {listed(columns)} FROM @.{quoted(table.name)}"
                           f" WHERE {self.where(table, key)[0]} {lock}", key)]

    def child_first(self, given):
        """A row that refers to one which comes after it."""
        refs = [ref for ref in self.schema.refs if ref.deferrable
                and not ref.on_tag]
        if not refs:
            return None
        ref = self.rng.choice(refs)
        child, parent = self.row(ref.table), self.row(ref.parent)
        if child is None or parent is None:
            return None
        child |= zip(ref.columns, (parent[name] for name in ref.target))
        return [Op("SET CONSTRAINTS ALL DEFERRED"), self.insert(ref.table, child),
                self.insert(ref.parent, parent, key=True)]

    old_ops = (inserts, inserts, upserts, upserts, copies, inserts_of_select, merges, updates,
               updates, updates_of_key,
               updates_of_reference, updates_of_many, deletes, reads, child_first)

    # New clients: the same with new columns of the tables that have moved.

    def known(self, table):
        """The identifier and the tag of a row."""
        return self.one(f"SELECT {quoted(table.key_column)}, tag FROM {quoted(self.schema.name)}."
                        f"{quoted(table.name)} WHERE area <> 77 ORDER BY random() LIMIT 1")

    def new_reference(self, ref):
        """The columns, expressions, and values of a reference, and those for the twin."""
        if ref.parent not in self.world.moved or ref.on_tag:
            values = self.reference(ref)
            part = values and (ref.columns, ["%s"] * len(ref.columns), list(values))
            return part and (part, part)
        # Where the old columns are no reference, the new one is NULL, and says nothing about them.
        if ref.nullable and ref.valid and len(ref.columns) == 1 and self.rng.random() < .3:
            return (([ref.new], ["NULL"], []), (ref.columns, ["NULL"] * len(ref.columns), []))
        known = self.known(ref.parent)
        if not known:
            return None
        # If the parent is gone, the twin refers to none, too.
        of = "coalesce((SELECT {} FROM @." + quoted(ref.parent.name) + " WHERE tag = %s), %s)"
        none = [schemas.value(kind, NOTHING) for kind in ref.kinds]
        return (([ref.new], ["%s"], [known[0]]),
                (ref.columns, [of.format(quoted(name)) for name in ref.target],
                 [each for nothing in none for each in (known[1], nothing)]))

    def new_inserts(self, given):
        table, tag, moved = self.table(), fresh(), False
        key = table.key_of(tag)
        # A new client can leave the key to a default, or to its identifier.
        left = (table in self.world.moved and self.rng.random() < .5 and len(key) == 1
                and (table.generated or table.key[0][1] in ("text", "uuid")))
        start = (["tag", "n", "made", "area"], ["%s"] * 4, [tag, 0, self.world.a_time(self.rng), 1])
        names = table.columns[bool(table.key_ref):]
        with_key = tuple(a + b for a, b in zip(
            (names, ["%s"] * len(names), [] if left else key[len(key) - len(names):]), start))
        parts = [tuple(map(list, start if left else with_key)), tuple(map(list, with_key))]
        for ref in table.refs:
            pair = self.new_reference(ref)
            if pair is None or ref.default is not None:
                return None
            for whole, part in zip(parts, pair):
                for to, more in zip(whole, part):
                    to += more
        if table in self.world.moved and self.rng.random() < .8:
            at = datetime.datetime.now(datetime.timezone.utc)
            moved = identifiers.make(
                (at - EPOCH) // datetime.timedelta(milliseconds=1), 9, 9, self.rng.getrandbits(54))
            for to, more in zip(parts[0], (table.key_column, "%s", identifiers.text(moved))):
                to.append(more)
        given[table.name, tag] = moved, left and not table.generated
        more = "RETURNING " + listed(table.columns + [column for ref in table.refs
                                                      for column in ref.columns])
        sql = [f"INSERT INTO @.{quoted(table.name)} ({listed(names)}) OVERRIDING SYSTEM VALUE"
               f" VALUES ({', '.join(expressions)}) {more}" for names, expressions, _ in parts]
        return [Op(sql[0], parts[0][2], sql[1], parts[1][2], key=key if left else ())]

    def new_updates(self, given):
        table = self.rng.choice(list(self.world.moved))
        known = self.known(table)
        ref = self.rng.choice([None, *table.refs])
        pair = ((["n"], ["5"], []),) * 2 if ref is None else self.new_reference(ref)
        if not known or not pair:
            return None
        sql = [f"UPDATE @.{quoted(table.name)} SET {{}} WHERE {quoted(where)} = %s".replace(
            "{}", ", ".join(f"{quoted(name)} = {to}" for name, to in zip(*part[:2])))
            for part, where in zip(pair, (table.key_column, "tag"))]
        return [Op(sql[0], [*pair[0][2], known[0]], sql[1], [*pair[1][2], known[1]])]

    def new_deletes(self, given):
        table = self.rng.choice(list(self.world.moved))
        known = self.known(table)
        sql = f"DELETE FROM @.{quoted(table.name)} WHERE "
        return known and [Op(f"{sql}{quoted(table.key_column)} = %s", known[:1],
                             f"{sql}tag = %s", known[1:])]

    new_ops = new_inserts, new_inserts, new_updates, new_updates, new_deletes


# --- the world --------------------------------------------------------------

VERSIONS = """
CREATE SCHEMA log;
CREATE TABLE log.versions (tab text, tag bigint, op text, began timestamptz, clock timestamptz,
	key text[], at timestamptz, country int, entity int);
"""
LOG = """
CREATE FUNCTION log.{f}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
	SET search_path = pg_catalog SET datestyle = 'ISO' SET timezone = 'UTC' AS $log$
BEGIN
	INSERT INTO log.versions SELECT {name}, tag, TG_OP, now(), clock_timestamp(), ARRAY[{key}],
		{at}, {country}, {entity} FROM (SELECT NEW.*) AS new;
	RETURN NULL;
END $log$;
CREATE TRIGGER zzzz_log AFTER INSERT OR UPDATE ON twin.{table}
	FOR EACH ROW EXECUTE FUNCTION log.{f}();
"""


class World:
    """A schema, its twin, and who works there."""

    def __init__(self, seed, given):
        self.seed, self.rng, self.given = seed, random.Random(seed), given
        self.admin = model.connect()
        self.version = self.admin.info.server_version // 10000
        self.schema = Schema(self.rng, self.version)
        self.real = self.schema.name
        self.owner = OWNER if self.rng.random() < .8 else None
        self.statement, self.ddl, self.clients = None, [], []
        self.states, self.windows, self.seen = {}, {}, {}
        self.moved = set()
        self.nothing = [schemas.value(kind, NOTHING) for kind in schemas.KINDS]

    def a_time(self, rng):
        if rng.random() < .05:
            return rng.choice((None, "infinity", "1066-10-14 00:00+00", "12000-01-01 00:00+00"))
        return (f"2025-{rng.randint(1, 12):02}-{rng.randint(1, 28):02} {rng.randint(0, 23):02}"
                f":00:{rng.randint(0, 59):02}.{rng.randint(0, 999):03}+00")

    def may_fail(self, error):
        """Whether an old client knows of it: it is of what was there before."""
        if error.diag.constraint_name in self.constraints:
            return True
        return error.sqlstate == "23502" and error.diag.column_name in self.columns

    def make(self):
        """Both schemas, with the same rows."""
        at = self.admin
        at.execute("DROP SCHEMA IF EXISTS twin, log CASCADE")
        for name in "sales", 'Sales "dept"':
            at.execute(f"DROP SCHEMA IF EXISTS {schemas.quoted(name)} CASCADE")
        for name, in at.execute("SELECT pubname FROM pg_publication").fetchall():
            at.execute(f"DROP PUBLICATION {name}")
        at.execute(VERSIONS)
        rows = self.rows()
        for name in self.real, "twin":
            twin = name == "twin"
            self.run(f"CREATE SCHEMA {schemas.quoted(name)} AUTHORIZATION {OWNER}",
                     f"GRANT USAGE ON SCHEMA {schemas.quoted(name)} TO {CLIENT}",
                     f"SET search_path = {schemas.quoted(name)}, public", f"SET ROLE {OWNER}",
                     *self.schema.before(twin), keep=not twin)
            for number, table in enumerate(self.schema.tables):
                if twin:
                    at.execute("RESET ROLE")
                    at.execute(LOG.format(
                        f=f"f{number}", name=schemas.literal(table.name),
                        key=", ".join(schemas.quoted(c) + "::text" for c in table.columns),
                        at=table.at or "NULL", country=table.country, entity=table.entity,
                        table=schemas.quoted(table.name)))
                self.load(table, rows[table])
            for sql, values in self.late:
                at.execute(sql, values)
            at.execute(f"SET ROLE {OWNER}")
            for table in self.schema.tables:
                if table.generated and not twin:
                    at.execute("SELECT setval(pg_get_serial_sequence(%s, %s), 1000000)",
                               [schemas.quoted(table.name), table.columns[0]])
            self.run(*self.schema.after(name), "RESET ROLE", keep=not twin)
        at.execute("RESET search_path")
        self.run(*self.schema.publications)
        at.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA twin TO {CLIENT}")
        self.before = catalog(at, self.real)
        self.constraints = {name for kind, _, name in self.before if kind == "constraint"} | {
            name.split(".")[-1].strip(chr(34)) for kind, _, name in self.before if kind == "index"}
        self.columns = {name for kind, _, name in self.before if kind == "column"}

    def run(self, *statements, keep=True):
        for statement in statements:
            if keep:
                self.ddl.append(statement + ";")
            self.admin.execute(statement)

    def rows(self):
        """Rows of before.  What refers to a later table is filled in LATE."""
        rows, self.late = {}, []
        for table in self.schema.tables:
            rows[table] = []
            for _ in range(self.rng.choice((5, 30, 200, 600))):
                tag = fresh()
                row = dict(zip(table.columns, table.key_of(tag)))
                row |= {"tag": tag, "n": self.rng.randint(0, 9), "made": self.a_time(self.rng),
                        "area": self.rng.choice((1, 5, 77, 125))}
                for ref in table.refs:
                    row |= dict.fromkeys(ref.columns)
                    if ref.parent.number < table.number and (not ref.nullable
                                                             or self.rng.random() < .8):
                        row |= self.to(ref, rows)
                rows[table].append(row)
        for ref in self.schema.refs:
            for row in self.rng.sample(rows[ref.table], 4):
                pairs = self.to(ref, rows)
                if not ref.valid and not ref.in_key and self.rng.random() < .5:
                    pairs = {name: schemas.value(kind, 7000) for name,
                             kind in zip(ref.columns, ref.kinds)}
                elif ref.parent.number < ref.table.number:
                    continue
                self.late.append((
                    f"UPDATE {quoted(ref.table.name)} SET " + ", ".join(f"{quoted(n)} = %s"
                                                                        for n in pairs)
                    + " WHERE tag = %s", [*pairs.values(), row["tag"]]))
        return rows

    def to(self, ref, rows):
        parent = self.rng.choice(rows[ref.parent])
        return {name: parent[target] for name, target in zip(ref.columns, ref.target)}

    def load(self, table, rows):
        self.admin.cursor().executemany(
            f"INSERT INTO {quoted(table.name)} ({listed(rows[0])}) OVERRIDING SYSTEM VALUE"
            f" VALUES ({', '.join(['%s'] * len(rows[0]))})", [list(row.values()) for row in rows])

    # The script.

    def arguments(self, table):
        columns = {ref.name: ref.new for ref in self.schema.refs
                   if ref.parent is table and ref.told and not ref.on_tag}
        return {"t": f"{schemas.quoted(self.real)}.{schemas.quoted(table.name)}",
                "country": table.country, "entity": table.entity, "at": table.at,
                "key": table.key_column, "columns": json.dumps(columns), "type": table.key_type,
                "guessable": table.guessable}

    def ask(self, function, table, more=""):
        with psycopg.connect(autocommit=True, options=self.options(self.rng)) as at:
            return at.execute(
                f"SELECT * FROM moving_in.{function}(%(t)s::regclass, %(country)s, %(entity)s,"
                f" %(at)s, %(key)s, %(columns)s, %(type)s, %(guessable)s{more})",
                self.arguments(table)).fetchall()

    def move(self, table, last):
        """Moves a table, perhaps back, and there again, or forgets it.  Or it is refused."""
        before = catalog(self.admin, self.real)
        self.statement = "moving_in.problems, moving_in.statements"
        problems = self.ask("problems", table)
        if problems:
            try:
                self.ask("statements", table)
                raise Fault(f"it is not refused, in spite of {problems}")
            except psycopg.Error as error:
                differ(f"SQLSTATE of a refusal: {error}", "55000", error.sqlstate)
            differ("catalog after a refusal", before, catalog(self.admin, self.real))
            return collections.Counter(
                f"{kind}: {re.sub('(key|from) .*', '', reason)}" for kind, _, reason, _ in problems)
        batch = self.rng.choice((1, 20, 1000))
        printed = self.ask("statements", table, f", {batch}, '1 ms'")
        steps = lambda *some: [(step, sql) for step, sql, _, _ in printed if step in some and step]
        self.windows[table] = [time.time(), None]
        way = self.rng.choice(("stay", "stay", "stay", "back", "again", "forget", "early",
                               "finish"))
        forth, back, forget = steps(1, 2, 3, 4, 5, 6), steps(7), steps(8)
        self.last_trigger = steps(2)[-1][1]
        if way == "finish" and not last:
            way = "stay"
        if way == "early":
            self.play(table, forth[:self.rng.randrange(len(forth))])
            self.play(table, back)
            self.go(table, before, None, forget, None)
            return collections.Counter([way])
        self.go(table, before, None, forth, "moved")
        if way in ("back", "again", "forget"):
            self.go(table, before, None, back, "back")
        if way == "again":
            self.go(table, before, "back", forth, "moved")
        elif way == "forget":
            self.go(table, before, None, forget, None)
        elif way == "finish":
            self.finish(table, before, forget[0])
        return collections.Counter([way])

    def finish(self, table, before, triggers_go):
        """No old client is left.  The key needs a default, and old references may be NULL."""
        self.stop()
        self.statement = triggers_go[1]
        try:
            self.admin.execute(triggers_go[1])
            raise Fault("step 8 takes the triggers of a key without a default")
        except psycopg.errors.ObjectNotInPrerequisiteState:
            self.alter(table, f"{quoted(table.key_column)} SET DEFAULT gen_iuid(1, 1)")
        old = [(ref.table, quoted(ref.columns[0])) for ref in self.schema.refs
               if ref.parent is table and not ref.on_tag and not ref.nullable]
        try:
            for child, column in old:
                self.alter(child, f"{column} DROP NOT NULL")
        except psycopg.errors.InvalidTableDefinition:   # a part of a primary key
            return
        self.play(table, [triggers_go])
        for child, column in old:
            self.alter(child, f"{column} SET NOT NULL")
        self.check(table, before, "finished")

    def alter(self, table, column):
        self.admin.execute(f"ALTER TABLE {quoted(self.real)}.{quoted(table.name)} ALTER {column}", [])

    def go(self, table, before, during, statements, after):
        """Plays some statements, and looks what is there then, and after some time with clients."""
        self.state(table, during)
        self.play(table, statements)
        self.state(table, after)
        time.sleep(self.rng.random() / 3)
        with self.rest():
            self.check(table, before, after)

    def stop(self):
        for client in self.clients:
            client.stopped.set()
        for client in self.clients:
            client.join()
        self.errors()
        self.counts = sum((client.counts for client in self.clients), collections.Counter())

    def state(self, table, state):
        """Where a table is, when no client is at work."""
        with self.rest():
            self.states[table] = state
            if not state:
                del self.states[table]
            self.moved = [each for each in self.states if self.states[each] == "moved"]

    def play(self, table, statements):
        """Runs statements, in a session that may be killed; then all of them again."""
        kills, tries = self.rng.choice((0, 1, 2, 4)), 0
        while True:
            try:
                with psycopg.connect(autocommit=True, user=self.owner,
                                     options=self.options(self.rng)) as at:
                    for number, (step, statement) in enumerate(statements):
                        self.statement = statement
                        timer = None
                        if kills and self.rng.random() < .15:
                            kills -= 1
                            if self.rng.random() < .3:
                                raise psycopg.OperationalError("stopped")
                            timer = threading.Timer(self.rng.random() ** 2 / 10, self.kill,
                                                    [at.info.backend_pid])
                            timer.start()
                        at.execute(statement)
                        if statement == self.last_trigger and not self.windows[table][1]:
                            self.windows[table][1] = time.time()
                        self.sample()
                return
            except psycopg.Error as error:
                tries += 1
                expected = (error.sqlstate in (None, "57P01", "55P03", *AGAIN)
                            or "is not the identifier of" in str(error))
                if tries > 20 or not expected:
                    raise Fault(f"a printed statement fails: {error.sqlstate} {error}") from error

    def options(self, rng, *but):
        """Some settings of a session, but not those."""
        some = rng.sample(SETTINGS, rng.choice((0, 0, 1, 3)))
        return " ".join(f"-c {each}" for each in some if each.split("=")[0] not in but)

    def kill(self, pid):
        with model.connect() as at:
            at.execute("SELECT pg_terminate_backend(%s)", [pid])

    # Whether all is as promised.

    @contextlib.contextmanager
    def rest(self):
        """No client is in a transaction meanwhile."""
        with contextlib.ExitStack() as stack:
            for client in self.clients:
                stack.enter_context(client.turn)
            yield

    def errors(self):
        for client in self.clients:
            if isinstance(client.error, Fault):
                raise client.error
            if client.error:
                raise Fault(f"a client: {client.error!r}") from client.error

    def identified(self, table):
        """The identifiers of a table by the tag of the row, or None if it has no such column."""
        if table.taken:
            return None
        try:
            return dict(self.admin.execute(
                f"SELECT tag, {quoted(table.key_column)}::text FROM {quoted(self.real)}."
                f"{quoted(table.name)}",
                []).fetchall())
        except psycopg.errors.UndefinedColumn:
            return None

    def sample(self):
        """No row ever changes its identifier."""
        self.errors()
        for table in self.schema.tables:
            found = self.identified(table) if self.rng.random() < .3 else None
            self.keeps(table, found)

    def keeps(self, table, found):
        if found:
            seen = self.seen.setdefault(table, {})
            both = {tag for tag in found if seen.get(tag)}
            differ(f"identifiers of {table.name} that rows had", {tag: seen[tag] for tag in both},
                   {tag: found[tag] for tag in both})
            seen |= {tag: iuid for tag, iuid in found.items() if iuid}

    def check(self, table, before, state):
        self.errors()
        self.check_rows()
        for each in self.schema.tables:
            found = self.identified(each)
            if each not in self.states:
                differ(f"column of {each.name}", None, found)
                self.seen.pop(each, None)
            else:
                self.keeps(each, found)
                self.check_identifiers(each, found)
        self.check_references()
        self.check_catalog(table, before, state)

    def check_rows(self):
        gone = {table.key_column for table in self.states}
        gone |= {ref.new for ref in self.schema.refs if ref.parent in self.states}
        for name in [table.name for table in self.schema.tables] + ["audit"]:
            both = [collections.Counter(row for row, in self.admin.execute(
                f"SELECT (to_jsonb(t) - %s::text[])::text FROM {quoted(schema)}.{quoted(name)}"
                " AS t",
                [list(gone)]).fetchall()) for schema in ("twin", self.real)]
            differ(f"rows of {name}, in the twin and in the moved", *both)

    def check_identifiers(self, table, found):
        differ(f"rows of {table.name} without identifier", [],
               [tag for tag in found if not found[tag]])
        twice = collections.Counter(found.values())
        differ(f"identifiers of two rows of {table.name}", [],
               [(tag, iuid) for tag, iuid in found.items() if twice[iuid] > 1])
        ours = {tag: iuid for client in self.clients for (name, tag), iuid in client.given.items()
                 if name == table.name}
        versions = collections.defaultdict(list)
        for tag, *version in self.admin.execute(
                "SELECT tag, op, extract(epoch FROM began)::float8,"
                " extract(epoch FROM clock)::float8, key,"
                " CASE WHEN isfinite(at) THEN (extract(epoch FROM at) * 1000000)::bigint END,"
                " country, entity FROM log.versions WHERE tab = %s ORDER BY clock", [table.name]):
            versions[tag].append(version)
        begin, end = self.windows[table]
        for tag, iuid in found.items():
            iuid = int(iuid.replace("-", ""), 16)
            first = versions[tag][0]
            expected = [self.derived(table, *version[3:]) for version in versions[tag]]
            own, is_key = ours.get(tag, (None, False))
            fine = own == iuid
            if is_key:
                differ("key that was left to the server", [identifiers.text(iuid)], first[3])
            if not own and first[2] > begin:
                fine = self.is_made(iuid, *first[1:])
            if not own and not fine and (not end or first[1] < end):
                fine = iuid in expected if table.guessable else any(
                    self.is_made(iuid, begin, time.time(), *version[3:])
                    for version in versions[tag])
            if not fine:
                raise Fault(f"row {tag} of {table.name} has {identifiers.text(iuid)}; given"
                            f" {own}, derived {list(map(identifiers.text, expected))},"
                            f" window {begin, end}, versions {versions[tag]}")

    def derived(self, table, key, at, country, entity):
        name = key[0] if len(key) == 1 else json.dumps(key, ensure_ascii=False,
                                                       separators=(",", ":"))
        at = at if at is not None and 0 <= at <= identifiers.LAST_MS * 1000 + 999 else None
        return identifiers.from_name(country, entity, f"{table.name}/{name}".encode(), at)

    def is_made(self, iuid, began, clock, key, at, country, entity):
        """Whether it is a random one of a row that was inserted so."""
        if at is None or not 0 <= at <= identifiers.LAST_MS * 1000 + 999:
            at = identifiers.time(iuid)
            if at is None or not began - 1 < at / 1e6 < clock + 60:
                return False
        return iuid == identifiers.make(at // 1000, country, entity, identifiers.random_bits(iuid))

    def check_references(self):
        for ref in self.schema.refs:
            if ref.parent not in self.states or ref.on_tag:
                continue
            on = " AND ".join(f"p.{quoted(t)} = c.{quoted(n)}" for n,
                              t in zip(ref.columns, ref.target))
            wrong = self.admin.execute(
                f"SELECT to_jsonb(c), to_jsonb(p) FROM {quoted(self.real)}."
                f"{quoted(ref.table.name)} AS c"
                f" LEFT JOIN {quoted(self.real)}.{quoted(ref.parent.name)} AS p ON {on} WHERE"
                f" c.{quoted(ref.new)} IS DISTINCT FROM p.{quoted(ref.parent.key_column)}",
                []).fetchall()
            differ(f"rows of {ref.name} whose new column is not that of their parent", [],
                   wrong[:3])

    def check_catalog(self, moving, before, state):
        after = catalog(self.admin, self.real)
        differ("what is gone from the catalog", set(), set(before) - set(after))
        expected, moved = dict(before), state in ("moved", "finished")
        name, refs = moving.name, [ref for ref in self.schema.refs if ref.parent is moving
                                   and not ref.on_tag]
        if moved:
            for kind, old, new in ("constraint", "PRIMARY KEY", "UNIQUE"), ("index", " primary",
                                                                            ""):
                for key in expected:
                    if key[0] == kind and key[1] == name and old in expected[key]:
                        expected[key] = expected[key].replace(old, new, 1)
        # The old key stays the replica identity of what is published.
        published = any(key[:2] == ("publication", name) for key in before)
        identity = "identity", name, ""
        if published and state and before[identity] == "d" and (
                moved or after[identity] != "d"):
            expected[identity] = "i " + self.regclass(moving.primary)
        differ("catalog, of what was there", expected, {key: after[key] for key in before})
        new = {key: after[key] for key in set(after) - set(before)}
        if state is None:
            differ("catalog of before", {}, new)
            return
        columns = {(name, moving.key_column)} | {(ref.table.name, ref.new) for ref in refs}
        differ("new columns", columns, {key[1:] for key in new if key[0] == "column"})
        beside = {(name, moving.key_column): (name, moving.columns)} | {
            (ref.table.name, ref.new): (ref.table.name, ref.columns) for ref in refs}
        for (where, column), (_, old) in beside.items():
            if len(old) == 1:
                differ(f"grants on {column}", after["grant", where, old[0]],
                       after["grant", where, column])
        for key, text in new.items():
            kind, table, named = key
            if not (kind in ("column", "grant") or kind == "constraint" and moved
                    and " KEY " in text
                    or (kind in ("trigger", "function") or text.startswith("TRIGGER"))
                    and state != "finished"
                    or kind == "index" and text.startswith("CREATE INDEX ")
                    or kind == "index" and schemas.quoted(moving.key_column).strip('"') in text):
                raise Fault(f"new in the catalog: {key} {text}")
        self.check_constraints(moving, refs, moved)

    def regclass(self, name):
        (text,), = self.admin.execute("SELECT quote_ident(%s) || '.' || quote_ident(%s)",
                                      [self.real, name])
        return text

    def check_constraints(self, moving, refs, moved):
        """The new primary key, and beside each foreign key its like."""
        for ref in refs:
            found = {tuple(columns): rest for columns, *rest in self.admin.execute(
                "SELECT (SELECT array_agg(attname::text ORDER BY array_position(conkey, attnum))"
                " FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey)),"
                " confrelid,"
                " confupdtype, confdeltype, condeferrable, condeferred, convalidated"
                " FROM pg_constraint WHERE conrelid ="
                " %s::regclass AND contype = 'f'",
                [f"{schemas.quoted(self.real)}.{schemas.quoted(ref.table.name)}"])}
            like = found[tuple(ref.columns)] if moved else None
            differ(f"foreign key beside {ref.name}", like, found.get((ref.new,)))
        if moved:
            (columns,), = self.admin.execute(
                "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = %s::regclass"
                " AND contype = 'p'", [self.arguments(moving)["t"]]).fetchall()
            differ("primary key", f"PRIMARY KEY ({plain(self.admin, moving.key_column)})", columns)

    def all(self):
        """Moves all the tables of the schema, in random order."""
        self.make()
        self.clients = [Client(self, 0), Client(self, 1), Client(self, 2, True)]
        for client in self.clients:
            client.start()
        counts = collections.Counter()
        try:
            todo = self.rng.sample(self.schema.tables, len(self.schema.tables))
            for table in todo:
                counts += self.move(table, table is todo[-1])
            self.stop()
        finally:
            for client in self.clients:
                client.stopped.set()
            for client in self.clients:
                client.join()
            self.admin.close()
        return counts


def plain(connection, name):
    return connection.execute("SELECT quote_ident(%s)", [name]).fetchone()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schemas", type=int, default=200, help="%(default)s")
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    given = parser.parse_args()
    print(f"moving_in --schemas {given.schemas} --seed {given.seed}", flush=True)
    model.make_database("tools/moving_in.sql")
    with model.connect() as at:
        for role in OWNER, CLIENT:
            at.execute(f"DO $$ BEGIN CREATE ROLE {role} LOGIN;"
                       " EXCEPTION WHEN duplicate_object THEN END $$")
        at.execute(f"GRANT CREATE ON DATABASE {at.info.dbname} TO {OWNER}")
    total, clients = collections.Counter(), collections.Counter()
    faults, began = 0, time.monotonic()
    for seed in range(given.seed, given.seed + given.schemas):
        schemas.fresh = globals()["fresh"] = itertools.count(100).__next__
        world = World(seed, given)
        try:
            total += world.all()
            clients += world.counts
        except Exception as fault:
            faults += 1
            print(f"FAULT with --schemas 1 --seed {seed}; the schema:", *world.ddl,
                  "the printed statement:", world.statement, "", sep="\n")
            print(fault if isinstance(fault, Fault) else traceback.format_exc(), flush=True)
    seconds = (time.monotonic() - began) / given.schemas
    print(f"{given.schemas} schemas, {seconds:.1f} s each, {faults} with a fault;"
          f" transactions: {dict(clients)}")
    for reason, count in total.most_common():
        print(f"{count:6} {reason}")
    sys.exit(1 if faults else 0)


main()
