# clients/sql/iuid.sql: identifiers in SQL alone, as a role that is no superuser makes them.  Its answers
# are those of the extension, which stands beside it here, and the planner uses them as it uses core's.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 'logical');
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE team; CREATE DATABASE shop');
$node->safe_psql('postgres', 'GRANT CREATE ON DATABASE shop TO team');
my $file = slurp_file('clients/sql/iuid.sql');
$node->safe_psql('shop', "SET ROLE team;\n$file");
is($node->safe_psql('shop', q{SELECT count(*) FROM pg_proc JOIN pg_namespace AS n ON n.oid = pronamespace
	WHERE nspname = 'iuid_sql' AND (proconfig IS NOT NULL OR prosecdef OR proowner <> 'team'::regrole)}),
	'0', 'no SET clause, no other rights');
$node->safe_psql('shop', 'CREATE EXTENSION iuid');

# Random bits with every layout, and foreign UUIDs; Nil and Max; NULL.
$node->safe_psql('shop', q{
	CREATE TABLE input AS
	SELECT CASE WHEN n % 10 < 8 THEN overlay(overlay(u::text
			PLACING '8' || CASE n % 4 WHEN 0 THEN '0' WHEN 1 THEN '1' ELSE to_hex(n / 10 % 16) END FROM 15)
			PLACING to_hex(8 + n % 4) FROM 20)::uuid ELSE u END AS id
	FROM (SELECT n, md5(n::text)::uuid AS u FROM generate_series(1, 100000) AS n) AS x
	UNION ALL VALUES ('00000000-0000-0000-0000-000000000000'::uuid), ('ffffffff-ffff-ffff-ffff-ffffffffffff'), (NULL);
	CREATE FUNCTION here(id uuid) RETURNS iuid LANGUAGE plpgsql
		AS $$ BEGIN RETURN id::iuid; EXCEPTION WHEN invalid_parameter_value THEN RETURN NULL; END $$;
	CREATE TABLE given AS SELECT id, here(id) AS iuid FROM input});
is($node->safe_psql('shop', q{SELECT count(*) > 80000 FROM given WHERE iuid IS NOT NULL}), 't', 'most are identifiers');
is($node->safe_psql('shop', q{SELECT count(*) FROM given
	WHERE iuid_sql.iuid_is_valid(id) IS DISTINCT FROM CASE WHEN id IS NOT NULL THEN iuid IS NOT NULL END}),
	'0', 'which are identifiers');
for my $field ('timestamp', 'country', 'entity', 'random_bits', 'layout')
{
	is($node->safe_psql('shop',
		"SELECT count(*) FROM given WHERE iuid_sql.iuid_$field(id) IS DISTINCT FROM iuid_$field(iuid)"),
		'0', "the same $field");
}
is($node->safe_psql('shop', q{SELECT count(*) FROM given WHERE iuid IS NOT NULL
	AND (iuid_sql.iuid_fields(id))::text IS DISTINCT FROM (iuid_fields(iuid))::text}), '0', 'the same record');

# Times in microseconds, inside and outside of the 48 bits, and their ends.
is($node->safe_psql('shop', q{
	SELECT count(*) FROM (SELECT timestamptz '1960-01-01' + (abs(hashint8extended(n,
			1)) % 290000000000) * interval '1 second' + n * interval '1 microsecond' AS at
			FROM generate_series(1, 100000) AS n
		UNION ALL
		VALUES ('infinity'::timestamptz), ('-infinity'), (NULL), ('1970-01-01 00:00+00'), ('1969-12-31 23:59:59.999999+00'),
			('10889-08-02 05:31:50.655+00'), ('10889-08-02 05:31:50.655001+00'), ('10889-08-02 05:31:50.654001+00')) AS x
	WHERE iuid_sql.iuid_floor(at) IS DISTINCT FROM iuid_floor(at)::uuid}), '0', 'the same lower bounds');
is($node->safe_psql('shop', q{
	SELECT count(*)
		FROM (SELECT overlay(overlay(md5(n::text) PLACING '7' FROM 13) PLACING to_hex(8 + n % 4) FROM 17)::uuid AS id,
		n % 256 AS country, n / 256 % 256 AS entity
		FROM generate_series(1, 100000) AS n) AS x
	WHERE iuid_sql.iuid_from_uuid(id, country, entity) <> iuid_from_uuid(id, country, entity)::uuid}),
	'0', 'the same identifiers of UUIDs of version 7');

