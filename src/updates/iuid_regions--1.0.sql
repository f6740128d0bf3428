-- iuid_regions: what the numbers in identifiers mean, and which node has the rows.
--
-- This part opens the script of the extension; the Makefile says which parts
-- follow.  As in iuid, every name has its schema, every argument its type.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION iuid_regions" to load this file. \quit

-- A function of one extension looks for objects of the other in its own schema,
-- so both extensions must be in one schema.
DO $do$
DECLARE
	schema_of_iuid pg_catalog.oid;
BEGIN
	SELECT e.extnamespace INTO schema_of_iuid
	FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'iuid'::pg_catalog.name;

	IF schema_of_iuid OPERATOR(pg_catalog.<>) '@extschema@'::pg_catalog.regnamespace::pg_catalog.oid THEN
		RAISE EXCEPTION 'extension "iuid_regions" must be in the schema of extension "iuid"'
			USING ERRCODE = 'invalid_schema_name',
				DETAIL = pg_catalog.format('Extension "iuid" is in schema %s.'::pg_catalog.text,
					schema_of_iuid::pg_catalog.regnamespace),
				HINT = pg_catalog.format('Enter: CREATE EXTENSION iuid_regions SCHEMA %s;'::pg_catalog.text,
					schema_of_iuid::pg_catalog.regnamespace);
	END IF;
END
$do$;
--
-- Registry: the countries, entities, nodes and routes of an organisation
--
-- A dump of the database has the rows of these tables.  The superuser who
-- creates the extension owns the tables, and grants the rights to change rows.
--

CREATE TABLE @extschema@.iuid_countries (
	country int PRIMARY KEY CHECK (country OPERATOR(pg_catalog.>=) 0 AND country OPERATOR(pg_catalog.<=) 255),
	code pg_catalog.text NOT NULL UNIQUE CHECK (code OPERATOR(pg_catalog.<>) ''::pg_catalog.text),
	name pg_catalog.text NOT NULL CHECK (name OPERATOR(pg_catalog.<>) ''::pg_catalog.text)
);
COMMENT ON TABLE @extschema@.iuid_countries IS
'countries of an organisation: the number in its identifiers, 0-255, a code and a name (doc/registry.md)';

CREATE TABLE @extschema@.iuid_entities (
	entity int PRIMARY KEY CHECK (entity OPERATOR(pg_catalog.>=) 0 AND entity OPERATOR(pg_catalog.<=) 255),
	service pg_catalog.text NOT NULL,
	name pg_catalog.text NOT NULL CHECK (name OPERATOR(pg_catalog.<>) ''::pg_catalog.text),
	key pg_catalog.text GENERATED ALWAYS AS (service OPERATOR(pg_catalog.||) name) STORED UNIQUE
);
COMMENT ON TABLE @extschema@.iuid_entities IS
'entities of an organisation: the number in its identifiers, 0-255, the service and the name, which together are the key (doc/registry.md)';

CREATE TABLE @extschema@.iuid_nodes (
	node pg_catalog.text PRIMARY KEY CHECK (node OPERATOR(pg_catalog.<>) ''::pg_catalog.text),
	region pg_catalog.text CHECK (region OPERATOR(pg_catalog.<>) ''::pg_catalog.text),
	server pg_catalog.text CHECK (server OPERATOR(pg_catalog.<>) ''::pg_catalog.text)
);
COMMENT ON TABLE @extschema@.iuid_nodes IS
'nodes, one database each: the name that iuid.node has in that database, the region, and the name of the postgres_fdw server by which the other nodes reach the node, which needs none itself; NULL: no region, or no server (doc/registry.md)';

CREATE TABLE @extschema@.iuid_routes (
	country int CHECK (country OPERATOR(pg_catalog.>=) 0 AND country OPERATOR(pg_catalog.<=) 255),
	entity int CHECK (entity OPERATOR(pg_catalog.>=) 0 AND entity OPERATOR(pg_catalog.<=) 255),
	node pg_catalog.text NOT NULL,
	UNIQUE NULLS NOT DISTINCT (country, entity)
);
COMMENT ON TABLE @extschema@.iuid_routes IS
'routes: the node that has the rows of a country and entity, where NULL means any; the most specific route wins: country and entity, then the country, then the entity, then neither (doc/registry.md)';

