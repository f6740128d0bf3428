# The registry in other sessions, on a logical-replication subscriber and in
# dumps; and what a million look-ups leave behind.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $first = PostgreSQL::Test::Cluster->new('first');
$first->init(allows_streaming => 'logical');
$first->start;
my $second = PostgreSQL::Test::Cluster->new('second');
$second->init;
$second->start;
$_->safe_psql('postgres', 'CREATE EXTENSION iuid_regions CASCADE') for $first, $second;
$first->safe_psql('postgres', q{
	INSERT INTO iuid_countries VALUES (7, 'KZ', 'Kazakhstan');
	INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order');
	INSERT INTO iuid_nodes VALUES ('almaty', 'asia', 'almaty'), ('mexico', 'america', 'mexico');
	INSERT INTO iuid_routes VALUES (7, NULL, 'almaty')});

# Another session sees a change when it is committed, and not before.
my $reader = $first->background_psql('postgres');
my $writer = $first->background_psql('postgres');
my $node = 'SELECT iuid_node(7, 1)';
is($reader->query_safe($node), 'almaty', 'a route');
$writer->query_safe(q{BEGIN; UPDATE iuid_routes SET node = 'mexico'});
is($writer->query_safe($node), 'mexico', 'changed for its own transaction');
is($reader->query_safe($node), 'almaty', 'not yet for another');
$writer->query_safe('COMMIT');
is($reader->query_safe($node), 'mexico', 'for another after the commit');
$reader->query_safe("BEGIN; $node");
$writer->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});
is($reader->query_safe($node), 'almaty', 'in a transaction that has looked before, too');
$writer->query_safe(q{UPDATE iuid_routes SET node = 'mexico'});
$reader->query_safe('COMMIT');
$writer->query_safe('BEGIN; TRUNCATE iuid_routes; ROLLBACK');
is($reader->query_safe($node), 'mexico', 'what was rolled back never was');

# An old snapshot does not bring back an old route.
$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
$writer->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});
$reader->query_safe($node);
$reader->query_safe('COMMIT');
is($reader->query_safe($node), 'almaty', 'nor does an old snapshot leave an old route behind');

# A million look-ups: the memory of the backend stays what it was.
my $memory = q{SELECT sum(total_bytes) FROM pg_backend_memory_contexts
	WHERE name IN ('iuid routes', 'CacheMemoryContext', 'TopMemoryContext')};
my $look_up = q{SELECT count(iuid_node(7, n % 256)) + count(iuid_node(id))
	FROM generate_series(1, 500000) AS n, (SELECT gen_iuid(7, 1) AS id) AS x};
$reader->query_safe($_) for $look_up, $memory;
my $before = $reader->query_safe($memory);
$reader->query_safe($look_up);
is($reader->query_safe($memory), $before, 'a million look-ups take no memory');
# Nor does it grow with the number of changes.
my $used = q{SELECT used_bytes FROM pg_backend_memory_contexts WHERE name = 'iuid routes'};
$before = $reader->query_safe($used);
$reader->query_safe(q{DO $$ BEGIN FOR i IN 1..200 LOOP
	UPDATE iuid_routes SET node = node; PERFORM iuid_node(7, 1); END LOOP; END $$});
$reader->query_safe($node);
is($reader->query_safe($used), $before, 'nor do two hundred changes');
$_->quit for $reader, $writer;

# The registry is the same everywhere by logical replication.
$first->safe_psql('postgres',
	'CREATE PUBLICATION registry FOR TABLE iuid_countries, iuid_entities, iuid_nodes, iuid_routes');
$reader = $second->background_psql('postgres');
is($reader->query_safe($node), '', 'nothing yet on the subscriber');
my $connection = $first->connstr . ' dbname=postgres';
$second->safe_psql('postgres', "CREATE SUBSCRIPTION registry CONNECTION '$connection' PUBLICATION registry");
$second->wait_for_subscription_sync($first, 'registry');
is($reader->query_safe($node), 'almaty', 'the first copy is seen');
for my $change (
	[ q{UPDATE iuid_routes SET node = 'mexico'} => 'mexico' ],
	[ q{INSERT INTO iuid_routes VALUES (7, 1, 'almaty')} => 'almaty' ],
	[ q{TRUNCATE iuid_routes} => '' ],
	[ q{INSERT INTO iuid_routes VALUES (NULL, NULL, 'mexico')} => 'mexico' ])
{
	$first->safe_psql('postgres', $change->[0]);
	$first->wait_for_catchup('registry');
	is($reader->query_safe($node), $change->[1], "on the subscriber: $change->[0]");
}
$first->safe_psql('postgres', q{INSERT INTO iuid_countries VALUES (8, 'MX', 'Mexico')});
$first->wait_for_catchup('registry');
is($reader->query_safe(q{SELECT code, key FROM iuid_inspect(gen_iuid(8, 1))}),
	'MX|AyanOrder', 'on the subscriber: a new country');
