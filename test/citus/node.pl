# What doc/citus.md says of a node that is a Citus cluster: almaty is a cluster, with a table that is
# partitioned by country and one that is not, and mexico a plain server.  ./dev citus runs this.
use strict;
use warnings;

use lib 'test/t', 'test/citus';
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($almaty, @workers) = start_cluster();
make_database('shop');
my $mexico = PostgreSQL::Test::Cluster->new('mexico');
$mexico->init;
$mexico->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'");
$mexico->start;
query('CREATE DATABASE shop', $mexico, 'postgres');

my %node = (almaty => $almaty, mexico => $mexico);
for my $name (sort keys %node)
{
	my ($other) = grep { $_ ne $name } keys %node;
	query(qq{
		CREATE EXTENSION iuid;
		CREATE EXTENSION iuid_regions;
		CREATE EXTENSION postgres_fdw;
		ALTER DATABASE shop SET iuid.node = '$name';
		INSERT INTO iuid_nodes SELECT n, NULL, n FROM unnest('{almaty,mexico}'::text[]) AS n;
		INSERT INTO iuid_routes VALUES (125, NULL, 'almaty'), (157, NULL, 'mexico');
		CREATE SERVER $other FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '@{[ $node{$other}->host ]}', port '@{[ $node{$other}->port ]}',
			dbname 'shop', extensions 'iuid', connect_timeout '2', tcp_user_timeout '3000');
		CREATE USER MAPPING FOR CURRENT_USER SERVER $other OPTIONS (password_required 'false')}, $node{$name});
}

# The tables of both nodes.  The second one is divided by country at almaty, too.
query($_, $mexico) for 'CREATE TABLE orders (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id iuid_origin_ops)',
	'CREATE TABLE trips (LIKE orders INCLUDING ALL) PARTITION BY RANGE (id iuid_origin_ops)', map { "SELECT iuid_create_routed_partitions('$_', 1)" } 'orders', 'trips';
query(q{
	CREATE TABLE orders (id iuid PRIMARY KEY, note text);
	SELECT create_distributed_table('orders', 'id');
	CREATE VIEW orders_c125_e1 WITH (security_invoker = true) AS SELECT ctid, * FROM orders;
	CREATE TABLE trips (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id iuid_origin_ops)});
query(q{SELECT iuid_create_routed_partitions('trips', 1)});
query(q{SELECT create_distributed_table('trips', 'id')});
for my $table ('orders', 'trips')
{
	query(qq{INSERT INTO $table SELECT gen_iuid(125, 1, now() - n * interval '1 hour'), 'asia ' || n FROM generate_series(1, 300) AS n});
	query(qq{INSERT INTO $table SELECT gen_iuid(157, 1), 'america ' || n FROM generate_series(1, 10) AS n}, $mexico);
	query(qq{SELECT iuid_create_global_table('${table}_global', '$table', 1), iuid_create_global_view('${table}_all', '$table')}, $mexico);
}

