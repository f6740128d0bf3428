--
-- Global views: the rows of all nodes
--

CREATE FUNCTION @extschema@.iuid_create_global_view(global pg_catalog.text, local pg_catalog.regclass)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_global_view'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_global_view(pg_catalog.text, pg_catalog.regclass) IS
'makes a view over the rows of all nodes, with the column node, or changes it to the nodes and columns as they are; returns what it made; 22004, 22023, 25006, 42501, 42601, 42701, 42809, 42P01, 42P07, 42P16, 55000, 55P03, and those of a changed registry (doc/regions.md)';
