--
-- Statistics: what ANALYZE collects about a column
--

CREATE FUNCTION @extschema@.iuid_typanalyze(pg_catalog.internal)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_typanalyze'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_typanalyze(pg_catalog.internal) IS
'internal: what ANALYZE collects about a column: core''s statistics, and how many rows each country and entity has';
