-- What could make iuid_attach_partitions lose something, or run somebody's code as another: it refuses, or keeps it.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
\set new '''{march}'', ARRAY[iuid_floor(''2026-03-01'')]::uuid[], ARRAY[iuid_floor(''2026-04-01'')]::uuid[]'
CREATE ROLE regress_iuid_mallory;
GRANT CREATE ON SCHEMA public TO regress_iuid_mallory;

-- a column that the rows lack, and that has another value in the new partition
CREATE TABLE orders (id iuid PRIMARY KEY, n int) PARTITION BY RANGE (id);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
INSERT INTO orders VALUES (gen_iuid(7, 1, '2026-03-15'), 1);
ALTER TABLE orders ADD note int;
CREATE TABLE march (id iuid NOT NULL, n int);
ALTER TABLE march ADD note int DEFAULT 77;
SELECT iuid_attach_partitions('orders', :new);
SELECT n, note, tableoid::regclass FROM orders;
DROP TABLE orders;

-- checks that are deferred:
-- of a row that stays in an open end, of one that referred to a row that is gone, and of a user's trigger
CREATE TABLE customers (id int PRIMARY KEY);
CREATE TABLE trips (id iuid PRIMARY KEY, customer int REFERENCES customers DEFERRABLE INITIALLY DEFERRED)
	PARTITION BY RANGE (id);
CREATE TABLE trips_after PARTITION OF trips FOR VALUES FROM (iuid_floor('2026-03-01')) TO (MAXVALUE);
CREATE TABLE stops (trip iuid REFERENCES trips DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE march (LIKE trips);
INSERT INTO customers VALUES (1);
INSERT INTO trips VALUES (gen_iuid(7, 1, '2026-05-01'), 1);
INSERT INTO stops SELECT id FROM trips;
BEGIN;
INSERT INTO trips VALUES (gen_iuid(7, 1, '2026-05-02'), 77);
SELECT iuid_attach_partitions('trips', :new);
ROLLBACK;
BEGIN;
DELETE FROM trips;
SELECT iuid_attach_partitions('trips', :new);
ROLLBACK;
DROP TABLE stops;
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON trips DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION refuse();
BEGIN;
UPDATE trips SET customer = 1;
SELECT iuid_attach_partitions('trips', :new);
ROLLBACK;
DROP TABLE trips, march, customers;
DROP FUNCTION refuse;

-- what is below the executor is gone when the table is written anew in between
CREATE TABLE orders (id iuid, n int) PARTITION BY RANGE (id);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
INSERT INTO orders VALUES (gen_iuid(7, 1, '2026-03-15'), 1);
CREATE TABLE march (LIKE orders);
CREATE FUNCTION rewrite() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM pg_attribute
		WHERE attrelid = 'public.orders'::regclass AND attname = 'n' AND atttypid = 'int'::regtype) THEN
		ALTER TABLE public.orders ALTER n TYPE bigint;
	END IF;
END $$;
CREATE EVENT TRIGGER rewrite ON ddl_command_end WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION rewrite();
SELECT iuid_attach_partitions('orders', :new);
DROP EVENT TRIGGER rewrite;
SELECT n, tableoid::regclass FROM orders;
DROP FUNCTION rewrite;

-- a CHECK of another role's DEFAULT partition, or new partition, would run as the owner of the table
CREATE FUNCTION says(text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	RAISE NOTICE '% as %', $1, current_user;
	RETURN 1;
END $$;
ALTER TABLE orders_rest ADD CHECK (says('DEFAULT') = 1) NOT VALID;
ALTER TABLE orders_rest OWNER TO regress_iuid_mallory;
SELECT iuid_attach_partitions('orders', :new);
ALTER TABLE orders_rest OWNER TO CURRENT_USER;
ALTER TABLE march ADD CHECK (says('new') = 1) NOT VALID;
ALTER TABLE march OWNER TO regress_iuid_mallory;
SELECT iuid_attach_partitions('orders', :new);
-- all in one hand, it runs as that
ALTER TABLE orders OWNER TO regress_iuid_mallory;
ALTER TABLE orders_rest OWNER TO regress_iuid_mallory;
SELECT iuid_attach_partitions('orders', :new);
SELECT n, tableoid::regclass FROM orders;
DROP TABLE orders;
DROP FUNCTION says;
REVOKE CREATE ON SCHEMA public FROM regress_iuid_mallory;
DROP ROLE regress_iuid_mallory;
