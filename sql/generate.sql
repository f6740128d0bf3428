-- Making identifiers: of now, for a given time, for the country of this database.
SET timezone = 'UTC';

-- the time is that of the clock, between the statement's start and its end
SELECT iuid_timestamp(id) BETWEEN date_trunc('milliseconds', statement_timestamp()) AND clock_timestamp() AS is_now
FROM gen_iuid(7, 1) AS id;

-- no identifier twice; in the order they were made
CREATE TEMP TABLE made AS SELECT n, gen_iuid(7, 1) AS id FROM generate_series(1, 100000) AS n;
SELECT count(DISTINCT id), bool_and(id > previous) AS ascending
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM made) AS x;

-- within a millisecond the random field goes up by 1 to 2^32
SELECT count(*) > 0 AS seen, min(step) >= 1 AND max(step) <= 4294967296 AS in_range
FROM (SELECT iuid_random(id) - lag(iuid_random(id)) OVER (PARTITION BY iuid_timestamp(id) ORDER BY n) AS step
	FROM made) AS x WHERE step IS NOT NULL;

-- countries and entities made in turn ascend each by itself
SELECT bool_and(id > previous) AS ascending
FROM (SELECT id, lag(id) OVER (PARTITION BY iuid_country(id), iuid_entity(id) ORDER BY n) AS previous
	FROM (SELECT n, gen_iuid(n % 3, n % 5) AS id FROM generate_series(1, 50000) AS n) AS y) AS x;

-- switched off: no order within a millisecond, all 54 bits in use, no identifier twice
SET iuid.monotonic = off;
SELECT count(DISTINCT id), bool_and(id > previous) AS ascending, max(iuid_random(id)) >= 2::numeric ^ 53 AS whole_range
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous
	FROM (SELECT n, gen_iuid(7, 1) AS id FROM generate_series(1, 100000) AS n) AS y) AS x;
RESET iuid.monotonic;

-- for a given time: every one its own
SELECT count(DISTINCT gen_iuid(7, 1, '2026-01-01')) FROM generate_series(1, 10000);

-- each of the 54 bits is set in about half of them (2000 in 100000 is 12 standard deviations)
SELECT bit, ones FROM generate_series(0, 53) AS bit,
	LATERAL (SELECT count(*) AS ones FROM generate_series(1, 100000) AS n
		WHERE iuid_random(gen_iuid(bit, 1, '2026-01-01')) >> bit & 1 = 1 AND n > 0) AS x
WHERE ones NOT BETWEEN 48000 AND 52000;

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
