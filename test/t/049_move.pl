# A country moves between four nodes while it is written and read: examples/regions/move, whose model
# is test/models/move.py.  Here with few rows; ./dev models move measures with many.
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
	'checks', 'plain', 'circle', 'kill', 'abort', 'limit', 'outage', 'maintenance', (map { ('--node', "$_=" . $node{$_}->host . ':' . $node{$_}->port) } @names));

$_->stop for values %node;
done_testing();
