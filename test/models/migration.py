"""The migration of examples/migration, beside clients that go on meanwhile.

Old clients insert, change and delete from before the migration to its end, without an error and
without a new connection.  The tables are swapped, new clients come, the new clients stop, the swap
goes back, and is made again.  Each client knows what it was told is committed: that must be there in
both tables, and so must each row that no client touched.  What the clients waited for is printed.
"""

import collections
import contextlib
import datetime
import random
import threading
import time
import uuid

import clients
import identifiers
import model
from clients import call, step

FIRST = datetime.datetime(2025, 11, 1, tzinfo=datetime.timezone.utc)
MILLISECOND = datetime.timedelta(milliseconds=1)
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)

# Of 20 rows 2 are customers, 16 are orders, one is an event and one a receipt.  Some rows have a time
# that no identifier has: these are set aside, and so is what refers to them.
LOAD = """
CREATE FUNCTION uuid_of(version int, at timestamptz, seed text) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
	SELECT overlay(overlay(CASE version WHEN 7 THEN lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0')
		|| substr(md5(seed), 13) ELSE md5(seed) END PLACING version::text FROM 13) PLACING '8' FROM 17)::uuid
$$;
CREATE FUNCTION time_of(n bigint, rows bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE n % 3001 WHEN 1 THEN NULL WHEN 2 THEN 'infinity' WHEN 3 THEN '1066-10-14'
		ELSE timestamptz '2025-11-01 00:00+00' + n::float8 / rows * interval '300 days' + n % 7 * interval '321 microseconds' END
$$;
INSERT INTO customers SELECT uuid_of(4, NULL, 'customer ' || n), 'name ' || n, time_of(n, {rows} / 10)
FROM generate_series(1, {rows} / 10) AS n;
INSERT INTO orders (customer_id, fare, created_at)
SELECT CASE WHEN n % 5 > 0 THEN uuid_of(4, NULL, 'customer ' || 1 + n % ({rows} / 10)) END, n % 90 + 10, time_of(n, {rows} / 10 * 8)
FROM generate_series(1, {rows} / 10 * 8) AS n;
INSERT INTO order_events SELECT uuid_of(CASE WHEN n % 2999 = 1 THEN 4 ELSE 7 END,
	timestamptz '2025-11-01 00:00+00' + n * 20.0::float8 / {rows} * interval '300 days', 'event ' || n), 1 + n * 7 % ({rows} / 10 * 8), 'event ' || n
FROM generate_series(1, {rows} / 20) AS n;
INSERT INTO receipts SELECT 'R' || id, id, fare FROM orders
WHERE id % 5 = 0 AND id % 3001 NOT IN (1, 2, 3) LIMIT {rows} / 20;
CREATE TABLE base_customers AS TABLE customers;
CREATE TABLE base_orders AS TABLE orders;
CREATE TABLE base_order_events AS TABLE order_events;
CREATE TABLE base_receipts AS TABLE receipts;
-- What all clients count.
INSERT INTO orders (id, fare) VALUES (-1, 0);
ANALYZE;
"""

# A row in the columns of the old tables, in the old one and in the new one.
TABLES = {
    "customers": ("id, name, created_at", "uuid, name, created_at"),
    "orders": ("id, customer_id, fare, created_at", "number, customer_uuid, fare, created_at"),
    "order_events": ("id, order_id, event", "uuid, order_number, event"),
}


def uuid_7():
    milliseconds = time.time_ns() // 10**6 - random.randrange(10**6)
    return uuid.UUID(int=(milliseconds << 16 | 7 << 12 | random.getrandbits(12)) << 64
                     | 2 << 62 | random.getrandbits(62))


