--
-- The functions that make, drop and detach partitions: each attempt is one subtransaction
--
-- With force_generic_plan, a session plans each query once, and not five times; none is worth
-- to be compiled.
--

CREATE FUNCTION @extschema@.iuid_report_changes(reports pg_catalog.jsonb, is_drop boolean)
RETURNS TABLE (partition pg_catalog.regclass, name pg_catalog.text, stays boolean) LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' AS $$
DECLARE
	r record;
BEGIN
	FOR r IN SELECT * FROM jsonb_to_recordset(reports) AS j (tbl oid, name text, upper uuid, is_empty boolean, state text, message text, detail text, hint text) LOOP
		partition := r.tbl;
		name := r.name;
		stays := r.state IS NOT NULL;
		IF stays THEN
			RAISE WARNING USING ERRCODE = r.state, MESSAGE = r.message, DETAIL = r.detail, HINT = r.hint;
		ELSIF is_drop IS NOT NULL THEN
			CONTINUE WHEN r.is_empty;
			RAISE NOTICE '% partition %, which ended at %', CASE WHEN is_drop THEN 'dropped' ELSE 'detached' END, name, @extschema@.iuid_time_of_bound(r.upper);
		END IF;
		RETURN NEXT;
	END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_report_changes(pg_catalog.jsonb, boolean) IS 'internal: says which partitions were dropped or detached, and why others stay, and returns them, but for open ends without rows; or those that were made';

CREATE FUNCTION @extschema@.iuid_change_partitions(parent pg_catalog.regclass, task @extschema@.iuid_task, lock_wait interval)
RETURNS TABLE (partition pg_catalog.regclass, name pg_catalog.text, stays boolean) LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' SET "IntervalStyle" = 'postgres' SET plan_cache_mode = force_generic_plan SET jit = off AS $$
DECLARE
	own_timeout text := current_setting('lock_timeout');
	longest int := @extschema@.iuid_attempt_timeout();
	deadline timestamptz := clock_timestamp() + lock_wait;
	is_last boolean;
	takes_any_bound boolean;
	busy text;
	locks jsonb; -- NULL: so far, only the parent's is known
	plan jsonb;
	reports jsonb;
BEGIN
	FOR attempt IN 1 .. 2147483647 LOOP
		is_last := attempt > 1 AND clock_timestamp() >= deadline;
		BEGIN
			PERFORM set_config('lock_timeout', longest::text, true);
			-- Under the lock of the parent no partition comes or goes.  A call that has nothing to do gives it up.
			takes_any_bound := (@extschema@.iuid_partition_key(parent, task.countries IS NOT NULL, true, locks IS NULL)).takes_any_bound;
			IF locks IS NOT NULL THEN
				PERFORM @extschema@.iuid_take_locks(parent, locks, busy, longest);
				-- These are found by name: after a wait, that may be of another table.
				PERFORM @extschema@.iuid_partition_key(parent, task.countries IS NOT NULL, true, true);
			END IF;
			plan := @extschema@.iuid_plan(parent, task, takes_any_bound);
			IF plan IS NULL THEN
				RAISE no_data_found;
			-- An open end leaves another one in its place, and what an event trigger does may wait longer.
			ELSIF task.is_drop IS TRUE AND NOT plan @> '[{"is_open": true}]' AND NOT EXISTS (SELECT FROM pg_event_trigger AS e WHERE e.evtenabled <> 'D') THEN
				PERFORM set_config('lock_timeout', '1', true);
				IF @extschema@.iuid_drop_at_once(parent, plan) THEN
					reports := plan;
					EXIT;
				END IF;
				PERFORM set_config('lock_timeout', longest::text, true);
			END IF;
			locks := CASE WHEN task.is_drop IS NULL THEN @extschema@.iuid_locks_to_make(parent) ELSE @extschema@.iuid_locks_to_remove(parent, plan, task.is_drop) END;
			-- Two that hold a lock on a table, and wait for a stronger one, are in a deadlock.  The next attempt takes these first.
			PERFORM @extschema@.iuid_take_locks(parent, locks, busy, NULL::int);
			IF task.is_drop IS NULL THEN
				reports := (SELECT jsonb_agg(jsonb_build_object('tbl', m.tbl::oid) ORDER BY m.n)
					FROM unnest(@extschema@.iuid_make_planned(parent, plan, task.step, task.time_checks)) WITH ORDINALITY AS m (tbl, n));
			ELSE
				reports := @extschema@.iuid_remove_planned(parent, plan, task.is_drop, is_last);
			END IF;
			EXIT;
		EXCEPTION
			WHEN no_data_found THEN
				-- or code of the owner's raised it
				IF plan IS NOT NULL THEN
					RAISE;
				END IF;
				reports := '[]';
				EXIT;
			WHEN lock_not_available OR deadlock_detected THEN
				GET STACKED DIAGNOSTICS busy = TABLE_NAME;
				locks := coalesce(locks, @extschema@.iuid_locks_to_plan(parent));
		END;
		PERFORM @extschema@.iuid_wait_to_try_again(parent, locks, busy, lock_wait, attempt, is_last);
	END LOOP;
	PERFORM set_config('lock_timeout', own_timeout, true);
	RETURN QUERY SELECT * FROM @extschema@.iuid_report_changes(reports, task.is_drop);
