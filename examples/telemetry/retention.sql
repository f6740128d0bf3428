-- Telemetry: letting go of whole partitions by either clock.

-- By event time goes what arrived in time.  By write time goes what arrived late, and each month of
-- events that ended a grace period before, as all in it was written by then.  A late event is
-- new until its write time says otherwise, so it outlives the month in which it happened.
--
-- Each partition goes in a transaction of its own, which locks one tree only.  So a reader
-- of both trees waits for a moment, and never gets a deadlock.
CREATE PROCEDURE forget(happened_before timestamptz DEFAULT 'epoch', written_before timestamptz DEFAULT 'epoch')
LANGUAGE plpgsql AS $$
DECLARE
	ended timestamptz;
BEGIN
	IF (isfinite(happened_before) AND isfinite(written_before)) IS NOT TRUE THEN
		RAISE EXCEPTION 'events can only be forgotten before a finite time'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'To forget everything, truncate both tables.';
	END IF;
	FOR ended IN
		SELECT upper FROM iuid_partitions('events') WHERE upper <= greatest(happened_before, later(written_before, -grace())) ORDER BY 1
	LOOP
		COMMIT;
		PERFORM iuid_drop_partitions('events', ended);
	END LOOP;
	COMMIT;
	FOR ended IN SELECT upper FROM iuid_partitions('late_events') WHERE upper <= written_before ORDER BY 1 LOOP
		COMMIT;
		PERFORM iuid_drop_partitions('late_events', ended);
	END LOOP;
	COMMIT;
	LOCK TABLE quarantine IN SHARE UPDATE EXCLUSIVE MODE;   -- as retry_quarantine()
	DELETE FROM quarantine WHERE write_time < written_before;
END
$$;

-- What must be kept, but not here: detaches the partitions that ended before, each in a transaction
-- of its own, and puts their bounds into their names, in UTC.  Then offline.sh copies them into files
-- and drops them, in place of forget().
CREATE PROCEDURE set_aside(tree regclass, ended_before timestamptz) LANGUAGE plpgsql AS $$
DECLARE
	old record;
BEGIN
	FOR old IN
		SELECT partition, upper, c.relname, concat_ws('_', t.relname, to_char(lower AT TIME ZONE 'UTC', 'YYYYMMDD"t"HH24MI"z"'),
			to_char(upper AT TIME ZONE 'UTC', 'YYYYMMDD"t"HH24MI"z"')) AS name
		FROM iuid_partitions(tree) JOIN pg_class AS c ON c.oid = partition, pg_class AS t WHERE upper <= ended_before AND t.oid = tree ORDER BY upper
	LOOP
		COMMIT;
		PERFORM iuid_detach_partitions(tree, old.upper);
		IF old.relname <> old.name THEN   -- it has its name already if it was back from a file
			EXECUTE format('ALTER TABLE %s RENAME TO %I', old.partition, old.name);
		END IF;
	END LOOP;
END
$$;
