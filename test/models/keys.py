"""The ways of test/bench/contention/README.md to make a key, from several sessions at once.

The sessions of a wrong way meet between what they read and what they write, so that it fails each
time.  Those of a right way go as fast as they can, and roll back one transaction in ten.
"""

import collections
import random
import threading

from psycopg import IsolationLevel
from psycopg.errors import DeadlockDetected, SerializationFailure, UniqueViolation

from model import (arguments, beside, connect, finish, in_sessions, make_database, outcomes, rows,
                   same, timed)

NAIVE = ("SELECT last + 1 FROM naive",
         "UPDATE naive SET last = %s",
         "INSERT INTO by_naive VALUES (%s)")
MAX = ("SELECT coalesce(max(id), 0) + 1 FROM by_max",
       "INSERT INTO by_max VALUES (%s)")
SHARED = ("SELECT last + 1 FROM shared FOR SHARE",
          "UPDATE shared SET last = %s",
          "INSERT INTO by_shared VALUES (%s)")
COUNTER = ("WITH taken AS (UPDATE counter SET last = last + 1 RETURNING last)"
           " INSERT INTO by_counter SELECT last FROM taken RETURNING id",)


def insert(connection, statements, pause=lambda: None):
    """A row of one way, in the transaction there is.  Gives its key."""
    read, *write = statements
    key = connection.execute(read).fetchone()[0]
    pause()
    for statement in write:
        connection.execute(statement, [key])
    return key


