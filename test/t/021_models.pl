# The examples with random data from six sessions, beside models of them in Python.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if system('/usr/bin/python3 -c "import psycopg" 2>/dev/null') != 0;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
@ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');

# As many rows as ten seconds have time for.
my %rows = (digest => 40_000, keys => 4_000, orders => 5_000, telemetry => 10_000, trips => 10_000);
for my $model (sort keys %rows)
{
	my @command = ('/usr/bin/python3', "test/models/$model.py", '--rows', $rows{$model});
	my ($out, $err);
	my $passed = IPC::Run::run(\@command, '>', \$out, '2>', \$err);
	ok($passed, $model) or diag "$out$err";
	note $out;
}

$node->stop;
done_testing();
