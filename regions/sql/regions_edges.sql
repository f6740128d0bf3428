-- Edges of what the functions for regions make, and report.
\set SHOW_CONTEXT never
\set VERBOSITY terse
SET client_min_messages = warning;
SET iuid.node = 'here';
CREATE EXTENSION postgres_fdw;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'iuid');
INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'elsewhere');
INSERT INTO iuid_routes VALUES (1, NULL, 'here'), (2, NULL, 'there');
CREATE TABLE o (id iuid PRIMARY KEY, a int, b int) PARTITION BY RANGE (id iuid_origin_ops);

-- rows that are in a foreign table below a partition
CREATE TABLE f (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE f_c2 PARTITION OF f
	FOR VALUES FROM (iuid_country_floor(2)) TO (iuid_country_floor(3)) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE f_c2_archive PARTITION OF f_c2 DEFAULT SERVER elsewhere;
SELECT iuid_create_global_table('f_global', 'f', 0);
DROP TABLE f;

-- an empty partition that its owner may not read
CREATE ROLE regress_iuid_kept;
GRANT CREATE ON SCHEMA public TO regress_iuid_kept;
SET ROLE regress_iuid_kept;
CREATE TABLE r (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE r_c2 PARTITION OF r FOR VALUES FROM (iuid_country_floor(2)) TO (iuid_country_floor(3));
REVOKE SELECT ON r_c2 FROM regress_iuid_kept;
SELECT iuid_create_routed_partitions('r', 0);
DROP TABLE r CASCADE;
RESET ROLE;

-- the rights on the view of a country that no node has
INSERT INTO iuid_routes VALUES (5, NULL, NULL);
SELECT iuid_create_routed_partitions('o', 0);
GRANT SELECT ON o_c5_e0 TO regress_iuid_kept;
SELECT iuid_create_routed_partitions('o', 0);
SELECT has_table_privilege('regress_iuid_kept', 'o_c5_e0', 'SELECT');
DELETE FROM iuid_routes WHERE country = 5;
DROP VIEW o_c5_e0;
DROP OWNED BY regress_iuid_kept;
DROP ROLE regress_iuid_kept;

-- the lock of a global view
SELECT iuid_create_global_view('v', 'o');
SELECT iuid_plan_global_view('o', 'v') -> 'locks' ->> 'v'::regclass::oid::text AS of_view;

-- a rule of a user
CREATE FOREIGN TABLE far (id iuid, a int, b int) SERVER elsewhere;
CREATE RULE to_far AS ON INSERT TO v WHERE new.node = 'there' DO INSTEAD INSERT INTO far VALUES (new.id, new.a, new.b);
CREATE RULE nowhere AS ON INSERT TO v DO INSTEAD NOTHING;
SELECT iuid_create_global_view('v', 'o');
DROP FOREIGN TABLE far CASCADE;

-- a node without a server
INSERT INTO iuid_nodes VALUES ('third', NULL, NULL);
SELECT problem, relation, node FROM iuid_check_regions('v') WHERE node = 'third';
DELETE FROM iuid_nodes WHERE node = 'third';

-- a node that says PUBLIC reads there
BEGIN;
CREATE OR REPLACE FUNCTION iuid_node_answers(global regclass)
RETURNS TABLE (node text, said text, success boolean, answer jsonb, refusal text,
	asked timestamptz, answered timestamptz)
LANGUAGE sql SET search_path = public AS $$
	SELECT 'there', NULL, true, jsonb_build_object(
		'role', 'public', 'clock', extract(epoch FROM now()), 'registry', iuid_registry_digest(),
		'extensions', (SELECT jsonb_object_agg(e.name, jsonb_build_object('schema', e.schema, 'version', e.version))
			FROM iuid_extensions_here() AS e),
		'relations', jsonb_build_object('public.o', jsonb_build_object(
			'columns', iuid_typed_columns('o'), 'usage', true, 'unread', ARRAY['public', 'o']))), NULL, now(), now()
$$;
SELECT problem, node, remedy FROM iuid_check_nodes('v');
ROLLBACK;
SELECT iuid_drop_global('v');

-- the entity, whatever view there is in another schema
CREATE TABLE s (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
DELETE FROM iuid_routes WHERE country = 2;
SELECT iuid_create_routed_partitions('s', 3);
SELECT iuid_create_global_table('s_global', 's', 3);
CREATE SCHEMA aside;
CREATE VIEW aside.s_c1_e1 AS SELECT id FROM s_c1;
SELECT problem, country, remedy FROM iuid_check_regions('s_global') WHERE country IS NOT NULL;
INSERT INTO iuid_routes VALUES (2, NULL, 'there');
DROP SCHEMA aside CASCADE;
DROP TABLE s_global, s, o CASCADE;

DROP EXTENSION postgres_fdw CASCADE;
TRUNCATE iuid_routes, iuid_nodes;
RESET iuid.node;
