"""What the desk asks its own node.

doc/regions.md explains the statements.  A value is a parameter, and never part of a statement.
"""

import contextlib
import time

import psycopg
from psycopg.rows import dict_row
from psycopg.types.string import TextLoader
from psycopg_pool import ConnectionPool

# The schema of iuid and of desk.sql.  A session finds names there and in pg_catalog, and nowhere else.
SCHEMA = "public"
# The table of each entity, by the key of the entity: a team writes its own tables here, as SQL does.
# The page of histories shows the first table, which has a column "customer", an int, and none called
# node, time, code or region.
TABLES = {"AyanOrder": "orders"}

# Who, besides the owner, could make functions that the other statements call, and what such a role has
# made.  In this one each argument has the type that is declared, so nobody can.
STRANGERS = """
WITH place AS (SELECT oid, nspname, nspowner, nspacl FROM pg_namespace WHERE nspname = ANY (current_schemas(false))),
made (classid, oid, schema, owner) AS (
	SELECT 'pg_proc'::regclass::oid, oid, pronamespace, proowner FROM pg_proc
	UNION ALL SELECT 'pg_operator'::regclass::oid, oid, oprnamespace, oprowner FROM pg_operator)
SELECT CASE a.grantee WHEN oid '0' THEN 'PUBLIC'::text ELSE pg_get_userbyid(a.grantee)::text END AS role,
	'can create functions'::text AS what, p.nspname AS schema
FROM place AS p, aclexplode(p.nspacl) AS a
WHERE a.privilege_type = 'CREATE'::text AND NOT pg_has_role(a.grantee, p.nspowner, 'MEMBER'::text)
UNION ALL SELECT pg_get_userbyid(m.owner)::text, 'has made '::text || pg_describe_object(m.classid, m.oid, 0), p.nspname
FROM place AS p JOIN made AS m ON m.schema = p.oid WHERE NOT pg_has_role(m.owner, p.nspowner, 'MEMBER'::text)"""

INSPECT = """
SELECT id::text, i.*, iuid_random_bits(id) AS random, iuid_is_local(id) AS here
FROM (SELECT %s::iuid) AS x (id), iuid_inspect(id) AS i"""

FLOOR = "SELECT t::text AS time, iuid_floor(t)::text AS id FROM (SELECT %s::timestamptz) AS x (t)"
LOOK_UP = "SELECT * FROM iuid_find(NULL::{}, %s)"

# A node that did not answer is a warning.
HISTORY = """
SELECT i.node, i."time", i.code, i.region, o.*
FROM iuid_select_on_nodes(NULL::{0}, format(
	'SELECT * FROM {0} WHERE customer = %%L AND id < %%L ORDER BY id DESC LIMIT %%s',
	%s::int, %s::iuid, %s::int), timeout => '2 seconds', skip_failed => true) AS o,
	iuid_inspect(o.id) AS i
ORDER BY o.id DESC"""

NODES = """
SELECT node, region, success, result, node = current_setting('iuid.node') AS here
FROM iuid_run_on_nodes('SELECT 1', timeout => '2 seconds') JOIN iuid_nodes USING (node)
ORDER BY node"""

ROUND_TRIP = "SELECT * FROM iuid_run_on_nodes('SELECT 1', ARRAY[%s::text], '1 second')"

# Of every global table and global view that the role of the desk may read.
CHECK_REGIONS = "SELECT problem, relation::text, country, node, detail, remedy FROM iuid_check_regions()"

# Of the countries that are divided by time.
CHECK_PARTITIONS = """
SELECT p.relid::regclass::text AS "table", f.problem, f.partition::text, f.detail
FROM pg_partition_tree('{}') AS p JOIN pg_class AS c ON c.oid = p.relid, iuid_check_partitions(p.relid) AS f
WHERE p.level = 1 AND c.relkind = 'p'"""

PARTITIONS = """
SELECT p.relid::regclass::text AS partition, nullif(c.reltuples, -1)::bigint AS rows, coalesce(pg_total_relation_size(p.relid), 0) AS bytes
FROM pg_partition_tree('{}') AS p JOIN pg_class AS c ON c.oid = p.relid
WHERE p.isleaf ORDER BY bytes DESC LIMIT 100"""

