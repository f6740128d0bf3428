"""What the desk asks its own node.

A value is a parameter, and never part of a statement.  Names of tables and columns are from the
settings and from the catalog, and are quoted.
"""

import contextlib
import os
import time

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row, tuple_row
from psycopg.types.string import TextLoader
from psycopg_pool import ConnectionPool

# The schemas of the extensions and of desk.sql.  A session finds names there and in pg_catalog.
PLACES = """
SELECT concat_ws(', ', 'pg_catalog', string_agg(DISTINCT quote_ident(n.nspname), ', '), 'iuid_desk, pg_temp') AS path
FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace
WHERE e.extname IN ('iuid', 'iuid_regions')"""

# Why no page is shown: others than the owner can make, or have made, functions that the other
# statements would call; or the role can write.  In this statement each argument has the type that
# is declared, so that nobody's function stands in for the server's.
REFUSALS = """
WITH place AS (SELECT oid, nspname, nspowner, nspacl FROM pg_namespace WHERE nspname = ANY (current_schemas(false))),
made (classid, oid, schema, owner) AS (
	SELECT 'pg_proc'::regclass::oid, oid, pronamespace, proowner FROM pg_proc
	UNION ALL SELECT 'pg_operator'::regclass::oid, oid, oprnamespace, oprowner FROM pg_operator)
SELECT format('%%s can create functions in the schema %%s'::text,
	CASE a.grantee WHEN oid '0' THEN 'PUBLIC'::name ELSE pg_get_userbyid(a.grantee) END, p.nspname) AS reason
FROM place AS p, aclexplode(p.nspacl) AS a
WHERE a.privilege_type = 'CREATE'::text AND NOT pg_has_role(a.grantee, p.nspowner, 'MEMBER'::text)
UNION ALL SELECT format('%%s has made %%s in the schema %%s'::text, pg_get_userbyid(m.owner), pg_describe_object(m.classid, m.oid, 0), p.nspname)
FROM place AS p JOIN made AS m ON m.schema = p.oid WHERE NOT pg_has_role(m.owner, p.nspowner, 'MEMBER'::text)
UNION ALL SELECT format('the role %%s can write the table %%s'::text, current_user, c.oid::regclass)
FROM pg_class AS c WHERE c.oid = ANY (%s::regclass[]::oid[]) AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'::text)"""

INSPECT = """
SELECT id::text, i.*, iuid_random_bits(id) AS random, iuid_is_local(id) AS here
FROM (SELECT %s::iuid) AS x (id), iuid_inspect(id) AS i"""

FLOOR = "SELECT t::text AS time, iuid_floor(t)::text AS id FROM (SELECT %s::timestamptz) AS x (t)"
LOOK_UP = "SELECT * FROM iuid_find(NULL::{table}, VARIADIC ARRAY[%s]::uuid[])"

# Which tables refer to this one, by foreign keys of the catalog of this node.
REFERENCES = """
SELECT format('%%I.%%I', s.nspname, c.relname) AS child, c.oid::regclass::text AS name, k.columns::text[], k.keys::text[]
FROM pg_constraint AS f JOIN pg_class AS c ON c.oid = f.conrelid JOIN pg_namespace AS s ON s.oid = c.relnamespace, LATERAL (
	SELECT array_agg(a.attname ORDER BY n), array_agg(p.attname ORDER BY n)
	FROM unnest(f.conkey, f.confkey) WITH ORDINALITY AS u (a, p, n)
	JOIN pg_attribute AS a ON a.attrelid = f.conrelid AND a.attnum = u.a
	JOIN pg_attribute AS p ON p.attrelid = f.confrelid AND p.attnum = u.p) AS k (columns, keys)
WHERE f.contype = 'f' AND f.conparentid = 0 AND f.confrelid = %s::regclass AND has_table_privilege(c.oid, 'SELECT')
ORDER BY c.relname, f.conname"""

# The rows of such a table are where the row is that they refer to.  The first value is a format.
REFERRING = """
SELECT o.* FROM iuid_select_on_nodes(NULL::{table}, format(%s::text, VARIADIC %s::text[]), ARRAY[%s]::text[], '2 seconds', true) AS o"""

