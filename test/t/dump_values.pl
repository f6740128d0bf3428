# A dump restores: values, defaults, partitions of both orders, indexes of every class.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

# In a schema of its own, which no search_path names.
$node->safe_psql('postgres', 'CREATE DATABASE before');
$node->safe_psql('before', q{
	CREATE SCHEMA "Id Types";
	CREATE EXTENSION iuid SCHEMA "Id Types";
	SET search_path = "Id Types", public;
	CREATE TABLE public.orders (id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY,
			country int GENERATED ALWAYS AS (iuid_country(id)) STORED,
			CHECK (id >= timestamptz '2020-01-01 00:00+00'))
		PARTITION BY RANGE (id iuid_origin_ops);
	CREATE TABLE public.orders_c7 PARTITION OF public.orders
		FOR VALUES FROM (iuid_country_floor(7)) TO (iuid_country_floor(8))
		PARTITION BY RANGE (id);
	CREATE TABLE public.orders_c7_now PARTITION OF public.orders_c7
		FOR VALUES FROM (iuid_floor('2020-01-01 00:00+00')) TO (MAXVALUE);
	CREATE TABLE public.orders_c8 PARTITION OF public.orders
		FOR VALUES FROM (iuid_country_floor(8)) TO (iuid_country_floor(9));
	CREATE TABLE public.lines (order_id iuid REFERENCES public.orders, old uuid);
	CREATE INDEX ON public.lines USING hash (order_id);
	CREATE INDEX ON public.lines USING brin (order_id);
	CREATE INDEX ON public.lines USING brin (order_id iuid_minmax_multi_ops);
	CREATE INDEX ON public.lines USING brin (order_id iuid_bloom_ops);
	CREATE INDEX ON public.lines (order_id iuid_origin_ops) WHERE order_id <@ tstzrange('2026-01-01 00:00+00', NULL);
	CREATE TABLE public.shards (id iuid PRIMARY KEY) PARTITION BY HASH (id);
	CREATE TABLE public.shards_0 PARTITION OF public.shards FOR VALUES WITH (MODULUS 2, REMAINDER 0);
	CREATE TABLE public.shards_1 PARTITION OF public.shards FOR VALUES WITH (MODULUS 2, REMAINDER 1);
	CREATE VIEW public.seen AS SELECT id, iuid_timestamp(id) AS at FROM public.orders WHERE iuid_is_from(id, 7);
	INSERT INTO public.orders SELECT gen_iuid(7 + n % 2, 1) FROM generate_series(1, 1000) AS n;
	INSERT INTO public.lines SELECT id, id FROM public.orders;
	INSERT INTO public.shards SELECT id FROM public.orders});

my $dump = $node->basedir . '/before.sql';
my $again = $node->basedir . '/after.sql';
$node->command_ok([ 'pg_dump', '-f', $dump, $node->connstr('before') ], 'dump');
$node->safe_psql('postgres', 'CREATE DATABASE after');
$node->command_ok(
	[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $node->connstr('after') ],
	'restore, with the empty search_path that pg_dump sets');
$node->command_ok([ 'pg_dump', '-f', $again, $node->connstr('after') ], 'dump of the restored database');

