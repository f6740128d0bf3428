-- Telemetry: taking batches in, and what cannot be taken.

-- Arrivals that no table has a place for, with the reason:
--   unknown tenant   somebody has to enter the tenant
--   not yet          the event time is further ahead of the arrival than the tolerance
--   no partition     somebody has to make the partition, which can be until the year 10889
--   incomplete       there is no device, no event or no event time
--   name too long    the name of the device has more than 200 bytes
--   before 1970      one of the two times is earlier than an identifier can say
-- retry_quarantine() takes in those whose reason is gone.  Their write time is then that of the
-- retry, so that who reads on by write time finds them; an event that has waited for long is late.
CREATE TABLE quarantine (
	number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	tenant text,
	device text,
	event text,
	measurements jsonb,
	event_time timestamptz,
	utc_offset interval,
	write_time timestamptz NOT NULL,
	reason text NOT NULL
);

-- Which devices are in trouble, since when, and how far are their clocks ahead?
CREATE VIEW quarantine_by_device AS
SELECT tenant, device, reason, count(*) AS arrivals, min(write_time) AS first_arrival, max(write_time) AS last_arrival,
	max(event_time - write_time) FILTER (WHERE event_time > write_time AND isfinite(event_time)) AS ahead
FROM quarantine GROUP BY tenant, device, reason;

-- The times that a tree has partitions for.
CREATE FUNCTION covered(tree regclass) RETURNS tstzmultirange LANGUAGE sql STABLE AS $$
	SELECT coalesce(range_agg(tstzrange(lower, upper)), '{}') FROM iuid_partitions(tree)
$$;

-- Takes in a batch, one array a column, and counts what became of it: new events, in time or late;
-- what was here before, or is in the batch twice; and what went to quarantine.  The write time is
-- the present, unless the batch brings its own: an old system's history, say.
--
-- The lock.  Two sessions have one event, on either side of its deadline perhaps.  The second one
-- waits for the device until the first one commits.  In a READ COMMITTED transaction the next
-- statement sees what was committed before it, so it finds the event; above it would not.  A batch
-- locks its devices in their order.  So take one batch a transaction: several could deadlock.
--
-- The look-ups.  Whether an event in time is there, the primary key says.  A late event is looked
-- for in one partition of the events in time.  Among the late events an event can only be from its
-- deadline to late_until: no partition for a recent event, otherwise a look into the index of each
-- month between.  That is the end of a day, so a device is updated once a day at most.  LIMIT 1: a
-- partition that is back from a file can have an event that was sent again meanwhile.
--
-- The settings.  Partitions grow faster than the statistics about them, so the planner could
-- choose to read one from end to end; and a plan is good for all batches.
CREATE FUNCTION ingest(tenants text[], devices text[], events text[], measurements jsonb[], event_times timestamptz[],
	utc_offsets interval[], write_times timestamptz[] DEFAULT NULL, OUT in_time bigint, OUT late bigint, OUT again bigint, OUT refused bigint)
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	identifier_times CONSTANT tstzmultirange := '{["1970-01-01 00:00+00","10889-08-02 05:31:50.656+00")}';
	oldest CONSTANT timestamptz := (SELECT date_trunc('ms', min(at)) FROM unnest(event_times) AS at WHERE at <@ identifier_times);
	-- all, until a partition is missing
	covered_events tstzmultirange := identifier_times;
	covered_late_events tstzmultirange := identifier_times;
