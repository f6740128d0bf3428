--
-- Dropping global tables and views
--

CREATE FUNCTION @extschema@.iuid_drop_global(global pg_catalog.regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'iuid_drop_global'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_drop_global(pg_catalog.regclass) IS
'drops a global table or a global view with its foreign tables; the local table is detached, and stays with its rows; 22004, 25006, 2BP01, 42501, 42809, 42P01, 55000, 55P03 (doc/regions.md)';