# Each dump has a random key of its own in \restrict and \unrestrict.
my @dumps = map { s/^\\(un)?restrict .*$//gmr } map { slurp_file($_) } $dump, $again;
is($dumps[1], $dumps[0], 'both dumps are the same');
is( $node->safe_psql('after', 'INSERT INTO orders DEFAULT VALUES RETURNING country, tableoid::regclass'),
	'7|orders_c7_now', 'the restored default makes an identifier for the restored partition');
is($node->safe_psql('after', 'SELECT count(*) FROM seen'), '501', 'the restored view reads one country');

# What a dump cannot say: the page's query finds what does not restore, and nothing else.
my ($query) = slurp_file('doc/packages.md') =~ /^(WITH expressions .*?;)$/ms;
my $a = q{'019b76da-a87b-807d-8041-23456789abcd'};
my %lost = (
	'row <' => "(id, n) < ($a, 3)", 'row >=' => "(id, n) >= ($a, 3)", 'row <=, of three' => "(id, id, n) <= ($a, $a, 3)",
	'row of a uuid' => "(id, n) > ($a\::uuid, 3)", 'nested' => "NOT (n > 3 AND (id, n) > ($a, 3))",
	'nullif' => "nullif(id, $a) < timestamptz '2026-01-01 00:00+00'");
my %kept = (
	'row, not first' => "(n, id) > (3, $a)", 'row =' => "(id, n) = ($a, 3)", 'row of uuid' => "(id::uuid, n) > ($a, 3)",
	'row distinct' => "(id, n) IS DISTINCT FROM ($a, 3)", 'case' => "iuid_country(CASE WHEN id <> $a THEN id END) = 3",
	'case when' => "CASE id WHEN $a THEN true END", 'distinct' => "id IS DISTINCT FROM $a",
	'in' => "id IN ($a, '00000000-0000-0000-0000-000000000000')", 'between' => "id BETWEEN $a AND $a",
	'greatest' => "iuid_country(greatest(id, $a)) = 3", 'of others' => '(n, n) > (1, 2) AND nullif(n, 3) > 1',
	'time' => q{id <@ tstzrange('2026-01-01 00:00+00', NULL)}, 'array' => "ARRAY[id] \@> ARRAY[$a\::iuid]");
my %lost_query = (
	'in select' => 'SELECT id FROM a WHERE (id, n) IN (SELECT id, n FROM b)',
	'not in select' => 'SELECT id FROM a WHERE (id, n) NOT IN (SELECT id, n FROM b)',
	'not all' => 'SELECT id FROM a WHERE (id, n) <> ALL (SELECT id, n FROM b)',
	'any' => 'SELECT id FROM a WHERE (id, n) >= ANY (SELECT id, n FROM b)',
	'row select' => 'SELECT id FROM a WHERE (id, n) > (SELECT id, n FROM b)',
	'having' => "SELECT n FROM a GROUP BY n HAVING (max(id), n) > ($a, 3)",
	'in select of uuid' => 'SELECT id FROM a WHERE (id, n) IN (SELECT u, n FROM b)');
my %kept_query = (
	'not first' => 'SELECT id FROM a WHERE (n, id) IN (SELECT n, id FROM b)',
	'one' => 'SELECT id FROM a WHERE id IN (SELECT id FROM b) AND n > ALL (SELECT n FROM b)',
	'using' => 'SELECT id FROM a JOIN b USING (id)', 'full' => 'SELECT id FROM a FULL JOIN b USING (id)',
	'window' => q{SELECT count(*) OVER (ORDER BY id RANGE '1 day' PRECEDING) FROM a},
	'union' => 'SELECT id FROM a UNION SELECT id FROM b', 'order' => 'SELECT id FROM a ORDER BY id USING ~<~',
	'both columns of others' => 'SELECT id FROM a WHERE (n, n) IN (SELECT n, n FROM b)');
my (@definitions, %expected);
my $number = 0;
sub define
{
	my ($is_lost, %definition) = @_;
	push @definitions, values %definition;
	@expected{ keys %definition } = () if $is_lost;
}
for my $is_lost (0, 1)
{
	for my $condition (values %{ $is_lost ? \%lost : \%kept })
	{
		$number++;
		my $new = $condition =~ s/\b(id|n)\b/NEW.$1/gr;
		my $alone = $condition =~ s/\bid\b/$a\::iuid/gr =~ s/\bn\b/3/gr;
		my $sql = $condition =~ s/\bid\b/\$1/gr =~ s/\bn\b/\$2/gr;
		define($is_lost,
			"constraint check_$number on table checked_$number" =>
				"CREATE TABLE checked_$number (id iuid, n int, CONSTRAINT check_$number CHECK ($condition))",
			"default value for column g of table made_$number" =>
				"CREATE TABLE made_$number (id iuid, n int, g boolean GENERATED ALWAYS AS ($condition) STORED)",
			"index part_$number" => "CREATE INDEX part_$number ON a (n) WHERE $condition",
			"policy w_$number on table a" => "CREATE POLICY w_$number ON a FOR INSERT WITH CHECK ($condition)",
			"index expression_$number" => "CREATE INDEX expression_$number ON a (($condition))",
			"rule u_$number on table a" => "CREATE RULE u_$number AS ON UPDATE TO a WHERE $new DO ALSO DELETE FROM b",
			"function d_$number(boolean)" => qq{CREATE FUNCTION d_$number(boolean DEFAULT ($alone)) RETURNS void
				LANGUAGE sql AS ''},
			"statistics object s_$number" => "CREATE STATISTICS s_$number ON n, ($condition) FROM a",
			"policy p_$number on table a" => "CREATE POLICY p_$number ON a USING ($condition)",
			"rule _RETURN on view seen_$number" => "CREATE VIEW seen_$number AS SELECT n FROM a WHERE $condition",
			"trigger t_$number on table a" => qq{CREATE TRIGGER t_$number BEFORE INSERT ON a FOR EACH ROW WHEN ($new)
				EXECUTE FUNCTION suppress_redundant_updates_trigger()},
			"function f_$number(iuid,integer)" =>
				"CREATE FUNCTION f_$number(iuid, integer) RETURNS boolean LANGUAGE sql BEGIN ATOMIC SELECT $sql; END");
	}
	for my $select (values %{ $is_lost ? \%lost_query : \%kept_query })
	{
		$number++;
		define($is_lost,
			"rule _RETURN on view read_$number" => "CREATE VIEW read_$number AS $select",
			"function r_$number()" => "CREATE FUNCTION r_$number() RETURNS void LANGUAGE sql BEGIN ATOMIC $select; END");
	}
}
$node->safe_psql('postgres', $_) for 'CREATE DATABASE expressions', 'CREATE DATABASE lost';
$node->safe_psql('expressions', join ";\n", q{CREATE EXTENSION iuid; CREATE TABLE a (id iuid, n int);
	CREATE TABLE b (id iuid, n int, u uuid)}, @definitions);
$node->command_ok([ 'pg_dump', '-f', $dump, $node->connstr('expressions') ], 'dump of what a dump cannot say');
my $found = $node->safe_psql('expressions', $query);
PostgreSQL::Test::Utils::run_command([ 'psql', '-X', '-q', '-f', $dump, $node->connstr('lost') ]);
my $objects = q{
	SELECT pg_describe_object(classid, objid, 0) FROM (
		SELECT 'pg_class'::regclass, oid FROM pg_class WHERE relkind IN ('i', 'r')
		UNION ALL SELECT 'pg_constraint'::regclass, oid FROM pg_constraint
		UNION ALL SELECT 'pg_attrdef'::regclass, oid FROM pg_attrdef
		UNION ALL SELECT 'pg_policy'::regclass, oid FROM pg_policy
		UNION ALL SELECT 'pg_rewrite'::regclass, oid FROM pg_rewrite
		UNION ALL SELECT 'pg_trigger'::regclass, oid FROM pg_trigger
		UNION ALL SELECT 'pg_proc'::regclass, oid FROM pg_proc
		UNION ALL SELECT 'pg_statistic_ext'::regclass, oid FROM pg_statistic_ext) AS o(classid, objid)};
my %restored = map { $_ => 1 } split /\n/, $node->safe_psql('lost', $objects);
my @lost = grep { !$restored{$_} && !/^table / } split /\n/, $node->safe_psql('expressions', $objects);
is(join("\n", sort @lost), join("\n", sort keys %expected), 'what does not restore');
is(join("\n", sort split /\n/, $found), join("\n", sort @lost), 'is what the query finds');

# A node's own settings are those of its database; pg_dump -C has them.
$node->safe_psql('postgres', q{
	CREATE ROLE service;
	ALTER DATABASE before SET iuid.node = 'almaty';
	ALTER DATABASE before SET iuid.country = 9;
	ALTER ROLE service IN DATABASE before SET iuid.country = 10});
$node->command_ok([ 'pg_dump', '-C', '-f', $dump, $node->connstr('before') ], 'dump with the database');
$node->safe_psql('postgres', 'DROP DATABASE before');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $node->connstr('postgres') ],
	'restore with the database');
