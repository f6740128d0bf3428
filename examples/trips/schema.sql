-- Trips: the tables, the one function that writes them, and the look-ups.
--
-- Samples less than pause() apart are of one trip.  A trip is known by an identifier from its first
-- sample on, and may grow at both ends, or turn out to be the same trip as another one.
--
-- It can be loaded into any schema; the functions find the tables by search_path.  retention.sql
-- makes the months of samples.
CREATE EXTENSION IF NOT EXISTS btree_gist;   -- comes with PostgreSQL

-- So long without a sample ends a trip.  It stays what it is while there are rows.
CREATE FUNCTION pause() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '10 minutes' $$;

-- An identifier that is derived from a name keeps 54 bits of a digest of the name.  With the digest
-- as a key, the identifier alone finds the device, and two devices of one digest cannot be
-- registered. The collation "C" is fast, and no update of the operating system changes it.  A few
-- names of 2,600 bytes would make the index of the exclusion constraint fail for all devices.
CREATE TABLE devices (
	device text COLLATE "C" PRIMARY KEY CHECK (octet_length(device) <= 200),
	country int NOT NULL CHECK (country BETWEEN 0 AND 255),   -- of the organisation's own numbers
	digest bigint NOT NULL UNIQUE GENERATED ALWAYS AS (iuid_random_bits(iuid_from_name(0, 0, device))) STORED
);

-- A sample that is sent again is no new one, to the microsecond.  There is no foreign key to
-- devices: to drop a month would lock devices against everybody.  add_samples() asks for the
-- device.
CREATE TABLE samples (
	device text COLLATE "C",
	device_time timestamptz,
	place point NOT NULL,
	PRIMARY KEY (device, device_time)
) PARTITION BY RANGE (device_time);

-- The samples that are taken, and the trips that are kept, are of this time: one row.
CREATE TABLE kept (
	during tstzrange NOT NULL
	CONSTRAINT times_of_identifiers CHECK (during <@ '[1970-01-01 00:00+00, 10000-01-01 00:00+00)')
);
CREATE UNIQUE INDEX ON kept ((true));
INSERT INTO kept VALUES ('empty');

-- A trip ends pause() after its last sample: for so long nobody can know that the trip is over.  So
-- trips that are to be one overlap, and the constraint refuses them, whoever writes.  DEFERRABLE:
-- it is checked at the end of a statement, as one statement deletes a trip and lengthens another
-- over it.
CREATE TABLE trips (
	id iuid PRIMARY KEY,
	device text COLLATE "C" NOT NULL REFERENCES devices,
	during tstzrange NOT NULL,
	EXCLUDE USING gist (device WITH =, during WITH &&) DEFERRABLE
);
CREATE INDEX trips_during ON trips USING gist (during);   -- for all devices at once

-- Who was seen at the wheel, and when.  It may be found out long after the trip, or before.
CREATE TABLE sightings (
	device text COLLATE "C" REFERENCES devices,
	device_time timestamptz,
	driver text NOT NULL,
	PRIMARY KEY (device, device_time)
);

-- The trip of a device that has a sample in this millisecond, or a sample before it and one after
-- it. There is one at most, as trips are pause() apart.  One scan of the index of the exclusion
-- constraint.
CREATE FUNCTION trip_at(of_device text, millisecond timestamptz) RETURNS SETOF trips LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT * FROM trips
	WHERE device = of_device AND during && tstzrange(millisecond, millisecond + interval '1 millisecond')
		AND upper(during) - pause() >= millisecond
$$;

-- The trip of this device with this identifier.  The time of the identifier is that of a sample. So
-- every identifier that a trip ever had finds it, also one from a replay in which the samples came
-- in another order.  Entity 3 is trips.  Who knows the name of a device can calculate identifiers
-- that find its trips, so an identifier gives nobody the right to see a trip.
CREATE FUNCTION trip(of_device text, wanted iuid) RETURNS SETOF trips LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT * FROM trip_at(of_device, iuid_timestamp(wanted))
	WHERE iuid_entity(wanted) = 3 AND iuid_random_bits(wanted) = iuid_random_bits(iuid_from_name(0, 0, of_device))
$$;

