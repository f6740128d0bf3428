# The bad days of doc/running-regions.md: their blocks, run as they stand on four nodes.
#
# One version is enough: the page has statements of the server, the same on each version.
use strict;
use warnings;

use lib 'test/t';
use Commands;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my @names = ('almaty', 'jakarta', 'lima', 'mexico');
my %node = start_nodes(@names);
my @of_page = blocks_of(part_of('doc/running-regions.md', 'Bad days'));
# registry_failover has the block for PostgreSQL 17.
my @blocks = grep { $_->{language} eq 'sql' && $_->{needs} !~ /from 17$/ } @of_page;
# node_restored and node_address have the other commands.
my @commands = grep { "@$_" !~ /^node (?:restored|address) / } map { commands_in($_->{text}) }
	grep { $_->{language} eq 'sh' } @of_page;
my $variables = "\\i " . passwords() . "\n";

# Runs a block of the page at the nodes that it names; what each gives.
sub run_block
{
	my $block = shift;
	my ($nodes) = $block->{needs} =~ /^needs (.*)/;
	return map { at_machine($_, $variables . $block->{text}) } split /, /, $nodes;
}

sub next_block { return run_block(shift @blocks) }

# Runs a command of the page, on the machines of nodes; its exit status, and what it says.
sub run_on
{
	my ($command, @machines) = @_;
	return run_iuid($command, @node{@machines});
}

# Enters the statements that the command lists for a node, of the first or of the second set.
sub mend
{
	my ($name, $said) = @_;
	at_machine($name, join "\n", map { /^$name +([^-].*)/ ? $1 : () } split /\n/, $said);
	return;
}

# Whether a node comes to know the node of Chile.
sub chile_is_at
{
	my ($name, $other) = @_;
	return $node{$name}->poll_query_until('shop',
		"SELECT iuid_node(country, 1) = '$other' FROM iuid_countries WHERE code = 'CL'");
}

sub route_chile_to
{
	my ($other, $publisher) = @_;
	at($publisher // 'mexico', qq{UPDATE iuid_routes SET node = '$other' FROM iuid_countries AS c
		WHERE c.country = iuid_routes.country AND code = 'CL'});
	return;
}

sub session_at
{
	my $session = $node{ $_[0] }->background_psql('shop', on_error_stop => 0);
	$session->query("SET ROLE shop;\n\\set VERBOSITY verbose");
	return $session;
}

