# What changes through a global table are the rows that the statement reports, and
# no others: for an owner whose country is one table, and for one whose country is
# divided by time, where a row of each partition has the same ctid.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Three nodes, which are databases of one server: a client's own country is 1, the
# country of the leaf is 2, and that of the divided node is 3.
my @nodes = ('client', 'leaf', 'divided');
my $server = PostgreSQL::Test::Cluster->new('main');
$server->init;
$server->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'");
$server->start;
my $host = $server->host;
my $port = $server->port;

for my $node (@nodes)
{
	$server->safe_psql('postgres', "CREATE DATABASE $node");
	$server->safe_psql('postgres', "ALTER DATABASE $node SET iuid.node = '$node'");
	$server->safe_psql($node, q{
		SET client_min_messages = warning;
		CREATE EXTENSION iuid_regions CASCADE;
		CREATE EXTENSION postgres_fdw;
		INSERT INTO iuid_countries VALUES (1, 'C1', 'Client'), (2, 'C2', 'Leaf'), (3, 'C3', 'Divided');
		INSERT INTO iuid_nodes SELECT n, NULL, n FROM unnest('{client,leaf,divided}'::text[]) AS n;
		INSERT INTO iuid_routes VALUES (1, NULL, 'client'), (2, NULL, 'leaf'), (3, NULL, 'divided')});
	$server->safe_psql($node, qq{
		CREATE SERVER $_ FOREIGN DATA WRAPPER postgres_fdw
			OPTIONS (host '$host', port '$port', dbname '$_', extensions 'iuid');
		CREATE USER MAPPING FOR PUBLIC SERVER $_}) for @nodes;
	my $step = $node eq 'divided' ? ", '1 month'" : '';
	# Five orders a month: each has the ctid of one of another month.  They are
	# kept, to begin anew for each statement.
	$server->safe_psql($node, qq{
		SET client_min_messages = warning;
		CREATE TABLE orders (id iuid PRIMARY KEY, n int, note text, at timestamptz) PARTITION BY RANGE (id iuid_origin_ops);
		SELECT iuid_create_routed_partitions('orders', 1$step);
		SELECT iuid_create_global_table('orders_global', 'orders', 1);
		SELECT iuid_create_global_view('orders_everywhere', 'orders');
		CREATE TABLE kept AS SELECT iuid_from_name(country, 1, month || ' ' || n,
		date_trunc('month', now()) + month * interval '1 month' + interval '1 hour') AS id, month * 10 + n AS n
		FROM iuid_countries, generate_series(0, 2) AS month, generate_series(1, 5) AS n WHERE iuid_node(country, 1) = '$node';
		INSERT INTO orders (id, n, note) SELECT id, n, 'as it was' FROM kept ORDER BY n;});
}
is($server->safe_psql('divided', 'SELECT count(*), count(DISTINCT ctid), count(DISTINCT tableoid) FROM orders'),
	'15|5|3', 'a ctid is that of a row in each month');

# The rows of a node.
sub rows { return map { $_ => 1 } split /\n/, $server->safe_psql(shift, 'SELECT id, n, note, at FROM orders') }

# Runs a statement; returns what it reports, its error, and how many rows of each
# node came, went or changed, and puts all rows back.
sub run
{
	my ($sql) = @_;
	my %before = map { $_ => { rows($_) } } @nodes;
	my ($out, $err);
	$server->psql('client', "\\set QUIET off\n$sql", stdout => \$out, stderr => \$err, on_error_stop => 1);
	my %changed;
	for my $node (@nodes)
	{
		my %after = rows($node);
		my $gone = grep { !$after{$_} } keys %{ $before{$node} };
		my $come = grep { !$before{$node}{$_} } keys %after;
		$changed{$node} = $gone > $come ? $gone : $come;
		$server->safe_psql($node, q{DELETE FROM orders; VACUUM orders;
			INSERT INTO orders (id, n, note) SELECT id, n, 'as it was' FROM kept ORDER BY n})
			if $changed{$node};
	}
	return ($out, $err, \%changed);
}

# The tag of the last INSERT, UPDATE or DELETE has the number of rows.
sub reported
{
	my ($out) = @_;
	my @tags = $out =~ /^(?:INSERT 0|UPDATE|DELETE|MERGE) (\d+)$/mg;
	return @tags ? $tags[-1] : 0;
}

