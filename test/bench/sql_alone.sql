-- SQL alone beside the extension, and the way from one to the other
\i clients/sql/iuid.sql
SELECT bench.compare(format('%s new identifiers', bench.shown(:million)), '{gen_random_uuid,iuid_sql.gen_iuid,gen_iuid}', ARRAY[
	format('SELECT count(gen_random_uuid()) FROM generate_series(1, %s)', :million),
	format('SELECT count(iuid_sql.gen_iuid(7, 1)) FROM generate_series(1, %s)', :million),
	format('SELECT count(gen_iuid(7, 1)) FROM generate_series(1, %s)', :million)],
	baseline => format('SELECT count(n) FROM generate_series(1, %s) AS n', :million), things => :million);
CREATE TABLE here AS SELECT gen_iuid(7, 1)::uuid AS id FROM generate_series(1, :million);
CREATE TABLE there AS SELECT id::iuid FROM here;
VACUUM ANALYZE here, there;
SELECT bench.compare(format('%s of %s', field, bench.shown(:million)), '{extension,"SQL alone"}',
	ARRAY[format('SELECT count(iuid_%s(id)) FROM there', field), format('SELECT count(iuid_sql.iuid_%s(id)) FROM here', field)],
	baseline => 'SELECT count(id) FROM here', things => :million)
FROM unnest('{country,timestamp}'::text[]) AS field;
CREATE TABLE accounts (id iuid_sql.iuid PRIMARY KEY, note text);
INSERT INTO accounts SELECT id, 'note' FROM here;
SELECT bench.compare(format('ALTER TABLE of %s rows', bench.shown(:million)), '{"to the extension"}', '{"ALTER TABLE accounts ALTER id TYPE public.iuid USING id::uuid::public.iuid"}',
	undo => 'ALTER TABLE accounts ALTER id TYPE iuid_sql.iuid');
ALTER TABLE accounts ALTER id TYPE public.iuid USING id::uuid::public.iuid;
SELECT bench.compare(format('ALTER TABLE of %s rows', bench.shown(:million)), '{"and back"}', '{"ALTER TABLE accounts ALTER id TYPE uuid"}',
	undo => 'ALTER TABLE accounts ALTER id TYPE public.iuid USING id::public.iuid');
DROP SCHEMA iuid_sql CASCADE;
