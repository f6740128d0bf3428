-- Estimates of the rows in a range of time: by a timestamptz column, and by keys that carry their time
SELECT to_regprocedure('uuidv7(interval)') IS NOT NULL AS has_uuidv7 \gset
\if :has_uuidv7
	\set v7 'uuidv7(at - now())'
\else
	\set v7 'NULL::uuid'
\endif
CREATE TABLE year (created_at timestamptz NOT NULL, iuid iuid NOT NULL, uuid uuid NOT NULL, uuidv7 uuid);
CREATE INDEX ON year (created_at);
CREATE INDEX ON year (iuid);
CREATE INDEX ON year (uuid);
CREATE INDEX ON year (uuidv7);
ALTER TABLE year SET (autovacuum_enabled = false);
SELECT setseed(0.5);
INSERT INTO year SELECT at, id, id, :v7
FROM (SELECT timestamptz '2025-01-01' + random() * interval '365 days' AS at FROM generate_series(1, 3 * :million)) AS t, gen_iuid(7, 1, at) AS id;
VACUUM ANALYZE year;
CREATE TABLE child (year iuid NOT NULL, note text NOT NULL);
INSERT INTO child SELECT iuid, 'note' FROM year;
CREATE INDEX ON child (year);
VACUUM ANALYZE child;

CREATE TABLE span AS
SELECT name, name::interval AS length, place FROM unnest(ARRAY['5 minutes', '1 hour', '1 day', '1 week', '1 month', '6 months']) WITH ORDINALITY AS s(name, place);
-- Without iuid, a uuid is compared with bounds that the application makes.
CREATE FUNCTION condition(way text, lower timestamptz, upper timestamptz) RETURNS text IMMUTABLE
RETURN CASE WHEN way = 'created_at' THEN format('created_at >= %L AND created_at < %L', lower, upper)
	WHEN way = 'uuidv7' THEN format('uuidv7 >= uuid %L AND uuidv7 < uuid %L', iuid_floor(lower), iuid_floor(upper))
	ELSE format('%I >= iuid_floor(%L) AND %I < iuid_floor(%L)', way, lower, way, upper) END;
CREATE FUNCTION expected_rows(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
CREATE TABLE way AS SELECT * FROM unnest(ARRAY['created_at', 'iuid', 'uuid', 'uuidv7']) WITH ORDINALITY AS w(way, number) WHERE way <> 'uuidv7' OR :'has_uuidv7';

-- by how many times an estimate is wrong, either way
CREATE PROCEDURE measure(label text, latest timestamptz) LANGUAGE sql AS $$
	INSERT INTO bench.measurement (work, way, value, unit)
	SELECT format(label, name), way, greatest(expected, rows) / least(expected, rows), 'times too many or too few'
	FROM span AS s, way, LATERAL (SELECT latest - p * (latest - '2025-01-01' - length) / 10 AS upper FROM generate_series(0, 9) AS p) AS u,
		LATERAL (SELECT greatest(count(*), 1) AS rows FROM year WHERE created_at >= upper - length AND created_at < upper) AS r,
		expected_rows('SELECT FROM year WHERE ' || condition(way, upper - length, upper)) AS expected
	ORDER BY s.place, number
$$;
CALL measure('%s', '2026-01-01');
INSERT INTO year SELECT at, id, id, :v7
FROM (SELECT timestamptz '2026-01-01' + random() * interval '120 days' AS at FROM generate_series(1, :million)) AS t, gen_iuid(7, 1, at) AS id;
CALL measure('%s, a quarter of the rows after ANALYZE', '2026-05-01');
ANALYZE year;

SELECT bench.compare('planning a range', array_agg(way ORDER BY number), array_agg(format('SELECT expected_rows($q$SELECT FROM year WHERE %s$q$) FROM generate_series(1, 1000)', condition(way, '2025-03-10', '2025-03-11')) ORDER BY number), things => 1000) FROM way WHERE way <> 'uuidv7';
SELECT bench.compare('the last ten minutes and their children', array_agg(way ORDER BY number), array_agg(format('SELECT count(note) FROM year JOIN child ON child.year = iuid WHERE %s', condition(way, '2026-04-30 23:50', '2026-05-01')) ORDER BY number)) FROM way WHERE way <> 'uuidv7';
