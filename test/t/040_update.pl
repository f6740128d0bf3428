# ALTER EXTENSION UPDATE, from every older version, gives what CREATE EXTENSION gives: beside tables
# that use the extensions, and by an owner of the database who is no superuser.
use strict;
use warnings;

use lib 'test/t';
use Catalog;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE stranger LOGIN');
my $default = $node->safe_psql('postgres', q{SELECT default_version FROM pg_available_extensions WHERE name = 'iuid'});

# Both extensions of a version, or of the default, in a schema that no search_path names.
sub create
{
	my ($database, $version) = @_;
	my ($of_iuid, $of_regions) = map { defined $version ? "VERSION '$_'" : '' } $version // '', ($version // '') =~ s/\+.*//r;
	$node->safe_psql('postgres', "CREATE DATABASE $database OWNER owner");
	$node->safe_psql($database, qq{CREATE SCHEMA "Id Types"; CREATE EXTENSION iuid SCHEMA "Id Types" $of_iuid},
		connstr => $node->connstr($database) . ' user=owner');
	$node->safe_psql($database, qq{CREATE EXTENSION iuid_regions SCHEMA "Id Types" $of_regions});
	return;
}

create('fresh');
my $fresh = catalog_of($node, 'fresh');
like($fresh, $_, 'the catalog has ' . $_)
	for qr/^CREATE FUNCTION "Id Types"\.iuid_node\(/m, qr/^COMMENT ON OPERATOR CLASS "Id Types"\.iuid_country_ops/m, qr/^GRANT SELECT ON TABLE "Id Types"\.iuid_routes/m,
		qr/^cast from uuid to "Id Types"\.iuid\|n\|function "Id Types"\.iuid\(uuid\)/m;

my @versions = split /\n/, $node->safe_psql('postgres',
	qq{SELECT version FROM pg_available_extension_versions WHERE name = 'iuid' AND version <> '$default' ORDER BY version});
is($versions[0], '1.0', 'the first version can be installed');
for my $version (@versions)
{
	my $database = 'from_' . $version =~ s/\W/_/gr;
	create($database, $version);
	isnt(catalog_of($node, $database), $fresh, "$version is another");
	$node->safe_psql($database, q{
		SET search_path = "Id Types", public;
		INSERT INTO iuid_countries VALUES (125, 'KZ', 'Kazakhstan');
		CREATE TABLE public.orders (id iuid DEFAULT gen_iuid(125, 1) PRIMARY KEY, n int) PARTITION BY RANGE (id);
		CREATE TABLE public.orders_rest PARTITION OF public.orders DEFAULT;
		CREATE INDEX ON public.orders USING hash (id);
		CREATE INDEX ON public.orders (id iuid_country_ops);
		INSERT INTO orders (n) SELECT generate_series(1, 1000)});

	my ($status, $out, $err) = $node->psql($database, 'ALTER EXTENSION iuid UPDATE', connstr => $node->connstr($database) . ' user=stranger');
	like($err, qr/must be owner of extension iuid/, 'a stranger does not update it');
	# A session that used the old version goes on with the new one.
	my $session = $node->background_psql($database);
	$session->query_safe(q{SET search_path = "Id Types", public;
		PREPARE question AS SELECT count(*) FROM orders WHERE id >= now() - interval '1 hour' AND iuid_is_from(id, 125)});
	like($session->query_safe('EXECUTE question'), qr/^1000$/m, 'a session asks before the update');
	$node->safe_psql($database, 'ALTER EXTENSION iuid UPDATE', connstr => $node->connstr($database) . ' user=owner');
	$node->safe_psql($database, 'ALTER EXTENSION iuid_regions UPDATE');
	like($session->query_safe('EXECUTE question'), qr/^1000$/m, 'and after it');
	like($session->query_safe('SELECT iuid_country(iuid_from_name(7, 1, 4711))'), qr/^7$/m, 'with what is new');
	$session->quit;

	is($node->safe_psql($database, q{SELECT code FROM "Id Types".iuid_countries}), 'KZ', 'what is registered stays');
	is($node->safe_psql($database, 'SET search_path = "Id Types", public; SET enable_seqscan = off; SELECT count(*) FROM orders AS a JOIN orders AS b USING (id)'), '1000', 'the indexes find the rows');

	# pg_dump would dump the indexes of the table, too.
	$node->safe_psql($database, 'DROP TABLE orders');
	is_catalog($node, $database, $fresh, "the update from $version gives what $default gives");
	$node->safe_psql($database, 'SET client_min_messages = warning; DROP EXTENSION iuid CASCADE');
	is($node->safe_psql($database, q{SELECT count(*) FROM pg_proc WHERE proname LIKE '%iuid%'}), '0', 'the new objects belong to the extensions: DROP EXTENSION drops them');
}

$node->stop;
done_testing();
