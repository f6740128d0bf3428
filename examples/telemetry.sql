-- Telemetry: events that have two clocks, are sent again, and come late.
-- Run it at the top of the tree, in a database with the extension iuid:
--   psql -f examples/telemetry.sql
-- \copy reads a file of the client, and names it from there.
--
-- To copy:
--   telemetry/schema.sql      the tables, the layout, and what was not chosen
--   telemetry/ingest.sql      taking batches in, and the quarantine
--   telemetry/questions.sql   questions by either clock
--   telemetry/retention.sql   letting go of old partitions
--   telemetry/offline.sh      keeping them as files, and reading them again
SET timezone = 'UTC';
CREATE SCHEMA telemetry;
SET search_path = telemetry, public;
\ir telemetry/schema.sql
\ir telemetry/ingest.sql
\ir telemetry/questions.sql
\ir telemetry/retention.sql

-- From here on, with data.  The file brings its own write times.
CREATE TEMP TABLE source (
	event text,
	event_time timestamptz,
	write_time timestamptz,
	utc_offset interval,
	tenant text GENERATED ALWAYS AS (CASE WHEN event < '8' THEN 'north' ELSE 'south' END) STORED,
	device text GENERATED ALWAYS AS ('device-' || left(event, 2)) STORED
);
\copy source (event, event_time, write_time, utc_offset) FROM 'test/data/events.tsv' (FORMAT csv, DELIMITER E'\t', HEADER true)
INSERT INTO tenants VALUES ('north', 125), ('south', 157);

-- The partitions.  Later on, cron does this, and lets go of what is cold:
--   CALL iuid_maintain_partitions('events', '1 month');
--   CALL iuid_maintain_partitions('late_events', '1 month');
--   CALL retry_quarantine();
--   CALL forget(now() - interval '5 years', now() - interval '1 year');
-- Or, where nothing may be lost, it puts what is cold into files, and one of them back on demand:
--   export PGOPTIONS='-c search_path=telemetry,public'
--   psql -c "CALL set_aside('events', now() - interval '5 years')"
--   sh examples/telemetry/offline.sh out FOLDER
--   sh examples/telemetry/offline.sh back FOLDER/events_20200101t0000z_20200201t0000z.csv events
SELECT count(*) AS partitions FROM iuid_create_partitions('events', '1 month',
	(SELECT min(event_time) FROM source), (SELECT max(event_time) FROM source) + interval '1 month');
SELECT count(*) AS partitions FROM iuid_create_partitions('late_events', '1 month',
	(SELECT min(write_time) FROM source), (SELECT max(write_time) FROM source) + interval '1 month');

-- A driver binds a batch as arrays.  Here it is in a table.
CREATE TEMP TABLE batch (tenant text, device text, event text, event_time timestamptz, utc_offset interval, write_time timestamptz,
	measurements jsonb);
CREATE FUNCTION take_batch(OUT in_time bigint, OUT late bigint, OUT again bigint, OUT refused bigint) LANGUAGE sql AS $$
	WITH b AS (DELETE FROM batch RETURNING *)
	SELECT i.* FROM (SELECT array_agg(tenant) AS tenants, array_agg(device) AS devices, array_agg(event) AS events,
			array_agg(measurements) AS measurements, array_agg(event_time) AS event_times, array_agg(utc_offset) AS utc_offsets, array_agg(write_time) AS write_times FROM b) AS a,
		ingest(tenants, devices, events, measurements, event_times, utc_offsets, write_times) AS i
$$;

-- The first time, everything is new.  The second time, nothing is.
INSERT INTO batch SELECT tenant, device, event, event_time, utc_offset, write_time FROM source;
SELECT * FROM take_batch();
INSERT INTO batch SELECT tenant, device, event, event_time, utc_offset, write_time FROM source;
SELECT * FROM take_batch();

-- Sent again after the grace period, what came in time is not late; sent again as if it had come at
-- once, what came late is not in time.
INSERT INTO batch SELECT tenant, device, event, event_time, utc_offset, '2026-08-31' FROM source;
SELECT * FROM take_batch();
INSERT INTO batch SELECT tenant, device, event, event_time, utc_offset, event_time FROM source;
SELECT * FROM take_batch();

