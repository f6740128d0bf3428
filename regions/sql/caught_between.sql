-- Code of a table's owner runs between the plan of a call and its work: what was planned is looked at again.
SET client_min_messages = warning;
SET timezone = 'UTC';
\set VERBOSITY sqlstate
CREATE ROLE planner;
CREATE SCHEMA work AUTHORIZATION planner;
SET ROLE planner;
SET search_path = work, public;
CREATE FUNCTION show(parent regclass) RETURNS TABLE (partition regclass, bound text) LANGUAGE sql AS $$
	SELECT inhrelid::regclass, pg_get_expr(relpartbound, inhrelid)
	FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent ORDER BY 1::text COLLATE "C"
$$;

-- Row security of the DEFAULT partition hides no row from a bound that moves, and its policies do not run.
CREATE TABLE t (id iuid PRIMARY KEY, v int) PARTITION BY RANGE (id);
CREATE TABLE t_rest PARTITION OF t DEFAULT;
SELECT count(*) FROM iuid_create_partitions('t', '1 day', '2024-01-01', '2024-01-05');
CREATE TABLE t_start PARTITION OF t FOR VALUES FROM (MINVALUE) TO (iuid_floor('2024-01-01'));
ALTER TABLE t DETACH PARTITION t_2024_01_02;
INSERT INTO t VALUES (gen_iuid(1, 1, '2024-01-02 12:00+00'), 1);
CREATE FUNCTION never() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a policy runs'; END $$;
ALTER TABLE t_rest ENABLE ROW LEVEL SECURITY;
ALTER TABLE t_rest FORCE ROW LEVEL SECURITY;
CREATE POLICY p ON t_rest USING (never());
SELECT iuid_drop_partitions('t', '2024-01-04');
DROP POLICY p ON t_rest;
ALTER TABLE t_rest NO FORCE ROW LEVEL SECURITY;
SELECT count(*) FROM t WHERE id < iuid_floor('2024-01-03');
INSERT INTO t SELECT id, 2 FROM t;
DROP TABLE t, t_2024_01_02;

-- A view whose first column is node, and one with the name of a country's, are not iuid's.
RESET ROLE;
CREATE EXTENSION postgres_fdw;
CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw;
GRANT USAGE ON FOREIGN SERVER there TO planner;
INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'there');
INSERT INTO iuid_routes VALUES (1, NULL, 'here'), (2, NULL, 'there');
SET iuid.node = 'here';
SET ROLE planner;
CREATE FOREIGN TABLE metrics (host text, load float8) SERVER there;
CREATE VIEW loads AS SELECT host AS node, load FROM metrics;
SELECT iuid_drop_global('loads');
CREATE TABLE o (id iuid PRIMARY KEY, v int) PARTITION BY RANGE (id iuid_origin_ops);
SELECT iuid_create_global_view('loads', 'o');
CREATE FOREIGN TABLE all_o_there (id iuid, v int) SERVER there;
SELECT iuid_create_global_view('all_o', 'o');
CREATE TABLE other (id iuid, v int);
CREATE VIEW o_c2_e1 AS SELECT id, v FROM other;
SELECT iuid_create_routed_partitions('o', 1);
CREATE VIEW o_c3_e1 AS SELECT id, v FROM other WHERE v > 5;
RESET ROLE;
INSERT INTO iuid_routes VALUES (3, NULL, 'here');
SET ROLE planner;
SELECT iuid_create_routed_partitions('o', 1);
SELECT viewname FROM pg_views WHERE schemaname = 'work' ORDER BY 1;

-- Who may only read a global table gets no rights of its owner by checking it.
RESET ROLE;
DELETE FROM iuid_routes WHERE country = 3;
CREATE ROLE onlooker;
GRANT USAGE ON SCHEMA work TO onlooker;
CREATE FUNCTION work.as_whom() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	RAISE WARNING 'as %', current_user;
	RETURN 100;
END $$;
SET ROLE planner;
DROP VIEW o_c3_e1;
-- each WARNING is a call of as_whom(): by the server for the CHECK, and by the owner's own call
ALTER TABLE o ADD CONSTRAINT c CHECK (v < 100);
ALTER TABLE o_c1 ADD CONSTRAINT d CHECK (v < work.as_whom());
SELECT iuid_create_global_table('g', 'o', 1);
GRANT SELECT ON g TO onlooker;
RESET ROLE;
SET ROLE onlooker;
\set VERBOSITY terse
SELECT count(*) > 0 FROM iuid_check_regions('work.g');
RESET ROLE;
SET client_min_messages = error;
DROP SCHEMA work CASCADE;
DROP EXTENSION IF EXISTS postgres_fdw CASCADE;
TRUNCATE iuid_nodes, iuid_routes;
DROP ROLE planner, onlooker;
