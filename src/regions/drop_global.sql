--
-- Dropping global tables and views
--

CREATE FUNCTION @extschema@.iuid_drop_global_table(global pg_catalog.regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'iuid_drop_global_table'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_drop_global_table(pg_catalog.regclass) IS
'drops a table or a view over all regions with its foreign tables; of a table, detaches the local table first, which stays with its rows; NULL: 22004, no such table: 42P01, a relation that is no such table or view: 42809, a caller without the rights of the owner: 42501, a view or anything else that needs it: 2BP01, locks that cannot be taken within lock_timeout, or a minute: 55P03, a read-only transaction, also that of a standby: 25006 (doc/regions.md)';
