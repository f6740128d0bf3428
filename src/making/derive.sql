--
-- Deriving identifiers: the same input gives the same identifier
--
-- A NULL name or uuid gives NULL, as there is nothing to derive from.
--

CREATE FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.text)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_text'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.text) IS
'identifier without a time (layout 1) of a country and entity, 0-255 each, and a BLAKE2b digest of a text as UTF-8; the same input gives the same identifier; NULL for a NULL name (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.text, at pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_text'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.text, at pg_catalog.timestamptz) IS
'identifier of a time, 1970 to 10889, rounded down to the millisecond, country and entity, 0-255 each, and a BLAKE2b digest of a text as UTF-8; NULL for a NULL name (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.bytea)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_bytea'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.bytea) IS
'identifier without a time (layout 1) of a country and entity, 0-255 each, and a BLAKE2b digest of bytes; the same input gives the same identifier; NULL for a NULL name (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.bytea, at pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_bytea'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.bytea, at pg_catalog.timestamptz) IS
'identifier of a time, 1970 to 10889, rounded down to the millisecond, country and entity, 0-255 each, and a BLAKE2b digest of bytes; NULL for a NULL name (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_uuid(id pg_catalog.uuid, country int, entity int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_uuid'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_uuid(id pg_catalog.uuid, country int, entity int) IS
'identifier with the time of a uuid of version 1, 6 or 7, and the order of those of version 7; country and entity: 0-255 each; NULL for a NULL uuid (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_uuid(id pg_catalog.uuid, country int, entity int, at pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_uuid'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_uuid(id pg_catalog.uuid, country int, entity int, at pg_catalog.timestamptz) IS
'identifier of a time, 1970 to 10889, rounded down to the millisecond, country and entity, 0-255 each, and a BLAKE2b digest of a uuid; NULL for a NULL uuid (doc/format.md)';