# A node that did not answer is a warning.
HISTORY = """
SELECT o.*, i.node, i."time", i.code, i.region
FROM iuid_select_on_nodes(NULL::{table}, format(
	'SELECT * FROM %%s WHERE %%I = %%L AND id < %%L ORDER BY id DESC LIMIT %%s',
	%s::text, %s::text, %s::text, %s::iuid, %s::int), timeout => '2 seconds', skip_failed => true) AS o,
	iuid_inspect(o.id) AS i
WHERE (NULL::{table}).{column} IS DISTINCT FROM %s  -- no value of that type is an error here, and not of the nodes
ORDER BY o.id DESC"""

NODES = "SELECT node, region, node = current_setting('iuid.node') AS here FROM iuid_nodes ORDER BY node"

# Not by iuid_run_on_nodes, which in a READ ONLY transaction closes its connections.
ROUND_TRIP = """
SELECT * FROM iuid_select_on_nodes(NULL::iuid_desk.minute, 'SELECT 0 AS ago, 0 AS country, 1::bigint AS ids', %s, '2 seconds', true)"""

# How each node is, by what everybody may see there.
STATES = """
SELECT * FROM iuid_select_on_nodes(NULL::iuid_desk.state, $$
	SELECT current_setting('iuid.node'::text) AS node,
		to_char(clock_timestamp() AT TIME ZONE 'UTC'::text, 'HH24:MI:SS'::text) AS as_of,
		pg_size_pretty(pg_database_size(current_database())) AS size,
		(SELECT coalesce(string_agg(slot_name::text || CASE WHEN active THEN ''::text ELSE ' (nobody reads it)'::text END || ' '::text
				|| pg_size_pretty(pg_current_wal_lsn() - restart_lsn), ', '::text ORDER BY slot_name), 'none'::text)
			FROM pg_replication_slots WHERE NOT temporary) AS slots,
		(SELECT coalesce(string_agg(subname::text || ' '::text || coalesce(
				extract(epoch FROM clock_timestamp() - latest_end_time)::int::text || ' s ago'::text, 'does not run'::text), ', '::text ORDER BY subname), 'none'::text)
			FROM pg_stat_subscription WHERE relid IS NULL) AS subscriptions $$, NULL, '2 seconds', true)
ORDER BY node"""

# Of every global table and global view that the role of the desk may read.
CHECK_REGIONS = "SELECT problem, relation::text, country, node, detail, remedy FROM iuid_check_regions()"

# Of the countries that are divided by time.
CHECK_PARTITIONS = """
SELECT p.relid::regclass::text AS "table", f.problem, f.partition::text, f.detail
FROM pg_partition_tree(%s) AS p JOIN pg_class AS c ON c.oid = p.relid, iuid_check_partitions(p.relid) AS f
WHERE p.level = 1 AND c.relkind = 'p'"""

PARTITIONS = """
SELECT c.oid::regclass::text AS partition, nullif(c.reltuples, -1)::bigint AS rows,
	pg_size_pretty(s.bytes) AS size, 100.0 * s.bytes / nullif(max(s.bytes) OVER (), 0) AS percent
FROM (SELECT %s::regclass) AS t (oid), pg_class AS c, LATERAL (SELECT coalesce(pg_total_relation_size(c.oid), 0)) AS s (bytes)
WHERE c.relkind = 'r' AND (c.oid = t.oid OR c.oid IN (SELECT relid FROM pg_partition_tree(t.oid)))
ORDER BY s.bytes DESC LIMIT 100"""

# The countries that iuid move is moving, by what the node knows that gives a country up.  Here, too,
# each argument has the type that is declared: whoever may create functions at that node is a stranger.
MOVES = """
SELECT coalesce(c.code, m.country::text) AS country, m."from", m."to", m.state
FROM iuid_select_on_nodes(NULL::iuid_desk.move, $$
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
		WHERE n.nspname::text ~ '^moving_c[0-9]{{1,3}}$'::text AND d.parts[1] = current_setting('iuid.node'::text) $$, %s, '2 seconds', true) AS m
	LEFT JOIN iuid_countries AS c USING (country)
ORDER BY m.country"""

