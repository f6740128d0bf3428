-- Trips of vehicles, built from location samples that arrive in any order.
--
-- Run with psql -f examples/trips.sql in a database that has iuid; with -a the statements are
-- shown, too.  What to copy is in trips/schema.sql and trips/retention.sql; this is how to use it.
--
-- A vehicle sends where it is, about once a minute.  Samples less than ten minutes apart are of one
-- trip.  They do not arrive in order: there are dead spots, and devices that send their newest
-- sample first.  So a sample lengthens its trip at the end (46 % of those in the stream below),
-- lies inside (34 %), lengthens it at the beginning (19 %), or shows that two trips are one (1 %).
--
-- The identifier.  Others hold a trip's identifier from its first minute on: the app on the
-- passenger's phone, the invoice, the log of another service.  So it must stay while the trip grows
-- at both ends, and both must do when two trips become one.
--   * gen_iuid() would make other identifiers in a replay of the same samples, after a crash or
--     into a second data centre.
--   * The device and the beginning of the trip would change when an earlier sample arrives.
--   * The device and the time of one of the first samples stay.  iuid_from_name(country, entity,
--     device, device_time) makes of them an identifier like any other.
-- No two trips get the same one: samples of one device in the same millisecond are of one trip, and
-- the digests of devices differ, which the table of devices ensures.
--
-- The look-up.  An identifier contains a digest of the device and the time of a sample.  Its trip
-- is the trip of that device that covers that time: trips grow, and become one, but no sample ever
-- leaves its trip.  So every identifier that was ever given finds its trip: the ones from before a
-- merge, and the ones of another server, where the samples came in another order.  Rejected: a
-- table from old identifiers to new ones, which knows only the identifiers of one order.
--
-- The span.  "during" begins with the first sample and ends ten minutes after the last: for so long
-- nobody can know that the trip is over.  So a sample is a trip of its own, [t, t + 10 minutes),
-- and joins all trips that it overlaps.  Thus the exclusion constraint, which forbids that trips of
-- a device overlap, is the whole rule.  With a span from sample to sample it would be half of it.
--
-- Batches.  add_samples() takes many samples at once, and writes each trip once, however many of
-- its samples are there.  Each time that a trip grows, there is a new row version with entries in
-- two indexes, which later calls read until vacuum takes them.  So 10,000 samples of one trip took
-- 200 times as long in 10,000 calls of one transaction as in one call.
--
-- Limits.  Trips are not partitioned: an exclusion constraint cannot span partitions by id.  While
-- an old snapshot is open, vacuum takes nothing, and each call that lengthens a trip is slower than
-- the one before; so let a call have the samples of several minutes.  A foreign key to trips would
-- stop a merge: who keeps an identifier keeps it as a plain iuid, and looks it up with trip().
SET timezone = 'UTC';
\ir trips/schema.sql
\ir trips/retention.sql

--
-- A stream of samples
--

INSERT INTO devices SELECT 'bus-' || n, CASE n % 2 WHEN 0 THEN 157 ELSE 125 END FROM generate_series(1, 1000) AS n;
SELECT make_months('2026-02-01', '2026-05-01');

-- Each of five buses drives eight times, for 102 minutes.  Of each drive, minute 8 arrives first,
-- then those before it, backwards, among those after it.  Every third comes twenty minutes late.
-- From minute 48 to 59 there is no network; behind that it is the same from minute 71 on.  Then
-- minute 54 makes the two trips one, and the rest of the gap follows.  In every other drive the
-- second half arrives before the first.  Nor do the drives arrive in order.
CREATE TEMP TABLE stream AS
SELECT row_number() OVER (ORDER BY drive * 3 % 8, arrival, bus, minute) AS n, 'bus-' || bus AS device,
	timestamptz '2026-03-02 06:00' + drive * interval '4 hours' + minute * interval '1 minute' AS device_time,
	point(76.9 + minute / 1000.0, 43.2 + drive / 1000.0) AS place
