--
-- Global tables: checking them
--

CREATE FUNCTION @extschema@.iuid_check_regions(global pg_catalog.regclass DEFAULT NULL)
RETURNS TABLE (problem pg_catalog.text, relation pg_catalog.regclass, country int, node pg_catalog.text, detail pg_catalog.text, hint pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_check_regions'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION @extschema@.iuid_check_regions(pg_catalog.regclass) IS
'faults of a global table or view, or of all that the caller may read, and of registry, subscriptions, slots and user mappings, here and at the other nodes, with what to enter; no row: healthy; asks as iuid_run_on_nodes; 22023, 42501, 42809, 42P01, and of a changed registry (doc/regions.md)';
