-- Byte order is core uuid's order and the text's; order by origin puts country and entity first.
CREATE TEMP TABLE sample AS
SELECT gen_iuid(i % 256, i * 7 % 256, timestamptz '1970-01-01' + i * i * interval '775 minutes') AS id
FROM generate_series(1, 1000) AS i
UNION ALL
SELECT id::iuid FROM (VALUES ('00000000-0000-0000-0000-000000000000'), ('ffffffff-ffff-ffff-ffff-ffffffffffff'),
	('00000000-0000-8000-8000-000000000000'), ('ffffffff-ffff-8fff-bfff-ffffffffffff'),
	('019b7612-3c00-8107-8041-23456789abcd'), ('019b7612-3c00-8f07-8041-23456789abcd')) AS v(id);
-- many in one millisecond, of several origins, so that abbreviated keys tie
INSERT INTO sample SELECT gen_iuid(i % 3, i % 2, '2026-01-01') FROM generate_series(1, 1000) AS i;

SELECT count(*) AS ids, bool_and(by_id = by_uuid) AS as_uuid, bool_and(by_id = by_text) AS as_text
FROM (SELECT row_number() OVER (ORDER BY id) AS by_id, row_number() OVER (ORDER BY id::uuid) AS by_uuid,
	row_number() OVER (ORDER BY id::text COLLATE "C") AS by_text FROM sample) AS x;

-- whichever identifier the sort comes upon first, as its abbreviated keys depend on that
INSERT INTO sample SELECT gen_iuid(i % 3, i % 5, '2026-01-01') FROM generate_series(1, 500) AS i;
INSERT INTO sample SELECT overlay(id::text PLACING layout FROM 15 FOR 2)::iuid
FROM (SELECT gen_iuid(i % 3, 1, '2026-01-01') AS id FROM generate_series(1, 10) AS i) AS x,
	unnest(ARRAY['81', '8f']) AS layout;
CREATE TEMP TABLE same_ms AS
SELECT id FROM sample WHERE iuid_floor('2026-01-01') <= id AND id < iuid_floor('2026-01-01 00:00:00.001');
SELECT count(*) AS firsts,
	bool_and(sorted = (SELECT array_agg(id::iuid ORDER BY id) FROM (SELECT id::uuid FROM same_ms) AS x)) AS as_uuid
FROM (SELECT DISTINCT ON (iuid_country(id), iuid_entity(id), iuid_layout(id)) id FROM same_ms) AS first,
	LATERAL (SELECT array_agg(id ORDER BY id) AS sorted
		FROM (SELECT id FROM same_ms ORDER BY id <> first.id OFFSET 0) AS x) AS y;

-- the oracle of order by origin: the bytes themselves
CREATE FUNCTION country_key(uuid) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT substr(b, 8, 1) || set_byte('\x00'::bytea, 0, get_byte(b, 8) % 64 * 4 + get_byte(b, 9) / 64) || b
	FROM uuid_send($1) AS b
$$;
SELECT bool_and(by_id = by_key) AS as_country_key
FROM (SELECT row_number() OVER (ORDER BY id USING ~<~) AS by_id, row_number() OVER (ORDER BY country_key(id)) AS by_key
	FROM sample) AS x;
SELECT bool_and(by_id = by_key) AS as_country_key_descending
FROM (SELECT row_number() OVER (ORDER BY id USING ~>~) AS by_id,
	row_number() OVER (ORDER BY country_key(id) DESC) AS by_key
	FROM sample) AS x;

-- the keys of a sort all tie: after 10,000 of them it goes on without abbreviated keys
CREATE TEMP TABLE tied AS SELECT gen_iuid(7, 1, '2026-01-01') AS id FROM generate_series(1, 21000);
SELECT count(*), bool_and(by_id = by_uuid) AS as_uuid
FROM (SELECT row_number() OVER (ORDER BY id USING ~<~) AS by_id,
	row_number() OVER (ORDER BY id::uuid) AS by_uuid FROM tied) AS x;

