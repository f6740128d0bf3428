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
'named identifier (layout 1): country and entity, 0-255 each, and a BLAKE2b digest of a text, taken as UTF-8 in every database; the same input gives the same identifier; NULL for a NULL name; country or entity NULL: 22004, outside 0-255: 22023 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.text, at pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_text'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.text, at pg_catalog.timestamptz) IS
'identifier of a given time, rounded down to the millisecond (layout 0), whose random bits are the BLAKE2b digest of a text in UTF-8; NULL for a NULL name; country, entity or time NULL: 22004; a number outside 0-255: 22023; a time before 1970 or past 48 bits of milliseconds: 22008 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.bytea)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_bytea'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.bytea) IS
'named identifier (layout 1): country and entity, 0-255 each, and a BLAKE2b digest of bytes; the same input gives the same identifier; NULL for a NULL name; country or entity NULL: 22004, outside 0-255: 22023 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.bytea, at pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_bytea'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.bytea, at pg_catalog.timestamptz) IS
'identifier of a given time, rounded down to the millisecond (layout 0), whose random bits are a BLAKE2b digest of bytes; NULL for a NULL name; country, entity or time NULL: 22004; a number outside 0-255: 22023; a time before 1970 or past 48 bits of milliseconds: 22008 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_uuid(id pg_catalog.uuid, country int, entity int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_uuid'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_uuid(id pg_catalog.uuid, country int, entity int) IS
'identifier with the time of a uuid of version 1, 6 or 7 (RFC 9562, section 5); those of version 7 keep their order; the same input gives the same identifier; NULL for a NULL uuid; another version: 22023; a time before 1970: 22008; country or entity NULL: 22004, outside 0-255: 22023 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_uuid(id pg_catalog.uuid, country int, entity int, at pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_uuid'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_uuid(id pg_catalog.uuid, country int, entity int, at pg_catalog.timestamptz) IS
'identifier of a given time, rounded down to the millisecond, whose random bits are a BLAKE2b digest of a uuid; NULL for a NULL uuid; country, entity or time NULL: 22004; a number outside 0-255: 22023; a time before 1970 or past 48 bits of milliseconds: 22008 (doc/format.md)';
