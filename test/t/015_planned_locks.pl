# What a call locks is what it set out to lock: so it waits for nothing else
# while it holds that.  What the server locks for DDL is read from pg_locks.
use strict;
use warnings;

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
		$referred ? ('ALTER TABLE orders ADD FOREIGN KEY (customer) REFERENCES customers, ADD FOREIGN KEY (product) REFERENCES products') : (),
		$referring ? ('CREATE TABLE lines (order_id iuid REFERENCES orders)', 'CREATE TABLE parts (order_id iuid REFERENCES orders) PARTITION BY HASH (order_id)',
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
			ORDER BY relname, array_position('{AccessExclusiveLock,ExclusiveLock,ShareRowExclusiveLock,ShareLock,ShareUpdateExclusiveLock,RowExclusiveLock}'::text[], mode)) AS x;
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
	my $expected = join ', ', sort map { split /, / } $parent ? ("orders $parent", @more, $default ? "orders_rest $all" : ()) : ();
	is(locks_of($call), $expected, "$call, DEFAULT $default, refers $to, is referred to $from");
}

# A foreign key that a partition has to itself.
make_tables(0, 0, 0);
$node->safe_psql('postgres', 'ALTER TABLE orders_2026_01 ADD FOREIGN KEY (customer) REFERENCES customers');
is(locks_of($drop), "customers $all, orders $all", 'a partition with a foreign key of its own');

# The tables above, whose bounds the server reads, are waited for as the others.
$node->safe_psql('postgres', q{
	CREATE TABLE above (id iuid, kind int) PARTITION BY LIST (kind);
	CREATE TABLE below PARTITION OF above FOR VALUES IN (1) PARTITION BY RANGE (id)});
my $above = $node->background_psql('postgres');
$above->query_safe('BEGIN; LOCK TABLE ONLY above IN ACCESS EXCLUSIVE MODE');
my (undef, undef, $said) = $node->psql('postgres', q{SET lock_timeout = '100ms'; SELECT iuid_create_partitions('below', '1 month', '2026-01-01', '2026-02-01')});
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
		my ($status, undef, $err) = $node->psql('postgres', "SET lock_timeout = '100ms'; SELECT $call");
		like($err, qr/ERROR:  could not lock table public\.$table/, "$table in use: $call gives up before it begins");
	}
	$session->query_safe('COMMIT');
	$session->quit;
}

$node->stop;
done_testing();
