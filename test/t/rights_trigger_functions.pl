# The trigger functions of the extensions in a stranger's hands: on tables of every kind, at each
# level, time and event that the server allows, they change nothing.
#
# What the server allows is what it lets the stranger do with a function of their own, which raises
# an error, too.  So each trigger here is known to fire.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
my ($host, $port) = ($node->host, $node->port);

$node->safe_psql('postgres', qq{
	CREATE EXTENSION iuid_regions CASCADE;
	CREATE EXTENSION postgres_fdw;
	INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL), ('mexico', 'america', NULL);
	INSERT INTO iuid_routes VALUES (7, NULL, 'almaty'), (NULL, NULL, 'mexico');
	CREATE ROLE stranger LOGIN;
	CREATE SCHEMA strange AUTHORIZATION stranger;
	GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO stranger;
	SET ROLE stranger;
	CREATE SERVER loop FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
	CREATE USER MAPPING FOR stranger SERVER loop;
	RESET ROLE;
	-- The stranger needs no password here; postgres_fdw lets only a superuser say so.
	ALTER USER MAPPING FOR stranger SERVER loop OPTIONS (ADD password_required 'false')});
my $registry = q{SELECT string_agg(t::text, ' ' ORDER BY t::text) FROM (
	SELECT n::text FROM iuid_nodes AS n UNION ALL SELECT r::text FROM iuid_routes AS r
	UNION ALL SELECT c::text FROM iuid_countries AS c UNION ALL SELECT e::text FROM iuid_entities AS e) AS t};
my $before = $node->safe_psql('postgres', $registry);

my @functions = split /\n/, $node->safe_psql('postgres', q{
	SELECT p.oid::regprocedure FROM pg_proc AS p
	JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
	JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
	WHERE e.extname ~ '^iuid' AND p.prorettype = 'trigger'::regtype ORDER BY 1});
cmp_ok(scalar @functions, '>=', 2, "trigger functions: @functions");

# Tables of a stranger with the columns of the registry.  Each has a row, also when triggers refuse.
$node->safe_psql('postgres', q{
	CREATE FUNCTION mine() RETURNS trigger LANGUAGE plpgsql
		AS $$ BEGIN RAISE EXCEPTION 'fired' USING errcode = 'ZZ001'; END $$;
	CREATE TABLE iuid_nodes (node text, region text, server text, country int, entity int);
	CREATE TABLE iuid_routes (LIKE iuid_nodes);
	CREATE TABLE parent (LIKE iuid_nodes) PARTITION BY LIST (node);
	CREATE TABLE child PARTITION OF parent DEFAULT;
	CREATE TABLE behind (LIKE iuid_nodes);
	CREATE FOREIGN TABLE outside (node text, region text, server text, country int, entity int) SERVER loop
		OPTIONS (table_name 'behind');
	CREATE VIEW seen AS SELECT * FROM behind;
	-- Other triggers of a view fire only where one of these changes it.
	CREATE FUNCTION handle() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN coalesce(new, old); END';
	CREATE TRIGGER a INSTEAD OF INSERT OR UPDATE OR DELETE ON seen FOR EACH ROW EXECUTE FUNCTION handle();
	INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL, 7, NULL);
	INSERT INTO iuid_routes TABLE iuid_nodes; INSERT INTO parent TABLE iuid_nodes; INSERT INTO behind TABLE iuid_nodes;

	-- What a trigger on one of the tables comes to.  Nothing that it does stays.
	CREATE FUNCTION try(what text, relation text, moment text, event text, level text, function text) RETURNS text
	LANGUAGE plpgsql AS $$
	DECLARE
		written regclass := relation;
	BEGIN
		EXECUTE format('CREATE %s x %s %s ON %s FOR EACH %s EXECUTE FUNCTION %s', what, moment, event, relation,
			level, function);
		BEGIN
			IF relation = 'parent' AND event <> 'TRUNCATE' THEN
				written := 'child';
				IF level = 'STATEMENT' THEN
					written := 'parent';
				END IF;
			END IF;
			EXECUTE CASE event
				WHEN 'INSERT' THEN format($_$INSERT INTO %s VALUES ('evil', NULL, NULL, 8, NULL)$_$, written)
				WHEN 'UPDATE' THEN format($_$UPDATE %s SET node = CASE current_setting('check_function_bodies')
					WHEN 'on' THEN 'evil' ELSE repeat('x', 2000) END$_$, written)
				WHEN 'DELETE' THEN format('DELETE FROM %s', written)
				ELSE format('TRUNCATE %s', written) END;
			SET CONSTRAINTS ALL IMMEDIATE;
			RAISE EXCEPTION 'done' USING errcode = 'ZZ002';
		EXCEPTION WHEN OTHERS THEN
			EXECUTE format('DROP TRIGGER x ON %s', relation);
			RETURN SQLSTATE;
		END;
	EXCEPTION WHEN OTHERS THEN
		RETURN 'create ' || SQLSTATE;
	END $$;

	-- Each trigger that fires with the stranger's own function.
	CREATE TABLE allowed AS
	SELECT what, relation, moment, event, level
	FROM unnest(ARRAY['TRIGGER', 'CONSTRAINT TRIGGER']) AS what,
		unnest(ARRAY['pg_temp.t', 'strange.iuid_nodes', 'strange.iuid_routes', 'parent', 'child', 'outside',
			'seen']) AS relation,
		unnest(ARRAY['BEFORE', 'AFTER', 'INSTEAD OF']) AS moment,
		unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS event,
		unnest(ARRAY['ROW', 'STATEMENT']) AS level;
	CREATE TEMP TABLE t (LIKE strange.iuid_nodes);
	INSERT INTO t TABLE strange.iuid_nodes;
	DELETE FROM allowed AS a WHERE try(what, relation, moment, event, level, 'mine()') <> 'ZZ001';
	SELECT},
	connstr => $node->connstr('postgres') . q{ user=stranger options='-c search_path=strange'});