-- Types that come with the tables.
COMMENT ON TYPE @extschema@.iuid_countries IS
'row of iuid_countries';
COMMENT ON TYPE @extschema@.iuid_countries[] IS
'array of rows of iuid_countries';
COMMENT ON TYPE @extschema@.iuid_entities IS
'row of iuid_entities';
COMMENT ON TYPE @extschema@.iuid_entities[] IS
'array of rows of iuid_entities';
COMMENT ON TYPE @extschema@.iuid_nodes IS
'row of iuid_nodes';
COMMENT ON TYPE @extschema@.iuid_nodes[] IS
'array of rows of iuid_nodes';
COMMENT ON TYPE @extschema@.iuid_routes IS
'row of iuid_routes';
COMMENT ON TYPE @extschema@.iuid_routes[] IS
'array of rows of iuid_routes';

-- A replica identity has no columns that may be NULL, so it is the whole row.
ALTER TABLE @extschema@.iuid_routes REPLICA IDENTITY FULL;

GRANT SELECT ON @extschema@.iuid_countries, @extschema@.iuid_entities, @extschema@.iuid_nodes, @extschema@.iuid_routes TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('@extschema@.iuid_countries'::pg_catalog.regclass, ''::pg_catalog.text);
SELECT pg_catalog.pg_extension_config_dump('@extschema@.iuid_entities'::pg_catalog.regclass, ''::pg_catalog.text);
SELECT pg_catalog.pg_extension_config_dump('@extschema@.iuid_nodes'::pg_catalog.regclass, ''::pg_catalog.text);
SELECT pg_catalog.pg_extension_config_dump('@extschema@.iuid_routes'::pg_catalog.regclass, ''::pg_catalog.text);
--
-- Triggers that tell every session of a change in the registry
--

CREATE FUNCTION @extschema@.iuid_registry_changed()
RETURNS pg_catalog.trigger
AS 'MODULE_PATHNAME', 'iuid_registry_changed'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_registry_changed() IS
'internal: trigger of the registry tables: makes every session read them again; not called as a trigger: 39P01 (doc/registry.md)';

-- Logical replication fires triggers for each row only, and only those enabled ALWAYS.

CREATE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.iuid_countries
	FOR EACH ROW EXECUTE FUNCTION @extschema@.iuid_registry_changed();
CREATE TRIGGER iuid_truncated AFTER TRUNCATE ON @extschema@.iuid_countries
	FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.iuid_registry_changed();
ALTER TABLE @extschema@.iuid_countries ENABLE ALWAYS TRIGGER iuid_changed;
ALTER TABLE @extschema@.iuid_countries ENABLE ALWAYS TRIGGER iuid_truncated;

CREATE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.iuid_entities
	FOR EACH ROW EXECUTE FUNCTION @extschema@.iuid_registry_changed();
CREATE TRIGGER iuid_truncated AFTER TRUNCATE ON @extschema@.iuid_entities
	FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.iuid_registry_changed();
ALTER TABLE @extschema@.iuid_entities ENABLE ALWAYS TRIGGER iuid_changed;
ALTER TABLE @extschema@.iuid_entities ENABLE ALWAYS TRIGGER iuid_truncated;

CREATE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.iuid_nodes
	FOR EACH ROW EXECUTE FUNCTION @extschema@.iuid_registry_changed();
CREATE TRIGGER iuid_truncated AFTER TRUNCATE ON @extschema@.iuid_nodes
	FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.iuid_registry_changed();
ALTER TABLE @extschema@.iuid_nodes ENABLE ALWAYS TRIGGER iuid_changed;
ALTER TABLE @extschema@.iuid_nodes ENABLE ALWAYS TRIGGER iuid_truncated;

CREATE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.iuid_routes
	FOR EACH ROW EXECUTE FUNCTION @extschema@.iuid_registry_changed();
