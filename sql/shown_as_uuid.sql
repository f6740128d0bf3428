-- What a client that cannot read an iuid reads as a uuid: a column of type uuid (plans.sql has more of it),
-- a column of a domain over uuid, a view of an iuid column.  Each keeps what doc/columns.md promises of it.
\set SHOW_CONTEXT never
SET timezone = 'UTC';
CREATE DOMAIN order_id AS uuid CHECK (iuid_entity(VALUE::iuid) = 1);
CREATE TABLE by_iuid (id iuid DEFAULT gen_iuid(125, 1) PRIMARY KEY, note text) PARTITION BY RANGE (id);
CREATE TABLE by_uuid (id uuid DEFAULT gen_iuid(125, 1) PRIMARY KEY REFERENCES by_iuid);
CREATE TABLE by_domain (id order_id DEFAULT gen_iuid(125, 1) PRIMARY KEY REFERENCES by_uuid);
CREATE TABLE refers (id iuid PRIMARY KEY REFERENCES by_domain);
CREATE VIEW shown AS SELECT id::uuid, note FROM by_iuid;
SELECT iuid_create_partitions('by_iuid', '1 month', '2026-01-01', '2026-04-01');
INSERT INTO by_iuid SELECT gen_iuid(n % 5, 1, timestamptz '2026-01-01' + n * interval '10 minutes')
FROM generate_series(1, 12000) AS n;
INSERT INTO by_uuid SELECT id FROM by_iuid;
INSERT INTO by_domain SELECT id FROM by_iuid;
INSERT INTO refers SELECT id FROM by_iuid ORDER BY id LIMIT 10;
ANALYZE by_iuid, by_uuid, by_domain;

-- the types that the server sends with a result: an array of the domain has a type of its own, until it is cast
SELECT i.id AS by_iuid, u.id AS by_uuid, d.id AS by_domain, s.id AS shown,
	ARRAY[u.id] AS uuids, ARRAY[d.id] AS domains, ARRAY[d.id]::uuid[] AS cast
FROM by_iuid AS i JOIN by_uuid AS u USING (id) JOIN by_domain AS d ON d.id = u.id JOIN shown AS s ON s.id = u.id \gdesc

-- one order
SELECT (SELECT array_agg(id) FROM (SELECT id::text FROM by_uuid ORDER BY by_uuid.id) AS x) = ids AS by_uuid,
	(SELECT array_agg(id) FROM (SELECT id::text FROM by_domain ORDER BY by_domain.id) AS x) = ids AS by_domain,
	(SELECT array_agg(id) FROM (SELECT id::text FROM shown ORDER BY shown.id) AS x) = ids AS shown
FROM (SELECT array_agg(id) FROM (SELECT id::text FROM by_iuid ORDER BY by_iuid.id) AS x) AS x(ids);

-- what is refused, and that a NULL is not
\set VERBOSITY terse
INSERT INTO by_domain VALUES ('919108f7-52d1-4320-9bac-f847db4148a8');
INSERT INTO by_domain VALUES (gen_iuid(125, 2));
INSERT INTO by_uuid VALUES (gen_iuid(125, 1));
INSERT INTO refers VALUES (gen_iuid(125, 1));
DELETE FROM by_domain WHERE id = (SELECT min(id) FROM refers);
\set VERBOSITY default
SELECT NULL::order_id;

-- a uuid as a constant and as a parameter, a time: the index, and of the view one partition
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET plan_cache_mode = force_generic_plan;
PREPARE domain_id(uuid) AS SELECT * FROM by_domain WHERE id = $1;
PREPARE domain_time(timestamptz) AS SELECT * FROM by_domain WHERE id >= iuid_floor($1);
PREPARE shown_id(uuid) AS SELECT * FROM shown WHERE id = $1;
PREPARE shown_time(timestamptz) AS SELECT * FROM shown WHERE id >= iuid_floor($1);
EXPLAIN (COSTS OFF) SELECT * FROM by_domain WHERE id = '019c3549-2800-8007-8041-23456789abcd';
EXPLAIN (COSTS OFF) EXECUTE domain_id('019c3549-2800-8007-8041-23456789abcd');
EXPLAIN (COSTS OFF) SELECT * FROM by_domain WHERE id >= iuid_floor('2026-03-02');
EXPLAIN (COSTS OFF) EXECUTE domain_time('2026-03-02');
EXPLAIN (COSTS OFF) SELECT * FROM shown WHERE id = '019c3549-2800-8007-8041-23456789abcd';
EXPLAIN (COSTS OFF) EXECUTE shown_id('019c3549-2800-8007-8041-23456789abcd');
EXPLAIN (COSTS OFF) SELECT * FROM shown WHERE id >= iuid_floor('2026-03-02');
EXPLAIN (COSTS OFF) EXECUTE shown_time('2026-03-02');

