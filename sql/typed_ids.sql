-- A domain for the identifiers of each entity (doc/columns.md).
\set SHOW_CONTEXT never
CREATE DOMAIN order_id AS iuid CHECK (iuid_entity(VALUE::text::uuid) = 1);
CREATE DOMAIN wallet_id AS iuid CHECK (iuid_entity(VALUE::text::uuid) = 3);

-- the key of a partitioned table is an iuid with a CHECK, and what refers to it has the domain
CREATE TABLE wallets (id wallet_id DEFAULT gen_iuid(7, 3) PRIMARY KEY);
CREATE TABLE orders (
	id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY CONSTRAINT is_order CHECK (iuid_entity(id) = 1),
	wallet_id wallet_id REFERENCES wallets
) PARTITION BY RANGE (id);
SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-02-01');
CREATE TABLE receipts (order_id order_id REFERENCES orders, n int, PRIMARY KEY (order_id, n));
CREATE INDEX receipts_by_country ON receipts (order_id iuid_origin_ops);
INSERT INTO wallets SELECT gen_iuid(7, 3, timestamptz '2025-06-01 00:00+00' + n * interval '1 minute')
FROM generate_series(1, 1000) AS n;
INSERT INTO orders SELECT gen_iuid(n::int % 5, 1, timestamptz '2026-01-01 00:00+00' + n * interval '1 hour'), wallet
FROM (SELECT row_number() OVER (ORDER BY id) AS n, id AS wallet FROM wallets) AS w;
INSERT INTO receipts SELECT id, n FROM orders, generate_series(1, 3) AS n;
ANALYZE;

-- an identifier of another entity is refused where it comes in: by a column, a reference, an argument
SELECT id AS wallet FROM wallets ORDER BY id LIMIT 1 \gset
SELECT id AS "order" FROM orders ORDER BY id LIMIT 1 OFFSET 500 \gset
\set VERBOSITY terse
INSERT INTO orders (id) VALUES (gen_iuid(7, 2, '2026-01-15'));
\set VERBOSITY default
INSERT INTO wallets VALUES (gen_iuid(7, 1));
INSERT INTO receipts VALUES (gen_iuid(7, 3), 1);
CREATE FUNCTION receipts_of(order_id) RETURNS bigint
LANGUAGE sql STABLE RETURN (SELECT count(*) FROM receipts WHERE order_id = $1);
SELECT receipts_of(:'order');
SELECT receipts_of(:'wallet');
SELECT receipts_of(id) FROM wallets LIMIT 1;
SELECT '00000000-0000-0000-0000-000000000000'::order_id, NULL::order_id;

-- what an iuid has, the domain has, too: indexes, times, uuid parameters in generic plans, joins
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM receipts WHERE order_id = '019b76da-a800-8007-8040-000000000000';
EXPLAIN (COSTS OFF) SELECT * FROM receipts WHERE order_id < timestamptz '2026-01-02 00:00+00';
EXPLAIN (COSTS OFF) SELECT * FROM receipts WHERE order_id <@ tstzrange('2026-01-02 00:00+00', '2026-01-03 00:00+00');
EXPLAIN (COSTS OFF) SELECT * FROM receipts WHERE iuid_is_from(order_id, 3);
SET plan_cache_mode = force_generic_plan;
PREPARE by_uuid(uuid) AS SELECT * FROM receipts WHERE order_id = $1;
EXPLAIN (COSTS OFF) EXECUTE by_uuid('019b76da-a800-8007-8040-000000000000');
PREPARE orders_by_uuid(uuid) AS SELECT * FROM orders WHERE id = $1;
EXPLAIN (COSTS OFF) EXECUTE orders_by_uuid('019b76da-a800-8007-8040-000000000000');
PREPARE by_domain(order_id) AS SELECT * FROM orders WHERE id = $1;
EXPLAIN (COSTS OFF) EXECUTE by_domain(:'order');
EXECUTE by_domain(:'wallet');
RESET plan_cache_mode;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT * FROM receipts JOIN orders ON id = order_id
WHERE order_id < timestamptz '2026-01-01 05:00+00';
SELECT count(*), count(DISTINCT order_id), min(n) FROM receipts JOIN orders ON id = order_id
WHERE iuid_is_from(order_id, 3);
SELECT max(order_id) = (SELECT max(id) FROM orders) AS max FROM receipts;

-- a boundary has entity 0, so the key of a partitioned table cannot have the domain
CREATE TABLE lines (id order_id PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE lines_01 PARTITION OF lines FOR VALUES FROM (iuid_floor('2026-01-01')) TO (iuid_floor('2026-02-01'));
SELECT iuid_create_partitions('lines', '1 month', '2026-01-01', '2026-02-01');

DROP FUNCTION receipts_of;
DROP TABLE lines, receipts, orders, wallets;
DROP DOMAIN order_id, wallet_id;
