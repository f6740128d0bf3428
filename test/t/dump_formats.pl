# Dumps, plain, custom and by four processes, restored, and pg_upgrade to a server of the same version: all
# tables, indexes, bounds, defaults and domains are the same, and so are all rows.  pg_dump says so of the
# definitions, and the server's own md5 of the rows.
#
# FAULT_ROUNDS=20 ./dev test dump_formats restores in parallel twenty times, in the place of once.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $rounds = $ENV{FAULT_ROUNDS} // 1;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'");
$node->start;
my $folder = $node->basedir;

# The extensions are in a schema of their own.
$node->safe_psql('postgres', q{CREATE DATABASE first; ALTER DATABASE first SET iuid.node = 'here'; CREATE ROLE keeper});
$node->safe_psql('first', q{
	SET client_min_messages = error;
	CREATE SCHEMA "Id Types"; CREATE SCHEMA shop AUTHORIZATION keeper;
	GRANT USAGE ON SCHEMA "Id Types" TO keeper;
	CREATE EXTENSION iuid SCHEMA "Id Types"; CREATE EXTENSION iuid_regions SCHEMA "Id Types";
	CREATE EXTENSION postgres_fdw;
	CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'iuid');
	GRANT USAGE ON FOREIGN SERVER there TO keeper;
	SET search_path = shop, "Id Types", public;
	SELECT iuid_register_iso_countries();
	INSERT INTO iuid_entities SELECT n, 'Ayan', 'Entity' || n FROM generate_series(1, 100) AS n;
	INSERT INTO iuid_nodes SELECT 'node ' || n, NULL, 'there' FROM generate_series(0, 9) AS n;
	INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', 'elsewhere', 'there');
	INSERT INTO iuid_routes SELECT n, e, 'node ' || n % 10 FROM generate_series(1, 100) AS n, generate_series(2, 20) AS e;
	INSERT INTO iuid_routes VALUES (250, NULL, 'there'), (251, NULL, 'here'), (252, NULL, 'here');
	GRANT SELECT, UPDATE ON iuid_routes TO keeper;

	SET ROLE keeper;
	CREATE DOMAIN order_id AS iuid CHECK (iuid_entity(VALUE::text::uuid) = 1);
	CREATE TABLE orders (
		id order_id DEFAULT gen_iuid(7, 1) PRIMARY KEY,
		made timestamptz GENERATED ALWAYS AS (iuid_timestamp(id)) STORED,
		country int GENERATED ALWAYS AS (iuid_country(id)) STORED,
		note text DEFAULT 'none', old uuid,
		CHECK (id >= timestamptz '2020-01-01 00:00+00'));
	CREATE INDEX ON orders USING hash (id);
	CREATE INDEX ON orders USING brin (id iuid_minmax_multi_ops);
	CREATE INDEX ON orders USING brin (id iuid_bloom_ops);
	CREATE INDEX ON orders (id iuid_origin_ops DESC) INCLUDE (note) WHERE id <@ tstzrange('2026-01-01 00:00+00', NULL);
	CREATE INDEX ON orders ((iuid_timestamp(id))) WHERE old = id;
	CREATE STATISTICS orders_stats (dependencies) ON country, made FROM orders;
	INSERT INTO orders (id, note, old) SELECT id, 'order ' || n, id FROM generate_series(1, 2000) AS n,
		iuid_from_name(n % 9, 1, n::text, timestamptz '2025-01-01' + n * interval '6 hours') AS id;

	CREATE TABLE log (id iuid DEFAULT gen_iuid(7, 3) PRIMARY KEY, order_id order_id) PARTITION BY RANGE (id);
	CREATE TABLE log_rest PARTITION OF log DEFAULT;
	SELECT iuid_create_partitions('log', '1 month', '2025-01-01', '2026-01-01');
	INSERT INTO log SELECT iuid_from_name(7, 3, note, made), id FROM orders;

	CREATE TABLE lines (id iuid PRIMARY KEY REFERENCES log, order_id order_id REFERENCES orders);
	INSERT INTO lines TABLE log;

	CREATE TABLE by_uuid (id uuid PRIMARY KEY, n int) PARTITION BY RANGE (id);
	SELECT iuid_create_partitions('by_uuid', '1 year', '2025-01-01', '2027-01-01');
	INSERT INTO by_uuid SELECT id, country FROM orders;

	CREATE TABLE shards (id iuid PRIMARY KEY, n int) PARTITION BY HASH (id);
	CREATE TABLE shards_0 PARTITION OF shards FOR VALUES WITH (MODULUS 3, REMAINDER 0);
	CREATE TABLE shards_1 PARTITION OF shards FOR VALUES WITH (MODULUS 3, REMAINDER 1);
	CREATE TABLE shards_2 PARTITION OF shards FOR VALUES WITH (MODULUS 3, REMAINDER 2);
	INSERT INTO shards SELECT id, country FROM orders;

	CREATE TABLE places (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id iuid_origin_ops);
	SELECT iuid_create_routed_partitions('places', 1, '1 year');
	INSERT INTO places SELECT iuid_from_name(251 + n % 2, 1, n::text, timestamptz '2020-01-01' + n * interval '1 day'),
		'place ' || n FROM generate_series(1, 1000) AS n;
	-- this bound is not the one with which the partition was made
	SELECT iuid_create_partitions('places_c251', '1 year', '2020-01-01', '2023-01-01');
	SELECT iuid_create_global_table('places_global', 'places', 1);
	SELECT iuid_create_global_view('places_all', 'places');

	CREATE TABLE kinds (ids iuid[], range iuid_tstzrange, one iuid, many order_id[]);
	INSERT INTO kinds SELECT array_agg(id), '[2026-01-01,2026-02-01)', min(id), array_agg(id) FROM orders;
	CREATE MATERIALIZED VIEW last AS SELECT max(id) AS id FROM orders WHERE iuid_is_from(id, 7);
	CREATE VIEW recent AS SELECT * FROM orders
		WHERE id >= now() - interval '1 day' AND id = ANY (SELECT order_id FROM log);
	CREATE FUNCTION last_order(OUT iuid) LANGUAGE sql BEGIN ATOMIC SELECT max(id) FROM orders; END;
	ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
	CREATE POLICY own ON orders USING (iuid_country(id) = 7)});

