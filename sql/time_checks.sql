-- CHECKs of the times of partitions: who has one, and that a query of times prunes by them
CREATE SCHEMA time_checks;
SET search_path = time_checks, public;
SET client_min_messages = warning;
SET timezone = 'UTC';
SET datestyle = 'ISO';

CREATE VIEW time_checks.checks AS
SELECT conrelid::regclass::text AS partition, conname AS name, pg_get_constraintdef(oid) AS definition
FROM pg_constraint WHERE contype = 'c' AND connamespace = 'time_checks'::regnamespace;
CREATE FUNCTION time_checks.faults(parent regclass) RETURNS TABLE (problem text, partition text) LANGUAGE sql AS
'SELECT problem, partition::text FROM public.iuid_check_partitions(parent)';

-- The partitions that a query reads, after pruning
CREATE FUNCTION time_checks.partitions_read(query text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json, COSTS off) ' || query INTO plan;
	RETURN ARRAY(SELECT DISTINCT name #>> '{}'
		FROM jsonb_path_query(plan::jsonb, '$.**."Relation Name"') AS name ORDER BY 1);
END $$;

-- Without the argument there is none; with it, one on each.  The literals are of UTC.
CREATE TABLE orders (id iuid PRIMARY KEY, n int) PARTITION BY RANGE (id);
SELECT iuid_create_partitions('orders', '1 month', '2026-01-01 00:00+00', '2026-02-01 00:00+00');
SELECT iuid_create_partitions('orders', '1 month', '2026-02-01 00:00+00', '2026-04-01 00:00+00', time_checks => true);
SELECT * FROM checks ORDER BY partition;
SELECT * FROM faults('orders');

-- For a partition that is there, by what the function says: in UTC, wherever the session is
SET timezone = 'Asia/Kolkata';
SET datestyle = 'Postgres, DMY';
BEGIN;
SELECT format('ALTER TABLE %s ADD %s', partition, detail)
FROM iuid_check_partitions('orders') WHERE problem = 'no time check' \gexec
SELECT * FROM faults('orders');
ROLLBACK;
SET timezone = 'UTC';
SET datestyle = 'ISO';
-- or in the same words; it counts once it is valid
ALTER TABLE orders_2026_01 ADD CONSTRAINT by_hand
	CHECK (iuid_timestamp(id) >= '2026-01-01 00:00+00' AND iuid_timestamp(id) < '2026-02-01 00:00+00') NOT VALID;
SELECT * FROM faults('orders');
ALTER TABLE orders_2026_01 VALIDATE CONSTRAINT by_hand;
SELECT * FROM faults('orders');

-- The first and the last identifier of each partition are taken, also those without a time.
INSERT INTO orders SELECT iuid_floor(month)
FROM generate_series(timestamptz '2026-01-01 00:00+00', '2026-03-01 00:00+00', '1 month') AS month;
INSERT INTO orders
SELECT overlay(iuid_floor(month - interval '1 millisecond')::text PLACING '80ff-bfff-ffffffffffff' FROM 15)::iuid
FROM generate_series(timestamptz '2026-02-01 00:00+00', '2026-04-01 00:00+00', '1 month') AS month;
INSERT INTO orders SELECT overlay(iuid_floor('2026-02-03 00:00+00')::text PLACING layout FROM 16 FOR 1)::iuid
FROM unnest('{1,2,f}'::text[]) AS layout;
SELECT tableoid::regclass, count(*), count(iuid_timestamp(id)) FROM orders GROUP BY 1 ORDER BY 1;

-- Conditions on a view, in every form whose value is known when the query is planned, prune.
CREATE VIEW orders_seen AS SELECT *, iuid_timestamp(id) AS created_at FROM orders;
SELECT condition, partitions_read('SELECT FROM orders_seen WHERE ' || condition) FROM unnest(ARRAY[
	$$created_at BETWEEN '2026-02-10 00:00+00' AND '2026-02-11 00:00+00'$$,
	$$created_at >= timestamptz '2026-02-10 00:00+00' AND created_at < timestamptz '2026-02-11 00:00+00'$$,
	$$created_at = '2026-03-10 00:00+00'$$,
	$$created_at < '2026-02-01 00:00+00'$$,
	$$created_at <= '2026-02-01 00:00+00'$$,
	$$created_at >= '2026-04-01 00:00+00'$$,
	$$created_at >= '2026-03-31 23:59:59.999+00'$$,
	$$created_at IN ('2026-01-10 00:00+00', '2026-03-10 00:00+00')$$,
	$$created_at < '2026-01-10 00:00+00' OR created_at > '2026-03-10 00:00+00'$$]) AS condition;

