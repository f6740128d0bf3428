--
-- Which partitions a task makes or removes
--

CREATE TYPE @extschema@.iuid_task AS (
	-- makes time partitions: those missing from first up to last
	step interval, first pg_catalog.timestamptz, last pg_catalog.timestamptz,
	-- makes partitions of countries, divided by step if that is given
	countries int[],
	-- drops (true) or detaches (false) partitions that ended; NULL for what makes some
	older_than pg_catalog.timestamptz, is_drop boolean,
	-- gives each time partition that is made a CHECK of its times
	time_checks boolean,
	-- of all these the one of this name, as the plan has it; NULL for all
	name pg_catalog.text);
COMMENT ON TYPE @extschema@.iuid_task IS 'internal: a change of partitions: what does not belong to it is NULL';
COMMENT ON TYPE @extschema@.iuid_task[] IS 'internal: array of iuid_task';

CREATE FUNCTION @extschema@.iuid_missing_partitions(parent pg_catalog.regclass, is_uuid boolean, step interval,
	first pg_catalog.timestamptz, last pg_catalog.timestamptz)
RETURNS TABLE (name pg_catalog.text, lower pg_catalog.uuid, upper pg_catalog.uuid)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' AS $$
DECLARE
	base text := (SELECT c.relname FROM pg_class AS c WHERE c.oid = parent);
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
		INTO at, stop FROM @extschema@.iuid_time_bounds(parent, is_uuid) AS b WHERE b.is_open;
	FOR taken IN
		SELECT CASE WHEN b.is_open THEN coalesce(b.lower, b.upper) ELSE b.lower END AS lower,
			CASE WHEN b.is_open THEN coalesce(b.upper, b.lower) ELSE b.upper END AS upper,
			CASE WHEN b.is_open AND b.lower IS NULL THEN b.upper_at ELSE b.lower_at END AS lower_at,
			CASE WHEN b.is_open AND b.upper IS NULL THEN b.lower_at ELSE b.upper_at END AS upper_at
		FROM @extschema@.iuid_time_bounds(parent, is_uuid) AS b UNION ALL SELECT NULL, NULL, 'infinity', 'infinity' ORDER BY 3, 4
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
COMMENT ON FUNCTION @extschema@.iuid_missing_partitions(pg_catalog.regclass, boolean, interval, pg_catalog.timestamptz, pg_catalog.timestamptz) IS 'internal: the names and bounds of the partitions that are missing, in whole steps from first up to last; 22008';

CREATE FUNCTION @extschema@.iuid_old_partitions(parent pg_catalog.regclass, is_uuid boolean, older_than pg_catalog.timestamptz)
RETURNS TABLE (name pg_catalog.text, tbl pg_catalog.oid, upper pg_catalog.uuid, is_pending boolean, is_open boolean, is_empty boolean)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT format('%I.%I', n.nspname, c.relname), c.oid, b.upper, b.is_pending, b.is_open, b.is_open AND pg_relation_size(c.oid) = 0
	FROM @extschema@.iuid_time_bounds(parent, is_uuid) AS b JOIN pg_class AS c ON c.oid = b.partition JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE b.upper_at <= older_than
$$;
COMMENT ON FUNCTION @extschema@.iuid_old_partitions(pg_catalog.regclass, boolean, pg_catalog.timestamptz) IS 'internal: the partitions that ended at or before a time, and which of them is an open end, with or without rows';

CREATE FUNCTION @extschema@.iuid_plan(parent pg_catalog.regclass, task @extschema@.iuid_task, is_uuid boolean)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF task.time_checks AND is_uuid THEN
		RAISE EXCEPTION USING ERRCODE = 'wrong_object_type', MESSAGE = format('partitions of %s cannot have time checks', parent),
			DETAIL = 'Its key is of type uuid, and takes UUIDs that are no iuids and have no time.', HINT = 'Give false for time_checks.';
	ELSIF task.countries IS NOT NULL THEN
		RETURN (SELECT jsonb_agg(m ORDER BY m.country) FROM @extschema@.iuid_missing_countries(parent, task.countries) AS m);
	ELSIF task.older_than IS NULL THEN
		RETURN (SELECT jsonb_agg(m ORDER BY m.lower) FROM @extschema@.iuid_missing_partitions(parent, is_uuid, task.step, task.first, task.last) AS m
			WHERE m.name = coalesce(task.name, m.name));
	END IF;
	-- An open end goes with each of the others, as a new one covers what they covered.
	RETURN (SELECT CASE WHEN NOT bool_and(o.is_empty) THEN jsonb_agg(o ORDER BY o.upper) END
		FROM @extschema@.iuid_old_partitions(parent, is_uuid, task.older_than) AS o WHERE o.is_open OR o.name = coalesce(task.name, o.name));
END $$;
COMMENT ON FUNCTION @extschema@.iuid_plan(pg_catalog.regclass, @extschema@.iuid_task, boolean) IS 'internal: the partitions that a task makes or removes, NULL for none; 42809 for time checks of a uuid key';
