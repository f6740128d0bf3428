# The extensions are dropped and made again beside sessions that have them cached: the registry,
# plans, prepared statements, connections to other nodes.  What comes after is what the new objects
# say, or a clear error, and never what a session remembers.
use strict;
use warnings;

use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sessions;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'");
$node->start;
my ($host, $port) = ($node->host, $node->port);
$node->safe_psql('postgres', qq{
	CREATE DATABASE there;
	CREATE EXTENSION postgres_fdw; CREATE EXTENSION citext;
	CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw
		OPTIONS (host '$host', port '$port', dbname 'there', extensions 'iuid');
	CREATE USER MAPPING FOR PUBLIC SERVER there;
	CREATE SCHEMA one; CREATE SCHEMA two;
	ALTER DATABASE postgres SET search_path = one, two, public;
	ALTER DATABASE postgres SET client_min_messages = error;
	ALTER DATABASE postgres SET iuid.node = 'here'});

my $id = '019b76da-a87b-8007-8041-23456789abcd';    # 2026-01-01, country 7, entity 1
my $make = 'CREATE EXTENSION iuid SCHEMA %1$s; CREATE EXTENSION iuid_regions SCHEMA %1$s';
# Country 7 is routed to one of two nodes.
my $register = q{
	INSERT INTO iuid_countries VALUES (7, 'KZ', 'Kazakhstan'); INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order');
	INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'there');
	INSERT INTO iuid_routes VALUES (7, NULL, '%1$s'), (8, NULL, '%2$s')};
