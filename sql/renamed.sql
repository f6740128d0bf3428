-- Whatever a superuser renames or drops, predicates give the same answers: the planner finds less, and says nothing.
SET timezone = 'UTC';
SELECT gen_iuid(7, 1, '2026-02-10') AS id \gset
CREATE TABLE sample AS
SELECT gen_iuid(n % 9, n % 3, timestamptz '2026-02-01' + n * interval '6 hours') AS id FROM generate_series(1, 80) AS n
UNION ALL VALUES (iuid :'id');
CREATE INDEX ON sample (id iuid_country_ops);

CREATE TABLE predicate (condition text, oracle text, is_from regprocedure, type regtype);
INSERT INTO predicate
SELECT format(way, operator, format('%L::%%s', :'id')), format(replace(way, '::uuid', ''), operator, format('%L COLLATE "C"', :'id')), NULL::regprocedure, type
FROM unnest(ARRAY['<', '<=', '=', '>=', '>']) AS operator, unnest(ARRAY['iuid', 'uuid']::regtype[]) AS type, unnest(ARRAY['id %1$s %2$s', '%2$s %1$s id', 'id::uuid %1$s %2$s']) AS way
UNION ALL
SELECT format(way, operator, $$timestamptz '2026-02-10'$$), format(replace(way, 'id', 'at'), operator, $$timestamptz '2026-02-10'$$), NULL, NULL
FROM unnest(ARRAY['<', '<=', '>=', '>']) AS operator, unnest(ARRAY['id %1$s %2$s', '%2$s %1$s id']) AS way;
INSERT INTO predicate VALUES
	($$id <@ tstzrange('2026-02-08', '2026-02-10')$$, $$at >= '2026-02-08' AND at < '2026-02-10'$$, NULL),
	($$tstzrange('2026-02-08', '2026-02-10') @> id$$, $$at >= '2026-02-08' AND at < '2026-02-10'$$, NULL),
	('%s(id, 7)', 'country = 7', 'iuid_is_from(iuid, int)'), ('%s(id, 7, 1)', 'country = 7 AND entity = 1', 'iuid_is_from(iuid, int, int)');

CREATE FUNCTION answers(column_name text, from_table text) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
	p record;
	n int;
	result int[];
BEGIN
	FOR p IN EXECUTE format('SELECT %I AS condition, is_from, type FROM predicate ORDER BY predicate.condition', column_name) LOOP
		EXECUTE format('SELECT count(*) FROM %s WHERE ', from_table) || format(p.condition, coalesce(p.is_from::regproc::text, p.type::text)) INTO n;
		result := result || n;
	END LOOP;
	RETURN result;
END $$;
CREATE TEMP TABLE oracle AS
SELECT answers('oracle', '(SELECT id::text COLLATE "C" AS id, iuid_timestamp(id) AS at, iuid_country(id) AS country, iuid_entity(id) AS entity FROM sample) AS x')::text AS answers;
SELECT count(*) AS predicates, answers('condition', 'sample')::text = (TABLE oracle) AS right FROM predicate;

