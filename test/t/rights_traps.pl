# Nobody gets rights: the owner of a database, who is no superuser, plants a
# function, operator, view or type for every name that the extensions use, and
# code of its own on its tables.  Then it makes iuid, and a superuser makes
# iuid_regions and calls all functions of both.  No trap is sprung, none of the owner's code runs with more
# rights than the owner's, and no call becomes ambiguous.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\nmax_locks_per_transaction = 256");
$node->start;
my $id = '019b7612-3c00-8007-8041-23456789abcd';
my $almaty = '019b7612-3c00-807d-8041-23456789abcd';

# --- Calls ----------------------------------------------------------------

# A value for each type of argument, exactly of that type.
my %value = (
	integer => '125', boolean => 'true', interval => q{'1 day'::pg_catalog.interval}, bigint => '7::pg_catalog.int8',
	bytea => q{pg_catalog.decode(pg_catalog.repeat('01'::pg_catalog.text, 32), 'hex'::pg_catalog.text)},
	(map { $_ => "'$id'::pg_catalog.$_" } 'uuid', 'text', 'cstring'), iuid => "'$id'::EXT.iuid",
	'timestamp with time zone' => q{'2026-01-02 00:00+00'::pg_catalog.timestamptz},
	tstzrange => q{'[2026-01-01,2026-02-01)'::pg_catalog.tstzrange},
	iuid_tstzrange => q{'[2026-01-01,2026-02-01)'::EXT.iuid_tstzrange});

# What takes something else, in the order in which it is called.
my $v7 = q{'019b7612-3c00-7007-8041-23456789abcd'::pg_catalog.uuid};
my $file = $node->basedir . '/ids.binary';
my @calls = (
	'iuid_register_iso_countries()' => 'SELECT EXT.iuid_register_iso_countries()',
	'iuid_run_on_nodes(text,text[],interval)' => q{SELECT 1 OPERATOR(pg_catalog./) (CASE WHEN success THEN 1 ELSE 0 END)
		FROM EXT.iuid_run_on_nodes('SELECT 1'::pg_catalog.text, NULL::pg_catalog.text[], '20 seconds'::pg_catalog.interval)},
	'iuid_select_on_nodes(anyelement,text,text[],interval,boolean)' =>
		q{SELECT id FROM EXT.iuid_select_on_nodes(NULL::OWN.plain, 'SELECT NULL::EXT.iuid AS id'::pg_catalog.text,
			'{almaty}'::pg_catalog.text[], '20 seconds'::pg_catalog.interval, false)},
	'iuid_compare_registry(text,interval)' =>
		"SELECT EXT.iuid_compare_registry('twin'::pg_catalog.text, '20 seconds'::pg_catalog.interval)",
	'iuid_registry_on_nodes(iuid_registry,text,text[],interval,boolean)' =>
		q{SELECT EXT.iuid_registry_on_nodes(NULL::EXT.iuid_registry,
			'SELECT NULL::pg_catalog.jsonb AS countries, NULL::pg_catalog.jsonb AS entities,
			NULL::pg_catalog.jsonb AS nodes, NULL::pg_catalog.jsonb AS routes'::pg_catalog.text,
			'{almaty}'::pg_catalog.text[], '20 seconds'::pg_catalog.interval, true)},
	'iuid_run_on_hosts(text,interval)' =>
		"SELECT EXT.iuid_run_on_hosts('SELECT 1'::pg_catalog.text, '20 seconds'::pg_catalog.interval)",
	'iuid_find(anyelement,uuid[])' =>
		"SELECT id FROM EXT.iuid_find(NULL::OWN.orders, VARIADIC ARRAY['$almaty'::pg_catalog.uuid])",
	'iuid_select_here(text,text[],text[])' =>
		q{SELECT n FROM EXT.iuid_select_here('SELECT 1 AS n'::pg_catalog.text,
			'{n}'::pg_catalog.text[], '{integer}'::pg_catalog.text[]) AS r (n pg_catalog.text)},
	'iuid_find_here(text,text[],text[],uuid[],text[])' =>
		qq{SELECT note FROM EXT.iuid_find_here('OWN.orders'::pg_catalog.text,
			'{note}'::pg_catalog.text[], '{pg_catalog.text}'::pg_catalog.text[],
			'{$almaty}'::pg_catalog.uuid[], '{almaty}'::pg_catalog.text[])
			AS r (id pg_catalog.text, node pg_catalog.text, note pg_catalog.text)},
	'iuid_require_node()' => q{
		INSERT INTO EXT.iuid_nodes VALUES ('spare', NULL, NULL);
		INSERT INTO EXT.iuid_routes VALUES (255, 255, 'spare')},
	'iuid_keep_node()' => q{
		UPDATE EXT.iuid_nodes SET region = 'spare too' WHERE node OPERATOR(pg_catalog.=) 'spare'::pg_catalog.text;
		DELETE FROM EXT.iuid_routes WHERE node OPERATOR(pg_catalog.=) 'spare'::pg_catalog.text;
		DELETE FROM EXT.iuid_nodes WHERE node OPERATOR(pg_catalog.=) 'spare'::pg_catalog.text},
	'iuid_from_uuid(uuid,integer,integer)' => "SELECT EXT.iuid_from_uuid($v7, 7, 1)",
	'iuid_recv(internal)' => qq{COPY OWN.plain TO '$file' (FORMAT binary); COPY OWN.plain FROM '$file' (FORMAT binary)},
	(map { $_ => 'SELECT id FROM OWN.plain ORDER BY id' } 'iuid_sortsupport(internal)', 'iuid_skipsupport(internal)'),
	'iuid_origin_sortsupport(internal)' => 'SELECT id FROM OWN.plain ORDER BY id USING OPERATOR(EXT.~<~)',
	'iuid_time_support(internal)' =>
		"SELECT id FROM OWN.plain WHERE id OPERATOR(EXT.>=) $value{'timestamp with time zone'}",
	'iuid_uuid_support(internal)' => "SELECT id FROM OWN.plain WHERE id::pg_catalog.uuid OPERATOR(EXT.>=) $value{iuid}",
	'iuid_is_valid_support(internal)' => 'SELECT id FROM OWN.plain WHERE EXT.iuid_is_valid(id::pg_catalog.uuid)',
	'iuid_rangesel(internal,oid,internal,integer)' =>
		"SELECT id FROM OWN.plain WHERE id OPERATOR(EXT.>=) $value{iuid} AND id OPERATOR(EXT.~<~) $value{iuid}",
	'iuid_typanalyze(internal)' => 'ANALYZE OWN.plain',
	'iuid_range_support(internal)' => "SELECT id FROM OWN.plain WHERE id OPERATOR(EXT.<@) $value{iuid_tstzrange}",
	'iuid_is_from_support(internal)' => 'SELECT id FROM OWN.plain WHERE EXT.iuid_is_from(id::pg_catalog.uuid, 7)',
	'iuid_row_type_support(internal)' =>
		"SELECT f.id FROM EXT.iuid_find(NULL::OWN.orders, VARIADIC ARRAY['$almaty'::pg_catalog.uuid]) AS f",
	'iuid_cast_support(internal)' => 'SELECT id::pg_catalog.uuid::EXT.iuid FROM OWN.plain');
