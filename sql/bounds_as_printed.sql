-- The bounds of partitions are read as the server prints them: each key lies in the partition whose bounds enclose it.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA "as printed";
SET search_path = "as printed", public;

-- the keys at the bounds and just below them, and the first and the last of all
CREATE FUNCTION key_before(key uuid) RETURNS uuid LANGUAGE sql AS $$
	SELECT (left(hex, length(head) - 1) || to_hex(('x' || right(head, 1))::bit(4)::int - 1)
		|| repeat('f', 32 - length(head)))::uuid
	FROM translate(key::text, '-', '') AS hex, rtrim(hex, '0') AS head WHERE head <> ''
$$;
CREATE FUNCTION keys_around(key uuid) RETURNS SETOF uuid LANGUAGE sql AS $$
	VALUES (key), (key_before(key)), (overlay(
		key_before((left(key::text, 13) || '-0000-0000-000000000000')::uuid)::text
		PLACING '80ff-bfff-ffffffffffff' FROM 15)::uuid)
$$;
CREATE FUNCTION keys_of(parent regclass) RETURNS SETOF uuid LANGUAGE sql AS $$
	SELECT DISTINCT key FROM iuid_partition_bounds(parent) AS b, iuid_partition_key(parent, NULL, false, false) AS k,
		unnest(ARRAY[b.lower, b.upper, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
			'ffffffff-ffff-8f06-bfff-ffffffffffff', 'ffffffff-ffff-8f07-bfff-ffffffffffff']) AS bound, keys_around(bound) AS key
	WHERE key IS NOT NULL AND (k.is_uuid OR key::text ~ '^(.{14}8.{4}[89ab]|[0-]*$|[f-]*$)')
$$;
-- where the server puts them, and where the bounds say that they belong
CREATE FUNCTION place_of(parent regclass, key uuid) RETURNS regclass LANGUAGE plpgsql AS $$
DECLARE
	place regclass;
BEGIN
	EXECUTE format('INSERT INTO %s VALUES (%L) RETURNING tableoid', parent, key) INTO place;
	RETURN place;
EXCEPTION WHEN check_violation THEN
	RETURN NULL;
END $$;
CREATE FUNCTION misread(parent regclass) RETURNS TABLE (key uuid, place regclass, by_bounds regclass) LANGUAGE sql AS $$
	SELECT k.key, place_of(parent, k.key), coalesce(
		(SELECT b.partition
			FROM iuid_partition_bounds(parent) AS b, iuid_partition_key(parent, NULL, false, false) AS of_parent
			WHERE NOT b.is_default AND CASE WHEN of_parent.by_origin
				THEN (b.lower IS NULL OR k.key ~>=~ b.lower) AND (b.upper IS NULL OR k.key ~<~ b.upper)
				ELSE (b.lower IS NULL OR k.key >= b.lower) AND (b.upper IS NULL OR k.key < b.upper) END),
		(SELECT b.partition FROM iuid_partition_bounds(parent) AS b WHERE b.is_default))
	FROM keys_of(parent) AS k (key)
$$;
CREATE FUNCTION proof(parent regclass) RETURNS TABLE (keys bigint, places bigint, misread bigint) LANGUAGE sql AS $$
	SELECT count(*), count(DISTINCT place), count(*) FILTER (WHERE place IS DISTINCT FROM by_bounds) FROM misread(parent)
$$;

-- a key of type iuid: no bound on either side, DEFAULT, a gap, bounds within a millisecond, quoted names
CREATE TABLE "TO ('x')" ("FROM ('" iuid) PARTITION BY RANGE ("FROM ('");
CREATE TABLE " FOR VALUES FROM (" PARTITION OF "TO ('x')" FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01'));
CREATE TABLE "DEFAULT" PARTITION OF "TO ('x')"
	FOR VALUES FROM (iuid_floor('2026-01-01')) TO ('019c167f-cc00-8007-8041-23456789abcd');
