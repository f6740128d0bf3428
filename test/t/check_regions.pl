# iuid_check_regions() finds each fault, and no other; and what its hint says to enter
# puts the fault right.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Two servers.  Three nodes are databases of the first; the fourth is the second.
my @nodes = ('north', 'middle', 'south', 'far');
my %country = (north => [ 1, 2 ], middle => [ 3, 4 ], south => [ 5, 6 ], far => [ 7, 8 ]);
my $near = PostgreSQL::Test::Cluster->new('near');
my $far = PostgreSQL::Test::Cluster->new('far');
for my $server ($near, $far)
{
	$server->init(allows_streaming => 'logical');
	$server->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'");
	$server->start;
}
my %server = (north => $near, middle => $near, south => $near, far => $far);
sub at { my ($node, $sql) = @_; return $server{$node}->safe_psql($node, "SET client_min_messages = error; $sql") }

for my $node (@nodes)
{
	$server{$node}->safe_psql('postgres', "CREATE DATABASE $node");
	$server{$node}->safe_psql('postgres', "ALTER DATABASE $node SET iuid.node = '$node'");
	at($node, q{
		CREATE EXTENSION iuid_regions CASCADE;
		CREATE EXTENSION postgres_fdw;
		INSERT INTO iuid_countries SELECT n, 'C' || n, 'Country ' || n FROM generate_series(1, 8) AS n;
		INSERT INTO iuid_nodes SELECT n, NULL, n FROM unnest('{north,middle,south,far}'::text[]) AS n;
		INSERT INTO iuid_routes SELECT n, NULL, ('{north,middle,south,far}'::text[])[(n + 1) / 2]
			FROM generate_series(1, 8) AS n});
	for my $other (@nodes)
	{
		my ($host, $port) = ($server{$other}->host, $server{$other}->port);
		at($node, qq{
			CREATE SERVER $other FOREIGN DATA WRAPPER postgres_fdw
				OPTIONS (host '$host', port '$port', dbname '$other', extensions 'iuid');
			CREATE USER MAPPING FOR PUBLIC SERVER $other});
	}
	at($node, q{
		CREATE TABLE orders (id iuid PRIMARY KEY, customer int, note varchar(100)) PARTITION BY RANGE (id iuid_origin_ops);
		SELECT iuid_create_routed_partitions('orders', 3);
		SELECT iuid_create_global_table('orders_global', 'orders', 3);
		INSERT INTO orders SELECT gen_iuid(country, 3), 42, 'of ' || country FROM iuid_countries
			WHERE iuid_node(country, 3) = current_setting('iuid.node')});
}

sub problems
{
	return at(shift, q{SELECT problem, country, node FROM iuid_check_regions('orders_global') ORDER BY 1, 2, 3});
}

is(problems($_), '', "$_ is healthy") for @nodes;

