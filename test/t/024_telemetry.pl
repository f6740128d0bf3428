# The example telemetry, step by step in several sessions: one event on both sides of its deadline,
# and forget() beside who reads both trees.
#
# One version is enough: examples are SQL, and what they use has tests of its own.
use strict;
use warnings;

use IPC::Run;
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
$node->safe_psql('postgres', slurp_file("examples/telemetry/$_.sql")) for qw(schema ingest questions retention);
$node->safe_psql('postgres', q{
	SELECT iuid_create_partitions('events', '1 month', '2026-01-01', '2026-04-01');
	SELECT iuid_create_partitions('late_events', '1 month', '2026-01-01', '2026-04-01');
	INSERT INTO tenants VALUES ('north', 7);
	INSERT INTO devices VALUES ('north', 'in time', 7), ('north', 'late', 7)});

# One event of 10 January, its deadline is 9 February.
sub ingest
{
	my ($device, $write_time) = @_;
	return "SELECT * FROM ingest('{north}', '{$device}', '{on}', '{2026-01-10}', '{0}', '{$write_time}')";
}

my $first = $node->background_psql('postgres');
for ([ 'in time', '2026-02-08', '2026-02-10', '1|0|0|0', 'f' ], [ 'late', '2026-02-10', '2026-02-08', '0|1|0|0', 't' ])
{
	my ($name, $early, $later, $counts, $is_late) = @$_;
	my $out = '';
	is($first->query_safe('BEGIN; ' . ingest($name, $early)), $counts, "$name: the first one stores it");
	my $second = start_psql($node->connstr('postgres'), ingest($name, $later), \$out);
	ok($node->poll_query_until('postgres', 'SELECT count(*) > 0 FROM pg_locks WHERE NOT granted'), "$name: the second one waits");
	is($node->safe_psql('postgres', ingest("beside $name", $early)), $counts, "$name: another device does not");
	$first->query_safe('COMMIT');
	IPC::Run::finish($second);
	is($out, "0|0|1|0\n", "$name: and the second one finds it");
	is($node->safe_psql('postgres', "SELECT late FROM all_events WHERE device = '$name'"), $is_late, "$name: once");
}

# A batch waits for a device, and meanwhile its other tenant is entered.  Its event is not lost.
$first->query_safe(q{BEGIN; SELECT FROM devices WHERE device = 'late' FOR UPDATE});
my $entered = '';
my $waiting = start_psql($node->connstr('postgres'), q{SELECT * FROM ingest('{north,south}', '{late,new}', '{off,on}', '{2026-01-11,2026-01-11}', '{0,0}', '{2026-01-11,2026-01-11}')}, \$entered);
ok($node->poll_query_until('postgres', 'SELECT count(*) > 0 FROM pg_locks WHERE NOT granted'), 'entered: the batch waits');
$node->safe_psql('postgres', q{INSERT INTO tenants VALUES ('south', 8)});
$first->query_safe('COMMIT');
IPC::Run::finish($waiting);
is($entered, "1|0|0|1\n", 'entered: the event of the new tenant is refused');
$node->safe_psql('postgres', q{CALL retry_quarantine('2026-01-12')});
is($node->safe_psql('postgres', q{SELECT event FROM all_events WHERE tenant = 'south'}), 'on', 'entered: and taken in later');

# A reader of the late events comes for the others while forget() is at work.
$first->query_safe("BEGIN; SELECT count(*) FROM late_events");
my $out = '';
my $forget = start_psql($node->connstr('postgres'), q{CALL forget(written_before => '2026-03-05')}, \$out);
ok($node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_locks
	WHERE relation = 'late_events'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted}), 'forget() waits for a reader');
is($first->query_safe(q{SET statement_timeout = '10s'; SELECT count(*) FROM events}), '0', 'who reads the other tree, which is done');
$first->query_safe('COMMIT');
IPC::Run::finish($forget);
is($out, '', 'and then goes on');
is($node->safe_psql('postgres', 'SELECT count(*) FROM all_events'), '0', 'until nothing is left');
$first->quit;

unlike(slurp_file($node->logfile), qr/deadlock detected/, 'no deadlock in all of this');

$node->stop;
done_testing();
