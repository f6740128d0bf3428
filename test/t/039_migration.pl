# The migration of examples/migration at its edges: kill -9 in the backfill, locks that are in its way,
# sessions that come between each other, rows that cannot come, old and new clients, and each way back.
# test/models/migration.py has the whole of it beside clients that go on.
#
# One version is enough: examples are SQL, and what they use has tests of its own.
use strict;
use warnings;

use lib 'test/t';
use Faults qw(kill_server);
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sessions;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = on\nrestart_after_crash = on\nrecovery_init_sync_method = syncfs\nlog_statement = none\ntimezone = 'UTC'");
$node->start;

my $database = 'postgres';
sub sql { return $node->safe_psql($database, "SET client_min_messages = warning; $_[0]") }

sub file { $node->safe_psql($database, "SET client_min_messages = warning;\n\\i examples/migration/$_.sql") for @_; return }

# The SQLSTATE and the text of an error.
sub error
{
	my (undef, undef, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$_[0]");
	return $err =~ /ERROR:  (.*)/ ? $1 : "no error: $err";
}

sub in_step { return is(sql('SELECT string_agg(name, \' \') FROM migration.compare() WHERE same IS NOT TRUE'), '', "$_[0]: old and new tables are in step") }

# --- old rows -----------------------------------------------------------------

sql('CREATE EXTENSION iuid; CREATE ROLE old_application LOGIN; CREATE ROLE new_application LOGIN');
file('old');
sql(q{
	GRANT SELECT, INSERT, UPDATE, DELETE ON customers, orders, order_events, receipts TO old_application;
	GRANT USAGE ON SEQUENCE orders_id_seq TO old_application;
	INSERT INTO customers SELECT md5('customer ' || n)::uuid, 'customer ' || n, timestamptz '2026-01-01' + n * interval '1 hour'
	FROM generate_series(1, 1000) AS n;
	INSERT INTO orders (customer_id, fare, created_at)
	SELECT md5('customer ' || 1 + n % 1000)::uuid, n % 90, timestamptz '2026-01-01' + n * interval '10 minutes 0.000321 seconds' FROM generate_series(1, 20000) AS n;
	INSERT INTO order_events
	SELECT (lpad(to_hex((extract(epoch FROM created_at) * 1000)::bigint), 12, '0') || '7' || substr(md5('event ' || id), 14, 3) || '8' || substr(md5('event ' || id), 18))::uuid, id, 'finished'
	FROM orders WHERE id % 10 = 0;
	INSERT INTO receipts SELECT 'R' || id, id, fare FROM orders WHERE id % 20 = 0;
	-- What cannot come: customers 1 and 2, so order 20001; orders 20002 to 20005, so an event; other events.
	UPDATE customers SET created_at = CASE name WHEN 'customer 1' THEN NULL ELSE 'infinity'::timestamptz END WHERE name IN ('customer 1', 'customer 2');
	DELETE FROM receipts USING orders AS o, customers AS c WHERE order_id = o.id AND customer_id = c.id AND name IN ('customer 1', 'customer 2');
	DELETE FROM orders USING customers AS c WHERE customer_id = c.id AND name IN ('customer 1', 'customer 2');
	INSERT INTO orders (id, customer_id, fare, created_at) VALUES
		(20001, md5('customer 1')::uuid, 1, '2026-03-01'), (20002, NULL, 1, NULL), (20003, NULL, 1, '-infinity'), (20004, NULL, 1, '1969-12-31'),
		(20005, NULL, 1, '12026-01-01');
	SELECT setval('orders_id_seq', 20005);
	INSERT INTO order_events VALUES ('018d0000-0000-7000-8000-000000000001', 20002, 'of an order that is set aside'),
		('918d0000-0000-4000-8000-000000000001', 5, 'version 4'), ('00000000-0000-7000-8000-000000000001', 5, 'of 1970'),
		('ffffffff-ffff-7fff-bfff-ffffffffffff', 5, 'of 10889');
	CREATE TABLE first AS SELECT id, customer_id, fare, created_at FROM orders;
	ANALYZE});
my @aside = (
	"customers|@{[ sql(q{SELECT md5('customer 1')::uuid}) ]}|no time, country or entity that an identifier can have",
	"customers|@{[ sql(q{SELECT md5('customer 2')::uuid}) ]}|no time, country or entity that an identifier can have",
	'orders|20001|it refers to a row of customers that has no identifier',
	(map { "orders|$_|no time, country or entity that an identifier can have" } 20002 .. 20005),
	'order_events|00000000-0000-7000-8000-000000000001|no time, country or entity that an identifier can have',
	'order_events|018d0000-0000-7000-8000-000000000001|it refers to a row of orders that has no identifier',
	'order_events|918d0000-0000-4000-8000-000000000001|no time, country or entity that an identifier can have',
	'order_events|ffffffff-ffff-7fff-bfff-ffffffffffff|no time, country or entity that an identifier can have');
my $set_aside = q{SELECT t.name, s.key ->> 'id', s.reason FROM migration.set_aside AS s JOIN migration.tables AS t USING (old)};

file('engine', 'move');
is(sql('SELECT * FROM migration.in_the_way() WHERE before IN (\'make\', \'follow\')'), '', 'nothing is in the way');
sql('CALL migration.make()');

# --- before anything is followed ----------------------------------------------

like(error('INSERT INTO v2.orders (fare) VALUES (1)'), qr/^55000: table v2.orders is written by the migration only/, 'nobody writes the new table before the swap');
like(error('CALL migration.swap()'), qr/^55000: this step, swap, cannot be taken yet/, 'there is no swap before all rows have come');
like(error(q{CALL migration.backfill('orders')}), qr/^55000: changes of public.orders are not yet made in the new table/, 'nor a backfill before changes are followed');

# --- follow, and the way back -------------------------------------------------

sub forwards { return sql("SELECT count(*) FROM pg_trigger WHERE tgrelid = '$_[0]'::regclass AND tgname LIKE 'migration%'") }

sql(q{CALL migration.follow()});
like(error('TRUNCATE customers CASCADE'), qr/^0A000: table public.customers is being migrated, and cannot be truncated/, 'TRUNCATE is refused');
sql(q{INSERT INTO customers VALUES (md5('followed')::uuid, 'followed', '2026-02-02')});
is(sql('SELECT name FROM v2.customers'), 'followed', 'a new row comes at once');
sql(q{CALL migration.backfill('customers')});
is(sql('SELECT count(*) FROM v2.customers'), 999, 'all rows come');
sql(q{CALL migration.unfollow()});
is(forwards('customers') . sql('SELECT count(*) FROM v2.customers'), '00', 'the way back leaves nothing');
sql(q{DELETE FROM customers WHERE name = 'followed'; CALL migration.follow(); CALL migration.backfill('customers')});

# --- kill -9 in the backfill ----------------------------------------------------

sub start_backfill { return start_psql($node->connstr('postgres'), "CALL migration.backfill('orders', longest => '5 ms', pause => '50 ms')", \my $out) }
my @watermarks = (0);
for my $round (1 .. 3)
{
	my $started = start_backfill();
	$node->poll_query_until('postgres', "SELECT (watermark ->> 'id')::int > $watermarks[-1] FROM migration.tables WHERE name = 'orders'") or die 'no progress';
	# The batches do not wait for the disk.  A commit that does takes them with it.
	sql(q{SELECT pg_logical_emit_message(true, 'flushed', '')});
	if ($round == 1)
	{
		like(error(q{CALL migration.backfill('orders')}), qr/^55P03: another session fills from orders/, 'two sessions do not fill one table');
	}
	kill_server($node);
	IPC::Run::finish($started);
	push @watermarks, sql(q{SELECT watermark ->> 'id' FROM migration.tables WHERE name = 'orders'});
	is(sql(q{SELECT count(*) FROM orders AS o FULL JOIN v2.orders AS n ON n.number = o.id
			JOIN migration.tables AS t ON t.name = 'orders' LEFT JOIN migration.set_aside AS s ON s.old = t.old AND s.key = jsonb_build_object('id', o.id)
			WHERE o.id <= (t.watermark ->> 'id')::bigint AND s.key IS NULL AND n.id IS NULL OR o.id IS NULL OR n.number > (t.watermark ->> 'id')::bigint}),
		0, "kill -9: the watermark $watermarks[-1] says which rows have come");
}
cmp_ok($watermarks[-1], '<', 20000, 'kill -9 was in the middle');
cmp_ok($watermarks[2], '>', 0, 'kill -9: the backfill goes on where it was');

# --- sessions that come between each other ---------------------------------------

# A batch leaves out the rows that others have locked, and waits for none.
sql(q{UPDATE migration.tables SET watermark = '{"id": 19900}' WHERE name = 'orders'});
my ($client, $other, $filler) = map { open_session($node) } 1 .. 3;
run($client, q{BEGIN; UPDATE orders SET fare = 1000 WHERE id = 19901; DELETE FROM orders WHERE id = 19902; UPDATE orders SET created_at = created_at - interval '1 day' WHERE id = 19903; INSERT INTO orders (fare) VALUES (4711)});
is(run($filler, q{SELECT migration.try_batch('orders', 50)}), 't', 'a batch does not wait for rows that are locked');
is(sql(q{SELECT string_agg(key ->> 'id', ' ' ORDER BY key) FROM migration.set_aside WHERE reason = 'in use'}), '19901 19902 19903', 'it sets them aside as in use')
	or die 'a batch locks no rows, and the next statements would wait in vain';
like(error('SELECT migration.swap_now(3)'), qr/^55000/, 'there is no swap meanwhile');
run($filler, q{SELECT migration.try_leftovers('orders', NULL, 50)});
is(sql(q{SELECT count(*) FROM migration.set_aside WHERE reason = 'in use'}), 3, 'they stay in use');
run($client, 'COMMIT');
run($filler, q{SELECT migration.try_leftovers('orders', NULL, 50)});
is(sql(q{SELECT count(*) FROM migration.set_aside WHERE reason = 'in use'}), 0, 'they have come');
is(sql('SELECT number, fare FROM v2.orders WHERE number BETWEEN 19901 AND 19903 OR fare = 4711 ORDER BY number'),
	"19901|1000\n19903|@{[ 19903 % 90 ]}\n20006|4711", 'as they are now');

# A writer waits for a batch that is not committed, and then changes what came.
run($filler, q{BEGIN; SELECT migration.try_batch('orders', 49)});   # up to 19999
waits($client, 'UPDATE orders SET fare = 2000 WHERE id = 19960;', $filler);
waits($other, 'DELETE FROM orders WHERE id = 19961;', $filler);
run($filler, 'COMMIT');
is(outcome($client) . outcome($other), '', 'a change of a row that comes waits for the batch');
is(sql('SELECT number, fare FROM v2.orders WHERE number IN (19960, 19961)'), '19960|2000', 'and is made in the row that has come');

# What refers to a row of a batch does not wait.
run($filler, q{BEGIN; SELECT id FROM orders WHERE id = 19970 FOR NO KEY UPDATE});
is(run($client, q{INSERT INTO receipts (number, order_id, total) VALUES ('while', 19970, 1); DELETE FROM receipts WHERE number = 'while'}), '', 'a reference to a row that comes does not wait');
run($filler, 'ROLLBACK');

# A transaction with a snapshot of before the backfill, which does not see what has come.
sql(q{UPDATE migration.tables SET watermark = (SELECT jsonb_build_object('id', min(id) - 1) FROM orders WHERE id NOT IN (SELECT number FROM v2.orders)) WHERE name = 'orders'});
my $late = sql('SELECT min(id) FROM orders WHERE id NOT IN (SELECT number FROM v2.orders)');
run($client, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM orders WHERE id = 1');
sql(q{CALL migration.backfill('orders')});
is(run($client, "UPDATE orders SET created_at = created_at - interval '1 day' WHERE id = $late; COMMIT"), '40001', 'a transaction with an old snapshot makes no second row: it is told to try again');
run($client, 'ROLLBACK');
is(sql("SELECT count(*) FROM v2.orders WHERE number = $late"), 1, 'there is one row');
like(error(q{SET default_transaction_isolation = 'repeatable read'; UPDATE migration.tables SET complete = NULL, watermark = '{"id": 1}' WHERE name = 'orders'; CALL migration.backfill('orders')}),
	qr/^55000: the backfill needs transactions of the isolation level READ COMMITTED/, 'the backfill itself has no old snapshot');
sql(q{CALL migration.backfill('orders')});

# --- identity ----------------------------------------------------------------

my $id = sql('SELECT id FROM v2.orders WHERE number = 100');
is($id, sql(q{SELECT iuid_from_name(125, 1, 'orders/100', created_at) FROM first WHERE id = 100}), 'an identifier is that of the old key and its time');
sql(q{UPDATE orders SET created_at = '2026-05-05' WHERE id = 100});
sql(q{UPDATE orders SET created_at = NULL WHERE id = 100});
sql(q{UPDATE orders SET id = 990100 WHERE id = 111});
is(sql('SELECT id, created_at FROM v2.orders WHERE number = 100'), "$id|", 'a change of created_at, even to NULL, changes no identifier');
is(sql('SELECT id FROM v2.orders WHERE number = 990100'), sql(q{SELECT iuid_from_name(125, 1, 'orders/111', created_at) FROM first WHERE id = 111}), 'nor does a change of the old key');
is(sql(q{SELECT count(*) FROM first AS f JOIN v2.orders AS n ON n.number = f.id WHERE n.id <> iuid_from_name(125, 1, 'orders/' || f.id, f.created_at) AND n.number <> 19903}),
	0, 'after all of this, each row has the identifier that it would have had without');
is(sql(q{SELECT count(*) FROM (SELECT n.id, lag(n.id) OVER (ORDER BY date_trunc('milliseconds', f.created_at), n.id) AS before FROM first AS f JOIN v2.orders AS n ON n.number = f.id WHERE f.id <= 20000 AND f.id <> 19903) AS x WHERE id <= before}),
	0, 'the identifiers stand in the order of the old times');

# --- the rest of the rows --------------------------------------------------------

sql(q{CALL migration.backfill('order_events'); CALL migration.backfill('receipts')});
is(join("\n", sort split /\n/, sql($set_aside)), join("\n", sort @aside), 'what cannot come is named, with the reason');
is(sql(q{SELECT count(*) FROM order_events AS o JOIN v2.order_events AS n ON n.uuid = o.id
		WHERE n.id <> iuid_from_uuid(o.id, 125, 2, iuid_timestamp(iuid_from_uuid(o.id, 125, 2))) OR iuid_timestamp(n.id) <> iuid_timestamp(iuid_from_uuid(o.id, 125, 2))}),
	0, 'UUIDs of version 7 keep their time');
is(sql('SELECT count(*) FROM customers AS o JOIN v2.customers AS n ON n.uuid = o.id WHERE n.id <> iuid_from_uuid(o.id, 125, 3, o.created_at)'), 0, 'UUIDs of version 4 get the time of their row');
in_step('after the backfill');

# SET NOT NULL reads no row under its lock.
my (undef, undef, $debug) = $node->psql('postgres', "SET client_min_messages = debug1;\n\\i examples/migration/references.sql", on_error_stop => 1);
like($debug, qr/existing constraints on column "receipts.order_iuid" are sufficient to prove that it does not contain nulls/, 'NOT NULL comes from the CHECK that was validated');
is(sql('SELECT count(*) FROM receipts AS r LEFT JOIN v2.orders AS o ON o.id = r.order_iuid WHERE o.number IS DISTINCT FROM r.order_id'), 0, 'references of a table that keeps its key');

# What is set aside is tried again in batches, each a transaction: the locks of the rows say which.
sql(q{INSERT INTO customers SELECT md5('none ' || n)::uuid, 'none', NULL FROM generate_series(1, 300) AS n});
sql(q{CALL migration.backfill('customers')});
cmp_ok(sql(q{SELECT count(DISTINCT xmax::text) FROM customers WHERE name = 'none'}), '>', 1, 'rows that are set aside are locked batch by batch');
sql(q{DELETE FROM customers WHERE name = 'none'});

# --- repair before the swap ----------------------------------------------------

sql(q{UPDATE customers SET created_at = '2026-01-02 03:04' WHERE name = 'customer 1'});
is(sql(q{SELECT id FROM v2.customers WHERE name = 'customer 1'}), sql(q{SELECT iuid_from_uuid(md5('customer 1')::uuid, 125, 3, '2026-01-02 03:04')}), 'a row that is corrected comes at once');
sql(q{CALL migration.backfill('orders')});
is(sql('SELECT count(*) FROM v2.orders WHERE number = 20001'), 1, 'what waited for it comes with the next call');

# --- the swap -------------------------------------------------------------------

like(error('CALL migration.swap(11)'), qr/^55000: the number of rows that are set aside is 9, and not 11/, 'the swap is told how many rows stay behind');
like(error('CALL migration.swap(8)'), qr/^55000: the number of rows that are set aside is 9, and not 8/, 'and not that fewer do');
run($client, 'SET ROLE old_application');
is(run($client, q{PREPARE by_number (bigint) AS SELECT fare FROM orders WHERE id = $1; EXECUTE by_number(42)}), 42, 'a prepared statement');
# A reader that stays is in the way of the swap, and of nobody else.
run($other, 'BEGIN; SELECT count(*) FROM orders');
my $swap = start_psql($node->connstr('postgres'), 'CALL migration.swap(9)', \my $said);
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'orders'::regclass AND NOT granted}) or die 'the swap does not wait';
is(run($client, "SET statement_timeout = '4 s';" . 'UPDATE orders SET fare = fare WHERE id = 42;' x 100), '', 'writers go on while the swap waits for a reader');
is(sql('SELECT bool_or(swapped) FROM migration.tables'), 'f', 'and the swap still waits');
run($other, 'COMMIT');
IPC::Run::finish($swap);
is(sql('SELECT count(*) FROM migration.tables WHERE swapped'), 3, 'it comes when the reader has ended');
in_step('after the swap');