$reader->quit;
$second->safe_psql('postgres', 'DROP SUBSCRIPTION registry');

# A dump brings the registry along, restored with the empty search_path of a dump.
my $dump = $first->basedir . '/registry.sql';
$first->safe_psql('postgres', q{INSERT INTO iuid_routes VALUES (7, NULL, 'almaty')});
$first->command_ok([ 'pg_dump', '-f', $dump, $connection ], 'dump');
$first->safe_psql('postgres', 'CREATE DATABASE again');
$first->command_ok(
	[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $first->connstr('again') ], 'restore');
for my $table ('iuid_countries', 'iuid_entities', 'iuid_nodes', 'iuid_routes')
{
	my $rows = "SELECT string_agg(t::text, ' ' ORDER BY t::text) FROM $table AS t";
	is($first->safe_psql('again', $rows), $first->safe_psql('postgres', $rows), "$table is restored");
}
is($first->safe_psql('again', $node), 'almaty', 'and gives the routes');

# With pg_restore -j the routes may come before their nodes.  A list that begins with them stands in
# for that: what comes first there is restored first.
my $dumped = $first->basedir . '/registry.dump';
$first->command_ok([ 'pg_dump', '-Fc', '-f', $dumped, $first->connstr('again') ], 'dump in the format of pg_restore');
my ($list) = PostgreSQL::Test::Utils::run_command([ 'pg_restore', '-l', $dumped ]);
my @entries = grep { !/^;/ } split /\n/, $list;
my @routes = grep { /TABLE DATA \S+ iuid_routes/ } @entries;
is(scalar @routes, 1, 'the routes are an entry of the dump');
my @others = grep { !/TABLE DATA \S+ iuid_routes/ } @entries;
my ($data_begins) = grep { $others[$_] =~ /TABLE DATA/ } 0 .. $#others;
splice @others, $data_begins, 0, @routes;
append_to_file("$dumped.list", join "\n", @others, '');
$first->safe_psql('postgres', 'CREATE DATABASE routes_first');
$first->command_ok([ 'pg_restore', '-e', '-L', "$dumped.list", '-d', $first->connstr('routes_first'), $dumped ],
	'restore of the routes first');
is($first->safe_psql('routes_first', $node), 'almaty', 'they are there');
isnt($first->psql('routes_first', q{INSERT INTO iuid_routes VALUES (8, NULL, 'nowhere')}),
	0, 'and a new one needs its node');

# A route and the node that it needs, in two sessions: the one that comes second waits, and sees
# what the first has done, in every isolation level.
for my $level ('READ COMMITTED', 'REPEATABLE READ')
{
	$first->safe_psql('routes_first', q{INSERT INTO iuid_nodes VALUES ('spare', NULL, NULL)});
	my $router = $first->background_psql('routes_first', on_error_stop => 0);
	$router->query_safe("BEGIN ISOLATION LEVEL $level; SELECT 1");
	$router->query_safe(q{INSERT INTO iuid_routes VALUES (20, NULL, 'spare')});
	my (undef, undef, $refused) = $first->psql('routes_first', q{SET lock_timeout = 100;
		DELETE FROM iuid_nodes WHERE node = 'spare'});
	like($refused, qr/lock timeout/, "$level: the node of a new route waits for it");
	my $deleter = $first->background_psql('routes_first', on_error_stop => 0);
	$deleter->query_safe("BEGIN ISOLATION LEVEL $level; SELECT 1");
	$router->query_safe('COMMIT');
	$deleter->query(q{DELETE FROM iuid_nodes WHERE node = 'spare'});
	like($deleter->{stderr}, qr/node "spare" has routes/, "$level: a node with a new route stays");
	$deleter->query('ROLLBACK');
	$deleter->quit;
	$router->quit;
	$first->safe_psql('routes_first', q{DELETE FROM iuid_routes WHERE node = 'spare';
		DELETE FROM iuid_nodes WHERE node = 'spare'});
}

