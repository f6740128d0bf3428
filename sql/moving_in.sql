-- A table in use gets an identifier as its key, in place, by what tools/moving_in.sql prints; then
-- it gets time partitions.  The identifiers are what the rule says, by an expression of the test.
SET timezone = 'UTC';
SET datestyle = ISO;
SET client_min_messages = warning;
\set VERBOSITY terse
CREATE TABLE shops (tenant int, code text, note text, PRIMARY KEY (tenant, code));
CREATE TABLE orders (id int PRIMARY KEY, parent_id int REFERENCES orders ON DELETE SET NULL, at timestamptz,
	tenant int, code text, FOREIGN KEY (tenant, code) REFERENCES shops ON UPDATE CASCADE);
CREATE TABLE items (order_id int NOT NULL REFERENCES orders ON DELETE CASCADE, line int, PRIMARY KEY (order_id, line));
CREATE INDEX ON orders (at);
INSERT INTO shops VALUES (1, 'a'), (1, 'ä"\'), (2, E'\t\u0001');
INSERT INTO orders
SELECT n, nullif(n / 10, 0), timestamptz '2026-01-01 00:00:00.1239' + n * interval '1 day', 1, 'a'
FROM generate_series(1, 90) AS n;
INSERT INTO orders VALUES (91, 91, NULL), (92, 91, 'infinity');
INSERT INTO items SELECT n, 1 FROM generate_series(1, 90) AS n;

\set ECHO none
\i tools/moving_in.sql
\set ECHO all
\set orders '''orders'', ''125'', ''1'', ''at'''
\set shops '''shops'', ''tenant'', ''2'', columns => ''{"orders_tenant_code_fkey": "shop"}'''
SELECT * FROM moving_in.problems(:orders) UNION ALL SELECT * FROM moving_in.problems(:shops);
CREATE TABLE printed AS
SELECT 'orders' AS of, row_number() OVER () AS n, * FROM moving_in.statements(:orders)
UNION ALL SELECT 'shops', row_number() OVER (), * FROM moving_in.statements(:shops);
SELECT note FROM printed WHERE of = 'orders' AND step = 0 ORDER BY n;
SELECT step, CASE WHEN statement LIKE 'DO%' THEN 'DO' ELSE statement END AS statement, locks, note
FROM printed WHERE of = 'orders' AND step > 0 ORDER BY n;
CREATE VIEW keys AS SELECT conrelid::regclass AS of, conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
	WHERE conrelid IN ('orders'::regclass, 'items'::regclass, 'shops'::regclass) AND contype IN ('p', 'u', 'f');
CREATE TABLE keys_before AS SELECT * FROM keys;

-- Forth, twice each, and an old client in the middle
\set ECHO none
SELECT unnest(ARRAY[statement, statement]) FROM printed WHERE step IN (1, 2) ORDER BY of, n \gexec
\set ECHO all
INSERT INTO orders VALUES (93, 92, '2026-12-31 23:59:59.9999', 2, E'\t\u0001') ON CONFLICT (id) DO NOTHING;
\set ECHO none
SELECT unnest(ARRAY[statement, statement]) FROM printed WHERE step BETWEEN 3 AND 6 ORDER BY of, n \gexec
\set ECHO all
SELECT * FROM keys ORDER BY of::text COLLATE "C", conname;

-- Each row has the identifier of the rule.
SELECT count(*), count(*) FILTER (WHERE iuid = iuid_from_name(125, 1, 'orders/' || id, at)) AS timed
FROM orders WHERE at < 'infinity' AND id < 93;
SELECT id, iuid_layout(iuid), iuid = iuid_from_name(125, 1, 'orders/' || id) AS same
FROM orders WHERE at IS NULL OR at = 'infinity' ORDER BY id;
SELECT iuid_layout(iuid), iuid_country(iuid), iuid_entity(iuid), iuid_timestamp(iuid),
	iuid = iuid_from_name(125, 1, 'orders/93', at) AS is_derived FROM orders WHERE id = 93;
SELECT iuid = iuid_from_name(tenant, 2, CASE code
	WHEN 'a' THEN 'shops/["1","a"]' WHEN 'ä"\' THEN 'shops/["1","ä\"\\"]' ELSE 'shops/["2","\t\u0001"]' END) AS same
FROM shops;
SELECT count(*) FROM orders AS o LEFT JOIN orders AS p ON p.id = o.parent_id
	LEFT JOIN shops AS s ON (s.tenant, s.code) = (o.tenant, o.code)
WHERE (o.parent_iuid, o.shop) IS DISTINCT FROM (p.iuid, s.iuid);
SELECT count(*) FROM items JOIN orders ON orders.id = order_id WHERE order_iuid = orders.iuid;

-- Old and new clients
UPDATE shops SET code = 'b' WHERE code = 'a';
SELECT count(*) FROM orders JOIN shops ON shops.iuid = shop
WHERE (orders.tenant, orders.code) = (1, 'b') AND shops.code = 'b';
INSERT INTO items (order_iuid, line) SELECT iuid, 2 FROM orders WHERE id = 7 RETURNING order_id;
INSERT INTO items (order_iuid, line) VALUES (gen_iuid(125, 1), 3);
UPDATE items SET order_id = 8 WHERE (order_id, line) = (7, 2);
SELECT iuid = order_iuid AS same FROM items JOIN orders ON id = 8 WHERE line = 2;
DELETE FROM orders WHERE id = 8;
SELECT count(*) FROM items WHERE order_id = 8;
SELECT DISTINCT parent_iuid FROM orders WHERE id BETWEEN 80 AND 89;
SELECT id, count(*), at FROM orders GROUP BY id;

-- Back, and there again
\set ECHO none
SELECT unnest(ARRAY[statement, statement]) FROM printed WHERE step >= 7 ORDER BY of DESC, n \gexec
\set ECHO all
TABLE keys EXCEPT TABLE keys_before;
TABLE keys_before EXCEPT TABLE keys;
SELECT count(*) FROM pg_proc WHERE prosrc ~ 'made by moving_in' AND pronamespace <> 'moving_in'::regnamespace;
\set ECHO none
SELECT statement FROM printed WHERE step BETWEEN 1 AND 6 ORDER BY of, n \gexec
\set ECHO all

-- No old client is left: a table with time partitions, of which the old one is the first.
-- Nothing reads it under a lock.
DELETE FROM orders WHERE iuid_layout(iuid) = 1;
ALTER TABLE orders ALTER iuid SET DEFAULT gen_iuid(125, 1);
ALTER TABLE shops ALTER iuid SET DEFAULT gen_iuid(1, 2);
ALTER TABLE items DROP CONSTRAINT items_pkey, ALTER order_id DROP NOT NULL;
\set ECHO none
SELECT statement FROM printed WHERE note ~ '^triggers and functions go' ORDER BY of DESC \gexec
\set ECHO all
ALTER TABLE items DROP COLUMN order_id;
ALTER TABLE orders DROP COLUMN parent_id,
	ADD CHECK (iuid >= iuid_floor('2026-01-01') AND iuid < iuid_floor('2027-01-01')) NOT VALID;
ALTER TABLE orders VALIDATE CONSTRAINT orders_iuid_check;
BEGIN;
ALTER TABLE items DROP CONSTRAINT items_order_iuid_fkey;
ALTER TABLE orders DROP CONSTRAINT orders_parent_iuid_fkey;
ALTER TABLE orders RENAME TO orders_old;
CREATE TABLE orders (LIKE orders_old INCLUDING ALL EXCLUDING INDEXES EXCLUDING CONSTRAINTS, PRIMARY KEY (iuid))
	PARTITION BY RANGE (iuid);
SET LOCAL client_min_messages = debug1;
ALTER TABLE orders ATTACH PARTITION orders_old FOR VALUES FROM (iuid_floor('2026-01-01')) TO (iuid_floor('2027-01-01'));
SET LOCAL client_min_messages = warning;
ALTER TABLE items ADD CONSTRAINT items_order_iuid_fkey
	FOREIGN KEY (order_iuid) REFERENCES orders ON DELETE CASCADE NOT VALID;
COMMIT;
ALTER TABLE items VALIDATE CONSTRAINT items_order_iuid_fkey;
CREATE INDEX ON orders (at);
SELECT iuid_create_partitions('orders', '1 month', '2027-01-01', '2027-03-01');
SELECT partition, lower, upper FROM iuid_partitions('orders');
SELECT * FROM iuid_check_partitions('orders');
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE iuid >= timestamptz '2027-02-01';

-- The months apart, when there is time: the old table as DEFAULT
ALTER TABLE items DROP CONSTRAINT items_order_iuid_fkey;
ALTER TABLE orders DETACH PARTITION orders_old;
ALTER TABLE orders_old DROP CONSTRAINT orders_iuid_check;
ALTER TABLE orders ATTACH PARTITION orders_old DEFAULT;
ALTER TABLE items ADD FOREIGN KEY (order_iuid) REFERENCES orders;
SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-03-01');
SELECT tableoid::regclass::text COLLATE "C" AS partition, count(*) FROM orders GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM items JOIN orders ON iuid = order_iuid;
DROP SCHEMA moving_in CASCADE;
DROP TABLE shops, orders, items, printed, keys_before CASCADE;
