--
-- Global tables: a table over all regions
--

CREATE FUNCTION @extschema@.iuid_create_global_table(global pg_catalog.text, local pg_catalog.regclass, entity int)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_global_table'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_global_table(pg_catalog.text, pg_catalog.regclass, int) IS
'makes a table over all regions: the local table becomes its DEFAULT partition, and each country that is routed to another node becomes a foreign table <global>_c<country>, on the view <local>_c<country>_e<entity> of that node; a later call makes the foreign tables as the routes are then: makes what is missing, puts that of a country which moved on its new server, drops that of a country which is here now; returns the tables that it made; the owner of the local table owns them, and needs USAGE on the servers; NULL: 22004, an iuid.node that is not set or not registered, a node without server, or an entity outside 0-255: 22023, no such table: 42P01, a table that is not in country order: 42809, a caller without the rights of the owner: 42501, a global table that has another DEFAULT partition, or rows here of a country that is routed elsewhere: 55000, a name of more than two parts: 42601, locks that cannot be taken within lock_timeout, or a minute: 55P03, a read-only transaction, also that of a standby: 25006; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/regions.md)';
