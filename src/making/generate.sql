--
-- Making new identifiers
--

CREATE FUNCTION @extschema@.gen_iuid(country int, entity int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'gen_iuid'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.gen_iuid(country int, entity int) IS
'new identifier of this moment for a country and entity, 0-255 each (doc/format.md)';

CREATE FUNCTION @extschema@.gen_iuid(country int, entity int, at pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'gen_iuid_at'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.gen_iuid(country int, entity int, at pg_catalog.timestamptz) IS
'new identifier of a time, 1970 to 10889, rounded down to the millisecond, for a country and entity, 0-255 each (doc/format.md)';

CREATE FUNCTION @extschema@.gen_iuid(entity int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'gen_iuid_here'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.gen_iuid(entity int) IS
'new identifier of this moment for an entity, 0-255, and the country in the setting iuid.country (doc/format.md)';
