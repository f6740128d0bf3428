-- Where what the functions for partitions do is next to what they must not do.
SET timezone = 'UTC';
SET client_min_messages = warning;
\set SHOW_CONTEXT never
\set VERBOSITY sqlstate

-- faults: rows in DEFAULT are before all partitions only if there is a first one,
-- and between them only if there are some
CREATE TABLE orders (id iuid) PARTITION BY RANGE (id);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
INSERT INTO orders VALUES (gen_iuid(7, 1, '2026-01-15'));
SELECT problem, partition FROM iuid_check_partitions('orders');
CREATE TABLE orders_before PARTITION OF orders FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01'));
CREATE TABLE orders_later PARTITION OF orders FOR VALUES FROM (iuid_floor('2026-02-01')) TO (iuid_floor('2026-03-01'));
SELECT problem, partition FROM iuid_check_partitions('orders');

-- a list is of partitions by time, and a country that is divided by more than the key is not looked into
CREATE TABLE places (id iuid, n int) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE places_7 PARTITION OF places
	FOR VALUES FROM (iuid_country_floor(7)) TO (iuid_country_floor(8)) PARTITION BY RANGE (id, n);
CREATE TABLE places_7_a PARTITION OF places_7
	FOR VALUES FROM (iuid_floor('2026-01-01'), 0) TO (iuid_floor('2026-02-01'), 0);
CREATE TABLE places_7_b PARTITION OF places_7
	FOR VALUES FROM (iuid_floor('2026-03-01'), 0) TO (iuid_floor('2026-04-01'), 0);
SELECT * FROM iuid_partitions('places');
SELECT problem, partition FROM iuid_check_partitions('places');
DROP TABLE places;

-- time checks are known as they are, however the session prints names
CREATE TABLE checked (id iuid) PARTITION BY RANGE (id);
SELECT iuid_create_partitions('checked', '1 month', '2026-01-01', '2026-03-01', true);
SELECT iuid_create_partitions('checked', '1 month', '2026-03-01', '2026-04-01', false);
SET quote_all_identifiers = on;
SELECT problem, partition FROM iuid_check_partitions('checked');
RESET quote_all_identifiers;

-- no time to wait, and nothing to keep, are not given
SELECT iuid_create_partitions('checked', '1 month', '2026-01-01', '2026-03-01', lock_wait => NULL);
SELECT iuid_drop_partitions('checked', '2026-01-01', NULL);
CALL iuid_maintain_partitions('checked', '1 month', lock_wait => NULL);
CALL iuid_maintain_partitions('checked', '1 month', keep => '0');
DROP TABLE checked;

-- a list under an old snapshot leaves out what was dropped meanwhile
CREATE EXTENSION dblink;
SELECT dblink_connect('other',
	format('dbname=%s host=%s port=%s', :'DBNAME', current_setting('unix_socket_directories'), :'PORT'));
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM iuid_partition_bounds('orders');
SELECT dblink_exec('other', 'DROP TABLE orders_later');
SELECT partition FROM iuid_partitions('orders');
COMMIT;
SELECT dblink_disconnect('other');
DROP EXTENSION dblink;

-- nothing has ended but an open end without rows: it stays the same table
SELECT 'orders_before'::regclass::oid AS before \gset
SELECT iuid_drop_partitions('orders', '2026-01-01');
SELECT 'orders_before'::regclass::oid = :before AS stays;
DROP TABLE orders;

-- maintenance drops what ended, and the open end with rows last
CREATE TABLE orders (id iuid) PARTITION BY RANGE (id);
CREATE TABLE orders_before PARTITION OF orders FOR VALUES FROM (MINVALUE) TO (iuid_floor('2020-01-01'));
SELECT count(*) FROM iuid_create_partitions('orders', '1 month', '2020-01-01', '2020-03-01');
INSERT INTO orders SELECT gen_iuid(7, 1, at) FROM unnest('{2019-06-01,2020-01-02,2020-02-02}'::timestamptz[]) AS at;
CREATE FUNCTION says_level() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE WARNING 'dropped in %', current_setting('transaction_isolation');
END $$;
CREATE EVENT TRIGGER says_level ON sql_drop WHEN TAG IN ('DROP TABLE') EXECUTE FUNCTION says_level();
\set VERBOSITY terse
SET default_transaction_isolation = 'repeatable read';
CALL iuid_maintain_partitions('orders', '1 year', 0, '1 year', created => NULL, dropped => NULL) \gset
RESET default_transaction_isolation;
DROP EVENT TRIGGER says_level;
\set VERBOSITY sqlstate
SELECT :dropped AS dropped;
DROP TABLE orders;

