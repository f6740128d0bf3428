# What a call locks is what it set out to lock: so it waits for nothing else
# while it holds that.  What the server locks for DDL is read from pg_locks.
use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION iuid_regions CASCADE');

# Tables at both ends of foreign keys, with partitions of their own.
sub make_tables
{
	my ($default, $referred, $referring) = map { /^1/ ? 1 : 0 } @_;
	$node->safe_psql('postgres', join ';', 'SET client_min_messages = warning',
		'DROP TABLE IF EXISTS lines, parts, orders, customers, products CASCADE',
		'CREATE TABLE customers (id int PRIMARY KEY)',
		'CREATE TABLE products (id int PRIMARY KEY) PARTITION BY RANGE (id)',
		'CREATE TABLE products_all PARTITION OF products FOR VALUES FROM (MINVALUE) TO (MAXVALUE)',
		'CREATE TABLE orders (id iuid PRIMARY KEY, customer int, product int) PARTITION BY RANGE (id)',
		$default ? ('CREATE TABLE orders_rest PARTITION OF orders DEFAULT') : (),
		$referred ? (q{ALTER TABLE orders ADD FOREIGN KEY (customer) REFERENCES customers,
			ADD FOREIGN KEY (product) REFERENCES products}) : (),
		$referring ? ('CREATE TABLE lines (order_id iuid REFERENCES orders)',
			'CREATE TABLE parts (order_id iuid REFERENCES orders) PARTITION BY HASH (order_id)',
			'CREATE TABLE parts_all PARTITION OF parts FOR VALUES WITH (MODULUS 1, REMAINDER 0)') : (),
		q{SELECT count(*) FROM iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-04-01')},
		$_[0] eq '1 with rows' ? q{INSERT INTO orders VALUES (gen_iuid(7, 1, '2030-01-01'))} : ());
}

# The strongest lock on each table that is not a partition which comes or goes.
sub locks_of
{
	my ($call) = @_;
	return $node->safe_psql('postgres', qq{
		SET client_min_messages = error;
		BEGIN;
		SELECT count(*) AS done FROM $call \\gset
		SELECT string_agg(relname || ' ' || mode, ', ' ORDER BY relname) FROM (
			SELECT DISTINCT ON (relname) relname, replace(mode, 'Lock', '') AS mode
			FROM pg_locks JOIN pg_class ON oid = relation
			WHERE pid = pg_backend_pid() AND relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
				AND relname !~ '^orders_2026' AND mode NOT IN ('AccessShareLock', 'RowShareLock')
			ORDER BY relname, array_position(ARRAY['AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock',
				'ShareLock', 'ShareUpdateExclusiveLock', 'RowExclusiveLock'], mode)) AS x;
		ROLLBACK});
}

my $create = q{iuid_create_partitions('orders', '1 month', '2026-04-01', '2026-05-01')};
my $drop = q{iuid_drop_partitions('orders', '2026-02-01')};
my $detach = q{iuid_detach_partitions('orders', '2026-02-01')};
my $writing = 'ShareRowExclusive';
my $all = 'AccessExclusive';
my $referred = sub { "customers $_[0]", "products $_[0], products_all $_[0]" };
my @cases = (
	# default, referred, referring, call, parent, what else
	[ 0, 0, 0, $create, 'ShareUpdateExclusive' ],
	[ 0, 1, 1, $create, 'ShareUpdateExclusive', $referred->($writing), "lines $writing", "parts $writing" ],
	[ 1, 1, 0, $create, $writing, $referred->($writing) ],
	[ '1 with rows', 1, 0, $create, $all, $referred->($writing) ],
	[ 0, 0, 0, $drop, $all ],
	[ 0, 1, 0, $drop, $all ],
	[ 1, 1, 0, $drop, $all ],
	[ 0, 0, 1, $drop, $all, "lines $all", "parts $all" ],
	[ 1, 1, 1, $drop, $all, $referred->($all), "lines $all", "parts $all" ],
	[ 0, 1, 0, $detach, $all, $referred->($writing) ],
	[ 1, 1, 1, $detach, $all, $referred->($writing), "lines $all", "parts $all" ],
	[ 1, 1, 1, q{iuid_drop_partitions('orders', '2020-01-01')}, '' ]);
for my $case (@cases)
{
	my ($default, $to, $from, $call, $parent, @more) = @$case;
	make_tables($default, $to, $from);
	my $expected = join ', ', sort map { split /, / }
		$parent ? ("orders $parent", @more, $default ? "orders_rest $all" : ()) : ();
	is(locks_of($call), $expected, "$call, DEFAULT $default, refers $to, is referred to $from");
}

# A foreign key that a partition has to itself.
make_tables(0, 0, 0);
$node->safe_psql('postgres', 'ALTER TABLE orders_2026_01 ADD FOREIGN KEY (customer) REFERENCES customers');
is(locks_of($drop), "customers $all, orders $all", 'a partition with a foreign key of its own');

# The functions for time partitions have an argument that says how long they try.
sub within
{
	my ($call, $time) = @_;
	return $call =~ s/^(iuid_(?:create|drop|detach)_\w+\(.*)\)$/$1, lock_wait => '$time')/r;
}

