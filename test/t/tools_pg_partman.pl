# What doc/other-tools.md says of pg_partman, on the version that this machine has.
use strict;
use warnings;

use lib 'test/t';
use OtherExtensions;
use PostgreSQL::Test::Utils;
use Test::More;

my ($node, %version) = start_with(['pg_partman']);
my $by_hand = $version{pg_partman} =~ /^5\.[0-4]\./;    # rows leave the DEFAULT partition

query(q{
	CREATE EXTENSION iuid;
	CREATE SCHEMA partman;
	CREATE EXTENSION pg_partman SCHEMA partman;
	CREATE TABLE of_iuid (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT gen_iuid(7, 1), note text) PARTITION BY RANGE (id)});

if ($version{pg_partman} =~ /^4/)
{
	refuses(q{SELECT partman.create_parent('public.of_iuid', 'id', 'native', '1 day')},
		qr/pg_partman only supports .* Supplied column is of type iuid/, 'a key of type iuid is refused');
	refuses(q{SELECT partman.create_parent('public.orders', 'id', 'native', '1 day')},
		qr/pg_partman only supports .* Supplied column is of type uuid/, 'and one of type uuid');
	$node->stop;
	done_testing();
	exit;
}

my $coders = q{p_time_encoder => 'public.iuid_floor', p_time_decoder => 'public.text_time'};
# The decoder of the page.
my ($decoder) = slurp_file('doc/other-tools.md') =~ /^(CREATE FUNCTION text_time\(.*?;)$/ms;
query($decoder);
is(query(q{SELECT bool_and(text_time(id::text) = iuid_timestamp(id))
	FROM (SELECT gen_iuid(7, 1, now() - n * interval '1.5 days') AS id FROM generate_series(1, 1000) AS n) AS x}),
	't', 'it reads the time of an identifier');
refuses(qq{SELECT partman.create_parent('public.of_iuid', 'id', '1 day', $coders)},
	qr/pg_partman only supports partitioning of data types that are .* Supplied column is of type iuid/,
	'a key of type iuid is refused');
query(qq{SELECT partman.create_parent('public.orders', 'id', '1 day', $coders)});

is( query(q{
		SELECT count(*) >= 8, bool_and(lower = date_trunc('day', lower) AND upper = lower + interval '1 day'),
			min(lower) < now() - interval '3 days', max(upper) > now() + interval '4 days'
		FROM iuid_partitions('orders') WHERE NOT is_default}),
	't|t|t|t', 'partitions of whole days, before and in advance');
is( query(q{
		SELECT bool_and(pg_get_expr(relpartbound, c.oid) = format('FOR VALUES FROM (%L) TO (%L)', iuid_floor(lower),
		iuid_floor(upper)))
		FROM iuid_partitions('orders') JOIN pg_class AS c ON c.oid = partition WHERE NOT is_default}),
	't', 'their bounds are iuid_floor of the days');

# Rows of each of seven days, of its first and last millisecond.
query(q{
	INSERT INTO orders SELECT gen_iuid(7, 1, at), at::text
	FROM generate_series(-3, 3) AS n, LATERAL (VALUES
		(date_trunc('day', now()) + n * interval '1 day'),
		(date_trunc('day', now()) + (n + 1) * interval '1 day' - interval '1 ms')) AS times (at);
	INSERT INTO orders (note) VALUES ('now')});
my $misplaced = q{
	SELECT o.* FROM orders AS o JOIN iuid_partitions('orders') AS p ON p.partition = o.tableoid
	WHERE is_default OR NOT (iuid_timestamp(id::iuid) >= lower AND iuid_timestamp(id::iuid) < upper)};
is(query("$misplaced; SELECT count(*) FROM orders"), '15', 'each row is in the partition of its day');
is(query('SELECT * FROM iuid_check_partitions($$orders$$)'), '', 'which have no fault');

sub plan_of { return query('EXPLAIN (COSTS OFF, ANALYZE, SUMMARY OFF, TIMING OFF) ' . shift); }
my $today = query(q{SELECT to_char(now(), '"orders_p"YYYYMMDD')});
my $read = plan_of(q{SELECT * FROM orders WHERE id >= '}
	. query(q{SELECT iuid_floor(now() - interval '1 hour')}) . q{'});
like($read, qr/$today/, 'a constant: the plan has the partition of today');
unlike($read, qr/Subplans Removed|never executed/, 'and is pruned in advance');
my %tables = map { $_ => 1 } $read =~ /\bon (orders_p\d+)\b/g;
cmp_ok(scalar keys %tables, '<=', 6, 'to the partitions from an hour ago on');
$read = plan_of(q{SELECT * FROM orders WHERE id >= iuid_floor(now() - interval '1 day') AND id < iuid_floor(now())});
like($read, qr/Subplans Removed: [3-9]/, 'now() prunes when execution starts');

# What is too late for the partitions waits in the DEFAULT partition.
query(q{INSERT INTO orders SELECT gen_iuid(7, 1, now() + interval '30 days'), 'waits' FROM generate_series(1, 100)});
is(query(q{SELECT count FROM partman.check_default() WHERE default_table LIKE '%orders_default'}),
	'100', 'check_default counts the rows of the DEFAULT partition');
refuses(q{CALL partman.partition_data_proc('public.orders')},
	qr/function partman\.partition_data_uuid\(.*\) does not exist/, 'partition_data_proc fails');
if ($by_hand)
{
	refuses(q{SELECT partman.partition_data_time('public.orders', 10)},
		qr/Cannot run on partition set without time based control column/, 'partition_data_time fails');
	query(q{
		BEGIN;
		CREATE TEMP TABLE waiting AS SELECT * FROM orders_default;
		DELETE FROM orders_default;
		SELECT partman.create_partition_time('public.orders', ARRAY[date_trunc('day', now() + interval '30 days')]);
		INSERT INTO orders SELECT * FROM waiting;
		COMMIT});
}
else
{
	query(q{SELECT partman.partition_data_time('public.orders', 10)});
}
query(q{SELECT partman.partition_gap_fill('public.orders')});
is(query("$misplaced; SELECT count(*) FROM orders"), '115', 'then all rows are in the partitions of their days');
is(query('SELECT * FROM iuid_check_partitions($$orders$$)'), '', 'which have no gap');

# Maintenance makes partitions, and drops those that are older than the retention.
my $before = query(q{SELECT count(*) FROM iuid_partitions('orders')});
query(q{
	UPDATE partman.part_config
		SET premake = 40, infinite_time_partitions = true, retention = '2 days', retention_keep_table = false;
	SELECT partman.run_maintenance('public.orders')});
cmp_ok(query(q{SELECT count(*) FROM iuid_partitions('orders')}),
	'>', $before, 'run_maintenance makes partitions in advance');
is( query(q{SELECT min(upper) > now() - interval '2 days',
	(SELECT count(*) FROM orders WHERE id < iuid_floor(now() - interval '3 days')) FROM iuid_partitions('orders')}),
	't|0', 'and drops the old ones');
like(query(q{SELECT partman.drop_partition_time('public.orders', '1 day', p_keep_table => false)}),
	qr/^\d+$/, 'drop_partition_time runs');
query(q{CREATE TABLE plain (LIKE orders INCLUDING ALL)});
my $rows = query('SELECT md5(string_agg(id::text, $$,$$ ORDER BY id)) FROM orders');
query(q{CALL partman.undo_partition_proc('public.orders', p_target_table => 'public.plain', p_keep_table => false)});
is(query('SELECT md5(string_agg(id::text, $$,$$ ORDER BY id)) FROM plain'),
	$rows, 'undo_partition_proc moves all rows');

# The same without the extension: iuid in SQL alone.
query('DROP EXTENSION iuid CASCADE');
query(slurp_file('clients/sql/iuid.sql'));
query(q{
	CREATE TABLE alone (id uuid PRIMARY KEY DEFAULT iuid_sql.gen_iuid(7, 1)) PARTITION BY RANGE (id);
	SELECT partman.create_parent('public.alone', 'id', '1 day', p_time_encoder => 'iuid_sql.iuid_floor',
		p_time_decoder => 'public.text_time');
	INSERT INTO alone SELECT iuid_sql.gen_iuid(7, 1, now() + n * interval '1 day') FROM generate_series(-3, 3) AS n;
	UPDATE partman.part_config SET premake = 20, infinite_time_partitions = true, retention = '2 days',
		retention_keep_table = false WHERE parent_table = 'public.alone';
	SELECT partman.run_maintenance('public.alone')});
is(query(q{SELECT bool_and(right(tableoid::regclass::text, 8) = to_char(iuid_sql.iuid_timestamp(id), 'YYYYMMDD')),
	count(*) BETWEEN 5 AND 6 FROM alone}), 't|t',
	'in SQL alone: each row is in the partition of its day, and the old ones are gone');
is(query(q{SELECT count(*) > 18, bool_and(pg_get_expr(relpartbound, oid) = format('FOR VALUES FROM (%L) TO (%L)',
	iuid_sql.iuid_floor(day), iuid_sql.iuid_floor(day + interval '1 day')))
	FROM (SELECT c.oid, relpartbound, to_timestamp(right(relname, 8), 'YYYYMMDD') AS day FROM pg_inherits
		JOIN pg_class AS c ON c.oid = inhrelid WHERE inhparent = 'alone'::regclass AND relname !~ 'default') AS x}), 't|t',
	'whose bounds are iuid_floor of the days');
$read = plan_of(q{SELECT * FROM alone WHERE id >= iuid_sql.iuid_floor(now() - interval '1 hour')
	AND id < iuid_sql.iuid_floor(now())});
like($read, qr/Subplans Removed: \d\d/, 'and now() prunes');

$node->stop;
done_testing();
