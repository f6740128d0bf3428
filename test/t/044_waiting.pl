# For what a call waits, and for how long: for no table that its caller may not lock, and never so
# that another session has to give way.
use strict;
use warnings;

use lib 'test/t';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sessions;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\nlog_statement = none\nlog_lock_waits = off\nlog_min_error_statement = error");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION iuid_regions CASCADE;
	CREATE EXTENSION postgres_fdw;
	ALTER DATABASE postgres SET iuid.node = 'here';
	ALTER DATABASE postgres SET client_min_messages = error;
	CREATE ROLE victim; CREATE ROLE stranger;
	CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw;
	GRANT USAGE ON FOREIGN SERVER there TO victim, stranger;
	INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'there');
	CREATE SCHEMA strange AUTHORIZATION stranger;
	CREATE SCHEMA victim AUTHORIZATION victim;
	GRANT USAGE ON SCHEMA victim TO stranger;
	CREATE FOREIGN TABLE victim.away (node text, id iuid) SERVER there;
	ALTER FOREIGN TABLE victim.away OWNER TO victim});

# --- Rights come before locks -----------------------------------------------------------

# Whoever sees a table's name can put it into a view.
my $stranger = open_session($node);
run($stranger, q{SET ROLE stranger; SET search_path = strange, public; SET statement_timeout = '20s'});
run($stranger, q{CREATE TEMP VIEW seen AS SELECT node, id FROM victim.away});
run($stranger, q{CREATE TABLE orders (id iuid PRIMARY KEY); CREATE VIEW all_orders AS SELECT node, id FROM victim.away});
# A lock that the caller would wait for, if it asked for it.
my $victim = open_session($node);
run($victim, 'BEGIN; ALTER FOREIGN TABLE victim.away OWNER TO victim');
is(run($stranger, q{SELECT iuid_drop_global_table('seen')}), '42501', 'a view over a foreign table of another role is not dropped');
is(run($stranger, q{SELECT iuid_create_global_view('all_orders', 'orders')}), '42P07', 'nor made anew, as iuid did not make it');
is(run($stranger, q{SELECT iuid_drop_global_table('victim.away')}), '42501', 'and the foreign table itself is not touched');
is(run($stranger, q{SELECT iuid_create_global_view('away', 'victim.away')}), '42501', 'nor taken as a local table');
run($victim, 'ROLLBACK');

# Who loses a right while waiting is refused.
$node->safe_psql('postgres', q{
	CREATE TABLE victim.parts (id iuid) PARTITION BY RANGE (id);
	ALTER TABLE victim.parts OWNER TO victim;
	GRANT SELECT ON victim.parts TO stranger});
for my $call (q{SELECT * FROM iuid_partitions('victim.parts')}, q{SELECT * FROM iuid_check_partitions('victim.parts')})
{
	run($victim, 'GRANT SELECT ON victim.parts TO stranger');
	is(run($stranger, $call), '', "$call, with the right");
	run($victim, 'BEGIN; LOCK TABLE victim.parts; REVOKE SELECT ON victim.parts FROM stranger');
	ok(waits($stranger, "$call;", $victim), "$call waits");
	run($victim, 'COMMIT');
	is(outcome($stranger), '42501', 'and is refused when the right is gone');
}

