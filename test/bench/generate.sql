\ir compare.sql
\echo 'Making one million identifiers: marginal cost over an empty generate_series'
SELECT * FROM pg_temp.compare(
	ARRAY['gen_random_uuid', 'gen_iuid', 'gen_iuid, not monotonic'],
	ARRAY['SELECT count(gen_random_uuid()) FROM generate_series(1, 1000000)',
		'SELECT count(gen_iuid(7, 1)) FROM generate_series(1, 1000000)',
		'SET iuid.monotonic = off; SELECT count(gen_iuid(7, 1)) FROM generate_series(1, 1000000); RESET iuid.monotonic'],
	baseline => 'SELECT count(n) FROM generate_series(1, 1000000) AS n');
