-- COPY of identifiers, as text and binary, to /dev/null and from a file
\getenv folder BENCH_FOLDER
CREATE TABLE as_uuid AS SELECT gen_iuid(7, 1)::uuid AS id FROM generate_series(1, :million);
CREATE TABLE as_iuid AS SELECT id::iuid FROM as_uuid;
VACUUM ANALYZE as_uuid, as_iuid;
SELECT bench.compare(format('COPY to %s, %s rows', format, bench.shown(:million)), '{uuid,iuid}',
	ARRAY[format('COPY as_uuid TO %L (FORMAT %s)', '/dev/null', format), format('COPY as_iuid TO %L (FORMAT %s)', '/dev/null', format)])
FROM unnest('{text,binary}'::text[]) AS format;

SELECT format('COPY as_uuid TO %L (FORMAT %s)', :'folder' || '/ids.' || format, format) FROM unnest('{text,binary}'::text[]) AS format
\gexec
CREATE TABLE into_uuid (LIKE as_uuid);
CREATE TABLE into_iuid (LIKE as_iuid);
SELECT bench.compare(format('COPY from %s, %s rows', format, bench.shown(:million)), '{uuid,iuid}',
	ARRAY[format('COPY into_uuid FROM %L (FORMAT %s)', file, format), format('COPY into_iuid FROM %L (FORMAT %s)', file, format)],
	undo => 'TRUNCATE into_uuid, into_iuid')
FROM unnest('{text,binary}'::text[]) AS format, LATERAL (SELECT :'folder' || '/ids.' || format) AS f(file);
