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
		SELECT tableoid::regclass, id FROM orders WHERE tableoid::regclass::text <> to_char(iuid_timestamp(id), '"orders_"YYYY_MM_DD')
		UNION ALL
		SELECT tableoid::regclass, id FROM lines WHERE tableoid::regclass::text <> to_char(iuid_timestamp(id), '"lines_"YYYY_MM_DD')}),
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
	WITH new AS (INSERT INTO walk VALUES (gen_iuid(7, 2, timestamptz '2027-06-01' + :hour * interval '1 hour'), :client_id) RETURNING *)
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
			SELECT partition AS name, lower, upper FROM iuid_partitions('walk') WHERE NOT is_default ORDER BY lower OFFSET 1 LIMIT 1 \gset
			ALTER TABLE walk DETACH PARTITION :name;
			DO $$ BEGIN ASSERT (SELECT array_agg(DISTINCT problem) FROM iuid_check_partitions('walk')) = '{gap}', 'the gap is found'; END $$;
			ALTER TABLE walk ATTACH PARTITION :name FOR VALUES FROM (:'lower') TO (:'upper');
			COMMIT;} =~ s/:'(\w+)'/iuid_floor(:'$1')/gr);

	$node->safe_psql('postgres', "SET client_min_messages = warning;\n$do{$what}");
	my $found = $node->safe_psql('postgres', q{SELECT * FROM iuid_check_partitions('walk')});
	$wrong .= "step $step, $what: $found\n" if $found ne '';
}
# Not INT, which a process ignores that a shell started in the background.
$writers->signal('TERM');
IPC::Run::finish($writers);
is(scalar keys %taken, 6, 'every kind of step was taken');
is($wrong, '', 'the check has nothing to say after any step');
is( $node->safe_psql('postgres', q{
		SELECT (SELECT count(*) FROM (TABLE shadow EXCEPT TABLE walk) AS x), (SELECT count(*) FROM (TABLE walk EXCEPT TABLE shadow) AS x)}),
	'0|0', 'what is there is what the calendar says');
is( $node->safe_psql('postgres', 'SELECT count(DISTINCT n) FROM walk WHERE id >= timestamptz \'2027-06-01\''),
	'2', 'the writers were at work');
unlike(slurp_file($node->logfile), qr/deadlock detected/, 'no deadlock');

$node->stop;

# Where the server has room for few locks, a call makes some partitions and says
# so, and the next one goes on; so it is with dropping them.
$node = PostgreSQL::Test::Cluster->new('small');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\nmax_connections = 10\nmax_locks_per_transaction = 10");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION iuid;
	CREATE TABLE hourly (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
	CREATE TABLE hourly_rest PARTITION OF hourly DEFAULT;
	CREATE INDEX ON hourly (note);
	INSERT INTO hourly SELECT gen_iuid(7, 1, timestamptz '2026-01-01' + n * interval '1 hour') FROM generate_series(0, 399) AS n});
my $create = q{SELECT count(*) FROM iuid_create_partitions('hourly', '1 hour', '2026-01-01', timestamptz '2026-01-01' + interval '400 hours')};
my $drop = q{SELECT count(*) FROM iuid_drop_partitions('hourly', '2027-01-01')};
my %done_first;
for my $all ($create, $drop)
{
	my ($calls, $done, $said) = (0, 0, 0);
	while ($done < 400 && $calls < 300)
	{
		my ($status, $made, $err) = $node->psql('postgres', $all);
		diag $err if $status != 0;
		last if $status != 0;
		$calls++;
		$done += $made;
		$done_first{$all} = $made if $calls == 1;
		$said++ if $err =~ /WARNING:  not all partitions .*HINT:  Call it again/s;
	}
	is($done, 400, "all of 400 in $calls calls, with few locks: $all");
	is($said, $calls - 1, 'each but the last says that there are more');
	is($node->safe_psql('postgres', q{SELECT count(*) FROM hourly_rest}), '0', 'no row stays in DEFAULT') if $all eq $create;
}
# A call drops as many again if that is all there is.
$node->safe_psql('postgres', "SET client_min_messages = error; $create");
is($node->safe_psql('postgres', "SET client_min_messages = error; $drop"), $done_first{$drop}, 'one call drops as many as another')
	for 1 .. int($done_first{$create} / $done_first{$drop});
