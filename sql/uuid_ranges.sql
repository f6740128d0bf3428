-- A range of time over a uuid column uses each kind of index that core has for uuid, and prunes partitions.
SET timezone = 'UTC';
CREATE SCHEMA uuid_ranges;
SET search_path = uuid_ranges, public;
CREATE DOMAIN trip_id AS uuid;
CREATE TABLE trips (id uuid PRIMARY KEY, of_domain trip_id, payload jsonb, at timestamptz, n int);
INSERT INTO trips SELECT id, id, jsonb_build_object('id', id), at, n
FROM (SELECT timestamptz '2025-06-01' + n * interval '10 minutes' AS at, n
	FROM generate_series(0, 9999) AS n) AS x, gen_iuid(7, 1, at) AS id;
CREATE INDEX ON trips (of_domain);
CREATE INDEX payloads ON trips (((payload ->> 'id')::uuid));
CREATE TABLE bound (id iuid);
-- each index has the condition, whole: no filter is left
SET enable_seqscan = off;
CREATE FUNCTION range(of text) RETURNS text
RETURN of || ' >= iuid_floor(''2025-07-07'') AND iuid_floor(''2025-07-08'') > ' || of;
CREATE FUNCTION scans(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		-- what PostgreSQL 18 says of a node that enable_seqscan forbids, and 19 of one that reads nothing
		CONTINUE WHEN line ~ '^ *(Disabled: true|Replaces: .*)$';
		RETURN NEXT line;
	END LOOP;
END $$;
SELECT scans('SELECT n FROM trips WHERE ' || range(key))
FROM unnest('{id,of_domain,(payload ->> ''id'')::uuid}'::text[]) AS key;
SELECT scans('SELECT trips.n FROM bound,
	LATERAL (SELECT * FROM trips WHERE trips.id >= bound.id ORDER BY trips.id LIMIT 1) AS trips');
CREATE EXTENSION btree_gist;
CREATE TABLE other_indexes AS SELECT id, id AS multi, id AS gist, id AS bloom, id AS hash FROM trips;
CREATE INDEX ON other_indexes USING brin (id);
CREATE INDEX ON other_indexes USING brin (multi uuid_minmax_multi_ops);
CREATE INDEX ON other_indexes USING gist (gist);
CREATE INDEX ON other_indexes USING brin (bloom uuid_bloom_ops);
CREATE INDEX ON other_indexes USING hash (hash);
SELECT scans('SELECT FROM other_indexes WHERE ' || range(key)) FROM unnest('{id,multi,gist,bloom,hash}'::text[]) AS key;
SELECT key, count FROM unnest('{id,multi,gist,bloom,hash}'::text[]) AS key,
	query_to_xml('SELECT count(*) FROM other_indexes WHERE ' || range(key), false, true, '') AS rows,
	LATERAL (SELECT (xpath('/row/count/text()', rows))[1] AS count) AS x;
SELECT count(*) FROM trips WHERE at >= '2025-07-07' AND at < '2025-07-08';
-- an index in order by origin knows nothing of time
CREATE INDEX by_origin ON other_indexes (hash uuid_origin_ops);
SELECT scans('SELECT FROM other_indexes WHERE ' || range('hash'));
-- a partial index, and constraint exclusion
CREATE TABLE newer (id uuid CHECK (id >= iuid_floor('2025-07-01')), n int);
CREATE INDEX ON newer (n) WHERE id >= iuid_floor('2025-08-01');
SELECT scans('SELECT FROM newer WHERE n = 1 AND id >= iuid_floor(''2025-09-01'')');
SET constraint_exclusion = on;
SELECT scans('SELECT FROM newer WHERE id < iuid_floor(''2025-06-01'')');
SELECT scans('SELECT FROM generate_series(1, 2) AS g, newer WHERE id < iuid_floor(''2025-06-01'')');
RESET constraint_exclusion;
-- what an index is made of, and a query, ON CONFLICT too, is one
CREATE TABLE once (n int, id uuid, other iuid);
CREATE UNIQUE INDEX ON once (n, (id >= iuid_floor('2025-08-01')));
CREATE UNIQUE INDEX ON once (n) WHERE (id < iuid_floor('2025-08-01')) IS NOT TRUE;
CREATE UNIQUE INDEX ON once (n) WHERE id < other;
INSERT INTO once VALUES (1, gen_iuid(1, 1)) ON CONFLICT (n, (id >= iuid_floor('2025-08-01'))) DO NOTHING;
INSERT INTO once VALUES (1, gen_iuid(1, 1))
ON CONFLICT (n) WHERE (id < iuid_floor('2025-08-01')) IS NOT TRUE DO NOTHING;
INSERT INTO once VALUES (2, gen_iuid(1, 1)) ON CONFLICT (n) WHERE id < other DO NOTHING;
CREATE INDEX in_august ON once ((id >= iuid_floor('2025-08-01')));
SELECT scans('SELECT n FROM once WHERE id >= iuid_floor(''2025-08-01'')');
-- of a partitioned table, with a cast to uuid
CREATE TABLE once_by_month (n int, id uuid) PARTITION BY RANGE (id);
CREATE UNIQUE INDEX ON once_by_month (n, id) WHERE id >= iuid_floor('2025-08-01')::uuid;
INSERT INTO once_by_month SELECT WHERE false ON CONFLICT (n, id) WHERE id >= iuid_floor('2025-08-01')::uuid DO NOTHING;
-- a subquery that is simplified as if its columns were those of the query
SELECT scans('SELECT EXISTS (SELECT FROM once AS a, once AS b
	WHERE b.id >= iuid_floor(''2020-01-01'') AND b.n = newer.n) FROM newer') ~ 'Seq Scan on newer' AS planned LIMIT 1;
SELECT count(*) FROM newer WHERE n = 77 OR EXISTS (
	SELECT FROM once AS a JOIN once AS b USING (n) JOIN once AS c USING (n)
	WHERE c.id >= iuid_floor('2020-01-01') AND a.n = newer.n);
-- row comparisons, arrays, and the functions themselves
SELECT count(*) FROM trips WHERE (id, n) >= (iuid_floor('2025-07-07'), 0) AND (id, n) < (iuid_floor('2025-07-08'), 0);
SELECT count(*) FROM trips WHERE id > ALL (ARRAY[iuid_floor('2025-07-07')]) AND iuid_lt(id, iuid_floor('2025-07-08'));

-- a key of partitions: when the statement is planned, when it starts, and for each row of a join
CREATE TABLE by_month (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('by_month', '1 month', '2025-01-01', '2025-04-01');
CREATE TABLE by_list (id uuid, kind int) PARTITION BY LIST (kind);
CREATE INDEX ON by_list (id);
CREATE TABLE by_list_1 PARTITION OF by_list FOR VALUES IN (1) PARTITION BY RANGE (id);
CREATE TABLE by_origin_and_month (id uuid PRIMARY KEY) PARTITION BY RANGE (id uuid_origin_ops);
CREATE TABLE of_7 PARTITION OF by_origin_and_month
	FOR VALUES FROM (iuid_country_floor(7)) TO (iuid_country_floor(8)) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('by_list_1', '1 month', '2025-01-01', '2025-04-01');
SELECT count(*) FROM iuid_create_partitions('of_7', '1 month', '2025-01-01', '2025-04-01');
CREATE VIEW of_all AS SELECT id FROM by_month UNION ALL SELECT id FROM by_list;
SET plan_cache_mode = force_generic_plan;
CREATE TABLE parent AS SELECT * FROM unnest('{by_month,by_list,by_origin_and_month,of_all}'::text[]) AS parent;
SELECT scans('SELECT FROM ' || parent || ' WHERE ' || replace(range('id'), '2025-07', '2025-02')) FROM parent;
SELECT scans('SELECT FROM ' || parent || ' WHERE id >= iuid_floor(now())') FROM parent;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
CREATE FUNCTION partitions_read(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, SUMMARY OFF, TIMING OFF, FORMAT json) ' || query INTO plan;
	RETURN (SELECT count(*) FROM regexp_matches(plan::text,
		'"Index Name": "(by_list_1|by_month|of_7)_2025[^"]*",[^{}]*"Actual Loops": [1-9]', 'g'));
END $$;
SELECT parent, partitions_read(
	'SELECT FROM (SELECT iuid_floor(''2025-03-03'') AS id OFFSET 0) AS b JOIN ' || parent || ' AS p ON p.id >= b.id')
FROM parent WHERE parent <> 'of_all';
SELECT partitions_read('SELECT id FROM by_month GROUP BY id HAVING id >= iuid_floor(''2025-03-03'')');
-- a partition that is asked by its name is an ordinary table
SELECT scans('SELECT FROM by_month_2025_02 WHERE ' || replace(range('id'), '2025-07', '2025-02'));

-- a foreign server gets the condition, and needs no extension for it
CREATE EXTENSION postgres_fdw;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw;
CREATE USER MAPPING FOR CURRENT_USER SERVER elsewhere;
CREATE FOREIGN TABLE far (id uuid) SERVER elsewhere;
EXPLAIN (VERBOSE, COSTS OFF) SELECT FROM far WHERE id >= iuid_floor('2025-07-07');

SET client_min_messages = warning;
DROP SCHEMA uuid_ranges CASCADE;
