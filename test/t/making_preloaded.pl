# A library loaded before the sessions are forked gives each its own random bits.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;

# A module makes an identifier before any session is forked: a session that
# went on from there would repeat what the others do.
my $module = $node->basedir . '/draw_in_postmaster.so';
my ($headers) = run_command([ 'pg_config', '--includedir-server' ]);
command_ok(
	[ 'cc', '-shared', '-fPIC', '-I', $headers, '-o', $module, 'test/modules/draw_in_postmaster.c' ],
	'a module that makes an identifier in the postmaster');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'iuid, $module'");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION iuid');

# Each session makes its first identifier from the first bytes of its pool.
# With iuid.monotonic, the random bits behind the fraction of the millisecond
# are 42; without it, they are 54.  With a common pool, they would be the same in
# all sessions; by chance, two of thirty agree in their first 20 bits once in
# 2,400 runs, and two of 600 in all 42 bits once in 24 million.
my %bits = (on => 42, off => 54);
for my $monotonic (sort keys %bits)
{
	my $tail = (1 << $bits{$monotonic}) - 1;
	my (@random, %seen);
	for my $session (1 .. 30)
	{
		push @random, split /\n/, $node->safe_psql('postgres', qq{
			SET iuid.monotonic = $monotonic;
			SELECT iuid_random_bits(gen_iuid(7, 1)) & $tail FROM generate_series(1, 20)});
	}
	$seen{ $_ >> $bits{$monotonic} - 20 }++ for @random[ map { $_ * 20 } 0 .. 29 ];
	is(scalar @random, 600, "thirty sessions made twenty identifiers each, iuid.monotonic = $monotonic");
	ok(keys %seen > 25, 'each starts at a place of its own') or diag join ' ', %seen;
	%seen = map { $_ => 1 } @random;
	is(scalar keys %seen, 600, 'no random bits twice');
}

# The settings are known from the start, and checked.
is($node->safe_psql('postgres', 'SHOW iuid.country'), '-1', 'settings are there without a call');
$node->safe_psql('postgres', 'ALTER DATABASE postgres SET iuid.country = 42');
is($node->safe_psql('postgres', 'SELECT iuid_country(gen_iuid(1))'), '42', 'country of the database');
my ($status, $out, $err) = $node->psql('postgres', 'ALTER DATABASE postgres SET iuid.country = 256');
isnt($status, 0, 'a country out of range is refused');
like($err, qr/256 is outside the valid range for parameter "iuid.country" \(-1 .. 255\)/, 'and the range is named');

# Nor does a session go on from the last identifier of the postmaster, where the clock is behind that.
SKIP:
{
	my ($library) = glob '/usr/lib/*/faketime/libfaketime.so.1';
	skip 'SKIPPED: libfaketime, which moves the clock, is not installed', 2 unless $library;
	my $offset = $node->basedir . '/offset';
	append_to_file($offset, '+0');
	$node->stop;
	{
		local @ENV{ 'LD_PRELOAD', 'FAKETIME_TIMESTAMP_FILE', 'FAKETIME_NO_CACHE', 'FAKETIME_DONT_FAKE_MONOTONIC' } =
			($library, $offset, 1, 1);
		$node->start;
	}
	my $is_now = 'SELECT iuid_timestamp(gen_iuid(7, 1)) <= clock_timestamp()';
	is($node->safe_psql('postgres', $is_now), 't', 'a first identifier of now');
	append_to_file("$offset.new", '-5s');
	rename "$offset.new", $offset or die "rename: $!";
	is($node->safe_psql('postgres', $is_now), 't', 'by a clock that has stepped back, too');
}

$node->stop;
done_testing();
