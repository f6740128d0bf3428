"""A node that was restored from a backup, before its clients and the other nodes reach it again.

It has the registry of the backup, and its subscription brings only what is new.  So it gets the registry
as it is.  Then it gives up the countries that have moved away since the backup, and keeps their rows under
other names: some of them may have come after the restore.  A country that has moved to it since has no
rows here: until somebody brings them back it is nowhere, and not empty.

Each step looks whether it is done, so the command can be started again.
"""

import dataclasses
import json
import shlex
import subprocess
import time
import uuid

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import quote

from move import comparing, state, switching
from move.country import columns, exists, in_order, moved, read_tables, tree
from sessions import Session, Silent, Stop, in_query, machines, name, say, services

REGISTRY = "iuid_countries", "iuid_entities", "iuid_nodes", "iuid_routes"
WAIT = 60  # seconds for the registry to arrive
SUFFIX = "_restored"

PUBLISHES = "SELECT NOT EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid = '@iuid@.iuid_routes'::regclass)"

SUBSCRIPTION = """
SELECT s.subname AS name, s.subconninfo AS way, s.subpublications AS publications, s.subslotname AS slot,
	s.subenabled AND (SELECT count(*) FROM pg_subscription_rel AS r WHERE r.srsubid = s.oid AND r.srsubstate = 'r') >= 4 AS follows
FROM pg_subscription AS s JOIN pg_database AS d ON d.oid = s.subdbid
WHERE d.datname = current_database() AND (s.subname = %s::name OR EXISTS (SELECT FROM pg_subscription_rel AS r
	WHERE r.srsubid = s.oid AND r.srrelid = '@iuid@.iuid_routes'::regclass))"""

# How this node reaches another one.
SERVER = """
SELECT o.option_name AS name, o.option_value AS value FROM pg_foreign_server AS s, pg_options_to_table(s.srvoptions) AS o
WHERE s.srvname = %s::name AND o.option_name IN ('host', 'port', 'hostaddr', 'sslrootcert', 'target_session_attrs')"""

# The roles that have tables divided by country.
OWNERS = """
SELECT DISTINCT pg_get_userbyid(c.relowner) AS owner FROM pg_partitioned_table AS t JOIN pg_class AS c ON c.oid = t.partrelid
	JOIN pg_opclass AS o ON o.oid = t.partclass[0] AND o.opcname = 'iuid_origin_ops'
	JOIN pg_extension AS e ON e.extnamespace = o.opcnamespace AND e.extname = 'iuid_regions'"""

CLIENTS = """
SELECT format('process %%s (%%s)', pid, coalesce(nullif(application_name, ''), usename)) AS who FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND NOT starts_with(application_name, %s::text)"""


# The tables that keep rows, by their comments, which name what they were.
KEEPS = "rows as they were restored: "
KEPT = """
SELECT n.nspname AS schema, c.relname AS relation, obj_description(c.oid, 'pg_class') AS about
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE NOT c.relispartition AND pg_get_userbyid(c.relowner) = current_user
	AND starts_with(obj_description(c.oid, 'pg_class'), %s::text) ORDER BY 1, 2"""


@dataclasses.dataclass
class Kept:
    country: int
    key: str
    schema: str
    partition: str

    @property
    def part(self):
        return name(self.schema, self.partition)


