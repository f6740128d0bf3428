# The example trips, step by step in several sessions: a device that is registered while a call
# waits, and retention twice at once.
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
$node->safe_psql('postgres', slurp_file("examples/trips/$_.sql")) for qw(schema retention);
$node->safe_psql('postgres', q{SELECT make_months('2026-01-01', '2026-02-01'); INSERT INTO devices VALUES ('old', 7)});

# The call does not have the lock of the new device, so it must not take samples of it.
my $first = $node->background_psql('postgres');
$first->query_safe(q{BEGIN; SELECT FROM devices FOR UPDATE});
my $out = '';
my $call = start_psql($node->connstr('postgres'),
	q{SELECT add_samples('{old,new}', '{2026-01-02,2026-01-02}', '{"(0,0)","(0,0)"}')}, \$out);
ok($node->poll_query_until('postgres', 'SELECT count(*) > 0 FROM pg_locks WHERE NOT granted'),
	'a call waits for a device');
$node->safe_psql('postgres', q{INSERT INTO devices VALUES ('new', 7)});
$first->query_safe('COMMIT');
IPC::Run::finish($call);
is($out, "ERROR:  23503\n", 'a device that is registered meanwhile is not registered yet');
is($node->safe_psql('postgres', 'SELECT count(*) FROM samples'), '0', 'and nothing changes');

# A reader holds up both calls, which have found the same month.
$node->safe_psql('postgres', q{SELECT add_samples('{old}', '{2026-01-02}', '{"(0,0)"}')});
$first->query_safe('BEGIN; SELECT count(*) FROM samples');
my @outs = ('', '');
my @calls;
for (0, 1)
{
	push @calls, start_psql($node->connstr('postgres') . " application_name=call$_",
		q{CALL forget_trips('2026-02-01')}, \$outs[$_]);
	# Each waits a tenth of a second at a time, so the two need not be seen waiting at one moment.
	ok($node->poll_query_until('postgres',
		qq{SELECT count(*) = 1 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE relation = 'samples'::regclass
		AND mode = 'AccessExclusiveLock' AND NOT granted AND application_name = 'call$_'}),
		"forget_trips() waits for a reader, call $_");
}
$first->query_safe('COMMIT');
IPC::Run::finish($_) for @calls;
is($outs[$_], '', 'and neither fails') for 0, 1;
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_inherits WHERE inhparent = 'samples'::regclass}),
	'0', 'the month is gone');
$first->quit;

$node->stop;
done_testing();
