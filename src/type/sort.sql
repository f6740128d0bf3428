--
-- Sort support in both orders
--

CREATE FUNCTION @extschema@.iuid_sortsupport(pg_catalog.internal)
RETURNS pg_catalog.void
AS 'MODULE_PATHNAME', 'iuid_sortsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_sortsupport(pg_catalog.internal) IS
'internal: sort support in byte order, with abbreviated keys';

CREATE FUNCTION @extschema@.iuid_origin_sortsupport(pg_catalog.internal)
RETURNS pg_catalog.void
AS 'MODULE_PATHNAME', 'iuid_origin_sortsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_sortsupport(pg_catalog.internal) IS
'internal: sort support in order by origin, with abbreviated keys';
