-- Events of many countries in one table, partitioned by month on the key alone.
-- Run it at the top of the tree: psql -f examples/events/load.sql.  \copy reads a file of the
-- client, and names it from there.
SET timezone = 'UTC';

CREATE TEMP TABLE source (event text, event_time timestamptz, write_time timestamptz, utc_offset interval);
\copy source FROM 'test/data/events.tsv' (FORMAT csv, DELIMITER E'\t', HEADER true)

-- The events have no country, only a UTC offset.  So each offset stands here for one country that has
-- it.  The numbers are those of doc/iso-3166-1.csv: Kazakhstan is 125.
CREATE TABLE countries (
	country int PRIMARY KEY CHECK (country BETWEEN 0 AND 255),
	name text NOT NULL UNIQUE,
	utc_offset interval NOT NULL UNIQUE
);
INSERT INTO countries VALUES
	(45, 'Cook Islands', '-10:00'), (233, 'United States', '-8:00'), (157, 'Mexico', '-7:00'), (50, 'Costa Rica', '-6:00'),
	(174, 'Peru', '-5:00'), (46, 'Chile', '-4:00'), (10, 'Argentina', '-3:00'), (109, 'Iceland', '0:00'), (164, 'Nigeria', '1:00'),
	(247, 'South Africa', '2:00'), (115, 'Kenya', '3:00'), (2, 'United Arab Emirates', '4:00'), (125, 'Kazakhstan', '5:00'),
	(105, 'India', '5:30'), (241, 'Viet Nam', '7:00'), (177, 'Philippines', '8:00'), (114, 'Japan', '9:00'), (71, 'Fiji', '12:00'),
	(224, 'Tonga', '13:00');

-- The key carries when and where, so neither needs a column of its own.
-- Entity 1 stands for "event".  New rows are made here, in Kazakhstan.
CREATE TABLE events (
	id iuid PRIMARY KEY DEFAULT gen_iuid(125, 1),
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
SELECT gen_iuid(country, 1, event_time), event, write_time
FROM source JOIN countries USING (utc_offset);
ANALYZE events;
