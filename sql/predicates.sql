-- Predicates on time and country, against the same question asked of the extracted field.
SET timezone = 'UTC';

CREATE TEMP TABLE sample AS
SELECT gen_iuid(n % 5, n % 3, timestamptz '2026-01-01' + n % 40 * interval '1 millisecond') AS id
FROM generate_series(1, 400) AS n;
INSERT INTO sample VALUES (gen_iuid(255, 255, '1970-01-01')), (gen_iuid(255, 255, '10889-08-02 05:31:50.655'));

-- at, just before, just after, and in the middle of a millisecond; the ends of time
CREATE TEMP TABLE moment AS
SELECT timestamptz '2026-01-01' + n * interval '1 millisecond' + us * interval '1 microsecond' AS at
FROM generate_series(-1, 41, 7) AS n, unnest(ARRAY[-1, 0, 1, 500, 999]) AS us
UNION ALL VALUES (timestamptz '-infinity'),
	('1969-12-31 23:59:59.999999'), ('1970-01-01'), ('1970-01-01 00:00:00.000001'),
	('10889-08-02 05:31:50.655'), ('10889-08-02 05:31:50.656'), ('294276-12-31 23:59:59.999999'), ('infinity');

SELECT count(*) AS compared, count(*) FILTER (WHERE
	((id < at), (id <= at), (id >= at), (id > at)) <>
	((iuid_timestamp(id) < at), (iuid_timestamp(id) <= at), (iuid_timestamp(id) >= at), (iuid_timestamp(id) > at))
	) AS wrong,
	count(*) FILTER (WHERE
	((at < id), (at <= id), (at >= id), (at > id)) <>
	((at < iuid_timestamp(id)), (at <= iuid_timestamp(id)), (at >= iuid_timestamp(id)), (at > iuid_timestamp(id)))
	) AS wrong_other_way
FROM sample, moment;

SELECT count(*) AS compared, count(*) FILTER (WHERE (id <@ r) <> (iuid_timestamp(id) <@ r)) AS wrong,
	count(*) FILTER (WHERE (r @> id) <> (r @> iuid_timestamp(id))) AS wrong_other_way
FROM (SELECT DISTINCT ON (iuid_timestamp(id)) id FROM sample) AS one, (SELECT tstzrange(a.at, b.at, bounds) AS r
	FROM moment AS a JOIN moment AS b ON a.at <= b.at, unnest(ARRAY['[)', '(]', '[]', '()']) AS bounds
	UNION ALL VALUES (tstzrange 'empty'), ('(,)'), ('[2026-01-01 00:00:00.02,)'), ('(,2026-01-01 00:00:00.02]')) AS x;

SELECT count(*) AS compared, count(*) FILTER (WHERE iuid_is_from(id, country) <> (iuid_country(id) = country)) AS wrong,
	count(*) FILTER (WHERE
		iuid_is_from(id, country, entity) <> (iuid_country(id) = country AND iuid_entity(id) = entity)) AS wrong_with_entity
FROM sample, unnest(ARRAY[0, 1, 4, 254, 255]) AS country, unnest(ARRAY[0, 1, 2, 254, 255]) AS entity;

-- the same once the planner has rewritten them: an index scan finds what a look at every row finds
CREATE INDEX ON sample (id);
CREATE INDEX ON sample (id iuid_origin_ops);
SET enable_seqscan = off;
SELECT count(*) AS moments, count(*) FILTER (WHERE
	(SELECT count(*) FROM sample WHERE id >= at AND id < at + interval '3 milliseconds') <>
	(SELECT count(*) FROM sample WHERE iuid_timestamp(id) >= at AND iuid_timestamp(id) < at + interval '3 milliseconds')
	OR (SELECT count(*) FROM sample WHERE at >= id) <> (SELECT count(*) FROM sample WHERE at >= iuid_timestamp(id))
	OR (SELECT count(*) FROM sample WHERE id <@ tstzrange(at, NULL, '()')) <>
	(SELECT count(*) FROM sample WHERE iuid_timestamp(id) > at)) AS wrong
FROM moment WHERE at < '100000-01-01';
SELECT country, (SELECT count(*) FROM sample WHERE iuid_is_from(id, country)) AS rows,
	(SELECT count(*) FROM sample WHERE iuid_country(id) = country) AS oracle
FROM unnest(ARRAY[0, 4, 5, 255]) AS country;
RESET enable_seqscan;

