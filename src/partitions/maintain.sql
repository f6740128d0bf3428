--
-- Maintenance: what is missing is made, and what is old dropped, one partition a transaction
--

CREATE FUNCTION @extschema@.iuid_next_missing(parent pg_catalog.regclass, step interval, ahead int, older_than pg_catalog.timestamptz, failed pg_catalog.text[],
	takes_any_bound boolean, OUT name pg_catalog.text, OUT first pg_catalog.timestamptz, OUT last pg_catalog.timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' AS $$
BEGIN
	-- The latest end in the past, so that no gap is left, but nothing that would be dropped
	first := greatest(coalesce((SELECT max(b.upper_at) FROM @extschema@.iuid_time_bounds(parent) AS b WHERE b.upper_at < now()), now()), older_than);
	last := @extschema@.iuid_step_start(step, now()) + (ahead + 1) * step;
	-- What is carved out of an open-ended first partition is so downwards, and all else upwards.
	SELECT m.name INTO name FROM @extschema@.iuid_missing_partitions(parent, takes_any_bound, step, first, last) AS m
		LEFT JOIN @extschema@.iuid_time_bounds(parent) AS b ON b.is_open AND b.lower IS NULL AND m.upper <= b.upper
		WHERE m.name <> ALL (failed) AND (older_than IS NULL OR @extschema@.iuid_time_of_bound(m.upper) > older_than)
		ORDER BY b.upper IS NULL, CASE WHEN b.upper IS NOT NULL THEN m.lower END DESC, m.lower LIMIT 1;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_next_missing(pg_catalog.regclass, interval, int, pg_catalog.timestamptz, pg_catalog.text[], boolean) IS 'internal: the next partition that maintenance has to make, but for those that failed, and the span in which it makes partitions';

CREATE FUNCTION @extschema@.iuid_maintenance_step(parent pg_catalog.regclass, step interval, ahead int, keep interval, time_checks boolean, lock_wait interval,
	INOUT created int, INOUT dropped int, INOUT failed pg_catalog.text[], OUT done boolean)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' SET "IntervalStyle" = 'postgres' AS $$
DECLARE
	own_timeout text := current_setting('lock_timeout');
	older_than timestamptz := now() - keep;
	takes_any_bound boolean;
	next record;
	old record;
	changed record;
	what text;
	state text;
	message text;
	detail text;
BEGIN
	PERFORM @extschema@.iuid_check_call('iuid_maintain_partitions'::text, parent IS NULL OR step IS NULL OR time_checks IS NULL,
		'the table and the step'::text, step, NULL::timestamptz, lock_wait);
	IF (ahead BETWEEN 0 AND 1000) IS NOT TRUE THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'number of steps to make ahead is out of range', DETAIL = 'It is a number from 0 to 1000.';
	ELSIF older_than >= now() OR NOT isfinite(older_than) THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'the time to keep partitions for must end in the past',
			DETAIL = format('Counted back from now, it ends at %s.', older_than), HINT = 'Give a positive interval, or NULL to keep everything.';
	END IF;
	-- This holds no lock on a table while it waits for one.
	PERFORM set_config('lock_timeout', greatest(1, least(2147483647, extract(epoch FROM lock_wait) * 1000,
		nullif(extract(epoch FROM own_timeout::interval), 0) * 1000))::int::text, true);
	takes_any_bound := (@extschema@.iuid_partition_key(parent, false, true, false)).takes_any_bound;
	next := @extschema@.iuid_next_missing(parent, step, ahead, older_than, failed, takes_any_bound);
	-- An open end goes by itself last, and once: a client with a wrong clock can write into the one that takes its place.
	SELECT b.partition::text AS name, b.is_open INTO old FROM @extschema@.iuid_time_bounds(parent) AS b
		WHERE b.upper_at <= older_than AND b.partition::text <> ALL (failed) AND NOT (b.is_open AND pg_relation_size(b.partition) = 0) ORDER BY b.is_open, b.upper LIMIT 1;
	PERFORM set_config('lock_timeout', own_timeout, true);
	what := coalesce(next.name, old.name);
	done := what IS NULL OR next.name IS NULL AND old.is_open;
	FOR changed IN SELECT c.partition, c.name, c.stays FROM @extschema@.iuid_change_partitions(parent, CASE WHEN next.name IS NULL
			THEN ROW(NULL, NULL, NULL, NULL, older_than, true, NULL, what)::@extschema@.iuid_task
			ELSE ROW(step, next.first, next.last, NULL, NULL, NULL, time_checks, what)::@extschema@.iuid_task END, lock_wait) AS c
		WHERE what IS NOT NULL
	LOOP
		IF changed.stays THEN
			failed := failed || changed.name;
		ELSIF next.name IS NULL THEN
			dropped := dropped + 1;
		ELSE
			RAISE NOTICE 'created partition %', changed.partition;
			created := created + 1;
		END IF;
	END LOOP;
EXCEPTION WHEN OTHERS THEN
	IF what IS NULL AND SQLSTATE = '55P03' THEN
		PERFORM @extschema@.iuid_fail_locked(parent, jsonb_build_object(parent::oid, 1), NULL::text, lock_wait);
	ELSIF what IS NULL THEN
		RAISE;
	END IF;
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	RAISE WARNING USING ERRCODE = state, MESSAGE = format('partition %s was not %s: %s', what, CASE WHEN next.name IS NULL THEN 'dropped' ELSE 'made' END, message),
		DETAIL = coalesce(nullif(detail, ''), format('The SQLSTATE is %s.', state));
	failed := failed || what;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_maintenance_step(pg_catalog.regclass, interval, int, interval, boolean, interval, int, int, pg_catalog.text[]) IS 'internal: one step of iuid_maintain_partitions: makes or drops one partition, or adds it to those that failed, with a warning; done if there is none left';

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
		-- as iuid_check_call() does, which is not called before it is known to be ours
		BEGIN
			PERFORM FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace
				WHERE e.extname OPERATOR(pg_catalog.=) 'iuid' AND n.nspname OPERATOR(pg_catalog.=) (pg_catalog.parse_ident('@extschema@'))[1] FOR KEY SHARE;
		EXCEPTION WHEN insufficient_privilege THEN
			PERFORM FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace
				WHERE e.extname OPERATOR(pg_catalog.=) 'iuid' AND n.nspname OPERATOR(pg_catalog.=) (pg_catalog.parse_ident('@extschema@'))[1];
		END;
		IF NOT FOUND THEN
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
COMMENT ON PROCEDURE @extschema@.iuid_maintain_partitions(pg_catalog.regclass, interval, int, interval, boolean, interval, int, int) IS 'for cron: makes the time partitions up to the present step and ahead (0-1000) more, and drops those that ended longer ago than keep (NULL: none), each in its own transaction (doc/partitions.md)';
