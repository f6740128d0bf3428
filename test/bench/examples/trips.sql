-- A thousand devices drive an hour and rest half an hour.  Each sends ten minutes at once, one a
-- minute and backwards; a hundred of them are a call.  Then up to 100,000 samples of one trip in a
-- call.
\ir ../../../examples/trips/retention.sql
INSERT INTO devices SELECT 'bus-' || n, n % 7 FROM generate_series(0, 999) AS n;
SELECT make_months('2026-01-01', timestamptz '2026-01-02' + :rows / 1000 * interval '2 minutes');

CREATE TEMP TABLE calls AS
SELECT array_agg('bus-' || device) AS devices, array_agg(at) AS times, array_agg(point(device, minute)) AS places
FROM generate_series(0, :rows / 1000 - 1) AS minute, generate_series(0, 999) AS device,
	LATERAL (SELECT timestamptz '2026-01-01' + (minute / 10 * 10 + 9 - minute % 10 + minute / 60 * 30) * interval '1 minute' AS at) AS x
GROUP BY minute / 10, device / 100
ORDER BY minute / 10;

INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'trips: samples, ten of each device in a call', :'way', :rows / ms * 1000, 'rows per second'
FROM bench.milliseconds($$SELECT add_samples(devices, times, places) FROM calls$$) AS ms;
ANALYZE devices, trips;
INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'trips: look-ups by the identifier alone', :'way', 100 / ms * 1000, 'rows per second'
FROM bench.milliseconds($$SELECT count(t.id) FROM (SELECT id FROM trips LIMIT 100) AS w (wanted), trip(wanted) AS t$$) AS ms;
INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'trips: those of all devices in ten minutes', :'way', trips * 10 / ms * 1000, 'rows per second'
FROM (SELECT max(upper(during)) - interval '15 minutes' AS begins FROM trips) AS r,
	LATERAL (SELECT count(*) AS trips FROM trips_between(begins, begins + interval '10 minutes')) AS t,
	bench.milliseconds(format($$SELECT count(t.id) FROM generate_series(1, 10) AS n, trips_between(timestamptz %L + n * interval '1 microsecond', %L) AS t$$,
		begins, begins + interval '10 minutes')) AS ms;

TRUNCATE samples, trips;
INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'trips: samples of one trip in a call', :'way', least(:rows, 100000) / ms * 1000, 'rows per second'
FROM bench.milliseconds(format($$SELECT add_samples(array_fill('bus-1'::text, ARRAY[%1$s]), array_agg(timestamptz '2026-01-01' + n * interval '1 second'),
	array_fill(point(0, 0), ARRAY[%1$s])) FROM generate_series(1, %1$s) AS n$$, least(:rows, 100000))) AS ms;
