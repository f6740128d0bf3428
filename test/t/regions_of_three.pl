# Three regions that answer as one: each has three countries, reaches the
# others by postgres_fdw, and contacts none but the owner of an identifier.
use strict;
use warnings;

use File::Basename;
use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Regions;
use Test::More;

my @names = ('north', 'middle', 'south');
my %countries = (north => [ 1, 2, 3 ], middle => [ 4, 5, 6 ], south => [ 7, 8, 9 ]);
my %region = start_nodes(@names);

# Nobody comes in who is not let in, and nobody takes another server for a node.
for my $case (
	[ 'sslmode=disable', qr/no pg_hba.conf entry/, 'without TLS' ],
	[ 'host=localhost hostaddr=127.0.0.1', qr/does not match host name "localhost"/,
		'by a name that is not in the certificate' ],
	[ 'user=mesh password=wrong', qr/password authentication failed for user "mesh"/, 'with a wrong password' ],
	[ 'user=postgres', qr/no pg_hba.conf entry/, 'as a superuser' ])
{
	my ($difference, $error, $what) = @$case;
	$region{north}->connect_fails("service=north $difference", "refused: $what", expected_stderr => $error);
}

# The registry is the same everywhere: who is asked is in iuid.node alone.
at_machine($_, q{
	INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order');
	INSERT INTO iuid_countries SELECT n, 'C' || n, 'Country ' || n FROM generate_series(1, 9) AS n;
	INSERT INTO iuid_nodes SELECT n, 'region ' || n, n FROM unnest('{north,middle,south}'::text[]) AS n;
	INSERT INTO iuid_routes SELECT n, NULL, ('{north,middle,south}'::text[])[(n + 2) / 3] FROM generate_series(1, 9) AS n;
	GRANT INSERT, UPDATE ON iuid_countries, iuid_routes TO shop}) for @names;
at($_, q{CREATE TABLE orders (id iuid PRIMARY KEY, customer int NOT NULL, note text)
	PARTITION BY RANGE (id iuid_origin_ops)}) for @names;

sub lines { return join ' ', sort split /\n/, shift }

for my $name (@names)
{
	my @own = @{ $countries{$name} };
	is( at($name, q{SELECT iuid_create_routed_partitions('orders', 1)}),
		join("\n", map { "orders_c$_" } @own), "$name: a partition for each of its countries");
	is( lines(at($name, q{SELECT iuid_create_global_table('orders_global', 'orders', 1)})),
		lines(join "\n", 'orders_global', map { "orders_global_c$_" } grep { my $c = $_; !grep { $_ == $c } @own } 1 .. 9),
		"$name: a foreign table for each of the others'");
	# Ten orders of each country, one a day from 1 January 2026.
	at($name, qq{
		INSERT INTO orders
		SELECT gen_iuid(country, 1, timestamptz '2026-01-01 12:00+00' + n * interval '1 day'), n, country || ' ' || n
		FROM generate_series($own[0], $own[-1]) AS country, generate_series(0, 9) AS n});
}

sub id_of
{
	my ($owner, $country, $n) = @_;
	return at($owner, "SELECT id FROM orders WHERE note = '$country $n'");
}

# The last line of a session's answer: the servers that it has connections to.
my $contacted = q{SELECT 'contacted: ' || coalesce(string_agg(server_name, ' ' ORDER BY server_name), 'none')
	FROM postgres_fdw_get_connections()};

# A session of its own for each question, in three ways of asking.
sub ask
{
	my ($asking, $owner, $what) = @_;
	my $country = $countries{$owner}[1];
	my $id = id_of($owner, $country, 4);
	my $only = 'contacted: ' . ($asking eq $owner ? 'none' : $owner);
	my %ways = (
		'a constant' => "SELECT note FROM orders_global WHERE id = '$id'",
		'a generic plan' => qq{SET plan_cache_mode = force_generic_plan;
			PREPARE by_id (iuid) AS SELECT note FROM orders_global WHERE id = \$1; EXECUTE by_id ('$id')},
		'a uuid' => qq{PREPARE by_id (uuid) AS SELECT note FROM orders_global WHERE id = \$1; EXECUTE by_id ('$id')},
		'a generic plan with a uuid' => qq{SET plan_cache_mode = force_generic_plan;
			PREPARE by_id (uuid) AS SELECT note FROM orders_global WHERE id = \$1; EXECUTE by_id ('$id')});
	for my $way (sort keys %ways)
	{
		is( at($asking, "$ways{$way}; $contacted"),
			"$country 4\n$only", "$what: $asking asks $owner with $way");
	}
}

