# A node is restored from a backup, clients reach it too early, and countries have moved from and to it
# since: iuid node restored.  Nothing confirmed is lost but what the backup lacks, and that is named.
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
my @names = sort keys %node;
my $of = sub {
	my $country = shift;
	return qq{SELECT count(*), md5(string_agg(id::text || customer || note, ' ' ORDER BY id)) FROM %s
		WHERE iuid_is_from(id, $country)};
};
sub rows_at { my ($name, $country, $table) = @_; return at($name, sprintf $of->($country), $table // 'orders') }

sub iuid
{
	my $done = IPC::Run::run([ '/usr/bin/python3', 'tools/iuid', @_ ], '>', \my $out, '2>&1');
	note $out;
	return ($done ? 'done: ' : 'failed: ') . $out;
}

sub moves
{
	my ($command, $country, $old, $new) = @_;
	like(iuid('move', $command, $country, $old, $new,
		'--trust-owners', '--subscribe-as', $node{$new}->connstr('shop') . ' user=postgres'),
		qr/^done: /, "$command $country from $old to $new");
	return;
}

# The server of almaty, for nobody but who is on its machine.
my $private = PostgreSQL::Test::Utils::tempdir_short;
my ($data, $port) = ($node{almaty}->data_dir, $node{almaty}->port);
my $machine = "host=$private port=$port dbname=shop user=postgres";
my $restart = "$private/restart";
append_to_file($restart,
	"#!/bin/sh\nset -e\npg_ctl -D '$data' -m fast -w stop\npg_ctl -D '$data' -l '$data/../again.log' -w start\n");
chmod 0755, $restart;

sub start_closed
{
	system_or_bail('pg_ctl', '-D', $data, '-l', "$data/../closed.log",
		'-w', '-o', "-c listen_addresses='' -c unix_socket_directories='$private'", 'start');
	return;
}

sub restored { return iuid('node', 'restored', 'almaty', '--machine', $machine, @_) }

# --- What happens after the backup --------------------------------------------

at('jakarta', q{INSERT INTO orders SELECT gen_iuid(101, 1, now() - n * interval '1 hour'), n, 'old'
	FROM generate_series(1, 500) AS n});
at('almaty', q{INSERT INTO orders SELECT gen_iuid(125, 1, now() - n * interval '1 hour'), n, 'old'
	FROM generate_series(1, 500) AS n});
copy_disk('almaty');
$node{almaty}->poll_query_until('shop', 'SELECT pid IS NOT NULL FROM pg_stat_subscription') or die;
my $stays = rows_at('almaty', 125);
moves($_, 235, 'almaty', 'jakarta') for 'copy', 'switch', 'finish';
at('jakarta', q{UPDATE orders SET note = 'changed' WHERE iuid_is_from(id, 235) AND customer <= 10});
moves($_, 101, 'jakarta', 'almaty') for 'copy', 'switch';
my $switched = at('jakarta', sprintf $of->(101), 'orders_c101_moved');
at('almaty', q{INSERT INTO orders VALUES (gen_iuid(101, 1), 1, 'since the switch')});
at_machine('mexico', q{DELETE FROM iuid_entities WHERE entity = 2;
	UPDATE iuid_countries SET name = 'Renamed' WHERE code = 'KZ';
	UPDATE iuid_entities SET name = 'Ride' WHERE entity = 1});
my $moved = rows_at('jakarta', 235);

# The clients of almaty are too early.
restore_disk('almaty');
at('almaty', q{INSERT INTO orders SELECT gen_iuid(235, 1), n, 'too early' FROM generate_series(1, 11) AS n;
	UPDATE orders SET note = 'changed too early' WHERE iuid_is_from(id, 235) AND customer = 999});
like(iuid('node', 'restored', 'almaty', '--machine', $node{almaty}->connstr('shop') . ' user=postgres'),
	qr/^failed: .*can be reached.*pg_ctl -D/s, 'a node that can be reached');
$node{almaty}->stop('fast');
start_closed();
like(iuid('node', 'restored', 'jakarta', '--machine', $machine), qr/^failed: .*leads to almaty, and not to jakarta/s,
	'another node');

# --- The command is killed, and started again ---------------------------------------

system_or_bail('pg_ctl', '-D', $data, '-m', 'fast', '-w', 'stop');
system_or_bail('cp', '-a', $data, "$private/copy");
start_closed();

sub copy_again
{
	system_or_bail('pg_ctl', '-D', $data, '-m', 'fast', '-w', 'stop');
	system_or_bail('rm', '-rf', $data);
	system_or_bail('cp', '-a', "$private/copy", $data);
	at_machine('mexico', q{UPDATE iuid_routes SET node = 'almaty' WHERE country = 101});
	start_closed();
	return;
}

for my $label ('DISABLE', 'pg_create_logical_replication_slot', 'CREATE SUBSCRIPTION', 'DETACH', 'SET node = NULL')
{
	my $command = IPC::Run::start([ '/usr/bin/python3', 'tools/iuid', 'node', 'restored', 'almaty',
		'--machine', $machine ], '>', \my $out, '2>&1', IPC::Run::timeout(120));
	says($command, \$out, qr/$label/);
	select undef, undef, undef, rand 0.02;
	$command->kill_kill(grace => 0);
	like(restored(), qr/^done: /, "killed at $label, and started again");
	is(at_machine('mexico', q{SELECT count(*) FROM iuid_routes WHERE node IS NULL}), 1, 'one country is nowhere');
	my $kept = '"orders_c235_restored" keeps 1,011 rows. jakarta has not, or has otherwise, 22 of them';
	like(restored(),
		qr/^done: almaty +SELECT public.iuid_create_global_table[^\n]*\nalmaty has the registry.*$kept/s,
		'and then it says again what is left');
	copy_again();
}
# One of its tables lost a country, and the other one did not.
system_or_bail('psql', '-X', '-d', $machine, '-c', q{SET ROLE shop;
	CREATE TABLE bills (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
	SELECT iuid_create_global_table('bills_global', 'bills', 3)});
like(restored(), qr/country 125 has no partition in "public"."bills": its rows there are lost/, 'a table without rows');
is(at_machine('mexico', 'SELECT iuid_node(125, 1)'), 'almaty', 'and the country stays, for those of the other table');
copy_again();

# --- The command -----------------------------------------------------------------

my $before = at_machine('mexico', 'SELECT count(*) FROM iuid_routes WHERE node IS NULL');
like(restored('--dry-run'), qr/^done: .*TRUNCATE public\.iuid_countries.*CREATE SUBSCRIPTION/s, 'what would be done');
is(at_machine('mexico', 'SELECT count(*) FROM iuid_routes WHERE node IS NULL'), $before, 'and is not');
my $out = restored();
like($out, qr/^done: /, 'the node gets its registry');
my ($secret) = slurp_file(passwords()) =~ /registry '(\w+)'/;
unlike($out . slurp_file("$data/../closed.log") . slurp_file($node{mexico}->logfile),
	qr/\Q$secret/, 'the password is in no log');
like($out, qr/"orders_c235_restored" keeps 1,011 rows. jakarta has not, or has otherwise, 22 of them: /,
	'rows that came too early are kept, and named');
like($out, qr/country 101 is nowhere. jakarta keeps its rows .*iuid move abort 101 jakarta almaty/,
	'so is a country without rows');
like($out, qr/almaty is still closed/, 'the server is to be opened');
my $again = restored('--restart', $restart);
like($again, qr/^done: /, 'once more, with what restarts the server');
unlike($again, qr/SUBSCRIPTION|DETACH/, 'what is done is not done again');
$node{almaty}->_update_pid(1);
$node{almaty}->poll_query_until('shop', 'SELECT pid IS NOT NULL FROM pg_stat_subscription') or die;
like((attempt('mexico', "SELECT count(*) FROM orders_global WHERE iuid_is_from(id, 101)"))[2],
	qr/nowhere|orders_c101_e1" does not exist/, 'a country that is nowhere is an error, and not empty');
is(rows_at('almaty', 125), $stays, 'the countries that stayed have the rows of the backup');
is(rows_at('mexico', 235, 'orders_global'), $moved, 'and those that moved away are where they were');
is(rows_at('almaty', 235, 'orders_global'), $moved, 'at the node itself, too');
is(at('almaty', q{SELECT count(*) FROM orders_c235_restored WHERE note ~ 'too early'}),
	12, 'what came too early is there');

like(iuid('move', 'plan', 101, 'jakarta', 'almaty'), qr/Next: abort, with which jakarta takes the country back/,
	'plan says what comes next');
# It is killed while it changes the route, and while it takes the country, and started again.
my @abort = ('move', 'abort', 101, 'jakarta', 'almaty',
	'--subscribe-as', $node{almaty}->connstr('shop') . ' user=postgres');
for ([ "mexico", qr{UPDATE public.iuid_routes} ], [ "jakarta", qr{SET phase = .serving.} ])
{
	my ($name, $step) = @$_;
	my $lock = $node{$name}->background_psql('shop');
	$lock->query("BEGIN; LOCK TABLE iuid_routes IN SHARE MODE") if $name eq 'mexico';
	my $command = IPC::Run::start([ '/usr/bin/python3', 'tools/iuid', @abort ], '>', \my $said, '2>&1',
		IPC::Run::timeout(120));
	says($command, \$said, $step);
	select undef, undef, undef, 0.5 if $name eq 'mexico';
	$command->kill_kill(grace => 0);
	$lock->query('ROLLBACK');
	$lock->quit;
}
like(iuid(@abort), qr/^done: .*(jakarta has the country again|The move is undone)/s,
	'the old node takes the country back');
is(rows_at($_, 101, 'orders_global'), $switched, "its rows are those of the switch, seen from $_") for @names;
at('mexico', q{INSERT INTO orders_global VALUES (gen_iuid(101, 1), 1, 'after all')});
is(at('jakarta', q{SELECT count(*) FROM orders WHERE note = 'after all'}), 1, 'and it is written');
at('almaty', 'DROP TABLE orders_c235_restored');
is(at_last($_, q{SELECT DISTINCT problem FROM iuid_check_regions()}, qr/^$/), '', "$_ is well") for @names;
is(at_machine($_, q{SELECT count(*) FROM pg_namespace WHERE nspname ~ '^moving'}),
	0, "and $_ keeps nothing of a move") for @names;
moves($_, 101, 'jakarta', 'almaty') for 'copy', 'switch', 'finish';

# --- Other owners, entities, and a move that was under way in the backup ----------------

# As after the restore of a disk, without the network.
sub restore_closed
{
	$node{almaty}->stop('immediate');
	system_or_bail('rm', '-rf', $data);
	system_or_bail('mv', "$copies/almaty", $data);
	start_closed();
	return;
}

sub open_again
{
	system_or_bail('pg_ctl', '-D', $data, '-m', 'fast', '-w', 'stop');
	$node{almaty}->{_pid} = undef;
	$node{almaty}->start;
	return;
}

sub at_closed
{
	IPC::Run::run([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $machine, '-c', shift ], '>', \my $found, '2>&1');
	chomp $found;
	return $found;
}

at_machine($_, q{CREATE ROLE bank LOGIN; CREATE ROLE stranger LOGIN; CREATE SCHEMA bank AUTHORIZATION bank;
	CREATE SCHEMA stranger AUTHORIZATION stranger; GRANT USAGE ON SCHEMA stranger TO PUBLIC}) for @names;
at_machine('mexico', q{INSERT INTO iuid_entities VALUES (2, 'Wallet', 'Account');
	UPDATE iuid_routes SET entity = 1 WHERE country = 116; INSERT INTO iuid_routes VALUES (116, 2, 'mexico')});
$node{almaty}->poll_query_until('shop', 'SELECT count(*) = 2 FROM iuid_routes WHERE country = 116') or die;
at_machine('almaty', q{SET ROLE bank;
	CREATE TABLE bank.accounts (id iuid PRIMARY KEY, n int) PARTITION BY RANGE (id iuid_origin_ops);
	SELECT iuid_create_routed_partitions('bank.accounts', 2)});
# What is named in the comment of a stranger is read by nobody.
at_machine('jakarta', q{SET ROLE stranger; CREATE TABLE stranger.seen (who text);
	GRANT INSERT ON stranger.seen TO PUBLIC;
	CREATE FUNCTION stranger.f() RETURNS int LANGUAGE plpgsql
		AS $$BEGIN INSERT INTO stranger.seen VALUES (current_user); RETURN 1; END$$;
	CREATE VIEW stranger.evil AS SELECT gen_iuid(235, 1) AS id, stranger.f() AS n;
	GRANT SELECT ON stranger.evil TO PUBLIC});
at_machine('almaty', q[SET ROLE stranger;
	CREATE TABLE stranger.t (id iuid PRIMARY KEY, n int) PARTITION BY RANGE (id iuid_origin_ops);
	CREATE TABLE stranger.t_c125 PARTITION OF stranger.t
		FOR VALUES FROM (iuid_country_floor(125)) TO (iuid_country_floor(126));
	CREATE VIEW stranger.t_c125_e1 AS SELECT * FROM stranger.t_c125;
	CREATE TABLE stranger.kept (id iuid PRIMARY KEY, n int); INSERT INTO stranger.kept VALUES (gen_iuid(235, 1), 1);
	COMMENT ON TABLE stranger.kept IS 'rows as they were restored: ]
	. q[{"country": 235, "entity": 1, "key": "id", "schema": "stranger", "partition": "evil"}';
	CREATE TABLE stranger.other (); COMMENT ON TABLE stranger.other IS 'rows as they were restored: {']);
moves('copy', 125, 'almaty', 'jakarta');
copy_disk('almaty');
$node{almaty}->poll_query_until('shop', 'SELECT bool_and(pid IS NOT NULL) FROM pg_stat_subscription') or die;
moves('switch', 125, 'almaty', 'jakarta');
at_machine('mexico', q{UPDATE iuid_routes SET node = 'almaty' WHERE country = 116 AND entity = 2});
restore_closed();
like(restored(), qr/^done: /, 'with tables of others');
is(at_machine('mexico', q{SELECT string_agg(concat_ws(' ', country, entity, node), ', ')
	FROM iuid_routes WHERE node IS NULL OR country = 116}),
	'116 1 almaty, 116 2 almaty', 'no route of a country whose rows are here leads to nowhere');
is(at_machine('jakarta', 'SELECT count(*) FROM stranger.seen'), 0, 'no code of a stranger has run at another node');
is(at_closed(q{SELECT to_regclass('orders_c125'),
	to_regclass('orders_c125_restored'), (SELECT count(*) FROM pg_replication_slots)}),
	'|orders_c125_restored|0', 'a country whose writes the new node takes is given up, and so is the slot');
at_closed($_) for 'DROP SCHEMA stranger CASCADE', 'DROP SCHEMA bank CASCADE', 'DROP TABLE orders_c125_restored';
open_again();
moves('finish', 125, 'almaty', 'jakarta');
is(rows_at($_, 125, 'orders_global'), $stays, "it is whole, seen from $_") for @names;

# --- The last country of the node has moved away, and a copy is over ---------------------

moves($_, 101, 'almaty', 'jakarta') for 'copy', 'switch', 'finish';
at_machine('mexico', q{DELETE FROM iuid_routes WHERE country = 116 AND entity = 2;
	UPDATE iuid_routes SET entity = NULL WHERE country = 116});
at('almaty', q{INSERT INTO orders SELECT gen_iuid(116, 1), n, 'last' FROM generate_series(1, 50) AS n});
moves('copy', 125, 'jakarta', 'almaty');
copy_disk('almaty');
$node{almaty}->poll_query_until('shop', 'SELECT bool_and(pid IS NOT NULL) FROM pg_stat_subscription') or die;
moves('abort', 125, 'jakarta', 'almaty');
moves($_, 116, 'almaty', 'jakarta') for 'copy', 'switch', 'finish';
my $last = rows_at('jakarta', 116);
restore_closed();
like(restored(), qr/^done: .*"orders_c125_restored" keeps/s, 'a node without countries');
is(at_closed(q{SELECT string_agg(subname, ' ') FROM pg_subscription}),
	'registry_almaty', 'no subscription of a move is left');
open_again();
$node{almaty}->poll_query_until('shop', 'SELECT pid IS NOT NULL FROM pg_stat_subscription') or die;
is(rows_at('almaty', 116, 'orders_global'), $last, 'the country is seen where it is');
at('almaty', 'DROP TABLE orders_c125_restored, orders_c116_restored');
is(at_last($_, q{SELECT DISTINCT problem FROM iuid_check_regions()}, qr/^$/), '', "$_ is well") for @names;

# --- The old node of a copy: what it had after the backup is in the copy alone --------------

moves($_, 125, 'jakarta', 'almaty') for 'copy', 'switch', 'finish';
moves('copy', 125, 'almaty', 'jakarta');
copy_disk('almaty');
$node{jakarta}->poll_query_until('shop', 'SELECT bool_and(pid IS NOT NULL) FROM pg_stat_subscription') or die;
at('almaty', q{DELETE FROM orders WHERE iuid_is_from(id, 125) AND customer <= 7;
	INSERT INTO orders SELECT gen_iuid(125, 1), n, 'lost' FROM generate_series(1, 20) AS n});
$node{jakarta}->poll_query_until('shop', q{SELECT count(*) = 20 FROM orders_c125 WHERE note = 'lost'}) or die;
restore_closed();
like(restored(), qr/^done: .*country 125 moves from almaty to jakarta: iuid move status 125 says/s,
	'a move that is under way');
open_again();
$node{jakarta}->poll_query_until('shop', 'SELECT bool_and(pid IS NOT NULL) FROM pg_stat_subscription') or die;
# The log of almaty grows past the place up to which jakarta has it.
at_machine('almaty', 'CREATE TABLE much AS SELECT repeat(md5(n::text), 10) FROM generate_series(1, 30000) AS n');
my $kept = rows_at('almaty', 125);
like(iuid('move', 'status', 125), qr/almaty is behind.*restored.*Abort keeps the rows of the copy/s,
	'status says what comes next');
like(iuid('move', 'switch', 125, 'almaty', 'jakarta',
	'--trust-owners', '--subscribe-as', $node{jakarta}->connstr('shop') . ' user=postgres'),
	qr/^failed: .*almaty is behind.*restored.*abort, which keeps the rows of the copy/s, 'the switch says why not');
moves('abort', 125, 'almaty', 'jakarta');
is(rows_at('almaty', 125), $kept, 'the country has the rows of the backup');
is(at('jakarta', q{SELECT count(*) FROM orders_c125_copy WHERE note = 'lost'}), 20, 'and what came after it is kept');

$_->stop for values %node;
done_testing();
