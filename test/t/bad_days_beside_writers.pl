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
my %node = start_nodes_of_model();
# The restore and the failover of the publisher take time: registry_publisher and node_address
# have them.
my @days = ('freeze', 'cut_off', 'restored', 'publisher_lost', 'failover', 'full_disk', 'read_only', 'dump', 'crash');
passes('bad days', '/usr/bin/python3', 'test/models/bad_days.py',
	'--plain', '--rows', 200, (map { ('--node', "$_=" . $node{$_}->host . ':' . $node{$_}->port) } @names), @days);

$_->stop for values %node;
done_testing();
