"""The migration of examples/migration, with the tables of test/models/migration.

These refer to themselves and to each other, have an identity column, keys of several columns, a
natural key and partitions by time, and a subscriber follows them.  Old clients write from before
the migration to its end, and new clients after the swap.  After each step the clients pause: then
the old tables, the new ones and those of the subscriber must have what the clients were told is
committed, and all else as it was.
"""

import datetime
import os
import random
import time

import clients
import model
from clients import call, step

FIRST = datetime.datetime(2025, 12, 1, tzinfo=datetime.timezone.utc)
SUBSCRIBER = "model_subscriber"
PUBLISHED = ("teams", "accounts", "readings")

# The columns of an old table, and their names in the new one; the first ones are the key by which the
# clients know a row.
TABLES = {
    "teams": (1, "code leader_id founded", "code old_leader_id founded"),
    "accounts": (1, "id parent_id team name name_length balance opened changes",
                 "old_id old_parent_id old_team name name_length balance opened changes"),
    "invoices": (2, "account_id number total created_at", "old_account_id number total created_at"),
    "invoice_lines": (3, "account_id invoice line price created_at", "account_id invoice line price created_at"),
    "readings": (1, "id account_id value created_at", "old_id old_account_id value created_at"),
    "documents": (1, "file_number title filed", "file_number title filed"),
}
TABLES = {table: (size, old.split(), new.split()) for table, (size, old, new) in TABLES.items()}

# The column of a new table that refers to another one, beside the old columns that do.
REFERENCES = [
    ("teams", "leader_id", ["leader_id"], "accounts"),
    ("accounts", "parent_id", ["parent_id"], "accounts"),
    ("accounts", "team", ["team"], "teams"),
    ("invoices", "account_id", ["account_id"], "accounts"),
    ("invoice_lines", "invoices_id", ["account_id", "invoice"], "invoices"),
    ("readings", "account_id", ["account_id"], "accounts"),
]


