-- Reading the country of identifiers
CREATE TABLE ids AS SELECT gen_iuid(7, 1) AS id FROM generate_series(1, 10 * :million);
VACUUM ANALYZE ids;
SELECT bench.compare(format('country of %s', bench.shown(10 * :million)), '{"get_byte(uuid_send(id), 7)",iuid_country(id)}',
	'{"SELECT count(get_byte(uuid_send(id), 7)) FROM ids",SELECT count(iuid_country(id)) FROM ids}');
SELECT bench.compare('the same, without the scan', '{"get_byte(uuid_send(id), 7)",iuid_country(id)}',
	'{"SELECT count(get_byte(uuid_send(id), 7)) FROM ids",SELECT count(iuid_country(id)) FROM ids}', baseline => 'SELECT count(id) FROM ids');
DROP TABLE ids;
