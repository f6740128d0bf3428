--
-- The functions that make, drop and detach time partitions: each call is one subtransaction
--

CREATE FUNCTION @extschema@.iuid_plan(parent pg_catalog.regclass, task pg_catalog.jsonb)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	only_name text := task ->> 'name';
BEGIN
	PERFORM @extschema@.iuid_owned_key(parent, task ? 'countries', (task ->> 'time_checks')::boolean);
	IF task ? 'countries' THEN
		RETURN (SELECT jsonb_agg(m ORDER BY m.country)
			FROM @extschema@.iuid_missing_countries(parent, ARRAY(SELECT jsonb_array_elements_text(task -> 'countries')::int)) AS m);
	ELSIF task ? 'older_than' THEN
		RETURN (SELECT jsonb_agg(to_jsonb(o) - 'partition' || jsonb_build_object('tbl', o.partition::oid::bigint) ORDER BY o.upper)
			FROM @extschema@.iuid_old_partitions(parent, (task ->> 'older_than')::timestamptz) AS o WHERE o.name = coalesce(only_name, o.name));
	END IF;
	RETURN (SELECT jsonb_agg(m ORDER BY m.lower) FROM @extschema@.iuid_missing_partitions(parent, (task ->> 'step')::interval,
		(task ->> 'first')::timestamptz, (task ->> 'last')::timestamptz) AS m WHERE m.name = coalesce(only_name, m.name));
END $$;
COMMENT ON FUNCTION @extschema@.iuid_plan(pg_catalog.regclass, pg_catalog.jsonb) IS 'internal: the partitions that a task makes or removes, NULL for none: those of countries, those older than a time, or those missing in a span; or the one of a name';

CREATE FUNCTION @extschema@.iuid_partition_state(parent pg_catalog.regclass)
RETURNS pg_catalog.text LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(concat_ws(' ', c.oid, c.xmin, i.xmin), ',' ORDER BY c.oid)
	FROM pg_class AS c LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid AND i.inhparent = parent WHERE c.oid = parent OR i.inhrelid IS NOT NULL
$$;
COMMENT ON FUNCTION @extschema@.iuid_partition_state(pg_catalog.regclass) IS 'internal: which rows of the catalogs a table and its partitions have: the same text as long as no statement changes them';

CREATE FUNCTION @extschema@.iuid_change_partitions(parent pg_catalog.regclass, task pg_catalog.jsonb, lock_wait interval)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	own_timeout text := current_setting('lock_timeout');
	deadline timestamptz := clock_timestamp() + lock_wait;
	is_drop boolean := (task ->> 'is_drop')::boolean;
	is_last boolean;
	missing text;
	plan jsonb;
	locks jsonb;
	planned text;
	locked text;
	reports jsonb := '[]';
BEGIN
	FOR attempt IN 1 .. 2147483647 LOOP
		is_last := clock_timestamp() >= deadline;
		locked := NULL;
		BEGIN
			PERFORM set_config('lock_timeout', @extschema@.iuid_lock_limit()::text, true);
			-- Under the locks, the plan is made again unless nothing has changed since it was made.
			LOOP
				planned := @extschema@.iuid_partition_state(parent);
				plan := @extschema@.iuid_plan(parent, task);
				EXIT WHEN plan IS NULL OR planned = locked;
				locks := CASE WHEN is_drop IS NULL THEN @extschema@.iuid_locks_of_create(parent)
					ELSE @extschema@.iuid_locks_of_removal(parent, ARRAY(SELECT (p.old ->> 'tbl')::oid FROM jsonb_array_elements(plan) AS p (old)), is_drop) END;
				PERFORM @extschema@.iuid_take_locks(parent, locks, missing);
				locked := @extschema@.iuid_partition_state(parent);
				EXIT WHEN planned = locked;
			END LOOP;
			-- What has nothing left to do gives up its locks, too.
			IF plan IS NULL AND locked IS NOT NULL AND NOT is_last THEN
				RAISE lock_not_available;
			END IF;
			IF plan IS NOT NULL AND is_drop IS NULL THEN
				reports := @extschema@.iuid_make_planned(parent, plan, (task ->> 'step')::interval, (task ->> 'time_checks')::boolean);
			ELSIF plan IS NOT NULL THEN
				reports := @extschema@.iuid_remove_planned(parent, plan, is_drop, is_last);
			END IF;
			PERFORM set_config('lock_timeout', own_timeout, true);
			RETURN reports;
		EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
			GET STACKED DIAGNOSTICS missing = TABLE_NAME;
			missing := substring(missing FROM '^[0-9]+$');
		END;
		PERFORM @extschema@.iuid_lock_failed(parent, locks, missing, attempt, is_last, lock_wait);
	END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_change_partitions(pg_catalog.regclass, pg_catalog.jsonb, interval) IS 'internal: does a task of iuid_plan as soon as all locks are free, as one subtransaction, and reports on each partition';

CREATE FUNCTION @extschema@.iuid_create_partitions(parent pg_catalog.regclass, step interval,
	first pg_catalog.timestamptz, last pg_catalog.timestamptz, time_checks boolean DEFAULT false, lock_wait interval DEFAULT '10 s')