def go_wrong(what, statements, table, survive):
    """All sessions read before one writes.  So many of them SURVIVE that, with one key."""
    barrier = threading.Barrier(given.sessions, timeout=60)

    def work(connection, _):
        barrier.wait()
        try:
            with connection.transaction():
                insert(connection, statements, barrier.wait)
            return None
        except DeadlockDetected:
            return "deadlock"

    times = max(given.rows // 500, 10)
    failed = in_sessions(given.sessions, work, range(times * given.sessions)).count("deadlock")
    same(f"{what}: keys, and how often", dict.fromkeys(range(1, times + 1), survive),
         dict(rows(f"SELECT id, count(*) FROM {table} GROUP BY id")))
    same(f"{what}: deadlocks", [times * (given.sessions - survive)], [failed])


def go_right(what, statements_of, table, level=None, again=()):
    """Gives the keys of each session, in order, and those of all transactions that committed.

    A transaction that ends with an error of AGAIN is repeated.
    """
    keys, committed = collections.defaultdict(list), []

    def work(connection, _):
        connection.isolation_level = level
        statements = statements_of(connection)
        rolls_back = random.random() < 0.1
        while True:
            try:
                with connection.transaction(force_rollback=rolls_back):
                    key = insert(connection, statements)
                break
            except again:
                pass
        keys[connection].append(key)
        if not rolls_back:
            committed.append(key)

    with timed(what, given.rows // 10):
        in_sessions(given.sessions, work, range(given.rows // 10))
    same(f"{what}: rows", committed, [key for key, in rows(f"SELECT id FROM {table}")])
    same(f"{what}: keys out of the order of their session", [],
         [pair for made in keys.values() for pair in zip(made, made[1:]) if pair[0] > pair[1]])
    return keys.values(), committed


def go_without_gaps(what, statements, *rest):
    _, committed = go_right(what, lambda _: statements, *rest)
    same(f"{what}: no gap", range(1, len(committed) + 1), committed)


def go_by_blocks(what, size, statements_of, table, last):
    """What is missing is what was rolled back, and the rest of the last block of each session."""
    before = rows(last)[0][0]
    sessions, _ = go_right(what, statements_of, table)
    taken = sum(size * -(-len(made) // size) for made in sessions)
    same(f"{what}: numbers taken", [before + taken], [number for number, in rows(last)])


def from_blocks_of(size):
    """A block is taken before the transaction that uses it, in one of its own."""
    left = collections.defaultdict(collections.deque)

    def statements(connection):
        mine = left[connection]
        if not mine:
            last, = connection.execute("UPDATE blocks SET last = last + %s RETURNING last",
                                       [size]).fetchone()
            mine.extend(range(last - size + 1, last + 1))
        return (f"INSERT INTO by_blocks VALUES ({mine.popleft()}) RETURNING id",)

    return statements


def reset(*statements):
    with connect() as connection:
        for statement in statements:
            connection.execute(statement)


given = arguments(10_000)
make_database("test/bench/contention/tables.sql")
reset("ALTER DATABASE model_keys SET deadlock_timeout = '1ms'")

go_wrong("naive", NAIVE, "by_naive", given.sessions)
go_wrong("max", MAX, "by_max", given.sessions)
go_wrong("shared lock", SHARED, "by_shared", 1)

# What repairs them.
reset("TRUNCATE by_naive, by_max, by_shared",
      "UPDATE naive SET last = 0", "UPDATE shared SET last = 0",
      "ALTER TABLE by_max ADD PRIMARY KEY (id)")
go_without_gaps("naive, repeatable read", NAIVE, "by_naive",
                IsolationLevel.REPEATABLE_READ, SerializationFailure)
go_without_gaps("max with a primary key", MAX, "by_max", None, UniqueViolation)
go_without_gaps("FOR UPDATE", (SHARED[0].replace("SHARE", "UPDATE"), *SHARED[1:]), "by_shared")

# A reader that remembers the last key misses none of the counter.
found = [0]


def read_on(connection):
    found.extend(key for key, in connection.execute(
        "SELECT id FROM by_counter WHERE id > %s ORDER BY id", [found[-1]]))


with beside(read_on):
    go_without_gaps("counter", COUNTER, "by_counter")
with connect() as session:
    read_on(session)
same("counter: what a reader found", [key for key, in rows("SELECT id FROM by_counter")], found[1:])

for size in (1, 10, 100, 1000):
    reset("TRUNCATE by_blocks")
    go_by_blocks(f"blocks of {size}", size, from_blocks_of(size), "by_blocks",
                 "SELECT last FROM blocks")
for way, size in (("sequence", 1), ("cache", 100)):
    go_by_blocks(way, size, lambda _: (f"INSERT INTO by_{way} DEFAULT VALUES RETURNING id",),
                 f"by_{way}", f"SELECT last_value - 1 + is_called::int FROM by_{way}_id_seq")
go_right("gen_iuid", lambda _: ("INSERT INTO by_gen_iuid DEFAULT VALUES RETURNING id",),
         "by_gen_iuid")

# examples/keys.sql: blocks of any size; two tables have one name, and one is renamed meanwhile.
make_database("examples/keys.sql")
reset("DELETE FROM blocks")
tables = dict(rows("SELECT t, t::regclass::oid FROM unnest('{invoices,archive.payments,payments}'::text[]) AS t"))
blocks = collections.defaultdict(list)


def take(connection, number):
    table, size = random.choice(list(tables)), random.choice([1, 2, 10, 1000])
    if number == given.rows // 20:
        connection.execute("ALTER TABLE payments RENAME TO paid")
    rolls_back = random.random() < 0.1
    with connection.transaction(force_rollback=rolls_back):
        first, past = connection.execute("SELECT lower(b), upper(b) FROM take_block(%s::oid::regclass, %s) AS b",
                                         [tables[table], size]).fetchone()
    if not rolls_back:
        blocks[table].append((first, past, size))


with timed("take_block", given.rows // 10):
    in_sessions(given.sessions, take, range(given.rows // 10))
for table, taken in blocks.items():
    ends = [1]
    for _, _, size in sorted(taken):
        ends.append(ends[-1] + size)
    same(f"take_block, {table}: one block after the other", list(zip(ends, ends[1:])), [block[:2] for block in taken])
    same(f"take_block, {table}: what is next", ends[-1:],
         [n for n, in rows("SELECT next FROM blocks WHERE of = %s::oid", [tables[table]])])
outcomes(("22023", "SELECT take_block('invoices', 0)"),
         ("22023", "SELECT take_block('invoices', NULL)"),
         ("42P01", "SELECT take_block('nowhere')"),
         ("22003", "UPDATE blocks SET next = 9223372036854775800 WHERE of = 'invoices'::regclass",
          "SELECT take_block('invoices', 10)"),
         ("00000", "UPDATE blocks SET next = 9223372036854775800 WHERE of = 'invoices'::regclass",
          "SELECT take_block('invoices', 7)"))
finish()