-- what they give once something is changed, which is then undone
CREATE FUNCTION answers_after(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	BEGIN
		EXECUTE change;
		result := answers('condition', 'sample');
		RAISE SQLSTATE 'UNDO0';
	EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
		RETURN result;
	END;
EXCEPTION WHEN others THEN
	RETURN SQLERRM;
END $$;

CREATE VIEW member AS
SELECT classid, objid FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND refobjid IN (SELECT oid FROM pg_extension WHERE extname IN ('iuid', 'iuid_regions'));
CREATE TEMP TABLE change AS
SELECT 'rename function' AS kind, format('ALTER ROUTINE %s RENAME TO renamed', objid::regprocedure) AS change
FROM member WHERE classid = 'pg_proc'::regclass
UNION ALL
SELECT 'rename type', format('ALTER TYPE %s RENAME TO renamed', objid::regtype)
FROM member JOIN pg_type AS t ON t.oid = objid WHERE classid = 'pg_type'::regclass AND typelem = 0 AND typrelid = 0
UNION ALL
SELECT 'rename family', format('ALTER OPERATOR FAMILY %I USING %I RENAME TO renamed', opfname, amname)
FROM member JOIN pg_opfamily AS f ON f.oid = objid JOIN pg_am AS a ON a.oid = opfmethod WHERE classid = 'pg_opfamily'::regclass
UNION ALL
SELECT 'drop family', format('DROP INDEX sample_id_idx; ALTER EXTENSION iuid DROP OPERATOR CLASS %1$I USING %2$I;
	ALTER EXTENSION iuid DROP OPERATOR FAMILY %1$I USING %2$I; DROP OPERATOR FAMILY %1$I USING %2$I CASCADE', opfname, amname)
FROM member JOIN pg_opfamily AS f ON f.oid = objid JOIN pg_am AS a ON a.oid = opfmethod WHERE classid = 'pg_opfamily'::regclass
UNION ALL
SELECT 'drop function', format('ALTER EXTENSION iuid DROP FUNCTION %1$s; DROP FUNCTION %1$s', objid::regprocedure)
FROM member JOIN pg_proc AS p ON p.oid = objid WHERE classid = 'pg_proc'::regclass AND proname ~ '_(floor|floor_after|lower|upper)$'
UNION ALL
-- what takes the name of a bound is not called for it
SELECT 'take the name of a function', format('ALTER FUNCTION %s RENAME TO renamed; CREATE FUNCTION %I (%s) RETURNS iuid LANGUAGE plpgsql IMMUTABLE
	AS $body$ BEGIN RAISE ''planted''; END $body$', objid::regprocedure, proname, pg_get_function_identity_arguments(objid))
FROM member JOIN pg_proc AS p ON p.oid = objid WHERE classid = 'pg_proc'::regclass AND proname ~ '_(floor|floor_after|lower|upper)$'
UNION ALL
SELECT 'exchange names', format('ALTER FUNCTION %1$s(%3$s) RENAME TO renamed; ALTER FUNCTION %2$s(%3$s) RENAME TO %1$s; ALTER FUNCTION renamed(%3$s) RENAME TO %2$s',
	one, other, unnest(arguments))
FROM (VALUES ('iuid_lt', 'iuid_gt', ARRAY['iuid, uuid', 'uuid, iuid', 'iuid, timestamptz', 'timestamptz, iuid']), ('iuid_le', 'iuid_eq', ARRAY['iuid, uuid', 'uuid, iuid']),
	('iuid_floor', 'iuid_floor_after', ARRAY['timestamptz']), ('iuid_range_lower', 'iuid_range_upper', ARRAY['tstzrange']),
	('iuid_country_lower', 'iuid_country_upper', ARRAY['int', 'int, int'])) AS v(one, other, arguments)
UNION ALL
VALUES ('exchange names', 'ALTER OPERATOR FAMILY iuid_country_ops USING btree RENAME TO renamed; ALTER OPERATOR FAMILY iuid_ops USING btree RENAME TO iuid_country_ops'),
	('rename schema', 'SET LOCAL search_path = public, renamed; ALTER SCHEMA public RENAME TO renamed');

SET client_min_messages = warning;
SELECT kind, count(*) > 0 AS tried, count(*) FILTER (WHERE answers_after(change) <> answers) AS differ
FROM change, oracle GROUP BY kind ORDER BY kind;
SELECT change, answers_after(change) FROM change, oracle WHERE answers_after(change) <> answers;

-- a type of another kind that takes the name is none of ours
BEGIN;
ALTER TYPE iuid RENAME TO renamed;
CREATE DOMAIN iuid AS text;
CREATE TABLE by_domain (id iuid) PARTITION BY RANGE (id);
CREATE TABLE by_domain_a PARTITION OF by_domain FOR VALUES FROM ('a') TO ('b');
SELECT * FROM iuid_partitions('by_domain');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;

-- nor is a function that takes the name of the one for the CHECKs of country partitions
BEGIN;
INSERT INTO iuid_nodes VALUES ('here');
INSERT INTO iuid_routes VALUES (7, NULL, 'here');
SET LOCAL iuid.node = 'here';
CREATE TABLE by_country (id iuid) PARTITION BY RANGE (id iuid_country_ops);
ALTER FUNCTION iuid_country(iuid) RENAME TO renamed;
CREATE FUNCTION iuid_country(iuid) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 7';
SELECT iuid_create_country_partitions('by_country', 1);
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;

DROP FUNCTION answers, answers_after;
DROP VIEW member;
DROP TABLE sample, predicate;
