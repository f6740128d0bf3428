-- Telemetry with two clocks, replays and late events: the example, checked against its source.
\i examples/telemetry.sql
SET client_min_messages = warning;

-- what the source says, without an iuid; what came again in August 2026 was late; and five of the story
CREATE TEMP VIEW oracle AS
SELECT tenant, device, event, event_time, write_time, utc_offset, write_time - event_time >= interval '720 hours' AS late FROM source
UNION ALL
SELECT tenant, device, event || ' too', event_time, '2026-08-30 12:00', utc_offset, true FROM source WHERE event_time < '2017-01-01'
UNION ALL VALUES
	('north', 'device-a', 'five minutes ahead', timestamptz '2026-08-10 12:05', timestamptz '2026-08-10 12:00', interval '0', false),
	('north', 'device-a', 'and a millisecond', '2026-08-10 12:05:00.001', '2026-08-10 12:01', '0', false),
	('north', 'device-b', 'far west', '2026-08-10 12:00', '2026-08-10 12:00', '-12:15', false),
	('east', 'device-d', 'nobody knows us', '2026-08-10 12:00', '2026-08-10 12:01', '0', false),
	('south', 'device-e', 'written in 2030', '2026-08-10 12:00', '2026-08-10 12:01', '0', false);

-- after forgetting, exactly that is left which began in a month that is kept
PREPARE differences (timestamptz, timestamptz) AS
WITH expected AS (
	SELECT * FROM oracle WHERE CASE WHEN late THEN write_time >= $2 ELSE event_time >= $1 END
), found AS (
	SELECT tenant, device, event, event_time, write_time, utc_offset, late FROM all_events
)
SELECT (SELECT count(*) FROM expected) AS expected, count(*) AS differences
FROM ((TABLE expected EXCEPT ALL TABLE found) UNION ALL (TABLE found EXCEPT ALL TABLE expected)) AS x;
EXECUTE differences ('2019-12-01', '2020-01-01');
-- a late event outlives its month
SELECT count(*), bool_and(late) AS late FROM all_events WHERE id < timestamptz '2019-12-01';

-- the partitions left are those of the months from here to the one after the last event; a difference is a row
PREPARE wrong_partitions (timestamptz, timestamptz) AS
WITH expected AS (
	SELECT to_char(month, '"events_"YYYY_MM') AS name
	FROM generate_series(date_trunc('month', $1), (SELECT max(event_time) FROM source) + interval '1 month', interval '1 month') AS month
	UNION
	SELECT to_char(month, '"late_events_"YYYY_MM')
	FROM generate_series(date_trunc('month', $2), (SELECT max(write_time) FROM source) + interval '1 month', interval '1 month') AS month
), found AS (
	SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent IN ('events'::regclass, 'late_events'::regclass)
)
SELECT * FROM expected FULL JOIN found USING (name) WHERE expected IS NULL OR found IS NULL;
EXECUTE wrong_partitions ('2019-12-01', '2020-01-01');
SELECT * FROM iuid_check_partitions('events') UNION ALL SELECT * FROM iuid_check_partitions('late_events');

-- a late event whose month is gone is refused, and one that is forgotten is new
BEGIN;
INSERT INTO batch SELECT tenant, device, event, event_time, utc_offset, '2026-08-31' FROM source WHERE event_time < '2019-12-01';
SELECT late, (SELECT count(*) FROM oracle WHERE event NOT LIKE '% too' AND event_time < '2019-12-01'
	AND NOT (late AND write_time >= '2020-01-01')) AS oracle FROM take_batch();
ROLLBACK;

