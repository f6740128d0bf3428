-- A range of time through a BRIN index and through a btree
CREATE TABLE log (id iuid NOT NULL, note text NOT NULL);
INSERT INTO log SELECT gen_iuid(7, 1, timestamptz '2026-01-01' + n * interval '365 days' / (5 * :million)), 'note ' || n FROM generate_series(0, 5 * :million - 1) AS n;
CREATE TABLE log_brin AS TABLE log;
SELECT bench.compare(format('CREATE INDEX, %s rows', bench.shown(5 * :million)), '{btree,brin}', '{CREATE INDEX log_id ON log (id),CREATE INDEX log_brin_id ON log_brin USING brin (id)}',
	undo => 'DROP INDEX IF EXISTS log_id, log_brin_id');
CREATE INDEX log_id ON log (id);
CREATE INDEX log_brin_id ON log_brin USING brin (id);
VACUUM ANALYZE log;
VACUUM ANALYZE log_brin;
INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'size', way, pg_relation_size(name::regclass) / 1024.0, 'kB' FROM (VALUES ('btree', 'log_id'), ('brin', 'log_brin_id')) AS v(way, name);
SELECT bench.compare(what, '{btree,brin}', ARRAY[
		format($$SELECT max(note) FROM log WHERE id <@ tstzrange('2026-06-29', '2026-06-29'::timestamptz + interval %L)$$, what),
		format($$SELECT max(note) FROM log_brin WHERE id <@ tstzrange('2026-06-29', '2026-06-29'::timestamptz + interval %L)$$, what)])
FROM unnest('{1 hour,1 day,30 days}'::text[]) AS what;
DROP TABLE log, log_brin;