# --- old and new clients ----------------------------------------------------------

is(run($client, 'EXECUTE by_number(42)'), 42, 'the prepared statement still runs');
my $number = run($client, 'INSERT INTO orders (fare) VALUES (77) RETURNING id');
is($number, sql(q{SELECT last_value FROM orders_id_seq}), 'an old client without rights on the new table gets a number of the sequence');
is(sql("SELECT iuid_country(id), iuid_entity(id), iuid_timestamp(id) > now() - interval '1 minute' FROM v2.orders WHERE number = $number"), '125|1|t', 'and an identifier');
is(run($client, q{UPDATE orders SET fare = 78, customer_id = md5('customer 9')::uuid WHERE id = } . $number . ' RETURNING fare'), 78, 'it changes the row');
is(sql("SELECT name FROM v2.orders AS o JOIN v2.customers AS c ON c.id = customer_id WHERE number = $number"), 'customer 9', 'whose new reference follows the old one');
is(run($client, q{INSERT INTO orders (customer_id, fare) VALUES ('00000000-0000-4000-8000-000000000000', 1)}), '23503', 'a reference to nowhere is refused');
is(run($client, 'INSERT INTO orders (id, fare) VALUES (42, 1)'), '23505', 'a number that is there is refused');
is(run($client, q{INSERT INTO order_events VALUES ('018e0000-0000-7000-8000-000000000001', 42, 'old') RETURNING id}), '018e0000-0000-7000-8000-000000000001', 'an old client names its UUID');
is(run($client, q{INSERT INTO orders (fare, created_at) VALUES (1, NULL) RETURNING fare}), 1, 'a row without a time gets an identifier of now');
sql('GRANT USAGE ON SCHEMA v2 TO new_application; GRANT ALL ON v2.orders, v2.customers, v2.order_events, receipts TO new_application; ALTER ROLE new_application SET search_path = v2, public');
my $new = $node->safe_psql('postgres', q{
	INSERT INTO customers (name) VALUES ('newer') RETURNING id AS customer \gset
	INSERT INTO orders (customer_id, fare) VALUES (:'customer', 5) RETURNING id AS order \gset
	INSERT INTO order_events (order_id, event) VALUES (:'order', 'requested');
	INSERT INTO receipts (number, order_iuid, total) VALUES ('newer', :'order', 5);
	UPDATE orders SET fare = 6 WHERE id = :'order' RETURNING number}, extra_params => [ '-q', '-U', 'new_application' ]);
