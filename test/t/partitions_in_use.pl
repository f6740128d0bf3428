# Time partitions come and go while sessions insert: nothing deadlocks, no
# committed row is lost, and the check finds what is wrong and nothing else.
use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\nlog_lock_waits = on");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION iuid;
	CREATE TABLE orders (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
	CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
	CREATE TABLE lines (id iuid PRIMARY KEY, order_id iuid NOT NULL REFERENCES orders) PARTITION BY RANGE (id);
	CREATE TABLE lines_rest PARTITION OF lines DEFAULT;
	INSERT INTO orders VALUES ('019b76da-a87b-8007-8041-23456789abcd', 'the first')});

# Writers: into the referred table first, and into the referring one first, so
# that whatever order locks were waited for in would deadlock with one of them.
my $new = q{gen_iuid(7, 1, timestamptz '2026-01-01' + :hour * interval '1 hour')};
my $scripts = $node->basedir;
append_to_file("$scripts/order_first.sql", qq{
	\\set hour random(0, 1439)
	BEGIN;
	INSERT INTO orders VALUES ($new, 'new') RETURNING id \\gset
	INSERT INTO lines VALUES ($new, ':id');
	COMMIT;
});
append_to_file("$scripts/line_first.sql", qq{
	\\set hour random(0, 1439)
	BEGIN;
	INSERT INTO lines VALUES ($new, '019b76da-a87b-8007-8041-23456789abcd');
	INSERT INTO orders VALUES ($new, 'new');
	COMMIT;
});

sub start_writers
{
	my ($seconds, $out) = @_;
	return IPC::Run::start(
		[
			'pgbench', '-n', '-c', '6', '-j', '2', '-T', $seconds, '-R', '150', '--random-seed=7',
			'-f', "$scripts/order_first.sql", '-f', "$scripts/line_first.sql",
			$node->connstr('postgres')
		],
		'>', $out, '2>', $out);
}

my $out = '';
my $writers = start_writers(8, \$out);
for my $day (0 .. 59)
{
	for my $table ('orders', 'lines')
	{
		$node->safe_psql('postgres', qq{
			SET client_min_messages = warning;
			SELECT iuid_create_partitions('$table', '1 day', timestamptz '2026-01-01' + $day * interval '1 day',
				timestamptz '2026-01-02' + $day * interval '1 day')});
	}
}
ok(IPC::Run::finish($writers), 'no session gives up') or diag $out;
my ($done) = $out =~ /number of transactions actually processed: (\d+)/;
my ($failed) = $out =~ /number of failed transactions: (\d+)/;
ok($done > 0, 'sessions insert while partitions are made') or diag $out;
is($failed, 0, 'none of them fails') or diag $out;
is( $node->safe_psql('postgres', 'SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM lines)'),
	($done + 1) . '|' . $done, 'every committed row is there');
is( $node->safe_psql('postgres', q{
		SELECT tableoid::regclass, id FROM orders
		WHERE tableoid::regclass::text <> to_char(iuid_timestamp(id), '"orders_"YYYY_MM_DD')
		UNION ALL
		SELECT tableoid::regclass, id FROM lines
		WHERE tableoid::regclass::text <> to_char(iuid_timestamp(id), '"lines_"YYYY_MM_DD')}),
	'', 'every row is in the partition of its day, and none in a DEFAULT partition');
unlike(slurp_file($node->logfile), qr/deadlock detected/, 'no deadlock');

# A lock_timeout of the caller holds while the DEFAULT partition is in use.
my $session = $node->background_psql('postgres');
$session->query_safe(q{BEGIN; INSERT INTO orders VALUES (gen_iuid(7, 1, '2027-01-01'), 'uncommitted')});
my ($status, undef, $err) = $node->psql('postgres', q{
	SET lock_timeout = '500ms';
	SELECT iuid_create_partitions('orders', '1 day', '2027-01-01', '2027-01-02')});
isnt($status, 0, 'lock_timeout ends the waiting');
like($err, qr{could not lock table public\.orders}, 'with a message that names the table');
$session->query_safe('ROLLBACK');
$session->quit;

