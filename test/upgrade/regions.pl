# A node is upgraded before the others: one of two nodes goes to each of some servers, and the other one
# stays.  Both find, write and check as before.  ./dev upgrade runs this, with the folders of the
# installations in IUID_INSTALLATIONS.
use strict;
use warnings;

use File::Basename;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @installations = split ' ', $ENV{IUID_INSTALLATIONS} // '';
plan skip_all => 'SKIPPED: no installations are named; ./dev upgrade names them' unless @installations > 1;

my %country = (almaty => 125, mexico => 157);
my %other = (almaty => 'mexico', mexico => 'almaty');
my %node;

sub start
{
	my ($name, $installation) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name, install_path => $installation);
	$node->init(extra => [ '--data-checksums', '--no-locale', '--encoding=UTF8' ]);
	$node->append_conf('postgresql.conf', 'fsync = off');
	$node->start;
	return $node;
}

sub at { my ($name, $statement) = @_; return $node{$name}->safe_psql('postgres', $statement) }

# The way to a node, from the other one.
sub way { my $name = shift; return "host '" . $node{$name}->host . "', port '" . $node{$name}->port . "'" }

sub works
{
	my ($when) = @_;
	for my $name (sort keys %country)
	{
		my $other = $other{$name};
		is(at($name, q{SELECT problem FROM iuid_check_regions()}), '', "$when: $name is well");
		my $id = at($name, "INSERT INTO orders_global VALUES (gen_iuid($country{$other}, 1), '$when') RETURNING id");
		is(at($other, "SELECT note FROM orders WHERE id = '$id'"), $when, "$when: $name writes a row of $other");
		is(at($name, "SELECT note FROM iuid_find(NULL::orders, '$id')"), $when, "$when: and finds it");
		is(at($name, "UPDATE orders_global SET note = 'new' WHERE id = '$id' RETURNING note"), 'new', "$when: and changes it");
		my $plan = at($name, "EXPLAIN (VERBOSE, COSTS off) SELECT * FROM orders_global WHERE iuid_country(id) = $country{$other} AND id > now() - interval '1 day'");
		like($plan, qr/Remote SQL: .*WHERE/, "$when: conditions go to $other");
		is(at($name, 'SELECT count(DISTINCT node) FROM orders_all'), '2', "$when: the view has the rows of both");
	}
	return;
}

$node{$_} = start($_, $installations[0]) for keys %country;
for my $name (keys %country)
{
	my $other = $other{$name};
	at($name, qq{
		CREATE EXTENSION iuid_regions CASCADE; CREATE EXTENSION postgres_fdw;
		CREATE SERVER $other FOREIGN DATA WRAPPER postgres_fdw OPTIONS (@{[ way($other) ]}, dbname 'postgres', extensions 'iuid');
		CREATE USER MAPPING FOR CURRENT_USER SERVER $other OPTIONS (user 'postgres');
		INSERT INTO iuid_nodes VALUES ('almaty', NULL, 'almaty'), ('mexico', NULL, 'mexico');
		INSERT INTO iuid_routes VALUES ($country{almaty}, NULL, 'almaty'), ($country{mexico}, NULL, 'mexico');
		ALTER DATABASE postgres SET iuid.node = '$name'});
}
for my $statement ('CREATE TABLE orders (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id iuid_origin_ops)',
	q{SELECT iuid_create_routed_partitions('orders', 1)}, q{SELECT iuid_create_global_table('orders_global', 'orders', 1)},
	q{SELECT iuid_create_global_view('orders_all', 'orders')})
{
	at($_, $statement) for sort keys %country;
}
at($_, "INSERT INTO orders VALUES (gen_iuid($country{$_}, 1), 'the first')") for sort keys %country;
works('before');

my $first = shift @installations;
for my $installation (@installations)
{
	my ($old, $new) = ($node{mexico}, start('mexico' . basename($installation), $installation));
	$_->stop for $old, $new;
	my ($out, $err) = run_command(
		[   "$installation/bin/pg_upgrade", '--no-sync',
			'-b', $old->config_data('--bindir'), '-B', "$installation/bin",
			'-d', $old->data_dir, '-D', $new->data_dir,
			'-s', $old->host, '-p', $old->port, '-P', $new->port ]);
	like($out, qr/^Upgrade Complete$/m, 'pg_upgrade to ' . basename($installation)) or diag($err), die;
	$node{mexico} = $new;
	$new->start;
	at('almaty', "ALTER SERVER mexico OPTIONS (SET port '" . $new->port . "', SET host '" . $new->host . "')");
	works('beside ' . basename($first) . ', ' . basename($installation));
}

$_->stop for values %node;
done_testing();