# To drop a table, the server locks all that it consists of.
$node->safe_psql('postgres', q{
	CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
	CREATE TABLE kinds (id int PRIMARY KEY);
	CREATE TABLE manifold (id iuid PRIMARY KEY, kind int DEFAULT 1 REFERENCES kinds, note text DEFAULT '' CHECK (note <> 'none'),
		parts int DEFAULT 1 CHECK (parts > 0)) PARTITION BY RANGE (id);
	CREATE TRIGGER nothing AFTER INSERT ON manifold FOR EACH ROW EXECUTE FUNCTION nothing()});
my $make = q{iuid_create_partitions('manifold', '1 day', '2026-01-01', '2026-02-01')};
for ([ $make, q{locktype = 'relation'} ], [ q{iuid_drop_partitions('manifold', '2027-01-01')}, 'true' ])
{
	my ($call, $counted) = @$_;
	is( $node->safe_psql('postgres', qq{
			SET client_min_messages = error;
			SELECT current_setting('max_locks_per_transaction')::int * (2 + current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int
				+ coalesce(current_setting('autovacuum_worker_slots', true), current_setting('autovacuum_max_workers'))::int
				+ current_setting('max_worker_processes')::int + current_setting('max_wal_senders')::int) / 8 AS room \\gset
			BEGIN;
			SELECT count(*) AS done FROM $call \\gset
			SELECT :done > 0, count(DISTINCT (locktype, relation, classid, objid, objsubid)) < :room + 10 FROM pg_locks WHERE pid = pg_backend_pid() AND $counted}),
		't|t', "$call uses an eighth of the room for locks, beside those of the table itself");
	$node->safe_psql('postgres', "SET client_min_messages = error; SELECT $make") for 1 .. 2;
}
# Out of open ends each call makes those next to their bounds, so that no call leaves a gap.
$node->safe_psql('postgres', q{
	CREATE TABLE open_ended (id iuid) PARTITION BY RANGE (id);
	CREATE TABLE open_ended_before PARTITION OF open_ended FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-03'));
	CREATE TABLE open_ended_after PARTITION OF open_ended FOR VALUES FROM (iuid_floor('2026-01-03')) TO (MAXVALUE);
	INSERT INTO open_ended SELECT gen_iuid(7, 1, timestamptz '2026-01-01' + n * interval '1 hour') FROM generate_series(-1, 96) AS n});
{
	my ($made, $calls, $gaps) = (0, 0, '');
	while ($made < 96 && $calls++ < 96)
	{
		my ($status, $new, $err) = $node->psql('postgres', q{
			SELECT count(*) FROM iuid_create_partitions('open_ended', '1 hour', '2026-01-01', '2026-01-05')});
		diag $err if $status != 0;
		last if $status != 0;
		$made += $new;
		# Ranges of the server that follow one another have one bound more than there are ranges.
		$gaps .= "after call $calls: $_\n" for grep { $_ ne '1' } $node->safe_psql('postgres', q{
			SELECT count(DISTINCT bound[1]) - count(DISTINCT oid) FROM pg_class JOIN pg_inherits ON inhrelid = oid,
				regexp_matches(pg_get_expr(relpartbound, oid), '\((\S+)\)', 'g') AS bound
			WHERE inhparent = 'open_ended'::regclass});
	}
	is($made, 96, "out of open ends, all of 96 in $calls calls");
	cmp_ok($calls, '>', 2, 'which are several for each end');
	is($gaps, '', 'none of them leaves a gap');
	is( $node->safe_psql('postgres', q{
			SELECT tableoid::regclass, count(*) FROM open_ended
			WHERE tableoid::regclass::text <> to_char(iuid_timestamp(id), '"open_ended_"YYYY_MM_DD_HH24MI') GROUP BY 1 ORDER BY 1}),
		"open_ended_before|1\nopen_ended_after|1", 'each row is in the partition of its hour');
}
# What has to stay does not keep the others for ever.
$node->safe_psql('postgres', q{
	CREATE TABLE daily (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
	SELECT iuid_create_partitions('daily', '1 day', '2026-01-01', '2026-01-07');
	SELECT iuid_create_partitions('daily', '1 day', '2026-01-07', '2026-01-13');
	SELECT iuid_create_partitions('daily', '1 day', '2026-01-13', '2026-01-19');
	CREATE VIEW needs AS SELECT FROM daily_2026_01_01, daily_2026_01_02, daily_2026_01_03, daily_2026_01_04, daily_2026_01_05,
		daily_2026_01_06, daily_2026_01_07, daily_2026_01_08});
my $left = 18;
for (1 .. 100)
{
	$node->safe_psql('postgres', q{SET client_min_messages = error; SELECT iuid_drop_partitions('daily', '2027-01-01')});
	$left = $node->safe_psql('postgres', q{SELECT count(*) FROM iuid_partitions('daily')});
	last if $left == 8;
}
is($left, 8, 'what has to stay does not keep the others');

# Countries that are routed elsewhere go in several calls, too.
$node->safe_psql('postgres', q{
	CREATE EXTENSION iuid_regions;
	ALTER DATABASE postgres SET iuid.node = 'here'});
$node->safe_psql('postgres', q{
	INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'there');
	INSERT INTO iuid_routes SELECT n, NULL, 'here' FROM generate_series(1, 20) AS n;
	CREATE TABLE orders (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops)});