-- code of the owner's that raises what the functions use themselves
CREATE TABLE orders (id iuid) PARTITION BY RANGE (id);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
INSERT INTO orders VALUES (gen_iuid(7, 1, '2026-01-15'));
CREATE FUNCTION raises(iuid) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE no_data_found; END $$;
ALTER TABLE orders ADD CHECK (raises(id)) NOT VALID;
SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-02-01');
DROP TABLE orders;

-- arrays of another length, and nothing between the bounds
CREATE TABLE orders (id iuid) PARTITION BY RANGE (id);
CREATE TABLE one (LIKE orders);
CREATE TABLE two (LIKE orders);
SELECT iuid_attach_partitions('orders', '{one,two}',
	ARRAY[iuid_floor('2026-01-01'), iuid_floor('2026-02-01')]::uuid[], ARRAY[iuid_floor('2026-02-01')]::uuid[]);
SELECT iuid_attach_partitions('orders', '{one,two}',
	ARRAY[iuid_floor('2026-01-01')]::uuid[], ARRAY[iuid_floor('2026-02-01'), iuid_floor('2026-03-01')]::uuid[]);
SELECT iuid_attach_partitions('orders', '{one}',
	ARRAY[iuid_floor('2026-01-01')]::uuid[], ARRAY[iuid_floor('2026-01-01')]::uuid[]);

-- the last time that there is
SELECT iuid_create_partitions('orders', '1 month', '10888-12-01', '10889-01-01');
SELECT iuid_create_partitions('orders', '1 month', '10888-12-01', '10889-01-01 00:00:00.000001');
DROP TABLE orders_10888_12;

-- what is carved out of the last partition ends where that ends, or before
CREATE TABLE orders_after PARTITION OF orders FOR VALUES FROM (iuid_floor('2026-01-01')) TO (MAXVALUE);
SELECT iuid_attach_partitions('orders', '{one}', ARRAY[iuid_floor('2026-02-01')]::uuid[], '{NULL}');

-- an open end keeps the state of its triggers, and its owner
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER a AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE TRIGGER b AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE TRIGGER c AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
ALTER TABLE orders_after ENABLE REPLICA TRIGGER a, ENABLE ALWAYS TRIGGER b, DISABLE TRIGGER c;
INSERT INTO orders VALUES (gen_iuid(7, 1, '2026-01-15')), (gen_iuid(7, 1, '2026-03-15'));
SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-02-01');
SELECT string_agg(tgname || tgenabled::text, ' ' ORDER BY tgname) FROM pg_trigger
WHERE tgrelid = 'orders_after'::regclass AND NOT tgisinternal;
CREATE ROLE regress_iuid_owner;
CREATE ROLE regress_iuid_other;
ALTER TABLE orders_after OWNER TO regress_iuid_other;
SELECT iuid_attach_partitions('orders', '{one}',
	ARRAY[iuid_floor('2026-02-01')]::uuid[], ARRAY[iuid_floor('2026-03-01')]::uuid[]);
DROP TABLE orders, one, two;

-- what the owner's event trigger writes anew while its rows are elsewhere
CREATE TABLE orders (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE orders_after PARTITION OF orders FOR VALUES FROM (iuid_floor('2026-01-01')) TO (MAXVALUE);
CREATE TABLE lines (order_id iuid REFERENCES orders);
INSERT INTO orders VALUES (gen_iuid(7, 1, '2026-05-01')), (gen_iuid(7, 1, '2026-06-01'));
CREATE FUNCTION writes_anew() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM pg_class WHERE oid = 'public.orders_after'::regclass AND NOT relispartition)
		AND current_setting('edges.done', true) = '' THEN
		PERFORM set_config('edges.done', 'yes', false);
		ALTER TABLE public.orders_after SET UNLOGGED;
		ALTER TABLE public.orders_after SET LOGGED;
	END IF;