-- without their partitions, all that was forgotten waits; then it is taken in, once
INSERT INTO batch SELECT tenant, device, event, event_time, utc_offset, write_time FROM oracle;
SELECT in_time + late AS new, again = (SELECT count(*) FROM all_events) AS again, refused = (SELECT count(*) FROM oracle) - again AS refused FROM take_batch();
SELECT reason, count(*) + (SELECT count(*) FROM all_events) = (SELECT count(*) FROM oracle) AS the_rest
FROM quarantine WHERE reason = 'no partition' GROUP BY 1;
SELECT count(*) > 0 AS partitions FROM iuid_create_partitions('events', '1 month', (SELECT min(event_time) FROM source), '2026-09-01');
SELECT count(*) > 0 AS partitions FROM iuid_create_partitions('late_events', '1 month', (SELECT min(write_time) FROM source), '2026-09-01');
SELECT min(event_time) AS first_event, min(write_time) AS first_write FROM source \gset
EXECUTE wrong_partitions (:'first_event', :'first_write');
INSERT INTO batch SELECT tenant, device, event, event_time, utc_offset, write_time FROM oracle;
SELECT again = (SELECT count(*) FROM all_events) AS again, refused FROM take_batch();
CALL retry_quarantine('2026-08-31');
SELECT reason, count(*) FROM quarantine GROUP BY 1 ORDER BY 1;

-- all of it: each event once, in its tree, at its times, and in its month
EXECUTE differences ('-infinity', '-infinity');
SELECT late, count(*), count(DISTINCT id) AS ids,
	count(*) FILTER (WHERE iuid_country(id) = CASE tenant WHEN 'north' THEN 125 WHEN 'south' THEN 157 WHEN 'east' THEN 9 END) AS in_their_country
FROM all_events GROUP BY 1 ORDER BY 1;
SELECT count(*) FILTER (WHERE name <> to_char(event_time, '"events_"YYYY_MM')) AS elsewhere
FROM (SELECT tableoid::regclass::text AS name, iuid_timestamp(id) AS event_time FROM events) AS x;
SELECT count(*) FILTER (WHERE name <> to_char(write_time, '"late_events_"YYYY_MM')) AS elsewhere
FROM (SELECT tableoid::regclass::text AS name, iuid_timestamp(written) AS write_time FROM late_events) AS x;
SELECT count(*) AS wrong FROM devices LEFT JOIN
	(SELECT tenant, device, date_trunc('day', max(write_time)) + interval '1 day' AS late_until FROM oracle WHERE late GROUP BY 1, 2) AS x
	USING (tenant, device)
WHERE devices.late_until IS DISTINCT FROM x.late_until;
ANALYZE;

-- what a question by either clock finds, a filter on the times finds in the source
SELECT (SELECT count(*) FROM happened('2026-07-06', '2026-07-13')) AS happened,
	(SELECT count(*) FROM oracle WHERE event_time >= '2026-07-06' AND event_time < '2026-07-13') AS oracle,
	(SELECT count(*) FROM written('2026-08-10', '2026-08-17')) AS written,
	(SELECT count(*) FROM oracle WHERE write_time >= '2026-08-10' AND write_time < '2026-08-17') AS oracle;
SELECT (SELECT count(*) FROM happened('2020-05-01')) AS happened, (SELECT count(*) FROM oracle WHERE event_time >= '2020-05-01') AS oracle,
	(SELECT count(*) FROM written('2020-05-01')) AS written, (SELECT count(*) FROM oracle WHERE write_time >= '2020-05-01') AS oracle;
SET jit = off;   -- of 240 partitions for each question, for a second
SELECT count(*) AS questions, count(*) FILTER (WHERE found <> oracle) AS wrong
FROM (SELECT (SELECT count(*) FROM happened(t, t + interval '3 hours')) AS found,
		(SELECT count(*) FROM oracle WHERE event_time >= t AND event_time < t + interval '3 hours') AS oracle
	FROM generate_series(timestamptz '2026-07-31 00:00:00.0005', '2026-08-02', interval '1 hour') AS t
	UNION ALL
	SELECT (SELECT count(*) FROM written(t, t + interval '3 hours')),
		(SELECT count(*) FROM oracle WHERE write_time >= t AND write_time < t + interval '3 hours')
	FROM generate_series(timestamptz '2026-08-12 11:56', '2026-08-14', interval '1 hour') AS t) AS x;

