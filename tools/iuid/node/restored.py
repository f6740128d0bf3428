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

from move import comparing, state, switching
from move.country import columns, exists, in_order, moved, read_tables, tree
from registry.nodes import NAME, TABLES, slot_of, subscription_of
from registry.publishing import subscribing, way_of_subscriber
from services import services
from sessions import SUBSCRIBES, Session, Silent, Stop, dropping, in_query, machines, name, quote, say, words

WAIT = 60  # seconds for the registry to arrive
IN_USE = 20  # seconds for a slot to be free
SUFFIX = "_restored"

SUBSCRIPTION = """
SELECT s.subname AS name, s.subconninfo AS way, s.subenabled AND (SELECT count(*) FROM pg_subscription_rel AS r WHERE r.srsubid = s.oid AND r.srsubstate = 'r') >= 4 AS follows
FROM pg_subscription AS s JOIN pg_database AS d ON d.oid = s.subdbid
WHERE d.datname = current_database() AND (s.subname = %s::name OR EXISTS (SELECT FROM pg_subscription_rel AS r
	WHERE r.srsubid = s.oid AND r.srrelid = '@iuid@.iuid_routes'::regclass))"""

# How this node reaches another one.
SERVER = """
SELECT o.option_name AS name, o.option_value AS value FROM pg_foreign_server AS s, pg_options_to_table(s.srvoptions) AS o
WHERE s.srvname = %s::name"""

# What a move leaves here.
MOVES = """
SELECT FROM pg_subscription WHERE subname = %s::name AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())"""
SLOT = "SELECT FROM pg_replication_slots WHERE slot_name = %s::name AND database = current_database()"

# The roles that have tables divided by country.
OWNERS = """
SELECT DISTINCT pg_get_userbyid(c.relowner) AS owner FROM pg_partitioned_table AS t JOIN pg_class AS c ON c.oid = t.partrelid
	JOIN pg_opclass AS o ON o.oid = t.partclass[0] AND o.opcname IN ('iuid_origin_ops', 'uuid_origin_ops')
	JOIN pg_extension AS e ON e.extnamespace = o.opcnamespace AND e.extname = 'iuid_regions'"""

# The tables of the session's role that are divided by country, each with its global table and entity: by the views
# of its countries, and by the foreign tables of the others.
DIVIDED = """
SELECT n.nspname AS schema, p.relname AS local, gn.nspname AS global_schema, g.relname AS globally, e.entity::int4
FROM pg_partitioned_table AS t
	JOIN pg_opclass AS o ON o.oid = t.partclass[0] AND o.opcname IN ('iuid_origin_ops', 'uuid_origin_ops')
		AND o.opcnamespace = (SELECT extnamespace FROM pg_extension WHERE extname = 'iuid_regions')
	JOIN pg_class AS p ON p.oid = t.partrelid AND pg_get_userbyid(p.relowner) = current_user
	JOIN pg_namespace AS n ON n.oid = p.relnamespace
	LEFT JOIN pg_inherits AS gi ON gi.inhrelid = p.oid
	LEFT JOIN pg_class AS g ON g.oid = gi.inhparent
	LEFT JOIN pg_namespace AS gn ON gn.oid = g.relnamespace
	CROSS JOIN LATERAL (
		SELECT substring(v.relname FROM '_c[0-9]+_e([0-9]{1,5})$')
		FROM pg_inherits AS i JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = i.inhrelid
				AND d.classid = 'pg_rewrite'::regclass
			JOIN pg_rewrite AS r ON r.oid = d.objid JOIN pg_class AS v ON v.oid = r.ev_class AND v.relowner = p.relowner
		WHERE i.inhparent = p.oid AND v.relkind = 'v'
		UNION SELECT substring(f.option_value FROM '_c[0-9]+_e([0-9]{1,5})$')
		FROM pg_inherits AS i JOIN pg_foreign_table AS c ON c.ftrelid = i.inhrelid, pg_options_to_table(c.ftoptions) AS f
		WHERE i.inhparent = g.oid AND f.option_name = 'table_name') AS e (entity)
WHERE e.entity IS NOT NULL ORDER BY 1, 2, 5"""

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