-- A bound within a millisecond, which others have made, is refused.
CREATE TABLE split (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE split_by_hand PARTITION OF split
	FOR VALUES FROM ('019c1300-0000-8023-8000-000000000000') TO ('019c1400-0000-8023-8000-000000000000');
\set SHOW_CONTEXT never
SELECT iuid_create_partitions('split', '1 day', '2026-01-31', '2026-02-02', time_checks => true);
\echo :LAST_ERROR_SQLSTATE

-- Rows of the DEFAULT partition move under the CHECK.
CREATE TABLE late (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE late_rest PARTITION OF late DEFAULT;
INSERT INTO late SELECT gen_iuid(7, 1, at)
FROM generate_series(timestamptz '2026-01-01 00:00+00', '2026-03-31 12:00+00', '12 hours') AS at;
SELECT iuid_create_partitions('late', '1 month', '2026-01-01 00:00+00', '2026-04-01 00:00+00', time_checks => true);
SELECT tableoid::regclass, count(*) FROM late GROUP BY 1 ORDER BY 1;
SELECT partition, definition FROM checks WHERE partition ~ '^late' ORDER BY 1;

-- Open ends have none.  Partitions that are carved out of them have one.
CREATE TABLE trips (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE trips_before PARTITION OF trips FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-03-01 00:00+00'));
CREATE TABLE trips_after PARTITION OF trips FOR VALUES FROM (iuid_floor('2026-03-01 00:00+00')) TO (MAXVALUE);
INSERT INTO trips SELECT gen_iuid(7, 1, at)
FROM generate_series(timestamptz '2026-01-01 00:00+00', '2026-05-31 12:00+00', '1 day') AS at;
SELECT iuid_create_partitions('trips', '1 month', '2026-02-01 00:00+00', '2026-05-01 00:00+00', time_checks => true);
SELECT partition, definition FROM checks WHERE partition ~ '^trips' ORDER BY 1;
SELECT * FROM faults('trips');

-- Nor has an open end that is made anew.
SELECT iuid_drop_partitions('trips', '2026-03-01 00:00+00');
SELECT * FROM faults('trips');
CREATE FUNCTION time_checks.is_fine(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';

-- The key has another number in the partitions, and is not the only identifier.
CREATE TABLE legs (gone int, id iuid PRIMARY KEY, trip iuid) PARTITION BY RANGE (id);
ALTER TABLE legs DROP gone;
SELECT iuid_create_partitions('legs', '1 year', '2020-01-01', '2021-01-01', time_checks => true);
SELECT definition FROM checks WHERE partition = 'legs_2020';
CALL iuid_maintain_partitions('legs', '1 year', time_checks => true) \gset
SELECT :created > 0 AS made;
BEGIN;
ALTER TABLE legs_2020 DROP CONSTRAINT legs_2020_id_check,
	ADD CHECK (iuid_timestamp(trip) >= '2020-01-01 00:00:00+00' AND iuid_timestamp(trip) < '2021-01-01 00:00:00+00');
SELECT * FROM faults('legs') LIMIT 1;
ROLLBACK;

-- No code of the owner runs: of a CHECK, a domain, the key of a table, or an error.  This session has
-- seen none of them yet.
CREATE DOMAIN fine AS int CHECK (is_fine(VALUE) AND is_fine(1));
CREATE TABLE hashed (n int) PARTITION BY HASH (((n > 0) = is_fine(1)));
ALTER TABLE legs_2020 ADD CHECK (is_fine(1)) NOT VALID, ADD CHECK ((iuid_country(id)::fine) IS NOT NULL) NOT VALID,
	ADD CHECK (satisfies_hash_partition('hashed'::regclass, 1, 0, true)) NOT VALID,
	ADD CHECK (iuid_country(id) > 1 / 0) NOT VALID;
CREATE OR REPLACE FUNCTION time_checks.is_fine(int) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE ''called''; END';
\connect
SET search_path = time_checks, public;
SET client_min_messages = warning;
SELECT * FROM faults('legs');

-- A uuid that is no iuid has no time, so a time check does not refuse it.
SET timezone = 'UTC';
CREATE TABLE by_uuid (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
SELECT iuid_create_partitions('by_uuid', '1 month', '2026-01-01', '2026-03-01', time_checks => true);
SELECT conrelid::regclass AS partition, pg_get_constraintdef(oid) AS definition
FROM pg_constraint
WHERE conrelid IN ('by_uuid_2026_01'::regclass, 'by_uuid_2026_02'::regclass) AND contype = 'c' ORDER BY 1;
INSERT INTO by_uuid VALUES ('019b76da-a87b-7cc3-98c4-dc0c0c07398f'), (gen_iuid(7, 1, '2026-02-03'));
SELECT * FROM iuid_check_partitions('by_uuid');
EXPLAIN (COSTS OFF) SELECT FROM by_uuid WHERE iuid_timestamp(id) >= '2026-02-02';
ALTER TABLE by_uuid_2026_02 DROP CONSTRAINT by_uuid_2026_02_id_check;
SELECT partition, detail FROM iuid_check_partitions('by_uuid');
\set SHOW_CONTEXT never
-- NULL is neither.
SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-02-01', NULL);
\echo :LAST_ERROR_SQLSTATE
CALL iuid_maintain_partitions('orders', '1 month', time_checks => NULL);
\echo :LAST_ERROR_SQLSTATE

DROP SCHEMA time_checks CASCADE;
