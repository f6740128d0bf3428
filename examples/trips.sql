-- Trips of vehicles, built from location samples that arrive in any order.
--
-- Run with psql -f examples/trips.sql in a database that has iuid; with -a the
-- statements are shown, too.  It needs btree_gist, which comes with PostgreSQL.
--
-- A vehicle sends where it is, about once a minute.  Samples less than ten
-- minutes apart are of one trip.  They do not arrive in order: there are dead
-- spots and devices that send their newest sample first.  So a sample lengthens
-- its trip at the end (46 % of those in the stream below), lies inside (34 %),
-- lengthens it at the beginning (19 %), or shows that two trips are one (1 %).
--
-- The identifier.  Others hold a trip's identifier from its first minute on:
-- the app on the passenger's phone, the invoice, the log of another service.
-- So it must stay while the trip grows at both ends.
--   * gen_iuid() would do for that, but a replay of the same samples, after a
--     crash or into a second data centre, would make other identifiers.
--   * The device and the time at which the trip begins would not: it begins
--     earlier when an earlier sample arrives.
--   * The device and the device time of the sample that arrived first: known
--     at once, never changed later, and the same in every replay in the same
--     order.  iuid_from_name(country, entity, device, device_time) makes it an
--     identifier like any other, with a time, which is a moment of the trip.
-- No two trips get the same one: samples of one device in the same
-- millisecond are of one trip, and devices differ in the digest of their name.
--
-- Merging.  The earlier of the two identifiers stays.  The other goes to
-- merged_trips, so that a look-up by either finds the trip.  A sample holds no
-- identifier of its trip: it is of the trip that covers its time.  So a merge
-- writes a row or two, however many samples there are.
--
-- The span.  "during" begins with the first sample and ends ten minutes after
-- the last: for so long nobody can know that the trip is over.  This makes a
-- sample a trip of its own, [t, t + 10 minutes), and joins it to all it
-- overlaps.  Thus the exclusion constraint, which forbids that trips of a
-- device overlap, is the whole rule: two trips that should be one cannot be
-- stored.  With a span from sample to sample it would only be half of it.
-- Where the trip must end with its last sample, say so in the question:
-- AND moment <= upper(during) - interval '10 minutes'.
--
-- Limits.  Trips are not partitioned: an exclusion constraint cannot span
-- partitions by id.  Samples could be, by device_time.  A trip that
-- grows is a new row version with entries in both indexes, so autovacuum
-- has work here.  A foreign key to trips would stop a merge: who keeps an
-- identifier keeps it as a plain iuid, and looks it up with trip().
SET timezone = 'UTC';
CREATE EXTENSION IF NOT EXISTS btree_gist;

CREATE TABLE devices (
	device text PRIMARY KEY,
	country int NOT NULL CHECK (country BETWEEN 0 AND 255)   -- of the organisation's own numbers
);

CREATE TABLE samples (
	device text REFERENCES devices,
	device_time timestamptz,
	place point NOT NULL,
	PRIMARY KEY (device, device_time)   -- a sample that is sent again is no new one
);

CREATE TABLE trips (
	id iuid PRIMARY KEY,
	device text NOT NULL REFERENCES devices,
	during tstzrange NOT NULL,
	EXCLUDE USING gist (device WITH =, during WITH &&)
);

CREATE TABLE merged_trips (
	id iuid PRIMARY KEY,
	trip iuid NOT NULL REFERENCES trips
);
CREATE INDEX ON merged_trips (trip);

-- The trip with this identifier, or the one it was merged into.
CREATE FUNCTION trip(iuid) RETURNS SETOF trips LANGUAGE sql STABLE AS $$
	SELECT * FROM trips WHERE id = $1
	UNION ALL
	SELECT t.* FROM merged_trips AS m JOIN trips AS t ON t.id = trip WHERE m.id = $1
$$;

-- Takes a sample and says what it did.
--
-- Sessions that add samples of one device go one by one: each locks the row of
-- the device first, until its transaction ends, and then sees what the
-- others have committed.  Other devices do not wait, nor do foreign keys, for
-- which the lock is just weak enough.  A transaction with samples of several
-- devices takes them in the order of the devices, or it may end in a deadlock.
-- From REPEATABLE READ on, the snapshot may be older than the lock.  What the
-- session then overlooks fails (40001 or 23P01), and is to be tried again.
-- Rejected: the constraint alone, without the lock, as every busy device would
-- get such errors; and advisory locks, whose numbers are shared by all programs.
CREATE FUNCTION add_sample(a_device text, a_time timestamptz, a_place point) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	own tstzrange := tstzrange(a_time, a_time + interval '10 minutes');
	home int;
	earlier iuid;
	later iuid;
	span tstzrange;