# The same for what changes a row.
sub change
{
	my ($asking, $owner, $what) = @_;
	my $country = $countries{$owner}[2];
	my $only = 'contacted: ' . ($asking eq $owner ? 'none' : $owner);
	my $id = at($asking, "SELECT gen_iuid($country, 1)");
	for my $case (
		[ "INSERT INTO orders_global VALUES ('$id', 77, 'from $asking')", "77 from $asking" ],
		[ "UPDATE orders_global SET note = 'changed by $asking' WHERE id = '$id'", "77 changed by $asking" ],
		[ "DELETE FROM orders_global WHERE id = '$id'", '' ])
	{
		my ($statement, $row) = @$case;
		my ($verb) = $statement =~ /^(\w+)/;
		is(at($asking, "$statement; $contacted"), $only, "$what: $verb by $asking in $owner");
		is( at($owner, "SELECT customer || ' ' || note FROM orders_c$country WHERE id = '$id'"),
			$row, 'and it is done there');
	}
	# Prepared, and run often enough for the server to choose between plans.
	for my $type ('iuid', 'uuid')
	{
		is( at($asking, "PREPARE change ($type) AS UPDATE orders_global SET customer = customer WHERE id = \$1;"
					. "EXECUTE change ('$id');" x 10 . $contacted),
			$only, "$what: UPDATE with a parameter of type $type by $asking in $owner");
	}
}

for my $asking (@names)
{
	for my $owner (@names)
	{
		ask($asking, $owner, 'all run');
		change($asking, $owner, 'all run');
	}
}

# What stands in the node's own tables is of its own countries, whoever writes.
my ($own, $sister, $foreign) = map { id_of(@$_) } [ 'north', 1, 0 ], [ 'north', 2, 0 ], [ 'south', 7, 0 ];
my @free = split /\n/, at('north', 'SELECT gen_iuid(country, 1) FROM unnest(ARRAY[1, 2, 7, 8]) AS country');
for my $case (
	[ 'north', "INSERT INTO orders_c1 VALUES ('$free[1]', 1)", 'an id of another country into a leaf' ],
	[ 'north', "INSERT INTO orders_c1 VALUES ('$free[2]', 1)", 'an id of another region into a leaf' ],
	[ 'north', "INSERT INTO orders VALUES ('$free[2]', 1)", 'an id of another region into the local table' ],
	[ 'north', "UPDATE orders_c1 SET id = '$free[1]' WHERE id = '$own'", 'an id updated to another country on a leaf' ],
	[ 'north', "UPDATE orders SET id = '$free[2]' WHERE id = '$own'",
		'an id updated to another region in the local table' ],
	[ 'middle', "INSERT INTO orders_global_c1 VALUES ('$free[1]', 1)", 'an id of another country into a foreign table' ],
	[ 'middle', "UPDATE orders_global_c1 SET id = '$free[1]' WHERE id = '$own'",
		'an id updated to another country in a foreign table' ],
	[ 'middle', "UPDATE orders_global SET id = '$free[1]' WHERE id = '$own'",
		'an id updated to another country in the global table' ],
	[ 'middle', "UPDATE orders_global SET id = '$free[3]' WHERE id = '$own'",
		'an id updated to another region in the global table' ],
	[ 'middle', "INSERT INTO orders_global VALUES (gen_iuid(77, 1), 1)",
		'an id of a country without route into the global table' ])
{
	my ($asking, $statement, $what) = @$case;
	my ($status, undef, $err) = attempt($asking, $statement);
	isnt($status, 0, "refused: $what");
	like($err, qr/violates (check|partition) constraint|no partition of relation/, 'as the constraint says');
}
is( at($_,
	q{SELECT count(*), count(*) FILTER (WHERE substr(tableoid::regclass::text, 9) = iuid_country(id)::text) FROM orders}),
	'30|30', "$_: every row is where its country is") for @names;

