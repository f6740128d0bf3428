# ALTER EXTENSION UPDATE to a next version, which this test makes: beside tables that use the
# extensions, in a session that goes on, and by an owner of the database who is no superuser.
use strict;
use warnings;

use lib 'test/t';
use Catalog;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# What a next version can do: functions in C and in SQL, a member of an operator family, a column of
# the registry, a comment.
my %update = (
	iuid => q{
		CREATE FUNCTION @extschema@.iuid_birth(@extschema@.iuid) RETURNS int AS 'MODULE_PATHNAME', 'iuid_country'
			LANGUAGE C IMMUTABLE STRICT;
		CREATE FUNCTION @extschema@.iuid_birth(pg_catalog.uuid) RETURNS int IMMUTABLE
			RETURN @extschema@.iuid_birth($1::@extschema@.iuid);
		ALTER OPERATOR FAMILY @extschema@.iuid_ops USING hash DROP FUNCTION 2 (@extschema@.iuid, @extschema@.iuid);
		COMMENT ON TYPE @extschema@.iuid IS 'the next one';
	},
	iuid_regions => q{
		ALTER TABLE @extschema@.iuid_countries ADD COLUMN capital pg_catalog.text;
	});

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'");
$node->start;
my $default = $node->safe_psql('postgres', q{SELECT default_version FROM pg_available_extensions WHERE name = 'iuid'});
my %file = map { $_ => $node->config_data('--sharedir') . "/extension/$_--$default--$default-next.sql" } keys %update;
for my $extension (keys %file)
{
	open my $script, '>', $file{$extension} or plan skip_all => "SKIPPED: $file{$extension} cannot be written: $!";
	print $script $update{$extension};
	close $script;
}
END { unlink values %file if %file }

is($node->safe_psql('postgres',
	q{SELECT name, version FROM pg_available_extension_versions WHERE name LIKE 'iuid%' ORDER BY 1, 2}),
	"iuid|$default\niuid|$default-next\niuid_gist|$default\niuid_regions|$default\niuid_regions|$default-next",
	'there is one version, and what the test makes of it');
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE stranger LOGIN');

# Both extensions of a version, in a schema that no search_path names.
sub create
{
	my ($database, $version) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database OWNER owner");
	$node->safe_psql($database, qq{CREATE SCHEMA "Id Types"; CREATE EXTENSION iuid SCHEMA "Id Types" VERSION '$version'},
		connstr => $node->connstr($database) . ' user=owner');
	$node->safe_psql($database, qq{CREATE EXTENSION iuid_regions SCHEMA "Id Types" VERSION '$version'});
	return;
}

create('fresh', "$default-next");
my $fresh = catalog_of($node, 'fresh');
like($fresh, $_, 'the catalog has ' . $_)
	for qr/^CREATE FUNCTION "Id Types"\.iuid_node\(/m, qr/^COMMENT ON OPERATOR CLASS "Id Types"\.iuid_origin_ops/m,
	qr/^GRANT SELECT ON TABLE "Id Types"\.iuid_routes/m,
		qr/^cast from uuid to "Id Types"\.iuid\|n\|function "Id Types"\.iuid\(uuid\)/m, qr/capital/,
	qr/^CREATE FUNCTION "Id Types"\.iuid_birth\(/m;

create('shop', $default);
isnt(catalog_of($node, 'shop'), $fresh, "$default is another");
$node->safe_psql('shop', q{
	SET search_path = "Id Types", public;
	INSERT INTO iuid_countries VALUES (125, 'KZ', 'Kazakhstan');
	CREATE TABLE public.orders (id iuid DEFAULT gen_iuid(125, 1) PRIMARY KEY, n int) PARTITION BY RANGE (id);
	CREATE TABLE public.orders_rest PARTITION OF public.orders DEFAULT;
	CREATE INDEX ON public.orders USING hash (id);
	CREATE INDEX ON public.orders (id iuid_origin_ops);
	INSERT INTO orders (n) SELECT generate_series(1, 1000)});

my ($status, $out, $err) = $node->psql('shop', "ALTER EXTENSION iuid UPDATE TO '$default-next'",
	connstr => $node->connstr('shop') . ' user=stranger');
like($err, qr/must be owner of extension iuid/, 'a stranger does not update it');
# A session that used the old version goes on with the new one.
my $session = $node->background_psql('shop');
$session->query_safe(q{SET search_path = "Id Types", public;
	PREPARE question AS SELECT count(*) FROM orders WHERE id >= now() - interval '1 hour' AND iuid_is_from(id, 125)});
like($session->query_safe('EXECUTE question'), qr/^1000$/m, 'a session asks before the update');
$node->safe_psql('shop', "ALTER EXTENSION iuid UPDATE TO '$default-next'",
	connstr => $node->connstr('shop') . ' user=owner');
$node->safe_psql('shop', "ALTER EXTENSION iuid_regions UPDATE TO '$default-next'");
like($session->query_safe('EXECUTE question'), qr/^1000$/m, 'and after it');
like($session->query_safe('SELECT DISTINCT iuid_birth(id) FROM orders'), qr/^125$/m, 'with what is new');
$session->quit;

is($node->safe_psql('shop', q{SELECT code FROM "Id Types".iuid_countries WHERE capital IS NULL}),
	'KZ', 'what is registered stays');
is($node->safe_psql('shop', q{SET search_path = "Id Types", public; SET enable_seqscan = off;
	SELECT count(*) FROM orders AS a JOIN orders AS b USING (id)}), '1000', 'the indexes find the rows');

# pg_dump would dump the indexes of the table, too.
$node->safe_psql('shop', 'DROP TABLE orders');
is_catalog($node, 'shop', $fresh, 'the update gives what CREATE EXTENSION gives');
$node->safe_psql('shop', 'SET client_min_messages = warning; DROP EXTENSION iuid CASCADE');
is($node->safe_psql('shop', q{SELECT count(*) FROM pg_proc WHERE proname LIKE '%iuid%'}),
	'0', 'the new objects belong to the extensions: DROP EXTENSION drops them');

$node->stop;
done_testing();
