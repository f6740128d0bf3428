--
-- Which time partitions a table has, which are missing, and which are old
--

CREATE FUNCTION @extschema@.iuid_time_bounds(parent pg_catalog.regclass)
RETURNS TABLE (partition pg_catalog.regclass, lower pg_catalog.uuid, upper pg_catalog.uuid,
	lower_at pg_catalog.timestamptz, upper_at pg_catalog.timestamptz, is_open boolean, is_pending boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	whole text[] := '{-8000-8000-000000000000}' || CASE WHEN (SELECT k.is_uuid FROM @extschema@.iuid_partition_key(parent) AS k)
		THEN '{-0000-0000-000000000000}' ELSE '{}' END::text[];
	ends uuid[] := '{00000000-0000-0000-0000-000000000000,ffffffff-ffff-ffff-ffff-ffffffffffff}';
BEGIN
	FOR partition, lower, upper, lower_at, upper_at, is_open, is_pending IN
		SELECT b.partition, b.lower, b.upper, coalesce(@extschema@.iuid_time_of_bound(b.lower), '-infinity'),
			coalesce(@extschema@.iuid_time_of_bound(b.upper), 'infinity'),
			(b.lower IS NULL OR b.upper IS NULL) AND c.relkind = 'r' AND c.relowner = p.relowner AND NOT b.is_pending, b.is_pending
		FROM @extschema@.iuid_partition_bounds(parent) AS b JOIN pg_class AS c ON c.oid = b.partition JOIN pg_class AS p ON p.oid = parent
		WHERE NOT b.is_default
	LOOP
		IF lower IS NULL AND upper IS NULL THEN
			RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('partition %s has neither a lower nor an upper bound', partition),
				DETAIL = format('It covers all times, so that %s can have no other partition.', parent),
				HINT = 'Detach it, attach it as the DEFAULT partition, and try again.';
		ELSIF right(lower::text, 23) <> ALL (whole) AND lower <> ALL (ends) OR right(upper::text, 23) <> ALL (whole) AND upper <> ALL (ends) THEN
			RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('partition %s has a bound within a millisecond', partition),
				HINT = 'Make the partition anew, with iuid_floor(...) as the bound.';
		END IF;
		RETURN NEXT;
	END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_time_bounds(pg_catalog.regclass) IS 'internal: the partitions with their bounds and times, and whether new ones can be carved out of them, but for DEFAULT; 55000 for bounds that are not whole milliseconds';

CREATE FUNCTION @extschema@.iuid_missing_partitions(parent pg_catalog.regclass, step interval,
	first pg_catalog.timestamptz, last pg_catalog.timestamptz)
RETURNS TABLE (name pg_catalog.text, lower pg_catalog.uuid, upper pg_catalog.uuid)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' AS $$
DECLARE
	base text := (SELECT c.relname FROM pg_class AS c WHERE c.oid = parent);
	is_uuid boolean := (SELECT k.is_uuid FROM @extschema@.iuid_partition_key(parent) AS k);
	at timestamptz;
	stop timestamptz;
	start timestamptz;
	next_at timestamptz;
	taken record;
BEGIN
	IF first < '1970-01-01 00:00+00' OR first = 'infinity' OR last = '-infinity' OR last > '10889-01-01 00:00+00' THEN
		RAISE EXCEPTION USING ERRCODE = 'datetime_field_overflow', MESSAGE = format('time partitions from %s to %s are out of range for type iuid', first, last),
			DETAIL = 'An iuid holds times from 1970 to the year 10889.', HINT = 'Give finite times within that range.';
	ELSIF last < first THEN
		RETURN;
	END IF;
	-- The first step can begin before 1970.
	at := greatest(@extschema@.iuid_step_start(step, first), '1970-01-01 00:00+00');
	stop := @extschema@.iuid_step_start(step, last - interval '1 microsecond') + step;
	IF stop <= at THEN
		RETURN;
	END IF;
	-- An open end covers nothing, and no gap is left between it and what is carved out of it.
	SELECT least(at, min(b.lower_at) FILTER (WHERE b.upper IS NULL)), greatest(stop, max(b.upper_at) FILTER (WHERE b.lower IS NULL))
		INTO at, stop FROM @extschema@.iuid_time_bounds(parent) AS b WHERE b.is_open;
	FOR taken IN
		SELECT CASE WHEN b.is_open THEN coalesce(b.lower, b.upper) ELSE b.lower END AS lower,
			CASE WHEN b.is_open THEN coalesce(b.upper, b.lower) ELSE b.upper END AS upper,
			CASE WHEN b.is_open AND b.lower IS NULL THEN b.upper_at ELSE b.lower_at END AS lower_at,
			CASE WHEN b.is_open AND b.upper IS NULL THEN b.lower_at ELSE b.upper_at END AS upper_at
		FROM @extschema@.iuid_time_bounds(parent) AS b UNION ALL SELECT NULL, NULL, 'infinity', 'infinity' ORDER BY 3, 4
	LOOP
		WHILE at < least(taken.lower_at, stop) LOOP
			start := @extschema@.iuid_step_start(step, at);
			next_at := least(start + step, taken.lower_at, stop);
			name := @extschema@.iuid_shortened_name(base, @extschema@.iuid_step_name(step, at, at <> start));
			-- A bound that is there already can be another one of its millisecond.
			lower := coalesce(upper, @extschema@.iuid_bound_at(at, is_uuid));
			upper := CASE WHEN next_at = taken.lower_at THEN taken.lower ELSE @extschema@.iuid_bound_at(next_at, is_uuid) END;
			RETURN NEXT;
			at := next_at;
		END LOOP;
		IF taken.upper_at >= at THEN
			at := taken.upper_at;
			upper := taken.upper;
		END IF;
	END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_missing_partitions(pg_catalog.regclass, interval, pg_catalog.timestamptz, pg_catalog.timestamptz) IS 'internal: the names and bounds of the partitions that are missing, in whole steps from first up to last; 22008';

CREATE FUNCTION @extschema@.iuid_old_partitions(parent pg_catalog.regclass, older_than pg_catalog.timestamptz)
RETURNS TABLE (name pg_catalog.text, partition pg_catalog.regclass, upper pg_catalog.uuid, is_pending boolean, is_open boolean)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT format('%I.%I', n.nspname, c.relname), b.partition, b.upper, b.is_pending, b.is_open FROM @extschema@.iuid_time_bounds(parent) AS b
	JOIN pg_class AS c ON c.oid = b.partition JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE b.upper_at <= older_than AND NOT (b.is_open AND pg_relation_size(b.partition) = 0) ORDER BY b.upper
$$;
COMMENT ON FUNCTION @extschema@.iuid_old_partitions(pg_catalog.regclass, pg_catalog.timestamptz) IS 'internal: the partitions that ended at or before a time, but for an open end without rows, which stays and grows';
