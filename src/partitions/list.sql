--
-- Listing time partitions
--

CREATE FUNCTION @extschema@.iuid_listed_partitions(parent pg_catalog.regclass)
RETURNS TABLE (partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz, is_default boolean,
	estimated_rows bigint, bytes bigint)
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM @extschema@.iuid_partition_key(parent, false, false);
	-- pg_total_relation_size() is NULL for a table that another session has dropped meanwhile.
	RETURN QUERY
	WITH listed AS (
		SELECT * FROM @extschema@.iuid_partition_bounds(parent) WITH ORDINALITY AS b (partition, lower, upper, is_default, is_pending, n)
		WHERE NOT b.is_pending),
	size AS (
		SELECT l.partition, sum(s.bytes)::bigint AS bytes, bool_or(t.oid = l.partition AND s.bytes IS NULL) AS is_dropped,
			trunc(sum(c.reltuples::float8) FILTER (WHERE c.relkind <> 'p' AND c.reltuples >= 0))::bigint AS estimated_rows
		FROM listed AS l, @extschema@.iuid_tables_below(ARRAY[l.partition::oid]) AS t (oid) JOIN pg_class AS c ON c.oid = t.oid,
			pg_total_relation_size(t.oid) AS s (bytes) GROUP BY l.partition)
	SELECT l.partition, CASE WHEN NOT l.is_default THEN @extschema@.iuid_shown_time(l.lower, '-infinity'::timestamptz) END,
		CASE WHEN NOT l.is_default THEN @extschema@.iuid_shown_time(l.upper, 'infinity'::timestamptz) END, l.is_default, s.estimated_rows, s.bytes
	FROM listed AS l JOIN size AS s ON s.partition = l.partition AND NOT s.is_dropped
	ORDER BY l.n;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_listed_partitions(pg_catalog.regclass) IS 'internal: what iuid_partitions lists';

CREATE FUNCTION @extschema@.iuid_partitions(parent pg_catalog.regclass)
RETURNS TABLE (partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz, is_default boolean,
	estimated_rows bigint, bytes bigint)
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT @extschema@.iuid_check_schema();
	SELECT * FROM @extschema@.iuid_listed_partitions(parent);
END;
COMMENT ON FUNCTION @extschema@.iuid_partitions(pg_catalog.regclass) IS 'time partitions of a table in order, the DEFAULT partition last: bounds as times (infinite for MINVALUE and MAXVALUE, NULL for DEFAULT), rows as ANALYZE or VACUUM estimated them (NULL if never), bytes with indexes and TOAST; 42501, 42809, 42P01 (doc/partitions.md)';
