-- Making identifiers: what one costs over an empty generate_series, in one session
\getenv folder BENCH_FOLDER
\set floor :folder /floor
CREATE FUNCTION bench_floor() RETURNS iuid AS :'floor', 'bench_floor' LANGUAGE c VOLATILE;
CREATE SEQUENCE plain;
CREATE SEQUENCE cached CACHE 1000;

SELECT format('CREATE EXTENSION %I', name) FROM pg_available_extensions WHERE name IN ('pg_uuidv7', 'timescaledb')
\gexec

-- The same 128 bits, as they are made without this extension.
CREATE FUNCTION built() RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	bytes bytea;
BEGIN
	bytes := overlay(gen_random_bytes(16) PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6);
	bytes := set_byte(set_byte(bytes, 6, 128), 7, 7);
	bytes := set_byte(set_byte(bytes, 8, 128), 9, 64 | (get_byte(bytes, 9) & 63));
	RETURN encode(bytes, 'hex')::uuid;
END $$;

SELECT bench.compare(format('%s identifiers', bench.shown(way.ids)), array_agg(name ORDER BY place), array_agg(format('SELECT count(%s) FROM generate_series(1, %s)', call, ids) ORDER BY place),
	baseline => format('SELECT count(1) FROM generate_series(1, %s)', ids), things => ids)
FROM (VALUES
	(1, 'gen_iuid', 'gen_iuid(7, 1)', :million, true),
	(2, 'the clock and 16 bytes in C', 'bench_floor()', :million, true),
	(3, 'nextval, cache 1,000', $$nextval('cached')$$, :million, true),
	(4, 'nextval', $$nextval('plain')$$, :million, true),
	(5, 'gen_random_uuid', 'gen_random_uuid()', :million, true),
	(6, 'uuidv7 of PostgreSQL 18', 'uuidv7()', :million, to_regprocedure('uuidv7()') IS NOT NULL),
	(7, 'uuid_generate_v7 of pg_uuidv7', 'uuid_generate_v7()', :million, to_regprocedure('uuid_generate_v7()') IS NOT NULL),
	(8, 'generate_uuidv7 of TimescaleDB', 'generate_uuidv7()', :million, to_regprocedure('generate_uuidv7()') IS NOT NULL),
	(1, 'gen_iuid', 'gen_iuid(7, 1)', :million / 10, true),
	(2, 'gen_random_bytes and overlay in PL/pgSQL', 'built()', :million / 10, true)
) AS way(place, name, call, ids, here)
WHERE here GROUP BY ids ORDER BY ids DESC;
-- What it makes is of the same country and entity.
DO $$ BEGIN ASSERT (SELECT (iuid_country(id), iuid_entity(id)) = (7, 1) FROM (SELECT built()::iuid AS id) AS x); END $$;
