-- Inserting rows with the default into a table with a primary key: time, log and index
SELECT bench.make_tables('{as_bigint,as_iuid,as_uuidv7,as_uuid}', ', n int') AS ways \gset

CREATE FUNCTION insertion(way text, rows int) RETURNS text LANGUAGE sql AS $$
	SELECT format('INSERT INTO %I (n) SELECT n FROM generate_series(1, %s) AS n', way, rows)
$$;
SELECT bench.compare(format('INSERT of %s rows', bench.shown(:million)), :'ways', array_agg(insertion(way, :million) ORDER BY place),
	undo => format('TRUNCATE %s; CHECKPOINT', string_agg(way, ', ')))
FROM unnest(:'ways'::text[]) WITH ORDINALITY AS w(way, place);

-- As many rows again, after a checkpoint: what goes to the log, and how full the index is.
SELECT format('DO $$BEGIN %s; END$$', string_agg(insertion(way, :million), '; ')) FROM unnest(:'ways'::text[]) AS way
\gexec
CHECKPOINT;
CREATE TABLE written (way text, log_at pg_lsn, place int GENERATED ALWAYS AS IDENTITY);
INSERT INTO written VALUES ('', pg_current_wal_insert_lsn());
SELECT format('DO $$BEGIN %s; INSERT INTO written VALUES (%L, pg_current_wal_insert_lsn()); END$$', insertion(way, :million), way) FROM unnest(:'ways'::text[]) AS way
\gexec
INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'write-ahead log for a row', way, (log_at - lag) / :million, 'bytes' FROM (SELECT way, place, log_at, lag(log_at) OVER (ORDER BY place) FROM written) AS w WHERE way <> '' ORDER BY place;
INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'primary key index for a row', way, pg_relation_size(format('%s_pkey', way)) / (2 * :million)::float8, 'bytes' FROM written WHERE way <> '' ORDER BY place;
