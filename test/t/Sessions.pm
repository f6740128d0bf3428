# Sessions of a server that come between each other in a fixed order.
package Sessions;
use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(open_session run waits waits_for outcome start_psql waits_in_loop);

my (%node, %pid);

sub open_session
{
	my ($node, $database) = @_;
	my $session = $node->background_psql($database // 'postgres', on_error_stop => 0);
	$session->set_query_timer_restart;   # each query has its own time
	$session->query('\set VERBOSITY sqlstate');
	$node{$session} = $node;
	$pid{$session} = $session->query('SELECT pg_backend_pid()');
	return $session;
}

# The SQLSTATE of an error, or else what came out.
sub run
{
	my ($session, @statements) = @_;
	my $out = $session->query(join "\n", @statements);
	my ($error) = $session->{stderr} =~ /ERROR:  (\w+)/;
	$session->{stderr} = '';
	return $error // $out;
}

# Sends a statement that waits for the transaction of another session.
sub waits
{
	my ($session, $statement, $other) = @_;
	$session->query_until(qr/sent/, "\\echo sent\n$statement\n");
	return waits_for($session, $other);
}

sub waits_for
{
	my ($session, $other) = @_;
	return $node{$session}->poll_query_until('postgres', "SELECT pg_blocking_pids($pid{$session}) = '{$pid{$other}}'");
}

# Sends one statement of PL/pgSQL that waits as long as the condition is true, and then sets test.seen
# to mexico.  Whether it began to wait at the server.
sub waits_in_loop
{
	my ($session, $condition, $server) = @_;
	$session->query_until(qr/waiting/, qq{
\\echo waiting
SET statement_timeout = '60s';
DO \$\$ BEGIN
	WHILE $condition LOOP PERFORM pg_sleep(0.01); END LOOP;
	PERFORM set_config('test.seen', 'mexico', false);
END \$\$;
RESET statement_timeout;
});
	return $server->poll_query_until('postgres',
		q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'});
}

# What came of it, when it waits no longer.
sub outcome { return run($_[0], '') }

# Starts statements in a session that ends with them, for IPC::Run::finish().  What comes out goes
# into the variable; an error is its SQLSTATE.
sub start_psql
{
	my ($connection, $statements, $out) = @_;
	return IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=sqlstate', '-d', $connection,
		'-c', 'SET client_min_messages = warning', '-c', $statements ], '>', $out, '2>&1');
}

1;
