-- A week out of a year: by a predicate on the identifier, by its time extracted, by a column of its own
CREATE TABLE year (id iuid NOT NULL, created_at timestamptz NOT NULL, note text NOT NULL);
INSERT INTO year SELECT gen_iuid(7, 1, at), at, format('order %s, ', n) || repeat('x', 100)
FROM (SELECT timestamptz '2026-01-01' + n * interval '365 days' / (5 * :million) AS at, n FROM generate_series(0, 5 * :million - 1) AS n) AS x;
ALTER TABLE year ADD PRIMARY KEY (id);
CREATE INDEX year_created_at ON year (created_at);
VACUUM ANALYZE year;

CREATE FUNCTION buffers(statement text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || statement INTO plan;
	RETURN (plan #> '{0,Plan,Shared Hit Blocks}')::bigint + (plan #> '{0,Plan,Shared Read Blocks}')::bigint;
END $$;

CREATE TABLE question AS
SELECT * FROM (VALUES
	(1, 'filter on iuid_timestamp(id)', $$iuid_timestamp(id) >= '2026-06-29' AND iuid_timestamp(id) < '2026-07-06'$$),
	(2, 'predicate on id', $$id >= timestamptz '2026-06-29' AND id < timestamptz '2026-07-06'$$),
	(3, 'indexed created_at', $$created_at >= '2026-06-29' AND created_at < '2026-07-06'$$)) AS v(place, way, condition);

SELECT bench.compare(format('%s, %s rows', what, bench.shown(5 * :million)), array_agg(way ORDER BY place), array_agg(format('SELECT %s FROM year WHERE %s', result, condition) ORDER BY place))
FROM question, (VALUES ('count', 'count(*)'), ('reading the rows', 'max(note)')) AS v(what, result) GROUP BY what, result ORDER BY what;
INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'reading the rows', way, buffers(format('SELECT max(note) FROM year WHERE %s', condition)), 'buffers' FROM question ORDER BY place;
INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'space for the time', way, bytes, 'bytes a row' FROM (VALUES
	('key alone', 0), ('created_at and its index', 8 + pg_relation_size('year_created_at') / (5 * :million)::float8)) AS v(way, bytes);