# A walk of a few hundred steps in a fixed order, beside writers.  The tables
# are shadowed by a plain one, from which rows go by the calendar alone.
srand(20261121);
$node->safe_psql('postgres', q{
	CREATE TABLE walk (id iuid PRIMARY KEY, n int) PARTITION BY RANGE (id);
	CREATE TABLE walk_rest PARTITION OF walk DEFAULT;
	CREATE TABLE shadow (id iuid PRIMARY KEY, n int);
	SELECT iuid_create_partitions('walk', '1 day', '2026-06-01', '2026-06-03')});
append_to_file("$scripts/walk.sql", q{
	\set hour random(0, 719)
	WITH new AS (INSERT INTO walk
	VALUES (gen_iuid(7, 2, timestamptz '2027-06-01' + :hour * interval '1 hour'), :client_id) RETURNING *)
	INSERT INTO shadow TABLE new;
});
$out = '';
$writers = IPC::Run::start(
	[ 'pgbench', '-n', '-c', '2', '-T', '600', '-R', '200', '-f', "$scripts/walk.sql", $node->connstr('postgres') ],
	'>', \$out, '2>', \$out);

my %taken;
my $wrong = '';
for my $step (1 .. 240)
{
	my $what = (qw(insert insert insert create_before create_after maintain drop fault))[ rand 8 ];
	my $days = 1 + int rand 5;
	my $day = int rand 200;
	$taken{$what}++;

	my %do = (
		insert => qq{
			WITH new AS (INSERT INTO walk
				SELECT gen_iuid(7, 1, timestamptz '2026-03-01' + ($day + n / 20.0) * interval '1 day'), $step
				FROM generate_series(1, 50) AS n RETURNING *)
			INSERT INTO shadow TABLE new;},
		create_before => qq{
			SELECT iuid_create_partitions('walk', '1 day', min(lower) - $days * interval '1 day', min(lower))
			FROM iuid_partitions('walk');},
		create_after => qq{
			SELECT iuid_create_partitions('walk', '1 day', max(upper), max(upper) + $days * interval '1 day')
			FROM iuid_partitions('walk');},
		# Makes nothing but what is missing.
		maintain => qq{
			SELECT iuid_create_partitions('walk', '1 day', min(lower), max(upper)) FROM iuid_partitions('walk');},
		# What goes is in a partition, not in DEFAULT, and its day has ended.
		drop => qq{
			BEGIN;
			CREATE TEMP TABLE older AS
			SELECT min(lower) + $days * interval '1 day' AS than FROM iuid_partitions('walk') HAVING count(*) > $days + 2;
			DELETE FROM shadow USING walk, older
			WHERE shadow.id = walk.id AND walk.tableoid <> 'walk_rest'::regclass
				AND date_trunc('day', iuid_timestamp(shadow.id)) + interval '1 day' <= than;
			SELECT iuid_drop_partitions('walk', than) FROM older;
			DROP TABLE older;
			COMMIT;},
		# A gap, found and closed again.
		fault => q{
			BEGIN;
			SELECT partition AS name, lower, upper FROM iuid_partitions('walk') WHERE NOT is_default
				ORDER BY lower OFFSET 1 LIMIT 1 \gset
			ALTER TABLE walk DETACH PARTITION :name;
			DO $$ BEGIN ASSERT (SELECT array_agg(DISTINCT problem) FROM iuid_check_partitions('walk')
				WHERE problem !~ '^rows') = '{gap}', 'the gap is found'; END $$;
			ALTER TABLE walk ATTACH PARTITION :name FOR VALUES FROM (:'lower') TO (:'upper');
			COMMIT;} =~ s/:'(\w+)'/iuid_floor(:'$1')/gr);

	$node->safe_psql('postgres', "SET client_min_messages = warning;\n$do{$what}");
	my $found = $node->safe_psql('postgres',
		q{SELECT * FROM iuid_check_partitions('walk') WHERE problem !~ '^rows (before|after)'});
	$wrong .= "step $step, $what: $found\n" if $found ne '';
}
# Not INT, which a process ignores that a shell started in the background.
$writers->signal('TERM');
IPC::Run::finish($writers);
is(scalar keys %taken, 6, 'every kind of step was taken');
is($wrong, '', 'the check has nothing to say after any step');
is( $node->safe_psql('postgres', q{
		SELECT (SELECT count(*) FROM (TABLE shadow EXCEPT TABLE walk) AS x),
			(SELECT count(*) FROM (TABLE walk EXCEPT TABLE shadow) AS x)}),
	'0|0', 'what is there is what the calendar says');