my ($interval, $time) = ('::pg_catalog.interval', '::pg_catalog.timestamptz');
my ($table, $country_table) = map { "'OWN.$_'::pg_catalog.regclass" } 'TABLE', 'TABLE_by_country';
my $global_table = q{pg_catalog.to_regclass('OWN.TABLE_everywhere'::pg_catalog.text)};
my @partition_calls = (
	'iuid_create_partitions(regclass,interval,timestamp with time zone,timestamp with time zone,boolean,interval)' =>
		qq{SELECT EXT.iuid_create_partitions($table, '1 month'$interval, '2026-01-01 00:00+00'$time,
			'2026-04-01 00:00+00'$time, true, '1 s'$interval)},
	'iuid_detach_partitions(regclass,timestamp with time zone,interval)' =>
		"SELECT EXT.iuid_detach_partitions($table, '2026-02-01 00:00+00'$time, '1 s'$interval)",
	'iuid_drop_partitions(regclass,timestamp with time zone,interval)' =>
		"SELECT EXT.iuid_drop_partitions($table, '2026-03-01 00:00+00'$time, '1 s'$interval)",
	'iuid_maintain_partitions(regclass,interval,integer,interval,boolean,interval,integer,integer)' =>
		"CALL EXT.iuid_maintain_partitions($table, '1 month'$interval, 1, '10 years'$interval, true, '1 s'$interval, 0, 0)",
	'iuid_attach_partitions(regclass,regclass[],uuid[],uuid[])' =>
		"SELECT EXT.iuid_attach_partitions($table, ARRAY['OWN.TABLE_by_hand'::pg_catalog.regclass],
		'{020251fe-2400-8000-8000-000000000000}'::pg_catalog.uuid[],
		'{0202f1a3-4800-8000-8000-000000000000}'::pg_catalog.uuid[])" =~ s/\s+/ /gr,
	'iuid_run_as_owner(regclass,text)' => "SELECT EXT.iuid_run_as_owner($table, 'ANALYZE OWN.TABLE'::pg_catalog.text)",
	'iuid_keys_between(regclass,uuid,uuid)' =>
		"SELECT EXT.iuid_keys_between('OWN.TABLE_rest'::pg_catalog.regclass, NULL::pg_catalog.uuid, $value{uuid})",
	'iuid_partition_key(regclass,boolean,boolean,boolean)' => "SELECT EXT.iuid_partition_key($table, false, true, true)",
	'iuid_partitions(regclass)' => "SELECT EXT.iuid_partitions($table)",
	'iuid_check_bounds(regclass)' => "SELECT EXT.iuid_check_bounds($table)",
	'iuid_check_times(regclass,text)' => "SELECT EXT.iuid_check_times($table, 'id'::pg_catalog.text)",
	'iuid_check_rows(regclass)' => "SELECT EXT.iuid_check_rows($table)",
	'iuid_check_partitions(regclass)' => "SELECT EXT.iuid_check_partitions($table)",
	'iuid_create_country_partitions(regclass,integer,integer[],interval,boolean,interval)' =>
		qq{SELECT EXT.iuid_create_country_partitions($country_table, 1, '{9,10}'::pg_catalog.int4[], '1 month'$interval,
			true, '1 s'$interval)},
	'iuid_create_routed_partitions(regclass,integer,interval,boolean,interval)' =>
		qq{SELECT EXT.iuid_create_routed_partitions('OWN.TABLE_by_country'::pg_catalog.regclass, 1, '1 month'$interval,
			true, '10 s'$interval)},
	'iuid_create_global_table(text,regclass,integer,interval)' =>
		qq{SELECT EXT.iuid_create_global_table('OWN.TABLE_everywhere'::pg_catalog.text,
			'OWN.TABLE_by_country'::pg_catalog.regclass, 1, '10 s'$interval)},
	'iuid_check_regions(regclass)' =>
		"SELECT EXT.iuid_check_regions($global_table), EXT.iuid_check_regions(NULL::pg_catalog.regclass)",
	'iuid_check_countries_here(regclass)' => "SELECT EXT.iuid_check_countries_here($global_table)",
	'iuid_check_countries_elsewhere(regclass)' => "SELECT EXT.iuid_check_countries_elsewhere($global_table)",
	'iuid_check_views(regclass)' => "SELECT EXT.iuid_check_views(NULL::pg_catalog.regclass)",
	'iuid_check_nodes(regclass)' => "SELECT EXT.iuid_check_nodes($global_table)",
	'iuid_node_answers(regclass)' => "SELECT EXT.iuid_node_answers($global_table)",
	'iuid_country_states(regclass)' => "SELECT EXT.iuid_country_states($global_table)",
	'iuid_country_tables(regclass)' => "SELECT EXT.iuid_country_tables($global_table)",
	'iuid_global_views(regclass)' => "SELECT EXT.iuid_global_views(NULL::pg_catalog.regclass)",
	'iuid_global_locals(regclass)' => "SELECT EXT.iuid_global_locals(NULL::pg_catalog.regclass)",
	'iuid_foreign_tables(regclass)' =>
		"SELECT EXT.iuid_foreign_tables(pg_catalog.to_regclass('OWN.TABLE_view'::pg_catalog.text))",
	'iuid_wanted_relations(regclass)' => "SELECT EXT.iuid_wanted_relations($global_table)",
	'iuid_view_parts(regclass)' => "SELECT EXT.iuid_view_parts(pg_catalog.to_regclass('OWN.TABLE_view'::pg_catalog.text))",
	'iuid_step_of(regclass)' => "SELECT EXT.iuid_step_of($country_table)",
	'iuid_country_view(regclass,integer,integer)' => "SELECT EXT.iuid_country_view($country_table, 9, 1)",
	'iuid_country_view_name(regclass,integer,integer)' => "SELECT EXT.iuid_country_view_name($country_table, 9, 1)",
	'iuid_has_country_check(text[],text,boolean,integer)' =>
		"SELECT EXT.iuid_has_country_check('{}'::pg_catalog.text[], 'id'::pg_catalog.text, false, 9)",
	'iuid_is_current_view(regclass,regclass,regclass)' =>
		"SELECT EXT.iuid_is_current_view($country_table, $country_table, $country_table)",
	'iuid_create_global_view(text,regclass,interval)' =>
		qq{SELECT EXT.iuid_create_global_view('OWN.TABLE_view'::pg_catalog.text, 'OWN.TABLE_by_country'::pg_catalog.regclass,
			'10 s'$interval)},
	'iuid_drop_global(regclass,interval)' =>
		"SELECT EXT.iuid_drop_global(pg_catalog.to_regclass('OWN.TABLE_view'::pg_catalog.text), '10 s'$interval)");

