-- Columns of core's uuid beside columns of iuid: each keeps its own index.
SET timezone = 'UTC';

CREATE TABLE old_orders (id uuid PRIMARY KEY);
CREATE TABLE orders (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE orders_1 PARTITION OF orders FOR VALUES FROM (iuid_floor('2026-01-01')) TO (iuid_floor('2026-02-01'));
CREATE TABLE orders_2 PARTITION OF orders FOR VALUES FROM (iuid_floor('2026-02-01')) TO (iuid_floor('2026-03-01'));
INSERT INTO orders SELECT gen_iuid(7, 1, timestamptz '2026-01-01' + n * interval '1 hour')
FROM generate_series(1, 1400) AS n;
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
EXPLAIN (COSTS OFF) SELECT * FROM old_orders JOIN orders USING (id)
WHERE old_orders.id >= iuid_floor('2026-02-27 12:00');
EXPLAIN (COSTS OFF) SELECT * FROM orders JOIN old_orders ON old_orders.id = orders.id
WHERE orders.id >= timestamptz '2026-02-27 12:00';
RESET enable_hashjoin;
RESET enable_mergejoin;

-- a correlated subquery, from either side
EXPLAIN (COSTS OFF) SELECT *
FROM orders_1, LATERAL (SELECT FROM old_orders AS o WHERE o.id = orders_1.id OFFSET 0) AS x;
EXPLAIN (COSTS OFF) SELECT *
FROM old_orders, LATERAL (SELECT FROM orders_1 AS o WHERE o.id = old_orders.id OFFSET 0) AS x;

-- an array of iuid is the one argument that a uuid column's index cannot take; its cast can
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM old_orders WHERE id = ANY ('{019b7612-3c00-8007-8041-23456789abcd}'::iuid[]);
EXPLAIN (COSTS OFF) SELECT * FROM old_orders WHERE id = ANY ('{019b7612-3c00-8007-8041-23456789abcd}'::iuid[]::uuid[]);

-- functions on uuid take an iuid
SELECT uuid_hash(id) = uuid_hash(id::uuid) AS same FROM orders LIMIT 1;

-- a set operation or CASE over both types is of type uuid
SELECT DISTINCT pg_typeof(id) FROM (SELECT id FROM orders UNION SELECT id FROM old_orders) AS x;
DROP TABLE orders, old_orders;

-- what reads takes any uuid: NULL, or false, for what is no iuid
CREATE DOMAIN any_uuid AS uuid;
CREATE DOMAIN any_iuid AS iuid;
PREPARE country_of AS SELECT iuid_country($1), iuid_is_from($1, 125);
EXECUTE country_of('019b76da-a87b-807d-8041-23456789abcd');
SELECT iuid_country('019b76da-a87b-807d-8041-23456789abcd'),
	iuid_is_from('019b76da-a87b-807d-8041-23456789abcd', 125) AS is_from;
SELECT id, iuid_is_valid(id) AS is_valid, f.*, iuid_is_from(id, 125) AS is_from, iuid_is_from(id, 125, 1) AS of_entity
FROM unnest('{
	019b76da-a87b-807d-8041-23456789abcd,919108f7-52d1-437d-8041-f847db4148a8,
	019b76da-a87b-7c7d-8041-dc0c0c07398f,019b76da-a87b-807d-c041-23456789abcd,
	00000000-0000-0000-0000-000000000000,ffffffff-ffff-ffff-ffff-ffffffffffff,NULL}'::uuid[]) AS id, iuid_fields(id) AS f;
SELECT bool_and(
	iuid_country(i) = 7 AND iuid_country(u) = 7 AND iuid_country(d) = 7 AND iuid_country(e) = 7
	AND iuid_is_from(i, 7) AND iuid_is_from(u, 7) AND iuid_is_from(d, 7) AND iuid_is_from(e, 7)) AS same
FROM (SELECT id AS i, id::uuid AS u, id::uuid::any_uuid AS d, id::any_iuid AS e FROM gen_iuid(7, 1) AS id) AS x;

-- after a change of DEFAULT, old keys beside new ones: time and country of the new ones, one index, one order
CREATE TABLE payments (id uuid PRIMARY KEY, note text);
INSERT INTO payments VALUES
	('019b76da-a87b-7cc3-98c4-dc0c0c07398f', 'version 7'), ('919108f7-52d1-437d-8041-f847db4148a8', 'version 4');
ALTER TABLE payments ALTER id SET DEFAULT gen_iuid(125, 1);
INSERT INTO payments (note) VALUES ('iuid');
SELECT note, iuid_country(id), iuid_timestamp(id) IS NOT NULL AS has_time FROM payments ORDER BY id;
SELECT note FROM payments WHERE iuid_is_from(id, 125);
SELECT note FROM payments
WHERE id >= iuid_floor('2026-01-01') AND id < iuid_floor(now() + interval '1 minute') ORDER BY id;
-- an index in order by origin, and the expected rows of a country
INSERT INTO payments SELECT gen_iuid(n % 5, 1) FROM generate_series(1, 10000) AS n;
CREATE INDEX by_origin ON payments (id uuid_origin_ops);
ANALYZE payments;
SET enable_bitmapscan = off;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM payments WHERE iuid_is_from(id, 3);
-- a number that is not known before: NULL gives NULL for each, also for what is no iuid
SET plan_cache_mode = force_generic_plan;
PREPARE not_from (int) AS SELECT count(*) FROM payments WHERE NOT iuid_is_from(id, $1);
EXPLAIN (COSTS OFF) EXECUTE not_from(3);
EXECUTE not_from(3);
EXECUTE not_from(NULL);
EXECUTE not_from(256);
RESET plan_cache_mode;
RESET enable_seqscan;
CREATE FUNCTION expected(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
SELECT expected('SELECT FROM payments WHERE iuid_is_from(id, 3)') BETWEEN 1500 AND 2500 AS near,
	expected('SELECT FROM payments WHERE iuid_is_valid(id)') > 9000 AS every_row;
DROP FUNCTION expected;
DROP DOMAIN any_uuid, any_iuid;

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
-- each side of a foreign key can change alone; defaults, CHECKs and indexes on expressions stay;
-- a view and a partition key are in the way
CREATE TABLE refers (id iuid REFERENCES changing,
	made iuid DEFAULT gen_iuid(7, 1) CHECK (made >= iuid_floor('2020-01-01')));
CREATE INDEX ON refers ((iuid_country(made)));
INSERT INTO refers SELECT id FROM changing;
ALTER TABLE changing ALTER id TYPE uuid;
ALTER TABLE refers ALTER id TYPE uuid, ALTER made TYPE uuid;
SELECT conname, convalidated, pg_get_constraintdef(oid) FROM pg_constraint
WHERE conrelid = 'refers'::regclass ORDER BY 1;
SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'refers'::regclass;
ALTER TABLE changing ALTER id TYPE iuid;
ALTER TABLE refers ALTER id TYPE iuid, ALTER made TYPE iuid;
CREATE VIEW of_changing AS SELECT id FROM changing;
\set VERBOSITY sqlstate
ALTER TABLE changing ALTER id TYPE uuid;
DROP VIEW of_changing;
CREATE TABLE parted (id iuid) PARTITION BY RANGE (id);
ALTER TABLE parted ALTER id TYPE uuid;
\set VERBOSITY default
DROP TABLE refers, parted;
DROP TABLE payments, changing, before;
