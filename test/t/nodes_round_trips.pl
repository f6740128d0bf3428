# What a statement over several nodes costs in round trips: each statement that another node logs is
# one.  It is the same for few countries and for many.
use strict;
use warnings;

use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Regions;
use Test::More;

my @names = ('north', 'middle', 'south');
my %node = start_nodes(@names);

# Country n is routed to the node n modulo 3, and has ten orders.
sub spread
{
	my ($first, $last) = @_;
	for my $name (@names)
	{
		at_machine($name, qq{
			INSERT INTO iuid_countries SELECT n, 'C' || n, 'Country ' || n FROM generate_series($first, $last) AS n;
			INSERT INTO iuid_routes SELECT n, NULL, ('{north,middle,south}'::text[])[n % 3 + 1]
				FROM generate_series($first, $last) AS n});
		at($name, qq{
			SELECT iuid_create_routed_partitions('orders', 1);
			SELECT iuid_create_global_table('orders_global', 'orders', 1);
			INSERT INTO orders SELECT gen_iuid(country, 1, timestamptz '2026-01-01' + n * interval '1 day'), n % 5
			FROM generate_series($first, $last) AS country, generate_series(0, 9) AS n WHERE iuid_node(country, 1) = '$name';
			ANALYZE orders});
	}
	return;
}

for my $name (@names)
{
	at_machine($name, q{
		INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order');
		INSERT INTO iuid_nodes SELECT n, NULL, n FROM unnest('{north,middle,south}'::text[]) AS n});
	at($name, q{
		CREATE TABLE orders (id iuid PRIMARY KEY, customer int) PARTITION BY RANGE (id iuid_origin_ops);
		CREATE INDEX ON orders (customer, id)});
}
spread(0, 5);
at($_, q{SELECT iuid_create_global_view('orders_all', 'orders')}) for @names;

# How many statements of north the others log, when its connections are open.
sub costs
{
	my ($statement, $expected, $what) = @_;
	my $session = $node{north}->background_psql('shop', extra_params => [ '-U', 'shop' ]);
	$session->query_safe($statement);
	my %from = map { $_ => -s $node{$_}->logfile } @names;
	$session->query_safe($statement);
	for my $other ('middle', 'south')
	{
		my @logged = slurp_file($node{$other}->logfile, $from{$other}) =~ / north LOG:  (?:statement|execute \S+): (.*)/g;
		is(scalar @logged, $expected->{$other} // 0, "$what: round trips to $other") or diag join "\n", @logged;
	}
	$session->quit;
	return;
}

for my $countries (6, 60)
{
	spread(6, 59) if $countries == 60;
	my $id = at('middle', 'SELECT id FROM orders WHERE iuid_is_from(id, 4) LIMIT 1');
	costs("SELECT * FROM orders_global WHERE id = '$id'", { middle => 5 }, "$countries countries, look-up by id");
	costs("UPDATE orders_global SET customer = customer + 1 WHERE id = '$id'", { middle => 3 },
		"$countries countries, update by id");
	costs('SELECT * FROM orders_all WHERE customer = 3 ORDER BY id DESC LIMIT 8', { middle => 5, south => 5 },
		"$countries countries, the last of a customer");
	costs(q{SELECT count(*) FROM orders_all WHERE id >= timestamptz '2026-01-03'}, { middle => 5, south => 5 },
		"$countries countries, count of a time");
	costs(q{SELECT count(*) FROM orders_all WHERE node <> 'south'}, { middle => 5 },
		"$countries countries, without a node");
	costs(q{SELECT * FROM iuid_run_on_nodes('SELECT count(*) FROM orders')}, { middle => 1, south => 1 },
		"$countries countries, iuid_run_on_nodes");
	costs(q{SELECT * FROM iuid_select_on_nodes(NULL::orders, 'SELECT * FROM orders WHERE customer = 3')},
		{ middle => 1, south => 1 }, "$countries countries, iuid_select_on_nodes");
	costs("SELECT * FROM iuid_check_regions($_)", { middle => 1, south => 1 },
		"$countries countries, iuid_check_regions($_)") for '', "'orders_global'", "'orders_all'";
	costs("SELECT * FROM iuid_find(NULL::orders, '$id')", { middle => 1 }, "$countries countries, iuid_find");
	my $ids = join ', ', map { "'" . at($_, "SELECT id FROM orders WHERE iuid_node(id) = '$_' LIMIT 1") . "'" } @names;
	costs("SELECT * FROM iuid_find(NULL::orders, $ids)", { middle => 1, south => 1 },
		"$countries countries, iuid_find of an id of each node");
}

$_->stop for values %node;
done_testing();
