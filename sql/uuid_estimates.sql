-- A uuid column of an ordinary table: a range of time has the estimates of a timestamptz column.
-- An estimate counts as the same within a factor of 1.3, or within 20 rows.
SET timezone = 'UTC';
CREATE SCHEMA uuid_estimates;
SET search_path = uuid_estimates, public;
CREATE FUNCTION expected_rows(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
CREATE FUNCTION same(bigint, bigint) RETURNS boolean
RETURN greatest($1, $2) <= 1.3 * least($1, $2) OR abs($1 - $2) <= 20;

-- 50,000 rows of a year, more and more of them; ANALYZE reads every row, so it finds the same in each run
CREATE DOMAIN trip_id AS uuid;
CREATE TABLE trips (id uuid PRIMARY KEY, of_domain trip_id, payload jsonb, at timestamptz, n int)
	WITH (autovacuum_enabled = false);
ALTER TABLE trips ALTER n SET STATISTICS 1000;
INSERT INTO trips SELECT id, id, jsonb_build_object('id', id), at, n
FROM (SELECT timestamptz '2025-01-01' + sqrt(n / 50000.0) * interval '365 days' AS at, n
	FROM generate_series(0, 49999) AS n) AS x, gen_iuid(7, 1, at) AS id;
CREATE INDEX ON trips (at);
CREATE INDEX ON trips (of_domain);
CREATE INDEX payloads ON trips (((payload ->> 'id')::uuid));
CREATE MATERIALIZED VIEW kept AS TABLE trips;
ALTER MATERIALIZED VIEW kept ALTER n SET STATISTICS 1000;
ANALYZE trips, kept;
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM trips WHERE n >= 0;
CREATE TABLE form (by_key text, by_time text);
INSERT INTO form VALUES
	('KEY >= iuid_floor(%1$L) AND KEY < iuid_floor(%2$L)', 'at >= %1$L AND at < %2$L'),
	('KEY < iuid_floor(%2$L) AND KEY >= iuid_floor(%1$L)', 'at >= %1$L AND at < %2$L'),
	('iuid_floor(%1$L) <= KEY AND iuid_floor(%2$L) > KEY', 'at >= %1$L AND at < %2$L'),
	('KEY BETWEEN iuid_floor(%1$L) AND iuid_floor(%2$L)', 'at BETWEEN %1$L AND %2$L'),
	('KEY > iuid_floor(%1$L) AND KEY <= iuid_floor(%2$L)', 'at > %1$L AND at <= %2$L'),
	('KEY >= iuid_floor(now() + (timestamptz %1$L - now())) AND KEY < iuid_floor(now() + (timestamptz %2$L - now()))',
		'at >= %1$L AND at < %2$L'),
	('KEY >= iuid_floor(%1$L)', 'at >= %1$L'),
	('KEY < iuid_floor(%2$L)', 'at < %2$L'),
	('NOT (KEY >= iuid_floor(%1$L) AND KEY < iuid_floor(%2$L))', 'NOT (at >= %1$L AND at < %2$L)'),
	('(KEY >= iuid_floor(%1$L) AND KEY < iuid_floor(%2$L) OR KEY < iuid_floor(''2025-01-20''))',
		'(at >= %1$L AND at < %2$L OR at < ''2025-01-20'')'),
	('KEY >= (SELECT iuid_floor(%1$L)) AND KEY < (SELECT iuid_floor(%2$L))',
		'at >= (SELECT timestamptz %1$L) AND at < (SELECT timestamptz %2$L)');
CREATE TABLE span AS
SELECT lower, lower + length AS upper
FROM unnest(ARRAY['5 minutes', '1 day', '1 month', '6 months']::interval[]) AS length,
	unnest(ARRAY['2024-12-31 23:00', '2025-01-01', '2025-02-03', '2025-07-07 07:07:07.007', '2025-11-30 12:00',
		'2025-12-31 20:00', '2028-01-01']::timestamptz[]) AS lower;
CREATE TABLE place AS
SELECT * FROM (VALUES
	('trips', 'id'), ('trips', 'of_domain'), ('trips', '(payload ->> ''id'')::uuid'), ('kept', 'id'), ('barrier', 'id'),
	('(SELECT * FROM trips OFFSET 0) AS x', 'id'), ('(SELECT DISTINCT id, at FROM trips) AS x', 'id')) AS p(source, key);
SELECT source, key, by_key, lower, upper, of_key, of_time
FROM form, span, place,
	expected_rows(format('SELECT FROM ' || source || ' WHERE ' || replace(by_key, 'KEY', key), lower, upper)) AS of_key,
	expected_rows(format('SELECT FROM ' || source || ' WHERE ' || by_time, lower, upper)) AS of_time
WHERE NOT same(of_key, of_time);
SELECT count(*) FROM form, span, place;
-- a bound of a join, and a parameter, of which nothing is known
CREATE TABLE bound AS SELECT iuid_floor(at) AS id, at FROM trips WHERE n % 5000 = 0;
ANALYZE bound;
SELECT expected_rows('SELECT FROM bound, trips WHERE trips.id >= bound.id')
	= expected_rows('SELECT FROM bound, trips WHERE trips.at >= bound.at') AS same;
PREPARE of_key(iuid) AS SELECT FROM trips WHERE id >= $1;
PREPARE of_time(timestamptz) AS SELECT FROM trips WHERE at >= $1;
SET plan_cache_mode = force_generic_plan;
SELECT expected_rows('EXECUTE of_key(NULL)') = expected_rows('EXECUTE of_time(NULL)') AS same;
RESET plan_cache_mode;
-- every row is expected to have an iuid
SELECT expected_rows('SELECT FROM trips WHERE iuid_is_valid(id)') AS valid,
	expected_rows('SELECT FROM trips WHERE iuid_is_valid_beside(id, (SELECT iuid_floor(now())))') AS beside;

SET client_min_messages = warning;
DROP SCHEMA uuid_estimates CASCADE;
