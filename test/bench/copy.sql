-- COPY of identifiers from and to a file, as text and binary
\getenv folder BENCH_FOLDER
CREATE TABLE as_uuid AS SELECT gen_iuid(7, 1)::uuid AS id FROM generate_series(1, :million);
CREATE TABLE as_iuid AS SELECT id::iuid FROM as_uuid;
CREATE TABLE into_uuid (LIKE as_uuid);
CREATE TABLE into_iuid (LIKE as_iuid);
SELECT bench.compare(format('%s rows to %s', bench.shown(:million), format), '{uuid,iuid}',
	ARRAY[format('COPY as_uuid TO %L (FORMAT %s)', :'folder' || '/ids.' || format, format), format('COPY as_iuid TO %L (FORMAT %s)', :'folder' || '/ids.' || format, format)])
FROM unnest('{text,binary}'::text[]) AS format;
SELECT bench.compare(format('%s rows from %s', bench.shown(:million), format), '{uuid,iuid}',
	ARRAY[format('COPY into_uuid FROM %L (FORMAT %s)', :'folder' || '/ids.' || format, format), format('COPY into_iuid FROM %L (FORMAT %s)', :'folder' || '/ids.' || format, format)],
	undo => 'TRUNCATE into_uuid, into_iuid')
FROM unnest('{text,binary}'::text[]) AS format;
