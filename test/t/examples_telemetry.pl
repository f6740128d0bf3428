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
	return "SELECT * FROM ingest('{north}', '{$device}', '{on}', '{NULL}', '{2026-01-10}', '{0}', '{$write_time}')";
}

my $first = $node->background_psql('postgres');
for ([ 'in time', '2026-02-08', '2026-02-10', '1|0|0|0', 'f' ], [ 'late', '2026-02-10', '2026-02-08', '0|1|0|0', 't' ])
{
	my ($name, $early, $later, $counts, $is_late) = @$_;
	my $out = '';
	is($first->query_safe('BEGIN; ' . ingest($name, $early)), $counts, "$name: the first one stores it");
	my $second = start_psql($node->connstr('postgres'), ingest($name, $later), \$out);
	ok($node->poll_query_until('postgres', 'SELECT count(*) > 0 FROM pg_locks WHERE NOT granted'),
		"$name: the second one waits");
	is($node->safe_psql('postgres', ingest("beside $name", $early)), $counts, "$name: another device does not");
	$first->query_safe('COMMIT');
	IPC::Run::finish($second);
	is($out, "0|0|1|0\n", "$name: and the second one finds it");
	is($node->safe_psql('postgres', "SELECT late FROM all_events WHERE device = '$name'"), $is_late, "$name: once");
}

# A batch waits for a device, and meanwhile its other tenant is entered.  Its event is not lost.
$first->query_safe(q{BEGIN; SELECT FROM devices WHERE device = 'late' FOR UPDATE});
my $entered = '';
my $waiting = start_psql($node->connstr('postgres'), q{SELECT * FROM ingest('{north,south}', '{late,new}',
	'{off,on}', '{NULL,NULL}', '{2026-01-11,2026-01-11}', '{0,0}', '{2026-01-11,2026-01-11}')}, \$entered);
ok($node->poll_query_until('postgres', 'SELECT count(*) > 0 FROM pg_locks WHERE NOT granted'),
	'entered: the batch waits');
$node->safe_psql('postgres', q{INSERT INTO tenants VALUES ('south', 8)});
$first->query_safe('COMMIT');
IPC::Run::finish($waiting);
is($entered, "1|0|0|1\n", 'entered: the event of the new tenant is refused');
$node->safe_psql('postgres', q{CALL retry_quarantine('2026-01-12')});
is($node->safe_psql('postgres', q{SELECT event FROM all_events WHERE tenant = 'south'}),
	'on', 'entered: and taken in later');

# A reader of the late events comes for the others while forget() is at work.
$first->query_safe("BEGIN; SELECT count(*) FROM late_events");
my $out = '';
my $forget = start_psql($node->connstr('postgres'), q{CALL forget(written_before => '2026-03-05')}, \$out);
ok($node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_locks
	WHERE relation = 'late_events'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted}),
	'forget() waits for a reader');
is($first->query_safe(q{SET statement_timeout = '10s'; SELECT count(*) FROM events}),
	'0', 'who reads the other tree, which is done');
$first->query_safe('COMMIT');
IPC::Run::finish($forget);
is($out, '', 'and then goes on');
is($node->safe_psql('postgres', 'SELECT count(*) FROM all_events'), '0', 'until nothing is left');
$first->quit;

# What is old goes into files, also when the call is killed on its way, and comes back as it was.
my $all = q{SELECT string_agg(e::text, ';' ORDER BY id) FROM all_events AS e};
$node->safe_psql('postgres', q{
	SELECT iuid_create_partitions(tree, '1 month', '2026-01-01', '2026-04-01')
		FROM unnest(ARRAY['events', 'late_events']::regclass[]) AS tree;
	SELECT ingest(array_agg(text 'north'), array_agg(text 'in time'), array_agg(E'line\n\\.\n' || n),
		array_agg(jsonb_build_object('n', n, 't', '"a,b"')),
		array_agg(at), array_agg(NULL::interval),
		array_agg(CASE WHEN n % 3 = 0 THEN at + interval '40 days' ELSE at + interval '1 minute' END))
	FROM generate_series(1, 60) AS n,
	LATERAL (SELECT timestamptz '2026-01-10' + n * interval '12 hours 1 microsecond' AS at) AS x});
my $before = $node->safe_psql('postgres', $all);
my $folder = PostgreSQL::Test::Utils::tempdir;
my @offline = ('env', 'PGHOST=' . $node->host, 'PGPORT=' . $node->port, 'PGDATABASE=postgres', 'sh',
	'examples/telemetry/offline.sh');
$node->safe_psql('postgres', "CALL set_aside('$_', '2026-03-01')") for 'events', 'late_events';
is($node->safe_psql('postgres', "SELECT iuid_detach_partitions('late_events', '2026-03-01')"),
	'', 'nothing that is old is left to detach');