-- The same, by the identifier alone: one more look into an index, for the device.
CREATE FUNCTION trip(wanted iuid) RETURNS SETOF trips LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT t.* FROM devices AS d, trip_at(d.device, iuid_timestamp(wanted)) AS t
	WHERE iuid_entity(wanted) = 3 AND d.digest = iuid_random_bits(wanted)
$$;

-- The trips of all devices with a sample in [begins, ends), or one before it and one after it.
CREATE FUNCTION trips_between(begins timestamptz, ends timestamptz) RETURNS SETOF trips LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT * FROM trips WHERE during && tstzrange(begins, ends) AND upper(during) - pause() >= begins
$$;

-- A trip with its drivers, in the order in which they were first seen, and the route that it drove.
CREATE VIEW trip_details AS
SELECT id, device, lower(during) AS began, upper(during) - pause() AS ended,
	ARRAY(SELECT driver FROM sightings AS s
		WHERE s.device = t.device AND device_time >= lower(during) AND device_time < upper(during)
		GROUP BY driver ORDER BY min(device_time)) AS drivers,
	(SELECT format('[%s]', string_agg(place::text, ',' ORDER BY device_time)) FROM samples AS s
		WHERE s.device = t.device AND device_time >= lower(during) AND device_time < upper(during))::path AS route
FROM trips AS t;

-- Refuses what is no sample, and a transaction that does not see what others commit.
CREATE FUNCTION check_samples(devices text[], times timestamptz[], places point[]) RETURNS void LANGUAGE plpgsql STABLE AS $$
DECLARE
	bad record;
BEGIN
	IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
		RAISE EXCEPTION 'samples cannot be added in a % transaction', current_setting('transaction_isolation')
		USING ERRCODE = 'active_sql_transaction', DETAIL = 'It does not see the trips that others have just changed.',
			HINT = 'Begin with SET TRANSACTION ISOLATION LEVEL READ COMMITTED.';
	ELSIF num_nulls(devices, times, places) > 0 OR cardinality(devices) <> cardinality(times) OR cardinality(times) <> cardinality(places) THEN
		RAISE EXCEPTION 'samples must have as many devices as times and places'
		USING ERRCODE = 'invalid_parameter_value', DETAIL = format('There are %s devices, %s times and %s places.',
			coalesce(cardinality(devices), 0), coalesce(cardinality(times), 0), coalesce(cardinality(places), 0));
	END IF;
	SELECT * INTO bad FROM unnest(devices, times, places) WITH ORDINALITY AS g (device, device_time, place, n)
	WHERE num_nulls(device, device_time, place) > 0 OR NOT isfinite(device_time) LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'sample % must have a device, a finite time and a place', bad.n
		USING ERRCODE = CASE WHEN isfinite(bad.device_time) = false THEN 'datetime_field_overflow' ELSE 'null_value_not_allowed' END,
			DETAIL = format('It is (%L, %L, %L).', bad.device, bad.device_time, bad.place);
	END IF;
END $$;

-- Takes samples, in any order, and says what they did: one row for each trip that they are of, with
-- the number of samples given.  The outcome is "first" for a new trip, "merge" for trips that are
-- one now, "beginning", "end" or "both" for a trip that is longer, "inside" for one that is not,
-- "again" if all these samples were there before; and, without a trip, "too old" or "too new" for
-- samples that are not taken, as they are not of the time in kept.
--
-- The identifier of a new trip is that of its earliest sample in this call.  Of trips that become
-- one, the least identifier stays.
--
-- Sessions that add samples of one device go one by one: each locks the rows of its devices first,
-- in one order, until its transaction ends, and then sees what the others have committed. Above
-- READ COMMITTED it would not see that, and the call is refused.  Foreign keys do not wait for this
-- lock.  A transaction with several calls may deadlock with another one like it (40P01): make it
-- one call.
CREATE FUNCTION add_samples(devices text[], times timestamptz[], places point[])
RETURNS TABLE (device text, trip iuid, outcome text, samples bigint) LANGUAGE plpgsql
	-- One plan serves all calls: making one takes longer than a small batch.  It may not read a whole
	-- table, as it does where it was made while that table was small.
	SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
	time_kept tstzrange;
	unknown text;
