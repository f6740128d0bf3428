-- Skip scan over a leading iuid column (18 and later).
SELECT current_setting('server_version_num')::int >= 180000 AS skip_scan \gset
\if :skip_scan
CREATE TEMP TABLE line (order_id iuid, line int);
INSERT INTO line SELECT id, n
FROM (SELECT gen_iuid(7, n) AS id FROM generate_series(1, 8) AS n
	UNION ALL VALUES ('00000000-0000-0000-0000-000000000000'::iuid), ('ffffffff-ffff-ffff-ffff-ffffffffffff')) AS x,
	generate_series(1, 2000) AS n;
INSERT INTO line VALUES (NULL, 1000);
CREATE INDEX line_index ON line (order_id, line);
VACUUM ANALYZE line;
CREATE FUNCTION searches(query text) RETURNS TABLE (rows int, many_searches boolean) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	RETURN QUERY SELECT (plan #>> '{0,Plan,"Actual Rows"}')::numeric::int, (plan #>> '{0,Plan,"Index Searches"}')::int > 5;
END $$;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
-- one search for each identifier at least, forwards and backwards, the NULL and both ends included
SELECT * FROM searches('SELECT * FROM line WHERE line = 1000');
SELECT * FROM searches('SELECT * FROM line WHERE line = 1000 ORDER BY order_id DESC, line DESC');
SELECT * FROM searches('SELECT * FROM line WHERE line = 1000 AND order_id > ''00000000-0000-0000-0000-000000000000''');
SELECT count(*) FROM line WHERE line = 1000 AND order_id IS NOT NULL;
DROP FUNCTION searches;
\else
\echo SKIPPED: skip scan needs PostgreSQL 18
\endif
