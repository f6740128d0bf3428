-- Two new partitions with another one between them.  The rows of a plain DEFAULT partition go to the right one.  Those
-- of a DEFAULT partition that has partitions of its own cannot move: one that belongs to either is in the way.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE TABLE probe AS SELECT n, iuid_from_name(7, 1, 'n', at) AS id, at
FROM unnest(ARRAY['2025-12-31 23:59:59.999', '2026-01-01', '2026-01-31 23:59:59.999',
	'2026-03-01', '2026-03-31 23:59:59.999', '2026-04-01']::timestamptz[]) WITH ORDINALITY AS u (at, n);
-- the bounds themselves: a lower one belongs to its partition, an upper one does not
INSERT INTO probe SELECT n + 6, iuid_floor(at), at
FROM unnest(ARRAY['2026-01-01', '2026-03-01', '2026-04-01']::timestamptz[]) WITH ORDINALITY AS u (at, n);

CREATE TABLE plain (id iuid, n int) PARTITION BY RANGE (id);
CREATE TABLE plain_2026_02 PARTITION OF plain FOR VALUES FROM (iuid_floor('2026-02-01')) TO (iuid_floor('2026-03-01'));
CREATE TABLE plain_rest PARTITION OF plain DEFAULT;
INSERT INTO plain SELECT id, n FROM probe;
SELECT iuid_create_partitions('plain', '1 month', '2026-01-01', '2026-04-01');
SELECT n, at, plain.tableoid::regclass AS partition FROM plain JOIN probe USING (n, id) ORDER BY n;

CREATE TABLE orders (id iuid, n int) PARTITION BY RANGE (id);
CREATE TABLE orders_2026_02 PARTITION OF orders
	FOR VALUES FROM (iuid_floor('2026-02-01')) TO (iuid_floor('2026-03-01'));
CREATE TABLE orders_rest PARTITION OF orders DEFAULT PARTITION BY LIST (n);
CREATE TABLE orders_rest_1 PARTITION OF orders_rest FOR VALUES IN (1, 3, 5, 7, 9);
CREATE TABLE orders_rest_rest PARTITION OF orders_rest DEFAULT PARTITION BY HASH (n);
CREATE TABLE orders_rest_rest_0 PARTITION OF orders_rest_rest FOR VALUES WITH (MODULUS 1, REMAINDER 0);
-- What a call says that finds this row; everything is undone.
CREATE FUNCTION outcome(id iuid, n int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO orders VALUES (outcome.id, outcome.n);
	RAISE SQLSTATE 'UNDO0' USING MESSAGE = (
		SELECT string_agg(p::text, ' ') FROM iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-04-01') AS p);
EXCEPTION WHEN OTHERS THEN
	RETURN CASE SQLSTATE WHEN 'UNDO0' THEN 'made ' || SQLERRM ELSE SQLSTATE || ' ' || SQLERRM END;
END $$;
SELECT n, at, outcome(id, n::int) FROM probe ORDER BY n;
-- a foreign table below the DEFAULT partition may have such rows, and ATTACH would not look there
CREATE FOREIGN DATA WRAPPER nowhere;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nowhere;
CREATE FOREIGN TABLE orders_far PARTITION OF orders_rest FOR VALUES IN (10) SERVER nowhere;
SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-04-01');
DROP FUNCTION outcome;
DROP TABLE plain, orders, probe;
DROP FOREIGN DATA WRAPPER nowhere CASCADE;
