# A country moves (tools/iuid), and a node is restored, fails over or loses its slot
# meanwhile.  No confirmed row is lost: before the switch the rows of both nodes are compared, and where
# the nodes contradict each other nothing is dropped.  The oracle is what almaty has confirmed.
#
# One version is enough: what differs between versions is who may subscribe.
use strict;
use warnings;

use lib 'test/t';
use Moves;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my %node = start_nodes_of_move();

sub base_backup
{
	my $name = shift;
	system_or_bail('pg_basebackup', '-D', "$copies/$name", '-c', 'fast',
		'-d', $node{$name}->connstr('postgres') . ' user=postgres');
	return;
}

# The new node is restored from WHAT, which is made after the copy, and has not what came then.
sub restored_new_node
{
	my ($what, $make, $restore, $why) = @_;
	done('copy', "$what: copy");
	$make->();
	write_rows('almaty', $what);
	arrives($what);
	my $confirmed = at('almaty', $rows);
	$restore->();
	subscribes_again();
	my $out = move('switch');
	like($out, qr/^failed: .*$why/s, "$what: the switch says why not");
	is(at('almaty', $rows), $confirmed, "$what: the old node has all rows");
	is(at('almaty', q{INSERT INTO orders (id, customer, note) VALUES (gen_iuid(235, 1), 1, 'after') RETURNING note}),
		'after', "$what: and takes writes");
	done('abort', "$what: abort");
	at_machine('jakarta', q{DROP TABLE IF EXISTS orders_c235_copy});
	return;
}

my $missed = qr/differ between almaty and jakarta/;
restored_new_node('cold copy', sub { copy_disk('jakarta') }, sub { restore_disk('jakarta') }, $missed);
restored_new_node('base backup', sub { base_backup('jakarta') }, sub { restore_disk('jakarta') }, $missed);
restored_new_node('standby', sub { base_backup('jakarta') }, sub { restore_disk('jakarta', as_standby => 1) },
	qr/jakarta is behind.*was promoted/);
restored_new_node(
	'dump',
	sub {
		system_or_bail('pg_dump', '-Fc', '-f', "$copies/dump",
			'-d', $node{jakarta}->connstr('shop') . ' user=postgres');
	},
	sub {
		at_machine('jakarta', qq{ALTER SUBSCRIPTION $_ DISABLE; ALTER SUBSCRIPTION $_ SET (slot_name = NONE);
			DROP SUBSCRIPTION $_}) for 'moving_c235', 'registry_jakarta';
		$node{jakarta}->safe_psql('postgres', 'DROP DATABASE shop WITH (FORCE)');
		system_or_bail('pg_restore', '-C', '-d', $node{jakarta}->connstr('postgres') . ' user=postgres', "$copies/dump");
		at_machine('jakarta', qq{ALTER SUBSCRIPTION $_ ENABLE;
			ALTER SUBSCRIPTION $_ REFRESH PUBLICATION WITH (copy_data = false)}) for 'moving_c235', 'registry_jakarta';
	}, $missed);

# An older copy, of before a comparison, has a smaller number.
done('copy');
copy_disk('jakarta');
done('copy', 'copy again compares again');
restore_disk('jakarta');
subscribes_again();
like(move('switch'), qr/^failed: .*jakarta is behind.*has forgotten a comparison/s, 'a copy of before a comparison');
like(move('plan'), qr/jakarta is behind.*Abort keeps the rows of the copy/s, 'plan says so, too');
done('abort');
is(at('jakarta', q{SELECT count(*) > 900 FROM orders_c235_copy}), 't', 'abort keeps the rows of the copy');
at_machine('jakarta', 'DROP TABLE orders_c235_copy');

# A node that is down is not behind.
done('copy');
$node{jakarta}->stop;
my $said = move('plan');
like($said, qr/jakarta: does not answer/, 'plan says which node is down');
unlike($said, qr/is behind/, 'and not that a node is behind');
$node{jakarta}->start;
subscribes_again();

# A policy of the new node that would hide a row from its owner.
at('jakarta', q{ALTER TABLE orders_c235 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
	CREATE POLICY few ON orders_c235 USING (note <> 'old')});
like(move('switch'), qr/^failed: .*row security of "public"."orders_c235" at jakarta holds for its owner/s,
	'rows that the owner does not see');
like(move('copy'), qr/^failed: .*affected by row-level security/s, 'no comparison is blind for them');
at('jakarta', q{DROP POLICY few ON orders_c235;
	ALTER TABLE orders_c235 DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY});

# An abort that was killed when the subscription was gone.
at_machine('jakarta', $_) for 'ALTER SUBSCRIPTION moving_c235 DISABLE',
	'ALTER SUBSCRIPTION moving_c235 SET (slot_name = NONE)', 'DROP SUBSCRIPTION moving_c235';