# Type what the hints say: here, or, if they say so, at that node.
sub enter_hints
{
	my ($node, $repair) = @_;
	my @hints = split /\n/, at($node, q{SELECT node, coalesce(remedy, '') FROM iuid_check_regions('orders_global')});
	for (@hints)
	{
		my ($other, $hint) = split /\|/, $_, 2;
		at($hint =~ s/ -- at that node// ? $other : $node, $hint);
	}
	return;
}

# The view of a column keeps its type, so the views go first.
my $lengthen = sub { qq{
	DROP VIEW orders_c3_e3, orders_c4_e3;
	ALTER TABLE orders_global ALTER note TYPE varchar($_[0]);
	SELECT iuid_create_routed_partitions('orders', 3)} };

# At north: what is done, at which node, and what is found.  The hints put it right,
# unless there is a fourth part, which does that at the same node.
for my $case (
	[ 'north', 'DELETE FROM iuid_routes WHERE country = 1',
		"another registry||far\nanother registry||middle\nanother registry||south\nno route|1|",
		q{INSERT INTO iuid_routes (country, node) VALUES (1, 'north')} ],
	[ 'north', 'DROP TABLE orders_c1 CASCADE', 'no partition|1|north' ],
	[ 'north', 'ALTER TABLE orders_c2 DROP CONSTRAINT orders_c2_id_check', 'no CHECK|2|north' ],
	[ 'north', q{ALTER TABLE orders_c2 DROP CONSTRAINT orders_c2_id_check;
		ALTER TABLE orders_c2 ADD CONSTRAINT orders_c2_id_check
			CHECK (iuid_country(id) = 2 AND id ~>=~ iuid_country_floor(2) AND id ~<~ iuid_country_floor(3)) NOT VALID},
		'no CHECK|2|north', 'ALTER TABLE orders_c2 VALIDATE CONSTRAINT orders_c2_id_check' ],
	# No code of a user runs, and a number that there is not is no bound.
	[ 'north',
		q{CREATE FUNCTION floor_of(int) RETURNS iuid LANGUAGE sql IMMUTABLE AS 'SELECT public.iuid_country_floor($1)';
		ALTER TABLE orders_c2 DROP CONSTRAINT orders_c2_id_check;
		ALTER TABLE orders_c2 ADD CHECK (iuid_country(id) = 2 AND id ~>=~ iuid_country_floor(2) AND id ~<~ floor_of(3))},
		'no CHECK|2|north' ],
	[ 'north', q{DROP TABLE orders_c1 CASCADE; CREATE TABLE orders_c1 PARTITION OF orders
		(CHECK (iuid_country(id) = 1 AND id ~>=~ iuid_country_floor(1) AND id ~<~ iuid_country_floor(300)))
		FOR VALUES FROM (iuid_country_floor(1)) TO (iuid_country_floor(2))}, "no CHECK|1|north\nno view|1|north",
		q{DROP TABLE orders_c1; SELECT iuid_create_routed_partitions('orders', 3)} ],
	[ 'north', 'DROP VIEW orders_c2_e3', 'no view|2|north' ],
	[ 'north', 'CREATE OR REPLACE VIEW orders_c2_e3 AS SELECT ctid, * FROM orders_c1', 'old view|2|north' ],
	[ 'north', 'ALTER TABLE orders_global RENAME customer TO client', "old view|1|north\nold view|2|north\n"
		. "other columns there||far\nother columns there||middle\nother columns there||south",
		q{ALTER TABLE orders_global RENAME client TO customer; SELECT iuid_create_routed_partitions('orders', 3)} ],
	[ 'north', 'DROP FOREIGN TABLE orders_global_c5', 'no foreign table|5|south' ],
	[ 'north', q{DROP FOREIGN TABLE orders_global_c5; CREATE FOREIGN TABLE orders_global_c5 PARTITION OF orders_global
		FOR VALUES FROM (iuid_country_floor(5)) TO (iuid_country_floor(6)) SERVER middle OPTIONS (table_name 'orders_c5_e3')},
		'foreign table on another server|5|south' ],
	[ 'north', q{ALTER SERVER far OPTIONS (DROP extensions)}, 'option extensions without iuid||far' ],
	[ 'north', q{ALTER SERVER far OPTIONS (SET extensions 'plpgsql')}, 'option extensions without iuid||far' ],
	[ 'north', q{ALTER SERVER far OPTIONS (SET extensions 'iuid_regions')}, 'option extensions without iuid||far' ],
	[ 'north', q{ALTER SERVER far OPTIONS (SET dbname 'nowhere')}, 'no answer||far',
		q{ALTER SERVER far OPTIONS (SET dbname 'far')} ],
	[ 'north', q{UPDATE iuid_nodes SET server = NULL WHERE node = 'far'},
		"another registry||middle\nanother registry||south\nno server||far",
		q{UPDATE iuid_nodes SET server = 'far' WHERE node = 'far'} ],
	[ 'north', q{ALTER SERVER far RENAME TO elsewhere}, 'no server||far', q{ALTER SERVER elsewhere RENAME TO far} ],
	[ 'middle', 'DROP VIEW orders_c3_e3', 'no view there|3|middle' ],
	[ 'middle', 'ALTER TABLE orders_global ADD COLUMN more int', 'other columns there||middle',
		q{ALTER TABLE orders_global DROP COLUMN more} ],
	[ 'middle', $lengthen->(200), 'other columns there||middle', $lengthen->(100) ],
	[ 'middle', 'ALTER TABLE iuid_routes RENAME TO hidden', 'no registry||middle',
		'ALTER TABLE hidden RENAME TO iuid_routes' ],
	[ 'middle', 'ALTER TABLE orders RENAME TO trips', 'no table there||middle', 'ALTER TABLE trips RENAME TO orders' ],
	[ 'middle', q{UPDATE iuid_countries SET name = 'Elsewhere' WHERE country = 3}, 'another registry||middle',
		q{UPDATE iuid_countries SET name = 'Country 3' WHERE country = 3} ],
	[ 'middle', q{INSERT INTO iuid_entities VALUES (9, 'Shop', 'Return')}, 'another registry||middle',
		'DELETE FROM iuid_entities' ],
	[ 'middle', q{UPDATE iuid_nodes SET region = 'asia' WHERE node = 'far'}, 'another registry||middle',
		'UPDATE iuid_nodes SET region = NULL' ],
	[ 'middle', q{INSERT INTO iuid_routes VALUES (8, 9, 'far')}, 'another registry||middle',
		'DELETE FROM iuid_routes WHERE entity = 9' ],
	[ 'far', q{UPDATE pg_extension SET extversion = '0.8' WHERE extname = 'iuid'}, 'another version||far',
		q{UPDATE pg_extension SET extversion = (SELECT extversion FROM pg_extension WHERE extname = 'iuid_regions')
			WHERE extname = 'iuid'} ],
	[ 'far', q{CREATE SCHEMA ext; UPDATE pg_extension SET extnamespace = 'ext'::regnamespace WHERE extname LIKE 'iuid%'},
		"extension in another schema||far\nextension in another schema||far",
		q{UPDATE pg_extension SET extnamespace = 'public'::regnamespace WHERE extname LIKE 'iuid%'} ])
{
	my ($node, $fault, $found, $repair) = @$case;
	at($node, $fault);
	is(problems('north'), $found, "found: $fault");
	$repair ? at($node, $repair) : enter_hints('north');
	is(problems('north'), '', $repair ? "put right: $repair" : 'put right by what the hint says');
}
is(at('north', q{SELECT count(*), count(DISTINCT iuid_country(id)) FROM orders_global}),
	'7|7', 'all rows are there but those of the partition that was dropped');

# A global view: what iuid_create_global_view makes, and what has become of it.
at($_, q{CREATE TABLE trips (id iuid PRIMARY KEY, "a b" int);
	SELECT iuid_create_global_view('trips_all', 'trips')}) for @nodes;

sub all_problems
{
	return at(shift, q{SELECT problem, relation, country, node FROM iuid_check_regions() ORDER BY 1, 2::text, 3, 4});
}

is(all_problems($_), '', "$_ is healthy, with all tables and views") for @nodes;
for my $case (
	[ q{INSERT INTO iuid_nodes VALUES ('new', NULL, 'new');
		CREATE SERVER new FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '/nowhere', extensions 'iuid');
		CREATE USER MAPPING FOR PUBLIC SERVER new},
		'no foreign table|trips_all||new', q{DELETE FROM iuid_nodes WHERE node = 'new'; DROP SERVER new CASCADE} ],
	[ q{CREATE OR REPLACE VIEW trips_all AS SELECT 'north'::text AS node, id, "a b" FROM trips
		UNION ALL SELECT 'far', id, "a b" FROM trips_all_far},
		"no foreign table|trips_all||middle\nno foreign table|trips_all||south" ],
	[ q{CREATE OR REPLACE VIEW trips_all AS SELECT 'north'::text AS node, id, "a b" FROM trips},
		"no foreign table|trips_all||far\nno foreign table|trips_all||middle\nno foreign table|trips_all||south" ],
	[ q{DROP VIEW trips_all; DROP FOREIGN TABLE trips_all_far;
		CREATE FOREIGN TABLE trips_all_far (id iuid, "a b" int) SERVER middle
		OPTIONS (schema_name 'public', table_name 'trips', updatable 'false', truncatable 'false', async_capable 'true');
		CREATE VIEW trips_all AS SELECT 'north'::text AS node, * FROM trips
			UNION ALL SELECT 'far', * FROM trips_all_far
			UNION ALL SELECT 'middle', * FROM trips_all_middle
			UNION ALL SELECT 'south', * FROM trips_all_south},
		'foreign table on another server|trips_all||far' ],
	[ q{ALTER TABLE trips ADD more int},
		join("\n", (map { "old view|trips_all||$_" } 'far', 'middle', 'north', 'south'),
			(map { "other columns there|trips_all||$_" } 'far', 'middle', 'south')),
		q{DROP VIEW trips_all; ALTER TABLE trips DROP more; SELECT iuid_create_global_view('trips_all', 'trips')} ],
	[ q{ALTER FOREIGN TABLE trips_all_far OPTIONS (SET table_name 'elsewhere')}, 'old view|trips_all||far' ],
	[ q{CREATE OR REPLACE VIEW trips_all AS SELECT 'gone'::text AS node, * FROM trips
		UNION ALL SELECT 'far', * FROM trips_all_far
		UNION ALL SELECT 'middle', * FROM trips_all_middle
		UNION ALL SELECT 'south', * FROM trips_all_south},
		'foreign table of no node|trips_all||gone' ],
	[ q{DROP USER MAPPING FOR PUBLIC SERVER far}, "no user mapping|trips_all||far\nno user mapping|||far",
		q{CREATE USER MAPPING FOR PUBLIC SERVER far} ],
	[ q{DROP USER MAPPING FOR PUBLIC SERVER far; CREATE USER MAPPING FOR CURRENT_USER SERVER far; CREATE ROLE unmapped;
		ALTER VIEW trips_all OWNER TO unmapped}, 'no user mapping|trips_all||far',
		q{ALTER VIEW trips_all SET (security_invoker = true)} ],
	[ q{ALTER VIEW trips_all RESET (security_invoker)}, 'no user mapping|trips_all||far',
		q{ALTER VIEW trips_all OWNER TO CURRENT_USER; DROP ROLE unmapped; DROP USER MAPPING FOR CURRENT_USER SERVER far;
			CREATE USER MAPPING FOR PUBLIC SERVER far} ])
{
	my ($fault, $found, $repair) = @$case;
	at('north', $fault);
	is(all_problems('north') =~ s/^(another registry|no answer)\|.*\n?//gmr =~ s/\n$//r, $found, "found: $fault");
	at('north', $repair // join ';', map { (split /\|/, $_, 2)[1] } split /\n/,
		at('north', q{SELECT DISTINCT 'h', remedy FROM iuid_check_regions() WHERE relation = 'trips_all'::regclass}));
	is(all_problems('north'), '', 'put right');
}
# What is not of all rows, each once, is no global view.
for my $rest (q{trips WHERE "a b" > 1 UNION ALL SELECT 'far', * FROM trips_all_far},
	q{trips UNION SELECT 'far', * FROM trips_all_far}, q{trips UNION ALL SELECT 'far', * FROM trips})
{
	my (undef, undef, $err) = $near->psql('north',
		qq{CREATE OR REPLACE VIEW some_trips AS SELECT 'north'::text AS node, * FROM $rest;
	\\set VERBOSITY sqlstate
	SELECT iuid_check_regions('some_trips')});
	like($err, qr/ERROR:  42809/, "no global view: $rest");
}
at('north', 'DROP VIEW some_trips');
# A type of the same name in another schema.
at('middle', q{DROP VIEW trips_all; CREATE DOMAIN public.int4 AS pg_catalog.int4;
	ALTER TABLE trips ALTER "a b" TYPE public.int4; SELECT iuid_create_global_view('trips_all', 'trips')});
is(all_problems('north'), 'other columns there|trips_all||middle', 'a type of another schema');
at('middle', q{DROP VIEW trips_all; ALTER TABLE trips ALTER "a b" TYPE pg_catalog.int4;
	SELECT iuid_create_global_view('trips_all', 'trips'); DROP DOMAIN public.int4});
is(all_problems('north'), '', 'put right');
# What other sessions have for themselves.
my $own = $near->background_psql('north');
$own->query_safe(q{CREATE TEMP VIEW own_trips AS SELECT 'north'::text AS node, id, "a b" FROM trips});
is(all_problems('north'), '', 'temporary views are left out');
$own->quit;
# A table for a country without a route.
at($_, q{DELETE FROM iuid_routes WHERE country = 8; DELETE FROM iuid_countries WHERE country = 8}) for @nodes;
is(problems('north'), 'foreign table without a route|8|', 'a foreign table whose country is gone');
at($_, q{INSERT INTO iuid_countries VALUES (8, 'C8', 'Country 8');
	INSERT INTO iuid_routes VALUES (8, NULL, 'far')}) for @nodes;

# What looks like a global table or view, and is none; and a table that is locked.
at('north', q{CREATE VIEW loads AS SELECT 'north' || 1 AS node, 1 AS load;
	CREATE VIEW names AS SELECT 'x'::text AS node, id FROM trips;
	CREATE VIEW v AS SELECT node FROM iuid_nodes; CREATE TABLE r (a int, b int) PARTITION BY RANGE (a);
	CREATE TABLE r_rest PARTITION OF r DEFAULT PARTITION BY LIST (b);
	CREATE TABLE l (id iuid, a text) PARTITION BY RANGE (id iuid_origin_ops);
	CREATE TABLE l_rest PARTITION OF l DEFAULT PARTITION BY LIST (a);
	CREATE TABLE l_a PARTITION OF l_rest FOR VALUES IN ('a');
	DO $$ BEGIN EXECUTE 'CREATE VIEW deep AS SELECT ''x''::text AS node, ' || repeat('(SELECT ', 2500) || 'id'
		|| repeat(')', 2500) || ' AS id FROM trips'; EXCEPTION WHEN program_limit_exceeded THEN END $$});
is(all_problems('north'), '', 'relations that are no global ones');
my $locking = $near->background_psql('north');
$locking->query_safe('BEGIN; LOCK TABLE trips_all, orders IN ACCESS EXCLUSIVE MODE');
is(all_problems('north'), "not checked|orders_global||\nnot checked|trips_all||", 'no lock is waited for');
$locking->quit;
at('north', 'DROP VIEW loads, names, v; DROP VIEW IF EXISTS deep; DROP TABLE r, l');

# Who may see nothing hears of the registry and the servers alone.
is($near->safe_psql('north', q{CREATE ROLE stranger; SET ROLE stranger;
	SELECT DISTINCT relation FROM iuid_check_regions()}), '', 'a stranger');

# The role of the user mapping may not read.
$far->safe_psql('far', q{CREATE ROLE mesh LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO mesh;
	REVOKE ALL ON orders_c7, orders_c8_e3, trips FROM mesh});
at('north', q{ALTER USER MAPPING FOR PUBLIC SERVER far OPTIONS (ADD user 'mesh')});
is(all_problems('north'),
	"no right there|orders_global|7|far\nno right there|orders_global|8|far\nno right there|trips_all||far",
	'rights of the mapping');
$far->safe_psql('far', 'REVOKE SELECT ON iuid_routes FROM PUBLIC, mesh');
like(all_problems('north'), qr/^no registry\|\|\|far\nno right there\|orders_global\|7/,
	'a registry that cannot be read hides nothing');
$far->safe_psql('far', 'GRANT SELECT ON iuid_routes TO PUBLIC');
at('north', q{ALTER USER MAPPING FOR PUBLIC SERVER far OPTIONS (DROP user)});

# A number that no entity has.
at('north', q{ALTER FOREIGN TABLE orders_global_c3 OPTIONS (SET table_name 'orders_c3_e999')});
is(at('north', q{SELECT problem, remedy FROM iuid_check_regions('orders_global')}),
	q{no view there|SELECT public.iuid_create_routed_partitions('public.orders'::pg_catalog.regclass, 3); -- at that node},
	'a name with the number 999');
at('north', q{ALTER FOREIGN TABLE orders_global_c3 OPTIONS (SET table_name 'orders_c3_e3')});

# Subscriptions and slots, here and there, with names that must be quoted.
# A slot of another database there is nothing of this node.
$far->safe_psql('postgres', q{SELECT pg_create_logical_replication_slot('of_another', 'pgoutput')});
$far->safe_psql('far', q{SELECT pg_create_physical_replication_slot('it_stands', true);
	SELECT pg_create_logical_replication_slot('nobody_reads', 'pgoutput');
	CREATE PUBLICATION registry FOR TABLE iuid_countries, iuid_entities, iuid_nodes, iuid_routes});
my $conninfo = $far->connstr('far');
at('middle', q{CREATE SUBSCRIPTION "the Registry" CONNECTION '} . $conninfo =~ s/'/''/gr
	. q{' PUBLICATION registry WITH (copy_data = false, slot_name = 'the_registry')});
# The others do not follow.
my $apart = "no subscription|||north\nno subscription|||south";
sleep 11 if $far->pg_version >= 17;
$near->poll_query_until('north', q{SELECT count(*) = 4 FROM iuid_check_regions()}) or diag all_problems('north');
is(all_problems('north'), "inactive slot|||far\ninactive slot|||far\n$apart", 'slots that nobody reads');
at('far', $_) for split /\n/, at('north', q{SELECT remedy FROM iuid_check_regions() WHERE node = 'far'});
is(all_problems('north'), $apart, 'dropped, as the hints say');
is(all_problems('middle'), $apart, 'the subscriber');
# A subscription to another table is none of the registry.
$far->safe_psql('far', 'CREATE TABLE another (id int PRIMARY KEY); CREATE PUBLICATION another FOR TABLE another');
at('middle', 'CREATE TABLE another (id int PRIMARY KEY)');
at('middle', q{CREATE SUBSCRIPTION another CONNECTION '} . $conninfo =~ s/'/''/gr
	. q{' PUBLICATION another WITH (slot_name = NONE, create_slot = false, enabled = false)});
my $tables_of_another = q{SELECT srrelid::regclass
	FROM pg_subscription_rel AS r JOIN pg_subscription AS s ON s.oid = srsubid WHERE subname = 'another'};
is(at('middle', $tables_of_another) . all_problems($_), "another$apart", "another subscription, seen at $_")
	for 'north', 'middle';
at('middle', $_) for 'DROP SUBSCRIPTION another', 'DROP TABLE another';
$far->safe_psql('far', 'DROP PUBLICATION another; DROP TABLE another');
at('middle', 'ALTER SUBSCRIPTION "the Registry" DISABLE');
$far->poll_query_until('far', q{SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'the_registry'});
is(all_problems($_), "$apart\nsubscription disabled|||middle", "seen at $_") for 'north', 'middle';
at('middle', at('north', q{SELECT remedy FROM iuid_check_regions() WHERE node = 'middle'}));
$near->poll_query_until('north', q{SELECT count(*) = 2 FROM iuid_check_regions()});
is(all_problems('north'), $apart, 'enabled, as the hint says');
$far->safe_psql('far', q{UPDATE iuid_countries SET name = 'No' WHERE country = 1;
	UPDATE iuid_countries SET name = 'Country 1' WHERE country = 1});
at('middle', q{ALTER SUBSCRIPTION "the Registry" CONNECTION 'host=/nowhere'});
ok($near->poll_query_until('north', q{SELECT count(*) = 1 FROM iuid_check_regions()
	WHERE problem = 'subscription does not run' AND node = 'middle'}), 'a subscription that fails');
at('middle', q{ALTER SUBSCRIPTION "the Registry" DISABLE; ALTER SUBSCRIPTION "the Registry" SET (slot_name = NONE)});
at('middle', q{DROP SUBSCRIPTION "the Registry"});
$far->safe_psql('far', 'DROP PUBLICATION registry');
$near->poll_query_until('north', q{SELECT count(*) = 1 FROM iuid_check_regions()});
at('far', at('north', q{SELECT remedy FROM iuid_check_regions()}));

# A route that changed here and nowhere else yet.
at('north', q{UPDATE iuid_routes SET node = 'middle' WHERE country = 2;
	UPDATE iuid_routes SET node = 'north' WHERE country = 3});
is( at('north', q{SELECT problem, country FROM iuid_check_regions('orders_global')
		WHERE country IS NOT NULL ORDER BY 1}),
	"foreign table of a country of this node|3\nno foreign table|2\nno partition|3\n"
		. 'partition of a country of another node|2', 'a route that changed');
my $left = q{SELECT remedy FROM iuid_check_regions('orders_global')
	WHERE problem = 'partition of a country of another node'};
at('north', at('north', $left) =~ s/^SELECT /SELECT count(*) FROM /r);
is(at('north', 'SELECT count(*) FROM orders_c2'), '1', 'the rows that are there do not go');
at('north', q{ALTER TABLE orders DETACH PARTITION orders_c3; DROP TABLE orders_c3 CASCADE});
at('north', q{UPDATE iuid_routes SET node = 'north' WHERE country = 2;
	UPDATE iuid_routes SET node = 'middle' WHERE country = 3});

# A node that is down is a row, and the others are checked.
at('middle', 'DROP VIEW orders_c4_e3');
$far->stop;
is(problems('north'), "no answer||far\nno view there|4|middle", 'a node that is down');
at('middle', q{SELECT iuid_create_routed_partitions('orders', 3)});

# One that does not answer: its postmaster takes no connection.
$far->start;
my $pid = (split /\n/, slurp_file($far->data_dir . '/postmaster.pid'))[0];
kill 'STOP', $pid;
is(problems('north'), 'no answer||far', 'a node that hangs');
kill 'CONT', $pid;
is(problems('north'), '', 'healthy again');

# A clock that is five seconds ahead, or behind.
SKIP:
{
	my ($library) = glob '/usr/lib/*/faketime/libfaketime.so.1';
	skip 'SKIPPED: libfaketime, which moves the clock, is not installed', 4 unless $library;
	for my $distance ('+5s', '-5s')
	{
		$far->stop;
		{
			local @ENV{ 'LD_PRELOAD', 'FAKETIME', 'FAKETIME_DONT_FAKE_MONOTONIC' } = ($library, $distance, 1);
			$far->start;
		}
		is(problems('north'), 'another clock||far', "a clock that differs by $distance");
		like(at('north', q{SELECT detail FROM iuid_check_regions('orders_global')}),
			qr/differs by (4\.[89]|5\.0) seconds/, 'by as much');
	}
	$far->stop;
	$far->start;
}

# A node that answers whatever it likes: that is a fault of the node, and of nothing else.
for my $answer ('NULL', q{'{}'}, q{'[1]'}, q{'"x"'}, q{'{"extensions": {"iuid": {"schema": "public"}}}'},
	q{'{"extensions": {"iuid": {"schema": [], "version": {}}}, "relations": 7}'})
{
	# Of the whole answer, and of a part of it.
	for my $types ('text, json, text, json, text, json, text, text, text, float8, text, text', 'text, name, text, text')
	{
		at('middle', qq{SET allow_system_table_mods = on;
			CREATE FUNCTION pg_catalog.json_build_object($types) RETURNS json LANGUAGE sql AS \$\$SELECT ${answer}::json\$\$});
		my @problems = split /\n/, problems('north');
		my $expected = qr/strange answer|extension missing|extension in another schema|another version/;
		is(join(',', grep { !/^(?:$expected)\|\|middle$/ } @problems), '', "an answer of $answer");
		isnt(scalar @problems, 0, 'is reported');
		at('middle', qq{SET allow_system_table_mods = on; DROP FUNCTION pg_catalog.json_build_object($types)});
	}
}
is(problems('north'), '', 'healthy again');

# A node answers by another function than that of the server.
sub answers_by
{
	my ($node, $body) = @_;
	at($node, qq{SET allow_system_table_mods = on;
		CREATE FUNCTION pg_catalog.json_build_object(a text, b json, c text, d json, e text, f json, r text,
			s text, g text, h float8, i text, j text) RETURNS json LANGUAGE sql AS \$answer\$ $body \$answer\$});
	return;
}

sub answers_again
{
	my ($node) = @_;
	at($node, q{SET allow_system_table_mods = on;
		DROP FUNCTION pg_catalog.json_build_object(text, json, text, json, text, json, text, text, text, float8,
			text, text)});
	return;
}

# A lie about slots is quoted, and of another number it is a strange answer.
for my $case (
	[ q{[[3, "x'); DROP TABLE orders; --"]]}, 'inactive slot||far' ],
	[ '[[99, "x"]]', 'strange answer||far' ],
	[ '[[6, "x"], [6, {}, []], [8, "x", "x"]]',
		"no subscription||middle\nno subscription||north\nno subscription||south" ],
	[ '[[7, "x"], [8, "x", 1], [6, null]]', '' ],
	[ '[["x", {}]]', 'strange answer||far' ],
	[ '7', '' ],
	[ '[' . join(',', ('[0, "a\"b"]') x 1000) . ']', join "\n", ('subscription disabled||far') x 20 ])
{
	my ($answer, $found) = @$case;
	$answer =~ s/'/''/g;
	answers_by('far', qq{SELECT (jsonb_build_object(a, b::jsonb, c, d::jsonb, 'replication', '$answer'::jsonb)
		|| jsonb_build_object('clock', h, 'registry', j))::json});
	is(problems('north'), $found, "slots: $answer");
	is(at('north', q{SELECT remedy FROM iuid_check_regions('orders_global')}),
		q{SELECT pg_catalog.pg_drop_replication_slot('x''); DROP TABLE orders; --');}
			. ' -- unless its reader comes back -- at that node', 'quoted') if $answer =~ /DROP/;
	answers_again('far');
}

# A role that is none, and a relation without a name.
answers_by('far', q{SELECT jsonb_build_object(a, b::jsonb,
	c, '{"public.orders": {"columns": [], "unread": [null, "x"]}}'::jsonb, 'clock', h, 'registry', j)::json});
like(problems('north'), qr/no right there\|\|far/, 'an answer without a role');
answers_again('far');

# A clock can be anything.
answers_by('far', q{SELECT jsonb_build_object(a, b::jsonb, c, d::jsonb,
	'clock', ('-' || repeat('9', 131072))::numeric, 'registry', j)::json});
is(problems('north'), 'another clock||far', 'a clock that is no time');
answers_again('far');
answers_by('far', q{SELECT jsonb_build_object(a, b::jsonb, c, d::jsonb, 'clock', 'NaN', 'registry', j)::json});
is(problems('north'), 'another clock||far', 'a clock that is no number');
answers_again('far');

# A node that takes its time, while the tables here go.
answers_by('middle', q{
	SELECT pg_sleep(2);
	SELECT '{"extensions": {"iuid": {"schema": "public", "version": "1.0"},
		"iuid_regions": {"schema": "public", "version": "1.0"}},
		"relations": {"brief": "", "brief_c3_e3": ""}}'::json});
at('north', q{
	CREATE TABLE brief (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
	SELECT iuid_create_routed_partitions('brief', 3);
	SELECT iuid_create_global_table('brief_global', 'brief', 3)});
my $checking = $near->background_psql('north');
$checking->query_until(qr/started/, "\\echo started\nSELECT count(*) > 0 FROM iuid_check_regions('brief_global');\n");
$near->poll_query_until('middle', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'})
	or die 'the node was not asked';
# Nothing is locked meanwhile.
at('north', q{SET lock_timeout = '1s'; SELECT iuid_drop_global('brief_global'); DROP TABLE brief CASCADE});
like($checking->query_safe('SELECT 42'), qr/42/, 'tables that go while another node is asked');
$checking->quit;
answers_again('middle');

# A node that has the rows of the registry subscribes to them.
at('north', 'CREATE PUBLICATION registry FOR TABLE iuid_countries, iuid_entities, iuid_nodes, iuid_routes');
my $subscribe = sprintf q{CREATE SUBSCRIPTION registry CONNECTION 'host=%s port=%s dbname=north' PUBLICATION registry},
	$near->host, $near->port;
$far->safe_psql('far', $_)
	for 'ALTER SYSTEM SET wal_retrieve_retry_interval = 100', 'SELECT pg_reload_conf()', $subscribe;
$far->wait_for_log(qr/duplicate key value violates unique constraint "iuid_/);
my $not_copied = q{SELECT DISTINCT problem, node, detail LIKE '%copy_data = false.'
	FROM iuid_check_regions('orders_global') WHERE problem NOT LIKE '%slot' AND problem <> 'no subscription'};
$far->poll_query_until('far', 'SELECT pid IS NOT NULL FROM pg_stat_subscription WHERE relid IS NULL') or die;
is(at($_, $not_copied), 'registry not copied|far|t', "found at $_: the rows are there, and cannot come")
	for 'north', 'far';
$far->safe_psql('far', $_) for 'DROP SUBSCRIPTION registry', "$subscribe WITH (copy_data = false)";
$far->poll_query_until('far', 'SELECT pid IS NOT NULL FROM pg_stat_subscription WHERE relid IS NULL') or die;
is(problems('north'), "no subscription||middle\nno subscription||south",
	'as the hint says, it subscribes without them');
$far->safe_psql('far', 'DROP SUBSCRIPTION registry');
at('north', 'DROP PUBLICATION registry');

# A cancel ends the call, and is no problem of the view that the call was at.
at('north', q{SELECT iuid_create_global_view('orders_all', 'orders')});
my $holder = $near->background_psql('north');
$holder->query_safe('BEGIN; LOCK pg_catalog.pg_rewrite');
$checking = $near->background_psql('north', on_error_stop => 0);
$pid = $checking->query('SELECT pg_backend_pid()');
$checking->query_until(qr/started/,
	"\\set VERBOSITY sqlstate\n\\echo started\nSELECT problem, detail FROM iuid_check_regions('orders_all');\n");
$near->poll_query_until('postgres',
	"SELECT count(*) = 1 FROM pg_locks WHERE relation = 'pg_rewrite'::regclass AND pid = $pid AND NOT granted")
	or die 'the check does not wait';
$near->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
$holder->query_safe('ROLLBACK');
$checking->query('');
like($checking->{stderr}, qr/ERROR:  57014/, 'a cancel ends the call');
$_->quit for $holder, $checking;
at('north', q{SELECT iuid_drop_global('orders_all')});

# Whose table it is, and which.
at('north', 'CREATE ROLE nobody');
for my $case (
	[ q{SET ROLE nobody; SELECT iuid_check_regions('orders_global')}, '42501' ],
	[ q{SELECT iuid_check_regions('orders')}, '42809' ],
	[ q{SELECT iuid_check_regions('iuid_nodes')}, '42809' ], [ q{SELECT iuid_check_regions(1)}, '42P01' ],
	[ q{SELECT iuid_check_regions('pg_stat_activity')}, '42809' ],
	[ q{SET iuid.node = ''; SELECT iuid_check_regions('orders_global')}, '22023' ])
{
	my (undef, undef, $err) = $near->psql('north', "\\set VERBOSITY sqlstate\n$case->[0]", on_error_stop => 1);
	like($err, qr/ERROR:  $case->[1]/, $case->[0]);
}

# Whoever may read the table checks it.
$near->safe_psql('north', q{CREATE ROLE reader; GRANT SELECT ON orders_global TO reader;
	DROP FOREIGN TABLE orders_global_c7});
is($near->safe_psql('north', q{SET ROLE reader;
	SELECT problem, country, node FROM iuid_check_regions('orders_global') WHERE problem <> 'no answer'}),
	'no foreign table|7|far', 'a reader sees what is wrong here');
is($near->safe_psql('north', q{SET ROLE reader;
	SELECT node, split_part(detail, E'\n', 1) FROM iuid_check_regions('orders_global')
		WHERE problem = 'no answer' ORDER BY 1}),
	join("\n", map { "$_|42501: permission denied for foreign server $_" } qw(far middle south)),
	'and asks the other nodes with the rights of its own');

# Who may not read the registry cannot compare it.
$near->safe_psql('north', 'REVOKE SELECT ON iuid_countries FROM PUBLIC');
like(($near->psql('north', q{SET ROLE reader; SELECT iuid_check_regions('orders_global')}))[2],
	qr/ERROR:  permission denied for table iuid_countries/, 'a reader without SELECT on the registry');

$_->stop for $near, $far;
done_testing();
