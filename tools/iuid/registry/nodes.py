"""The nodes, and what each says of its part in the registry.

All of them are read as the owner, by the services of libpq.  What needs a superuser is done at the nodes
to whose machines connections are given, and said of the others.
"""

import hashlib
import re
import time

import psycopg
from psycopg.conninfo import make_conninfo

from services import services
from sessions import PATH, Session, Silent, Stop, in_schema, machines, say, words

TABLES = ["iuid_countries", "iuid_entities", "iuid_nodes", "iuid_routes"]
WRITES = ["INSERT", "UPDATE", "DELETE", "TRUNCATE"]
NAME = "registry"  # of the publication, and of the role whose user mappings say as whom a node subscribes

# "writers" may change the registry, and are not its owner.  "writing" are transactions that have.  A
# subscription is the registry's if it brings one of its tables, or has the name of such a subscription.
FACTS = """
WITH tables AS (SELECT unnest(ARRAY[{tables}]) AS relation),
here AS (SELECT oid FROM pg_database WHERE datname = current_database()),
rights AS (
	SELECT c.relname, c.relowner, false AS of_column, a.*
	FROM tables JOIN pg_class AS c ON c.oid = relation, aclexplode(c.relacl) AS a
	UNION ALL SELECT c.relname, c.relowner, true, a.* FROM tables JOIN pg_class AS c ON c.oid = relation
		JOIN pg_attribute AS t ON t.attrelid = relation, aclexplode(t.attacl) AS a),
to_write AS (SELECT * FROM rights WHERE grantee <> relowner AND privilege_type = ANY ('{{{writes}}}')),
subscriptions AS (
	SELECT s.subname AS name, s.subslotname AS slot, s.subenabled AS enabled, count(t.relation) AS tables,
		count(r.srrelid) - count(t.relation) AS others, coalesce(bool_and(r.srsubstate = 'r'), false) AS ready
	FROM pg_subscription AS s LEFT JOIN pg_subscription_rel AS r ON r.srsubid = s.oid LEFT JOIN tables AS t ON t.relation = r.srrelid
	WHERE s.subdbid = (SELECT oid FROM here) GROUP BY s.oid, s.subname, s.subslotname, s.subenabled)
SELECT jsonb_build_object(
	'role', current_user, 'superuser', (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
	'logical', current_setting('wal_level') = 'logical', 'standby', pg_is_in_recovery(),
	'free slots', current_setting('max_replication_slots')::int - (SELECT count(*) FROM pg_replication_slots),
	'can come', EXISTS (SELECT FROM pg_roles WHERE rolname = '{name}' AND rolreplication),
	'servers', (SELECT coalesce(jsonb_object_agg(node, server), '{{}}') FROM @iuid@.iuid_nodes),
	'rows', (SELECT count(*) FROM @iuid@.iuid_countries) + (SELECT count(*) FROM @iuid@.iuid_entities)
		+ (SELECT count(*) FROM @iuid@.iuid_nodes) + (SELECT count(*) FROM @iuid@.iuid_routes),
	'writers', (
		SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_array(relname, privilege_type,
			CASE WHEN grantee <> 0 THEN pg_get_userbyid(grantee) END)), '[]')
		FROM to_write WHERE NOT of_column),
	'of columns', EXISTS (SELECT FROM to_write WHERE of_column),
	'writing', ARRAY(SELECT DISTINCT coalesce('process ' || l.pid, 'a prepared transaction')
		FROM pg_locks AS l JOIN tables AS t ON t.relation = l.relation::regclass
		WHERE l.database = (SELECT oid FROM here) AND l.mode = 'RowExclusiveLock'),
	'publication', (
		SELECT jsonb_build_object('note', obj_description(p.oid, 'pg_publication'),
			'whole', p.pubinsert AND p.pubupdate AND p.pubdelete AND p.pubtruncate AND NOT p.puballtables
				AND NOT EXISTS (SELECT FROM pg_publication_namespace AS n WHERE n.pnpubid = p.oid)
				AND NOT EXISTS (SELECT FROM pg_publication_rel AS r WHERE r.prpubid = p.oid
					AND (r.prqual IS NOT NULL OR r.prattrs IS NOT NULL))
				AND ARRAY(SELECT r.prrelid FROM pg_publication_rel AS r WHERE r.prpubid = p.oid ORDER BY 1)
					= ARRAY(SELECT relation::oid FROM tables ORDER BY 1))
		FROM pg_publication AS p WHERE p.pubname = '{name}'),
	'subscriptions', (SELECT coalesce(jsonb_agg(to_jsonb(x) ORDER BY name), '[]') FROM subscriptions AS x
		WHERE tables > 0 OR name = %s::text),
	'slots', (
		SELECT coalesce(jsonb_object_agg(slot_name, jsonb_build_object('active', active,
			'here', coalesce(database = current_database() AND plugin = 'pgoutput' AND NOT temporary, false))), '{{}}')
		FROM pg_replication_slots))
""".format(name=NAME, writes=",".join(WRITES), tables=", ".join(f"'@iuid@.{table}'::regclass" for table in TABLES))