my $kept = $node->safe_psql('postgres', $all);
cmp_ok(length $kept, '<', length $before, 'what is old is out of the way');
# As if it had been killed before it renamed the file.
append_to_file("$folder/events_20260101t0000z_20260201t0000z.new", 'half of');
command_ok([ @offline, 'out', $folder ], 'into files');
my @files = sort map { /([^\/]+)$/ } glob "$folder/*";
is("@files",
	join(' ', map { ("$_\_20260101t0000z_20260201t0000z.tsv", "$_\_20260201t0000z_20260301t0000z.tsv") }
		'events', 'late_events'), 'each with its bounds');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname ~ 'events_\d{8}' AND relkind = 'r'}),
	'0', 'and the tables are gone');
command_ok([ @offline, 'back', "$folder/$_", /^(late_events|events)/ ], "$_ comes back") for @files;
is($node->safe_psql('postgres', $all), $before, 'with all that was there');
is($node->safe_psql('postgres', q{
	SELECT i.* FROM (SELECT event, measurements, event_time FROM all_events ORDER BY id LIMIT 1) AS e,
		ingest('{north}', '{in time}', ARRAY[event], ARRAY[measurements], ARRAY[event_time], '{0}', '{2026-02-01}') AS i}),
	'0|0|1|0', 'and is known again');

# What was back for a while goes again.
$node->safe_psql('postgres', "CALL set_aside('$_', '2026-03-01')") for 'events', 'late_events';
is($node->safe_psql('postgres', $all), $kept, 'it is out of the way again');
my %first = map { $_ => slurp_file("$folder/$_") } @files;
command_ok([ @offline, 'out', $folder ], 'and in the same files');
is(slurp_file("$folder/$_"), $first{$_}, "$_ is as it was") for @files;

# An event that is sent again while its month is away is there twice when the month is back.  Later
# batches find it all the same, and so does a retry.  Sent are an event of a device, and one in time
# of another.
sub sent
{
	my ($device, $day, $write_time) = @_;
	return $node->safe_psql('postgres', qq{SELECT * FROM ingest('{north,north}', '{$device,beside}', '{on,on}',
		'{NULL,NULL}', '{$day,$write_time}', '{0,0}', '{$write_time,$write_time}')});
}

# Sets aside what ended before March, and puts it into files.
sub away
{
	my ($to, @trees) = @_;
	$node->safe_psql('postgres', "CALL set_aside('$_', '2026-03-01')") for @trees;
	command_ok([ @offline, 'out', $to ], "@trees: away");
}

sub make_again
{
	$node->safe_psql('postgres', "SELECT iuid_create_partitions('$_', '1 month', '2026-01-01', '2026-04-01')") for @_;
}

my $february = 'late_events_20260201t0000z_20260301t0000z';
make_again('events', 'late_events');
$folder = PostgreSQL::Test::Utils::tempdir;
is(sent('twice', '2026-01-10', '2026-02-15'), '1|1|0|0', 'late');
away($folder, 'late_events');
is(sent('twice', '2026-01-10', '2026-03-10'), '1|1|0|0', 'sent again while its month is away');
command_like([ @offline, 'back', "$folder/$february.tsv", 'late_events' ], qr/^events that are there twice: 1$/,
	'its month is back, and says so');
is(sent('twice', '2026-01-10', '2026-03-11'), '1|0|1|0', 'sent again, beside another');
$node->safe_psql('postgres', q{
	INSERT INTO quarantine (tenant, device, event, event_time, utc_offset, write_time, reason)
	SELECT 'north', device, 'on', event_time, '0', event_time, 'no partition'
	FROM (VALUES ('twice', timestamptz '2026-01-10'), ('new', '2026-03-11')) AS v(device, event_time)});
$node->safe_psql('postgres', q{CALL retry_quarantine('2026-03-12')});
is($node->safe_psql('postgres', q{SELECT count(*), (SELECT count(*) FROM all_events WHERE device = 'new')
	FROM quarantine}), '0|1', 'a retry takes all');
my ($doubles) = slurp_file('examples/telemetry/offline.sh') =~ /^#\s+(SELECT \* FROM late_events AS l .*)/m;
is($node->safe_psql('postgres', $doubles =~ s/\*/device, iuid_timestamp(written)/r),
	'twice|2026-03-10 00:00:00+00', 'the one that was written later is found');
$node->safe_psql('postgres', $doubles =~ s/SELECT \*/DELETE/r);
is($node->safe_psql('postgres', q{SELECT write_time FROM all_events WHERE device = 'twice'}),
	'2026-02-15 00:00:00+00', 'and goes');

