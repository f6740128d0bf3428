# A system clock that steps: identifiers stay in order over small steps back,
# follow large ones and say so, and refuse a clock that no identifier can hold.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($library) = glob '/usr/lib/*/faketime/libfaketime.so.1';
plan skip_all => 'SKIPPED: libfaketime, which moves the clock, is not installed'
  unless $library;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
my $offset = $node->basedir . '/offset';

sub move_clock
{
	# In one step, so that the server never sees half of it.
	append_to_file("$offset.new", shift);
	rename "$offset.new", $offset or die "rename: $!";
	return;
}

move_clock('+0');
{
	local $ENV{LD_PRELOAD} = $library;
	local $ENV{FAKETIME_TIMESTAMP_FILE} = $offset;
	local $ENV{FAKETIME_NO_CACHE} = 1;
	local $ENV{FAKETIME_DONT_FAKE_MONOTONIC} = 1;
	local $ENV{TZ} = 'UTC';    # of the times that are given to it
	$node->start;
}
$node->safe_psql('postgres', q{
	CREATE EXTENSION iuid;
	CREATE TABLE made (n serial, step text, id iuid)});

# One session throughout, as the order is promised to a session.
my $session = $node->background_psql('postgres', on_error_stop => 0);

sub make
{
	my $step = shift;
	$session->query_safe(
		"INSERT INTO made (step, id) SELECT '$step', gen_iuid(7, 1) FROM generate_series(1, 100)");
	return;
}

make('start');
move_clock('-9s');
make('back by 9 s');
move_clock('+0');
make('forward again');
my $log = -s $node->logfile;
is( $node->safe_psql('postgres', q{
		SELECT count(*), bool_and(id > previous) FROM
		(SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM made) AS x}),
	'300|t', 'in order over a step back of nine seconds');
is( $node->safe_psql('postgres', q{
		SELECT max(iuid_timestamp(id)) FILTER (WHERE step = 'back by 9 s')
			- max(iuid_timestamp(id)) FILTER (WHERE step = 'start') < interval '1 second' FROM made}),
	't', 'on the last millisecond while the clock is behind it');
unlike(slurp_file($node->logfile), qr/system clock stepped back/, 'a small step is not logged');

move_clock('-1h');
make('back by 1 h');
make('still back by 1 h');
is( $node->safe_psql('postgres', q{
		SELECT min(a.id) > max(b.id) FROM made AS a, made AS b
		WHERE a.step = 'forward again' AND b.step = 'back by 1 h'}),
	't', 'identifiers follow a clock that went back by an hour');
is( $node->safe_psql('postgres', q{
		SELECT bool_and(id > previous) FROM
		(SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM made WHERE step LIKE '%back by 1 h') AS x}),
	't', 'and are in order from there');
my @said = slurp_file($node->logfile, $log) =~ /LOG:  system clock stepped back by (\d+) ms/g;
is(scalar @said, 1, 'said once');
ok($said[0] > 3_590_000 && $said[0] < 3_610_000, 'with the size of the step');

# Before 1970 there is no identifier; afterwards all is as before.
move_clock('@1960-01-01 00:00:00');
my $out = $session->query('SELECT gen_iuid(7, 1)');
like($session->{stderr}, qr/system clock is out of range for type iuid/, 'a clock before 1970 is an error');
$session->{stderr} = '';
move_clock('+0');
make('after the error');
is( $node->safe_psql('postgres', q{
		SELECT min(iuid_timestamp(id)) > now() - interval '1 hour' FROM made WHERE step = 'after the error'}),
	't', 'identifiers of now after the error');

# A clock that stands still within the last 4096th of a millisecond: 2^42 random
# bits in steps of 2^31 on average are used up after some two thousand
# identifiers, and those that follow carry into the 4096th and the millisecond.
$session->query_safe('SELECT gen_iuid(7, 1)');
move_clock('2026-01-01 00:00:00.1239999');
make("stands still $_") for 1 .. 100;
is( $node->safe_psql('postgres', q{
		SELECT count(*), min(place - previous) >= 1, max(place - previous) <= 2::numeric ^ 32
		FROM (SELECT place, lag(place) OVER (ORDER BY n) AS previous
			FROM (SELECT n, extract(epoch FROM iuid_timestamp(id)) * 1000 * 2::numeric ^ 54 + iuid_random(id) AS place
				FROM made WHERE step LIKE 'stands still%') AS y) AS x}),
	'10000|t|t', 'in order while the clock stands still, in steps of 1 to 2^32');
is( $node->safe_psql('postgres', q{
		SELECT iuid_timestamp(id) AT TIME ZONE 'UTC', iuid_random(id) >> 42
		FROM made WHERE step LIKE 'stands still%' ORDER BY n LIMIT 1}),
	'2026-01-01 00:00:00.123|4095', 'from the fraction that the clock shows');
like( $node->safe_psql('postgres', q{
		SELECT iuid_timestamp(id) AT TIME ZONE 'UTC', iuid_random(id) >> 42
		FROM made WHERE step LIKE 'stands still%' ORDER BY n DESC LIMIT 1}),
	qr/^2026-01-01 00:00:00.124\|[345]$/, 'a full 4096th carries into the next one, and into the next millisecond');

$session->quit;
$node->stop;
done_testing();