is(run($client, "SELECT name, fare, event, total FROM orders AS o JOIN customers AS c ON c.id = customer_id JOIN order_events AS e ON e.order_id = o.id JOIN receipts AS r ON r.order_id = o.id WHERE o.id = $new"),
	'newer|6|requested|5', 'an old client sees what a new client made, by old keys');
like(error('UPDATE orders_old SET fare = 1 WHERE id = 42'), qr/^55000: table public.orders_old is written by the migration only/, 'nobody writes the old table after the swap');
is(run($client, "DELETE FROM orders WHERE id = $new"), '', 'and deletes it');
is(sql(q{SELECT count(*) FROM v2.order_events WHERE event = 'requested'}) . sql("SELECT count(*) FROM orders_old WHERE id = $new") . sql(q{SELECT count(*) FROM receipts WHERE number = 'newer'}), '000', 'with what refers to it, on both sides');

# A row that was set aside comes through the view, repaired.
sql(q{INSERT INTO orders SELECT id, customer_id, fare, '2026-06-06' FROM orders_old WHERE id = 20002});
is(sql(q{SELECT o.created_at, (SELECT count(*) FROM migration.set_aside WHERE key ->> 'id' = '20002') FROM orders_old AS o WHERE id = 20002}), '2026-06-06 00:00:00+00|0', 'a row that is set aside is repaired after the swap');
in_step('with old and new clients');

