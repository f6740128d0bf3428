# iuid_select_on_nodes() and iuid_find() give the rows of other nodes whole, in the row type that is
# asked for, or an error; never no row in the place of one.
use strict;
use warnings;

use lib 'test/t';
use FakeNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Each node is a database.  Countries 1 and 2 are those of north, and so on.
my @nodes = ('north', 'middle', 'south');
my $server = PostgreSQL::Test::Cluster->new('nodes');
$server->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$server->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\nlog_statement = none");
$server->start;
my $plain = q{SET client_min_messages = warning; SET datestyle = ISO; SET intervalstyle = postgres;
	SET timezone = 'UTC'};
sub at { my ($node, $sql) = @_; return $server->safe_psql($node, "$plain; $sql") }

# What a statement gives, or its SQLSTATE and its message with what follows.
sub attempt
{
	my ($node, $sql) = @_;
	my ($out, $err);
	my $status = $server->psql($node, "\\set VERBOSITY verbose\n$sql", stdout => \$out, stderr => \$err,
		on_error_stop => 1);
	return $status == 0 ? $out : $err =~ s/^.*?ERROR:  //sr;
}

my $types = q{
	CREATE TYPE mood AS ENUM ('sad', 'it''s, "ok"');
	CREATE TYPE pair AS (a int, b text);
	CREATE DOMAIN percent AS numeric(5, 2) CHECK (VALUE BETWEEN 0 AND 100)};
my @columns = (
	'id iuid PRIMARY KEY', 'flag boolean', 'small smallint', 'big bigint', 'exact numeric', 'cents numeric(10, 2)',
	'cash money', 'single real', 'double float8', 'note text', 'code char(5)', 'short varchar(9)', 'sign "char"',
	'ident name', 'bits bit(5)', 'varied varbit', 'bytes bytea', 'day date', 'clock time', 'zoned timetz',
	'moment timestamp', 'instant timestamptz', 'span interval', 'many interval[]', 'document json',
	'binary_document jsonb', 'path jsonpath', 'tree xml', 'one pair', 'pairs pair[]', 'feeling mood',
	'feelings mood[]', 'part percent', 'numbers int4range', 'times tstzmultirange', 'grid int[][]', 'spot point',
	'host inet', 'card macaddr8', 'words tsvector', 'search tsquery', 'table_name regclass', 'kind regtype',
	'place pg_lsn', 'other uuid', 'twice bigint GENERATED ALWAYS AS (small * 2) STORED');

