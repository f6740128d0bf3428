# pg_upgrade from each of some servers to the next.  What questions find by every kind of index and
# partition is what core's uuid finds in the same bytes: before, after, and after more has come.  The
# statements of doc/packages.md give the catalog of a fresh installation, with what came in 18.
# ./dev upgrade runs this, with the folders of the installations in IUID_INSTALLATIONS.
use strict;
use warnings;

use lib 'test/t';
use Catalog;
use File::Basename;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @installations = split ' ', $ENV{IUID_INSTALLATIONS} // '';
plan skip_all => 'SKIPPED: no installations are named; ./dev upgrade names them' unless @installations > 1;

my $check_btrees = q{
	SELECT count(bt_index_parent_check(indexrelid, heapallindexed => true, rootdescend => true)::text) > 40
	FROM pg_index JOIN pg_class ON oid = indexrelid
	WHERE relkind = 'i' AND relam = (SELECT oid FROM pg_am WHERE amname = 'btree')};
my $classes = q{
	SELECT amname, opcname, amvalidate(c.oid) FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = opcmethod
	WHERE opcintype = 'iuid'::regtype OR opcname = 'uuid_origin_ops' ORDER BY 1, 2};
# The planner takes one of the families that have an operator, by the order in which they were made.
my $plans = q{
	CREATE TEMP TABLE one AS SELECT gen_iuid(1, 1) AS id FROM generate_series(1, 1000);
	CREATE TEMP TABLE other AS TABLE one;
	CREATE TEMP TABLE by_origin (id uuid PRIMARY KEY) PARTITION BY RANGE (id uuid_origin_ops);
	CREATE TEMP TABLE by_origin_rest PARTITION OF by_origin DEFAULT;
	CREATE INDEX ON one (id);
	CREATE INDEX ON other (id);
	ANALYZE one, other;
	SET enable_hashjoin = off; SET enable_nestloop = off; SET enable_hashagg = off;
	EXPLAIN (VERBOSE, COSTS off) SELECT FROM one JOIN other USING (id);
	EXPLAIN (VERBOSE, COSTS off) SELECT FROM one WHERE id IN (SELECT id FROM other);
	EXPLAIN (VERBOSE, COSTS off) SELECT id FROM one FULL JOIN other USING (id) ORDER BY id;
	EXPLAIN (VERBOSE, COSTS off) SELECT id FROM one JOIN other USING (id) ORDER BY id LIMIT 9;
	EXPLAIN (VERBOSE, COSTS off) SELECT id FROM by_origin JOIN one USING (id) ORDER BY id;
	SET enable_indexscan = off; SET enable_indexonlyscan = off;
	EXPLAIN (VERBOSE, COSTS off) SELECT id FROM one FULL JOIN other USING (id) ORDER BY id};
# Rows past the ends of the partitions are there on purpose.
my $faults = q{
	SELECT parent, f FROM unnest('{by_time,by_uuid,by_both_c7,by_both_c8}'::regclass[]) AS parent, iuid_check_partitions(parent) AS f
	WHERE problem NOT IN ('rows before all partitions', 'rows after all partitions', 'rows in an open end')};

# What a condition on the second column of an index says of its first one: skipped over, value by value.
my $searches = q{
	CREATE TEMP TABLE line (order_id iuid, line int);
	INSERT INTO line SELECT gen_iuid(125, n % 8), n FROM generate_series(1, 8) AS n;
	INSERT INTO line SELECT order_id, n FROM line, generate_series(9, 4000) AS n;
	CREATE INDEX ON line (order_id, line);
	ANALYZE line;
	SET enable_seqscan = off;
	SET enable_bitmapscan = off;
	EXPLAIN (ANALYZE, COSTS off, TIMING off) SELECT * FROM line WHERE line = 1000};

sub start
{
	my ($name, $installation) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name, install_path => $installation);
	$node->init(extra => [ '--data-checksums', '--no-locale', '--encoding=UTF8' ]);
	$node->append_conf('postgresql.conf', 'fsync = off');
	$node->start;
	return $node;
}

sub run_file
{
	my ($node, $database, $name) = @_;
	my ($out, $err);
	my $done = $node->psql($database, slurp_file("test/upgrade/$name.sql"), stdout => \$out, stderr => \$err, on_error_stop => 1);
	is("$done $err", '0 ', "$name.sql runs");
	return $out;
}

# What must hold on a server whose questions have these answers.
sub check
{
	my ($node, $database, $expected) = @_;
	is(run_file($node, $database, 'answers'), $expected, 'the answers are those of uuid');
	is($node->safe_psql($database, $check_btrees), 't', 'every btree is in order and has every row');
	is($node->safe_psql($database, $faults), '', 'no partition is at fault');
}

