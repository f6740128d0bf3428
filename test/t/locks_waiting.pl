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
$node->append_conf('postgresql.conf', q{
fsync = off
timezone = 'UTC'
log_statement = none
log_lock_waits = off
max_prepared_transactions = 2
log_min_error_statement = error});
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
run($stranger, q{CREATE TABLE orders (id iuid PRIMARY KEY);
	CREATE VIEW all_orders AS SELECT node, id FROM victim.away});
# A lock that the caller would wait for, if it asked for it.
my $victim = open_session($node);
run($victim, 'BEGIN; ALTER FOREIGN TABLE victim.away OWNER TO victim');
is(run($stranger, q{SELECT iuid_drop_global('seen')}),
	'42809', 'a view over a foreign table of another role is not dropped');
is(run($stranger, q{SELECT iuid_create_global_view('all_orders', 'orders')}),
	'42P07', 'nor made anew, as iuid did not make it');
is(run($stranger, q{SELECT iuid_drop_global('victim.away')}), '42501', 'and the foreign table itself is not touched');
is(run($stranger, q{SELECT iuid_create_global_view('away', 'victim.away')}), '42501', 'nor taken as a local table');
run($victim, 'ROLLBACK');

# Who loses a right while waiting is refused.
$node->safe_psql('postgres', q{
	CREATE TABLE victim.parts (id iuid) PARTITION BY RANGE (id);
	CREATE TABLE victim.parts_first PARTITION OF victim.parts
		FOR VALUES FROM (iuid_floor('2026-01-01')) TO (iuid_floor('2026-02-01'));
	CREATE TABLE victim.parts_rest PARTITION OF victim.parts DEFAULT;
	ALTER TABLE victim.parts OWNER TO victim;
	ALTER TABLE victim.parts_rest OWNER TO victim;
	GRANT SELECT ON victim.parts TO stranger});
for my $case ([ 'parts', q{SELECT count(*) > 9 FROM iuid_partitions('victim.parts')} ],
	[ 'parts_rest', q{SELECT rows > 9 FROM iuid_keys_between('victim.parts_rest', NULL, NULL)} ],
	map { [ $_, q{SELECT * FROM iuid_check_partitions('victim.parts')} ] } 'parts', 'parts_rest')
{
	my ($locked, $call) = @$case;
	run($victim, 'GRANT SELECT ON victim.parts TO stranger');
	like(run($stranger, $call), qr/^f?$/, "$call, with the right");
	run($victim, "BEGIN; LOCK TABLE victim.$locked; REVOKE SELECT ON victim.parts FROM stranger");
	ok(waits($stranger, "$call;", $victim), "$call waits for $locked");
	run($victim, 'COMMIT');
	is(outcome($stranger), '42501', 'and is refused when the right is gone');
}

# A partition is counted by the key of the table that it belongs to, of which nothing changes until then.
$node->safe_psql('postgres', q{
	CREATE TABLE moving (id iuid) PARTITION BY RANGE (id);
	CREATE TABLE moving_rest PARTITION OF moving DEFAULT;
	INSERT INTO moving VALUES (gen_iuid(7, 1));
	CREATE TABLE numbers (id int) PARTITION BY RANGE (id)});
my $count = q{SELECT rows FROM iuid_keys_between('public.moving_rest', NULL, NULL);};
run($stranger, q{RESET ROLE; SET deadlock_timeout = '1 min'});
run($victim, 'RESET ROLE; SET search_path = public; BEGIN; LOCK TABLE moving_rest');
ok(waits($stranger, $count, $victim), 'a count of keys waits');
is(run($victim, q{SET LOCAL lock_timeout = '100ms'; ALTER TABLE moving RENAME id TO key}),
	'55P03', 'and the table above is in use');
run($victim, 'ROLLBACK');
is(outcome($stranger), '1', 'until it has counted');
run($victim, 'BEGIN; LOCK TABLE moving');
ok(waits($stranger, $count, $victim), 'a count of keys waits');
is( run($victim, q{
		ALTER TABLE moving DETACH PARTITION moving_rest;
		ALTER TABLE moving_rest DROP id, ADD id int DEFAULT 1;
		ALTER TABLE numbers ATTACH PARTITION moving_rest DEFAULT;
		COMMIT}), '', 'while the partition gets another key');
