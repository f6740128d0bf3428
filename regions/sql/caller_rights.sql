-- What SECURITY.md says of callers who have few rights: what the look-ups tell them, and whose rights a policy has.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
CREATE ROLE regress_iuid_owner;
CREATE ROLE regress_iuid_reader;
GRANT CREATE ON SCHEMA public TO regress_iuid_owner;
INSERT INTO iuid_countries VALUES (7, 'KZ', 'Kazakhstan');
INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order');
INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL);
INSERT INTO iuid_routes VALUES (7, NULL, 'almaty');
SET iuid.country = 7;
SET iuid.node = 'almaty';

-- the look-ups answer whoever may execute them, and no others; iuid_inspect is a query of the caller's
BEGIN;
REVOKE SELECT ON iuid_countries, iuid_entities, iuid_nodes, iuid_routes FROM PUBLIC;
SET LOCAL ROLE regress_iuid_reader;
SELECT iuid_node(id), iuid_node(7, 1), iuid_is_local(id) FROM iuid_from_name(7, 1, '') AS id;
SAVEPOINT before;
SELECT iuid_inspect(iuid_from_name(7, 1, ''));
ROLLBACK TO before;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION iuid_node(uuid), iuid_node(int, int), iuid_is_local, iuid_inspect,
	iuid_create_routed_partitions, iuid_create_global_table, iuid_create_global_view,
	iuid_registered_nodes, iuid_listed_countries, iuid_check_regions,
	iuid_run_on_nodes, iuid_run_on_hosts, iuid_select_on_nodes,
	iuid_registry_on_nodes, iuid_find, iuid_find_here FROM PUBLIC;
-- those in C that the reader may still execute do not read the registry;
-- the others have no other rights than their caller
SELECT p.oid::regprocedure AS function
FROM pg_proc AS p JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = p.oid
WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'iuid_regions')
	AND has_function_privilege('regress_iuid_reader', p.oid, 'EXECUTE')
	AND probin IS NOT NULL ORDER BY p.oid::regprocedure::text COLLATE "C";
SET LOCAL ROLE regress_iuid_reader;
SELECT iuid_node(7, 1);
ROLLBACK;