# A range of time goes to the others, and comes back as one.
for my $range (q{id >= timestamptz '2026-01-03' AND id < timestamptz '2026-01-05'},
	q{id <@ tstzrange('2026-01-03', '2026-01-05')})
{
	my $plan = at('north', "EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM orders_global WHERE $range");
	my @remote = $plan =~ /Remote SQL: (.*)/g;
	is(scalar @remote, 6, "a scan of each foreign table: $range");
	is(scalar(grep { /WHERE .*id OPERATOR\(public\.>=\) '.* AND .*id OPERATOR\(public\.<\) '/ } @remote),
		6, 'with the range of ids in its query') or diag $plan;
	is(at('north',
		"SELECT count(*), min(iuid_timestamp(id))::date, max(iuid_timestamp(id))::date FROM orders_global WHERE $range"),
		'18|2026-01-03|2026-01-04', 'gives the rows of all regions');
}
# As with any column, a condition with now() stays here; its value in a sub-query goes.
for my $since (q{now() - interval '1 day'}, q{(SELECT now() - interval '1 day')})
{
	my $plan = at('north', "EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM orders_global WHERE id >= $since");
	is(scalar(() = $plan =~ /Remote SQL: .* WHERE .*id OPERATOR\(public\.>=\) public\.iuid_floor\(\$1/g),
		$since =~ /SELECT/ ? 6 : 0, "sent or not: $since") or diag $plan;
}
# Some identifiers go to their owner, which sends these rows and no others.
my @both = map { id_of('south', 7, $_) } 1, 2;
for my $some ("id IN ('$both[0]', '$both[1]')", "id = ANY ('{$both[0],$both[1]}')",
	"id = ANY ('{$both[0],$both[1]}'::uuid[])")
{
	my $plan = at('north', "EXPLAIN (VERBOSE, COSTS OFF) SELECT note FROM orders_global WHERE $some");
	my @remote = $plan =~ /Remote SQL: (.*)/g;
	is(scalar @remote, 1, "one node is asked: $some") or diag $plan;
	like($remote[0], qr/WHERE .*id OPERATOR\(public\.=\) ANY/, 'for these rows only');
}
# The newest of all regions.
my $newest = 'SELECT id, note FROM orders_global WHERE customer = 5 ORDER BY id DESC LIMIT 3';
my $plan = at('north', "EXPLAIN (VERBOSE, COSTS OFF) $newest");
is(scalar(() = $plan =~ /Remote SQL: .* ORDER BY id DESC NULLS FIRST$/gm), 6, 'each region sorts its own newest')
	or diag $plan;
is(at('north', "SELECT count(*) FROM ($newest) AS x"), '3', 'the newest of all regions');

# One region stops: what is of the others is as before, whoever asks.
for my $down (@names)
{
	$region{$down}->stop;
	my @up = grep { $_ ne $down } @names;
	for my $asking (@up)
	{
		for my $owner (@up)
		{
			ask($asking, $owner, "$down is down");
			change($asking, $owner, "$down is down");
		}
		my ($status, undef, $err) = attempt($asking, 'SELECT count(*) FROM orders_global');
		like($err, qr/could not connect to server "$down"/, "$down is down: what needs it says so");
	}
	$region{$down}->start;
}

# A new country: both functions add what is missing, and nothing else.
for my $name (@names)
{
	at($name, q{INSERT INTO iuid_countries VALUES (10, 'C10', 'Country 10');
		INSERT INTO iuid_routes VALUES (10, NULL, 'south')});
	is( at($name, q{SELECT iuid_create_routed_partitions('orders', 1)}),
		$name eq 'south' ? 'orders_c10' : '', "$name: a partition for a new country, if it is its own");
	my ($status, $out, $err) = attempt($name, q{SET client_min_messages = debug1;
		SELECT iuid_create_global_table('orders_global', 'orders', 1)});
	is($out, $name eq 'south' ? '' : 'orders_global_c10', "$name: a foreign table for a new country, if it is not");
	my @unread = $err =~ /partition constraint for default partition "orders_c(\d+)" is implied by existing constraints/g;
	is("@unread", $name eq 'south' ? '' : "@{ $countries{$name} }",
		"$name: the rows of its countries are not read for it");
	is( at($name, q{SELECT iuid_create_routed_partitions('orders', 1)
		UNION ALL SELECT iuid_create_global_table('orders_global', 'orders', 1)}),
		'', "$name: then nothing is missing");
}
at('north', q{INSERT INTO orders_global VALUES (gen_iuid(10, 1), 1, 'of a new country')});
is(at('middle', q{SELECT note FROM orders_global WHERE customer = 1 AND iuid_is_from(id, 10)}),
	'of a new country', 'a row of the new country is seen everywhere');

# Country 4 moves from middle to north: data first, then route, which changes in
# each database by itself.  South hears of it late, when middle is done.
my $moving = id_of('middle', 4, 4);
my $write = "UPDATE orders_global SET note = 'lost' WHERE id = '$moving'";
my $err;
at('middle', q{
	CREATE FUNCTION moving() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'this row is moving'; END $$;
	CREATE TRIGGER moving BEFORE INSERT OR UPDATE OR DELETE ON orders_c4 FOR EACH ROW EXECUTE FUNCTION moving()});
at('north', 'CREATE TABLE arriving AS TABLE orders_global_c4');
for my $name (@names)
{
	is(at($name, "SELECT note FROM orders_global WHERE id = '$moving'"), '4 4', "$name: a moving country can be read");
	(undef, undef, $err) = attempt($name, $write);
	like($err, qr/this row is moving/, 'and not written');
}
at('north', q{
	BEGIN;
	UPDATE iuid_routes SET node = 'north' WHERE country = 4;
	DROP FOREIGN TABLE orders_global_c4;
	SELECT iuid_create_routed_partitions('orders', 1);
	INSERT INTO orders TABLE arriving;
	COMMIT;
	DROP TABLE arriving});
(undef, undef, $err) = attempt('south', $write);
like($err, qr/this row is moving/, 'who has not heard yet is refused');
is( at('middle', q{
		BEGIN;
		LOCK TABLE ONLY orders_global;
		UPDATE iuid_routes SET node = 'north' WHERE country = 4;
		DROP VIEW orders_c4_e1;
		ALTER TABLE orders DETACH PARTITION orders_c4;
		ALTER TABLE orders_c4 RENAME TO orders_c4_moved;
		SELECT iuid_create_global_table('orders_global', 'orders', 1);
		COMMIT}), 'orders_global_c4', 'the country is a foreign table where it was');
(undef, undef, $err) = attempt('south', $write);
like($err, qr/relation "public.orders_c4_e1" does not exist/, 'as is who still has not');
is( at('south', q{
		BEGIN;
		UPDATE iuid_routes SET node = 'north' WHERE country = 4;
		DROP FOREIGN TABLE orders_global_c4;
		SELECT iuid_create_global_table('orders_global', 'orders', 1);
		COMMIT}), 'orders_global_c4', 'elsewhere it is another foreign table');
for my $asking (@names)
{
	is( at($asking, "SELECT note FROM orders_global WHERE id = '$moving'; SELECT iuid_node('$moving'); $contacted"),
		"4 4\nnorth\ncontacted: " . ($asking eq 'north' ? 'none' : 'north'), "$asking asks for a row that has moved");
	is(at($asking, 'SELECT count(*) FROM orders_global WHERE iuid_is_from(id, 4)'), '10', 'all rows are there');
}

# A node's dump is the whole node.
my $north = $region{north};
my $dump = $north->basedir . '/north.sql';
$north->command_ok([ 'pg_dump', '-f', $dump, $north->connstr('shop') ], 'dump');
at_machine('north', 'CREATE DATABASE again');
at_machine('north', q{ALTER DATABASE again SET iuid.node = 'north'; ALTER DATABASE again SET timezone = 'UTC'});
$north->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $north->connstr('again') ], 'restore');
for my $query (
	'SELECT count(*), sum(customer) FROM orders',
	'SELECT count(*), sum(customer) FROM orders_global',
	'SELECT country, entity, node FROM iuid_routes ORDER BY country',
	'SELECT relid, parentrelid, isleaf FROM pg_partition_tree(\'orders_global\') ORDER BY relid::regclass::text',
	"SELECT r FROM iuid_inspect('$moving') AS r",
	"SELECT note FROM orders_global WHERE id = '$foreign'; $contacted")
{
	my $what = at('north', $query);
	is($north->safe_psql('again', $query, extra_params => [ '-U', 'shop' ]), $what, "restored: $query");
}
is( $north->safe_psql('again', q{SELECT iuid_create_routed_partitions('orders', 1)
	UNION ALL SELECT iuid_create_global_table('orders_global', 'orders', 1)}),
	'', 'nothing is missing in what was restored');
