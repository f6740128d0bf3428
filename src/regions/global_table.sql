--
-- Global tables: one over all regions
--

CREATE FUNCTION @extschema@.iuid_create_global_table(global pg_catalog.text, local pg_catalog.regclass, entity int)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_global_table'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_global_table(pg_catalog.text, pg_catalog.regclass, int) IS
'makes a table over all regions, of which the local table is the DEFAULT partition, and each country that is routed elsewhere a foreign table <global>_c<country> on <local>_c<country> there; run again, adds what is missing; gives what it made, all of it of the owner of the local table, who needs USAGE on the servers; NULL: 22004, no iuid.node, one that is not registered, a node without server, or an entity outside 0-255: 22023, no such table: 42P01, a table that is not in country order: 42809, not the owner''s rights: 42501, a global table that has another DEFAULT partition: 55000, a name of more than two parts: 42601 (doc/regions.md)';