# New ones.
is($node->safe_psql('shop', q{
	WITH made AS MATERIALIZED (SELECT n % 256 AS country, n / 256 % 256 AS entity,
		iuid_sql.gen_iuid(n % 256, n / 256 % 256)::iuid AS id FROM generate_series(1, 70000) AS n)
	SELECT count(DISTINCT id), bool_and(iuid_country(id) = country AND iuid_entity(id) = entity AND iuid_layout(id) = 0),
		bool_and(iuid_timestamp(id) BETWEEN date_trunc('milliseconds', now()) AND clock_timestamp()),
		count(DISTINCT iuid_random_bits(id) & 4398046511103) > 69990 FROM made}),
	'70000|t|t|t', 'new identifiers');
is($node->safe_psql('shop', q{
	SELECT count(DISTINCT id), bool_and(iuid_timestamp(id) = '2026-01-01 00:00:00.123+00'),
		max(iuid_random_bits(id)) > 2^54 * 0.999, min(iuid_random_bits(id)) < 2^54 * 0.001
	FROM (SELECT iuid_sql.gen_iuid(7, 1, '2026-01-01 00:00:00.1239+00')::iuid AS id FROM generate_series(1, 20000)) AS x}),
	'20000|t|t|t', 'new identifiers of a time');
is($node->safe_psql('shop', q{
	SELECT corr(extract(microseconds FROM at) % 1000, iuid_random_bits(id) >> 42) > 0.9
	FROM (SELECT clock_timestamp() AS at, iuid_sql.gen_iuid(7, 1)::iuid AS id FROM generate_series(1, 20000)) AS x}),
	't', 'with the fraction of the millisecond');

# Each random bit is set in half of them: within six standard deviations.
for my $case ([ 'iuid_sql.gen_iuid(7, 1)', 42 ], [ q{iuid_sql.gen_iuid(7, 1, '2026-01-01 00:00+00')}, 54 ])
{
	my ($call, $bits) = @$case;
	is($node->safe_psql('shop', qq{
		WITH made AS MATERIALIZED (SELECT iuid_random_bits($call\::iuid) AS random FROM generate_series(1, 20000))
		SELECT string_agg(bit::text, ' ') FROM (SELECT bit FROM made, generate_series(0, $bits - 1) AS bit GROUP BY bit
			HAVING abs(sum(random >> bit & 1) - 10000) > 6 * sqrt(5000)) AS x}), '', "random bits: $call");
}

