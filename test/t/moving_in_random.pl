# A few random schemas move in beside clients; ./dev models moving_in has two hundred.
#
# One version is enough: what the statements use is the same in each.
use strict;
use warnings;

use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
@ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');

passes('moving_in', '/usr/bin/python3', 'test/models/moving_in.py', '--schemas', 10, '--seed', 1);

$node->stop;
done_testing();
