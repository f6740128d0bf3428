# The owner of the extension and of its schema waits for a call of a superuser, and then puts functions
# of her own in the place of ours.  None of them runs with rights that she lacks.  One version is enough:
# nothing here depends on it.
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
$node->safe_psql('postgres', q{CREATE ROLE alice LOGIN; CREATE DATABASE hers OWNER alice});

# The key is a uuid, so that the table stays when the extension goes.
my $make = q{
	CREATE SCHEMA home;
	CREATE EXTENSION iuid SCHEMA home;
	CREATE TABLE IF NOT EXISTS home_table (id uuid) PARTITION BY RANGE (id);
	CREATE TABLE IF NOT EXISTS home_rest PARTITION OF home_table DEFAULT;
	CREATE SCHEMA decoy};
# For each of ours, a function of that name and those arguments, as far as it has types of core's only.
my $signatures = q{
	CREATE TABLE ours AS
	SELECT p.proname, pg_get_function_identity_arguments(p.oid) AS args, pg_get_function_result(p.oid) AS result
	FROM pg_proc AS p WHERE p.pronamespace = 'home'::regnamespace AND p.prokind = 'f' AND p.probin IS NULL
		AND NOT EXISTS (SELECT FROM unnest(p.proargtypes || p.prorettype) AS t JOIN pg_type AS y ON y.oid = t
			WHERE y.typnamespace = 'home'::regnamespace OR y.typname IN ('internal', 'cstring', 'trigger'))};
sub plant
{
	my ($schema) = @_;
	return qq{DO \$\$ DECLARE o record; BEGIN FOR o IN TABLE ours LOOP
		EXECUTE format('CREATE FUNCTION $schema.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', o.proname, o.args,
			o.result, 'BEGIN RAISE LOG ''PLANTED as %'', current_user; RAISE ''planted''; END');
		END LOOP; END \$\$;};
}
$node->safe_psql('hers', "GRANT CREATE ON SCHEMA public TO alice; SET ROLE alice; $make; $signatures");
is($node->safe_psql('hers', q{SELECT count(*) > 10 FROM ours WHERE proname LIKE 'iuid_%'}),
	't', 'there is something to plant');
my ($holder, $owner, $caller) = map { open_session($node, 'hers') } 1 .. 3;
run($_, 'SET ROLE alice; SET lock_timeout = 0') for $holder, $owner;

my @reading = ('SELECT count(*) FROM home.iuid_partitions(%s)', 'SELECT count(*) FROM home.iuid_check_partitions(%s)');
my @changing = (q{SELECT home.iuid_create_partitions(%s, '1 month', '2026-01-01', '2026-02-01', lock_wait => '1 min')},
	q{SELECT home.iuid_drop_partitions(%s, '2020-01-01', '1 min')},
	q{SELECT home.iuid_detach_partitions(%s, '2020-01-01', '1 min')},
	q{CALL home.iuid_maintain_partitions(%s, '1 month', lock_wait => '1 min')});
my $replaced = "DROP EXTENSION iuid CASCADE; DROP SCHEMA home CASCADE; CREATE SCHEMA home;" . plant('home');
my $renamed = 'ALTER SCHEMA home RENAME TO old; ALTER SCHEMA decoy RENAME TO home';

sub log_since { return slurp_file($node->logfile, shift) =~ /PLANTED as (?!alice)(\w+)/ ? "planted as $1" : '' }

# What reads: whatever she does while the call waits, what it calls is ours.  So a read-only transaction may read.
for my $call (@reading)
{
	for my $mode ('', 'SET default_transaction_read_only = on')
	{
		for my $change ($replaced, plant('decoy') . $renamed)
		{
			my $log = -s $node->logfile;
			run($holder, 'BEGIN; LOCK TABLE home_table');
			run($caller, $mode);
			ok(waits($caller, sprintf("$call;", q{'home_table'}), $holder), "$call: waits");
			run($holder, 'RESET default_transaction_read_only; SET client_min_messages = error;');
			is(run($holder, $change), '', 'while its schema gets other functions');
			run($holder, 'COMMIT');
			outcome($caller);
			is(log_since($log), '', 'none of them runs as a superuser');
			run($caller, 'RESET default_transaction_read_only');
			$node->safe_psql('hers', qq{SET ROLE alice; SET client_min_messages = error; DROP EXTENSION IF EXISTS iuid CASCADE;
				DROP SCHEMA IF EXISTS home, old, decoy CASCADE; $make});
		}
	}
}

# What changes partitions keeps the extension and its schema as they are, as long as it runs.
for my $call (@changing)
{
	my $log = -s $node->logfile;
	run($holder, 'BEGIN; LOCK TABLE home_table');
	ok(waits($caller, sprintf("$call;", q{'home_table'}), $holder), "$call: waits");
	for ('DROP EXTENSION iuid CASCADE', $renamed)
	{
		is(run($owner, qq{SET client_min_messages = error; BEGIN; SET LOCAL lock_timeout = '300ms';
			$_}), '55P03', 'the extension stays as it is');
		run($owner, 'ROLLBACK');
	}
	run($holder, 'COMMIT');
	is(outcome($caller) =~ /^[0-9]\w{4}$/, '', 'which goes on');
	is(log_since($log), '', 'with none but ours');
	$node->safe_psql('hers', q{SET ROLE alice; SET client_min_messages = error; DROP TABLE home_table CASCADE;
		CREATE TABLE home_table (id uuid) PARTITION BY RANGE (id)});
}
is(run($caller, q{SET default_transaction_read_only = on;
	SELECT home.iuid_create_partitions('home_table', '1 month', '2026-01-01', '2026-02-01');}),
	'25006', 'and none runs where that cannot be');
run($caller, 'RESET default_transaction_read_only');

# She gives the schema its name back, by a transaction that the call waits for, and takes it away again.
$node->safe_psql('hers', 'SET ROLE alice; ' . plant('decoy') . 'ALTER SCHEMA home RENAME TO old; CREATE SCHEMA home');
run($owner, 'BEGIN; ALTER SCHEMA home RENAME TO other; ALTER SCHEMA old RENAME TO home');
is(run($caller, "SELECT old.iuid_drop_partitions('home_table', '2020-01-01')"),
	'55000', 'a name that is given back is not that of the schema yet');
run($owner, 'ROLLBACK');

$_->quit for $holder, $owner, $caller;
$node->stop;
done_testing();
