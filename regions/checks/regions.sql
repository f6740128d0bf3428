--
-- Checking the nodes: all checks
--

CREATE FUNCTION @extschema@.iuid_check_regions(global pg_catalog.regclass DEFAULT NULL)
RETURNS TABLE (problem pg_catalog.text, relation pg_catalog.regclass, country int, node pg_catalog.text, detail pg_catalog.text, remedy pg_catalog.text)
LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 10 SET jit = off
BEGIN ATOMIC
	SELECT @extschema@.iuid_check_node();
	SELECT @extschema@.iuid_refuse_global(global) WHERE global IS NOT NULL AND NOT EXISTS (SELECT FROM @extschema@.iuid_global_locals(global));
	SELECT * FROM @extschema@.iuid_check_countries_here(global)
	UNION ALL SELECT * FROM @extschema@.iuid_check_countries_elsewhere(global)
	UNION ALL SELECT * FROM @extschema@.iuid_check_views(global)
	UNION ALL SELECT * FROM @extschema@.iuid_check_servers()
	UNION ALL SELECT * FROM @extschema@.iuid_check_nodes(global)
	UNION ALL SELECT * FROM @extschema@.iuid_check_hosts();
END;
COMMENT ON FUNCTION @extschema@.iuid_check_regions(pg_catalog.regclass) IS
'faults of a global table or view, or of all that the caller may read, of the registry and of the nodes, with a statement as the remedy; no row: no fault (doc/reference.md)';
