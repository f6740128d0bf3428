-- An open end gives up the times of the new partitions, and takes those of the removed ones, and no others.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
SET datestyle = 'ISO';
SET client_min_messages = error;
CREATE TABLE trips (id iuid, n int) PARTITION BY RANGE (id);
CREATE TABLE trips_before PARTITION OF trips FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01'));
CREATE TABLE trips_after PARTITION OF trips FOR VALUES FROM (iuid_floor('2026-12-01')) TO (MAXVALUE);
-- The bounds as the server has them.
CREATE FUNCTION day(bound text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN bound LIKE 'M%VALUE' THEN bound
		ELSE to_timestamp(('x' || left(translate(bound, '''-', ''), 12))::bit(48)::bigint / 1000.0)::date::text END
$$;
CREATE VIEW bounds AS SELECT relname, day(bound[1]) AS lower, day(bound[2]) AS upper
FROM pg_class JOIN pg_inherits ON inhrelid = oid,
	regexp_match(pg_get_expr(relpartbound, oid), 'FROM \((.*)\) TO \((.*)\)') AS bound
WHERE inhparent = 'trips'::regclass ORDER BY bound[2] COLLATE "C";

-- beyond a gap, new partitions move neither bound; at an end they move one
SELECT iuid_create_partitions('trips', '1 month', '2026-05-01', '2026-06-01');
TABLE bounds;
SELECT iuid_create_partitions('trips', '1 month', '2025-11-01', '2026-02-01');
SELECT iuid_create_partitions('trips', '1 month', '2026-11-15', '2027-02-01');
TABLE bounds;
-- between a time and itself there is no step, nor up to an end
SELECT at, iuid_create_partitions('trips', '1 month', at, at)
FROM unnest(ARRAY['2025-06-01', '2026-08-01', '2027-08-01']::timestamptz[]) AS at;
SELECT at, iuid_create_partitions('trips', '1 month', at, at - interval '1 day')
FROM unnest(ARRAY['2025-06-01', '2026-08-01', '2027-08-01']::timestamptz[]) AS at;
SELECT * FROM bounds WHERE lower = 'MINVALUE' OR upper = 'MAXVALUE';

-- the first one is made anew up to a partition that stays, and what goes behind that leaves a gap
CREATE VIEW needs AS SELECT FROM trips_2025_12;
SELECT iuid_drop_partitions('trips', '2026-02-01');
SELECT * FROM bounds LIMIT 3;
-- what is needed stays, and the first one is made anew up to it, also over a gap
DROP TABLE trips_2025_12 CASCADE;
CREATE VIEW needs AS SELECT FROM trips_2026_05;
SELECT iuid_drop_partitions('trips', '2026-06-01');
DROP VIEW needs;
SELECT iuid_detach_partitions('trips', '2026-05-31 23:59:59.999');
SELECT * FROM bounds LIMIT 2;
-- up to what stays, also where there was a gap
SELECT iuid_detach_partitions('trips', '2026-06-01');
SELECT * FROM bounds LIMIT 2;
-- one with rows goes; the new one ends where it ended, or where the last one did that went with it
INSERT INTO trips VALUES (gen_iuid(7, 1, '2020-01-01'));
SELECT iuid_drop_partitions('trips', '2026-11-30');
SELECT * FROM bounds LIMIT 2;
INSERT INTO trips VALUES (gen_iuid(7, 1, '2020-01-01'));
DROP TABLE trips_after;
SELECT iuid_drop_partitions('trips', '2030-01-01');
TABLE bounds;
-- an empty one, too, is made anew up to the last that goes, and not up to the time that is given
SELECT iuid_create_partitions('trips', '1 month', '2027-02-01', '2027-04-01');
SELECT iuid_drop_partitions('trips', '2030-01-01');
TABLE bounds;

DROP VIEW bounds;
DROP FUNCTION day;
DROP TABLE trips, trips_2026_05;

-- the end of time is no bound within a millisecond
CREATE TABLE visits (id uuid) PARTITION BY RANGE (id);
CREATE TABLE visits_2026 PARTITION OF visits FOR VALUES FROM (iuid_floor('2026-01-01')) TO (iuid_floor('infinity'));
SELECT problem, partition FROM iuid_check_partitions('visits');
DROP TABLE visits;

-- a bound within the first millisecond of March is refused, and nothing moves
CREATE TABLE visits (id iuid) PARTITION BY RANGE (id);
CREATE TABLE visits_before PARTITION OF visits FOR VALUES FROM (MINVALUE) TO ('019ca6b1-dc00-8007-8041-23456789abcd');
INSERT INTO visits VALUES ('019ca6b1-dbff-8007-8041-23456789abcd'), ('019ca6b1-dc00-8007-8041-23456789abcc');
SELECT iuid_create_partitions('visits', '1 month', '2026-01-01', '2026-03-01');
SELECT tableoid::regclass, id, iuid_timestamp(id) FROM visits ORDER BY id;
DROP TABLE visits;