# So is who loses the table itself, also when nothing is left to do, and before any other lock.
$node->safe_psql('postgres', q{
	GRANT USAGE ON SCHEMA strange TO victim;
	CREATE TABLE strange.times (id iuid) PARTITION BY RANGE (id);
	CREATE TABLE strange.orders_here (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
	CREATE TABLE strange.orders_there (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
	CREATE TABLE strange.seen_there (id iuid);
	ALTER TABLE strange.times OWNER TO stranger;
	ALTER TABLE strange.orders_here OWNER TO stranger;
	ALTER TABLE strange.orders_there OWNER TO stranger;
	ALTER TABLE strange.seen_there OWNER TO stranger;
	SET client_min_messages = error;
	SELECT iuid_create_global_table('strange.all_there', 'strange.orders_there', 1);
	SELECT iuid_create_global_view('strange.all_seen', 'strange.seen_there')});
my $holder = open_session($node);
run($holder, 'BEGIN; ALTER FOREIGN TABLE strange.all_seen_there OWNER TO stranger');
for my $case (
	[ 'times', q{SELECT iuid_drop_partitions('times', '2000-01-01')} ],
	[ 'orders_here', q{SELECT iuid_create_country_partitions('orders_here', 1)} ],
	[ 'orders_there', q{SELECT iuid_create_global_table('all_there', 'orders_there', 1)} ],
	[ 'seen_there', q{SELECT iuid_create_global_view('second', 'seen_there')} ],
	[ 'all_seen', q{SELECT iuid_drop_global_table('all_seen')} ])
{
	my ($table, $call) = @$case;
	run($victim, "BEGIN; ALTER TABLE strange.$table OWNER TO victim");
	ok(waits($stranger, "$call;", $victim), "$call waits");
	run($victim, 'COMMIT');
	is(outcome($stranger), '42501', 'and is refused when the table has another owner');
}
run($holder, 'ROLLBACK');
$holder->quit;

# A table that is dropped meanwhile is an undefined one for the node that asks.
$node->safe_psql('postgres', 'CREATE TABLE going (id iuid PRIMARY KEY)');
run($victim, 'RESET ROLE; BEGIN; DROP TABLE public.going');
ok(waits($stranger, q{SELECT iuid_find_here('public.going', '{id}', '{public.iuid}', '{}', '{}');}, $victim), 'iuid_find_here() waits');
run($victim, 'COMMIT');
is(outcome($stranger), '42P01', 'and finds no table');

# --- Only what iuid made ------------------------------------------------------------------

$node->safe_psql('postgres', q{
	CREATE TABLE orders (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id iuid_origin_ops);
	CREATE TABLE elsewhere (x int);
	CREATE TABLE my_nodes (node text);
	CREATE VIEW orders_c7_e1 AS SELECT x, 'mine' AS note FROM elsewhere;
	CREATE TABLE orders_c10 PARTITION OF orders FOR VALUES FROM (iuid_country_lower(10)) TO (iuid_country_upper(10));
	CREATE VIEW orders_c9_e1 AS SELECT p.ctid, p.id, node AS note FROM orders_c10 AS p, my_nodes;
	CREATE FOREIGN TABLE away (x int) SERVER there;
	CREATE VIEW orders_c11_e1 AS SELECT ctid, x FROM away;
	CREATE VIEW orders_everywhere AS SELECT x FROM away;
	INSERT INTO iuid_routes VALUES (7, NULL, 'there'), (8, NULL, 'here'), (9, NULL, 'there'), (11, NULL, 'there')});
my $views = q{SELECT string_agg(viewname || definition, '' ORDER BY viewname) FROM pg_views WHERE viewname IN ('orders_c7_e1', 'orders_c9_e1', 'orders_c11_e1', 'orders_everywhere')};
my $before = $node->safe_psql('postgres', $views);
is($node->safe_psql('postgres', q{SELECT iuid_create_country_partitions('orders', 1)}), 'orders_c8', 'countries of another node, and views that are not of iuid');
my $session = open_session($node);
for my $country (7, 9, 11)
{
	$node->safe_psql('postgres', "UPDATE iuid_routes SET node = 'here' WHERE country = $country");
	is(run($session, q{SELECT iuid_create_country_partitions('orders', 1)}), '42P07', "which are in the way of a country here: $country");
	$node->safe_psql('postgres', "UPDATE iuid_routes SET node = 'there' WHERE country = $country");
}
is(run($session, q{SELECT iuid_create_global_view('orders_everywhere', 'orders')}), '42P07', 'as another is in the way of a global view');
is(run($session, q{SELECT iuid_drop_global_table('orders_everywhere')}), '42809', 'which is not dropped as one');
is($node->safe_psql('postgres', $views), $before, 'they are as they were');

# --- How long -----------------------------------------------------------------------------

$node->safe_psql('postgres', q{
	CREATE TABLE trips (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE trips_rest PARTITION OF trips DEFAULT;
	CREATE TABLE my_tables (name regclass);
	INSERT INTO my_tables VALUES ('trips')});
my $maintain = q{SELECT count(*) FROM iuid_maintain_partitions('trips', '1 month')};
my $maintain_all = q{SELECT count(*) FROM my_tables, iuid_maintain_partitions(name, '1 month')};
my $other = open_session($node);
my $pid = run($session, 'SELECT pg_backend_pid()');

# A cancel that comes as a wait ends is lost, and has to come again.
sub cancel_session
{
	return $node->poll_query_until('postgres', "SELECT CASE state WHEN 'active' THEN NOT pg_cancel_backend(pid) ELSE true END FROM pg_stat_activity WHERE pid = $pid");
}

# Without lock_timeout, too, no wait is longer than the others wait for each other.
for my $call ($maintain, q{SELECT iuid_create_country_partitions('orders', 1)}, q{SELECT iuid_create_global_table('orders_global', 'orders', 1)})
{
	my ($table) = $call =~ /'(trips|orders)'/;
	run($other, "BEGIN; LOCK TABLE $table");
	ok(waits($session, "$call;", $other), "$call waits for its table");
	my $start = "SELECT extract(epoch FROM min(waitstart)) FROM pg_locks WHERE pid = $pid AND NOT granted";
	my $first = '';
	# Between two waits there is none.
	$first = $node->safe_psql('postgres', $start) until $first ne '';
	ok($node->poll_query_until('postgres', "SELECT ($start) > $first"), 'ends the wait, and waits anew');
	cancel_session();
	is(outcome($session), '57014', 'and can be cancelled');
	run($other, 'ROLLBACK');
}
# A lock for which it had to wait is the one that it waits for while it holds no other.
run($other, 'BEGIN; LOCK TABLE trips_rest');
ok(waits($session, "$maintain;", $other), 'the call waits for the DEFAULT partition');
ok($node->poll_query_until('postgres', qq{
	SELECT count(*) FILTER (WHERE relation = 'trips_rest'::regclass AND NOT granted) = 1 AND count(*) FILTER (WHERE relation = 'trips'::regclass AND granted) = 0
	FROM pg_locks WHERE pid = $pid}), 'without a lock on the table');
cancel_session();
is(outcome($session), '57014', 'and can be cancelled');
run($other, 'ROLLBACK');

# The milliseconds after which a call says that it has given up.
sub patience_of
{
	my ($call) = @_;
	$session->query('\set VERBOSITY default');
	$session->query($call);
	my ($ms) = $session->{stderr} =~ /ERROR:  could not lock table public\.trips\nDETAIL:  Within (\d+) ms,/;
	$session->query('\set VERBOSITY sqlstate');
	$session->{stderr} = '';
	return $ms // 'another error, or none';
}
for my $call ($maintain, $maintain_all)
{
	run($other, 'BEGIN; LOCK TABLE trips');
	run($session, q{SET lock_timeout = '300ms'});
	is(patience_of($call), 300, "lock_timeout ends $call");
	run($session, 'RESET lock_timeout');
	run($other, 'ROLLBACK');
}

# Two readers that overlap: whoever calls it from a query of a table has its turn, too.
my $readers = $node->basedir . '/readers.sql';
append_to_file($readers, "BEGIN;\nSELECT count(*) FROM trips;\nSELECT pg_sleep(0.7 + 0.4 * random());\nCOMMIT;\n");
my $out = '';
my $pgbench = IPC::Run::start([ 'pgbench', '-n', '-c', 2, '-T', '600', '-f', $readers, $node->connstr('postgres') ], '>', \$out, '2>', \$out);
ok($node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_locks WHERE relation = 'trips'::regclass AND granted}), 'two readers');
is(run($session, $maintain_all), '5', 'beside two readers, FROM a table');
$pgbench->signal('TERM');
IPC::Run::finish($pgbench);
unlike($out, qr/ERROR|aborted/, 'no reader got an error');

# A session that holds the table and wants a lock for which it must wait for this one: it gets that.
$node->safe_psql('postgres', q{SELECT iuid_drop_partitions('trips', now() + interval '1 year')});
my $from = -s $node->logfile;
run($other, 'BEGIN; LOCK TABLE trips');
ok(waits($session, "$maintain_all;", $other), 'the call holds the other table and waits for trips');
is(run($other, 'ALTER TABLE my_tables ADD COLUMN x int'), '', 'a session that holds trips can alter the other table');
is(run($other, 'COMMIT'), '', 'and commits');
is(outcome($session), '55P03', 'the call has given up');
is(run($session, $maintain_all), '5', 'and is done when it is called again');

# The same in a long wait, of which the server's own look for a deadlock is over.
$node->safe_psql('postgres', q{SELECT iuid_drop_partitions('trips', now() + interval '1 year')});
run($other, q{SET deadlock_timeout = '1200ms'; BEGIN; LOCK TABLE trips});
ok(waits($session, "$maintain_all;", $other), 'the call waits for trips');
ok($node->poll_query_until('postgres', "SELECT clock_timestamp() - min(waitstart) > interval '3.1 s' FROM pg_locks WHERE pid = $pid AND NOT granted"), 'in one of its longer attempts');
is(run($other, 'ALTER TABLE my_tables ADD COLUMN late int'), '', 'a session that holds trips can alter the other table then, too');
run($other, 'COMMIT; RESET deadlock_timeout');
is(outcome($session), '55P03', 'the call has given up');

# The same when that session waits first.
$node->safe_psql('postgres', q{SELECT iuid_drop_partitions('trips', now() + interval '1 year')});
run($session, 'BEGIN; SELECT count(*) FROM my_tables');
run($other, 'BEGIN; LOCK TABLE trips');
ok(waits($other, 'ALTER TABLE my_tables ADD COLUMN y int;', $session), 'a session that holds trips waits for this one');
cmp_ok(patience_of($maintain), '<', 60_000, 'the call gives up before the minute that it waits otherwise');
run($session, 'ROLLBACK');
is(outcome($other), '', 'the session has its lock');
run($other, 'COMMIT');
unlike(slurp_file($node->logfile, $from), qr/ALTER TABLE my_tables/, 'it got no error');

# A session that waits for a lock of this one and holds nothing that is needed here.
run($session, 'BEGIN; SELECT count(*) FROM my_tables');
ok(waits($other, 'ALTER TABLE my_tables ADD COLUMN z int;', $session), 'a session waits for this one');
is(run($session, $maintain), '5', 'the call is done');
is(run($session, 'COMMIT'), '', 'and committed');
is(outcome($other), '', 'and then the other, too');

# In each of these, the call has waited so long for its first lock that others have waited long, too.
sub waits_long
{
	return $node->poll_query_until('postgres', "SELECT clock_timestamp() - min(waitstart) > interval '1.6 s' FROM pg_locks WHERE pid = $pid AND NOT granted AND relation = 'trips_rest'::regclass");
}
my $reader = open_session($node);
my $reader_pid = run($reader, 'SELECT pg_backend_pid()');
$node->safe_psql('postgres', q{
	SELECT iuid_drop_partitions('trips', now() + interval '1 year');
	INSERT INTO trips VALUES (gen_iuid(7, 1, '2000-01-01'))});
run($other, 'BEGIN; SELECT count(*) FROM trips_rest');
# A busy machine needs more attempts than a minute has.
run($session, q{SET lock_timeout = '10min'});
ok(waits($session, "$maintain;", $other), 'the call waits for the DEFAULT partition');
my $reads = '';
for my $attempt (1 .. 20)
{
	last if $reads eq 'waits' || !waits_long();
	outcome($reader) if $reads;
	$reader->query_until(qr/sent/, "\\echo sent\nSELECT count(*) FROM trips /* $attempt */;\n");
	# On a busy machine the attempt can end first.
	until ($reads =~ /waits|over/)
	{
		$reads = $node->safe_psql('postgres', qq{
			SELECT CASE WHEN query !~ ' $attempt ' THEN 'not yet' WHEN state = 'idle' THEN 'over'
				WHEN EXISTS (SELECT FROM pg_locks AS l WHERE l.pid = a.pid AND NOT granted AND clock_timestamp() - waitstart > interval '0.75 s') THEN 'waits'
				ELSE '' END FROM pg_stat_activity AS a WHERE pid = $reader_pid});
	}
}
is($reads, 'waits', 'a reader of the table waits behind one of its longer attempts, until soon it looks for a deadlock');
run($other, 'COMMIT');
is(outcome($reader), '1', 'it gets no error when the call has the first of its locks');
is(outcome($session), '5', 'and the call is done');
run($session, 'RESET lock_timeout');

$node->safe_psql('postgres', q{SELECT iuid_drop_partitions('trips', now() + interval '1 year')});
run($other, 'BEGIN; LOCK TABLE ONLY trips_rest IN ROW EXCLUSIVE MODE');
ok(waits($reader, 'CREATE INDEX CONCURRENTLY ON trips_rest ((id::text));', $other), 'CREATE INDEX CONCURRENTLY waits for a writer');
$session->query_until(qr/sent/, "\\echo sent\n$maintain;\n");
ok(waits_long(), 'and the call for both');
run($other, 'COMMIT');
is(outcome($reader), '', 'the index is made, though it waits for all transactions');
is(outcome($session), '55P03', 'the call has given up');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_index WHERE NOT indisvalid}), '0', 'and no index is invalid');

