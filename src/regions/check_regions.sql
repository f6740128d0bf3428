--
-- Global tables: checking them
--

CREATE FUNCTION @extschema@.iuid_check_regions(global pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, country int, node pg_catalog.text, detail pg_catalog.text, hint pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_check_regions'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION @extschema@.iuid_check_regions(pg_catalog.regclass) IS
'faults of a table over all regions, here and at the other nodes, one row for each, with what to enter; no row: healthy; the other nodes are asked as by iuid_run_on_nodes; 22004, 22023, 42501, 42809, 42P01, and those of a registry that was changed (doc/regions.md)';
