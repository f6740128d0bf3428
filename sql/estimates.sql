-- Estimates: for a range of time the planner expects as many rows
-- by the key as by a timestamptz column of the same times.
-- An estimate counts as the same within a factor of 1.3, or within 20 rows.
SET timezone = 'UTC';
CREATE SCHEMA estimates;
SET search_path = estimates, public;
CREATE FUNCTION expected_rows(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
CREATE FUNCTION same(bigint, bigint) RETURNS boolean
RETURN greatest($1, $2) <= 1.3 * least($1, $2) OR abs($1 - $2) <= 20;

-- 50,000 rows of a year, more and more of them; ANALYZE reads every row, so it finds the same in each run
CREATE TABLE trips (id iuid PRIMARY KEY, at timestamptz, n int) WITH (autovacuum_enabled = false);
ALTER TABLE trips ALTER n SET STATISTICS 1000;
CREATE TABLE of_year AS
SELECT timestamptz '2025-01-01' + sqrt(n / 50000.0) * interval '365 days' AS at, n
FROM generate_series(0, 49999) AS n;
INSERT INTO trips SELECT gen_iuid(7, 1, at), at, n FROM of_year;
CREATE INDEX ON trips (at);
ANALYZE trips;
CREATE TABLE trips_by_month (LIKE trips) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('trips_by_month', '1 month', '2025-01-01', '2026-01-01');
ALTER TABLE trips_by_month ALTER n SET STATISTICS 1000;
INSERT INTO trips_by_month TABLE trips;
CREATE INDEX ON trips_by_month (at);
CREATE INDEX ON trips_by_month (id);
ANALYZE trips_by_month;

-- %1$L and %2$L are the two times, the condition on the left is on the key
CREATE TABLE form (name text, by_key text, by_time text);
INSERT INTO form VALUES
	('range', 'id >= timestamptz %1$L AND id < timestamptz %2$L', 'at >= %1$L AND at < %2$L'),
	('upper first', 'id < timestamptz %2$L AND id >= timestamptz %1$L', 'at >= %1$L AND at < %2$L'),
	('inclusive', 'id > timestamptz %1$L AND id <= timestamptz %2$L', 'at > %1$L AND at <= %2$L'),
	('times first', 'timestamptz %1$L <= id AND timestamptz %2$L > id', 'at >= %1$L AND at < %2$L'),
	('tstzrange', 'id <@ tstzrange(%1$L, %2$L)', 'at >= %1$L AND at < %2$L'),
	('between identifiers', 'id BETWEEN iuid_floor(%1$L) AND iuid_floor(%2$L)', 'at BETWEEN %1$L AND %2$L'),
	('between uuids', 'id BETWEEN iuid_floor(%1$L)::uuid AND iuid_floor(%2$L)::uuid', 'at BETWEEN %1$L AND %2$L'),
	('uuids first', 'iuid_floor(%1$L)::uuid <= id AND iuid_floor(%2$L)::uuid > id', 'at >= %1$L AND at < %2$L'),
	('stable', 'id >= now() + (timestamptz %1$L - now()) AND id < now() + (timestamptz %2$L - now())',
		'at >= %1$L AND at < %2$L'),
	('lower alone', 'id >= timestamptz %1$L', 'at >= %1$L'),
	('upper alone', 'id < timestamptz %2$L', 'at < %2$L'),
	('outside', 'NOT (id >= timestamptz %1$L AND id < timestamptz %2$L)', 'NOT (at >= %1$L AND at < %2$L)'),
	('the tightest counts',
		'id >= timestamptz ''2024-12-01'' AND id < timestamptz %2$L AND id >= timestamptz %1$L
			AND id < timestamptz ''2027-01-01'' AND id > timestamptz ''2024-12-02''',
		'at >= %1$L AND at < %2$L'),
	('is true', '(id >= timestamptz %1$L AND id < timestamptz %2$L) IS TRUE', '(at >= %1$L AND at < %2$L) IS TRUE'),
	('two upper bounds first', 'id < timestamptz %2$L AND id < timestamptz ''2028-02-01'' AND id >= timestamptz %1$L',
		'at >= %1$L AND at < %2$L'),
	('two lower bounds first', 'id >= timestamptz %1$L AND id >= timestamptz ''2024-12-01'' AND id < timestamptz %2$L',
		'at >= %1$L AND at < %2$L'),
	('one uuid first', 'iuid_floor(%1$L)::uuid <= id AND id < timestamptz %2$L', 'at >= %1$L AND at < %2$L'),
	('ever tighter',
		'id >= timestamptz ''2025-06-15'' AND id < timestamptz ''2025-08-15''
			AND id >= timestamptz %1$L AND id < timestamptz %2$L',
		'at >= ''2025-06-15'' AND at < ''2025-08-15'' AND at >= %1$L AND at < %2$L'),
	('in an arm', '(id >= timestamptz %1$L AND id < timestamptz %2$L OR id < timestamptz ''2025-01-20'')',
		'(at >= %1$L AND at < %2$L OR at < ''2025-01-20'')'),
	('beside an arm', 'id >= timestamptz %1$L AND (id < timestamptz %2$L OR n < 5)',
		'at >= %1$L AND (at < %2$L OR n < 5)'),
	('beside another', 'id >= timestamptz %1$L AND n < 25000 AND id < timestamptz %2$L',
		'at >= %1$L AND n < 25000 AND at < %2$L'),
	('a bound of the row',
		'id > iuid_floor(at - n * interval ''1 s'') AND id >= timestamptz %1$L AND id < timestamptz %2$L',
		'at > iuid_timestamp(id) - n * interval ''1 s'' AND at >= %1$L AND at < %2$L'),
	('a volatile bound', 'id >= timestamptz %1$L AND id < clock_timestamp() + (timestamptz %2$L - now())',
		'at >= %1$L AND at < clock_timestamp() + (timestamptz %2$L - now())'),
	('no value', 'id >= (SELECT timestamptz %1$L) AND id < (SELECT timestamptz %2$L)',
		'at >= (SELECT timestamptz %1$L) AND at < (SELECT timestamptz %2$L)'),
	('no lower value', 'id >= (SELECT timestamptz %1$L) AND id < timestamptz %2$L',
		'at >= (SELECT timestamptz %1$L) AND at < %2$L');
CREATE TABLE span AS
SELECT lower, lower + length AS upper
FROM unnest(ARRAY['5 minutes', '1 day', '1 month', '6 months']::interval[]) AS length,
	unnest(ARRAY['2024-12-31 23:00', '2025-01-01', '2025-02-03', '2025-07-07 07:07:07.007', '2025-11-30 12:00',
		'2025-12-31 20:00', '2026-06-30 12:00', '2028-01-01']::timestamptz[]) AS lower;
CREATE VIEW estimate AS
SELECT name, source, lower, upper,
	expected_rows(format('SELECT FROM ' || source || ' WHERE ' || by_key, lower, upper)) AS by_key,
	expected_rows(format('SELECT FROM ' || source || ' WHERE ' || by_time, lower, upper)) AS by_time
FROM form, span, unnest(ARRAY['trips', 'trips_by_month']) AS source;

-- Without a bound's value there is one estimate for each table, and months that can be pruned make another.
CREATE TEMP TABLE estimated AS TABLE estimate;
SELECT name, source, lower, upper, by_key, by_time FROM estimated
WHERE NOT same(by_key, by_time) AND NOT (name LIKE 'no%value' AND source = 'trips_by_month');
SELECT source, count(*) AS estimates, count(*) FILTER (WHERE by_time > 20) AS of_more_rows
FROM estimated GROUP BY 1 ORDER BY 1;

-- A range that ends before it starts
SELECT same(
	expected_rows('SELECT FROM trips WHERE id >= timestamptz ''2025-07-01'' AND id < timestamptz ''2025-06-01'''),
	expected_rows('SELECT FROM trips WHERE at >= timestamptz ''2025-07-01'' AND at < timestamptz ''2025-06-01'''));

