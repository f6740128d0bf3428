-- Telemetry with two clocks, replays and late events: the example, checked against its source.
\i examples/telemetry.sql

-- what the source says, without an iuid; what came again in August 2026 was late
CREATE TEMP VIEW oracle AS
SELECT *, write_time - event_time >= interval '720 hours' AS late FROM source
UNION ALL
SELECT event || ' too', event_time, '2026-08-30 12:00', utc_offset, true FROM source WHERE event_time < '2017-01-01';

-- and what is in the tables
CREATE TEMP VIEW stored AS
SELECT e.*, e.tableoid::regclass::text AS leaf, false AS late FROM events AS e WHERE event IS NOT NULL
UNION ALL
SELECT id, written, event, tableoid::regclass::text, true FROM late_events;

-- after forgetting, exactly that is left which began in a month that is kept
SELECT late, count(*), count(*) FILTER (WHERE event IN (SELECT event FROM stored)) AS stored
FROM oracle
WHERE CASE WHEN late THEN write_time >= '2020-01-01' ELSE event_time >= '2019-12-01' END
GROUP BY 1 ORDER BY 1;
SELECT late, count(*), count(DISTINCT id) AS ids FROM stored GROUP BY 1 ORDER BY 1;
SELECT count(*) AS stored FROM stored \gset
-- nothing is lost that is new by its clock, and a late event outlives its month
SELECT count(*) AS lost FROM oracle
WHERE write_time >= '2020-01-01' AND (late OR event_time >= '2018-01-01') AND event NOT IN (SELECT event FROM all_events);
SELECT count(*), min(event_time) < '2019-12-01' AS older_than_the_oldest_month FROM all_events WHERE id < timestamptz '2019-12-01';

-- the partitions left are those of the months from here to the one after the last event; a difference is a row
PREPARE wrong_partitions (timestamptz, timestamptz) AS
WITH expected AS (
	SELECT to_char(month, '"events_"YYYY_MM') AS name
	FROM generate_series(date_trunc('month', $1), (SELECT max(event_time) FROM source) + interval '1 month', interval '1 month') AS month
	UNION
	SELECT to_char(month, '"late_events_"YYYY_MM')
	FROM generate_series(date_trunc('month', $2), (SELECT max(write_time) FROM source) + interval '1 month', interval '1 month') AS month
	UNION
	VALUES ('events_default')
), found AS (
	SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent IN ('events'::regclass, 'late_events'::regclass)
)
SELECT * FROM expected FULL JOIN found USING (name) WHERE expected IS NULL OR found IS NULL;
EXECUTE wrong_partitions ('2019-12-01', '2020-01-01');
SELECT * FROM iuid_check_partitions('events') UNION ALL SELECT * FROM iuid_check_partitions('late_events');

-- each late event has its claim, and each claim in the DEFAULT partition its late event
PREPARE wrong_claims AS
SELECT l.id, c.id AS claim
FROM late_events AS l FULL JOIN (SELECT *, tableoid FROM events WHERE event IS NULL) AS c USING (id, written)
WHERE c.id IS NULL OR (l.id IS NULL AND c.tableoid = 'events_default'::regclass);
EXECUTE wrong_claims;
SELECT count(*) > 0 AS claims, bool_and(event IS NULL) AS nothing_else FROM events_default;

-- so a late event whose month is gone is refused, and one that is forgotten is new
BEGIN;
INSERT INTO arrivals SELECT event, event_time, '2026-08-31', utc_offset FROM source WHERE event_time < '2019-12-01';
SELECT *, (SELECT count(*) FROM oracle WHERE event NOT LIKE '% too' AND event_time < '2019-12-01'
	AND NOT (late AND write_time >= '2020-01-01')) AS oracle FROM ingest();
ROLLBACK;

-- months that are made again get their claims back; what was forgotten can be loaded, what was not is there
SET client_min_messages = warning;
SELECT count(*) FROM iuid_create_partitions('events', '1 month', (SELECT min(event_time) FROM source), '2026-09-01');
SELECT count(*) FROM iuid_create_partitions('late_events', '1 month', (SELECT min(write_time) FROM source), '2026-09-01');
RESET client_min_messages;
SELECT bound_partitions();
SELECT min(event_time) AS first_event, min(write_time) AS first_write FROM source \gset
EXECUTE wrong_partitions (:'first_event', :'first_write');
SELECT count(*) FROM events_default;
INSERT INTO arrivals SELECT event, event_time, write_time, utc_offset FROM oracle;
SELECT in_time + late = (SELECT count(*) FROM oracle) - :stored AS the_rest FROM ingest();

ANALYZE source, events, late_events;