# --- the way back after the swap ---------------------------------------------------

sql('CALL migration.swap_back()');
is(run($client, 'EXECUTE by_number(42)'), 42, 'after the way back: the prepared statement still runs');
is(run($client, 'INSERT INTO orders (fare) VALUES (79) RETURNING id > ' . $number), 't', 'after the way back: numbers go on');
is(sql("SELECT fare FROM orders WHERE id = $number"), 78, 'after the way back: the old table has what came after the swap');
like(error('UPDATE v2.orders SET fare = 1'), qr/^55000/, 'after the way back: new clients are refused');
is(sql(q{SELECT relkind FROM pg_class WHERE oid = 'public.orders'::regclass}), 'r', 'after the way back: the name is the table');
in_step('after the way back');
sql('CALL migration.swap(8)');
is(run($client, 'INSERT INTO orders (fare) VALUES (80) RETURNING fare'), 80, 'and the swap is made again');
in_step('after the second swap');

# --- the end -----------------------------------------------------------------------

$client->quit;
$other->quit;
$filler->quit;
my $rows = sql('SELECT count(*) FROM v2.orders');
file('finish');
is(sql('SELECT count(*) FROM v2.orders'), $rows, 'the end takes no row');
is(sql(q{SELECT name, key ->> 'id', old_row ->> 'created_at' FROM v2.set_aside WHERE name = 'orders' ORDER BY key}), "orders|20003|-infinity\norders|20004|1969-12-31T00:00:00+00:00\norders|20005|12026-01-01T00:00:00+00:00",
	'the rows that were set aside are kept');
