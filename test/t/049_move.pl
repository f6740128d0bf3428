# A country moves between four nodes while it is written and read: examples/regions/move, whose model
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
my %country = (almaty => 125, mexico => 157, jakarta => 101, lagos => 164);
my %node = start_nodes(@names);
for my $name (@names)
{
	$node{$name}->append_conf('postgresql.conf', join "\n",
		'log_statement = none', 'wal_retrieve_retry_interval = 100ms', 'autovacuum_naptime = 1s', 'max_worker_processes = 20', 'max_connections = 100');
	$node{$name}->restart;
}
run_example($node{mexico}->connstr('shop'), 'registry.sql');
run_example($node{mexico}->connstr('shop'), '../../test/models/move_registry.sql');
follow_registry($_, 'mexico') for grep { $_ ne 'mexico' } @names;
for my $name (@names)
{
	run_example("service=$name", 'tables.sql');
	run_example("service=$name", '../../test/models/move.sql');
	run_example("service=$name", 'load.sql', country => $country{$name});
}
passes('move', '/usr/bin/python3', 'test/models/move.py', '--rows', 5000, '--writers', 5, '--pause', '0.03',
	'checks', 'plain', 'circle', 'kill', 'abort', 'limit', 'outage', 'publisher', 'consumers', 'maintenance', (map { ('--node', "$_=" . $node{$_}->host . ':' . $node{$_}->port) } @names));

# The old node has no logical decoding.
sub move
{
	my ($command, $country, $old, $new, @options) = @_;
	my $out;
	my $done = IPC::Run::run([ '/usr/bin/python3', 'examples/regions/move', $command, $country, $old, $new, '--subscribe-as', $node{$new}->connstr('shop'), @options ], '>', \$out, '2>&1');
	note $out;
	return $done ? 'done' : $out;
}

sub switch_wal_level
{
	$node{lagos}->append_conf('postgresql.conf', "wal_level = $_[0]");
	$node{lagos}->restart;
	return;
}
switch_wal_level('replica');
like(move('plan', 164, 'lagos', 'jakarta'), qr/wal_level at lagos is replica, not logical/, 'the old node has to have logical decoding');
switch_wal_level('logical');
$node{lagos}->poll_query_until('shop', 'SELECT pid IS NOT NULL FROM pg_stat_subscription') or die 'the registry does not follow';

# The new node is lost for good while it has a copy.
is(move('copy', 125, 'almaty', 'lagos'), 'done', 'a copy');
$node{lagos}->stop('immediate');
like(move('abort', 125, 'almaty', 'lagos'), qr/^move abort: .*lagos/m, 'the new node is down');
is(move('abort', 125, 'almaty', 'lagos', '--without-new'), 'done', 'the old node undoes the move alone');
is(at_machine('almaty', q{SELECT (SELECT count(*) FROM pg_replication_slots), (SELECT count(*) FROM pg_publication), (SELECT count(*) FROM pg_proc WHERE proname ~ '^move'),
	(SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text ~ '^orders')}), '0|0|0|0', 'nothing is left');
isnt(at('almaty', q{INSERT INTO orders (id, customer, note) VALUES (gen_iuid(125, 1), 1, 'still here') RETURNING id}), '', 'and the country is written');

$_->stop for values %node;
done_testing();
