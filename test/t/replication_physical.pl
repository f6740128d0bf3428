# A physical standby: it is read while rows come in and partitions are made, its sessions follow the
# registry, and what it makes after its promotion comes after what the primary has made.
use strict;
use warnings;

use lib 'test/t';
use Faults;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sessions qw(waits_in_loop);
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', "timezone = 'UTC'\nlog_statement = none\nautovacuum = off");
$primary->start;
# The row n has a name, and a time of its own: whoever knows n knows the identifier.
my $id = q{iuid_from_name(7, 1, 'row ' || :n, timestamptz '2020-01-01' + :n * interval '1 hour')};
my $rows = 4000;
$primary->safe_psql('postgres', q{ALTER DATABASE postgres SET iuid.node = 'almaty'});
$primary->safe_psql('postgres', q{
	CREATE EXTENSION iuid_regions CASCADE;
	INSERT INTO iuid_countries VALUES (7, 'KZ', 'Kazakhstan');
	INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order');
	INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL), ('mexico', 'america', 'mexico');
	INSERT INTO iuid_routes VALUES (7, NULL, 'almaty');
	CREATE TABLE rested (id iuid PRIMARY KEY DEFAULT gen_iuid(7, 1), note text) PARTITION BY RANGE (id);
	CREATE TABLE rested_rest PARTITION OF rested DEFAULT;
	CREATE TABLE ended (LIKE rested INCLUDING ALL) PARTITION BY RANGE (id);
	CREATE TABLE ended_before PARTITION OF ended FOR VALUES FROM (MINVALUE) TO (iuid_floor('2020-02-01'));
	CREATE TABLE ended_after PARTITION OF ended FOR VALUES FROM (iuid_floor('2020-02-01')) TO (MAXVALUE);
	CREATE TABLE countries (LIKE rested INCLUDING ALL) PARTITION BY RANGE (id iuid_origin_ops);
	} . join ';',
	map { "INSERT INTO $_ SELECT $id, 'old' FROM generate_series(1, $rows) AS n" =~ s/:n/n/gr } 'rested', 'ended');
$primary->backup('copy');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'copy', has_streaming => 1);
$standby->start;

sub replayed { return $primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert')) }

# Sessions of the standby that have looked before see what the primary has committed since, and not
# what it has rolled back.
my $session = $standby->background_psql('postgres');
my $row = q{SELECT n.node, n.region, n.country, n.code, n.key
	FROM iuid_inspect('019b76da-a87b-8007-8041-23456789abcd') AS n};
is($session->query_safe('SELECT iuid_node(7, 1)'), 'almaty', 'a route, on the standby');
for my $case (
	[ q{UPDATE iuid_routes SET node = 'mexico'} => 'mexico|america|7|KZ|AyanOrder' ],
	[ q{UPDATE iuid_nodes SET region = 'north' WHERE node = 'mexico'} => 'mexico|north|7|KZ|AyanOrder' ],
	[ q{UPDATE iuid_countries SET code = 'QZ'} => 'mexico|north|7|QZ|AyanOrder' ],
	[ q{UPDATE iuid_entities SET name = 'Ride'} => 'mexico|north|7|QZ|AyanRide' ],
	[ q{BEGIN; DELETE FROM iuid_routes; TRUNCATE iuid_entities; ROLLBACK} => 'mexico|north|7|QZ|AyanRide' ],
	[ q{BEGIN; SAVEPOINT s; DELETE FROM iuid_routes; ROLLBACK TO s; UPDATE iuid_nodes SET region = 'south';
		COMMIT} => 'mexico|south|7|QZ|AyanRide' ],
	[ q{TRUNCATE iuid_routes} => '||7|QZ|AyanRide' ],
	[ q{INSERT INTO iuid_routes VALUES (NULL, NULL, 'almaty')} => 'almaty|south|7|QZ|AyanRide' ])
{
	$primary->safe_psql('postgres', $case->[0]);
	replayed();
	is($session->query_safe($row), $case->[1], "on the standby: $case->[0]");
}
is($session->query_safe(q{SELECT iuid_is_local('019b76da-a87b-8007-8041-23456789abcd')}), 't', 'it is local');
# Of two transactions the second one ends first.  When the first one ends, too, a snapshot of the
# standby differs only in how many are in progress, as there is no autovacuum with transactions of its
# own.
my $first = $primary->background_psql('postgres');
$first->query_safe(q{BEGIN; UPDATE iuid_routes SET node = 'mexico'});
$primary->safe_psql('postgres', q{UPDATE iuid_nodes SET region = 'west' WHERE node = 'mexico'});
replayed();
waits_in_loop($session, q{iuid_node(7, 1) = 'almaty'}, $standby) or die 'nobody waits';
$first->query_safe('COMMIT');
is($session->query_safe(q{SELECT current_setting('test.seen', true)}),
	'mexico', 'a statement that waits for a change sees it');
$first->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});
$first->quit;
replayed();