END $$;
COMMENT ON FUNCTION @extschema@.iuid_change_partitions(pg_catalog.regclass, @extschema@.iuid_task, interval) IS 'internal: does a task as soon as all locks are free, as one subtransaction, and returns the partitions that were made or removed, or stay';

CREATE FUNCTION @extschema@.iuid_create_partitions(parent pg_catalog.regclass, step interval,
	first pg_catalog.timestamptz, last pg_catalog.timestamptz, time_checks boolean DEFAULT false, lock_wait interval DEFAULT '10 s')
RETURNS SETOF pg_catalog.regclass LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT @extschema@.iuid_check_call('iuid_create_partitions'::pg_catalog.text, parent IS NULL OR step IS NULL OR first IS NULL OR last IS NULL OR time_checks IS NULL,
		'the table, the step, the first time and the time at which to end'::pg_catalog.text, step, NULL::pg_catalog.timestamptz, lock_wait);
	SELECT c.partition FROM @extschema@.iuid_change_partitions(parent, ROW(step, first, last, NULL, NULL, NULL, time_checks, NULL)::@extschema@.iuid_task, lock_wait) AS c;
END;
COMMENT ON FUNCTION @extschema@.iuid_create_partitions(pg_catalog.regclass, interval, pg_catalog.timestamptz, pg_catalog.timestamptz, boolean, interval) IS 'makes the time partitions that are missing from first up to last, in whole steps of 1 hour to 1 year in UTC, and returns them; with time_checks, each has a CHECK of its times (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_drop_partitions(parent pg_catalog.regclass, older_than pg_catalog.timestamptz, lock_wait interval DEFAULT '10 s')
RETURNS SETOF pg_catalog.text LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT @extschema@.iuid_check_call('iuid_drop_partitions'::pg_catalog.text, parent IS NULL OR older_than IS NULL,
		'the table, and the time before which its partitions go'::pg_catalog.text, NULL::interval, older_than, lock_wait);
	SELECT c.name FROM @extschema@.iuid_change_partitions(parent, ROW(NULL, NULL, NULL, NULL, older_than, true, NULL, NULL)::@extschema@.iuid_task, lock_wait) AS c WHERE NOT c.stays;
END;
COMMENT ON FUNCTION @extschema@.iuid_drop_partitions(pg_catalog.regclass, pg_catalog.timestamptz, interval) IS 'drops the time partitions that end at or before a time, and returns their names; the DEFAULT partition stays, and so does, with a warning, what something else needs (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_detach_partitions(parent pg_catalog.regclass, older_than pg_catalog.timestamptz, lock_wait interval DEFAULT '10 s')
RETURNS SETOF pg_catalog.regclass LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT @extschema@.iuid_check_call('iuid_detach_partitions'::pg_catalog.text, parent IS NULL OR older_than IS NULL,
		'the table, and the time before which its partitions go'::pg_catalog.text, NULL::interval, older_than, lock_wait);
	SELECT c.partition FROM @extschema@.iuid_change_partitions(parent, ROW(NULL, NULL, NULL, NULL, older_than, false, NULL, NULL)::@extschema@.iuid_task, lock_wait) AS c WHERE NOT c.stays;
END;
COMMENT ON FUNCTION @extschema@.iuid_detach_partitions(pg_catalog.regclass, pg_catalog.timestamptz, interval) IS 'detaches the time partitions that end at or before a time, and returns them; with a warning, one whose rows a foreign key refers to stays (doc/partitions.md)';
