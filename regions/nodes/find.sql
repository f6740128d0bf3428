--
-- Rows by their identifiers, whatever the node
--

CREATE FUNCTION @extschema@.iuid_find("rows" anyelement, VARIADIC ids pg_catalog.uuid[])
RETURNS SETOF anyelement
AS 'MODULE_PATHNAME', 'iuid_find'
LANGUAGE C VOLATILE PARALLEL UNSAFE
SUPPORT @extschema@.iuid_row_type_support;
COMMENT ON FUNCTION @extschema@.iuid_find(anyelement, pg_catalog.uuid[]) IS
'rows of a table that have these ids, at most 10,000, from their nodes, all at once; rows: a NULL of its row type; a NULL id counts for none, the same id twice for one (doc/regions.md)';

CREATE FUNCTION @extschema@.iuid_find_here("table" pg_catalog.text, names pg_catalog.text[], types pg_catalog.text[],
	ids pg_catalog.uuid[], nodes pg_catalog.text[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'iuid_find_here'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_find_here(pg_catalog.text, pg_catalog.text[], pg_catalog.text[], pg_catalog.uuid[], pg_catalog.text[]) IS
'internal: what iuid_find runs READ ONLY on each node: the rows with the ids asked of this node, as texts; for an id that has another route here, that node in the place of values';
