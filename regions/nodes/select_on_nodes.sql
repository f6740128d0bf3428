--
-- Rows of several nodes
--

CREATE FUNCTION @extschema@.iuid_select_on_nodes("rows" anyelement, command pg_catalog.text, nodes pg_catalog.text[] DEFAULT NULL,
	timeout interval DEFAULT '3 seconds', skip_failed boolean DEFAULT false)
RETURNS SETOF anyelement
AS 'MODULE_PATHNAME', 'iuid_select_on_nodes'
LANGUAGE C VOLATILE PARALLEL UNSAFE
SUPPORT @extschema@.iuid_row_type_support;
COMMENT ON FUNCTION @extschema@.iuid_select_on_nodes(anyelement, pg_catalog.text, pg_catalog.text[], interval, boolean) IS
'rows of a query that nodes (NULL: all) run READ ONLY at the same time, in the row type of rows, by the names of columns; timeout: more than 0 to 1 day; a node that fails: its SQLSTATE, or a WARNING; 25006, 42703, 42804, and those of iuid_run_on_nodes (doc/regions.md)';

CREATE FUNCTION @extschema@.iuid_select_here(command pg_catalog.text, names pg_catalog.text[], types pg_catalog.text[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'iuid_select_here'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_select_here(pg_catalog.text, pg_catalog.text[], pg_catalog.text[]) IS
'internal: what iuid_select_on_nodes runs on each node: the rows of a query, which runs READ ONLY, as texts in the order of the names; 22004, 25006, 42703, 42804, 42809, 54000';