# How many shards the cluster asks for what runs at mexico, by the logs of the workers.
sub asked
{
	my $sql = shift;
	my @from = map { -s $_->logfile } @workers;
	my $answer = query($sql, $mexico);
	my %shards;
	for my $n (0 .. $#workers)
	{
		$shards{$_}++ for slurp_file($workers[$n]->logfile, $from[$n]) =~ /(?:statement|execute [^:]+): [^\n]*\b((?:orders|trips)(?:_c125)?_\d{5,})/g;
	}
	return ($answer, scalar keys %shards);
}

# --- reading -------------------------------------------------------------

for my $table ('orders', 'trips')
{
	is(query("SELECT count(*) FROM ${table}_all", $mexico), 310, "$table: the view has the rows of both");
	is(query("SELECT count(*) FROM ${table}_global", $mexico), 310, 'and so has the global table');
	my ($id, $note) = split /\|/, query("SELECT id, note FROM $table LIMIT 1");
	for my $case (
		[ "id = '$id'", "SELECT note FROM ${table}_global WHERE id = '$id'" ],
		[ 'a parameter', "PREPARE p (iuid) AS SELECT note FROM ${table}_global WHERE id = \$1; EXECUTE p ('$id')" ],
		[ 'a generic plan', "SET plan_cache_mode = force_generic_plan; PREPARE p (iuid) AS SELECT note FROM ${table}_global WHERE id = \$1; EXECUTE p ('$id')" ],
		[ 'a uuid, a generic plan', "SET plan_cache_mode = force_generic_plan; PREPARE p (uuid) AS SELECT note FROM ${table}_global WHERE id = \$1; EXECUTE p ('$id')" ],
		[ 'a generic plan, the view', "SET plan_cache_mode = force_generic_plan; PREPARE p (iuid) AS SELECT note FROM ${table}_all WHERE id = \$1; EXECUTE p ('$id')" ])
	{
		my ($what, $sql) = @$case;
		my ($answer, $shards) = asked($sql);
		is($answer, $note, "$table: $what, from mexico");
		is($shards, 1, 'one shard of the cluster is asked');
	}
	my ($found, $shards) = asked("SELECT note FROM iuid_find(NULL::$table, '$id')");
	is($found, $note, "$table: iuid_find");
	is($shards, 1, 'one shard of the cluster is asked');

	my $plan = query(qq{EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM ${table}_all WHERE id <@ tstzrange('2026-06-29', '2026-07-06') ORDER BY id DESC LIMIT 3}, $mexico);
	like($plan, qr/Remote SQL: SELECT .*id OPERATOR\(public.>=\) '.*id OPERATOR\(public.<\) '.*ORDER BY id DESC/, "$table: a range of time and ORDER BY are sent");
	is(query("SELECT note FROM ${table}_all WHERE id >= now() - interval '100 hours' AND iuid_is_from(id, 125) ORDER BY id DESC LIMIT 3", $mexico),
		"asia 1\nasia 2\nasia 3", 'and are right');
}

is(query(q{SELECT result FROM iuid_run_on_nodes('SELECT count(*) FROM orders', '{almaty}')}, $mexico), 300, 'iuid_run_on_nodes reads');
is(query(q{SELECT result FROM iuid_run_on_nodes($$ INSERT INTO orders VALUES (gen_iuid(125, 1), 'from mexico') $$, '{almaty}')}, $mexico), 'INSERT 0 1', 'and writes');
is(query(q{SELECT count(*) FROM orders WHERE note = 'from mexico'}), 1, 'the row is in the cluster');
is(query(q{SELECT string_agg(note, ' ' ORDER BY note) FROM iuid_select_on_nodes(NULL::orders, $$ SELECT * FROM orders WHERE note ~ ' 10$' $$)}, $mexico),
	'america 10 asia 10', 'iuid_select_on_nodes');

# --- what does not work --------------------------------------------------

# A row whose place is taken in other shards, too.
my $id = query(q{SELECT id FROM orders WHERE ctid = '(0,1)' LIMIT 1});
for my $statement (
	q{INSERT INTO orders_global VALUES (gen_iuid(125, 1), 'new')},
	"UPDATE orders_global SET note = 'changed' WHERE id = '$id'",
	"DELETE FROM orders_global WHERE id = '$id'")
{
	refuses($statement, 'cannot modify views when the query contains citus tables', $statement =~ s/'[0-9a-f-]{36}'/X/r . ' from mexico', $mexico);
}
query(q{
	CREATE FOREIGN TABLE direct (id iuid, note text) SERVER almaty OPTIONS (table_name 'orders');
	CREATE FOREIGN TABLE reading (id iuid, note text) SERVER almaty OPTIONS (table_name 'orders', updatable 'false')}, $mexico);
query("UPDATE direct SET note = random()::text WHERE id = '$id'", $mexico);
cmp_ok(query(q{SELECT count(*) FROM orders WHERE note ~ '^0\.'}), '>', 1, 'a foreign table on the distributed table: an UPDATE of one row changes others');
refuses("UPDATE reading SET note = random()::text WHERE id = '$id'", 'does not allow updates', q{and none with updatable 'false'}, $mexico);

refuses(q{SELECT iuid_create_global_table('trips_global', 'trips', 1)}, 'non-citus partitioned tables cannot have citus table partitions', 'no global table at the coordinator');
query(q{SELECT iuid_create_global_view('orders_all', 'orders')});
is(query('SELECT node, count(*) FROM orders_all GROUP BY node ORDER BY node'), "almaty|301\nmexico|10", 'a global view there');
is(query(qq{SELECT note FROM iuid_find(NULL::orders, (SELECT id FROM orders_all WHERE note = 'america 3'))}), 'america 3', 'and iuid_find');

$_->stop for $almaty, @workers, $mexico;
done_testing();