# Nothing is written there.
for my $statement (
	q{SELECT iuid_create_partitions('rested', '1 day', '2020-03-01', '2020-03-02')},
	q{CALL iuid_maintain_partitions('rested', '1 month')},
	q{SELECT iuid_drop_partitions('ended', '2021-01-01')},
	q{SELECT iuid_detach_partitions('ended', '2021-01-01')},
	q{SELECT iuid_create_routed_partitions('countries', 1)},
	q{SELECT iuid_create_global_table('global', 'countries', 1)},
	q{SELECT iuid_create_global_view('everything', 'countries')},
	q{SELECT iuid_register_iso_countries()})
{
	for my $node ($standby, $primary)
	{
		my (undef, undef, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n"
			. ($statement =~ /^CALL/ ? 'SET default_transaction_read_only = on' : 'BEGIN READ ONLY') . "; $statement");
		like($err, qr/ERROR:  25006: cannot execute [A-Z ]+ in a read-only transaction/,
			'refused at the ' . $node->name . ": $statement");
	}
}

# Sessions of the standby look for the rows, by identifier, UUID and time, in plans of their own and
# in kept ones, while at the primary the rows move into new partitions.
my $scripts = $standby->basedir;
my $time = q{timestamptz '2020-01-01' + :n * interval '1 hour'};
for my $table ('rested', 'ended')
{
	append_to_file("$scripts/$table.sql", qq{
		\\set n random(24, $rows)
		SELECT 1 / count(*) FROM $table WHERE id = $id;
		SELECT 1 / count(*) FROM $table WHERE id = ${id}::uuid;
		SELECT 1 / (count(*) = 24)::int FROM $table WHERE id > $time - interval '1 day' AND id <= $time;
	});
}
sub read_standby
{
	my ($mode, $out) = @_;
	return IPC::Run::start([ 'pgbench', '-n', '-c', '2', '-T', '600', '--progress=1', '-M', $mode,
		'-f', "$scripts/rested.sql",
		'-f', "$scripts/ended.sql", $standby->connstr('postgres') ], '>', $out, '2>', $out);
}
# What the primary acknowledges is at the standby.
$primary->append_conf('postgresql.conf', q{synchronous_standby_names = '*'});
$primary->reload;
my @writers = start_writers($primary->connstr('postgres'),
	map { "INSERT INTO $_ DEFAULT VALUES RETURNING id;" } 'rested', 'ended');
my @out = ('', '');
my @readers = (read_standby('simple', \$out[0]), read_standby('prepared', \$out[1]));
for my $n (1 .. rounds(20))
{
	$primary->safe_psql('postgres', qq{SET client_min_messages = warning;
		SELECT iuid_create_partitions('rested', '1 day', '2020-01-10', timestamptz '2020-01-10' + $n * interval '4 days');
		SELECT iuid_create_partitions('ended', '1 day', timestamptz '2020-02-01' - $n * interval '1 days',
			timestamptz '2020-02-01' + $n * interval '3 days')});
}
replayed();
# The next line tells of the sessions as they are now.
$_ = '' for @out;
for my $n (0, 1)
{
	$readers[$n]->pump while $readers[$n]->pumpable && $out[$n] !~ /progress: .*\n.*\n/;
	$readers[$n]->signal('TERM');
	IPC::Run::finish($readers[$n]);
	unlike($out[$n], qr/ERROR|aborted| 0\.0 tps/, 'each look-up on the standby found its rows');
}

# The primary is killed, and the standby takes over, with all rows that were acknowledged.
my @before = split /\n/, $session->query_safe('SELECT gen_iuid(7, 1) FROM generate_series(1, 1000)');
push @before, split /\n/, $primary->safe_psql('postgres', 'SELECT gen_iuid(7, 1) FROM generate_series(1, 1000)');
kill_server($primary);
my ($errors, @acknowledged) = stop_writers(@writers);
is($errors, '', 'no writer had an error but the lost connection');
$standby->promote;
my @after = split /\n/, $session->query_safe('SELECT gen_iuid(7, 1) FROM generate_series(1, 1000)');
push @after, split /\n/, $standby->safe_psql('postgres',
	'INSERT INTO ended SELECT FROM generate_series(1, 1000) RETURNING id');
my ($newest) = sort { $b cmp $a } @before, @acknowledged;
my ($oldest) = sort @after;
cmp_ok($oldest, 'gt', $newest, 'what it makes comes after what the primary and its own session made');
my @there = split /\n/, $standby->safe_psql('postgres',
	q{SELECT id FROM rested UNION ALL SELECT id FROM ended WHERE note IS NULL});
is(not_once(\@acknowledged, \@there), '', 'each acknowledged row is there, once');
check_indexes($standby, 'postgres', 'the promoted standby');
is($standby->safe_psql('postgres', "SELECT * FROM iuid_check_partitions('$_') WHERE problem !~ '^rows'"),
	'', "$_ is as it should be") for 'rested', 'ended';
isnt($standby->safe_psql('postgres', q{CALL iuid_maintain_partitions('ended', '1 year')}),
	'', 'partitions are made there');
is($session->query_safe(q{UPDATE iuid_routes SET node = 'mexico';
	SELECT iuid_node(7, 1)}), 'mexico', 'and routes change');

# The old primary, which is there again, and the new one: no two of 100,000 have the same 54 random
# bits, but by chance once in three million runs.
my $make = 'SET iuid.monotonic = off; SELECT iuid_random_bits(gen_iuid(7, 1)) FROM generate_series(1, 50000)';
my %made = map { $_ => 1 } map { split /\n/, $_->safe_psql('postgres', $make) } $primary, $standby;
is(scalar keys %made, 100_000, 'two servers that were one make no identifier twice');
$session->quit;
$standby->stop;
$primary->stop('immediate');
done_testing();
