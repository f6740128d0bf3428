# A partition whose DETACH CONCURRENTLY was cancelled is pending: months ahead are made beside it, and when it
# is due it is finalized, and dropped or detached.
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
$node->safe_psql('postgres', 'CREATE EXTENSION iuid');
my $reader = open_session($node);
my $session = open_session($node);
run($session, 'SET client_min_messages = error');
my $pending = q{SELECT string_agg(inhrelid::regclass::text, ' ') FROM pg_inherits WHERE inhdetachpending};

# April of 2026 is pending, and a reader holds an older snapshot.
sub make_pending
{
	my ($more) = @_;
	$node->safe_psql('postgres', qq{
		SET client_min_messages = error;
		DROP TABLE IF EXISTS lines, log, log_2026_03, log_2026_04 CASCADE;
		CREATE TABLE log (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
		SELECT iuid_create_partitions('log', '1 month', '2026-03-01', '2026-07-01');
		INSERT INTO log VALUES (gen_iuid(7, 1, '2026-04-05'));
		$more});
	run($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM log');
	is(run($session, q{SET statement_timeout = '500ms'; ALTER TABLE log DETACH PARTITION log_2026_04 CONCURRENTLY;
		RESET statement_timeout}), '57014', 'detaching is cancelled');
	run($session, 'RESET statement_timeout');
	is($node->safe_psql('postgres', $pending), 'log_2026_04', 'and the partition is pending');
	return;
}

make_pending('');
is(run($session, q{SELECT iuid_create_partitions('log', '1 month', '2026-02-01', '2026-09-01')}),
	"log_2026_02\nlog_2026_07\nlog_2026_08", 'months are made beside it, and none for it');
is(run($session, q{SELECT iuid_drop_partitions('log', '2026-05-01', lock_wait => '300 ms')}),
	'55P03', 'who has an older snapshot is waited for');
is($node->safe_psql('postgres', $pending), 'log_2026_04', 'and nothing has changed');
run($reader, 'COMMIT');
is(run($session, q{SELECT iuid_drop_partitions('log', '2026-05-01')}),
	"public.log_2026_02\npublic.log_2026_03\npublic.log_2026_04", 'when it is due it is dropped');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname = 'log_2026_04'}), '0', 'with its rows');

make_pending('CREATE TABLE lines (id iuid REFERENCES log)');
run($reader, 'COMMIT');
is(run($session, q{SELECT iuid_detach_partitions('log', '2026-05-01')}),
	"log_2026_03\nlog_2026_04", 'detached, it is finalized');
is(run($session, q{SELECT count(*) FROM log_2026_04}), '1', 'and is a table of its own');
is($node->safe_psql('postgres', $pending), '', 'nothing is pending');

make_pending(q{CREATE TABLE log_before PARTITION OF log FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-03-01'))});
run($reader, 'COMMIT');
my $made = run($session, q{CALL iuid_maintain_partitions('log', '1 month', keep => '1 month')});
like($made, qr/^\d+\|[3-9]\d*$/, 'maintenance drops it, too');
is($node->safe_psql('postgres', $pending), '', 'nothing is pending any more');
is($node->safe_psql('postgres', q{SELECT count(*) FROM iuid_check_partitions('log')}), '0', 'and the table is well');

# A partition without an end: while it is pending, nothing is carved out of it, and none takes its place.
$node->safe_psql('postgres', q{
	SET client_min_messages = error;
	CREATE TABLE ends (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE ends_before PARTITION OF ends FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-03-01'));
	CREATE TABLE ends_after PARTITION OF ends FOR VALUES FROM (iuid_floor('2026-03-01')) TO (MAXVALUE);
	SELECT iuid_create_partitions('ends', '1 month', '2026-03-01', '2026-05-01');
	INSERT INTO ends VALUES (gen_iuid(7, 1, '2020-01-01')), (gen_iuid(7, 1, '2026-05-05'))});
run($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM ends');
is(run($session, "SET statement_timeout = '500ms'; ALTER TABLE ends DETACH PARTITION ends_before CONCURRENTLY;"),
	'57014', 'detaching ends_before is cancelled');
run($session, 'RESET statement_timeout');
run($reader, 'COMMIT');
is(run($session, q{SELECT iuid_drop_partitions('ends', '2026-04-01')}),
	"public.ends_before\npublic.ends_2026_03", 'one without a beginning goes');
is($node->safe_psql('postgres',
	q{SELECT string_agg(inhrelid::regclass::text, ' ' ORDER BY inhrelid::regclass::text COLLATE "C") FROM pg_inherits
	WHERE inhparent = 'ends'::regclass}),
	'ends_2026_04 ends_after', 'and none takes its place, as it was none of the table any more');
run($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM ends');
is(run($session, "SET statement_timeout = '500ms'; ALTER TABLE ends DETACH PARTITION ends_after CONCURRENTLY;"),
	'57014', 'detaching ends_after is cancelled');
run($session, 'RESET statement_timeout');
run($reader, 'COMMIT');
is(run($session, q{SELECT iuid_create_partitions('ends', '1 month', '2026-05-01', '2026-07-01')}),
	'', 'nothing is made in the times of one without an end');
is($node->safe_psql('postgres', q{SELECT count(*) FROM ends_after}), '1', 'whose rows stay');

$_->quit for $reader, $session;
$node->stop;
done_testing();
