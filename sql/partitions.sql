-- Partitions by country with the key as the only unique column, and by time below them.
CREATE TABLE orders (id iuid PRIMARY KEY DEFAULT gen_iuid(7, 1), note text)
	PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE orders_c7 PARTITION OF orders
	FOR VALUES FROM (iuid_country_floor(7)) TO (iuid_country_floor(8)) PARTITION BY RANGE (id);
CREATE TABLE orders_c7_2026_01 PARTITION OF orders_c7
	FOR VALUES FROM (iuid_floor('2026-01-01 00:00+00')) TO (iuid_floor('2026-02-01 00:00+00'));
CREATE TABLE orders_c7_2026_02 PARTITION OF orders_c7
	FOR VALUES FROM (iuid_floor('2026-02-01 00:00+00')) TO (iuid_floor('2026-03-01 00:00+00'));
CREATE TABLE orders_c8 PARTITION OF orders
	FOR VALUES FROM (iuid_country_floor(8)) TO (iuid_country_floor(9));
CREATE TABLE orders_c9_to_end PARTITION OF orders
	FOR VALUES FROM (iuid_country_floor(9)) TO (MAXVALUE);
CREATE TABLE line (order_id iuid NOT NULL REFERENCES orders, line int, PRIMARY KEY (order_id, line));
CREATE TABLE audit (order_id uuid NOT NULL REFERENCES orders);

INSERT INTO orders
SELECT gen_iuid(country, 1, day), country || ' ' || day::date
FROM unnest(ARRAY[7, 8, 9, 255]) AS country,
	generate_series('2026-01-01 00:00+00', '2026-02-28 00:00+00', interval '1 day') AS day;
INSERT INTO line SELECT id, 1 FROM orders;
INSERT INTO audit SELECT id FROM orders;

-- every row is where its country and time say
SELECT tableoid::regclass AS leaf, count(*), min(iuid_country(id)), max(iuid_country(id)),
	min(iuid_timestamp(id)) AT TIME ZONE 'UTC' AS first, max(iuid_timestamp(id)) AT TIME ZONE 'UTC' AS last
FROM orders GROUP BY 1 ORDER BY 1;

-- one leaf for one id: as a constant, as uuid, and as a parameter of either type
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE id = '019c167f-cc00-8007-8041-23456789abcd';
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE id = '019c167f-cc00-8007-8041-23456789abcd'::uuid;
SET plan_cache_mode = force_generic_plan;
PREPARE by_id (iuid) AS SELECT * FROM orders WHERE id = $1;
EXPLAIN (COSTS OFF) EXECUTE by_id('019c167f-cc00-8007-8041-23456789abcd');
PREPARE by_uuid (uuid) AS SELECT * FROM orders WHERE id = $1;
EXPLAIN (COSTS OFF) EXECUTE by_uuid('019c167f-cc00-8007-8041-23456789abcd');
PREPARE from_country (int) AS SELECT count(*) FROM orders WHERE iuid_is_from(id, $1);
EXPLAIN (COSTS OFF) EXECUTE from_country(8);
EXECUTE from_country(8);
EXECUTE from_country(10);
EXECUTE from_country(NULL);
RESET plan_cache_mode;

-- a country, a country and entity, a country and time
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE iuid_is_from(id, 8);
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE iuid_is_from(id, 7, 1) AND id >= timestamptz '2026-02-01 00:00+00';
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE NOT iuid_is_from(id, 7) AND NOT iuid_is_from(id, 8);

-- uniqueness and references hold across the partitions
\set VERBOSITY terse
INSERT INTO orders SELECT id FROM orders LIMIT 1;
\set VERBOSITY default
\echo :LAST_ERROR_SQLSTATE
INSERT INTO line VALUES ('019b7612-3c00-8007-8041-23456789abcd', 1);
INSERT INTO audit VALUES ('019b7612-3c00-8007-8041-23456789abcd');
DELETE FROM orders WHERE note = '9 2026-01-05';
SELECT count(*) FROM orders JOIN line ON id = order_id JOIN audit USING (order_id);

-- an id that has no home
INSERT INTO orders VALUES ('019c167f-cc00-8006-8041-23456789abcd');
\echo :LAST_ERROR_SQLSTATE
DROP TABLE audit, line, orders;