FROM generate_series(1, 5) AS bus, generate_series(0, 7) AS drive, generate_series(0, 101) AS minute,
	LATERAL (SELECT CASE WHEN minute = 54 THEN 500
			WHEN minute BETWEEN 48 AND 59 THEN 500 + minute
			WHEN minute BETWEEN 60 AND 70 THEN 142 - minute
			WHEN minute BETWEEN 0 AND 7 THEN 16 - minute
			WHEN minute % 3 = 0 THEN minute + 20
			ELSE minute
		END + CASE WHEN minute < 48 THEN drive % 2 * 200 ELSE 0 END AS arrival) AS x;


-- One by one: what each sample did; the shares are of those that found a trip.
CREATE TEMP TABLE fed AS
SELECT n, add_sample(device, device_time, place) AS outcome FROM stream ORDER BY n;
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
SELECT device, tstzrange(min(device_time), max(device_time) + pause()) AS during
FROM (SELECT *, count(*) FILTER (WHERE gap >= pause()) OVER (PARTITION BY device ORDER BY device_time) AS trip
	FROM (SELECT *, device_time - lag(device_time) OVER (PARTITION BY device ORDER BY device_time) AS gap FROM samples) AS x) AS y
GROUP BY device, trip;
SELECT count(*) AS trips, count(*) FILTER (WHERE f.device IS NULL OR t.device IS NULL) AS different
FROM trips AS t FULL JOIN trips_from_samples AS f USING (device, during);

-- the identifier is that of minute 8, even where the second half came first
SELECT count(*) AS trips, count(*) FILTER (WHERE id = iuid_from_name(country, 3, device, lower(during) + interval '8 minutes')) AS of_minute_8
FROM trips JOIN devices USING (device);

-- the stream once more, and in one call: nothing changes
CREATE TEMP TABLE before AS SELECT *, xmin AS version FROM trips;
CREATE FUNCTION feed_stream() RETURNS TABLE (outcome text, trips bigint, samples numeric) LANGUAGE sql AS $$
	SELECT outcome, count(*), sum(samples)
	FROM (SELECT array_agg(device ORDER BY n) AS d, array_agg(device_time ORDER BY n) AS t, array_agg(place ORDER BY n) AS p FROM stream) AS s,
		add_samples(d, t, p)
	GROUP BY outcome
$$;
SELECT * FROM feed_stream();
SELECT count(*) AS trips, count(b.id) AS untouched FROM trips AS t LEFT JOIN before AS b ON b.id = t.id AND b.version = t.xmin;

-- from nothing, in another order, in one call: the same trips by other identifiers, and the old
-- ones find them
TRUNCATE samples, trips;
SELECT * FROM feed_stream();
ANALYZE devices, samples, trips;
SELECT count(*) AS trips, count(*) FILTER (WHERE t.id = b.id) AS with_the_same_id, count(found.id) AS found_by_the_old_one
FROM trips AS t JOIN before AS b USING (device, during) LEFT JOIN LATERAL (SELECT * FROM trip(b.device, b.id) AS x WHERE x.id = t.id) AS found ON true;

--
-- Questions
--

-- Forty trips are in one page, which would be read without an index.
SET enable_seqscan = off;
SET enable_bitmapscan = off;

-- Which trip is this?  By the device and any identifier that the trip ever had: one scan of the
-- index of the exclusion constraint.  With 300,000 trips that is 4 pages, of 200 devices or of
-- 300,000.
SELECT iuid_from_name(125, 3, 'bus-3', '2026-03-02 15:11') AS merged \gset
SELECT iuid_timestamp(:'merged') AS a_moment, t.* FROM trip('bus-3', :'merged') AS t;
EXPLAIN (COSTS OFF) SELECT * FROM trip('bus-3', :'merged');