-- iuid_check_partitions counts as the owner of the partition,
-- for whoever may see all rows of a table above it, and for no others
SET ROLE regress_iuid_owner;
CREATE TABLE orders (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
SELECT iuid_create_partitions('orders', '1 month', first, first + interval '1 month')
FROM unnest('{2026-01-01,2026-03-01}'::timestamptz[]) AS first;
INSERT INTO orders SELECT gen_iuid(7, 1, '2026-02-03'), note FROM unnest('{open,open,secret}'::text[]) AS note;
CREATE FUNCTION says(note text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	RAISE NOTICE 'the % runs as %, with search_path %', note, current_user, current_setting('search_path');
	RETURN note = 'open';
END $$;
CREATE POLICY open ON orders_rest USING (public.says(note));
ALTER TABLE orders_rest ENABLE ROW LEVEL SECURITY;
CREATE FUNCTION faults() RETURNS TABLE (problem text, detail text) LANGUAGE sql AS
$$ SELECT problem, detail FROM public.iuid_check_partitions('public.orders') WHERE problem <> 'gap' $$;
SELECT * FROM faults();
SET ROLE regress_iuid_reader;
SELECT * FROM faults();
SELECT rows FROM iuid_keys_between('orders_rest', NULL, NULL);
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
GRANT SELECT ON orders TO regress_iuid_reader;
-- no right to the partition itself is needed
SET ROLE regress_iuid_reader;
SELECT * FROM faults();
-- a policy of the table hides rows from its readers, one of the partition from its owner if it is forced:
-- then nobody is told of a healthy table
RESET ROLE;
CREATE POLICY own ON orders USING (note = 'open');
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
SELECT * FROM faults();
SET ROLE regress_iuid_owner;
SELECT * FROM faults();
ALTER TABLE orders FORCE ROW LEVEL SECURITY;
SELECT * FROM faults();
ALTER TABLE orders NO FORCE ROW LEVEL SECURITY;
SET ROLE regress_iuid_reader;
SELECT * FROM faults();
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM iuid_partitions('orders');
RESET ROLE;
ALTER TABLE orders DISABLE ROW LEVEL SECURITY;
ALTER TABLE orders_rest FORCE ROW LEVEL SECURITY;
SELECT * FROM faults();
\echo :LAST_ERROR_SQLSTATE
ALTER TABLE orders_rest DISABLE ROW LEVEL SECURITY;
-- code of the owner runs as the owner, in a security-restricted operation
SET client_min_messages = error;
CREATE INDEX ON orders_rest (note) WHERE says('index');
RESET client_min_messages;
ALTER TABLE orders_rest OWNER TO regress_iuid_owner;
SELECT * FROM faults();
CREATE OR REPLACE FUNCTION says(note text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RESET ROLE; RETURN true; END';
ALTER INDEX orders_rest_note_idx RENAME TO planned_anew;
SELECT * FROM faults();
SET ROLE regress_iuid_reader;
SELECT * FROM faults();
-- who may read a table above may read what stands below it
SET ROLE regress_iuid_owner;
CREATE TABLE places (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE places_c7 PARTITION OF places
	FOR VALUES FROM (iuid_country_floor(7)) TO (iuid_country_floor(8)) PARTITION BY RANGE (id);
CREATE TABLE places_c7_before PARTITION OF places_c7 FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01'));
INSERT INTO places VALUES (gen_iuid(7, 1, '2025-01-01'));
GRANT SELECT ON places TO regress_iuid_reader;
SET ROLE regress_iuid_reader;
SELECT problem, partition FROM iuid_check_partitions('places');
SELECT problem, partition FROM iuid_check_partitions('places_c7');
RESET ROLE;
DROP FUNCTION faults;
DROP TABLE places;

-- the rows of nodes are made as the owner of their type for whoever has the rights of the owner,
-- and as the caller for all others
SET ROLE regress_iuid_owner;
CREATE FUNCTION is_code(code int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'the CHECK runs as %, with search_path %, lc_monetary %',
		current_user, current_setting('search_path'), current_setting('lc_monetary');
	RETURN EXISTS (SELECT FROM pg_class);
END $$;
CREATE DOMAIN code AS int CHECK (public.is_code(VALUE));
CREATE TABLE coded (id iuid PRIMARY KEY, code code);
RESET ROLE;
CREATE TEMP TABLE no_code (code code);
GRANT SELECT ON no_code TO regress_iuid_reader;
\set all_null 'SELECT NULL::iuid AS id, code FROM (SELECT) AS one LEFT JOIN no_code ON true'
-- no temporary table stands in for a table of the server
CREATE TEMP TABLE pg_class (oid oid);
SET lc_monetary = 'C.UTF-8';
SELECT count(*) FROM iuid_select_on_nodes(NULL::coded, :'all_null', '{almaty}');
DROP TABLE pg_temp.pg_class;
SET ROLE regress_iuid_reader;
SELECT count(*) FROM iuid_select_on_nodes(NULL::coded, :'all_null', '{almaty}');
RESET ROLE;
-- the operator of another role does not find the rows
SET ROLE regress_iuid_owner;
CREATE DOMAIN own_key AS iuid;
CREATE FUNCTION is_key(own_key, iuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'the operator runs as %', current_user;
	RETURN true;
END $$;
CREATE OPERATOR = (LEFTARG = own_key, RIGHTARG = iuid, FUNCTION = is_key);
CREATE TABLE keyed (id own_key PRIMARY KEY, n int);
INSERT INTO keyed VALUES (iuid_from_name(7, 1, 'one'), 1), (iuid_from_name(7, 1, 'two'), 2);
RESET ROLE;
SELECT n FROM iuid_find(NULL::keyed, iuid_from_name(7, 1, 'two'));

-- an event trigger writes as the owner of the table, whoever calls
CREATE TABLE made (tag text, by_role name DEFAULT current_user);
CREATE FUNCTION note_made() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.made VALUES (tg_tag);
END $$;
CREATE TABLE months (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
ALTER TABLE months OWNER TO regress_iuid_owner;
CREATE EVENT TRIGGER made ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION note_made();
\set VERBOSITY sqlstate
SELECT iuid_create_partitions('months', '1 month', '2026-01-01', '2026-02-01');
\set VERBOSITY default
SELECT count(*) FROM made;
ALTER FUNCTION note_made() SECURITY DEFINER;
SELECT iuid_create_partitions('months', '1 month', '2026-01-01', '2026-02-01');
SELECT DISTINCT tag, by_role = current_user AS by_definer FROM made;
DROP EVENT TRIGGER made;

-- default privileges reach what the policies of the parent hide
ALTER DEFAULT PRIVILEGES FOR ROLE regress_iuid_owner GRANT SELECT ON TABLES TO regress_iuid_reader;
ALTER TABLE months ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON months TO regress_iuid_reader;
SELECT iuid_create_partitions('months', '1 month', '2026-01-01', '2026-03-01');
INSERT INTO months VALUES (iuid_floor('2026-02-03'));
SET ROLE regress_iuid_reader;
SELECT (SELECT count(*) FROM months) AS parent, (SELECT count(*) FROM months_2026_02) AS partition;
RESET ROLE;
ALTER DEFAULT PRIVILEGES FOR ROLE regress_iuid_owner REVOKE SELECT ON TABLES FROM regress_iuid_reader;
DROP TABLE made, months;
DROP FUNCTION note_made;

DROP TABLE orders, coded, no_code, keyed;
DROP OPERATOR = (own_key, iuid);
DROP FUNCTION says, is_key;
DROP DOMAIN code, own_key;
DROP FUNCTION is_code;
REVOKE CREATE ON SCHEMA public FROM regress_iuid_owner;
DROP ROLE regress_iuid_owner, regress_iuid_reader;
TRUNCATE iuid_routes, iuid_nodes, iuid_entities, iuid_countries;
