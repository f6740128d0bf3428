"""Whether both nodes have the same rows.

The servers compute a digest of each row: the first 64 bits of the SHA-256 of its text, in UTF-8, under
settings that make a text the same everywhere.  Sums of them are compared by table and month, then where
these differ by 4,096 parts of a month, and then by rows.

Rows are written meanwhile.  What is read is one snapshot at each node, and that of the new node has at
least the changes of the other one.  So a row that differs was changed after the snapshot of the old
node, and its key was noted: rows whose keys were noted since are left out, and all others must be the
same.  Then the changes that the snapshot sees are forgotten.  Before that both nodes keep a higher
number: a new node that was restored from a backup of before has a smaller one, and what it lacks since
is noted.
"""

import collections
import concurrent.futures
import contextlib
import time

from move.country import columns
from sessions import Stop, in_query, name, say

SECONDS = 24 * 3600  # for all rows of a table
FEW = 2000  # changes that are left for the moment in which nobody writes
ROUNDS = 5  # until there are few
BATCH = 20_000  # keys in one question
SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = 0"
HINT = ". Nothing is dropped: insert what {} has not, and start this command again"


def digest(names):
    row = ", ".join(f"t.{name(column)}" for column in names)
    return f"('x' || left(encode(sha256(convert_to(ROW({row})::text, 'UTF8')), 'hex'), 16))::bit(64)::int8"


class Rows:
    """The rows of a table at one node."""

    def __init__(self, session, relation, table, names):
        self.session, self.relation, self.digest = session, in_query(relation), in_query(digest(names))
        key = in_query(name(table.key))
        self.key = f"t.{key}::uuid"
        # Identifiers without a time are a month of their own.
        self.month = f"to_char(@iuid@.iuid_timestamp(t.{key}::uuid), 'YYYY-MM')"
        self.part = f"(get_byte(uuid_send({self.key}), 15) + 256 * (get_byte(uuid_send({self.key}), 14) & 15))"

    def sums(self, by, where="true", *values):
        """Rows and digests by an expression."""
        return dict((row[0], (row[1], row[2])) for row in self.session.read(
            f"SELECT {by}, count(*), sum({self.digest})::text FROM {self.relation} AS t WHERE {where} GROUP BY 1",
            *values, seconds=SECONDS))

    def each(self, where, *values):
        """How often there is a key with a digest."""
        return collections.Counter((row[0], row[1]) for row in self.session.read(
            f"SELECT {self.key}, {self.digest} FROM {self.relation} AS t WHERE {where}", *values, seconds=SECONDS))

    def of_keys(self, keys):
        return self.each(f"{self.key} = ANY (%s::uuid[])", texts(keys))


def texts(keys):
    """psycopg registers UUID at its first use, which two threads may not do at once."""
    return [str(key) for key in keys]


def both(work, *rows):
    """Asks both nodes at the same time."""
    with concurrent.futures.ThreadPoolExecutor(len(rows)) as pool:
        return [future.result() for future in [pool.submit(work, each) for each in rows]]


def unlike(one, other):
    return [key for key in one.keys() | other.keys() if one.get(key) != other.get(key)]


def all_keys(one, other, noted=()):
    """The keys of the rows that differ, of all rows but those whose keys are noted."""
    found = set()
    others = "{} <> ALL (%s::uuid[])"
    keys = texts(noted or ())
    for month in unlike(*both(lambda rows: rows.sums(rows.month, others.format(rows.key), keys), one, other)):
        where = others + " AND {} IS NOT DISTINCT FROM %s::text"
        parts = unlike(*both(lambda rows: rows.sums(rows.part, where.format(rows.key, rows.month), keys, month), one, other))
        if parts:
            found |= differing(*both(lambda rows: rows.each(
                f"{where.format(rows.key, rows.month)} AND {rows.part} = ANY (%s::int4[])", keys, month, parts), one, other))
    return found


def some_keys(one, other, keys):
    """The same, of these keys."""
    found = set()
    for begin in range(0, len(keys), BATCH):
        found |= differing(*both(lambda rows: rows.of_keys(keys[begin:begin + BATCH]), one, other))
    return found


def differing(one, other):
    return {key for key, _ in unlike(one, other)}


def three(keys):
    """For a message."""
    return ", ".join(map(str, sorted(keys)[:3]))


def changes(session, move, since=None):
    """The keys that are noted, by table, or None for all: those that a snapshot does not see, if it is given."""
    noted = {table.number: [] for table in move.tables}
    for row in session.read(f"SELECT DISTINCT number, key FROM {move.at('changes')}"
                            " WHERE NOT coalesce(pg_visible_in_snapshot(xact, %s::pg_snapshot), false)", since):
        noted[row.number].append(row.key)
    return {table: None if None in noted[table.number] else noted[table.number] for table in move.tables}


def sessions(nodes, move):
    """Sessions for long questions, beside those that change something."""
    return [nodes.session("compare", each, nodes.way(each)) for each in (move.old, move.new)]


def rows_of(nodes, move, table, at_old=None):
    old, new = sessions(nodes, move)
    names = columns(new, table.part)
    return Rows(old, at_old or table.part, table, names), Rows(new, table.part, table, names)


