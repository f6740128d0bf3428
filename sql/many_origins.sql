-- ANALYZE keeps the origins with most rows, and of as many rows the first ones: an oracle in SQL.
CREATE FUNCTION origin(iuid) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT iuid_country($1) * 256 + iuid_entity($1)';
CREATE FUNCTION kept(tbl regclass) RETURNS text LANGUAGE sql AS $$
	SELECT v.stakind FROM pg_statistic AS s, LATERAL (VALUES
		(stakind1, stavalues1::text), (stakind2, stavalues2::text), (stakind3, stavalues3::text),
		(stakind4, stavalues4::text), (stakind5, stavalues5::text)) AS v (kind, stakind)
	WHERE starelid = tbl AND v.kind = 20810 $$;
CREATE TABLE log (id iuid);
ALTER TABLE log ALTER id SET STATISTICS 1;   -- ten origins
-- all alike
INSERT INTO log SELECT gen_iuid(n / 256, n % 256) FROM generate_series(0, 65535, 331) AS n;
ANALYZE log;
SELECT kept('log') = (SELECT array_agg(o ORDER BY o)::text
	FROM (SELECT origin(id) AS o FROM log ORDER BY 1 LIMIT 10) AS x) AS the_first_ten;
-- some have more
INSERT INTO log SELECT gen_iuid(n / 256, n % 256) FROM generate_series(33100, 33100 + 331 * 6, 331) AS n;
ANALYZE log;
SELECT kept('log') = (SELECT array_agg(o ORDER BY o)::text
	FROM (SELECT origin(id) AS o FROM log GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 10) AS x) AS those_with_most;
-- fewer than ten: all
TRUNCATE log;
INSERT INTO log SELECT gen_iuid(n, 255) FROM generate_series(0, 255, 64) AS n, generate_series(0, n / 16) AS m;
ANALYZE log;
SELECT kept('log');
DROP TABLE log;
DROP FUNCTION kept, origin;
