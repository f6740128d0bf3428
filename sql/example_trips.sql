-- Trips from samples in any order: the example, and the ends of its rules.
\i examples/trips.sql

-- ten minutes apart are two trips, a microsecond less is one
SELECT add_sample('bus-1', '2026-04-05 12:00:00.0005', '(0,0)'), add_sample('bus-1', '2026-04-05 12:10:00.0005', '(0,0)'),
	add_sample('bus-1', '2026-04-05 12:20:00.000499', '(0,0)'), add_sample('bus-1', '2026-04-05 11:50:00.000501', '(0,0)'),
	add_sample('bus-1', '2026-04-05 12:00:00.0005', '(1,1)'), add_sample('bus-1', '2026-04-05 11:59', '(0,0)');
SELECT iuid_timestamp(id), during FROM trips ORDER BY id;

-- each identifier finds its own trip, though the millisecond of the second one overlaps both
SELECT minute, lower(t.during), lower(u.during) FROM unnest(ARRAY[-10, 0, 10, 20]) AS minute,
	iuid_from_name(125, 3, 'bus-1', timestamptz '2026-04-05 12:00' + minute * interval '1 minute') AS wanted, trip('bus-1', wanted) AS t, trip(wanted) AS u
ORDER BY minute;

-- no trip: of another device, of another entity, between trips, without a time
SELECT count(t.id) FROM unnest(ARRAY[iuid_from_name(125, 3, 'bus-2', '2026-04-05 12:00'), iuid_from_name(125, 4, 'bus-1', '2026-04-05 12:00'),
	iuid_from_name(125, 3, 'bus-1', '2026-04-05 12:05'), iuid_from_name(125, 3, 'bus-1'), '00000000-0000-0000-0000-000000000000']) AS wanted, trip('bus-1', wanted) AS t;
-- a moment without a sample, as it has not come here yet
SELECT during FROM trip(iuid_from_name(125, 3, 'bus-1', '2026-04-05 11:55'));

-- calls with several samples: new trips, one that grows at both ends, and three that become one
TRUNCATE samples, trips;
CREATE FUNCTION add(text, VARIADIC times text[]) RETURNS TABLE (began timestamptz, outcome text, samples bigint) LANGUAGE sql AS $$
	SELECT iuid_timestamp(trip), outcome, samples
	FROM add_samples(array_fill($1, ARRAY[cardinality(times)]), ARRAY(SELECT ('2026-04-05 ' || t)::timestamptz FROM unnest(times) AS t),
		array_fill(point '(0,0)', ARRAY[cardinality(times)])) ORDER BY 1
$$;
SELECT * FROM add('bus-2', '12:36', '12:18', '12:00', '12:18');
SELECT * FROM add('bus-2', '12:37', '12:35', '12:38', '12:34');
SELECT * FROM add('bus-2', '12:27', '12:18', '13:00', '12:09');
SELECT minute, iuid_timestamp(t.id), during
FROM unnest(ARRAY[0, 9, 18, 36]) AS minute, trip(iuid_from_name(157, 3, 'bus-2', timestamptz '2026-04-05 12:00' + minute * interval '1 minute')) AS t ORDER BY minute;
SELECT * FROM add('bus-2', '12:09', '13:00', '13:00');

-- a device that moves to another country: its trips keep their identifiers
UPDATE devices SET country = 9 WHERE device = 'bus-2';
SELECT * FROM add('bus-2', '13:18', '13:09');
SELECT iuid_country(id), iuid_timestamp(id), during FROM trips ORDER BY id;
SELECT count(*) FROM trip(iuid_from_name(9, 3, 'bus-2', '2026-04-05 13:18'));