class Restored:
    def __init__(self, given):
        self.given, self.node = given, given.node
        ways = machines(given.machine)
        if list(ways) != [self.node]:
            raise Stop(f"--machine leads to {', '.join(ways) or 'no node'}, and not to {self.node}")
        self.way = ways[self.node]
        self.sessions, self.left = {}, []  # what is left for the operator
        self.machine = self.session(self.node, self.way, "machine")
        self.others = self.read_others()
        self.publisher = self.find_publisher()

    def session(self, node, way, kind):
        if (node, kind) not in self.sessions:
            self.sessions[node, kind] = Session(node, way, f"node_{self.node}", kind, self.given.dry_run,
                                                takes_over=self.given.take_over)
        return self.sessions[node, kind]

    def read_others(self):
        """The sessions at the other nodes, as far as they answer."""
        found, names = {}, set()
        for service in services():
            if service == self.node or names and service not in names:
                continue
            session = self.session(service, make_conninfo(service=service), "owner")
            try:
                names = names or {row[0] for row in session.read("SELECT node FROM @iuid@.iuid_nodes")}
                session.read("SELECT 1")
                found[service] = session
            except Stop as error:
                say(service, f"-- {error}")
        return {node: session for node, session in found.items() if node in names}

    def find_publisher(self):
        found = [node for node, session in self.others.items() if session.value(PUBLISHES)]
        if len(found) != 1:
            raise Silent("the registry is published by " + (" and ".join(found) or "none of the nodes that answer")
                         + ": let one node publish it first, by iuid registry publisher")
        return found[0]

    # --- nobody comes in ---

    def is_closed(self):
        if self.machine.value("SHOW listen_addresses") != "":
            raise Stop(f"{self.node} can be reached, so rows of countries that have moved away can come in. Start its server"
                       " without listen_addresses, on a socket of its own: " + self.closed())
        clients = self.machine.read(CLIENTS, f"node_{self.node} ")
        if clients:
            raise Stop(f"clients have reached {self.node}: {', '.join(row.who for row in clients)}. Start its server on a socket"
                       " of its own: " + self.closed())

    def closed(self):
        data = self.machine.value("SHOW data_directory")
        return (f"""pg_ctl -D {shlex.quote(data)} -o "-c listen_addresses='' -c unix_socket_directories=/a/private/folder" start""")

    # --- the registry ---

    def registry(self, session):
        parts = ", ".join(f"(SELECT array_agg(x::text ORDER BY x::text COLLATE \"C\") FROM @iuid@.{table} AS x) AS {table}" for table in REGISTRY)
        return tuple(session.read(f"SELECT {parts}")[0])

    def is_current(self):
        return self.registry(self.machine) == self.registry(self.others[self.publisher])

    def get_registry(self):
        rows = self.machine.read(SUBSCRIPTION, f"registry_{self.node}")
        if len(rows) != 1:
            raise Stop(f"{self.node} has {len(rows)} subscriptions of the registry: "
                       "run examples/regions/subscribe.sql there, and start this command again")
        subscription, = rows
        way = self.way_to_publisher(subscription.way)
        if subscription.follows and same_server(subscription.way, way) and self.is_current():
            return
        self.subscribe(subscription, way)
        if not self.given.dry_run:
            deadline = time.monotonic() + WAIT
            self.machine.wait(self.is_current, deadline, f"the registry of {self.publisher} arrives")

    def way_to_publisher(self, before):
        """The connection of the old subscription, but to the node that publishes now."""
        server = self.others[self.publisher].value(
            "SELECT server FROM @iuid@.iuid_nodes WHERE node = %s::text", self.publisher)
        options = {row.name: row.value for row in self.machine.read(SERVER, server)}
        if "port" not in options or not {"host", "hostaddr"} & options.keys():
            raise Stop(f"{self.node} has no foreign server {server} with a host and a port, by which it reaches {self.publisher}")
        parts = {key: value for key, value in conninfo_to_dict(before).items()
                 if key not in ("host", "hostaddr", "port", "target_session_attrs")}
        return make_conninfo(**(parts | options))

    def subscribe(self, subscription, way):
        """A subscription without its slot is left if this is killed between the steps, and is begun anew."""
        title = name(subscription.name)
        publications = ", ".join(name(each) for each in subscription.publications)
        def statements(secret):
            return [f"ALTER SUBSCRIPTION {title} DISABLE", f"ALTER SUBSCRIPTION {title} SET (slot_name = NONE)",
                    f"DROP SUBSCRIPTION {title}", "TRUNCATE " + ", ".join(f"@iuid@.{table}" for table in REGISTRY),
                    f"CREATE SUBSCRIPTION {title} CONNECTION {secret} PUBLICATION {publications}"
                    f" WITH (connect = false, slot_name = {quote(subscription.name)})"]

        self.machine.secret_transaction(statements, quote(way))
        if not self.given.dry_run:
            self.new_slot(way, subscription.name)
        self.machine.do(f"ALTER SUBSCRIPTION {title} ENABLE;")
        self.machine.do(f"ALTER SUBSCRIPTION {title} REFRESH PUBLICATION;")

    def new_slot(self, way, slot):
        """As the role of the subscription, at the publisher."""
        with psycopg.connect(way, autocommit=True, connect_timeout=5, options="-c search_path=pg_catalog,pg_temp") as session:
            deadline = time.monotonic() + 20
            while True:
                row = session.execute("SELECT active FROM pg_replication_slots WHERE slot_name = %s::name", [slot]).fetchone()
                if row is None:
                    break
                if not row[0]:
                    session.execute("SELECT pg_drop_replication_slot(%s::name)", [slot])
                elif time.monotonic() > deadline:
                    raise Stop(f"the slot {slot} at {self.publisher} is in use: another server has the subscription of {self.node}")
                else:
                    time.sleep(0.2)
            say(self.publisher, f"SELECT pg_create_logical_replication_slot({quote(slot)}, 'pgoutput');")
            session.execute("SELECT pg_create_logical_replication_slot(%s::name, 'pgoutput')", [slot])

    # --- the countries ---

    def set_right(self):
        """All countries that are not where the registry says."""
        for (owner,) in self.machine.read(OWNERS):
            session = self.session(self.node, make_conninfo(self.way, user=owner), f"owner {owner}")
            for country, in session.read("SELECT country FROM @iuid@.iuid_countries ORDER BY country"):
                self.of_country(session, country)
            self.show(session)
            if not self.given.dry_run:
                self.report(session)

    def of_country(self, session, country):
        move, kept = state.find(session, country)
        if move and self.goes_on(move, country):
            self.left.append(f"country {country} moves from {move.old} to {move.new}: iuid move status {country} says how far it is")
            return
        gone = [table for table in read_tables(session, country) if self.home(session, country, table) not in (self.node, None)]
        if gone:
            self.set_aside(session, country, gone, move)
        elif move:
            self.forget(session, move, kept)

    @staticmethod
    def home(session, country, table):
        return session.value("SELECT @iuid@.iuid_node(%s::int4, %s::int4)", country, table.entity)

    def goes_on(self, move, country):
        """Whether the other node of a move keeps it, too."""
        other = move.old if move.new == self.node else move.new
        if other not in self.others:
            return True  # nobody knows
        there, _ = state.find(self.others[other], country)
        return there is not None and there.token == move.token

    def set_aside(self, session, country, tables, move):
        """The partitions of a country that has moved away, whose rows may be wanted."""
        there = self.home(session, country, tables[0])
        tables = in_order(session, tables)
        leaving = state.Move(country, self.node, there, [None], tables, move.token if move else uuid.uuid4())
        locks, statements = switching.leaving(session, leaving, tables, {})
        statements += [f"DROP VIEW IF EXISTS {table.view}" for table in tables if table.view_name]
        if move:
            statements += [each for table in tables for each in state.no_triggers(move, table.part, *state.REFUSING, *state.NOTING)]
        statements += renamed(session, country, tables, lambda table: table.part)
        if move:
            statements += [f"DROP PUBLICATION IF EXISTS {name(move.name)}", *state.forget(move)]
        session.do_locked(locks, statements, time.monotonic() + 60)

    def forget(self, session, move, kept):
        """A move that is over at the other node.  Here its partitions are detached already, or are those of a copy."""
        at = state.kept if kept.phase == state.GIVEN_UP else lambda table: table.part
        tables = [table for table in move.tables if exists(session, at(table))]
        statements = [f"DROP VIEW IF EXISTS {table.view}" for table in tables if kept.phase == state.GIVEN_UP]
        statements += [each for table in tables for each in state.no_triggers(move, at(table), *state.REFUSING, *state.NOTING)]
        if kept.phase != state.SERVING:
            statements += renamed(session, move.country, tables, at)
        session.transaction(*statements, f"DROP PUBLICATION IF EXISTS {name(move.name)}", *state.forget(move))

    def report(self, session):
        """What is kept under other names, and which of these rows the node of their country has not."""
        for row in session.read(KEPT, KEEPS):
            table = json.loads(row.about.removeprefix(KEEPS))
            relation, node = name(row.schema, row.relation), session.value("SELECT node FROM @iuid@.iuid_routes WHERE country = %s::int4"
                " ORDER BY entity NULLS FIRST LIMIT 1", table["country"])
            self.left.append(f"{relation} {self.compared(session, relation, Kept(**table), node)}")

    def compared(self, session, relation, table, node):
        count = f"{session.value(in_query(f'SELECT count(*) FROM {relation}'), seconds=600):,}"
        if node not in self.others:
            return f"keeps {count} rows, to be compared with those of {node or 'a node that has them'}"
        if not exists(self.others[node], table.part):
            return f"keeps {count} rows, and {node} has no {table.part}"
        names = columns(session, relation)
        here, there = (comparing.Rows(at, of, table, names) for at, of in ((session, relation), (self.others[node], table.part)))
        keys = list(comparing.all_keys(here, there))
        missing = {key for key, _ in here.of_keys(keys) - there.of_keys(keys)}
        if not missing:
            return f"keeps {count} rows, and {node} has them all: drop it"
        return (f"keeps {count} rows. {node} has not, or has otherwise, {len(missing):,} of them: {comparing.three(missing)}."
                f" What came here after the restore is among them: insert it at {node}. Then drop the table")

    def show(self, session):
        """A country without rows is nowhere, and the global tables look for all others where they are."""
        found = {}
        for country, in session.read("SELECT country FROM @iuid@.iuid_countries ORDER BY country"):
            for table in read_tables(session, country):
                if table.entity is not None:
                    found.setdefault((str(table), table.globally, table.entity), set()).add(country)
        missing = sorted({country for (_, _, entity), there in found.items() for country, in session.read(
            "SELECT country FROM @iuid@.iuid_countries WHERE @iuid@.iuid_node(country, %s::int4) = %s::text", entity, self.node)
            if country not in there})
        for country in missing:
            self.others[self.publisher].do(
                f"UPDATE @iuid@.iuid_routes SET node = NULL WHERE country = {country} AND node = {quote(self.node)};")
        if missing:
            self.machine.wait(self.is_current, time.monotonic() + WAIT, "the routes arrive")
        for local, globally, entity in found:
            if globally:
                session.do(f"SELECT @iuid@.iuid_create_global_table({quote(globally)}::text, {quote(local)}::regclass, {entity});",
                           seconds=600)
        for country, in session.read("SELECT DISTINCT country FROM @iuid@.iuid_routes WHERE node IS NULL AND country IS NOT NULL ORDER BY 1"):
            self.left.append(f"country {country} is nowhere. {self.rows_elsewhere(country)}")

    def rows_elsewhere(self, country):
        for node, session in self.others.items():
            move, kept = state.find(session, country)
            if move and move.new == self.node and kept.phase == state.GIVEN_UP:
                return (f"{node} keeps its rows as they were at {kept.since}: when {self.node} is up again,"
                        f" iuid move abort {country} {node} {self.node} gives it back")
        return (f"No node keeps its rows. To begin anew, UPDATE iuid_routes SET node = {quote(self.node)} WHERE country = {country},"
                " and call iuid_create_routed_partitions")

    # --- and opens ---

    def open(self):
        if not self.given.restart:
            self.left.append(f"{self.node} is still closed: restart its server as it is started otherwise")
            return
        self.close_sessions()
        say(self.node, f"-- {self.given.restart}")
        if not self.given.dry_run:
            subprocess.run(shlex.split(self.given.restart), check=True, stdout=subprocess.DEVNULL)

    def close_sessions(self):
        for (node, _), session in self.sessions.items():
            if node == self.node:
                session.close()


def renamed(session, country, tables, at):
    """The statements by which partitions, and those below them, get the names under which they are kept."""
    for table in tables:
        about = json.dumps({"country": country, "key": table.key, "schema": table.part_schema, "partition": table.part_name})
        yield f"COMMENT ON TABLE {at(table)} IS {quote(KEEPS + about)}"
        yield from (f"ALTER TABLE {name(part.schema, part.name)} RENAME TO {name(new_name(table, part))}"
                    for part in reversed(tree(session, table, at(table))))


def new_name(table, part):
    return moved(table.part_name if part.level == 0 else part.name, SUFFIX)


def same_server(one, other):
    parts = [conninfo_to_dict(each) for each in (one, other)]
    return all(parts[0].get(key) == parts[1].get(key) for key in ("host", "hostaddr", "port"))


def run(given):
    node = Restored(given)
    node.is_closed()
    node.get_registry()
    node.set_right()
    node.open()
    print(f"{node.node} has the registry of {node.publisher}"
          + (", and its countries are as that says." if not node.left else ".  What is left:"))
    for line in node.left:
        print(f"   {line}")