# Another database can have a subscription of this name.
RECEIVED = """
SELECT max(r.received_lsn)::text FROM pg_stat_subscription AS r JOIN pg_subscription AS s ON s.oid = r.subid
WHERE s.subname = %s::text AND s.subdbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND r.relid IS NULL"""

# What the node has sent lies between two places in its log.  A subscriber of another node was sent other places, most
# likely, and reads its slot there.
# After a restore with its slots a node is behind what its subscribers have seen, and would not send what comes next.
SENT = """
SELECT active AND wal_status <> 'lost' AND confirmed_flush_lsn <= pg_current_wal_lsn()
	AND %s::pg_lsn BETWEEN %s::pg_lsn AND pg_current_wal_lsn()
FROM pg_replication_slots WHERE slot_name = %s::text AND database = current_database()"""


def slot_of(node):
    """The name of a node's slot, which has other letters than a name may have."""
    fits = re.fullmatch("[a-z0-9_]{1,54}", node)
    return "registry_" + (node if fits else hashlib.sha256(node.encode()).hexdigest()[:32])


def subscription_of(node):
    return "registry_" + node if len(node.encode()) < 55 else slot_of(node)


class Nodes:
    """The sessions of the command, by kind and node, and the nodes that do not answer, with the reason."""

    def __init__(self, ways=(), dry=False):
        self.dry, self.sessions, self.silent, self.names, self.locked = dry, {}, {}, [], []
        self.left = []  # where something is not done, as no --machine leads there
        try:
            self.machines = machines(ways)
        except psycopg.OperationalError as error:
            raise Silent(f"a --machine does not answer: {words(error)}") from error

    def session(self, kind, node, way, locks=False):
        key = (kind, node)
        if key not in self.sessions:
            def check():
                # One that ended, perhaps while this process was frozen, may have let another command in.
                if locks and key in self.locked:
                    raise Stop(f"the session at {node} has ended, and with it the lock: start the command again")
                self.locked.append(key)
            self.sessions[key] = Session(node, way, "registry", kind, self.dry, locks, takes_over=None, check=check)
        return self.sessions[key]

    def owner(self, node):
        return self.session("owner", node, make_conninfo(service=node))

    def machine(self, node):
        return self.session("superuser", node, self.machines[node], locks=True)

    def find(self, first=None, but=()):
        """All nodes that a node knows, and those that these know: of FIRST, or of any service, BUT some, that leads to one."""
        failed = []
        for service in [first] if first is not None else services():
            if service in but:
                continue
            try:
                self.read_names(service)
            except Silent as error:
                failed.append(str(error))
            except Stop as error:
                if first is not None:
                    raise
                failed.append(str(error))
            if self.names or first is not None and not failed:
                break
        else:
            raise Silent(". ".join(failed) or "no service of libpq leads to a node with a registry")
        for node in self.names:  # which grow meanwhile
            if ("owner", node) not in self.sessions and node not in but:
                try:
                    self.read_names(node)
                except Silent as error:
                    self.silent[node] = str(error)
        self.names.sort()

    def read_names(self, node):
        found = [row.node for row in self.owner(node).read("SELECT node FROM @iuid@.iuid_nodes")]
        self.names += [each for each in found if each not in self.names]

    def lock(self):
        """One command at a time, by the nodes in one order."""
        if not self.dry:
            for node in self.answering():
                self.session("lock", node, make_conninfo(service=node), locks=True).read("SELECT 1")

    def close(self):
        for session in self.sessions.values():
            session.close()

    def answering(self):
        return [node for node in self.names if node not in self.silent]

    def facts(self, node):
        return self.owner(node).value(FACTS, subscription_of(node))

    def publishers(self):
        """The nodes that publish the registry, and have it from no other one."""
        facts = {node: self.facts(node) for node in self.answering()}
        return [node for node, said in facts.items() if publishes(said)]

    def publisher(self, but=None):
        """The only one; BUT is none of them, as it comes or goes."""
        found = [node for node in self.publishers() if node != but]
        if len(found) != 1:
            none, one = ("no node", "node") if but is None else ("none of the other nodes", "of them")
            raise Stop(f"the registry is published by {' and '.join(found) or none}: let one {one} publish it first, by iuid registry publisher")
        return found[0]

    def require_all(self, what):
        if self.silent:
            raise Silent(f"{what} when all nodes answer. " + ". ".join(self.silent.values()))

    def differences(self, node, other):
        """How the registry of a node differs from that of another one, by what that node finds."""
        try:
            return self.owner(node).read("SELECT relation::text, here::text, there::text, remedy"
                                         " FROM @iuid@.iuid_compare_registry(%s::text)", other)
        except psycopg.Error as error:
            kind = Silent if (error.sqlstate or "08").startswith("08") and error.sqlstate != "08P01" else Stop
            raise kind(f"{node} cannot compare its registry with that of {other}: {words(error)}") from error

    def change(self, node, *statements):
        """Runs statements in one transaction as a superuser; false if no connection leads to that machine."""
        if node not in self.machines:
            for statement in f"SET search_path = {PATH}", *statements:
                say(node, in_schema(statement, self.owner(node).schema) + ";")
            if not self.dry:
                self.left.append(node)
            return self.dry
        self.require_locks()
        self.machine(node).transaction(*statements)
        return True

    def stop_if_left(self, more=""):
        if self.left:
            raise Stop(f"not done at {', '.join(dict.fromkeys(self.left))}, to which no --machine leads: start this command on the"
                       f" machine of each{more}")

    def require_locks(self):
        """This process may have been frozen while another command went on."""
        for kind, node in self.sessions:
            if kind == "lock":
                self.sessions[kind, node].read("SELECT 1")


def publishes(facts):
    return bool(facts["publication"] and facts["publication"]["whole"] and not of_registry(facts))


def of_registry(facts):
    """The subscriptions that bring it."""
    return [each for each in facts["subscriptions"] if each["tables"]]


def follows(nodes, node, publisher, deadline):
    """Whether a node gets what comes next from a publisher."""
    said, there = nodes.facts(node), nodes.owner(publisher)
    found = of_registry(said)
    if len(found) != 1 or found[0]["tables"] != len(TABLES) or not found[0]["enabled"] or not found[0]["ready"]:
        return False
    if not nodes.facts(publisher)["slots"].get(found[0]["slot"], {}).get("here"):
        return False
    pause = 0.05  # the shorter, the less can another publisher be at the same place
    while True:
        place = there.value("SELECT pg_current_wal_lsn()::text")
        time.sleep(pause)
        received = nodes.owner(node).value(RECEIVED, found[0]["name"])
        if received and any(row[0] for row in there.read(SENT, received, place, found[0]["slot"])) and not any(
                nodes.facts(other)["slots"].get(found[0]["slot"], {}).get("active")
                for other in nodes.answering() if other not in (node, publisher)):
            return True
        if time.monotonic() > deadline:
            return False
        pause = min(2 * pause, 1)