# A month that was made again never overwrites the file that has its name.
away($folder, 'late_events');
my $file = slurp_file("$folder/$february.tsv");
make_again('late_events');
is(sent('made again', '2026-01-11', '2026-02-16'), '1|1|0|0', 'the month is made again, and has an event');
$node->safe_psql('postgres', q{CALL set_aside('late_events', '2026-03-01')});
command_fails_like([ @offline, 'out', $folder ], qr/\Q$folder\/$february.tsv\E has other rows/, 'its file is refused');
is(slurp_file("$folder/$february.tsv"), $file, 'the file is as it was');
is($node->safe_psql('postgres', "SELECT device FROM $february"), 'made again', 'and the table');
ok(! -e "$folder/$february.new", 'and nothing else');
my $other = PostgreSQL::Test::Utils::tempdir;
command_ok([ @offline, 'out', $other ], 'another folder takes it');
like(slurp_file("$other/$february.tsv"), qr/made again/, 'with its event');

# A device that was deleted meanwhile has its late events again, and they are known.
$node->safe_psql('postgres', q{DELETE FROM devices WHERE device = 'made again'});
is(sent('made again', '2026-03-15', '2026-03-15'), '2|0|0|0', 'a deleted device is there again');
command_ok([ @offline, 'back', "$other/$february.tsv", 'late_events' ], 'and its late events');
is(sent('made again', '2026-01-11', '2026-03-16'), '1|0|1|0', 'they are known');
away($other, 'late_events');
$node->safe_psql('postgres', q{DELETE FROM devices WHERE device = 'made again'});
command_ok([ @offline, 'back', "$other/$february.tsv", 'late_events' ], 'late events of a device that is not there');
is(sent('made again', '2026-01-11', '2026-03-17'), '1|0|1|0', 'they are known, too');
is($node->safe_psql('postgres', q{SELECT late_until FROM devices WHERE device = 'made again'}),
	'2026-02-17 00:00:00+00', 'and until when there are any');

# A tenant has to be there, with the country that the events have.
$node->safe_psql('postgres', q{INSERT INTO tenants VALUES ('west', 9);
	SELECT ingest('{west}', '{w}', '{on}', '{NULL}', '{2026-01-12}', '{0}', '{2026-02-17}')});
$other = PostgreSQL::Test::Utils::tempdir;
away($other, 'late_events');
for my $tenant ('', q{INSERT INTO tenants VALUES ('west', 10)}, q{INSERT INTO devices VALUES ('west', 'w', 10)})
{
	$node->safe_psql('postgres', $tenant || q{DELETE FROM devices WHERE tenant = 'west';
		DELETE FROM tenants WHERE tenant = 'west'});
	command_fails_like([ @offline, 'back', "$other/$february.tsv", 'late_events' ],
		qr/Key \(tenant, country\)=\(west, 9\) is not present in table "tenants"/, 'no tenant of the country');
	is($node->safe_psql('postgres', "SELECT to_regclass('$february')"), '', 'and nothing is back');
}
$node->safe_psql('postgres', q{DELETE FROM devices WHERE tenant = 'west';
	UPDATE tenants SET country = 9 WHERE tenant = 'west'});
command_ok([ @offline, 'back', "$other/$february.tsv", 'late_events' ], 'the tenant is there again');

# A file from before a column was added comes back, and one with any name of a column.
away($other, 'late_events');
$node->safe_psql('postgres', q{ALTER TABLE late_events ADD "Order, ""m""" int DEFAULT 5, ADD "order" text,
	ADD twice int GENERATED ALWAYS AS (microseconds * 2) STORED});
my $columns = q{SELECT device, "Order, ""m""", "order", twice FROM late_events
	WHERE event = 'on' AND written < timestamptz '2026-03-01' ORDER BY device};
command_ok([ @offline, 'back', "$other/$february.tsv", 'late_events' ], 'back after columns were added');
is($node->safe_psql('postgres', $columns =~ s{ORDER}{AND tenant = 'west' ORDER}r),
	'w|5||0', 'which have their defaults');
$node->safe_psql('postgres', q{UPDATE late_events SET "Order, ""m""" = 6, "order" = '' WHERE tenant = 'west'});
$kept = $node->safe_psql('postgres', $columns);
$other = PostgreSQL::Test::Utils::tempdir;
away($other, 'late_events');
command_ok([ @offline, 'back', "$other/$february.tsv", 'late_events' ], 'back with these columns');
is($node->safe_psql('postgres', $columns), $kept, 'which are as they were');

unlike(slurp_file($node->logfile), qr/deadlock detected/, 'no deadlock in all of this');

$node->stop;
done_testing();
