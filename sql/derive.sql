-- Derived identifiers, against what an independent program computed (test/data/derived.py).
SET timezone = 'UTC';
CREATE TEMP TABLE vector (function text, input text, repeat int, country int, entity int, ms bigint, expected uuid);
\copy vector FROM 'test/data/derived.tsv' (FORMAT csv, DELIMITER E'\t', HEADER true, FORCE_NOT_NULL (input))
CREATE TEMP VIEW prepared AS
SELECT function, country, entity, expected, ms, timestamptz 'epoch' + ms * interval '1 millisecond' AS at,
	decode(repeat(input, repeat), 'hex') AS bytes,
	CASE WHEN function = 'name' THEN convert_from(decode(repeat(input, repeat), 'hex'), 'UTF8') END AS text,
	CASE WHEN function = 'uuid' THEN input::uuid END AS uuid
FROM vector;

SELECT count(*) AS named, count(*) FILTER (WHERE iuid_from_name(country, entity, text) = expected) AS from_text,
	count(*) FILTER (WHERE iuid_from_name(country, entity, bytes) = expected) AS from_bytes
FROM prepared WHERE function = 'name' AND ms IS NULL;
SELECT count(*) AS named, count(*) FILTER (WHERE iuid_from_name(country, entity, text, at) = expected) AS from_text,
	count(*) FILTER (WHERE iuid_from_name(country, entity, bytes, at) = expected) AS from_bytes
FROM prepared WHERE function = 'name' AND ms IS NOT NULL;
SELECT count(*) AS uuids, count(*) FILTER (WHERE iuid_from_uuid(uuid, country, entity) = expected) AS with_their_time
FROM prepared WHERE function = 'uuid' AND ms IS NULL;
SELECT count(*) AS uuids, count(*) FILTER (WHERE iuid_from_uuid(uuid, country, entity, at) = expected) AS with_a_time
FROM prepared WHERE function = 'uuid' AND ms IS NOT NULL;

-- part of a millisecond is dropped
SELECT iuid_from_name(7, 1, 'hello', '2026-01-01 00:00:00.123999')
	= iuid_from_name(7, 1, 'hello', '2026-01-01 00:00:00.123') AS same;

-- UUIDs of version 7 from one generator, 900 each millisecond, keep their order
CREATE TEMP TABLE v7 AS
SELECT n, (lpad(to_hex(1767225600000 + n / 900), 12, '0') || '7' || lpad(to_hex(n % 900 * 4), 3, '0')
	|| to_hex(8 + n % 4) || substr(md5(n::text), 1, 15))::uuid AS id
FROM generate_series(1, 20000) AS n;
SELECT count(DISTINCT new), bool_and(new > previous) AS in_order,
	bool_and(iuid_timestamp(new) = timestamptz '2026-01-01' + n / 900 * interval '1 millisecond') AS in_time
FROM (SELECT n, new, lag(new) OVER (ORDER BY id) AS previous
	FROM (SELECT n, id, iuid_from_uuid(id, 7, 1) AS new FROM v7) AS x) AS y;

-- nothing to derive from gives NULL; nothing else may be missing
SELECT iuid_from_name(7, 1, NULL::text), iuid_from_name(7, 1, NULL::bytea, now()),
	iuid_from_uuid(NULL, 7, 1), iuid_from_uuid(NULL, 7, 1, now());
SELECT iuid_from_name(NULL, 1, 'hello');
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_from_name(7, 1, 'hello', NULL);
SELECT iuid_from_uuid('017F22E2-79B0-7CC3-98C4-DC0C0C07398F', 7, NULL);
SELECT iuid_from_name(256, 1, 'hello');
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_from_name(7, 1, 'hello', '1969-12-31 23:59:59.999999');
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_from_name(7, 1, 'hello', 'infinity');
SELECT iuid_from_uuid('13813fff-1dd2-11b2-8000-000000000000', 7, 1);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_from_uuid('919108f7-52d1-4320-9bac-f847db4148a8', 7, 1);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_from_uuid('017F22E2-79B0-7CC3-C8C4-DC0C0C07398F', 7, 1);
SELECT iuid_from_uuid('019b76da-a87b-8007-8041-23456789abcd', 7, 1);
