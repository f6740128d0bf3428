# clients/sql/iuid.sql: identifiers in SQL alone, as a role that is no superuser makes them.  Its answers
# are those of the extension, which stands beside it here, and the planner uses them as it uses core's.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE team; CREATE DATABASE shop');
$node->safe_psql('postgres', 'GRANT CREATE ON DATABASE shop TO team');
my $file = slurp_file('clients/sql/iuid.sql');
$node->safe_psql('shop', "SET ROLE team;\n$file");
is($node->safe_psql('shop', q{SELECT count(*) FROM pg_proc JOIN pg_namespace AS n ON n.oid = pronamespace
	WHERE nspname = 'iuid_sql' AND (proconfig IS NOT NULL OR prosecdef OR proowner <> 'team'::regrole)}), '0', 'no SET clause, no other rights');
$node->safe_psql('shop', 'CREATE EXTENSION iuid');

# Random bits with every layout, and foreign UUIDs; Nil and Max; NULL.
$node->safe_psql('shop', q{
	CREATE TABLE input AS
	SELECT CASE WHEN n % 10 < 8 THEN overlay(overlay(u::text PLACING '8' || CASE n % 4 WHEN 0 THEN '0' WHEN 1 THEN '1' ELSE to_hex(n / 10 % 16) END FROM 15)
			PLACING to_hex(8 + n % 4) FROM 20)::uuid ELSE u END AS id
	FROM (SELECT n, md5(n::text)::uuid AS u FROM generate_series(1, 100000) AS n) AS x
	UNION ALL VALUES ('00000000-0000-0000-0000-000000000000'::uuid), ('ffffffff-ffff-ffff-ffff-ffffffffffff'), (NULL);
	CREATE FUNCTION here(id uuid) RETURNS iuid LANGUAGE plpgsql AS $$ BEGIN RETURN id::iuid; EXCEPTION WHEN invalid_parameter_value THEN RETURN NULL; END $$;
	CREATE TABLE given AS SELECT id, here(id) AS iuid FROM input});
is($node->safe_psql('shop', q{SELECT count(*) > 80000 FROM given WHERE iuid IS NOT NULL}), 't', 'most are identifiers');
is($node->safe_psql('shop', 'SELECT count(*) FROM given WHERE iuid_sql.is_iuid(id) IS DISTINCT FROM CASE WHEN id IS NOT NULL THEN iuid IS NOT NULL END'), '0', 'which are identifiers');
for my $field ('timestamp', 'country', 'entity', 'random', 'layout')
{
	is($node->safe_psql('shop', "SELECT count(*) FROM given WHERE iuid_sql.iuid_$field(id) IS DISTINCT FROM iuid_$field(iuid)"), '0', "the same $field");
}
is($node->safe_psql('shop', 'SELECT count(*) FROM given WHERE iuid IS NOT NULL AND (iuid_sql.iuid_fields(id))::text IS DISTINCT FROM (iuid_fields(iuid))::text'), '0', 'the same record');

# Times in microseconds, inside and outside of the 48 bits, and their ends.
is($node->safe_psql('shop', q{
	SELECT count(*) FROM (SELECT timestamptz '1960-01-01' + (abs(hashint8extended(n, 1)) % 290000000000) * interval '1 second' + n * interval '1 microsecond' AS at
			FROM generate_series(1, 100000) AS n
		UNION ALL VALUES ('infinity'::timestamptz), ('-infinity'), (NULL), ('1970-01-01 00:00+00'), ('1969-12-31 23:59:59.999999+00'),
			('10889-08-02 05:31:50.655+00'), ('10889-08-02 05:31:50.655001+00'), ('10889-08-02 05:31:50.654001+00')) AS x
	WHERE iuid_sql.iuid_floor(at) IS DISTINCT FROM iuid_floor(at)::uuid}), '0', 'the same lower bounds');