isnt(scalar($north->psql('again', "INSERT INTO orders_c1 VALUES ('$free[1]', 1)")), 0, 'nor the check of a leaf');

# A mesh by client certificates, without passwords: only a superuser can make it.
my $problems = at('north', 'SELECT * FROM iuid_check_regions()');
my $folder = dirname(passwords());
PostgreSQL::Test::Utils::system_or_bail('sh', 'examples/regions/certificates.sh', $folder, 'mesh');
my $certificates = $region{middle}->data_dir . '/pg_hba.conf';
my $by_password = slurp_file($certificates);
unlink $certificates or die;
append_to_file($certificates, "hostssl shop mesh all cert\n$by_password");
$region{middle}->append_conf('postgresql.conf', "ssl_ca_file = '$folder/root.crt'");
$region{middle}->reload;
my $orders_of_middle = at('middle', 'SELECT count(*) FROM orders_c5');
my $of_middle = id_of('middle', 5, 0);
for my $option (q{password_required 'false'}, q{sslcert 'x'}, q{sslkey 'x'})
{
	(undef, undef, $err) = attempt('north', "ALTER USER MAPPING FOR shop SERVER middle OPTIONS (ADD $option)");
	like($err, qr/superuser-only/, "who is no superuser: $option");
}
at_machine('north', qq{
	ALTER SERVER middle OPTIONS (DROP channel_binding);
	ALTER USER MAPPING FOR shop SERVER middle
		OPTIONS (DROP password, ADD sslcert '$folder/mesh.crt', ADD sslkey '$folder/mesh.key')});