is( $node->safe_psql('postgres', 'SELECT count(DISTINCT n) FROM walk WHERE id >= timestamptz \'2027-06-01\''),
	'2', 'the writers were at work');
unlike(slurp_file($node->logfile), qr/deadlock detected/, 'no deadlock');

$node->stop;

# Where the server has room for few locks, a call that needs more fails, and nothing has changed.  The
# procedure needs no more than those of one partition.
$node = PostgreSQL::Test::Cluster->new('small');
$node->init;
$node->append_conf('postgresql.conf',
	"fsync = off\ntimezone = 'UTC'\nmax_connections = 10\nmax_locks_per_transaction = 10");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION iuid;
	CREATE TABLE hourly (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
	CREATE TABLE hourly_rest PARTITION OF hourly DEFAULT;
	CREATE INDEX ON hourly (note);
	INSERT INTO hourly SELECT gen_iuid(7, 1, date_trunc('hour', now()) - n * interval '1 hour')
		FROM generate_series(1, 300) AS n});
my (undef, undef, $said) = $node->psql('postgres',
	q{SELECT iuid_create_partitions('hourly', '1 hour', now() - interval '400 hours', now())});
like($said, qr/ERROR:  out of shared memory/, 'too many partitions for one call');
is($node->safe_psql('postgres', q{SELECT count(*) FROM iuid_partitions('hourly')}), 1, 'and none is made');
$node->safe_psql('postgres', q{SET client_min_messages = error;
	SELECT iuid_create_partitions('hourly', '1 hour', now() - interval '400 hours', now() - interval '399 hours')});
like($node->safe_psql('postgres', q{SET client_min_messages = error;
	CALL iuid_maintain_partitions('hourly', '1 hour', 0)}), qr/^(399|400)\|0$/, 'the procedure makes all');
is($node->safe_psql('postgres', q{SELECT count(*) FROM hourly_rest}), '0', 'and no row stays in DEFAULT');
like($node->safe_psql('postgres', q{SET client_min_messages = error;
	CALL iuid_maintain_partitions('hourly', '1 hour', 0, '1 hour')}), qr/^\d\|(399|400)$/, 'and drops all');

# Out of open ends it cuts what is next to their bounds, so that no step leaves a gap.
$node->safe_psql('postgres', q{
	SELECT iuid_floor(date_trunc('hour', now()) + interval '20 hours') AS bound \gset
	CREATE TABLE open_ended (id iuid) PARTITION BY RANGE (id);
	CREATE TABLE open_ended_before PARTITION OF open_ended FOR VALUES FROM (MINVALUE) TO (:'bound');
	CREATE TABLE open_ended_after PARTITION OF open_ended FOR VALUES FROM (:'bound') TO (MAXVALUE);
	INSERT INTO open_ended SELECT gen_iuid(7, 1, date_trunc('hour', now()) + n * interval '1 hour')
		FROM generate_series(-1, 41) AS n});
my ($steps, $gaps) = (0, '');
while ($steps < 100 && $node->safe_psql('postgres', q{
	SET client_min_messages = error;
	SELECT done FROM iuid_maintenance_step('open_ended', '1 hour', 40, NULL, false, '1 s', 0, 0, '{}')}) eq 'f')
{
	$steps++;
	# Ranges of the server that follow one another have one bound more than there are ranges.
	$gaps .= "after step $steps: $_\n" for grep { $_ ne '1' } $node->safe_psql('postgres', q{
		SELECT count(DISTINCT bound[1]) - count(DISTINCT oid) FROM pg_class JOIN pg_inherits ON inhrelid = oid,
			regexp_matches(pg_get_expr(relpartbound, oid), '\((\S+)\)', 'g') AS bound
		WHERE inhparent = 'open_ended'::regclass});
}
is($gaps, '', 'none of the steps leaves a gap');
cmp_ok($steps, '>', 39, 'which are many');
is( $node->safe_psql('postgres', q{
		SELECT tableoid::regclass, count(*) FROM open_ended
		WHERE tableoid::regclass::text <> to_char(iuid_timestamp(id), '"open_ended_"YYYY_MM_DD_HH24MI') GROUP BY 1
		ORDER BY 1}) =~ /^open_ended_before\|\d(\nopen_ended_after\|1)?$/, 1, 'each row is in the partition of its hour');

$node->stop;
done_testing();