# The number and the md5 of the rows of each table, each partition by itself.
my $rows = $node->safe_psql('first', q{
	SELECT string_agg(format('SELECT %L, count(*), md5(string_agg(t::text, chr(10) ORDER BY t::text)) FROM ONLY %s AS t',
	oid::regclass, oid::regclass), ' UNION ALL ' ORDER BY oid::regclass::text)
	FROM pg_class WHERE relkind IN ('r', 'm') AND relnamespace IN ('shop'::regnamespace, '"Id Types"'::regnamespace)});
cmp_ok(scalar(() = $rows =~ /FROM ONLY/g), '>', 35, 'many tables');
sub sorted { return join "\n", sort grep { !/^--|^$/ } split /\n/, shift }
sub rows_of { return sorted($node->safe_psql(shift, "SET search_path = pg_catalog; $rows")) }

# Each dump has a random key of its own.  From 18 on NOT NULL has a name, which the server may choose anew.
sub definitions_of
{
	my $database = shift;
	$node->command_ok([ 'pg_dump', '--schema-only', '-f', "$folder/definitions", $node->connstr($database) ],
		"definitions of $database");
	return slurp_file("$folder/definitions") =~ s/^\\(un)?restrict .*$| CONSTRAINT \w+_not_null\d*(?= NOT NULL)//gmr;
}

my $expected_rows = rows_of('first');
my $expected_definitions = definitions_of('first');
like($expected_rows, qr/^shop\.orders\|2000\|/m, 'with rows');
like($expected_rows, qr/^"Id Types"\.iuid_routes\|1903\|/m, 'and routes');

