-- A route that is ahead of its node, as a restore or replication can leave it:
-- it counts as a route, and its node as none.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION postgres_fdw;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'iuid');
INSERT INTO iuid_nodes VALUES ('here', 'asia', NULL), ('there', 'america', 'elsewhere');
INSERT INTO iuid_routes VALUES (7, NULL, 'here');
SET iuid.node = 'here';
CREATE TABLE orders (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
SELECT iuid_create_routed_partitions('orders', 1);
SELECT iuid_create_global_table('orders_global', 'orders', 1);
SET check_function_bodies = off;
INSERT INTO iuid_routes VALUES (8, NULL, 'ahead'), (9, 1, 'ahead'), (9, NULL, 'there');
RESET check_function_bodies;
\set VERBOSITY sqlstate
INSERT INTO iuid_routes VALUES (10, NULL, 'ahead');
\set VERBOSITY default

-- look-ups know the node by its name, and nothing else of it
CREATE VIEW looks AS
SELECT i.country, i.entity, i.node, i.region, iuid_node(id), iuid_node(c, e) AS by_numbers, iuid_is_local(id)
FROM (VALUES (7, 1), (8, 1), (9, 1), (9, 2)) AS v(c, e),
	iuid_from_name(c, e, '') AS id, iuid_inspect(id) AS i ORDER BY c, e;
SELECT * FROM looks;
-- what is of this node, or of the nodes that have a row, is made; a foreign table needs the server
SELECT iuid_create_routed_partitions('orders', 1);
SELECT iuid_create_global_view('orders_all', 'orders');
SELECT iuid_create_global_table('orders_global', 'orders', 1);
\echo :LAST_ERROR_SQLSTATE
SELECT problem, country, node FROM iuid_check_regions('orders_global')
WHERE country IS NOT NULL OR node = 'ahead' ORDER BY country;
-- a database is not that node before the row is there
SET iuid.node = 'ahead';
SELECT iuid_is_local(iuid_from_name(8, 1, ''));
SELECT iuid_create_routed_partitions('orders', 1);
\echo :LAST_ERROR_SQLSTATE
\set VERBOSITY sqlstate
SELECT iuid_create_global_table('orders_global', 'orders', 1);
SELECT iuid_create_global_view('orders_all', 'orders');
SELECT iuid_check_regions('orders_global');
\set VERBOSITY default

-- the node arrives
SET iuid.node = 'here';
INSERT INTO iuid_nodes VALUES ('ahead', 'europe', 'elsewhere');
SELECT * FROM looks;
SELECT iuid_create_global_table('orders_global', 'orders', 1);
SELECT iuid_create_global_view('orders_all', 'orders');
SELECT problem, country, node FROM iuid_check_regions('orders_global') WHERE country IS NOT NULL;

SELECT iuid_drop_global('orders_all');
DROP VIEW looks;
DROP TABLE orders_global, orders CASCADE;
DROP EXTENSION postgres_fdw CASCADE;
TRUNCATE iuid_routes, iuid_nodes;