-- what add_samples avoids, the constraint forbids; of another device it is allowed
INSERT INTO trips VALUES (gen_iuid(157, 3), 'bus-2', '[2026-04-05 13:27:59.999, 2026-04-05 14:00)');
\echo :LAST_ERROR_SQLSTATE
INSERT INTO trips VALUES (iuid_from_name(157, 3, 'bus-4', '2026-04-05 12:00'), 'bus-4', '[2026-04-05 12:00, 2026-04-05 13:00)');

-- a name that is too long for the index of the exclusion constraint cannot be registered, and the longest one can
INSERT INTO devices VALUES (repeat('ж', 101), 157);
\echo :LAST_ERROR_SQLSTATE
INSERT INTO devices VALUES (repeat('ж', 100), 157);

-- what is refused changes nothing
CREATE TEMP TABLE rows AS SELECT (SELECT count(*) FROM samples) AS samples, (SELECT count(*) FROM trips) AS trips;
\set SHOW_CONTEXT never
SELECT add_samples('{bus-1,tram-7,tram-6,tram-7}', array_fill(timestamptz '2026-04-06', ARRAY[4]), array_fill(point '(0,0)', ARRAY[4]));
\echo :LAST_ERROR_SQLSTATE
SELECT add_samples('{bus-1,bus-2}', '{2026-04-06}', '{"(0,0)"}');
\echo :LAST_ERROR_SQLSTATE
SELECT add_samples('{bus-1,NULL}', '{2026-04-06,2026-04-06}', '{"(0,0)","(0,0)"}');
\echo :LAST_ERROR_SQLSTATE
SELECT add_samples('{bus-1,bus-2}', '{2026-04-06,-infinity}', '{"(0,0)","(0,0)"}');
\echo :LAST_ERROR_SQLSTATE
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT add_sample('bus-1', '2026-04-06', '(0,0)');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
SELECT add_samples(NULL, NULL, NULL);
CALL forget_trips('infinity');
CALL forget_trips(NULL);
SELECT r.samples = (SELECT count(*) FROM samples) AND r.trips = (SELECT count(*) FROM trips) AS nothing_changed FROM rows AS r;
SELECT count(*) FROM add_samples('{}', '{}', '{}');

-- months are of UTC; those between come, too; what was forgotten does not come back
SET timezone = 'Asia/Kolkata';   -- "IST", which is read as another time zone
SET datestyle = 'SQL, DMY';
SELECT make_months('2026-07-31 20:00+00', '2026-08-01 00:00+00');
TABLE kept;
-- the path of a trip is read from its month
CREATE FUNCTION months_read(question text) RETURNS SETOF jsonb LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || question INTO plan;
	RETURN QUERY SELECT DISTINCT jsonb_path_query(plan, '$.** ? (@."Actual Loops" > 0)."Relation Name"') ORDER BY 1;
END $$;
SELECT months_read('SELECT path FROM trip_details');
SET enable_nestloop = off;   -- with many months, the names of other tables may be looked at, too
CALL forget_trips('2026-04-05 13:30+00');
RESET enable_nestloop;
SELECT count(*) FROM trips;
SELECT make_months('2026-05-01 00:00+00', '2026-08-01 00:00+00');
TABLE kept;
SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT oid::regclass, pg_get_expr(relpartbound, oid) FROM pg_class JOIN pg_inherits ON inhrelid = oid WHERE inhparent = 'samples'::regclass ORDER BY relname;
SELECT make_months('1969-12-31', '1970-01-01');
SELECT make_months('2026-05-01', 'infinity');
SELECT device, trip, outcome FROM add_samples('{bus-1}', '{1969-12-31 23:59:59}', '{"(0,0)"}');

DROP VIEW trips_from_samples, trip_details;
DROP FUNCTION trip(iuid), trip(text, iuid), trip_at, add, add_sample, add_samples, check_samples, feed_stream, make_months, months_read;
DROP PROCEDURE forget_trips, run_patiently;
DROP TABLE trips, samples, sightings, devices, kept, stream, fed, before, rows;
DROP FUNCTION pause;
DROP EXTENSION btree_gist;