like(move('copy'), qr/^failed: .*has rows of a copy that was ended: abort, and copy again/s,
	'rows are not copied twice');
done('abort');

# A row of the copy is changed by hand: nothing but a comparison can see that.
done('copy');
at_machine('jakarta', q{SET session_replication_role = replica;
	UPDATE orders_c235 SET note = 'forged' WHERE id = (SELECT min(id) FROM orders_c235)});
$node{jakarta}->stop('immediate');
$node{jakarta}->start;
subscribes_again();
like(move('switch'), qr/^failed: .*1 rows of .* differ/s, 'all rows are compared again after a crash');
done('abort');

# The old node fails over to a standby that has no slot.
done('copy');
at_machine('jakarta', 'ALTER SUBSCRIPTION moving_c235 DISABLE');
$node{almaty}->poll_query_until('shop',
	q{SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'moving_c235'}) or die;
like(move('switch'), qr/^failed: .*is disabled/s, 'a subscription that is disabled');
at_machine('almaty', q{SELECT pg_drop_replication_slot('moving_c235')});
at_machine('jakarta', 'ALTER SUBSCRIPTION moving_c235 ENABLE');
like(move($_), qr/^failed: .*the slot moving_c235 is not at almaty/s, "$_ without the slot") for 'copy', 'switch';
done('abort', 'abort without the slot');
is(at_machine('almaty', q{SELECT count(*) FROM pg_namespace WHERE nspname ~ '^moving'})
	. at_machine('jakarta', q{SELECT count(*) FROM pg_class WHERE relname ~ '^orders_c235'}), '00', 'nothing is left');

# What keeps the tables, or would not see the rows, is named before writes are refused.
done('copy');
for my $case (
	[ 'almaty', 'BEGIN; SET LOCAL ROLE desk; SELECT count(*) FROM orders',
		qr/at almaty has used the tables for 5 s or longer: process \d+ \(report\)/ ],
	[ 'jakarta', 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM iuid_nodes',
		qr/at jakarta would not see the rows, and is open for 5 s or longer: process \d+ \(report\)/ ],
	[ 'almaty', q{BEGIN; INSERT INTO orders VALUES (gen_iuid(235, 1), 1, 'prepared'); PREPARE TRANSACTION 'gid one'},
		qr/the prepared transaction 'gid one'/ ])
{
	my ($where, $begin, $named) = @$case;
	my $session = $node{$where}->background_psql('shop', on_error_stop => 0);
	$session->query("SET application_name = report; $begin");
	my $out = move('switch');
	like($out, qr/^failed: .*$named/s, "the switch says who is in the way at $where");
	unlike($out, qr/Refuses writes/, 'and has not begun');
	$session->quit;
}
at_machine('almaty', q{ROLLBACK PREPARED 'gid one'});
done('abort');

# A transaction that has a snapshot of the new node from before the rows are all there would miss some of them.
done('copy');
my $session = $node{jakarta}->background_psql('shop', on_error_stop => 0);
my $switch = switch_and(\my $out, sub {
	$session->query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM iuid_nodes');
}, '--limit', 5);
ok(!$switch->finish, 'the switch waits for an old snapshot');
like($out, qr/this took too long: transactions that would not see the rows have ended. The country is where it was/,
	'and goes back');
$session->quit;

# A switch that is interrupted by hand while it waits for the route goes back.
my $holder = $node{mexico}->background_psql('shop', on_error_stop => 0);
$holder->query(q{BEGIN; SELECT FROM iuid_routes WHERE country = 235 FOR UPDATE});
$switch = start_move(\my $interrupted, 'switch', '--limit', 60);
says($switch, \$interrupted, qr/UPDATE public.iuid_routes/);
$switch->signal('INT');
$holder->query('ROLLBACK');
$holder->quit;
ok(!$switch->finish, 'a switch that is interrupted');
like($interrupted, qr/it was interrupted. The country is where it was/, 'says what is left');
is(at('almaty', q{INSERT INTO orders (id, customer, note) VALUES (gen_iuid(235, 1), 1, 'after') RETURNING note}),
	'after', 'and the country is written');
done('abort');

# The new node crashes: it has lost nothing, and after all rows were compared the switch goes on.
done('copy');
write_rows('almaty', 'before a crash');
$node{jakarta}->stop('immediate');
write_rows('almaty', 'in a crash');
$node{jakarta}->start;
subscribes_again();
copy_disk('almaty');
subscribes_again();
my $confirmed = at('almaty', $rows);
# A row that is not as it was copied, and that the new node has noted before it had the country.
at_machine('jakarta',
	q{INSERT INTO moving_c235.changes (number, key) SELECT 0, id FROM orders_c235 WHERE customer = 500 AND note = 'old'});
