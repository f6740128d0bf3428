# Rows that move out of the DEFAULT partition stay with whoever subscribes to
# them; where they could not, they do not move.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $publisher = PostgreSQL::Test::Cluster->new('publisher');
$publisher->init(allows_streaming => 'logical');
$publisher->start;
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init;
$subscriber->start;
$_->safe_psql('postgres', 'CREATE EXTENSION iuid') for $publisher, $subscriber;
my $connection = $publisher->connstr . ' dbname=postgres';

my $march = q{SELECT gen_iuid(7, 1, timestamptz '2026-03-01' + n * interval '1 day') FROM generate_series(1, 3) AS n};
my $make = q{SELECT iuid_create_partitions('orders', '1 month', '2026-03-01', '2026-04-01')};
my $rows = 'SELECT count(*), count(DISTINCT id) FROM orders';
my $places = 'SELECT tableoid::regclass, count(*) FROM orders GROUP BY 1 ORDER BY 1';

# Both sides anew: the publisher's table with a DEFAULT partition, and the
# subscriber's, of that kind or plain.
sub subscribe
{
	my ($publication, $table) = @_;
	$subscriber->safe_psql('postgres', q{
		DROP SUBSCRIPTION IF EXISTS orders;
		DROP TABLE IF EXISTS orders, orders_rest});
	$publisher->safe_psql('postgres', q{
		DROP PUBLICATION IF EXISTS orders;
		DROP TABLE IF EXISTS lines, orders;
		CREATE TABLE orders (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
		CREATE TABLE orders_rest PARTITION OF orders DEFAULT;} . "CREATE PUBLICATION orders $publication");
	$subscriber->safe_psql('postgres', $table);
	$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION orders CONNECTION '$connection' PUBLICATION orders");
	$subscriber->wait_for_subscription_sync($publisher, 'orders');
	$publisher->safe_psql('postgres', "INSERT INTO orders $march");
	$publisher->wait_for_catchup('orders');
}

my $plain = 'CREATE TABLE orders (id iuid PRIMARY KEY, note text)';
my $partitioned = 'CREATE TABLE orders (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
	CREATE TABLE orders_rest PARTITION OF orders DEFAULT';
my $root = 'WITH (publish_via_partition_root)';

for my $case (
	[ "FOR TABLE orders $root",              $plain,       'the table, into a plain one' ],
	[ "FOR TABLE orders $root",              $partitioned, 'the table, into a partitioned one' ],
	[ "FOR TABLE orders, orders_rest $root", $plain,       'the table and its DEFAULT partition' ],
	[ "FOR ALL TABLES $root",                $plain,       'all tables' ],
	[ "FOR TABLES IN SCHEMA public $root",   $plain,       'all of a schema' ])
{
	my ($publication, $table, $name) = @$case;
	subscribe($publication, $table);
	is($subscriber->safe_psql('postgres', $rows), '3|3', "published: $name");
	$publisher->safe_psql('postgres', $make);
	is($publisher->safe_psql('postgres', $places), 'orders_2026_03|3', "$name: the rows moved");
	$publisher->safe_psql('postgres', q{UPDATE orders SET note = 'seen';
		INSERT INTO orders SELECT gen_iuid(7, 1, '2026-03-09')});
	$publisher->wait_for_catchup('orders');
	is($subscriber->safe_psql('postgres', "$rows WHERE note = 'seen'"),
		'3|3', "$name: the subscriber has them, and what came next");
	is($subscriber->safe_psql('postgres', $rows), '4|4', "$name: and new ones");
}

for my $case (
	[ 'FOR TABLE orders_rest',                'the DEFAULT partition alone' ],
	[ "FOR TABLE orders_rest $root",          'the DEFAULT partition alone, via root' ],
	[ 'FOR TABLE orders',                     'each partition' ],
	[ 'FOR ALL TABLES',                       'each of all tables' ],
	[ 'FOR TABLES IN SCHEMA public',          'each of a schema' ],
	[ "FOR TABLE orders WITH (publish_via_partition_root, publish = 'insert')", 'inserts only' ],
	[ "FOR TABLE orders WITH (publish_via_partition_root, publish = 'delete, update')", 'no inserts' ])
{
	my ($publication, $name) = @$case;
	subscribe($publication, $partitioned);
	my $before = $subscriber->safe_psql('postgres', $rows);
	my ($status, undef, $err) = $publisher->psql('postgres', "\\set VERBOSITY verbose\n$make");
	like($err, qr/ERROR:  55000.*cannot move while publication "orders" publishes it.*DETAIL.*HINT/s, "$name: refused");
	is($publisher->safe_psql('postgres', $places), 'orders_rest|3', "$name: and nothing changed");
	is($publisher->safe_psql('postgres', q{SELECT count(*) FROM iuid_partitions('orders')}),
		'1', "$name: no partition was made");
	$publisher->wait_for_catchup('orders');
	is($subscriber->safe_psql('postgres', $rows), $before, "$name: the subscriber has what it had");
	is($publisher->safe_psql('postgres',
		q{SELECT count(*) FROM iuid_create_partitions('orders', '1 month', '2027-03-01', '2027-04-01')}),
		'1', "$name: where no row has to move, it is made");
}

# A publication counts from when it is there, not from the snapshot of who moves rows.
subscribe("FOR TABLE orders $root", $plain);
my $old = $publisher->background_psql('postgres', on_error_stop => 0);
$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
$publisher->safe_psql('postgres', 'CREATE PUBLICATION later FOR ALL TABLES');
$old->query($make);
$old->query('COMMIT');
$old->quit;
is($publisher->safe_psql('postgres', $places),
	'orders_rest|3', 'a publication that is newer than the snapshot: refused');
$publisher->safe_psql('postgres', 'DROP PUBLICATION later');
# One of updates alone has neither the DELETE nor the INSERT of a move.
$publisher->safe_psql('postgres', q{CREATE PUBLICATION updates FOR TABLE orders_rest WITH (publish = 'update')});
$publisher->safe_psql('postgres', $make);
is($publisher->safe_psql('postgres', $places), 'orders_2026_03|3', 'a publication of updates alone: the rows moved');
$publisher->safe_psql('postgres', 'DROP PUBLICATION updates');

# New partitions have the replica identity of the others: changes go on, and arrive.
for my $identity ('FULL', 'USING INDEX orders_note')
{
	subscribe("FOR TABLE orders $root", $plain);
	$publisher->safe_psql('postgres', q{
		UPDATE orders SET note = id::text;
		ALTER TABLE orders DROP CONSTRAINT orders_pkey;
		ALTER TABLE orders ALTER note SET NOT NULL;
		CREATE UNIQUE INDEX orders_note ON orders (id, note);
		ALTER TABLE orders REPLICA IDENTITY } . $identity);
	my $child = $identity =~ s/orders_note/orders_rest_id_note_idx/r;
	$publisher->safe_psql('postgres', "ALTER TABLE orders_rest REPLICA IDENTITY $child");
	$publisher->safe_psql('postgres', $make);
	$publisher->safe_psql('postgres', q{DELETE FROM orders WHERE id < timestamptz '2026-03-03';
		UPDATE orders SET note = 'new'});
	$publisher->wait_for_catchup('orders');
	my $content = 'SELECT string_agg(id || note, chr(10) ORDER BY id) FROM orders';
	is($subscriber->safe_psql('postgres', $content), $publisher->safe_psql('postgres', $content),
		"changes of moved rows arrive, with replica identity $identity");
}

# Rows of a partition without an end that stay there do not change for a subscriber, though a foreign
# key makes them go out and come back; those that move do.
for my $identity ('DEFAULT', 'FULL', 'USING INDEX "Key"')
{
	subscribe("FOR TABLE orders $root", $plain);
	$publisher->safe_psql('postgres', qq{
		CREATE TABLE orders_after PARTITION OF orders FOR VALUES FROM (iuid_floor('2026-05-01')) TO (MAXVALUE);
		ALTER INDEX orders_after_pkey RENAME TO "Key";
		ALTER TABLE orders_after REPLICA IDENTITY $identity;
		CREATE TABLE lines (order_id iuid REFERENCES orders);
		INSERT INTO orders SELECT iuid_from_name(7, 1, n::text, timestamptz '2026-05-01' + n * interval '1 day'),
			repeat(md5(n::text), 200) FROM generate_series(0, 59) AS n;
		INSERT INTO lines SELECT id FROM orders});
	$publisher->wait_for_catchup('orders');
	$subscriber->safe_psql('postgres', q{
		CREATE TABLE IF NOT EXISTS changed (op text, id iuid);
		TRUNCATE changed;
		CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN INSERT INTO public.changed VALUES (TG_OP, coalesce(NEW.id, OLD.id)); RETURN NULL; END $$;
		CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION note();
		ALTER TABLE orders ENABLE ALWAYS TRIGGER note});
	my $content = 'SELECT md5(string_agg(id || note, chr(10) ORDER BY id)) FROM orders WHERE note IS NOT NULL';
	my $before = $publisher->safe_psql('postgres', $content);
	$publisher->safe_psql('postgres', q{SELECT iuid_create_partitions('orders', '1 month', '2026-05-01', '2026-06-01')});
	is( $publisher->safe_psql('postgres', q{SELECT relreplident FROM pg_class WHERE relname = 'orders_after'}),
		lc substr($identity =~ s/^USING //r, 0, 1), "replica identity $identity: it is as before");
	is($publisher->safe_psql('postgres', "$places OFFSET 1"), "orders_after|29\norders_2026_05|31",
		"replica identity $identity: the rows of May moved");
	$publisher->safe_psql('postgres', q{DELETE FROM lines; DELETE FROM orders WHERE id >= iuid_floor('2026-06-29');
		UPDATE orders SET note = note || note WHERE id >= iuid_floor('2026-06-28')});
	$publisher->wait_for_catchup('orders');
	is( $subscriber->safe_psql('postgres',
		q{SELECT op, count(*), min(id)::timestamptz::date, max(id)::timestamptz::date FROM changed GROUP BY op ORDER BY op}),
		"DELETE|32|2026-05-01|2026-06-29\nINSERT|31|2026-05-01|2026-05-31\nUPDATE|1|2026-06-28|2026-06-28",
		"replica identity $identity: a subscriber sees those alone, and later changes of all");
	is($subscriber->safe_psql('postgres', $content), $publisher->safe_psql('postgres', $content),
		"replica identity $identity: and has what the publisher has");
	isnt($before, '', 'which is something');
}
$publisher->safe_psql('postgres', 'DROP TABLE lines');

# A DELETE that the server itself would refuse is refused.
$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION orders');
$publisher->safe_psql('postgres', "DROP PUBLICATION orders;
	CREATE TABLE log (id iuid, note text) PARTITION BY RANGE (id);
	CREATE TABLE log_rest PARTITION OF log DEFAULT;
	CREATE PUBLICATION log FOR TABLE log $root;
	INSERT INTO log $march");
my ($status, undef, $err) = $publisher->psql('postgres', $make =~ s/orders/log/r);
like($err, qr/cannot delete from table "log_rest" because it does not have a replica identity/,
	'no replica identity: refused');
is($publisher->safe_psql('postgres', $places =~ s/orders/log/r), 'log_rest|3', 'and nothing changed');

$_->stop for $subscriber, $publisher;
done_testing();