BEGIN
	SELECT country INTO home FROM devices WHERE device = a_device FOR NO KEY UPDATE;
	INSERT INTO samples VALUES (a_device, a_time, a_place) ON CONFLICT DO NOTHING;
	IF NOT FOUND THEN
		RETURN 'again';
	END IF;

	-- none, one or two: trips are ten minutes apart, so there is no room for a third
	SELECT min(id), max(id), range_merge(range_agg(during)) INTO earlier, later, span
	FROM trips WHERE device = a_device AND during && own;

	IF earlier IS NULL THEN
		INSERT INTO trips VALUES (iuid_from_name(home, 3, a_device, a_time), a_device, own);
		RETURN 'first';
	ELSIF earlier <> later THEN
		UPDATE merged_trips SET trip = earlier WHERE trip = later;
		DELETE FROM trips WHERE id = later;
		INSERT INTO merged_trips VALUES (later, earlier);
		UPDATE trips SET during = span WHERE id = earlier;
		RETURN 'merge';
	ELSIF own <@ span THEN
		RETURN 'inside';
	END IF;
	UPDATE trips SET during = span + own WHERE id = earlier;
	RETURN CASE WHEN upper(own) > upper(span) THEN 'end' ELSE 'beginning' END;
END $$;

--
-- A stream of samples
--

INSERT INTO devices SELECT 'bus-' || n, 6 + n % 2 FROM generate_series(1, 5) AS n;

-- Each bus drives eight times, for 102 minutes.  Of each drive, minute 8 arrives
-- first, then those before it, backwards, among those after it.  Every third
-- comes twenty minutes late.  From minute 48 to 59 there is no network; behind
-- that it is the same from minute 71 on.  Then minute 54 makes the two trips
-- one, and the rest of the gap follows.  In every other drive the second half
-- arrives before the first.  Nor do the drives arrive in order.
CREATE TEMP TABLE stream AS
SELECT row_number() OVER (ORDER BY drive * 3 % 8, arrival, device, minute) AS n, device,
	timestamptz '2026-03-02 06:00' + drive * interval '4 hours' + minute * interval '1 minute' AS device_time,
	point(76.9 + minute / 1000.0, 43.2 + drive / 1000.0) AS place
FROM devices, generate_series(0, 7) AS drive, generate_series(0, 101) AS minute,
	LATERAL (SELECT CASE WHEN minute = 54 THEN 500
			WHEN minute BETWEEN 48 AND 59 THEN 500 + minute
			WHEN minute BETWEEN 60 AND 70 THEN 142 - minute
			WHEN minute BETWEEN 0 AND 7 THEN 16 - minute
			WHEN minute % 3 = 0 THEN minute + 20
			ELSE minute
		END + CASE WHEN minute < 48 THEN drive % 2 * 200 ELSE 0 END AS arrival) AS x;

CREATE TEMP TABLE fed AS
SELECT n, add_sample(device, device_time, place) AS outcome FROM stream ORDER BY n;
ANALYZE samples, trips, merged_trips;

-- what each sample did; the shares are of those that found a trip
SELECT outcome, count(*), CASE WHEN outcome <> 'first' THEN
	round(100.0 * count(*) / (SELECT count(*) FROM fed WHERE outcome <> 'first'), 1) END AS percent
FROM fed GROUP BY outcome ORDER BY count(*) DESC;

--
-- Is it right?
--

-- every sample is in exactly one trip
SELECT trips, count(*) AS samples
FROM (SELECT count(id) AS trips FROM samples AS s LEFT JOIN trips AS t ON t.device = s.device AND during @> device_time
	GROUP BY s.device, device_time) AS x
GROUP BY trips;

-- the trips as a window function finds them when all samples are there: there is none that differs
CREATE VIEW trips_from_samples AS
SELECT device, tstzrange(min(device_time), max(device_time) + interval '10 minutes') AS during
FROM (SELECT *, count(*) FILTER (WHERE pause >= interval '10 minutes') OVER (PARTITION BY device ORDER BY device_time) AS trip
	FROM (SELECT *, device_time - lag(device_time) OVER (PARTITION BY device ORDER BY device_time) AS pause FROM samples) AS x) AS y
