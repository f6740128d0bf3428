\ir compare.sql
\echo 'CREATE INDEX on two million shuffled identifiers, at several rates'
SET maintenance_work_mem = '512MB';
CREATE TABLE shuffled (id iuid, u uuid);
SELECT rate, countries, c.what, c.median_ms, c.least_ms, c.most_ms, c.ratio
FROM (VALUES (1, 1), (1000, 1), (5000, 1), (1, 50), (5000, 50)) AS v(rate, countries),
	LATERAL (SELECT pg_temp.milliseconds(format(
		'TRUNCATE shuffled;
		INSERT INTO shuffled SELECT id, id FROM (
			SELECT gen_iuid(n %% %s, 1, timestamptz ''2026-01-01'' + n / %s * interval ''1 millisecond'') AS id
			FROM generate_series(1, 2000000) AS n ORDER BY random()) AS x', countries, rate)) AS ms) AS fill,
	LATERAL (SELECT * FROM pg_temp.compare(ARRAY['uuid', 'iuid'],
		ARRAY['CREATE INDEX shuffled_index ON shuffled (u)', 'CREATE INDEX shuffled_index ON shuffled (id)'],
		undo => 'DROP INDEX shuffled_index', rounds => 5 + 0 * fill.ms::int)) AS c;
DROP TABLE shuffled;
