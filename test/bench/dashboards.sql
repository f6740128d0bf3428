-- Time checks of partitions: what they cost, and what they give to conditions on the time
\getenv folder BENCH_FOLDER
CREATE TABLE bare (id iuid PRIMARY KEY, n int) PARTITION BY RANGE (id);
CREATE TABLE checked (LIKE bare INCLUDING ALL) PARTITION BY RANGE (id);
SELECT iuid_create_partitions(name, '1 month', '2025-01-01', '2026-01-01', time_checks => name = 'checked'::regclass) FROM unnest('{bare,checked}'::regclass[]) AS name;
CREATE TABLE year AS
SELECT gen_iuid(7, 1, timestamptz '2025-01-01' + n * interval '365 days' / (3 * :million)) AS id, n FROM generate_series(0, 3 * :million - 1) AS n;

-- What they cost
SELECT format('COPY (SELECT * FROM year WHERE n %% 3 = 0) TO %L', :'folder' || '/year.copy')
\gexec
SELECT bench.compare(format('COPY of %s rows', bench.shown(:million)), '{no time checks,time checks}',
	ARRAY(SELECT format('COPY %s FROM %L', way, :'folder' || '/year.copy') FROM unnest('{bare,checked}'::text[]) AS way), undo => 'TRUNCATE bare, checked');
SELECT bench.compare(format('INSERT of %s rows', bench.shown(:million)), '{no time checks,time checks}',
	ARRAY(SELECT format('INSERT INTO %s SELECT * FROM year WHERE n %% 3 = 0', way) FROM unnest('{bare,checked}'::text[]) AS way), undo => 'TRUNCATE bare, checked');
CREATE FUNCTION insert_one_by_one(target regclass, rows int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN 1 .. rows LOOP
		EXECUTE format('INSERT INTO %s VALUES (gen_iuid(7, 1, %L), 1)', target, '2025-06-29');
	END LOOP;
END $$;
SELECT bench.compare('INSERT of one row a statement', '{no time checks,time checks}',
	ARRAY(SELECT format('SELECT insert_one_by_one(%L, %s)', way, :million / 20) FROM unnest('{bare,checked}'::text[]) AS way), undo => 'TRUNCATE bare, checked', things => :million / 20);

CREATE TABLE hours_bare (LIKE bare INCLUDING ALL) PARTITION BY RANGE (id);
CREATE TABLE hours_checked (LIKE bare INCLUDING ALL) PARTITION BY RANGE (id);
SELECT format('SELECT count(*) FROM iuid_create_partitions(%L, %L, %L, %L, %L)', 'hours_' || way, '1 hour', first, first + interval '200 hours', way = 'checked')
FROM unnest('{bare,checked}'::text[]) AS way, generate_series(timestamptz '2025-01-01', timestamptz '2025-01-01' + interval '800 hours', '200 hours') AS first \gexec
SELECT bench.compare('planning with 1,000 partitions, ' || what, '{no time checks,time checks}',
	ARRAY(SELECT format('SELECT bench.plan(%L, 10)', format('SELECT FROM hours_%s WHERE %s', way, condition)) FROM unnest('{bare,checked}'::text[]) AS way), things => 10)
FROM (VALUES ('a condition on another column', 'n = 5'), ('on the time', $$iuid_timestamp(id) >= '2025-01-03' AND iuid_timestamp(id) < '2025-01-03 01:00'$$),
	('on the key', $$id >= timestamptz '2025-01-03' AND id < timestamptz '2025-01-03 01:00'$$)) AS v(what, condition);

-- What they give, with BRIN on the time and without
INSERT INTO bare SELECT * FROM year;
INSERT INTO checked SELECT * FROM year;
CREATE TABLE checked_brin (LIKE bare INCLUDING ALL) PARTITION BY RANGE (id);
SELECT iuid_create_partitions('checked_brin', '1 month', '2025-01-01', '2026-01-01', time_checks => true);
CREATE INDEX ON checked_brin USING brin (iuid_timestamp(id)) WITH (pages_per_range = 16);
INSERT INTO checked_brin SELECT * FROM year;
VACUUM ANALYZE bare, checked, checked_brin;
SELECT format('CREATE VIEW %I AS SELECT *, iuid_timestamp(id) AS created_at FROM %I', way || '_seen', way) FROM unnest('{bare,checked,checked_brin}'::text[]) AS way \gexec
SELECT bench.compare(what, '{the key,no time checks,time checks,"time checks, BRIN"}',
	ARRAY[$$SELECT max(n) FROM bare WHERE id <@ tstzrange('2025-06-29', '2025-06-30')$$]
	|| ARRAY(SELECT format('SELECT max(n) FROM %s_seen WHERE %s', way, condition) FROM unnest('{bare,checked,checked_brin}'::text[]) AS way))
FROM (VALUES ('a day, by literals', $$created_at BETWEEN '2025-06-29T00:00:00Z' AND '2025-06-30T00:00:00Z'$$),
	('a day, by TO_TIMESTAMP', $$created_at >= TO_TIMESTAMP('2025-06-29 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND created_at < TO_TIMESTAMP('2025-06-30 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')$$),
	('a day, by timestamp without time zone', $$created_at >= (TIMESTAMP '2025-06-29 00:00:00') AND created_at < (TIMESTAMP '2025-06-30 00:00:00')$$),
	('a day, by now()', $$created_at >= now() - (now() - '2025-06-29') AND created_at < now() - (now() - '2025-06-30')$$),
	('a day, by its date', $$CAST(created_at AS date) = date '2025-06-29'$$),
	('a day, by extract()', $$extract(epoch from created_at) >= 1751155200 AND extract(epoch from created_at) <= 1751241600$$)) AS v(what, condition);
