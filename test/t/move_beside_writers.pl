# A country moves between four nodes while it is written and read: tools/iuid, whose model
# is test/models/move.py.  Here with few rows; ./dev models move measures with many.  Then what the
# model cannot do, as a server has to end for it.
#
# One version is enough: what differs between versions is who may subscribe, and the test subscribes
# as a superuser.
use strict;
use warnings;

use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my @names = ('almaty', 'mexico', 'jakarta', 'lagos');
my %node = start_nodes_of_model('wal_retrieve_retry_interval = 100ms', 'autovacuum_naptime = 1s');
passes('move', '/usr/bin/python3', 'test/models/move.py',
	'--rows', 5000, '--writers', 5, '--readers', 2, '--pause', '0.2',
	'checks', 'plain', 'rights', 'circle', 'reader_writes', 'linked', 'kill', 'abort', 'limit', 'outage', 'publisher',
	'consumers', 'maintenance', (map { ('--node', "$_=" . $node{$_}->host . ':' . $node{$_}->port) } @names));

# The old node has no logical decoding.
sub move
{
	my ($command, $country, $old, $new, @options) = @_;
	my $out;
	my $done = IPC::Run::run([ '/usr/bin/python3', 'tools/iuid', 'move', $command, $country, $old, $new,
		'--trust-owners', '--subscribe-as', $node{$new}->connstr('shop'), @options ], '>', \$out, '2>&1');
	note $out;
	return $done ? 'done' : $out;
}

sub plan_of_almaty
{
	my $out;
	IPC::Run::run([ '/usr/bin/python3', 'tools/iuid', 'move', 'plan', 125, 'almaty', 'jakarta',
		'--trust-owners', '--subscribe-as', $node{jakarta}->connstr('shop') ], '>', \$out, '2>&1');
	return $out;
}

sub is_followed
{
	my ($name) = @_;
	$node{$name}->poll_query_until('shop', 'SELECT pid IS NOT NULL FROM pg_stat_subscription')
		or die 'the registry does not follow';
	return;
}

sub switch_wal_level
{
	$node{lagos}->append_conf('postgresql.conf', "wal_level = $_[0]");
	$node{lagos}->restart;
	return;
}
switch_wal_level('replica');
like(move('plan', 164, 'lagos', 'jakarta'), qr/wal_level at lagos is replica, not logical/,
	'the old node has to have logical decoding');
switch_wal_level('logical');
is_followed('lagos');

# What does not go along has its name in the plan.
at_machine('almaty', q{
	CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
	CREATE TRIGGER told BEFORE INSERT ON orders_c125 FOR EACH ROW EXECUTE FUNCTION tell();
	CREATE POLICY seen ON orders_c125 USING (true);
	CREATE PUBLICATION lake FOR TABLE orders_c125;
	CREATE INDEX by_note ON orders_c125 (note);
	ALTER TABLE orders_c125 SET (fillfactor = 90);
	CREATE SEQUENCE numbers;
	ALTER TABLE ONLY orders ALTER customer SET DEFAULT nextval('numbers')});
my @left = sort map { /^   does not go along: (\w+ \S+)/ } split /\n/, plan_of_almaty();
is(join(', ', @left),
	'index public.by_note, policy seen, publication lake, sequence public.numbers, settings of, trigger told',
	'what does not go along');
at_machine('almaty', q{ALTER TABLE ONLY orders ALTER customer DROP DEFAULT; DROP SEQUENCE numbers;
	ALTER TABLE orders_c125 RESET (fillfactor); DROP INDEX by_note; DROP PUBLICATION lake;
	DROP POLICY seen ON orders_c125; DROP FUNCTION tell CASCADE});
like(plan_of_almaty(), qr/Nothing is in the way/, 'nothing is left of that');

# The disk of the new node is full, as the server sees it.
my $programs = PostgreSQL::Test::Utils::tempdir_short;
append_to_file("$programs/df",
	"#!/bin/sh\necho Filesystem 1024-blocks Used Available Capacity Mounted on\necho none 9 8 1 89% /\n");
chmod 0755, "$programs/df";
{
	local $ENV{PATH} = "$programs:$ENV{PATH}";
	$node{jakarta}->restart;
}
is_followed('jakarta');
like(plan_of_almaty(), qr/^PROBLEM   jakarta has 0 MB free, and the copy needs about/m, 'a disk that is too small');
$node{jakarta}->restart;
is_followed('jakarta');