# For each minute and country: the ids.  An identifier that was derived from a name has no time.
MINUTES = """
SELECT m.ago, coalesce(c.code, m.country::text, 'none') AS country, m.ids
FROM iuid_select_on_nodes(NULL::iuid_desk.minute, $$
		SELECT least(extract(epoch FROM now() - iuid_timestamp(id))::int / 60, 59) AS ago, iuid_country(id) AS country, count(*) AS ids
		FROM {table} WHERE id > now() - interval '1 hour' AND iuid_timestamp(id) <= now() GROUP BY 1, 2 $$, %s, '2 seconds', true) AS m
	LEFT JOIN iuid_countries AS c USING (country)
WHERE m.ago IS NOT NULL AND m.ids IS NOT NULL"""


def words(said):
    """What the server says of an error or a warning, in sentences."""
    said = [said.message_primary, said.message_detail, said.message_hint]
    return " ".join(" ".join(part.split()).rstrip(".?") + "." for part in said if part) or (
        "The desk's own node does not answer, or too many people ask at once. Try again soon.")


class Node:
    """The desk's own node: a pool of sessions.

    Each question is a transaction that is READ ONLY and rolled back, so what a table's owner sets in
    it, by a policy, does not stay.
    """

    def __init__(self, connection, tables):
        self.tables = tables
        options = conninfo_to_dict(connection).get("options", os.environ.get("PGOPTIONS", ""))
        self.pool = ConnectionPool(
            connection, open=True, min_size=8, max_size=8, timeout=3, reconnect_timeout=3, configure=self.begin, reset=self.clean,
            kwargs={"autocommit": True, "row_factory": dict_row, "prepare_threshold": None, "connect_timeout": 3,
                    "tcp_user_timeout": 5000, "client_encoding": "utf8",  # psycopg gives the text of an SQL_ASCII database as bytes
                    "options": f"{options} -c search_path=pg_catalog,pg_temp -c timezone=UTC"
                               " -c statement_timeout=3500 -c default_transaction_read_only=on"})

    def begin(self, session):
        """A new session opens its connections to the other nodes, so that no question waits for that."""
        for name in "date", "time", "timetz", "timestamp", "timestamptz", "interval":
            session.adapters.register_loader(name, TextLoader)  # Python has no year 10000.
        session.read_only = True
        self.clean(session)
        self.refuse(session)
        session.execute(ROUND_TRIP, [None])

    def clean(self, session):
        session.execute("DISCARD ALL")
        session.execute("SELECT set_config('search_path', path, false) FROM (" + PLACES + ") AS x")

    def refuse(self, session):
        for row in session.execute(REFUSALS, [list(self.tables)]):
            raise psycopg.OperationalError("the desk shows nothing: " + row["reason"])

    @contextlib.contextmanager
    def asking(self):
        """Gives what asks in one session, and keeps the warnings."""
        while True:
            with self.pool.connection() as session:
                try:
                    self.refuse(session)
                except psycopg.OperationalError:
                    session.close()  # The pool replaces it, or says why not.
                    continue
                asker = Asker(session)
                session.add_notice_handler(asker.keep)
                try:
                    yield asker
                finally:
                    session.remove_notice_handler(asker.keep)
                return


class Asker:
    def __init__(self, session):
        self.session, self.warnings = session, []

    def keep(self, notice):
        if notice.severity_nonlocalized == "WARNING":
            self.warnings.append(words(notice))

    def __call__(self, text, *values, **names):
        """Rows as dictionaries, and milliseconds."""
        with self.session.cursor() as cursor:
            return self.run(cursor, text, values, names)

    def texts(self, text, *values, **names):
        """Columns, rows of texts as the server writes them, and milliseconds."""
        with self.session.cursor(row_factory=tuple_row) as cursor:
            for kind in psycopg.adapters.types:
                for oid in kind.oid, kind.array_oid:
                    cursor.adapters.register_loader(oid, TextLoader)
            rows, took = self.run(cursor, text, values, names)
            return [column.name for column in cursor.description], rows, took

    def run(self, cursor, text, values, names):
        begin = time.monotonic()
        with self.session.transaction(force_rollback=True):
            rows = cursor.execute(sql.SQL(text).format(**names), values).fetchall()
        return rows, (time.monotonic() - begin) * 1000