my %id = map { $_ => $server->safe_psql($_, 'SELECT id FROM orders WHERE n = 11') } @nodes;
my %country = (client => 1, leaf => 2, divided => 3);
# What is sent whole changes the row wherever it is.  What is not is an error where
# the country is divided; a leaf has one row for a ctid.
my @whole = (
	[ 'a constant', q{UPDATE orders_global SET note = 'x' WHERE id = $1} ],
	[ 'an expression', q{UPDATE orders_global SET n = n + 1, note = note || 'x' WHERE id = $1} ],
	[ 'the time, as a sub-query', q{UPDATE orders_global SET at = (SELECT now()) WHERE id = $1} ],
	[ 'the row, with RETURNING',
		q{WITH x AS (UPDATE orders_global SET note = 'x' WHERE id = $1 RETURNING id, note) SELECT count(*) FROM x}, 1 ],
	[ 'deletion', q{DELETE FROM orders_global WHERE id = $1} ],
	[ 'deletion, with RETURNING',
		q{WITH x AS (DELETE FROM orders_global WHERE id = $1 RETURNING *) SELECT count(*) FROM x}, 1 ],
	[ 'two conditions', q{UPDATE orders_global SET note = 'x' WHERE id = $1 AND n = 11} ]);
my @parts = (
	[ 'the time', q{UPDATE orders_global SET at = now() WHERE id = $1} ],
	[ 'a random number', q{UPDATE orders_global SET note = random()::text WHERE id = $1} ],
	[ 'FROM', q{UPDATE orders_global AS o SET note = v.note FROM (VALUES ('x')) AS v (note)
		WHERE o.id = $1 AND v.note <> clock_timestamp()::text} ],
	[ 'FROM a table', q{UPDATE orders_global AS o SET note = 'x' FROM kept AS k WHERE o.id = $1 AND k.n = o.n} ],
	[ 'USING', q{DELETE FROM orders_global AS o USING kept AS k WHERE o.id = $1 AND k.n = o.n} ],
	[ 'deletion by the present time', q{DELETE FROM orders_global WHERE id = $1 AND id < now() + interval '100 days'} ],
	[ 'a condition that stays here', q{UPDATE orders_global SET note = 'x' WHERE id = $1 AND note <> random()::text} ]);

for my $owner (@nodes)
{
	for my $how ('literal', 'custom', 'generic')
	{
		for my $case ((map { [ @$_[ 0, 1 ], 1, $_->[2] ] } @whole), map { [ @$_[ 0, 1 ], $owner ne 'divided', 0 ] } @parts)
		{
			my ($what, $sql, $works, $in_select) = @$case;
			$sql =~ s/\$1/'$id{$owner}'/ if $how eq 'literal';
			$sql = qq{SET plan_cache_mode = force_${how}_plan; PREPARE s (iuid) AS $sql;
				EXECUTE s ('$id{$owner}')} if $how ne 'literal';
			my ($out, $err, $changed) = run($sql);
			my $reported = $in_select ? ($out =~ /^(\d+)$/m)[0] // 0 : reported($out);
			my %expected = map { $_ => $_ eq $owner && $works ? 1 : 0 } @nodes;
			is_deeply($changed, \%expected, "$owner, $how: $what changes " . ($works ? 'its row' : 'nothing'))
				or diag "$out$err";
			is($reported, $works ? 1 : 0, 'and reports that') or diag $err;
			like($err, qr/operator does not exist: json = unknown/, 'and is the error of the manual') if !$works;
		}
	}
}

