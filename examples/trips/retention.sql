-- Trips: the months of samples, and how old trips go.  For cron, once a day, each in a transaction
-- of its own; only one call of forget_trips() should run at a time:
--   SELECT make_months(now(), now() + interval '2 months');
--   CALL forget_trips(now() - interval '1 year');

-- Makes the months that are missing, from the one of the first time to the last one that begins
-- before the last time; also those between them and the months there are.  Months are of UTC.  From
-- then on their samples are taken.  ATTACH, unlike CREATE TABLE … PARTITION OF, stops nobody.
CREATE FUNCTION make_months(first timestamptz, last timestamptz) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	wanted tstzrange;
	month timestamp;
	name text;
BEGIN
	UPDATE kept SET during = tstzrange(least(first, lower(during)), greatest(upper(during),
		(date_trunc('month', last AT TIME ZONE 'UTC' - interval '1 microsecond') + interval '1 month') AT TIME ZONE 'UTC'))
	RETURNING during INTO wanted;

	FOR month IN SELECT generate_series(date_trunc('month', lower(wanted) AT TIME ZONE 'UTC'),
			upper(wanted) AT TIME ZONE 'UTC' - interval '1 day', interval '1 month') LOOP
		name := to_char(month, '"samples_"YYYY_MM');
		IF NOT EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'samples'::regclass AND relname = name) THEN
			EXECUTE format('CREATE TABLE %I (LIKE samples INCLUDING ALL)', name);
			EXECUTE format('ALTER TABLE samples ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name,
				to_char(month, 'YYYY-MM-DD 00:00+00'), to_char(month + interval '1 month', 'YYYY-MM-DD 00:00+00'));
			RETURN NEXT name;
		END IF;
	END LOOP;
END $$;

-- Runs a statement that needs a table for itself, in a transaction of its own.  Whoever waits for
-- such a lock holds up all who come later; so it waits a tenth of a second, and tries again a
-- hundred times. That is less than deadlock_timeout, so nobody else ends in a deadlock.
CREATE PROCEDURE run_patiently(statement text) LANGUAGE plpgsql AS $$
BEGIN
	FOR attempt IN 1 .. 100 LOOP
		BEGIN
			SET LOCAL lock_timeout = '100ms';
			EXECUTE statement;
			EXIT;
		EXCEPTION WHEN lock_not_available THEN
			IF attempt = 100 THEN
				RAISE;
			END IF;
		END;
		COMMIT;
		PERFORM pg_sleep(0.1);
	END LOOP;
	COMMIT;
END $$;

-- Forgets the trips that were over before a time, with their samples.  A trip that was not over
-- stays whole.  The months that no trip needs are dropped; from a month that stays, the samples of
-- forgotten trips are deleted, so the first of a month is the best time to give.  An older sample is
-- "too old" from the first step on, and makes no trip again.  A call that was ended can be repeated.
CREATE PROCEDURE forget_trips(before timestamptz, batch int DEFAULT 1000) LANGUAGE plpgsql AS $$
DECLARE
	reached iuid := '00000000-0000-0000-0000-000000000000';
	staying timestamptz;   -- the beginning of the first month that stays
	month text;
BEGIN
	IF NOT coalesce(before <= now(), false) THEN
		RAISE EXCEPTION 'trips can be forgotten up to a time in the past, not up to %', before
		USING ERRCODE = 'invalid_parameter_value';
	END IF;

	-- With the lock, every add_samples() that did not know yet has ended: no older trip changes any
	-- more.
	CALL run_patiently(format('LOCK TABLE kept; UPDATE kept SET during = during * tstzrange(%L, NULL)',
		to_char(before AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00')));

	SELECT date_trunc('month', least(before, min(lower(during))) AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' INTO staying
	FROM trips WHERE upper(during) > before;

	-- The time of an identifier is not after its trip.  So the primary key finds all that may be old,
	-- and a batch goes on where the last one ended: it does not read again what is gone.
	WHILE reached IS NOT NULL LOOP
		WITH old AS (
			SELECT id FROM trips WHERE id > reached AND id < before AND upper(during) <= before ORDER BY id LIMIT batch
		), gone AS (
			DELETE FROM trips AS t USING old WHERE t.id = old.id RETURNING t.*
		), unseen AS (
			DELETE FROM sightings AS s USING gone AS g WHERE s.device = g.device AND device_time < upper(during)
		), unplaced AS (
			DELETE FROM samples AS s USING gone AS g WHERE s.device = g.device
				AND device_time >= lower(during) AND device_time < upper(during) AND device_time >= staying
		)
		SELECT max(id) INTO reached FROM old;
		COMMIT;
	END LOOP;

	FOR month IN
		SELECT oid::regclass FROM pg_inherits JOIN pg_class ON oid = inhrelid
		WHERE inhparent = 'samples'::regclass
			AND relname < to_char(staying AT TIME ZONE 'UTC', '"samples_"YYYY_MM')
		ORDER BY relname
	LOOP
		CALL run_patiently('DROP TABLE IF EXISTS ' || month);
	END LOOP;
END $$;