# The countries that iuid move is moving, by what the node knows that gives a country up.  Here, too,
# each argument has the type that is declared: whoever may create functions at that node is a stranger.
MOVES = """
SELECT coalesce(c.code, m.country::text) AS country, m."from", m."to", m.state
FROM iuid_select_on_nodes(NULL::moving_country, $$
		SELECT substring(n.nspname::text FROM '[0-9]+$'::text)::int AS country, d.parts[1] AS "from", d.parts[2] AS "to",
			CASE WHEN NOT EXISTS (SELECT FROM pg_trigger JOIN pg_inherits ON inhrelid = tgrelid WHERE tgname::text = n.nspname::text || '_note'::text)
					THEN 'the new node has it; finish is left'
				WHEN EXISTS (SELECT FROM pg_trigger AS t JOIN pg_inherits ON inhrelid = tgrelid JOIN pg_proc AS p ON p.oid = t.tgfoid
						WHERE t.tgname = n.nspname AND substring(p.prosrc FROM 'to_timestamp[(]([0-9.]+)'::text)::numeric > extract(epoch FROM clock_timestamp()))
					THEN 'nobody can write it'
				WHEN s.slot_name IS NULL THEN 'the copy begins'
				ELSE 'it is copied, '::text || pg_size_pretty(pg_current_wal_lsn() - s.confirmed_flush_lsn) || ' behind'::text
				END AS state
		FROM pg_namespace AS n
			CROSS JOIN LATERAL regexp_match(obj_description(n.oid, 'pg_namespace'::name), '^from (.*) to (.*)$'::text) AS d (parts)
			LEFT JOIN pg_replication_slots AS s ON s.slot_name = n.nspname
		WHERE n.nspname::text ~ '^moving_c[0-9]{1,3}$'::text AND d.parts[1] = current_setting('iuid.node'::text) $$, %s, '2 seconds', true) AS m
	LEFT JOIN iuid_countries AS c USING (country)
ORDER BY m.country"""

# For each minute and country: the ids, and those of the minute up to that country.  An identifier that was
# derived from a name has no time.
MINUTES = """
SELECT m.ago, coalesce(c.code, m.country::text) AS country, m.ids,
	sum(m.ids) OVER (PARTITION BY m.ago ORDER BY m.country) AS top
FROM iuid_select_on_nodes(NULL::ids_of_a_minute, $$
		SELECT least(extract(epoch FROM now() - iuid_timestamp(id))::int / 60, 59) AS ago, iuid_country(id) AS country, count(*) AS ids
		FROM {} WHERE id > now() - interval '1 hour' AND iuid_timestamp(id) <= now() GROUP BY 1, 2 $$, %s, '2 seconds', true) AS m
	LEFT JOIN iuid_countries AS c USING (country)"""


def words(said):
    """What the server says of an error or a warning, in sentences."""
    said = [said.message_primary, said.message_detail, said.message_hint]
    return " ".join(part.rstrip(".") + "." for part in said if part) or (
        "The desk's own node does not answer, or too many people ask at once. Try again soon.")


def refuse_strangers(session):
    for stranger in session.execute(STRANGERS):
        raise psycopg.OperationalError("{role} {what} in the schema {schema}, and the desk would call it".format(**stranger))


def begin(session):
    """A new session opens its connections to the other nodes, so that no question waits for that."""
    refuse_strangers(session)
    for name in "date", "time", "timetz", "timestamp", "timestamptz", "interval":
        session.adapters.register_loader(name, TextLoader)  # Python has no year 10000.
    session.execute(NODES)


class Node:
    """The desk's own node: a pool of sessions that may only read."""

    def __init__(self, connection):
        self.pool = ConnectionPool(
            connection, open=True, min_size=8, max_size=8, timeout=3, reconnect_timeout=3, configure=begin,
            kwargs={"autocommit": True, "row_factory": dict_row, "connect_timeout": 3, "tcp_user_timeout": 5000,
                    "client_encoding": "utf8",  # psycopg gives the text of an SQL_ASCII database as bytes
                    "options": f"-c search_path=pg_catalog,{SCHEMA},pg_temp -c timezone=UTC"
                               " -c statement_timeout=3500 -c default_transaction_read_only=on"})

    @contextlib.contextmanager
    def asking(self):
        """Gives a function that asks in one session, for rows and milliseconds, and keeps the warnings."""
        while True:
            with self.pool.connection() as session:
                try:
                    refuse_strangers(session)
                except psycopg.OperationalError:
                    session.close()  # The pool replaces it, or says why not.
                    continue

                def ask(text, *values, table=None):
                    begin = time.monotonic()
                    rows = session.execute(text.format(table) if table else text, values).fetchall()
                    return rows, (time.monotonic() - begin) * 1000
                ask.warnings = []

                def keep(warning):
                    ask.warnings.append(words(warning))
                session.add_notice_handler(keep)
                try:
                    yield ask
                finally:
                    session.remove_notice_handler(keep)
                return
