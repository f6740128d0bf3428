# Sessions that make identifiers at once: none twice, each session's in order.
#
# One version is enough: the generator takes nothing from the server but its clock.
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

# Sessions whose clock is the same make their identifiers in one order: each
# takes its turn under a lock, and makes some thousands within a millisecond.
$node->safe_psql('postgres', q{
	ALTER DATABASE postgres RESET iuid.monotonic;
	CREATE SEQUENCE turn;
	CREATE TABLE turns (turn int, session int, ids iuid[])});
$node->pgbench(
	'--no-vacuum --client=8 --jobs=2 --transactions=50',
	0,
	[qr{transactions actually processed: 400/400}],
	[qr{^$}],
	'eight sessions make 3,000 identifiers in each of 50 turns',
	{
		'turns' => q{
			BEGIN;
			SELECT pg_advisory_xact_lock(1);
			INSERT INTO turns SELECT nextval('turn'), :client_id, array_agg(gen_iuid(7, 1)) FROM generate_series(1, 3000);
			COMMIT;
		}
	});
is( $node->safe_psql('postgres', q{
		SELECT count(*), count(DISTINCT session), bool_and(id > previous)
		FROM (SELECT session, id, lag(id) OVER (ORDER BY turn, n) AS previous
			FROM turns, unnest(ids) WITH ORDINALITY AS a(id, n)) AS x}),
	'1200000|8|t', 'all stand in the order in which they were made');
cmp_ok(
	$node->safe_psql('postgres', q{
		SELECT max(made) FROM (SELECT count(*) AS made FROM turns, unnest(ids) AS id GROUP BY iuid_timestamp(id)) AS x}),
	'>', 100, 'many of them in a millisecond');

# Parallel workers are processes of their own, with random bits of their own.
# Without the fraction of the millisecond there are 54 of them, which agree by
# chance once in a million runs.
my $parallel = $node->safe_psql('postgres', q{
	SET iuid.monotonic = off;
	SET parallel_setup_cost = 0;
	SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0;
	SET parallel_leader_participation = off;
	CREATE TABLE n AS SELECT generate_series(1, 200000) AS n;
	ALTER TABLE n SET (parallel_workers = 2);
	ANALYZE n;
	CREATE TABLE from_workers AS SELECT gen_iuid(7, 1) AS id FROM n;
	SELECT count(*), count(DISTINCT id), count(DISTINCT iuid_random_bits(id)) FROM from_workers});
is($parallel, '200000|200000|200000', 'no identifier twice from parallel workers');

$node->stop;
done_testing();
