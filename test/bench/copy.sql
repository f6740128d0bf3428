\ir compare.sql
\echo 'One million identifiers from and to a file, as text and binary'
\getenv folder BENCH_FOLDER
CREATE TEMP TABLE made AS SELECT gen_iuid(7, 1) AS id FROM generate_series(1, 1000000);
CREATE TEMP TABLE as_uuid (id uuid);
CREATE TEMP TABLE as_iuid (id iuid);
SELECT format('COPY made TO %L', :'folder' || '/ids.text') \gexec
SELECT format('COPY made TO %L (FORMAT binary)', :'folder' || '/ids.binary') \gexec
INSERT INTO as_uuid SELECT id FROM made;
INSERT INTO as_iuid SELECT id FROM made;
SELECT * FROM pg_temp.compare(ARRAY['uuid to text', 'iuid to text'],
	ARRAY[format('COPY as_uuid TO %L', :'folder' || '/out'), format('COPY as_iuid TO %L', :'folder' || '/out')]);
SELECT * FROM pg_temp.compare(ARRAY['uuid to binary', 'iuid to binary'],
	ARRAY[format('COPY as_uuid TO %L (FORMAT binary)', :'folder' || '/out'), format('COPY as_iuid TO %L (FORMAT binary)', :'folder' || '/out')]);
TRUNCATE as_uuid, as_iuid;
SELECT * FROM pg_temp.compare(ARRAY['uuid from text', 'iuid from text'],
	ARRAY[format('COPY as_uuid FROM %L', :'folder' || '/ids.text'), format('COPY as_iuid FROM %L', :'folder' || '/ids.text')],
	undo => 'TRUNCATE as_uuid, as_iuid');
SELECT * FROM pg_temp.compare(ARRAY['uuid from binary', 'iuid from binary'],
	ARRAY[format('COPY as_uuid FROM %L (FORMAT binary)', :'folder' || '/ids.binary'), format('COPY as_iuid FROM %L (FORMAT binary)', :'folder' || '/ids.binary')],
	undo => 'TRUNCATE as_uuid, as_iuid');
