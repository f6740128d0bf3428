# Logical replication, in text and in binary format, from a table in months into tables of other
# partitions: every value arrives, each row once, whatever both sides do with their partitions.
use strict;
use warnings;

use lib 'test/t';
use Faults;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $publisher = PostgreSQL::Test::Cluster->new('publisher');
$publisher->init(allows_streaming => 'logical');
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init(allows_streaming => 'logical');
for ($publisher, $subscriber)
{
	$_->append_conf('postgresql.conf',
		"timezone = 'UTC'\nlog_statement = none\nmax_replication_slots = 30\nmax_wal_senders = 30
		max_worker_processes = 40\nmax_logical_replication_workers = 30\nmax_sync_workers_per_subscription = 1");
	$_->start;
}
my $columns = q{(id iuid PRIMARY KEY, other iuid, own own_id, list iuid[], note text)};
my $types = q{
	CREATE EXTENSION iuid;
	CREATE DOMAIN own_id AS iuid CHECK (iuid_layout(VALUE) = 0);};
$publisher->safe_psql('postgres', "$types
	CREATE TABLE orders $columns PARTITION BY RANGE (id);
	CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
	SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-03-01');
	CREATE TABLE log (id iuid, own own_id, note text) PARTITION BY RANGE (id);
	ALTER TABLE log REPLICA IDENTITY FULL;
	CREATE TABLE log_rest PARTITION OF log DEFAULT;
	ALTER TABLE log_rest REPLICA IDENTITY FULL;
	CREATE PUBLICATION orders FOR TABLE orders, log WITH (publish_via_partition_root)");

# Identifiers at the edges, and of the layouts that may come one day.
my @edges =
	qw(00000000-0000-0000-0000-000000000000 00000000-0000-8000-8000-000000000000 00000000-0000-80ff-bfff-ffffffffffff
	019b76da-a87b-8007-8041-23456789abcd 019b76da-a87b-8107-8041-23456789abcd 019b76da-a87b-8207-8041-23456789abcd
	019b76da-a87b-8f07-8041-23456789abcd ffffffff-ffff-8fff-bfff-ffffffffffff ffffffff-ffff-ffff-ffff-ffffffffffff);
# Each in each column, and an array of all of them.
my $edges = q{INSERT INTO orders SELECT id, NULL, NULL, '{}', 'a key' FROM unnest(:all) AS id;
	INSERT INTO orders SELECT gen_iuid(7, 1, timestamptz '2026-01-01' + random() * interval '1 year'), id,
	CASE iuid_layout(id) WHEN 0 THEN id END, ARRAY[id, NULL], NULL
	FROM unnest(:all) AS id;
	INSERT INTO orders SELECT gen_iuid(7, 1), NULL, NULL, :all, string_agg(md5(random()::text), '')
		FROM generate_series(1, 300);
	INSERT INTO log SELECT id, NULL, n
		FROM unnest(:all) AS id, generate_series(1, 2) AS n;} =~ s/:all/"'{" . join(',', @edges) . "}'::iuid[]"/egr;
$publisher->safe_psql('postgres', $edges);

# What the subscribers have, each in a database of its own.
my %partitions = (
	plain => '',
	countries => q{PARTITION BY RANGE (id iuid_origin_ops);
		CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
		CREATE TABLE orders_c7 PARTITION OF orders FOR VALUES FROM (iuid_country_floor(7)) TO (iuid_country_floor(8))
			PARTITION BY RANGE (id);
		CREATE TABLE orders_c7_before PARTITION OF orders_c7 FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-02-01'));
		CREATE TABLE orders_c7_after PARTITION OF orders_c7 FOR VALUES FROM (iuid_floor('2026-02-01')) TO (MAXVALUE)},
	weeks => q{PARTITION BY RANGE (id); CREATE TABLE orders_rest PARTITION OF orders DEFAULT});
my @databases;
my $connection = $publisher->connstr . ' dbname=postgres';
for my $format ('text', 'binary')
{
	for my $kind (sort keys %partitions)
	{
		my $name = "${kind}_$format";
		push @databases, $name;
		$subscriber->safe_psql('postgres', "CREATE DATABASE $name");
		# The types have other OIDs than at the publisher.
		my $binary = $format eq 'binary' ? 1 : 0;
		$subscriber->safe_psql($name, "CREATE TYPE first AS ENUM (); $types CREATE TABLE orders $columns $partitions{$kind};
			CREATE TABLE log (id iuid, own own_id, note text);
			CREATE SUBSCRIPTION $name CONNECTION '$connection' PUBLICATION orders WITH (binary = $binary)");
	}
}
sub same
{
	my $what = shift;
	$publisher->wait_for_catchup($_) for @databases;
	for my $table ('orders', 'log')
	{
		my $content = qq{SELECT r FROM $table AS r ORDER BY r::text COLLATE "C"};
		my $expected = $publisher->safe_psql('postgres', $content);
		ok($subscriber->safe_psql($_, $content) eq $expected, "$what: $_ has the same $table") for @databases;
	}
	return;
}
$subscriber->wait_for_subscription_sync($publisher, $_, $_) for @databases;
same('the first copy');

# The same again, as changes; then every kind of change of these rows.
$publisher->safe_psql('postgres', "TRUNCATE orders, log; $edges");
same('INSERT');
$publisher->safe_psql('postgres', q{
	UPDATE orders SET other = own, own = NULL, list = list || other;
	UPDATE orders SET id = gen_iuid(8, 1, iuid_timestamp(id) + interval '40 days')
		WHERE iuid_is_from(id, 7) AND iuid_layout(id) = 0;
	UPDATE orders SET other = 'ffffffff-ffff-ffff-ffff-ffffffffffff' WHERE id = '00000000-0000-0000-0000-000000000000';
	DELETE FROM orders WHERE iuid_layout(id) > 1;
	UPDATE log SET own = id WHERE iuid_layout(id) = 0;
	DELETE FROM log WHERE note = '2' OR id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'});
same('UPDATE and DELETE');

# Sessions insert, change, move and delete, and both sides make partitions meanwhile.
my $script = $publisher->basedir . '/change.sql';
append_to_file($script, q{
	\set day random(0, 364)
	\set long random(0, 5)
	INSERT INTO orders
		VALUES (gen_iuid(7 + :client_id, 1, timestamptz '2026-01-01' + :day * interval '1 day'), NULL, NULL, NULL,
		(SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 100 * :long)));
	INSERT INTO log VALUES (gen_iuid(7 + :client_id, 1, timestamptz '2026-01-01' + :day * interval '1 day'), NULL, :day);
	SELECT id FROM orders WHERE iuid_is_from(id, 7 + :client_id)
		AND id >= timestamptz '2026-01-01' + :day * interval '1 day' ORDER BY id LIMIT 1 \gset
	UPDATE orders SET other = gen_iuid(7, 1) WHERE id = ':id';
	\set day random(0, 364)
	UPDATE orders SET id = gen_iuid(7 + :client_id, 1, timestamptz '2026-01-01' + :day * interval '1 day')
		WHERE id = ':id' AND :long < 3;
	DELETE FROM orders WHERE id = ':id' AND :long = 3;
	UPDATE log SET note = id::text WHERE note = ':day' AND iuid_is_from(id, 7 + :client_id);
});
my $out = '';
my $writers = IPC::Run::start([ 'pgbench', '-n', '-c', '3', '-R', '200', '-T', '600',
	'-f', $script, $publisher->connstr('postgres') ], '>', \$out, '2>', \$out);
for my $n (1 .. rounds(6))
{
	my $month = "timestamptz '2026-03-01' + $n * interval '1 month'";
	$publisher->safe_psql('postgres', qq{SET client_min_messages = warning;
		SELECT iuid_create_partitions('orders', '1 month', '2026-03-01', $month),
			iuid_create_partitions('log', '1 month', '2026-03-01', $month)});
	for my $format ('text', 'binary')
	{
		$subscriber->safe_psql("weeks_$format", qq{SET client_min_messages = warning;
			SELECT iuid_create_partitions('orders', '7 days', '2026-01-01', $month)});
		$subscriber->safe_psql("countries_$format", qq{SET client_min_messages = warning;
			SELECT iuid_create_partitions('orders_c7', '1 month', '2026-01-01', $month)});
	}
}
$writers->signal('TERM');
IPC::Run::finish($writers);
unlike($out, qr/ERROR|aborted/, 'no session has an error');
cmp_ok($publisher->safe_psql('postgres', 'SELECT count(*) FROM orders WHERE other IS NOT NULL'),
	'>', 100, 'they were at work');
same('while both sides made partitions');
is($publisher->safe_psql('postgres', q{SELECT (SELECT count(*) FROM orders_2026_04) > 0, count(*)
	FROM iuid_check_partitions('orders') WHERE problem !~ '^rows'}), 't|0', 'rows moved at the publisher');
is($subscriber->safe_psql('postgres', q{SELECT sum(apply_error_count) FROM pg_stat_subscription_stats}),
	'0', 'no change was refused');

# The registry, in binary format: the sessions of the subscriber follow.
$_->safe_psql('postgres', 'CREATE EXTENSION IF NOT EXISTS iuid; CREATE EXTENSION iuid_regions')
	for $publisher, $subscriber;
$publisher->safe_psql('postgres', q{
	INSERT INTO iuid_nodes VALUES ('almaty', NULL, NULL), ('mexico', NULL, NULL);
	INSERT INTO iuid_routes VALUES (7, NULL, 'almaty');
	CREATE PUBLICATION registry FOR TABLE iuid_countries, iuid_entities, iuid_nodes, iuid_routes});
my $session = $subscriber->background_psql('postgres');
is($session->query_safe('SELECT iuid_node(7, 1)'), '', 'no route');
$subscriber->safe_psql('postgres',
	"CREATE SUBSCRIPTION registry CONNECTION '$connection' PUBLICATION registry WITH (binary)");
$subscriber->wait_for_subscription_sync($publisher, 'registry');
is($session->query_safe('SELECT iuid_node(7, 1)'), 'almaty', 'the first copy');
$publisher->safe_psql('postgres', q{UPDATE iuid_routes SET node = 'mexico'});
$publisher->wait_for_catchup('registry');
is($session->query_safe('SELECT iuid_node(7, 1)'), 'mexico', 'a change');
$session->quit;

$_->stop for $subscriber, $publisher;
done_testing();
