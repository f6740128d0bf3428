# kill -9 of a session and of the whole server, while rows come in and partitions are made, cut out
# of open ends and dropped: what was acknowledged is there, and nothing is half done.
#
# One version is enough: iuid leaves it to the server to undo what was not committed.
use strict;
use warnings;

use lib 'test/t';
use Faults;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# A killed process leaves what it wrote to the operating system.  So this tests the log and the
# recovery, and not what a disk does when its power goes.
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', q{
fsync = on
restart_after_crash = on
recovery_init_sync_method = syncfs
log_statement = none
timezone = 'UTC'});
$node->start;

$node->safe_psql('postgres', q{CREATE EXTENSION iuid_regions CASCADE; ALTER DATABASE postgres SET iuid.node = 'here'});
install_steps($node, 'postgres');
$node->safe_psql('postgres', q{
	INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order');
	INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'there');
	INSERT INTO iuid_routes VALUES (7, NULL, 'here'), (8, NULL, 'here');

	CREATE TABLE rested (id iuid PRIMARY KEY DEFAULT gen_iuid(7, 1) CHECK (step_of_row(id)), note text)
		PARTITION BY RANGE (id);
	CREATE INDEX ON rested (note) WHERE step_of_row(id);
	CREATE TABLE rested_rest PARTITION OF rested DEFAULT;

	CREATE TABLE ended (LIKE rested INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES) PARTITION BY RANGE (id);
	CREATE TABLE ended_before PARTITION OF ended FOR VALUES FROM (MINVALUE) TO (iuid_floor('2020-07-01'));
	CREATE TABLE ended_after PARTITION OF ended FOR VALUES FROM (iuid_floor('2020-07-01')) TO (MAXVALUE);

	CREATE TABLE kept (LIKE ended INCLUDING ALL) PARTITION BY RANGE (id);
	SELECT iuid_create_partitions('kept', '1 month', '2020-01-01', '2021-01-01');
	CREATE TABLE kept_before PARTITION OF kept FOR VALUES FROM (MINVALUE) TO (iuid_floor('2020-01-01'));
	CREATE TABLE kept_after PARTITION OF kept FOR VALUES FROM (iuid_floor('2021-01-01')) TO (MAXVALUE);

	CREATE TABLE by_country (LIKE ended INCLUDING ALL) PARTITION BY RANGE (id iuid_origin_ops);
	SELECT iuid_create_routed_partitions('by_country', 1, '1 month');
	CREATE TABLE flat (LIKE ended INCLUDING ALL) PARTITION BY RANGE (id iuid_origin_ops);
	CREATE TABLE flat_rest PARTITION OF flat DEFAULT;
	SELECT iuid_create_routed_partitions('flat', 1)});

my $past = q{timestamptz '2020-01-01' + random() * interval '366 days'};
my @scripts = (
	q{INSERT INTO rested DEFAULT VALUES RETURNING 'rested', id;}
		. "INSERT INTO rested VALUES (gen_iuid(7, 1, $past)) RETURNING 'rested', id;",
	q{INSERT INTO ended DEFAULT VALUES RETURNING 'ended', id;}
		. "INSERT INTO ended VALUES (gen_iuid(7, 1, $past)) RETURNING 'ended', id;",
	# Two rows of one transaction.
	q{BEGIN; INSERT INTO kept DEFAULT VALUES RETURNING id AS one \gset
		INSERT INTO by_country VALUES (DEFAULT, :'one') RETURNING id AS other \gset
		COMMIT;
		\echo kept|:one
		\echo by_country|:other
	},
	q{INSERT INTO flat VALUES (gen_iuid(7 + (random() * 20)::int, 1)) RETURNING 'flat', id;});

my %acknowledged = map { $_ => [] } 'rested', 'ended', 'kept', 'by_country', 'flat';
# What goes into new partitions, and what is dropped with old ones.
my $days = q{SELECT gen_iuid(7, 1, timestamptz '2020-01-01' + n * interval '8 hours'), 'old'
	FROM generate_series(0, 1097) AS n};
$acknowledged{$_} = [ split /\n/, $node->safe_psql('postgres', "INSERT INTO $_ $days RETURNING id") ]
	for 'rested', 'ended';
$node->safe_psql('postgres', "INSERT INTO kept $days");

# What is wrong with the time partitions of a table, by the texts of bounds and identifiers: a gap, or
# a row beyond the bounds of its partition.
sub faults_of
{
	my $table = shift;
	my %bounds;
	for (split /\n/, $node->safe_psql('postgres', qq{
		SELECT c.relname, replace(replace(pg_get_expr(c.relpartbound, c.oid), 'MINVALUE', ''), 'MAXVALUE', 'g')
		FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = '$table'::regclass}))
	{
		$bounds{$1} = [ $2, $3 ] if /^(\w+)\|.*FROM \('?(.*?)'?\) TO \('?(.*?)'?\)$/;
	}
	my ($end, $faults) = ('', '');
	for my $partition (sort { $bounds{$a}[0] cmp $bounds{$b}[0] } keys %bounds)
	{
		$faults .= "$partition begins at $bounds{$partition}[0], not at $end\n" if $bounds{$partition}[0] ne $end;
		$end = $bounds{$partition}[1];
	}
	$faults .= "the last partition ends at $end\n" if $end ne 'g';
	for (split /\n/,
		$node->safe_psql('postgres', "SELECT tableoid::regclass, min(id), max(id) FROM $table GROUP BY tableoid"))
	{
		my ($partition, $least, $most) = split /\|/;
		$faults .= "$partition has $least to $most\n" if $least lt $bounds{$partition}[0] || $most ge $bounds{$partition}[1];
	}
	return $faults;
}

