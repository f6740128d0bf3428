# Bad days of four nodes beside writers, whose confirmed rows are compared afterwards: the model is
# test/models/bad_days.py.  Here are few rows, and each day in one way, without a move; ./dev models
# bad_days has all ways, and a move in the middle of each.
#
# One version is enough: the days are of the command and of the pages, the same on each version.
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
	$node{$name}->append_conf('postgresql.conf', "log_statement = none\nmax_worker_processes = 20\nmax_connections = 100");
	$node{$name}->restart;
}
run_example($node{mexico}->connstr('shop'), 'registry.sql');
at_machine('mexico', q{INSERT INTO iuid_entities VALUES (3, 'Ayan', 'Trip')});
follow_registry($_, 'mexico') for grep { $_ ne 'mexico' } @names;
for my $name (@names)
{
	run_example("service=$name", 'tables.sql');
	run_example("service=$name", '../../test/models/move.sql');
	run_example("service=$name", 'load.sql', country => $country{$name});
}
# The restore and the failover of the publisher take time: 078_registry_publisher and 077_node_address
# have them.
my @days = ('freeze', 'cut_off', 'restored', 'publisher_lost', 'failover', 'full_disk', 'read_only', 'dump', 'crash');
passes('bad days', '/usr/bin/python3', 'test/models/bad_days.py', '--plain', '--rows', 200, (map { ('--node', "$_=" . $node{$_}->host . ':' . $node{$_}->port) } @names), @days);

$_->stop for values %node;
done_testing();
