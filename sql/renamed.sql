-- What a superuser renames, replaces or drops:
-- predicates give the same answers, by a filter where they find no bound or no index;
-- another object that takes the name of one of ours is not used for it; and a call that needs what is missing says so.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
CREATE TABLE sample AS
SELECT gen_iuid(n % 9, n % 2, timestamptz '2026-02-01' + n * interval '6 hours') AS id
FROM generate_series(1, 80) AS n;
CREATE INDEX by_country ON sample (id iuid_origin_ops);
CREATE TABLE newest AS SELECT max(id)::uuid AS id FROM sample;

-- a view has its functions and operators by their OIDs, and the planner rewrites them anew in each query
CREATE VIEW answer AS
SELECT (SELECT count(*) FROM sample WHERE id >= timestamptz '2026-02-10') AS since,
	(SELECT count(*) FROM sample WHERE id > timestamptz '2026-02-10') AS after,
	(SELECT count(*) FROM sample WHERE id <@ tstzrange('2026-02-08', '2026-02-10')) AS within,
	(SELECT count(*) FROM sample WHERE iuid_is_from(id, 7)) AS of_7,
	(SELECT count(*) FROM sample WHERE iuid_is_from(id, 7, 1)) AS of_7_1,
	(SELECT count(*) FROM sample, newest WHERE sample.id < newest.id) AS older;
SELECT count(*) FILTER (WHERE at >= '2026-02-10') AS since, count(*) FILTER (WHERE at > '2026-02-10') AS after,
	count(*) FILTER (WHERE at >= '2026-02-08' AND at < '2026-02-10') AS within,
	count(*) FILTER (WHERE country = 7) AS of_7, count(*) FILTER (WHERE country = 7 AND entity = 1) AS of_7_1,
	count(*) - 1 AS older
FROM (SELECT iuid_timestamp(id) AS at, iuid_country(id) AS country, iuid_entity(id) AS entity FROM sample) AS x;
TABLE answer;
EXPLAIN (COSTS OFF) SELECT FROM sample WHERE iuid_is_from(id, 7);

-- the functions of the bounds have other names
BEGIN;
ALTER FUNCTION iuid_floor(timestamptz) RENAME TO renamed;
ALTER FUNCTION iuid_floor_after(timestamptz) RENAME TO renamed_2;
ALTER FUNCTION iuid_range_lower(tstzrange) RENAME TO renamed;
ALTER FUNCTION iuid_range_upper(tstzrange) RENAME TO renamed_2;
ALTER FUNCTION iuid_country_lower(int) RENAME TO renamed;
ALTER FUNCTION iuid_country_upper(int, int) RENAME TO renamed_2;
TABLE answer;
EXPLAIN (COSTS OFF) SELECT FROM sample WHERE iuid_is_from(id, 7);

-- functions of somebody else have theirs
CREATE FUNCTION iuid_floor(timestamptz) RETURNS iuid LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE ''planted''; END';
CREATE FUNCTION iuid_floor_after(timestamptz) RETURNS iuid LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE ''planted''; END';
CREATE FUNCTION iuid_range_lower(tstzrange) RETURNS iuid LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE ''planted''; END';
CREATE FUNCTION iuid_range_upper(tstzrange) RETURNS iuid LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE ''planted''; END';
CREATE FUNCTION iuid_country_lower(int) RETURNS iuid LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE ''planted''; END';
CREATE FUNCTION iuid_country_upper(int, int) RETURNS iuid LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE ''planted''; END';
TABLE answer;
ROLLBACK;

-- the functions of two bounds, and of two operators, exchange their names
BEGIN;
ALTER FUNCTION iuid_floor(timestamptz) RENAME TO renamed;
ALTER FUNCTION iuid_floor_after(timestamptz) RENAME TO iuid_floor;
ALTER FUNCTION renamed(timestamptz) RENAME TO iuid_floor_after;
ALTER FUNCTION iuid_ge(iuid, timestamptz) RENAME TO renamed;
ALTER FUNCTION iuid_gt(iuid, timestamptz) RENAME TO iuid_ge;
ALTER FUNCTION renamed(iuid, timestamptz) RENAME TO iuid_gt;
ALTER FUNCTION iuid_lt(iuid, uuid) RENAME TO renamed;
ALTER FUNCTION iuid_gt(iuid, uuid) RENAME TO iuid_lt;
ALTER FUNCTION renamed(iuid, uuid) RENAME TO iuid_gt;
TABLE answer;
ROLLBACK;

-- the family of order by origin has another name; the family of byte order has its name; it is dropped
BEGIN;
ALTER OPERATOR FAMILY iuid_origin_ops USING btree RENAME TO renamed;
TABLE answer;
EXPLAIN (COSTS OFF) SELECT FROM sample WHERE iuid_is_from(id, 7);
ALTER OPERATOR FAMILY iuid_ops USING btree RENAME TO iuid_origin_ops;
TABLE answer;
ROLLBACK;
BEGIN;
DROP INDEX by_country;
ALTER EXTENSION iuid DROP OPERATOR CLASS iuid_origin_ops USING btree;
ALTER EXTENSION iuid DROP OPERATOR CLASS uuid_origin_ops USING btree;
ALTER EXTENSION iuid DROP OPERATOR FAMILY iuid_origin_ops USING btree;
DROP OPERATOR FAMILY iuid_origin_ops USING btree CASCADE;
TABLE answer;
ROLLBACK;

-- what tells iuids from other UUIDs has another name
BEGIN;
CREATE TABLE other AS SELECT '019b76da-a87b-7c7d-8041-dc0c0c07398f'::uuid AS id;
ALTER FUNCTION iuid_is_valid(uuid) RENAME TO renamed;
SELECT count(*) FROM other WHERE iuid_is_from(id, 125);
ALTER FUNCTION iuid_is_valid_beside(uuid, iuid) RENAME TO renamed;
SELECT count(*) FROM other WHERE iuid_is_from(id, 125);
ROLLBACK;

-- the type and the schema have other names
BEGIN;
ALTER TYPE iuid RENAME TO renamed;
ALTER SCHEMA public RENAME TO renamed;
TABLE renamed.answer;
ROLLBACK;

-- a type of another kind that takes the name is none of ours
BEGIN;
ALTER TYPE iuid RENAME TO renamed;
CREATE DOMAIN iuid AS text;
CREATE TABLE by_domain (id iuid) PARTITION BY RANGE (id);
CREATE TABLE by_domain_a PARTITION OF by_domain FOR VALUES FROM ('a') TO ('b');
SELECT * FROM iuid_partitions('by_domain');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;

DROP VIEW answer;
DROP TABLE sample, newest;
