-- UUIDs of version 7 that the server makes keep their order and their fraction of the millisecond (18 and later).
SELECT current_setting('server_version_num')::int >= 180000 AS has_uuidv7 \gset
\if :has_uuidv7
CREATE TEMP TABLE made AS SELECT n, uuidv7() AS id FROM generate_series(1, 100000) AS n;
SELECT bool_and(new > previous) AS in_order,
	bool_and(iuid_random_bits(new) >> 42 = ('x' || substr(id::text, 16, 3))::bit(12)::int) AS same_fraction
FROM (SELECT id, new, lag(new) OVER (ORDER BY n) AS previous
	FROM (SELECT n, id, iuid_from_uuid(id, 7, 1) AS new FROM made) AS y) AS x;

-- made in turn with identifiers of ours, they stand in one order
SELECT bool_and(a < b AND b < next) AS in_order
FROM (SELECT a, b, lead(a) OVER (ORDER BY n) AS next
	FROM (SELECT n, gen_iuid(7, 1) AS a, pg_sleep(0.00001), iuid_from_uuid(uuidv7(), 7, 1) AS b, pg_sleep(0.00001)
		FROM generate_series(1, 100) AS n) AS y) AS x;
\else
\echo SKIPPED: uuidv7() needs PostgreSQL 18
\endif
