# iuid_attach_partitions, called directly: whose locks it waits for, whose it does not, and whose table it is
# when a wait ends.  One version is enough: nothing here depends on it.
use strict;
use warnings;

use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sessions;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION iuid;
	CREATE ROLE stranger;
	GRANT CREATE ON SCHEMA public TO stranger;
	CREATE FUNCTION says() RETURNS boolean LANGUAGE plpgsql IMMUTABLE
		AS $$ BEGIN RAISE LOG 'CHECK as %', current_user; RETURN true; END $$});
my ($holder, $caller, $stranger) = map { open_session($node) } 1 .. 3;
run($stranger, 'SET ROLE stranger');
my $attach = q{SELECT iuid_attach_partitions('orders', '{march}', ARRAY[iuid_floor('2026-03-01')]::uuid[],
	ARRAY[iuid_floor('2026-04-01')]::uuid[]);};

sub start_with
{
	my ($more) = @_;
	$node->safe_psql('postgres', qq{
		SET client_min_messages = error;
		DROP TABLE IF EXISTS orders, march CASCADE;
		CREATE TABLE orders (id iuid) PARTITION BY RANGE (id);
		CREATE TABLE march (LIKE orders);
		$more});
	return;
}

# A table of somebody else is not locked, and so not waited for either.
start_with('');
run($holder, 'BEGIN; LOCK TABLE pg_database IN ACCESS SHARE MODE');
run($stranger, q{CREATE TEMPORARY TABLE mine (id uuid) PARTITION BY RANGE (id); SET lock_timeout = '3s';});
is(run($stranger, q{SELECT iuid_attach_partitions('mine', '{pg_database}', '{NULL}', '{NULL}')}),
	'42501', 'the table of another role is not waited for');
run($holder, 'ROLLBACK');

# What gets another owner while its lock is waited for.
for my $case ([ 'march', '' ], [ 'orders', '' ], [ 'orders_rest',
	q{CREATE TABLE orders_rest PARTITION OF orders DEFAULT; ALTER TABLE orders_rest ADD CHECK (says()) NOT VALID} ],
	[ 'orders_after',
		q{CREATE TABLE orders_after PARTITION OF orders FOR VALUES FROM (iuid_floor('2026-03-01')) TO (MAXVALUE)} ])
{
	my ($table, $more) = @$case;
	start_with($more);
	my $log = -s $node->logfile;
	run($holder, "BEGIN; ALTER TABLE $table OWNER TO stranger");
	ok(waits($caller, $attach, $holder), "$table: the call waits");
	run($holder, 'COMMIT');
	is(outcome($caller), '42501', "$table got another owner");
	unlike(slurp_file($node->logfile, $log),
		qr/CHECK as postgres/, "$table: no code of the new owner ran as another role");
	is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_inherits WHERE inhrelid = 'march'::regclass}),
		'0', 'and nothing is attached');
}

# The DEFAULT partition gets a row while the parent is waited for, so that a stronger lock is needed.  A
# session that has read the parent, and writes it, is in no deadlock.
start_with('CREATE TABLE orders_rest PARTITION OF orders DEFAULT');
my $reader = open_session($node);
run($holder, 'BEGIN; LOCK TABLE orders IN ROW EXCLUSIVE MODE');
run($reader, 'BEGIN; LOCK TABLE ONLY orders IN ACCESS SHARE MODE');
ok(waits($caller, $attach, $holder), 'the call waits for a writer');
run($holder, q{INSERT INTO orders VALUES (gen_iuid(7, 1, '2026-05-01')); COMMIT});
ok(waits_for($caller, $reader), 'and then for a reader');
is(run($reader, q{INSERT INTO orders VALUES (gen_iuid(7, 1, '2026-05-01')); COMMIT}), '', 'who writes');
is(outcome($caller), '', 'and goes on');
$reader->quit;

# The locks of a call: who reads the list of partitions must not miss rows that move.
for my $case ([ 'no DEFAULT partition', '', 'ShareUpdateExclusiveLock' ],
	[ 'an empty one', 'CREATE TABLE orders_rest PARTITION OF orders DEFAULT', 'ShareRowExclusiveLock' ],
	[ 'one with rows', q{CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
		INSERT INTO orders VALUES (gen_iuid(7, 1, '2026-05-01'))}, 'AccessExclusiveLock' ],
	[ 'an open end',
		q{CREATE TABLE orders_after PARTITION OF orders FOR VALUES FROM (iuid_floor('2026-03-01')) TO (MAXVALUE)},
		'AccessExclusiveLock' ])
{
	my ($what, $more, $mode) = @$case;
	start_with($more);
	run($caller, 'BEGIN');
	run($caller, $attach);
	is( run($caller, q{SELECT mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'orders'::regclass
			ORDER BY array_position('{AccessExclusiveLock,ShareRowExclusiveLock,ShareUpdateExclusiveLock}', mode) LIMIT 1}),
		$mode, "$what: the parent's lock");
	run($caller, 'ROLLBACK');
}

$_->quit for $holder, $caller, $stranger;
$node->stop;
done_testing();
