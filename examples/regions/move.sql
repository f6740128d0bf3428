-- Uzbekistan, country 235, moves from almaty to jakarta.  Every node can read its
-- orders all the time.  No node can write them from step 1 on; jakarta can again
-- after step 4, mexico after step 5, almaty after step 6.
-- Run it once, as the role shop, with a service for each node (doc/regions.md):
--   psql service=mexico -f move.sql

-- 1. At the old node a trigger refuses to write orders of the country.
-- CREATE TRIGGER waits for the transactions that are writing.  Later ones fail, and
-- the hint says to try again.
\connect service=almaty
CREATE OR REPLACE FUNCTION moving() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'these rows are moving to another node' USING ERRCODE = 'object_in_use', HINT = 'Try again in a minute.';
END $$;
CREATE TRIGGER moving BEFORE INSERT OR UPDATE OR DELETE ON orders_c235 FOR EACH ROW EXECUTE FUNCTION moving();
CREATE TRIGGER moving_all BEFORE TRUNCATE ON orders_c235 EXECUTE FUNCTION moving();

-- 2. The new node copies the orders, into the table that will be its partition.
-- The CHECK holds the bounds, so step 4 attaches the table without reading its rows.
\connect service=jakarta
CREATE TABLE orders_c235 (LIKE orders INCLUDING ALL,
	CHECK (iuid_country(id) = 235 AND id ~>=~ iuid_country_floor(235) AND id ~<~ iuid_country_floor(236)));
INSERT INTO orders_c235 TABLE orders_global_c235;
ANALYZE orders_c235;

-- 3. The route changes at the node that publishes the registry, and reaches the others.
-- Each subscription has a slot, also while its node is down.
\connect service=mexico
UPDATE iuid_routes SET node = 'jakarta' WHERE country = 235;
DO $$
DECLARE
	changed pg_lsn := pg_current_wal_lsn();
BEGIN
	WHILE EXISTS (SELECT FROM pg_replication_slots WHERE slot_name LIKE 'registry%' AND confirmed_flush_lsn < changed) LOOP
		PERFORM pg_sleep(0.05);
	END LOOP;
END $$;

-- 4. The new node takes the country over.
-- It drops its foreign table, attaches the partition, and makes the view for the other
-- nodes.
\connect service=jakarta
BEGIN;
SELECT iuid_create_global_table('orders_global', 'orders', 1);
ALTER TABLE orders ATTACH PARTITION orders_c235 FOR VALUES FROM (iuid_country_floor(235)) TO (iuid_country_floor(236));
SELECT iuid_create_country_partitions('orders', 1);
COMMIT;

-- 5. Every other node but the old one looks for the country at the new node.
\connect service=mexico
SELECT iuid_create_global_table('orders_global', 'orders', 1);

-- 6. The old node is the last to look for the country at the new node.
-- It keeps its copy under another name, without the view, so a node that missed step 5
-- gets an error and no old rows.  A query locks orders_global, or the view, before
-- orders_c235; so the locks here come in that order.
\connect service=almaty
BEGIN;
LOCK TABLE ONLY orders_global;
DROP VIEW orders_c235_e1;
ALTER TABLE orders DETACH PARTITION orders_c235;
ALTER TABLE orders_c235 RENAME TO orders_c235_moved;
SELECT iuid_create_global_table('orders_global', 'orders', 1);
COMMIT;