is($node->safe_psql('shop', q{
	SELECT count(*) FROM (SELECT overlay(overlay(md5(n::text) PLACING '7' FROM 13) PLACING to_hex(8 + n % 4) FROM 17)::uuid AS id, n % 256 AS country, n / 256 % 256 AS entity
		FROM generate_series(1, 100000) AS n) AS x
	WHERE iuid_sql.iuid_from_uuid(id, country, entity) <> iuid_from_uuid(id, country, entity)::uuid}), '0', 'the same identifiers of UUIDs of version 7');

# New ones.
is($node->safe_psql('shop', q{
	WITH made AS MATERIALIZED (SELECT n % 256 AS country, n / 256 % 256 AS entity, iuid_sql.gen_iuid(n % 256, n / 256 % 256)::iuid AS id FROM generate_series(1, 70000) AS n)
	SELECT count(DISTINCT id), bool_and(iuid_country(id) = country AND iuid_entity(id) = entity AND iuid_layout(id) = 0),
		bool_and(iuid_timestamp(id) BETWEEN date_trunc('milliseconds', now()) AND clock_timestamp()), count(DISTINCT iuid_random(id) & 4398046511103) > 69990 FROM made}),
	'70000|t|t|t', 'new identifiers');
is($node->safe_psql('shop', q{
	SELECT count(DISTINCT id), bool_and(iuid_timestamp(id) = '2026-01-01 00:00:00.123+00'), max(iuid_random(id)) > 2^54 * 0.999, min(iuid_random(id)) < 2^54 * 0.001
	FROM (SELECT iuid_sql.gen_iuid(7, 1, '2026-01-01 00:00:00.1239+00')::iuid AS id FROM generate_series(1, 20000)) AS x}), '20000|t|t|t', 'new identifiers of a time');
is($node->safe_psql('shop', q{
	SELECT corr(extract(microseconds FROM at) % 1000, iuid_random(id) >> 42) > 0.9
	FROM (SELECT clock_timestamp() AS at, iuid_sql.gen_iuid(7, 1)::iuid AS id FROM generate_series(1, 20000)) AS x}), 't', 'with the fraction of the millisecond');