CREATE TRIGGER iuid_truncated AFTER TRUNCATE ON @extschema@.iuid_routes
	FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.iuid_registry_changed();
ALTER TABLE @extschema@.iuid_routes ENABLE ALWAYS TRIGGER iuid_changed;
ALTER TABLE @extschema@.iuid_routes ENABLE ALWAYS TRIGGER iuid_truncated;
--
-- Triggers that keep the node of each route registered
--
-- A foreign key would do that, too.  But pg_restore -j fills the tables of an extension in any
-- order, and a foreign key would refuse the routes that come before their nodes.

CREATE FUNCTION @extschema@.iuid_require_node()
RETURNS pg_catalog.trigger
AS 'MODULE_PATHNAME', 'iuid_require_node'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_require_node() IS
'internal: trigger of iuid_routes: 23503 for a route to a node that is not in iuid_nodes, unless check_function_bodies is off, as it is while a dump is restored; table iuid_nodes is missing: 42P01; not called as a trigger: 39P01 (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_keep_node()
RETURNS pg_catalog.trigger
AS 'MODULE_PATHNAME', 'iuid_keep_node'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_keep_node() IS
'internal: trigger of iuid_nodes: gives the routes of a node its new name; a node with routes is deleted or truncated: 23503; table iuid_routes is missing: 42P01; not called as a trigger: 39P01 (doc/registry.md)';

CREATE TRIGGER iuid_require_node AFTER INSERT OR UPDATE ON @extschema@.iuid_routes
	FOR EACH ROW EXECUTE FUNCTION @extschema@.iuid_require_node();
CREATE TRIGGER iuid_keep_node AFTER UPDATE OR DELETE ON @extschema@.iuid_nodes
	FOR EACH ROW EXECUTE FUNCTION @extschema@.iuid_keep_node();
CREATE TRIGGER iuid_keep_nodes AFTER TRUNCATE ON @extschema@.iuid_nodes
	FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.iuid_keep_node();
--
-- Look-ups: what the registry has for an identifier
--

CREATE FUNCTION @extschema@.iuid_node(@extschema@.iuid)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_node'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_node(@extschema@.iuid) IS
'node that has an identifier''s row, by the routes; NULL without a route, for Nil, Max and the reserved layouts 2-15; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_node(country int, entity int)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_node_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_node(country int, entity int) IS
'node that has the rows of a country and entity, 0-255 each, by the routes; NULL without a route; outside 0-255: 22023; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_is_local(@extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_is_local'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_is_local(@extschema@.iuid) IS
'whether the setting iuid.node is the node that has an identifier''s row; NULL if iuid.node is not set, without a route, for Nil, Max and the reserved layouts 2-15; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_country_code(@extschema@.iuid)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_country_code'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_code(@extschema@.iuid) IS
'registered code of an identifier''s country; NULL if the country is not registered, for Nil, Max and the reserved layouts 2-15; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_entity_key(@extschema@.iuid)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_entity_key'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_entity_key(@extschema@.iuid) IS
'registered key of an identifier''s entity; NULL if the entity is not registered, for Nil, Max and the reserved layouts 2-15; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_inspect(@extschema@.iuid, OUT "time" pg_catalog.timestamptz, OUT country int, OUT code pg_catalog.text, OUT name pg_catalog.text,
	OUT service pg_catalog.text, OUT entity int, OUT key pg_catalog.text, OUT node pg_catalog.text, OUT region pg_catalog.text, OUT layout int)
AS 'MODULE_PATHNAME', 'iuid_inspect'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_inspect(@extschema@.iuid) IS
'all that is known of an identifier: its time, country with code and name, service, entity with key, node with region, and layout; NULL for what is not registered or what the identifier does not have; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/registry.md)';
--
-- Making new identifiers by registered code and key
--

CREATE FUNCTION @extschema@.gen_iuid(country pg_catalog.text, entity pg_catalog.text)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'gen_iuid_registered'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.gen_iuid(country pg_catalog.text, entity pg_catalog.text) IS
'new identifier of this moment, for the country with a registered code and the entity with a registered key; NULL: 22004; not registered: 22023; a clock outside 48 bits of milliseconds: 22008; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/registry.md)';
--
-- The countries of ISO 3166-1, for organisations without numbers of their own
--

