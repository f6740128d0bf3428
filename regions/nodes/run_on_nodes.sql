--
-- Commands that run on several nodes at once
--

CREATE FUNCTION @extschema@.iuid_run_on_nodes(command pg_catalog.text, nodes pg_catalog.text[] DEFAULT NULL, timeout interval DEFAULT '3 seconds')
RETURNS TABLE (node pg_catalog.text, success boolean, result pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_run_on_nodes'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION @extschema@.iuid_run_on_nodes(pg_catalog.text, pg_catalog.text[], interval) IS
'runs one SQL statement on nodes (NULL: all) at the same time, in a transaction at each, and returns a row for each: success, and one value, command tag, or SQLSTATE and message; timeout: more than 0 to 1 day; 0A000, 22004, 22023, 42601, 55006, 57014, and those of a changed registry (doc/regions.md)';
