--
-- Global tables: checking them
--

CREATE FUNCTION @extschema@.iuid_check_regions(global pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, country int, node pg_catalog.text, detail pg_catalog.text, hint pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_check_regions'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION @extschema@.iuid_check_regions(pg_catalog.regclass) IS
'faults of a table over all regions, one row for each, with what to enter: countries without a route, partition, CHECK, view or foreign table, or in another place than the routes say, servers without the option extensions, and what the other nodes say: no answer within connect_timeout, a missing view or table, or one with other columns, a strange answer, an extension that is missing, in another schema or of another version, another registry, a clock that differs by more than a second; no row = healthy; the other nodes are asked as by iuid_run_on_nodes; NULL: 22004, an iuid.node that is not set or not registered: 22023, no such table: 42P01, a table that is not a global table: 42809, a table or a registry that the caller may not read: 42501; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/regions.md)';
