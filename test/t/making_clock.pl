# A system clock that steps: identifiers stay in order over small steps back, follow large ones and
# say so, and refuse a clock that no identifier can hold.  The time that an identifier must have is
# that of the clock, and is read from the bits of its text.
#
# One version is enough: the generator takes nothing from the server but its clock.
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
	# A time is given as seconds since 1970: the clock stands still there, or goes on from there
	# after an @.  An offset begins with its sign.
	local $ENV{FAKETIME_FMT} = '%s';
	$node->start;
}
$node->safe_psql('postgres', q{
	CREATE EXTENSION iuid;
	CREATE TABLE made (n serial, step text, id iuid);
	-- the bits of an identifier as a number, and the two fields of its time
	CREATE FUNCTION bits(id iuid, first int, count int) RETURNS bigint RETURN
		(repeat('0', 64 - count)::varbit
			|| substring(('x' || replace(id::text, '-', ''))::bit(128) FROM first + 1 FOR count))::bit(64)::bigint;
	CREATE FUNCTION ms(id iuid) RETURNS bigint RETURN bits(id, 0, 48);
	CREATE FUNCTION fraction(id iuid) RETURNS bigint RETURN bits(id, 74, 12)});

# One session throughout, as the order is promised to a session.
my $session = $node->background_psql('postgres', on_error_stop => 0);

sub make
{
	my ($step, $count) = (@_, 100);
	$session->query_safe(
		"INSERT INTO made (step, id) SELECT '$step', gen_iuid(7, 1) FROM generate_series(1, $count)");
	return;
}

# How many identifiers were made in the steps whose names are like that, and whether they ascend.
sub order_of
{
	my $steps = shift;
	return $node->safe_psql('postgres', qq{
		SELECT count(*), bool_and(id > previous) FROM
		(SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM made WHERE step LIKE '$steps') AS x});
}

# How far back the clock went, in milliseconds, as the server said since a place in its log.
sub said_since { return slurp_file($node->logfile, shift) =~ /LOG:  system clock stepped back by (\d+) ms/g }

make('start');
move_clock('-2s');
make('back by 2 s');
move_clock('-9s');
make('back by 9 s');
move_clock('+0');
make('forward again');
my $log = -s $node->logfile;
is(order_of('%'), '400|t', 'in order over steps back of two and of nine seconds');
is( $node->safe_psql('postgres', q{
		SELECT max(ms(id)) - max(ms(id)) FILTER (WHERE step = 'start') <= 1 FROM made WHERE step <> 'forward again'}),
	't', 'on the last millisecond while the clock is behind it');
is(scalar(() = said_since(0)), 0, 'a small step is not logged');

move_clock('-1h');
make('back by 1 h');
make('still back by 1 h');
is( $node->safe_psql('postgres', q{
		SELECT min(a.id) > max(b.id) FROM made AS a, made AS b
		WHERE a.step = 'forward again' AND b.step = 'back by 1 h'}),
	't', 'identifiers follow a clock that went back by an hour');
is(order_of('%back by 1 h'), '200|t', 'and are in order from there');
my @said = said_since($log);
is(scalar @said, 1, 'said once');
ok($said[0] > 3_590_000 && $said[0] < 3_610_000, 'with the size of the step');

# Ten seconds are a small step, and a microsecond more is a large one.  Half a millisecond is 2048
# of its 4096ths, and a carry of the random bits adds one: fours are compared.
move_clock('1767225620.0005');
make('ten seconds: before', 10);
$log = -s $node->logfile;
for ([ '1767225610.0005' => 'ten seconds: back' ], [ '1767225610.000499' => 'more than ten seconds' ])
{
	move_clock($_->[0]);
	make($_->[1], 10);
}
is( $node->safe_psql('postgres', q{
		SELECT step, min(ms(id)), max(ms(id)), min(fraction(id)) / 4 * 4
		FROM made WHERE step LIKE '%ten seconds%' GROUP BY step ORDER BY min(n)}),
	join("\n",
		'ten seconds: before|1767225620000|1767225620000|2048',
		'ten seconds: back|1767225620000|1767225620000|2048',
		'more than ten seconds|1767225610000|1767225610000|2040'),
	'identifiers follow a clock that went back by more than ten seconds');
