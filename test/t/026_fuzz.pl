# Twenty seconds each of the fuzz targets and of random queries; ./dev fuzz has more.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = 20;

# The seed is in the notes, and in what a difference prints.
sub passes
{
	my ($name, @command) = @_;
	my ($out, $err);
	my $passed = IPC::Run::run(\@command, '>', \$out, '2>', \$err);
	ok($passed, $name) or diag "@command\n$out$err";
	note $out;
}

SKIP:
{
	skip 'SKIPPED: clang is not installed', 2 if system('clang --version >/dev/null 2>&1') != 0;
	system_or_bail('make', '-s', '-B', '-C', 'test/fuzz');
	passes($_, "test/fuzz/$_", "-max_total_time=$seconds", '-max_len=128') for 'fuzz_text', 'fuzz_bits';
}

SKIP:
{
	skip 'SKIPPED: python3-psycopg is not installed', 1 if system('/usr/bin/python3 -c "import psycopg" 2>/dev/null') != 0;
	my $node = PostgreSQL::Test::Cluster->new('main');
	$node->init;
	$node->append_conf('postgresql.conf', 'fsync = off');
	$node->start;
	local @ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');
	passes('fuzz.py', '/usr/bin/python3', 'test/fuzz/fuzz.py', '--seconds', $seconds);
	$node->stop;
}
done_testing();