def pairs(nodes, move):
    """Each table, with its rows at both nodes."""
    return [(table, *rows_of(nodes, move, table)) for table in (() if nodes.given.dry_run else move.tables)]


def differences(here, there, keys, since=()):
    """The keys of the rows that differ: of some, or of all if KEYS is None, but of none that was noted SINCE."""
    if keys is None:
        return all_keys(here, there, since)
    return some_keys(here, there, [*set(keys).difference(since or ())])


@contextlib.contextmanager
def one_snapshot(session):
    """All that is read meanwhile is of one moment: now."""
    session.run(SNAPSHOT)
    session.read("SELECT 1")
    try:
        yield
    finally:
        session.roll_back()


def compare(nodes, move, whole, passed):
    """Before the switch, while rows are written.

    WHOLE: all rows, and not those alone that are noted.  PASSED waits until the new node has everything up
    to a place in the log of the old one.
    """
    old, new = sessions(nodes, move)
    begin = time.monotonic()
    if old.dry:
        say(move.old, "-- Compares the rows of both nodes.")
        return
    old.read("SELECT 1")
    try:
        old.run(SNAPSHOT)
        place, snapshot = old.read("SELECT pg_current_wal_insert_lsn()::text, pg_current_snapshot()::text")[0]
        passed(place)
        with one_snapshot(new):
            since = changes(nodes.owner(move.old), move, snapshot)
            keys = dict.fromkeys(move.tables) if whole else changes(old, move)
            found = {table: differences(here, there, keys[table], since[table]) for table, here, there in pairs(nodes, move)}
        number = int(old.value(f"SELECT number + 1 FROM {move.at('move')}"))
        compared = old.value(f"SELECT compared FROM {move.at('move')}")
        new.do(f"UPDATE {move.at('move')} SET number = {number};")
        old.do(f"DELETE FROM {move.at('changes')}; UPDATE {move.at('move')} SET number = {number}, compared = false; COMMIT;")
    except BaseException:
        old.roll_back()
        raise
    for table, keys in found.items():
        all_noted(old, move, table, keys, move.new)
    if whole or compared:
        old.do(f"UPDATE {move.at('move')} SET compared = true;")
    if whole:
        say(move.new, f"-- All rows are the same at both nodes: compared in {time.monotonic() - begin:.0f} s.")


def all_noted(session, move, table, keys, behind, hint=": abort, and copy again"):
    """Rows that differ must have changed since, and then they are noted."""
    left = list(keys)
    for _ in range(10):
        left = [row[0] for row in session.read(
            f"WITH noted AS (SELECT key FROM {move.at('changes')} WHERE number = %s::int4)"
            " SELECT unnest(%s::uuid[]) WHERE NOT EXISTS (SELECT FROM noted WHERE key IS NULL) EXCEPT SELECT key FROM noted",
            table.number, left)] if left else []
        if not left:
            return
        time.sleep(0.3)  # a change is visible a moment after it is in the log
    raise Stop(f"{len(left)} rows of {table.part} differ between {move.old} and {move.new}, and were not changed since"
               f" they were compared: {three(left)}. {behind} has missed changes{hint}")


def few(nodes, move, passed):
    """Until few changes are left to compare while nobody writes."""
    for _ in range(0 if nodes.given.dry_run else ROUNDS):
        if nodes.owner(move.old).value(f"SELECT count(*) <= {FEW} FROM {move.at('changes')}"):
            return
        compare(nodes, move, False, passed)


def noted(old, move):
    """The last change that the old node has noted."""
    return 0 if old.dry else int(old.value(f"SELECT coalesce(max(id), 0) FROM {move.at('changes')}"))


def last(nodes, move, tables):
    """While nobody writes: what changed since is the same, too, of TABLES, which are pairs().

    Gives the last change that was there before.
    """
    old, _ = sessions(nodes, move)
    seen = noted(old, move)
    keys = changes(old, move) if tables else {}
    for table, here, there in tables:
        found = differences(here, there, keys[table])
        if found:
            raise Stop(f"{len(found)} rows of {table.part} differ between {move.old} and {move.new} while nobody writes: "
                       f"{three(found)}. Abort this move, and copy again")
    return seen


def after(nodes, move, kept, noted=True):
    """After the new node has taken writes: what it has not, or has otherwise, was changed there since.

    KEPT gives the relation of a table at the old node.  Without what the new node has NOTED, it must have each row
    as the old one has it.
    """
    old, new = sessions(nodes, move)
    begin = time.monotonic()
    if old.dry:
        say(move.old, "-- Compares the rows that this node keeps.")
        return
    for table in move.tables:
        here, there = rows_of(nodes, move, table, kept(table))
        if noted:
            with one_snapshot(new):
                keys = all_keys(here, there, changes(new, move)[table])
            all_noted(new, move, table, keys, move.new, HINT.format(move.new))
            continue
        keys = all_keys(here, there)
        missing = {key for key, _ in here.of_keys(list(keys)) - there.of_keys(list(keys))}
        if missing:
            raise Stop(f"{len(missing)} rows of {kept(table)} at {move.old} are not so at {move.new}: "
                       f"{three(missing)}" + HINT.format(move.new))
    say(move.new, f"-- Has all rows that {move.old} keeps, but for those that changed since: compared in"
        f" {time.monotonic() - begin:.0f} s.")
