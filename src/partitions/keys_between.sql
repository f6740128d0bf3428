--
-- The keys of a partition, for who may see all rows of its parent
--

CREATE FUNCTION @extschema@.iuid_keys_between(partition pg_catalog.regclass, lower pg_catalog.uuid, upper pg_catalog.uuid,
	OUT rows bigint, OUT "least" pg_catalog.uuid, OUT "greatest" pg_catalog.uuid)
AS 'MODULE_PATHNAME', 'iuid_keys_between'
LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.iuid_keys_between(pg_catalog.regclass, pg_catalog.uuid, pg_catalog.uuid) IS 'internal: the number, the least and the greatest of the keys of a partition from lower up to upper (NULL: no bound) in byte order, for who may see all rows of its parent; NULL: 22004; 42501, 42809, 42P01';
