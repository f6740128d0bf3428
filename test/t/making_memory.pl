# What no query shows: that memory keeps no random bits that were given out, nor their key, nor the key
# that hides identifiers; and that sorts compare abbreviated keys.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
my $folder = $node->basedir;

command_ok(
	[ 'cc', '-O2', '-I', 'src', '-o', "$folder/wiped", 'test/modules/wiped.c', '-lsodium' ],
	'a program with the random bits of the generator');
{
	# As in the server, no name of a library is looked up when it is first called.
	local $ENV{LD_BIND_NOW} = 1;
	is((run_command([ "$folder/wiped" ]))[0], 'wiped', 'memory keeps neither words nor keys');
}

my ($headers) = run_command([ 'pg_config', '--includedir-server' ]);
command_ok(
	[ 'cc', '-shared', '-fPIC', '-I', $headers, '-o', "$folder/sort_keys.so", 'test/modules/sort_keys.c' ],
	'a module that makes abbreviated keys');
$node->init;
$node->start;
$node->safe_psql('postgres', qq{
	CREATE EXTENSION iuid;
	CREATE FUNCTION sort_keys(ids iuid[], less regoperator, OUT abbreviated bool, OUT keys int, OUT ascending bool,
	OUT given_up bool)
	LANGUAGE c AS '$folder/sort_keys', 'sort_keys';
	CREATE FUNCTION datum_bits() RETURNS int LANGUAGE c AS '$folder/sort_keys', 'datum_bits'});

# 20,000 identifiers in the order of a sort: that of the same uuids, for order by origin of one country.
sub keys_of
{
	my ($less, $ids) = @_;
	return $node->safe_psql('postgres', qq{
		SELECT k.* FROM (SELECT array_agg(id ORDER BY id::uuid) AS ids FROM (
			SELECT $ids AS id FROM generate_series(0, 19999) AS n) AS x) AS y, sort_keys(ids, '$less(iuid,iuid)') AS k});
}
my $at = q{timestamptz '2026-01-01'};
my $later = "$at + n * interval '1 ms'";
SKIP:
{
	# A Datum of 32 bits has no room for such a key.
	my $wide = $node->safe_psql('postgres', 'SELECT datum_bits()') == 64;
	is(keys_of('<', "gen_iuid(7, 1, $later)"), $wide ? 't|20000|t|f' : 'f|||',
		'keys in byte order, of 20,000 milliseconds');
	skip 'SKIPPED: no abbreviated keys on a machine of 32 bits', 5 unless $wide;
	is(keys_of('~<~', "gen_iuid(7, 1, $later)"), 't|20000|t|f', 'and in order by origin');
	# 20,000 of 2^19 random numbers: some 375 of them meet another, with a standard deviation of 20.
	my ($used, $keys, $ascending, $given_up) = split /\|/, keys_of('<', "gen_iuid(7, 1, $at)");
	is("$used|$ascending|$given_up", 't|t|f', 'keys in byte order, of one millisecond');
	cmp_ok($keys, '>', 19_000, 'most of them differ');
	is(keys_of('~<~', "gen_iuid(7, 1, $at)"), 't|1|t|t', 'keys in order by origin, which all tie: given up');
	is(keys_of('<', "iuid '019b7612-3c00-8007-8041-23456789abcd'"),
		't|1|t|t', 'keys of one identifier, again and again: given up');
}
$node->stop;
done_testing();