# Each call is a line, by whose number psql tells its errors.
sub run_calls
{
	my ($db, $ext, $own, @calls) = @_;
	s/\s+/ /g, s/EXT\./"$ext"./g, s/OWN\./"$own"./g for @calls;
	my (undef, undef, $err) = $node->psql($db, join("\n", 'SET iuid.country = 7;', map { "$_;" } @calls),
		on_error_stop => 0);
	return join "\n", map { /^psql:<stdin>:(\d+): ERROR: (.*)/ ? "$2: $calls[$1 - 2]" : () } split /\n/, $err;
}

# Every function of both extensions, from the catalog, so that none is forgotten, but for helpers with
# a text for a body, which the others call: those without a call, the calls of those that take no
# table, and of the others.
sub all_calls
{
	my ($db) = @_;
	my %named = (@calls, @partition_calls);
	my (@missing, @made, %there);
	for (split /\n/, $node->safe_psql($db, q{
		SET search_path = pg_catalog;
		SELECT proname, (SELECT string_agg(regexp_replace(format_type(t, NULL), '^.*\.', ''), ',' ORDER BY n)
			FROM unnest(proargtypes) WITH ORDINALITY AS a(t, n))
		FROM pg_depend JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
		WHERE deptype = 'e' AND refobjid IN (SELECT oid FROM pg_extension WHERE extname LIKE 'iuid%')
			AND NOT (probin IS NULL AND prosqlbody IS NULL AND obj_description(p.oid, 'pg_proc') LIKE 'internal:%')
		ORDER BY 1, 2}))
	{
		my ($name, @arguments) = split /[|,]/;
		my $function = "$name(" . join(',', @arguments) . ')';
		$there{$function} = 1;
		next if $named{$function};
		push @missing, $function if grep { !$value{$_} } @arguments;
		push @made, "SELECT EXT.$name(" . join(', ', map { $value{$_} // 'NULL' } @arguments) . ')';
	}
	my $in_order = sub { map { $there{$_[$_]} ? $_[$_ + 1] : () } grep { $_ % 2 == 0 } 0 .. $#_ };
	return ([@missing], [ $in_order->(@calls), grep { !/\(NULL/ } @made ], [ $in_order->(@partition_calls) ]);
}

# The owner's tables, and what an organisation says of itself.
my $tables = q{
	CREATE TABLE OWN.plain (id EXT.iuid);
	INSERT INTO OWN.plain SELECT EXT.gen_iuid(7, 1) FROM pg_catalog.generate_series(1, 9);
	CREATE TABLE OWN.orders (id EXT.iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
	CREATE TABLE OWN.orders_rest PARTITION OF OWN.orders DEFAULT;
	INSERT INTO OWN.orders SELECT EXT.gen_iuid(7, 1, '2026-01-15 00:00+00'::timestamptz + n * interval '1 month')
		FROM pg_catalog.generate_series(0, 11) AS n;
	CREATE TABLE OWN.lines (id EXT.iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
	CREATE TABLE OWN.lines_rest PARTITION OF OWN.lines DEFAULT;
	INSERT INTO OWN.lines TABLE OWN.orders;
	CREATE TABLE OWN.orders_by_hand (LIKE OWN.orders);
	CREATE TABLE OWN.lines_by_hand (LIKE OWN.lines);
	CREATE TABLE OWN.orders_by_country (id EXT.iuid PRIMARY KEY, note text) PARTITION BY RANGE (id EXT.iuid_origin_ops);
	CREATE TABLE OWN.lines_by_country (id EXT.iuid PRIMARY KEY, note text) PARTITION BY RANGE (id EXT.iuid_origin_ops);
	INSERT INTO EXT.iuid_entities VALUES (1, 'Ayan', 'Order');
	INSERT INTO EXT.iuid_nodes VALUES ('almaty', NULL, NULL), ('mexico', NULL, 'mexico'), ('twin', NULL, 'twin');
	INSERT INTO EXT.iuid_routes VALUES (125, NULL, 'almaty'), (152, NULL, 'mexico')};

# --- Traps ----------------------------------------------------------------

my $own = slurp_file('test/t/traps.sql');

# The names: all of the extensions', and of core's those that stand in an SQL
# part or in a string of the C files.
$node->safe_psql('postgres', 'CREATE EXTENSION iuid_regions CASCADE');
my $source = join ' ', (map { slurp_file($_) } grep { !m{/sql/} } glob '{src,regions}/{,*/}*.sql'),
	map { slurp_file($_) =~ /"((?:[^"\\]|\\.)*)"/g } glob '{src,regions}/{,*/}*.c';
$source =~ s/'/''/g;
my $names = $node->safe_psql('postgres', qq{
	CREATE TEMP TABLE source AS SELECT '$source'::text AS source;
	CREATE TEMP TABLE word AS SELECT DISTINCT m[1] AS word, m[2] <> '' AS is_call
		FROM source, regexp_matches(source, '([a-z_][a-z0-9_]*)(\\s*\\(|)', 'g') AS m;
	SELECT format('INSERT INTO own.called VALUES (%L, %L);', proname,
		array(SELECT regexp_replace(format_type(t, NULL), '^iuid_', 'ext.iuid_')
			FROM unnest(proargtypes) WITH ORDINALITY AS a(t, n) ORDER BY n))
	FROM pg_proc WHERE pronamespace = 'public'::regnamespace
		OR pronamespace = 'pg_catalog'::regnamespace AND proname IN (SELECT word FROM word WHERE is_call);
	SELECT format('INSERT INTO own.operator VALUES (%L);', oprname)
	FROM (SELECT oprname FROM pg_operator WHERE oprnamespace = 'public'::regnamespace
		UNION SELECT oprname FROM pg_operator JOIN (SELECT DISTINCT m[1] AS symbol
			FROM source, regexp_matches(source, '([-+*/<>=~!@#%^&|`?]+)', 'g') AS m) AS s ON oprname = symbol) AS x;
	SELECT format('INSERT INTO own.relation VALUES (%L);', relname) FROM pg_class
	WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') AND relname IN (SELECT word FROM word)});
my $ours = $node->safe_psql('postgres', q{
	SELECT array_agg(CASE classid WHEN 'pg_proc'::regclass THEN objid::regprocedure::text
		ELSE objid::regoperator::text END)
	FROM pg_depend WHERE classid IN ('pg_proc'::regclass, 'pg_operator'::regclass) AND deptype = 'e'
		AND refobjid IN (SELECT oid FROM pg_extension WHERE extname LIKE 'iuid%')});
$ours =~ s/'/''/g;

$node->safe_psql('postgres', 'CREATE ROLE keeper LOGIN');
my @keeper = (extra_params => [ '-U', 'keeper' ]);

# A database of the keeper's, who makes iuid after what is given.  A superuser
# makes iuid_regions, and lets the keeper fill the registry.  Then the keeper
# makes iuid_gist and the tables.  The result is the errors, if there are any.
sub make_database
{
	my ($db, $ext, $own, $before, $after) = @_;
	s/EXT\./"$ext"./g, s/OWN\./"$own"./g for $after;
	$node->safe_psql('postgres', "CREATE DATABASE $db OWNER keeper; ALTER DATABASE $db SET iuid.node = 'almaty'");
	my ($host, $port) = ($node->host, $node->port);
	$node->safe_psql($db, qq{CREATE SCHEMA fdw; CREATE EXTENSION postgres_fdw SCHEMA fdw;
		CREATE SERVER mexico FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
		CREATE USER MAPPING FOR CURRENT_USER SERVER mexico; GRANT USAGE ON FOREIGN SERVER mexico TO keeper;
		CREATE SERVER twin FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname '$db');
		CREATE USER MAPPING FOR CURRENT_USER SERVER twin; GRANT USAGE ON FOREIGN SERVER twin TO keeper});
	my @errors;
	for my $step (
		[ qq{CREATE SCHEMA IF NOT EXISTS "$ext"; $before; CREATE EXTENSION iuid SCHEMA "$ext"}, @keeper ],
		[ qq{CREATE EXTENSION iuid_regions SCHEMA "$ext"; GRANT INSERT, DELETE ON ALL TABLES IN SCHEMA "$ext" TO keeper} ],
		[ qq{CREATE EXTENSION btree_gist SCHEMA "$ext"; CREATE EXTENSION iuid_gist SCHEMA "$ext"}, @keeper ],
		[ $after, @keeper ])
	{
		my ($commands, @who) = @$step;
		$node->psql($db, $commands, on_error_stop => 1, @who, stderr => \my $error);
		push @errors, $error if $error ne '';
	}
	return join "\n", @errors;
}

# What traps have written since a moment, each line once.
sub now { return -s $node->logfile }

sub log_of
{
	my ($since, $pattern) = @_;
	my %seen = map { $_ => 1 } slurp_file($node->logfile, $since) =~ /LOG:  ($pattern.*)/g;
	return join "\n", sort keys %seen;
}

# --- An extension made in a schema full of traps ------------------------------

sub plant
{
	my ($iuid, $ours, $everything) = @_;
	return join '', map { qq{
		SELECT own.plant('$_', '$iuid', '$ours', $everything), own.plant_operators('$_', '$iuid', '$ours'),
			own.plant_names('$_');} } 'ext', 'trap';
}
my $path = 'SET search_path = trap, ext, pg_catalog';
# A function with one default more makes a call in the script ambiguous.  Then the extension is not made,
# as when there is a table iuid_nodes already.  A call in an extension that is there was bound when that
# was made.
my $bound = $node->safe_psql('postgres', qq{SELECT '$ours'::text[] || array(
	SELECT regexp_replace(f, ',?\\)\$', CASE WHEN f LIKE '%()' THEN '' ELSE ',' END || more || ')')
	FROM unnest('$ours'::text[]) AS f, unnest('{text,own.anything}'::text[]) AS more)});
$bound =~ s/'/''/g;
sub make_among
{
	my ($db, $allowed) = @_;
	return make_database($db, 'ext', 'own',
		"$own $names CREATE SCHEMA trap;" . plant('uuid', $allowed, 'true') . "ALTER DATABASE $db $path; $path", '');
}
like(make_among('ambiguous', $ours), qr/^\S+ ERROR:  function ext\.iuid_\w+\(.*\) is not unique/,
	'a call that is ambiguous fails');
is(make_among('first', $bound), '', 'the extensions are made in a schema full of traps');
is(log_of(0, 'SPRUNG'), '', 'no trap is sprung by making it');
# What is bound when it is made could be bound to a trap.
$node->safe_psql('first', 'SET search_path = pg_catalog;' . $tables =~ s/EXT\./"ext"./gr =~ s/OWN\./"own"./gr);
my (undef, @calls_among) = all_calls('first');
run_calls('first', 'ext', 'own', map { s/TABLE/orders/gr } map { @$_ } @calls_among);
is(log_of(0, 'SPRUNG'), '', 'and none by calls of what was made there');

# --- A superuser's calls among traps -----------------------------------------

is(make_database('shop', 'ext', 'own', "$own $names CREATE SCHEMA trap", $tables), '', 'the extensions, and tables');
my ($missing, $plain, $partition) = all_calls('shop');
is("@$missing", '', 'there is a call of every function');

# A planted function makes a call of these ambiguous, which nothing prevents: their first argument has
# any type, and what they say to a node is a call, too.
@$plain = grep { !/iuid_select_on_nodes|iuid_find\(|iuid_registry_on_nodes|iuid_compare_registry/ } @$plain;

# A planted function with defaults makes calls from outside ambiguous, which
# nothing prevents; so before the second round they are bound to what they mean.
my ($n, $bind, @bound) = (0, 'CREATE SCHEMA calls;');
for my $calls ($plain, $partition)
{
	push @bound, [ map { s/TABLE/lines/gr =~ s/EXT\./ext./gr =~ s/OWN\./own./gr } @$calls ];
	for (grep { /^SELECT / } @{ $bound[-1] })
	{
		(my $name = $n++ . substr $_, 6, 50) =~ s/"//g;
		$bind .= qq{CREATE FUNCTION calls."$name"() RETURNS pg_catalog.void BEGIN ATOMIC $_; END;};
		$_ = qq{SELECT calls."$name"()};
	}
}
$node->safe_psql('shop', $bind);
for my $round ([ 'like ours', 'false', $plain, $partition ], [ 'of every kind', 'true', @bound ])
{
	my ($traps, $everything, @calls) = @$round;
	$node->safe_psql('shop',
		'SET search_path = pg_catalog;' . plant('ext.iuid', '{}', $everything) . "ALTER DATABASE shop $path", @keeper);
	my $mark = now();
	$node->psql('shop', $_) for 'SELECT iuid_floor(current_date)', q{SELECT 'a'::pg_catalog.name < 'b'::pg_catalog.text},
		'SELECT 1 FROM pg_class';
	like(log_of($mark, 'SPRUNG'), qr/operator of name, text.*pg_class.*iuid_floor/s,
		"traps $traps spring on calls that are not exact");
	for my $what ('calls', 'calls on partitions')
	{
		$mark = now();
		# A body that is text looks for our functions by name, and then fails, too, so that there is no
		# view to drop.
		my $no_view = 'arguments of iuid_drop_global must not be null';
		my $ambiguous = qr/(function|procedure) ext\.iuid_\w+\(.*\) is not unique/;
		my @failed = grep { !/^ ($no_view|$ambiguous): (SELECT calls\.|CALL)/ } split /\n/,
			run_calls('shop', 'ext', 'own', map { s/TABLE/orders/gr } @{ shift @calls });
		is("@failed", '', "traps $traps: no $what fail or are ambiguous");
		is(log_of($mark, 'SPRUNG'), '', "traps $traps: no $what spring one");
	}
}

# --- The code of a table's owner ----------------------------------------------

# Each runs when the owner fills the table, and may run when a superuser's call
# changes it, but with the owner's rights.
my $for_each_row = "INSERT OR DELETE ON PARENT %s FOR EACH ROW EXECUTE FUNCTION own.row_code('%s')";
my %kind = (
	default => [ q{, x text DEFAULT own.code('default')}, '' ],
	generated => [ q{, x text GENERATED ALWAYS AS (own.code('generated' || note)) STORED}, '' ],
	check => [ q{, CHECK (own.code('check' || note) IS NOT NULL)}, '' ],
	domain => [ q{, x own.coded DEFAULT 'x'}, '' ],
	index => [ '', q{CREATE INDEX ON PARENT (own.code('index' || note))} ],
	predicate => [ '', q{CREATE INDEX ON PARENT (id) WHERE own.code('predicate' || note) IS NOT NULL} ],
	policy => [ '', q{ALTER TABLE REST ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
		CREATE POLICY p ON REST USING (own.code('policy' || note) IS NOT NULL)} ],
	before => [ '', 'CREATE TRIGGER t BEFORE ' . sprintf $for_each_row, '', 'before' ],
	after => [ '', 'CREATE TRIGGER t AFTER ' . sprintf $for_each_row, '', 'after' ],
	deferred => [ '', 'CREATE CONSTRAINT TRIGGER t AFTER ' . sprintf $for_each_row,
		'DEFERRABLE INITIALLY DEFERRED', 'deferred' ],
	statement => [ '', q{CREATE TRIGGER t AFTER INSERT OR DELETE ON REST EXECUTE FUNCTION own.row_code('statement')} ],
	rule => [ '', q{CREATE RULE r AS ON INSERT TO REST DO ALSO SELECT own.code('rule')} ],
	expression => [ undef, '' ]);
my $code = q{CREATE TABLE own.parent (id ext.iuid, note text) PARTITION BY LIST (own.code('expression' || note));};
for my $kind (sort keys %kind)
{
	my ($columns, $more) = @{ $kind{$kind} };
	my $definition = defined $columns ? "(id ext.iuid, note text$columns)"
		: q{PARTITION OF own.parent FOR VALUES IN ('expressionx')};
	$code .= qq{
		CREATE TABLE PARENT $definition PARTITION BY RANGE (id);
		CREATE TABLE REST PARTITION OF PARENT DEFAULT;
		$more;
		INSERT INTO REST SELECT ext.gen_iuid(7, 1, '2026-01-15 00:00+00'::timestamptz), 'x';}
		=~ s/PARENT/own.$kind\_parent/gr =~ s/REST/own.$kind\_rest/gr;
}
# A key that has a constant to evaluate is no key of ours, and is not evaluated.
$code .= q{CREATE TABLE own.constant_key (id ext.iuid, note text) PARTITION BY RANGE ((own.code('constant') || note));};
my $mark = now();
is(make_database('code', 'ext', 'own', $own, $code . q{
	SELECT own.try('CREATE TRIGGER t BEFORE INSERT ON ext.iuid_countries FOR EACH ROW
		EXECUTE FUNCTION own.row_code(''registry'')')}), '', 'tables with code of their owner');
my $ran = log_of($mark, 'OWNER');
is(join(' ', grep { $ran !~ /OWNER: $_\w* as keeper/ } sort keys %kind), '', 'it runs when the owner fills them');
my $start = now();
for my $kind (sort keys %kind)
{
	$mark = now();
	my $failed = run_calls('code', 'ext', 'own', map { /TABLE'/ ? s/OWN\.TABLE/own.$kind\_parent/r : () } @$partition);
	unlike(log_of($mark, 'OWNER'), qr/as (?!keeper$)/m, "$kind: runs as the owner, if at all") or diag $failed;
}
$mark = now();
run_calls('code', 'ext', 'own', map { s/OWN\.TABLE\w*/own.constant_key/gr } @$partition);
is(log_of($mark, 'OWNER'), '', 'a key that is none of ours is not evaluated');
like(log_of($start, 'OWNER'), qr/expression\w* as keeper/, 'some of it does');
$mark = now();
$node->psql('code', 'SELECT ext.iuid_register_iso_countries()');
unlike(log_of($mark, 'OWNER'), qr/as (?!keeper$)/m, 'a trigger of the registry runs as the owner, if at all');

# --- Names that would be something else -------------------------------------------

for my $name ('%s', '50% off', 'a.b', 'select')
{
	my $db = 'named_' . $n++;
	is(make_database($db, $name, $name, '', $tables), '', "a schema named $name");
	my (undef, @both) = all_calls($db);
	is(run_calls($db, $name, $name, map { s/TABLE/orders/gr } @$_), '', "$name: no call fails") for @both;
}
# Functions of the server that take anything, beside them one of the same name that takes what fits exactly: no
# body that is parsed when the extensions are made has one of these.
$node->safe_psql('postgres', 'CREATE DATABASE exact');
is($node->safe_psql('exact', q{
	CREATE SCHEMA ext;
	DO $$ DECLARE f record; a text; BEGIN
		FOR f IN SELECT proname, proargtypes::oid[] AS types FROM pg_proc
		WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND pronargs BETWEEN 1 AND 3
			AND EXISTS (SELECT FROM unnest(proargtypes) AS t (t) JOIN pg_type ON pg_type.oid = t
				WHERE typtype = 'p' AND typname ~ '^any')
		LOOP
			FOREACH a IN ARRAY '{text,int4,uuid,jsonb,oid,regclass}'::text[] LOOP
				BEGIN
					EXECUTE format('CREATE FUNCTION ext.%I(%s) RETURNS text LANGUAGE sql RETURN NULL::text', f.proname, (
						SELECT string_agg(CASE WHEN typname ~ '^any.*array$' THEN a || '[]' WHEN typname ~ '^any' THEN a
							ELSE t::regtype::text END, ', ' ORDER BY n)
						FROM unnest(f.types) WITH ORDINALITY AS t (t, n) JOIN pg_type ON pg_type.oid = t));
				EXCEPTION WHEN OTHERS THEN
				END;
			END LOOP;
		END LOOP;
	END $$;
	SET client_min_messages = error;
	CREATE EXTENSION iuid SCHEMA ext;
	CREATE EXTENSION iuid_regions SCHEMA ext;
	SELECT count(*) > 300 FROM pg_proc WHERE pronamespace = 'ext'::regnamespace AND prosqlbody IS NOT NULL
		AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e');
	SELECT DISTINCT d.objid::regprocedure, d.refobjid::regprocedure
	FROM pg_depend AS d JOIN pg_proc AS p ON p.oid = d.refobjid AND p.pronamespace = 'ext'::regnamespace
	WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_proc'::regclass
		AND NOT EXISTS (SELECT FROM pg_depend AS e
			WHERE e.classid = 'pg_proc'::regclass AND e.objid = d.refobjid AND e.deptype = 'e')}),
	't', 'no body has the function of somebody else');
isnt(make_database('quoted', '""quoted""', 'own', '', ''), '', 'a name with quotes is refused by PostgreSQL itself');
done_testing();
