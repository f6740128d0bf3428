-- iuid_regions: from version 1.0 to 1.1

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION iuid_regions UPDATE" to load this file. \quit

CREATE FUNCTION @extschema@.gen_iuid(entity pg_catalog.text)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'gen_iuid_registered_here'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.gen_iuid(entity pg_catalog.text) IS
'new identifier of this moment, for the entity with a registered key and the country in the setting iuid.country; NULL: 22004; not registered, or iuid.country not set: 22023; a clock outside 48 bits of milliseconds: 22008; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/registry.md)';

COMMENT ON FUNCTION @extschema@.iuid_create_global_table(pg_catalog.text, pg_catalog.regclass, int) IS
'makes a table over all regions: the local table becomes its DEFAULT partition, and each country that is routed to another node becomes a foreign table <global>_c<country>, on the view <local>_c<country>_e<entity> of that node; a later call makes the foreign tables as the routes are then: makes what is missing, puts that of a country which moved on its new server, drops that of a country which is here now; returns the tables that it made; the owner of the local table owns them, and needs USAGE on the servers; NULL: 22004, an iuid.node that is not set or not registered, a node without server, or an entity outside 0-255: 22023, no such table: 42P01, a table that is not in country order: 42809, a caller without the rights of the owner: 42501, a global table that has another DEFAULT partition, or rows here of a country that is routed elsewhere: 55000, a name of more than two parts: 42601, locks that cannot be taken within lock_timeout, or a minute: 55P03, a read-only transaction, also that of a standby: 25006; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/regions.md)';

COMMENT ON FUNCTION @extschema@.iuid_create_global_view(pg_catalog.text, pg_catalog.regclass) IS
'makes a view over the rows of all nodes: the column node, and all columns of the local table, from the local table and from a read-only foreign table <global>_<node> for each other node of iuid_nodes; a query of the view sends one query to each node; a later call makes the view as the registry and the columns are then; returns what it made; the owner of the local table owns it, and needs USAGE on the servers; NULL: 22004, an iuid.node that is not set or not registered, or a node without server: 22023, no such table: 42P01, a local relation that is no table: 42809, a column named node: 42701, a caller without the rights of the owner: 42501, a name that is taken: 42P07, a column that has another type now: 42P16, a name of more than two parts: 42601, locks that cannot be taken within lock_timeout, or a minute: 55P03, a read-only transaction, also that of a standby: 25006; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/regions.md)';

COMMENT ON FUNCTION @extschema@.iuid_drop_global_table(pg_catalog.regclass) IS
'drops a table or a view over all regions with its foreign tables; of a table, detaches the local table first, which stays with its rows; NULL: 22004, no such table: 42P01, a relation that is no such table or view: 42809, a caller without the rights of the owner: 42501, a view or anything else that needs it: 2BP01, locks that cannot be taken within lock_timeout, or a minute: 55P03, a read-only transaction, also that of a standby: 25006 (doc/regions.md)';
