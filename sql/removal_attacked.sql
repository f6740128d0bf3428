-- What could make removing partitions lose something, or run somebody's code as another: it refuses, or keeps it.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
CREATE ROLE regress_iuid_mallory;
GRANT CREATE ON SCHEMA public TO regress_iuid_mallory;

-- the key of a table above, whose code the server runs as whoever asks for a partition's constraint; an old snapshot
SET ROLE regress_iuid_mallory;
CREATE FUNCTION evil(i int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	IF current_user <> 'regress_iuid_mallory' THEN
		RAISE WARNING 'as %', current_user;
	END IF;
	RETURN i;
END $$;
CREATE TABLE above (id iuid, n int NOT NULL) PARTITION BY RANGE ((n + evil(1)));
CREATE TABLE orders PARTITION OF above FOR VALUES FROM (0) TO (100) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-05-01');
RESET ROLE;
\c
SET timezone = 'UTC';
\set SHOW_CONTEXT never
SELECT iuid_drop_partitions('orders', '2026-02-01');
SELECT iuid_detach_partitions('orders', '2026-03-01');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT iuid_drop_partitions('orders', '2026-04-01');
ROLLBACK;
\echo :LAST_ERROR_SQLSTATE
SET default_transaction_isolation = serializable;
SET client_min_messages = error;
CALL iuid_maintain_partitions('orders', '1 year', 0, '1 day') \g /dev/null
RESET client_min_messages;
RESET default_transaction_isolation;
DROP TABLE above, orders_2026_02 CASCADE;
DROP FUNCTION evil;

-- checks that are deferred, of an open end that moves and of a partition that goes
CREATE TABLE trips (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE trips_first PARTITION OF trips FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01'));
SELECT count(*) FROM iuid_create_partitions('trips', '1 month', '2026-01-01', '2026-04-01');
CREATE VIEW needs AS SELECT * FROM trips_first;
CREATE TABLE stops (trip iuid REFERENCES trips DEFERRABLE INITIALLY DEFERRED);
INSERT INTO trips VALUES (gen_iuid(7, 1, '2020-01-01')), (gen_iuid(7, 1, '2026-01-15'));
INSERT INTO stops SELECT id FROM trips;
BEGIN;
DELETE FROM trips WHERE id < timestamptz '2021-01-01';
SELECT iuid_drop_partitions('trips', '2026-02-01');
ROLLBACK;
BEGIN;
DELETE FROM trips WHERE id > timestamptz '2021-01-01';
SELECT iuid_detach_partitions('trips', '2026-02-01');
ROLLBACK;
SELECT count(*) FROM stops WHERE NOT EXISTS (SELECT FROM trips WHERE id = trip);
DROP TABLE stops, trips CASCADE;

-- a first partition that stays, and cannot grow, is in nobody's way
CREATE TABLE trips (id iuid) PARTITION BY RANGE (id);
CREATE TABLE trips_first PARTITION OF trips
	FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01')) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('trips', '1 month', '2026-01-01', '2026-04-01');
CREATE VIEW needs AS SELECT * FROM trips_first;
SELECT iuid_drop_partitions('trips', '2026-03-01');
DROP TABLE trips CASCADE;

-- new partitions are as their parent: unlogged, and with its replica identity where an open end is made anew
SELECT CASE WHEN current_setting('server_version_num')::int < 180000 THEN 'UNLOGGED' ELSE '' END AS unlogged \gset
CREATE :unlogged TABLE fast (id iuid) PARTITION BY RANGE (id);
ALTER TABLE fast REPLICA IDENTITY FULL;
CREATE :unlogged TABLE fast_before PARTITION OF fast FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01'));
INSERT INTO fast VALUES (gen_iuid(7, 1, '2025-01-01'));
SELECT count(*) FROM iuid_create_partitions('fast', '1 month', '2026-01-01', '2026-03-01');
SELECT iuid_drop_partitions('fast', '2026-01-01');
SELECT c.relname, c.relpersistence = p.relpersistence AS is_like_parent, c.relreplident
FROM pg_class AS p JOIN pg_inherits ON inhparent = p.oid JOIN pg_class AS c ON c.oid = inhrelid
WHERE p.oid = 'fast'::regclass ORDER BY 1;
DROP TABLE fast;

-- an event trigger that drops what was just made, and a constraint that names a table of its own in an error
CREATE TABLE gone (id iuid) PARTITION BY RANGE (id);
CREATE FUNCTION meddle() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
	IF to_regclass('public.gone_2026_01') IS NOT NULL THEN
		DROP TABLE public.gone_2026_01;
	END IF;
END $$;
CREATE EVENT TRIGGER meddle ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION meddle();
SELECT iuid_create_partitions('gone', '1 month', '2026-01-01', '2026-02-01', true);
\echo :LAST_ERROR_SQLSTATE
DROP EVENT TRIGGER meddle;
CREATE FUNCTION lie() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RAISE SQLSTATE '55P03' USING MESSAGE = 'a lie', TABLE = 'abc';
END $$;
CREATE TABLE gone_rest PARTITION OF gone DEFAULT;
INSERT INTO gone VALUES (gen_iuid(7, 1, '2026-01-15'));
ALTER TABLE gone ADD CHECK (lie()) NOT VALID;
SELECT iuid_create_partitions('gone', '1 month', '2026-01-01', '2026-02-01', lock_wait => '0');
\echo :LAST_ERROR_SQLSTATE
DROP TABLE gone;
DROP FUNCTION meddle, lie;

-- schemas that trade their names between the plan and its statement, so that another table has the name
CREATE SCHEMA shop CREATE TABLE orders (id iuid) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('shop.orders', '1 month', '2026-01-01', '2026-04-01');
CREATE SCHEMA other CREATE TABLE orders (id iuid) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('other.orders', '1 month', '2026-01-01', '2026-04-01');
SELECT 'shop.orders'::regclass::oid AS orders \gset
CREATE FUNCTION trade() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
	IF (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND concat(relation::regclass, ' ', mode) =
			CASE tg_tag WHEN 'DROP TABLE' THEN 'shop.orders ShareUpdateExclusiveLock'
				ELSE 'shop.orders_2026_01 AccessExclusiveLock' END) > 0 THEN
		ALTER SCHEMA shop RENAME TO third; ALTER SCHEMA other RENAME TO shop; ALTER SCHEMA third RENAME TO other;
	END IF; END $$;
CREATE EVENT TRIGGER trade ON ddl_command_start WHEN TAG IN ('DROP TABLE') EXECUTE FUNCTION trade();
SELECT iuid_drop_partitions(:orders, '2026-03-01');
\echo :LAST_ERROR_SQLSTATE
DROP EVENT TRIGGER trade;
CREATE EVENT TRIGGER trade ON ddl_command_start WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION trade();
SELECT iuid_detach_partitions(:orders, '2026-02-01');
\echo :LAST_ERROR_SQLSTATE
DROP EVENT TRIGGER trade;
SELECT inhparent::regclass, count(*) FROM pg_inherits
WHERE inhparent IN ('shop.orders'::regclass, 'other.orders'::regclass) GROUP BY 1 ORDER BY 1;
DROP FUNCTION trade;
DROP SCHEMA shop, other CASCADE;
REVOKE CREATE ON SCHEMA public FROM regress_iuid_mallory;
DROP ROLE regress_iuid_mallory;