GROUP BY device, trip;
SELECT count(*) AS trips, count(*) FILTER (WHERE f.device IS NULL OR t.device IS NULL) AS different
FROM trips AS t FULL JOIN trips_from_samples AS f USING (device, during);

-- the identifier is still that of minute 8, even where the second half came first; the other is that of minute 71
SELECT count(*) AS trips, count(*) FILTER (WHERE t.id = iuid_from_name(country, 3, device, lower(during) + interval '8 minutes')) AS of_minute_8,
	count(*) FILTER (WHERE m.id = iuid_from_name(country, 3, device, lower(during) + interval '71 minutes')) AS of_minute_71
FROM trips AS t JOIN devices USING (device) LEFT JOIN merged_trips AS m ON trip = t.id;

-- the stream once more: nothing changes
CREATE TEMP TABLE before AS SELECT *, xmin AS version FROM trips;
SELECT outcome, count(*) FROM (SELECT add_sample(device, device_time, place) AS outcome FROM stream ORDER BY n) AS x GROUP BY outcome;
SELECT count(*) AS trips, count(b.id) AS untouched FROM trips AS t LEFT JOIN before AS b ON b.id = t.id AND b.version = t.xmin;

-- from nothing, in the same order: the same identifiers
TRUNCATE samples, trips, merged_trips;
SELECT count(add_sample(device, device_time, place)) FROM (SELECT * FROM stream ORDER BY n) AS x;
SELECT count(*) AS trips, count(b.id) AS with_the_same_id FROM trips AS t LEFT JOIN before AS b USING (id, device, during);

--
-- Questions
--

-- Forty trips are in one page, which would be read without an index.
SET enable_seqscan = off;
SET enable_bitmapscan = off;

-- Which trip of this device covers this moment?  The index of the exclusion
-- constraint answers that, too: one scan with both conditions, no second index.
SELECT id, during FROM trips WHERE device = 'bus-3' AND during @> timestamptz '2026-03-02 15:15';
EXPLAIN (COSTS OFF) SELECT * FROM trips WHERE device = 'bus-3' AND during @> timestamptz '2026-03-02 15:15';

-- Tried: a btree index by device and end.  As trips do not overlap, the first one that
-- ends after the moment is the only one that may cover it.  With 300,000 trips of 1,000 devices this
-- read 4 pages on average, and the scan above 3.5: nothing gained, and one more index to write to.
BEGIN;
CREATE INDEX trips_by_end ON trips (device, upper(during));
EXPLAIN (COSTS OFF) SELECT * FROM (SELECT * FROM trips WHERE device = 'bus-3' AND upper(during) > '2026-03-02 15:15'
	ORDER BY upper(during) LIMIT 1) AS t WHERE lower(during) <= '2026-03-02 15:15';
ROLLBACK;

-- Which samples are of a trip?  A range of their key.
SELECT count(*), min(device_time), max(device_time) FROM trips AS t JOIN samples AS s
	ON s.device = t.device AND device_time >= lower(during) AND device_time < upper(during)
WHERE id = iuid_from_name(7, 3, 'bus-3', '2026-03-02 14:08');
EXPLAIN (COSTS OFF) SELECT * FROM trips AS t JOIN samples AS s
	ON s.device = t.device AND device_time >= lower(during) AND device_time < upper(during)
WHERE id = iuid_from_name(7, 3, 'bus-3', '2026-03-02 14:08');

-- Which trip is this?  Either identifier finds it.
SELECT id AS merged FROM merged_trips WHERE trip = iuid_from_name(7, 3, 'bus-3', '2026-03-02 14:08') \gset
SELECT iuid_timestamp(:'merged') AS first_arrived, t.* FROM trip(:'merged') AS t;
SELECT iuid_timestamp(id) AS first_arrived, t.* FROM trip(iuid_from_name(7, 3, 'bus-3', '2026-03-02 14:08')) AS t;
EXPLAIN (COSTS OFF) SELECT * FROM trip(:'merged');

-- How many trips did each country have on a day?  The time of the identifier is a moment of the trip.
SELECT iuid_country(id) AS country, count(*) FROM trips WHERE id <@ tstzrange('2026-03-02', '2026-03-03') GROUP BY 1 ORDER BY 1;

RESET enable_seqscan;
RESET enable_bitmapscan;
