# What the tests of the move share: three nodes, of which almaty has the country 235, and jakarta gets it;
# the command; and what is written meanwhile.
package Moves;
use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Regions;
use Test::More;

our @EXPORT = qw($rows start_nodes_of_move move start_move status_of status state_of_all says switch_and
	move_back done write_rows arrives subscribes_again registry_again);

our @iuid = ('/usr/bin/python3', 'tools/iuid');

# Of the country, to compare them.
our $rows = q{SELECT count(*), md5(string_agg(id::text || customer || note, ' ' ORDER BY id)) FROM orders
	WHERE iuid_is_from(id, 235)};
my %node;
my ($old, $new) = ('almaty', 'jakarta');

sub start_nodes_of_move
{
	my @names = ('almaty', 'jakarta', 'mexico');
	%node = start_nodes(@names);
	for my $name (@names)
	{
		$node{$name}->append_conf('postgresql.conf', join "\n", 'log_statement = none', 'wal_retrieve_retry_interval = 100ms',
			'max_worker_processes = 20', 'max_prepared_transactions = 5',
			'autovacuum = off');  # its log would be in the way of a switch whose worker stands still
		append_to_file($node{$name}->data_dir . '/pg_hba.conf', "local replication all trust\n");
		$node{$name}->restart;
	}
	make_regions(@names);
	at('almaty', q{INSERT INTO orders SELECT gen_iuid(235, 1, now() - n * interval '1 hour'), n, 'old'
		FROM generate_series(1, 1000) AS n});
	return %node;
}

# Starts the command; what it says goes into the variable.
sub start_move
{
	my ($out, $command, @options) = @_;
	# Where the tests run in the background, Ctrl-C is ignored, and so it would be by the command.
	local $SIG{INT} = 'DEFAULT';
	return IPC::Run::start([ @iuid, 'move', $command, 235, $old, $new, '--trust-owners',
		'--subscribe-as', $node{$new}->connstr('shop') . ' user=postgres', @options ], '>', $out, '2>&1',
		IPC::Run::timeout(600));
}

sub move
{
	my $done = start_move(\my $out, @_)->finish;
	note $out;
	return ($done ? 'done: ' : 'failed: ') . $out;
}

# The exit status of a command, and what it says.
sub status_of
{
	my $command = start_move(\my $out, @_);
	$command->finish;
	note $out;
	return ($command->full_result >> 8, $out);
}

sub status
{
	my $done = IPC::Run::run([ @iuid, 'move', 'status', 235, @_ ], '>', \my $out, '2>&1');
	note $out;
	return ($done ? '' : 'failed: ') . $out;
}

# What the command may change.
sub state_of_all
{
	return join "\n", map { at_machine($_, q{
		SELECT string_agg(concat_ws(' ', relname, relkind, relacl, (SELECT string_agg(concat(tgname, tgenabled), ','
		ORDER BY tgname) FROM pg_trigger WHERE tgrelid = c.oid)), ';' ORDER BY relname)
		FROM pg_class AS c WHERE relnamespace::regnamespace::text ~ 'public|moving';
		SELECT string_agg(concat_ws(' ', country, entity, node), ';' ORDER BY country) FROM iuid_routes;
		SELECT count(*) FROM pg_replication_slots WHERE slot_name ~ 'moving';
		SELECT count(*) FROM pg_subscription WHERE subname ~ 'moving'}) } sort keys %node;
}

# Waits until the command has said something.
sub says
{
	my ($command, $out, $pattern) = @_;
	while ($$out !~ $pattern)
	{
		$command->pumpable or die "the command ended: $$out";
		$command->pump;
	}
	return;
}

# Starts the switch, and does something with it when it has begun to refuse writes and is not further.
sub switch_and
{
	my ($out, $do, @options) = @_;
	my $worker = at_machine($new, q{SELECT pid FROM pg_stat_subscription WHERE subname = 'moving_c235'});
	# The switch waits for it when writes are refused, and not before: it is up to date.
	$node{$old}->poll_query_until('shop', q{SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn) < 100000
		FROM pg_replication_slots WHERE slot_name = 'moving_c235'}) or die 'the copy is behind';
	kill 'STOP', $worker or die "kill: $!";
	my $switch = start_move($out, 'switch', @options);
	says($switch, $out, qr/Refuses writes/);
	$do->($switch);
	kill 'CONT', $worker;
	return $switch;
}

# From here on the country moves the other way.
sub move_back { ($old, $new) = ($new, $old); return }

sub done { my ($command, $what) = @_; like(move($command), qr/^done: /, $what // $command); return }

# Rows are inserted, changed and deleted at the node of the country.
sub write_rows
{
	my ($name, $what) = @_;
	at($name, qq{INSERT INTO orders SELECT gen_iuid(235, 1), n, '$what' FROM generate_series(1, 20) AS n;
		UPDATE orders SET note = '$what' WHERE id IN (SELECT id FROM orders WHERE iuid_is_from(id, 235) ORDER BY id LIMIT 5);
		DELETE FROM orders WHERE id IN (SELECT id FROM orders WHERE iuid_is_from(id, 235) ORDER BY id LIMIT 7 OFFSET 5)});
	return;
}

sub arrives
{
	my ($what) = @_;
	$node{$new}->poll_query_until('shop', "SELECT count(*) >= 20 FROM orders_c235 WHERE note = '$what'")
		or die "$what does not arrive";
	# What is confirmed is not sent again.
	$node{$new}->safe_psql('shop', 'CHECKPOINT');
	my $place = at($old, 'SELECT pg_current_wal_lsn()');
	$node{$old}->poll_query_until('shop',
		"SELECT confirmed_flush_lsn >= '$place' FROM pg_replication_slots WHERE slot_name = 'moving_c235'")
		or die "$what is not confirmed";
	return;
}

# The workers of the subscriptions of the new node run, or that of the registry alone.
sub subscribes_again
{
	my $which = shift // '';
	$node{$new}->poll_query_until('shop',
		"SELECT bool_and(pid IS NOT NULL) FROM pg_stat_subscription WHERE subname ~ '$which'")
		or die "$new does not subscribe";
	return;
}

# A node subscribes to the registry anew, with a copy.
sub registry_again
{
	my $name = shift;
	at_machine($name, $_)
		for "DROP SUBSCRIPTION registry_$name", 'TRUNCATE iuid_routes, iuid_nodes, iuid_entities, iuid_countries';
	follow_registry($name, 'mexico');
	my $has = at_machine('mexico', 'SELECT iuid_node(235, 1)');
	$node{$name}->poll_query_until('shop', "SELECT iuid_node(235, 1) = '$has'") or die 'the registry does not arrive';
	return;
}

1;
