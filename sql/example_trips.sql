-- Trips from samples in any order: the example, and the ends of its rules.
\i examples/trips.sql
TRUNCATE samples, trips, merged_trips;

-- ten minutes apart are two trips, a millisecond less is one
SELECT add_sample('bus-1', '2026-04-01 12:00', '(0,0)'), add_sample('bus-1', '2026-04-01 12:10', '(0,0)'),
	add_sample('bus-1', '2026-04-01 12:19:59.999', '(0,0)'), add_sample('bus-1', '2026-04-01 11:50:00.001', '(0,0)'),
	add_sample('bus-1', '2026-04-01 12:00', '(1,1)');
SELECT iuid_timestamp(id), during FROM trips ORDER BY id;
TABLE trips_from_samples ORDER BY during;

-- a merge of merged trips: all three identifiers find the one trip, which has the earliest
SELECT add_sample('bus-2', '2026-04-01 12:36', '(0,0)'), add_sample('bus-2', '2026-04-01 12:18', '(0,0)'),
	add_sample('bus-2', '2026-04-01 12:27', '(0,0)'), add_sample('bus-2', '2026-04-01 12:00', '(0,0)'),
	add_sample('bus-2', '2026-04-01 12:09', '(0,0)');
SELECT minute, iuid_timestamp(t.id), during
FROM unnest(ARRAY[0, 18, 36]) AS minute, trip(iuid_from_name(6, 3, 'bus-2', timestamptz '2026-04-01 12:00' + minute * interval '1 minute')) AS t ORDER BY minute;
SELECT * FROM trip(iuid_from_name(6, 3, 'bus-2', '2026-04-01 12:09'));

-- what add_sample avoids, the constraint forbids; of another device it is allowed
INSERT INTO trips VALUES (gen_iuid(6, 3), 'bus-2', '[2026-04-01 12:45:59.999, 2026-04-01 13:00)');
\echo :LAST_ERROR_SQLSTATE
INSERT INTO trips VALUES (iuid_from_name(6, 3, 'bus-4', '2026-04-01 12:00'), 'bus-4', '[2026-04-01 12:00, 2026-04-01 13:00)');

-- an unknown device
SELECT add_sample('bus-6', '2026-04-01 12:00', '(0,0)');

DROP VIEW trips_from_samples;
DROP FUNCTION trip, add_sample;
DROP TABLE merged_trips, trips, samples, devices;
DROP TABLE stream, fed, before;
DROP EXTENSION btree_gist;