-- The histogram is older than the newest rows: the end of the index counts.
INSERT INTO trips SELECT gen_iuid(7, 1, at), at, n
FROM (SELECT at + interval '1 year' AS at, n FROM of_year) AS of_next_year;
SELECT name, source, lower, upper, by_key, by_time FROM estimate WHERE source = 'trips' AND NOT same(by_key, by_time);

-- Other columns and places: %s is the range, on the key or on the time of the same name
CREATE TABLE legs (trip iuid, trip_at timestamptz, trip_n int) WITH (autovacuum_enabled = false);
INSERT INTO legs SELECT id, at, n
FROM trips, generate_series(1, CASE WHEN n % 1000 = 0 THEN 500 ELSE n % 3 END) WHERE at < '2025-07-01';
INSERT INTO legs SELECT FROM generate_series(1, 12500);
CREATE DOMAIN trip_id AS iuid;
CREATE TABLE old_trips (id trip_id, at timestamptz, payload jsonb);
INSERT INTO old_trips SELECT id, at, jsonb_build_object('id', id, 'at', extract(epoch FROM at))
FROM trips WHERE n % 5 = 0 AND at < '2026-01-01';
CREATE TABLE few (id iuid, at timestamptz);
INSERT INTO few SELECT id, at FROM trips WHERE n % 5000 = 0;
CREATE TABLE stops AS SELECT id, at, n FROM few, generate_series(1, 100) AS n;
ALTER TABLE stops ALTER id SET STATISTICS 5, ALTER at SET STATISTICS 5, ALTER n SET STATISTICS 1000;
CREATE TABLE fleet AS SELECT gen_iuid(n % 4, 1, at) AS id, at FROM trips WHERE n % 10 < 4 AND at < '2026-01-01';
CREATE TABLE none (id iuid, at timestamptz);
CREATE TABLE ancestor (id iuid, at timestamptz);
CREATE TABLE heir () INHERITS (ancestor);
INSERT INTO ancestor SELECT id, at FROM trips WHERE n % 10 = 1 AND at < '2026-01-01';
INSERT INTO heir SELECT id, at FROM trips WHERE n % 10 = 2 AND at < '2026-01-01';
CREATE FUNCTION trip_of(jsonb) RETURNS iuid IMMUTABLE STRICT RETURN ($1 ->> 'id')::uuid::iuid;
CREATE FUNCTION time_of(jsonb) RETURNS timestamptz IMMUTABLE STRICT RETURN to_timestamp(($1 ->> 'at')::float8);
CREATE STATISTICS payload_trip ON trip_of(payload) FROM old_trips;
CREATE STATISTICS payload_time ON time_of(payload) FROM old_trips;
ANALYZE legs, old_trips, few, stops, fleet, none, ancestor, trips;
CREATE TABLE place (name text, query text, key text, time text);
INSERT INTO place VALUES
	('duplicates and NULLs', 'SELECT FROM legs WHERE %s', 'trip', 'trip_at'),
	('a domain', 'SELECT FROM old_trips WHERE %s', 'id', 'at'),
	('statistics of an expression', 'SELECT FROM old_trips WHERE %s', 'trip_of(payload)', 'time_of(payload)'),
	('one of four countries', 'SELECT FROM fleet WHERE iuid_is_from(id, 1) AND %s', 'id', 'at'),
	('few rows', 'SELECT FROM few WHERE %s', 'id', 'at'),
	('no rows', 'SELECT FROM none WHERE %s', 'id', 'at'),
	('inheritance', 'SELECT FROM ancestor WHERE %s', 'id', 'at'),
	('a subquery', 'SELECT FROM (SELECT * FROM trips OFFSET 0) AS t WHERE %s', 'id', 'at'),
	('an inner join', 'SELECT FROM trips JOIN old_trips AS o USING (n) WHERE %s', 'trips.id', 'trips.at'),
	('ON of an outer join',
		'SELECT FROM old_trips AS o LEFT JOIN (trips JOIN few ON true) ON %s AND trips.n = length(o.payload::text)',
		'o.id', 'o.at'),
	('its inner side', 'SELECT FROM few LEFT JOIN trips ON %s', 'trips.id', 'trips.at'),
	('an anti join', 'SELECT FROM few WHERE NOT EXISTS (SELECT FROM trips WHERE trips.n = length(few::text) AND %s)',
		'trips.id', 'trips.at'),
	('HAVING', 'SELECT FROM trips GROUP BY GROUPING SETS ((id, at), ()) HAVING %s', 'id', 'at'),
	('an outer bound', 'SELECT FROM few, LATERAL (SELECT FROM trips WHERE %s AND trips.n > few.n OFFSET 0) AS t',
		'trips.id', 'trips.at');
