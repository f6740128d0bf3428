-- CREATE INDEX on shuffled identifiers and ORDER BY, at several rates of rows to a millisecond
CREATE TABLE as_uuid (id uuid);
CREATE TABLE as_iuid (id iuid);

-- Rows arrive at random, except where the rate says that they are evenly spaced.
CREATE FUNCTION fill(rows int, rate int, evenly boolean, countries int) RETURNS void LANGUAGE sql AS $$
	TRUNCATE as_uuid, as_iuid;
	INSERT INTO as_uuid SELECT id FROM (
		SELECT gen_iuid(n % countries, 1, timestamptz '2026-01-01' + CASE WHEN evenly THEN n / rate ELSE trunc(random() * rows / rate) END * interval '1 ms') AS id, n
		FROM generate_series(1, rows) AS n) AS x
	ORDER BY hashint8extended(n, 42);
	INSERT INTO as_iuid SELECT id::iuid FROM as_uuid;
$$;
-- In the 64 MB that the server takes without a setting, the keys are sorted in runs, which are merged.
CREATE FUNCTION create_indexes(work text, memory text) RETURNS void LANGUAGE sql AS $$
	SELECT set_config('maintenance_work_mem', memory, true);
	SELECT bench.compare(work, '{uuid,iuid}', '{CREATE INDEX sorted ON as_uuid (id),CREATE INDEX sorted ON as_iuid (id)}', undo => 'DROP INDEX sorted')
$$;
CREATE FUNCTION order_by(work text) RETURNS void LANGUAGE sql AS $$
	SELECT bench.compare(work, '{uuid,iuid}', '{SELECT count(*) FROM (SELECT FROM as_uuid ORDER BY id OFFSET 0) AS x,SELECT count(*) FROM (SELECT FROM as_iuid ORDER BY id OFFSET 0) AS x}')
$$;

SELECT format('SELECT fill(5 * %s, %s, %L, %s)', :million, rate, evenly, countries),
	'VACUUM ANALYZE as_uuid, as_iuid',
	format('SELECT create_indexes(%L, ''64MB'')', 'CREATE INDEX, ' || label),
	format('SELECT create_indexes(%L, ''1GB'')', 'CREATE INDEX in 1 GB, ' || label),
	format('SELECT order_by(%L)', 'ORDER BY, ' || label)
FROM (VALUES (1, true, 1), (1, false, 1), (100, false, 1), (100, false, 50), (5000, false, 1), (5000, false, 50), (5000000, true, 1)) AS v(rate, evenly, countries),
	format('%s rows at %s/ms%s%s', bench.shown(5 * :million), rate, CASE WHEN evenly THEN ', evenly spaced' END, CASE WHEN countries > 1 THEN format(', %s countries', countries) END) AS label
\gexec
DROP TABLE as_uuid, as_iuid;