is(outcome($stranger), '55000', 'and another parent');
run($stranger, 'RESET deadlock_timeout; SET ROLE stranger');

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
	[ 'orders_here', q{SELECT iuid_create_routed_partitions('orders_here', 1)} ],
	[ 'orders_there', q{SELECT iuid_create_global_table('all_there', 'orders_there', 1)} ],
	[ 'seen_there', q{SELECT iuid_create_global_view('second', 'seen_there')} ],
	[ 'all_seen', q{SELECT iuid_drop_global('all_seen')} ])
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
ok(waits($stranger, q{SELECT iuid_find_here('public.going', '{id}', '{public.iuid}', '{}', '{}');}, $victim),
	'iuid_find_here() waits');
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
my $views = q{SELECT string_agg(viewname || definition, '' ORDER BY viewname) FROM pg_views
	WHERE viewname IN ('orders_c7_e1', 'orders_c9_e1', 'orders_c11_e1', 'orders_everywhere')};
my $before = $node->safe_psql('postgres', $views);
is($node->safe_psql('postgres', q{SELECT iuid_create_routed_partitions('orders', 1)}),
	'orders_c8', 'countries of another node, and views that are not of iuid');
my $session = open_session($node);
for my $country (7, 9, 11)
{
	$node->safe_psql('postgres', "UPDATE iuid_routes SET node = 'here' WHERE country = $country");
	is(run($session, q{SELECT iuid_create_routed_partitions('orders', 1)}),
		'42P07', "which are in the way of a country here: $country");
	$node->safe_psql('postgres', "UPDATE iuid_routes SET node = 'there' WHERE country = $country");
}
is(run($session, q{SELECT iuid_create_global_view('orders_everywhere', 'orders')}),
	'42P07', 'as another is in the way of a global view');
is(run($session, q{SELECT iuid_drop_global('orders_everywhere')}), '42809', 'which is not dropped as one');
is($node->safe_psql('postgres', $views), $before, 'they are as they were');

# --- What is required holds when the wait is over ----------------------------------------

$node->safe_psql('postgres', q{
	CREATE TABLE kinds (kind int PRIMARY KEY);
	CREATE TABLE legs (id uuid, kind int REFERENCES kinds, CONSTRAINT valid CHECK (iuid_is_valid(id)))
		PARTITION BY RANGE (id uuid_origin_ops);
	CREATE TABLE legs_rest PARTITION OF legs DEFAULT;
	INSERT INTO legs VALUES (gen_iuid(1, 1))});
run($victim, 'BEGIN; LOCK TABLE kinds IN SHARE ROW EXCLUSIVE MODE');
ok(waits($session, q{SELECT iuid_create_country_partitions('legs', 1, '{1}');}, $victim),
	'a call waits for a table that its rows refer to');
$node->safe_psql('postgres', q{ALTER TABLE legs DROP CONSTRAINT valid;
	INSERT INTO legs VALUES ('919108f7-52d1-4301-9b07-f847db4148a8')});
run($victim, 'COMMIT');
is(outcome($session), '55000', 'and makes no partition of a country, as the key takes other UUIDs now');

# --- How long -----------------------------------------------------------------------------

