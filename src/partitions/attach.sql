--
-- Attaching partitions, with the rows that wait for them
--

CREATE FUNCTION @extschema@.iuid_attach_partitions(parent pg_catalog.regclass, partitions pg_catalog.regclass[],
	lower pg_catalog.uuid[], upper pg_catalog.uuid[])
RETURNS void AS 'MODULE_PATHNAME', 'iuid_attach_partitions' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_attach_partitions(pg_catalog.regclass, pg_catalog.regclass[], pg_catalog.uuid[], pg_catalog.uuid[]) IS 'attaches tables as partitions between keys (NULL: no bound), and moves their rows out of the DEFAULT partition and of one without an end (doc/partitions.md)';