class Client(clients.Client):
    """It writes rows of its own, and the rows of before the migration whose number is its turn.

    Its accounts are in teams of its own, and below accounts of its own: so no statement fails by what
    another client does.
    """

    def __init__(self, number):
        super().__init__(number, TABLES)
        self.name, self.made, self.own, self.changed = f"{type(self).__name__} {number}", 0, {table: [] for table in TABLES}, set()

    def note(self, table, key, row):
        if row is None and key in self.own[table]:
            self.own[table].remove(key)
        self.rows[table][key] = row
        self.changed.add((table, key))

    def add(self, table, **given):
        """An INSERT: the columns that are not given come from defaults and triggers."""
        row = dict(zip(TABLES[table][1], self.insert(table, given)))
        if any(row[column] != value for column, value in given.items()):
            raise ValueError(f"{table}: {given} has become {row}")
        key = tuple(row[column] for column in TABLES[table][1][:TABLES[table][0]])
        self.own[table].append(key)
        self.note(table, key, row)
        return key

    def change(self, table, key, **given):
        """An UPDATE of a row, perhaps of its key."""
        row = self.known(table, key)
        if self.update(table, key, given) is None:
            raise ValueError(f"{table}: {key} is not there")
        row = {**row, **given}
        new_key = tuple(row[column] for column in TABLES[table][1][:TABLES[table][0]])
        if new_key != key:
            self.note(table, key, None)
            self.own[table].append(new_key)
        self.note(table, new_key, row)
        return row

    def take(self, table, key):
        """A DELETE of a row."""
        if self.delete(table, key) is None:
            raise ValueError(f"{table}: {key} is not there")
        self.note(table, key, None)

    def known(self, table, key):
        """A row as it must be.  What no client has touched is as it was."""
        if key not in self.rows[table]:
            size, columns, _ = TABLES[table]
            where = " AND ".join(f"{column} = %s" for column in columns[:size])
            row = self.connection.execute(f"SELECT {', '.join(columns)} FROM said.{table} WHERE {where}", key).fetchone()
            self.note(table, key, row and dict(zip(columns, row)))
        return self.rows[table][key]

    def new_name(self):
        self.made += 1
        return f"{self.name}, {self.made}"

    def some(self, table):
        return random.choice(self.own[table]) if self.own[table] else None

    def base(self, count):
        """The number of a row of before the migration, which no other client changes."""
        turns = 2 * given.sessions
        return random.randrange(count // turns) * turns + self.number + 1

    def work(self):
        if not self.own["accounts"]:
            self.add("teams", code=self.new_name())
            self.insert_account()
        else:
            random.choice(self.TURNS)(self)

    def insert_account(self):
        parent = self.some("accounts")
        self.add("accounts", parent_id=parent and parent[0], team=self.some("teams")[0], name=self.new_name())

    def insert_team(self):
        self.add("teams", code=self.new_name())

    def change_team(self):
        """The key of a team: its accounts follow."""
        key = self.some("teams")
        row = self.change("teams", key, code=self.new_name())
        for account in self.own["accounts"]:
            if self.rows["accounts"][account]["team"] == key[0]:
                self.note("accounts", account, {**self.rows["accounts"][account], "team": row["code"]})

    def change_leader(self):
        self.change("teams", self.some("teams"), leader_id=self.some("accounts")[0])

    def change_balance(self):
        """A trigger counts this."""
        key = random.choice([self.some("accounts"), (self.base(BASE["accounts"]),)])
        row = self.change("accounts", key, balance=self.known("accounts", key)["balance"] + 1)
        row["changes"] += 1

    def change_parent(self):
        """Any of its accounts can be above any other one: circles come and go."""
        self.change("accounts", self.some("accounts"), parent_id=self.some("accounts")[0])
        self.change("accounts", (self.base(BASE["accounts"]),), parent_id=self.base(BASE["accounts"]))

    def delete_account(self):
        """With all that belongs to it.  What is above another account stays."""
        above = {self.rows["accounts"][key]["parent_id"] for key in self.own["accounts"]}
        keys = [key for key in self.own["accounts"] if key[0] not in above]
        if len(keys) > 1:
            key = random.choice(keys)
            self.take("accounts", key)
            for table in "readings", "invoices", "invoice_lines":
                for other in [other for other in self.own[table] if self.rows[table][other]["account_id"] == key[0]]:
                    self.note(table, other, None)
            for team in self.own["teams"]:
                if self.rows["teams"][team]["leader_id"] == key[0]:
                    self.note("teams", team, {**self.rows["teams"][team], "leader_id": None})

    def insert_invoice(self):
        """An invoice with its lines."""
        account, self.made = self.some("accounts")[0], self.made + 1
        with self.connection.transaction():
            self.add("invoices", account_id=account, number=self.made, total=self.made)
            for line in range(random.randrange(3)):
                self.add("invoice_lines", account_id=account, invoice=self.made, line=line, price=1)

    def change_invoice(self):
        self.change("invoices", (self.base(BASE["accounts"]), 1), total=random.randrange(1000))

    def delete_invoice(self):
        key = random.choice([self.some("invoices"), (self.base(BASE["accounts"]), 2)])
        if key and self.known("invoices", key):
            self.take("invoices", key)
            for line in range(3):
                if self.known("invoice_lines", (*key, line)):
                    self.note("invoice_lines", (*key, line), None)

    def insert_reading(self):
        account, at = self.some("accounts")[0], FIRST + random.randrange(80 * 86400) * datetime.timedelta(seconds=1)
        self.add("readings", account_id=account, value=random.random(), **random.choice([{}, {"created_at": at}]))

    def change_reading(self):
        """Also into another partition."""
        key = random.choice([self.some("readings"), (self.base(BASE["readings"]),)])
        if key and self.known("readings", key):
            at = FIRST + random.randrange(80 * 86400) * datetime.timedelta(seconds=1)
            self.change("readings", key, value=random.random(), **random.choice([{}, {"created_at": at}]))

    def delete_reading(self):
        key = random.choice([self.some("readings"), (self.base(BASE["readings"]),)])
        if key and self.known("readings", key):
            self.take("readings", key)

    def insert_document(self):
        self.add("documents", file_number=self.new_name(), title="title", filed=FIRST.date())

    def change_document(self):
        key = random.choice([self.some("documents"), (f"KZ/{self.base(BASE['documents'])}/2025",)])
        if key and self.known("documents", key):
            self.change("documents", key, **random.choice([{"title": self.new_name()}, {"file_number": self.new_name()}]))

    def delete_document(self):
        key = self.some("documents")
        if key:
            self.take("documents", key)

    TURNS = [insert_account, insert_account, insert_account, insert_team, change_team, change_leader, change_balance,
             change_balance, change_parent, delete_account, insert_invoice, change_invoice, delete_invoice,
             insert_reading, insert_reading, insert_reading, change_reading, delete_reading,
             insert_document, insert_document, change_document, delete_document]


class OldClient(Client):
    def insert(self, table, given):
        return self.execute(f"INSERT INTO {table} ({', '.join(given)}) VALUES ({', '.join(['%s'] * len(given))})"
                            f" RETURNING {', '.join(TABLES[table][1])}", tuple(given.values()))

    def update(self, table, key, given):
        return self.execute(f"UPDATE {table} SET {', '.join(f'{column} = %s' for column in given)}"
                            f" WHERE {self.is_key(table)} RETURNING 1", (*given.values(), *key))

    def delete(self, table, key):
        return self.execute(f"DELETE FROM {table} WHERE {self.is_key(table)} RETURNING 1", key)

    def is_key(self, table):
        return " AND ".join(f"{column} = %s" for column in TABLES[table][1][:TABLES[table][0]])


class NewClient(Client):
    """It knows the new tables, and refers by iuid."""

    def insert(self, table, given):
        given = self.with_ids(table, given)
        return self.execute(f"INSERT INTO v2.{table} ({', '.join(given)}) VALUES ({', '.join(['%s'] * len(given))})"
                            f" RETURNING {', '.join(TABLES[table][2])}", tuple(given.values()))

    def update(self, table, key, given):
        given = self.with_ids(table, given)
        return self.execute(f"UPDATE v2.{table} SET {', '.join(f'{column} = %s' for column in given)}"
                            f" WHERE id = %s RETURNING 1", (*given.values(), self.id_of(table, key)))

    def delete(self, table, key):
        return self.execute(f"DELETE FROM v2.{table} WHERE id = %s RETURNING 1", (self.id_of(table, key),))

    def id_of(self, table, key):
        """New clients that take over a row of an old one find it by its old key."""
        size, _, names = TABLES[table]
        row = self.execute(f"SELECT id::text FROM v2.{table} WHERE " + " AND ".join(f"{name} = %s" for name in names[:size]), key)
        return row[0]

    def with_ids(self, table, given):
        given = dict(given)
        for of, column, olds, parent in REFERENCES:
            if of == table and olds[0] in given:
                key = tuple(given.pop(old) for old in olds)
                given[column] = None if key[0] is None else self.id_of(parent, key)
        return given


def say():
    """Puts what the clients were told into the tables of what must be there."""
    with model.connect() as connection, connection.transaction(), connection.cursor() as cursor:
        for client in clients.all:
            for table, key in client.changed:
                size, columns, _ = TABLES[table]
                cursor.execute(f"DELETE FROM said.{table} WHERE " + " AND ".join(f"{column} = %s" for column in columns[:size]), key)
            for table, key in client.changed:
                row = client.rows[table][key]
                if row:
                    cursor.execute(f"INSERT INTO said.{table} VALUES ({', '.join(['%s'] * len(row))})", tuple(row.values()))
            client.changed.clear()


def digest(relation, columns, database=None):
    """The number of the rows, and the sum of their hashes."""
    with model.connect(**({"dbname": database} if database else {})) as connection:
        return connection.execute(f"SELECT count(*), sum(hashtextextended(x::text, 0)::numeric)"
                                  f" FROM (SELECT {', '.join(columns)} FROM {relation}) AS x").fetchone()


def catch_up():
    here, = model.rows("SELECT pg_current_wal_lsn()")[0]
    begin = time.monotonic()
    while not model.rows("SELECT confirmed_flush_lsn >= %s::pg_lsn FROM pg_replication_slots WHERE slot_name = %s", (here, SUBSCRIBER))[0][0]:
        if time.monotonic() - begin > 1800:
            raise TimeoutError("the subscriber does not catch up")
        time.sleep(0.05)
    return time.monotonic() - begin


def check(when, old=True, new=False, subscriber=("{}",)):
    """OLD: old tables are there.  NEW: new tables, with all rows.  SUBSCRIBER: what it has of a table."""
    with clients.at_rest():
        say()
        print(f"{when}: the subscriber is there after {catch_up():.1f} s", flush=True)
        for table, (size, columns, names) in TABLES.items():
            expected = digest(f"said.{table}", columns)
            for name in [table] * old + [f"{table}_old"] * (model.rows("SELECT to_regclass(%s) IS NOT NULL", (f"{table}_old",))[0][0]):
                model.same(f"{when}: {name}", [expected], [digest(name, columns)])
            if new:
                kept = {name for name, in model.rows("SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND NOT attisdropped", (f"v2.{table}",))}
                both = [pair for pair in zip(columns, names) if pair[1] in kept]
                model.same(f"{when}: v2.{table}", [digest(f"said.{table}", [pair[0] for pair in both])],
                           [digest(f"v2.{table}", [pair[1] for pair in both])])
            if table in PUBLISHED:
                for place in subscriber:
                    relation = place.format(table)
                    there = zip(columns, names if relation.startswith("v2.") else columns)
                    there = [pair for pair in there if pair[0] != "name_length"]
                    model.same(f"{when}: the subscriber's {relation}", [digest(f"said.{table}", [pair[0] for pair in there])],
                               [digest(relation, [pair[1] for pair in there], SUBSCRIBER)])
        if new and old:
            for table, column, olds, parent in REFERENCES:
                name = dict(zip(TABLES[table][1], TABLES[table][2]))
                wrong = model.rows(
                    f"SELECT count(*) FROM v2.{table} AS r LEFT JOIN v2.{parent} AS p ON p.id = r.{column} WHERE"
                    f" ({', '.join('r.' + name[old] for old in olds)}) IS DISTINCT FROM ({', '.join('p.' + key for key in TABLES[parent][2][:TABLES[parent][0]])})")
                model.same(f"{when}: wrong {column} of v2.{table}", [(0,)], wrong)


def at_subscriber(moment):
    """What the migration tells a subscriber to run."""
    with model.connect(dbname=SUBSCRIBER) as connection:
        for statement, in model.rows("SELECT statement FROM migration.subscriber_statements() WHERE moment = %s", (moment,)):
            connection.execute(statement.replace("SUBSCRIPTION …", "SUBSCRIPTION lake"))


def make_subscriber():
    here = os.environ["PGDATABASE"]
    call(f"CREATE PUBLICATION lake FOR TABLE {', '.join(PUBLISHED)} WITH (publish_via_partition_root = true)")
    with model.connect(dbname="template1") as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {SUBSCRIBER} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {SUBSCRIBER} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
    os.environ["PGDATABASE"] = SUBSCRIBER
    call("CREATE EXTENSION iuid")
    model.load("test/models/migration/tables.sql")
    for command in ("ALTER TABLE accounts DROP CONSTRAINT accounts_parent_id_fkey, DROP CONSTRAINT accounts_team_fkey",
                    "ALTER TABLE teams DROP CONSTRAINT teams_leader_id_fkey",
                    "ALTER TABLE readings DROP CONSTRAINT readings_account_id_fkey",
                    "DROP TRIGGER count_changes ON accounts"):
        call(command)
    os.environ["PGDATABASE"] = here
    call(f"SELECT pg_create_logical_replication_slot('{SUBSCRIBER}', 'pgoutput')")
    with model.connect(dbname=SUBSCRIBER) as connection:
        connection.execute(f"CREATE SUBSCRIPTION lake CONNECTION 'dbname={here} host={os.environ['PGHOST']}"
                           f" port={os.environ.get('PGPORT', 5432)}' PUBLICATION lake WITH (create_slot = false, slot_name = {SUBSCRIBER})")
        while connection.execute("SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r'").rowcount:
            time.sleep(0.1)


def make():
    for file in "examples/migration/engine.sql", "test/models/migration/move.sql":
        model.load(file)
    call("CALL migration.make()")
    call("CREATE TRIGGER count_changes BEFORE UPDATE OF balance ON v2.accounts FOR EACH ROW"
         " WHEN (current_setting('migration.writing', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION count_changes()")
    at_subscriber("before follow()")
    call("CALL migration.subscriber_is_ready('lake')")


given = model.arguments(100_000)
BASE = {"readings": given.rows, "accounts": max(given.rows // 20, 20 * given.sessions), "documents": given.rows * 3 // 5}
model.make_database("test/models/migration/tables.sql")
with model.timed("old rows", given.rows):
    model.load("test/models/migration/rows.sql", **BASE)
    call("CREATE SCHEMA said")
    for table, (size, columns, _) in TABLES.items():
        call(f"CREATE TABLE said.{table} AS TABLE {table}; CREATE INDEX ON said.{table} ({', '.join(columns[:size])})")
    call("ANALYZE")
with model.timed("subscriber", given.rows):
    make_subscriber()

for number in range(given.sessions):
    clients.start(OldClient(number))
time.sleep(1)
step("make", make)
check("make")
step("follow", lambda: call("CALL migration.follow()"))
check("follow")
for table in TABLES:
    step(f"{table} come", lambda: call(f"CALL migration.backfill('{table}')"))
model.same("rows that are set aside", [], model.rows("TABLE migration.set_aside"))
for name, come, rate in model.rows("SELECT name, rows_come, rows_a_second FROM migration.progress"):
    print(f"{name}: {come} rows, {rate} a second")
check("backfill", new=True, subscriber=("{}", "v2.{}"))
step("constrain", lambda: call("CALL migration.constrain()"))
check("constrain", new=True, subscriber=("{}", "v2.{}"))

step("swap", lambda: call("CALL migration.swap()"))
catch_up()
at_subscriber("after the swap")
for number in range(given.sessions):
    clients.start(NewClient(number + given.sessions))
time.sleep(3)
check("swap", new=True, subscriber=("{}", "v2.{}"))
for client in clients.all[given.sessions:]:
    client.stop()
step("swap back", lambda: call("CALL migration.swap_back()"))
time.sleep(2)
check("swap back", new=True, subscriber=("{}", "v2.{}"))
step("swap again", lambda: call("CALL migration.swap()"))
time.sleep(1)
check("swap again", new=True, subscriber=("{}", "v2.{}"))

# No old client is left.
for client in clients.all:
    client.stop()
for command in ("CREATE OR REPLACE VIEW balances AS SELECT t.code, sum(a.balance) AS balance FROM v2.accounts AS a JOIN v2.teams AS t ON t.id = a.team GROUP BY t.code",
                "DROP MATERIALIZED VIEW totals"):
    call(command)
step("finish", lambda: call("CALL migration.finish()"))
check("finish", old=False, new=True, subscriber=("v2.{}",))
clients.check()
with model.connect(dbname=SUBSCRIBER) as connection:
    connection.execute("DROP SUBSCRIPTION lake")
model.finish()
