--
-- Whether a UUID is an iuid
--

CREATE FUNCTION @extschema@.iuid_is_valid_support(pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'iuid_is_valid_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_is_valid_support(pg_catalog.internal) IS
'internal: planner support for iuid_is_valid: expects it of every row';

CREATE FUNCTION @extschema@.iuid_is_valid(pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_is_valid_uuid'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_is_valid_support;
COMMENT ON FUNCTION @extschema@.iuid_is_valid(pg_catalog.uuid) IS
'whether a UUID is an iuid: of version 8 and variant 10, or Nil or Max; for a CHECK of a column of type uuid (doc/columns.md)';

CREATE FUNCTION @extschema@.iuid_is_valid_beside(pg_catalog.uuid, bound @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_is_valid_beside'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_is_valid_support;
COMMENT ON FUNCTION @extschema@.iuid_is_valid_beside(pg_catalog.uuid, @extschema@.iuid) IS
'internal: iuid_is_valid beside a bound of iuid_is_from that is not known before: NULL if the bound is';
