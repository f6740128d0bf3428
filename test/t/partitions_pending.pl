# A partition that is pending to be detached: DETACH PARTITION CONCURRENTLY was cancelled after its
# first transaction.  No query of the table reads the partition, and its bounds are taken, until
# somebody finishes the work.
use strict;
use warnings;

use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sessions;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\nlog_statement = none");
$node->start;
$node->safe_psql('postgres', q{CREATE EXTENSION iuid; ALTER DATABASE postgres SET client_min_messages = warning});

sub query { return $node->safe_psql('postgres', $_[0]) }

# A session whose DETACH waits for another one, and is cancelled.
sub cancel_detach
{
	my ($detacher, $parent, $partition, $other) = @_;
	waits($detacher, "ALTER TABLE $parent DETACH PARTITION $partition CONCURRENTLY;", $other)
		or die 'DETACH does not wait';
	query(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity
		WHERE query ~ 'DETACH PARTITION' AND pid <> pg_backend_pid()});
	is(outcome($detacher), '57014', "$partition is pending to be detached");
	return;
}

# A transaction that has read the table keeps DETACH waiting, which is then cancelled.  What the
# transaction's snapshot says afterwards comes back.
sub leave_pending
{
	my ($parent, $partition, $seen) = @_;
	my ($reader, $detacher) = map { open_session($node) } 1 .. 2;
	run($reader, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM $parent");
	cancel_detach($detacher, $parent, $partition, $reader);
	my $is_seen = run($reader, $seen);
	run($reader, 'COMMIT');
	$_->quit for $reader, $detacher;
	return $is_seen;
}

sub faults { return query("SELECT problem, partition, lower, upper, detail FROM iuid_check_partitions('$_[0]')") }
my @time = map { sprintf '2026-%02d-01 00:00:00+00', $_ } 0 .. 12;

# --- By time ----------------------------------------------------------------------------

query(q{
	CREATE TABLE orders (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
	SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-05-01', true);
	ALTER TABLE orders_2026_02 DROP CONSTRAINT orders_2026_02_id_check;
	INSERT INTO orders SELECT gen_iuid(7, 1, at)
		FROM generate_series(timestamptz '2026-01-02', '2026-04-02', '1 month') AS at});
is(leave_pending('orders', 'orders_2026_02',
	q{SELECT count(*), (SELECT count(*) FROM iuid_check_partitions('orders')) FROM iuid_partitions('orders')}),
	'4|1', 'a snapshot from before has four partitions, and the fault of one');
is(query(q{SELECT count(*) FROM orders}), '3', 'no other query reads it');
my $finalize = 'ALTER TABLE public.orders DETACH PARTITION public.orders_2026_02 FINALIZE';
is(faults('orders'), "pending detach|orders_2026_02|$time[2]|$time[3]|$finalize",
	'it is reported with what ends that; there is no gap, and it needs no time check');
is(query(q{SELECT string_agg(partition::text, ' ') FROM iuid_partitions('orders')}),
	'orders_2026_01 orders_2026_03 orders_2026_04', 'it is not listed');
is(query(q{SELECT partition, lower, upper, is_pending FROM iuid_partition_bounds('orders') WHERE is_pending}),
	'orders_2026_02|019c167f-cc00-8000-8000-000000000000|019ca6b1-dc00-8000-8000-000000000000|t', 'its bounds are read');
is(run(my $session = open_session($node), q{SELECT iuid_keys_between('orders_2026_02', NULL, NULL)}),
	'42809', 'its rows are not those of the table');

# A gap beside it is one.
query('DROP TABLE orders_2026_03');
is(query(q{SELECT problem, partition, lower, upper FROM iuid_check_partitions('orders')}),
	"gap|orders_2026_02|$time[3]|$time[4]\npending detach|orders_2026_02|$time[2]|$time[3]", 'a gap beside it is found');
query($finalize);
is(query(q{SELECT problem, partition, lower, upper FROM iuid_check_partitions('orders')}),
	"gap|orders_2026_01|$time[2]|$time[4]",
	'FINALIZE ends it, and a gap is left');

# The last one, and one without an end whose rows are no rows of the table any more.
query(q{CREATE TABLE orders_after PARTITION OF orders FOR VALUES FROM (iuid_floor('2026-05-01')) TO (MAXVALUE);
	INSERT INTO orders VALUES (gen_iuid(7, 1, '2099-01-01'))});
my $day = quotemeta '2099-01-01 00:00:00+00';
like(faults('orders'),
	qr/^rows in an open end\|orders_after\|$day\|$day\|rows in a partition without an end: 1$/m, 'rows in an open end');
leave_pending('orders', 'orders_after', 'SELECT');
query('CREATE TABLE june (LIKE orders)');
is(run($session, q{SELECT iuid_attach_partitions('orders', '{june}', ARRAY[iuid_floor('2026-06-01')]::uuid[],
	ARRAY[iuid_floor('2026-07-01')]::uuid[])}), '42P17', 'and nothing is carved out of it');
query('DROP TABLE june');
is(query(q{SELECT problem, partition, lower, upper FROM iuid_check_partitions('orders') WHERE problem <> 'gap'}),
	"pending detach|orders_after|2026-05-01 00:00:00+00|infinity", 'none when that is pending');
query('ALTER TABLE orders DETACH PARTITION orders_after FINALIZE');

# A bound within a millisecond is no fault of what is pending.
query(q{CREATE TABLE orders_within PARTITION OF orders
	FOR VALUES FROM (iuid_floor('2026-07-01')) TO ('01a0ffff-ffff-8fff-8fff-ffffffffffff')});
like(faults('orders'), qr/bound within a millisecond\|orders_within/, 'a bound within a millisecond');
leave_pending('orders', 'orders_within', 'SELECT');
is(query(q{SELECT problem, partition FROM iuid_check_partitions('orders') WHERE problem <> 'gap'}),
	'pending detach|orders_within', 'not of what is pending');
query('ALTER TABLE orders DETACH PARTITION orders_within FINALIZE');

# --- By country, and by time below a country ----------------------------------------------

query(q{
	CREATE TABLE "My places" (id iuid, note text) PARTITION BY RANGE (id iuid_origin_ops);
	CREATE TABLE places_7 PARTITION OF "My places" FOR VALUES FROM (iuid_country_floor(7)) TO (iuid_country_floor(8))
		PARTITION BY RANGE (id);
	CREATE TABLE places_8 PARTITION OF "My places" FOR VALUES FROM (iuid_country_floor(8)) TO (iuid_country_floor(9))
		PARTITION BY LIST (note);
	CREATE TABLE "Places 9" PARTITION OF "My places" FOR VALUES FROM (iuid_country_floor(9)) TO (iuid_country_floor(10));
	SELECT iuid_create_partitions('places_7', '1 month', '2026-01-01', '2026-04-01')});
is(faults('"My places"'), '', 'a table in order by origin without a fault');
leave_pending('"My places"', '"Places 9"', 'SELECT');
leave_pending('places_7', 'places_7_2026_02', 'SELECT');
is(query(q{SELECT problem, partition, detail FROM iuid_check_partitions('"My places"')}),
	qq{pending detach|"Places 9"|ALTER TABLE public."My places" DETACH PARTITION public."Places 9" FINALIZE\n}
	  . 'pending detach|places_7_2026_02|ALTER TABLE public.places_7 DETACH PARTITION public.places_7_2026_02 FINALIZE',
	'what is pending on both levels');
query($_) for split /\n/, query(q{SELECT detail FROM iuid_check_partitions('"My places"')});
is(query(q{SELECT problem, partition FROM iuid_check_partitions('"My places"')}),
	'gap|places_7_2026_01', 'what ends that can be pasted');

# What stands below a partition that is pending is not looked at.
query(q{CREATE TABLE places_7_rest PARTITION OF places_7 DEFAULT;
	INSERT INTO places_7_rest VALUES (gen_iuid(7, 1, '2026-02-02'))});
like(faults('"My places"'), qr/stranded rows/, 'a fault below a country');
query('DROP TABLE places_7_rest');
leave_pending('"My places"', 'places_7', 'SELECT');
is(query(q{SELECT problem, partition FROM iuid_check_partitions('"My places"')}),
	'pending detach|places_7', 'and none below what is pending');

# --- Under a snapshot from before -----------------------------------------------------------

# A partition that is pending does not follow its parent: the key has another name there, or another
# column has its name.
sub leave_pending_for_old
{
	my ($parent, $partition, $changes) = @_;
	my ($reader, $detacher, $old) = map { open_session($node) } 1 .. 3;
	run($reader, "BEGIN; LOCK TABLE ONLY $parent IN ACCESS SHARE MODE");
	run($old, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT');
	cancel_detach($detacher, $parent, $partition, $reader);
	run($reader, 'COMMIT');
	query($changes);
	$_->quit for $reader, $detacher;
	return $old;
}
query(q{
	CREATE TABLE above (id iuid NOT NULL, n int8) PARTITION BY RANGE (id);
	CREATE TABLE above_rest PARTITION OF above DEFAULT PARTITION BY RANGE (id);
	CREATE TABLE below PARTITION OF above_rest FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
	INSERT INTO above VALUES (gen_iuid(1, 1), 8)});
my $old = leave_pending_for_old('above_rest', 'below', q{ALTER TABLE above RENAME n TO m;
	ALTER TABLE above RENAME id TO n});
is(run($old, q{SELECT iuid_keys_between('above_rest', NULL, NULL)}),
	'55000', 'a number in the column of that name is no key');
run($old, 'ROLLBACK');
query('ALTER TABLE above RENAME n TO id');
run($old, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT');
is(run($old, q{SELECT rows FROM iuid_keys_between('above_rest', NULL, NULL)}),
	'0', 'and a later snapshot has no such partition');
$old->quit;
my $rest = q{CREATE TABLE PARENT (id iuid NOT NULL) PARTITION BY RANGE (id);
	CREATE TABLE PARENT_rest PARTITION OF PARENT FOR VALUES FROM ('01000000-0000-8000-8000-000000000000') TO (MAXVALUE);
	CREATE TABLE PARENT_new (key iuid NOT NULL);
	INSERT INTO PARENT VALUES (gen_iuid(1, 1))};
for my $case (
	[ 'attached', q{SELECT iuid_attach_partitions('attached', '{attached_new}', '{01000000-0000-8000-8000-000000000000}',
		'{02000000-0000-8000-8000-000000000000}')} ],
	[ 'made', q{SELECT iuid_create_partitions('made', '1 year', '2005-01-01', '2006-01-01')} ])
{
	my ($parent, $call) = @$case;
	query($rest =~ s/PARENT/$parent/gr);
	$old = leave_pending_for_old($parent, "${parent}_rest", "ALTER TABLE $parent RENAME id TO key");
	is(run($old, $call), '55000', "$parent: nothing is carved out of what is pending");
	$old->quit;
}

$session->quit;
$node->stop;
done_testing();
