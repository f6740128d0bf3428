-- Real events in a table partitioned by month on the key: the example, checked against its source.
\i examples/events/load.sql
-- the numbers and names are those of ISO 3166-1
SELECT count(*), count(*) FILTER (WHERE (country, name) IN (SELECT country, name FROM iuid_iso_countries())) AS of_iso FROM countries;

-- every event is there, with its time and country, in the partition of its month
SELECT count(*) AS events, count(*) FILTER (WHERE iuid_timestamp(id) = s.event_time) AS at_their_time,
	count(*) FILTER (WHERE (SELECT c.utc_offset FROM countries AS c WHERE country = iuid_country(id)) = s.utc_offset) AS in_their_country,
	count(*) FILTER (WHERE events.tableoid::regclass::text = 'events_' || to_char(s.event_time, 'YYYY_MM')) AS in_their_month
FROM events JOIN source AS s USING (event);

-- what a filter on the key finds, a filter on the time finds in the source
SELECT count(*), (SELECT count(*) FROM source WHERE event_time >= '2026-06-29' AND event_time < '2026-07-06') AS oracle
FROM events WHERE id <@ tstzrange('2026-06-29', '2026-07-06');
EXPLAIN (COSTS OFF) SELECT * FROM events WHERE id <@ tstzrange('2026-06-29', '2026-07-06');
SELECT count(*), (SELECT count(*) FROM source WHERE event_time > '2026-07-01 12:00' AND utc_offset = '5:30') AS oracle
FROM events WHERE id > timestamptz '2026-07-01 12:00' AND iuid_is_from(id, 105);

-- six events of one second keep their own identifiers
SELECT count(*), count(DISTINCT id) FROM events WHERE id BETWEEN timestamptz '2018-06-07 19:51:07' AND timestamptz '2018-06-07 19:51:07';

-- a new row goes through the default into the month of now
INSERT INTO events (event) VALUES ('new')
RETURNING iuid_country(id), iuid_entity(id), tableoid::regclass::text = 'events_' || to_char(iuid_timestamp(id), 'YYYY_MM') AS in_its_month;
DROP TABLE events, countries;