like(move('switch'), qr/^done: .*All rows are the same/s, 'switch after a crash');
is(at('jakarta', $rows), $confirmed, 'all rows have moved');
write_rows('jakarta', 'moved');
$confirmed = at('jakarta', $rows);

# The old node is restored from a backup of before the switch.
restore_disk('almaty');
like(move('plan'), qr/almaty is behind.*has the country, whose writes jakarta takes since/s,
	'plan says which node is behind');
like(move('abort'), qr/^failed: .*Nothing is dropped/s, 'nothing of the new node is dropped');
like(move('finish'), qr/^failed: /, 'nor of the old one');
is(at('jakarta', $rows), $confirmed, 'the rows are there');
like(move('switch'), qr/^failed: .*The registry of almaty is behind, too/s, 'its registry comes first');
registry_again('almaty');
# A row that only the old node has, as it took writes again, keeps it from that.
my $strayed = at('almaty', q{INSERT INTO orders VALUES (gen_iuid(235, 1), 1, 'strayed') RETURNING id});
like(move('switch'), qr/^failed: .*1 rows of .* differ.*Nothing is dropped/s, 'a row that only the old node has');
at('jakarta', "INSERT INTO orders VALUES ('$strayed', 1, 'strayed')");
$confirmed = at('jakarta', $rows);
done('switch', 'the old node gives the country up again');
is(at('jakarta', $rows), $confirmed, 'with all rows');
is(at('almaty', q{SELECT count(*) FROM orders_global WHERE iuid_is_from(id, 235) AND note = 'moved'}),
	at('jakarta', q{SELECT count(*) FROM orders WHERE note = 'moved'}), 'and the old node looks for them at the new one');

# The new node loses what it had: the rows of the old node are all that is left.
at_machine('jakarta', q{SET session_replication_role = replica;
	ALTER TABLE orders_c235 DISABLE TRIGGER ALL; DELETE FROM orders_c235 WHERE note = 'old' AND customer = 500;
	ALTER TABLE orders_c235 ENABLE ALWAYS TRIGGER moving_c235_note});
like(move('finish'), qr/^failed: .*1 rows of .* differ/s, 'finish keeps what the new node has not');
my $lost = at('almaty', q{SELECT id FROM orders_c235_moved WHERE customer = 500 AND note = 'old'});
at('jakarta', "INSERT INTO orders VALUES ('$lost', 500, 'old')");
copy_disk('almaty');
done('finish');
is(at('jakarta', $rows), $confirmed, 'all rows are there after finish');
done('finish', 'finish of a finished move');

# The old node is restored from a backup of before that.
restore_disk('almaty');
like(move('plan'), qr/almaty keeps a move of which jakarta, which has the country, knows nothing.*Nothing is dropped/s,
	'plan says that the nodes contradict each other');
like(move($_), qr/^failed: .*Nothing is dropped/s, "$_ drops nothing") for 'copy', 'switch', 'abort', 'finish';
is(at('jakarta', $rows), $confirmed, 'all rows are there');
registry_again('almaty');
at_machine('almaty', q{DROP TABLE orders_c235_moved; DROP VIEW orders_c235_e1; DROP SCHEMA moving_c235 CASCADE;
	DROP PUBLICATION IF EXISTS moving_c235});

# The country moves back, and the new node is restored from a backup of before the copy.
move_back();
copy_disk('almaty');
done('copy', 'copy back');
done('switch', 'switch back');
restore_disk('almaty');
registry_again('almaty');
like(move('plan'), qr/almaty knows nothing of the move, and has not the country.*Nothing is dropped: doc/s,
	'plan says that the new node has forgotten');
like(move($_), qr/^failed: .*Nothing is dropped/s, "$_ drops nothing") for 'copy', 'switch';
like(move('finish'), qr/^failed: /, 'nor does finish');
at('almaty', $_) for q{SELECT iuid_create_routed_partitions('orders', 1)},
	q{SELECT iuid_create_global_table('orders_global', 'orders', 1)};
at('jakarta', q{INSERT INTO orders_global SELECT * FROM orders_c235_moved WHERE customer <> 500});
like(move('finish'), qr/^failed: .*[0-9]+ rows of .*orders_c235_moved" at jakarta are not so at almaty/s,
	'finish keeps rows that have not come');
at('jakarta', q{INSERT INTO orders_global SELECT * FROM orders_c235_moved WHERE customer = 500});
at('almaty', q{INSERT INTO orders VALUES (gen_iuid(235, 1), 9, 'newer')});
done('finish', 'finish with all rows');
at('almaty', q{DELETE FROM orders WHERE note = 'newer'});
is(at('almaty', $rows), $confirmed, 'all rows are there');

# What is emptied at the new node after the switch has been there.
move_back();
done($_, "$_ once more") for 'copy', 'switch';
at('jakarta', 'TRUNCATE orders_c235');
done('finish', 'finish after TRUNCATE');

$_->stop for values %node;
done_testing();
