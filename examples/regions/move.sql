-- Uzbekistan, country 10, moves from almaty to jakarta: data first, then the
-- route.  Its orders can be read all the time, and written but for the time of the copy.
-- As a superuser, with the variables of mesh.sql: psql ... -f move.sql

-- 1. At the old node nothing of the country is written any more.
-- This waits for those who are writing; who comes later is told to try again.
\connect shop - :almaty 5432
CREATE OR REPLACE FUNCTION moving() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'these rows are moving to another node' USING ERRCODE = 'object_in_use', HINT = 'Try again in a minute.';
END $$;
CREATE TRIGGER moving BEFORE INSERT OR UPDATE OR DELETE ON orders_c10 FOR EACH ROW EXECUTE FUNCTION moving();
CREATE TRIGGER moving_all BEFORE TRUNCATE ON orders_c10 EXECUTE FUNCTION moving();

-- 2. The new node copies the rows, into what will be its partition.
-- That they are in its bounds is checked here, and need not be when it is attached.
\connect shop - :jakarta 5432
CREATE TABLE orders_c10 (LIKE orders INCLUDING ALL,
	CHECK (iuid_country(id) = 10 AND id ~>=~ iuid_country_floor(10) AND id ~<~ iuid_country_floor(11)));
INSERT INTO orders_c10 TABLE orders_global_c10;
ANALYZE orders_c10;

-- 3. The new node takes the country over.
BEGIN;
DROP FOREIGN TABLE orders_global_c10;
ALTER TABLE orders ATTACH PARTITION orders_c10 FOR VALUES FROM (iuid_country_floor(10)) TO (iuid_country_floor(11));
COMMIT;

-- 4. The route changes where the registry is filled in, and arrives at the others.
\connect shop - :mexico 5432
UPDATE iuid_routes SET node = 'jakarta' WHERE country = 10;
DO $$
DECLARE
	changed pg_lsn := pg_current_wal_lsn();
BEGIN
	WHILE EXISTS (SELECT FROM pg_stat_replication WHERE application_name LIKE 'registry%' AND replay_lsn < changed) LOOP
		PERFORM pg_sleep(0.05);
	END LOOP;
END $$;

-- 5. Every other node but the old one looks for it there.
\connect shop - :mexico 5432
BEGIN;
DROP FOREIGN TABLE orders_global_c10;
SELECT iuid_create_global_table('orders_global', 'orders', 1);
COMMIT;

-- 6. The old node is the last, and looks for it there, too.
-- It keeps the old rows, under another name, which still refuse to be written.
-- Queries come to orders_global first, so they are stopped there: no deadlock.
\connect shop - :almaty 5432
BEGIN;
LOCK TABLE ONLY orders_global;
ALTER TABLE orders DETACH PARTITION orders_c10;
ALTER TABLE orders_c10 RENAME TO orders_c10_moved;
SELECT iuid_create_global_table('orders_global', 'orders', 1);
COMMIT;