$node->safe_psql('postgres', q{SET client_min_messages = error; SELECT iuid_create_country_partitions('orders', 1, '1 month')}) for 1 .. 20;
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_inherits WHERE inhparent = 'orders'::regclass}), '20', 'countries are made');
$node->safe_psql('postgres', q{UPDATE iuid_routes SET node = 'there'});
($left, my $calls) = (20, 0);
while ($left > 0 && $calls++ < 20)
{
	($status, undef, $err) = $node->psql('postgres', q{SELECT iuid_create_country_partitions('orders', 1, '1 month')});
	is($status, 0, 'a call drops countries that are routed elsewhere') or last;
	unlike($err, qr/it has rows/, 'and takes none for one with rows');
	$left = $node->safe_psql('postgres', q{SELECT count(*) FROM pg_inherits WHERE inhparent = 'orders'::regclass});
	is($err =~ /not all partitions .*HINT:  Call it again/s ? 1 : 0, $left > 0 ? 1 : 0, 'and says whether there are more');
}
is($left, 0, 'all are gone');
# A country with more tables than a call drops goes alone.
my $of_a_call = $node->safe_psql('postgres', q{
	CREATE TABLE few (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
	SET client_min_messages = error;
	SELECT count(*) FROM iuid_create_partitions('few', '1 month', '2000-01-01', '2010-01-01')});
$node->safe_psql('postgres', q{
	INSERT INTO iuid_routes VALUES (21, NULL, 'here');
	SELECT iuid_create_country_partitions('orders', 1, '1 month')});
$node->safe_psql('postgres', q{SET client_min_messages = error; SELECT iuid_create_partitions('orders_c21', '1 month', '2000-01-01', '2001-01-01')}) for 1 .. 2;
cmp_ok($node->safe_psql('postgres', q{SELECT count(*) FROM pg_inherits WHERE inhparent = 'orders_c21'::regclass}), '>', $of_a_call, 'a country with many partitions');
$node->safe_psql('postgres', q{
	UPDATE iuid_routes SET node = 'there';
	SELECT iuid_create_country_partitions('orders', 1, '1 month')});
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_inherits WHERE inhparent = 'orders'::regclass}), '0', 'is dropped, too');
# In one transaction the server runs out of locks, and says so.
($status, undef, $err) = $node->psql('postgres', qq{DO \$\$ BEGIN LOOP PERFORM * FROM ($create) AS x WHERE count = 0; EXIT WHEN FOUND; END LOOP; END \$\$});
isnt($status, 0, 'all in one transaction fails');
like($err, qr/out of shared memory.*HINT:  You might need to increase/s, 'with the hint of the server');
$node->stop;
done_testing();