$node->safe_psql('postgres', q{
	CREATE TABLE trips (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE trips_rest PARTITION OF trips DEFAULT;
	CREATE TABLE my_tables (name regclass);
	INSERT INTO my_tables VALUES ('trips')});
my $maintain = q{CALL iuid_maintain_partitions('trips', '1 month')};
my $create = q{SELECT count(*) FROM iuid_create_partitions('trips', '1 month', date_trunc('month', now()),
	date_trunc('month', now()) + interval '5 months')};
my $other = open_session($node);
my $pid = run($session, 'SELECT pg_backend_pid()');

# A cancel that comes as a wait ends is lost, and has to come again.
sub cancel_session
{
	return $node->poll_query_until('postgres', qq{SELECT CASE state WHEN 'active' THEN NOT pg_cancel_backend(pid)
		ELSE true END FROM pg_stat_activity WHERE pid = $pid});
}

# Without lock_timeout, too, no wait is longer than the others wait for each other.
for my $call ($create, q{SELECT iuid_create_routed_partitions('orders', 1)},
	q{SELECT iuid_create_global_table('orders_global', 'orders', 1)})
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
# While it plans, no partition comes or goes.
my $waits_for_rest = q{count(*) FILTER (WHERE relation = 'trips_rest'::regclass AND NOT granted) = 1};
run($other, 'BEGIN; LOCK TABLE ONLY trips IN SHARE UPDATE EXCLUSIVE MODE');
ok(waits($session, "$create;", $other), 'the call waits for a session that attaches or detaches');
ok($node->poll_query_until('postgres', qq{SELECT count(*) = 1 FROM pg_locks
	WHERE pid = $pid AND relation = 'trips'::regclass AND NOT granted AND mode = 'ShareUpdateExclusiveLock'}),
	'with a lock that lets writers through');
cancel_session();
is(outcome($session), '57014', 'and can be cancelled');
run($other, 'ROLLBACK');
# The lock for which it had to wait is the one that it waits for while it holds no other.
for my $mode ('ACCESS SHARE', 'ROW EXCLUSIVE', 'ACCESS EXCLUSIVE')
{
	run($other, "BEGIN; LOCK TABLE ONLY trips_rest IN $mode MODE");
	ok(waits($session, "$create;", $other), "$mode: the call waits for the DEFAULT partition");
	ok($node->poll_query_until('postgres', qq{
		SELECT $waits_for_rest AND count(*) FILTER (WHERE relation = 'trips'::regclass AND granted) = 0 FROM pg_locks
			WHERE pid = $pid}), 'without a lock on the table');
	cancel_session();
	is(outcome($session), '57014', 'and can be cancelled');
	run($other, 'ROLLBACK');
}

# After lock_wait the call says who is in the way, as far as the caller may see it.
sub said_by
{
	my ($call) = @_;
	$session->query('\set VERBOSITY default');
	$session->query('\set SHOW_CONTEXT never');
	$session->query($call);
	my $said = $session->{stderr};
	$session->query('\set VERBOSITY sqlstate');
	$session->{stderr} = '';
	return $said;
}
my $other_pid = run($other, 'SELECT pg_backend_pid()');
for my $call ($create =~ s/\)$/, lock_wait => '300 ms')/r, $maintain =~ s/\)$/, lock_wait => '300 ms')/r)
{
	for my $mode ('ACCESS EXCLUSIVE', 'ACCESS SHARE')
	{
		run($other, "BEGIN; LOCK TABLE trips IN $mode MODE");
		my $said = said_by($call);
		my $holds = qr/Process $other_pid holds public\.trips(_rest)? since [^;\n]+LOCK TABLE trips IN $mode MODE\.\n/;
		like($said, qr/could not lock table public\.trips(_rest)?\nDETAIL:  $holds/, "$mode is in the way of $call")
			unless $mode eq 'ACCESS SHARE' && $call =~ /^CALL/;
		run($other, 'ROLLBACK');
	}
}
run($session, 'GRANT victim TO stranger; ALTER TABLE trips OWNER TO victim; SET ROLE victim');
run($other, 'BEGIN; LOCK TABLE trips');
my $seen = said_by($create =~ s/\)$/, lock_wait => '0')/r);
like($seen, qr/DETAIL:  Process $other_pid holds public\.trips\.\n/, 'who may not see the query sees the process');
run($other, 'ROLLBACK');
run($session, 'RESET ROLE; ALTER TABLE trips OWNER TO CURRENT_USER');
like(run($session, qq{SET lock_timeout = '1234ms'; BEGIN; $create; SHOW lock_timeout; ROLLBACK;
	RESET lock_timeout}), qr/1234ms/, 'lock_timeout is as before');

# Who waits for the same table is not in the way, and holds nothing in another database, whose tables may
# have the same OIDs.
my $third = open_session($node);
run($other, 'BEGIN; LOCK TABLE ONLY trips');
run($third, 'BEGIN');
ok(waits($third, 'LOCK TABLE ONLY trips;', $other), 'a third session waits');
my @holders = said_by($create =~ s/\)$/, lock_wait => '300 ms')/r) =~ /Process (\d+) holds/g;
is("@holders", $other_pid, 'it is not named');
run($other, 'ROLLBACK');
outcome($third);
run($third, 'ROLLBACK');
$third->quit;

