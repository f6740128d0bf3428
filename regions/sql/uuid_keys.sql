-- Country partitions, a global table, a global view and look-ups over a key of type uuid, and of domains.
\set SHOW_CONTEXT never
\set VERBOSITY terse
SET iuid.node = 'here';
CREATE EXTENSION postgres_fdw;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'iuid');
CREATE USER MAPPING FOR CURRENT_USER SERVER elsewhere;
INSERT INTO iuid_countries VALUES (1, 'AA', 'Here'), (2, 'BB', 'There'), (3, 'CC', 'There, too');
INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'elsewhere');
INSERT INTO iuid_routes VALUES (1, NULL, 'here'), (2, NULL, 'there'), (3, NULL, 'there');
CREATE DOMAIN order_id AS uuid CHECK (iuid_is_valid(VALUE) AND VALUE IS NOT NULL);
CREATE DOMAIN iuid_order_id AS iuid;

-- of a UUID that is no iuid there is nothing to say, and no row to find
CREATE TABLE other (id uuid PRIMARY KEY, n int CONSTRAINT id_is_iuid CHECK (n > 0));
INSERT INTO other VALUES ('919108f7-52d1-4307-9b07-f847db4148a8'), ('019b76da-a87b-7c01-81c1-23456789abcd');
SELECT id, iuid_node(id), iuid_is_local(id), i.* FROM other, iuid_inspect(id) AS i;
SELECT FROM iuid_find(NULL::other, '919108f7-52d1-4307-9b07-f847db4148a8');
SELECT FROM iuid_find(NULL::other, '019b76da-a87b-7c01-81c1-23456789abcd');
\echo :LAST_ERROR_SQLSTATE

-- what a key can hold is required, by its function, its column, validated; what only looks like it is not
CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT gen_iuid(1, 7), n uuid) PARTITION BY RANGE (id uuid_origin_ops);
\set VERBOSITY default
SELECT iuid_create_routed_partitions('orders', 7);
\set VERBOSITY terse
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_create_global_table('orders_global', 'orders', 7);
CREATE SCHEMA planted;
CREATE FUNCTION planted.iuid_is_valid(uuid) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN true;
CREATE FUNCTION has_check(expression text, valid boolean DEFAULT true) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('ALTER TABLE orders ADD CONSTRAINT tried CHECK (%s) %s',
		expression, CASE WHEN NOT valid THEN 'NOT VALID' END);
	PERFORM iuid_require_valid('orders');
	ALTER TABLE orders DROP CONSTRAINT tried;
	RETURN 'is enough';
EXCEPTION WHEN object_not_in_prerequisite_state THEN
	RETURN SQLERRM;
END $$;
SELECT expression, valid, has_check(expression, valid) FROM (VALUES
	('iuid_is_valid(id)', true),
	('iuid_is_valid(id)', false),
	('iuid_is_valid(n)', true),
	('iuid_is_valid(id) AND n IS NOT NULL', true),
	('n IS NOT NULL AND (n > id AND iuid_is_valid(id))', true),
	('iuid_is_valid(id) OR n IS NULL', true),
	('NOT iuid_is_valid(id)', true),
	('iuid_is_valid(id) IS NOT FALSE', true),
	('planted.iuid_is_valid(id)', true),
	('iuid_is_valid(coalesce(id, n))', true)
) AS x (expression, valid);
-- its hint, half of which was entered
ALTER TABLE orders ADD CONSTRAINT id_is_iuid CHECK (iuid_is_valid(id)) NOT VALID;
\set VERBOSITY default
SELECT iuid_create_routed_partitions('orders', 7);
\set VERBOSITY terse
ALTER TABLE orders VALIDATE CONSTRAINT id_is_iuid;
SELECT iuid_create_routed_partitions('orders', 7);
-- a global table that is there takes no others, either
CREATE TABLE orders_global (id uuid DEFAULT gen_iuid(1, 7), n uuid) PARTITION BY RANGE (id uuid_origin_ops);
SELECT iuid_create_global_table('orders_global', 'orders', 7);
\echo :LAST_ERROR_SQLSTATE
DROP TABLE orders_global, orders, other CASCADE;
DROP SCHEMA planted CASCADE;
-- a domain, too, has to be validated
CREATE DOMAIN old_id AS uuid;
ALTER DOMAIN old_id ADD CONSTRAINT id_is_iuid CHECK (iuid_is_valid(VALUE)) NOT VALID;
CREATE TABLE orders (id old_id PRIMARY KEY) PARTITION BY RANGE (id uuid_origin_ops);
SELECT iuid_require_valid('orders');
ALTER DOMAIN old_id VALIDATE CONSTRAINT id_is_iuid;
SELECT iuid_require_valid('orders');
DROP TABLE orders;
DROP DOMAIN old_id;

\set ECHO none
\echo a key of type uuid
\set key uuid
\set opclass uuid_origin_ops
\set check 'CHECK (iuid_is_valid(id))'
\i sql/uuid_keys.psql

\echo a key of a domain over uuid
\set key order_id
\set check ''
\i sql/uuid_keys.psql

\echo a key of a domain over iuid
\set key iuid_order_id
\set opclass iuid_origin_ops
\i sql/uuid_keys.psql
\set ECHO all

SET client_min_messages = warning;
DROP FUNCTION has_check;
DROP DOMAIN order_id, iuid_order_id;
DELETE FROM iuid_routes;
DELETE FROM iuid_nodes;
DELETE FROM iuid_countries;
DROP EXTENSION postgres_fdw CASCADE;
