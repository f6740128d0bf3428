-- iuid in SQL alone: identifiers that carry their time, country and entity, in columns of type uuid,
-- for servers where no extension in C may be installed.
--
--   psql -d shop -f iuid.sql
--
-- It needs CREATE on the database, and PostgreSQL 14 or later.  Everything is in the schema iuid_sql.
-- The names are those of the extension.  Without the extension, put that schema into the search_path.
-- Beside it, do not: the first schema of the path decides whether iuid is the domain or the type.
-- R1 and so on are the rules of doc/format.md.
--
-- Bodies that begin with RETURN are parsed here, under this search_path, so no caller's search_path
-- matters; and the planner can put them into the query.  PL/pgSQL is parsed when it runs, so its names,
-- types and operators are qualified.
BEGIN;
CREATE SCHEMA iuid_sql;
GRANT USAGE ON SCHEMA iuid_sql TO PUBLIC;
SET LOCAL search_path = pg_catalog;

-- Whether a uuid is an identifier (R5).
CREATE FUNCTION iuid_sql.iuid_is_valid(id uuid) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN get_byte(uuid_send(id), 6) >> 4 = 8 AND get_byte(uuid_send(id), 8) >> 6 = 2
	OR id IN ('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff');

-- For columns that shall have no other uuid.
CREATE DOMAIN iuid_sql.iuid AS uuid CHECK (iuid_sql.iuid_is_valid(VALUE));

-- --- Fields (R1, R4): NULL where an identifier has none, and for a uuid that is no identifier ---------

CREATE FUNCTION iuid_sql.iuid_layout(id uuid) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN get_byte(uuid_send(id), 6) >> 4 = 8 AND get_byte(uuid_send(id), 8) >> 6 = 2
	THEN get_byte(uuid_send(id), 6) & 15 END;

CREATE FUNCTION iuid_sql.iuid_country(id uuid) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN iuid_sql.iuid_layout(id) IN (0, 1) THEN get_byte(uuid_send(id), 7) END;

CREATE FUNCTION iuid_sql.iuid_entity(id uuid) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN iuid_sql.iuid_layout(id) IN (0, 1)
	THEN ((get_byte(uuid_send(id), 8) & 63) << 2) | (get_byte(uuid_send(id), 9) >> 6) END;

