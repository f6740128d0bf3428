--
-- A statement as the owner of a table
--

CREATE FUNCTION @extschema@.iuid_run_as_owner(tbl pg_catalog.regclass, command pg_catalog.text)
RETURNS void
AS 'MODULE_PATHNAME', 'iuid_run_as_owner'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_run_as_owner(pg_catalog.regclass, pg_catalog.text) IS 'runs one statement as the owner of a table, security-restricted, with search_path = pg_catalog, pg_temp; for roles that may SET ROLE to the owner (doc/partitions.md)';
