-- A column of type uuid that holds identifiers, beside one of type iuid
CREATE TABLE as_iuid (id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY, n int);
CREATE TABLE as_uuid (id uuid DEFAULT gen_iuid(7, 1) PRIMARY KEY, n int);
CREATE TABLE as_checked_uuid (id uuid DEFAULT gen_iuid(7, 1) PRIMARY KEY CHECK (iuid_is_valid(id)), n int);
SELECT '{as_iuid,as_uuid,as_checked_uuid}' AS ways \gset
SELECT bench.compare(format('INSERT of %s rows', bench.shown(:million)), :'ways',
	array_agg(format('INSERT INTO %I (n) SELECT n FROM generate_series(1, %s) AS n', way, :million) ORDER BY place),
	undo => format('TRUNCATE %s; CHECKPOINT', string_agg(way, ', ')))
FROM unnest(:'ways'::text[]) WITH ORDINALITY AS w(way, place);

INSERT INTO as_iuid (n) SELECT n FROM generate_series(1, :million) AS n;
INSERT INTO as_uuid TABLE as_iuid;
VACUUM ANALYZE as_iuid, as_uuid;
SELECT bench.compare(format('country of %s', bench.shown(:million)), '{as_iuid,as_uuid}',
	'{SELECT count(iuid_country(id)) FROM as_iuid,SELECT count(iuid_country(id)) FROM as_uuid}');
SELECT bench.compare(format('rows of a country among %s', bench.shown(:million)), '{as_iuid,as_uuid}',
	'{"SELECT count(*) FROM as_iuid WHERE iuid_is_from(id, 7)","SELECT count(*) FROM as_uuid WHERE iuid_is_from(id, 7)"}');
SELECT bench.compare(format('the later half of %s, by the index', bench.shown(:million)), '{as_iuid,as_uuid}',
	array_agg(format('SELECT count(*) FROM %I WHERE id >= iuid_floor(%L)', way, at)))
FROM unnest('{as_iuid,as_uuid}'::text[]) AS way, (SELECT iuid_timestamp(id) AS at FROM as_iuid OFFSET :million / 2 LIMIT 1) AS m;
