-- Partitions without an end keep the rows of no step, and new ones are carved out of them.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
CREATE TABLE trips (id iuid PRIMARY KEY DEFAULT gen_iuid(7, 1), n int) PARTITION BY RANGE (id);
CREATE TABLE trips_before PARTITION OF trips FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-03-01'));
CREATE TABLE trips_after PARTITION OF trips FOR VALUES FROM (iuid_floor('2026-04-01')) TO (MAXVALUE);
CREATE TABLE stop (trip iuid REFERENCES trips, n int);
SELECT count(*) FROM iuid_create_partitions('trips', '1 month', '2026-03-01', '2026-04-01');
-- a trip a day from 2025-11-01 to 2026-08-27, an oracle of where each must be, and a stop of each trip
INSERT INTO trips SELECT iuid_from_name(7, 1, 'trip ' || n, '2025-11-01'::timestamptz + n * interval '1 day'), n
FROM generate_series(0, 299) AS n;
INSERT INTO trips VALUES ('00000000-0000-0000-0000-000000000000', -1), ('ffffffff-ffff-ffff-ffff-ffffffffffff', -2);
INSERT INTO stop SELECT id, n FROM trips;
CREATE TABLE oracle AS TABLE trips;
CREATE VIEW home AS
SELECT t.tableoid::regclass AS partition, count(*), count(o.id) AS known,
	min(iuid_timestamp(o.id))::date, max(iuid_timestamp(o.id))::date
FROM trips AS t FULL JOIN oracle AS o ON t.id = o.id AND t.n = o.n GROUP BY 1 ORDER BY 4, 1;
SELECT * FROM home;

-- at the end: what lies between the bound and the new months is made, too
SELECT iuid_create_partitions('trips', '1 month', '2026-06-01', '2026-07-01');
-- at the beginning: up to the bound
SELECT iuid_create_partitions('trips', '1 month', '2026-01-01', '2026-02-01');
SELECT * FROM home;
SELECT partition, lower, upper FROM iuid_partitions('trips');
SELECT * FROM iuid_check_partitions('trips');
SELECT count(*) AS without_trip FROM stop WHERE NOT EXISTS (SELECT FROM trips WHERE id = trip);
\set VERBOSITY sqlstate
DELETE FROM trips WHERE n IN (1, 70, 290);
\set VERBOSITY default

-- the bounds are those that the server enforces, for rows that come through the parent and for others
INSERT INTO trips VALUES (iuid_from_name(7, 1, 'june', '2026-06-30 23:59:59.999'), 0) RETURNING tableoid::regclass;
INSERT INTO trips VALUES (iuid_from_name(7, 1, 'july', '2026-07-01'), 0) RETURNING tableoid::regclass;
\set VERBOSITY terse
INSERT INTO trips_after VALUES (iuid_from_name(7, 1, 'x', '2026-06-30 23:59:59.999'));
INSERT INTO trips_before VALUES (iuid_from_name(7, 1, 'x', '2026-01-01'));
\set VERBOSITY default
SELECT pg_get_expr(relpartbound, oid) FROM pg_class
WHERE oid IN ('trips_before'::regclass, 'trips_after'::regclass) ORDER BY relname;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT FROM trips WHERE id = iuid_from_name(7, 1, 'x', '2026-08-01');
EXPLAIN (COSTS OFF) SELECT FROM trips WHERE id < timestamptz '2025-12-01';
RESET enable_seqscan;

-- what goes: rows that a foreign key needs stay, with their partition;
-- then the partition with rows gives way to a new one
DROP VIEW home;
\set VERBOSITY sqlstate
SELECT iuid_drop_partitions('trips', '2026-02-01');
\set VERBOSITY default
DROP TABLE stop;
SELECT iuid_drop_partitions('trips', '2026-02-01');
SELECT partition, lower, upper FROM iuid_partitions('trips') LIMIT 3;
-- an empty one grows
SELECT iuid_drop_partitions('trips', '2026-04-01');
SELECT partition, lower, upper FROM iuid_partitions('trips') LIMIT 3;
INSERT INTO trips VALUES (iuid_from_name(7, 1, 'late', '2026-03-31 23:59:59.999'), 0) RETURNING tableoid::regclass;
-- detached, it keeps its name, and the new one has a number
SELECT iuid_detach_partitions('trips', '2026-05-01');
SELECT partition, lower, upper FROM iuid_partitions('trips') LIMIT 3;
DROP TABLE trips_before, trips_2026_04;

