--
-- Listing time partitions
--
-- What reads has a body that holds our functions themselves, and below it a text that
-- reads catalogs and calls none of ours.
--

CREATE FUNCTION @extschema@.iuid_partition_sizes(parent pg_catalog.regclass)
RETURNS TABLE (partition pg_catalog.regclass, estimated_rows bigint, bytes bigint)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH RECURSIVE below (partition, oid) AS (
		SELECT i.inhrelid, i.inhrelid FROM pg_inherits AS i WHERE i.inhparent = parent
		UNION ALL SELECT b.partition, i.inhrelid FROM below AS b JOIN pg_inherits AS i ON i.inhparent = b.oid)
	SELECT b.partition, trunc(sum(c.reltuples::float8) FILTER (WHERE c.relkind <> 'p' AND c.reltuples >= 0))::bigint, sum(s.bytes)::bigint
	FROM below AS b JOIN pg_class AS c ON c.oid = b.oid, pg_total_relation_size(b.oid) AS s (bytes) GROUP BY b.partition
	-- The size is NULL for a table that another session has dropped meanwhile.
	HAVING NOT bool_or(b.oid = b.partition AND s.bytes IS NULL)
$$;
COMMENT ON FUNCTION @extschema@.iuid_partition_sizes(pg_catalog.regclass) IS 'internal: the rows and bytes of each partition, with what is below it';

CREATE FUNCTION @extschema@.iuid_partitions(parent pg_catalog.regclass)
RETURNS TABLE (partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz, is_default boolean,
	estimated_rows bigint, bytes bigint)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT @extschema@.iuid_partition_key(parent, false, false, false);
	SELECT b.partition, CASE WHEN NOT b.is_default THEN @extschema@.iuid_shown_time(b.lower, '-infinity'::pg_catalog.timestamptz) END,
		CASE WHEN NOT b.is_default THEN @extschema@.iuid_shown_time(b.upper, 'infinity'::pg_catalog.timestamptz) END, b.is_default, s.estimated_rows, s.bytes
	FROM @extschema@.iuid_partition_bounds(parent) AS b JOIN @extschema@.iuid_partition_sizes(parent) AS s ON s.partition OPERATOR(pg_catalog.=) b.partition
	WHERE NOT b.is_pending ORDER BY b.is_default, b.lower NULLS FIRST;
END;
COMMENT ON FUNCTION @extschema@.iuid_partitions(pg_catalog.regclass) IS 'time partitions in order, DEFAULT last: bounds as times (infinite for MINVALUE and MAXVALUE), rows as ANALYZE or VACUUM estimated them (NULL: never), bytes with indexes and TOAST (doc/partitions.md)';
