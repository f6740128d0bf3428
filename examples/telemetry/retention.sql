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