class Client(clients.Client):
    """What both kinds of clients do."""

    def __init__(self, number, customers):
        super().__init__(number, (*TABLES, "receipts"))
        self.customers, self.counted, self.dirty = list(customers), 0, True

    def forget(self, number):
        """An order is deleted, and what refers to it."""
        self.rows["orders"][number] = None
        for table in "order_events", "receipts":
            self.rows[table].update({key: None for key, row in self.rows[table].items()
                                     if row and row[0] == number})

    def work(self):
        random.choice([self.insert_order, self.insert_order, self.insert_order, self.change_base,
                       self.change_own, self.insert_customer, self.delete_own, self.count])()


class OldClient(Client):
    def insert_customer(self):
        key, name = uuid.uuid4(), f"new {random.random()}"
        at = FIRST + random.randrange(3 * 10**10) * MILLISECOND
        self.execute("INSERT INTO customers VALUES (%s, %s, %s)", (key, name, at))
        self.rows["customers"][key] = (name, at)
        self.customers.append(key)

    def insert_order(self):
        """An order with its events and a receipt, in one transaction or in several."""
        customer, fare = random.choice([None, *self.customers[-5:]]), random.randrange(1000)
        with self.connection.transaction() if random.random() < 0.5 else contextlib.nullcontext():
            number, at = self.execute(
                "INSERT INTO orders (customer_id, fare) VALUES (%s, %s) RETURNING id, created_at",
                (customer, fare))
            events = {uuid_7(): (number, event) for event in ("requested", "finished")}
            for key, event in events.items():
                self.execute("INSERT INTO order_events VALUES (%s, %s, %s)", (key, *event))
            receipt = f"N{number}"
            self.execute("INSERT INTO receipts (number, order_id, total) VALUES (%s, %s, %s)",
                         (receipt, number, fare))
        self.rows["orders"][number] = (customer, fare, at)
        self.rows["order_events"].update(events)
        self.rows["receipts"][receipt] = (number, fare)

    def change_base(self):
        """A row of before the migration, which no other client changes."""
        number = random.randrange(given.rows // 10 * 8 // given.sessions) * given.sessions + self.number + 1
        row = self.execute("UPDATE orders SET fare = fare + 1 WHERE id = %s"
                           " RETURNING customer_id, fare, created_at::text", (number,))
        self.rows["orders"][number] = row[:2] + (None,) if row else None

    def change_own(self):
        own = [key for key, row in self.rows["orders"].items() if row and row[2]]
        if own:
            number = random.choice(own)
            customer, fare, at = self.rows["orders"][number]
            at -= random.randrange(10**9) * MILLISECOND
            if self.dirty and random.random() < 0.2:
                # It had an identifier before, and keeps it.
                self.execute("UPDATE orders SET created_at = NULL WHERE id = %s", (number,))
            self.execute("UPDATE orders SET created_at = %s WHERE id = %s", (at, number))
            self.rows["orders"][number] = customer, fare, at
        if self.dirty and random.random() < 0.2:
            # One that cannot come, until it is corrected.
            number, = self.execute("INSERT INTO orders (fare, created_at) VALUES (1, '-infinity') RETURNING id")
            at = FIRST + number * MILLISECOND
            self.execute("UPDATE orders SET created_at = %s WHERE id = %s", (at, number))
            self.rows["orders"][number] = None, 1, at

    def delete_own(self):
        own = [key for key, row in self.rows["orders"].items() if row and row[2]]
        if own:
            number = random.choice(own)
            self.execute("DELETE FROM orders WHERE id = %s", (number,))
            self.forget(number)

    def count(self):
        self.execute("UPDATE orders SET fare = fare + 1 WHERE id = -1")
        self.counted += 1


class NewClient(Client):
    """It knows the new tables and keys.  What it knows is kept by the old keys, as they are there."""

    def insert_customer(self):
        name = f"newer {random.random()}"
        id, key, at = self.execute("INSERT INTO v2.customers (name) VALUES (%s)"
                                   " RETURNING id::uuid, uuid, created_at", (name,))
        self.rows["customers"][key] = (name, at)
        self.customers.append((id, key))

    def insert_order(self):
        (customer, key), fare = random.choice([(None, None), *self.customers[-5:]]), random.randrange(1000)
        with self.connection.transaction() if random.random() < 0.5 else contextlib.nullcontext():
            id, number, at = self.execute(
                "INSERT INTO v2.orders (customer_id, fare) VALUES (%s, %s)"
                " RETURNING id::uuid, number, created_at", (customer, fare))
            event, = self.execute("INSERT INTO v2.order_events (order_id, event)"
                                  " VALUES (%s, 'newer') RETURNING uuid", (id,))
            receipt = f"M{number}"
            self.execute("INSERT INTO receipts (number, order_iuid, total) VALUES (%s, %s, %s)",
                         (receipt, id, fare))
        self.rows["orders"][number] = (key, fare, at)
        self.rows["order_events"][event] = (number, "newer")
        self.rows["receipts"][receipt] = (number, fare)

    def change_base(self):
        pass

    def change_own(self):
        own = [key for key, row in self.rows["orders"].items() if row]
        if own:
            number = random.choice(own)
            customer, fare, at = self.rows["orders"][number]
            id, key = random.choice([(None, None), *self.customers[-5:]])
            self.execute("UPDATE v2.orders SET fare = %s, customer_id = %s WHERE number = %s",
                         (fare + 1, id, number))
            self.rows["orders"][number] = key, fare + 1, at

    def delete_own(self):
        own = [key for key, row in self.rows["orders"].items() if row]
        if own:
            number = random.choice(own)
            self.execute("DELETE FROM v2.orders WHERE number = %s", (number,))
            self.forget(number)

    def count(self):
        self.execute("UPDATE v2.orders SET fare = fare + 1 WHERE number = -1")
        self.counted += 1


def check_beside_clients(when):
    found = model.rows("SELECT name, same FROM migration.compare()")
    model.same(f"{when}, beside the clients: tables that are in step",
               {(name, True) for name in TABLES}, set(found))


def check_at_rest(old):
    """OLD is what is behind the name of an old table.  Nobody writes any more."""
    known = {table: {} for table in (*TABLES, "receipts")}
    for client in clients.all:
        for table, rows in client.rows.items():
            known[table].update(rows)
    aside = collections.defaultdict(set)
    for table, key in model.rows("SELECT t.name, s.key ->> 'id' FROM migration.set_aside AS s JOIN migration.tables AS t USING (old)"):
        aside[table].add(key)

    for table, (columns, new_columns) in TABLES.items():
        key = columns.split(",")[0]
        # Row by row, both ways: what the old table has more is what is set aside.
        more = model.rows(f"SELECT {key}::text FROM (SELECT {columns} FROM {table}{old}"
                          f" EXCEPT ALL SELECT {new_columns} FROM v2.{table}) AS d")
        model.same(f"{table}: rows that are set aside", aside[table], {key for key, in more})
        more = model.rows(f"SELECT {new_columns} FROM v2.{table} EXCEPT ALL SELECT {columns} FROM {table}{old}")
        model.same(f"{table}: rows that the old one does not have", [], more)

        # The digest of text, summed up: not the one that the migration itself compares with.
        digests = [model.rows(
            f"SELECT count(*), sum(('x' || left(md5(concat_ws('|', {list})), 15))::bit(60)::bigint::numeric)"
            f" FROM {source} WHERE NOT {list.split(',')[0]}::text = ANY (%s)", [list_of(aside[table])])
            for list, source in ((columns, table + old), (new_columns, "v2." + table))]
        model.same(f"{table}: number and digest of the rows", *digests)

        # What no client touched is as it was.
        call(f"CREATE TABLE touched_{table} (key text PRIMARY KEY)")
        with model.connect() as connection, connection.cursor() as cursor:
            with cursor.copy(f"COPY touched_{table} FROM STDIN") as copy:
                for touched in known[table]:
                    copy.write_row([str(touched)])
        gone = model.rows(
            f"SELECT {columns} FROM base_{table} AS b WHERE NOT EXISTS (SELECT FROM touched_{table} WHERE key = b.{key}::text)"
            f" AND b.{key}::text <> ALL (%s) EXCEPT ALL SELECT {new_columns} FROM v2.{table}",
            [list_of(aside[table])])
        model.same(f"{table}: untouched rows that are missing", [], gone)

        # What a client was told is committed.
        there = {row[0]: row[1:] for row in model.rows(
            f"SELECT {new_columns} FROM v2.{table} WHERE {new_columns.split(',')[0]}::text IN (SELECT key FROM touched_{table})")}
        expected = {key: row for key, row in known[table].items() if row and str(key) not in aside[table]}
        if table == "orders":
            # Of a row of before the migration the client does not know the time.
            there = {key: row[:2] + (row[2] if expected.get(key, row)[2] else None,) for key, row in there.items()}
        model.same(f"{table}: what clients were told", expected, there)

    receipts = dict(known["receipts"])
    found = {row[0]: row[1:] for row in model.rows("SELECT number, order_id, total FROM receipts WHERE number ~ '^[NM]'")}
    model.same("receipts: what clients were told", {key: row for key, row in receipts.items() if row}, found)
    model.same("receipts: untouched rows that are missing", [], model.rows(
        "TABLE base_receipts EXCEPT ALL SELECT number, order_id, total FROM receipts"))
    model.same("receipts: wrong references", [], model.rows(
        "SELECT r.number FROM receipts AS r LEFT JOIN v2.orders AS o ON o.id = r.order_iuid WHERE o.number IS DISTINCT FROM r.order_id"))
    model.same("orders: wrong references", [], model.rows(
        "SELECT o.number FROM v2.orders AS o LEFT JOIN v2.customers AS c ON c.id = o.customer_id WHERE c.uuid IS DISTINCT FROM o.customer_uuid"))
    model.same("order_events: wrong references", [], model.rows(
        "SELECT e.uuid FROM v2.order_events AS e LEFT JOIN v2.orders AS o ON o.id = e.order_id WHERE o.number IS DISTINCT FROM e.order_number"))
    model.same("what all clients counted", [sum(client.counted for client in clients.all)],
               [int(fare) for fare, in model.rows("SELECT fare FROM v2.orders WHERE number = -1")])


def check_reasons():
    """Of the rows of before the migration, those that cannot come, as the data say."""
    bad = "(at IS NULL OR at NOT BETWEEN '2000-01-01 00:00+00' AND '2099-12-31 23:59+00')"
    expected = set(model.rows(f"""
        WITH customer AS (SELECT id, created_at AS at FROM base_customers),
        bad_customer AS (SELECT id FROM customer WHERE {bad}),
        ordered AS (SELECT id, customer_id, created_at AS at FROM base_orders),
        bad_order AS (SELECT id, {bad} AS no_time FROM ordered WHERE {bad} OR customer_id IN (TABLE bad_customer))
        SELECT 'customers', id::text, 'no time, country or entity that an identifier can have' FROM bad_customer
        UNION ALL SELECT 'orders', id::text, CASE WHEN no_time THEN 'no time, country or entity that an identifier can have' ELSE 'it refers to a row of customers that has no identifier' END FROM bad_order
        UNION ALL SELECT 'orders', '-1', 'no time, country or entity that an identifier can have' FROM orders WHERE id = -1 AND created_at IS NULL
        UNION ALL SELECT 'order_events', e.id::text, CASE WHEN substr(e.id::text, 15, 1) = '4' THEN 'no time, country or entity that an identifier can have'
            WHEN o.no_time THEN 'it refers to a row of orders that has no identifier' ELSE 'it refers to a row of orders that is set aside' END
        FROM base_order_events AS e LEFT JOIN bad_order AS o ON o.id = e.order_id WHERE substr(e.id::text, 15, 1) = '4' OR o.id IS NOT NULL"""))
    found = set(model.rows("SELECT t.name, s.key ->> 'id', s.reason FROM migration.set_aside AS s JOIN migration.tables AS t USING (old)"))
    model.same("rows that are set aside, with their reasons", expected, found)
    return len(found)


def list_of(keys):
    return list(keys)


def microseconds(at):
    return (at - EPOCH) // datetime.timedelta(microseconds=1)


def check_identifiers():
    """The identifiers of rows of before the migration, in Python, from their first created_at."""
    number = lambda rows: {key: id.int for key, id in rows}
    some = "ORDER BY b.id LIMIT 20000"
    for what, statement, identifier in (
        ("customers", f"SELECT b.id, b.created_at, n.id::uuid FROM base_customers AS b JOIN v2.customers AS n ON n.uuid = b.id {some}",
         lambda key, at: identifiers.from_uuid(key.int, 125, 3, microseconds(at))),
        ("orders", f"SELECT b.id, b.created_at, n.id::uuid FROM base_orders AS b JOIN v2.orders AS n ON n.number = b.id {some}",
         lambda key, at: identifiers.from_name(125, 1, b"orders/%d" % key, microseconds(at))),
        ("order_events", f"SELECT b.id, NULL, n.id::uuid FROM base_order_events AS b JOIN v2.order_events AS n ON n.uuid = b.id {some}",
         lambda key, at: identifiers.from_uuid(key.int, 125, 2, identifiers.uuid_ms(key.int) * 1000)),
    ):
        rows = model.rows(statement)
        model.same(f"{what}: identifiers", {key: identifier(key, at) for key, at, _ in rows},
                   number((key, id) for key, _, id in rows))


def hold(seconds):
    """A reader whose transaction stays open.  The swap has to wait for it, and nobody else has."""
    with model.connect() as connection, connection.transaction():
        connection.execute("SELECT count(*) FROM (SELECT FROM orders LIMIT 1) AS o")
        time.sleep(seconds)


given = model.arguments(100_000)
model.make_database("examples/migration/old.sql")
with model.timed("old rows", given.rows), model.connect() as connection:
    connection.execute(LOAD.format(rows=given.rows))
    connection.execute("UPDATE orders SET created_at = now() WHERE id = -1")
base = [key for key, in model.rows("SELECT id FROM base_customers WHERE created_at BETWEEN '2000-01-01' AND '2099-01-01' LIMIT 5")]

for number in range(given.sessions):
    clients.start(OldClient(number, base))
time.sleep(1)

def make():
    for file in "engine", "move":
        model.load(f"examples/migration/{file}.sql")
    call("CALL migration.make()")


step("make", make)
step("follow", lambda: call("CALL migration.follow()"))
for table in (*TABLES, "receipts"):
    with model.timed(table, model.rows(f"SELECT count(*) FROM {table}")[0][0]):
        step(f"{table} come", lambda: call(f"CALL migration.backfill('{table}')"))
step("references", lambda: model.load("examples/migration/references.sql"))
for client in clients.all:
    client.dirty = False
time.sleep(0.5)
check_beside_clients("before the swap")
known = check_reasons()

reader = threading.Thread(target=hold, args=(3,))
reader.start()
time.sleep(0.2)
step("swap, with a reader in its way", lambda: call(f"CALL migration.swap({known})"))
reader.join()
for number in range(given.sessions):
    clients.start(NewClient(number, []))
time.sleep(3)
step("compare, with new clients", lambda: check_beside_clients("after the swap"))
for client in clients.all[given.sessions:]:
    client.stop()
step("swap back", lambda: call("CALL migration.swap_back()"))
time.sleep(2)
check_beside_clients("after the way back")
step("swap again", lambda: call(f"CALL migration.swap({known})"))
time.sleep(1)
for client in clients.all:
    client.stop()
clients.check()
check_at_rest("_old")
check_identifiers()
model.finish()
