--
-- Commands on several nodes at once, and rows of several nodes
--

CREATE FUNCTION @extschema@.iuid_run_on_nodes(command pg_catalog.text, nodes pg_catalog.text[] DEFAULT NULL, timeout interval DEFAULT '3 seconds')
RETURNS TABLE (node pg_catalog.text, success boolean, result pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_run_on_nodes'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION @extschema@.iuid_run_on_nodes(pg_catalog.text, pg_catalog.text[], interval) IS
'runs one SQL statement on nodes (NULL: all) at the same time, in a transaction each; a row for each: success, and one value, command tag, or SQLSTATE and message; timeout: up to 1 day (doc/regions.md)';

CREATE FUNCTION @extschema@.iuid_run_on_hosts(command pg_catalog.text, timeout interval)
RETURNS TABLE (node pg_catalog.text, success boolean, result pg_catalog.text, host pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_run_on_hosts'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION @extschema@.iuid_run_on_hosts(pg_catalog.text, interval) IS
'internal: the same on each host of the other nodes whose servers have several hosts, whichever of them the server''s options would choose';

CREATE FUNCTION @extschema@.iuid_select_on_nodes("rows" anyelement, command pg_catalog.text, nodes pg_catalog.text[] DEFAULT NULL,
	timeout interval DEFAULT '3 seconds', skip_failed boolean DEFAULT false)
RETURNS SETOF anyelement
AS 'MODULE_PATHNAME', 'iuid_select_on_nodes'
LANGUAGE C VOLATILE PARALLEL UNSAFE
SUPPORT @extschema@.iuid_row_type_support;
COMMENT ON FUNCTION @extschema@.iuid_select_on_nodes(anyelement, pg_catalog.text, pg_catalog.text[], interval, boolean) IS
'rows of a query that nodes (NULL: all) run READ ONLY at the same time, in the row type of rows, by the names of columns; skip_failed: a WARNING if a node fails; timeout: up to 1 day (doc/regions.md)';

CREATE FUNCTION @extschema@.iuid_select_here(command pg_catalog.text, names pg_catalog.text[], types pg_catalog.text[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'iuid_select_here'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_select_here(pg_catalog.text, pg_catalog.text[], pg_catalog.text[]) IS
'internal: what iuid_select_on_nodes runs on each node: the rows of a query, which runs READ ONLY, as texts in the order of the names; 22004, 25006, 42703, 42804, 42809, 54000';
