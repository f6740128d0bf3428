-- Partitions by time: made where they are missing, named, listed and dropped.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA "a.b";
CREATE TABLE "a.b"."Order Items" (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);

-- only a table by ranges of one iuid or uuid, in the order of time
CREATE TABLE shape_plain (id iuid);
CREATE TABLE shape_list (id iuid) PARTITION BY LIST (id);
CREATE TABLE shape_hash (id iuid) PARTITION BY HASH (id);
CREATE TABLE shape_two (id iuid, other iuid) PARTITION BY RANGE (id, other);
CREATE TABLE shape_expression (id iuid) PARTITION BY RANGE ((iuid_timestamp(id)));
CREATE TABLE shape_type (id bigint) PARTITION BY RANGE (id);
CREATE TABLE shape_order (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
\set VERBOSITY terse
SELECT iuid_create_partitions('shape_plain', '1 day', '2026-01-01', '2026-01-02');
SELECT iuid_create_partitions('shape_list', '1 day', '2026-01-01', '2026-01-02');
SELECT iuid_create_partitions('shape_hash', '1 day', '2026-01-01', '2026-01-02');
SELECT iuid_create_partitions('shape_two', '1 day', '2026-01-01', '2026-01-02');
SELECT iuid_create_partitions('shape_expression', '1 day', '2026-01-01', '2026-01-02');
SELECT iuid_create_partitions('shape_type', '1 day', '2026-01-01', '2026-01-02');
SELECT iuid_create_partitions('shape_order', '1 day', '2026-01-01', '2026-01-02');
SELECT iuid_drop_partitions('shape_list', '2026-01-01');
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_partitions('shape_list');
SELECT iuid_check_partitions('shape_list');
CALL iuid_maintain_partitions('shape_list', '1 day');
\set VERBOSITY default
SELECT iuid_create_partitions('shape_order', '1 day', '2026-01-01', '2026-01-02');
DROP TABLE shape_plain, shape_list, shape_hash, shape_two, shape_expression, shape_type, shape_order;

-- steps that are too short, too long, or mixed; times that are out of range or missing
\set VERBOSITY terse
SELECT iuid_create_partitions('"a.b"."Order Items"', '13 months', '2026-01-01', '2026-01-02');
SELECT iuid_create_partitions('"a.b"."Order Items"', '367 days', '2026-01-01', '2026-01-02');
SELECT iuid_create_partitions('"a.b"."Order Items"', '1 month 1 day', '2026-01-01', '2026-01-02');
SELECT iuid_create_partitions('"a.b"."Order Items"', '-1 day', '2026-01-01', '2026-01-02');
SELECT iuid_create_partitions('"a.b"."Order Items"', '0', '2026-01-01', '2026-01-02');
SELECT iuid_create_partitions('"a.b"."Order Items"', '1 hour 1 second', '2026-01-01', '2026-01-02');
SELECT iuid_create_partitions('"a.b"."Order Items"', '59 minutes', '2026-01-01', '2026-01-02');
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_create_partitions('"a.b"."Order Items"', '1 day', '1969-12-31', '2026-01-02');
SELECT iuid_create_partitions('"a.b"."Order Items"', '1 day', '2026-01-01', 'infinity');
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_create_partitions('"a.b"."Order Items"', '1 day', '2026-01-01', NULL);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_drop_partitions('"a.b"."Order Items"', 'infinity');
\set VERBOSITY default

-- whole steps from the first to the last time, and nothing the second time
SELECT iuid_create_partitions('"a.b"."Order Items"', '1 month', '2026-01-15', '2026-03-01');
SELECT iuid_create_partitions('"a.b"."Order Items"', '1 month', '2026-01-01', '2026-02-28');
-- finer steps begin where the others end; gaps are filled
SELECT iuid_create_partitions('"a.b"."Order Items"', '7 days', '2025-12-20', '2026-03-10');
SELECT partition, lower, upper, is_default FROM iuid_partitions('"a.b"."Order Items"');
SELECT * FROM iuid_check_partitions('"a.b"."Order Items"');

-- each step, against the calendar of core: a whole number of steps, each as long as it says
CREATE TABLE steps (id iuid) PARTITION BY RANGE (id);
CREATE FUNCTION steps_of(step interval)
RETURNS TABLE (partitions bigint, first text, first_lower timestamptz, last_upper timestamptz, in_steps boolean)
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM iuid_create_partitions('steps', step, '2024-02-28 22:30', '2024-02-28 22:30'::timestamptz + 3 * step);
	RETURN QUERY SELECT count(*), (array_agg(partition::text ORDER BY lower))[1],
		min(lower), max(upper), bool_and(lower + step = upper)
	FROM iuid_partitions('steps');
	PERFORM iuid_drop_partitions('steps', '2100-01-01');
END $$;
SELECT step, s.*
FROM unnest('{1 hour,90 minutes,6 hours,1 day,7 days,1 month,3 months,1 year}'::interval[]) AS step,
	steps_of(step) AS s;
DROP FUNCTION steps_of;
DROP TABLE steps;

-- the first times that there are, and the last
CREATE TABLE first (id uuid) PARTITION BY RANGE (id);
SELECT iuid_create_partitions('first', '1 year', '1970-01-01', '1971-06-01');
SELECT iuid_create_partitions('first', '1 year', '1970-01-01', '1971-06-01');
SELECT lower, upper FROM iuid_partitions('first');
SELECT iuid_drop_partitions('first', '1971-01-01');
DROP TABLE first;
CREATE TABLE last (id iuid) PARTITION BY RANGE (id);
SELECT iuid_create_partitions('last', '366 days', '10888-06-01', '10889-01-01');
SELECT upper FROM iuid_partitions('last');
SELECT iuid_create_partitions('last', '1 day', '2026-01-01', '1969-12-31') AS none_before_the_first;
SELECT iuid_create_partitions('last', '366 days', '10888-06-01', '10889-01-02');
DROP TABLE last;

-- names: shortened ones stay apart, and one that is taken is an error
CREATE TABLE "a table with a name that is as long as a name may be, 63 bytes é" (id iuid) PARTITION BY RANGE (id);
CREATE TABLE "a table with a name that is as long as a name may be, 63 byteé" (id iuid) PARTITION BY RANGE (id);
SELECT p, octet_length(trim(p::text, '"')) FROM iuid_create_partitions(
	'"a table with a name that is as long as a name may be, 63 bytes é"', '1 day', '2026-01-01', '2026-01-02') AS p;
SELECT p, octet_length(trim(p::text, '"')) FROM iuid_create_partitions(
	'"a table with a name that is as long as a name may be, 63 byteé"', '1 day', '2026-01-01', '2026-01-02') AS p;
DROP TABLE "a table with a name that is as long as a name may be, 63 bytes é",
	"a table with a name that is as long as a name may be, 63 byteé";
CREATE TABLE "a.b"."Order Items_2027_01" ();
SELECT iuid_create_partitions('"a.b"."Order Items"', '1 month', '2027-01-01', '2027-02-01');
\echo :LAST_ERROR_SQLSTATE
DROP TABLE "a.b"."Order Items_2027_01";

-- a new partition has the tablespace of its parent, and its columns have their comments, storage and compression
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE regress_iuid LOCATION '';
CREATE TABLE placed (id iuid, note text) PARTITION BY RANGE (id) TABLESPACE regress_iuid;
ALTER TABLE placed ALTER note SET STORAGE external, ALTER note SET COMPRESSION pglz;
COMMENT ON COLUMN placed.note IS 'what was said';
SELECT iuid_create_partitions('placed', '1 month', '2026-01-01', '2026-02-01');
SELECT spcname, attname, attstorage, attcompression, col_description(attrelid, attnum)
FROM pg_class AS c JOIN pg_tablespace AS t ON t.oid = reltablespace JOIN pg_attribute ON attrelid = c.oid
WHERE relname = 'placed_2026_01' AND attnum > 0;
DROP TABLE placed;
DROP TABLESPACE regress_iuid;
-- it has the replica identity of its parent, or FULL if rows that are logged so may move into it
CREATE TABLE logged (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE logged_rest PARTITION OF logged DEFAULT;
SELECT iuid_create_partitions('logged', '1 month', '2026-01-01', '2026-02-01');
ALTER TABLE logged_rest REPLICA IDENTITY FULL;
SELECT iuid_create_partitions('logged', '1 month', '2026-02-01', '2026-03-01');
ALTER TABLE logged REPLICA IDENTITY NOTHING;
SELECT iuid_create_partitions('logged', '1 month', '2026-03-01', '2026-04-01');
ALTER TABLE logged REPLICA IDENTITY USING INDEX logged_pkey;
SELECT iuid_create_partitions('logged', '1 month', '2026-04-01', '2026-05-01');
SELECT relname, relreplident FROM pg_class WHERE relname LIKE 'logged\_2026___' ORDER BY 1;
DROP TABLE logged;
-- so it is with an open end, whichever
CREATE TABLE logged (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE logged_before PARTITION OF logged FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-05-01'));
CREATE TABLE logged_after PARTITION OF logged FOR VALUES FROM (iuid_floor('2026-05-01')) TO (MAXVALUE);
SELECT iuid_create_partitions('logged', '1 month', '2026-05-01', '2026-06-01');
ALTER TABLE logged_after REPLICA IDENTITY FULL;
SELECT iuid_create_partitions('logged', '1 month', '2026-06-01', '2026-07-01');
ALTER TABLE logged_after REPLICA IDENTITY DEFAULT;
ALTER TABLE logged_before REPLICA IDENTITY FULL;
SELECT iuid_create_partitions('logged', '1 month', '2026-04-01', '2026-05-01');
SELECT relname, relreplident FROM pg_class WHERE relname LIKE 'logged\_2026___' ORDER BY 1;
DROP TABLE logged;

-- dropped is what ended at or before the time, and never the DEFAULT partition
CREATE TABLE "a.b"."the rest" PARTITION OF "a.b"."Order Items" DEFAULT;
INSERT INTO "a.b"."Order Items" SELECT gen_iuid(7, 1, at)
FROM generate_series('2020-01-01'::timestamptz, '2026-03-01', '1 week') AS at;
SELECT iuid_drop_partitions('"a.b"."Order Items"', '2026-02-28 23:59:59.999');
SELECT iuid_drop_partitions('"a.b"."Order Items"', '2026-03-01');
SELECT partition, lower, upper, is_default FROM iuid_partitions('"a.b"."Order Items"');
SELECT count(*), max(iuid_timestamp(id)) FROM "a.b"."Order Items";

-- maintenance covers the present and the steps ahead, and keeps what it is told to
CREATE TABLE kept (id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY) PARTITION BY RANGE (id);
SELECT count(*) AS old
FROM iuid_create_partitions('kept', '1 day', now() - interval '10 days', now() - interval '5 days');
CALL iuid_maintain_partitions('kept', '1 day', 3);
SELECT count(*), min(lower) = date_trunc('day', now() - interval '10 days') AS nothing_dropped,
	max(upper) = date_trunc('day', now()) + interval '4 days' AS three_ahead FROM iuid_partitions('kept');
SELECT * FROM iuid_check_partitions('kept');
CALL iuid_maintain_partitions('kept', '1 day', 3, '2 days');
SELECT count(*), min(lower) = date_trunc('day', now() - interval '2 days') AS two_days_kept
FROM iuid_partitions('kept');
CALL iuid_maintain_partitions('kept', '1 day', 3, '2 days');
INSERT INTO kept DEFAULT VALUES;
CALL iuid_maintain_partitions('kept', '1 day', -1);
\set VERBOSITY terse
CALL iuid_maintain_partitions('kept', '1 day', 1, '-1 day');
-- a keep that may end in the past or not, by the length of the month, does not
CALL iuid_maintain_partitions('kept', '1 day', 1, '1 month -32 days');
\set VERBOSITY default
DROP TABLE kept;
DROP SCHEMA "a.b" CASCADE;
