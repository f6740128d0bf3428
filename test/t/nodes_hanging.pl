# What ends a session that waits, through postgres_fdw, for a node whose processes are all stopped: the
# table in doc/reference.md.  A network that drops packets needs root, and is not here.
# Its figures are from 15.20, 17.11, 18.6 and 19rc1 on Linux, each with its own libpq, and from 15.18 with
# the libpq of 15, 17, 18 and 19; those of 16 are from the source.
use strict;
use warnings;

use lib 'test/t';
use Faults qw(stop_processes go_on);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Regions;
use Sessions;
use Test::More;

my %node = start_nodes('almaty', 'mexico');
my ($here, $there) = @node{ 'almaty', 'mexico' };
my $version = $here->pg_version;
at('almaty', q{CREATE FOREIGN TABLE there (datname name) SERVER mexico
	OPTIONS (schema_name 'pg_catalog', table_name 'pg_database')});
my $look_up = 'SELECT count(*) > 0 FROM there';

# A session that has asked the node.
my %pid;
sub session
{
	my $begin = shift;
	my $session = $here->background_psql('shop', on_error_stop => 0, extra_params => [ '-U', 'shop' ]);
	$pid{$session} = $session->query("\\set VERBOSITY sqlstate\nSELECT pg_backend_pid()");
	is(run($session, "SET statement_timeout = '1s'; $begin $look_up"), 't', 'the node answers');
	return $session;
}

sub send_to
{
	my ($session, $statement) = @_;
	$session->query_until(qr/sent/, "\\echo sent\n$statement;\n");
	return;
}

sub ask_server { return $here->safe_psql('shop', shift) }
sub activity { return ask_server('SELECT state || query FROM pg_stat_activity WHERE pid = ' . $pid{$_[0]}) }

my ($between, $within, $committing) = map { session($_) } '', 'BEGIN;', 'BEGIN;';
my @processes = (
	slurp_file($there->data_dir . '/postmaster.pid') =~ /^(\d+)/,
	split /\n/, $there->safe_psql('postgres', 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()'));
is(stop_processes(@processes), scalar @processes, 'the node hangs');

my $log = -s $here->logfile;
send_to($committing, 'COMMIT');
send_to($within, $look_up);
$here->wait_for_log(qr/canceling statement due to statement timeout/, $log);
ask_server("SELECT pg_terminate_backend($pid{$within})");

# These take longer than the others would, if they ended.
is(run($between, $look_up), '57014', 'START TRANSACTION: statement_timeout ends it');
is(run($between, $look_up), $version < 16 ? '08001' : '57014',
	'a new connection: connect_timeout in 15, later statement_timeout');

is(activity($committing), 'activeCOMMIT;', 'COMMIT: not statement_timeout');
ask_server("SELECT pg_cancel_backend($pid{$committing})");
is(outcome($committing), '57014', 'but pg_cancel_backend');
is(activity($within), "active$look_up;", 'a later statement: nothing') if $version < 17;
go_on();
ok($here->poll_query_until('shop', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid{$within}"),
	'when the node goes on, all have ended');
is(run($between, $look_up), 't', 'the node answers again');

$_->quit for $between, $committing;
$_->stop for $here, $there;
done_testing();
