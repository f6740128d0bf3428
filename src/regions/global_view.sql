--
-- Global views: the rows of all nodes
--

CREATE FUNCTION @extschema@.iuid_create_global_view(global pg_catalog.text, local pg_catalog.regclass)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_global_view'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_global_view(pg_catalog.text, pg_catalog.regclass) IS
'makes a view over the rows of all nodes: the column node, and all columns of the local table, from the local table and from a read-only foreign table <global>_<node> for each other node of iuid_nodes; a query of the view sends one query to each node; a later call makes the view as the registry and the columns are then; returns what it made; the owner of the local table owns it, and needs USAGE on the servers; NULL: 22004, an iuid.node that is not set or not registered, or a node without server: 22023, no such table: 42P01, a local relation that is no table: 42809, a column named node: 42701, a caller without the rights of the owner: 42501, a name that is taken: 42P07, a column that has another type now: 42P16, a name of more than two parts: 42601, locks that cannot be taken within lock_timeout, or a minute: 55P03, a read-only transaction, also that of a standby: 25006; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/regions.md)';
