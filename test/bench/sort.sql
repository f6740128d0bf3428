-- CREATE INDEX on shuffled identifiers and ORDER BY, at several rates of rows to a millisecond
CREATE TABLE shuffled (id iuid, u uuid);

-- Rows arrive at random, except where the rate says that they are evenly spaced.
SELECT format('TRUNCATE shuffled; INSERT INTO shuffled SELECT id, id FROM (
		SELECT gen_iuid(7, 1, timestamptz ''2026-01-01'' + %s * interval ''1 ms'') AS id, n FROM generate_series(1, 5 * %s) AS n) AS x
		ORDER BY hashint8extended(n, 42)', CASE WHEN evenly THEN 'n' ELSE format('trunc(random() * 5 * %s / %s)', :million, rate) END, :million),
	format('VACUUM ANALYZE shuffled'),
	format('SELECT bench.compare(%L, ''{uuid,iuid}'', ''{CREATE INDEX shuffled_index ON shuffled (u),CREATE INDEX shuffled_index ON shuffled (id)}'', undo => ''DROP INDEX shuffled_index'')',
		format('CREATE INDEX, %s rows at %s', bench.shown(5 * :million), label)),
	format('SELECT bench.compare(%L, ''{uuid,iuid}'', ''{SELECT count(*) FROM (SELECT u FROM shuffled ORDER BY u OFFSET 0) AS x,SELECT count(*) FROM (SELECT id FROM shuffled ORDER BY id OFFSET 0) AS x}'')',
		format('ORDER BY, %s rows at %s', bench.shown(5 * :million), label))
FROM (VALUES (1, true), (1, false), (100, false), (5000, false)) AS v(rate, evenly), format('%s/ms%s', rate, CASE WHEN evenly THEN ', evenly spaced' ELSE '' END) AS label
\gexec
DROP TABLE shuffled;