is( $node->safe_psql('before', q{SELECT current_setting('iuid.node'), "Id Types".iuid_country("Id Types".gen_iuid(1))}),
	'almaty|9', 'the settings of the database are there');
is( $node->safe_psql('before',
	q{SELECT array_to_string(setconfig, ' ') FROM pg_db_role_setting WHERE setrole = 'service'::regrole}),
	'iuid.country=10', 'and those of a role in it');

# A node of regions: views, foreign tables, open-ended partitions.
$node->safe_psql('postgres', q{
	CREATE DATABASE region;
	ALTER DATABASE region SET iuid.node = 'almaty';
	ALTER DATABASE region SET client_min_messages = warning});
$node->safe_psql('region', q{
	CREATE EXTENSION iuid_regions CASCADE;
	CREATE EXTENSION postgres_fdw;
	CREATE SERVER jakarta FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'iuid');
	INSERT INTO iuid_nodes VALUES ('almaty', NULL, NULL), ('jakarta', NULL, 'jakarta');
	INSERT INTO iuid_routes VALUES (7, NULL, 'almaty'), (8, NULL, 'almaty'), (9, NULL, 'jakarta');
	CREATE TABLE orders (id iuid PRIMARY KEY, item text) PARTITION BY RANGE (id iuid_origin_ops);
	CREATE TABLE orders_c8 (LIKE orders, CHECK (iuid_country(id) = 8));
	ALTER TABLE orders ATTACH PARTITION orders_c8 FOR VALUES FROM (iuid_country_floor(8)) TO (iuid_country_floor(9));
	SELECT iuid_create_routed_partitions('orders', 1, '1 month');
	SELECT iuid_create_global_table('orders_global', 'orders', 1);
	SELECT iuid_create_global_view('orders_all', 'orders');
	INSERT INTO orders SELECT gen_iuid(7 + abs(n) % 2, 1, now() + n * interval '1 month')
		FROM generate_series(-20, 20) AS n;
	-- the bounds of the open-ended ones are no longer those with which they were made
	SELECT iuid_create_partitions('orders_c7', '1 month', now() - interval '1 year', now() + interval '1 year')});
