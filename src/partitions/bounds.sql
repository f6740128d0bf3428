--
-- The partitions of a table that is partitioned by identifiers, and their bounds
--
-- What is read of a table's owner is a name, a type or a bound, and no code of the
-- owner's runs.  Bounds are read as the server prints them.
--

CREATE FUNCTION @extschema@.iuid_partition_bounds(parent pg_catalog.regclass)
RETURNS TABLE (partition pg_catalog.regclass, lower pg_catalog.uuid, upper pg_catalog.uuid, is_default boolean, is_open boolean, is_pending boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY SELECT c.oid::regclass, nullif(split_part(split_part(b.bound, ' TO ', 1), '''', 2), '')::uuid,
		nullif(split_part(split_part(b.bound, ' TO ', 2), '''', 2), '')::uuid, b.bound = 'DEFAULT',
		b.bound LIKE '%(M%' AND c.relkind = 'r' AND c.relowner = (SELECT p.relowner FROM pg_class AS p WHERE p.oid = parent) AND NOT i.inhdetachpending, i.inhdetachpending
	FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid, pg_get_expr(c.relpartbound, 0) AS b (bound)
	WHERE i.inhparent = parent AND b.bound IS NOT NULL
	ORDER BY b.bound = 'DEFAULT', 2 NULLS FIRST, 3 NULLS LAST;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_partition_bounds(pg_catalog.regclass) IS 'internal: the partitions of a table with their bounds (NULL: none), in byte order of these, the DEFAULT partition last; open: without a bound, so that new partitions can be carved out of it';

CREATE FUNCTION @extschema@.iuid_time_of_bound(bound pg_catalog.uuid)
RETURNS pg_catalog.timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN @extschema@.iuid_timestamp((pg_catalog."left"(bound::pg_catalog.text, 14) OPERATOR(pg_catalog.||) '8000-8000-000000000000')::pg_catalog.uuid);
COMMENT ON FUNCTION @extschema@.iuid_time_of_bound(pg_catalog.uuid) IS 'internal: the time in the first 48 bits of a bound';

CREATE FUNCTION @extschema@.iuid_shown_time(bound pg_catalog.uuid, without pg_catalog.timestamptz)
RETURNS pg_catalog.timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN bound IS NULL THEN without WHEN bound OPERATOR(pg_catalog.=) '00000000-0000-0000-0000-000000000000' THEN '-infinity'
	WHEN bound OPERATOR(pg_catalog.=) 'ffffffff-ffff-ffff-ffff-ffffffffffff' THEN 'infinity' ELSE @extschema@.iuid_time_of_bound(bound) END;
COMMENT ON FUNCTION @extschema@.iuid_shown_time(pg_catalog.uuid, pg_catalog.timestamptz) IS 'internal: the time of a key or bound: infinite for Nil and Max, and the second argument for NULL';

CREATE FUNCTION @extschema@.iuid_bound_at(at pg_catalog.timestamptz, takes_any_bound boolean)
RETURNS pg_catalog.uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN takes_any_bound THEN (pg_catalog."left"(@extschema@.iuid_floor(at)::pg_catalog.text, 14) OPERATOR(pg_catalog.||) '0000-0000-000000000000')::pg_catalog.uuid
	ELSE @extschema@.iuid_floor(at)::pg_catalog.uuid END;
COMMENT ON FUNCTION @extschema@.iuid_bound_at(pg_catalog.timestamptz, boolean) IS 'internal: the bound of partitions at a time: the smallest uuid of its millisecond, or the smallest iuid where the type of the key takes no other';

CREATE FUNCTION @extschema@.iuid_is_whole_bound(bound pg_catalog.uuid)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN bound IS NULL OR bound OPERATOR(pg_catalog.=) 'ffffffff-ffff-ffff-ffff-ffffffffffff'
	OR pg_catalog.substr(bound::pg_catalog.text, 15) OPERATOR(pg_catalog.=) ANY (ARRAY['8000-8000-000000000000', '0000-0000-000000000000']);
COMMENT ON FUNCTION @extschema@.iuid_is_whole_bound(pg_catalog.uuid) IS 'internal: whether a bound is none, or the smallest iuid or uuid of its millisecond';

CREATE FUNCTION @extschema@.iuid_time_bounds(parent pg_catalog.regclass)
RETURNS TABLE (partition pg_catalog.regclass, lower pg_catalog.uuid, upper pg_catalog.uuid,
	lower_at pg_catalog.timestamptz, upper_at pg_catalog.timestamptz, is_open boolean, is_pending boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	FOR partition, lower, upper, is_open, is_pending IN
		SELECT b.partition, b.lower, b.upper, b.is_open, b.is_pending FROM @extschema@.iuid_partition_bounds(parent) AS b WHERE NOT b.is_default
	LOOP
		IF lower IS NULL AND upper IS NULL THEN
			RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('partition %s has neither a lower nor an upper bound', partition),
				DETAIL = 'It covers all times, so that the table can have no other partition.', HINT = 'Detach it, attach it as the DEFAULT partition, and try again.';
		ELSIF NOT @extschema@.iuid_is_whole_bound(lower) OR NOT @extschema@.iuid_is_whole_bound(upper) THEN
			RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('partition %s has a bound within a millisecond', partition),
				HINT = 'Make the partition anew, with iuid_floor(...) as the bound.';
		END IF;
		lower_at := coalesce(@extschema@.iuid_time_of_bound(lower), '-infinity');
		upper_at := coalesce(@extschema@.iuid_time_of_bound(upper), 'infinity');
		RETURN NEXT;
	END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_time_bounds(pg_catalog.regclass) IS 'internal: the partitions but DEFAULT with their times; 55000 for one that covers all times, or has a bound that is not a whole millisecond';