# A table is named that was missing in the last attempt, with no time to wait, too.
run($other, 'BEGIN; LOCK TABLE ONLY trips_rest IN ACCESS SHARE MODE');
like(said_by($create =~ s/\)$/, lock_wait => '0')/r), qr/could not lock table public\.trips_rest\n/,
	'with lock_wait 0, the table that was in use');
run($other, 'ROLLBACK');

run($other, 'BEGIN; LOCK TABLE ONLY trips_rest');
like(said_by($create =~ s/\)$/, lock_wait => '300 ms')/r),
	qr/could not lock table public\.trips_rest\nDETAIL:  Process $other_pid holds public\.trips_rest since/,
	'and who holds it');
run($other, 'ROLLBACK');

# Where no row has to move, writers are in the way.
$node->safe_psql('postgres', q{CREATE TABLE empty (id iuid) PARTITION BY RANGE (id);
	CREATE TABLE empty_rest PARTITION OF empty DEFAULT});
run($other, 'BEGIN; LOCK TABLE empty IN ROW EXCLUSIVE MODE');
like(said_by($create =~ s/trips/empty/r =~ s/\)$/, lock_wait => '300 ms')/r),
	qr/DETAIL:  Process $other_pid holds public\.empty since/, 'a writer of the table is named');
run($other, 'ROLLBACK');

# A transaction that was prepared has no process.
run($other, q{BEGIN; LOCK TABLE trips IN ACCESS SHARE MODE; PREPARE TRANSACTION 'mine'});
like(said_by($create =~ s/\)$/, lock_wait => '300 ms')/r),
	qr/DETAIL:  Prepared transaction 'mine' holds public\.trips(_rest)? since /, 'a prepared transaction is named');
run($other, q{ROLLBACK PREPARED 'mine'});

# statement_timeout counts the statement, not the transaction.
run($other, 'BEGIN; LOCK TABLE trips');
run($session, "BEGIN; SELECT pg_sleep(3); SET LOCAL statement_timeout = '3s'");
ok(waits($session, "$create;", $other), 'a call waits for a moment');
# and for another one, as it is between two attempts that it looks at the time
$node->safe_psql('postgres', 'SELECT pg_sleep(0.6)');
run($other, 'ROLLBACK');
is(outcome($session), '5', 'and has the time that a statement has');
run($session, 'ROLLBACK');

# Where deadlock_timeout is short, no wait takes so long.
$node->safe_psql('postgres', 'ALTER SYSTEM SET log_lock_waits = on; SELECT pg_reload_conf()');
my $log = -s $node->logfile;
run($other, 'BEGIN; LOCK TABLE trips');
is(run($session, "SET deadlock_timeout = '90ms'; " . $create =~ s/\)$/, lock_wait => '300 ms')/r),
	'55P03', 'with a short deadlock_timeout');
run($session, 'RESET deadlock_timeout');
run($other, 'ROLLBACK');
unlike(slurp_file($node->logfile, $log), qr/still waiting/, 'no wait comes to it');
$node->safe_psql('postgres', 'ALTER SYSTEM RESET log_lock_waits; SELECT pg_reload_conf()');

# Two readers that overlap leave few moments without a lock; with patience, one of these comes.
my $readers = $node->basedir . '/readers.sql';
append_to_file($readers, "BEGIN;\nSELECT count(*) FROM trips;\nSELECT pg_sleep(0.2 + 0.2 * random());\nCOMMIT;\n");
my $out = '';
my $pgbench = IPC::Run::start([ 'pgbench', '-n', '-c', 2, '-T', '600', '-f', $readers, $node->connstr('postgres') ],
	'>', \$out, '2>', \$out);
ok($node->poll_query_until('postgres',
	q{SELECT count(*) = 2 FROM pg_locks WHERE relation = 'trips'::regclass AND granted}), 'two readers');
is(run($session, $create =~ s/\)$/, lock_wait => '5 min')/r), '5', 'beside two readers');
$pgbench->signal('TERM');
IPC::Run::finish($pgbench);
unlike($out, qr/ERROR|aborted/, 'no reader got an error');