my (undef, $err) = PostgreSQL::Test::Utils::run_command([ 'pg_dump', '-f', $dump, '-d', $node->connstr('region') ]);
is($err, '', 'dump of a node of regions, without a warning');
$node->safe_psql('postgres', q{CREATE DATABASE restored; ALTER DATABASE restored SET iuid.node = 'almaty'});
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $node->connstr('restored') ],
	'it restores');
$node->command_ok([ 'pg_dump', '-f', $again, $node->connstr('restored') ], 'dump of the restored node');
# From 18 on NOT NULL has a name, too, which the server may choose anew.
@dumps = map { slurp_file($_) =~ s/^\\(un)?restrict .*$| CONSTRAINT \w+_not_null\d*(?= NOT NULL)//gmr } $dump, $again;
is($dumps[1], $dumps[0], 'both dumps are the same');
is( $node->safe_psql('restored', 'SELECT count(*), count(DISTINCT tableoid) > 10 FROM orders'),
	'41|t', 'with the rows');
is( $node->safe_psql('restored', q{SELECT iuid_create_global_table('orders_global', 'orders', 1);
	SELECT iuid_create_global_view('orders_all', 'orders')}),
	'', 'the tables and views are as they are to be');
is($node->safe_psql('restored', q{SELECT iuid_create_routed_partitions('orders', 1)}), '', 'so are the partitions');
# The extension goes with what was made of it, by CASCADE only.
isnt($node->psql('restored', 'DROP EXTENSION iuid_regions, iuid'), 0, 'the extensions do not go while they are in use');
$node->safe_psql('restored', 'SET client_min_messages = warning; DROP EXTENSION iuid_regions, iuid CASCADE');

$node->stop;
done_testing();