-- how many partitions of each tree does a question read?  With constants, and with parameters
CREATE FUNCTION partitions_read(question text, OUT events bigint, OUT late_events bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || question INTO plan;
	SELECT count(DISTINCT name) FILTER (WHERE name::text LIKE '"events%'), count(DISTINCT name) FILTER (WHERE name::text LIKE '"late%')
	INTO events, late_events
	FROM jsonb_path_query(plan, '$.** ? (@."Actual Loops" > 0)."Relation Name"') AS name;
END
$$;
SET plan_cache_mode = force_generic_plan;
PREPARE in_july (timestamptz) AS SELECT * FROM happened($1, '2026-07-13');
PREPARE in_august (timestamptz) AS SELECT * FROM written($1, '2026-08-17');
PREPARE one (iuid) AS SELECT * FROM event($1);
SELECT question, p.* FROM unnest(ARRAY[
	'SELECT * FROM happened(''2026-07-06'', ''2026-07-13'')', 'EXECUTE in_july (''2026-07-06'')',
	'SELECT * FROM written(''2026-08-10'', ''2026-08-17'')', 'EXECUTE in_august (''2026-08-10'')',
	'EXECUTE one (iuid_floor(''2026-07-06''))']) AS question, partitions_read(question) AS p;
RESET plan_cache_mode;

-- an index by tenant and device, and one by write time
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM late_events_2026_08 WHERE tenant = 'north' AND device = 'device-21';
EXPLAIN (COSTS OFF) SELECT * FROM events_2026_07 WHERE written >= timestamptz '2026-07-10 12:00' AND written < timestamptz '2026-07-10 12:05';
RESET enable_seqscan;

-- the deadline: the millisecond decides, and of one batch the first arrival
INSERT INTO batch SELECT 'north', 'deadline', event, event_time, '0', write_time FROM (VALUES
	('just in time', timestamptz '2026-07-10', timestamptz '2026-07-10' + interval '720 hours' - interval '1 ms'),
	('just late', '2026-07-10', timestamptz '2026-07-10' + interval '720 hours'),
	('late by the millisecond', '2026-07-10 00:00:00.0009', timestamptz '2026-07-10 00:00:00.0001' + interval '720 hours'),
	('twice', '2026-07-10', timestamptz '2026-07-10' + interval '720 hours'),
	('twice', '2026-07-10', '2026-07-10'),
	('five minutes ahead', '2026-07-10', timestamptz '2026-07-10' - interval '5 minutes'),
	('further ahead', '2026-07-10 00:00:00.001', timestamptz '2026-07-10' - interval '5 minutes')) AS v(event, event_time, write_time);
SELECT * FROM take_batch();
SELECT event, late FROM all_events WHERE device = 'deadline' ORDER BY event;
-- also of a batch with nothing else in it, whose times are within the millisecond
INSERT INTO batch VALUES ('north', 'deadline', 'late by the millisecond', '2026-07-10 00:00:00.0009', '0', timestamptz '2026-07-10 00:00:00.0009' + interval '720 hours');
SELECT * FROM take_batch();
INSERT INTO batch VALUES ('north', 'deadline', 'just in time', '2026-07-10 00:00:00.0009', '0', timestamptz '2026-07-10 00:00:00.0009' + interval '720 hours');
SELECT * FROM take_batch();

-- an event is that of its tenant and its device, however their names are written; the UTC offset has no part in it
INSERT INTO batch VALUES
	('north', 'a', 'b", "c', '2026-07-10', '01:00', '2026-07-10'), ('north', 'a", "b', 'c', '2026-07-10', '01:00', '2026-07-10'),
	('north', 'a', 'c', '2026-07-10', '01:00', '2026-07-10'), ('north', 'b', 'c', '2026-07-10', '01:00', '2026-07-10'),
	('south', 'a', 'c', '2026-07-10', '01:00', '2026-07-10'), ('north', 'a', 'c', '2026-07-10', '02:00', '2026-07-10'),
	('north', 'a', 'c', '2026-07-10', '-12:15', '2026-07-10'), ('north', 'a', 'c', '2026-07-10', NULL, '2026-07-10'), ('north', 'a', 'c', '2026-07-10', '1000 years', '2026-07-10');
SELECT * FROM take_batch();
-- and neither the country, nor the tenant, nor a device with late events can change under it
\set VERBOSITY sqlstate
UPDATE tenants SET country = 9 WHERE tenant = 'north';
UPDATE tenants SET tenant = 'arctic' WHERE tenant = 'north';
UPDATE devices SET device = 'elsewhere' WHERE device = 'deadline';
DELETE FROM devices WHERE device = 'deadline';
\set VERBOSITY default

-- what cannot be taken at all waits, and stops nothing
DELETE FROM quarantine;
INSERT INTO batch VALUES
	(NULL, 'x', 'x', '2026-07-10', '0', '2026-07-10'), ('nowhere', 'x', 'x', '2026-07-10', '0', '2026-07-10'),
	('north', NULL, 'x', '2026-07-10', '0', '2026-07-10'), ('north', 'x', NULL, '2026-07-10', '0', '2026-07-10'), ('north', 'x', 'x', NULL, '0', '2026-07-10'),
	('north', repeat('x', 100000), 'x', '2026-07-10', '0', '2026-07-10'),
	('north', 'x', 'x', '-infinity', '0', '2026-07-10'), ('north', 'x', 'x', '4713-01-01 BC', '0', '2026-07-10'), ('north', 'x', 'x', '1969-12-31 23:59:59.9999', '0', '2026-07-10'),
	('north', 'x', 'x', 'infinity', '0', '2026-07-10'), ('north', 'x', 'x', '294276-12-31', '0', '2026-07-10'),
	('north', 'x', 'x', '1999-12-31', '0', '1999-12-31'), ('north', 'x', 'x', '1999-12-31', '0', '2015-12-31'),
	('north', 'x', 'written at no time', '2026-07-10', '0', 'infinity'), ('north', 'x', 'x', '1999-12-31', '0', '1969-12-31'),
	('north', 'x', 'good', '2026-07-10', '0', '2026-07-10');
SELECT * FROM take_batch();
CALL retry_quarantine('2026-08-31');
SELECT reason, count(*), sum(arrivals) AS arrivals FROM quarantine_by_device GROUP BY 1 ORDER BY 1;
SELECT event_time, event, late FROM all_events WHERE device = 'x' ORDER BY 1;

-- no array, arrays that differ in length, and an isolation level that hides what others commit
SELECT * FROM ingest(NULL, NULL, NULL, NULL, NULL);
SELECT * FROM ingest('{north}', '{x,y}', '{x}', '{now}', '{0}');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM ingest('{north}', '{x}', '{x}', '{now}', '{0}');
ROLLBACK;
-- READ UNCOMMITTED is the same as READ COMMITTED
BEGIN ISOLATION LEVEL READ UNCOMMITTED;
SELECT * FROM ingest('{north}', '{x}', '{good}', '{2026-07-10}', '{0}', '{2026-07-10}');
ROLLBACK;

-- each table takes only what belongs to it
\set VERBOSITY sqlstate
CALL forget('infinity');
CALL forget(written_before => NULL);
INSERT INTO events SELECT id, written, tenant, device, event FROM all_events WHERE event = 'just in time';
INSERT INTO events SELECT id, written, tenant, device, event FROM all_events WHERE event = 'just late';
INSERT INTO events VALUES (iuid_floor('2026-07-10'), iuid_floor('2026-07-09 23:54:59.999'), 'north', 'x', 'too far ahead');
INSERT INTO late_events SELECT id, written, tenant, device, event FROM all_events WHERE event = 'just in time';
INSERT INTO late_events VALUES (iuid_floor('2026-07-10'), iuid_floor('2026-08-31'), 'north', 'nobody', 'by no device');
\set VERBOSITY default

-- by write time all of it goes, and nothing stays behind
CALL forget(written_before => '2027-01-01');
SELECT count(*) FROM all_events;
SELECT count(*) FROM quarantine;
SELECT count(*) FROM iuid_partitions('late_events');
SELECT min(partition::text) FROM iuid_partitions('events');

DROP SCHEMA telemetry CASCADE;