# Another session changes the region of a node that a new route needs, and is not done.
{
	$first->safe_psql('routes_first', q{INSERT INTO iuid_nodes VALUES ('spare', NULL, NULL)});
	my ($changer, $router) = map { $first->background_psql('routes_first', on_error_stop => 0) } 1, 2;
	$changer->query_safe(q{BEGIN; UPDATE iuid_nodes SET region = 'asia' WHERE node = 'spare'});
	$router->query_safe(q{BEGIN; INSERT INTO iuid_routes VALUES (20, NULL, 'spare')});
	$changer->query_safe('COMMIT');
	my (undef, undef, $refused) = $first->psql('routes_first', q{SET lock_timeout = 100;
		DELETE FROM iuid_nodes WHERE node = 'spare'});
	like($refused, qr/lock timeout/, 'its new version is locked, too');
	$router->query_safe('COMMIT');
	$_->quit for $changer, $router;
	$first->safe_psql('routes_first', q{DELETE FROM iuid_routes WHERE node = 'spare';
		DELETE FROM iuid_nodes WHERE node = 'spare'});
}

# A node with a route keeps its name, also if the route is newer than the snapshot.  A new route may have
# a node that is newer.
for my $level ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
{
	my $renamer = $first->background_psql('routes_first', on_error_stop => 0);
	$first->safe_psql('routes_first', q{INSERT INTO iuid_nodes VALUES ('spare', NULL, NULL)});
	$renamer->query_safe("\\set VERBOSITY sqlstate\nBEGIN ISOLATION LEVEL $level; SELECT 1");
	$first->safe_psql('routes_first', q{INSERT INTO iuid_routes VALUES (20, NULL, 'spare');
		INSERT INTO iuid_nodes VALUES ('newer', NULL, NULL)});
	$renamer->query_safe(q{INSERT INTO iuid_routes VALUES (21, NULL, 'newer'); SAVEPOINT s});
	for my $change (q{UPDATE iuid_nodes SET node = 'renamed' WHERE node = 'spare'},
		q{DELETE FROM iuid_nodes WHERE node = 'spare'}, 'TRUNCATE iuid_nodes')
	{
		$renamer->{stderr} = '';
		$renamer->query($change);
		like($renamer->{stderr}, qr/ERROR:  23503/, "$level: $change");
		$renamer->query('ROLLBACK TO s');
	}
	$renamer->query('COMMIT');
	is($first->safe_psql('routes_first', q{SELECT string_agg(node, ' ' ORDER BY country) FROM iuid_routes
		WHERE country IN (20, 21)}), 'spare newer', 'both routes have their nodes');
	$renamer->quit;
	$first->safe_psql('routes_first', q{DELETE FROM iuid_routes WHERE country IN (20, 21);
		DELETE FROM iuid_nodes WHERE node IN ('spare', 'newer')});
}

# So do the rights that the superuser has given the owner of a database.
$first->safe_psql('postgres', 'CREATE ROLE one LOGIN');
$first->safe_psql('postgres', "CREATE DATABASE $_ OWNER one") for 'of_one', 'of_one_again';
sub as_owner
{
	my ($db, $query) = @_;
	return $first->safe_psql($db, $query, extra_params => [ '-U', 'one' ]);
}
as_owner('of_one', 'CREATE SCHEMA ids; CREATE EXTENSION iuid SCHEMA ids');
$first->safe_psql('of_one', q{
	CREATE EXTENSION iuid_regions SCHEMA ids;
	GRANT INSERT, UPDATE ON ids.iuid_nodes, ids.iuid_routes TO one});
as_owner('of_one', q{
	INSERT INTO ids.iuid_nodes VALUES ('almaty', 'asia', NULL), ('mexico', 'america', NULL);
	INSERT INTO ids.iuid_routes VALUES (7, NULL, 'almaty')});
my $whole = $first->basedir . '/whole.sql';
$first->command_ok([ 'pg_dump', '-f', $whole, $first->connstr('of_one') ], 'dump of a database of another owner');
$first->command_ok(
	[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $whole, $first->connstr('of_one_again') ], 'restore');
is(as_owner('of_one_again', 'SELECT ids.iuid_node(7, 1)'), 'almaty', 'with the registry');
as_owner('of_one_again', q{UPDATE ids.iuid_routes SET node = 'mexico'});
is(as_owner('of_one_again', 'SELECT ids.iuid_node(7, 1)'), 'mexico', 'which the owner may change');
my ($status) = $first->psql('of_one_again', 'ALTER TABLE ids.iuid_nodes DISABLE TRIGGER iuid_keep_node',
	extra_params => [ '-U', 'one' ]);
isnt($status, 0, 'but not alter');

$_->stop for $second, $first;
done_testing();
