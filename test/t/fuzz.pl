# Ten seconds each of the fuzz targets and of random queries; ./dev fuzz has more.
#
# One version is enough: the regression tests ask such questions on each version.
use strict;
use warnings;

use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Test::More;

my $seconds = 10;

# Without libFuzzer the inputs are random, and no sanitizer looks on.
my @compiler = system('clang --version >/dev/null 2>&1') == 0 ? ()
	: ('MAIN=random_input.c', 'CC=cc', 'CFLAGS=-std=c99 -O1 -Wall -Wextra -Werror -I../../src');
system_or_bail('make', '-s', '-B', '-C', 'test/fuzz', @compiler);
passes($_, "test/fuzz/$_", "-max_total_time=$seconds", '-max_len=128') for 'fuzz_text', 'fuzz_bits';

SKIP:
{
	skip 'SKIPPED: python3-psycopg is not installed', 1 if lacks_psycopg();
	my $node = PostgreSQL::Test::Cluster->new('main');
	$node->init;
	$node->append_conf('postgresql.conf', 'fsync = off');
	$node->start;
	local @ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');
	passes('fuzz.py', '/usr/bin/python3', 'test/fuzz/fuzz.py', '--seconds', $seconds);
	$node->stop;
}
done_testing();