BEGIN
	PERFORM check_samples(devices, times, places);

	-- Whoever moves the time that is kept waits for those who have read it, so nobody goes by an old
	-- one.
	LOCK TABLE kept IN ACCESS SHARE MODE;
	SELECT during INTO time_kept FROM kept;
	-- With one statement: a device that is registered between two would be known, and not locked.
	WITH locked AS MATERIALIZED (
		SELECT d.device FROM devices AS d WHERE d.device = ANY (devices) ORDER BY d.device FOR NO KEY UPDATE
	)
	SELECT string_agg(g, ', ' ORDER BY g) INTO unknown FROM (SELECT unnest(devices) EXCEPT TABLE locked) AS u (g);
	IF unknown IS NOT NULL THEN
		RAISE EXCEPTION 'samples of devices that are not registered: %', unknown
		USING ERRCODE = 'foreign_key_violation', HINT = 'Enter the devices into the table devices.';
	END IF;

	RETURN QUERY
	WITH given AS (
		SELECT g.*, time_kept @> device_time AS taken
		FROM unnest(devices, times, places) WITH ORDINALITY AS g (device, device_time, place, n)
	), added AS (
		INSERT INTO samples AS s
		SELECT device, device_time, place FROM given WHERE taken ORDER BY device, device_time, n
		ON CONFLICT DO NOTHING RETURNING s.device, s.device_time
	), spans AS (
		SELECT device, range_agg(tstzrange(device_time, device_time + pause())) AS span
		FROM given WHERE taken GROUP BY device
	), parts AS (   -- each sample as a trip of its own, and the trips that these overlap
		SELECT device, device_time AS first, device_time + pause() AS past, NULL::iuid AS id, true AS given, false AS added
		FROM given WHERE taken
		UNION ALL
		SELECT device, device_time, device_time + pause(), NULL, false, true FROM added
		UNION ALL
		SELECT t.device, lower(during), upper(during), t.id, false, false
		FROM spans JOIN trips AS t ON t.device = spans.device AND during && span
	), numbered AS (   -- not range_agg(), which would join trips that only meet
		SELECT *, count(*) FILTER (WHERE begins) OVER (PARTITION BY device ORDER BY first) AS number
		FROM (SELECT *, first >= max(past) OVER (PARTITION BY device ORDER BY first, past
				ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS begins
			FROM parts) AS x
	), joined AS (   -- each trip as it will be, and the trips that it was: identifiers and ends
		SELECT device, tstzrange(min(first), max(past)) AS during,
			coalesce(min(id), iuid_from_name((SELECT country FROM devices AS d WHERE d.device = n.device), 3, device, min(first))) AS id,
			array_remove(array_agg(id), NULL) AS ids,
			min(first) FILTER (WHERE id IS NOT NULL) AS old_first, max(past) FILTER (WHERE id IS NOT NULL) AS old_past,
			count(*) FILTER (WHERE given) AS samples, bool_or(added) AS added
		FROM numbered AS n GROUP BY device, number
	), merged AS (
		DELETE FROM trips AS t USING joined AS j WHERE cardinality(ids) > 1 AND t.id = ANY (ids) AND t.id <> j.id
	), grown AS (
		UPDATE trips AS t SET during = j.during FROM joined AS j WHERE t.id = j.id AND t.during <> j.during
	), begun AS (
		INSERT INTO trips SELECT id, device, during FROM joined WHERE ids = '{}'
	)
	SELECT device, id, CASE
			WHEN ids = '{}' THEN 'first'
			WHEN cardinality(ids) > 1 THEN 'merge'
			WHEN lower(during) < old_first AND upper(during) > old_past THEN 'both'
			WHEN lower(during) < old_first THEN 'beginning'
			WHEN upper(during) > old_past THEN 'end'
			WHEN added THEN 'inside'
			ELSE 'again'
		END, samples
	FROM joined
	UNION ALL
	SELECT device, NULL, CASE WHEN device_time < lower(time_kept) THEN 'too old' ELSE 'too new' END AS outcome, count(*)
	FROM given WHERE NOT taken GROUP BY device, outcome
	ORDER BY 1, 2;
END $$;

-- One sample.  A transaction with many of them is slower than one call of add_samples(), and
-- deadlocks.
CREATE FUNCTION add_sample(a_device text, a_time timestamptz, a_place point) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT outcome FROM add_samples(ARRAY[a_device], ARRAY[a_time], ARRAY[a_place]));
END $$;
