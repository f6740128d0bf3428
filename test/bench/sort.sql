-- CREATE INDEX on shuffled identifiers and ORDER BY, at several rates of rows to a millisecond
CREATE TABLE shuffled (id iuid, u uuid);

-- Rows arrive at random, except where the rate says that they are evenly spaced.
CREATE FUNCTION fill(rows int, rate int, evenly boolean) RETURNS void LANGUAGE sql AS $$
	TRUNCATE shuffled;
	INSERT INTO shuffled SELECT id, id FROM (
		SELECT gen_iuid(7, 1, timestamptz '2026-01-01' + CASE WHEN evenly THEN n / rate ELSE trunc(random() * rows / rate) END * interval '1 ms') AS id, n
		FROM generate_series(1, rows) AS n) AS x
	ORDER BY hashint8extended(n, 42)
$$;
-- With the memory that the server takes without a setting, and with enough for all rows.
CREATE FUNCTION create_indexes(work text, memory text) RETURNS void LANGUAGE sql AS $$
	SELECT set_config('maintenance_work_mem', memory, true);
	SELECT bench.compare(work, '{uuid,iuid}', '{CREATE INDEX shuffled_index ON shuffled (u),CREATE INDEX shuffled_index ON shuffled (id)}', undo => 'DROP INDEX shuffled_index')
$$;
CREATE FUNCTION order_by(work text) RETURNS void LANGUAGE sql AS $$
	SELECT bench.compare(work, '{uuid,iuid}', '{SELECT count(*) FROM (SELECT u FROM shuffled ORDER BY u OFFSET 0) AS x,SELECT count(*) FROM (SELECT id FROM shuffled ORDER BY id OFFSET 0) AS x}')
$$;

SELECT format('SELECT fill(5 * %s, %s, %L)', :million, rate, evenly),
	'VACUUM ANALYZE shuffled',
	format('SELECT create_indexes(%L, ''64MB'')', 'CREATE INDEX, ' || label),
	format('SELECT create_indexes(%L, ''1GB'')', 'CREATE INDEX in 1 GB, ' || label),
	format('SELECT order_by(%L)', 'ORDER BY, ' || label)
FROM (VALUES (1, true), (1, false), (100, false), (5000, false)) AS v(rate, evenly),
	format('%s rows at %s/ms%s', bench.shown(5 * :million), rate, CASE WHEN evenly THEN ', evenly spaced' ELSE '' END) AS label
\gexec
DROP TABLE shuffled;
