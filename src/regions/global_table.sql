--
-- Global tables
--

CREATE FUNCTION @extschema@.iuid_create_global_table(global pg_catalog.text, local pg_catalog.regclass, entity int)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_global_table'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_global_table(pg_catalog.text, pg_catalog.regclass, int) IS
'makes a global table: a local table, with a foreign table for each country of another node; or makes it as the routes are now; returns what it made; the entity is 0-255; 22004, 22023, 25006, 42501, 42601, 42809, 42P01, 55000, 55P03, and those of a changed registry (doc/regions.md)';
