-- iuid_time_decoder, for pg_partman: the times of what it takes, and what it refuses.
SET timezone = 'UTC';
SET datestyle = 'ISO';
\set SHOW_CONTEXT never
CREATE FUNCTION decoded(id text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN coalesce(iuid_time_decoder(id)::text, 'NULL');
EXCEPTION WHEN invalid_text_representation THEN
	RETURN SQLSTATE;
END $$;

-- of all versions and variants, version 7 and iuids, in variant 0b10: the first 12 digits are milliseconds
SELECT format('00e8d4a5-1000-%s012-%s678-123456789abc', to_hex(version), to_hex(variant)) AS id INTO all_kinds FROM generate_series(0, 15) AS version, generate_series(0, 15) AS variant;
SELECT to_timestamp(x'00e8d4a51000'::bigint / 1000);
SELECT id, decoded(id) FROM all_kinds WHERE decoded(id) <> '22P02' ORDER BY id;
SELECT count(*) FROM all_kinds WHERE decoded(id) = '22P02';

-- the bounds that partitions get, of both types
CREATE TABLE of_iuid (id iuid) PARTITION BY RANGE (id);
CREATE TABLE of_uuid (id uuid) PARTITION BY RANGE (id);
SELECT parent, count(*) FROM unnest(ARRAY['of_iuid', 'of_uuid']::regclass[]) AS parent, unnest(ARRAY['1970-01-01', '2026-11-01']::timestamptz[]) AS first,
	iuid_create_partitions(parent, '1 month', first, first + interval '2 months') GROUP BY parent ORDER BY parent;
SELECT DISTINCT bound, decoded(bound)
FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid, regexp_matches(pg_get_expr(relpartbound, c.oid), '''(.*?)''', 'g') AS bounds(matches), unnest(matches) AS bound
WHERE inhparent IN ('of_iuid'::regclass, 'of_uuid'::regclass) ORDER BY bound;
-- not what differs from a bound of a uuid column by one bit after the milliseconds
SELECT decoded(overlay('00e8d4a5-1000-0000-0000-000000000000' PLACING to_hex(bit) FROM place)), count(*)
FROM unnest(ARRAY[1, 2, 4, 8]) AS bit, generate_series(15, 36) AS place WHERE place NOT IN (19, 24) GROUP BY 1;

-- what has no time, what is no UUID, and what the refusal says
SELECT id, decoded(id) FROM (VALUES ('ffffffff-ffff-ffff-ffff-ffffffffffff'), ('00e8d4a5-1000-8100-8000-000000000000'), ('00e8d4a5-1000-8f00-8000-000000000000'),
	('ffffffff-ffff-0000-0000-000000000000'), (''), ('2026-01-01'), ('MINVALUE'), ('00e8d4a5-1000-0000-0000-00000000000')) AS v(id);
SELECT iuid_time_decoder('00e8d4a5-1000-7000-0000-000000000000');
SELECT iuid_time_decoder(NULL);

DROP TABLE of_iuid, of_uuid, all_kinds;
DROP FUNCTION decoded;