# The same after more has come, whose identifiers are younger than all.
sub check_and_add
{
	my ($node, $database, $expected) = @_;
	check($node, $database, $expected);
	is($node->safe_psql($database, 'SELECT gen_iuid(0, 0) > newest, gen_iuid(0, 0) > newest::uuid FROM newest'), 't|t', 'new identifiers are past the old ones');
	run_file($node, $database, 'more');
	$expected = run_file($node, $database, 'oracle');
	check($node, $database, $expected);
	return $expected;
}

# Runs what doc/packages.md says is to be run after pg_upgrade to 18 or later, in each database.
sub add_what_came_in_18
{
	my ($node) = @_;
	my @databases = ('postgres', 'bare');
	my $searches_of = sub { return join ' ', map { $node->safe_psql($_, $searches) =~ /Index Searches: (\d+)/ ? $1 > 7 ? 'many' : $1 : 'not said' } @databases };
	my $members_of = sub { return join ' ', map { $node->safe_psql($_, q{
		SELECT count(*) FROM pg_amproc JOIN pg_opfamily AS f ON f.oid = amprocfamily JOIN pg_am AS a ON a.oid = opfmethod
		WHERE opfname LIKE 'iuid%' AND (amname, amprocnum) IN (('btree', 6), ('gist', 11), ('gist', 12))}) } @databases };
	my ($page) = slurp_file('doc/packages.md') =~ /^\*\*After pg_upgrade.*?^```sql needs [^\n]*\n(.*?)^```/ms;

	is($members_of->(), '0 0', 'the families lack what came in 18 before');
	for my $database (@databases)
	{
		is(($node->psql($database, $page, on_error_stop => 1))[0], 0, 'the statements of the page');
	}
	is($members_of->(), '3 3', 'and have it after');
	is($searches_of->(), 'many many', 'scans skip over the first column');
	return;
}

my $node = start('first', shift @installations);
run_file($node, 'postgres', 'objects');
# Nothing but the extensions.
my $extensions = 'CREATE EXTENSION iuid; CREATE EXTENSION iuid_regions; CREATE EXTENSION iuid_gist CASCADE';
$node->safe_psql('postgres', 'CREATE DATABASE bare');
$node->safe_psql('bare', $extensions);
my $expected = check_and_add($node, 'postgres', run_file($node, 'postgres', 'oracle'));
my $dump = $node->basedir . '/dump';
$node->command_ok([ "$installations[-1]/bin/pg_dump", '-Fc', '-f', $dump, $node->connstr('postgres') ], 'the newest pg_dump');
my $expected_of_dump = $expected;
my $before = $node->safe_psql('postgres', q{SELECT current_setting('server_version_num')::int / 10000});

for my $installation (@installations)
{
	my $new = start(basename($installation), $installation);
	# 17.12 sets an option on the columns of every table, and 18.6 does not know it.
	$node->safe_psql($_, q{UPDATE pg_attribute SET attoptions = NULL WHERE attoptions::text LIKE '%pg_attver=%'}) for 'postgres', 'bare';
	$_->stop for $node, $new;
	my ($out, $err) = run_command(
		[   "$installation/bin/pg_upgrade", '--no-sync',
			'-b', $node->config_data('--bindir'), '-B', "$installation/bin",
			'-d', $node->data_dir, '-D', $new->data_dir,
			'-s', $node->host, '-p', $node->port, '-P', $new->port ]);
	like($out, qr/^Upgrade Complete$/m, 'pg_upgrade to ' . basename($installation))
		or diag($err, map { slurp_file($_) } glob $new->data_dir . '/pg_upgrade_output.d/*/log/*_dump_*.log'), die;
	$node = $new;
	$node->start;
	$expected = check_and_add($node, 'postgres', $expected);
	my $major = $node->safe_psql('postgres', q{SELECT current_setting('server_version_num')::int / 10000});
	add_what_came_in_18($node) if $major >= 18 && $before < 18;
	$before = $major;
	$node->safe_psql('postgres', 'CREATE DATABASE fresh');
	$node->safe_psql('fresh', $extensions);
	is($node->safe_psql('postgres', $classes), $node->safe_psql('fresh', $classes), 'the operator classes are as valid as new ones');
	is($node->safe_psql('bare', $plans) =~ s/pg_temp_\d+//gr, $node->safe_psql('fresh', $plans) =~ s/pg_temp_\d+//gr, 'and plans are those of a fresh installation');
	is_catalog($node, 'bare', catalog_of($node, 'fresh'), 'and the extensions have the catalog of a fresh installation');
	$node->safe_psql('postgres', 'DROP DATABASE fresh');
	$node->stop;
	command_ok([ "$installation/bin/pg_checksums", '--check', '-D', $node->data_dir ], 'the checksums of all pages');
	$node->start;
}

$node->safe_psql('postgres', q{CREATE DATABASE restored; ALTER DATABASE restored SET iuid.node = 'almaty'});
$node->command_ok([ 'pg_restore', '-d', $node->connstr('restored'), $dump ], 'the dump of the first server restores on the last');
check_and_add($node, 'restored', $expected_of_dump);
$node->stop;
done_testing();
