# The example trips, step by step in several sessions: a device that is registered while a call
# waits, and retention twice at once.
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
my $call = start_psql($node->connstr('postgres'), q{SELECT add_samples('{old,new}', '{2026-01-02,2026-01-02}', '{"(0,0)","(0,0)"}')}, \$out);
ok($node->poll_query_until('postgres', 'SELECT count(*) > 0 FROM pg_locks WHERE NOT granted'), 'a call waits for a device');
$node->safe_psql('postgres', q{INSERT INTO devices VALUES ('new', 7)});
$first->query_safe('COMMIT');
IPC::Run::finish($call);
is($out, "ERROR:  23503\n", 'a device that is registered meanwhile is not registered yet');
is($node->safe_psql('postgres', 'SELECT count(*) FROM samples'), '0', 'and nothing changes');

# A reader holds up both calls, which have found the same month.
$node->safe_psql('postgres', q{SELECT add_samples('{old}', '{2026-01-02}', '{"(0,0)"}')});
$first->query_safe('BEGIN; SELECT count(*) FROM samples');
my $waiting = q{FROM pg_locks WHERE relation = 'samples'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted};
my @outs = ('', '');
my $one = start_psql($node->connstr('postgres'), q{CALL forget_trips('2026-02-01')}, \$outs[0]);
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 $waiting"), 'forget_trips() waits for a reader');
my $other = start_psql($node->connstr('postgres'), q{CALL forget_trips('2026-02-01')}, \$outs[1]);
ok($node->poll_query_until('postgres', "SELECT count(*) = 2 $waiting"), 'and so does another one');
$first->query_safe('COMMIT');
IPC::Run::finish($_) for $one, $other;
is($outs[$_], '', 'and neither fails') for 0, 1;
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_inherits WHERE inhparent = 'samples'::regclass}), '0', 'the month is gone');
$first->quit;

$node->stop;
done_testing();
