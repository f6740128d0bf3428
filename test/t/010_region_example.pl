# The files of examples/regions, run as they stand on three servers; and a
# country that moves while all of them write to it.
#
# One version is enough: 009_regions tests on each version what the example uses.
use strict;
use warnings;

use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Regions;
use Test::More;

my @names = ('almaty', 'mexico', 'jakarta');
my %code = (almaty => 'KZ', mexico => 'MX', jakarta => 'ID');
my %country = (almaty => 125, mexico => 157, jakarta => 101);
my %node = start_nodes(@names);

run_example($node{mexico}->connstr('shop'), 'registry.sql');
follow_registry($_, 'mexico') for 'almaty', 'jakarta';
run_example("service=$_", 'tables.sql') for @names;
run_example("service=$_", 'load.sql', country => $country{$_}) for @names;

sub everywhere
{
	my ($query, $expected, $what) = @_;
	is(at($_, $query), $expected, "$what, at $_") for @names;
}

for my $table ('iuid_countries', 'iuid_entities', 'iuid_nodes', 'iuid_routes')
{
	my $rows = "SELECT string_agg(t::text, ' ' ORDER BY t::text) FROM $table AS t";
	everywhere($rows, at('mexico', $rows), "the same $table");
}
# A thousand orders of each of ten countries, and a new one at each node.
everywhere("SELECT count(*), count(DISTINCT id), count(DISTINCT iuid_country(id)) FROM $_", '10003|10003|10', "the orders of all in $_") for 'orders_global', 'orders_all';
everywhere('SELECT count(*) FROM orders_all WHERE node <> iuid_node(id)', '0', 'each with its node');
everywhere(q{SELECT count(*) FROM orders WHERE NOT iuid_is_local(id)}, '0', 'its own in its own table');

# Each id at each node: the look-up goes to the owner, once for each way of asking, and to no other.
sub queries
{
	my ($name, $from) = @_;
	return scalar(() = slurp_file($node{$name}->logfile, $from) =~ /DECLARE c\d+ CURSOR|execute <unnamed>: SELECT public.iuid_find_here/g);
}

sub look_up
{
	my ($asking, $owner, $id, $row) = @_;
	my %from = map { $_ => -s $node{$_}->logfile } @names;
	is(run_example("service=$asking user=desk", 'look_up.sql', id => $id), "$row\n$row", "$asking finds an order of $owner");
	is(queries($_, $from{$_}), $_ eq $owner && $_ ne $asking ? 2 : 0, "queries to $_") for @names;
	return;
}

for my $owner (@names)
{
	my $id = at($owner, q{SELECT id FROM orders WHERE note = 'a new order'});
	look_up($_, $owner, $id, "$owner|$code{$owner}|42|a new order") for @names;
}

my @history = split /\n/, run_example('service=mexico user=desk', 'history.sql', customer => 42);
is(join(' ', map { (split /\|/)[1] } @history[ 0 .. 7 ]), 'ID MX KZ VN UZ PE MY MX', 'the last orders of a customer, newest first');
like($history[8], qr/^ *Remote SQL: .* ORDER BY id DESC NULLS FIRST$/, 'sorted by each node');
is(run_example('service=mexico user=desk', 'history_at_once.sql', customer => 42), join("\n", @history[ 0 .. 7 ]), 'the same from all nodes at once');
# The support desk reads, and comes in as a role that only reads.
is( $node{mexico}->safe_psql('shop', q{SELECT count(*) FROM iuid_run_on_nodes('DELETE FROM orders') WHERE NOT success AND result LIKE '42501: permission denied%'},
		connstr => 'service=mexico user=desk'), '3', 'the support desk deletes at no node');
my %from = map { $_ => -s $node{$_}->logfile } @names;
run_example('service=mexico user=desk', 'history.sql', customer => 42);
is(queries($_, $from{$_}), $_ eq 'mexico' ? 0 : 1, "one query to $_") for @names;

# Uzbekistan moves, and all three write to it: each adds to a row of its own
# and inserts, again and again, and counts what was done and what was refused.
# A look-up is never refused, and never in vain.
my $moving = at('almaty', q{SELECT id FROM orders WHERE note = 'Uzbekistan, order 42'});
look_up($_, 'almaty', $moving, 'almaty|UZ|42|Uzbekistan, order 42') for @names;
my %writer;
for my $n (0 .. 2)
{
	my $name = $names[$n];
	at($name, 'CREATE TABLE go_on ()');
	my $id = at('almaty', "SELECT id FROM orders WHERE note = 'Uzbekistan, order $n'");
	$writer{$name} = $node{$name}->background_psql('shop', extra_params => [ '-U', 'shop' ]);
	$writer{$name}->query_until(qr/writing/, qq{
\\echo writing
DO \$\$
DECLARE
	done int := 0;
	refused int := 0;
	missed int := 0;
BEGIN
	WHILE to_regclass('go_on') IS NOT NULL LOOP
		BEGIN
			PERFORM 1 / count(*) FROM orders_global WHERE id = '$moving';
		EXCEPTION WHEN OTHERS THEN
			missed := missed + 1;
		END;
		BEGIN
			INSERT INTO orders_global VALUES (gen_iuid(235, 1), 1000, '$name');
			UPDATE orders_global SET customer = customer + 1 WHERE id = '$id';
			done := done + 1;
		EXCEPTION WHEN OTHERS THEN
			refused := refused + 1;
		END;
		COMMIT;
	END LOOP;
	CREATE TABLE written AS SELECT done, refused, missed;
END \$\$;
});
}

sub wait_for_writers
{
	my $at = shift;
	my $written = q{SELECT count(*) FROM orders WHERE customer = 1000 AND note = };
	for my $name (@names)
	{
		my $before = at($at, "$written '$name'");
		$node{$at}->poll_query_until('shop', "SELECT ($written '$name') > $before + 10") or die "$name does not write";
	}
	return;
}
wait_for_writers('almaty');
run_example('service=mexico', 'move.sql');
wait_for_writers('jakarta');
my $all = 0;
for my $n (0 .. 2)
{
	my $name = $names[$n];
	at($name, 'DROP TABLE go_on');
	$writer{$name}->quit;
	my ($done, $refused, $missed) = split /\|/, at($name, 'TABLE written');
	is($missed, 0, "$name: every look-up found its row");
	cmp_ok($refused, '>', 0, "$name: what came in between was refused");
	everywhere("SELECT count(*) FROM orders_global WHERE customer = 1000 AND note = '$name'", $done, "all that $name inserted");
	everywhere("SELECT customer FROM orders_global WHERE note = 'Uzbekistan, order $n'", $n + $done, "all that $name updated");
	$all += $done;
}
everywhere('SELECT count(*), count(DISTINCT id) FROM orders_global WHERE iuid_is_from(id, 235)',
	join('|', (1000 + $all) x 2), 'no order of the country is lost, and none is double');
look_up($_, 'jakarta', $moving, 'jakarta|UZ|42|Uzbekistan, order 42') for @names;
is(at('almaty', 'SELECT count(*) FROM orders WHERE iuid_is_from(id, 235)'), '0', 'none is left at the old node');
isnt(scalar($node{almaty}->psql('shop', $_)), 0, "its copy cannot be written: $_") for 'DELETE FROM orders_c235_moved', 'TRUNCATE orders_c235_moved';

$_->stop for map { $node{$_} } reverse @names;
done_testing();
