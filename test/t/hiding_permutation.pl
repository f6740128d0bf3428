# The permutation that hides identifiers (src/hiding/permutation.c), compiled by itself.  On halves of
# a few bits all values can be seen: it is a permutation, and its way back is the other way.  On
# identifiers of neighbours its output looks random; with two rounds it does not, and the test says so.
#
# One version is enough: the code takes nothing from the server.
use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

my $folder = PostgreSQL::Test::Utils::tempdir;

# What a program with such halves and rounds says of itself.
sub program
{
	my %sizes = @_;
	system_or_bail('cc', '-O2', '-Wall', '-Werror', '-I', 'src', (map { "-D$_=$sizes{$_}" } sort keys %sizes),
		'-o', "$folder/permutation", 'test/programs/permutation.c', 'src/hiding/permutation.c', '-lsodium', '-lm');
	my $out = `"$folder/permutation"`;
	die "permutation: $?" if $?;
	note $out;
	return { $out =~ /^(\w+) (\S+)$/mg };
}

for my $bits (1, 2, 5, 8)
{
	my $found = program(IUID_HALF_BITS => $bits);
	is_deeply($found, { values => 4**$bits, different => 4**$bits, back => 4**$bits },
		"a permutation of $bits and $bits bits");
}

# Bounds of six standard deviations: a sound permutation fails in one of 500 million runs of each.
my @limits = (
	[ 'flips', 'a single bit that changes flips half of the bits, as often as chance' ],
	[ 'collisions', 'parts of 32 bits of 2^20 neighbours collide as often as chance' ]);
my %rounds = (30 => 'all rounds', 2 => 'two rounds');
for my $rounds (30, 2)
{
	my $found = program(IUID_ROUNDS => $rounds);
	for (@limits)
	{
		my ($what, $name) = @$_;
		my $sound = $found->{$what} < 6;
		ok($rounds == 2 ? !$sound : $sound, $rounds == 2 ? "two rounds are noticed: $name" : $name);
	}
}
done_testing();