# A session that holds a lock on the table, and takes a stronger one while the call waits: the server
# finds a deadlock at once, if the call holds a lock on the table, too.
$node->safe_psql('postgres', q{SELECT iuid_drop_partitions('trips', now() + interval '1 year')});
run($other, 'BEGIN; LOCK TABLE trips IN ACCESS SHARE MODE');
$session->query_until(qr/sent/, "\\echo sent\n" . ($create =~ s/\)$/, lock_wait => '1 min');/r) . "\n");
for my $mode ('SHARE UPDATE EXCLUSIVE', 'SHARE', 'SHARE ROW EXCLUSIVE', 'ACCESS EXCLUSIVE')
{
	for (1 .. 5)
	{
		ok(waits_for($session, $other), 'the call waits');
		is(run($other, "SAVEPOINT one; LOCK TABLE trips IN $mode MODE; ROLLBACK TO one"), '', "$mode beside it");
	}
}
run($other, 'COMMIT');
is(outcome($session), '5', 'it goes on');

# A session that waits for a lock of this one and holds nothing that is needed here.
$node->safe_psql('postgres', q{SELECT iuid_drop_partitions('trips', now() + interval '1 year')});
run($session, 'BEGIN; SELECT count(*) FROM my_tables');
ok(waits($other, 'ALTER TABLE my_tables ADD COLUMN z int;', $session), 'a session waits for this one');
is(run($session, $create), '5', 'the call is done');
is(run($session, 'COMMIT'), '', 'and committed');
is(outcome($other), '', 'and then the other, too');