like(at('north', q{SELECT result FROM iuid_run_on_nodes('SELECT current_user', '{middle}')}),
	qr/^2F003: password is required/, 'a certificate is not enough');
at_machine('north', q{ALTER USER MAPPING FOR shop SERVER middle OPTIONS (ADD password_required 'false')});
is(at('north', q{SELECT * FROM iuid_run_on_nodes('SELECT current_user', '{middle}')}),
	'middle|t|mesh', 'iuid_run_on_nodes by a certificate');
is(at('north', 'SELECT count(*) FROM orders_global_c5'), $orders_of_middle, 'a foreign table');
is(at('north', "SELECT note FROM iuid_find(NULL::orders, '$of_middle')"), '5 0', 'iuid_find');
is(at('north', q{SELECT count(*) FROM iuid_select_on_nodes(NULL::orders, 'SELECT * FROM orders_c5', '{middle}')}),
	$orders_of_middle, 'iuid_select_on_nodes');
is(at('north', 'SELECT * FROM iuid_check_regions()'), $problems, 'iuid_check_regions finds nothing more');

# A node that asks for the password itself does not get it, by any way.
my $binding = qr/channel binding required/;
my $hba = $region{south}->data_dir . '/pg_hba.conf';
my $lines = slurp_file($hba);
unlink $hba or die;
append_to_file($hba, "hostssl shop all all password\n$lines");
$region{south}->reload;
$region{south}->connect_fails('service=south', 'who comes in by a service', expected_stderr => $binding);
like(at('north', q{SELECT result FROM iuid_run_on_nodes('SELECT 1', '{south}')}), $binding, 'iuid_run_on_nodes');
(undef, undef, $err) = attempt('north', 'SELECT count(*) FROM orders_global_c8');
like($err, $binding, 'a foreign table');
ok(!eval { follow_registry('north', 'south'); 1 }, 'the registry');
like($@, $binding, 'and says why');

$region{$_}->stop for @names;
done_testing();