# The tables above, whose bounds the server reads, are waited for as the others.
$node->safe_psql('postgres', q{
	CREATE TABLE above (id iuid, kind int) PARTITION BY LIST (kind);
	CREATE TABLE below PARTITION OF above FOR VALUES IN (1) PARTITION BY RANGE (id)});
my $above = $node->background_psql('postgres');
$above->query_safe('BEGIN; LOCK TABLE ONLY above IN ACCESS EXCLUSIVE MODE');
my (undef, undef, $said) = $node->psql('postgres',
	q{SELECT iuid_create_partitions('below', '1 month', '2026-01-01', '2026-02-01', lock_wait => '100 ms')});
like($said, qr/could not lock table public\.above/, 'a table above in use: gives up before it begins');
$above->quit;

# None of them is taken by the DDL alone: with a session on each in the way, the
# call gives up while it still holds nothing.
make_tables(1, 1, 1);
for my $table ('customers', 'products', 'products_all', 'lines', 'parts', 'orders_rest')
{
	my $session = $node->background_psql('postgres');
	$session->query_safe("BEGIN; LOCK TABLE ONLY $table IN ROW EXCLUSIVE MODE");
	for my $call ($create, $drop)
	{
		my ($status, undef, $err) = $node->psql('postgres', 'SELECT ' . within($call, '100 ms'));
		like($err, qr/ERROR:  could not lock table public\.$table/, "$table in use: $call gives up before it begins");
	}
	$session->query_safe('COMMIT');
	$session->quit;
}

# The same for each function that works on a global table, and on open-ended
# partitions: whatever table or view it locks, with a session in the way on it the call
# gives up while it still holds nothing.
$node->safe_psql('postgres', q{
	SET client_min_messages = warning;
	CREATE EXTENSION postgres_fdw;
	DROP TABLE lines, parts, orders, customers, products, below, above CASCADE;
	ALTER DATABASE postgres SET iuid.node = 'here';
	CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw;
	INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'there')});