sub register { return sprintf $register, @_ }
my $tables = qq{
	CREATE TABLE orders (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
	CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
	SELECT count(*) FROM iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-03-01');
	INSERT INTO orders VALUES ('$id', 'a'), (gen_iuid(7, 1, '2026-02-02'), 'b');
	CREATE TABLE places (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
	SELECT iuid_create_routed_partitions('places', 1);
	SELECT iuid_create_global_table('places_global', 'places', 1)};

# What a session prepares once, and what it gives while all is well and country 7 is routed here.
my @prepared = (
	[ node => 'SELECT iuid_node(7, 1)', 'here' ],
	[ inspect => "SELECT code, key, node FROM iuid_inspect('$id')", 'KZ|AyanOrder|here' ],
	[ find => "SELECT note FROM orders WHERE id = '$id'", 'a' ],
	[ range => q{SELECT note FROM orders WHERE id >= timestamptz '2026-02-01'}, 'b' ],
	[ origin => 'SELECT count(*) FROM orders WHERE iuid_is_from(id, 7)', '2' ],
	[ floor => q{SELECT iuid_floor('2026-01-01 00:00+00')::text}, '019b76da-a800-8000-8000-000000000000' ],
	[ made => 'SELECT iuid_country(gen_iuid(7, 1))', '7' ]);
my @of_registry = ('node', 'inspect');

# Several statements, some of which are several.
sub run_all
{
	my ($session, @statements) = @_;
	return run($session, join ";\n", @statements);
}

sub prepare
{
	my ($session) = @_;
	run($session, join ';', 'DEALLOCATE ALL', map { "PREPARE $_->[0] AS $_->[1]" } @prepared);
	run($session,
		'CREATE OR REPLACE FUNCTION pg_temp.node() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN iuid_node(7, 1); END $$');
	return;
}

# Each statement is executed until it has a generic plan.
sub executes_all
{
	my ($session, $what) = @_;
	for (@prepared)
	{
		my ($name, undef, $expected) = @$_;
		my @given = map { run($session, "EXECUTE $name") } 1 .. 7;
		is("@given", join(' ', ($expected) x 7), "$what: $name");
	}
	is(run($session, 'SELECT pg_temp.node()'), 'here', "$what: in a function");
	is(run($session, q{SELECT string_agg(success || ' ' || result, ' ') FROM iuid_run_on_nodes('SELECT 5')}),
		'true 5 true 5', "$what: on all nodes");
	return;
}

sub gives
{
	my ($session, $what, $expected, @names) = @_;
	is(run($session, "EXECUTE $_"), $expected, "$what: $_") for @names;
	return;
}

# The plan has the bound, and no call.
sub prunes
{
	my ($session, $what) = @_;
	my $plan = run($session, q{EXPLAIN (COSTS OFF) SELECT note FROM orders
		WHERE id >= timestamptz '2026-02-01 00:00+00' AND id < timestamptz '2026-03-01 00:00+00'});
	like($plan, qr/orders_2026_02 .*019c167f-cc00-8000-8000-000000000000/s, "$what: the range is pruned to a month");
	unlike($plan, qr/orders_2026_01|orders_rest/, "$what: and no other partition is read");
	return;
}

my ($session, $other) = map { open_session($node) } 1 .. 2;
run_all($session, sprintf($make, 'one'), register('here', 'there'), $tables);
prepare($_) for $session, $other;
executes_all($_, 'first') for $session, $other;
prunes($session, 'first');

# Without CASCADE neither goes while something needs it, and all stays as it is.
is(run($session, "DROP EXTENSION $_"), '2BP01', "DROP EXTENSION $_ is refused") for 'iuid', 'iuid_regions, iuid';
executes_all($_, 'after the refusal') for $session, $other;

# --- The registry goes ------------------------------------------------------------

run($session, 'DROP EXTENSION iuid_regions');
for ($session, $other)
{
	gives($_, 'without the registry', '42883', @of_registry);
	is(run($_, 'SELECT pg_temp.node()'), '42883', 'without the registry: in a function');
	gives($_, 'iuid stays', 'a', 'find');
	gives($_, 'iuid stays', 'b', 'range');
}
run($session, 'CREATE EXTENSION iuid_regions SCHEMA one');
gives($_, 'an empty registry', '', 'node') for $session, $other;
run($session, register('there', 'here'));
gives($_, 'another registry', 'there', 'node') for $session, $other;
gives($_, 'another registry', 'KZ|AyanOrder|there', 'inspect') for $session, $other;
run($session, q{UPDATE iuid_routes SET node = 'here' WHERE country = 7});
executes_all($_, 'the registry is there again') for $session, $other;

# --- Rolled back ------------------------------------------------------------------

my $anew = 'DROP EXTENSION iuid_regions; CREATE EXTENSION iuid_regions SCHEMA one; ' . register('there', 'here');
run($session, 'BEGIN; DROP EXTENSION iuid_regions; SAVEPOINT s');
gives($session, 'a DROP that is rolled back', '42883', 'node');
run($session, 'ROLLBACK');
executes_all($session, 'after the DROP was rolled back');
run($session, "BEGIN; $anew");
gives($session, 'a CREATE that is rolled back', 'there', 'node');
run($session, 'ROLLBACK');
executes_all($session, 'after the CREATE was rolled back');
run($session, "BEGIN; SAVEPOINT s; $anew");
gives($session, 'a CREATE that is rolled back to a savepoint', 'there', 'node');
run($session, 'ROLLBACK TO s');
gives($session, 'in the same transaction', 'here', 'node');
run($session, "$anew; COMMIT");
gives($_, 'after another CREATE was committed', 'there', 'node') for $session, $other;

# A transaction that has looked up a route keeps the table, as one that has selected from it.
run($session, q{UPDATE iuid_routes SET node = 'here' WHERE country = 7});
for my $level ('READ COMMITTED', 'REPEATABLE READ')
{
	run($other, "BEGIN ISOLATION LEVEL $level");
	gives($other, "$level, before the DROP", 'here', 'node');
	run($session, q{SET lock_timeout = '200ms'});
	is(run($session, 'DROP EXTENSION iuid_regions'), '55P03', "$level: the DROP waits");
	run($session, 'RESET lock_timeout');
	gives($other, "$level, after it", 'here', 'node');
	run($other, 'COMMIT');
	is(run($session, $anew), '', "$level: and not for one that has ended");
	# A statement may begin before its session learns that the function is gone.
	like(run($other, 'EXECUTE node'), qr/^(there|42883|42P01)$/, "$level: the next statement");
	gives($other, "$level: the one after that", 'there', 'node');
	run($session, q{UPDATE iuid_routes SET node = 'here' WHERE country = 7});
}

# --- All goes ---------------------------------------------------------------------

# The constant of a type that is gone: as for an extension of the server.
my $constant = q{PREPARE constant AS SELECT '%1$s'::%2$s; EXECUTE constant};
run($session, sprintf $constant, $id, 'iuid');
run($session, 'DROP EXTENSION iuid CASCADE');
for ($session, $other)
{
	gives($_, 'after CASCADE', '42883', 'node', 'inspect', 'floor', 'made');
	# A table goes with its partition key.
	gives($_, 'after CASCADE', '42P01', 'find', 'range', 'origin');
	is(run($_, q{SELECT pg_temp.node()}), '42883', 'after CASCADE: in a function');
}
my $gone = run($session, 'EXECUTE constant');
run_all($session, 'DEALLOCATE constant', sprintf($constant, 'a', 'citext'), 'DROP EXTENSION citext CASCADE');
is($gone, run($session, 'EXECUTE constant'), 'a constant of the type: as one of another extension');
run($session, 'DEALLOCATE constant');

# In another schema the same session does it all again.  Its prepared statements find the new objects.
is(run_all($session, sprintf($make, 'two'), register('here', 'there')), '', 'both are made in another schema');
run($session, $tables);
executes_all($_, 'in another schema') for $session, $other;
prunes($_, 'in another schema') for $session, $other;
is(run($session, q{SELECT array_agg(problem) FROM iuid_check_partitions('orders')}), '', 'the partitions are well');
like(run($session, "CALL iuid_maintain_partitions('orders', '1 month', 1)"), qr/^[1-9]\d*\|0$/, 'and are maintained');
is(run($session, q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'one'::regnamespace}),
	'0', 'nothing is left in the first schema');

# Rolled back, too: the same session never sees the first ones again.
run($session, 'DROP EXTENSION iuid CASCADE');
run_all($session, 'BEGIN', sprintf($make, 'one'), register('here', 'there'), $tables);
executes_all($session, 'before a rollback');
run($session, 'ROLLBACK');
gives($session, 'after the rollback', '42883', 'node', 'floor', 'made');
is(run($session, q{SELECT to_regtype('iuid') IS NULL}), 't', 'after the rollback there is no type');
run_all($session, sprintf($make, 'two'), register('here', 'there'), $tables);
executes_all($_, 'at last') for $session, $other;

# --- Moved and renamed --------------------------------------------------------------

for ('iuid', 'iuid_regions')
{
	$session->query("ALTER EXTENSION $_ SET SCHEMA one");
	like($session->{stderr}, qr/0A000/, "ALTER EXTENSION $_ SET SCHEMA is refused");
	$session->{stderr} = '';
}
executes_all($_, 'after that') for $session, $other;
# Without the bound functions the predicates are filters, and give the same.
for my $change (
	[ 'ALTER FUNCTION iuid_floor(timestamptz) RENAME TO lowest',
		'ALTER FUNCTION lowest(timestamptz) RENAME TO iuid_floor' ],
	[ 'ALTER FUNCTION iuid_floor(timestamptz) SET SCHEMA one', 'ALTER FUNCTION iuid_floor(timestamptz) SET SCHEMA two' ],
	[ 'ALTER OPERATOR FAMILY iuid_origin_ops USING btree RENAME TO other_ops',
		'ALTER OPERATOR FAMILY other_ops USING btree RENAME TO iuid_origin_ops' ])
{
	my ($there, $back) = @$change;
	is(run($session, $there), '', $there);
	for ($session, $other)
	{
		gives($_, 'as before', 'b', 'range');
		gives($_, 'as before', '2', 'origin');
		is(run($_, q{SELECT note FROM orders WHERE id >= timestamptz '2026-02-01' + interval '0'}),
			'b', 'so does a new statement');
	}
	is(run($session, $back), '', 'and back');
}
executes_all($_, 'in the end') for $session, $other;

$_->quit for $session, $other;
unlike(slurp_file($node->logfile), qr/PANIC|TRAP|was terminated by signal|cache lookup failed for (?!type)/,
	'no process crashed');
$node->stop;
done_testing();
