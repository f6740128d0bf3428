--
-- Reading: the fields of an identifier
--
-- An iuid comes by its cast to uuid, which costs nothing.  With a second function for iuid,
-- the server could not choose one for a literal or a parameter.
--

CREATE FUNCTION @extschema@.iuid_timestamp(pg_catalog.uuid)
RETURNS pg_catalog.timestamptz
AS 'MODULE_PATHNAME', 'iuid_timestamp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_timestamp(pg_catalog.uuid) IS
'time of an identifier, 1970 to 10889, to the millisecond; NULL for layout 1, whose time bits are a digest, for the reserved layouts 2-15, Nil, Max and other UUIDs (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_country(pg_catalog.uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_country'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country(pg_catalog.uuid) IS
'country of an identifier, 0-255; NULL for the reserved layouts 2-15, Nil, Max and other UUIDs (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_entity(pg_catalog.uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_entity'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_entity(pg_catalog.uuid) IS
'entity of an identifier, 0-255; NULL for the reserved layouts 2-15, Nil, Max and other UUIDs (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_random_bits(pg_catalog.uuid)
RETURNS bigint
AS 'MODULE_PATHNAME', 'iuid_random_bits'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_random_bits(pg_catalog.uuid) IS
'random bits of an identifier, 0 to 2^54 - 1; NULL for the reserved layouts 2-15, Nil, Max and other UUIDs (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_layout(pg_catalog.uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_layout'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_layout(pg_catalog.uuid) IS
'layout of an identifier, 0-15: 0 has a time, 1 is derived from a name, the others are reserved; NULL for Nil, Max and other UUIDs (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_fields(pg_catalog.uuid, OUT "time" pg_catalog.timestamptz, OUT country int,
	OUT entity int, OUT random bigint, OUT layout int)
AS 'MODULE_PATHNAME', 'iuid_fields'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_fields(pg_catalog.uuid) IS
'all fields of an identifier as one record, each as iuid_timestamp, iuid_country, iuid_entity, iuid_random_bits and iuid_layout return it';

-- The cast has a function of its own: pg_upgrade from PostgreSQL 15 makes it before the cast to uuid.
CREATE FUNCTION @extschema@.iuid_to_timestamptz(@extschema@.iuid)
RETURNS pg_catalog.timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$SELECT @extschema@.iuid_timestamp($1::pg_catalog.uuid)$$;
COMMENT ON FUNCTION @extschema@.iuid_to_timestamptz(@extschema@.iuid) IS
'internal: time of an identifier, for the cast, which is planned as iuid_timestamp';

CREATE CAST (@extschema@.iuid AS pg_catalog.timestamptz) WITH FUNCTION @extschema@.iuid_to_timestamptz(@extschema@.iuid);
COMMENT ON CAST (@extschema@.iuid AS pg_catalog.timestamptz) IS
'time of an identifier, as iuid_timestamp returns it';