is(sql(q{INSERT INTO v2.orders (fare) VALUES (1) RETURNING iuid_entity(id)}), 1, 'a new row needs nothing of the migration');
is(sql('SELECT count(*) FROM v2.orders_keys JOIN v2.orders USING (id) WHERE number = 42'), 1, 'order 42 is still found');

# --- the way back from everything but the end -------------------------------------------

$node->safe_psql('postgres', 'CREATE DATABASE back');
$database = 'back';
sql('CREATE EXTENSION iuid');
file('old');
sql(q{
	INSERT INTO customers (name) VALUES ('one'), ('two');
	INSERT INTO orders (customer_id, fare) SELECT id, 10 FROM customers;
	INSERT INTO receipts SELECT 'R' || id, id, fare FROM orders});
my $catalog = q{
	SELECT c.oid, c.relname, c.relkind::text FROM pg_class AS c WHERE relnamespace = 'public'::regnamespace AND relname !~ '_old$'
	UNION ALL SELECT attrelid, attname, attnotnull::text FROM pg_attribute WHERE attrelid IN ('customers'::regclass, 'orders'::regclass, 'order_events'::regclass, 'receipts'::regclass) AND NOT attisdropped
	UNION ALL SELECT tgrelid, tgname, tgenabled::text FROM pg_trigger
	UNION ALL SELECT conrelid, conname, contype::text FROM pg_constraint WHERE connamespace = 'public'::regnamespace
	UNION ALL SELECT oid, nspname, NULL FROM pg_namespace WHERE nspname !~ '^pg_(toast|temp)' ORDER BY 1, 2};
my $before = sql($catalog);
file('engine', 'move');
sql('CALL migration.make(); CALL migration.follow(); CALL migration.backfill()');
file('references');
sql(q{CALL migration.swap(); INSERT INTO v2.orders (fare) VALUES (30); CALL migration.swap_back()});
file('back');
is(sql($catalog), $before, 'the way back leaves nothing of the migration');
is(sql('SELECT fare, count(*) FROM orders GROUP BY fare ORDER BY fare') . sql('SELECT count(*) FROM receipts'), "10|2\n30|12", 'and every row');

$node->stop;
done_testing();
