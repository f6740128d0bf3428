-- What people ask of the events, answered from the key.
SET timezone = 'UTC';
\pset footer off

\echo
\echo '3. What a support person asks, in plain SQL'
\echo
\echo '   A customer sends an identifier. Where and when was it made?'
SELECT id FROM events WHERE event = '4bf70ffa9b3b7f19' \gset
\echo '   SELECT name, f.* FROM iuid_fields(':'id'') AS f JOIN countries USING (country)'
\echo
SELECT name, f.* FROM iuid_fields(:'id') AS f JOIN countries USING (country);

\echo '   Which row is it? The look-up by id reads one partition of many (all of it, as it is small).'
\echo '   SELECT * FROM events WHERE id = ':'id'
\echo
SELECT * FROM events WHERE id = :'id';
EXPLAIN (COSTS OFF) SELECT * FROM events WHERE id = :'id';

\echo '   And one of the new rows? Its partition is larger, so the server uses the index of that partition.'
SELECT max(id) AS id FROM events \gset
\echo '   SELECT * FROM events WHERE id = ':'id'
\echo
EXPLAIN (COSTS OFF) SELECT * FROM events WHERE id = :'id';

\echo '   How many events does each country have?'
\echo '   SELECT iuid_country(id) AS country, name, count(*) FROM events JOIN ... GROUP BY 1, 2'
\echo
SELECT iuid_country(id) AS country, name, count(*)
FROM events JOIN countries ON country = iuid_country(id) GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 5;

\echo '   What happened in the week from 29 June to 5 July 2026? Two months, so two partitions.'
\echo '   SELECT ... FROM events WHERE id <@ tstzrange(''2026-06-29'', ''2026-07-06'')'
\echo
SELECT iuid_timestamp(id)::date AS day, count(*) AS events
FROM events WHERE id <@ tstzrange('2026-06-29', '2026-07-06') GROUP BY 1 ORDER BY 1;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
SELECT * FROM events WHERE id <@ tstzrange('2026-06-29', '2026-07-06');
