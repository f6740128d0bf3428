-- Identifiers of other formats: each expression of doc/other-formats.md, as the page has it.
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE SCHEMA other_formats;
SET search_path = other_formats, public;
\set page `cat doc/other-formats.md`
SELECT match[1] FROM regexp_matches(:'page', '^(CREATE FUNCTION .*?;)$', 'gw') AS match \gexec
CREATE TABLE expression AS
SELECT cell[1] AS format, cell[2] AS type, cell[4] AS iuid,
	CASE cell[3] WHEN 'none' THEN NULL WHEN 'in the UUID' THEN format('iuid_timestamp(%s)', cell[4]) ELSE cell[3] END AS at
FROM regexp_matches(:'page', '^\| ([^|]+) \| `([a-z]+)` \| `?([^`|]+)`? \| `([^`]+)` \|$', 'gn') AS cell;
SELECT count(*), count(DISTINCT format), count(at) AS with_a_time FROM expression;

-- The time and the iuid of old identifiers, given as text, by the expressions of a format.
CREATE FUNCTION convert(format text, ids text[], OUT n bigint, OUT at timestamptz, OUT iuid iuid)
RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
	e expression := e FROM expression AS e WHERE e.format = convert.format;
BEGIN
	RETURN QUERY EXECUTE pg_catalog.format('SELECT n, at, %s
		FROM (SELECT n, text::%s AS id FROM unnest($1) WITH ORDINALITY AS u (text, n)) AS o
		CROSS JOIN LATERAL (SELECT %s) AS t (at)', e.iuid, e.type, coalesce(e.at, 'NULL::timestamptz')) USING ids;
END $$;

-- Published identifiers.  "time" is what the source says: the time, or the number that is in the identifier.  Where no
-- published identifier has a time, "rule" is computed by hand from the identifier and the description of the format.
CREATE TABLE example (n int GENERATED ALWAYS AS IDENTITY, format text, id text, time timestamptz, rule timestamptz);
INSERT INTO example (format, id, time, rule) VALUES
	-- alkihis/twitter-snowflake-to-date, README; Racum/uuinfo, tests: 10^18 in several formats
	('Snowflake, Twitter', '1233161576649121792', '2020-02-27 22:46:45.564', NULL),
	('Snowflake, Twitter', '1000000000000000000', '2018-05-25 13:05:53.758', NULL),
	-- discord/discord-api-docs, reference; Racum/uuinfo, tests
	('Snowflake, Discord', '175928847299117063', '2016-04-30 11:18:25.796', NULL),
	('Snowflake, Discord', '1000000000000000000', '2022-07-22 11:22:59.101', NULL),
	-- Racum/uuinfo, tests; dba.stackexchange.com 193287, of the same day: by the rule
	('ShardingID', '1000000000000000000', '2015-06-04 14:48:31.271', NULL),
	('ShardingID', '1671372309237077023', NULL, '2017-12-16 22:25:27.28'),
	-- segmentio/ksuid, README
	('KSUID', '0ujtsYcgvSTl8PAuAdqWYSMnLOv', '2017-10-09 21:00:47 -0700', NULL),
	('KSUID', '0ujzPyRiIAffKhBux4PvQdDqMHY', '2017-10-09 21:46:20 -0700', NULL),
	-- T-PWK/flake-idgen, README: timestamps 0x8c20543b0 and, in bits, 1389534046279; Racum/uuinfo, tests
	('FlakeID', '157768171514757120', to_timestamp(37614863.28), NULL),
	('FlakeID', '5828128208445124608', to_timestamp(1389534046.279), NULL),
	('FlakeID', '1000000000000000000', '1977-07-22 11:22:59.101', NULL),
	-- Racum/uuinfo, tests; for version 2 by the rule: 596046447.75 seconds after 2025-01-01
	('Sonyflake, version 1', '1000000000000000000', '2033-07-21 16:27:27.75', NULL),
	('Sonyflake, version 2', '1000000000000000000', NULL, '2043-11-21 16:27:27.75'),
	-- ramsey/uuid, documentation: a COMB without a time, 158372285173145 * 10 us; a swapped UUID of version 1,
	-- with its time in whole seconds, which has 687 ms
	('orderedUuid, Laravel', '9009ebcc-cd99-4b5f-90cf-9155607d2de9', NULL, '2020-03-09 03:00:51.73145'),
	('orderedUuid, MySQL', '\x11ea61ae593200aabbf20242ac130003', '2020-03-09 02:33:23', '2020-03-09 02:33:23.687'),
	-- richardtallent/RT.Comb, sql/DateFromComb.sql and DateFromCombLegacy.sql; for PostgreSQL: the former with
	-- its first and last six bytes exchanged
	('COMBGUID, for PostgreSQL', '018e5f3b-ff48-47cc-b5ba-d01c25cc63a7', NULL, '2024-03-21 04:19:11.304'),
	('COMBGUID, for SQL Server', 'd01c25cc-63a7-47cc-b5ba-018e5f3bff48', '2024-03-21 04:19:11.304', NULL),
	('COMBGUID, legacy', 'E25AFE33-DB2D-4502-9BF0-919001862CC4', '2002-01-10 23:40:35', NULL),
	-- jorriss.net, "Unraveling the mysteries of NewSequentialID", of 2008-04-24, without times
	('NEWSEQUENTIALID, SQL Server', '63DD0AD3-A111-DD11-B2EB-005056AE063C', NULL, '2008-04-24 01:57:41.909'),
	('NEWSEQUENTIALID, SQL Server', '65DD0AD3-A111-DD11-B2EB-005056AE063C', NULL, '2008-04-24 01:57:41.909'),
	-- ulid/javascript, README and tests; Tinybird, ULID functions; ulid/spec: the greatest, whose microseconds are rounded
	('ULID', '01563DF3-6481-D676-4C61-EFB99302BD5B', to_timestamp(1469918176.385), NULL),
	('ULID, text', '01ARYZ6S41TSV4RRFFQ69G5FAV', to_timestamp(1469918176.385), NULL),
	('ULID, text', 'oLARYZ6-S41TSV4RRF-FQ69G5FAV', to_timestamp(1469918176.385), NULL),
	('ULID, text', '01GNB2S2FGN2P93QPXDNB4EN2R', '2022-12-28 00:40:37.616', NULL),
	('ULID, text', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ', '10889-08-02 05:31:50.655', NULL),
	-- cartant/firebase-key, tests; Firebase's article, without a time
	('pushID', '-KKuid1F000000000000', to_timestamp(1466642894.992), NULL),
	('pushID', '-JhLeOlGIEjaIOFHR0xd', NULL, '2015-02-04 22:15:31.153'),
	-- rs/xid, tests
	('XID', '9m4e2mr0ui3e8a215n4g', to_timestamp(1300816219), NULL),
	('XID', '00000000000000000000', to_timestamp(0), NULL),
	-- MongoDB Manual, ObjectId.getTimestamp; mongodb/specifications, test plan of the timestamp field
	('ObjectID', '507c7f79bcf86cd7994f6c0e', '2012-10-15 21:26:17', NULL),
	('ObjectID', '7FFFFFFF0000000000000000', '2038-01-19 03:14:07', NULL),
	('ObjectID', '800000000000000000000000', '2038-01-19 03:14:08', NULL),
	('ObjectID', 'ffffffff0000000000000000', '2106-02-07 06:28:15', NULL),
	-- paralleldrive/cuid, README, without a time: jld2cjxh; issue 109: 36^8, with the rest of the former
	('CUID', 'cjld2cjxh0000qzrmn831i7rn', NULL, '2018-08-28 01:59:12.101'),
	('CUID', 'c1000000000000qzrmn831i7rn', '2059-05-25 17:38:27.456', NULL),
	-- paralleldrive/cuid2, README
	('cuid2', 'tz4a98xxat96iws9zmbrgj3a', NULL, NULL),
	-- jetify-com/typeid, valid.yml: 01890a5d-ac96-774b-bcce-b302099a8057, without a time
	('TypeID', 'prefix_01h455vb4pex5vsknk084sn02q', NULL, to_timestamp(1688096058.518)),
	-- RFC 9562, section A.6: 017f22e2-79b0-7cc3-98c4-dc0c0c07398f, in base 57 by the rule of skorokithakis/shortuuid
	('ShortUUID', '2HCATbPFFQRhakvB2nxrTh', '2022-02-22 14:22:22 -0500', NULL),
	-- the same UUID
	('UUID, base 58', 'BihbxwwQ4NZZpKRH9JDCz', '2022-02-22 14:22:22 -0500', NULL),
	('UUID, base 64', 'AX8i4nmwfMOYxNwMDAc5jw==', '2022-02-22 14:22:22 -0500', NULL),
	('UUID, base 64', 'AX8i4nmwfMOYxNwMDAc5jw', '2022-02-22 14:22:22 -0500', NULL),
	-- without times: a status of Mastodon, a number in a text, and a TID of the specification
	('Mastodon', '109348687391398918', NULL, '2022-11-15 16:09:15.166'),
	('TSID', '38358284406638835', NULL, '2020-04-15 20:22:07.665'),
	('TSID, text', '01226N0640J7K', NULL, '2020-04-15 20:22:07.665'),
	('TSID, text', 'oi226n0640j7k', NULL, '2020-04-15 20:22:07.665'),
	('TID, AT Protocol', '3jzfcijpj2z2a', NULL, '2023-06-30 15:03:01.887007');

SELECT format, e.id, c.at, date_trunc('ms', c.at) = date_trunc('ms', coalesce(rule, time)) AS right_time,
	CASE WHEN rule IS NOT NULL THEN 'by the rule' WHEN time IS NOT NULL THEN 'published' END AS known, c.iuid
FROM example AS e, convert(format, ARRAY[id]) AS c ORDER BY e.n;
SELECT format FROM expression EXCEPT SELECT format FROM example;
SELECT bool_and(iuid_timestamp(iuid) = date_trunc('ms', c.at)) AS time_of_iuid,
	bool_and((iuid_country(iuid), iuid_entity(iuid)) = (125, 1)) AS rest,
	count(*) FILTER (WHERE iuid_layout(iuid) = 1) AS without_a_time
FROM example AS e, convert(format, ARRAY[id]) AS c;

-- one old identifier in several forms gives one iuid; another old identifier gives another
SELECT c.iuid, count(*), string_agg(format || ' ' || e.id, ', ' ORDER BY e.n)
FROM example AS e, convert(format, ARRAY[id]) AS c GROUP BY c.iuid HAVING count(*) > 1;
SELECT (SELECT iuid FROM convert('ULID, text', '{01aryz6s41tsv4rrffq69g5fav}'))
		= (SELECT iuid FROM convert('ULID', '{01563DF3-6481-D676-4C61-EFB99302BD5B}')) AS ulid,
	(SELECT iuid FROM convert('ObjectID', '{507C7F79BCF86CD7994F6C0E}'))
		= (SELECT iuid FROM convert('ObjectID', '{507c7f79bcf86cd7994f6c0e}')) AS object_id,
	(SELECT iuid FROM convert('orderedUuid, MySQL', '{\\x11ea61ae593200aabbf20242ac130003}'))
		= iuid_from_uuid('593200aa-61ae-11ea-bbf2-0242ac130003', 125, 1) AS mysql,
	(SELECT iuid FROM convert('TypeID', '{prefix_01h455vb4pex5vsknk084sn02q}'))
		= iuid_from_uuid('01890a5d-ac96-774b-bcce-b302099a8057', 125, 1) AS type_id;

-- what goes wrong without an error: a ShortUUID of before 1.0
SELECT (SELECT iuid FROM convert('ShortUUID', ARRAY[reverse('hTrxn2BvkahRQFFPbTACH2')]))
	= (SELECT iuid FROM convert('ShortUUID', '{2HCATbPFFQRhakvB2nxrTh}')) AS reversed;

-- the functions for digits:
-- the greatest KSUID (segmentio/ksuid, ksuid.go), a ShortUUID (README) and TypeIDs (valid.yml, invalid.yml)
SELECT decode_digits('aWgEPTl1tmebfsQzFP4bxwgy80V', '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
		= trunc(2::numeric ^ 160) - 1 AS ksuid,
	uuid_of_number(decode_digits('CXc85b4rqinB7s5J52TRYb',
		'23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz')) AS short_uuid;
SELECT typeid, uuid_of_number(decode_digits(right(typeid, 26), '0123456789abcdefghjkmnpqrstvwxyz')) AS uuid
FROM unnest(ARRAY['00000000000000000000000000', '00000000000000000000000010', '7zzzzzzzzzzzzzzzzzzzzzzzzz',
	'prefix_0123456789abcdefghjkmnpqrs', 'prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz', 'prefix_0123456789ABCDEFGHJKMNPQRS',
	'prefix_ooooooiiiiiiuuuuuuulllllll', 'prefix_']) AS typeid;

-- the forms of the texts: no example is missing from the page, or is of another form
SELECT format, id FROM example JOIN expression USING (format)
WHERE type = 'text' AND NOT EXISTS (
	SELECT FROM regexp_matches(:'page', '^\|([^|]*)\|([^|]*)\|([^|]*)\|$', 'gn') AS cell,
		regexp_matches(cell[2], '`([^`]*)`', 'g') AS form
	WHERE trim(cell[1]) = split_part(format, ',', 1) AND id ~ form[1]);

-- what cannot be converted
SELECT * FROM convert('XID', '{9m4e2mr0ui3e8a215n4z}');
SELECT * FROM convert('XID', '{9M4e2mr0ui3e8a215n4g}');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM convert('TypeID', '{prefix_01H455VB4PEX5VSKNK084SN02Q}');
SELECT * FROM convert('ShortUUID', '{CXc85b4rqinB7s5J52TRYb}');
\echo :LAST_ERROR_SQLSTATE

-- The rules, beside the sources of the examples: twitter-archive/snowflake, IdWorker; Instagram Engineering,
-- "Sharding & IDs at Instagram"; sony/sonyflake; laravel/framework, Str; ramsey/uuid, CombGenerator,
-- TimestampFirstCombCodec and OrderedTimeCodec; MySQL Reference Manual, UUID_TO_BIN; MicrosoftDocs/sql-docs,
-- NEWSEQUENTIALID; David Browne, "How to Generate Sequential GUIDs for SQL Server in .NET"; mongodb/specifications,
-- BSON ObjectID; RFC 4648, sections 4 and 5; mastodon/mastodon, lib/mastodon/snowflake.rb; f4b6a3/tsid-creator,
-- readme; atproto.com, TID.
-- Old identifiers that are made by the rules of the formats:
-- t is the time in steps since the epoch, r are 64 random bits.
-- "sorted" is a text whose bytes stand in the order of the format.
-- Two each have the same time.  The last time is in 2255, up to which doubles hold it.
CREATE FUNCTION digits(n numeric, width int, alphabet text) RETURNS text LANGUAGE sql RETURN (
	SELECT string_agg(substr(alphabet,
		mod(div(n, length(alphabet)::numeric ^ (width - place)), length(alphabet))::int + 1, 1), '' ORDER BY place)
	FROM generate_series(1, width) AS place);
CREATE FUNCTION hex(n numeric, width int) RETURNS text LANGUAGE sql RETURN digits(n, width, '0123456789abcdef');
CREATE FUNCTION signed(n numeric) RETURNS bigint
LANGUAGE sql RETURN n - CASE WHEN n < 2::numeric ^ 63 THEN 0 ELSE 2::numeric ^ 64 END;
CREATE FUNCTION unsigned(id text) RETURNS text
LANGUAGE sql RETURN hex(id::numeric + CASE WHEN id < '0' THEN 2::numeric ^ 64 ELSE 0 END, 16);
CREATE FUNCTION uuid_7(t numeric, r numeric) RETURNS numeric LANGUAGE sql
RETURN t * 2::numeric ^ 80 + 7 * 2::numeric ^ 76 + mod(r, 4096) * 2::numeric ^ 64 + 2::numeric ^ 63 + div(r, 4);
CREATE TABLE alphabet AS
SELECT left(base36, 32) AS base32, base36, '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz' AS base62,
	'0123456789ABCDEFGHJKMNPQRSTVWXYZ' AS crockford,
	'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz' AS base58,
	'23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz' AS base57,
	'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz' AS push
FROM (SELECT '0123456789abcdefghijklmnopqrstuvwxyz') AS a (base36);
CREATE TABLE generator (format text, epoch timestamptz, step interval, parts int, steps numeric, id text, sorted text);
INSERT INTO generator VALUES
	('Snowflake, Twitter', to_timestamp(1288834974.657), '1 ms', 1, 2 ^ 41,
		'signed(t * 4194304 + mod(r, 4194304))::text', 'unsigned(id)'),
	('Snowflake, Discord', to_timestamp(1420070400), '1 ms', 1, 2 ^ 42,
		'signed(t * 4194304 + mod(r, 4194304))::text', 'unsigned(id)'),
	('ShardingID', to_timestamp(1314220021.721), '1 ms', 1, 2 ^ 41,
		'signed(t * 8388608 + mod(r, 8388608))::text', 'unsigned(id)'),
	('KSUID', to_timestamp(1400000000), '1 s', 1, 2 ^ 32, 'digits(t * 2::numeric ^ 128 + r, 27, base62)', 'id'),
	('FlakeID', 'epoch', '1 ms', 1, 2 ^ 42, 'signed(t * 4194304 + mod(r, 4194304))::text', 'unsigned(id)'),
	('Sonyflake, version 1', '2014-09-01', '10 ms', 1, 2 ^ 39,
		'signed(t * 16777216 + mod(r, 16777216))::text', 'unsigned(id)'),
	('Sonyflake, version 2', '2025-01-01', '10 ms', 1, 2 ^ 39,
		'signed(t * 16777216 + mod(r, 16777216))::text', 'unsigned(id)'),
	('orderedUuid, Laravel', 'epoch', '10 us', 1, 2 ^ 48, $$hex(t, 12) || '4' || hex(r, 3) || '9' || hex(r, 15)$$, 'id'),
	('orderedUuid, MySQL', 'epoch', '1 us', 1, 4e15,
		$$'\x1' || hex(t * 10 + mod(r, 10) + 122192928000000000, 15) || '9' || hex(r, 15)$$, 'id'),
	('COMBGUID, for PostgreSQL', 'epoch', '1 ms', 1, 2 ^ 43,
		$$hex(t, 12) || '4' || hex(r, 3) || '9' || hex(r, 15)$$, 'id'),
	('COMBGUID, for SQL Server', 'epoch', '1 ms', 1, 2 ^ 43,
		$$hex(r, 12) || '4' || hex(r, 7) || hex(t, 12)$$, 'right(id, 12)'),
	('COMBGUID, legacy', 'epoch', '1 s', 300, (65536 - 25567) * 25920000.0,
		$$hex(r, 12) || '4' || hex(r, 7) || hex(25567 + div(t, 25920000), 4) || hex(mod(t, 25920000), 8)$$, 'right(id, 12)'),
	('NEWSEQUENTIALID, SQL Server', 'epoch', '1 us', 1, 4e15,
		$$regexp_replace('1' || hex(t * 10 + mod(r, 10) + 122192928000000000, 15),
			repeat('(..)', 8), '\8\7\6\5\4\3\2\1') || '9' || hex(r, 15)$$,
		$$regexp_replace(id, repeat('(..)', 8), '\8\7\6\5\4\3\2\1')$$),
	('ULID', 'epoch', '1 ms', 1, 2 ^ 43, 'hex(t, 12) || hex(r, 20)', 'id'),
	('ULID, text', 'epoch', '1 ms', 1, 2 ^ 43, 'digits(t * 2::numeric ^ 80 + r, 26, crockford)', 'id'),
	('pushID', 'epoch', '1 ms', 1, 2 ^ 43, 'digits(t * 2::numeric ^ 72 + r, 20, push)', 'id'),
	('XID', 'epoch', '1 s', 1, 2 ^ 32, 'digits((t * 2::numeric ^ 64 + r) * 16, 20, base32)', 'id'),
	('ObjectID', 'epoch', '1 s', 1, 2 ^ 32, 'hex(t, 8) || hex(r, 16)', 'id'),
	('CUID', to_timestamp(1e8), '1 ms', 1, 6e12,
		$$'c' || ltrim(digits(t + 1e11, 10, base36), '0') || digits(r, 16, base36)$$, 'lpad(id, 30)'),
	('TypeID', 'epoch', '1 ms', 1, 2 ^ 43, $$'order_' || lower(digits(uuid_7(t, r), 26, crockford))$$, 'id'),
	('ShortUUID', 'epoch', '1 ms', 1, 2 ^ 43, 'digits(uuid_7(t, r), 22, base57)', 'id'),
	('UUID, base 58', 'epoch', '1 ms', 1, 2 ^ 43, 'digits(uuid_7(t, r), 22, base58)', 'id'),
	('UUID, base 64', 'epoch', '1 ms', 1, 2 ^ 43,
		$$rtrim(encode(decode(hex(uuid_7(t, r), 32), 'hex'), 'base64'), '=')$$,
		$$encode(decode(id || '==', 'base64'), 'hex')$$),
	('Mastodon', 'epoch', '1 ms', 1, 2 ^ 43, 'signed(t * 65536 + mod(r, 65536))::text', 'unsigned(id)'),
	('TSID', to_timestamp(1577836800), '1 ms', 1, 2 ^ 42, 'signed(t * 4194304 + mod(r, 4194304))::text', 'unsigned(id)'),
	('TSID, text', to_timestamp(1577836800), '1 ms', 1, 2 ^ 42,
		'digits(t * 4194304 + mod(r, 4194304), 13, crockford)', 'id'),
	('TID, AT Protocol', 'epoch', '1 us', 1, 9e15,
		$$translate(digits(t * 1024 + mod(r, 1024), 13, base32), base32, '234567abcdefghijklmnopqrstuvwxyz')$$, 'id');
SELECT format FROM expression WHERE at IS NOT NULL EXCEPT SELECT format FROM generator;

CREATE FUNCTION sample(g generator, OUT id text, OUT sorted text, OUT made timestamptz) RETURNS SETOF record
LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE pg_catalog.format('SELECT id, %s, $1 + t::float8 * $2 / $3
		FROM (SELECT %s AS id, t FROM (
			SELECT trunc(x::numeric * ($4 - 1)) AS t, trunc(random()::numeric * 2::numeric ^ 64) AS r
			FROM (SELECT random() AS x FROM generate_series(1, 50) UNION ALL VALUES (0), (1)) AS moment,
				generate_series(1, 2)) AS random, alphabet) AS o', g.sorted, g.id)
	USING g.epoch, g.step, g.parts, g.steps;
END $$;
SELECT setseed(0.5);
CREATE TABLE made AS
SELECT format, s.*, row_number() OVER (PARTITION BY format ORDER BY s.sorted COLLATE "C") AS n
FROM generator AS g, sample(g) AS s;
CREATE TABLE converted AS
SELECT format, c.n, c.iuid
FROM (SELECT format, array_agg(id ORDER BY n) AS ids FROM made GROUP BY format) AS m, convert(format, ids) AS c;
SELECT format, count(*), bool_and(in_time) AS in_time, bool_and(in_order) AS in_order,
	bool_and(in_whole_order) AS in_whole_order
FROM (SELECT format, iuid_timestamp(iuid) = date_trunc('ms', made) AS in_time,
		iuid_timestamp(iuid) >= iuid_timestamp(lag(iuid) OVER old) AS in_order, iuid > lag(iuid) OVER old AS in_whole_order
	FROM made JOIN converted USING (format, n) WINDOW old AS (PARTITION BY format ORDER BY n)) AS x
GROUP BY format ORDER BY format COLLATE "C";
DROP SCHEMA other_formats CASCADE;