-- One event is sent again, then measured something else, and then comes a microsecond later: three
-- events.
INSERT INTO batch SELECT 'north', 'device-m', 'measured', moment::timestamptz, '0', '2026-08-10 12:00', measurements::jsonb FROM (VALUES
	('2026-08-10 12:00', '{"temperature": 21.5, "speed": 40}'), ('2026-08-10 12:00', '{"speed": 40, "temperature": 21.5}'),
	('2026-08-10 12:00', '{"temperature": 21.6, "speed": 40}'), ('2026-08-10 12:00:00.000001', '{"temperature": 21.5, "speed": 40}')
) AS sent (moment, measurements);
SELECT * FROM take_batch();
SELECT event_time, measurements FROM all_events WHERE device = 'device-m' ORDER BY id, event_time;

-- Devices come back on 30 August 2026 and bring the end of 2016: half of it has been here before,
-- and they send everything twice in one batch.
INSERT INTO batch
SELECT tenant, device, event || suffix, event_time, utc_offset, sent
FROM source, unnest(ARRAY['', ' too']) AS suffix, unnest(ARRAY[timestamptz '2026-08-30 12:00', '2026-08-30 12:01']) AS sent
WHERE event_time < '2017-01-01';
SELECT * FROM take_batch();
ANALYZE events, late_events;

-- What happened from 6 to 12 July 2026?  It is in one month of events, or it came late: not before
-- 5 August, so the late events of August and later.
SELECT event_time::date AS day, count(*) AS events, count(*) FILTER (WHERE late) AS late
FROM happened('2026-07-06', '2026-07-13') GROUP BY 1 ORDER BY 1;
EXPLAIN (COSTS OFF) SELECT * FROM happened('2026-07-06', '2026-07-13');

-- What was written from 10 to 16 August 2026?  It is in one month of late events, or it happened
-- not before 11 July.
SELECT write_time::date AS day, count(*) AS events, count(*) FILTER (WHERE late) AS late
FROM written('2026-08-10', '2026-08-17') GROUP BY 1 ORDER BY 1;
EXPLAIN (COSTS OFF) SELECT * FROM written('2026-08-10', '2026-08-17');

-- One device.  The planner would read so small a partition from end to end, so that is forbidden.
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM events WHERE tenant = 'north' AND device = 'device-21' AND id <@ tstzrange('2026-07-06', '2026-07-13');
RESET enable_seqscan;

-- One event by its id: a month of events, and the late events since its deadline.
SELECT id FROM all_events WHERE event = '7767a631c7a4730b' \gset
SELECT id, event_time, write_time, tenant, device, event, late FROM event(:'id');

-- A clock is five minutes ahead, and then a little more.  A device claims a UTC offset that there
-- is nowhere; others send nonsense.  None of it is lost, and none of it stops the rest.
INSERT INTO batch VALUES
	('north', 'device-a', 'five minutes ahead', '2026-08-10 12:05', '0', '2026-08-10 12:00'),
	('north', 'device-a', 'and a millisecond', '2026-08-10 12:05:00.001', '0', '2026-08-10 12:00'),
	('north', 'device-b', 'far west', '2026-08-10 12:00', '-12:15', '2026-08-10 12:00'),
	('north', 'device-c', 'ages ahead', 'infinity', '0', '2026-08-10 12:00'),
	('north', 'device-c', 'ages ago', '1969-12-31', '0', '2026-08-10 12:00'),
	('east', 'device-d', 'nobody knows us', '2026-08-10 12:00', '0', '2026-08-10 12:00'),
	('south', 'device-e', 'written in 2030', '2026-08-10 12:00', '0', '2030-08-10 12:00');
SELECT * FROM take_batch();
SELECT tenant, device, reason, arrivals, ahead FROM quarantine_by_device ORDER BY 1, 2, 3;

-- The tenant is entered, and time goes by.
INSERT INTO tenants VALUES ('east', 9);
CALL retry_quarantine('2026-08-10 12:01');
SELECT tenant, device, reason, event FROM quarantine ORDER BY event;
SELECT tenant, device, event_time, write_time, event FROM happened('2026-08-10 12:00', '2026-08-10 12:06') ORDER BY event;

-- Let go of what happened before 2018, and then of what was written before 2020.
SET client_min_messages = warning;
CALL forget(happened_before => '2018-01-01');
SELECT min(partition::text) AS events FROM iuid_partitions('events');
CALL forget(written_before => '2020-01-01');
SELECT (SELECT min(partition::text) FROM iuid_partitions('events')) AS events,
	(SELECT min(partition::text) FROM iuid_partitions('late_events')) AS late_events;
RESET client_min_messages;
