--
-- The key of a table that is partitioned by identifiers
--

CREATE FUNCTION @extschema@.iuid_partition_key(parent pg_catalog.regclass, in_origin_order boolean, as_owner boolean, keep_lock boolean,
	OUT name pg_catalog.text, OUT is_uuid boolean, OUT by_origin boolean)
AS 'MODULE_PATHNAME', 'iuid_partition_key'
LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.iuid_partition_key(pg_catalog.regclass, boolean, boolean, boolean) IS 'internal: the key of a table partitioned by identifiers, by origin (true), by time (false), or either (NULL), for who may change the table as its owner, or may read it, locked SHARE UPDATE EXCLUSIVE for who asks as the owner; 42501, 25006, 42809, 42P01';
