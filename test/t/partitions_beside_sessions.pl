# Maintenance beside those who read and write, in any order: it may wait, and
# nobody else fails.  Each scenario runs a hundred times.
#
# LOCK_ROUNDS=40 ./dev test partitions_beside_sessions runs each forty times.  A slow server needs that: there each
# partition of a country makes the others' transactions longer, and maintenance never waits for one
# of them for more than half a second.
use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\nlog_statement = none");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION iuid_regions CASCADE');
my $scripts = $node->basedir;
my $number = 0;
my $rounds = $ENV{LOCK_ROUNDS} // 100;

# Each of the others is a transaction that pgbench repeats in two sessions; a
# session that gets an error ends.
sub beside
{
	my ($name, $others, @maintenance) = @_;
	my @files;
	for my $script (@$others)
	{
		my $file = "$scripts/other_" . $number++ . '.sql';
		append_to_file($file, join("\n", split(/(?<=;) /, $script), '\sleep 10 ms', ''));
		push @files, '-f', $file;
	}
	my $out = '';
	my $pgbench = IPC::Run::start(
		[ 'pgbench', '-n', '-c', 2 * @$others, '-j', '2', '-T', '600', @files, $node->connstr('postgres') ],
		'>', \$out, '2>', \$out);
	my $script = join ";\n", 'SET client_min_messages = error',
		map { my $round = $_; map { s/:round/$round/gr } @maintenance } 1 .. $rounds;
	my (undef, undef, $failed) = $node->psql('postgres', $script, on_error_stop => 0);
	is($failed, '', "$name: all rounds were done");
	$pgbench->signal('TERM');
	IPC::Run::finish($pgbench);
	unlike($out, qr/ERROR|aborted/, "$name: nobody else got an error");
}