CREATE FUNCTION @extschema@.iuid_iso_countries()
RETURNS TABLE (country int, code pg_catalog.text, name pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_iso_countries'
LANGUAGE C STABLE PARALLEL SAFE ROWS 249;
COMMENT ON FUNCTION @extschema@.iuid_iso_countries() IS
'countries of ISO 3166-1: the numbers 1-249 that iuid_register_iso_countries() gives them, the alpha-2 codes, and the English short names, which have accents only if the database is in UTF8 (doc/countries.md)';

CREATE FUNCTION @extschema@.iuid_register_iso_countries()
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_register_iso_countries'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_register_iso_countries() IS
'registers the countries of iuid_iso_countries() that are missing, and returns their number; a registered country keeps its name; a number or a code that is registered for another country: 23505, and nothing is registered; a caller without the right to INSERT: 42501, a table that is missing or something else: 42P01 or 42809 (doc/countries.md)';
--
-- The view on a country's partition for the other nodes
--

CREATE FUNCTION @extschema@.iuid_refuse_ctid()
RETURNS tid
AS 'MODULE_PATHNAME', 'iuid_refuse_ctid'
LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.iuid_refuse_ctid() IS
'internal: in the place of the ctid of a row in a view on a country that is divided by time, where rows of several partitions have the same ctid; in a query that only locks rows, a ctid that no row has; otherwise an error: 0A000 (doc/regions.md)';
--
-- Country partitions: one for each country that is routed to this node
--

CREATE FUNCTION @extschema@.iuid_create_country_partitions(parent pg_catalog.regclass, entity int, step interval DEFAULT NULL)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_country_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_country_partitions(pg_catalog.regclass, int, interval) IS
'makes the partitions <parent>_c<country> that are missing, one for each country whose rows of an entity are routed to this node, and returns them; each partition has its country and its bounds as a CHECK, and a view <parent>_c<country>_e<entity> for the other nodes; a later call makes what is missing and brings the views up to date; it drops an empty partition of a country that is routed elsewhere, and warns of one with rows; with a step, each new partition has time partitions of that step, from the present on, and an open-ended one on either side; the owner of the parent owns all of them; one call makes and drops as many partitions as the server''s lock table has room for, and warns if more are left; it warns if no country is routed here, or one has no route; NULL: 22004, an iuid.node that is not set or not registered, an entity outside 0-255, or a step out of range: 22023, no such table: 42P01, a table that is not in country order: 42809, a caller without the rights of the owner: 42501; a function iuid_country or iuid_refuse_ctid that has another name now: 42883, a view or table of another owner that has the name: 42P07; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000; otherwise as iuid_create_partitions (doc/regions.md)';
--
-- Global tables: a table over all regions
--

CREATE FUNCTION @extschema@.iuid_create_global_table(global pg_catalog.text, local pg_catalog.regclass, entity int)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_global_table'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_global_table(pg_catalog.text, pg_catalog.regclass, int) IS
'makes a table over all regions: the local table becomes its DEFAULT partition, and each country that is routed to another node becomes a foreign table <global>_c<country>, on the view <local>_c<country>_e<entity> of that node; a later call makes the foreign tables as the routes are then: makes what is missing, puts that of a country which moved on its new server, drops that of a country which is here now; returns the tables that it made; the owner of the local table owns them, and needs USAGE on the servers; NULL: 22004, an iuid.node that is not set or not registered, a node without server, or an entity outside 0-255: 22023, no such table: 42P01, a table that is not in country order: 42809, a caller without the rights of the owner: 42501, a global table that has another DEFAULT partition, or rows here of a country that is routed elsewhere: 55000, a name of more than two parts: 42601, locks that cannot be taken within lock_timeout, or a minute: 55P03; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/regions.md)';
--
-- Global views: the rows of all nodes
--

CREATE FUNCTION @extschema@.iuid_create_global_view(global pg_catalog.text, local pg_catalog.regclass)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_global_view'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_global_view(pg_catalog.text, pg_catalog.regclass) IS
'makes a view over the rows of all nodes: the column node, and all columns of the local table, from the local table and from a read-only foreign table <global>_<node> for each other node of iuid_nodes; a query of the view sends one query to each node; a later call makes the view as the registry and the columns are then; returns what it made; the owner of the local table owns it, and needs USAGE on the servers; NULL: 22004, an iuid.node that is not set or not registered, or a node without server: 22023, no such table: 42P01, a local relation that is no table: 42809, a column named node: 42701, a caller without the rights of the owner: 42501, a name that is taken: 42P07, a column that has another type now: 42P16, a name of more than two parts: 42601, locks that cannot be taken within lock_timeout, or a minute: 55P03; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/regions.md)';
--
-- Dropping global tables and views
--

CREATE FUNCTION @extschema@.iuid_drop_global_table(global pg_catalog.regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'iuid_drop_global_table'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_drop_global_table(pg_catalog.regclass) IS
'drops a table or a view over all regions with its foreign tables; of a table, detaches the local table first, which stays with its rows; NULL: 22004, no such table: 42P01, a relation that is no such table or view: 42809, a caller without the rights of the owner: 42501, a view or anything else that needs it: 2BP01, locks that cannot be taken within lock_timeout, or a minute: 55P03 (doc/regions.md)';
--
-- Commands that run on several nodes at once
--

CREATE FUNCTION @extschema@.iuid_run_on_nodes(command pg_catalog.text, nodes pg_catalog.text[] DEFAULT NULL, timeout interval DEFAULT '3 seconds')
RETURNS TABLE (node pg_catalog.text, success boolean, result pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_run_on_nodes'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION @extschema@.iuid_run_on_nodes(pg_catalog.text, pg_catalog.text[], interval) IS
'runs one SQL statement on nodes, on all at the same time, as the current user, and returns a row for each; nodes NULL, the default: all of iuid_nodes; a timeout is more than 0, and 1 day at most; the answer is one text: the one column of the one row, NULL for no row, or the command tag of a command without rows; a node that is down, refuses, fails, gives more than one value or does not answer within the timeout is a row with success = false, and with the SQLSTATE and the message as result; what was sent to it may have run, or run still for a second or two; needs extension dblink, and at each other node the postgres_fdw server and user mapping of the current user, with a password unless the user is a superuser; the connections stay open for the session, with what SET, PREPARE or LISTEN left there; the answers are not of one snapshot, and it is not one transaction: each other node commits for itself, and what it did stays when the caller rolls back, while iuid.node runs the command in the caller''s transaction; command, timeout or the name of a node NULL: 22004, a node that is not registered, an iuid.node that is not set or not registered, or a timeout out of range: 22023, not exactly one statement: 42601, transaction control, COPY from or to the client, or no extension dblink: 0A000, more than 16384 bytes: 54000, a command that calls the function at this node: 55006, a function of dblink that has another name now: 42883, or that the user may not execute: 42501, a cancel: 57014; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/regions.md)';
--
-- Global tables: checking them
--

CREATE FUNCTION @extschema@.iuid_check_regions(global pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, country int, node pg_catalog.text, detail pg_catalog.text, hint pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_check_regions'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION @extschema@.iuid_check_regions(pg_catalog.regclass) IS
'faults of a table over all regions, one row for each, with what to enter: countries without a route, partition, CHECK, view or foreign table, or in another place than the routes say, servers without the option extensions, and what the other nodes say: no answer within connect_timeout, a missing view or table, or one with other columns, a strange answer, an extension that is missing, in another schema or of another version, another registry, a clock that differs by more than a second; no row = healthy; the other nodes are asked over extension dblink, as by iuid_run_on_nodes; NULL: 22004, an iuid.node that is not set or not registered: 22023, no such table: 42P01, a table that is not a global table: 42809, a caller without the rights of the owner: 42501; a function of dblink that has another name now: 42883, or that the user may not execute: 42501; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/regions.md)';
