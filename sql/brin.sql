-- BRIN: the three classes find what a look at every row finds, and skip the other blocks.
CREATE TABLE log (id iuid, filler text) WITH (fillfactor = 10);
INSERT INTO log SELECT gen_iuid(n % 3, 1, timestamptz '2026-01-01 00:00+00' + n * interval '1 minute'), repeat('x', 100)
FROM generate_series(1, 4000) AS n;
ANALYZE log;

CREATE FUNCTION by_brin(condition text)
RETURNS TABLE (index_condition boolean, rows bigint, oracle bigint, all_blocks_read boolean)
LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	SET LOCAL enable_seqscan = off;
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM log WHERE ' || condition INTO plan;
	index_condition := jsonb_path_exists(plan, 'strict $.**."Index Cond"');
	rows := (plan #>> '{0,Plan,"Actual Rows"}')::numeric;
	all_blocks_read := (plan #>> '{0,Plan,"Lossy Heap Blocks"}')::int
		= pg_relation_size('log') / current_setting('block_size')::int;
	SET LOCAL enable_bitmapscan = off;
	SET LOCAL enable_seqscan = on;
	EXECUTE 'SELECT count(*) FROM (SELECT id::text::uuid AS id FROM log OFFSET 0) AS x WHERE ' || condition INTO oracle;
	RETURN NEXT;
END $$;

SELECT format('id = iuid %L', id) AS iuid, format('id = uuid %L', id) AS uuid,
	format('id >= uuid %L AND id < uuid %L', iuid_floor('2026-01-02 00:00+00'), iuid_floor('2026-01-02 06:00+00')) AS range
FROM log ORDER BY id OFFSET 1000 LIMIT 1 \gset

CREATE INDEX log_brin ON log USING brin (id) WITH (pages_per_range = 8);
SELECT by_brin(:'iuid') AS iuid, by_brin(:'uuid') AS uuid, by_brin(:'range') AS range_of_uuid;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM log WHERE id >= timestamptz '2026-01-02 00:00+00';
DROP INDEX log_brin;

CREATE INDEX log_brin ON log USING brin (id iuid_minmax_multi_ops) WITH (pages_per_range = 8);
SELECT by_brin(:'iuid') AS iuid, by_brin(:'uuid') AS uuid, by_brin(:'range') AS range_of_uuid;
DROP INDEX log_brin;

CREATE INDEX log_brin ON log USING brin (id iuid_bloom_ops) WITH (pages_per_range = 8);
SELECT by_brin(:'iuid') AS iuid, by_brin(:'uuid') AS uuid;
DROP INDEX log_brin;

-- a column of a domain: BRIN looks for operators of the type that the index stores
CREATE DOMAIN log_id AS iuid;
ALTER TABLE log ALTER id TYPE log_id;
ANALYZE log;
CREATE INDEX log_brin ON log USING brin (id) WITH (pages_per_range = 8);
SELECT by_brin(:'uuid') AS uuid, by_brin(:'range') AS range_of_uuid;
DROP INDEX log_brin;
CREATE INDEX log_brin ON log USING brin (id iuid_minmax_multi_ops) WITH (pages_per_range = 8);
SELECT by_brin(:'uuid') AS uuid, by_brin(:'range') AS range_of_uuid;
DROP TABLE log;
DROP DOMAIN log_id;
DROP FUNCTION by_brin;
