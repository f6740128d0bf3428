# A library loaded before the sessions are forked gives each its own random bits.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'iuid'");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION iuid');

# 54 random bits: that any two of 2 * 30 * 20 agree has a chance of 1 in 10^10.
my %seen;
my $made = 0;
for my $session (1 .. 30)
{
	for my $monotonic ('on', 'off')
	{
		my $random = $node->safe_psql('postgres', qq{
			SET iuid.monotonic = $monotonic;
			SELECT iuid_random(gen_iuid(7, 1)) FROM generate_series(1, 20)});
		$seen{$_} = 1, $made++ for split /\n/, $random;
	}
}
is($made, 1200, 'sixty sessions made twenty identifiers each');
is(scalar keys %seen, 1200, 'no random bits twice');

# The settings are known from the start, and checked.
is($node->safe_psql('postgres', 'SHOW iuid.country'), '-1', 'settings are there without a call');
$node->safe_psql('postgres', 'ALTER DATABASE postgres SET iuid.country = 42');
is($node->safe_psql('postgres', 'SELECT iuid_country(gen_iuid(1))'), '42', 'country of the database');
my ($status, $out, $err) = $node->psql('postgres', 'ALTER DATABASE postgres SET iuid.country = 256');
isnt($status, 0, 'a country out of range is refused');
like($err, qr/256 is outside the valid range for parameter "iuid.country" \(-1 .. 255\)/, 'and the range is named');

$node->stop;
done_testing();
