--
-- The key and the partitions of a table that is partitioned by identifiers
--
-- What an own function reads of a table's owner is a name, a type or a bound, and
-- no code of the owner's runs.  Bounds are read as the server prints them.
--

CREATE FUNCTION @extschema@.iuid_partition_key(parent pg_catalog.regclass,
	OUT name pg_catalog.text, OUT is_uuid boolean, OUT by_origin boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	definition text := pg_get_partkeydef(parent);
	family oid;
	key_type oid;
BEGIN
	IF NOT EXISTS (SELECT FROM pg_class WHERE oid = parent) THEN
		RAISE EXCEPTION USING ERRCODE = 'undefined_table',
			MESSAGE = format('relation with OID %s does not exist', parent::oid);
	END IF;
	IF definition IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'wrong_object_type',
			MESSAGE = format('table %s is not partitioned', parent),
			HINT = 'Create it with PARTITION BY RANGE on a column of type iuid or uuid.';
	END IF;
	SELECT a.attname, a.atttypid, o.opcfamily INTO name, key_type, family
	FROM pg_partitioned_table AS p
	JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
	JOIN pg_opclass AS o ON o.oid = p.partclass[0]
	WHERE p.partrelid = parent AND p.partstrat = 'r' AND p.partnatts = 1;
	IF NOT FOUND THEN
		RAISE EXCEPTION USING ERRCODE = 'wrong_object_type',
			MESSAGE = format('table %s is not partitioned by ranges of one column', parent),
			DETAIL = format('Its partition key is %s.', definition),
			HINT = 'The functions for partitions need PARTITION BY RANGE on one column of type iuid or uuid.';
	END IF;
	is_uuid := key_type = 'uuid'::regtype;
	IF NOT is_uuid AND key_type <> '@extschema@.iuid'::regtype THEN
		RAISE EXCEPTION USING ERRCODE = 'wrong_object_type',
			MESSAGE = format('table %s is partitioned by a column of type %s', parent, key_type::regtype),
			HINT = 'Partitions by identifiers need a key of type iuid or uuid.';
	END IF;
	by_origin := NOT EXISTS (SELECT FROM pg_opclass AS o JOIN pg_am AS m ON m.oid = o.opcmethod
		WHERE m.amname = 'btree' AND o.opcdefault AND o.opcintype = key_type AND o.opcfamily = family);
	IF by_origin AND NOT EXISTS (SELECT FROM pg_opfamily AS f
		WHERE f.oid = family AND f.opfname = 'iuid_origin_ops' AND f.opfnamespace = '@extschema@'::regnamespace) THEN
		RAISE EXCEPTION USING ERRCODE = 'wrong_object_type',
			MESSAGE = format('table %s is partitioned in another order than that of time or origin', parent),
			DETAIL = format('Its partition key is %s.', definition),
			HINT = 'Create it with PARTITION BY RANGE (id), or with the operator class iuid_origin_ops.';
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_partition_key(pg_catalog.regclass) IS 'internal: the key of a table partitioned by identifiers: its column, whether that is of type uuid, and whether the order is that by origin; 42809, 42P01';

CREATE FUNCTION @extschema@.iuid_partition_bounds(parent pg_catalog.regclass)
RETURNS TABLE (partition pg_catalog.regclass, lower pg_catalog.uuid, upper pg_catalog.uuid, is_default boolean, is_pending boolean)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT c.oid, nullif(split_part(split_part(b.bound, ' TO ', 1), '''', 2), '')::uuid,
		nullif(split_part(split_part(b.bound, ' TO ', 2), '''', 2), '')::uuid, b.bound = 'DEFAULT', i.inhdetachpending
	FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid, pg_get_expr(c.relpartbound, 0) AS b (bound)
	WHERE i.inhparent = parent AND b.bound IS NOT NULL
	ORDER BY b.bound = 'DEFAULT', 2 NULLS FIRST, 3 NULLS LAST
$$;
COMMENT ON FUNCTION @extschema@.iuid_partition_bounds(pg_catalog.regclass) IS 'internal: the partitions of a table with their bounds (NULL: none), in order of time, the DEFAULT partition last';

CREATE FUNCTION @extschema@.iuid_time_of_bound(bound pg_catalog.uuid)
RETURNS pg_catalog.timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT timestamptz '1970-01-01 00:00:00+00' + t.ms / 1000 * interval '1 second' + t.ms % 1000 * interval '1 millisecond'
	FROM (SELECT ('x0000' || translate(left(bound::text, 13), '-', ''))::bit(64)::bigint) AS t (ms)
$$;
COMMENT ON FUNCTION @extschema@.iuid_time_of_bound(pg_catalog.uuid) IS 'internal: the time in the first 48 bits of a bound';

CREATE FUNCTION @extschema@.iuid_bound_at(at pg_catalog.timestamptz, is_uuid boolean)
RETURNS pg_catalog.uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT (lpad(to_hex(least(floor(extract(epoch FROM at) * 1000), 281474976710655)::bigint), 12, '0')
		|| CASE WHEN is_uuid THEN '00000000000000000000' ELSE '80008000000000000000' END)::uuid
$$;
COMMENT ON FUNCTION @extschema@.iuid_bound_at(pg_catalog.timestamptz, boolean) IS 'internal: the bound of partitions at a finite time from 1970 on: the smallest key of its millisecond, of type uuid or iuid';

CREATE FUNCTION @extschema@.iuid_is_whole_bound(bound pg_catalog.uuid, is_uuid boolean)
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT bound IS NULL OR bound IN ('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff')
		OR substr(bound::text, 15) = '8000-8000-000000000000' OR is_uuid AND substr(bound::text, 15) = '0000-0000-000000000000'
$$;
COMMENT ON FUNCTION @extschema@.iuid_is_whole_bound(pg_catalog.uuid, boolean) IS 'internal: whether a bound is none, or the smallest iuid of its millisecond or, for a key of type uuid, the smallest uuid of it';
