-- Joins and aggregates of identifiers
CREATE TABLE as_uuid AS SELECT gen_iuid(7, 1)::uuid AS id FROM generate_series(1, :million);
CREATE TABLE as_iuid AS SELECT id::iuid FROM as_uuid;
CREATE TABLE other_uuid AS SELECT id FROM as_uuid ORDER BY hashtext(id::text);
CREATE TABLE other_iuid AS SELECT id::iuid FROM other_uuid;
VACUUM ANALYZE as_uuid, as_iuid, other_uuid, other_iuid;
SET work_mem = '256MB';

SET enable_mergejoin = off; SET enable_nestloop = off;
SELECT bench.compare(format('hash join, %s rows', bench.shown(:million)), '{uuid,iuid}',
	'{SELECT count(*) FROM as_uuid JOIN other_uuid USING (id),SELECT count(*) FROM as_iuid JOIN other_iuid USING (id)}');
SET enable_mergejoin = on; SET enable_hashjoin = off;
SELECT bench.compare(format('merge join, %s rows', bench.shown(:million)), '{uuid,iuid}',
	'{SELECT count(*) FROM as_uuid JOIN other_uuid USING (id),SELECT count(*) FROM as_iuid JOIN other_iuid USING (id)}');
SET enable_sort = off;
SELECT bench.compare(format('hash aggregate, %s groups', bench.shown(:million)), '{uuid,iuid}',
	'{SELECT count(*) FROM (SELECT FROM as_uuid GROUP BY id OFFSET 0) AS x,SELECT count(*) FROM (SELECT FROM as_iuid GROUP BY id OFFSET 0) AS x}');
SET enable_sort = on;
SELECT bench.compare(format('count(DISTINCT), %s rows', bench.shown(:million)), '{uuid,iuid}',
	ARRAY['SELECT count(DISTINCT id) FROM other_uuid', 'SELECT count(DISTINCT id) FROM other_iuid']);
