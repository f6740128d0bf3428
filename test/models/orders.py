"""The migration of examples/orders, with histories of every dirty sort.

First six sessions fill the old tables, and six sessions migrate at once.  Then six sessions repair,
correct, add and delete old rows while two others migrate, one of them in REPEATABLE READ, and an
application uses the new tables.  Then a month is dropped.  After each part every old row must have
come, as the one row that it makes, or be set aside with its reason.
"""

import contextlib
import datetime
import random
import uuid
from collections import Counter, namedtuple

import psycopg

import identifiers
import model

Old = namedtuple("Old", "key ref content at")
Source = namedtuple("Source", "columns entity name new map refers nothing")

# What is referred to comes before what refers to it.
SOURCES = {
    "old_accounts": Source("id holder created_at", 3, None, "wallet_accounts", "account_uuids",
                           None, "no holder"),
    "old_orders": Source("id account_id fare created_at", 1, "orders/%d", "orders",
                         "order_numbers", "old_accounts", "no fare"),
    "v7_orders": Source("id account_id fare", 1, None, "orders", "order_uuids",
                        "old_accounts", "no fare"),
    "old_order_events": Source("id order_id event created_at", 2, "order_events/%d",
                               "order_events", "event_numbers", "old_orders", "no event"),
    "v7_order_events": Source("id order_id event", 2, None, "order_events", "event_uuids",
                              "v7_orders", "no event"),
}

# Times are microseconds since 1970.
SECOND = 10**6
MINUTE = 60 * SECOND
DAY = 86400 * SECOND
END = 2**48 * 1000
EPOCH = datetime.datetime(1970, 1, 1)


def at(year, month, day=1):
    return (datetime.datetime(year, month, day) - EPOCH) // datetime.timedelta(microseconds=1)


FIRST, LAST = at(2025, 7), at(2026, 1)
BAD_TIMES = [None, float("inf"), float("-inf"), -1, END, END - 1, FIRST - 1, LAST, 0]


def time_text(time):
    if time is None or abs(time) == float("inf"):
        return {None: None, float("inf"): "infinity", float("-inf"): "-infinity"}[time]
    if time >= END - 1:
        return "10889-08-02 05:31:50." + ("656+00" if time == END else "655999+00")
    return (EPOCH + datetime.timedelta(microseconds=time)).isoformat(" ") + "+00"


# What the example must do, as the model understands it.

def is_version_7(key):
    return key.int >> 76 & 15 == 7 and key.int >> 62 & 3 == 2


def from_name(name, entity, time):
    return uuid.UUID(int=identifiers.from_name(125, entity, name.encode(), time))


def from_uuid(key, entity, time=None):
    return uuid.UUID(int=identifiers.from_uuid(key.int, 125, entity, time))


def time_of(old, source):
    if "created_at" in SOURCES[source].columns:
        return old.at
    return (old.key.int >> 80) * 1000 if is_version_7(old.key) else None


class Model:
    def __init__(self):
        self.old = {source: {} for source in SOURCES}
        self.come = {source: {} for source in SOURCES}
        self.new = {"wallet_accounts": {}, "orders": {}, "order_events": {}}
        self.aside = {}
        self.first = FIRST   # of the months

    def why_not(self, old, source):
        there, time = SOURCES[source], time_of(old, source)
        referred = self.come[there.refers].get(old.ref) if there.refers else None
        if source == "old_accounts":
            if time is None or not 0 <= time < END:
                return "no time that an identifier can have"
        elif time is None and source.startswith("v7"):
            return "not of version 7"
        elif time is None or not self.first <= time < LAST:
            return "no month for its time"
        elif there.new == "orders":
            if old.ref is not None and referred not in self.new["wallet_accounts"]:
                return "its account is not there"
        elif referred not in self.new["orders"]:
            return "its order is not there"
        elif time < (referred.int >> 80) * 1000 - MINUTE:
            return "more than a minute before its order"
        return there.nothing if old.content is None else None

    def identifiers(self, old, source, meets):
        """The identifier of a row, and another one, if the order of the runs decides."""
        there, time = SOURCES[source], time_of(old, source)
        if there.name:
            return [from_name(there.name % old.key, there.entity, time)]
        digest = from_uuid(old.key, there.entity, time)
        if source == "old_accounts":
            return [digest]
        plain = from_uuid(old.key, there.entity)
        return [digest, plain] if meets else [plain, digest]

    def run(self, found):
        """What a run does.  FOUND has the identifiers, where the order of runs decides."""
        for source, there in SOURCES.items():
            alike = Counter()
            if source.startswith("v7"):
                alike.update(key.int >> 20 for key in {**self.old[source], **self.come[source]})
            for key, old in self.old[source].items():
                if key in self.come[source]:
                    continue
                reason = self.why_not(old, source)
                if reason:
                    self.aside[source, str(key)] = reason
                    continue
                self.aside.pop((source, str(key)), None)
                meets = source.startswith("v7") and alike[key.int >> 20] > 1
                possible = self.identifiers(old, source, meets)
                got = found[source].get(key)
                self.come[source][key] = id = got if got in possible else possible[0]
                refers = there.refers and self.come[there.refers].get(old.ref)
                self.new[there.new][id] = (refers, old.content) if there.refers else old.content

    def drop(self, first):
        """The months before FIRST go, and the events of orders in them."""
        self.first = first
        orders, events = self.new["orders"], self.new["order_events"]
        for id in [id for id in orders if (id.int >> 80) * 1000 < first]:
            del orders[id]
        for id in [id for id, (order, _) in events.items()
                   if (id.int >> 80) * 1000 < first or order not in orders]:
            del events[id]


