-- The view of a country for the other nodes: its name, whose rights it has, and the place that it gives of a row.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET iuid.node = 'here';
CREATE EXTENSION postgres_fdw;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'iuid');
INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'elsewhere');
-- the last number of each kind: country 7 is one table, and country 255 is divided by time
CREATE TABLE orders (id iuid PRIMARY KEY, n int) PARTITION BY RANGE (id iuid_origin_ops);
INSERT INTO iuid_routes VALUES (7, NULL, 'here');
SELECT iuid_create_routed_partitions('orders', 255);
INSERT INTO iuid_routes VALUES (255, NULL, 'here');
SELECT iuid_create_routed_partitions('orders', 255, '1 year');
INSERT INTO orders SELECT gen_iuid(country, 255, at), n
FROM unnest(ARRAY[7, 255]) AS country, unnest(ARRAY[now(), '2000-01-01']) WITH ORDINALITY AS t(at, n);

-- named by table, country and entity; a name that would be too long ends in the same
SELECT oid::regclass AS view, relowner = (SELECT relowner FROM pg_class WHERE oid = 'orders'::regclass) AS of_the_owner
FROM pg_class WHERE relkind = 'v' AND relname LIKE 'orders\_%' ORDER BY relname COLLATE "C";
SELECT iuid_country(id), iuid_entity(id), count(*) FROM orders_c255_e255 GROUP BY 1, 2;
-- sha256sum gives 42f2d973…
SELECT repeat('x', 60) AS long_name \gset
CREATE TABLE :long_name (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
SELECT count(*) FROM iuid_create_routed_partitions(:'long_name', 255);
SELECT count(*) FROM pg_class WHERE relkind = 'v' AND length(relname) = 63
	AND relname ~ '^x+_42f2d973_c(7|255)_e255$';
DROP TABLE :long_name CASCADE;
-- the check of a global table reads the entity from the names of the views here,
-- or of those that its foreign tables stand on
SELECT iuid_create_global_table('orders_global', 'orders', 255);
SELECT problem, country FROM iuid_check_regions('orders_global') WHERE country IS NOT NULL;
DROP VIEW orders_c7_e255;
SELECT problem, country, remedy FROM iuid_check_regions('orders_global') WHERE country IS NOT NULL;
SELECT iuid_create_routed_partitions('orders', 255);
INSERT INTO iuid_routes VALUES (8, NULL, 'there');
SELECT iuid_create_global_table('orders_global', 'orders', 255);
SELECT ftoptions FROM pg_foreign_table WHERE ftrelid = 'orders_global_c8'::regclass;
DROP VIEW orders_c7_e255, orders_c255_e255;
SELECT problem, country, remedy FROM iuid_check_regions('orders_global') WHERE country IS NOT NULL ORDER BY country;
SELECT iuid_create_routed_partitions('orders', 255);

-- whoever comes in by the view has no rights by it, and the row security of the partition holds;
-- also when the view was made anew
CREATE ROLE regress_iuid_mesh;
GRANT SELECT ON orders_c7_e255, orders_c255_e255 TO regress_iuid_mesh;
ALTER TABLE orders_c7 ENABLE ROW LEVEL SECURITY;
ALTER TABLE orders_c255 ENABLE ROW LEVEL SECURITY;
CREATE POLICY first ON orders_c7 USING (n = 1);
CREATE POLICY first ON orders_c255 USING (n = 1);
\set seen 'SELECT iuid_country(id), n FROM orders_c7_e255 UNION ALL '
\set seen :seen 'SELECT iuid_country(id), n FROM orders_c255_e255 ORDER BY 1, 2;'
\set options 'SELECT oid::regclass AS view, reloptions FROM pg_class '
\set options :options 'WHERE relname IN (\'orders_c7_e255\', \'orders_c255_e255\') ORDER BY 1;'
:options
SET ROLE regress_iuid_mesh;
\set VERBOSITY sqlstate
SELECT n FROM orders_c7_e255;
SELECT n FROM orders_c255_e255;
\set VERBOSITY default
RESET ROLE;
:seen
GRANT SELECT ON orders_c7, orders_c255 TO regress_iuid_mesh;
SET ROLE regress_iuid_mesh;
:seen
RESET ROLE;
ALTER TABLE orders_global ADD note text;
SELECT iuid_create_routed_partitions('orders', 255);
:options
SET ROLE regress_iuid_mesh;
:seen
RESET ROLE;

-- the ctid of a row of one table is its place there;
-- where rows of several tables could have it, it is a NULL that nothing can be compared with
SELECT count(*), count(*) FILTER (WHERE v.ctid = t.ctid) AS same
FROM orders_c7_e255 AS v JOIN orders_c7 AS t USING (id);
SELECT ctid FROM orders_c255_e255;
-- the statements of postgres_fdw for a row that it has read
\set VERBOSITY terse
PREPARE updating AS UPDATE orders_c255_e255 SET n = $2 WHERE ctid = $1;
\set VERBOSITY sqlstate
PREPARE deleting AS DELETE FROM orders_c255_e255 WHERE ctid = $1;
SELECT n FROM orders_c255_e255 WHERE ctid = '(0,1)'::tid;
UPDATE orders_c255_e255 SET n = 3 WHERE ctid = '(0,1)';
DELETE FROM orders_c255_e255 WHERE ctid = ANY ('{"(0,1)"}'::tid[]);
UPDATE orders_c255_e255 AS v SET n = 3 FROM orders_c7 AS t WHERE v.ctid = t.ctid;
DELETE FROM orders_c255_e255 AS v USING orders_c7 AS t WHERE v.ctid <> t.ctid;
\set VERBOSITY default
SELECT n, count(*) FROM orders GROUP BY n ORDER BY n;
-- whoever locks rows asks for it, and needs it for nothing
SELECT ctid, n FROM orders_c255_e255 ORDER BY n FOR UPDATE;
SELECT ctid, n FROM orders_c255_e255 ORDER BY n FOR KEY SHARE;
-- a country that is divided by time later, and one that is no more: the view follows
ALTER TABLE orders DETACH PARTITION orders_c7;
ALTER TABLE orders DETACH PARTITION orders_c255;
ALTER TABLE orders_c7 RENAME TO former_7;
ALTER TABLE orders_c255 RENAME TO former_255;
CREATE TABLE orders_c255 PARTITION OF orders FOR VALUES FROM (iuid_country_floor(255)) TO (iuid_country_floor(256));
SELECT iuid_create_routed_partitions('orders', 255, '1 year');
INSERT INTO orders SELECT gen_iuid(country, 255), country FROM unnest(ARRAY[7, 255]) AS country;
SELECT ctid, n FROM orders_c7_e255;
SELECT ctid, n FROM orders_c255_e255;
:options
-- DROP of a partition leaves no view without its table
DROP TABLE orders_c7;

-- a country that no node has, beside a route for all others:
-- each look-up is an error, and its foreign table stands on such a view of another node
INSERT INTO iuid_routes VALUES (NULL, NULL, 'there'), (9, NULL, 'there'), (8, 255, NULL);
UPDATE iuid_routes SET node = NULL WHERE country = 9;
SELECT iuid_create_routed_partitions('orders', 255);
SELECT iuid_create_global_table('orders_global', 'orders', 255);
SELECT ftrelid::regclass, srvname, ftoptions
FROM pg_foreign_table JOIN pg_foreign_server AS s ON s.oid = ftserver ORDER BY ftrelid::regclass::text;
SELECT iuid_create_global_table('orders_global', 'orders', 255);
\set VERBOSITY sqlstate
SELECT FROM orders_c9_e255;
SELECT FROM orders_c9_e255 WHERE id = gen_iuid(9, 255);
SELECT count(*) FROM orders_c9_e255 WHERE n = 7 AND false IS NOT TRUE;
SELECT n FROM orders_c9_e255 FOR UPDATE;
INSERT INTO orders_c9_e255 (id) VALUES (gen_iuid(9, 255));
UPDATE orders_c9_e255 SET n = 1 WHERE id = gen_iuid(9, 255);
DELETE FROM orders_c9_e255;
\set VERBOSITY default
SELECT iuid_node(gen_iuid(9, 255)), iuid_node(gen_iuid(10, 255)), iuid_node(8, 255), iuid_node(8, 1);
SELECT problem, country FROM iuid_check_regions('orders_global') WHERE country IN (8, 9);
ALTER TABLE orders_global ADD more int[];
SELECT iuid_create_routed_partitions('orders', 255);
SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'orders_c9_e255'
ORDER BY ordinal_position;
-- and when a node has it again
UPDATE iuid_routes SET node = 'here' WHERE country = 9;
SELECT iuid_create_routed_partitions('orders', 255);
SELECT iuid_create_global_table('orders_global', 'orders', 255);
SELECT count(*) FROM orders_c9_e255;
SELECT count(*) FROM pg_foreign_table WHERE ftrelid::regclass::text LIKE '%c9';
-- and then none, with rows and without
INSERT INTO orders VALUES (gen_iuid(9, 255), 9);
UPDATE iuid_routes SET node = NULL WHERE country = 9;
SELECT iuid_create_routed_partitions('orders', 255);
SELECT count(*) FROM orders_c9_e255;
SELECT iuid_create_global_table('orders_global', 'orders', 255);
\echo :LAST_ERROR_SQLSTATE
TRUNCATE orders_c9;
SET client_min_messages = notice;
SELECT iuid_create_routed_partitions('orders', 255);
SET client_min_messages = warning;
SELECT count(*) FROM orders_c9_e255;

DROP TABLE orders_global, orders, former_7, former_255 CASCADE;
DROP EXTENSION postgres_fdw CASCADE;
DROP ROLE regress_iuid_mesh;
TRUNCATE iuid_routes, iuid_nodes;