# What is refused, with the same SQLSTATE.
for my $call ('gen_iuid(256, 1)', 'gen_iuid(-1, 1)', 'gen_iuid(1, 256)', 'gen_iuid(NULL, 1)', 'gen_iuid(1, NULL)', q{gen_iuid(1, 1, '1969-12-31 23:59:59.999+00')},
	q{gen_iuid(1, 1, 'infinity')}, q{gen_iuid(1, 1, '-infinity')}, q{gen_iuid(1, 1, NULL)}, q{gen_iuid(1, 1, '10889-08-02 05:31:50.656+00')},
	q{iuid_from_uuid('919108f7-52d1-4320-9bac-f847db4148a8', 7, 1)}, q{iuid_from_uuid('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 256, 1)},
	q{iuid_from_uuid('017f22e2-79b0-7cc3-c8c4-dc0c0c07398f', 7, 1)})
{
	my @states = map {
		my (undef, undef, $err) = $node->psql('shop', "\\set VERBOSITY sqlstate\nSELECT $_$call");
		$err =~ /ERROR:\s+(\w+)/
	} 'iuid_sql.', '';
	is($states[0], $states[1], "$call: $states[1]");
}
is($node->safe_psql('shop', 'SELECT iuid_sql.iuid_from_uuid(NULL, 7, 1) IS NULL'), 't', 'nothing of nothing');

# In tables: what the planner does with it.
$node->safe_psql('shop', q{
	SET ROLE team; CREATE SCHEMA work; SET search_path = work, iuid_sql;
	CREATE TABLE orders (id iuid PRIMARY KEY DEFAULT gen_iuid(125, 1), note text) PARTITION BY RANGE (id);
	CREATE TABLE orders_2026 PARTITION OF orders FOR VALUES FROM (iuid_floor('2026-01-01 00:00+00')) TO (iuid_floor('2027-01-01 00:00+00'));
	CREATE TABLE orders_2027 PARTITION OF orders FOR VALUES FROM (iuid_floor('2027-01-01 00:00+00')) TO (iuid_floor('2028-01-01 00:00+00'));
	INSERT INTO orders SELECT gen_iuid(125, 1, timestamptz '2026-01-01' + n * interval '1 hour'), n FROM generate_series(1, 17000) AS n;
	ANALYZE orders});
my $path = 'SET search_path = work, iuid_sql;';
my $plan = $node->safe_psql('shop', "$path EXPLAIN (COSTS off) SELECT * FROM orders WHERE id >= iuid_floor('2027-06-01 00:00+00') AND id < iuid_floor('2027-06-02 00:00+00')");
like($plan, qr/Index.* on orders_2027/, 'a range of time uses the index');
unlike($plan, qr/orders_2026/, 'and prunes partitions');
$plan = $node->safe_psql('shop', "$path EXPLAIN (COSTS off) SELECT * FROM orders WHERE id >= iuid_floor(now() - interval '1 day') AND id < iuid_floor(timestamptz '2020-01-01' + (now() - now()))");
like($plan, qr/Subplans Removed: 2|Result/, 'a time of now() prunes when the query begins');
like($node->safe_psql('shop', "$path EXPLAIN (COSTS off, VERBOSE) SELECT iuid_country(id) FROM orders_2026"), qr/get_byte/, 'a field is computed in the query, without a call');
my (undef, undef, $err) = $node->psql('shop', "$path INSERT INTO orders VALUES ('919108f7-52d1-4320-9bac-f847db4148a8')");
like($err, qr/violates check constraint/, 'the domain refuses other UUIDs');

# Operators, functions and types of others in front of core's change nothing.
$node->safe_psql('shop', q{
	CREATE SCHEMA trap;
	CREATE FUNCTION trap.wrong(int, int) RETURNS int LANGUAGE sql AS 'SELECT 0';
	CREATE FUNCTION trap.wrong(bigint, bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
	CREATE FUNCTION trap.is_less(int, int) RETURNS boolean LANGUAGE sql AS 'SELECT true';
	CREATE FUNCTION trap.gen_random_uuid() RETURNS uuid LANGUAGE sql AS $$SELECT NULL::uuid$$;
	CREATE FUNCTION trap.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$SELECT NULL::timestamptz$$; } . join ' ',
	(map { "CREATE OPERATOR trap.$_ (FUNCTION = trap.wrong, LEFTARG = int, RIGHTARG = int); CREATE OPERATOR trap.$_ (FUNCTION = trap.wrong, LEFTARG = bigint, RIGHTARG = bigint);" } '+', '*', '/', '%', '|', '&'),
	'CREATE OPERATOR trap.< (FUNCTION = trap.is_less, LEFTARG = int, RIGHTARG = int);',
	map { "CREATE DOMAIN trap.$_ AS pg_catalog.$_ CHECK (VALUE IS NULL);" } qw(text uuid bytea timestamptz int4 int8 float8 numeric));
is($node->safe_psql('shop', q{SET search_path = trap, pg_catalog, iuid_sql;
	SELECT iuid_country(id), iuid_entity(id), iuid_layout(id) FROM (SELECT gen_iuid(7, 200) AS id) AS x;
	SELECT iuid_floor('2026-01-01 00:00:00.123+00'), iuid_from_uuid('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 125, 1), iuid_timestamp('019b76da-a87b-807d-8041-23456789abcd') = '2026-01-01 00:00:00.123+00'::pg_catalog.timestamptz,
		iuid_layout(gen_iuid(7, 200, '2026-01-01 00:00:00.123+00'))}),
	"7|200|0\n019b76da-a87b-8000-8000-000000000000|017f22e2-79b0-807d-8073-0d8c4dc0c0c0|t|0", 'whatever the search_path is');

$node->stop;
done_testing();
