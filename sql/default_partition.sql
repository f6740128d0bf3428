-- Rows that wait in the DEFAULT partition move into their own when it is made.
SET timezone = 'UTC';
\set SHOW_CONTEXT never

-- columns in another order, a dropped one, a generated one, a large value out of line
CREATE TABLE customer (id int PRIMARY KEY);
INSERT INTO customer SELECT generate_series(1, 10);
CREATE TABLE orders (gone int, id iuid PRIMARY KEY, customer int REFERENCES customer, total int CHECK (total > 0),
	doubled int GENERATED ALWAYS AS (total * 2) STORED, note text, at timestamptz DEFAULT '2026-01-01')
	PARTITION BY RANGE (id);
ALTER TABLE orders DROP COLUMN gone;
CREATE TABLE orders_rest (note text, total int CONSTRAINT orders_total_check CHECK (total > 0),
	id iuid PRIMARY KEY, extra int, at timestamptz,
	doubled int GENERATED ALWAYS AS (total * 2) STORED, customer int);
ALTER TABLE orders_rest DROP COLUMN extra;
ALTER TABLE orders ATTACH PARTITION orders_rest DEFAULT;

-- what refers to them must neither refuse nor go with them
CREATE TABLE line_kept (order_id iuid REFERENCES orders, n int);
CREATE TABLE line_cascade (order_id iuid REFERENCES orders ON DELETE CASCADE, n int);
CREATE TABLE line_null (order_id iuid REFERENCES orders ON DELETE SET NULL, n int);
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a moved row is no %', TG_OP; END $$;

INSERT INTO orders (id, customer, total, note)
SELECT gen_iuid(7, 1, '2026-01-01'::timestamptz + n * interval '6 hours'), n % 10 + 1, n + 1,
	CASE n % 50 WHEN 0 THEN (SELECT string_agg(md5(n || ' ' || m), '') FROM generate_series(1, 500) AS m)
		ELSE 'note ' || n END
FROM generate_series(0, 399) AS n;
CREATE TRIGGER no_delete BEFORE DELETE ON orders FOR EACH ROW EXECUTE FUNCTION fail();
CREATE TRIGGER no_insert BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION fail();
INSERT INTO line_kept SELECT id, 1 FROM orders;
INSERT INTO line_cascade SELECT id, 1 FROM orders;
INSERT INTO line_null SELECT id, 1 FROM orders;
CREATE TEMP TABLE before AS SELECT * FROM orders;

SELECT iuid_create_partitions('orders', '1 month', '2026-01-15', '2026-03-01');
SELECT tableoid::regclass AS partition, count(*), min(iuid_timestamp(id)), max(iuid_timestamp(id))
FROM orders GROUP BY 1 ORDER BY 1;
SELECT count(*) AS lost FROM (TABLE before EXCEPT TABLE orders) AS x;
SELECT count(*) AS changed FROM (TABLE orders EXCEPT TABLE before) AS x;
SELECT count(*) AS lines_lost FROM before
WHERE NOT EXISTS (SELECT FROM line_kept WHERE order_id = id)
	OR NOT EXISTS (SELECT FROM line_cascade WHERE order_id = id)
	OR NOT EXISTS (SELECT FROM line_null WHERE order_id = id);
-- found by index, and as unique and as referred to as before
DROP TRIGGER no_insert ON orders;
DROP TRIGGER no_delete ON orders;
SET enable_seqscan = off;
SELECT count(*) AS found FROM before JOIN orders USING (id) WHERE orders.doubled = 2 * before.total;
RESET enable_seqscan;
\set VERBOSITY sqlstate
INSERT INTO orders (id, customer, total) SELECT id, 1, 1 FROM before ORDER BY id LIMIT 1;
DELETE FROM orders WHERE iuid_timestamp(id) = '2026-01-01';
INSERT INTO orders (id, customer, total) VALUES (gen_iuid(7, 1, '2026-01-02'), 11, 1);
INSERT INTO orders (id, customer, total) VALUES (gen_iuid(7, 1, '2026-01-02'), 1, 0);

-- rows that are still referred to are not dropped
SELECT iuid_drop_partitions('orders', '2026-02-01');
\set VERBOSITY default
SELECT count(*) FROM orders;
TRUNCATE line_kept, line_cascade, line_null;
SELECT iuid_drop_partitions('orders', '2026-02-01');

