# Two calls at once that make the same partitions, tables and views: the second one waits for the
# first, and finds done what is done, whether the first commits or rolls back.
use strict;
use warnings;

use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sessions;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'");
$node->start;
sub query { return $node->safe_psql('postgres', "SET client_min_messages = error; $_[0]") }

query(q{
	CREATE EXTENSION iuid_regions CASCADE;
	CREATE EXTENSION postgres_fdw;
	CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw;
	ALTER DATABASE postgres SET iuid.node = 'here'});

# One country is here, and one there.
sub start_anew
{
	query(q{
		DROP VIEW IF EXISTS orders_all;
		DROP FOREIGN TABLE IF EXISTS orders_all_there, orders_all_third;
		DROP TABLE IF EXISTS orders_global, orders CASCADE;
		TRUNCATE iuid_routes, iuid_nodes;
		INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'there');
		INSERT INTO iuid_routes VALUES (7, NULL, 'here'), (8, NULL, 'there');
		CREATE TABLE orders (id iuid PRIMARY KEY, n int) PARTITION BY RANGE (id iuid_origin_ops)});
	return;
}

# All that the tables and views stand on.
my $stands = q{
	SELECT c.oid::regclass, relkind, pg_get_expr(relpartbound, c.oid), ftserver, ftoptions,
		CASE relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END
	FROM pg_class AS c LEFT JOIN pg_foreign_table ON ftrelid = c.oid
	WHERE relname LIKE 'orders%' AND relkind IN ('r', 'p', 'f', 'v') ORDER BY 1};

my $view = q{iuid_create_global_view('orders_all', 'orders')};
my $table = q{iuid_create_global_table('orders_global', 'orders', 1)};
my $countries = q{iuid_create_routed_partitions('orders', 1)};
my $years = q{iuid_create_routed_partitions('orders', 1, '1 year')};
for my $case (
	[ $view, 'SELECT', 'orders_all orders_all_there' ],
	[ $view, "INSERT INTO iuid_nodes VALUES ('third', NULL, 'there')", 'orders_all_third', $view ],
	[ $view, "DELETE FROM iuid_routes WHERE country = 8; DELETE FROM iuid_nodes WHERE node = 'there'", '', $view ],
	[ $countries, 'SELECT', 'orders_c7' ],
	[ $countries, "INSERT INTO iuid_routes VALUES (9, NULL, 'here')", 'orders_c9', $countries ],
	[ $countries, 'ALTER TABLE orders ADD note text', '', $countries ],
	[ $countries, 'DROP VIEW orders_c7_e1', '', $countries ],
	[ $years, 'SELECT', 'orders_c7' ],
	[ $table, 'SELECT', 'orders_global orders_global_c8' ],
	[ $table, "INSERT INTO iuid_routes VALUES (9, NULL, 'there')", 'orders_global_c9', $table ])
{
	my ($call, $change, $made, $before) = @$case;
	my $statement = "SELECT count(*), coalesce(string_agg(made::text, ' ' ORDER BY made::text), '') FROM $call AS made;";
	my $count = () = $made =~ /\w+/g;
	# What one call after another gives.
	start_anew();
	query("SELECT $before") if $before;
	query($change);
	is(query($statement), "$count|$made", "$call after $change") if $made;
	query($statement);
	my $expected = query($stands);
	for my $end ('COMMIT', 'ROLLBACK')
	{
		start_anew();
		query("SELECT $before") if $before;
		query($change);
		my ($first, $second) = map { open_session($node) } 1, 2;
		$_->query_safe('SET client_min_messages = error') for $first, $second;
		is(run($first, 'BEGIN;', $statement), "$count|$made", "$end: the first call");
		ok(waits($second, $statement, $first), 'the second one waits');
		run($first, "$end;");
		is(outcome($second), $end eq 'COMMIT' ? '0|' : "$count|$made", 'and makes what is missing then');
		is(query($stands), $expected, 'what stands is as after one call');
		is(query($statement), '0|', 'and nothing is missing');
		$_->quit for $first, $second;
	}
}

$node->stop;
done_testing();