is(order_of('ten seconds%'), '20|t', 'and not by less');
is(join(' ', said_since($log)), '10000', 'which is said');

# To the year 2100 and back: from 2^48 ms on there is no identifier.
$log = -s $node->logfile;
for ([ '4102444800.25' => 'in 2100' ], [ '@1767225700' => 'back from 2100' ])
{
	move_clock($_->[0]);
	make($_->[1]);
}
is($node->safe_psql('postgres', q{SELECT min(ms(id)), max(ms(id)) FROM made WHERE step = 'in 2100'}),
	'4102444800250|4102444800250', 'identifiers follow the clock to 2100');
is( $node->safe_psql('postgres', q{
		SELECT min(ms(id)) >= 1767225700000, max(ms(id)) < 1767225760000 FROM made WHERE step = 'back from 2100'}),
	't|t', 'and back');
is(order_of('back from 2100'), '100|t', 'in order from there');
is(scalar(() = said_since($log)), 1, 'which is said once');

# A coarse clock: it shows whole milliseconds, each for a while.
for my $ms (1 .. 20)
{
	move_clock(sprintf '1767225800.%03d', $ms);
	make("coarse $ms");
}
is(order_of('coarse%'), '2000|t', 'in order while the clock shows whole milliseconds');
is( $node->safe_psql('postgres', q{
		SELECT count(*) FROM made WHERE step LIKE 'coarse%' AND ms(id) <> 1767225800000 + substring(step FROM '\d+')::int}),
	'0', 'each of the millisecond that the clock shows');

# Before 1970, and from 2^48 ms on, there is no identifier; afterwards all is as before.
sub refuses
{
	my ($what, $count) = (@_, 1);
	$session->query("SELECT gen_iuid(7, 1) FROM generate_series(1, $count)");
	like($session->{stderr}, qr/system clock is out of range for type iuid/, $what);
	$session->{stderr} = '';
	return;
}
move_clock('281474976710.655');
make('the last millisecond');
move_clock('281474976710.656');
refuses('a clock past the last millisecond is an error');
move_clock('281474976710.655999');
make('the last 4096th', 10);
refuses('so are more identifiers than the last 4096th has room for', 100000);
move_clock('281474976710.655');
make('the last millisecond again', 10);
is( $node->safe_psql('postgres', q{SELECT step, min(ms(id)), max(ms(id)), min(fraction(id)) FROM made
	WHERE step LIKE 'the last%' GROUP BY step ORDER BY min(n)}),
	join("\n",
		'the last millisecond|281474976710655|281474976710655|0',
		'the last 4096th|281474976710655|281474976710655|4091',
		'the last millisecond again|281474976710655|281474976710655|0'),
	'the last millisecond has identifiers');
move_clock('-100y');
refuses('a clock before 1970 is an error');
move_clock('+0');
my $from = time;
make('after the error');
is( $node->safe_psql('postgres', qq{
		SELECT min(ms(id)) >= 1000::bigint * ($from - 1), max(ms(id)) <= 1000::bigint * ($from + 60) FROM made
			WHERE step = 'after the error'}),
	't|t', 'identifiers of now after the error');

# A clock that stands still within the last 4096th of a millisecond: 2^42 random
# bits in steps of 2^31 on average are used up after some two thousand
# identifiers, and those that follow carry into the 4096th and the millisecond.
$session->query_safe('SELECT gen_iuid(7, 1)');
move_clock('1767225600.1239999');
make("stands still $_") for 1 .. 100;
is( $node->safe_psql('postgres', q{
		SELECT count(*), min(place - previous) >= 1, max(place - previous) <= 2::numeric ^ 32
		FROM (SELECT place, lag(place) OVER (ORDER BY n) AS previous
			FROM (SELECT n, ms(id) * 2::numeric ^ 54 + bits(id, 74, 54) AS place
				FROM made WHERE step LIKE 'stands still%') AS y) AS x}),
	'10000|t|t', 'in order while the clock stands still, in steps of 1 to 2^32');
