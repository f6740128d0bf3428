-- What goes in comes out.  The oracle is arithmetic on the bytes of core's uuid.
SET timezone = 'UTC';

CREATE TEMP TABLE made AS
SELECT country, entity, gen_iuid(country, entity) AS id
FROM generate_series(0, 255) AS country, generate_series(0, 255) AS entity;

SELECT count(*), count(DISTINCT id),
	bool_and(iuid_country(id) = country) AS country, bool_and(iuid_entity(id) = entity) AS entity
FROM made;

-- each field where the format puts it
SELECT bool_and(get_byte(b, 6) = 128) AS version_and_layout,
	bool_and(get_byte(b, 7) = country) AS country,
	bool_and(get_byte(b, 8) >> 6 = 2) AS variant,
	bool_and((get_byte(b, 8) & 63) * 4 + (get_byte(b, 9) >> 6) = entity) AS entity,
	bool_and((get_byte(b, 9) & 63)::bigint * 281474976710656 + ('x' || encode(substr(b, 11), 'hex'))::bit(48)::bigint
		= iuid_random_bits(id)) AS random,
	bool_and(to_timestamp(('x' || encode(substr(b, 1, 6), 'hex'))::bit(48)::bigint / 1000.0) = iuid_timestamp(id)) AS time,
	bool_and(iuid_layout(id) = 0) AS layout
FROM made, uuid_send(id) AS b;

SELECT min(iuid_random_bits(id)) >= 0 AND max(iuid_random_bits(id)) < 2::numeric ^ 54 AS random_in_range FROM made;

-- times, from the first to the last, rounded down to the millisecond
SELECT at, iuid_timestamp(gen_iuid(255, 255, at)),
	substr(gen_iuid(255, 255, at)::text, 1, 21) AS id
FROM (VALUES (timestamptz '1970-01-01 00:00:00'), ('1970-01-01 00:00:00.000999'), ('1999-12-31 23:59:59.999'),
	('2000-01-01 00:00:00'), ('2026-01-01 00:00:00.123456'), ('10889-08-02 05:31:50.655999')) AS v(at);

-- a record of all fields; the named layout has no time, and reserved layouts only say so
SELECT id, f.* FROM (VALUES
	('019b7612-3c00-8007-8041-23456789abcd'::iuid),
	('019b7612-3c00-8107-8041-23456789abcd'),
	('019b7612-3c00-8207-8041-23456789abcd'),
	('019b7612-3c00-8f07-8041-23456789abcd'),
	('00000000-0000-0000-0000-000000000000'),
	('ffffffff-ffff-ffff-ffff-ffffffffffff'),
	(NULL)) AS v(id), iuid_fields(id) AS f;
SELECT count(*) AS disagreements FROM made, iuid_fields(id) AS f
WHERE (f.time, f.country, f.entity, f.random, f.layout)
	IS DISTINCT FROM (iuid_timestamp(id), iuid_country(id), iuid_entity(id), iuid_random_bits(id), iuid_layout(id));

-- immutable enough for generated columns, expression indexes and policies
CREATE TABLE reading (id iuid PRIMARY KEY,
	country int GENERATED ALWAYS AS (iuid_country(id)) STORED,
	born timestamptz GENERATED ALWAYS AS (iuid_timestamp(id)) STORED);
CREATE INDEX reading_entity ON reading (iuid_entity(id));
INSERT INTO reading VALUES ('019b7612-3c00-8007-8041-23456789abcd');
TABLE reading;

-- leakproof: the key's index serves a row-level security policy's user
CREATE ROLE regress_iuid_reader;
GRANT SELECT ON reading TO regress_iuid_reader;
ALTER TABLE reading ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_country ON reading USING (country = 7);
SET ROLE regress_iuid_reader;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM reading WHERE id = '019b7612-3c00-8007-8041-23456789abcd';
EXPLAIN (COSTS OFF) SELECT * FROM reading WHERE id >= timestamptz '2026-01-01';
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM reading WHERE iuid_entity(id) = 1;
RESET ROLE;
DROP TABLE reading;
DROP ROLE regress_iuid_reader;