CREATE TABLE "it's" PARTITION OF "TO ('x')"
	FOR VALUES FROM ('019c167f-cc00-8007-8041-23456789abcd') TO (iuid_floor('2026-02-03'));
CREATE TABLE "after a gap" PARTITION OF "TO ('x')" FOR VALUES FROM (iuid_floor('2026-03-01')) TO (MAXVALUE);
SELECT * FROM iuid_partition_bounds('"TO (''x'')"');
SELECT * FROM proof('"TO (''x'')"');
CREATE TABLE "MINVALUE" PARTITION OF "TO ('x')" DEFAULT;
SELECT * FROM iuid_partition_bounds('"TO (''x'')"') WHERE is_default;
SELECT * FROM proof('"TO (''x'')"');

-- a key of type uuid, under settings that change what is printed or how a body is read (one of them until 18)
SET quote_all_identifiers = on;
DO $$ BEGIN
	IF current_setting('server_version_num')::int < 190000 THEN
		PERFORM set_config('standard_conforming_strings', 'off', false), set_config('escape_string_warning', 'off', false);
	END IF;
END $$;
CREATE TABLE by_uuid (id uuid) PARTITION BY RANGE (id);
CREATE TABLE by_uuid_1 PARTITION OF by_uuid
	FOR VALUES FROM ('00000000-0000-0000-0000-000000000001') TO ('019b76da-a800-0000-0000-000000000000');
CREATE TABLE by_uuid_2 PARTITION OF by_uuid
	FOR VALUES FROM ('019b76da-a800-0000-0000-000000000000') TO ('{FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF}');
SELECT * FROM iuid_partition_bounds('by_uuid');
SELECT * FROM proof('by_uuid');
RESET quote_all_identifiers;
RESET standard_conforming_strings;

-- one partition for all, a temporary table, order by origin, and partitions that are partitioned
CREATE TABLE one (id iuid) PARTITION BY RANGE (id);
CREATE TABLE one_for_all PARTITION OF one FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
CREATE TEMP TABLE passing (id uuid) PARTITION BY RANGE (id);
CREATE TEMP TABLE passing_after PARTITION OF passing
	FOR VALUES FROM ('019b76da-a800-7000-8000-000000000000') TO (MAXVALUE);
CREATE TEMP TABLE passing_rest PARTITION OF passing DEFAULT;
CREATE TABLE by_country (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE by_country_7 PARTITION OF by_country
	FOR VALUES FROM (iuid_country_floor(7)) TO (iuid_country_floor(8)) PARTITION BY RANGE (id);
CREATE TABLE by_country_7_all PARTITION OF by_country_7 FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
CREATE TABLE by_country_8 PARTITION OF by_country FOR VALUES FROM (iuid_country_floor(8)) TO (MAXVALUE);
SELECT parent, b.lower, b.upper, b.is_default
FROM unnest('{one,passing,by_country}'::regclass[]) WITH ORDINALITY AS p (parent, n),
	iuid_partition_bounds(parent) WITH ORDINALITY AS b ORDER BY n, ordinality;
SELECT parent, (proof(parent)).* FROM unnest('{one,passing}'::regclass[]) AS parent;
SELECT place, by_bounds, count(*) FROM misread('by_country') GROUP BY 1, 2 ORDER BY 1, 2;

-- whatever lies there, it is counted: none, some, all
SELECT * FROM iuid_keys_between('passing_after', NULL, NULL);
SELECT * FROM iuid_keys_between('by_country_7', iuid_country_floor(7), '017f22e2-79b0-8007-8000-000000000000');
SELECT * FROM iuid_keys_between('one_for_all',
	'00000000-0000-0000-0000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
SELECT iuid_keys_between('one', NULL, NULL);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_keys_between(NULL, NULL, NULL);
\echo :LAST_ERROR_SQLSTATE

SET client_min_messages = error;
DROP SCHEMA "as printed" CASCADE;
