# The command that moves a country is frozen in the switch, with all its sessions: the refusal of writes
# ends by itself, the next operator takes over, and what was frozen changes nothing when it goes on.  The
# oracle is what almaty has confirmed, and the catalogs.
#
# One version is enough: what differs between versions is who may subscribe.
use strict;
use warnings;

use lib 'test/t';
use JSON::PP;
use Moves;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;
use Time::HiRes qw(time sleep);

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my %node = start_nodes_of_move();
my $insert = q{INSERT INTO orders SELECT gen_iuid(235, 1), 1, '%s'};

like(status(), qr/country 235 is at almaty.*It does not move/s, 'status of a country that does not move');

# --- Before the new node has the country ----------------------------------------

done('copy');
write_rows('almaty', 'before');
my $old_snapshot = $node{almaty}->background_psql('shop', on_error_stop => 0);
my $frozen = switch_and(\my $said, sub {
	sleep 1;
	$old_snapshot->query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM iuid_nodes');
});
# The worker goes on, and the command does not.
my $begin = time;
$frozen->signal('STOP');
like((attempt('almaty', sprintf $insert, 'refused'))[2], qr/these rows are moving to another node/,
	'writes are refused');
my $refuses = qr/writes are refused since .* by process \d+ of shop, which is there, until /s;
like(status(), qr/almaty:.*$refuses.*command: moving_c235 \d+ \S+ from/s,
	'status says who refuses them, and until when');
my ($code, $out) = status_of('abort', '--take-over');
is($code, 4, 'a command is not taken over at once');
like($out, qr/gave a sign of life \d+ s ago/, 'but when it has given no sign of life for some time');
sleep 16 - (time - $begin) if time - $begin < 16;
is_deeply([ (status_of('switch'))[0] ], [4], 'nor without a word');
my $found = decode_json(status('--json'));
is_deeply([ $found->{move}{old}, $found->{move}{new}, $found->{nodes}{almaty}{phase} ],
	[ 'almaty', 'jakarta', 'serving' ], 'status for a machine');
cmp_ok($found->{nodes}{almaty}{commands}[0]{silent}, '>=', 15, 'the command is silent');
($code, $out) = status_of('abort', '--take-over');
is($code, 0, 'it is taken over then');
like($out, qr/Takes over from process \d+ of shop \(moving_c235 \d+ \S+\).*without a sign of life for \d+ s/,
	'and is named');
is(at('almaty', sprintf("$insert RETURNING note", 'after')), 'after', 'writes are taken again');
my $before = state_of_all();
$frozen->signal('CONT');
ok(!$frozen->finish, 'what was frozen fails');
note $said;
like($said, qr/another command has taken this move over|does not answer/, 'and says why');
is(state_of_all(), $before, 'and has changed nothing');
$old_snapshot->quit;

# --- When the route leads to the new node already -------------------------------

# Somebody reads the tables of the old node, so it cannot give the country up.
done('copy', 'copy once more');
my $early = $node{almaty}->background_psql('shop', on_error_stop => 0);
my $reader = $node{almaty}->background_psql('shop', on_error_stop => 0);
$frozen = switch_and(\$said, sub {
	$early->query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM iuid_nodes');
	$reader->query('BEGIN; LOCK TABLE orders_global IN ACCESS SHARE MODE') }, '--limit', 300);
says($frozen, \$said, qr/almaty +-- The tables are in use: once more/);
$begin = time;
$frozen->signal('STOP');
$reader->query('ROLLBACK');
$reader->quit;
$early->query(sprintf $insert, 'of an old snapshot');
like($early->{stderr}, qr/these rows are moving to another node/,
	'a transaction with an older snapshot is refused, too');