-- compiled, where the server can: what plans would not be at their cost
SET jit = on;
SET jit_above_cost = 0;
SET jit_inline_above_cost = 0;
SELECT count(*) AS compared, count(*) FILTER (WHERE
	(id < at) <> (iuid_timestamp(id) < at) OR iuid_is_from(id, 4) <> (iuid_country(id) = 4)) AS wrong
FROM sample, moment;
RESET jit_inline_above_cost;
RESET jit_above_cost;
RESET jit;

-- NULL in, NULL out; a country that cannot be is an error, constant or not
SELECT id >= NULL::timestamptz, id <@ NULL::tstzrange, iuid_is_from(id, NULL), iuid_is_from(NULL, 1)
FROM sample LIMIT 1;
SELECT count(*) FROM sample WHERE iuid_is_from(id, 256);
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM sample, (VALUES (-1)) AS v(country) WHERE iuid_is_from(id, country);
SELECT count(*) FROM sample WHERE iuid_is_from(id, 1, 256);

-- a literal is read as an identifier, and the hint says what to write
SELECT count(*) FROM sample WHERE id >= '2026-01-01';

-- there is no equality with a time
\set VERBOSITY terse
SELECT count(*) FROM sample WHERE id = timestamptz '2026-01-01';
\set VERBOSITY default

-- what is volatile or costly is never evaluated twice, so these stay as they are
CREATE FUNCTION costly() RETURNS tstzrange LANGUAGE plpgsql STABLE COST 1000 AS $$ BEGIN RETURN '(,)'; END $$;
EXPLAIN (COSTS OFF) SELECT count(*) FROM sample WHERE id <@ costly();
EXPLAIN (COSTS OFF) SELECT count(*) FROM sample WHERE id <@ tstzrange(NULL, clock_timestamp());
EXPLAIN (COSTS OFF) SELECT count(*) FROM sample WHERE iuid_is_from(id, (random() * 9)::int);
EXPLAIN (COSTS OFF) SELECT count(*) FROM sample WHERE iuid_is_from(gen_iuid(7, 1), 7);
EXPLAIN (COSTS OFF) SELECT count(*) FROM sample WHERE gen_iuid(7, 1) <@ tstzrange('2026-01-01', NULL);
DROP FUNCTION costly;
-- nor is a sub-query
CREATE FUNCTION sub_queries(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_array_length(jsonb_path_query_array(plan, 'strict $.**."Subplan Name"', silent => true));
END $$;
SELECT sub_queries('SELECT FROM sample WHERE id <@ (SELECT tstzrange(min(at), max(at)) FROM moment)');
SELECT sub_queries('SELECT FROM sample WHERE iuid_is_from(id, (SELECT count(*)::int FROM moment))');
DROP FUNCTION sub_queries;

-- a long expression of built-in functions is not
EXPLAIN (COSTS OFF) SELECT count(*) FROM sample WHERE id <@ tstzrange(
	(date_trunc('month', now() AT TIME ZONE 'Asia/Almaty') - interval '1 month') AT TIME ZONE 'Asia/Almaty',
	(date_trunc('month', now() AT TIME ZONE 'Asia/Almaty') + interval '1 month') AT TIME ZONE 'Asia/Almaty');
EXPLAIN (COSTS OFF) SELECT count(*) FROM sample WHERE tstzrange('2026-01-01', now()) @> id;

-- nor does a recursive function lead the planner into a recursion
CREATE FUNCTION recursive(id iuid) RETURNS timestamptz
LANGUAGE sql STABLE AS $$ SELECT CASE WHEN id >= recursive(id) THEN now() END $$;
EXPLAIN (COSTS OFF) SELECT count(recursive(id)) FROM sample;
DROP FUNCTION recursive;

-- core's own operators on ranges read a literal and a parameter as they did before
SELECT tstzrange('2026-01-01', '2026-02-01') @> '[2026-01-02,2026-01-03)' AS contains,
	'[2026-01-02,2026-01-03)' <@ tstzrange('2026-01-01', '2026-02-01') AS contained;
PREPARE untyped AS SELECT tstzrange('2026-01-01', '2026-02-01') @> $1;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped';
-- and ours reads a literal, too
SELECT count(*) FROM sample WHERE id <@ '[2026-01-01 00:00:00.01,2026-01-01 00:00:00.02)' AND '[2026-01-01,)' @> id;
