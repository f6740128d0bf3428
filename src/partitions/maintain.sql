--
-- Maintenance: what is missing is made, and what is old dropped, one partition a transaction
--

CREATE FUNCTION @extschema@.iuid_next_missing(parent pg_catalog.regclass, step interval, ahead int, older_than pg_catalog.timestamptz, failed pg_catalog.text[],
	OUT name pg_catalog.text, OUT first pg_catalog.timestamptz, OUT last pg_catalog.timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' AS $$
BEGIN
	-- The latest end in the past, so that no gap is left, but nothing that would be dropped
	first := greatest(coalesce((SELECT max(b.upper_at) FROM @extschema@.iuid_time_bounds(parent) AS b WHERE b.upper_at < now()), now()), older_than);
	last := @extschema@.iuid_step_start(step, now()) + (ahead + 1) * step;
	-- What is carved out of an open-ended first partition is so downwards, and all else upwards.
	SELECT m.name INTO name FROM @extschema@.iuid_missing_partitions(parent, step, first, last) AS m
		LEFT JOIN @extschema@.iuid_time_bounds(parent) AS b ON b.is_open AND b.lower IS NULL AND m.upper <= b.upper
		WHERE m.name <> ALL (failed) AND (older_than IS NULL OR @extschema@.iuid_time_of_bound(m.upper) > older_than) ORDER BY b.upper IS NULL, CASE WHEN b.upper IS NOT NULL THEN m.lower END DESC, m.lower LIMIT 1;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_next_missing(pg_catalog.regclass, interval, int, pg_catalog.timestamptz, pg_catalog.text[]) IS 'internal: the next partition that maintenance has to make, but for those that failed, and the span in which it makes partitions';

CREATE FUNCTION @extschema@.iuid_maintain_one(parent pg_catalog.regclass, step interval, ahead int, older_than pg_catalog.timestamptz, time_checks boolean, lock_wait interval,
	INOUT created int, INOUT dropped int, INOUT failed pg_catalog.text[], OUT done boolean)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET "IntervalStyle" = 'postgres' AS $$
DECLARE
	own_timeout text := current_setting('lock_timeout');
	next record;
	old record;
	report jsonb;
	what text;
	state text;
	message text;
	detail text;
BEGIN
	-- The plan holds no lock while it waits for one.
	PERFORM set_config('lock_timeout', greatest(1, least(2147483647, extract(epoch FROM lock_wait) * 1000,
		nullif(extract(epoch FROM own_timeout::interval), 0) * 1000))::int::text, true);
	PERFORM @extschema@.iuid_owned_key(parent, false, time_checks);
	next := @extschema@.iuid_next_missing(parent, step, ahead, older_than, failed);
	-- An open end goes last, and once: a client with a wrong clock can write into the one that takes its place.
	SELECT o.name, o.is_open INTO old FROM @extschema@.iuid_old_partitions(parent, older_than) AS o WHERE o.name <> ALL (failed) ORDER BY o.is_open, o.upper LIMIT 1;
	what := coalesce(next.name, old.name);
	done := what IS NULL OR next.name IS NULL AND old.is_open;
	PERFORM set_config('lock_timeout', own_timeout, true);
	IF next.name IS NOT NULL THEN
		FOR report IN SELECT jsonb_array_elements(@extschema@.iuid_change_partitions(parent, jsonb_build_object(
			'step', step, 'first', next.first, 'last', next.last, 'time_checks', time_checks, 'name', what), lock_wait)) LOOP
			RAISE NOTICE 'created partition %', (report ->> 'tbl')::oid::regclass;
			created := created + 1;
		END LOOP;
	ELSIF what IS NOT NULL THEN
		FOR report IN SELECT jsonb_array_elements(@extschema@.iuid_change_partitions(parent, jsonb_build_object(
			'older_than', older_than, 'is_drop', true, 'name', what), lock_wait)) LOOP
			PERFORM @extschema@.iuid_report_removal(report, true);
			dropped := dropped + CASE WHEN report ? 'state' THEN 0 ELSE 1 END;
			failed := failed || CASE WHEN report ? 'state' THEN ARRAY[what] ELSE '{}' END;
		END LOOP;
	END IF;
EXCEPTION WHEN OTHERS THEN
	IF what IS NULL AND SQLSTATE = '55P03' THEN
		PERFORM @extschema@.iuid_lock_failed(parent, NULL::jsonb, NULL::text, 1, true, lock_wait);
	ELSIF what IS NULL THEN
		RAISE;
	END IF;
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	RAISE WARNING USING ERRCODE = state, MESSAGE = format('partition %s was not %s: %s', what, CASE WHEN next.name IS NULL THEN 'dropped' ELSE 'made' END, message),
		DETAIL = coalesce(nullif(detail, ''), format('The SQLSTATE is %s.', state));
	failed := failed || what;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_maintain_one(pg_catalog.regclass, interval, int, pg_catalog.timestamptz, boolean, interval, int, int, pg_catalog.text[]) IS 'internal: makes or drops one partition, or adds it to those that failed, with a warning; done if there is none left';

CREATE FUNCTION @extschema@.iuid_maintenance_step(parent pg_catalog.regclass, step interval, ahead int, keep interval, time_checks boolean, lock_wait interval,
	INOUT created int, INOUT dropped int, INOUT failed pg_catalog.text[], OUT done boolean)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' SET "IntervalStyle" = 'postgres' AS $$
DECLARE
	older_than timestamptz := now() - keep;
BEGIN
	PERFORM @extschema@.iuid_check_call('iuid_maintain_partitions'::text, parent IS NULL OR step IS NULL, 'the table and the step'::text, time_checks, lock_wait);
	PERFORM @extschema@.iuid_step_months(step);
	IF (ahead BETWEEN 0 AND 1000) IS NOT TRUE THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
			MESSAGE = 'number of steps to make ahead is out of range', DETAIL = 'It is a number from 0 to 1000.';
	ELSIF older_than >= now() OR NOT isfinite(older_than) THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'the time to keep partitions for must end in the past',
			DETAIL = format('Counted back from now, it ends at %s.', older_than), HINT = 'Give a positive interval, or NULL to keep everything.';
	END IF;
	SELECT m.created, m.dropped, m.failed, m.done INTO created, dropped, failed, done
	FROM @extschema@.iuid_maintain_one(parent, step, ahead, older_than, time_checks, lock_wait, created, dropped, failed) AS m;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_maintenance_step(pg_catalog.regclass, interval, int, interval, boolean, interval, int, int, pg_catalog.text[]) IS 'internal: one step of iuid_maintain_partitions, with what was made, dropped and failed before';

-- A procedure with a SET clause cannot COMMIT, and without one the caller's search_path finds its names.
CREATE PROCEDURE @extschema@.iuid_maintain_partitions(parent pg_catalog.regclass, step interval, ahead int DEFAULT 4, keep interval DEFAULT NULL,
	time_checks boolean DEFAULT false, lock_wait interval DEFAULT '10 s', INOUT created int DEFAULT 0, INOUT dropped int DEFAULT 0)
LANGUAGE plpgsql AS $$
DECLARE
	failed pg_catalog.text[] := '{}';
	done boolean;
BEGIN
	-- In a transaction block this fails, before anything is done.
	COMMIT;
	SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
	created := 0;
	dropped := 0;
	LOOP
		-- The schema keeps its name until the next COMMIT.
		IF (SELECT r.rolsuper FROM pg_catalog.pg_roles AS r WHERE r.rolname OPERATOR(pg_catalog.=) current_user)
			AND NOT pg_catalog.current_setting('transaction_read_only')::boolean THEN
			PERFORM FROM pg_catalog.pg_namespace AS n WHERE n.oid OPERATOR(pg_catalog.=) pg_catalog.to_regnamespace('@extschema@') FOR KEY SHARE;
		END IF;
		IF NOT EXISTS (SELECT FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_roles AS r ON r.oid OPERATOR(pg_catalog.=) p.proowner AND r.rolsuper
			WHERE p.oid OPERATOR(pg_catalog.=) pg_catalog.to_regprocedure('@extschema@.iuid_run_as_owner(pg_catalog.regclass,pg_catalog.text)')) THEN
			RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'schema @extschema@ is not that of extension iuid',
				HINT = 'If the schema of the extension was renamed, give it its name back.';
		END IF;
		SELECT s.created, s.dropped, s.failed, s.done INTO created, dropped, failed, done
		FROM @extschema@.iuid_maintenance_step(parent, step, ahead, keep, time_checks, lock_wait, created, dropped, failed) AS s;
		COMMIT;
		SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
		EXIT WHEN done;
	END LOOP;
	IF pg_catalog.cardinality(failed) OPERATOR(pg_catalog.>) 0 THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
			MESSAGE = pg_catalog.format('not all partitions of %s could be made or dropped', parent),
			DETAIL = pg_catalog.format('They are: %s.', pg_catalog.array_to_string(failed, ', ')), HINT = 'The warnings say why.';
	END IF;
END $$;
COMMENT ON PROCEDURE @extschema@.iuid_maintain_partitions(pg_catalog.regclass, interval, int, interval, boolean, interval, int, int) IS 'for cron: makes the time partitions up to the present step and ahead (0-1000) steps more, and drops those that ended longer ago than keep (NULL: none), each in a transaction of its own (doc/partitions.md)';
