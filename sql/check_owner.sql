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
CREATE FUNCTION says(int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'as %', current_user; RETURN true; END $$;
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
DROP OWNED BY regress_iuid_shop, regress_iuid_other;
DROP ROLE regress_iuid_shop, regress_iuid_other;
TRUNCATE iuid_routes, iuid_nodes;
RESET iuid.node;
