-- What is there before the first upgrade: identifiers, an index of every class over them in two
-- orders, partitions of every kind, and whatever else can be made of an iuid.
SET client_min_messages = warning;
CREATE EXTENSION iuid_regions CASCADE;
CREATE EXTENSION iuid_gist CASCADE;
CREATE EXTENSION postgres_fdw;
CREATE EXTENSION amcheck;

-- The reference knows only core's uuid: oracle.sql answers from it.  Times of twenty years, countries
-- 0 to 9, Nil, Max, identifiers of layout 1 and of the layouts that are reserved.
CREATE TABLE reference (n int GENERATED ALWAYS AS IDENTITY, u uuid PRIMARY KEY);
INSERT INTO reference (u)
	SELECT gen_iuid(n % 10, n % 3, timestamptz '2015-01-01 00:00+00' + n * 1777 % 20000 * interval '525 minutes')
	FROM generate_series(1, 4000) AS n
	UNION ALL SELECT iuid_from_name(n % 10, n % 3, n::text) FROM generate_series(1, 300) AS n
	UNION ALL SELECT overlay(gen_iuid(n % 10, n % 3)::text PLACING to_hex(2 + n % 14) FROM 16)::uuid FROM generate_series(1, 300) AS n
	UNION ALL VALUES (uuid '00000000-0000-0000-0000-000000000000'), ('ffffffff-ffff-ffff-ffff-ffffffffffff');
CREATE TABLE sample AS SELECT u, u::iuid AS id FROM reference WHERE n % 97 = 0
	UNION ALL SELECT u, u::iuid FROM reference WHERE n > 4600
	UNION ALL SELECT id, id FROM (SELECT gen_iuid(7, 1) AS id FROM generate_series(1, 10)) AS missing;

-- One table for each index, and the questions that the index answers (answers.sql).
CREATE TABLE indexed (name text, key regtype, definition text, questions text[]);
INSERT INTO indexed VALUES
	('btree', 'iuid', 'btree (id)', '{one,one_uuid,range,time,order}'),
	('btree_down', 'iuid', 'btree (id DESC)', '{one,one_uuid,range,time,order}'),
	('country', 'iuid', 'btree (id iuid_origin_ops)', '{one,one_uuid,country,country_order}'),
	('hash', 'iuid', 'hash (id)', '{one,one_uuid}'),
	('minmax', 'iuid', 'brin (id) WITH (pages_per_range = 1)', '{one,one_uuid,range,time}'),
	('multi', 'iuid', 'brin (id iuid_minmax_multi_ops) WITH (pages_per_range = 1)', '{one,one_uuid,range,time}'),
	('bloom', 'iuid', 'brin (id iuid_bloom_ops) WITH (pages_per_range = 1)', '{one}'),
	('of_uuid', 'uuid', 'btree (id)', '{one,one_uuid,range,order}'),
	('of_array', 'iuid', 'gin (ids)', '{array}');
INSERT INTO indexed SELECT name || '_unsorted', key, definition, questions FROM indexed;
SELECT format('CREATE TABLE %s (n int, id %s, ids %2$s[] GENERATED ALWAYS AS (ARRAY[id]) STORED)', name, key),
	format('INSERT INTO %s SELECT n, u FROM reference ORDER BY %s', name, CASE WHEN name LIKE '%_unsorted' THEN 'n' ELSE 'u' END),
	format('CREATE %s INDEX %s_index ON %2$s USING %s', CASE WHEN definition LIKE 'btree%' THEN 'UNIQUE' END, name, definition)
FROM indexed \gexec

-- The registry, of a node that reaches no other.
INSERT INTO iuid_countries VALUES (7, 'KZ', 'Kazakhstan'), (8, 'MX', 'Mexico'), (9, 'BR', 'Brazil');
INSERT INTO iuid_entities VALUES (1, 'Ride', 'Order');
CREATE SERVER jakarta FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'iuid');
INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL), ('jakarta', 'asia', 'jakarta');
INSERT INTO iuid_routes VALUES (7, NULL, 'almaty'), (8, 1, 'almaty'), (NULL, NULL, 'jakarta');
SELECT format('ALTER DATABASE %I SET iuid.node = almaty', current_database()) \gexec
\connect

