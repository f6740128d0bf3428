-- What is a user's own stays, and what is not as it should be any more is made anew.
\set SHOW_CONTEXT never
\set VERBOSITY terse
SET client_min_messages = warning;
SET iuid.node = 'here';
CREATE EXTENSION postgres_fdw;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'iuid');
INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'elsewhere');
INSERT INTO iuid_routes VALUES (1, NULL, 'here'), (2, NULL, 'there');
CREATE TABLE o (id iuid PRIMARY KEY, a int, b int) PARTITION BY RANGE (id iuid_origin_ops);

-- a partition of several countries has no view of one
CREATE TABLE o_wide PARTITION OF o FOR VALUES FROM (iuid_country_floor(1)) TO (iuid_country_floor(3));
SELECT iuid_create_routed_partitions('o', 0);
SELECT to_regclass('o_c1_e0');
DROP TABLE o_wide;
-- a view of two tables
CREATE TABLE other (id iuid);
CREATE VIEW o_c1_e0 AS SELECT other.ctid, o.id, o.a FROM other JOIN o USING (id);
SELECT iuid_create_routed_partitions('o', 0);
DROP TABLE other CASCADE;
-- two columns that trade their names
SELECT iuid_create_routed_partitions('o', 0);
INSERT INTO o VALUES (gen_iuid(1, 0), 1, 2);
ALTER TABLE o RENAME a TO x;
ALTER TABLE o RENAME b TO a;
ALTER TABLE o RENAME x TO b;
SELECT iuid_create_routed_partitions('o', 0);
SELECT a, b FROM o_c1_e0;
-- a foreign partition of several countries
SELECT iuid_create_global_table('g', 'o', 0);
DROP FOREIGN TABLE g_c2;
CREATE FOREIGN TABLE g_wide PARTITION OF g
	FOR VALUES FROM (iuid_country_floor(2)) TO (iuid_country_floor(4)) SERVER elsewhere;
SELECT iuid_create_global_table('g', 'o', 0);
SELECT to_regclass('g_wide');
SELECT problem, country FROM iuid_check_regions('g') WHERE country IS NOT NULL;
DROP FOREIGN TABLE g_wide;
-- a table that moves to another schema
SELECT iuid_create_global_table('g', 'o', 0);
CREATE SCHEMA moved;
ALTER TABLE o SET SCHEMA moved;
SELECT iuid_create_global_table('public.g', 'moved.o', 0);
SELECT ftrelid::regclass, ftoptions FROM pg_foreign_table;
ALTER TABLE moved.o SET SCHEMA public;
SELECT iuid_drop_global('g');
-- a generated column
ALTER TABLE o ADD twice int GENERATED ALWAYS AS (a * 2) STORED;
SELECT iuid_create_global_table('g', 'o', 0);
SELECT attrelid::regclass, attgenerated FROM pg_attribute
WHERE attname = 'twice' AND attrelid IN ('g'::regclass, 'g_c2'::regclass) ORDER BY attrelid;
SELECT iuid_drop_global('g');
-- the lock_timeout of the caller
BEGIN;
SET LOCAL lock_timeout = '7s';
SELECT iuid_create_global_view('v', 'o');
SHOW lock_timeout;
COMMIT;
-- a global view of a table that another one takes the place of
ALTER TABLE o RENAME TO former;
CREATE TABLE o (LIKE former INCLUDING ALL) PARTITION BY RANGE (id iuid_origin_ops);
SELECT iuid_create_global_view('v', 'o');
SELECT count(*) FROM v WHERE node = 'here';
DROP TABLE former CASCADE;
-- and one whose parts are exchanged
INSERT INTO iuid_nodes VALUES ('third', NULL, 'elsewhere');
SELECT iuid_create_global_view('v', 'o');
DO $$ BEGIN
	EXECUTE format('CREATE OR REPLACE VIEW v AS %s',
		replace(replace(replace(pg_get_viewdef('v'),
			'''there''', '''x'''), '''third''', '''there'''), '''x''', '''third'''));
END $$;
SELECT iuid_create_global_view('v', 'o');
SELECT * FROM iuid_view_parts('v') ORDER BY node;
-- a view that reads as its owner, said in so many words
ALTER VIEW v SET (security_invoker = false);
SELECT problem, node, relation FROM iuid_check_regions('v') WHERE relation IS NOT NULL ORDER BY node;
SELECT iuid_drop_global('v');
-- with one node, too
DELETE FROM iuid_routes WHERE node = 'there';
DELETE FROM iuid_nodes WHERE node <> 'here';
SELECT iuid_create_global_view('v', 'o');
ALTER TABLE o ADD c int;
SELECT iuid_create_global_view('v', 'o');
SELECT count(c) FROM v;
SELECT iuid_drop_global('v');
-- a view that names no node; a table in another order
CREATE VIEW v AS SELECT 'x'::text AS label, id, a, b FROM o;
SELECT iuid_drop_global('v');
CREATE TABLE p (id uuid) PARTITION BY RANGE (id);
CREATE TABLE p_default PARTITION OF p DEFAULT;
CREATE FOREIGN TABLE p_old PARTITION OF p
	FOR VALUES FROM ('00000000-0000-0000-0000-000000000000') TO ('10000000-0000-0000-0000-000000000000')
	SERVER elsewhere;
SELECT iuid_drop_global('p');
-- of two modes of a lock the stronger one
SELECT iuid_all_locks(ARRAY['{"1": 4, "2": 8}', '{"1": 8, "2": 4}']::jsonb[]);
-- a country that no node has any more, and its view
INSERT INTO iuid_routes VALUES (5, NULL, 'here');
SELECT iuid_create_routed_partitions('o', 0);
SELECT iuid_create_global_table('g', 'o', 0);
ALTER TABLE o DETACH PARTITION o_c5;
UPDATE iuid_routes SET node = NULL WHERE country = 5;
SELECT problem, country FROM iuid_check_regions('g');

-- the entity, whatever view a stranger makes
CREATE ROLE regress_iuid_stranger;
GRANT CREATE ON SCHEMA public TO regress_iuid_stranger;
CREATE TABLE q (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
SELECT iuid_create_routed_partitions('q', 3);
SELECT iuid_create_global_table('q_global', 'q', 3);
GRANT SELECT ON q_c1 TO regress_iuid_stranger;
SET ROLE regress_iuid_stranger;
CREATE VIEW q_c1_e1 AS SELECT id FROM q_c1;
RESET ROLE;
SELECT problem, country FROM iuid_check_regions('q_global') WHERE country IS NOT NULL;
-- the step of the latest partition
CREATE TABLE d (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE d_c1 PARTITION OF d
	FOR VALUES FROM (iuid_country_floor(1)) TO (iuid_country_floor(2)) PARTITION BY RANGE (id);
CREATE TABLE d_1 PARTITION OF d_c1
	FOR VALUES FROM (iuid_floor('2026-01-01 00:00+00')) TO (iuid_floor('2026-01-11 00:00+00'));
CREATE TABLE d_2 PARTITION OF d_c1
	FOR VALUES FROM (iuid_floor('2026-02-01 00:00+00')) TO (iuid_floor('2026-03-01 00:00+00'));
SELECT iuid_step_of('d');

DROP TABLE g, q_global CASCADE;
DROP TABLE IF EXISTS o, o_c5, p, q, d CASCADE;
DROP OWNED BY regress_iuid_stranger;
DROP ROLE regress_iuid_stranger;
DROP SCHEMA moved;
DROP EXTENSION postgres_fdw CASCADE;
TRUNCATE iuid_routes, iuid_nodes;
RESET iuid.node;
