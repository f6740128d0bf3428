-- Columns of core's uuid beside columns of iuid: each keeps its own index.
SET timezone = 'UTC';

CREATE TABLE old_orders (id uuid PRIMARY KEY);
CREATE TABLE orders (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE orders_1 PARTITION OF orders FOR VALUES FROM (iuid_floor('2026-01-01')) TO (iuid_floor('2026-02-01'));
CREATE TABLE orders_2 PARTITION OF orders FOR VALUES FROM (iuid_floor('2026-02-01')) TO (iuid_floor('2026-03-01'));
INSERT INTO orders SELECT gen_iuid(7, 1, timestamptz '2026-01-01' + n * interval '1 hour') FROM generate_series(1, 1400) AS n;
INSERT INTO old_orders SELECT id FROM orders;
ANALYZE orders, old_orders;

-- a uuid column compared with an iuid expression: core's operator, and the column's index
EXPLAIN (COSTS OFF) SELECT * FROM old_orders WHERE id = '019b7612-3c00-8007-8041-23456789abcd'::iuid;
EXPLAIN (COSTS OFF) SELECT * FROM old_orders WHERE id >= iuid_floor('2026-02-27 12:00');
EXPLAIN (COSTS OFF) SELECT * FROM old_orders WHERE iuid_floor('2026-02-27 12:00') <= id;
EXPLAIN (COSTS OFF) SELECT * FROM old_orders WHERE id < iuid_floor(now() - interval '100 years');
SELECT count(*) FROM old_orders WHERE id >= iuid_floor('2026-02-01') AND id < iuid_floor('2026-02-02');

-- an iuid column cast to uuid, by a function or a view: still its own index and partitions
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE id::uuid = '019c3549-2800-8007-8041-23456789abcd';

-- a join reaches into either side by its index, and into the one partition that can match
SET enable_hashjoin = off;
SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT * FROM old_orders JOIN orders USING (id) WHERE old_orders.id >= iuid_floor('2026-02-27 12:00');
EXPLAIN (COSTS OFF) SELECT * FROM orders JOIN old_orders ON old_orders.id = orders.id WHERE orders.id >= timestamptz '2026-02-27 12:00';
RESET enable_hashjoin;
RESET enable_mergejoin;

-- a correlated subquery, from either side
EXPLAIN (COSTS OFF) SELECT * FROM orders_1, LATERAL (SELECT FROM old_orders AS o WHERE o.id = orders_1.id OFFSET 0) AS x;
EXPLAIN (COSTS OFF) SELECT * FROM old_orders, LATERAL (SELECT FROM orders_1 AS o WHERE o.id = old_orders.id OFFSET 0) AS x;

-- an array of iuid is the one argument that a uuid column's index cannot take; its cast can
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM old_orders WHERE id = ANY ('{019b7612-3c00-8007-8041-23456789abcd}'::iuid[]);
EXPLAIN (COSTS OFF) SELECT * FROM old_orders WHERE id = ANY ('{019b7612-3c00-8007-8041-23456789abcd}'::iuid[]::uuid[]);

-- functions on uuid take an iuid
SELECT uuid_hash(id) = uuid_hash(id::uuid) AS same FROM orders LIMIT 1;

-- a set operation or CASE over both types is of type uuid
SELECT DISTINCT pg_typeof(id) FROM (SELECT id FROM orders UNION SELECT id FROM old_orders) AS x;
DROP TABLE orders, old_orders;
