# What doc/other-tools.md says of TimescaleDB, on the version that this machine has.
use strict;
use warnings;

use lib 'test/t';
use OtherExtensions;
use Test::More;

my ($node, %version) = start_with(['timescaledb']);
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'timescaledb'\ntimescaledb.telemetry_level = off");
$node->restart;

# The same rows in a hypertable and in a plain table: of 100 days, and of the first and last
# millisecond of chunks.
query(q{
	CREATE EXTENSION iuid;
	CREATE EXTENSION timescaledb;
	CREATE FUNCTION chunk_time(id iuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN timestamptz 'epoch'
		+ ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint * interval '1 ms' + interval '1 us';
	CREATE TABLE events (id iuid PRIMARY KEY DEFAULT gen_iuid(7, 1), note text);
	SELECT create_hypertable('events', by_range('id', interval '1 day', partition_func => 'chunk_time'));
	CREATE TABLE plain (id iuid PRIMARY KEY);
	INSERT INTO plain SELECT gen_iuid(n % 5, 1, date_trunc('day', now()) - n * interval '7 hours')
		FROM generate_series(1, 300) AS n;
	INSERT INTO plain SELECT gen_iuid(n % 5, 1, at)
		FROM generate_series(1, 20) AS n, generate_series(1, 3), LATERAL (VALUES
			(date_trunc('day', now()) - n * interval '4 days'),
			(date_trunc('day', now()) - n * interval '4 days' - interval '1 ms')) AS edges (at);
	INSERT INTO events SELECT id FROM plain});
cmp_ok(query(q{SELECT count(*) FROM show_chunks('events')}), '>', 80, 'chunks of a day are made on insert');
is( query(q{
		SELECT count(*) FROM events AS e
		JOIN timescaledb_information.chunks AS c ON format('%I.%I', chunk_schema, chunk_name)::regclass = e.tableoid
		WHERE extract(epoch FROM chunk_time(id)) * 1000000 NOT BETWEEN range_start_integer AND range_end_integer - 1
			OR range_start_integer % 86400000000 <> 0 OR range_start IS NOT NULL}),
	'0', 'and each row is in the one of its time; their ranges are microseconds');

# Each identifier as X, and each day.
for my $operator ('<', '<=', '=', '>=', '>')
{
	is( query(qq{
			SELECT format('SELECT id, count(*) FROM events WHERE id $operator %1\$L GROUP BY id
				EXCEPT SELECT id, count(*) FROM plain WHERE id $operator %1\$L GROUP BY id', id) FROM plain \\gexec
			SELECT format('SELECT id FROM plain WHERE id $operator %1\$L
				EXCEPT SELECT id FROM events WHERE id $operator %1\$L', id) FROM plain \\gexec}),
		'', "id $operator X finds what it finds in a plain table");
}
for my $predicate ('id >= timestamptz %1$L AND id < timestamptz %2$L', 'id <@ tstzrange(%1$L, %2$L)')
{
	is( query(qq{
			SELECT format('SELECT id FROM events WHERE $predicate EXCEPT SELECT id FROM plain WHERE $predicate;
				SELECT id FROM plain WHERE $predicate EXCEPT SELECT id FROM events WHERE $predicate',
				date_trunc('day', now()) - n * interval '1 day', date_trunc('day', now()) - (n - 1) * interval '1 day')
			FROM generate_series(0, 101) AS n \\gexec}), '', "$predicate finds what it finds in a plain table");
}

# Which chunks a query reads.
sub chunks
{
	my $query = shift;
	my $plan = query("EXPLAIN (ANALYZE, COSTS OFF, SUMMARY OFF, TIMING OFF) $query");
	my %found = map { $_ => 1 } $plan =~ /\bon (_hyper_\w+)[^(]*\(actual/g;
	return scalar keys %found;
}
my $all = query(q{SELECT count(*) FROM show_chunks('events')});
my ($ten, $eight) = map { query("SELECT date_trunc('day', now()) - interval '$_ days'") } 10, 8;
my $one = query('SELECT id FROM plain ORDER BY id OFFSET 100 LIMIT 1');
is(chunks("SELECT * FROM events WHERE id = '$one'"), 1, 'an identifier: one chunk');
cmp_ok(chunks("SELECT * FROM events WHERE id >= timestamptz '$ten' AND id < timestamptz '$eight'"), '<=', 3,
	'constants: the chunks of the range, and one more if it ends where that begins');
is(chunks(q{SELECT * FROM events WHERE id >= now() - interval '10 days'}), $all, 'now(): all chunks');
cmp_ok(chunks(q{SELECT * FROM events WHERE id >= now() - interval '10 days'
	AND chunk_time(id) > now() - interval '10 days'}), '<=', 11,
	'now() with the second predicate: the chunks of these days');
is(chunks('SELECT * FROM events WHERE iuid_is_from(id, 3)'), $all, 'iuid_is_from: all chunks');
is( query(q{SELECT (SELECT count(*) FROM events WHERE iuid_is_from(id, 3))
		- (SELECT count(*) FROM plain WHERE iuid_country(id) = 3)}), '0', 'and the rows of the country');

refuses(qq{UPDATE events SET id = gen_iuid(7, 1) WHERE id = '$one'}, qr/violates check constraint/,
	'an identifier does not move to another chunk');
refuses('CREATE UNIQUE INDEX ON events (note)',
	qr/cannot create a unique index without the column "id" \(used in partitioning\)/,
	'a unique index contains the identifier');
refuses(q{SELECT drop_chunks('events', older_than => 1::bigint)}, qr/invalid time argument type "bigint"/,
	'drop_chunks takes no number');
query(q{SELECT drop_chunks('events', older_than => interval '50 days')});
is( query(q{SELECT (SELECT count(*) FROM events WHERE id < now() - interval '51 days'),
		(SELECT count(*) FROM events WHERE id >= now() - interval '50 days')
		- (SELECT count(*) FROM plain WHERE id >= now() - interval '50 days')}),
	'0|0', 'drop_chunks drops the old rows, and no others');

# A column of type uuid does not do.
query('CREATE TABLE of_uuid (id uuid PRIMARY KEY)');
refuses(q{SELECT create_hypertable('of_uuid', by_range('id', interval '1 day', partition_func => 'chunk_time'))},
	qr/invalid partitioning function/, 'a column of type uuid has no such partition_func');
refuses(q{SELECT create_hypertable('of_uuid', by_range('id', interval '1 day'));
	INSERT INTO of_uuid VALUES (gen_iuid(7, 1))},
	qr/invalid type for dimension "id"|is not a version 7 UUID/, 'and takes no iuid without');

$node->stop;
done_testing();
