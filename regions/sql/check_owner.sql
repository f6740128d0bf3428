-- iuid_check_regions evaluates no code that the owner of a partition has put into its CHECKs.
\set SHOW_CONTEXT never
SET iuid.node = 'almaty';
INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL);
INSERT INTO iuid_routes VALUES (1, NULL, 'almaty'), (2, NULL, 'almaty');
CREATE ROLE regress_iuid_shop;
CREATE ROLE regress_iuid_other;
GRANT CREATE ON SCHEMA public TO regress_iuid_shop, regress_iuid_other;
SET ROLE regress_iuid_shop;
CREATE TABLE orders (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
SELECT iuid_create_routed_partitions('orders', 7);
SELECT iuid_create_global_table('orders_global', 'orders', 7);
RESET ROLE;
ALTER TABLE orders_c1 OWNER TO regress_iuid_other;
SET ROLE regress_iuid_other;
CREATE FUNCTION says(int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'as %', current_user;
	RETURN true;
END $$;
ALTER TABLE orders_c1 ADD CHECK (says(1));
RESET ROLE;
SELECT * FROM iuid_check_regions('orders_global');
SET ROLE regress_iuid_shop;
SELECT * FROM iuid_check_regions('orders_global');
RESET ROLE;
-- a relation of another role under the name of a view is a problem, too, and no error
ALTER VIEW orders_c1_e7 OWNER TO regress_iuid_other;
SELECT problem, country, detail, remedy FROM iuid_check_regions('orders_global');
-- nor does iuid_create_routed_partitions fail at an empty partition of another role
INSERT INTO iuid_nodes VALUES ('jakarta', 'asia', 'jakarta');
UPDATE iuid_routes SET node = 'jakarta' WHERE country = 1;
ALTER VIEW orders_c1_e7 OWNER TO regress_iuid_shop;
SELECT iuid_create_routed_partitions('orders', 7);
SELECT iuid_drop_global('orders_global');
DROP TABLE orders CASCADE;
-- a CHECK that is a remedy calls no overload for a domain, and is known afterwards
SET ROLE regress_iuid_shop;
CREATE DOMAIN order_id AS iuid;
CREATE FUNCTION iuid_country(order_id) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'as %', current_user;
	RETURN 2;
END $$;
CREATE TABLE here (id order_id) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE here_2 PARTITION OF here FOR VALUES FROM (iuid_country_floor(2)) TO (iuid_country_floor(3));
CREATE TABLE everywhere (id order_id) PARTITION BY RANGE (id iuid_origin_ops);
ALTER TABLE everywhere ATTACH PARTITION here DEFAULT;
INSERT INTO here VALUES (gen_iuid(2, 0));
RESET ROLE;
SELECT remedy FROM iuid_check_regions('everywhere') WHERE problem = 'no CHECK' \gexec
SELECT pg_get_expr(conbin, conrelid) FROM pg_constraint WHERE conrelid = 'here_2'::regclass;
SELECT remedy FROM iuid_check_regions('everywhere') WHERE problem = 'no CHECK';
DROP TABLE everywhere, here;
-- nor is a table whose key is an expression a global one
CREATE TABLE here (id iuid) PARTITION BY RANGE (coalesce(id, id) iuid_origin_ops);
CREATE TABLE here_2 PARTITION OF here FOR VALUES FROM (iuid_country_floor(2)) TO (iuid_country_floor(3));
CREATE TABLE everywhere (id iuid) PARTITION BY RANGE (coalesce(id, id) iuid_origin_ops);
ALTER TABLE everywhere ATTACH PARTITION here DEFAULT;
SELECT count(*) FROM iuid_check_regions() WHERE relation IS NOT NULL;
DROP TABLE everywhere, here;
DROP OWNED BY regress_iuid_shop, regress_iuid_other;
DROP ROLE regress_iuid_shop, regress_iuid_other;
TRUNCATE iuid_routes, iuid_nodes;
RESET iuid.node;
