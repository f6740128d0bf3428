-- A key of core's uuid, partitioned in order by origin: the oracle is arithmetic on core's bytes.
CREATE FUNCTION origin(uuid) RETURNS int LANGUAGE sql IMMUTABLE AS
$$SELECT get_byte(b, 7) * 256 + (get_byte(b, 8) & 63) * 4 + (get_byte(b, 9) >> 6) FROM uuid_send($1) AS b$$;
CREATE TABLE trips (id uuid PRIMARY KEY, n int) PARTITION BY RANGE (id uuid_origin_ops);
CREATE TABLE trips_c124 PARTITION OF trips FOR VALUES FROM (iuid_country_floor(124)) TO (iuid_country_floor(125));
CREATE TABLE trips_c125 PARTITION OF trips FOR VALUES FROM (iuid_country_floor(125)) TO (iuid_country_floor(126))
	PARTITION BY RANGE (id);
CREATE TABLE trips_c125_1 PARTITION OF trips_c125
	FOR VALUES FROM (iuid_floor('2026-01-01 00:00+00')) TO (iuid_floor('2026-02-01 00:00+00'));
CREATE TABLE trips_c125_2 PARTITION OF trips_c125
	FOR VALUES FROM (iuid_floor('2026-02-01 00:00+00')) TO (iuid_floor('2026-03-01 00:00+00'));
CREATE TABLE trips_rest PARTITION OF trips DEFAULT;
INSERT INTO trips
SELECT gen_iuid(123 + n % 4, n % 256, timestamptz '2026-01-01 00:00+00' + n * interval '1 hour'), n
FROM generate_series(1, 1400) AS n;
INSERT INTO trips VALUES ('f0000000-0000-4000-8000-000000000000', 0), ('00000000-0000-0000-0000-000000000000', 0);
SELECT tableoid::regclass, min(origin(id)) / 256 AS least, max(origin(id)) / 256 AS greatest, count(*)
FROM trips GROUP BY tableoid ORDER BY tableoid::regclass::text COLLATE "C";

-- one identifier: the country's partition, then its month; constants, and parameters of generic plans
EXPLAIN (COSTS OFF) SELECT * FROM trips WHERE id = '019b76da-a87b-807d-8041-23456789abcd';
PREPARE one (uuid) AS SELECT * FROM trips WHERE id = $1;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE one('019b76da-a87b-807d-8041-23456789abcd');
RESET plan_cache_mode;

-- the order itself, by a sort and by an index, which needs no sort
SELECT count(*) FILTER (WHERE by_class <> by_bytes) AS wrong
FROM (SELECT row_number() OVER (ORDER BY id USING ~<~) AS by_class,
	row_number() OVER (ORDER BY origin(id), id) AS by_bytes FROM trips) AS x;
CREATE TABLE copies AS SELECT id FROM trips;
CREATE INDEX ON copies (id uuid_origin_ops);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM copies ORDER BY id USING ~<~ LIMIT 3;
EXPLAIN (COSTS OFF) SELECT id FROM copies
WHERE id ~>=~ iuid_country_floor(125)::uuid AND id ~<~ iuid_country_floor(126)::uuid;
SELECT count(*) FROM copies WHERE id ~>=~ iuid_country_floor(125)::uuid AND id ~<~ iuid_country_floor(126)::uuid;
RESET enable_seqscan;
RESET enable_bitmapscan;
DROP TABLE trips, copies;
DROP FUNCTION origin;