CREATE FUNCTION iuid_sql.iuid_random_bits(id uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN iuid_sql.iuid_layout(id) IN (0, 1)
	THEN ('x' || encode(substr(uuid_send(id), 9), 'hex'))::bit(64)::bigint & 18014398509481983 END;

-- Seconds and milliseconds apart, as a product of an interval has 53 bits.
CREATE FUNCTION iuid_sql.iuid_timestamp(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN iuid_sql.iuid_layout(id) = 0
	THEN (timestamp '1970-01-01'
		+ ('x' || encode(substr(uuid_send(id), 1, 6), 'hex'))::bit(48)::bigint / 1000 * interval '1 second'
		+ ('x' || encode(substr(uuid_send(id), 1, 6), 'hex'))::bit(48)::bigint % 1000 * interval '1 millisecond')
		AT TIME ZONE 'UTC' END;

CREATE FUNCTION iuid_sql.iuid_fields(id uuid, OUT "time" timestamptz, OUT country int, OUT entity int,
	OUT random bigint, OUT layout int)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ROW(iuid_sql.iuid_timestamp(id), iuid_sql.iuid_country(id), iuid_sql.iuid_entity(id),
	iuid_sql.iuid_random_bits(id), iuid_sql.iuid_layout(id));

-- --- Making -------------------------------------------------------------------------------------------

-- Internal: the bits of R1; the arguments fit.
CREATE FUNCTION iuid_sql.iuid_compose(ms bigint, country int, entity int, random bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (lpad(to_hex(ms), 12, '0') || '80' || lpad(to_hex(country), 2, '0')
	|| to_hex((-9223372036854775808)::bigint | (entity::bigint << 54) | random))::uuid;

-- Internal: what R6 refuses of country and entity.
CREATE FUNCTION iuid_sql.iuid_check_origin(country int, entity int) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
	IF country IS NULL OR entity IS NULL THEN
		RAISE EXCEPTION 'country and entity must not be null' USING ERRCODE = 'null_value_not_allowed';
	ELSIF country OPERATOR(pg_catalog.<) 0 OR country OPERATOR(pg_catalog.>) 255 THEN
		RAISE EXCEPTION 'country % is out of range for type iuid', country USING ERRCODE = 'invalid_parameter_value',
			DETAIL = 'The country is a number from 0 to 255.', HINT = 'Give each country a number of its own in that range.';
	ELSIF entity OPERATOR(pg_catalog.<) 0 OR entity OPERATOR(pg_catalog.>) 255 THEN
		RAISE EXCEPTION 'entity % is out of range for type iuid', entity USING ERRCODE = 'invalid_parameter_value',
			DETAIL = 'The entity is a number from 0 to 255.', HINT = 'Give each entity a number of its own in that range.';
	END IF;
END $$;

-- A new identifier.  The fraction is that of the clock's microsecond.  SQL remembers nothing, so
-- identifiers of one microsecond have no order, unlike R10.
CREATE FUNCTION iuid_sql.gen_iuid(country int, entity int) RETURNS uuid LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS $$
DECLARE
	microseconds bigint := pg_catalog.date_part('epoch'::pg_catalog.text, pg_catalog.clock_timestamp())
		OPERATOR(pg_catalog.*) 1000000::pg_catalog.float8;
	random bigint := ('x'::pg_catalog.text OPERATOR(pg_catalog.||)
		pg_catalog.right(pg_catalog.gen_random_uuid()::pg_catalog.text, 11))::pg_catalog.bit(44)::pg_catalog.int8;
BEGIN
	PERFORM iuid_sql.iuid_check_origin(country, entity);
	RETURN iuid_sql.iuid_compose(microseconds OPERATOR(pg_catalog./) 1000::pg_catalog.int8, country, entity,
		((microseconds OPERATOR(pg_catalog.%) 1000::pg_catalog.int8)
			OPERATOR(pg_catalog.*) 4096::pg_catalog.int8 OPERATOR(pg_catalog./) 1000::pg_catalog.int8)
			OPERATOR(pg_catalog.<<) 42 OPERATOR(pg_catalog.|) (random OPERATOR(pg_catalog.&) 4398046511103::pg_catalog.int8));
END $$;

-- A new identifier of a given time (R14).
CREATE FUNCTION iuid_sql.gen_iuid(country int, entity int, at timestamptz) RETURNS uuid
LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS $$
DECLARE
	ms numeric := pg_catalog.floor(
		pg_catalog.extract('epoch'::pg_catalog.text, pg_catalog.timezone('UTC'::pg_catalog.text, at))
		OPERATOR(pg_catalog.*) 1000::pg_catalog.numeric);
	random pg_catalog.text := pg_catalog.gen_random_uuid();
BEGIN
	PERFORM iuid_sql.iuid_check_origin(country, entity);
	IF at IS NULL THEN
		RAISE EXCEPTION 'time must not be null' USING ERRCODE = 'null_value_not_allowed';
	ELSIF ms OPERATOR(pg_catalog.<) 0::pg_catalog.numeric
		OR ms OPERATOR(pg_catalog.>) 281474976710655::pg_catalog.numeric THEN
		RAISE EXCEPTION 'time "%" is out of range for type iuid', at USING ERRCODE = 'datetime_field_overflow',
			DETAIL = 'An iuid has 48 bits for the milliseconds since 1970.';
	END IF;
	RETURN iuid_sql.iuid_compose(ms::pg_catalog.int8, country, entity,
		('x'::pg_catalog.text OPERATOR(pg_catalog.||) pg_catalog.left(random, 8)
			OPERATOR(pg_catalog.||) pg_catalog.right(random, 6))::pg_catalog.bit(56)::pg_catalog.int8
			OPERATOR(pg_catalog.&) 18014398509481983::pg_catalog.int8);
END $$;

-- Internal: the bits of a uuid of version 7 that an identifier keeps (R17).
CREATE FUNCTION iuid_sql.iuid_of_version_7(digits text, country int, entity int) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN iuid_sql.iuid_compose(('x' || left(digits, 12))::bit(48)::bigint, country, entity,
	(('x' || substr(digits, 14, 3))::bit(12)::bigint << 42)
	| ((('x' || substr(digits, 17))::bit(64)::bigint >> 20) & 4398046511103));

-- The identifier of a uuid of version 7, with its time and its order (R17, R19).
CREATE FUNCTION iuid_sql.iuid_from_uuid(id uuid, country int, entity int) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
	bytes pg_catalog.bytea := pg_catalog.uuid_send(id);
BEGIN
	IF id IS NULL THEN
		RETURN NULL;
	END IF;
	PERFORM iuid_sql.iuid_check_origin(country, entity);
	IF pg_catalog.get_byte(bytes, 6) OPERATOR(pg_catalog.>>) 4 OPERATOR(pg_catalog.<>) 7
		OR pg_catalog.get_byte(bytes, 8) OPERATOR(pg_catalog.>>) 6 OPERATOR(pg_catalog.<>) 2 THEN
		RAISE EXCEPTION 'uuid "%" has no time for an iuid', id USING ERRCODE = 'invalid_parameter_value',
			DETAIL = 'In SQL alone only UUIDs of version 7 are converted.';
	END IF;
	RETURN iuid_sql.iuid_of_version_7(pg_catalog.encode(bytes, 'hex'::pg_catalog.text), country, entity);
END $$;

-- --- Bounds ---------------------------------------------------------------------------------------------

-- The smallest identifier at or after a time (R8): id >= iuid_floor(now() - interval '1 day').
CREATE FUNCTION iuid_sql.iuid_floor(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN at AT TIME ZONE 'UTC' < timestamp '1970-01-01' THEN '00000000-0000-0000-0000-000000000000'::uuid
	WHEN at AT TIME ZONE 'UTC' > timestamp '10889-08-02 05:31:50.655' THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
	ELSE iuid_sql.iuid_compose(ceil(extract(epoch FROM at AT TIME ZONE 'UTC') * 1000)::bigint, 0, 0, 0) END;

COMMIT;
