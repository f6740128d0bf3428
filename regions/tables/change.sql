--
-- How tables and views of regions are changed: each attempt is one subtransaction, as for partitions
--

CREATE FUNCTION @extschema@.iuid_all_locks(locks pg_catalog.jsonb[])
RETURNS pg_catalog.jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT jsonb_object_agg(l.key, l.value ORDER BY l.value) FROM unnest(locks) AS t (object), jsonb_each(t.object) AS l
$$;
COMMENT ON FUNCTION @extschema@.iuid_all_locks(pg_catalog.jsonb[]) IS 'internal: locks of several lists, each table in the strongest of its modes';

CREATE FUNCTION @extschema@.iuid_change_regions(kind pg_catalog.text, relation pg_catalog.regclass, global pg_catalog.text, entity int, step interval, time_checks boolean, lock_wait interval)
RETURNS SETOF pg_catalog.regclass LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' SET "IntervalStyle" = 'postgres' SET jit = off AS $$
DECLARE
	own_timeout text := current_setting('lock_timeout');
	longest int := @extschema@.iuid_attempt_timeout();
	deadline timestamptz := clock_timestamp() + lock_wait;
	locks jsonb := jsonb_build_object(relation::oid, 4);
	busy text;
	relation_name text;
	plan jsonb;
	made regclass[];
BEGIN
	IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation) THEN
		RAISE EXCEPTION USING ERRCODE = 'undefined_table', MESSAGE = format('relation with OID %s does not exist', relation::oid);
	ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'tables and views of regions are changed in isolation level READ COMMITTED only',
			DETAIL = 'An older snapshot lacks partitions, rows and routes that have come since.', HINT = 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED.';
	END IF;
	FOR attempt IN 1 .. 2147483647 LOOP
		BEGIN
			PERFORM set_config('lock_timeout', longest::text, true);
			-- 42501, before any lock
			PERFORM @extschema@.iuid_run_as_owner(relation, 'SELECT'::text);
			-- Two calls for one table come one after the other.
			PERFORM @extschema@.iuid_take_locks(relation, locks, busy, longest);
			PERFORM @extschema@.iuid_run_as_owner(relation, 'SELECT'::text);
			plan := CASE kind WHEN 'countries' THEN @extschema@.iuid_plan_countries(relation, entity)
				WHEN 'table' THEN @extschema@.iuid_plan_global_table(relation, global, entity)
				WHEN 'view' THEN @extschema@.iuid_plan_global_view(relation, global)
				ELSE @extschema@.iuid_plan_drop_global(relation) END;
			locks := plan -> 'locks';
			PERFORM @extschema@.iuid_take_locks(relation, locks, busy, NULL::int);
			relation_name := relation;
			made := CASE kind WHEN 'countries' THEN @extschema@.iuid_make_countries(relation, entity, step, time_checks, plan)
				WHEN 'table' THEN @extschema@.iuid_make_global_table(relation, entity, plan)
				WHEN 'view' THEN @extschema@.iuid_make_global_view(relation, plan)
				ELSE @extschema@.iuid_drop_planned_global(relation, plan) END;
			EXIT;
		EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
			GET STACKED DIAGNOSTICS busy = TABLE_NAME;
		END;
		PERFORM @extschema@.iuid_wait_to_try_again(relation, locks, busy, lock_wait, attempt, attempt > 1 AND clock_timestamp() >= deadline);
	END LOOP;
	PERFORM set_config('lock_timeout', own_timeout, true);
	-- Another session can rename a schema, and give its name to another one, which can have tables of the same names.
	IF relation_name <> relation::text AND kind <> 'drop' THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('%s was renamed meanwhile', relation_name), HINT = 'Try again.';
	END IF;
	RETURN QUERY SELECT unnest(made);
END $$;
COMMENT ON FUNCTION @extschema@.iuid_change_regions(pg_catalog.text, pg_catalog.regclass, pg_catalog.text, int, interval, boolean, interval) IS 'internal: plans and makes country partitions, a global table or a global view, or drops one of these, as soon as all locks are free; returns what it made';