-- all of it: each event once, in its tree, in its month, with both clocks and its country
SELECT s.late, count(*), count(DISTINCT id) AS ids, (SELECT count(*) FROM oracle AS x WHERE x.late = s.late) AS oracle,
	count(*) FILTER (WHERE s.late = o.late) AS in_their_tree,
	count(*) FILTER (WHERE leaf = to_char(CASE WHEN o.late THEN write_time ELSE event_time END,
		CASE WHEN o.late THEN '"late_events_"' ELSE '"events_"' END || 'YYYY_MM')) AS in_their_month,
	count(*) FILTER (WHERE iuid_timestamp(id) = event_time AND iuid_timestamp(written) = write_time) AS at_their_times,
	count(*) FILTER (WHERE (iuid_country(id) - 48) * interval '15 minutes' = utc_offset) AS in_their_country
FROM stored AS s JOIN oracle AS o USING (event) GROUP BY 1 ORDER BY 1;
EXECUTE wrong_claims;
SELECT * FROM iuid_check_partitions('events') UNION ALL SELECT * FROM iuid_check_partitions('late_events');

-- several events in one millisecond
SELECT count(*), count(DISTINCT id) FROM all_events WHERE id BETWEEN timestamptz '2018-06-07 19:51:07' AND timestamptz '2018-06-07 19:51:07';
SELECT count(*) AS times, sum(events) AS events FROM (SELECT count(*) AS events FROM all_events GROUP BY event_time HAVING count(*) > 1) AS x
UNION ALL
SELECT count(*), sum(events) FROM (SELECT count(*) AS events FROM oracle GROUP BY event_time HAVING count(*) > 1) AS x;

-- what a question by either clock finds, a filter on the times finds in the source
SELECT count(*), (SELECT count(*) FROM oracle WHERE event_time >= '2026-07-06' AND event_time < '2026-07-13') AS oracle
FROM all_events WHERE id <@ tstzrange('2026-07-06', '2026-07-13');
SELECT count(*), (SELECT count(*) FROM oracle WHERE write_time >= '2026-08-10' AND write_time < '2026-08-17') AS oracle
FROM all_events WHERE written <@ tstzrange('2026-08-10', '2026-08-17');
SELECT (SELECT count(*) FROM all_events WHERE written >= timestamptz '2020-05-01') AS count,
	(SELECT count(*) FROM oracle WHERE write_time >= '2020-05-01') AS oracle;
-- the constraints are what leaves out partitions by the other clock
SET constraint_exclusion = off;
SELECT * FROM partitions_read('SELECT * FROM all_events WHERE id <@ tstzrange(''2026-07-06'', ''2026-07-13'')');
SELECT * FROM partitions_read('SELECT * FROM all_events WHERE written <@ tstzrange(''2026-08-10'', ''2026-08-17'')');
RESET constraint_exclusion;
SELECT * FROM partitions_read('SELECT * FROM all_events WHERE id <@ tstzrange(''2026-07-06'', ''2026-07-13'')');
SELECT * FROM partitions_read('SELECT * FROM all_events WHERE written <@ tstzrange(''2026-08-10'', ''2026-08-17'')');

-- the deadline: the millisecond decides, and of one batch the first arrival
INSERT INTO arrivals VALUES
	('just in time', '2026-07-10', timestamptz '2026-07-10' + interval '720 hours' - interval '1 ms', '0'),
	('just late', '2026-07-10', timestamptz '2026-07-10' + interval '720 hours', '0'),
	('late by the millisecond', timestamptz '2026-07-10 00:00:00.0009', timestamptz '2026-07-10 00:00:00.0001' + interval '720 hours', '0'),
	('twice', '2026-07-10', timestamptz '2026-07-10' + interval '720 hours', '0'),
	('twice', '2026-07-10', '2026-07-10', '0'),
	('of tomorrow', '2026-07-10', '2026-07-09', '0');
SELECT * FROM ingest();
SELECT event, late, leaf FROM stored WHERE id BETWEEN timestamptz '2026-07-10' AND timestamptz '2026-07-10' ORDER BY event;
SELECT event FROM arrivals;

-- the primary key of events refuses an id that is in either tree; late_events takes only what is claimed; and
-- neither tree takes what belongs to the other
\set VERBOSITY sqlstate
INSERT INTO events SELECT id, written, event FROM all_events WHERE event = 'just in time';
INSERT INTO events SELECT id, iuid_floor(event_time), event FROM all_events WHERE event = 'just late';
INSERT INTO events SELECT id, written, NULL FROM all_events WHERE event = 'just in time';
INSERT INTO events SELECT iuid_floor(event_time), written, event FROM all_events WHERE event = 'just late';
INSERT INTO events VALUES (iuid_floor('2026-07-10'), iuid_floor('2026-07-09'), 'of tomorrow');
INSERT INTO late_events SELECT written, id, event FROM all_events WHERE event = 'just in time';
INSERT INTO late_events SELECT iuid_floor('2026-09-10'), id, event FROM all_events WHERE event = 'just in time';
INSERT INTO late_events SELECT iuid_floor('2026-09-10'), id, event FROM all_events WHERE event = 'just late';
INSERT INTO late_events SELECT written, id, event FROM all_events WHERE event = 'just late';
\set VERBOSITY default

SET client_min_messages = warning;
DROP SCHEMA telemetry CASCADE;
