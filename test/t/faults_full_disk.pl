# A full disk: each call that writes fails with 53100, and leaves nothing behind, wherever the room
# ends; the server goes on, and with room the same call is done.
#
# One version is enough: iuid leaves it to the server to undo what was not committed.
use strict;
use warnings;

use lib 'test/t';
use Faults;
use File::Path qw(rmtree);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $disk = $ENV{SMALL_DISK};
plan skip_all => 'SKIPPED: SMALL_DISK names no small file system; ./dev test mounts one where it may' unless $disk;

# Fills the disk, but for some kB.
sub leave
{
	my $left = shift;
	open my $file, '>', "$disk/ballast" or die "$disk/ballast: $!";
	1 while syswrite $file, "\0" x 65536;
	my $size = (-s $file) - 1024 * $left;
	truncate $file, $size > 0 ? $size : 0 or die "$disk/ballast: $!";
	close $file or die "$disk/ballast: $!";
	return;
}

sub make_room { unlink "$disk/ballast" or die "$disk/ballast: $!"; return }

# First the tables are on that disk, and the log is elsewhere.
my $node = PostgreSQL::Test::Cluster->new('tables');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nrestart_after_crash = on");
$node->start;
mkdir "$disk/tables" or die "$disk/tables: $!";
my $rows = q{SELECT gen_iuid(7, 1, timestamptz '2020-01-01' + n * interval '1 hour'), repeat('x', 100)
	FROM generate_series(1, 4000) AS n};
$node->safe_psql('postgres', qq{
	CREATE TABLESPACE small LOCATION '$disk/tables';
	ALTER DATABASE postgres SET iuid.node = 'here';
	ALTER DATABASE postgres SET default_tablespace = small});
my $tables = qq{
	CREATE TABLE rested (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
	CREATE INDEX ON rested USING hash (id);
	CREATE TABLE rested_rest PARTITION OF rested DEFAULT;
	INSERT INTO rested $rows;
	CREATE TABLE ended (LIKE rested INCLUDING ALL) PARTITION BY RANGE (id);
	CREATE TABLE ended_before PARTITION OF ended FOR VALUES FROM (MINVALUE) TO (iuid_floor('2020-04-01'));
	CREATE TABLE ended_after PARTITION OF ended FOR VALUES FROM (iuid_floor('2020-04-01')) TO (MAXVALUE);
	INSERT INTO ended $rows};
$node->safe_psql('postgres', qq{
	CREATE EXTENSION iuid_regions CASCADE;
	INSERT INTO iuid_nodes VALUES ('here', NULL, NULL);
	INSERT INTO iuid_routes VALUES (7, NULL, 'here'), (8, NULL, 'here');
	$tables;
	CREATE TABLE flat (LIKE rested INCLUDING ALL) PARTITION BY RANGE (id iuid_origin_ops);
	CREATE TABLE flat_rest PARTITION OF flat DEFAULT;
	INSERT INTO flat $rows;
	CREATE TABLE divided (LIKE rested INCLUDING ALL) PARTITION BY RANGE (id iuid_origin_ops)});

# The relations, their rows, and the files on the disk that belong to no relation.
sub state_of
{
	my ($filenodes, @rest) = split /\n/, $node->safe_psql('postgres', q{
		CHECKPOINT;
		SELECT string_agg(relfilenode::text, ' ') FROM pg_class;
		SELECT md5(string_agg(r::text, '' ORDER BY id)) FROM (TABLE rested UNION ALL TABLE ended UNION ALL TABLE flat) AS r});
	my %known = map { $_ => 1 } split / /, $filenodes;
	return join "\n", catalog($node, 'postgres'), @rest, grep { m{/(\d+)[^/]*$} && !$known{$1} } glob "$disk/tables/*/*/*";
}

my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('SELECT pg_backend_pid()');
$session->query('\set VERBOSITY sqlstate');
for my $call (
	q{SELECT iuid_create_partitions('rested', '1 month', '2020-01-01', '2020-06-01')},
	q{SELECT iuid_create_partitions('ended', '1 month', '2020-03-01', '2020-06-01')},
	q{SELECT iuid_create_routed_partitions('flat', 1)},
	q{SELECT iuid_create_routed_partitions('divided', 1, '1 month')},
	q{CREATE INDEX ON flat (id iuid_origin_ops)},
	q{CREATE INDEX ON rested USING brin (id); CREATE INDEX ON ended USING brin (id iuid_minmax_multi_ops)})
{
	my $before = state_of();
	my $failures = 0;
	my ($said, $after, $wrong) = ('', '', '');
	for my $left (0, map { int(16 * 4**($_ / rounds(1))) } 0 .. 5 * rounds(1))
	{
		leave($left);
		$session->query("BEGIN; $call; COMMIT");
		($said) = $session->{stderr} =~ /ERROR:  (\w+)/ ? $1 : '';
		$session->{stderr} = '';
		make_room();
		$after = state_of();
		last if $said eq '';
		$failures++;
		$wrong .= "$left kB: $said\n" if $said ne '53100' || $after ne $before;
	}
	cmp_ok($failures, '>', 0, "$call: fails without room");
	is($wrong, '', 'each time with 53100, and nothing is half done');
	isnt($after, $before, 'with room it is done');
	is($said, '', 'by the same session');
}
check_indexes($node, 'postgres', 'after a full disk');
$session->quit;
$node->stop;
rmtree("$disk/tables");

# Then the log is on that disk.  A server that cannot write its log ends, and what it had not
# committed never was.
$node = PostgreSQL::Test::Cluster->new('log');
$node->init(extra => [ '--waldir', "$disk/log", '--wal-segsize', '1' ]);
$node->append_conf('postgresql.conf',
	"timezone = 'UTC'\nwal_level = replica\nmin_wal_size = 2MB\nmax_wal_size = 4MB\nwal_recycle = off");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION iuid;' . $tables =~ s{'x', 100}{'x', 400}gr);
my $rows_of_both = q{SELECT md5(string_agg(r::text, '' ORDER BY id)) FROM (TABLE rested UNION ALL TABLE ended) AS r};
for my $call (
	q{SELECT iuid_create_partitions('rested', '1 month', '2020-01-01', '2020-06-01')},
	q{SELECT iuid_create_partitions('ended', '1 month', '2020-03-01', '2020-06-01')})
{
	my @before = (catalog($node, 'postgres'), $node->safe_psql('postgres', $rows_of_both));
	# The rest of a segment is less than a call writes.
	$node->safe_psql('postgres', 'SELECT pg_switch_wal(); CHECKPOINT');
	leave(100);
	my ($status) = $node->psql('postgres', $call);
	is($status, 2, "$call: without room for the log the server ends");
	make_room();
	$node->stop('immediate', fail_ok => 1);
	$node->start;
	is(catalog($node, 'postgres'), $before[0], 'and has no partition that is half made');
	is($node->safe_psql('postgres', $rows_of_both), $before[1], 'and has its rows');
	is($node->psql('postgres', $call), 0, 'with room it is done');
	isnt(catalog($node, 'postgres'), $before[0], 'and the partitions are there');
	is($node->safe_psql('postgres', $rows_of_both), $before[1], 'with the rows');
}
check_indexes($node, 'postgres', 'after a full log');
$node->stop;
done_testing();
