-- A global view: what it is made of, what a later call makes of it, and how it is dropped.
\set SHOW_CONTEXT never
SET iuid.node = 'almaty';
INSERT INTO iuid_countries VALUES (1, 'AA', 'Here'), (2, 'BB', 'There');
INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL), ('jakarta', 'asia', 'jakarta'), ('dublin', 'europe', 'dublin');
INSERT INTO iuid_routes VALUES (1, NULL, 'almaty'), (2, NULL, 'jakarta');
CREATE EXTENSION postgres_fdw;
CREATE SERVER jakarta FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'iuid');
CREATE SERVER dublin FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'iuid');
CREATE TABLE orders (id iuid PRIMARY KEY, gone int, item text COLLATE "C", "A b" numeric(9, 2))
	PARTITION BY RANGE (id iuid_origin_ops);
ALTER TABLE orders DROP gone;
SELECT iuid_create_routed_partitions('orders', 7);
SELECT iuid_create_global_table('orders_global', 'orders', 7);

SELECT iuid_create_global_view('orders_all', 'orders');
EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM orders_all;
CREATE VIEW stands AS
SELECT ftrelid::regclass AS foreign, srvname, ftoptions
FROM pg_foreign_table JOIN pg_foreign_server AS s ON s.oid = ftserver ORDER BY ftrelid::regclass::text COLLATE "C";
SELECT * FROM stands;
SELECT attrelid::regclass, attname, format_type(atttypid, atttypmod), collname
FROM pg_attribute LEFT JOIN pg_collation AS c ON c.oid = attcollation
WHERE attrelid IN ('orders_all'::regclass, 'orders_all_dublin'::regclass) AND attnum > 0
ORDER BY attrelid::regclass::text, attnum;
-- a node that is left out is not asked
EXPLAIN (COSTS OFF) SELECT FROM orders_all WHERE node = 'dublin';
-- the view keeps its OID, and with it what was granted and what stands on it; nothing is made twice
CREATE VIEW items AS SELECT item FROM orders_all;
SELECT 'orders_all'::regclass::oid AS before \gset
SELECT iuid_create_global_view('orders_all', 'orders');

-- columns that trade their names, and a new one: the views of countries follow, too
ALTER TABLE orders_global RENAME "A b" TO price;
ALTER TABLE orders_global RENAME item TO "A b";
ALTER TABLE orders_global RENAME price TO item;
ALTER TABLE orders_global ADD paid boolean;
SELECT iuid_create_routed_partitions('orders', 7);
SELECT iuid_create_global_view('orders_all', 'orders');
EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM orders_c1_e7;
EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM orders_all;
-- a node leaves, one comes, one gets another name, one another server
DELETE FROM iuid_nodes WHERE node = 'dublin';
INSERT INTO iuid_nodes VALUES ('it''s "new" %s', 'europe', 'dublin');
UPDATE iuid_nodes SET server = 'dublin' WHERE node = 'jakarta';
SELECT iuid_create_global_view('orders_all', 'orders');
EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM orders_all;
SELECT * FROM stands;
SELECT iuid_create_global_table('orders_global', 'orders', 7);
UPDATE iuid_nodes SET server = 'jakarta' WHERE node = 'jakarta';
DELETE FROM iuid_nodes WHERE server = 'dublin';
-- the local table gets another name and schema, as at the other nodes
CREATE SCHEMA regress_iuid_shop;
ALTER TABLE orders RENAME TO sales;
ALTER TABLE sales SET SCHEMA regress_iuid_shop;
SELECT iuid_create_global_view('public.orders_all', 'regress_iuid_shop.sales');
SELECT iuid_create_global_table('public.orders_global', 'regress_iuid_shop.sales', 7);
SELECT * FROM stands;
SELECT 'orders_all'::regclass::oid = :before AS same_view;
ALTER TABLE regress_iuid_shop.sales SET SCHEMA public;
ALTER TABLE sales RENAME TO orders;
SELECT iuid_create_global_view('orders_all', 'orders');
SELECT iuid_create_global_table('orders_global', 'orders', 7);