sub check_whole
{
	my $what = shift;
	check_indexes($node, 'postgres', $what);
	for my $table (sort keys %acknowledged)
	{
		my @there = split /\n/, $node->safe_psql('postgres', "SELECT id FROM $table");
		is(not_once($acknowledged{$table}, \@there), '', "$what: each acknowledged row of $table is there, once");
	}
	is( $node->safe_psql('postgres', q{
			SELECT count(*) FROM (SELECT id FROM kept WHERE note IS NULL) AS k FULL JOIN by_country AS c ON c.note = k.id::text
			WHERE k.id IS NULL OR c.id IS NULL}),
		'0', "$what: a transaction with two rows left both or none");
	is($node->safe_psql('postgres', "SELECT * FROM iuid_check_partitions('$_') WHERE problem !~ '^rows'"),
		'', "$what: $_ is as it should be") for 'rested', 'ended', 'kept', 'by_country_c7';
	is(faults_of($_), '', "$what: the partitions of $_ have no gap, and their own rows")
		for 'ended', 'kept', 'by_country_c7';

	my ($newest) = sort { $b cmp $a } grep { /-8007-8040/ } map { @$_ } values %acknowledged;
	cmp_ok($node->safe_psql('postgres', 'SELECT gen_iuid(7, 1)'),
		'gt', $newest, "$what: a new identifier comes after all others");
	return;
}

# What a call does in a round.
my %calls = (
	'rows leave DEFAULT' => q{
		SELECT iuid_create_partitions('rested', '1 day', '2020-02-01', timestamptz '2020-02-01' + :n * interval '1 day')},
	'open ends are cut' => q{
		SELECT iuid_create_partitions('ended', '1 day', timestamptz '2020-07-01' - :n * interval '1 day',
			timestamptz '2020-07-01' + :n * interval '1 day')},
	'an open end grows' => q{
		SELECT iuid_create_partitions('kept', '1 month', '2021-01-01', timestamptz '2021-01-01' + :n * interval '1 month');
		SELECT iuid_drop_partitions('kept', timestamptz '2020-01-01' + :n * interval '1 month')},
	'countries come' => q{
		INSERT INTO iuid_countries VALUES (8 + :n, 'C' || :n, 'Country') ON CONFLICT DO NOTHING;
		INSERT INTO iuid_routes VALUES (8 + :n, NULL, 'here') ON CONFLICT DO NOTHING;
		SELECT iuid_create_routed_partitions('by_country', 1, '1 month');
		SELECT iuid_create_routed_partitions('flat', 1)});

my @writers;
sub keep_acknowledged
{
	my ($errors, @acknowledged) = stop_writers(@writers);
	for (@acknowledged)
	{
		my ($table, $id) = split /\|/;
		push @{ $acknowledged{$table} }, $id;
	}
	return $errors;
}

@writers = start_writers($node->connstr('postgres'), @scripts);
my $round = 0;
for my $n (1 .. rounds(2))
{
	for my $name (sort keys %calls)
	{
		my $call = $calls{$name} =~ s/:n/$n/gr;
		my $steps = steps_of($node, 'postgres', $call);
		# Rows that come meanwhile are more steps.  In the last round it is any moment.
		my $halt = $n == rounds(2) ? 0 : 1 + int rand $steps;
		my $what = "$name, " . ($halt ? "step $halt of $steps" : 'any step');
		my $before = catalog($node, 'postgres');
		my ($started, $pid) = start_halted($node, 'postgres', $node->connstr('postgres'), $call, $halt);
		select undef, undef, undef, rand 0.1 unless $halt;
		if ($round++ % 2)
		{
			$what .= ', server';
			kill_server($node);
		}
		else
		{
			$what .= ', session';
			kill_backend($node, $pid || $node->safe_psql('postgres',
				q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1}));
		}
		IPC::Run::finish($_) for @$started;
		is(keep_acknowledged(), '', "$what: a writer has no error but the lost connection");

		# At a moment that is not chosen, the call may have been done.
		my $crashed = catalog($node, 'postgres');
		check_whole($what);
		$node->safe_psql('postgres', "SET client_min_messages = warning; BEGIN; $call; COMMIT");
		my $after = catalog($node, 'postgres');
		isnt($after, $before, "$what: the same call is done then");
		ok($crashed eq $before || !$halt && $crashed eq $after, "$what: no partition is half made") or diag $crashed;
		@writers = start_writers($node->connstr('postgres'), @scripts);
	}
}
check_whole('at the end');
$node->stop;
keep_acknowledged();
done_testing();