for my $node (@nodes)
{
	$server->safe_psql('postgres', "CREATE DATABASE $node");
	$server->safe_psql('postgres', "ALTER DATABASE $node SET iuid.node = '$node'");
	at($node, q{
		CREATE EXTENSION iuid_regions CASCADE;
		CREATE EXTENSION postgres_fdw;
		INSERT INTO iuid_nodes SELECT n, NULL, n FROM unnest('{north,middle,south}'::text[]) AS n;
		INSERT INTO iuid_routes SELECT n, NULL, ('{north,middle,south}'::text[])[(n + 1) / 2]
			FROM generate_series(1, 6) AS n});
	for my $other (@nodes)
	{
		my ($host, $port) = ($server->host, $server->port);
		at($node, qq{
			CREATE SERVER $other FOREIGN DATA WRAPPER postgres_fdw
				OPTIONS (host '$host', port '$port', dbname '$other', extensions 'iuid');
			CREATE USER MAPPING FOR PUBLIC SERVER $other});
	}
	at($node, q{
		CREATE TABLE orders (id iuid PRIMARY KEY, customer int, note varchar(100)) PARTITION BY RANGE (id iuid_origin_ops);
		SELECT iuid_create_routed_partitions('orders', 3);
		SELECT iuid_create_global_table('orders_global', 'orders', 3);
		CREATE TABLE plain (id uuid PRIMARY KEY, n int);
		INSERT INTO orders SELECT iuid_from_name(country, 3, 'order', '2026-02-01'), 42, 'of ' || country FROM iuid_routes
			WHERE node = current_setting('iuid.node');
		INSERT INTO plain SELECT id, row_number() OVER () FROM orders});
	# The same table, but the columns stand in another order at each node, and one is dropped.
	my $turn = $node eq 'north' ? 0 : $node eq 'middle' ? 7 : 20;
	my @turned = (@columns[ $turn .. $#columns ], @columns[ 0 .. $turn - 1 ]);
	splice @turned, 3, 0, 'gone int';
	at($node, "$types; CREATE TABLE wide (" . join(', ', @turned) . '); ALTER TABLE wide DROP COLUMN gone');
}
my %id = map { $_ => at('north', "SELECT iuid_from_name($_, 3, 'order', '2026-02-01')") } 1 .. 7;

# --- Whole rows -----------------------------------------------------------------

my $names = join ', ', grep { $_ ne 'twice' } map { /^(\w+)/ } @columns;
at('middle', qq{INSERT INTO wide ($names) VALUES
	('$id{3}', true, -32768, -9223372036854775808, 'NaN', 12345678.90, '-92233720368547758.08', '-Infinity', 'NaN',
	E'a\\tb\\n"c", {d} \\\\ NULL', 'a', '', 'x', 'naïve', B'10101', B'', '\\x00ff27',
	'-infinity', '24:00', '23:59:59.999999+15:59', 'infinity',
	'0044-03-15 10:00:00 BC', '-1 year -2 days +03:04:05.678901', '{"1 mon -1 day",NULL,"-1 day -02:00"}',
	'{"a" : [1,  null]}', '{"b": 1e400}', '\$.a[*] ? (@ > 1)', '<a b="c">d</a>e', ROW(NULL, '('),
	ARRAY[ROW(1, 'x,y'), NULL]::pair[], 'it''s, "ok"', '{sad,NULL}', 12.50,
	'empty', '{[2026-01-01,infinity)}', '[0:1][3:4]={{1,2},{NULL,4}}', '(1e300,-0)', '::ffff:1.2.3.4/96',
	'08:00:2b:01:02:03:04:05', '''it''''s'':1A fat', 'a & !b:*',
	'pg_class', 'numeric(5,2)[]'::regtype, '16/B374D848', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
	('$id{4}', false, 32767, 9223372036854775807, 'Infinity', -0.01, '12.34', '1.17549435e-38', '4.9406564584124654e-324',
	'', '', 'NULL', '', '', B'00000', B'1', '', '5874897-12-31', '00:00', '00:00-15:59',
	'294276-12-31 23:59:59.999999', 'infinity', '178000000 years', '{}',
	'null', 'null', '\$', '', ROW('', NULL), '{}', 'sad', '{}', 0, '(,)', '{}', '{}', '(0,NaN)', '0.0.0.0/0',
	'ff:ff:ff:ff:ff:ff:ff:ff', '', '', '-', '-', '0/0', '00000000-0000-0000-0000-000000000000')} =~ s/ROW\(''/ROW(7/r);
at('middle', "INSERT INTO wide (id) VALUES ('$id{2}')");
my $all = 'SELECT ' . join(', ', map { /^(\w+)/ } @columns) . ' FROM %s ORDER BY id';
my $direct = at('middle', sprintf $all, 'wide');
is(scalar(split /\n(?=0)/, $direct), 3, 'three rows to compare');
# The settings of the node that asks, and of the one that answers, change nothing.
my @settings = ("datestyle = SQL, DMY", 'intervalstyle = sql_standard', 'extra_float_digits = -15',
	'bytea_output = escape', 'timezone = "Asia/Kathmandu"', 'search_path = pg_catalog, public',
	'xmloption = document', 'array_nulls = off', 'quote_all_identifiers = on');
# PostgreSQL 19 reads strings in one way only.
push @settings, 'standard_conforming_strings = off' if at('north', 'SHOW server_version_num') < 190000;
for my $kind ('plain', 'other', 'different')
{
	my $set = join '; ', map { "SET $_" } $kind eq 'other' ? @settings : ();
	at('postgres', join '; ', map { "ALTER DATABASE middle SET $_" } $kind ne 'plain' ? @settings : ());
	my $got = sub {
		my ($node, $call) = @_;
		return at($node, qq{CREATE TEMP TABLE got AS TABLE wide WITH NO DATA; $set;
			INSERT INTO got SELECT * FROM $call;
			RESET ALL; $plain; } . sprintf $all, 'got');
	};
	is($got->('north', q{iuid_select_on_nodes(NULL::wide, 'TABLE wide', '{middle}')}),
		$direct, "all types by iuid_select_on_nodes, $kind settings");
	is($got->('south', "iuid_find(NULL::wide, '$id{3}', '$id{4}')"),
		join("\n", (split /\n(?=0)/, $direct)[ 1, 2 ]), "all types by iuid_find, $kind settings");
}
at('postgres', join '; ', map { "ALTER DATABASE middle RESET " . s/ = .*//r } @settings);

# --- A query on nodes -------------------------------------------------------------

is(at('north', q{SELECT note FROM iuid_select_on_nodes(NULL::orders, 'SELECT * FROM orders') ORDER BY note}),
	join("\n", map { "of $_" } 1 .. 6), 'rows of all nodes');
is(at('north', q{SELECT note
	FROM iuid_select_on_nodes(NULL::orders, 'SELECT note, id, customer FROM orders', '{south,north}') ORDER BY note}),
	"of 1\nof 2\nof 5\nof 6", 'columns go by name');
is(at('north', q{SELECT count(*) FROM iuid_select_on_nodes(NULL::orders, 'SELECT * FROM orders WHERE false')}),
	'0', 'no rows');
at('north', 'CREATE TYPE counted AS (node text, orders bigint)');
is(at('north', q{SELECT * FROM iuid_select_on_nodes(NULL::counted,
	$$SELECT current_setting('iuid.node') AS node, count(*) AS orders FROM orders$$) ORDER BY 1}),
	"middle|2\nnorth|2\nsouth|2", 'a type of its own');

for my $where ('north', 'south')
{
	my $call = sub {
		my ($command, $rows) = @_;
		return attempt('north',
			'SELECT * FROM iuid_select_on_nodes(NULL::' . ($rows // 'orders') . ", \$c\$$command\$c\$, '{$where}')");
	};

	like($call->('SELECT id, customer FROM orders'),
		qr/^42703: .*node "$where" failed: .*no column "note".*character varying\(100\)/s, "$where: a column is missing");
	like($call->('SELECT *, 1 AS more FROM orders'), qr/^42703: .*row type has no column "more"/s,
		"$where: a column too many");
	like($call->('SELECT *, note FROM orders'), qr/^42703: .*row type has no column "note"|^42703: .*twice/s,
		"$where: a column twice");
	like($call->('SELECT id, customer::bigint, note FROM orders'),
		qr/^42804: .*column "customer".*type bigint.*type integer/s, "$where: another type");
	like($call->(q{INSERT INTO orders DEFAULT VALUES RETURNING *}), qr/^25006: /, "$where: INSERT");
	like($call->(q{WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone}),
		qr/^25006: /, "$where: a SELECT that deletes");
	like($call->(q{SELECT id, customer, set_config('transaction_read_only', 'off', false)::varchar(100) AS note
		FROM orders}), qr/^25001: /, "$where: not to be ended");
	like($call->(q{CREATE TABLE made AS SELECT 1}), qr/^25006: /, "$where: CREATE TABLE");
	like($call->(q{SELECT 1; SELECT 2}), qr/^42601: /, "$where: two statements");
	like($call->(q{SET work_mem = '1MB'}), qr/^42809: .*gives no rows/s, "$where: no rows at all");
	like($call->(q{SELECT * FROM missing}), qr/^42P01: .*"missing" does not exist/s, "$where: an error of the query");
	is(at($where, q{SELECT count(*), current_setting('transaction_read_only') FROM orders}),
		'2|off', "$where: nothing was changed");
}
# The code of a table's owner, such as a policy, runs in the session that another node keeps.
$server->safe_psql('north', q{CREATE ROLE asker; GRANT SELECT ON orders TO asker;
	GRANT USAGE ON FOREIGN SERVER south TO asker;
	CREATE USER MAPPING FOR asker SERVER south OPTIONS (user 'asker', password_required 'false')});
my $of_south = $server->safe_psql('south', q{ALTER ROLE asker LOGIN; GRANT SELECT ON orders TO asker;
	CREATE TABLE seen (id iuid); GRANT INSERT ON seen TO asker;
	CREATE SCHEMA decoys; CREATE TABLE decoys.orders (LIKE orders);
	GRANT USAGE ON SCHEMA decoys TO asker; GRANT SELECT ON decoys.orders TO asker;
	CREATE FUNCTION sets() RETURNS boolean LANGUAGE sql RETURN
		set_config('search_path', 'decoys', false) || set_config('role', 'asker', false)
		|| set_config('default_transaction_read_only', 'off', false) IS NOT NULL;
	CREATE FUNCTION writes(iuid) RETURNS boolean LANGUAGE plpgsql
	AS 'BEGIN INSERT INTO public.seen VALUES ($1); RETURN true; END';
	CREATE POLICY sets ON orders USING (sets()); ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
	SELECT id FROM orders LIMIT 1});
for my $read (q{iuid_select_on_nodes(NULL::orders, 'SELECT * FROM orders', '{south}')},
	"iuid_find(NULL::orders, '$of_south')")
{
	at('south', 'ALTER POLICY sets ON orders USING (sets())');
	is(at('north', qq{SET ROLE asker; SELECT count(*) > 0 FROM $read;
		SELECT result
		FROM iuid_run_on_nodes('SELECT current_setting(''search_path'') || current_setting(''role'')', '{south}')}),
		qq{t\n"\$user", publicnone}, "what it sets does not stay: $read");
	at('south', 'ALTER POLICY sets ON orders USING (writes(id))');
	like(attempt('north', "SET ROLE asker; SELECT FROM $read"), qr/^25006: /, "and it cannot write: $read");
}
at('south', 'ALTER TABLE orders DISABLE ROW LEVEL SECURITY');
my $then = q{SELECT iuid_run_on_nodes('SELECT set_config(''work_mem'', ''1234kB'', false)', '{south}'); COMMIT;
	SELECT result FROM iuid_run_on_nodes('SELECT current_setting(''work_mem'')', '{south}')};
like(at('north', "BEGIN; $then"), qr/^1234kB$/m, 'what a command sets stays in the connection');
unlike(at('north', "BEGIN READ ONLY; $then"), qr/^1234kB$/m, 'but for a READ ONLY transaction');
is(at('north', q{BEGIN; SELECT FROM iuid_select_on_nodes(NULL::orders, 'TABLE orders');
	INSERT INTO plain VALUES (gen_random_uuid(), 3); ROLLBACK; SELECT 'written'}) =~ s/\n//gr,
	'written', 'the transaction of the caller may write afterwards');
for my $case ([ 'NULL::orders, NULL', '22004' ], [ q{NULL::orders, 'SELECT 1', '{west}'}, '22023' ],
	[ q{NULL::orders, 'SELECT 1', timeout => '0'}, '22023' ],
	[ q{NULL::orders, 'SELECT 1', skip_failed => NULL}, '22004' ], [ q{1, 'SELECT 1'}, '42804' ],
	[ q{NULL::record, 'SELECT 1'}, '42804|0A000|42601' ], [ q{ROW(1), 'SELECT 1'}, '42804|42601' ])
{
	like(attempt('north', "SELECT * FROM iuid_select_on_nodes($case->[0])"), qr/^($case->[1]): /, "($case->[0])");
}

# A node that fails.
at('north', q{CREATE SERVER gone FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '/nowhere', dbname 'shop');
	CREATE USER MAPPING FOR PUBLIC SERVER gone;
	INSERT INTO iuid_nodes VALUES ('gone', NULL, 'gone'); INSERT INTO iuid_routes VALUES (7, NULL, 'gone')});
like(attempt('north', q{SELECT * FROM iuid_select_on_nodes(NULL::orders, 'TABLE orders')}),
	qr/^08001: .*node "gone" failed: /s, 'a node that is down is an error');
my ($out, $err);
$server->psql('north', q{SELECT count(*) FROM iuid_select_on_nodes(NULL::orders, 'TABLE orders', skip_failed => true)},
	stdout => \$out, stderr => \$err);
is($out, '6', 'or it is left out');
like($err, qr/WARNING: .*node "gone" failed: /, 'with a warning that names it');

# --- Rows by their identifiers ------------------------------------------------------

sub found
{
	my ($node, $ids, $rows) = @_;
	return at($node, 'SELECT note FROM iuid_find(NULL::' . ($rows // 'orders') . ", $ids) ORDER BY note");
}

for my $rows ('orders', 'orders_global')
{
	is(found('north', "'$id{1}'", $rows), 'of 1', "$rows: of this node");
	is(found('north', "'$id{3}'", $rows), 'of 3', "$rows: of another node");
	is(found('north', join(', ', map { "'$id{$_}'" } 1 .. 6), $rows), join("\n", map { "of $_" } 1 .. 6),
		"$rows: of all nodes");
}
is(found('north', "'$id{3}', NULL, '$id{3}', '$id{1}', '$id{1}'"),
	"of 1\nof 3", 'NULL is none, and twice the same is one');
is(found('north', 'NULL'), '', 'NULL alone');
is(found('north', 'VARIADIC NULL'), '', 'NULL as the array');
is(found('north', "VARIADIC '{}'"), '', 'no identifier');
is(found('north', "VARIADIC '{$id{5},$id{2}}'"), "of 2\nof 5", 'an array');
is(found('north', "VARIADIC ARRAY['$id{5}', '$id{2}']::uuid[]"), "of 2\nof 5", 'an array of uuid');
is(found('north', "iuid '$id{4}', uuid '$id{5}'"), "of 4\nof 5", 'an iuid and a uuid');
for my $case ([ '', '$1' ], [ '(iuid)', '$1' ], [ '(uuid)', '$1' ], [ '(text)', '$1::uuid' ])
{
	my ($types, $parameter) = @$case;
	is(at('north', "PREPARE p $types AS SELECT note FROM iuid_find(NULL::orders, $parameter); EXECUTE p ('$id{6}')"),
		'of 6', "a parameter: $types $parameter");
}
is(at('north', qq{PREPARE p (uuid[]) AS SELECT note FROM iuid_find(NULL::orders, VARIADIC \$1) ORDER BY 1;
	EXECUTE p ('{$id{6},$id{1}}')}), "of 1\nof 6", 'a parameter that is an array');
is(at('north', "SELECT f.n FROM iuid_find(NULL::plain, '$id{3}') AS f"), '1', 'a table with a key of type uuid');
my $absent = at('north', q{SELECT iuid_from_name(3, 3, 'another', '2026-02-01')});
is(found('north', "'$absent'"), '', 'no such row');
like(attempt('north', "SELECT FROM iuid_find(NULL::orders, gen_random_uuid())"),
	qr/^22023: uuid ".*" is not an iuid/, 'a uuid that is no iuid');
like(attempt('north', "SELECT FROM iuid_find(NULL::orders, gen_iuid(9, 1))"),
	qr/^22023: identifier .* has no route.*"north"/s, 'no route');
at('north', q{INSERT INTO iuid_routes VALUES (0, NULL, 'north')});
like(attempt('north', "SELECT FROM iuid_find(NULL::orders, '00000000-0000-0000-0000-000000000000')"),
	qr/^22023: identifier .* has no route/, 'an identifier without a country, though country 0 has a route');
at('north', 'DELETE FROM iuid_routes WHERE country = 0');
like(attempt('north', "SELECT iuid_find_here('public.orders', '{id}', '{public.iuid}', '{$_}', '{north,north}')"),
	qr/^2202E: /, 'other numbers of nodes and of identifiers') for $id{1}, "$id{1},$id{2},$id{1}";
like(attempt('north', "SELECT FROM iuid_find(NULL::orders, '$id{7}', '$id{1}')"),
	qr/^08001: .*node "gone"/s, 'a node that is down');
like(attempt('north', q{SELECT FROM iuid_select_on_nodes(NULL::orders, 'SELECT 1; SELECT 2', '{gone}')}),
	qr/^42601: /, 'two statements, before a node is asked');
like(attempt('north', q{SELECT iuid_select_here('SELECT 1 AS n; SELECT 2 AS n', '{n}', '{integer}')}),
	qr/^42601: /, 'and where they come from a node');
like(attempt('north', "SELECT FROM iuid_find(NULL::pg_stat_activity, '$id{1}')"), qr/^42809: /, 'a view');
at('north', 'CREATE VIEW seen AS SELECT * FROM orders');
like(attempt('north', "SELECT iuid_find_here('public.seen', '{id}', '{public.iuid}', '{$id{1}}', '{north}')"),
	qr/^42809: .*seen is not a table/, 'a view by the name that another node gives');
like(attempt('north', "SELECT FROM iuid_find(NULL::counted, '$id{1}')"), qr/^42809: /, 'a type that is no table');
like(attempt('north', "SELECT FROM iuid_find(NULL::pg_class, '$id{1}')"),
	qr/^42809: .*no key/s, 'a table with another key');
at('north', q{CREATE TABLE paired (id iuid, n int, PRIMARY KEY (id, n)) PARTITION BY RANGE (id);
	CREATE TABLE unkeyed (n int, id iuid) PARTITION BY RANGE (id);
	CREATE TABLE unkeyed_rest PARTITION OF unkeyed DEFAULT});
like(attempt('north', "SELECT FROM iuid_find(NULL::paired, '$id{1}')"),
	qr/^42809: .*no key/s, 'a table with a primary key of two columns');
is(at('north', qq{INSERT INTO unkeyed VALUES (1, '$id{1}'), (2, '$id{2}');
	SELECT n FROM iuid_find(NULL::unkeyed, '$id{2}')}), '2', 'a table whose partition key is its one key');
is(at('north', qq{CREATE TABLE deferred (id iuid PRIMARY KEY DEFERRABLE INITIALLY DEFERRED, n int);
	INSERT INTO deferred VALUES ('$id{1}', 1); SELECT n FROM iuid_find(NULL::deferred, '$id{1}')}),
	'1', 'a table whose primary key is deferrable');

# The rights and policies here are those of the caller.
at('north', q{CREATE ROLE reader LOGIN; GRANT SELECT (id, customer) ON orders TO reader;
	CREATE TABLE own_part (id iuid PRIMARY KEY, customer int); GRANT SELECT ON own_part TO reader;
	ALTER TABLE own_part ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON own_part USING (customer = 1)});
at('north', "INSERT INTO own_part VALUES ('$id{1}', 1), ('$id{2}', 2)");
like(attempt('north', "SET ROLE reader; SELECT FROM iuid_find(NULL::orders, '$id{1}')"),
	qr/^42501: /, 'a column that the caller may not read');
is(at('north', "SET ROLE reader; SELECT customer FROM iuid_find(NULL::own_part, '$id{1}', '$id{2}')"),
	'1', 'a policy holds');

# Code that a column brings along runs as the owner of the table, on rows of other nodes; those of
# this node are as they stand.
at('north', 'CREATE ROLE owner');
at($_, q{GRANT CREATE ON SCHEMA public TO owner; SET ROLE owner;
	CREATE FUNCTION say(v int) RETURNS boolean LANGUAGE plpgsql
		AS $$ BEGIN RAISE WARNING 'as %', current_user; RETURN true; END $$;
	CREATE DOMAIN said AS int CHECK (say(VALUE));
	SET client_min_messages = error; CREATE TABLE telling (id iuid PRIMARY KEY, n said)}) for qw(north middle);
at($_->[0], "SET client_min_messages = error; INSERT INTO telling VALUES ('$_->[1]', 1)")
	for [ north => $id{1} ], [ middle => $id{3} ];
for my $call ("iuid_find(NULL::telling, '$id{3}')", q{iuid_select_on_nodes(NULL::telling, 'TABLE telling', '{north}')})
{
	my (undef, $rows, $said) = $server->psql('north', "SELECT n FROM $call");
	is($rows, '1', "$call: the row");
	like($said, qr/WARNING:  as owner/, "$call: the code of the owner");
	unlike($said, qr/as (?!owner)/, "$call: as nobody else");
}
is(join('|', ($server->psql('north', "SELECT n FROM iuid_find(NULL::telling, '$id{1}')"))[1, 2]),
	'1|', 'a row of this node: no code');

# The rows here are those of the caller's snapshot.
is(at('north', qq{
	WITH changed AS (UPDATE orders SET note = 'new' WHERE id = '$id{1}' RETURNING id)
		SELECT f.note FROM changed, iuid_find(NULL::orders, changed.id) AS f;
	UPDATE orders SET note = 'of 1' WHERE id = '$id{1}'}),
	'of 1', 'as of the statement');

{
	my $cursor = $server->background_psql('north');
	$cursor->query_safe("BEGIN; DECLARE c CURSOR FOR SELECT note FROM iuid_find(NULL::orders, '$id{1}')");
	at('north', "UPDATE orders SET note = 'new' WHERE id = '$id{1}'");
	is($cursor->query_safe('FETCH c'), 'of 1', 'as of the cursor');
	$cursor->quit;
	at('north', "UPDATE orders SET note = 'of 1' WHERE id = '$id{1}'");
}

# What a query of the node north gives that waits for maintenance of a holder, which makes February's
# partition of the table country.
sub found_beside_maintenance
{
	my ($holder, $query) = @_;
	my $maintenance = $server->background_psql($holder);
	$maintenance->query_safe(q{SET client_min_messages = warning; BEGIN;
		SELECT iuid_create_partitions('country', '1 month', '2026-02-01', '2026-03-01')});
	my $finding = IPC::Run::start([ 'psql', '-XAt', '-d', $server->connstr('north'), '-c', $query ],
		'>', \my $found);
	$server->poll_query_until($holder, q{SELECT count(*) > 0 FROM pg_locks WHERE NOT granted});
	$maintenance->query_safe('COMMIT');
	$maintenance->quit;
	IPC::Run::finish($finding);
	return $found;
}

# Who waits for maintenance that moves the row finds it where it is then.
for my $holder ('north', 'middle')
{
	my $id = $id{$holder eq 'north' ? 1 : 3};
	at($_, q{CREATE TABLE divided (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops)})
		for 'north', $holder eq 'north' ? () : $holder;
	at($holder, qq{
		CREATE TABLE country PARTITION OF divided
			FOR VALUES FROM (iuid_country_floor(iuid_country('$id'))) TO (iuid_country_floor(iuid_country('$id') + 1))
			PARTITION BY RANGE (id);
		CREATE TABLE country_rest PARTITION OF country DEFAULT; INSERT INTO divided VALUES ('$id')});
	is(found_beside_maintenance($holder, "SELECT f.* FROM iuid_find(NULL::divided, '$id') AS f"), "$id\n",
		"who waits for maintenance of $holder finds the row that it moved");
	at($_, 'DROP TABLE divided') for 'north', $holder eq 'north' ? () : $holder;
}

# Two rows of one identifier do not stand for one of another, which maintenance moves.
for my $holder ('north', 'middle')
{
	my $country = $holder eq 'north' ? 1 : 3;
	my $twice = at('north', "SELECT iuid_from_name($country, 3, 'twice', '2026-07-01')");
	at($_, q{CREATE TABLE keyless (id iuid) PARTITION BY RANGE (id iuid_origin_ops)})
		for 'north', $holder eq 'north' ? () : $holder;
	at($holder, qq{
		CREATE TABLE country PARTITION OF keyless
			FOR VALUES FROM (iuid_country_floor($country)) TO (iuid_country_floor($country + 1)) PARTITION BY RANGE (id);
		CREATE TABLE country_rest PARTITION OF country DEFAULT;
		SELECT iuid_create_partitions('country', '1 month', '2026-07-01', '2026-08-01');
		INSERT INTO keyless VALUES ('$id{$country}'), ('$twice'), ('$twice')});
	is(found_beside_maintenance($holder,
		"SELECT f.* FROM iuid_find(NULL::keyless, '$id{$country}', '$twice') AS f ORDER BY 1"),
		"$id{$country}\n$twice\n$twice\n", "$holder: a row that is moved, beside two of one identifier");
	at($_, 'DROP TABLE keyless') for 'north', $holder eq 'north' ? () : $holder;
}

# Who waits for a column to be dropped here finds the rows of other nodes as it has asked for them.
{
	my $found = '';
	at($_, "CREATE TABLE shrinking (id iuid PRIMARY KEY, n int, gone int); INSERT INTO shrinking VALUES ('$id{3}', 33, 1)")
		for 'north', 'middle';
	my $dropping = $server->background_psql('north');
	$dropping->query_safe('SELECT pg_advisory_lock(1)');
	my $find = "SELECT f.n FROM iuid_find(NULL::shrinking, '$id{3}') AS f";
	my $finding = IPC::Run::start([ 'psql', '-XAt', '-d', $server->connstr('north'), '-c', $find,
		'-c', 'SELECT FROM pg_advisory_lock(1)', '-c', $find ], '>', \$found, '2>&1');
	my $wait = sub {
		$server->poll_query_until('north', "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND locktype = '$_[0]'");
	};
	$wait->('advisory');
	$dropping->query_safe('BEGIN; ALTER TABLE shrinking DROP COLUMN gone; SELECT pg_advisory_unlock(1)');
	$wait->('relation');
	$dropping->query_safe('COMMIT');
	$dropping->quit;
	IPC::Run::finish($finding);
	like($found, qr/^33\nERROR:  cached plan must not change result type/, 'who waits for a column to be dropped');
}

# A table that becomes a view, while a look-up waits for another one, is not read: the view would run
# its owner's code.
{
	my ($found, $renamed) = ('', '');
	at('north', qq{CREATE TABLE honest (id iuid PRIMARY KEY, note text); INSERT INTO honest VALUES ('$id{1}', 'honest')});
	my $until = sub {
		$server->poll_query_until('north', qq{
			SELECT $_[0] FROM (SELECT count(*) FILTER (WHERE locktype = 'relation') AS tables,
				count(*) FILTER (WHERE locktype = 'advisory') AS advisory FROM pg_locks WHERE NOT granted) AS waits});
	};
	my $find = "SELECT f.note FROM iuid_find(NULL::honest, '$id{1}') AS f";
	my $holding = $server->background_psql('north');
	$holding->query_safe('SELECT pg_advisory_lock(1), pg_advisory_lock(2)');
	# The first call has the row type in the session.
	my $finding = IPC::Run::start([ 'psql', '-XAt', '-d', $server->connstr('north'), '-c', $find,
		'-c', 'SELECT FROM pg_advisory_lock(1)', '-c', $find ], '>', \$found, '2>&1');
	$until->('advisory = 1');
	$holding->query_safe('BEGIN; LOCK TABLE iuid_nodes; SELECT pg_advisory_unlock(1)');
	$until->('tables = 1');
	my $renaming = IPC::Run::start([ 'psql', '-XAt', '-d', $server->connstr('north'), '-c', q{
		BEGIN;
		ALTER TABLE honest RENAME TO once_honest;
		CREATE VIEW honest AS SELECT id, 'of a view' AS note FROM once_honest;
		SELECT FROM pg_advisory_lock(2);
		COMMIT} ], '>', \$renamed, '2>&1');
	$until->('tables = 2 OR advisory = 1');
	$holding->query_safe('COMMIT');
	$until->(q{advisory = 1 AND (tables = 1 OR NOT EXISTS (SELECT FROM pg_stat_activity
		WHERE query LIKE '%iuid_find%' AND state = 'active' AND pid <> pg_backend_pid()))});
	$holding->query_safe('SELECT pg_advisory_unlock(2)');
	IPC::Run::finish($_) for $finding, $renaming;
	$holding->quit;
	is($found, "honest\nhonest\n", 'who waits for the registry reads the table that was checked');
}

# A table that is dropped while a look-up waits for it.
{
	my $found = '';
	at('north', qq{CREATE TABLE going (id iuid PRIMARY KEY); INSERT INTO going VALUES ('$id{1}')});
	my $find = "SELECT f.id FROM iuid_find(NULL::going, '$id{1}') AS f";
	my $dropping = $server->background_psql('north');
	$dropping->query_safe('SELECT pg_advisory_lock(1)');
	my $finding = IPC::Run::start([ 'psql', '-XAt', '-d', $server->connstr('north'), '-v', 'VERBOSITY=sqlstate',
		'-c', "PREPARE p AS $find", '-c', 'EXECUTE p', '-c', 'SELECT FROM pg_advisory_lock(1)', '-c', 'EXECUTE p' ],
		'>', \$found, '2>&1');
	$server->poll_query_until('north', q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND locktype = 'advisory'});
	$dropping->query_safe('BEGIN; LOCK TABLE going; SELECT pg_advisory_unlock(1)');
	$server->poll_query_until('north', q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND locktype = 'relation'});
	$dropping->query_safe('DROP TABLE going; COMMIT');
	$dropping->quit;
	IPC::Run::finish($finding);
	is($found, "PREPARE\n$id{1}\nERROR:  42P01\n", 'who waits for a table that is dropped');
}

# An identifier can be in a table and in one that inherits from it, at whatever node.
at($_, 'CREATE TABLE above (id iuid PRIMARY KEY, n int); CREATE TABLE below (PRIMARY KEY (id)) INHERITS (above)')
	for qw(north middle);
at($_->[0], "INSERT INTO above VALUES ('$_->[1]', 1); INSERT INTO below VALUES ('$_->[1]', 2)")
	for [ north => $id{1} ], [ middle => $id{3} ];
is(at('north', "SELECT n FROM iuid_find(NULL::above, '$_') ORDER BY 1"),
	"1\n2", 'a table with one that inherits from it') for @id{1, 3};

# Rows that are more than fits into memory at once are the same.
for my $memory ('64kB', '256kB', '4MB')
{
	is(at('north', qq{SET work_mem = '$memory'; SELECT count(*), count(*) FILTER (WHERE v = n || repeat(md5(n), 80))
		FROM iuid_select_here('SELECT n::text, n || repeat(md5(n::text), 80) AS v FROM generate_series(1, 5000) AS n',
			'{n,v}', '{pg_catalog.text,pg_catalog.text}') AS r (n text, v text)}),
		'5000|5000', "rows of a query, with work_mem $memory");
}
my $of_country = sub {
	my ($country) = @_;
	return "SELECT iuid_from_name($country, 3, n::text, '2026-02-01')::uuid FROM generate_series(1, 5000) AS n";
};
at('north', 'CREATE TABLE long (id iuid PRIMARY KEY, v text)');
at('middle', q{CREATE TABLE long (id iuid PRIMARY KEY, v text);
	INSERT INTO long SELECT id, repeat(md5(id::text), 40) FROM (} . $of_country->(3) . ') AS x (id)');
is(at('north', q{SELECT count(*), count(*) FILTER (WHERE v = repeat(md5(id::text), 40))
	FROM iuid_find(NULL::long, VARIADIC ARRAY(} . $of_country->(3) . '))'),
	'5000|5000', '5,000 rows of 6 MB, of another node');

# --- Registries that differ -------------------------------------------------------------

# The node that is asked knows where the country has gone.
at('middle', q{UPDATE iuid_routes SET node = 'south' WHERE country = 3});
at('south', "INSERT INTO plain VALUES ('$id{3}', 33); UPDATE iuid_routes SET node = 'south' WHERE country = 3");
is(at('north', "SELECT n FROM iuid_find(NULL::plain, '$id{3}')"), '33', 'the second node that is asked has the row');
is(at('north', "SELECT count(*) FROM iuid_find(NULL::plain, VARIADIC '{" . join(',', @id{ 1 .. 6 }) . "}')"),
	'6', 'beside others');
at('south', q{UPDATE iuid_routes SET node = 'middle' WHERE country = 3});
like(attempt('north', "SELECT n FROM iuid_find(NULL::plain, '$id{3}')"),
	qr/^55000: the nodes disagree on the route of identifier.*"middle"/s, 'two nodes that send to each other');
at('middle', q{UPDATE iuid_routes SET node = 'north' WHERE country = 3});
like(attempt('north', "SELECT n FROM iuid_find(NULL::plain, '$id{3}')"),
	qr/^55000: .*"north"/s, 'a node that sends back');
at('middle', q{INSERT INTO iuid_nodes VALUES ('west', NULL, 'south');
	UPDATE iuid_routes SET node = 'west' WHERE country = 3});
like(attempt('north', "SELECT n FROM iuid_find(NULL::plain, '$id{3}')"),
	qr/^55000: .*"west"/s, 'a node that is not registered here');
at('middle', q{DELETE FROM iuid_routes WHERE country = 3});
like(attempt('north', "SELECT n FROM iuid_find(NULL::plain, '$id{3}')"),
	qr/^22023: .*node "middle" failed: .*no route/s, 'no route there');
at('middle', q{INSERT INTO iuid_routes VALUES (3, NULL, 'middle')});
$server->safe_psql('north', "ALTER SERVER middle OPTIONS (SET dbname 'south')");
like(attempt('north', "SELECT n FROM iuid_find(NULL::plain, '$id{3}')"),
	qr/^55000: .*asked by another name/s, 'a server that leads to another node');

# --- Nodes that answer anything -----------------------------------------------------------

at('north', q{ALTER SERVER middle OPTIONS (SET dbname 'middle')});
# What iuid_find asks for of plain is an identifier and a route, or the columns id and n.
my @row = (undef, undef, $id{3}, 1);
my @redirection = ($id{3}, 'nowhere', undef, undef);
my $unasked = 'another identifier than those asked for';
my $too_much = 'more than 67108864 bytes|did not answer within the timeout';

# A node that sends rows for ever.
sub rows_for_ever
{
	my ($columns, @values) = @_;
	return sub {
		my $client = shift;
		my $rows = row(@values) x 1_000;
		print {$client} described($columns);
		print {$client} $rows while 1;
	};
}

my %answers = (
	null_key => [ answered_rows(4, [ undef, undef, undef, 1 ]), '08P01', 'a row without an identifier' ],
	not_asked => [ answered_rows(4, [@row], [ undef, undef, $id{6}, 1 ]), '08P01', "$unasked: $id{6}" ],
	of_another => [ answered_rows(4, [@row], [ undef, undef, $id{5}, 1 ]), '08P01', "$unasked: $id{5}" ],
	two_rows => [ answered_rows(4, [@row], [@row]), '08P01', "two rows of $id{3}" ],
	foreign_route => [ answered_rows(4, [ $id{6}, 'south', undef, undef ]), '08P01', "$unasked: $id{6}" ],
	route_of_another => [ answered_rows(4, [ $id{5}, 'north', undef, undef ]), '08P01', "$unasked: $id{5}" ],
	route_of_none => [ answered_rows(4, [ undef, 'south', undef, undef ]), '08P01', 'a route of no identifier' ],
	two_routes => [ answered_rows(4, [@redirection], [@redirection]), '08P01', "two routes of $id{3}" ],
	row_and_route => [ answered_rows(4, [@row], [@redirection]), '08P01', "a row and a route of $id{3}" ],
	no_number => [ answered_rows(4, [ undef, undef, $id{3}, 'x' ]), '22P02', 'invalid input syntax for type integer' ],
	no_id => [ answered_rows(4, [ 'x', 'south', undef, undef ]), '22P02', 'invalid input syntax for type uuid' ],
	an_array => [ answered(row('{1,2}'), command_done('SELECT 1'), ready()),
		'08P01', 'does not answer as PostgreSQL does' ],
	tag => [ sub {
		my $c = shift;
		print {$c} message('1'), message('2'), message('n'), command_done('SELECT 1'), ready();
		$c->flush;
	}, '08P01', 'does not answer as PostgreSQL does' ],
	endless => [ rows_for_ever(4, @row), '54000|08006', $too_much ],
	endless_nulls => [ rows_for_ever(4, (undef) x 4), '54000|08006', $too_much ],
	no_utf8 => [ answered_rows(4, [ undef, undef, $id{3}, "\xe9" ]), '22021', 'no text in the encoding of this database' ],
	cancelled => [ answered(error('57014', 'canceling statement due to statement timeout'), ready()),
		'08006', 'canceling statement' ],
	nowhere_else => [ answered_rows(4, [@redirection]), '55000', 'the nodes disagree on the route' ],
	silent => [ sub { sleep 60 }, '08006', 'did not answer within the timeout' ]);
my $options = start_fake_node(map { ($_ => { answer => $answers{$_}[0] }) } keys %answers);
for my $name (sort keys %answers)
{
	my (undef, $state, $reason) = @{ $answers{$name} };
	at('north', "CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($options, dbname '$name');
		CREATE USER MAPPING FOR PUBLIC SERVER $name;
		INSERT INTO iuid_nodes VALUES ('$name', NULL, '$name'); UPDATE iuid_routes SET node = '$name' WHERE country = 3");
	my $by = $name eq 'nowhere_else' ? '' : qq{node "$name" failed: .*};
	like(attempt('north', "SELECT n FROM iuid_find(NULL::plain, '$id{3}', '$id{5}')"),
		qr/^(?:$state): $by(?:$reason)/, "iuid_find, an answer: $name");
}
# Where one identifier can have two rows, a node can answer two; and what it answers is not lost.
at('north', q{CREATE TABLE keyless (id uuid, n int) PARTITION BY RANGE (id);
	UPDATE iuid_routes SET node = 'two_rows' WHERE country = 3});
is(attempt('north', "SELECT count(*) FROM iuid_find(NULL::keyless, '$id{3}')"),
	'2', 'two rows of one identifier, without a primary key');

# The same of a query: its rows are of the type that is asked for, and no more is known of them.
my %selected = (
	whole => [ answered_rows(2, [ $id{3}, 1 ], [ undef, undef ]), '' ],
	half => [ answered_rows(1, [ $id{3} ]), '08P01' ],
	more => [ answered_rows(3, [ $id{3}, 1, 1 ]), '08P01' ],
	text => [ answered_rows(2, [ $id{3}, 'x' ]), '22P02' ],
	late => [ sub { sleep 60 }, '08006' ],
	many => [ rows_for_ever(2, $id{3}, 1), '54000|08006' ],
	failing => [ sub {
		my $c = shift;
		print {$c} described(2), row($id{3}, 1), error('40001', 'later'), ready();
		$c->flush;
	}, '40001' ]);
$options = start_fake_node(map { ($_ => { answer => $selected{$_}[0] }) } keys %selected);
for my $name (sort keys %selected)
{
	at('north', qq{CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($options, dbname '$name');
		CREATE USER MAPPING FOR PUBLIC SERVER $name; INSERT INTO iuid_nodes VALUES ('$name', NULL, '$name')});
	my $call = "SELECT count(*) FROM iuid_select_on_nodes(NULL::plain, 'TABLE plain', '{$name,north}'";
	my $state = $selected{$name}[1];
	like(attempt('north', "$call)"), $state ? qr/^(?:$state): .*node "$name" failed: /s : qr/^4$/,
		"iuid_select_on_nodes, an answer: $name");
	is(attempt('north', "SET client_min_messages = error; $call, skip_failed => true)"),
		$state ? '2' : '4', "left out: $name");
}

# A loop over identifiers goes on after a node that is late, or cancels by itself; not after the
# caller's own cancel.
for my $name ('silent', 'cancelled')
{
	at('north', "UPDATE iuid_routes SET node = '$name' WHERE country = 3");
	is(attempt('north', qq{SET client_min_messages = error; CREATE TEMP TABLE seen_ids (note text);
		DO \$\$ DECLARE one uuid; BEGIN
			FOREACH one IN ARRAY '{$id{3},$id{1}}'::uuid[] LOOP
				BEGIN
					INSERT INTO seen_ids SELECT note FROM iuid_find(NULL::orders, one);
				EXCEPTION WHEN OTHERS THEN
					INSERT INTO seen_ids VALUES (SQLSTATE);
				END;
			END LOOP;
		END \$\$; SELECT note FROM seen_ids ORDER BY note}), "08006\nof 1", "a loop goes on: $name");
}
at('north', q{UPDATE iuid_routes SET node = 'silent' WHERE country = 3});
like(attempt('north', "SET statement_timeout = '500ms'; SELECT n FROM iuid_find(NULL::plain, '$id{3}')"),
	qr/^57014: canceling statement due to statement timeout/, 'the cancel of the caller');
at('north', q{UPDATE iuid_routes SET node = 'middle' WHERE country = 3});

# --- Many identifiers, and large answers ----------------------------------------------------

sub count_of_many
{
	my ($table, $count) = @_;
	return qq{SELECT count(*) FROM iuid_find(NULL::$table, VARIADIC ARRAY(
		SELECT iuid_from_name(1 + n % 6, 3, n::text, '2026-02-01')::uuid FROM generate_series(1, $count) AS n))};
}

is(attempt('north', count_of_many('orders', 10_000)), '0', 'as many as a call takes');
like(attempt('north', count_of_many('orders', 10_001)),
	qr/^54000: .*too many identifiers.*10001.*10000/s, 'one too many');
{
	my $from = -s $server->logfile;
	like(attempt('north', 'SET ROLE reader; ' . count_of_many('orders', 10_000)),
		qr/^42501: /, 'an error here, with many identifiers');
	at('middle', 'ALTER TABLE plain RENAME n TO m');
	like(attempt('north', count_of_many('plain', 10_000)),
		qr/^42703: node "middle" failed: column "n" does not exist/, 'an error at a node');
	at('middle', 'ALTER TABLE plain RENAME m TO n');
	cmp_ok(-s $server->logfile, '<', $from + 20_000, 'they are not in the log');
}
SKIP:
{
	skip 'SKIPPED: no /proc', 8 unless -r '/proc/self/status';
	skip 'SKIPPED: 64 MB of rows under a sanitizer', 8 if $ENV{ASAN_OPTIONS};
	my $peak = q{SELECT substring(pg_read_file('/proc/' || pg_backend_pid() || '/status')
		FROM 'VmHWM:\s*(\d+)')::int / 1024};
	# A row with a value, and the least that a row can be.
	at('north', 'CREATE TYPE one_column AS (n int)');
	my %many = (
		plain => 'SELECT NULL::uuid AS id, generate_series(1, 100000000) AS n',
		one_column => 'SELECT NULL::int AS n FROM generate_series(1, 100000000)');
	for my $case (map { my $type = $_; map { [ $_, $type ] } 'north', 'middle' } sort keys %many)
	{
		my ($where, $type) = @$case;
		my $session = $server->background_psql('north', on_error_stop => 0);
		$session->query(q{\set VERBOSITY verbose});
		$session->query(qq{SELECT * FROM iuid_select_on_nodes(NULL::$type, '$many{$type}', '{$where}', '1 minute')});
		like($session->{stderr},
			qr/ERROR:  54000: node "$where" failed: the answer has more than 67108864 bytes.*HINT:  Ask for fewer rows/s,
			"$where, $type: the node itself stops");
		$session->{stderr} = '';
		cmp_ok($session->query($peak), '<', 300, 'with little memory');
		$session->quit;
	}
}

# Beside another function, and with names of the statement's own.
is(attempt('north', "SELECT f.note FROM ROWS FROM (generate_series(1, 1), iuid_find(NULL::orders, '$id{1}')) AS f"),
	'of 1', 'beside another function');
is(attempt('north', "SELECT f.id = '$id{1}' FROM iuid_find(NULL::orders, '$id{1}') AS f (id, x)"),
	't', 'columns that the statement names');

# --- A row type that changes ---------------------------------------------------------------

my %change = (
	add => [ 'ADD c text DEFAULT $$new$$', 'a,b,c' ],
	drop => [ 'DROP a', 'b' ],
	rename => [ 'RENAME a TO z', 'z,b' ],
	'swap' => [ 'RENAME a TO z; ALTER TABLE changing RENAME b TO a', 'z,a' ]);
my $functions = [
	[ 'north', "iuid_find(NULL::changing, '$id{1}')" ], [ 'middle', "iuid_find(NULL::changing, '$id{3}')" ],
	map { [ $_, "iuid_select_on_nodes(NULL::changing, 'TABLE changing', '{$_}')" ] } 'north', 'middle' ];
my %id_at = (north => $id{1}, middle => $id{3});

# The table, with a row at each of two nodes.
sub make_changing
{
	my ($a, $b) = @_;
	at($_, qq{CREATE TABLE changing (id iuid PRIMARY KEY, a text, b text);
		INSERT INTO changing VALUES ('$id_at{$_}', '$a', '$b')}) for 'north', 'middle';
	return;
}

# What a session answers, or its SQLSTATE.
sub answer
{
	my ($session, $statement) = @_;
	$session->{stderr} = '';
	return $session->query($statement) . $session->{stderr} =~ s/.*ERROR: +(\w+).*/$1/sr;
}

for my $kind (sort keys %change)
{
	my ($ddl, $after) = @{ $change{$kind} };
	make_changing('of a', 'of b');
	my (%session, %fresh, %width);
	for my $function (@$functions)
	{
		my ($where, $call) = @$function;
		my $session = $session{$call} = $server->background_psql('north', on_error_stop => 0);
		$session->query(qq{\\set VERBOSITY sqlstate
			CREATE FUNCTION pg_temp.present() RETURNS text LANGUAGE plpgsql
			AS \$\$ DECLARE r record; BEGIN SELECT f.* INTO r FROM $call AS f; RETURN to_jsonb(r) - 'id'; END \$\$});
		$session->query("PREPARE p AS SELECT * FROM $call; PREPARE one AS SELECT a FROM $call AS f");
		is($session->query('EXECUTE p; EXECUTE one; SELECT pg_temp.present()'),
			qq[$id_at{$where}|of a|of b\nof a\n{"a": "of a", "b": "of b"}], "$kind, $call: before");
		$session->query('EXECUTE p; EXECUTE one; SELECT pg_temp.present()') for 1 .. 6;
		# One that was not yet run when the table changes.
		$session->query("PREPARE later AS SELECT a FROM $call AS f");
		# And one of a session that has not called the function at all.
		$fresh{$call} = $server->background_psql('north', on_error_stop => 0);
		$fresh{$call}->query("\\set VERBOSITY sqlstate\nPREPARE first AS SELECT a FROM $call AS f");
		$width{$call} = $server->background_psql('north', on_error_stop => 0);
		$width{$call}->query(qq{\\set VERBOSITY sqlstate
			PREPARE width AS
			SELECT (SELECT count(*) FROM jsonb_object_keys(to_jsonb(f))) FROM (SELECT * FROM $call) AS f});
	}
	at($_, "ALTER TABLE changing $ddl") for 'north', 'middle';
	for my $function (@$functions)
	{
		my ($where, $call) = @$function;
		my $session = $session{$call};
		my $fresh = $fresh{$call};
		my $only_prepared = $kind =~ /drop|rename/ ? '42703' : $kind eq 'swap' ? 'of b' : 'of a';
		my @answers = map { answer($fresh, 'EXECUTE first') } 1 .. 2;
		# Where another session has made its schema for temporary objects since, it was analyzed again.
		like($answers[0], qr/^(?:0A000|$only_prepared)$/, "$kind, $call: a session that only prepared it");
		is($answers[1], $only_prepared, "$kind, $call: when it sends it again");
		my $columns = at($where, q{SELECT count(*) FROM changing AS t, jsonb_object_keys(to_jsonb(t))});
		@answers = map { answer($width{$call}, 'EXECUTE width') } 1 .. 2;
		like($answers[0], qr/^(?:0A000|$columns)$/, "$kind, $call: all columns");
		is($answers[1], $columns, "$kind, $call: all columns, when it sends it again");
		$width{$call}->quit;
		$fresh->quit;
		my $present = at($where, q{SELECT to_jsonb(t) - 'id' FROM changing AS t});
		for my $again ('', ' again')
		{
			like(answer($session, 'EXECUTE p'), qr/0A000/, "$kind, $call: as for a table$again");
			my $expected = $kind =~ /drop|rename/ ? qr/^42703/ : $kind eq 'swap' ? qr/^of b$/ : qr/^of a$/;
			like(answer($session, 'EXECUTE one'), $expected, "$kind, $call: one column$again");
			like(answer($session, 'EXECUTE later'), $expected,
				"$kind, $call: one column, that is run for the first time$again");
			is($session->query('SELECT pg_temp.present()'), $present, "$kind, $call: PL/pgSQL$again");
		}
		is($session->query(qq{DEALLOCATE p; PREPARE p AS SELECT to_jsonb(f) - 'id' FROM $call AS f;
			EXECUTE p}), $present, "$kind, $call: prepared again");
		# What does not change the row type changes nothing.
		at('north', 'CREATE INDEX ON changing (b); ANALYZE changing; DROP TYPE IF EXISTS other; CREATE TYPE other AS (x int)')
			if $kind eq 'add';
		is($session->query('EXECUTE p'), $present, "$kind, $call: and then again");
		$session->quit;
	}
	at($_, 'DROP TABLE changing') for 'north', 'middle';
}

# A view keeps its columns, as one over a function in PL/pgSQL does.  (Those of the table can be renamed.)
for my $call (map { $_->[1] } @$functions)
{
	make_changing('of a', 'of b');
	at('north', qq{
		CREATE FUNCTION same() RETURNS SETOF changing LANGUAGE plpgsql AS 'BEGIN RETURN QUERY TABLE changing; END';
		CREATE VIEW kept_by_server AS SELECT a, b FROM same();
		CREATE VIEW kept AS SELECT a, b FROM $call});
	for my $ddl ('RENAME b TO z', 'RENAME a TO b')
	{
		at($_, "ALTER TABLE changing $ddl") for 'north', 'middle';
		is(at('north', 'SELECT v::text FROM kept AS v'), at('north', 'SELECT v::text FROM kept_by_server AS v'),
			"$call: a view after $ddl");
	}
	at($_, 'DROP TABLE changing CASCADE') for 'north', 'middle';
}

# Types, too: a statement with a Var of another type would read a number as an address.
make_changing('A', 'B');
my @reading = ('SELECT a FROM %s AS f', 'SELECT g FROM %s AS f, generate_series(1, length(f.a)) AS g',
	'SELECT count(*) FROM %s AS f GROUP BY f.a',
	'SELECT 1 WHERE EXISTS (SELECT FROM generate_series(1, 2) AS n, %s AS f WHERE f.a = n::text)',
	q{SELECT (SELECT f.a) FROM %s AS f}, q{SELECT x FROM ROWS FROM (generate_series(1, 1), %s) AS f(n, id, x, y)});
my @typed;
for my $call (map { $_->[1] } @$functions)
{
	for my $reading (@reading)
	{
		push @typed, $server->background_psql('north', on_error_stop => 0);
		$typed[-1]->query("\\set VERBOSITY sqlstate\nPREPARE p AS " . sprintf $reading, $call);
	}
}
at($_, 'ALTER TABLE changing ALTER a TYPE int USING 7') for 'north', 'middle';
for my $typed (@typed)
{
	$typed->query('EXECUTE p');
	like($typed->{stderr}, qr/ERROR:  0A000/, 'a column of another type');
	$typed->quit;
}
at($_, 'DROP TABLE changing') for 'north', 'middle';

# A statement that runs already: a cursor, and an argument that changes the row type.
at('north', q{CREATE TYPE two AS (a text, b text);
	CREATE FUNCTION swap() RETURNS int LANGUAGE plpgsql AS 'BEGIN
		ALTER TYPE two RENAME ATTRIBUTE a TO z;
		ALTER TYPE two RENAME ATTRIBUTE b TO a;
		ALTER TYPE two RENAME ATTRIBUTE z TO b;
		RETURN 1; END'});
my $two = q{iuid_select_on_nodes(NULL::two, 'SELECT ''A''::text AS a, ''B''::text AS b', '{north}')};
my $two_swapped = $two =~ s/NULL::two, '/NULL::two, CASE WHEN swap() = 1 THEN '/r =~ s/ AS b'/ AS b' END/r;
for my $case (
	[ 'a cursor', "BEGIN; DECLARE c CURSOR FOR SELECT a, b FROM $two; SELECT swap()", 'FETCH c', 'ROLLBACK' ],
	[ 'an argument', '', "SELECT a FROM $two_swapped", '' ],
	[ 'a type that is made again', q{CREATE TEMP TABLE again (a text);
		PREPARE p AS SELECT a FROM iuid_select_on_nodes(NULL::again, 'SELECT ''A''::text AS a', '{north}');
		DROP TABLE again; CREATE TEMP TABLE again (a text)}, 'EXECUTE p', '', 'EXECUTE p', 'A' ])
{
	my ($what, $before, $statement, $after, $again, $answer) = @$case;
	my $session = $server->background_psql('north', on_error_stop => 0);
	$session->query("\\set VERBOSITY sqlstate\n$before");
	is($session->query($statement), '', "$what gives nothing");
	like($session->{stderr}, qr/ERROR:  0A000/, "$what: the error of a table");
	$session->query($after) if $after;
	is($session->query($again), $answer, "$what: when it is sent again") if $again;
	$session->quit;
}
at('north', 'DROP FUNCTION swap; DROP TYPE two');

# At this node the names are those of the moment in which the table is read.
{
	my $found = '';
	at('north', qq{CREATE TABLE swapped (id iuid PRIMARY KEY, a text, b text);
		INSERT INTO swapped VALUES ('$id{1}', 'of a', 'of b')});
	my $swapping = $server->background_psql('north');
	$swapping->query_safe('BEGIN; ALTER TABLE swapped RENAME a TO z; ALTER TABLE swapped RENAME b TO a');
	my $finding = IPC::Run::start([ 'psql', '-XAt', '-v', 'VERBOSITY=sqlstate', '-d', $server->connstr('north'),
		'-c', "SELECT f.a FROM iuid_find(NULL::swapped, '$id{1}') AS f" ], '>', \$found, '2>&1');
	$server->poll_query_until('north', q{SELECT count(*) > 0 FROM pg_locks WHERE NOT granted});
	$swapping->query_safe('COMMIT');
	$swapping->quit;
	IPC::Run::finish($finding);
	like($found, qr/^(?:of b|ERROR:  0A000)$/, 'who waits for two columns to be renamed');
}
done_testing();