-- DROP of a partition needs CASCADE, and DROP of one that the view stood on before does not
ALTER TABLE orders DETACH PARTITION orders_c1;
ALTER TABLE orders_c1 RENAME TO orders_old;
SELECT iuid_create_routed_partitions('orders', 7);
DROP TABLE orders_old;
EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM orders_c1_e7;
-- a partition with another order of columns
ALTER TABLE orders DETACH PARTITION orders_c1;
ALTER TABLE orders_c1 RENAME TO orders_old;
CREATE TABLE orders_c1 (paid boolean, item numeric(9, 2), id iuid PRIMARY KEY, "A b" text COLLATE "C");
ALTER TABLE orders ATTACH PARTITION orders_c1 FOR VALUES FROM (iuid_country_floor(1)) TO (iuid_country_floor(2));
SELECT iuid_create_routed_partitions('orders', 7);
DROP TABLE orders_old;
EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM orders_c1_e7;
ALTER TABLE orders DETACH PARTITION orders_c1;
DROP TABLE orders_c1;
DROP TABLE orders_c1 CASCADE;
SELECT to_regclass('orders_c1_e7');

-- errors
\set VERBOSITY sqlstate
SELECT iuid_create_global_view(NULL, 'orders');
SELECT iuid_create_global_view('orders_all', NULL);
SELECT iuid_create_global_view('a.b.c', 'orders');
SELECT iuid_create_global_view('nowhere.orders_all', 'orders');
SELECT iuid_create_global_view('orders_all', 'items');
SELECT iuid_create_global_view('orders_all', 0);
SELECT iuid_create_global_view('stands', 'orders');
SELECT iuid_create_global_view('orders_global', 'orders');
CREATE TABLE with_node (node text);
SELECT iuid_create_global_view('w', 'with_node');
INSERT INTO iuid_nodes VALUES ('nowhere', 'x', NULL);
SELECT iuid_create_global_view('o', 'orders');
DELETE FROM iuid_nodes WHERE node = 'nowhere';
SET iuid.node = 'unknown';
SELECT iuid_create_global_view('o', 'orders');
RESET iuid.node;
SELECT iuid_create_global_view('o', 'orders');
SELECT iuid_drop_global(NULL);
SELECT iuid_drop_global(0);
SELECT iuid_drop_global('orders');
SELECT iuid_drop_global('stands');
CREATE VIEW no_columns AS SELECT;
SELECT iuid_drop_global('no_columns');
SELECT iuid_drop_global('orders_all');
CREATE TABLE of_this_node PARTITION OF orders_global FOR VALUES FROM (iuid_country_floor(4)) TO (iuid_country_floor(5));
SELECT iuid_drop_global('orders_global');
DROP TABLE of_this_node;
CREATE ROLE regress_iuid_other;
SET iuid.node = 'almaty';
ALTER FOREIGN TABLE orders_all_jakarta OWNER TO regress_iuid_other;
SELECT iuid_create_global_view('orders_all', 'orders');
ALTER FOREIGN TABLE orders_all_jakarta OWNER TO CURRENT_USER;
-- what another role owns does not go with a view, whoever drops it
DROP VIEW items;
GRANT CREATE ON SCHEMA public TO regress_iuid_other;
ALTER VIEW orders_all OWNER TO regress_iuid_other;
SELECT iuid_drop_global('orders_all');
ALTER VIEW orders_all OWNER TO CURRENT_USER;
REVOKE CREATE ON SCHEMA public FROM regress_iuid_other;
CREATE VIEW items AS SELECT item FROM orders_all;
-- what is written by hand is no global view
CREATE VIEW by_hand AS SELECT 'almaty'::text AS node, * FROM orders WHERE paid;
SELECT iuid_create_global_view('by_hand', 'orders');
SELECT iuid_drop_global('by_hand');
DROP VIEW by_hand;
-- an older snapshot lacks what has come since
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT iuid_create_global_view('orders_all', 'orders');
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT iuid_drop_global('orders_global');
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT iuid_create_routed_partitions('orders', 7);
ROLLBACK;
RESET iuid.node;
SET ROLE regress_iuid_other;
SELECT iuid_create_global_view('o', 'orders');
SELECT iuid_drop_global('orders_all');
SELECT iuid_drop_global('orders_global');
RESET ROLE;
\set VERBOSITY default

-- dropped: the local table stays, with its rows
INSERT INTO iuid_routes VALUES (3, NULL, 'almaty');
SET iuid.node = 'almaty';
SELECT iuid_create_routed_partitions('orders', 7);
INSERT INTO orders VALUES (gen_iuid(1, 7), 1);
DROP VIEW items;
SELECT iuid_drop_global('orders_all');
SELECT iuid_drop_global('orders_global');
SELECT * FROM stands;
SELECT count(*) FROM orders;
DROP VIEW stands, no_columns;
DROP TABLE orders, with_node CASCADE;
DROP SCHEMA regress_iuid_shop;
DROP ROLE regress_iuid_other;
DROP EXTENSION postgres_fdw CASCADE;
TRUNCATE iuid_routes, iuid_nodes, iuid_countries;