# Statements over many rows and nodes, and without a place.
my $new = $server->safe_psql('client', 'SELECT iuid_from_name(3, 1, $$new$$, now())');
for my $case (
	[ q{UPDATE orders_global SET note = 'x'}, 45, 15, 15, 15 ],
	[ q{UPDATE orders_global SET note = 'x' WHERE n BETWEEN 10 AND 19}, 15, 5, 5, 5 ],
	[ q{DELETE FROM orders_global WHERE iuid_is_from(id, 3)}, 15, 0, 0, 15 ],
	[ q{DELETE FROM orders_global WHERE id < timestamptz '2100-01-01' AND n = 3}, 3, 1, 1, 1 ],
	[ q{DELETE FROM orders_global WHERE id < (SELECT now() + interval '1 year')}, 45, 15, 15, 15 ],
	[ q{UPDATE orders_global_c3 SET note = 'x' WHERE n = 3}, 1, 0, 0, 1 ],
	[ q{INSERT INTO orders_global (id, n) SELECT iuid_from_name(c, 1, 'new', now()), 0 FROM generate_series(1, 3) AS c},
		3, 1, 1, 1 ],
	[ qq{INSERT INTO orders_global (id, n) VALUES ('$new', 0) ON CONFLICT DO NOTHING}, 1, 0, 0, 1 ],
	[ qq{INSERT INTO orders_global (id, n) VALUES ('$id{divided}', 0) ON CONFLICT DO NOTHING}, 0, 0, 0, 0 ],
	[ qq{SELECT FROM orders_global WHERE id = '$id{divided}' FOR UPDATE}, 0, 0, 0, 0 ],
	[ q{SELECT ctid FROM orders_global}, 0, 0, 0, 0 ],
	[ qq{UPDATE orders_global AS o SET note = 'x' FROM kept WHERE o.id = '$id{divided}' AND kept.n = -1}, 0, 0, 0, 0 ],
	[ qq{SELECT FROM orders_global WHERE n = 3 FOR NO KEY UPDATE}, 0, 0, 0, 0 ],
	# These fail, whoever refuses them.
	[ q{DELETE FROM orders_global WHERE id < now() + interval '1 year'}, undef ],
	[ q{UPDATE orders_global SET note = random()::text WHERE iuid_is_from(id, 3)}, undef ],
	[ q{UPDATE orders_global_c3 SET note = random()::text}, undef ],
	[ q{UPDATE orders_global_c3 SET note = 'x' WHERE ctid = '(0,1)'}, undef ],
	[ q{DELETE FROM orders_global_c3 AS a USING orders_global_c3 AS b WHERE a.ctid = b.ctid AND a.id < b.id}, undef ],
	[ qq{INSERT INTO orders_global (id, n) VALUES ('$id{divided}', 0)}, undef ],
	[ qq{INSERT INTO orders_global (id, n) VALUES ('$id{divided}', 0) ON CONFLICT (id) DO UPDATE SET note = 'x'}, undef ],
	[ qq{UPDATE orders_global SET id = iuid_from_name(2, 1, 'new', now()) WHERE id = '$id{divided}'}, undef ],
	[ qq{UPDATE orders_global SET id = '$id{divided}' WHERE n = 3}, undef ],
	[ qq{MERGE INTO orders_global AS o USING (SELECT 3 AS n) AS v ON o.n = v.n WHEN MATCHED THEN UPDATE SET note = 'x'},
		undef ],
	[ q{TRUNCATE orders_global}, undef ],
	[ q{UPDATE orders_everywhere SET note = 'x'}, undef ],
	[ q{DELETE FROM orders_everywhere_divided}, undef ],
	[ q{TRUNCATE orders_everywhere_divided}, undef ])
{
	my ($sql, $reports, @changes) = @$case;
	my ($out, $err, $changed) = run($sql);
	is_deeply([ @$changed{@nodes} ], [ defined $reports ? @changes[ 0 .. 2 ] : (0, 0, 0) ], $sql) or diag "$out$err";
	is(reported($out), $reports // 0, 'reports that');
	($reports, my $what) = defined $reports ? ('', 'without an error') : ('error', 'with an error');
	is($err =~ /ERROR/ ? 'error' : '', $reports, $what) or diag $err;
}

# A row that a session has locked through the global table waits for it.
my $locker = $server->background_psql('client');
$locker->query_safe("BEGIN; SELECT n FROM orders_global WHERE id = '$id{divided}' FOR UPDATE");
isnt($server->psql('divided', "SELECT FROM orders WHERE id = '$id{divided}' FOR UPDATE NOWAIT"),
	0, 'a row is locked at its node');
is($server->psql('divided', "SELECT FROM orders WHERE id <> '$id{divided}' FOR UPDATE NOWAIT"), 0, 'and no other row');
$locker->quit;

# Reads never ask for the place: not of all columns, not of rows, not for ANALYZE.
for my $sql ('SELECT * FROM orders_global', 'SELECT o FROM orders_global AS o', 'SELECT count(*) FROM orders_global',
	'TABLE orders_global_c3',
	'SELECT note FROM orders_global ORDER BY id DESC LIMIT 3', 'SELECT * FROM orders_everywhere', 'ANALYZE orders_global',
	'ANALYZE orders_everywhere_divided')
{
	is($server->psql('client', $sql, on_error_stop => 1), 0, "reads: $sql");
}

# With a generated column the server sends nothing whole.  Reads and INSERTs work,
# and what does not is an error.
for my $node (@nodes)
{
	$server->safe_psql($node, q{
		SET client_min_messages = warning;
		ALTER TABLE orders_global ADD COLUMN double int GENERATED ALWAYS AS (n * 2) STORED;
		SELECT iuid_create_routed_partitions('orders', 1)});
}
for my $owner ('leaf', 'divided')
{
	is($server->safe_psql('client', "SELECT double FROM orders_global WHERE id = '$id{$owner}'"),
		'22', "$owner: a generated column is read");
	my ($out, $err, $changed) = run(qq{INSERT INTO orders_global (id, n)
		VALUES (iuid_from_name($country{$owner}, 1, 'new', now()), 4) RETURNING double});
	is_deeply($changed, { (map { $_ => 0 } @nodes), $owner => 1 }, 'and made in a new row') or diag $err;
	like($out, qr/^8$/m, 'which is returned');
	($out, $err, $changed) = run("UPDATE orders_global SET n = 5 WHERE id = '$id{$owner}'");
	is_deeply($changed, { map { $_ => 0 } @nodes }, 'an UPDATE changes nothing');
	like($err, $owner eq 'leaf' ? qr/can only be updated to DEFAULT/ : qr/operator does not exist: json = unknown/,
		'and is an error');
}

$server->stop;
done_testing();