# Old rows.

def some_time():
    """Many share a millisecond, and some are at an end of a month."""
    if random.random() < 0.01:
        return random.choice(BAD_TIMES)
    day = random.randrange(FIRST + DAY, LAST, DAY)
    return day + random.choice([0, -1, random.randrange(DAY), random.randrange(20) * 499])


def some_text():
    return None if random.random() < 0.005 else "".join(random.choices("aé日🚕' \\\t\"", k=4))


def some_fare():
    return None if random.random() < 0.005 else random.randrange(10**6)


def some_reference(keys, new_key):
    chance = random.random()
    return None if chance < 0.1 else new_key() if chance < 0.11 else random.choice(keys)


def number():
    return random.randrange(-2**63, 2**63)


def any_uuid():
    return uuid.UUID(int=random.getrandbits(128))


def uuid_7(time):
    time = 0 if time is None else min(max(time, 0), END - 1)
    high, low = random.getrandbits(12), random.getrandbits(62)
    return uuid.UUID(int=(int(time) // 1000 << 16 | 7 << 12 | high) << 64 | 2 << 62 | low)


def uuids_7(items):
    """A UUID for each pair of a time and a thing, as a dictionary of the things.

    Some are random, some count in steps of every size within a millisecond, some are no UUIDs of
    version 7.  Those that count belong to the thing of the first of them.
    """
    made, key, step = {}, None, 0
    for time, thing in items:
        if key and random.random() < (0.9 if step else 0.02):
            step = step or 2 ** random.choice([0, 1, 8, 19, 20, 21, 31, 32])
            following = uuid.UUID(int=key.int + random.randint(1, step))
        else:
            following = None
        if following and following.int >> 62 == key.int >> 62:
            key = following
        else:
            key, first_thing, step = uuid_7(time), thing, 0
        if random.random() < 0.01:
            made[random.choice([any_uuid(), uuid.UUID(int=key.int ^ 1 << 78),
                                uuid.UUID(int=key.int ^ 1 << 63)])] = thing
        else:
            made[key] = first_thing
    return made


def event_time(order_time):
    """At every distance from the time of the order, the limit among them."""
    if order_time is None or not FIRST <= order_time < LAST or random.random() < 0.02:
        return some_time()
    start = order_time // 1000 * 1000
    return start + random.choice([
        random.randrange(DAY), random.randrange(30 * MINUTE), random.randrange(1000),
        -SECOND // 10, -MINUTE, -MINUTE - 1, -MINUTE - 1000, random.randint(-2 * MINUTE, 0)])


def make_old(made, count):
    """About COUNT more old rows, which refer to one another and to those in MADE."""
    fresh = {source: {} for source in SOURCES}

    def add(source, key, ref, content, time=None):
        if key not in made[source]:
            fresh[source][key] = Old(key, ref, content, time)

    def some(source):
        """New rows of a source, and about as many of before."""
        before = list(made[source].values())
        return list(fresh[source].values()) + random.sample(before, min(count // 6, len(before)))

    for _ in range(count // 20):
        add("old_accounts", any_uuid(), None, some_text(), some_time())
    accounts = [old.key for old in some("old_accounts")]
    for _ in range(count // 6):
        add("old_orders", number(), some_reference(accounts, any_uuid), some_fare(), some_time())
    for key, ref in uuids_7((some_time(), some_reference(accounts, any_uuid))
                            for _ in range(count // 6)).items():
        add("v7_orders", key, ref, some_fare())
    orders = some("old_orders")
    for _ in range(count // 3):
        order = random.choice(orders)
        ref = order.key if random.random() < 0.99 else random.choice([None, number()])
        add("old_order_events", number(), ref, some_text(), event_time(order.at))
    orders = random.choices(some("v7_orders"), k=count // 3)
    for key, ref in uuids_7((event_time(time_of(order, "v7_orders")), order.key)
                            for order in orders).items():
        add("v7_order_events", key, ref, some_text())
    return fresh


def fields(old, source):
    row = {"id": old.key, "created_at": time_text(old.at),
           "account_id": old.ref, "order_id": old.ref}
    return [row.get(column, old.content) for column in SOURCES[source].columns.split()]


def copy(connection, job):
    source, rows = job
    columns = SOURCES[source].columns.replace(" ", ", ")
    with connection.cursor().copy(f"COPY {source} ({columns}) FROM STDIN") as stream:
        for old in rows:
            stream.write_row(fields(old, source))


def change(connection, job):
    kind, source, old = job
    columns = SOURCES[source].columns.split()
    if kind == "insert":
        copy(connection, (source, [old]))
    elif kind == "delete":
        connection.execute(f"DELETE FROM {source} WHERE id = %s", [old.key])
    else:
        connection.execute(f"UPDATE {source} SET {', '.join(c + ' = %s' for c in columns[1:])} "
                           "WHERE id = %s", fields(old, source)[1:] + [old.key])


# Sessions.

def migrate(connection, _=None):
    connection.execute("CALL migrate_history()")


def migrate_at_one_moment(connection):
    """Another run that was faster is an error here, and the next call is another try."""
    with contextlib.suppress(psycopg.errors.LockNotAvailable, psycopg.errors.UniqueViolation,
                             psycopg.errors.SerializationFailure):
        with connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            migrate(connection)


def read(connection):
    """What a map has is there with all that it refers to: a run is seen as a whole."""
    found = connection.execute("""
        SELECT count(*), count(o), count(*) FILTER (WHERE wallet_id IS NOT NULL), count(w)
        FROM (SELECT * FROM order_numbers LIMIT 1000) AS m
            LEFT JOIN orders AS o USING (id) LEFT JOIN wallet_accounts AS w ON w.id = wallet_id
        """).fetchone()
    assert found[0] == found[1] and found[2] == found[3], found


def read_events(connection):
    """No event is without its order while months go."""
    (missing,), = connection.execute("""
        SELECT count(*) FROM order_events AS e LEFT JOIN orders AS o ON o.id = order_id
        WHERE o.id IS NULL AND e.id >= timestamptz '2025-12-20' AND e.id < timestamptz '2026-01-01'
        """)
    assert missing == 0, missing


def use(connection):
    """The application, which makes rows of its own."""
    with connection.transaction():
        wallet, = connection.execute(
            "INSERT INTO wallet_accounts (holder) VALUES ('application') RETURNING id").fetchone()
        order, = connection.execute(
            "INSERT INTO orders (wallet_id, fare) VALUES (%s, -1) RETURNING id",
            [wallet]).fetchone()
        connection.execute(
            "INSERT INTO order_events (order_id, event) VALUES (%s, 'application')", [order])


def compare(when, expected, one_run=False):
    """The tables must be those of the model after a run, and have nothing left to do."""
    maps = {source: {key: uuid.UUID(id) for key, id in model.rows(f"SELECT * FROM {there.map}")}
            for source, there in SOURCES.items()}
    expected.run({source: {} for source in SOURCES} if one_run else maps)
    for source, there in SOURCES.items():
        model.same(f"{when}, {there.map}", expected.come[source], maps[source])
    model.same(f"{when}, set_aside", expected.aside, {(source, key): reason for source, key, reason
               in model.rows("SELECT source, key, reason FROM set_aside")})
    model.same(f"{when}, set aside as they were before", [], [key for source in SOURCES for key in
               model.rows(f"SELECT key FROM set_aside JOIN {source} AS o ON key = o.id::text "
                          "WHERE source = %s AND old_row <> to_jsonb(o)", [source])])
    model.same(f"{when}, wallet_accounts", expected.new["wallet_accounts"], {uuid.UUID(id): holder
               for id, holder in model.rows("SELECT * FROM wallet_accounts")
               if holder != "application"})
    for table in ("orders", "order_events"):
        model.same(f"{when}, {table}", expected.new[table], {
            uuid.UUID(id): (ref and uuid.UUID(ref), content)
            for id, ref, content in model.rows(f"SELECT * FROM {table}")
            if content not in (-1, "application")})
    model.same(f"{when}, uuids_by_digest", [
        (source, key) for source in ("v7_orders", "v7_order_events")
        for key, id in expected.come[source].items() if id != from_uuid(key, SOURCES[source].entity)],
        model.rows("SELECT source, uuid FROM uuids_by_digest"))


# The three parts.

def load(rows):
    """COPY in pieces, as jobs."""
    jobs = [(source, list(made.values())[start:start + 2000])
            for source, made in rows.items() for start in range(0, len(made), 2000)]
    random.shuffle(jobs)
    return jobs


def make_changes(expected, count):
    """Changes of old rows as jobs, each of another row; the model has them at once.

    A row that is set aside is only changed if it cannot come before: if its own time or content is
    wrong, or if what it refers to never was.
    """
    jobs = {}

    def add(kind, source, old):
        if (source, old.key) not in jobs:
            jobs[source, old.key] = (kind, source, old)
            if kind == "delete":
                del expected.old[source][old.key]
            else:
                expected.old[source][old.key] = old

    aside = random.sample(list(expected.aside.items()), min(count // 4, len(expected.aside)))
    for (source, key), reason in aside:
        old = expected.old[source][uuid.UUID(key) if "-" in key[1:] else int(key)]
        there, ref = SOURCES[source], old.ref
        if reason.endswith("is not there"):
            if old.ref in expected.old[there.refers]:
                continue
            ref = random.choice(list(expected.come[there.refers]))
        elif reason == "not of version 7" or random.random() < 0.1:
            add("delete", source, old)
            continue
        time = random.randrange(FIRST, LAST) if "created_at" in there.columns else None
        content = 7 if there.new == "orders" else "repaired"
        add("update", source, old._replace(ref=ref, content=old.content or content, at=time))
    for source, come in expected.come.items():
        for key in random.sample(list(come), min(count // 40, len(come))):
            old = expected.old[source][key]
            if random.random() < 0.2:
                add("delete", source, old)
            elif "created_at" in SOURCES[source].columns:
                add("update", source, old._replace(at=some_time()))
            if source.startswith("v7"):
                sibling = uuid.UUID(int=key.int ^ random.randrange(1, 2**20))
                if sibling not in expected.old[source]:
                    add("insert", source, old._replace(key=sibling))
    for source, fresh in make_old(expected.old, count // 2).items():
        for old in fresh.values():
            add("insert", source, old)
    jobs = list(jobs.values())
    random.shuffle(jobs)
    return jobs


def run_late(expected):
    """A run that sees an old row, but not that another run was faster, is an error.

    All other rows have come before, so that the two runs meet in that row alone.
    """
    late_row = Old(0, None, 1, at(2025, 9))
    expected.old["old_orders"][0] = late_row
    with model.connect() as late, model.connect() as connection:
        migrate(connection)
        change(connection, ("insert", "old_orders", late_row))
        late.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        late.execute("SELECT FROM old_orders LIMIT 1")
        migrate(connection)
        errors = []
        try:
            migrate(late)
        except psycopg.errors.UniqueViolation:
            errors.append("UniqueViolation")
        late.execute("ROLLBACK")
    model.same("a late run", ["UniqueViolation"], errors)


def drop_months(connection):
    """As the comments of schema.sql say: events first."""
    connection.execute("DELETE FROM order_events WHERE order_id < timestamptz '2025-08-01'")
    connection.execute("SELECT iuid_drop_partitions('order_events', '2025-08-01')")
    connection.execute("SELECT iuid_drop_partitions('orders', '2025-08-01')")


def rules():
    """What the example refuses, and what its questions read."""
    order = "orders WHERE id = (SELECT min(order_id) FROM order_events WHERE order_id >= timestamptz '2025-10-10')"
    early = ("INSERT INTO order_events (id, order_id, event) "
             "SELECT gen_iuid(125, 2, iuid_timestamp(id) - interval '%s'), id, 'early' FROM " + order)
    clash = "two rows have one identifier: "
    taken = "INSERT INTO orders (id, fare) VALUES (iuid_from_name(125, 1, 'orders/301', '2025-08-03'), 1)"
    arrives = "INSERT INTO old_orders VALUES (301, NULL, 1, '2025-08-03')"
    mapped = ("INSERT INTO order_uuids VALUES "
              "('017f22e2-79b0-7cc3-98c4-000000000301', iuid_from_name(125, 1, 'orders/301', '2025-08-03'))")
    view = ("CREATE OR REPLACE VIEW arriving_orders AS SELECT id AS key, %s::iuid AS id, NULL::account_id AS wallet_id, "
            "fare, NULL AS reason, NULL::jsonb AS old_row FROM old_orders WHERE %s")
    nothing = "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
    model.outcomes(
        ("00000", early % "1 minute"),
        ("23514", early % "1 minute 1 ms"),
        ("23503", "INSERT INTO order_events (order_id, event) VALUES (gen_iuid(125, 1, '2025-08-01'), 'of none')"),
        ("23514", "INSERT INTO orders (id, fare) VALUES (gen_iuid(125, 2, '2025-08-01'), 1)"),
        ("23514", "INSERT INTO orders (id, fare) VALUES (gen_iuid(125, 1, '2025-05-31'), 1)"),
        ("23503", "DELETE FROM " + order),
        ("23503", "DELETE FROM wallet_accounts WHERE id IN (SELECT wallet_id FROM orders)"),
        # Two rows with one identifier: the other one is in no map, of another table, or of this one.
        (clash + "301 of old_orders and a row that no map has", taken, arrives, "CALL migrate_history()"),
        (clash + "301 of old_orders and 017f22e2-79b0-7cc3-98c4-000000000301 of v7_orders",
         taken, mapped, arrives, "CALL migrate_history()"),
        (clash + "302 of old_orders and 303 of old_orders",
         view % ("iuid_from_name(125, 1, 'orders', created_at)", "id IN (302, 303)"),
         "INSERT INTO old_orders VALUES (302, NULL, 1, '2025-08-03'), (303, NULL, 1, '2025-08-03')",
         "CALL migrate_history()"),
        # A row that is lost on the way, by a trigger or by a view.
        ("not every row came from old_orders into orders", nothing,
         "CREATE TRIGGER nothing BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION nothing()",
         arrives, "CALL migrate_history()"),
        ("rows of old_orders have neither come nor been set aside",
         view % ("NULL", "false"), arrives, "CALL migrate_history()"))

    # An order of the last day of October, whose events may be of October and of November.
    id = "019a3826-e000-807d-8050-000000000000"
    entered = (f"INSERT INTO orders (id, fare) VALUES ('{id}', 1)",
               f"INSERT INTO order_events (id, order_id, event) VALUES (gen_iuid(125, 2, iuid_timestamp('{id}')), '{id}', 'x')")
    events = f"SELECT * FROM order_events WHERE order_id = '{id}' AND id >= earliest_event('{id}')"
    model.reads(
        ({"orders_2025_10_pkey"}, *entered, f"SELECT * FROM orders WHERE id = '{id}'"),
        ({"order_events_2025_10_order_id_id_idx", "order_events_2025_11_order_id_id_idx"}, *entered,
         events + f" AND id < iuid_timestamp('{id}') + interval '1 day'"),
        ({"order_numbers_pkey"}, "SELECT id FROM order_numbers WHERE number = 1014"))


given = model.arguments(rows=100000)
model.make_database("examples/orders.sql")
model.make_database("examples/orders/schema.sql", "examples/orders/old_tables.sql",
                    "examples/orders/migration.sql", "examples/orders/history.sql")
with model.connect() as connection:
    connection.execute("ALTER DATABASE model_orders SET iuid.country = 125")
    for parent in ("orders", "order_events"):
        for first, last in (("2025-07-01", "2026-01-01"), ("now", "tomorrow")):
            connection.execute("SELECT iuid_create_partitions(%s, '1 month', %s, %s)",
                               [parent, first, last])

expected = Model()
expected.old = make_old(expected.old, given.rows)
count = sum(map(len, expected.old.values()))
model.in_sessions(given.sessions, copy, load(expected.old))
with model.beside(read, 0.01), model.beside(use, 0.01), model.timed("migrated", count):
    model.in_sessions(given.sessions, migrate, range(given.sessions))
compare("history", expected, one_run=True)

aside = model.rows("SELECT ctid, s::text FROM set_aside AS s")
with model.timed("nothing new", count), model.connect() as connection:
    migrate(connection)
model.same("set aside, written again", aside, model.rows("SELECT ctid, s::text FROM set_aside AS s"))
jobs = make_changes(expected, min(given.rows // 10, 5000))
with model.beside(read, 0.01), model.beside(use, 0.01), \
        model.beside(migrate, 0.1), model.beside(migrate_at_one_moment, 0.1):
    model.in_sessions(given.sessions, change, jobs)
run_late(expected)
compare("changes", expected)

with model.beside(read_events, 0.01):
    with model.connect() as connection:
        drop_months(connection)
    expected.drop(at(2025, 8))
    fresh = make_old(expected.old, given.rows // 10)
    for source in SOURCES:
        expected.old[source].update(fresh[source])
    model.in_sessions(given.sessions, copy, load(fresh))
    model.in_sessions(given.sessions, migrate, range(given.sessions))
compare("a month dropped", expected)
rules()
model.finish()