# The tables, as they are before each scenario.
sub start_with
{
	$node->safe_psql('postgres', 'SET client_min_messages = warning;
		DROP TABLE IF EXISTS lines, orders, customers, products CASCADE;' . join ';', @_);
}
my $orders = 'CREATE TABLE orders (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id)';
my $rest = 'CREATE TABLE orders_rest PARTITION OF orders DEFAULT';
my $lines = 'CREATE TABLE lines (id iuid PRIMARY KEY, order_id iuid REFERENCES orders, note text)';
my $now = "gen_iuid(7, 1)";
my $old = "gen_iuid(7, 1, timestamptz '2020-01-01')";
# A day a round.
my $first = "timestamptz '2021-01-01' + :round * interval '1 day'";
my $create = "SELECT count(*) FROM iuid_create_partitions('orders', '1 day', $first, $first + interval '1 day')";
my $drop = "SELECT count(*) FROM iuid_drop_partitions('orders', $first + interval '1 day')";

# Readers hold the parent, and come for the DEFAULT partition.
start_with($orders, $rest, "INSERT INTO orders SELECT $old FROM generate_series(1, 1000)");
beside('readers of parent and DEFAULT',
	[
		'SELECT count(*) FROM orders;',
		'BEGIN; SELECT count(*) FROM ONLY orders; SELECT pg_sleep(0.002); SELECT count(*) FROM orders_rest; COMMIT;',
		'BEGIN; SELECT count(*) FROM orders_rest; SELECT pg_sleep(0.002); SELECT count(*) FROM orders; COMMIT;'
	],
	"SELECT count(*) FROM iuid_create_partitions('orders', '1 day', now() - interval '6 days', now() - interval '3 days')",
	qq{CALL iuid_maintain_partitions('orders', '1 day', :round, '2 days') \\gset\nSELECT 1 / least(:created,
			:dropped) AS made_and_dropped});

# Writers of a referring table, who check what they refer to.
start_with($orders, $rest, $lines, "INSERT INTO orders VALUES ('019b76da-a87b-8007-8041-23456789abcd')");
my $line = "INSERT INTO lines VALUES ($now, '019b76da-a87b-8007-8041-23456789abcd')";
beside('writers of a referring table',
	[
		"BEGIN; $line; SELECT pg_sleep(0.002); $line; COMMIT;",
		"BEGIN; INSERT INTO orders VALUES ($now); SELECT pg_sleep(0.002); $line; COMMIT;",
		"BEGIN; $line; SELECT pg_sleep(0.002); INSERT INTO orders VALUES ($now); COMMIT;"
	],
	$create, $drop);

# Writers of two tables that are referred to, in both orders; no DEFAULT partition.
start_with(
	'CREATE TABLE customers (id int PRIMARY KEY, n int)',
	'CREATE TABLE products (id int PRIMARY KEY, n int)',
	'INSERT INTO customers SELECT n, 0 FROM generate_series(1, 10) AS n',
	'INSERT INTO products SELECT n, 0 FROM generate_series(1, 10) AS n',
	q{CREATE TABLE orders (id iuid PRIMARY KEY, customer int REFERENCES customers, product int REFERENCES products)
		PARTITION BY RANGE (id)},
	"SELECT iuid_create_partitions('orders', '1 day', now(), now() + interval '1 day')");
beside('writers of two referred tables',
	[
		q{BEGIN; UPDATE customers SET n = n + 1 WHERE id = :client_id + 1; SELECT pg_sleep(0.002);
			UPDATE products SET n = n + 1 WHERE id = :client_id + 1; COMMIT;},
		q{BEGIN; UPDATE products SET n = n + 1 WHERE id = :client_id + 1; SELECT pg_sleep(0.002);
			UPDATE customers SET n = n + 1 WHERE id = :client_id + 1; COMMIT;},
		qq{BEGIN; INSERT INTO orders VALUES ($now, 1, 1); SELECT pg_sleep(0.002);
			UPDATE customers SET n = n + 1 WHERE id = :client_id + 1; COMMIT;}
	],
	$create, $drop);

# Maintenance of one table in six sessions at once: each waits, and none fails.
start_with($orders, $rest);
append_to_file("$scripts/maintain.sql", q{
	\set days random(1, 300)
	SELECT count(*) FROM iuid_create_partitions('orders', '1 day', now() - :days * interval '1 day',
		now() - (:days - 1) * interval '1 day');
	CALL iuid_maintain_partitions('orders', '1 day', 2, :days * interval '1 day');
});
my ($out, $err) = ('', '');
my $ran = IPC::Run::run(
	[ 'pgbench', '-n', '-c', '6', '-j', '2', '-t', '17', '-f', "$scripts/maintain.sql", $node->connstr('postgres') ],
	'>', \$out, '2>', \$err);
ok($ran, 'maintenance of one table in six sessions');
unlike("$out$err", qr/ERROR|aborted/, 'none of them fails') or diag $err;
is($node->safe_psql('postgres', "SELECT count(*) FROM iuid_check_partitions('orders') WHERE problem <> 'gap'"),
	'0', 'and the table is well');

# Partitions of countries and a global table, beside readers and writers.
start_with('CREATE TABLE orders (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id iuid_origin_ops)',
	'CREATE TABLE orders_other PARTITION OF orders DEFAULT',
	'CREATE EXTENSION postgres_fdw',
	'CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw',
	"INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'elsewhere')",
	"INSERT INTO iuid_routes VALUES (NULL, NULL, 'here')",
	"ALTER DATABASE postgres SET iuid.node = 'here'");
$node->safe_psql('postgres', "SELECT iuid_create_global_table('orders_global', 'orders', 1)");
beside('partitions of countries',
	[
		q{BEGIN; INSERT INTO orders VALUES (gen_iuid(250, 1)); SELECT pg_sleep(0.002);
			SELECT count(*) FROM orders_global WHERE iuid_is_from(id, 250); COMMIT;},
		q{BEGIN; SELECT count(*) FROM orders_global WHERE iuid_is_from(id, 250); SELECT pg_sleep(0.002);
			INSERT INTO orders VALUES (gen_iuid(251, 1)); COMMIT;},
		q{BEGIN; SELECT count(*) FROM orders_other; SELECT pg_sleep(0.002);
			INSERT INTO orders_global VALUES (gen_iuid(252, 1)); COMMIT;}
	],
	"INSERT INTO iuid_routes VALUES (:round, 1, CASE :round % 2 WHEN 0 THEN 'here' ELSE 'there' END);
	SELECT count(*) FROM iuid_create_routed_partitions('orders', 1);
	SELECT count(*) FROM iuid_create_global_table('orders_global', 'orders', 1)");
is($node->safe_psql('postgres', q{SELECT relkind, count(*) FROM pg_inherits JOIN pg_class ON oid = inhrelid
	WHERE relname ~ '_c[0-9]+$' GROUP BY 1 ORDER BY 1}),
	join("\n", map { "$_|" . $rounds / 2 } 'f', 'r'), 'and they are there');

# Who has lost the table while waiting for it does not change it any more.
$node->safe_psql('postgres', q{
	CREATE ROLE seller LOGIN; CREATE ROLE buyer;
	GRANT CREATE ON SCHEMA public TO seller;
	CREATE TABLE sold (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
	ALTER TABLE sold OWNER TO seller});
my $sale = $node->background_psql('postgres');
$sale->query_safe('BEGIN; ALTER TABLE sold OWNER TO buyer');
$err = '';
my $waiting = IPC::Run::start(
	[ 'psql', '-X', '-d', $node->connstr('postgres') . ' user=seller',
		'-c', "SELECT iuid_create_partitions('sold', '1 day', '2026-01-01', '2026-01-02')" ],
	'>', \$out, '2>', \$err);
$node->poll_query_until('postgres',
	q{SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation = 'sold'::regclass});
$sale->query_safe('COMMIT');
$sale->quit;
IPC::Run::finish($waiting);
like($err, qr/must be owner of table sold/, 'who has lost the table while waiting is refused');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_inherits WHERE inhparent = 'sold'::regclass}),
	'0', 'and it has no partition');