-- with nothing else left
SELECT count(*) FROM iuid_drop_partitions('trips', '2026-07-01');
SELECT partition, lower, upper FROM iuid_partitions('trips');
SELECT iuid_drop_partitions('trips', '2027-07-01');

-- one that is not a plain table of the owner covers what it covers
ALTER TABLE trips DETACH PARTITION trips_after;
CREATE TABLE trips_later PARTITION OF trips
	FOR VALUES FROM (iuid_floor('2026-07-01')) TO (MAXVALUE) PARTITION BY RANGE (id);
SELECT iuid_create_partitions('trips', '1 month', '2026-07-01', '2026-09-01');
CREATE ROLE regress_iuid_other;
DROP TABLE trips_later;
CREATE TABLE trips_later PARTITION OF trips FOR VALUES FROM (iuid_floor('2026-07-01')) TO (MAXVALUE);
ALTER TABLE trips_later OWNER TO regress_iuid_other;
SELECT iuid_create_partitions('trips', '1 month', '2026-07-01', '2026-09-01');
DROP TABLE trips, trips_after, oracle;
DROP ROLE regress_iuid_other;
CREATE TABLE whole (id iuid) PARTITION BY RANGE (id);
CREATE TABLE whole_all PARTITION OF whole FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
SELECT iuid_create_partitions('whole', '1 month', '2026-07-01', '2026-09-01');
DROP TABLE whole;

-- rows that came into the DEFAULT partition through a gap are found there still when the first partition grows
CREATE TABLE gap (id iuid, n int) PARTITION BY RANGE (id);
CREATE TABLE gap_before PARTITION OF gap FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01'));
CREATE TABLE gap_rest PARTITION OF gap DEFAULT;
SELECT count(*) FROM iuid_create_partitions('gap', '1 month', '2026-01-01', '2026-05-01');
DROP TABLE gap_2026_01;
INSERT INTO gap VALUES (gen_iuid(7, 1, '2026-01-15'), 1) RETURNING tableoid::regclass;
SELECT iuid_drop_partitions('gap', '2026-03-01');
SELECT n, tableoid::regclass FROM gap WHERE id < timestamptz '2026-02-01';
-- the same when there is none to grow
INSERT INTO gap VALUES (gen_iuid(7, 1, '2025-12-15'), 2) RETURNING tableoid::regclass;
SELECT iuid_drop_partitions('gap', '2026-04-01');
SELECT n, tableoid::regclass FROM gap WHERE id < timestamptz '2026-02-01';
DROP TABLE gap;

-- what the first partition grew over goes into no DEFAULT partition, also in the same transaction
CREATE TABLE grown (id iuid) PARTITION BY RANGE (id);
CREATE TABLE grown_before PARTITION OF grown FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01'));
CREATE TABLE grown_rest PARTITION OF grown DEFAULT;
SELECT count(*) FROM iuid_create_partitions('grown', '1 month', '2026-01-01', '2026-03-01');
BEGIN;
SET LOCAL constraint_exclusion = on;
SELECT iuid_drop_partitions('grown', '2026-02-01');
INSERT INTO grown_rest VALUES (iuid_from_name(7, 1, 'lost', '2026-01-15'));
ROLLBACK;
DROP TABLE grown;

-- a uuid column with bounds by iuid_floor: each month is one partition
CREATE TABLE visits (id uuid) PARTITION BY RANGE (id);
CREATE TABLE visits_before PARTITION OF visits FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-03-01'));
CREATE TABLE visits_after PARTITION OF visits FOR VALUES FROM (iuid_floor('2026-03-01')) TO (MAXVALUE);
INSERT INTO visits SELECT iuid_from_name(7, 1, n::text, '2026-01-01'::timestamptz + n * interval '1 day')
FROM generate_series(0, 119) AS n;
INSERT INTO visits VALUES ('019ca6b1-dc00-7000-8000-000000000000');
SELECT iuid_create_partitions('visits', '1 month', '2026-01-01', '2026-05-01');
SELECT tableoid::regclass, count(*),
	to_timestamp(('x' || left(translate(min(id::text), '-', ''), 12))::bit(48)::bigint / 1000.0) AS first
FROM visits GROUP BY 1 ORDER BY 3;
SELECT * FROM iuid_check_partitions('visits');
DROP TABLE visits;