$early->quit;
is(at_machine('mexico', 'SELECT iuid_node(235, 1)'), 'jakarta', 'the route leads to the new node');
my $ended;
until (time > $begin + 70)
{
	my ($status) = attempt('almaty', sprintf $insert, 'after the refusal');
	$ended = time, last if $status == 0;
	sleep 1;
}
ok(defined $ended && $ended - $begin > 20, 'the refusal ends by itself within a minute');
note sprintf 'after %.0f s', ($ended // time) - $begin;
my $confirmed = at('almaty', $rows);
my $ended_itself = qr/almaty:.*writes are refused .*, until it ended by itself at /s;
like(status(), qr/The registry leads to jakarta, and almaty takes writes.*$ended_itself/s,
	'status says that the refusal has ended');
$frozen->signal('CONT');
ok(!$frozen->finish, 'what was frozen fails');
note $said;
is(at('almaty', $rows), $confirmed, 'the old node has all rows');
like(move('switch'), qr/^done: /, 'the switch, started again');
is(at('jakarta', $rows), $confirmed, 'all rows have moved');
done('finish');

# --- The next operator goes on with the switch -----------------------------------

# What was frozen goes on while the other command works, after each of its statements in turn.
for my $label ('Refuses writes', 'ATTACH PARTITION', 'UPDATE public.iuid_routes', 'DROP SUBSCRIPTION')
{
	move_back();
	my ($old, $new) = at_machine('mexico', 'SELECT iuid_node(235, 1)') eq 'jakarta' ? ('jakarta', 'almaty')
		: ('almaty', 'jakarta');
	done('copy', "$label: copy");
	write_rows($old, $label);
	my $confirmed = at($old, $rows);
	my $frozen = switch_and(\my $said, sub { 1 });
	$frozen->signal('STOP');
	sleep 16;
	my $next = start_move(\my $out, 'switch', '--take-over');
	says($next, \$out, qr/$label/);
	$frozen->signal('CONT');
	$frozen->finish;
	unlike($said, qr/\bTraceback\b/, "$label: what was frozen ends in order");
	ok($next->finish, "$label: the other command goes on") or diag $out;
	done('finish', "$label: finish");
	is(at($new, $rows), $confirmed, "$label: all rows have moved");
	is(at($old, 'SELECT count(*) FROM orders WHERE iuid_is_from(id, 235)'), 0, "$label: and are nowhere else");
}

# --- A row that came although writes were refused --------------------------------

# As where a clock leaps: the old node proves under its locks that nobody wrote.
move_back();
done('copy', 'copy back');
$reader = $node{jakarta}->background_psql('shop', on_error_stop => 0);
my $switch = switch_and(\$said, sub { $reader->query('BEGIN; LOCK TABLE orders_global IN ACCESS SHARE MODE') },
	'--limit', 20);
says($switch, \$said, qr/jakarta +-- The tables are in use: once more/);
my $function = at_machine('jakarta', q{SELECT pg_get_functiondef('moving_c235.refuse'::regproc)});
at_machine('jakarta', $function =~ s/IF .*? THEN/IF false THEN/sr);
at('jakarta', sprintf $insert, 'in spite of it');
at_machine('jakarta', $function);
$confirmed = at('jakarta', $rows);
$reader->query('ROLLBACK');
$reader->quit;
ok(!$switch->finish, 'the switch goes back');
like($said, qr/the time is over for which writes were refused.*The country is where it was/s, 'and says why');
is(at('jakarta', $rows), $confirmed, 'the row is there');
done($_) for 'switch', 'finish';
is(at('almaty', $rows), $confirmed, 'and moves');

is((status_of('plan', '--nonsense'))[0], 2, 'an option that is none');

# --- Frozen while the country is copied anew --------------------------------------

# As many commands have begun on the new copy as on the old one.
move_back();
done('copy', 'copy to be frozen');
$frozen = switch_and(\$said, sub { 1 }, '--limit', 600);
$frozen->signal('STOP');
sleep 16;
is((status_of('abort', '--take-over'))[0], 0, 'the next operator undoes the move');
done('copy', 'and copies anew') for 1 .. 2;
$before = state_of_all();
$frozen->signal('CONT');
ok(!$frozen->finish, 'what was frozen in the old copy fails');
like($said, qr/another command has taken this move over|does not answer/, 'and knows that it is another one');
is(state_of_all(), $before, 'and has changed nothing');

# --- A session is lost while the rows are compared ----------------------------------

my $worker = at_machine('jakarta', q{SELECT pid FROM pg_stat_subscription WHERE subname = 'moving_c235'});
kill 'STOP', $worker;
at('almaty', sprintf $insert, 'to be waited for');
my $copy = start_move(\$said, 'copy');
$node{almaty}->poll_query_until('shop', q{SELECT count(*) = 1 FROM pg_stat_activity
	WHERE application_name ~ '^moving_c235' AND state = 'idle in transaction'}) or die;
at_machine('almaty', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE application_name ~ '^moving_c235' AND state = 'idle in transaction'});
sleep 6;
kill 'CONT', $worker;
$copy->finish;
is($copy->full_result >> 8, 3, 'what was begun in a session that is lost does not go on in another one') or diag $said;
done('abort');

# --- Frozen while it waits to subscribe ---------------------------------------------

my $writer = $node{almaty}->background_psql('shop');
$writer->query('BEGIN; SELECT pg_current_xact_id()');
$copy = start_move(\$said, 'copy', '--patience', 300);
says($copy, \$said, qr/CREATE SUBSCRIPTION/);
$node{almaty}->poll_query_until('shop',
	q{SELECT count(*) = 1 FROM pg_replication_slots WHERE slot_name = 'moving_c235'}) or die;
$copy->signal('STOP');
sleep 16;
# The old server makes the slot until the writer has ended, and does not look who waits for it.
like((status_of('abort', '--take-over'))[1], qr/the slot moving_c235 is still in use/, 'it is undone up to the slot');
$writer->query('COMMIT');
$writer->quit;
$copy->signal('CONT');
ok(!$copy->finish, 'what was frozen fails');
done('abort', 'and then to the end');
is(at_machine('almaty', q{SELECT count(*) FROM pg_replication_slots WHERE slot_name ~ 'moving'})
	+ at_machine('jakarta', q{SELECT count(*) FROM pg_subscription WHERE subname ~ 'moving'}), 0, 'and nothing is left');

$_->stop for values %node;
done_testing();
