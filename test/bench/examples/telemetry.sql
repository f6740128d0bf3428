-- Events of a thousand devices in thirty days, a thousand events a batch, each written a minute later; a
-- tenth of them again; and as many that come after three months.  Then a question by write time.
\ir ../../../examples/telemetry/ingest.sql
\ir ../../../examples/telemetry/questions.sql
SELECT iuid_create_partitions(tree, '1 month', '2026-01-01', '2027-01-01') FROM unnest(ARRAY['events', 'late_events']::regclass[]) AS tree;
INSERT INTO tenants VALUES ('north', 125), ('south', 157);

CREATE FUNCTION send(batches int, suffix text, wait interval) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR batch IN 0 .. batches - 1 LOOP
		PERFORM ingest(array_agg(CASE WHEN n % 2 = 0 THEN 'north' ELSE 'south' END), array_agg('device-' || (hashint4(n) & 1023)),
				array_agg(n || suffix), array_agg(jsonb_build_object('speed', n % 90)), array_agg(at), array_agg(interval '1 hour'), array_agg(at + wait))
		FROM (SELECT n, timestamptz '2026-03-01' + n * interval '30 days' / current_setting('bench.rows')::int AS at
			FROM generate_series(batch * 1000, batch * 1000 + 999) AS n) AS x;
	END LOOP;
END $$;
SET bench.rows = :rows;
INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'telemetry: ' || work, :'way', batches * 1000 / bench.milliseconds(format('SELECT send(%s, %L, %L)', batches, suffix, wait)) * 1000, 'rows per second'
FROM (VALUES (1, 'events in time', :rows / 1000, '', '1 minute'), (2, 'the same again', :rows / 10000, '', '2 minutes'),
	(3, 'events three months late', :rows / 10000, ' late', '90 days')) AS v(place, work, batches, suffix, wait) ORDER BY place;
VACUUM ANALYZE events, late_events;
INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'telemetry: five minutes by write time', :'way', bench.milliseconds($$
	SELECT count(event) FROM written('2026-03-20 12:00', '2026-03-20 12:05')$$), 'ms' FROM generate_series(1, 5);
