-- Events of many countries in one table, partitioned by month on the key alone.
-- Run it at the top of the tree: psql -f examples/events/load.sql.  \copy reads a file of the
-- client, and names it from there.
SET timezone = 'UTC';

CREATE TEMP TABLE source (event text, event_time timestamptz, write_time timestamptz, utc_offset interval);
\copy source FROM 'test/data/events.tsv' (FORMAT csv, DELIMITER E'\t', HEADER true)

-- An organisation numbers its countries itself, once and for ever.  These
-- events know a UTC offset only, so here a country is a quarter of an hour,
-- counted from UTC-12:00: 48 is UTC.
CREATE TABLE countries (
	country int PRIMARY KEY CHECK (country BETWEEN 0 AND 255),
	name text NOT NULL UNIQUE
);
INSERT INTO countries
SELECT (extract(epoch FROM utc_offset) / 900)::int + 48,
	CASE WHEN utc_offset < '0' THEN 'UTC-' ELSE 'UTC+' END || to_char(greatest(utc_offset, -utc_offset), 'HH24:MI')
FROM (SELECT DISTINCT utc_offset FROM source) AS x;

-- The key carries when and where, so neither needs a column of its own.
-- Entity 1 stands for "event".  New rows are made here, in country 48.
CREATE TABLE events (
	id iuid PRIMARY KEY DEFAULT gen_iuid(48, 1),
	event text NOT NULL,
	write_time timestamptz NOT NULL DEFAULT now()
) PARTITION BY RANGE (id);

-- A partition for each month, from the first event to the month after this one.
DO $$
DECLARE
	month timestamptz;
BEGIN
	FOR month IN
		SELECT generate_series(date_trunc('month', min(event_time)), now() + interval '1 month', interval '1 month')
		FROM source
	LOOP
		EXECUTE format('CREATE TABLE %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
			to_char(month, '"events_"YYYY_MM'), iuid_floor(month), iuid_floor(month + interval '1 month'));
	END LOOP;
END $$;

-- History: identifiers for the times at which the events happened.
INSERT INTO events
SELECT gen_iuid((extract(epoch FROM utc_offset) / 900)::int + 48, 1, event_time), event, write_time
FROM source;
ANALYZE events;