# What goes with a partition is waited for as the partition is.  What needs it is not: the partition stays.
$node->safe_psql('postgres', q{
	CREATE TABLE notes (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
	SELECT iuid_create_partitions('notes', '1 month', '2020-01-01', '2020-04-01');
	CREATE MATERIALIZED VIEW needs AS SELECT count(*) FROM notes_2020_01;
	CREATE SEQUENCE goes OWNED BY notes_2020_02.note});
my $drop = q{SELECT * FROM iuid_drop_partitions('notes', '2021-01-01')};
run($other, 'BEGIN; SELECT * FROM needs');
run($session, 'BEGIN');
is(run($session, $drop), "public.notes_2020_02\npublic.notes_2020_03", 'a partition stays while what needs it is in use, and the others go');
run($session, 'ROLLBACK');
run($other, 'COMMIT');
for my $part ('goes', $node->safe_psql('postgres', q{SELECT reltoastrelid::regclass FROM pg_class WHERE relname = 'notes_2020_03'}))
{
	run($other, "BEGIN; SELECT * FROM $part");
	run($session, 'BEGIN');
	ok(waits($session, "$drop;", $other), "a drop waits for $part");
	ok($node->poll_query_until('postgres', qq{
		SELECT count(*) FILTER (WHERE relation = '$part'::regclass AND NOT granted) = 1 AND count(*) FILTER (WHERE relation = 'notes'::regclass AND granted) = 0
		FROM pg_locks WHERE pid = $pid}), 'without a lock on the table');
	run($other, 'COMMIT');
	is(outcome($session), "public.notes_2020_02\npublic.notes_2020_03", 'and is done');
	run($session, 'ROLLBACK');
}

$_->quit for $session, $other, $victim, $stranger, $reader;
$node->stop;
done_testing();
