-- Partitions by country in a database that needs no registry, made by a table's owner.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
CREATE ROLE regress_iuid_shop;
CREATE SCHEMA shop AUTHORIZATION regress_iuid_shop;
SET ROLE regress_iuid_shop;
SET search_path = shop, public;
CREATE FUNCTION partitions_of(parent regclass) RETURNS TABLE (partition text, bound text, rows bigint)
LANGUAGE plpgsql AS $$
BEGIN
	FOR partition, bound IN SELECT inhrelid::regclass, pg_get_expr(relpartbound, inhrelid)
		FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent
		ORDER BY pg_get_expr(relpartbound, inhrelid) COLLATE "C"
	LOOP
		EXECUTE 'SELECT count(*) FROM ' || partition INTO rows;
		RETURN NEXT;
	END LOOP;
END $$;

-- rows that wait in DEFAULT move, whoever refers to them; a country counts once; the last one ends where nothing does
CREATE TABLE orders (id iuid PRIMARY KEY DEFAULT gen_iuid(7, 1), note text) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
CREATE TABLE payments (order_id iuid REFERENCES orders);
INSERT INTO orders SELECT iuid_from_name(c, 1, 'n') FROM generate_series(5, 255, 2) AS c;
INSERT INTO payments SELECT id FROM orders;
SELECT iuid_create_country_partitions('orders', 1, '{255,7,8,7}');
SELECT iuid_create_country_partitions('orders', 1, '{7,8}');
SELECT * FROM partitions_of('orders');
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'orders_c255'::regclass AND contype = 'c';
UPDATE orders_c7 SET id = iuid_from_name(8, 1, 'n');

-- divided by time, with open ends; a step is for countries that are new
SELECT iuid_create_country_partitions('orders', 1, '{8,10}', '1 year', true);
SELECT count(*) AS partitions, count(*) FILTER (WHERE bound ~ 'MINVALUE') AS before,
	count(*) FILTER (WHERE bound ~ 'MAXVALUE') AS after FROM partitions_of('orders_c10');
SELECT count(*) AS time_checks FROM pg_constraint, partitions_of('orders_c10')
WHERE conrelid = partition::regclass AND pg_get_constraintdef(oid) LIKE '%iuid_timestamp%';
INSERT INTO orders VALUES (gen_iuid(10, 1)), (gen_iuid(10, 1, '2020-01-01'))
RETURNING replace(tableoid::regclass::text, extract(year FROM now())::text, 'now') AS partition;

\set VERBOSITY terse
-- a wider partition has its countries already; a narrower one is in the way
CREATE TABLE trips (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE trips_wide PARTITION OF trips FOR VALUES FROM (MINVALUE) TO (iuid_country_floor(10));
CREATE TABLE trips_narrow PARTITION OF trips FOR VALUES FROM (iuid_country_floor(20, 1)) TO (iuid_country_floor(20, 2));
SELECT iuid_create_country_partitions('trips', 1, '{0,9,10}');
SELECT iuid_create_country_partitions('trips', 1, '{20}');
CREATE TABLE trips_c11 ();
SELECT iuid_create_country_partitions('trips', 1, '{11,12}');

-- below it all have the replica identity of the parent
ALTER TABLE trips REPLICA IDENTITY FULL;
SELECT iuid_create_country_partitions('trips', 1, '{30}', '6 months');
SELECT c.relreplident, count(*)
FROM pg_partition_tree('trips_c30') AS t JOIN pg_class AS c ON c.oid = t.relid GROUP BY 1;

-- settings of the caller change nothing, and are as before
SET quote_all_identifiers = on;
SELECT CASE WHEN current_setting('server_version_num')::int < 190000
	THEN set_config('standard_conforming_strings', 'off', false) END AS off \gset
SET datestyle = 'SQL, DMY';
SET timezone = 'America/Santiago';
SET lock_timeout = '7s';
SET plpgsql.extra_errors = 'all';
SELECT iuid_create_country_partitions('orders', 2, '{12}', '1 month');
SHOW lock_timeout;
SELECT min(lower) = date_trunc('month', now(), 'UTC') AS present, count(*)
FROM iuid_partitions('orders_c12') WHERE isfinite(lower) AND isfinite(upper);
RESET ALL;
SET search_path = shop, public;
SET timezone = 'UTC';

-- what will not do
CREATE TABLE by_time (id iuid) PARTITION BY RANGE (id);
SELECT iuid_create_country_partitions('by_time', 1, '{7}');
SELECT iuid_create_country_partitions('orders', 1, '{13,256}');
SELECT iuid_create_country_partitions('orders', 256, '{13}');
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_create_country_partitions('orders', 1, '{13,NULL}');
SELECT iuid_create_country_partitions('orders', 1, '{}');
SELECT iuid_create_country_partitions('orders', NULL, '{13}');
SELECT iuid_create_country_partitions('orders', 1, '{13}', '1 year', NULL);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_create_country_partitions('orders', 1, '{13}', NULL, true);
SELECT iuid_create_country_partitions('orders', 1, '{13}', '1 minute');
SELECT iuid_create_country_partitions('orders', 1, '{13}', lock_wait => '-1 s');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
CREATE ROLE regress_iuid_guest;
GRANT USAGE ON SCHEMA shop TO regress_iuid_guest;
GRANT ALL ON orders TO regress_iuid_guest;
SET ROLE regress_iuid_guest;
SELECT iuid_create_country_partitions('orders', 1, '{13}');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA shop CASCADE;
DROP ROLE regress_iuid_shop, regress_iuid_guest;