-- what the view casts to uuid, and the query casts back, is the column itself
CREATE TABLE by_country (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE by_country_124 PARTITION OF by_country
	FOR VALUES FROM (iuid_country_floor(124)) TO (iuid_country_floor(125));
CREATE TABLE by_country_125 PARTITION OF by_country
	FOR VALUES FROM (iuid_country_floor(125)) TO (iuid_country_floor(126));
PREPARE shown_cast(timestamptz) AS SELECT * FROM shown WHERE id::iuid >= $1;
EXPLAIN (COSTS OFF) EXECUTE shown_cast('2026-03-02');
EXPLAIN (COSTS OFF) SELECT * FROM shown WHERE id::iuid <@ tstzrange('2026-03-02', '2026-03-03');
EXPLAIN (COSTS OFF) SELECT * FROM (SELECT id::uuid FROM by_country) AS v WHERE iuid_is_from(id::iuid, 125);
EXPLAIN (COSTS OFF) SELECT id FROM shown ORDER BY id::iuid LIMIT 1;
-- and what was no iuid is checked
CREATE DOMAIN any_uuid AS uuid;
CREATE TABLE of_any_uuid AS SELECT any_uuid '919108f7-52d1-4320-9bac-f847db4148a8' AS id;
SELECT id::iuid FROM of_any_uuid;
SELECT id::uuid::iuid FROM of_any_uuid;

-- a client that sends a uuid and reads a uuid, by casts in its queries: still the index and the partitions of the iuid
PREPARE by_casts(uuid) AS SELECT id::uuid FROM by_iuid WHERE id = $1::uuid;
PREPARE by_casts_of_all(uuid[]) AS SELECT array_agg(id)::uuid[] AS ids FROM by_iuid WHERE id = ANY ($1::uuid[]);
EXPLAIN (COSTS OFF) EXECUTE by_casts('019c3549-2800-8007-8041-23456789abcd');
EXPLAIN (COSTS OFF) EXECUTE by_casts_of_all('{019c3549-2800-8007-8041-23456789abcd}');
RESET plan_cache_mode;

-- the first identifier: by the order, as min(id::iuid) reads the whole index
EXPLAIN (COSTS OFF) SELECT id FROM by_uuid ORDER BY id LIMIT 1;
EXPLAIN (COSTS OFF) SELECT min(id::iuid) FROM by_uuid;
-- the view is sorted by its uuid, as the server does not know that both orders are one
EXPLAIN (COSTS OFF) SELECT id FROM shown ORDER BY id LIMIT 1;

-- the default of the table fills the view; an identifier of the client does not go in through it
SELECT count(*) <= 1 AS now FROM iuid_create_partitions('by_iuid', '1 month',
	date_trunc('month', now(), 'UTC'), date_trunc('month', now(), 'UTC') + interval '1 month');
INSERT INTO shown (note) VALUES ('by the default') RETURNING iuid_country(id::iuid), note;
INSERT INTO shown (id) VALUES (gen_iuid(125, 1));
UPDATE shown SET note = 'changed' WHERE note = 'by the default';
DELETE FROM shown WHERE note = 'changed' RETURNING note;

-- how many rows of a country the planner expects: 2400 of 12000 rows are of country 3
CREATE FUNCTION expected(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
SELECT expected('SELECT FROM by_uuid WHERE iuid_is_from(id::iuid, 3)');
CREATE STATISTICS ids_of_by_uuid ON (id::iuid) FROM by_uuid;
ANALYZE by_uuid;
SELECT expected('SELECT FROM by_uuid WHERE iuid_is_from(id::iuid, 3)') BETWEEN 2000 AND 2800 AS with_statistics;

-- to a domain with a CHECK the rows are read, and written again; from it to uuid nothing is written, not even the index
CREATE TABLE changing (id uuid PRIMARY KEY);
INSERT INTO changing SELECT id FROM refers;
CREATE FUNCTION files() RETURNS text LANGUAGE sql RETURN
	(SELECT string_agg(pg_relation_filenode(oid)::text, ' ' ORDER BY oid) FROM pg_class
		WHERE relname IN ('changing', 'changing_pkey'));
SELECT files() AS uuid \gset
ALTER TABLE changing ALTER id TYPE order_id;
SELECT files() AS domain, files() <> :'uuid' AS rewritten \gset
ALTER TABLE changing ALTER id TYPE uuid;
SELECT :'rewritten' AS rewritten, files() = :'domain' AS as_it_was;

-- the key of a partitioned table is an iuid or a uuid
CREATE TABLE months (id order_id PRIMARY KEY) PARTITION BY RANGE (id);
SELECT iuid_create_partitions('months', '1 month', '2026-01-01', '2026-02-01');

DROP FUNCTION expected, files;
DROP VIEW shown;
DROP TABLE by_country, of_any_uuid, months, changing, refers, by_domain, by_uuid, by_iuid;
DROP DOMAIN order_id, any_uuid;