BEGIN
	IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
		RAISE EXCEPTION 'a batch cannot be taken in at the isolation level %', upper(current_setting('transaction_isolation'))
			USING ERRCODE = 'invalid_transaction_state', DETAIL = 'What other sessions commit meanwhile would be stored again.',
				HINT = 'Use READ COMMITTED.';
	ELSIF ARRAY[cardinality(devices), cardinality(events), cardinality(measurements), cardinality(event_times), cardinality(utc_offsets),
			cardinality(coalesce(write_times, event_times))] IS DISTINCT FROM array_fill(cardinality(tenants), ARRAY[6]) THEN
		RAISE EXCEPTION 'the arrays of a batch differ in length' USING ERRCODE = 'invalid_parameter_value';
	END IF;

	-- Registers new devices, and locks all, with one statement: between two, a device could go.
	INSERT INTO devices AS d (tenant, device, country)
	SELECT DISTINCT tenant, device, country
	FROM unnest(tenants, devices) AS a(tenant, device) JOIN tenants USING (tenant)
	WHERE octet_length(device) <= 200 ORDER BY tenant, device
	ON CONFLICT (tenant, device) DO UPDATE SET country = d.country WHERE false;

	LOOP
		BEGIN
			WITH arrived AS MATERIALIZED (
				SELECT a.*, t.country, late_until, CASE
					WHEN t.country IS NULL THEN 'unknown tenant'
					WHEN num_nulls(device, event, happened) > 0 THEN 'incomplete'
					WHEN octet_length(device) > 200 THEN 'name too long'
					WHEN d.country IS NULL THEN 'unknown tenant'   -- entered since then, so no lock
					WHEN least(happened, write_time) < 'epoch' THEN 'before 1970'
					WHEN later(happened, -tolerance()) > write_time THEN 'not yet'
					WHEN NOT (happened <@ identifier_times AND write_time <@ identifier_times) THEN 'no partition'
				END AS reason
				FROM (SELECT tenant, device, event, measured, event_time, date_trunc('ms', event_time) AS happened, utc_offset,
						date_trunc('ms', coalesce(write_time, now())) AS write_time
					FROM unnest(tenants, devices, events, measurements, event_times, utc_offsets, write_times)
						AS x(tenant, device, event, measured, event_time, utc_offset, write_time)) AS a
					LEFT JOIN tenants AS t USING (tenant) LEFT JOIN devices AS d USING (tenant, device)
			), named AS MATERIALIZED (
				SELECT *, CASE WHEN is_late THEN write_time <@ covered_late_events ELSE happened <@ covered_events END AS has_partition,
					iuid_from_name(country, 1, jsonb_build_array(tenant, device, event, measured, microseconds)::text, happened) AS id
				FROM (SELECT *, later(happened, grace()) AS deadline, write_time >= later(happened, grace()) AS is_late,
						extract(microseconds FROM event_time)::int % 1000 AS microseconds
					FROM arrived WHERE reason IS NULL) AS a
			), fresh AS MATERIALIZED (
				-- Of each event the first copy that has a partition; all copies, if none has one.  A join
				-- of the two would be as many steps as the square of the batch.
				SELECT n.*, iuid_from_uuid(id, country, 2, write_time) AS written
				FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY has_partition DESC, write_time) AS copy,
						bool_or(has_partition) OVER (PARTITION BY id) AS one_has_partition FROM named) AS n
				WHERE (copy = 1 OR NOT one_has_partition)
				AND (NOT is_late
					OR (SELECT true FROM events AS e WHERE e.id >= oldest AND e.id = n.id) IS NULL)
				AND (coalesce(late_until <= deadline, true)
					OR (SELECT true FROM late_events AS l WHERE l.written >= later(oldest, grace())
						AND l.written >= deadline AND l.written < late_until AND l.id = n.id LIMIT 1) IS NULL)
			), put_in_time AS (
				INSERT INTO events (id, written, tenant, device, event, measurements, microseconds, utc_offset)
				SELECT id, written, tenant, device, event, measured, microseconds, utc_offset
				FROM fresh WHERE has_partition AND NOT is_late ORDER BY id
				ON CONFLICT DO NOTHING RETURNING true
			), put_late AS (
				INSERT INTO late_events (id, written, tenant, device, event, measurements, microseconds, utc_offset)
				SELECT id, written, tenant, device, event, measured, microseconds, utc_offset
				FROM fresh WHERE has_partition AND is_late ORDER BY id RETURNING true
			), seen_late AS (
				UPDATE devices AS d SET late_until = x.late_until
				FROM (SELECT tenant, device, later(date_trunc('day', max(write_time), 'UTC'), '1 day') AS late_until
					FROM fresh WHERE has_partition AND is_late GROUP BY 1, 2) AS x
				WHERE d.tenant = x.tenant AND d.device = x.device AND coalesce(d.late_until < x.late_until, true)
			), put_refused AS (
				-- Without a partition are those arrivals of which no copy is here, or comes in now.
				INSERT INTO quarantine (tenant, device, event, measurements, event_time, utc_offset, write_time, reason)
				SELECT tenant, device, event, measured, event_time, utc_offset, write_time, reason
				FROM arrived WHERE reason IS NOT NULL
				UNION ALL
				SELECT tenant, device, event, measured, event_time, utc_offset, write_time, 'no partition'
				FROM fresh WHERE NOT has_partition RETURNING true
			)
			SELECT (SELECT count(*) FROM put_in_time), (SELECT count(*) FROM put_late), (SELECT count(*) FROM put_refused)
			INTO in_time, late, refused;
			again := coalesce(cardinality(tenants), 0) - in_time - late - refused;
			RETURN;
		EXCEPTION WHEN check_violation THEN
			-- A partition is missing.  To ask for all of them takes milliseconds, so it is done only now.
			-- The locks keep forget() from dropping one meanwhile.
			IF covered_events <> identifier_times THEN
				RAISE;
			END IF;
			LOCK TABLE ONLY events, ONLY late_events IN ROW EXCLUSIVE MODE;
			covered_events := covered('events');
			covered_late_events := covered('late_events');
		END;
	END LOOP;
END
$$;

-- Takes in what can be taken now, in transactions of 10,000 arrivals.  For cron.
CREATE PROCEDURE retry_quarantine(at timestamptz DEFAULT now()) LANGUAGE plpgsql AS $$
DECLARE
	covered_events CONSTANT tstzmultirange := covered('events');
	covered_late_events CONSTANT tstzmultirange := covered('late_events');
	last CONSTANT bigint := (SELECT max(number) FROM quarantine);
	done bigint := 0;
	batch record;
BEGIN
	LOOP
		COMMIT;
		LOCK TABLE quarantine IN SHARE UPDATE EXCLUSIVE MODE;   -- one call at a time
		WITH taken AS (
			DELETE FROM quarantine WHERE number IN (
				SELECT number FROM quarantine AS q
				WHERE number > done AND number <= last AND CASE reason
					WHEN 'unknown tenant' THEN EXISTS (SELECT FROM tenants AS t WHERE t.tenant = q.tenant)
					WHEN 'not yet' THEN event_time <= later(at, tolerance())
					WHEN 'before 1970' THEN event_time >= 'epoch'   -- it was the write time
					WHEN 'no partition' THEN CASE WHEN later(at, -grace()) < event_time THEN event_time <@ covered_events
						ELSE at <@ covered_late_events END
				END
				ORDER BY number LIMIT 10000)
			RETURNING *
		)
		SELECT max(number) AS number, array_agg(tenant) AS tenants, array_agg(device) AS devices, array_agg(event) AS events,
			array_agg(measurements) AS measurements, array_agg(event_time) AS event_times, array_agg(utc_offset) AS utc_offsets, array_agg(at) AS write_times
		INTO batch FROM taken;
		EXIT WHEN batch.number IS NULL;
		PERFORM ingest(batch.tenants, batch.devices, batch.events, batch.measurements, batch.event_times, batch.utc_offsets, batch.write_times);
		done := batch.number;
	END LOOP;
END
$$;