# What is refused, with the same SQLSTATE.
for my $call ('gen_iuid(256, 1)', 'gen_iuid(-1, 1)', 'gen_iuid(1, 256)', 'gen_iuid(NULL, 1)', 'gen_iuid(1, NULL)',
	q{gen_iuid(1, 1, '1969-12-31 23:59:59.999+00')},
	q{gen_iuid(1, 1, 'infinity')}, q{gen_iuid(1, 1, '-infinity')}, q{gen_iuid(1, 1, NULL)},
	q{gen_iuid(1, 1, '10889-08-02 05:31:50.656+00')},
	q{iuid_from_uuid('919108f7-52d1-4320-9bac-f847db4148a8', 7, 1)},
	q{iuid_from_uuid('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 256, 1)},
	q{iuid_from_uuid('017f22e2-79b0-7cc3-c8c4-dc0c0c07398f', 7, 1)})
{
	my @states = map {
		my (undef, undef, $err) = $node->psql('shop', "\\set VERBOSITY sqlstate\nSELECT $_$call");
		$err =~ /ERROR:\s+(\w+)/
	} 'iuid_sql.', '';
	is($states[0], $states[1], "$call: $states[1]");
}
is($node->safe_psql('shop', 'SELECT iuid_sql.iuid_from_uuid(NULL, 7, 1) IS NULL'), 't', 'nothing of nothing');

# Beside each other, the first one of the search_path is called, and both say the same.
my $page = slurp_file('doc/sql-alone.md');
my ($without, $with) = $page =~ /^(SET search_path = .*?;)/mg;
isnt($with, undef, 'the page has two paths');
for my $call (map { "iuid_$_('019b76da-a87b-807d-8041-23456789abcd')" } 'country', 'entity', 'layout',
	'random_bits', 'timestamp', 'fields')
{
	is($node->safe_psql('shop', ($with // $without) . " SELECT $call"), $node->safe_psql('shop', "SELECT iuid_sql.$call"),
		"beside the extension: $call");
	is($node->safe_psql('shop', "SET search_path = $_; SELECT $call"), $node->safe_psql('shop', "SELECT iuid_sql.$call"),
		"$_: $call") for 'public, iuid_sql', 'iuid_sql, public';
}

# In tables: what the planner does with it.
$node->safe_psql('shop', q{
	SET ROLE team; CREATE SCHEMA work; SET search_path = work, iuid_sql;
	CREATE TABLE orders (id iuid PRIMARY KEY DEFAULT gen_iuid(125, 1), note text) PARTITION BY RANGE (id);
	CREATE TABLE orders_2026 PARTITION OF orders
		FOR VALUES FROM (iuid_floor('2026-01-01 00:00+00')) TO (iuid_floor('2027-01-01 00:00+00'));
	CREATE TABLE orders_2027 PARTITION OF orders
		FOR VALUES FROM (iuid_floor('2027-01-01 00:00+00')) TO (iuid_floor('2028-01-01 00:00+00'));
	INSERT INTO orders SELECT gen_iuid(125, 1, timestamptz '2026-01-01' + n * interval '1 hour'), n
		FROM generate_series(1, 17000) AS n;
	ANALYZE orders});
my $path = 'SET search_path = work, iuid_sql;';
my $explain = "$path EXPLAIN (COSTS off) SELECT * FROM orders";
my $plan = $node->safe_psql('shop', qq{$explain
	WHERE id >= iuid_floor('2027-06-01 00:00+00') AND id < iuid_floor('2027-06-02 00:00+00')});
like($plan, qr/Index.* on orders_2027/, 'a range of time uses the index');
unlike($plan, qr/orders_2026/, 'and prunes partitions');
$plan = $node->safe_psql('shop', qq{$explain WHERE id >= iuid_floor(now() - interval '1 day')
	AND id < iuid_floor(timestamptz '2020-01-01' + (now() - now()))});
like($plan, qr/Subplans Removed: 2|Result/, 'a time of now() prunes when the query begins');
like($node->safe_psql('shop', "$path EXPLAIN (COSTS off, VERBOSE) SELECT iuid_country(id) FROM orders_2026"),
	qr/get_byte/, 'a field is computed in the query, without a call');
my (undef, undef, $err) = $node->psql('shop',
	"$path INSERT INTO orders VALUES ('919108f7-52d1-4320-9bac-f847db4148a8')");
like($err, qr/violates check constraint/, 'the domain refuses other UUIDs');

# A function, operator and type of somebody else's for each of core's, in front of it, changes nothing.
$node->safe_psql('shop', q{
	CREATE SCHEMA trap;
	CREATE FUNCTION try(command text) RETURNS int LANGUAGE plpgsql
		AS $$ BEGIN EXECUTE command; RETURN 1; EXCEPTION WHEN others THEN RETURN 0; END $$;
	CREATE FUNCTION plant(name text, arguments text, result text) RETURNS int LANGUAGE sql AS $$
		SELECT try(format('CREATE FUNCTION trap.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', name, arguments,
			result, format('BEGIN RAISE EXCEPTION %L; END', 'SPRUNG ' || name)))
	$$;
	SELECT sum(plant(proname, pg_get_function_identity_arguments(oid), pg_get_function_result(oid))) FROM pg_proc
		WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f';
	SELECT sum(plant('operator', format('%s, %s', oprleft::regtype, oprright::regtype), oprresult::regtype::text))
		FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprleft <> 0;
	SELECT sum(try(format('CREATE OPERATOR trap.%s (FUNCTION = trap.operator, LEFTARG = %s, RIGHTARG = %s)',
			oprname, oprleft::regtype, oprright::regtype)))
		FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprleft <> 0;
	SELECT sum(try(format('CREATE DOMAIN trap.%I AS pg_catalog.%1$I CHECK (VALUE IS NULL)', typname))) FROM pg_type
		WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype = 'b'});
my $trapped = 'SET search_path = trap, pg_catalog, iuid_sql;';
like(($node->psql('shop', "$trapped SELECT $_"))[2], qr/SPRUNG/, "there is a trap: $_") for '1 + 1', '8 >> 1',
	'1::bigint & 1::bigint', 'gen_random_uuid()', 'clock_timestamp()', q{'a'::pg_catalog.text || 'b'::pg_catalog.text};
is($node->safe_psql('shop', "$trapped " . q{
	SELECT iuid_country(id), iuid_entity(id), iuid_layout(id) FROM (SELECT gen_iuid(7, 200) AS id) AS x;
	SELECT iuid_floor('2026-01-01 00:00:00.123+00'::pg_catalog.timestamptz),
		iuid_from_uuid('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'::pg_catalog.uuid, 125, 1),
		iuid_timestamp('019b76da-a87b-807d-8041-23456789abcd'::pg_catalog.uuid)
			OPERATOR(pg_catalog.=) '2026-01-01 00:00:00.123+00'::pg_catalog.timestamptz,
		iuid_layout(gen_iuid(7, 200, '2026-01-01 00:00:00.123+00'::pg_catalog.timestamptz)),
		'019b76da-a87b-807d-8041-23456789abcd'::iuid}),
	"7|200|0\n" . join('|', '019b76da-a87b-8000-8000-000000000000', '017f22e2-79b0-807d-8073-0d8c4dc0c0c0', 't', '0',
		'019b76da-a87b-807d-8041-23456789abcd'), 'whatever the search_path is');
like(($node->psql('shop', "$trapped SELECT $_"))[2],
	qr/ERROR:  (country|entity|time|uuid) .* (out of range|must not be null|no time)/, "what is refused: $_")
	for 'gen_iuid(256, 1)', 'gen_iuid(1, -1)', 'gen_iuid(1, NULL)', q{gen_iuid(1, 1, 'infinity'::pg_catalog.timestamptz)},
	q{iuid_from_uuid('919108f7-52d1-4320-9bac-f847db4148a8'::pg_catalog.uuid, 7, 1)};

# To the extension and back, as on the page, while the table is in use: what refers to it, and what was prepared.
my ($there) = $page =~ /^(ALTER TABLE accounts .*?;)$/ms;
my ($back) = $page =~ /^(ALTER TABLE accounts ALTER id DROP DEFAULT, ALTER id TYPE uuid.*?;)$/m;
$node->safe_psql('shop', q{
	CREATE TABLE accounts (id iuid_sql.iuid DEFAULT iuid_sql.gen_iuid(125, 2) PRIMARY KEY, note text);
	INSERT INTO accounts (note) SELECT n FROM generate_series(1, 20000) AS n;
	CREATE TABLE letters (account uuid REFERENCES accounts);
	CREATE INDEX ON letters (account);
	INSERT INTO letters SELECT id FROM accounts WHERE note::int % 10 = 0;
	CREATE TABLE before AS SELECT id::uuid, note FROM accounts});
my $read = sub { $node->safe_psql('shop', "SET search_path = public; SELECT id FROM accounts \\gdesc") =~ s/^id\|//r };

# What else stands in the way: the domain first in the path, and a view.
is($read->(), 'uuid', 'a driver reads the domain as a uuid');
$node->safe_psql('shop', "SET search_path = iuid_sql, public; $there");
is($read->(), 'uuid', 'with iuid_sql first, the statement changes nothing');
like($node->safe_psql('shop', q{SET search_path = public;
		SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'accounts'::regclass AND attname = 'id'}),
	qr/^iuid_sql\.iuid$/, 'which shows as iuid_sql.iuid');
like(($node->psql('shop', 'SET search_path = public; SELECT FROM accounts WHERE id >= now()'))[2],
	qr/operator does not exist: iuid_sql\.iuid >= timestamp with time zone/, 'and is compared as a uuid');
$node->safe_psql('shop', 'CREATE VIEW shown AS SELECT id FROM accounts');
like(($node->psql('shop', $there))[2],
	qr/cannot alter type of a column used by a view or rule/, 'a view stops the statement');
$node->safe_psql('shop', 'DROP VIEW shown');

my $service = $node->background_psql('shop', on_error_stop => 0);
$service->query_safe(q{PREPARE make AS INSERT INTO accounts (note) VALUES ('made') RETURNING id;
	PREPARE quiet AS INSERT INTO accounts (note) VALUES ('made')});
$service->query_safe('EXECUTE make; EXECUTE quiet');
for my $way ([ there => $there, 'public.iuid' ], [ back => $back, 'uuid' ])
{
	my ($name, $command, $type) = @$way;
	$node->safe_psql('shop', $command);
	is($read->(), $name eq 'there' ? 'iuid' : 'uuid', "$name: what a driver reads");
	is($node->safe_psql('shop', q{SET search_path = '';
		SELECT format_type(atttypid, NULL) FROM pg_attribute
			WHERE attrelid = 'public.accounts'::regclass AND attname = 'id'}), $type, "$name: the type");
	is($node->safe_psql('shop', q{SELECT count(*), count(*) FILTER (WHERE a.id::uuid = b.id)
		FROM accounts AS a JOIN before AS b USING (note)}), '20000|20000', "$name: the bytes stay");
	like(($node->psql('shop', 'DELETE FROM accounts WHERE id = (SELECT account FROM letters LIMIT 1)'))[2],
		qr/foreign key/, "$name: the foreign key stays");
	like($node->safe_psql('shop', q{SET enable_seqscan = off;
		EXPLAIN (COSTS off) SELECT FROM accounts JOIN letters ON account = id LIMIT 1}),
		qr/Index/, "$name: a join uses an index");
	$service->{stderr} = '';
	$service->query('EXECUTE make');
	like($service->{stderr}, qr/cached plan must not change result type/,
		"$name: a prepared statement that returns the key is prepared again");
	$service->{stderr} = '';
	$service->query_safe(q{EXECUTE quiet; DEALLOCATE make;
		PREPARE make AS INSERT INTO accounts (note) VALUES ('made') RETURNING id});
	$service->query_safe('EXECUTE make');
}
$service->quit;

# And by logical replication, into months and the extension's type.
my $new = PostgreSQL::Test::Cluster->new('new');
$new->init;
$new->start;
$new->safe_psql('postgres', q{
	CREATE EXTENSION iuid; CREATE SCHEMA work;
	CREATE TABLE work.orders (id iuid DEFAULT gen_iuid(125, 1) PRIMARY KEY, note text) PARTITION BY RANGE (id);
	SELECT count(*) FROM iuid_create_partitions('work.orders', '1 month', '2026-01-01 00:00+00', '2028-01-01 00:00+00')});
my ($publication) = $page =~ /^(CREATE PUBLICATION .*?;)$/m;
my ($subscription) = $page =~ /^(CREATE SUBSCRIPTION .*?;)$/m;
$node->safe_psql('shop', $publication =~ s/\borders\b/work.orders/r);
$new->safe_psql('postgres', $subscription =~ s/host=\S+/sprintf 'host=%s port=%s', $node->host, $node->port/er);
$new->wait_for_subscription_sync($node, 'move');
$node->safe_psql('shop', q{INSERT INTO work.orders VALUES (iuid_sql.gen_iuid(125, 1), 'after');
	DELETE FROM work.orders WHERE note = '5'; UPDATE work.orders SET note = 'six' WHERE note = '6'});
$node->wait_for_catchup('move');
my $digest = q{SELECT count(*), md5(string_agg(id::text || note, ',' ORDER BY id)) FROM work.orders};
is($new->safe_psql('postgres', $digest), $node->safe_psql('shop', $digest),
	'a server with the extension has the same rows');
is($new->safe_psql('postgres', q{SELECT count(*) > 20 FROM (SELECT DISTINCT tableoid FROM work.orders) AS x}),
	't', 'in its months');
$new->stop;

# What pg_tle is given, by a stand-in for it that runs it as pg_tle does, without transactions of its own.
$node->safe_psql('postgres', 'CREATE DATABASE of_tle');
my ($tle) = $page =~ /```sql needs pg_tle\n(.*?)^CREATE EXTENSION/ms;
is($node->safe_psql('of_tle', q{CREATE SCHEMA pgtle;
	CREATE FUNCTION pgtle.install_extension(name text, version text, description text, script text) RETURNS boolean
		LANGUAGE plpgsql AS $$ BEGIN EXECUTE script; RETURN true; END $$;} . "\n$tle" .
	'SELECT iuid_sql.iuid_country(iuid_sql.gen_iuid(7, 1))'), "t\n7", 'the text for pg_tle');

$node->stop;
done_testing();
