-- What ANALYZE has counted is an estimate to show:
-- none before the first ANALYZE, and 0 for a table that was empty then.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
CREATE TABLE log_rest PARTITION OF log DEFAULT;
SELECT count(*) FROM iuid_create_partitions('log', '1 month', '2026-01-01', '2026-03-01');
CREATE TABLE log_2026_03 PARTITION OF log
	FOR VALUES FROM (iuid_floor('2026-03-01')) TO (iuid_floor('2026-04-01')) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('log_2026_03', '7 days', '2026-03-01', '2026-04-01');
INSERT INTO log SELECT gen_iuid(7, 1, '2026-02-15') FROM generate_series(1, 3);
INSERT INTO log SELECT gen_iuid(7, 1, '2026-03-12') FROM generate_series(1, 4);
CREATE VIEW shown AS SELECT partition, estimated_rows FROM iuid_partitions('log');
TABLE shown;
ANALYZE log_2026_01, log_2026_02, log_rest;
TABLE shown;
-- of the weeks of March, those that were counted
ANALYZE log_2026_03_2026_03_02;
TABLE shown OFFSET 2 LIMIT 1;
ANALYZE log_2026_03_2026_03_09;
TABLE shown OFFSET 2 LIMIT 1;
-- the count of the whole of March is no further table
ANALYZE log_2026_03;
TABLE shown OFFSET 2 LIMIT 1;
SELECT relname, reltuples FROM pg_class WHERE oid IN ('log_2026_01'::regclass, 'log_2026_03'::regclass) ORDER BY 1;
DROP VIEW shown;

-- Whether a table is empty is no estimate: these were, when they were analyzed.
INSERT INTO log SELECT gen_iuid(7, 1, '2026-05-15') FROM generate_series(1, 2);
BEGIN;
SELECT iuid_create_partitions('log', '1 month', '2026-05-01', '2026-06-01');
SELECT count(*) AS readers_wait FROM pg_locks
WHERE pid = pg_backend_pid() AND relation = 'log'::regclass AND mode = 'AccessExclusiveLock';
COMMIT;
CREATE TABLE trips (id iuid) PARTITION BY RANGE (id);
CREATE TABLE trips_before PARTITION OF trips FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01'));
SELECT count(*) FROM iuid_create_partitions('trips', '1 month', '2026-01-01', '2026-03-01');
ANALYZE trips;
INSERT INTO trips SELECT gen_iuid(7, 1, '2020-01-01');
SELECT iuid_drop_partitions('trips', '2026-01-01');
SELECT count(*) FROM trips;
DROP TABLE log, trips CASCADE;
