--
-- Listing time partitions
--
-- A call of an own function has exactly the types of its arguments: whoever owns the
-- schema can add another one that fits better.
--

-- Who waits for the table can lose the right to read it meanwhile.
CREATE FUNCTION @extschema@.iuid_key_for_reader(parent pg_catalog.regclass,
	OUT name pg_catalog.text, OUT is_uuid boolean, OUT by_origin boolean)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF has_table_privilege(parent, 'SELECT') IS NOT FALSE THEN
		SELECT k.name, k.is_uuid, k.by_origin INTO name, is_uuid, by_origin FROM @extschema@.iuid_partition_key(parent) AS k;
	END IF;
	IF has_table_privilege(parent, 'SELECT') IS FALSE THEN
		RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
			MESSAGE = format('permission denied for table %s', (SELECT c.relname FROM pg_class AS c WHERE c.oid = parent));
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_key_for_reader(pg_catalog.regclass) IS 'internal: iuid_partition_key, for who may SELECT from the table; 42501, 42809, 42P01';

CREATE FUNCTION @extschema@.iuid_shown_time(bound pg_catalog.uuid, without pg_catalog.timestamptz)
RETURNS pg_catalog.timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN bound IS NULL THEN without WHEN bound = '00000000-0000-0000-0000-000000000000' THEN '-infinity'
		WHEN bound = 'ffffffff-ffff-ffff-ffff-ffffffffffff' THEN 'infinity' ELSE @extschema@.iuid_time_of_bound(bound) END
$$;
COMMENT ON FUNCTION @extschema@.iuid_shown_time(pg_catalog.uuid, pg_catalog.timestamptz) IS 'internal: the time of a key or bound: infinite for Nil and Max, and the second argument for NULL';

CREATE FUNCTION @extschema@.iuid_partitions(parent pg_catalog.regclass)
RETURNS TABLE (partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz, is_default boolean,
	estimated_rows bigint, bytes bigint)
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) AND NOT current_setting('transaction_read_only')::boolean THEN
		PERFORM FROM pg_namespace AS n WHERE n.oid = to_regnamespace('@extschema@') FOR KEY SHARE;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_proc AS p JOIN pg_roles AS r ON r.oid = p.proowner AND r.rolsuper
		WHERE p.oid = to_regprocedure('@extschema@.iuid_run_as_owner(pg_catalog.regclass,pg_catalog.text)')) THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'schema @extschema@ is not that of extension iuid',
			HINT = 'If the schema of the extension was renamed, give it its name back.';
	END IF;
	IF (SELECT k.by_origin FROM @extschema@.iuid_key_for_reader(parent) AS k) THEN
		RAISE EXCEPTION USING ERRCODE = 'wrong_object_type',
			MESSAGE = format('table %s is partitioned in another order than that of time', parent),
			DETAIL = format('Its partition key is %s.', pg_get_partkeydef(parent)),
			HINT = 'Time partitions can stand below each of its partitions.';
	END IF;
	-- pg_total_relation_size() is NULL for a table that another session has dropped meanwhile.
	RETURN QUERY
	WITH RECURSIVE listed AS (
		SELECT * FROM @extschema@.iuid_partition_bounds(parent) WITH ORDINALITY AS b (partition, lower, upper, is_default, is_pending, n)
		WHERE NOT b.is_pending),
	below (partition, oid) AS (
		SELECT l.partition, l.partition::oid FROM listed AS l
		UNION ALL SELECT b.partition, i.inhrelid FROM below AS b JOIN pg_inherits AS i ON i.inhparent = b.oid),
	size AS (
		SELECT b.partition, sum(s.bytes)::bigint AS bytes, bool_or(b.oid = b.partition AND s.bytes IS NULL) AS is_dropped,
			trunc(sum(c.reltuples::float8) FILTER (WHERE c.relkind <> 'p' AND c.reltuples >= 0))::bigint AS estimated_rows
		FROM below AS b JOIN pg_class AS c ON c.oid = b.oid, pg_total_relation_size(b.oid) AS s (bytes) GROUP BY b.partition)
	SELECT l.partition, CASE WHEN NOT l.is_default THEN @extschema@.iuid_shown_time(l.lower, '-infinity'::timestamptz) END,
		CASE WHEN NOT l.is_default THEN @extschema@.iuid_shown_time(l.upper, 'infinity'::timestamptz) END, l.is_default, s.estimated_rows, s.bytes
	FROM listed AS l JOIN size AS s ON s.partition = l.partition AND NOT s.is_dropped
	ORDER BY l.n;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_partitions(pg_catalog.regclass) IS 'time partitions of a table in order, the DEFAULT partition last: bounds as times (infinite for MINVALUE and MAXVALUE, NULL for DEFAULT), rows as ANALYZE or VACUUM estimated them (NULL if never), bytes with indexes and TOAST; 42501, 42809, 42P01 (doc/partitions.md)';