# Who waits for the move finds the rows where they are then, and not in neither place.
start_with($orders, $rest, "INSERT INTO orders VALUES ('019b8b74-1800-8007-8041-23456789abcd')");
my $mover = $node->background_psql('postgres');
$mover->query_safe(q{SET client_min_messages = warning; BEGIN;
	SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-02-01')});
$out = '';
$waiting = IPC::Run::start([ 'psql', '-XAt', '-d', $node->connstr('postgres'),
	'-c', 'SELECT tableoid::regclass FROM orders' ], '>', \$out);
$node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_locks WHERE NOT granted});
$mover->query_safe('COMMIT');
$mover->quit;
IPC::Run::finish($waiting);
is($out, "orders_2026_01\n", 'who has waited for a move sees what moved');

# A snapshot from before a move finds the rows in all partitions, but not by their key: as the page says.
start_with($orders, $rest, "INSERT INTO orders VALUES ('019b8b74-1800-8007-8041-23456789abcd')");
my $reader = $node->background_psql('postgres');
$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
$node->safe_psql('postgres', q{SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-02-01')});
is($reader->query_safe('SELECT tableoid::regclass FROM orders'),
	'orders_rest', 'an old snapshot sees the row in DEFAULT');
is($reader->query_safe(q{SELECT count(*) FROM orders WHERE id = '019b8b74-1800-8007-8041-23456789abcd'}),
	'0', 'and by its key does not look there');
$reader->query_safe('COMMIT');
is($reader->query_safe(q{SELECT tableoid::regclass FROM orders WHERE id = '019b8b74-1800-8007-8041-23456789abcd'}),
	'orders_2026_01', 'a new one finds it');
$reader->quit;

unlike(slurp_file($node->logfile), qr/deadlock detected/, 'no deadlock in all of this');

$node->stop;
done_testing();
