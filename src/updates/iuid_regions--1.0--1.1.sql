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

COMMENT ON FUNCTION @extschema@.iuid_check_regions(pg_catalog.regclass) IS
'faults of a table over all regions, one row for each, with what to enter: countries without a route, partition, CHECK, view or foreign table, or in another place than the routes say, servers without the option extensions, and what the other nodes say: no answer within connect_timeout, a missing view or table, or one with other columns, a strange answer, an extension that is missing, in another schema or of another version, another registry, a clock that differs by more than a second; no row = healthy; the other nodes are asked as by iuid_run_on_nodes; NULL: 22004, an iuid.node that is not set or not registered: 22023, no such table: 42P01, a table that is not a global table: 42809, a table or a registry that the caller may not read: 42501; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/regions.md)';

COMMENT ON FUNCTION @extschema@.iuid_registry_changed() IS
'internal: trigger of the registry tables: makes every session read them again; called by another trigger: 39P01 (doc/registry.md)';
REVOKE ALL ON FUNCTION @extschema@.iuid_registry_changed() FROM PUBLIC;

COMMENT ON FUNCTION @extschema@.iuid_require_node() IS
'internal: trigger of iuid_routes: 23503 for a route to a node that is not in iuid_nodes, unless check_function_bodies is off, as it is while a dump is restored; table iuid_nodes is missing: 42P01; called by another trigger: 39P01 (doc/registry.md)';
REVOKE ALL ON FUNCTION @extschema@.iuid_require_node() FROM PUBLIC;

COMMENT ON FUNCTION @extschema@.iuid_keep_node() IS
'internal: trigger of iuid_nodes: gives the routes of a node its new name; a node with routes is deleted or truncated: 23503; table iuid_routes is missing: 42P01; called by another trigger: 39P01 (doc/registry.md)';
REVOKE ALL ON FUNCTION @extschema@.iuid_keep_node() FROM PUBLIC;

COMMENT ON FUNCTION @extschema@.iuid_run_on_nodes(pg_catalog.text, pg_catalog.text[], interval) IS
'runs one SQL statement on nodes, on all at the same time, as the current user, and returns a row for each; nodes NULL, the default: all of iuid_nodes; a timeout is more than 0, and 1 day at most; the answer is one text: the one column of the one row, NULL for no row, or the command tag of a command without rows; a node that is down, refuses, fails, gives more than one value or does not answer within the timeout is a row with success = false, and with the SQLSTATE and the message as result; what was sent to it may have run, or run still for a second or two; needs for each other node the postgres_fdw server and user mapping of the current user, with a password unless the user is a superuser; the connections stay open for the session, with what SET, PREPARE or LISTEN left there; the answers are not of one snapshot, and it is not one transaction: each other node commits for itself, and what it did stays when the caller rolls back, while iuid.node runs the command in the caller''s transaction; command, timeout or the name of a node NULL: 22004, a node that is not registered, an iuid.node that is not set or not registered, or a timeout out of range: 22023, not exactly one statement: 42601, transaction control, or COPY from or to the client: 0A000, a command that calls the function at this node: 55006, a cancel: 57014; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/regions.md)';