END $$;
SET edges.done = '';
CREATE EVENT TRIGGER writes_anew ON ddl_command_end WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION writes_anew();
SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-02-01');
SELECT count(*) FROM orders;
DROP EVENT TRIGGER writes_anew;
DROP FUNCTION writes_anew;
DROP TABLE lines, orders;

-- who may SET ROLE to the owner may change partitions, without inheriting; but not in a transaction that only reads
GRANT CREATE ON SCHEMA public TO regress_iuid_owner;
CREATE ROLE regress_iuid_member NOINHERIT IN ROLE regress_iuid_owner;
SET ROLE regress_iuid_owner;
CREATE TABLE orders (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
SET ROLE regress_iuid_member;
SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-02-01');
BEGIN READ ONLY;
SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-02-01');
ROLLBACK;
RESET ROLE;

-- a table that refers to the partitioned one, in a schema that its owner may not use
CREATE SCHEMA regress_iuid_private;
CREATE TABLE regress_iuid_private.lines (order_id iuid);
GRANT ALL ON regress_iuid_private.lines TO regress_iuid_owner;
ALTER TABLE regress_iuid_private.lines ADD FOREIGN KEY (order_id) REFERENCES orders;
SELECT iuid_create_partitions('orders', '1 month', '2026-02-01', '2026-03-01');
SELECT iuid_detach_partitions('orders', '2026-02-01');
\set VERBOSITY terse
SELECT iuid_drop_partitions('orders', '2026-03-01');
\set VERBOSITY sqlstate
DROP SCHEMA regress_iuid_private CASCADE;
DROP TABLE orders, orders_2026_01;

-- a row that goes into a new partition is as an INSERT makes it there: a generated column is computed
CREATE FUNCTION adds() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
CREATE TABLE orders (id iuid, n int, more int GENERATED ALWAYS AS (n + adds()) STORED) PARTITION BY RANGE (id);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
INSERT INTO orders VALUES (gen_iuid(7, 1, '2026-01-15'), 1);
CREATE OR REPLACE FUNCTION adds() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 100';
SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-02-01');
SELECT n, more FROM orders;
DROP TABLE orders;
DROP FUNCTION adds, raises, nothing, says_level;

-- after a COMMIT, PL/pgSQL checks a domain without any snapshot
CREATE TEMP TABLE counted (id iuid) PARTITION BY RANGE (id);
CREATE TEMP TABLE counted_rest PARTITION OF counted DEFAULT;
CREATE DOMAIN pg_temp.many AS int CHECK ((iuid_keys_between('counted_rest', NULL, NULL)).rows > 0 OR value IS NULL);
DO $$ BEGIN COMMIT; DECLARE n pg_temp.many; BEGIN NULL; END; END $$;
\echo :LAST_ERROR_SQLSTATE
DROP DOMAIN pg_temp.many;
DROP TABLE counted;

-- a schema whose name needs quotes, for who is no superuser
SET client_min_messages = error;
BEGIN;
DROP EXTENSION iuid CASCADE;
CREATE SCHEMA "An odd place";
CREATE EXTENSION iuid SCHEMA "An odd place";
GRANT USAGE ON SCHEMA "An odd place" TO regress_iuid_owner;
SET LOCAL ROLE regress_iuid_owner;
CREATE TABLE orders (id "An odd place".iuid) PARTITION BY RANGE (id);
SELECT "An odd place".iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-02-01');
SELECT "An odd place".iuid_drop_partitions('orders', '2026-02-01');
ROLLBACK;
REVOKE CREATE ON SCHEMA public FROM regress_iuid_owner;
DROP ROLE regress_iuid_owner, regress_iuid_member, regress_iuid_other;
