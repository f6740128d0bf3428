# The examples: each runs as it shows itself, and then with random data from six sessions, beside a
# model in Python.
#
# One version is enough: examples are SQL, and what they use has tests of its own.
use strict;
use warnings;

use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
@ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');

# As many rows as ten seconds have time for.
my %rows = (digest => 40_000, events => 0, keys => 4_000, orders => 5_000, telemetry => 10_000, trips => 10_000);
passes($_, '/usr/bin/python3', "test/models/$_.py", '--rows', $rows{$_}) for sort keys %rows;

$node->stop;
done_testing();
