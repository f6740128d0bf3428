-- What is old goes: dropped or detached, and kept where something else needs it.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
CREATE TABLE orders (id iuid PRIMARY KEY, customer int) PARTITION BY RANGE (id);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
SELECT count(*) FROM iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-07-01');

-- a view needs one, a foreign key another; the others go, and the call says which stay
CREATE VIEW february AS SELECT * FROM orders_2026_02;
CREATE TABLE seen (order_id iuid REFERENCES orders_2026_03);
SELECT iuid_drop_partitions('orders', '2026-05-01');
SELECT partition, lower FROM iuid_partitions('orders');

-- detached, it is a table of its own, and nothing keeps it
SELECT iuid_detach_partitions('orders', '2026-04-01');
SELECT relname, relispartition FROM pg_class WHERE relname LIKE 'orders\_2026\___' ORDER BY 1;
SELECT iuid_detach_partitions('orders', '2026-04-01');
DROP VIEW february;
DROP TABLE seen, orders_2026_02, orders_2026_03;

-- a foreign key to the parent: rows that it refers to stay, the rest goes; its own foreign keys go along
CREATE TABLE customer (id int PRIMARY KEY);
INSERT INTO customer VALUES (1);
ALTER TABLE orders ADD FOREIGN KEY (customer) REFERENCES customer;
CREATE TABLE lines (order_id iuid REFERENCES orders);
INSERT INTO orders SELECT iuid_from_name(7, 1, month, month::timestamptz), 1
FROM unnest(ARRAY['2026-05-02', '2026-06-02']) AS month;
INSERT INTO lines SELECT id FROM orders WHERE id >= timestamptz '2026-06-01';
-- (the server calls the part of the foreign key that does not let go by a name of its own, by version)
\set VERBOSITY sqlstate
SELECT iuid_drop_partitions('orders', '2026-07-01');
SELECT tableoid::regclass, count(*) FROM orders GROUP BY 1;
SELECT iuid_detach_partitions('orders', '2026-07-01');
\set VERBOSITY default
DELETE FROM lines;
SELECT iuid_detach_partitions('orders', '2026-07-01');
INSERT INTO orders_2026_06 VALUES (gen_iuid(7, 1), 2);
DROP TABLE orders_2026_06;

-- partitions of other kinds: a foreign table, and one with partitions of its own
CREATE EXTENSION postgres_fdw;
CREATE SERVER nowhere FOREIGN DATA WRAPPER postgres_fdw;
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE log_2019 PARTITION OF log
	FOR VALUES FROM (iuid_floor('2019-01-01')) TO (iuid_floor('2020-01-01')) SERVER nowhere;
CREATE TABLE log_2020 PARTITION OF log
	FOR VALUES FROM (iuid_floor('2020-01-01')) TO (iuid_floor('2021-01-01')) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('log_2020', '1 month', '2020-01-01', '2021-01-01');
CREATE FOREIGN TABLE log_2021 PARTITION OF log
	FOR VALUES FROM (iuid_floor('2021-01-01')) TO (iuid_floor('2022-01-01')) SERVER nowhere;
SELECT iuid_detach_partitions('log', '2020-01-01');
SELECT iuid_drop_partitions('log', '2022-01-01');
SELECT count(*) FROM pg_class WHERE relname LIKE 'log\_20%';

-- one of another owner is not the parent's owner's to drop
CREATE ROLE regress_iuid_owner;
ALTER TABLE log OWNER TO regress_iuid_owner;
SELECT count(*) FROM iuid_create_partitions('log', '1 year', '2020-01-01', '2022-01-01');
\echo :LAST_ERROR_SQLSTATE
GRANT CREATE ON SCHEMA public TO regress_iuid_owner;
SELECT count(*) FROM iuid_create_partitions('log', '1 year', '2020-01-01', '2022-01-01');
ALTER TABLE log_2020 OWNER TO CURRENT_USER;
SELECT iuid_drop_partitions('log', '2022-01-01');

-- what does not exist, is out of range, or is nobody's business
\set VERBOSITY sqlstate
SELECT iuid_detach_partitions('log', NULL);
SELECT iuid_detach_partitions('log', '-infinity');
SELECT iuid_create_partitions('log', '1 year', 'infinity', '2022-01-01');
SELECT iuid_create_partitions('log', '1 year', '2022-01-01', '-infinity');
CALL iuid_maintain_partitions('log', '1 year', 1, '1 month -32 days');
CALL iuid_maintain_partitions('log', '1 year', NULL);
SELECT iuid_create_partitions(1, '1 year', '2022-01-01', '2023-01-01');
SELECT iuid_drop_partitions(1, '2022-01-01');
SELECT iuid_partitions(1);
SELECT iuid_check_partitions(1);
CREATE TABLE other_type (id interval) PARTITION BY RANGE (id);
SELECT iuid_partitions('other_type');
CREATE ROLE regress_iuid_nobody;
SET ROLE regress_iuid_nobody;
BEGIN;
SELECT iuid_partitions('orders');
ROLLBACK;
SELECT iuid_check_partitions('orders');
SELECT iuid_detach_partitions('orders', '2022-01-01');
RESET ROLE;
\set VERBOSITY default

-- reading the list holds no lock, and a temporary table does not mind a parallel plan
BEGIN;
SELECT count(*) FROM iuid_partitions('orders');
SELECT count(*) FROM pg_locks WHERE relation = 'orders'::regclass AND pid = pg_backend_pid();
COMMIT;
CREATE TEMP TABLE passing (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TEMP TABLE passing_rest PARTITION OF passing DEFAULT;
INSERT INTO passing SELECT iuid_from_name(7, 1, 'p', '2026-01-05');
SET client_min_messages = warning;
SELECT count(*) FROM iuid_create_partitions('passing', '1 month', '2026-01-01', '2026-02-01');
DO $$ BEGIN
	PERFORM set_config(name, 'on', false) FROM pg_settings
	WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
END $$;
SELECT count(*) FROM iuid_partitions('passing'), iuid_check_partitions('passing');
DO $$ BEGIN
	PERFORM set_config(name, 'off', false) FROM pg_settings
	WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
END $$;
ALTER TABLE passing OWNER TO regress_iuid_owner;
\set VERBOSITY sqlstate
SELECT iuid_drop_partitions('passing', '2026-02-01');

SET client_min_messages = warning;
DROP TABLE orders, lines, customer, log, other_type, passing;
DROP EXTENSION postgres_fdw CASCADE;
REVOKE CREATE ON SCHEMA public FROM regress_iuid_owner;
DROP ROLE regress_iuid_owner, regress_iuid_nobody;