-- every operator agrees with core's over all pairs, for each of the three pairs of types
CREATE TEMP TABLE pair AS
SELECT a.id AS a, b.id AS b
FROM (SELECT id FROM sample ORDER BY id::text DESC LIMIT 100) AS a,
	(SELECT id FROM sample ORDER BY md5(id::text) LIMIT 60) AS b
UNION ALL SELECT id, id FROM sample;
SELECT count(*) AS pairs, count(*) FILTER (WHERE
	((a < b), (a <= b), (a = b), (a >= b), (a > b), (a <> b)) <> core OR
	((a < b::uuid), (a <= b::uuid), (a = b::uuid), (a >= b::uuid), (a > b::uuid), (a <> b::uuid)) <> core OR
	((a::uuid < b), (a::uuid <= b), (a::uuid = b), (a::uuid >= b), (a::uuid > b), (a::uuid <> b)) <> core) AS disagree
FROM (SELECT a, b, ((a::uuid < b::uuid), (a::uuid <= b::uuid), (a::uuid = b::uuid),
	(a::uuid >= b::uuid), (a::uuid > b::uuid), (a::uuid <> b::uuid)) AS core FROM pair) AS x;
SELECT count(*) AS pairs, count(*) FILTER (WHERE
	((a ~<~ b), (a ~<=~ b), (a ~>=~ b), (a ~>~ b)) <> keys OR
	((a ~<~ b::uuid), (a ~<=~ b::uuid), (a ~>=~ b::uuid), (a ~>~ b::uuid)) <> keys OR
	((a::uuid ~<~ b), (a::uuid ~<=~ b), (a::uuid ~>=~ b), (a::uuid ~>~ b)) <> keys OR
	((a::uuid ~<~ b::uuid), (a::uuid ~<=~ b::uuid), (a::uuid ~>=~ b::uuid), (a::uuid ~>~ b::uuid)) <> keys) AS disagree
FROM (SELECT a, b, ((ka < kb), (ka <= kb), (ka >= kb), (ka > kb)) AS keys
	FROM pair, country_key(a) AS ka, country_key(b) AS kb) AS x;
SELECT count(*) AS disagree FROM pair WHERE sign(iuid_cmp(a, b)) <> sign(uuid_cmp(a, b))
	OR sign(iuid_cmp(a, b::uuid)) <> sign(uuid_cmp(a, b)) OR sign(iuid_cmp(a::uuid, b)) <> sign(uuid_cmp(a, b));

-- aggregates, and the index that answers them
SELECT min(id)::text = min(id::text COLLATE "C") AS min, max(id)::text = max(id::text COLLATE "C") AS max FROM sample;
SELECT min(id), max(id) FROM sample WHERE false;
CREATE INDEX sample_id ON sample (id);
CREATE INDEX sample_country ON sample (id iuid_origin_ops);
SET enable_seqscan = off;
SELECT aggfnoid, aggsortop::regoperator FROM pg_aggregate WHERE aggtranstype = 'iuid'::regtype;
EXPLAIN (COSTS OFF) SELECT id FROM sample ORDER BY id DESC LIMIT 1;
EXPLAIN (COSTS OFF) SELECT id FROM sample ORDER BY id USING ~<~ LIMIT 5;

-- both indexes hold the whole in their order, duplicates and all
INSERT INTO sample SELECT id FROM sample;
SET enable_sort = off;
SELECT count(*), bool_and(id >= previous) AS ascending
FROM (SELECT id, lag(id) OVER (ORDER BY id) AS previous FROM sample) AS x;
SELECT count(*), bool_and(id ~>=~ previous) AS ascending
FROM (SELECT id, lag(id) OVER (ORDER BY id USING ~<~) AS previous FROM sample) AS x;
DROP FUNCTION country_key;