# The clocks agree; also where the tables are in no global table.
SKIP:
{
	my ($library) = glob '/usr/lib/*/faketime/libfaketime.so.1';
	skip 'SKIPPED: libfaketime, which moves the clock, is not installed', 3 unless $library;
	$node{lagos}->stop;
	{
		local @ENV{ 'LD_PRELOAD', 'FAKETIME', 'FAKETIME_DONT_FAKE_MONOTONIC' } = ($library, '+5s', 1);
		$node{lagos}->start;
	}
	is_followed('lagos');
	my $clock = qr/^PROBLEM   iuid_check_regions\(.*\) at almaty: another clock, lagos/m;
	like(plan_of_almaty(), $clock, 'a clock that differs');
	at('almaty', q{INSERT INTO trips (id, order_id, km)
		SELECT gen_iuid(125, 3), id, 1 FROM orders WHERE iuid_is_from(id, 125) LIMIT 1});
	like((attempt('almaty', q{SELECT iuid_drop_global('orders_global')}))[2],
		qr/violates foreign key constraint "trips_order_id_fkey/, 'a table that others refer to stays in its global table');
	at($_, q{ALTER TABLE trips DROP CONSTRAINT trips_order_id_fkey; SELECT iuid_drop_global('orders_global');
		SELECT iuid_drop_global('trips_global')}) for @names;
	like(plan_of_almaty(), $clock, 'without global tables');
	at($_, q{SELECT iuid_create_global_table('orders_global', 'orders', 1);
		SELECT iuid_create_global_table('trips_global', 'trips', 3);
		ALTER TABLE trips ADD FOREIGN KEY (order_id) REFERENCES orders (id)}) for @names;
	$node{lagos}->restart;
	is_followed('lagos');
}

# Names that need quotes and are as long as names can be, of a table with months in a schema of its own.
my $schema = q{"my %s's"};
my ($late, $all) = map { qq{$schema."$_} . '.' x (62 - length) . '"' } q{It's 100% ""late"" orders}, 'All of them';
for my $name (@names)
{
	at_machine($name, 'GRANT CREATE ON DATABASE shop TO shop');
	at($name, qq{CREATE SCHEMA $schema; GRANT USAGE ON SCHEMA $schema TO mesh, mover;
		CREATE TABLE $late (id iuid PRIMARY KEY, "no'te %s" text) PARTITION BY RANGE (id iuid_origin_ops);
		SELECT iuid_create_routed_partitions(\$name\$$late\$name\$, 1, '1 month');
		SELECT iuid_create_global_table(\$name\$$all\$name\$, \$name\$$late\$name\$, 1)});
}
my $count = qq{SELECT count(*) FROM $all WHERE iuid_is_from(id, 116)};
my $leading = q{SELECT format('SELECT count(*) FROM %s', oid::regclass) FROM pg_class
	WHERE relkind = 'v' AND relname ~ '_c116_e1$' AND relnamespace::regnamespace::text ~ 'my' \gexec};
at('almaty',
	"INSERT INTO $late SELECT gen_iuid(116, 1, now() + n * interval '10 days') FROM generate_series(-5, 5) AS n");
is(move($_, 116, 'almaty', 'jakarta'), 'done', "$_ with such names") for 'copy', 'switch';
is(at('almaty', $leading), 11, 'the view leads to the new node');
is(move('finish', 116, 'almaty', 'jakarta'), 'done', 'finish with such names');
is(at('mexico', $count) . at('almaty', $count) . at('jakarta', $count), '11' x 3, 'the rows are there');
is(at('almaty', q{SELECT count(*) FROM pg_class WHERE relname ~ '_moved$'}), 0, 'and not at the old node');

# The new node is lost for good while it has a copy.
is(move('copy', 125, 'almaty', 'lagos'), 'done', 'a copy');
$node{lagos}->stop('immediate');
like(move('abort', 125, 'almaty', 'lagos'), qr/^iuid move abort: .*lagos/m, 'the new node is down');
is(move('abort', 125, 'almaty', 'lagos', '--without-new'), 'done', 'the old node undoes the move alone');
is(at_machine('almaty', q{SELECT (SELECT count(*) FROM pg_replication_slots), (SELECT count(*) FROM pg_publication),
	(SELECT count(*) FROM pg_proc WHERE pronamespace::regnamespace::text ~ '^moving'),
	(SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text ~ '^orders')}),
	'0|0|0|0', 'nothing is left');
isnt(at('almaty', q{INSERT INTO orders (id, customer, note) VALUES (gen_iuid(125, 1), 1, 'still here') RETURNING id}),
	'', 'and the country is written');

$_->stop for values %node;
done_testing();
