# A cluster of Citus for the tests of doc/citus.md: a coordinator and two workers.
package CitusCluster;
use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More ();

our @EXPORT = qw(start_cluster make_database query ask refuses tasks plan_of);

my @names = ('coordinator', 'worker1', 'worker2');
my (%machine, $database);

# The machines speak over sockets, so the host of each is the folder of its socket.  The logs of the
# workers have the query of each shard.
sub start_cluster
{
	for my $name (@names)
	{
		my $node = $machine{$name} = PostgreSQL::Test::Cluster->new($name);
		$node->init;
		$node->append_conf(
			'postgresql.conf', qq{
shared_preload_libraries = 'citus'
citus.enable_statistics_collection = off
citus.local_hostname = '@{[ $node->host ]}'
wal_level = logical
max_wal_senders = 10
max_connections = 200
fsync = off
timezone = 'UTC'
log_statement = all});
		$node->start;
	}
	return map { $machine{$_} } @names;
}

# Makes a database of the cluster, which all questions are for.
sub make_database
{
	$database = shift;
	for (@names)
	{
		$machine{$_}->safe_psql('postgres', "CREATE DATABASE $database");
		$machine{$_}->safe_psql($database, 'CREATE EXTENSION citus');
	}
	my ($coordinator, @workers) = map { sprintf "'%s', %d", $machine{$_}->host, $machine{$_}->port } @names;
	query("SELECT citus_set_coordinator_host($coordinator)");
	query("SELECT citus_add_node($_)") for @workers;
	return;
}

# psql's status, the answer, and the errors and notices: at the coordinator or at another server, in
# this database or in another one.
sub ask
{
	my ($sql, $at, $in) = @_;
	return ($at // $machine{coordinator})->psql($in // $database, $sql, on_error_stop => 1);
}

# The answer.  An error is a test that fails, and those after it are made all the same.
sub query
{
	my ($sql, @where) = @_;
	my ($status, $out, $err) = ask($sql, @where);
	Test::More::is($status, 0, "$sql: $err") if $status != 0;
	return $out;
}

# An error with this text, or with this SQLSTATE.
sub refuses
{
	my ($sql, $message, $name, $at) = @_;
	my ($status, $out, $err) = ask("\\set VERBOSITY verbose\n$sql", $at);
	Test::More::like($err, qr/ERROR:.*$message/s, $name) or Test::More::diag("$status $out $err");
	return;
}

# Indexes are taken by the workers, too.
sub plan_of
{
	my $sql = shift;
	return query(qq{BEGIN; SET LOCAL citus.propagate_set_commands = 'local'; SET LOCAL enable_seqscan = off; SET LOCAL citus.explain_all_tasks = on;
		EXPLAIN (COSTS OFF) $sql; ROLLBACK});
}

# How many shards a statement asks.  EXECUTE takes what is prepared before.
sub tasks
{
	my ($sql, $before) = @_;
	my $analyze = $before ? 'ANALYZE, TIMING OFF, SUMMARY OFF, ' : '';
	my $plan = query(($before // '') . "; BEGIN; EXPLAIN (${analyze}COSTS OFF) $sql; ROLLBACK");
	my ($tasks) = $plan =~ /Task Count: (\d+)/;
	return $tasks // $plan;
}

1;