-- a uuid key: UUIDs of version 7 of the first millisecond belong to it
CREATE TABLE events (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE events_rest PARTITION OF events DEFAULT;
INSERT INTO events VALUES ('019b76da-a800-7000-8000-000000000000'), ('019b76da-a7ff-7fff-bfff-ffffffffffff'),
	('019b76da-a800-8007-8041-23456789abcd'), ('919108f7-52d1-4320-9bac-f847db4148a8'),
	('019c167f-cbff-7fff-bfff-ffffffffffff'), ('019c167f-cc00-7000-8000-000000000000'),
	-- the bounds themselves: the lower one belongs to it
	('019b76da-a800-0000-0000-000000000000'), ('019c167f-cc00-0000-0000-000000000000');
SELECT iuid_create_partitions('events', '1 month', '2026-01-01', '2026-02-01');
SELECT tableoid::regclass AS partition, id FROM events ORDER BY 1, 2;
SELECT * FROM iuid_check_partitions('events');
DROP TABLE events;

-- faults put there by hand are found: a gap, rows in it, bounds with stray low bits
CREATE TABLE faulty (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE faulty_rest PARTITION OF faulty DEFAULT;
SELECT count(*) FROM iuid_create_partitions('faulty', '1 month', '2026-01-01', '2026-06-01');
INSERT INTO faulty VALUES (gen_iuid(7, 1, '2025-06-01')), (gen_iuid(7, 1, '2027-06-01'));
SELECT * FROM iuid_check_partitions('faulty');
ALTER TABLE faulty DETACH PARTITION faulty_2026_02;
SELECT * FROM iuid_check_partitions('faulty');
INSERT INTO faulty VALUES (gen_iuid(7, 1, '2026-02-03')), (gen_iuid(7, 1, '2026-02-05'));
SELECT * FROM iuid_check_partitions('faulty');
CREATE TABLE faulty_2026_06 PARTITION OF faulty
	FOR VALUES FROM (iuid_floor('2026-06-01')) TO ('019f1af9-b400-8007-8041-23456789abcd');
SELECT problem, partition, detail FROM iuid_check_partitions('faulty') WHERE problem LIKE 'bound%';
DELETE FROM faulty WHERE id > timestamptz '2027-01-01';
CREATE TABLE faulty_since_july PARTITION OF faulty
	FOR VALUES FROM ('019f1af9-b400-8007-8041-23456789abce') TO (MAXVALUE);
SELECT problem, partition, detail FROM iuid_check_partitions('faulty')
WHERE lower >= '2026-07-01' OR problem LIKE 'bound%' ORDER BY 1, 2, 3;
-- nothing is made or removed beside them
SELECT iuid_create_partitions('faulty', '1 month', '2024-12-01', '2026-09-01');
SELECT iuid_drop_partitions('faulty', '2026-02-01');
DROP TABLE faulty_2026_06, faulty_since_july;
CREATE TABLE faulty_since_july PARTITION OF faulty FOR VALUES FROM (iuid_floor('2026-07-01')) TO (MAXVALUE);

-- MINVALUE and MAXVALUE are the ends, and new partitions are carved out of what they cover
CREATE TABLE faulty_first PARTITION OF faulty FOR VALUES FROM (MINVALUE) TO (iuid_floor('2025-01-01'));
DROP TABLE faulty_2026_02;
SELECT iuid_create_partitions('faulty', '1 month', '2024-12-01', '2026-09-01') AS made OFFSET 9;
SELECT min(lower), max(upper) FROM iuid_partitions('faulty');

-- only the owner may make partitions, and owns them whoever made them
CREATE ROLE regress_iuid_owner;
CREATE ROLE regress_iuid_other;
GRANT CREATE ON SCHEMA public TO regress_iuid_owner, regress_iuid_other;
CREATE TABLE owned (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE owned_rest PARTITION OF owned DEFAULT;
ALTER TABLE owned OWNER TO regress_iuid_owner;
ALTER TABLE owned_rest OWNER TO regress_iuid_owner;
SET ROLE regress_iuid_other;
\set VERBOSITY terse
SELECT iuid_create_partitions('owned', '1 month', '2026-01-01', '2026-02-01');
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_drop_partitions('owned', '2026-02-01');
\set VERBOSITY default
SET ROLE regress_iuid_owner;
SELECT iuid_create_partitions('owned', '1 month', '2026-01-01', '2026-02-01');
RESET ROLE;
SELECT iuid_create_partitions('owned', '1 month', '2026-02-01', '2026-03-01');
SELECT relname, relowner::regrole FROM pg_class WHERE relname LIKE 'owned\_2026\___' ORDER BY 1;
-- whoever may read the table is told of the rows that are to be seen by it
SELECT count(*) FROM iuid_create_partitions('owned', '1 month', '2026-04-01', '2026-05-01');
INSERT INTO owned VALUES (gen_iuid(7, 1, '2026-03-05'));
ALTER TABLE owned_rest ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON owned, owned_rest TO regress_iuid_other;
SELECT problem FROM iuid_check_partitions('owned');
SET ROLE regress_iuid_other;
SELECT problem FROM iuid_check_partitions('owned');
RESET ROLE;
DROP TABLE owned, faulty, orders, line_kept, line_cascade, line_null, customer;
DROP FUNCTION fail;
REVOKE CREATE ON SCHEMA public FROM regress_iuid_owner, regress_iuid_other;
DROP ROLE regress_iuid_owner, regress_iuid_other;