is( $node->safe_psql('postgres', q{
		SELECT ms(id), fraction(id) FROM made WHERE step LIKE 'stands still%' ORDER BY n LIMIT 1}),
	'1767225600123|4095', 'from the fraction that the clock shows');
like( $node->safe_psql('postgres', q{
		SELECT ms(id), fraction(id) FROM made WHERE step LIKE 'stands still%' ORDER BY n DESC LIMIT 1}),
	qr/^1767225600124\|[345]$/, 'a full 4096th carries into the next one, and into the next millisecond');

# Ten seconds behind the reading that was followed last, and a millisecond more.
for my $at ('1767225610', '1767225600', '1767225599.999')
{
	move_clock($at);
	make("stops at $at");
}
is( $node->safe_psql('postgres', q{
		SELECT min(ms(id)) FROM made WHERE step LIKE 'stops at%' GROUP BY step ORDER BY min(n)}),
	"1767225610000\n1767225610000\n1767225599999", 'followed from more than ten seconds on');

$session->quit;

# Four sessions make identifiers all the time, while the clock steps.
move_clock('+0');
$node->safe_psql('postgres', q{CREATE SEQUENCE turn; CREATE TABLE beside (turn int, pid int, step int, id iuid);
	CREATE TABLE step AS SELECT 0 AS step});
$log = -s $node->logfile;
my $script = $node->basedir . '/make.sql';
append_to_file($script, q{
	INSERT INTO beside SELECT nextval('turn'), pg_backend_pid(), step, gen_iuid(7, 1) FROM step, generate_series(1, 20);
	\sleep 2 ms
});
my $said = '';
my $sessions = IPC::Run::start([ 'pgbench', '-n', '-c', '4', '-T', '600', '-f', $script, $node->connstr('postgres') ],
	'>', \$said, '2>', \$said);
my @clock = ('+0', '-2s', '+0', '-1h', '@4102444800', '+0', '1767225800.001', '1767225800.002', '1767225805');
for my $step (1 .. @clock)
{
	# What a session makes while the clock is moved is in step 0. The lock waits
	# for the statements that have read the step before.
	$node->safe_psql('postgres', 'BEGIN; LOCK TABLE step; UPDATE step SET step = 0; COMMIT');
	move_clock($clock[ $step - 1 ]);
	$node->safe_psql('postgres', "UPDATE step SET step = $step");
	$node->poll_query_until('postgres',
		"SELECT count(*) >= 4 FROM (SELECT FROM beside WHERE step = $step GROUP BY pid HAVING count(*) >= 100) AS x")
	  or die "the sessions make no identifiers: $said";
}
$sessions->signal('TERM');
IPC::Run::finish($sessions);
unlike($said, qr/ERROR|aborted/, 'sessions that the clock steps beside get no error');
is( $node->safe_psql('postgres', q{SELECT count(*) = count(DISTINCT id) FROM beside}), 't', 'no identifier twice');
is( $node->safe_psql('postgres', q{
		SELECT pid IS NOT NULL, count(*) FILTER (WHERE id <= previous)
		FROM (SELECT pid, id, lag(id) OVER (PARTITION BY pid ORDER BY turn) AS previous FROM beside) AS x GROUP BY pid}),
	join("\n", ('t|3') x 4), 'those of each session ascend, but for the three large steps back');
is(scalar(() = said_since($log)), 12, 'each session has said so each time');
is( $node->safe_psql('postgres', q{
		SELECT step, min(ms(id)), max(ms(id)) FROM beside WHERE step IN (7, 8, 9) GROUP BY step ORDER BY step}),
	"7|1767225800001|1767225800001\n8|1767225800002|1767225800002\n9|1767225805000|1767225805000",
	'with the time of the clock');

$node->stop;
done_testing();
