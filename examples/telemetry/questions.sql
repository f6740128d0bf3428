-- Telemetry: questions by either clock.

CREATE VIEW all_events AS
SELECT id, iuid_timestamp(id) + microseconds * interval '1 microsecond' AS event_time, written, iuid_timestamp(written) AS write_time,
	tenant, device, event, measurements, utc_offset, false AS late
FROM events
UNION ALL
SELECT id, iuid_timestamp(id) + microseconds * interval '1 microsecond', written, iuid_timestamp(written),
	tenant, device, event, measurements, utc_offset, true
FROM late_events;

-- Each tree is pruned by its own clock.  What the other clock implies differs between the trees, so
-- a condition on the view cannot say it.  These functions do.  The server puts their queries in the
-- place of the call, so further conditions use the indexes.

-- What happened in this time?  Identifiers have whole milliseconds, and event times have microseconds.
CREATE FUNCTION happened(since timestamptz, till timestamptz DEFAULT 'infinity') RETURNS SETOF all_events
LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT * FROM all_events WHERE NOT late AND id > later(since, '-1 ms') AND id < till AND event_time >= since AND event_time < till
	UNION ALL
	SELECT * FROM all_events WHERE late AND id > later(since, '-1 ms') AND id < till AND event_time >= since AND event_time < till
		AND written > later(since, grace() - interval '1 ms')
$$;

-- What was written in this time?  The write time is when a transaction begins.  So who reads on
-- from the end of the last reading should begin earlier, by as much as a batch may take.
CREATE FUNCTION written(since timestamptz, till timestamptz DEFAULT 'infinity') RETURNS SETOF all_events
LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT * FROM all_events WHERE NOT late AND written >= since AND written < till
		AND id >= later(since, -grace()) AND id <= later(till, tolerance())
	UNION ALL
	SELECT * FROM all_events WHERE late AND written >= since AND written < till
$$;

-- One event.
CREATE FUNCTION event(wanted iuid) RETURNS SETOF all_events
LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT * FROM all_events WHERE NOT late AND id = wanted
	UNION ALL
	SELECT * FROM all_events WHERE late AND id = wanted AND written >= later(iuid_timestamp(wanted), grace())
$$;