-- Partitions of every kind.  What they have stands in their reference, too.
CREATE TABLE rows AS SELECT n, gen_iuid(7 + n % 2, 1, now() + (n % 40 - 20) * interval '20 days')::uuid AS u
	FROM generate_series(1, 2000) AS n;
CREATE TABLE by_time (id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY, n int) PARTITION BY RANGE (id);
CREATE TABLE by_time_default PARTITION OF by_time DEFAULT;
SELECT count(*) > 10 FROM iuid_create_partitions('by_time', '1 month', now() - interval '1 year', now());
CREATE TABLE by_uuid (id uuid DEFAULT gen_iuid(7, 1) PRIMARY KEY, n int) PARTITION BY RANGE (id);
CREATE TABLE by_uuid_default PARTITION OF by_uuid DEFAULT;
SELECT count(*) > 10 FROM iuid_create_partitions('by_uuid', '1 month', now() - interval '1 year', now());
CREATE TABLE by_country (id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY, n int) PARTITION BY RANGE (id iuid_origin_ops);
SELECT iuid_create_routed_partitions('by_country', 1);
CREATE TABLE by_both (id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY, n int) PARTITION BY RANGE (id iuid_origin_ops);
SELECT count(*) FROM iuid_create_routed_partitions('by_both', 1, '1 month');
CREATE TABLE by_hash (id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY, n int) PARTITION BY HASH (id);
SELECT format('CREATE TABLE by_hash_%s PARTITION OF by_hash FOR VALUES WITH (MODULUS 3, REMAINDER %1$s)', n)
	FROM generate_series(0, 2) AS n \gexec
CREATE TABLE partitioned (parent regclass);
INSERT INTO partitioned VALUES ('by_time'), ('by_uuid'), ('by_country'), ('by_both'), ('by_hash');
SELECT format('INSERT INTO %s SELECT u, n FROM rows', parent) FROM partitioned \gexec
SELECT iuid_create_global_table('by_both_global', 'by_both', 1);
SELECT iuid_create_global_view('by_both_all', 'by_both');

-- Whatever else has an iuid in it.
CREATE DOMAIN order_id AS iuid CHECK (iuid_entity(VALUE::text::uuid) = 1);
CREATE TYPE order_line AS (id iuid, line int);
CREATE TYPE iuid_range AS RANGE (subtype = iuid);
CREATE TABLE orders (
	n int,
	id order_id DEFAULT gen_iuid(7, 1) PRIMARY KEY,
	country int GENERATED ALWAYS AS (iuid_country(id)) STORED,
	parents iuid[] DEFAULT '{}',
	line order_line,
	span iuid_range,
	CHECK (id >= timestamptz '2020-01-01 00:00+00'),
	EXCLUDE USING btree (id WITH =),
	EXCLUDE USING hash (id WITH =));
CREATE INDEX ON orders (iuid_timestamp(id));
CREATE INDEX ON orders USING gist (span);
CREATE INDEX ON orders (id) WHERE iuid_is_from(id, 7);
CREATE INDEX ON orders (line);
CREATE STATISTICS orders_statistics ON iuid_country(id), iuid_entity(id) FROM orders;
INSERT INTO orders (n, id, parents, line, span)
	SELECT n, u, ARRAY[u::iuid], ROW(u::iuid, n)::order_line, iuid_range(u::iuid, NULL) FROM rows;
CREATE TABLE lines (order_id iuid REFERENCES orders ON UPDATE CASCADE, line int);
INSERT INTO lines SELECT id, 1 FROM orders;
CREATE VIEW recent AS SELECT id, iuid_timestamp(id) AS at FROM orders WHERE id >= timestamptz '2020-01-01 00:00+00';
CREATE MATERIALIZED VIEW first_ids AS SELECT country, min(id) AS id FROM orders GROUP BY country;
CREATE FUNCTION order_time(order_id) RETURNS timestamptz LANGUAGE sql IMMUTABLE RETURN iuid_timestamp($1);
CREATE ROLE clerk;
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY country_of_clerk ON orders USING (iuid_is_from(id, 8));
GRANT SELECT ON orders TO clerk;

CREATE TABLE newest AS SELECT gen_iuid(255, 255) AS newest;