my $allowed = $node->safe_psql('postgres', q{
	SELECT string_agg(format('%s %s', relation, n), ', ' ORDER BY relation)
	FROM (SELECT relation, count(*) AS n FROM strange.allowed GROUP BY relation) AS t});
# A foreign table has triggers for TRUNCATE from 16 on.
my $outside = $node->pg_version >= 16 ? 14 : 12;
is($allowed,
	"child 17, outside $outside, parent 17, pg_temp.t 17, seen 9, strange.iuid_nodes 17, strange.iuid_routes 17",
	'the triggers that fire with a function of the stranger');

# What each function comes to in all of these.
sub outcome_of
{
	my ($function, $setting) = @_;
	my ($status, $out, $err) = $node->psql('postgres', qq{
		$setting;
		CREATE TEMP TABLE t (LIKE strange.iuid_nodes);
		INSERT INTO t TABLE strange.iuid_nodes;
		SELECT string_agg(DISTINCT try(what, relation, moment, event, level, 'public.$function'), ' ') FROM allowed},
		connstr => $node->connstr('postgres') . q{ user=stranger options='-c search_path=strange'});
	return $status == 0 ? $out : $err;
}

for my $function (@functions)
{
	is(outcome_of($function, 'SELECT'), 'create 42501', "$function as installed");
	$node->safe_psql('postgres', "GRANT EXECUTE ON FUNCTION $function TO stranger");
	is(outcome_of($function, 'SELECT'), '39P01', "$function with EXECUTE granted");
	is(outcome_of($function, 'SET check_function_bodies = off'), '39P01', "$function as while a dump is restored");
	is($node->safe_psql('postgres', $registry), $before, "$function has changed nothing");
}

# Triggers on the registry's own tables that the extension did not make: at another level or time, or
# for another event.
for my $case (
	[ 'iuid_keep_node', 'BEFORE UPDATE ON iuid_nodes FOR EACH ROW', q{UPDATE iuid_nodes SET node = 'evil'} ],
	[ 'iuid_keep_node', 'AFTER UPDATE ON iuid_nodes FOR EACH STATEMENT', q{UPDATE iuid_nodes SET node = node} ],
	[ 'iuid_keep_node', 'AFTER INSERT ON iuid_nodes FOR EACH ROW', q{INSERT INTO iuid_nodes VALUES ('evil', NULL, NULL)} ],
	[ 'iuid_keep_node', 'BEFORE TRUNCATE ON iuid_nodes FOR EACH STATEMENT', q{TRUNCATE iuid_nodes, iuid_routes} ],
	[ 'iuid_require_node', 'AFTER DELETE ON iuid_routes FOR EACH ROW', q{DELETE FROM iuid_routes} ],
	[ 'iuid_require_node', 'AFTER TRUNCATE ON iuid_routes FOR EACH STATEMENT', q{TRUNCATE iuid_routes} ],
	[ 'iuid_require_node', 'BEFORE INSERT ON iuid_routes FOR EACH ROW',
		q{INSERT INTO iuid_routes VALUES (9, NULL, 'almaty')} ],
	[ 'iuid_require_node', 'AFTER INSERT ON iuid_routes FOR EACH STATEMENT',
		q{INSERT INTO iuid_routes VALUES (9, NULL, 'almaty')} ])
{
	my ($function, $trigger, $statement) = @$case;
	my (undef, undef, $err) = $node->psql('postgres',
		"\\set VERBOSITY sqlstate\nBEGIN; CREATE TRIGGER x $trigger EXECUTE FUNCTION $function(); $statement; ROLLBACK");
	like($err, qr/ERROR:  39P01/, "$function $trigger");
}
# A table of the stranger in the place of one of the registry's.
$node->safe_psql('postgres', q{GRANT CREATE ON SCHEMA public TO stranger; ALTER TABLE iuid_nodes RENAME TO nodes});
$node->safe_psql('postgres', 'CREATE TABLE public.iuid_nodes (node text)',
	connstr => $node->connstr('postgres') . ' user=stranger');
my (undef, undef, $refused) = $node->psql('postgres', q{INSERT INTO iuid_routes VALUES (9, NULL, 'almaty')});
like($refused, qr/"iuid_nodes" is not a table of a superuser/, 'a table of another owner is not asked');
$node->safe_psql('postgres', 'DROP TABLE iuid_nodes; ALTER TABLE nodes RENAME TO iuid_nodes');
is($node->safe_psql('postgres', $registry), $before, 'the registry is as it was');
unlike(slurp_file($node->logfile), qr/was terminated by signal/, 'and so is the server');

$node->stop;
done_testing();
