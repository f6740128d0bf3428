-- A key of type iuid, of type uuid, and of domains over both can do the same (doc/columns.md).
SET timezone = 'UTC';
\set SHOW_CONTEXT never
\set VERBOSITY terse
CREATE SCHEMA abilities;
SET search_path = abilities, public;
CREATE DOMAIN order_id AS uuid CHECK (iuid_is_valid(VALUE));
CREATE DOMAIN late_order_id AS order_id CHECK (VALUE > '00000000-0000-0000-0000-000000000000');
CREATE DOMAIN iuid_order_id AS iuid;
-- the partitions that are read, but for their names' ends, and the keys of the present
CREATE FUNCTION reads(query text, parent text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	tables text[] := '{}';
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT FROM %s WHERE %s', parent, query) LOOP
		tables := tables || (regexp_match(line, 'Scan.* on (' || parent || '_\S+)'))[1]
			|| (regexp_match(line, '(Subplans Removed|One-Time Filter): .*'))[1];
	END LOOP;
	RETURN (SELECT string_agg(DISTINCT regexp_replace(t, '(orders_c\d).*', '\1'), ', ') FROM unnest(tables) AS t);
END $$;
SET plan_cache_mode = force_generic_plan;
\set ECHO none

\echo a key of type iuid
\set key iuid
\set opclass iuid_origin_ops
\set check ''
\i sql/abilities.psql

\echo a key of type uuid
\set key uuid
\set opclass uuid_origin_ops
\set check 'CHECK (iuid_is_valid(id))'
\i sql/abilities.psql

\echo a key of a domain over uuid
\set key order_id
\set check ''
\i sql/abilities.psql

\echo a key of a domain over a domain
\set key late_order_id
\i sql/abilities.psql

\echo a key of a domain over iuid
\set key iuid_order_id
\set opclass iuid_origin_ops
\i sql/abilities.psql

\set ECHO all
SET client_min_messages = warning;
DROP SCHEMA abilities CASCADE;
