--
-- Rows in the row type of an argument
--

CREATE FUNCTION @extschema@.iuid_row_type_support(pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'iuid_row_type_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_row_type_support(pg_catalog.internal) IS
'internal: planner support of the functions that return rows of a given row type';
