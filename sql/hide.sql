-- Hidden identifiers.  The expected ones were computed by an independent program (test/models/identifiers.py).
\set key '''\\x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'''
CREATE TEMP TABLE given (id iuid, key bytea, hidden uuid);
INSERT INTO given VALUES
	('019b76da-a87b-807d-8041-23456789abcd', :key, '646b8bbf-f574-4e2e-9aac-ba252c5f7fb2'),
	('6b86b273-ff34-81e1-9d6b-804eff5a3f57', '\x227ba5f2c6c9109fe5c44a0696f393379607493a377f522ee27d9a7ae3227d89',
		'e8082bd7-7e37-4dca-9849-41caa8ee10bd'),
	('d4735e3a-265e-80ee-a03f-59718b9b5d03', '\x08f225fe08e94a5b1da2da4079fcd1a7647d375cc95624a6c6d65a6fc84b3243',
		'75497cb8-ef18-4f52-8381-d8bc5d7ab0f6'),
	('4e074085-62be-818b-a0ce-05c1decfe3ad', '\x3d3ee11c2fbf7f6a6b1e6aa16c382631ec5f1fbfc50ca3ba5a89d366d22eeaef',
		'5df46388-0f57-4a2a-ba75-d1860f44a5b3');
SELECT id, iuid_layout(id), iuid_hide(id, key) = hidden AS hides, iuid_reveal(hidden, key) = id AS reveals FROM given;

-- every identifier comes back, and no two are one; all are of version 4
CREATE TEMP TABLE hidden AS
SELECT id, iuid_hide(id, :key) AS hidden
FROM (SELECT gen_iuid(n % 256, n / 256 % 256) FROM generate_series(1, 70000) AS n
	UNION ALL SELECT iuid_from_name(7, 1, n::text) FROM generate_series(1, 5000) AS n) AS x (id);
SELECT count(*), count(DISTINCT hidden) AS hidden, count(*) FILTER (WHERE iuid_reveal(hidden, :key) = id) AS revealed,
	count(*) FILTER (WHERE hidden::text ~ '^.{14}4.{4}[89ab]') AS of_version_4
FROM hidden;

-- of foreign UUIDs of version 4 two of sixteen layouts are known, so about one in eight reveals to what no row has
SELECT count(r) BETWEEN 1000 AND 1500 AS an_eighth,
	bool_and(iuid_hide(r, :key) = u) FILTER (WHERE r IS NOT NULL) AS hides_again
FROM (SELECT u, iuid_reveal(u, :key) AS r
	FROM (SELECT gen_random_uuid() AS u FROM generate_series(1, 10000)) AS x) AS y;
SELECT count(*) FILTER (WHERE iuid_reveal(hidden, sha256(:key)) = id) AS by_another_key FROM hidden;

-- what a stranger sends is never an error
SELECT u, iuid_reveal(u, :key) FROM unnest('{
	00000000-0000-0000-0000-000000000000,ffffffff-ffff-ffff-ffff-ffffffffffff,
	019b76da-a87b-807d-8041-23456789abcd,017f22e2-79b0-7cc3-98c4-dc0c0c07398f,
	646b8bbf-f574-4e2e-1aac-ba252c5f7fb2,646b8bbf-f574-4e2e-daac-ba252c5f7fb2}'::uuid[]) AS u;
SELECT iuid_hide(NULL, :key), iuid_hide('019b76da-a87b-807d-8041-23456789abcd', NULL),
	iuid_reveal(NULL, :key), iuid_reveal(gen_random_uuid(), NULL);

-- what cannot be hidden, and keys of another length; no message has the key
\set SHOW_CONTEXT always
SELECT iuid_hide('00000000-0000-0000-0000-000000000000', :key);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_hide('ffffffff-ffff-ffff-ffff-ffffffffffff', :key);
SELECT iuid_hide('019b76da-a87b-827d-8041-23456789abcd', :key);
SELECT iuid_hide('019b76da-a87b-8f7d-8041-23456789abcd', :key);
SELECT iuid_hide('019b76da-a87b-807d-8041-23456789abcd', '\x7365637265743a3030');
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_reveal('646b8bbf-f574-4e2e-9aac-ba252c5f7fb2', '');
SELECT iuid_reveal('646b8bbf-f574-4e2e-9aac-ba252c5f7fb2', :key || '\x00'::bytea);

-- a key that is stored out of line is the same key
CREATE TEMP TABLE far (key bytea);
ALTER TABLE far ALTER key SET STORAGE EXTERNAL;
INSERT INTO far VALUES (:key), (:key || repeat('x', 10000)::bytea);
SELECT iuid_hide('019b76da-a87b-807d-8041-23456789abcd', key) FROM far WHERE length(key) = 32;
SELECT iuid_hide('019b76da-a87b-807d-8041-23456789abcd', substr(key, 1, 32)) FROM far WHERE length(key) > 32;

-- a look-up of what was revealed uses the index
CREATE TEMP TABLE orders (id iuid PRIMARY KEY);
SET enable_seqscan = off;
EXPLAIN (COSTS off) SELECT FROM orders WHERE id = iuid_reveal('646b8bbf-f574-4e2e-9aac-ba252c5f7fb2', :key);
RESET enable_seqscan;
DROP TABLE orders, far, hidden, given;