# Restores into a database, and compares all with the first one.
my $number = 0;
sub restores
{
	my ($what, @command) = @_;
	my $database = 'restored_' . ++$number;
	$node->safe_psql('postgres', "CREATE DATABASE $database; ALTER DATABASE $database SET iuid.node = 'here'");
	my @there = map { $_ eq 'DATABASE' ? $node->connstr($database) : $_ } @command;
	my ($out, $err) = PostgreSQL::Test::Utils::run_command(\@there);
	is($err, '', "$what: no error and no warning");
	is(rows_of($database), $expected_rows, "$what: the rows");
	is(definitions_of($database), $expected_definitions, "$what: the definitions");
	is($node->safe_psql($database, q{SELECT "Id Types".iuid_node(100, 20), "Id Types".iuid_node(250, 9)}),
		'node 0|there', "$what: the routes");
	is($node->safe_psql($database, q{INSERT INTO shop.log VALUES (DEFAULT, NULL) RETURNING tableoid::regclass}),
		'shop.log_rest', "$what: a default makes an identifier");
	$node->safe_psql('postgres', "DROP DATABASE $database");
	return;
}

my $from = $node->connstr('first');
$node->command_ok([ 'pg_dump', '-f', "$folder/plain", $from ], 'plain dump');
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$folder/custom", $from ], 'custom dump');
$node->command_ok([ 'pg_dump', '-Fd', '-j', '4', '-f', "$folder/directory", $from ],
	'dump into a folder by four processes');
$node->command_ok([ 'pg_dump', '-Fc', '--load-via-partition-root', '-f', "$folder/root", $from ],
	'dump by partitioned tables');

restores('plain', 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-d', 'DATABASE', '-f', "$folder/plain");
restores($_, 'pg_restore', '-e', '-d', 'DATABASE', "$folder/$_") for 'custom', 'root';
for my $round (1 .. $rounds)
{
	restores("$_, by four processes, round $round", 'pg_restore', '-e', '-j', '4',
		'-d', 'DATABASE', "$folder/$_") for 'custom', 'directory';
}

# A dump names the schema of the extensions.  In a database that has them in another one, it fails at
# once, and all of it; with the other name in its place it restores.
$node->safe_psql('postgres', "CREATE DATABASE another; ALTER DATABASE another SET iuid.node = 'here'");
$node->safe_psql('another', q{CREATE SCHEMA another; CREATE EXTENSION iuid SCHEMA another;
	CREATE EXTENSION iuid_regions SCHEMA another});
my $before = definitions_of('another');
my ($out, $err) = PostgreSQL::Test::Utils::run_command(
	[ 'pg_restore', '-1', '-d', $node->connstr('another'), "$folder/custom" ]);
like($err, qr/"Id Types\.iuid(_routes)?" does not exist/, 'the extensions are in another schema: an error');
is(definitions_of('another'), $before, 'and nothing is restored');
append_to_file("$folder/another",
	slurp_file("$folder/plain") =~ s/"Id Types"/another/gr =~ s/^CREATE SCHEMA another;$//mr);
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-d', $node->connstr('another'),
	'-f', "$folder/another" ], 'with the name of that schema');
is(sorted($node->safe_psql('another', "SET search_path = pg_catalog; $rows" =~ s/"Id Types"/another/gr)),
	sorted($expected_rows =~ s/"Id Types"/another/gr), 'all rows are there');
is(sorted(definitions_of('another')), sorted($expected_definitions =~ s/"Id Types"/another/gr), 'and all definitions');
is($node->safe_psql('another', 'SELECT another.iuid_node(250, 9)'), 'there', 'and the routes');

# pg_upgrade restores the members of an extension one by one.
my $new = PostgreSQL::Test::Cluster->new('new');
$new->init;
$new->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'");
$node->stop;
my $programs = $node->config_data('--bindir');
PostgreSQL::Test::Utils::command_ok(
	[ 'pg_upgrade', '--no-sync', '-b', $programs, '-B', $programs, '-d', $node->data_dir, '-D', $new->data_dir,
		'-s', $node->host, '-p', $node->port, '-P', $new->port ], 'pg_upgrade');
$node = $new;
$node->start;
is(rows_of('first'), $expected_rows, 'pg_upgrade: the rows');
is(definitions_of('first'), $expected_definitions, 'pg_upgrade: the definitions');

$node->stop;
done_testing();