# What goes with a partition is waited for as the partition is.  What needs it is not: the partition stays.
$node->safe_psql('postgres', q{
	CREATE TABLE notes (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
	SELECT iuid_create_partitions('notes', '1 month', '2020-01-01', '2020-04-01');
	CREATE MATERIALIZED VIEW needs AS SELECT count(*) FROM notes_2020_01;
	CREATE SEQUENCE goes OWNED BY notes_2020_02.note});
my $drop = q{SELECT * FROM iuid_drop_partitions('notes', '2021-01-01', '1 s')};
run($other, 'BEGIN; SELECT * FROM needs');
run($session, 'BEGIN');
is(run($session, $drop), "public.notes_2020_02\npublic.notes_2020_03",
	'a partition stays while what needs it is in use, and the others go');
run($session, 'ROLLBACK');
run($other, 'COMMIT');
for my $part ('goes',
	$node->safe_psql('postgres', q{SELECT reltoastrelid::regclass FROM pg_class WHERE relname = 'notes_2020_03'}))
{
	run($other, "BEGIN; SELECT * FROM $part");
	run($session, 'BEGIN');
	ok(waits($session, $drop =~ s/'1 s'/'1 min'/r . ';', $other), "a drop waits for $part");
	run($other, 'COMMIT');
	is(outcome($session), "public.notes_2020_02\npublic.notes_2020_03", 'and is done');
	run($session, 'ROLLBACK');
}

# An open end that was empty when the call began, and got a row while the call waited.  The owner can lock
# a table by a right to change its rows, or by owning it.
for my $rights ('', 'REVOKE UPDATE, DELETE, TRUNCATE ON late, late_before, late_2026_01 FROM victim')
{
	for my $removed ([ 'detach', '', q{SELECT n FROM late_before} ], [ 'drop', 'public.', q{SELECT 'nowhere'} ])
	{
		my ($how, $schema, $row) = @$removed;
		$node->safe_psql('postgres', qq{
			DROP TABLE IF EXISTS late, late_2026_01, late_before;
			GRANT CREATE ON SCHEMA public TO victim;
			SET ROLE victim; SET search_path = public;
			CREATE TABLE late (id iuid PRIMARY KEY, n text) PARTITION BY RANGE (id);
			CREATE TABLE late_before PARTITION OF late FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01'));
			SELECT iuid_create_partitions('late', '1 month', '2026-01-01', '2026-03-01');
			$rights});
		run($other, 'BEGIN; LOCK TABLE late IN ROW EXCLUSIVE MODE');
		ok(waits($session, "SELECT iuid_${how}_partitions('late', '2026-02-01', '1 min');", $other), "$how waits");
		run($other, q{INSERT INTO late VALUES (gen_iuid(7, 1, '2025-06-01'), 'nowhere')});
		# who has read the table and changes it is in no deadlock
		is(run($other, 'LOCK TABLE late IN SHARE MODE; COMMIT'), '', 'beside a session that takes another lock');
		is(outcome($session), "${schema}late_before\n${schema}late_2026_01", 'and knows that the open end has a row');
		is(run($other, $row), 'nowhere', 'which goes where it is said');
	}
	is(run($session, q{SELECT iuid_create_partitions('late', '1 month', '2026-03-01', '2026-04-01')}),
		'late_2026_03', 'and a partition is made');
}

# Of two open ends, dropping needs the first one, and making a partition the one that it is carved out of.
$node->safe_psql('postgres', q{
	CREATE TABLE ends (id iuid) PARTITION BY RANGE (id);
	CREATE TABLE ends_before PARTITION OF ends FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01'));
	CREATE TABLE ends_after PARTITION OF ends FOR VALUES FROM (iuid_floor('2026-02-01')) TO (MAXVALUE);
	SELECT iuid_create_partitions('ends', '1 month', '2026-01-01', '2026-02-01');
	INSERT INTO ends VALUES (gen_iuid(7, 1, '2025-12-15'))});
run($other, 'BEGIN; LOCK TABLE ONLY ends_before IN ACCESS SHARE MODE');
like(said_by(q{SELECT iuid_create_partitions('ends', '1 month', '2025-12-01', '2026-01-01', lock_wait => '300 ms')}),
	qr/could not lock table public\.ends_before\n/, 'the first open end is in use');
run($other, 'ROLLBACK; BEGIN; LOCK TABLE ONLY ends_after IN ACCESS SHARE MODE');
is(run($session, q{SELECT iuid_drop_partitions('ends', '2026-02-01', '300 ms')}),
	"public.ends_before\npublic.ends_2026_01", 'the last one is in use, and not needed');
run($other, 'ROLLBACK');

# A foreign table is a partition, and its schema and another one change names while the call waits.
$node->safe_psql('postgres', q{
	CREATE SCHEMA blue; CREATE SCHEMA green;
	CREATE TABLE blue.parts (id iuid, n int) PARTITION BY RANGE (id);
	CREATE FOREIGN TABLE blue.parts_2026_01 PARTITION OF blue.parts
		FOR VALUES FROM (iuid_floor('2026-01-01')) TO (iuid_floor('2026-02-01')) SERVER there;
	CREATE FOREIGN TABLE green.parts_2026_01 (id iuid, n int) SERVER there});
run($other, 'BEGIN; COMMENT ON FOREIGN TABLE blue.parts_2026_01 IS NULL');
ok(waits($session, q{SELECT iuid_drop_partitions('blue.parts', '2026-02-01', '1 min');}, $other),
	'a call waits for a foreign table');
run($other, 'ALTER SCHEMA blue RENAME TO old; ALTER SCHEMA green RENAME TO blue; COMMIT');
is(outcome($session), 'old.parts_2026_01', 'and drops that one');
is($node->safe_psql('postgres', q{SELECT to_regclass('blue.parts_2026_01')}),
	'blue.parts_2026_01', 'and no other one of its name');

# Another table gets the name of the one that a call waits for: what is dropped is of the one that was named.
for my $round (1 .. 3)
{
	my $swapped = $node->safe_psql('postgres', q{
		DROP TABLE IF EXISTS swapped, other, swapped_before CASCADE;
		CREATE TABLE swapped (id iuid) PARTITION BY RANGE (id);
		CREATE TABLE other (id iuid) PARTITION BY RANGE (id);
		SELECT count(*) FROM iuid_create_partitions('swapped', '1 month', '2026-01-01', '2026-04-01') \gset
		SELECT 'swapped'::regclass::oid});
	run($other, 'BEGIN; LOCK TABLE ONLY swapped IN SHARE UPDATE EXCLUSIVE MODE');
	run($session, 'BEGIN');
	ok(waits($session, "SELECT iuid_drop_partitions($swapped, '2026-03-01', '1 min');", $other),
		'a call waits for its table');
	run($other, 'ALTER TABLE swapped RENAME TO swapped_before; ALTER TABLE other RENAME TO swapped; COMMIT');
	is(outcome($session), "public.swapped_2026_01\npublic.swapped_2026_02", 'and drops partitions of that one');
	run($session, 'ROLLBACK');
}

$_->quit for $session, $other, $victim, $stranger;
$node->stop;
done_testing();
