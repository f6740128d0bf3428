# Sessions that make identifiers at once: none twice, each session's in order.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\nmax_wal_size = 4GB");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION iuid');

for my $monotonic ('on', 'off')
{
	$node->safe_psql('postgres', qq{
		DROP TABLE IF EXISTS made;
		CREATE UNLOGGED TABLE made (session int, n int, id iuid);
		ALTER DATABASE postgres SET iuid.monotonic = $monotonic});
	$node->pgbench(
		'--no-vacuum --client=4 --jobs=4 --transactions=1',
		0,
		[qr{transactions actually processed: 4/4}],
		[qr{^$}],
		"four sessions make 500,000 identifiers each, iuid.monotonic = $monotonic",
		{
			"make_$monotonic" => q{
				INSERT INTO made SELECT :client_id, n, gen_iuid(7, 1)
				FROM generate_series(1, 500000) AS n}
		});
	is( $node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id) FROM made'),
		'2000000|2000000', "no identifier twice, iuid.monotonic = $monotonic");

	my $in_order = $node->safe_psql('postgres', q{
		SELECT session, bool_and(id > previous)
		FROM (SELECT session, id, lag(id) OVER (PARTITION BY session ORDER BY n) AS previous FROM made) AS x
		GROUP BY session ORDER BY session});
	is( $in_order,
		join("\n", map { "$_|" . ($monotonic eq 'on' ? 't' : 'f') } 0 .. 3),
		"in the order of making: $monotonic");
}

# Parallel workers are processes of their own, with random bits of their own.
my $parallel = $node->safe_psql('postgres', q{
	SET parallel_setup_cost = 0;
	SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0;
	SET parallel_leader_participation = off;
	CREATE TABLE n AS SELECT generate_series(1, 200000) AS n;
	ALTER TABLE n SET (parallel_workers = 2);
	ANALYZE n;
	CREATE TABLE from_workers AS SELECT gen_iuid(7, 1) AS id FROM n;
	SELECT count(*), count(DISTINCT id), count(DISTINCT iuid_random(id)) FROM from_workers});
is($parallel, '200000|200000|200000', 'no identifier twice from parallel workers');

$node->stop;
done_testing();