ALTER TABLE old_trips ADD n int;
ALTER TABLE few ADD n int;
SELECT name, lower, upper, by_key, by_time
FROM place, span,
	expected_rows(format(query,
		format('%1$s >= iuid_floor(%2$L) AND %1$s < iuid_floor(%3$L)', key, lower, upper))) AS by_key,
	expected_rows(format(query, format('%1$s >= %2$L AND %1$s < %3$L', time, lower, upper))) AS by_time
-- core takes the two bounds of a HAVING for one range before 18 only
WHERE NOT same(by_key, by_time) AND NOT (name = 'HAVING' AND by_key < by_time);
SELECT count(*) FROM place;

-- A hundred rows for each identifier, one of these as the bound, and a histogram of five steps
SELECT id, format, by_key, by_time
FROM few, unnest(ARRAY['%1$s < %2$L', '%1$s <= %2$L', '%1$s >= %2$L', '%1$s > %2$L', '%2$L >= %1$s']) AS format,
	expected_rows('SELECT FROM stops WHERE ' || format(format, 'id', id)) AS by_key,
	expected_rows('SELECT FROM stops WHERE ' || format(format, 'at', at)) AS by_time
WHERE abs(by_key - by_time) > 20;
SELECT count(*) > 10 AS several FROM few;