# Countries 1, 2 and 5 are here, 3 is there; 5 is divided by month.
sub make_regions
{
	$node->safe_psql('postgres', q{
	SET client_min_messages = warning;
	DROP VIEW IF EXISTS all_orders;
	DROP TABLE IF EXISTS global_orders, orders, customers, products, lines CASCADE;
	TRUNCATE iuid_routes;
	INSERT INTO iuid_routes VALUES (1, NULL, 'here'), (2, NULL, 'here'), (3, NULL, 'there');
	CREATE TABLE customers (id int PRIMARY KEY);
	CREATE TABLE products (id int PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE products_all PARTITION OF products FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
	CREATE TABLE orders (id iuid PRIMARY KEY, customer int REFERENCES customers, product int REFERENCES products)
		PARTITION BY RANGE (id iuid_origin_ops);
	CREATE TABLE lines (order_id iuid REFERENCES orders);
	SELECT iuid_create_routed_partitions('orders', 1);
	INSERT INTO iuid_routes VALUES (5, NULL, 'here');
	SELECT iuid_create_routed_partitions('orders', 1, '1 month');
	SELECT iuid_create_global_table('global_orders', 'orders', 1);
	SELECT iuid_create_global_view('all_orders', 'orders')});
	return;
}
my $countries = q{iuid_create_routed_partitions('orders', 1)};
my $months = q{iuid_create_routed_partitions('orders', 1, '1 month')};
my $global = q{iuid_create_global_table('global_orders', 'orders', 1)};
my $view = q{iuid_create_global_view('all_orders', 'orders')};
my $come = q{INSERT INTO iuid_routes VALUES (6, NULL, 'here'), (7, NULL, 'there')};
my $go = q{UPDATE iuid_routes SET node = CASE country WHEN 3 THEN 'here' ELSE 'there' END WHERE country IN (2, 3, 5)};
my $column = q{ALTER TABLE global_orders RENAME customer TO buyer};
my $node_comes = q{INSERT INTO iuid_nodes VALUES ('third', NULL, 'there')};
for (
	[ $countries, $come ], [ $countries, $go ], [ $countries, $column ], [ $months, $come ],
	[ $global, $come ], [ $global, "$go; SELECT $countries" ], [ $global, q{DROP FOREIGN TABLE global_orders_c3} ],
	[ q{iuid_create_global_table('second_orders', 'lesser_orders', 1)}, q{
		CREATE TABLE lesser_orders (id iuid PRIMARY KEY, customer int REFERENCES customers)
			PARTITION BY RANGE (id iuid_origin_ops);
		SELECT iuid_create_routed_partitions('lesser_orders', 1, '1 month')} ],
	[ $view ], [ $view, $column ],
	[ $view, $node_comes ], [ $view, q{CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw;
		UPDATE iuid_nodes SET server = 'other' WHERE node = 'there'} ],
	[ q{iuid_drop_global('global_orders')} ], [ q{iuid_drop_global('all_orders')} ],
	[ q{iuid_create_partitions('orders_c5', '1 month', '2020-01-01', '2020-02-01')} ],
	[ q{iuid_create_partitions('orders_c5', '1 month', '2030-01-01', '2031-02-01')} ],
	[ q{iuid_drop_partitions('orders_c5', now() + interval '2 months')} ],
	[ q{iuid_detach_partitions('orders_c5', now() + interval '2 months')} ],
	[ q{iuid_drop_partitions('orders_c5', now() + interval '2 months')},
		q{ALTER TABLE lines DROP CONSTRAINT lines_order_id_fkey} ],
	# The open end goes with its row, and a new one comes.
	[ q{iuid_drop_partitions('orders_c5', now() + interval '2 months')},
		q{ALTER TABLE lines DROP CONSTRAINT lines_order_id_fkey; INSERT INTO orders VALUES (gen_iuid(5, 1, '2000-01-01'))} ])
{
	my ($call, $before) = @$_;
	$before //= 'SELECT 1';
	make_regions();
	$node->safe_psql('postgres', "SET client_min_messages = error; $before");
	# Foreign keys and bounds are read by the server in the mode of readers, too.
	my @locks = split /\n/, $node->safe_psql('postgres', qq{
		SET client_min_messages = error;
		BEGIN;
		SELECT txid_current() AS own, max(oid) AS newest FROM pg_class \\gset
		SELECT count(*) AS done FROM $call \\gset
		SELECT DISTINCT relation::regclass::text FROM pg_locks AS l JOIN pg_class AS c ON c.oid = relation
		WHERE pid = pg_backend_pid() AND relnamespace = 'public'::regnamespace AND relkind NOT IN ('i', 'I', 'S')
		AND relation::oid <= :newest AND relation::regclass::text !~ '^iuid_';
		ROLLBACK});
	push @locks, split /\n/, $node->safe_psql('postgres', qq{
		SET client_min_messages = error;
		CREATE TEMP TABLE before AS SELECT oid, relname FROM pg_class
			WHERE relnamespace = 'public'::regnamespace AND relkind NOT IN ('i', 'I', 'S');
		BEGIN;
		SELECT count(*) AS done FROM $call \\gset
		SELECT relname FROM before WHERE NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = before.oid);
		ROLLBACK});
	isnt(scalar @locks, 0, "$call, after $before: locks @locks");
	for my $table (@locks)
	{
		my $session = $node->background_psql('postgres');
		# Unlike LOCK, this takes foreign tables, too, and views without the tables in them.
		$session->query_safe("BEGIN; ALTER TABLE $table OWNER TO CURRENT_USER");
		my ($status, undef, $err) = $node->psql('postgres', q{SET client_min_messages = error; SET lock_timeout = '40ms';
			BEGIN; SELECT } . within($call, '40 ms') . '; ROLLBACK');
		# The tables themselves are read before any other lock is taken.
		my $refusal = $table =~ /^\w*orders$|^orders_c5$/
			? qr/could not lock table public\.|canceling statement due to lock timeout/ : qr/could not lock table public\./;
		like($err, $refusal, "$table in use: gives up before it begins") if $status != 0;
		$session->query_safe('ROLLBACK');
		$session->quit;
	}
	$node->safe_psql('postgres', q{SET client_min_messages = error;
		DROP TABLE IF EXISTS second_orders, lesser_orders CASCADE; DELETE FROM iuid_nodes WHERE node = 'third';
		UPDATE iuid_nodes SET server = 'there' WHERE node = 'there'; DROP SERVER IF EXISTS other CASCADE});
}

