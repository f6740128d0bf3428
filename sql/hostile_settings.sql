-- The functions for time partitions do the same whatever the settings of the caller are,
-- and find no object of another schema.
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE SCHEMA evil;
CREATE TABLE "It's a ""back\slash"" %s" (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
CREATE TABLE hostile (name text, parent regclass);
INSERT INTO hostile VALUES ('orders', '"It''s a ""back\slash"" %s"');
CREATE TABLE hostile_rest PARTITION OF "It's a ""back\slash"" %s" DEFAULT;
INSERT INTO "It's a ""back\slash"" %s"
SELECT iuid_from_name(7, 1, n::text, '2026-01-01 00:00+00'::timestamptz + n * interval '1 day')
FROM generate_series(0, 99) AS n;

-- types, functions and operators that would be found first, and say so
CREATE DOMAIN evil.text AS pg_catalog.text CHECK (false);
CREATE DOMAIN evil.jsonb AS pg_catalog.jsonb CHECK (false);
CREATE DOMAIN evil.regclass AS pg_catalog.regclass CHECK (false);
CREATE FUNCTION evil.planted(anyelement, anyelement) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END';
CREATE OPERATOR evil.= (LEFTARG = anyelement, RIGHTARG = anyelement, FUNCTION = evil.planted);
CREATE OPERATOR evil.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = oideq);
DROP OPERATOR evil.= (oid, oid);
CREATE FUNCTION evil.to_regprocedure(pg_catalog.text) RETURNS regprocedure
LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END';
CREATE FUNCTION evil.format(pg_catalog.text, VARIADIC "any") RETURNS pg_catalog.text LANGUAGE internal AS 'text_format';
CREATE FUNCTION evil.now() RETURNS timestamptz LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END';
CREATE FUNCTION evil.set_config(pg_catalog.text, pg_catalog.text, boolean) RETURNS pg_catalog.text
LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END';
CREATE VIEW evil.pg_proc AS SELECT oid, proowner FROM pg_catalog.pg_proc WHERE false;
CREATE VIEW evil.pg_class AS SELECT * FROM pg_catalog.pg_class WHERE false;

-- 19 has no others than standard strings
SELECT CASE WHEN current_setting('server_version_num')::int < 190000
	THEN set_config(name, 'off', false) END IS NULL AS off
FROM unnest('{escape_string_warning,standard_conforming_strings}'::text[]) AS name \g /dev/null
SET quote_all_identifiers = on;
SET "plpgsql.extra_errors" = 'all';
SET "plpgsql.variable_conflict" = 'use_variable';
SET datestyle = 'SQL, DMY';
SET timezone = 'America/Santiago';
SET intervalstyle = 'sql_standard';
SET search_path = evil, pg_catalog, public;
SELECT count(*) FROM public.hostile, public.iuid_create_partitions(
	parent, '1 month', '2026-01-01 00:00+00', '2026-03-01 00:00+00', time_checks => true);
SELECT public.iuid_drop_partitions(parent, '2026-02-01 00:00+00') FROM public.hostile;
SELECT public.iuid_detach_partitions(parent, '2026-03-01 00:00+00') FROM public.hostile;
\set VERBOSITY sqlstate
SELECT parent::oid::pg_catalog.regclass AS parent FROM public.hostile \gset
SET "plpgsql.variable_conflict" = 'use_column';
CALL public.iuid_maintain_partitions(:'parent', '1 month', 2, lock_wait => '1 min') \gset
RESET ALL;
SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT :created >= 3 AS made, :dropped AS dropped;
SELECT count(*), bool_and(lower = date_trunc('month', lower)) AS months
FROM hostile, iuid_partitions(parent) WHERE NOT is_default;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c' AND conrelid::regclass::text ~ '_2026_02';
SELECT count(*) FROM "It's a ""back\slash"" %s";
SELECT problem FROM hostile, iuid_check_partitions(parent) WHERE problem <> 'no time check';

-- in a transaction block the procedure fails before it does anything
\set VERBOSITY default
BEGIN;
CALL iuid_maintain_partitions('hostile', '1 month');
ROLLBACK;
\echo :LAST_ERROR_SQLSTATE
-- one that fails does not keep the others from being made
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
SELECT format('CREATE TABLE %I ()',
	to_char(now() AT TIME ZONE 'UTC' + interval '1 month', '"log_"YYYY_MM')) AS taken \gset
:taken;
\set VERBOSITY sqlstate
SET client_min_messages = warning;
CALL iuid_maintain_partitions('log', '1 month', 3);
SET client_min_messages = error;
SELECT count(*) FROM iuid_partitions('log');
DROP SCHEMA evil CASCADE;
DROP TABLE "It's a ""back\slash"" %s", hostile, log;
DO $$
BEGIN
	EXECUTE (SELECT 'DROP TABLE ' || string_agg(oid::regclass::text, ', ') FROM pg_class
		WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname ~ '_2026_02$|^log_');
END $$;