RETURNS SETOF pg_catalog.regclass LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' SET "IntervalStyle" = 'postgres' AS $$
BEGIN
	IF (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) AND NOT current_setting('transaction_read_only')::boolean THEN
		PERFORM FROM pg_namespace AS n WHERE n.oid = to_regnamespace('@extschema@') FOR KEY SHARE;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_proc AS p JOIN pg_roles AS r ON r.oid = p.proowner AND r.rolsuper
		WHERE p.oid = to_regprocedure('@extschema@.iuid_run_as_owner(pg_catalog.regclass,pg_catalog.text)')) THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'schema @extschema@ is not that of extension iuid',
			HINT = 'If the schema of the extension was renamed, give it its name back.';
	END IF;
	PERFORM @extschema@.iuid_check_call('iuid_create_partitions'::text, parent IS NULL OR step IS NULL OR first IS NULL OR last IS NULL,
		'the table, the step, the first time and the time at which to end'::text, time_checks, lock_wait);
	PERFORM @extschema@.iuid_step_months(step);
	RETURN QUERY SELECT (r.report ->> 'tbl')::oid::regclass
		FROM jsonb_array_elements(@extschema@.iuid_change_partitions(parent,
			jsonb_build_object('step', step, 'first', first, 'last', last, 'time_checks', time_checks), lock_wait))
			WITH ORDINALITY AS r (report, n) ORDER BY r.n;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_create_partitions(pg_catalog.regclass, interval, pg_catalog.timestamptz, pg_catalog.timestamptz, boolean, interval) IS 'makes the time partitions that are missing from first up to last, in whole steps of 1 hour to 1 year in UTC, and returns them; with time_checks, each has a CHECK of its times (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_remove_partitions(caller pg_catalog.text, parent pg_catalog.regclass, older_than pg_catalog.timestamptz, is_drop boolean, lock_wait interval)
RETURNS SETOF pg_catalog.jsonb LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	report jsonb;
BEGIN
	PERFORM @extschema@.iuid_check_call(caller, parent IS NULL OR older_than IS NULL, 'the table, and the time before which its partitions go'::text, false, lock_wait);
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('%s needs isolation level READ COMMITTED', caller),
			DETAIL = 'By an older snapshot, a partition can look older than it is.', HINT = 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED.';
	ELSIF NOT isfinite(older_than) THEN
		RAISE EXCEPTION USING ERRCODE = 'datetime_field_overflow', MESSAGE = format('time %s is out of range for removing partitions', older_than),
			HINT = 'Give a finite time: what ended before it is removed.';
	END IF;
	FOR report IN SELECT jsonb_array_elements(@extschema@.iuid_change_partitions(parent,
		jsonb_build_object('older_than', older_than, 'is_drop', is_drop), lock_wait)) LOOP
		PERFORM @extschema@.iuid_report_removal(report, is_drop);
		IF NOT report ? 'state' THEN
			RETURN NEXT report;
		END IF;
	END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_remove_partitions(pg_catalog.text, pg_catalog.regclass, pg_catalog.timestamptz, boolean, interval) IS 'internal: what iuid_drop_partitions and iuid_detach_partitions do';

CREATE FUNCTION @extschema@.iuid_drop_partitions(parent pg_catalog.regclass, older_than pg_catalog.timestamptz, lock_wait interval DEFAULT '10 s')
RETURNS SETOF pg_catalog.text LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' SET "IntervalStyle" = 'postgres' AS $$
BEGIN
	IF (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) AND NOT current_setting('transaction_read_only')::boolean THEN
		PERFORM FROM pg_namespace AS n WHERE n.oid = to_regnamespace('@extschema@') FOR KEY SHARE;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_proc AS p JOIN pg_roles AS r ON r.oid = p.proowner AND r.rolsuper
		WHERE p.oid = to_regprocedure('@extschema@.iuid_run_as_owner(pg_catalog.regclass,pg_catalog.text)')) THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'schema @extschema@ is not that of extension iuid',
			HINT = 'If the schema of the extension was renamed, give it its name back.';
	END IF;
	RETURN QUERY SELECT r.report ->> 'name' FROM @extschema@.iuid_remove_partitions('iuid_drop_partitions'::text, parent, older_than, true, lock_wait) AS r (report);
END $$;
COMMENT ON FUNCTION @extschema@.iuid_drop_partitions(pg_catalog.regclass, pg_catalog.timestamptz, interval) IS 'drops the time partitions that end at or before a time, and returns their names; the DEFAULT partition stays, and so does, with a warning, what something else needs (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_detach_partitions(parent pg_catalog.regclass, older_than pg_catalog.timestamptz, lock_wait interval DEFAULT '10 s')
RETURNS SETOF pg_catalog.regclass LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' SET "IntervalStyle" = 'postgres' AS $$
BEGIN
	IF (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) AND NOT current_setting('transaction_read_only')::boolean THEN
		PERFORM FROM pg_namespace AS n WHERE n.oid = to_regnamespace('@extschema@') FOR KEY SHARE;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_proc AS p JOIN pg_roles AS r ON r.oid = p.proowner AND r.rolsuper
		WHERE p.oid = to_regprocedure('@extschema@.iuid_run_as_owner(pg_catalog.regclass,pg_catalog.text)')) THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'schema @extschema@ is not that of extension iuid',
			HINT = 'If the schema of the extension was renamed, give it its name back.';
	END IF;
	RETURN QUERY SELECT (r.report ->> 'tbl')::oid::regclass FROM @extschema@.iuid_remove_partitions('iuid_detach_partitions'::text, parent, older_than, false, lock_wait) AS r (report);
END $$;
COMMENT ON FUNCTION @extschema@.iuid_detach_partitions(pg_catalog.regclass, pg_catalog.timestamptz, interval) IS 'detaches the time partitions that end at or before a time, and returns them; each stays as a table of its own; one whose rows a foreign key to the parent refers to stays attached, with a warning (doc/partitions.md)';
