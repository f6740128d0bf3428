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

-- a key of type uuid: the generator, partitions by time, the extractors by a cast, and a CHECK that
-- refuses what is no identifier, and says why
CREATE TABLE payments (id uuid DEFAULT gen_iuid(125, 1) PRIMARY KEY CHECK (id::iuid IS NOT NULL), note text) PARTITION BY RANGE (id);
SELECT iuid_create_partitions('payments', '1 month', '2026-01-01', '2026-04-01');
INSERT INTO payments VALUES (gen_iuid(125, 1, '2026-02-03 04:05'), 'of the past'), (gen_iuid(124, 1, '2026-03-03'), 'of another country');
INSERT INTO payments VALUES ('019b76da-a87b-7cc3-98c4-dc0c0c07398f');
SELECT tableoid::regclass, iuid_timestamp(id::iuid), iuid_country(id::iuid), iuid_entity(id::iuid), note FROM payments WHERE iuid_is_from(id::iuid, 125);
EXPLAIN (COSTS OFF) SELECT * FROM payments WHERE id >= iuid_floor('2026-03-02') AND iuid_is_from(id::iuid, 125);
PREPARE since (timestamptz) AS SELECT note FROM payments WHERE id >= iuid_floor($1);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE since('2026-03-02');
RESET plan_cache_mode;
-- an index in order by origin is one on the cast
CREATE INDEX ON payments_2026_02 ((id::iuid) iuid_origin_ops);
EXPLAIN (COSTS OFF) SELECT * FROM payments_2026_02 WHERE iuid_is_from(id::iuid, 124);

-- a function for uuid beside the one for iuid: no literal and no parameter would find either
SELECT iuid_country('019b76da-a87b-807d-8041-23456789abcd');
CREATE FUNCTION iuid_country(uuid) RETURNS int LANGUAGE sql IMMUTABLE STRICT RETURN iuid_country($1::iuid);
\set VERBOSITY terse
SELECT iuid_country('019b76da-a87b-807d-8041-23456789abcd');
PREPARE country_of AS SELECT iuid_country($1);
\set VERBOSITY default
DROP FUNCTION iuid_country(uuid);

-- from iuid to uuid the rows stay as they are; the way back checks each of them
CREATE TABLE changing (id iuid PRIMARY KEY);
INSERT INTO changing VALUES ('019b76da-a87b-807d-8041-23456789abcd');
CREATE TABLE before AS SELECT relfilenode FROM pg_class WHERE oid = 'changing'::regclass;
ALTER TABLE changing ALTER id TYPE uuid;
SELECT count(*) AS not_rewritten FROM pg_class JOIN before USING (relfilenode) WHERE oid = 'changing'::regclass;
INSERT INTO changing VALUES ('919108f7-52d1-4320-9bac-f847db4148a8');
ALTER TABLE changing ALTER id TYPE iuid;
DELETE FROM changing WHERE id = '919108f7-52d1-4320-9bac-f847db4148a8';
ALTER TABLE changing ALTER id TYPE iuid;
SELECT id, pg_typeof(id) FROM changing;
DROP TABLE payments, changing, before;
