# A country moves, as examples/regions/move.sql says, and in each of its steps a node is killed: no
# node loses or doubles a row, all can still read them, and the move goes on where it was cut off.
#
# One version is enough: iuid leaves it to the server to undo what was not committed.
use strict;
use warnings;

use lib 'test/t';
use Faults;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Regions;
use Sessions;
use Test::More;

my @names = ('almaty', 'mexico', 'jakarta');
my %node = start_nodes(@names);
for my $name (@names)
{
	# A subscriber that lost its publisher comes back at once.
	$node{$name}->append_conf('postgresql.conf', "restart_after_crash = on\nwal_retrieve_retry_interval = 100ms\nlog_statement = none");
	$node{$name}->reload;
}
run_example($node{mexico}->connstr('shop'), 'registry.sql');
follow_registry($_, 'mexico') for 'almaty', 'jakarta';
run_example("service=$_", 'tables.sql') for @names;
run_example("service=$_", 'load.sql', country => { almaty => 125, mexico => 157, jakarta => 101 }->{$_}) for @names;
install_steps($node{$_}, 'shop') for @names;

# All nodes write orders of the country that moves.  While it moves, that is refused.
my %writers;
sub write_at
{
	my $name = shift;
	push @{ $writers{$name} }, start_writers("service=$name",
		"INSERT INTO orders_global VALUES (gen_iuid(235, 1), 1000, '$name') RETURNING id; SELECT FROM pg_sleep(0.005);");
	return;
}

sub wait_for_writers
{
	my ($name) = @_;
	my $before = written(@{ $writers{$name} });
	for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		return if written(@{ $writers{$name} }) > $before;
		select undef, undef, undef, 0.1;
	}
	die "$name does not write";
}

# All of the country, at all nodes: those of before, and what was acknowledged since.  Once the new
# node has taken over, the others read the rows of that moment, until they know of it.
my @known = split /\n/, at('almaty', 'SELECT id FROM orders_c235');
my $taken_over = 0;
sub check_rows
{
	my $what = shift;
	push @known, written(map { @{ $writers{$_} } } @names) unless $taken_over;
	for my $name (@names)
	{
		my @there = split /\n/, at($name, 'SELECT id FROM orders_global WHERE iuid_is_from(id, 235)');
		is(not_once(\@known, \@there), '', "$what: $name reads each acknowledged order of the country, once");
	}
	return;
}

# What a node is asked in one transaction is a step of the move that is done or not.
my @parts = slurp_file('examples/regions/move.sql') =~
	/^(\\connect [^\n]*|BEGIN;\n.*?^COMMIT;|CREATE OR REPLACE FUNCTION .*?^END \$\$;|DO \$\$.*?^END \$\$;|(?!--)\w[^;]*;)$/smg;
my @moves;
for (@parts)
{
	push @moves, /^\\connect service=(\w+)/ ? [$1] : [ $moves[-1][0], $_ ];
}
@moves = grep { $_->[1] } @moves;
is(scalar @moves, 11, 'the parts of move.sql');

my $crashes = 0;
sub crash
{
	my ($name, $pid) = @_;
	if ($crashes++ % 2) { kill_server($node{$name}) }
	else { kill_backend($node{$name}, $pid) }
	return;
}

# A part of the move that waits at a step, and is cut off there.
sub cut_off
{
	my ($at, $statements, $halt) = @_;
	my $before = catalog($node{$at}, 'shop');
	my ($started, $pid) = start_halted($node{$at}, 'shop', "service=$at", $statements, $halt);
	crash($at, $pid);
	IPC::Run::finish($_) for @$started;
	write_at($at);
	my $what = (split /\n/, $statements =~ s/^BEGIN;\n//r)[0] . " at $at, cut off at step $halt";
	is(catalog($node{$at}, 'shop'), $before, "$what: nothing is half done");
	check_rows($what);
	return;
}

# What a part of the move gives: its status, and its messages.
sub move_on
{
	my ($at, $statements, @options) = @_;
	my ($status, undef, $err) = $node{$at}->psql('shop', join(';', @options, $statements), connstr => "service=$at", on_error_stop => 1);
	return "$status$err" =~ s/.*NOTICE: .*\n//gr;
}

# The new node copies from the old one, which lets it wait, and one of them is killed.
sub cut_off_copy
{
	my ($at, $statements) = @_;
	for my $killed ($at, 'almaty')
	{
		my $table = start_psql($node{almaty}->connstr('shop'), 'BEGIN; LOCK TABLE orders_c235; SELECT pg_sleep(600)', '/dev/null');
		my $copy = start_psql("service=$at", $statements, '/dev/null');
		$node{almaty}->poll_query_until('shop', q{SELECT count(*) > 0 FROM pg_locks AS l, pg_stat_activity AS a
			WHERE a.pid = l.pid AND NOT granted AND relation = 'orders_c235'::regclass AND application_name = 'jakarta'}) or die 'nothing is copied';
		kill_server($node{$killed});
		at_machine('almaty', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)' AND pid <> pg_backend_pid()});
		IPC::Run::finish($_) for $copy, $table;
		write_at($killed);
		is(at($at, 'SELECT count(*) FROM orders_c235'), '0', "the copy, while $killed is killed: nothing is half done");
		check_rows("the copy, while $killed is killed");
	}
	return;
}

# The node that publishes the routes is killed, and the new node does not hear of the change before
# it is there again.  So the wait for it goes on.
sub cut_off_route
{
	my ($at, $change, $wait) = @_;
	$node{jakarta}->kill9;
	is(move_on($at, $change), 0, 'the route changes while jakarta is down');
	kill_server($node{$at});
	like(move_on($at, $wait, q{SET statement_timeout = '1s'}), qr/statement timeout/, 'who waits for jakarta waits as long as it is down');
	$node{jakarta}->start;
	is(move_on($at, $wait), 0, 'and no longer');
	is(at($_, 'SELECT iuid_node(235, 1)'), 'jakarta', "$_ knows the new route") for @names;
	write_at($_) for $at, 'jakarta';
	check_rows('the new route');
	return;
}

write_at($_) for @names;
wait_for_writers($_) for @names;
for my $n (0 .. $#moves)
{
	my ($at, $statements) = @{ $moves[$n] };
	if ($statements =~ /^(BEGIN|CREATE TRIGGER moving BEFORE|SELECT)/)
	{
		my $steps = steps_of($node{$at}, 'shop', $statements =~ s/^BEGIN;|COMMIT;$//gr);
		cut_off($at, $statements, 1 + int rand $steps) for 1 .. rounds(1);
	}
	cut_off_copy($at, $statements) if $statements =~ /^INSERT/;
	cut_off_route($at, $statements, $moves[ $n + 1 ][1]) if $statements =~ /^UPDATE/;
	$taken_over = 1 if $statements =~ /ATTACH PARTITION/;
	is(move_on($at, $statements), 0, "done at $at: " . (split /\n/, $statements)[0]);
}
$taken_over = 0;
wait_for_writers($_) for @names;
check_rows('at the end');
for my $name (@names)
{
	is(at($name, q{SELECT * FROM iuid_check_regions('orders_global')}), '', "nothing is wrong at $name");
	check_indexes($node{$name}, 'shop', $name);
}
$_->stop for values %node;
stop_writers(@$_) for values %writers;
done_testing();
