-- Whatever time is given, a partition goes if it ended at or before that time, and no other one does.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
CREATE TABLE part (name text, upper timestamptz);
INSERT INTO part VALUES
	('log_nil', '1970-01-01'), ('log_first_ms', '1970-01-01 00:00:00.001'), ('log_1970', '1971-01-01'),
	('log_1970s', '1980-01-01'), ('log_1999', '1999-12-31 23:59:59.999'), ('log_last_ms', '2000-01-01'),
	('log_2000', '2001-01-01'), ('log_2026', '2027-01-01'), ('log_far', '10889-01-01');
CREATE TABLE log_nil PARTITION OF log
	FOR VALUES FROM ('00000000-0000-0000-0000-000000000000') TO (iuid_floor('1970-01-01'));
CREATE TABLE log_first_ms PARTITION OF log
	FOR VALUES FROM (iuid_floor('1970-01-01')) TO (iuid_floor('1970-01-01 00:00:00.001'));
CREATE TABLE log_1970 PARTITION OF log
	FOR VALUES FROM (iuid_floor('1970-01-01 00:00:00.001')) TO (iuid_floor('1971-01-01'));
CREATE TABLE log_1970s PARTITION OF log FOR VALUES FROM (iuid_floor('1971-01-01')) TO (iuid_floor('1980-01-01'));
CREATE TABLE log_1999 PARTITION OF log
	FOR VALUES FROM (iuid_floor('1980-01-01')) TO (iuid_floor('1999-12-31 23:59:59.999'));
CREATE TABLE log_last_ms PARTITION OF log
	FOR VALUES FROM (iuid_floor('1999-12-31 23:59:59.999')) TO (iuid_floor('2000-01-01'));
CREATE TABLE log_2000 PARTITION OF log FOR VALUES FROM (iuid_floor('2000-01-01')) TO (iuid_floor('2001-01-01'));
CREATE TABLE log_2026 PARTITION OF log FOR VALUES FROM (iuid_floor('2001-01-01')) TO (iuid_floor('2027-01-01'));
CREATE TABLE log_far PARTITION OF log FOR VALUES FROM (iuid_floor('2027-01-01')) TO (iuid_floor('10889-01-01'));

-- What a call would remove; the call is undone.
CREATE FUNCTION removed_by(call text, VARIADIC arguments text[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	gone text[];
BEGIN
	EXECUTE format(call, VARIADIC arguments);
	SELECT array_agg(name ORDER BY upper) INTO gone FROM part
	WHERE NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'log'::regclass AND inhrelid::regclass::text = name);
	RAISE SQLSTATE 'UNDO0';
EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
	RETURN gone;
END $$;
-- What CALL iuid_maintain_partitions does, but for the COMMITs.
CREATE FUNCTION maintain(keep interval) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	s record;
BEGIN
	SELECT 0 AS created, 0 AS dropped, '{}'::text[] AS failed, false AS done INTO s;
	WHILE NOT s.done LOOP
		SELECT m.* INTO s
		FROM iuid_maintenance_step('log', '1 year', 0, keep, false, '0', s.created, s.dropped, s.failed) AS m;
	END LOOP;
END $$;
CREATE VIEW call AS SELECT * FROM (VALUES
	('SELECT iuid_drop_partitions(''log'', %L)'), ('SELECT iuid_detach_partitions(''log'', %L)')) AS v (call);

SELECT older_than, array_agg(DISTINCT cardinality(removed_by(call, older_than::text))) AS gone
FROM unnest(ARRAY['4713-01-01 BC', '0001-01-01', '1900-01-01',
	'1969-12-31 23:59:59.999', '1969-12-31 23:59:59.999999', '1970-01-01', '1970-01-01 00:00:00.000999',
	'1970-12-31 23:59:59.999999', '1971-01-01', '1979-12-31 23:59:59.999', '1980-01-01',
	'1999-12-31 23:59:59.999', '1999-12-31 23:59:59.999999', '2000-01-01', '2000-12-31 23:59:59.999999', '2001-01-01',
	'2026-12-31', '10889-01-01', '294276-12-31 23:59:59.999999']::timestamptz[]) AS older_than, call
GROUP BY 1 ORDER BY 1;
-- core's comparison of times says the same, around each end and far from all
SELECT count(*) AS calls, count(*) FILTER (WHERE removed_by(call, older_than::text) IS DISTINCT FROM
	(SELECT array_agg(name ORDER BY upper) FROM part WHERE upper <= older_than)) AS wrong
FROM call, (SELECT upper + n * interval '1 microsecond' FROM part, unnest(ARRAY[-1000, -1, 0, 1, 999, 1000]) AS n
	UNION ALL SELECT '1969-12-31'::timestamptz - n * interval '1 year' FROM generate_series(0, 6000, 2000) AS n
	UNION ALL SELECT '294276-12-31'::timestamptz - n * interval '1 year'
	FROM generate_series(0, 280000, 10) AS n WHERE n < 30 OR n % 40000 = 0) AS v (older_than);
SELECT keep, removed_by('SELECT maintain(%L)', keep::text) IS NOT DISTINCT FROM
	(SELECT array_agg(name ORDER BY upper) FROM part WHERE upper <= now() - keep) AS as_core
FROM unnest(ARRAY['1 hour', '10 years', '100 years', '1000 years', '6000 years']::interval[]) AS keep;

DROP VIEW call;
DROP FUNCTION removed_by, maintain;
DROP TABLE log, part;
