-- Who owns the schema of the extension renames it, and makes one of its name with a function for each of ours:
-- no superuser runs these.
SET timezone = 'UTC';
CREATE ROLE regress_iuid_owner;
GRANT CREATE ON DATABASE :"DBNAME" TO regress_iuid_owner;
SET client_min_messages = warning;
DROP EXTENSION iuid CASCADE;
CREATE SCHEMA home AUTHORIZATION regress_iuid_owner;
SET ROLE regress_iuid_owner;
CREATE EXTENSION iuid SCHEMA home;
CREATE TABLE home.months (id home.iuid) PARTITION BY RANGE (id);
CREATE TABLE home.months_rest PARTITION OF home.months DEFAULT;
CREATE TABLE home.places (id home.iuid) PARTITION BY RANGE (id home.iuid_origin_ops);
ALTER SCHEMA home RENAME TO moved;
CREATE SCHEMA home;
CREATE TABLE home.planted (name text);
-- a name of each kind, with the arguments that ours has
DO $$
DECLARE
	f record;
BEGIN
	FOR f IN
		SELECT p.oid, p.proname, p.proretset, p.prokind,
			pg_get_function_identity_arguments(p.oid) AS args, pg_get_function_result(p.oid) AS result
		FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
		WHERE p.pronamespace = 'moved'::regnamespace AND p.prokind = 'f'
			AND NOT 'internal'::regtype = ANY (p.proargtypes) AND NOT 'cstring'::regtype = ANY (p.proargtypes)
			AND p.prorettype <> 'cstring'::regtype
	LOOP
		EXECUTE format('CREATE FUNCTION home.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', f.proname, f.args, f.result,
			format('BEGIN RAISE EXCEPTION ''planted %s as %%'', current_user; END', f.proname));
		INSERT INTO home.planted VALUES (f.proname);
	END LOOP;
END $$;
SELECT count(*) > 40 AS planted FROM home.planted;
\set VERBOSITY terse
-- one of them is even a member of the extension
ALTER EXTENSION iuid ADD FUNCTION home.iuid_partition_bounds(regclass);
-- nor does who is none
SELECT moved.iuid_create_partitions('moved.months', '1 month', '2026-01-01', '2026-02-01');
RESET ROLE;
SELECT moved.iuid_partitions('moved.months');
SELECT moved.iuid_check_partitions('moved.months');
SELECT moved.iuid_create_partitions('moved.months', '1 month', '2026-01-01', '2026-02-01');
SELECT moved.iuid_drop_partitions('moved.months', '2026-01-01');
SELECT moved.iuid_detach_partitions('moved.months', '2026-01-01');
SELECT moved.iuid_create_country_partitions('moved.places', 1, '{7}');
CALL moved.iuid_maintain_partitions('moved.months', '1 month');
\echo :LAST_ERROR_SQLSTATE
-- with its name back, all goes on
ALTER EXTENSION iuid DROP FUNCTION home.iuid_partition_bounds(regclass);
DROP SCHEMA home CASCADE;
ALTER SCHEMA moved RENAME TO home;
SELECT home.iuid_create_partitions('home.months', '1 month', '2026-01-01', '2026-02-01');
DROP EXTENSION iuid CASCADE;
DROP SCHEMA home CASCADE;
REVOKE CREATE ON DATABASE :"DBNAME" FROM regress_iuid_owner;
DROP ROLE regress_iuid_owner;
CREATE EXTENSION iuid_regions CASCADE;