# A table that is listed twice is locked in the stronger mode: readers with FOR UPDATE are waited for, too.
make_regions();
for my $table ('customers', 'products', 'products_all')
{
	my $session = $node->background_psql('postgres');
	$session->query_safe("BEGIN; LOCK TABLE ONLY $table IN ROW SHARE MODE");
	my (undef, undef, $err) = $node->psql('postgres',
		q{SELECT iuid_drop_partitions('orders_c5', now() + interval '2 months', '100 ms')});
	like($err, qr/ERROR:  could not lock table public\.$table/,
		"$table is read by SELECT FOR UPDATE: gives up before it begins");
	$session->query_safe('ROLLBACK');
	$session->quit;
}

# What changes while the call waits for its first lock changes the plan: the tables, or the modes.
sub planned_again
{
	my ($what, $call, $first, $change, $next) = @_;
	my ($changing, $reading) = map { $node->background_psql('postgres') } 1, 2;
	$changing->query_safe("SET client_min_messages = error; BEGIN; $first");
	my $err;
	my $waiting = IPC::Run::start([ 'psql', '-X', '-d', $node->connstr('postgres'),
		'-c', 'SELECT ' . within($call, '8 s') ], '>', \my $out, '2>', \$err);
	# Not one of its first attempts, which are over before anything changes.
	$node->poll_query_until('postgres', q{SELECT clock_timestamp() - min(query_start) > interval '0.6 s'
		FROM pg_stat_activity WHERE query LIKE 'SELECT iuid\_%lock_wait%' AND state = 'active'})
		or die 'the call did not wait';
	$changing->query_safe($change);
	$reading->query_safe("BEGIN; LOCK TABLE ONLY $next IN ACCESS SHARE MODE");
	$changing->query_safe('COMMIT');
	IPC::Run::finish($waiting);
	like($err, qr/ERROR:  could not lock table public\.$next/, $what);
	$reading->query_safe('ROLLBACK');
	$_->quit for $changing, $reading;
	return;
}
make_tables(1, 0, 0);
planned_again('a row that came into the DEFAULT partition', $create, 'LOCK TABLE orders_rest IN ROW EXCLUSIVE MODE',
	q{INSERT INTO orders_rest VALUES (gen_iuid(7, 1, '2030-01-01'))}, 'orders');
make_tables(0, 0, 0);
$node->safe_psql('postgres', 'CREATE TABLE late (order_id iuid)');
planned_again('a foreign key from another table', $drop, 'LOCK TABLE orders IN ACCESS SHARE MODE',
	'ALTER TABLE late ADD FOREIGN KEY (order_id) REFERENCES orders', 'late');

$node->stop;
done_testing();