# A table of the session's role, and nothing of somebody else under its name, who could have named it in a comment.
MINE = """SELECT EXISTS (SELECT FROM pg_class WHERE oid = to_regclass(%s) AND relkind IN ('r', 'p')
	AND pg_get_userbyid(relowner) = current_user)"""


@dataclasses.dataclass
class Kept:
    country: int
    entity: int
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
        self.sessions, self.left, self.failed = {}, [], []  # what is left for the operator, and what went wrong
        self.lost = set()  # the countries that are nowhere now
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
        found = [node for node, session in self.others.items() if not session.value(SUBSCRIBES)]
        if len(found) != 1:
            raise Silent("the registry is published by " + (" and ".join(found) or "none of the nodes that answer")
                         + f": let one node, and not {self.node}, publish it first, by iuid registry publisher")
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
        parts = ", ".join(f"(SELECT array_agg(x::text ORDER BY x::text COLLATE \"C\") FROM @iuid@.{table} AS x) AS {table}" for table in TABLES)
        return tuple(session.read(f"SELECT {parts}")[0])

    def is_current(self):
        return self.registry(self.machine) == self.registry(self.others[self.publisher])

    def get_registry(self):
        rows = self.machine.read(SUBSCRIPTION, subscription_of(self.node))
        if len(rows) != 1:
            raise Stop(f"{self.node} has {len(rows)} subscriptions of the registry: "
                       "run examples/regions/subscribe.sql there, and start this command again")
        subscription, = rows
        server = self.others[self.publisher].value("SELECT server FROM @iuid@.iuid_nodes WHERE node = %s::text", self.publisher)
        if subscription.follows and self.leads_to(server, subscription.way) and self.is_current():
            return
        self.subscribe(subscription, server)
        self.machine.wait(self.is_current, time.monotonic() + WAIT, f"the registry of {self.publisher} arrives")

    def leads_to(self, server, way):
        """Whether the subscription leads to the node that publishes now."""
        options = {row.name: row.value for row in self.machine.read(SERVER, server)}
        return all(conninfo_to_dict(way).get(key) == options.get(key) for key in ("host", "hostaddr", "port"))

    def subscribe(self, subscription, server):
        """If this is killed between two steps, all are done anew, as the subscription is disabled."""
        slot = slot_of(self.node)
        self.machine.do(f"ALTER SUBSCRIPTION {name(subscription.name)} DISABLE;")
        coming = self.session(self.publisher, way_of_subscriber(self.machine, server, self.publisher), NAME)
        coming.wait_until("SELECT NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = %s::name AND active)",
                          time.monotonic() + IN_USE, f"another server has the subscription of {self.node}, and reads the slot {slot}", slot)
        coming.do(f"SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = {quote(slot)};\n"
                  f"SELECT pg_create_logical_replication_slot({quote(slot)}, 'pgoutput');", seconds=WAIT)
        self.machine.transaction(*dropping(subscription.name), "TRUNCATE " + ", ".join(f"@iuid@.{table}" for table in TABLES),
                                 subscribing(self.node, server, copy=True))

    # --- the countries ---

    def set_right(self):
        """All countries that are not where the registry says."""
        mine = self.others[self.publisher].value("SELECT current_user::text")
        for (owner,) in self.machine.read(OWNERS):
            session = self.session(self.node, make_conninfo(self.way, user=owner), f"owner {owner}")
            try:
                for country, in session.read("SELECT country FROM @iuid@.iuid_countries ORDER BY country"):
                    self.of_country(session, country)
                self.show(session, owner == mine)
                if not self.given.dry_run:
                    self.report(session)
            except (Stop, psycopg.Error) as error:
                # Everybody can have such tables, and do with them what he wants.
                if owner == mine:
                    raise
                self.failed.append(f"the tables of {owner}: {words(error)}")
        self.nowhere()

    def of_country(self, session, country):
        move, kept = self.move_of(session, country)
        if move and self.goes_on(move, kept, country):
            if kept.same:
                # A copy of the disk has all that says so otherwise, and would be taken for the node that it was.
                session.do(f"UPDATE {move.at('move')} SET timeline = 'restored';")
            self.left.append(f"country {country} moves from {move.old} to {move.new}: iuid move status {country} says how far it is")
            return
        if move:
            self.end_replication(move)
            if kept.phase == state.ATTACHED:
                self.set_aside(session, country, [table for table in read_tables(session, country) if table.part in
                                                  {each.part for each in move.tables}], move)
            else:
                self.forget(session, move, kept)
        gone = [table for table in read_tables(session, country) if self.home(session, country, table) not in (self.node, None)]
        if gone:
            self.set_aside(session, country, gone)

    @staticmethod
    def move_of(session, country):
        """The move that the role of a session keeps.  A second owner has another one, or none."""
        if session.value("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = %s::name AND pg_get_userbyid(nspowner) <> current_user)",
                         f"moving_c{country}"):
            return None, None
        return state.find(session, country)

    def end_replication(self, move):
        """What a move that is over would go on to bring here, or to keep the log for."""
        if self.machine.read(MOVES, move.name):
            self.machine.transaction(*dropping(move.name))
        if self.machine.read(SLOT, move.name):
            self.machine.do(f"SELECT pg_drop_replication_slot({quote(move.name)});")

    @staticmethod
    def home(session, country, table):
        return session.value("SELECT @iuid@.iuid_node(%s::int4, %s::int4)", country, table.entity)

    def goes_on(self, move, kept, country):
        """Whether the other node of a move keeps it, too, and does not take the writes of rows that this one has."""
        other = move.old if move.new == self.node else move.new
        if other not in self.others:
            return True  # nobody knows
        try:
            there, far = state.find(self.others[other], country)
        except Stop as error:
            say(other, f"-- {error}")
            return True
        if there is None or there.token != move.token:
            return False
        return not (far.phase == kept.phase == state.SERVING and other == move.new)

    def set_aside(self, session, country, tables, move=None):
        """The partitions of a country that has moved away, whose rows may be wanted."""
        there = self.home(session, country, tables[0])
        tables = in_order(session, tables)
        leaving = state.Move(country, self.node, there, [None], tables, move.token if move else uuid.uuid4())
        locks, statements = switching.leaving(session, leaving, tables, {})
        statements += [f"DROP VIEW IF EXISTS {table.view}" for table in tables if table.view_name]
        if move:
            statements += [each for table in move.tables for each in state.no_triggers(move, table.part, *state.REFUSING, *state.NOTING)]
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
            try:
                table = Kept(**json.loads(row.about.removeprefix(KEEPS)))
            except (ValueError, TypeError):
                continue  # not what this command wrote
            relation = name(row.schema, row.relation)
            node = session.value("SELECT @iuid@.iuid_node(%s::int4, %s::int4)", table.country, table.entity)
            self.left.append(f"{relation} {self.compared(session, relation, table, node)}")

    def compared(self, session, relation, table, node):
        count = f"{session.value(in_query(f'SELECT count(*) FROM {relation}'), seconds=600):,}"
        if node not in self.others:
            return f"keeps {count} rows, to be compared with those of {node or 'a node that has them'}"
        try:
            if not self.others[node].value(MINE, table.part):
                return f"keeps {count} rows, and {node} has no {table.part} of this role"
            names = columns(session, relation)
            here, there = (comparing.Rows(at, of, table, names) for at, of in ((session, relation), (self.others[node], table.part)))
            keys = list(comparing.all_keys(here, there))
            missing = {key for key, _ in here.of_keys(keys) - there.of_keys(keys)}
        except psycopg.Error as error:
            return f"keeps {count} rows, to be compared with those of {node}, where this failed: {words(error)}"
        if not missing:
            return f"keeps {count} rows, and {node} has them all: drop it"
        return (f"keeps {count} rows. {node} has not, or has otherwise, {len(missing):,} of them: {comparing.three(missing)}."
                f" What came here after the restore is among them: insert it at {node}. Then drop the table")

    def show(self, session, mine):
        """A country without rows is nowhere, and the global tables look for all others where they are.

        MINE: the tables of the role that changes the routes.  Those of others decide about no route.
        """
        tables = session.read(DIVIDED)
        there = {(table.schema, table.local, country) for country, in session.read("SELECT country FROM @iuid@.iuid_countries")
                 for table in read_tables(session, country)}
        if mine:
            self.lose(session, tables, there)
        for table in tables:
            local = name(table.schema, table.local)
            for country, in session.read("SELECT country FROM @iuid@.iuid_countries WHERE @iuid@.iuid_node(country, %s::int4) = %s::text"
                                         " ORDER BY 1", table.entity, self.node):
                if (table.schema, table.local, country) not in there and country not in self.lost:
                    self.left.append(f"country {country} has no partition in {local}: its rows there are lost. To begin anew,"
                                     f" call iuid_create_routed_partitions")
            if table.globally:
                session.do(f"SELECT @iuid@.iuid_create_global_table({quote(name(table.global_schema, table.globally))}::text,"
                           f" {quote(local)}::regclass, {table.entity});", seconds=600)

    def lose(self, session, tables, there):
        """A route leads to nowhere if this node has no rows of any table to which it leads."""
        routes = session.read("SELECT country, entity, node FROM @iuid@.iuid_routes WHERE country IS NOT NULL ORDER BY 1, 2")
        own = {(route.country, route.entity) for route in routes}
        for route in routes:
            of = [table for table in tables if table.entity == route.entity
                  or route.entity is None and (route.country, table.entity) not in own]
            if route.node == self.node and of and not any((table.schema, table.local, route.country) in there for table in of):
                self.lost.add(route.country)
                self.others[self.publisher].do(
                    f"UPDATE @iuid@.iuid_routes SET node = NULL WHERE country = {route.country} AND node = {quote(self.node)}"
                    f" AND entity IS NOT DISTINCT FROM {'NULL' if route.entity is None else route.entity};")
        if self.lost:
            self.machine.wait(self.is_current, time.monotonic() + WAIT, "the routes arrive")

    def nowhere(self):
        for country, in self.machine.read("SELECT DISTINCT country FROM @iuid@.iuid_routes WHERE node IS NULL AND country IS NOT NULL ORDER BY 1"):
            self.left.append(f"country {country} is nowhere. {self.rows_elsewhere(country)}")

    def rows_elsewhere(self, country):
        for node, session in self.others.items():
            move, kept = self.move_of(session, country)
            if move and move.new == self.node and kept.phase == state.GIVEN_UP:
                return (f"{node} keeps its rows as they were at {kept.since}: when {self.node} is up again,"
                        f" iuid move abort {country} {node} {self.node} gives it back")
        return (f"No node keeps its rows. To begin anew, UPDATE iuid_routes SET node = {quote(self.node)} WHERE country = {country}"
                f" at {self.publisher}, and call iuid_create_routed_partitions and iuid_create_global_table here")

    # --- and opens ---

    def open(self):
        if not self.given.restart:
            self.left.append(f"{self.node} is still closed: restart its server as it is started otherwise")
            return
        self.close_sessions()
        say(self.node, f"-- {self.given.restart}")
        if not self.given.dry_run:
            try:
                subprocess.run(shlex.split(self.given.restart), check=True, stdout=subprocess.DEVNULL)
            except (OSError, subprocess.CalledProcessError) as error:
                self.left.append(f"what restarts the server has failed: {error}")

    def close_sessions(self):
        for (node, _), session in self.sessions.items():
            if node == self.node:
                session.close()


def renamed(session, country, tables, at):
    """The statements by which partitions, and those below them, get the names under which they are kept."""
    for table in tables:
        about = json.dumps({"country": country, "entity": table.entity, "key": table.key, "schema": table.part_schema, "partition": table.part_name})
        yield f"COMMENT ON TABLE {at(table)} IS {quote(KEEPS + about)}"
        yield from (f"ALTER TABLE {name(part.schema, part.name)} RENAME TO {name(new_name(table, part))}"
                    for part in reversed(tree(session, table, at(table))))


def new_name(table, part):
    return moved(table.part_name if part.level == 0 else part.name, SUFFIX)


def run(given):
    node = Restored(given)
    node.is_closed()
    node.get_registry()
    node.set_right()
    if node.failed:
        raise Stop(". ".join([*node.left, *node.failed]) + f". {node.node} is still closed: let the owners put this right, and start this"
                   " command again; or open it as it is")
    node.open()
    print(f"{node.node} has the registry of {node.publisher}"
          + (", and its countries are as that says." if not node.left else ".  What is left:"))
    for line in node.left:
        print(f"   {line}")
