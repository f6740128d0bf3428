-- The conditions that dashboards send (doc/other-tools.md):
-- what each reads, and that each finds the same rows as the key
CREATE SCHEMA dashboards;
SET search_path = dashboards, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE orders (id iuid PRIMARY KEY, amount int) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-07-01', time_checks => true);
CREATE INDEX ON orders USING brin (iuid_timestamp(id)) WITH (pages_per_range = 16, autosummarize = on);
CREATE VIEW orders_seen AS SELECT *, iuid_timestamp(id) AS created_at FROM orders;
INSERT INTO orders SELECT gen_iuid(7, 1, at), 1
FROM generate_series(timestamptz '2026-01-01', timestamptz '2026-06-30 23:00', '1 hour') AS at;
ANALYZE orders;

-- Which partitions a query has in its plan, and whether an index finds a part of each
CREATE FUNCTION reading(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
	scans jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json, COSTS off) ' || query INTO plan;
	SELECT jsonb_agg(scan) INTO scans
	FROM jsonb_path_query(plan::jsonb, 'strict $.** ? (exists (@."Relation Name"))') AS scan;
	RETURN (SELECT format('%s: %s', CASE count(DISTINCT scan ->> 'Relation Name') WHEN 1 THEN 'one' ELSE 'all' END,
		string_agg(DISTINCT scan ->> 'Node Type'
			|| CASE WHEN scan ?| '{Index Cond,Recheck Cond}' THEN ' of a part' ELSE ' of the whole' END, ', '))
		FROM jsonb_array_elements(scans) AS scan);
END $$;
CREATE FUNCTION found(condition text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	result bigint;
BEGIN
	EXECUTE 'SELECT count(*) FROM orders_seen WHERE ' || condition INTO result;
	RETURN result;
END $$;

-- Grafana, Metabase, Superset, Tableau.  A BRIN index is cheaper than a small table only without a scan of all.
SET enable_seqscan = off;
SET enable_indexscan = off;
CREATE TABLE form (number int GENERATED ALWAYS AS IDENTITY, sender text, condition text);
INSERT INTO form (sender, condition) VALUES
	('Grafana, $__timeFilter', $$created_at BETWEEN '2026-03-10T00:00:00Z' AND '2026-03-10T23:59:59.999Z'$$),
	('Grafana, $__timeFrom()', $$created_at >= '2026-03-10T00:00:00Z' AND created_at < '2026-03-11T00:00:00Z'$$),
	('Grafana, on the key', $$id >= '2026-03-10T00:00:00Z'::timestamptz AND id < '2026-03-11T00:00:00Z'::timestamptz$$),
	('Metabase', $$
		created_at >= timestamp with time zone '2026-03-10 00:00:00.000Z'
		AND created_at < timestamp with time zone '2026-03-11 00:00:00.000Z'$$),
	('SQL', $$created_at >= CAST('2026-03-10' AS timestamptz) AND created_at < CAST('2026-03-11' AS timestamptz)$$),
	('SQL, in another zone', $$created_at >= '2026-03-10 05:00+05' AND created_at < '2026-03-11 05:00+05'$$),
	('Superset', $$
		created_at >= TO_TIMESTAMP('2026-03-10 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')
		AND created_at < TO_TIMESTAMP('2026-03-11 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')$$),
	('Tableau', $$created_at >= (TIMESTAMP '2026-03-10 00:00:00') AND created_at < (TIMESTAMP '2026-03-11 00:00:00')$$),
	('SQL, dates', $$created_at >= date '2026-03-10' AND created_at < date '2026-03-11'$$),
	('Metabase, relative', $$
		created_at >= DATE_TRUNC('day', (NOW() + (timestamptz '2026-03-10 12:00' - NOW())))
		AND created_at < DATE_TRUNC('day', (NOW() + (timestamptz '2026-03-11 12:00' - NOW())))$$),
	('SQL, a function', $$CAST(created_at AS date) = date '2026-03-10'$$),
	('SQL, a function', $$DATE_TRUNC('day', created_at) = timestamptz '2026-03-10'$$),
	('Grafana, $__unixEpochFilter',
		$$extract(epoch from created_at) >= 1773100800 AND extract(epoch from created_at) <= 1773187199$$);
SELECT sender, reading('SELECT FROM orders_seen WHERE ' || condition), found(condition) FROM form ORDER BY number;

-- A parameter: the server plans for its value, unless it has been told to plan once for all.
PREPARE by_parameter(timestamptz, timestamptz) AS
SELECT count(*) FROM orders_seen WHERE created_at >= $1 AND created_at < $2;
SELECT reading($$EXECUTE by_parameter('2026-03-10', '2026-03-11')$$);
SET plan_cache_mode = force_generic_plan;
SELECT reading($$EXECUTE by_parameter('2026-03-10', '2026-03-11')$$);
RESET plan_cache_mode;
RESET enable_indexscan;

-- What comes behind the condition changes nothing of that.
SELECT reading(query) FROM unnest(ARRAY[
	$$SELECT floor(extract(epoch from created_at)/3600)*3600 AS "time", count(*) FROM orders_seen
		WHERE created_at BETWEEN '2026-03-10T00:00:00Z' AND '2026-03-11T00:00:00Z' GROUP BY 1 ORDER BY 1$$,
	$$SELECT DATE_TRUNC('hour', created_at), count(*) FROM orders_seen
		WHERE created_at BETWEEN '2026-03-10T00:00:00Z' AND '2026-03-11T00:00:00Z' GROUP BY 1 ORDER BY 1$$,
	$$SELECT * FROM orders_seen
		WHERE created_at BETWEEN '2026-03-10T00:00:00Z' AND '2026-03-11T00:00:00Z' ORDER BY created_at DESC LIMIT 10$$
]) WITH ORDINALITY AS q(query, number) ORDER BY number;

-- The newest rows: by the key, from its index; by the time only with a btree index.
SELECT reading('SELECT * FROM orders_seen ORDER BY id DESC LIMIT 10');
SET enable_seqscan = on;
SELECT reading('SELECT * FROM orders_seen ORDER BY created_at DESC LIMIT 10');
CREATE INDEX ON orders (iuid_timestamp(id));
SELECT reading('SELECT * FROM orders_seen ORDER BY created_at DESC LIMIT 10');

RESET timezone;
RESET enable_seqscan;
RESET search_path;
DROP SCHEMA dashboards CASCADE;
