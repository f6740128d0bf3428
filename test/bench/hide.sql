-- Hiding identifiers for the public: what one costs over a count of the table, in one session
\set key '''\\x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'''
CREATE TABLE ids AS SELECT gen_iuid(7, 1) AS id, gen_random_uuid() AS hidden FROM generate_series(1, :million);
VACUUM ANALYZE ids;
SELECT bench.compare(format('%s identifiers', bench.shown(:million)), array_agg(name ORDER BY place), array_agg(format('SELECT count(%s) FROM ids', call) ORDER BY place),
	baseline => 'SELECT count(id) FROM ids', things => :million)
FROM (VALUES
	(1, 'gen_random_uuid', 'gen_random_uuid()'),
	(2, 'iuid_hide', format('iuid_hide(id, %L)', :key)),
	(3, 'iuid_reveal', format('iuid_reveal(hidden, %L)', :key))) AS way(place, name, call);
