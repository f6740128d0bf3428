-- Making identifiers: of now, for a given time, for the country of this database.
SET timezone = 'UTC';

-- the time is that of the clock, between the statement's start and its end
SELECT iuid_timestamp(id) BETWEEN date_trunc('milliseconds', statement_timestamp()) AND clock_timestamp() AS is_now
FROM gen_iuid(7, 1) AS id;

-- no identifier twice; in the order they were made
CREATE TEMP TABLE made AS SELECT n, gen_iuid(7, 1) AS id FROM generate_series(1, 20000) AS n;
SELECT count(DISTINCT id), bool_and(id > previous) AS ascending
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM made) AS x;

-- the random field starts with the fraction of the millisecond,
-- in 4096ths of the clock (which SQL reads to the microsecond)
SELECT count(*) AS made,
	count(*) FILTER (WHERE at < before - interval '1 us' OR at > after + interval '1 us') AS off_the_clock,
	count(DISTINCT iuid_random_bits(id) >> 42) > 1 AS fractions_differ
FROM (SELECT *, iuid_timestamp(id) + (iuid_random_bits(id) >> 42) / 4.096 * interval '1 us' AS at
	FROM (SELECT clock_timestamp() AS before, gen_iuid(7, 1) AS id, clock_timestamp() AS after
		FROM generate_series(1, 20000)) AS y) AS x;

-- within a 4096th the field goes up by 1 to 2^32, from one of 2^42 places
SELECT bool_and(step BETWEEN 1 AND 4294967296) IS NOT FALSE AS in_range,
	max(place) FILTER (WHERE step IS NULL) >= 2::numeric ^ 41 AS from_everywhere
FROM (SELECT iuid_random_bits(id) - lag(iuid_random_bits(id)) OVER same AS step,
	iuid_random_bits(id) & (1::bigint << 42) - 1 AS place
	FROM made WINDOW same AS (PARTITION BY iuid_timestamp(id), iuid_random_bits(id) >> 42 ORDER BY n)) AS x;

-- countries and entities made in turn ascend each by itself
SELECT bool_and(id > previous) AS ascending
FROM (SELECT id, lag(id) OVER (PARTITION BY iuid_country(id), iuid_entity(id) ORDER BY n) AS previous
	FROM (SELECT n, gen_iuid(n % 3, n % 5) AS id FROM generate_series(1, 20000) AS n) AS y) AS x;

-- switched off: no order within a millisecond, no identifier twice, nothing of the clock in the random field
SET iuid.monotonic = off;
SELECT count(DISTINCT id), bool_and(id > previous) AS ascending,
	count(*) FILTER (WHERE fraction = previous_fraction) < 200 AS fractions_differ
FROM (SELECT id, iuid_random_bits(id) >> 42 AS fraction, lag(id) OVER made AS previous,
	lag(iuid_random_bits(id) >> 42) OVER made AS previous_fraction
	FROM (SELECT n, gen_iuid(7, 1) AS id FROM generate_series(1, 20000) AS n) AS y WINDOW made AS (ORDER BY n)) AS x;

-- each of the 54 bits is set in about half of them (300 in 5000 is 8 standard deviations), as it is for a given time
SELECT bit, count(*) FILTER (WHERE random >> bit & 1 = 1) AS ones,
	count(*) FILTER (WHERE of_given_time >> bit & 1 = 1) AS ones_of_given_time
FROM (SELECT iuid_random_bits(gen_iuid(7, 1)) AS random, iuid_random_bits(gen_iuid(7, 1, '2026-01-01')) AS of_given_time
	FROM generate_series(1, 5000)) AS x, generate_series(0, 53) AS bit
GROUP BY bit HAVING abs(count(*) FILTER (WHERE random >> bit & 1 = 1) - 2500) > 300
	OR abs(count(*) FILTER (WHERE of_given_time >> bit & 1 = 1) - 2500) > 300;
RESET iuid.monotonic;

-- behind the fraction, each of the 42 bits; several of one 4096th have most of them alike
SELECT bit, count(*) FILTER (WHERE random >> bit & 1 = 1) AS ones
FROM (SELECT iuid_random_bits(gen_iuid(7, 1)) AS random FROM generate_series(1, 5000)) AS x,
	generate_series(0, 41) AS bit
GROUP BY bit HAVING abs(count(*) FILTER (WHERE random >> bit & 1 = 1) - 2500) > 500;

-- for a given time: every one its own
SELECT count(DISTINCT gen_iuid(7, 1, '2026-01-01')) FROM generate_series(1, 10000);

-- the country of this database
SELECT gen_iuid(5);
\echo :LAST_ERROR_SQLSTATE
SET iuid.country = 255;
SELECT iuid_country(id), iuid_entity(id) FROM gen_iuid(5) AS id;
RESET iuid.country;

-- never NULL, wrapped or shifted
SELECT gen_iuid(NULL, 1);
\echo :LAST_ERROR_SQLSTATE
SELECT gen_iuid(1, NULL);
SELECT gen_iuid(NULL::int);
SELECT gen_iuid(1, 1, NULL);
SELECT gen_iuid(256, 1);
\echo :LAST_ERROR_SQLSTATE
SELECT gen_iuid(-1, 1);
SELECT gen_iuid(1, 256);
SELECT gen_iuid(1, -1);
SELECT gen_iuid(-2147483648, 2147483647);
SELECT gen_iuid(1, 1, '1969-12-31 23:59:59.999999+00');
\echo :LAST_ERROR_SQLSTATE
SELECT gen_iuid(1, 1, '10889-08-02 05:31:50.656+00');
SELECT gen_iuid(1, 1, 'infinity');
SELECT gen_iuid(1, 1, '-infinity');

-- a column default
CREATE TEMP TABLE t (id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY, v int);
INSERT INTO t (v) SELECT generate_series(1, 1000);
SELECT count(*), bool_and(v = place) AS in_order FROM (SELECT v, row_number() OVER (ORDER BY id) AS place FROM t) AS x;
