--
-- Estimates: how many rows a range of identifiers has
--

CREATE FUNCTION @extschema@.iuid_rangesel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, int)
RETURNS pg_catalog.float8
AS 'MODULE_PATHNAME', 'iuid_rangesel'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_rangesel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, int) IS
'internal: estimator of < <= >= > in byte order: the part of the rows within a bound, 0-1, given the bounds before it';