-- Two outer joins: a bound in the ON of one says nothing about the rows of the other.
SELECT same(expected_rows(replace(query, 'KEY', 'o.id')), expected_rows(replace(query, 'KEY', 'o.at')))
FROM (SELECT 'SELECT FROM old_trips AS o LEFT JOIN few ON few.n = o.n AND KEY >= timestamptz ''2025-07-01''
	LEFT JOIN legs ON trip_n % 100 = o.n % 100 AND KEY < timestamptz ''2025-07-01''' AS query) AS q;

-- A prefix operator with this estimator, beside a bound
CREATE FUNCTION odd(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 % 2 = 1; END';
CREATE OPERATOR !!! (RIGHTARG = int, FUNCTION = odd, RESTRICT = iuid_rangesel);
SELECT expected_rows('SELECT FROM trips WHERE !!! n AND id < timestamptz ''2025-07-01''') > 1 AS several;

-- Plans of joins: the nodes, from the top down, are those of the same question by the other column.
CREATE FUNCTION nodes(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN (SELECT string_agg(node[1], ', ') FROM regexp_matches(plan::text, '"Node Type": "([^"]*)"', 'g') AS node);
END
$$;
CREATE INDEX ON legs (trip_n);
CREATE VIEW join_plan AS
SELECT lower, upper,
	nodes(format('SELECT FROM trips JOIN legs ON trip_n = n WHERE id >= timestamptz %L AND id < timestamptz %L',
		lower, upper)) AS by_key,
	nodes(format('SELECT FROM trips JOIN legs ON trip_n = n WHERE at >= %L AND at < %L', lower, upper)) AS by_time
FROM span;
-- or, where one plan gives way to another, of a range that is a tenth longer or shorter
SELECT * FROM join_plan
WHERE by_key NOT IN (
	SELECT nodes(format('SELECT FROM trips JOIN legs ON trip_n = n WHERE at >= %L AND at < %L',
		lower, upper + (upper - lower) * part)) FROM unnest(ARRAY[-0.1, 0, 0.1]) AS part);
SELECT count(*), count(DISTINCT by_time) > 1 AS several_plans FROM join_plan;

-- A generic plan knows no value, and a reader below row security gets the same estimates.
SET plan_cache_mode = force_generic_plan;
PREPARE by_key AS SELECT FROM trips WHERE id >= $1 AND id < $2;
PREPARE by_time AS SELECT FROM trips WHERE at >= $1 AND at < $2;
SELECT expected_rows('EXECUTE by_key (NULL, NULL)') = expected_rows('EXECUTE by_time (NULL, NULL)') AS same;
RESET plan_cache_mode;
CREATE ROLE trip_reader;
GRANT USAGE ON SCHEMA estimates TO trip_reader;
GRANT SELECT ON trips, form, span, estimate TO trip_reader;
ALTER TABLE trips ENABLE ROW LEVEL SECURITY;
CREATE POLICY even ON trips USING (n % 2 = 0);
SET ROLE trip_reader;
SELECT count(*), count(*) FILTER (WHERE NOT same(by_key, by_time)) AS others
FROM estimate WHERE source = 'trips' AND name IN ('range', 'lower alone');
RESET ROLE;
DROP OWNED BY trip_reader;
DROP ROLE trip_reader;

-- Countries and entities: within a factor of 2 of the rows that there are
CREATE TABLE orders (id iuid, n int);
ALTER TABLE orders ALTER n SET STATISTICS 1000;
INSERT INTO orders SELECT gen_iuid(n % 40, CASE WHEN n % 1000 < 800 THEN 1 ELSE n % 7 END), n
FROM generate_series(1, 60000) AS n;
INSERT INTO orders SELECT gen_iuid(255, 255) FROM generate_series(1, 600);
INSERT INTO orders SELECT FROM generate_series(1, 600);
ANALYZE orders;
CREATE TABLE origin AS
SELECT iuid_country(id) AS country, iuid_entity(id) AS entity, count(*) AS rows
FROM orders WHERE id IS NOT NULL GROUP BY 1, 2;
CREATE TABLE of_country AS
SELECT predicate, rows, expected_rows('SELECT FROM orders WHERE ' || predicate) AS expected
FROM (SELECT format('iuid_is_from(id, %s)', country) AS predicate, sum(rows) AS rows FROM origin GROUP BY country
	UNION ALL
	SELECT format('iuid_is_from(id, %s, %s)', country, entity), rows FROM origin
	UNION ALL
	SELECT format('id ~>=~ iuid_country_floor(%s)', c), sum(rows)
	FROM origin, generate_series(0, 255, 15) AS c WHERE country >= c GROUP BY c
	UNION ALL
	SELECT format('iuid_country_floor(%s)::uuid ~>~ id', c), sum(rows)
	FROM origin, generate_series(1, 256, 15) AS c WHERE country < c GROUP BY c) AS p;
SELECT * FROM of_country WHERE expected NOT BETWEEN rows / 2 AND rows * 2;
SELECT count(*) FROM of_country;
SELECT predicate, expected_rows('SELECT FROM orders WHERE ' || predicate) AS expected
FROM unnest(ARRAY['iuid_is_from(id, 50)', 'iuid_is_from(id, 7, 8)', 'id ~<~ iuid_country_floor(0)']) AS predicate;
-- with a time, too, in which all rows are
SELECT same(expected_rows('SELECT FROM orders WHERE iuid_is_from(id, 7) AND id < timestamptz ''2100-01-01'''),
	expected_rows('SELECT FROM orders WHERE iuid_is_from(id, 7)'));
-- a third of the rows each: the three thirds, as float4, are more than all
CREATE TABLE thirds AS SELECT gen_iuid(n % 3 + 1, 1) AS id FROM generate_series(1, 3000) AS n;
ANALYZE thirds;
SELECT expected_rows('SELECT FROM thirds WHERE id ~>=~ iuid_country_floor(4)') AS after,
	expected_rows('SELECT FROM thirds WHERE id ~<~ iuid_country_floor(4)') AS before;

SET client_min_messages = warning;
DROP SCHEMA estimates CASCADE;
