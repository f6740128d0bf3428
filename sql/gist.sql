-- GiST: exclusion constraints, keys with periods and ranges of time,
-- by btree_gist's functions for uuid, wherever these are.
\set VERBOSITY terse
SET timezone = 'UTC';
CREATE SCHEMA "of btree";
CREATE EXTENSION btree_gist SCHEMA "of btree";
CREATE SCHEMA "of gist";
-- another member of that name, as the owner of the extension can make one
CREATE TYPE "of gist".iuid AS ENUM ();
ALTER EXTENSION iuid ADD TYPE "of gist".iuid;
CREATE EXTENSION iuid_gist SCHEMA "of gist";
ALTER EXTENSION iuid DROP TYPE "of gist".iuid;
DROP TYPE "of gist".iuid;
SELECT opcname, opcdefault, opcintype::regtype, amvalidate(oid) FROM pg_opclass WHERE opcname = 'iuid_gist_ops';
SELECT amopstrategy, amopopr::regoperator
FROM pg_amop JOIN pg_opfamily AS f ON f.oid = amopfamily
WHERE opfname = 'iuid_gist_ops' ORDER BY 1, amoprighttype::regtype::text COLLATE "C";
-- the support functions are those of uuid, all of them
SELECT count(*) FILTER (WHERE ours.amproc IS NULL OR theirs.amproc IS NULL) AS others, count(*) > 6 AS several
FROM (SELECT amprocnum, amproc FROM pg_amproc JOIN pg_opfamily AS f ON f.oid = amprocfamily
	WHERE opfname = 'iuid_gist_ops') AS ours
	FULL JOIN (SELECT amprocnum, amproc FROM pg_amproc JOIN pg_opfamily AS f ON f.oid = amprocfamily
		WHERE opfname = 'gist_uuid_ops') AS theirs USING (amprocnum, amproc);

CREATE TABLE stays (id iuid, u uuid, during tstzrange, EXCLUDE USING gist (id WITH =, during WITH &&));
INSERT INTO stays
SELECT id, id, tstzrange(
	timestamptz '2026-01-01' + n * interval '1 hour', timestamptz '2026-01-01' + (n + 1) * interval '1 hour')
FROM generate_series(0, 2999) AS n,
	iuid_from_name(7, 1, (n % 1000)::text, timestamptz '2026-01-01' + n % 1000 * interval '1 hour') AS id;
CREATE INDEX ON stays USING gist (u);
ANALYZE stays;
INSERT INTO stays SELECT id, u, during FROM stays LIMIT 1;
INSERT INTO stays SELECT max(id), max(id), '[2025-01-01,2025-01-02)' FROM stays;
-- Each comparison has the rows that core has for uuid, by a scan of the index.
CREATE FUNCTION plan_and_rows(operator text, value iuid, type text)
RETURNS TABLE (scan text, rows bigint, of_uuid bigint) LANGUAGE plpgsql AS $$
DECLARE
	condition text := format('id %s %L::%s', operator, value, type);
	line text;
BEGIN
	SET LOCAL enable_seqscan = off;
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) SELECT * FROM stays WHERE ' || condition LOOP
		scan := coalesce(scan, substring(line FROM 'Index (?:Only )?Scan (?:on|using) (\S+)'));
	END LOOP;
	EXECUTE 'SELECT count(*) FROM stays WHERE ' || condition INTO rows;
	EXECUTE format('SELECT count(*) FROM stays WHERE u %s %L::uuid', operator, value) INTO of_uuid;
	RETURN NEXT;
END
$$;
SELECT operator, type, p.*
FROM unnest(ARRAY['<', '<=', '=', '>=', '>', '<>']) AS operator, unnest(ARRAY['iuid', 'uuid']) AS type,
	plan_and_rows(operator, iuid_from_name(7, 1, '500', timestamptz '2026-01-01' + interval '500 hours'), type) AS p;
EXPLAIN (COSTS OFF) SELECT * FROM stays
WHERE id >= timestamptz '2026-01-20' AND id < timestamptz '2026-01-21' AND during && '[2026-03-01,2026-03-15)';
SELECT count(*) FROM stays
WHERE id >= timestamptz '2026-01-20' AND id < timestamptz '2026-01-21' AND during && '[2026-03-01,2026-03-15)';

-- from 18 on: keys whose last column is a period, and foreign keys to them
SELECT current_setting('server_version_num')::int >= 180000 AS has_periods \gset
\if :has_periods
CREATE TABLE prices (id iuid, valid_at tstzrange, PRIMARY KEY (id, valid_at WITHOUT OVERLAPS));
CREATE TABLE sales (price_id iuid, at tstzrange,
	FOREIGN KEY (price_id, PERIOD at) REFERENCES prices (id, PERIOD valid_at));
INSERT INTO prices VALUES
	(iuid_from_name(7, 1, '1'), '[2026-01-01,2026-02-01)'), (iuid_from_name(7, 1, '1'), '[2026-02-01,2026-03-01)');
INSERT INTO sales VALUES (iuid_from_name(7, 1, '1'), '[2026-01-15,2026-02-15)');
INSERT INTO prices VALUES (iuid_from_name(7, 1, '1'), '[2026-02-15,2026-04-01)');
INSERT INTO sales VALUES (iuid_from_name(7, 1, '2'), '[2026-01-15,2026-02-15)');
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM prices WHERE id = '0191f2c8-c8b7-8107-8041-af2a5f1d8a3c';
DROP TABLE sales, prices;
\endif
DROP FUNCTION plan_and_rows;
DROP TABLE stays;
DROP EXTENSION iuid_gist, btree_gist;
DROP SCHEMA "of btree", "of gist";
