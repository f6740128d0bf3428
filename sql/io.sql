-- Text and binary: what is taken, what comes back, what is refused.

-- all spellings of one value that core's uuid takes
SELECT text, text::iuid FROM (VALUES
	('019b7612-3c00-8007-8041-23456789abcd'),
	('019B7612-3C00-8007-8041-23456789ABCD'),
	('019b76123c008007804123456789abcd'),
	('{019b7612-3c00-8007-8041-23456789abcd}'),
	('{019b76123c008007804123456789abcd}'),
	('019b-7612-3c00-8007-8041-2345-6789-abcd')) AS v(text);

-- the ends of the key space, and every layout
SELECT '00000000-0000-0000-0000-000000000000'::iuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::iuid;
SELECT count(('019b7612-3c00-8' || to_hex(layout) || '07-8041-23456789abcd')::iuid)
FROM generate_series(0, 15) AS layout;

-- what core's uuid refuses
SELECT ''::iuid;
SELECT '019b7612-3c00-8007-8041-23456789abc'::iuid;
SELECT '019b7612-3c00-8007-8041-23456789abcd0'::iuid;
SELECT '019b7612-3c00-8007-8041-23456789abcg'::iuid;
SELECT '019b7612--3c00-8007-8041-23456789abcd'::iuid;
SELECT '{019b7612-3c00-8007-8041-23456789abcd'::iuid;
SELECT '019b7612-3c00-8007-8041-23456789abcd}'::iuid;
SELECT '019b7612-3c00-8007-8041-23456789abcd-'::iuid;
SELECT ' 019b7612-3c00-8007-8041-23456789abcd'::iuid;
\echo :LAST_ERROR_SQLSTATE

-- UUIDs of other versions and variants (the examples of RFC 9562, appendix A)
SELECT 'C232AB00-9414-11EC-B3C8-9F6BDECED846'::iuid;
SELECT '919108f7-52d1-4320-9bac-f847db4148a8'::iuid;
SELECT '017F22E2-79B0-7CC3-98C4-DC0C0C07398F'::iuid;
SELECT '019b7612-3c00-8007-c041-23456789abcd'::iuid;
\echo :LAST_ERROR_SQLSTATE
SELECT '017F22E2-79B0-7CC3-98C4-DC0C0C07398F'::uuid::iuid;
\echo :LAST_ERROR_SQLSTATE

-- version and variant decide, and nothing else: 16 * 4 values, one taken
CREATE FUNCTION refused(text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM $1::iuid;
	RETURN NULL;
EXCEPTION WHEN invalid_text_representation THEN
	RETURN SQLSTATE;
END $$;
SELECT to_hex(version) AS version, variant, refused(value)
FROM generate_series(0, 15) AS version, generate_series(0, 3) AS variant,
	format('019b7612-3c00-%s007-%s041-23456789abcd', to_hex(version), to_hex(variant * 4)) AS value
WHERE refused(value) IS NULL OR refused(value) <> '22P02';
-- nearly Nil and nearly Max
SELECT refused('00000000-0000-0000-0000-000000000001'), refused('80000000-0000-0000-0000-000000000000'),
	refused('ffffffff-ffff-ffff-ffff-fffffffffffe'), refused('7fffffff-ffff-ffff-ffff-ffffffffffff');
DROP FUNCTION refused;

-- casts
SELECT '019b7612-3c00-8007-8041-23456789abcd'::iuid::uuid;
SELECT '019b7612-3c00-8007-8041-23456789abcd'::uuid::iuid;
SELECT '019b7612-3c00-8007-8041-23456789abcd'::iuid::timestamptz AT TIME ZONE 'UTC';
SELECT pg_typeof(uuid_send('019b7612-3c00-8007-8041-23456789abcd'::iuid));
SELECT '{019b7612-3c00-8007-8041-23456789abcd,NULL}'::iuid[];

-- on assignment from uuid, and only if it is one
CREATE TEMP TABLE assigned (id iuid);
INSERT INTO assigned VALUES ('019b7612-3c00-8007-8041-23456789abcd'::uuid);
INSERT INTO assigned VALUES ('919108f7-52d1-4320-9bac-f847db4148a8'::uuid);
TABLE assigned;

-- binary, there and back; and a UUID of version 4 in binary
\copy assigned TO 'results/iuid.bin' (FORMAT binary)
\copy assigned FROM 'results/iuid.bin' (FORMAT binary)
SELECT id, count(*) FROM assigned GROUP BY id;
\copy (SELECT '919108f7-52d1-4320-9bac-f847db4148a8'::uuid) TO 'results/uuid.bin' (FORMAT binary)
\copy assigned FROM 'results/uuid.bin' (FORMAT binary)
\set VERBOSITY sqlstate
\copy assigned FROM 'results/uuid.bin' (FORMAT binary)
\set VERBOSITY default
-- a text in binary is not of the right length, which the server says of a uuid, too
CREATE TEMP TABLE received (id uuid);
\copy (SELECT text '019b7612-3c00-8007-8041-23456789abcd') TO 'results/text.bin' (FORMAT binary)
\copy received FROM 'results/text.bin' (FORMAT binary)
\copy assigned FROM 'results/text.bin' (FORMAT binary)
\copy (SELECT text '019b7612') TO 'results/text.bin' (FORMAT binary)
\copy received FROM 'results/text.bin' (FORMAT binary)
\copy assigned FROM 'results/text.bin' (FORMAT binary)
SELECT iuid_send('019b7612-3c00-8007-8041-23456789abcd');