-- By the identifier alone.  Of the device it has 54 bits of a digest, which are a key of devices: 3
-- or 4 pages more.  Tried: to compute the digest of each device, 3 ms with 10,000 devices; and of
-- the device of each trip at that moment, 33 ms.  Both grow with the devices.
SELECT * FROM trip(:'merged');
EXPLAIN (COSTS OFF) SELECT * FROM trip(:'merged');

-- Which trip of this device covers this moment?  The same index.  A condition on during alone would
-- take the pause after the last sample for a part of the trip.
SELECT id, during FROM trip_at('bus-3', '2026-03-02 15:15');
EXPLAIN (COSTS OFF) SELECT * FROM trip_at('bus-3', '2026-03-02 15:15');

-- Which trips were on the road in these ten minutes?  An index on during alone.  Of a million trips
-- of a thousand devices it gives a thousand in 26 pages; the index of the exclusion constraint,
-- which begins with the device, takes 944.  Filling the table takes 1.16 times as long.  Tried: the
-- range of the primary key from the longest trip before the ten minutes to the longest after them.
-- It reads 1.8 times the trips, and one trip of a week makes it a range of two weeks.
SELECT device, during FROM trips_between('2026-03-02 15:15', '2026-03-02 15:25') ORDER BY device;
EXPLAIN (COSTS OFF) SELECT * FROM trips_between('2026-03-02 15:15', '2026-03-02 15:25');

-- Who drove, and where?  A range of the key of samples; the months without the trip are not read.
INSERT INTO sightings VALUES ('bus-3', '2026-03-02 14:05', 'Aliya'), ('bus-3', '2026-03-02 15:00:30', 'Timur'),
	('bus-3', '2026-03-02 15:40', 'Aliya'), ('bus-3', '2026-03-02 18:05', 'Dana');
SELECT began, ended, drivers, npoints(route) AS places, @-@ route AS degrees FROM trip(:'merged') JOIN trip_details USING (id);

-- How many trips did each country have on a day?  The time of the identifier is a moment of the
-- trip.
SELECT iuid_country(id) AS country, count(*) FROM trips WHERE id <@ tstzrange('2026-03-02', '2026-03-03') GROUP BY 1 ORDER BY 1;

--
-- Retention
--

-- Bus 1 is on the road when March ends.  So its trip stays, and March with it; the other trips go.
SELECT device, iuid_timestamp(trip), outcome, samples FROM add_samples(ARRAY['bus-1', 'bus-1', 'bus-1', 'bus-2'],
	ARRAY['2026-03-31 23:52', '2026-03-31 23:59', '2026-04-01 00:05', '2026-03-31 23:49:59.999']::timestamptz[],
	ARRAY['(0,0)', '(1,1)', '(2,2)', '(3,3)']::point[]);
CALL forget_trips('2026-04-01');
SELECT device, during, route FROM trips JOIN trip_details USING (id, device);
SELECT count(*) AS sightings FROM sightings;
SELECT tableoid::regclass, count(*) FROM samples GROUP BY 1 ORDER BY 1;

-- An older sample makes no trip again, and does not fail: the caller hears of it.
SELECT device, trip, outcome, samples FROM add_samples(ARRAY['bus-1', 'bus-1', 'bus-2', 'bus-2'],
	ARRAY['2026-03-31 23:45', '2026-04-01 00:15', '2026-03-31 23:49:59.999', '2029-01-01']::timestamptz[],
	ARRAY['(0,0)', '(1,1)', '(2,2)', '(3,3)']::point[]);

-- When that trip goes, March goes.
CALL forget_trips('2026-04-02');
SELECT count(*) AS trips FROM trips;
SELECT tableoid::regclass, count(*) FROM samples GROUP BY 1;
SELECT inhrelid::regclass AS month FROM pg_inherits WHERE inhparent = 'samples'::regclass ORDER BY 1;

RESET enable_seqscan;
RESET enable_bitmapscan;
