# The key of hidden identifiers, where doc/hiding.md puts it: nobody learns it who may call the page's
# functions, or who may not.  It is in no message, plan or statistic that they see, and in no log.
#
# One version is enough: the rights, messages and plans are core's.
use strict;
use warnings;

use lib 'test/t';
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf',
	"fsync = off\nlog_statement = all\nlog_min_messages = debug1\nlog_min_duration_statement = 0");
$node->start;
my $page = slurp_file('doc/hiding.md');
my @blocks = grep { $_->{language} eq 'sql' } blocks_of($page);
$node->safe_psql('postgres', "CREATE DATABASE $_") for 'shop', 'almaty', 'jakarta';
$node->safe_psql('shop', join "\n", map { $_->{text} } @blocks);
$node->safe_psql('shop', q{ANALYZE; CREATE ROLE stranger LOGIN; GRANT USAGE ON SCHEMA hiding TO stranger;
	GRANT SELECT ON public_orders TO shop_service});
my @keys = split /\n/, $node->safe_psql('shop', "SELECT encode(key, 'hex') FROM hiding.keys ORDER BY number");
is(scalar @keys, 2, 'the two keys of the page');

# Whether a text has eight bytes of a key: in hexadecimal, or as plans show the bytes of a constant.
sub has_key
{
	my ($text) = @_;
	my @found;
	for my $key (@keys)
	{
		my @bytes = map { hex } $key =~ /../g;
		for my $first (0, 8, 16, 24)
		{
			my $bytes = join ' ', map { $_ > 127 ? $_ - 256 : $_ } @bytes[ $first .. $first + 7 ];
			push @found, $first if $text =~ /\Q${\substr $key, 2 * $first, 16}\E/i || $text =~ /(?<![\d-])\Q$bytes\E(?!\d)/;
		}
	}
	return scalar @found;
}

my $id = '019b76da-a87b-807d-8041-23456789abcd';
my $hidden = '646b8bbf-f574-4e2e-9aac-ba252c5f7fb2';
my $loud = qq{SET client_min_messages = debug5; SET debug_print_parse = on; SET debug_print_rewritten = on;
	SET debug_print_plan = on;\n};

# What a role sees of statements, one after the other, and the server's log of them.
my $offset;
sub seen_by
{
	my ($role, @statements) = @_;
	$offset = -s $node->logfile;
	my (undef, $out, $err) = $node->psql('shop', join("\n", "SET SESSION AUTHORIZATION $role;", map { "$_;" } @statements),
		on_error_stop => 0);
	return "$out\n$err";
}
sub logged { return slurp_file($node->logfile, $offset) }

my @calls = (
	"SELECT hiding.public_id('$id'), hiding.internal_id('$hidden'), hiding.internal_ids('$hidden')",
	qq{EXPLAIN (ANALYZE, VERBOSE) SELECT hiding.public_id(id), note FROM orders
		WHERE id = ANY (hiding.internal_ids('$hidden'))},
	'SELECT * FROM public_orders',
	# the errors that there are
	"SELECT hiding.public_id('00000000-0000-0000-0000-000000000000')",
	"SELECT hiding.public_id('019b76da-a87b-8f7d-8041-23456789abcd')",
	'SELECT hiding.public_id(NULL), hiding.internal_id(NULL)',
	# what the catalogs say
	"SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'hiding'::regnamespace",
	'SELECT * FROM pg_proc WHERE proname ~ $$_id|hide$$',
	'SELECT * FROM pg_stats', 'SELECT * FROM pg_stat_activity', 'SELECT * FROM pg_prepared_statements',
	'TABLE pg_statistic',
	'TABLE hiding.keys', 'COPY hiding.keys TO STDOUT', "SELECT pg_read_file('base')",
	'CREATE TABLE pg_temp.mine (LIKE hiding.keys INCLUDING ALL); TABLE mine',
	'ANALYZE VERBOSE hiding.keys', 'LOCK TABLE hiding.keys', 'CREATE TEMP VIEW k AS TABLE hiding.keys; TABLE k',
	# functions, operators, types and tables of his own, in front of all others
	q{CREATE FUNCTION pg_temp.iuid_hide(id iuid, key bytea) RETURNS uuid LANGUAGE plpgsql
		AS $$ BEGIN RAISE NOTICE 'SPRUNG %', key; RETURN NULL; END $$},
	q{CREATE FUNCTION pg_temp.is(a int, b int) RETURNS boolean LANGUAGE plpgsql
		AS $$ BEGIN RAISE NOTICE 'SPRUNG'; RETURN true; END $$},
	'CREATE OPERATOR pg_temp.= (FUNCTION = pg_temp.is, LEFTARG = int, RIGHTARG = int)',
	q{CREATE TEMP TABLE keys AS SELECT 1 AS number, '\x00'::bytea AS key},
	'SET search_path = pg_temp, pg_catalog, public',
	"SELECT hiding.public_id('$id'), hiding.internal_id('$hidden'), hiding.internal_ids('$hidden')",
	# an argument of his own type
	q{CREATE FUNCTION pg_temp.look(id iuid) RETURNS boolean LANGUAGE plpgsql
		AS $$ BEGIN RAISE NOTICE '% %', id, current_user; PERFORM * FROM hiding.keys; RETURN true; END $$},
	'CREATE DOMAIN pg_temp.mine_too AS public.iuid CHECK (pg_temp.look(VALUE))',
	"SELECT hiding.public_id('$id'::pg_temp.mine_too)",
	# where a result is kept
	'CREATE TEMP TABLE kept (id iuid)', 'CREATE INDEX ON kept (hiding.public_id(id))',
	'ALTER TABLE kept ADD h uuid GENERATED ALWAYS AS (hiding.public_id(id)) STORED');
