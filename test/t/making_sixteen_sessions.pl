# Sixteen sessions that make identifiers at once, and sixteen processes of one parallel query: none
# twice, and those of each process in order.  What tells is coreutils' sort, as the texts of
# identifiers sort in the order of the identifiers.
#
# Each makes 50,000.  FAULT_SIZE=1000000 ./dev test making_sixteen_sessions makes 16 million in each
# round, which takes some minutes and 2 GB of disk.
#
# One version is enough: the generator takes nothing from the server but its clock.
use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $size = $ENV{FAULT_SIZE} // 50_000;
my $processes = 16;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf(
	'postgresql.conf', "
fsync = off
max_wal_size = 4GB
max_worker_processes = 24
max_parallel_workers = 16
max_parallel_workers_per_gather = 15
parallel_setup_cost = 0
parallel_tuple_cost = 0
synchronize_seqscans = off");
$node->start;
# pg_backend_pid() for workers.
$node->safe_psql('postgres', q{
	CREATE EXTENSION iuid;
	CREATE FUNCTION process() RETURNS int LANGUAGE internal PARALLEL SAFE AS 'pg_backend_pid'});

my $folder = $node->basedir;
$ENV{LC_ALL} = 'C';

# Each file has the identifiers of one process, as they were made.
sub check
{
	my ($what, $monotonic, $count, @files) = @_;
	my @in_order = grep { IPC::Run::run([ 'sort', '-C', '-u', $_ ]) } @files;
	is(scalar @in_order, $monotonic eq 'on' ? @files : 0, "$what: the files in order, iuid.monotonic = $monotonic");
	my ($lines) = PostgreSQL::Test::Utils::run_command([ 'sh', '-c', 'cat "$@" | wc -l', 'sh', @files ]);
	cmp_ok($lines, '==', $count, "$what: the number of identifiers");
	my $merge = @in_order == @files ? '-m' : '';
	($lines) = PostgreSQL::Test::Utils::run_command([ 'sh',
		'-c', "sort $merge -u -S 512M -T $folder \"\$\@\" | wc -l", 'sh', @files ]);
	cmp_ok($lines, '==', $count, "$what: none twice");
	return;
}

sub first_and_last
{
	my ($file) = @_;
	return map { chomp(my $line = `$_ -n 1 $file`); $line } 'head', 'tail';
}

for my $monotonic ('on', 'off')
{
	$node->safe_psql('postgres', "ALTER DATABASE postgres SET iuid.monotonic = $monotonic");

	# Sessions.  They begin together, as soon as the lock is free.
	my @files = map { "$folder/session_$_" } 0 .. $processes - 1;
	my $starter = $node->background_psql('postgres');
	$starter->query_safe('SELECT pg_advisory_lock(1)');
	append_to_file("$folder/$monotonic.sql", "
		SELECT pg_advisory_lock_shared(1);
		COPY (SELECT gen_iuid(7, 1) FROM generate_series(1, $size)) TO '$folder/session_:client_id';\n");
	my $said = '';
	my $sessions = IPC::Run::start([ 'pgbench', '-n', '-c', $processes, '-j', '2', '-t', '1',
		'-f', "$folder/$monotonic.sql", $node->connstr('postgres') ],
		'>', \$said, '2>', \$said);
	$node->poll_query_until('postgres',
		q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}, $processes)
	  or die "the sessions do not come: $said";
	$starter->quit;
	ok(IPC::Run::finish($sessions), 'sixteen sessions make identifiers') or diag $said;
	check('sessions', $monotonic, $processes * $size, @files);
	if ($monotonic eq 'on')
	{
		my @spans = sort { $a->[0] cmp $b->[0] } map { [ first_and_last($_) ] } @files;
		ok((grep { $spans[ $_ + 1 ][0] lt $spans[$_][1] } 0 .. $#spans - 1), 'some at the same time');
	}
	unlink @files;

	# A leader and fifteen workers.
	my $rows = $processes * $size;
	$node->safe_psql('postgres', qq{
		CREATE UNLOGGED TABLE n AS SELECT FROM generate_series(1, $rows);
		ALTER TABLE n SET (parallel_workers = 15)});
	my $plan = $node->safe_psql('postgres', 'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF)
		CREATE UNLOGGED TABLE made AS SELECT process() AS pid, gen_iuid(7, 1) AS id FROM n');
	like($plan,
		qr/Gather.*Workers Launched: 15\n.*Parallel Seq Scan on public\.n[^\n]*\n\s+Output: process\(\), gen_iuid\(7, 1\)/s,
		'workers make identifiers') or diag $plan;
	my @pids = split /\n/, $node->safe_psql('postgres', 'SELECT DISTINCT pid FROM made');
	cmp_ok(scalar @pids, '>', 2, 'at least two of them');
	note scalar @pids . ' processes';
	@files = map { "$folder/process_$_" } @pids;
	$node->safe_psql('postgres', join ';', 'SET max_parallel_workers_per_gather = 0',
		map { "COPY (SELECT id FROM made WHERE pid = $_) TO '$folder/process_$_'" } @pids);
	check('workers', $monotonic, $rows, @files);
	unlink @files;
	$node->safe_psql('postgres', 'DROP TABLE n, made');
}

$node->stop;
done_testing();