# What iuid_check_regions() says at a node, at once or when it says what is awaited.
sub problems
{
	my ($name, $awaited) = @_;
	return at_last($name, q{SELECT DISTINCT problem FROM iuid_check_regions() WHERE problem NOT LIKE '% slot' ORDER BY 1},
		$awaited // qr/^/);
}

sub has_no_more
{
	my ($problem, $name, $what) = @_;
	unlike(problems($name, qr/^(?!.*$problem)/s), $problem, $what);
	return;
}

sub is_well
{
	my ($name, $what) = @_;
	is(problems($name, qr/^$/), '', $what);
	return;
}

# Stops the processes of a node, or lets them go on.
sub signal_node
{
	my ($signal, $name) = @_;
	my ($postmaster) = slurp_file($node{$name}->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	system "kill -$signal $postmaster \$(pgrep -P $postmaster)";
	return;
}

make_regions(@names);
my %code = (almaty => 'KZ', jakarta => 'ID', lima => 'PE', mexico => 'MX');
my %id = map { $_ => at($_, qq{INSERT INTO orders
	SELECT gen_iuid(country, 1), 42, 'of $_' FROM iuid_countries WHERE code = '$code{$_}' RETURNING id}) } keys %code;
sub finds { my ($name, $other) = @_; return at($name, "SELECT note FROM iuid_find(NULL::orders, '$id{$other}')") }
is_well($_, "$_ is well at the beginning") for @names;

# A node freezes in the middle of a transaction.
at_machine($_, q{ALTER ROLE mesh SET idle_in_transaction_session_timeout = '1s'}) for @names;
my $change = "UPDATE orders_global SET note = 'changed' WHERE id = '$id{jakarta}'";
my $session = session_at('almaty');
$session->query("BEGIN; $change;");
signal_node('STOP', 'almaty');
is(at('jakarta', qq{SET lock_timeout = '60s';
	UPDATE orders SET note = 'of jakarta' WHERE id = '$id{jakarta}' RETURNING note}),
	'of jakarta', 'a row that a frozen node has locked is free after the timeout');
signal_node('CONT', 'almaty');
$session->query('COMMIT;');
like($session->{stderr}, qr/08006: FATAL:  terminating connection due to idle-in-transaction timeout/,
	'what the transaction of the frozen node then gets');
is(finds('almaty', 'jakarta'), 'of jakarta', 'and nothing of it is done');
$session->{stderr} = '';
$session->query("BEGIN; $change;");
sleep 2;
$session->query("$change;");
like($session->{stderr}, qr/08006: FATAL:  terminating connection due to idle-in-transaction timeout/,
	'what a healthy long transaction gets');
$session->quit;
$node{$_}->safe_psql('shop', 'ALTER ROLE mesh SET idle_in_transaction_session_timeout = $$5min$$') for @names;

# Two nodes cannot reach each other: their ports are closed to one another.
my %port = map { $_ => $node{$_}->port } 'almaty', 'jakarta';
at_machine('almaty', q{ALTER SERVER jakarta OPTIONS (SET port '1')});
at_machine('jakarta', q{ALTER SERVER almaty OPTIONS (SET port '1')});
is(problems('almaty'), 'no answer', 'what a node says of the one that it cannot reach');
is(finds('lima', 'almaty') . finds('lima', 'jakarta') . finds('almaty', 'lima'),
	'of almatyof jakartaof lima', 'the others are found');
at_machine('almaty', "ALTER SERVER jakarta OPTIONS (SET port '$port{jakarta}')");
at_machine('jakarta', "ALTER SERVER almaty OPTIONS (SET port '$port{almaty}')");
is(finds('almaty', 'jakarta'), 'of jakarta', 'the network is back');

# One of them is the publisher of the registry.
my $subscription = at_machine('almaty', q{SELECT subconninfo FROM pg_subscription WHERE subname = 'registry_almaty'});
at_machine('almaty', 'ALTER SUBSCRIPTION registry_almaty CONNECTION $$' . $subscription =~ s/port=\d+/port=1/r . '$$');
$node{mexico}->poll_query_until('shop',
	q{SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'registry_almaty'})
	or die 'the subscriber is not cut off';
route_chile_to('lima');
ok(chile_is_at('jakarta', 'lima'), 'another node has the new route');
is(at('almaty', q{SELECT iuid_node(country, 1) FROM iuid_countries WHERE code = 'CL'}),
	'mexico', 'the node that is cut off has not');
at_machine('almaty', "ALTER SUBSCRIPTION registry_almaty CONNECTION \$\$$subscription\$\$");
ok(chile_is_at('almaty', 'lima'), 'it gets the route when the network is back');

# For so long that the slot is lost.
at_machine('almaty', 'ALTER SUBSCRIPTION registry_almaty CONNECTION $$' . $subscription =~ s/port=\d+/port=1/r . '$$');
$node{mexico}->poll_query_until('shop',
	q{SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'registry_almaty'})
	or die 'the subscriber is not cut off';
route_chile_to('mexico');
$node{mexico}->safe_psql('shop', $_)
	for map { ('CREATE TABLE filler ()', 'DROP TABLE filler', 'SELECT pg_switch_wal()') } 1 .. 4;
my $end = $node{mexico}->lsn('insert');
$node{mexico}->safe_psql('shop', 'CHECKPOINT');
$node{mexico}->poll_query_until('shop', "SELECT count(*) = 2 FROM pg_replication_slots WHERE restart_lsn >= '$end'")
	or die 'the others do not follow';
$node{mexico}->append_conf('postgresql.conf', 'max_slot_wal_keep_size = 16MB');
$node{mexico}->reload;
$node{mexico}->safe_psql('shop', 'CHECKPOINT');
like(at('mexico', 'SELECT string_agg(problem, $$,$$) FROM iuid_check_regions()'),
	qr/lost slot/, 'what the check says of a slot that is lost');
at_machine('almaty', "ALTER SUBSCRIPTION registry_almaty CONNECTION \$\$$subscription\$\$");
my ($status, $said) = run_on($commands[0], 'almaty');
is($status, 5, 'the node that was cut off lacks a change');
mend('almaty', $said =~ s/.*^If mexico is right:$//msr);
is((run_on($commands[0], 'almaty'))[0], 0, 'and follows when it has it');
ok(chile_is_at('almaty', 'mexico'), 'the node that subscribes again has the route');
is_well($_, "$_ is well") for @names;
$node{mexico}->append_conf('postgresql.conf', 'max_slot_wal_keep_size = -1');
$node{mexico}->reload;

# A later change.
route_chile_to('lima');
at('mexico', q{UPDATE iuid_routes SET node = 'jakarta' FROM iuid_countries AS c
	WHERE c.country = iuid_routes.country AND code = 'CO'});
ok(chile_is_at($_, 'lima'), "$_ has the new route") for @names;

# The publisher is restored without its slots.
my $from = -s $node{almaty}->logfile;
copy_disk('mexico');
restore_disk('mexico', without_slots => 1);
$node{almaty}->wait_for_log(qr/replication slot "registry_almaty" does not exist/, $from);
is((run_on($commands[0], @names))[0], 0, 'the command lets them subscribe again');
route_chile_to('mexico');
ok(chile_is_at($_, 'mexico'), "$_ follows again") for @names;

# A copy of its disk has its slots.
copy_disk('mexico');
route_chile_to('jakarta');
ok(chile_is_at($_, 'jakarta'), "$_ has the new route") for @names;
at_machine('mexico', 'CREATE TABLE much AS SELECT repeat(md5(n::text), 10) FROM generate_series(1, 30000) AS n');
$node{mexico}->wait_for_catchup("registry_$_") for @names[ 0 .. 2 ];
restore_disk('mexico');
$node{mexico}->poll_query_until('shop', q{SELECT count(*) = 3 FROM pg_stat_replication})
	or die 'not all subscribers are back';
at('mexico', q{UPDATE iuid_routes SET node = 'lima' FROM iuid_countries AS c
	WHERE c.country = iuid_routes.country AND code = 'CO'});
$node{mexico}->wait_for_catchup('registry_almaty', 'flush');
is(at('almaty', q{SELECT iuid_node(country, 1) FROM iuid_countries WHERE code = 'CO'}),
	'jakarta', 'a new change does not arrive');
like(problems('almaty'), qr/another registry/, 'what the check says');
($status, $said) = run_on($commands[0], @names);
is($status, 5, 'the command finds what the publisher has lost');
mend('mexico', $said =~ s/^If .*//msr);
# On the machine of one node after the other.
for (1 .. 5)
{
	($status) = run_on($commands[0], $_) for @names;
	last if $status == 0;
}
is($status, 0, 'the command on each machine in turn');
shift @commands;
route_chile_to('lima');
ok(chile_is_at($_, 'lima'), "$_ follows again") for @names;
has_no_more(qr/another registry/, $_, "$_ has the registry of the others") for @names;

# The publisher dies for good.
my @left = @names[ 0 .. 2 ];
$from = -s $node{almaty}->logfile;
$node{mexico}->stop('immediate');
$node{almaty}->wait_for_log(qr/could not connect to the publisher/, $from);
is((run_on($commands[0], @left))[0], 3, 'another node publishes');

# It is restored, and subscribes; the others have a change that it has not.
route_chile_to('almaty', 'jakarta');
$node{mexico}->start;
($status, $said) = run_on($commands[0], 'mexico');
is($status, 5, 'the old publisher lacks a change');
mend('mexico', $said =~ s/.*^If jakarta is right:$//msr);
is((run_on($commands[0], 'mexico'))[0], 0, 'and follows when it has it');
shift @commands;
ok(chile_is_at($_, 'almaty'), "$_ follows the new publisher") for 'almaty', 'lima', 'mexico';
is(finds('almaty', 'mexico'), 'of mexico', 'the rows of the old publisher are back');
has_no_more(qr/registry|subscription/, 'mexico', 'and its registry is that of the others');
is(at_machine('mexico', 'SELECT count(*) FROM pg_replication_slots'), '0', 'it keeps no log');

# Or it is not.
$node{mexico}->stop('immediate');
next_block();
for my $name ('almaty', 'lima')
{
	ok($node{$name}->poll_query_until('shop', q{SELECT count(*) = 0 FROM iuid_routes WHERE node = 'mexico'}),
		"$name follows the new publisher");
}

# A node fails over to its standby.
$node{almaty}->append_conf('pg_hba.conf', 'local replication all trust');
$node{almaty}->reload;
$node{almaty}->backup('for_standby');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node{almaty}, 'for_standby', has_streaming => 1);
$standby->start;
$variables = "\\set hosts 127.0.0.1,127.0.0.1\n\\set ports " . $node{almaty}->port . ',' . $standby->port . "\n";
next_block();
is(finds('jakarta', 'almaty'), 'of almaty', 'the primary is found');
$session = session_at('jakarta');
is($session->query("SELECT note FROM orders_global WHERE id = '$id{almaty}'"), 'of almaty', 'a session is connected');
$node{almaty}->wait_for_catchup($standby);
$node{almaty}->stop('immediate');
$standby->promote;
is($session->query("SELECT note FROM orders_global WHERE id = '$id{almaty}'"),
	'of almaty', 'the session connects anew');
$session->quit;
is(finds($_, 'almaty'), 'of almaty', "$_ finds the new primary") for 'jakarta', 'lima';
at('lima', "UPDATE orders_global SET note = 'of the standby' WHERE id = '$id{almaty}'");
is($standby->safe_psql('shop', "SELECT note FROM orders WHERE id = '$id{almaty}'"),
	'of the standby', 'and writes there');
like(problems('jakarta', qr/^(?!.*two primaries)/s), qr/^(?!.*two primaries)/s, 'one primary');
$node{almaty}->start;
like(problems('jakarta'), qr/^two primaries$/m, 'the old primary comes back');
$node{almaty}->stop('immediate');
route_chile_to('jakarta', 'jakarta');
ok($standby->poll_query_until('shop',
	q{SELECT iuid_node(country, 1) = 'jakarta' FROM iuid_countries WHERE code = 'CL'}), 'its subscription goes on');

# The publisher fails over to its standby.
$node{jakarta}->append_conf('pg_hba.conf', 'local replication all trust');
$node{jakarta}->reload;
$node{jakarta}->backup('for_standby');
my $publisher = PostgreSQL::Test::Cluster->new('publisher');
$publisher->init_from_backup($node{jakarta}, 'for_standby', has_streaming => 1);
$publisher->start;
my $both = 'host=127.0.0.1,127.0.0.1 port=' . $node{jakarta}->port . ',' . $publisher->port
	. ' target_session_attrs=read-write';
$variables = '\i ' . passwords() . "\n\\set both '$both'\n";
next_block();
is(@blocks + @commands, 0, 'every block was run');
route_chile_to('lima', 'jakarta');
ok(chile_is_at('lima', 'lima'), 'the subscriber follows the primary');
$node{jakarta}->wait_for_catchup($publisher);
$from = -s $node{lima}->logfile;
$node{jakarta}->stop('immediate');
$publisher->promote;
$node{lima}->wait_for_log(qr/replication slot "registry_lima" does not exist/, $from);
ok(1, 'what the subscriber says of the standby');

$_->stop for $standby, $publisher, $node{lima};
done_testing();