my $seen = seen_by('shop_service', $loud, @calls);
ok(scalar($seen =~ /LOG:  plan:/), 'the plans are shown');
is(scalar(() = $seen =~ /NOTICE:  SPRUNG/g), 0, 'nothing of a caller is called with the key');
ok(scalar($seen =~ /permission denied for table keys/), 'who may call the functions may not read the table');
is(has_key($seen), 0, 'and sees no key in what he can do');
is(has_key(logged()), 0, 'nor does the log have one');
is($node->safe_psql('shop', qq{SET ROLE shop_service;
	SELECT hiding.internal_ids(hiding.public_id('$id')) @> ARRAY['$id'::iuid]}), 't', 'he can hide and reveal');

$seen = seen_by('stranger', $loud, @calls, 'SELECT * FROM pg_catalog.pg_roles');
is(() = $seen =~ /permission denied for function (public_id|internal_ids?)/g, 6, 'a stranger may not call them');
is(has_key($seen) + has_key(logged()), 0, 'and sees no key');

# The key goes to another database as on the page; where it has been already, and into another table.
my ($copy) = $page =~ /^(psql -d almaty .*)$/m;
my $table = 'CREATE SCHEMA hiding; CREATE TABLE hiding.keys (%s)';
$node->safe_psql($_, sprintf $table, 'number int PRIMARY KEY, key bytea NOT NULL') for 'almaty', 'jakarta';
my $offset_of_copy = -s $node->logfile;
$node->safe_psql('almaty', "INSERT INTO hiding.keys SELECT 1, decode('$keys[0]', 'hex')");
like(slurp_file($node->logfile, $offset_of_copy),
	qr/$keys[0]/, 'a statement with the key would be in the log, and this test would find it');
is(has_key(slurp_file($node->logfile, $offset_of_copy)), 4, 'all of it');
sub copies
{
	$offset = -s $node->logfile;
	local @ENV{qw(PGHOST PGPORT)} = ($node->host, $node->port);
	my ($out, $err) = run_command([ 'sh', '-c', $copy ]);
	return "$out\n$err";
}
is(copies(), "COPY 1\n", 'COPY of the key');
is($node->safe_psql('jakarta', "SELECT encode(key, 'hex') FROM hiding.keys"), $keys[0], 'it arrives');
is(has_key(logged()), 0, 'and is in no log');
$seen = copies();
like($seen, qr/duplicate key/, 'once more: a duplicate');
is(has_key($seen . logged()), 0, 'whose error does not have the key');
$node->safe_psql('jakarta', "DROP SCHEMA hiding CASCADE; " . sprintf $table, 'key bytea, number int');
$seen = copies();
like($seen, qr/ERROR/, 'into a table with other columns: an error');
is(has_key($seen . logged()), 0, 'which does not have the key either');

$node->stop;
done_testing();
