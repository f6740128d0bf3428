# A country moves (tools/iuid) while others may create what they like: nothing of theirs is
# called, and nobody gains a right.
use strict;
use warnings;

use lib 'test/t';
use Pooler;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use IO::Socket::INET;
use POSIX ();
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my @names = ('almaty', 'jakarta');
my %node = start_nodes(@names);
for my $name (@names)
{
	$node{$name}->append_conf('postgresql.conf', "max_worker_processes = 20");
	$node{$name}->restart;
}
run_example($node{almaty}->connstr('shop'), 'registry.sql');
at_machine('almaty', q{UPDATE iuid_routes SET node = 'jakarta' WHERE node = 'mexico';
	DELETE FROM iuid_nodes WHERE node = 'mexico'});
follow_registry('jakarta', 'almaty');
$node{jakarta}->poll_query_until('shop', q{SELECT iuid_node(235, 1) = 'almaty'}) or die 'the registry does not arrive';
run_example("service=$_", 'tables.sql') for @names;
# From 17 on a partition has the identity columns of its table.
if ($node{almaty}->pg_version >= 17)
{
	at($_, q{ALTER TABLE orders_global ADD COLUMN counted bigint GENERATED ALWAYS AS IDENTITY;
		SELECT iuid_create_routed_partitions('orders', 1)}) for @names;
}
at('almaty', q{INSERT INTO orders SELECT gen_iuid(235, 1, now() - n * interval '1 hour'), n, 'old'
	FROM generate_series(1, 100) AS n});
my $rows = q{SELECT pg_catalog.count(*), pg_catalog.min(id::pg_catalog.text), pg_catalog.max(id::pg_catalog.text)
	FROM public.orders WHERE public.iuid_country(id) OPERATOR(pg_catalog.=) 235};
my $moved = at('almaty', $rows);
my $trusting = $node{almaty}->pg_version < 16;

sub move
{
	my ($command, $old, $new, @options) = @_;
	my $out;
	my $done = IPC::Run::run([ '/usr/bin/python3', 'tools/iuid', 'move', $command, 235, $old, $new,
		'--subscribe-as', $node{$new}->connstr('shop') . ' user=postgres', ($trusting ? '--trust-owners' : ()), @options ],
		'>', \$out, '2>&1');
	note $out;
	return ($done ? 'done: ' : 'failed: ') . $out;
}

sub plan_says
{
	my ($pattern, $what, @options) = @_;
	like(move('plan', 'almaty', 'jakarta', @options), $pattern, $what);
	return;
}

# Whose code runs in the copy, before PostgreSQL 16.
if ($trusting)
{
	$trusting = 0;
	plan_says(qr/^failed: .*runs what the owner of a table wrote, such as a CHECK, as a superuser/s,
		'the owners are not trusted unless the operator says so');
	$trusting = 1;
}
plan_says(qr/^done: .*Nothing is in the way/s, 'plan');

at('almaty', 'DROP VIEW orders_c235_e1');
plan_says(qr/^failed: [^\n]*orders_c235" at almaty has no view for the other nodes/s, 'a partition without its view');
at('almaty', q{SELECT iuid_create_routed_partitions('orders', 1)});

# The owner compares all rows, so no policy may hide one from him.
at('almaty', 'ALTER TABLE orders_c235 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY');
plan_says(qr/^failed: .*row security of "public"."orders_c235" at almaty holds for its owner/s,
	'row security for the owner');
at('almaty', 'ALTER TABLE orders_c235 DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY');

# A connection to another node is none to this one.
plan_says(qr/^failed: .*to jakarta \(subscriber\) leads to almaty/s, 'who subscribes is at the new node',
	'--subscribe-as', $node{almaty}->connstr('shop') . ' user=postgres');

# Who holds the lock of the command is named.
my $holder = $node{jakarta}->background_psql('shop', on_error_stop => 0);
$holder->query(q{SET ROLE desk; SELECT pg_advisory_lock(hashtextextended('moving_c235 owner', 0))});
my $pid = $holder->query('SELECT pg_backend_pid()');
like(move('copy', 'almaty', 'jakarta'), qr/^failed: .*jakarta: another command.* process $pid of postgres/s,
	'who holds the lock');
$holder->quit;

# What somebody else has made is not taken for the state of a move.
at_machine('jakarta', q{CREATE SCHEMA moving_c235 AUTHORIZATION desk});
plan_says(qr/^failed: .*the schema moving_c235 at jakarta belongs to desk/s, 'a schema of a stranger');
at_machine('jakarta', q{DROP SCHEMA moving_c235;
	CREATE FUNCTION moving_c235() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
	COMMENT ON FUNCTION moving_c235()
		IS '{"country": 235, "old": "almaty", "new": "jakarta", "entities": [null], "tables": []}'});
plan_says(qr/^done: .*Nothing is in the way/s, 'a function of a stranger');
at_machine('jakarta', 'DROP FUNCTION moving_c235');

# The name of a node is not a way to somebody else.
at_machine('almaty', q{INSERT INTO iuid_nodes VALUES ('almaty host=127.0.0.1 port=1 sslmode=disable')});
plan_says(qr/^failed: .*definition of service "almaty host=127.0.0.1 port=1 sslmode=disable" not found/s,
	'the name of a node is data');
at_machine('almaty', q{DELETE FROM iuid_nodes WHERE node ~ 'port=1'});

# An overload of a function of the extension, by who may create in its schema.
at_machine('almaty',
	q{CREATE FUNCTION public.iuid_node(smallint, int) RETURNS text LANGUAGE sql AS $$SELECT 'jakarta'$$});
plan_says(qr/iuid_node\(smallint,integer\) at almaty is not what the extension made/,
	'an overload of a function of the extension');
at_machine('almaty', 'DROP FUNCTION public.iuid_node(smallint, int)');

SKIP:
{
	skip 'SKIPPED: pgbouncer is not installed', 1 unless -x '/usr/sbin/pgbouncer';
	my ($pooler, $folder) = start_pgbouncer($node{jakarta}, 'shop');
	local $ENV{PGSERVICEFILE} = jakarta_is("host=$folder\nport=6432");
	plan_says(qr/^failed: .*a pooler stands before jakarta/s, 'through a pooler');
	IPC::Run::kill_kill($pooler);
}

# The services, with another way to jakarta.
sub jakarta_is
{
	my $way = shift;
	my $file = PostgreSQL::Test::Utils::tempdir_short . '/services';
	append_to_file($file,
		slurp_file($ENV{PGSERVICEFILE}) =~ s/^\[jakarta\]\n.*?(?=^\[|\z)/[jakarta]\n$way\ndbname=shop\nuser=shop\n/msr);
	return $file;
}

# A node that lets the session in, and then says nothing: AuthenticationOk, the parameters that psycopg
# asks for, ReadyForQuery.
{
	my $listener = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1') or die $!;
	my $pid = fork;
	if ($pid == 0)
	{
		my @open;
		while (my $client = $listener->accept)
		{
			push @open, $client;
			sysread $client, my $startup, 10_000;
			my %parameter = (client_encoding => 'UTF8', server_version => '15.0', standard_conforming_strings => 'on');
			syswrite $client, pack('a N N', 'R', 8, 0)
			  . join('', map { my $text = "$_\0$parameter{$_}\0"; pack('a N a*', 'S', 4 + length $text, $text) } keys %parameter)
			  . pack('a N a', 'Z', 5, 'I');
		}
		POSIX::_exit(0);
	}
	local $ENV{PGSERVICEFILE} = jakarta_is('host=127.0.0.1' . "\nport=" . $listener->sockport
		. "\nsslmode=disable\ngssencmode=disable");
	plan_says(qr/^failed: .*jakarta does not answer/s, 'a node that is silent after the login');
	kill 'KILL', $pid;
	waitpid $pid, 0;
}

# A transaction that writes keeps the copy from beginning: the statement fails, with what is in it.
my $writer = $node{almaty}->background_psql('shop', on_error_stop => 0);
$writer->query(q{BEGIN; INSERT INTO orders VALUES (gen_iuid(125, 1), 1, 'long')});
like(move('copy', 'almaty', 'jakarta', '--patience', 3), qr/^failed: /, 'the copy cannot begin');

# When it is started again, it trusts nobody more than before.
if ($trusting)
{
	$trusting = 0;
	like(move('copy', 'almaty', 'jakarta'), qr/^failed: .*runs what the owner of a table wrote/s,
		'nor is it when it is started again');
	$trusting = 1;
}

# The owner of the old node adds a table to the publication: no row enters a table of somebody else.
at_machine('jakarta', q{CREATE TABLE secrets (note text); ALTER TABLE secrets OWNER TO desk});
at('almaty', q{CREATE TABLE secrets (note text); INSERT INTO secrets VALUES ('forged');
	ALTER PUBLICATION moving_c235 ADD TABLE secrets});
$writer->query('ROLLBACK');
$writer->quit;
like(move('copy', 'almaty', 'jakarta'),
	qr/^failed: .*the publication moving_c235 at almaty has other tables.*: public.secrets/s,
	'a table that does not move');
like(move('switch', 'almaty', 'jakarta'), qr/^failed: /, 'nor does the switch begin');
is(at_machine('jakarta', 'SELECT count(*) FROM secrets'), '0', 'no row of it has come');
like(move('abort', 'almaty', 'jakarta'), qr/^done: /, 'abort');


at('almaty', 'GRANT SELECT (note) ON orders_c235 TO desk WITH GRANT OPTION');
my $rights = q{SELECT relacl, (SELECT attacl FROM pg_attribute WHERE attrelid = c.oid AND attname = 'note')
	FROM pg_class AS c WHERE relname = 'orders_c235'};
my $granted = at('almaty', $rights);
# What the owner is set to does not end the command.
my %setting = (statement_timeout => '1ms', lock_timeout => '1ms', idle_session_timeout => '500ms',
	default_transaction_read_only => 'on',
	default_transaction_isolation => 'serializable');
for my $name (@names) { at_machine($name, "ALTER ROLE shop SET $_ = '$setting{$_}'") for keys %setting }

# Until the switch the copy is the owner's alone.
my %from = map { $_ => -s $node{$_}->logfile } @names;
like(move('copy', 'almaty', 'jakarta'), qr/^done: /, 'copy');
for my $name (@names) { at_machine($name, "ALTER ROLE shop RESET $_") for keys %setting }

# What is kept of a move has numbers where numbers belong.
at('jakarta', 'ALTER TABLE moving_c235.tables ALTER number TYPE text');
plan_says(qr/^failed: .*moving_c235 at jakarta has no numbers where numbers are kept/s, 'what is kept is of its types');
at('jakarta', 'ALTER TABLE moving_c235.tables ALTER number TYPE int USING number::int');
at('jakarta', 'CREATE TABLE kept AS SELECT * FROM moving_c235.move; DELETE FROM moving_c235.move');
plan_says(qr/^failed: .*moving_c235 at jakarta does not keep one move of country 235/s, 'and is there');
at('jakarta', 'INSERT INTO moving_c235.move SELECT * FROM kept; DROP TABLE kept');

# What somebody else has put where the view will be is not taken for it.
at_machine('jakarta', q{CREATE VIEW orders_c235_e1 AS SELECT 1; ALTER VIEW orders_c235_e1 OWNER TO desk});
like(move('switch', 'almaty', 'jakarta'), qr/^failed: .*orders_c235_e1" is there already at jakarta/s,
	'a view of a stranger');
like(move('abort', 'almaty', 'jakarta'), qr/^done: /, 'abort leaves it alone');
is(at_machine('jakarta', q{SELECT count(*) FROM orders_c235_e1}), '1', 'it is there');
at_machine('jakarta', 'DROP VIEW orders_c235_e1');
like(move('copy', 'almaty', 'jakarta'), qr/^done: /, 'copy again');
like((attempt('jakarta', 'SELECT count(*) FROM orders_c235'))[1], qr/^100$/, 'the owner reads the copy');
my (undef, undef, $denied) = $node{jakarta}->psql('shop', 'SELECT count(*) FROM orders_c235',
	connstr => 'service=jakarta user=desk');
like($denied, qr/permission denied for table orders_c235/, 'desk does not');
like(move($_, 'almaty', 'jakarta'), qr/^done: /, $_) for 'switch', 'finish';
is(at('jakarta', $rows), $moved, 'the rows have moved');
is($node{jakarta}->safe_psql('shop', 'SELECT count(*) > 0 FROM orders_c235', connstr => 'service=jakarta user=desk'),
	't', 'desk reads them at the new node');
is(at('jakarta', $rights), $granted, 'with the rights of the old one');

# The same way back, with decoys for all that is in the statements which the servers logged.
my $log = join '', map { substr slurp_file($node{$_}->logfile), $from{$_} } @names;
my ($secret) = slurp_file($ENV{PGPASSFILE}) =~ /:mover:(\w+)/;
unlike(join('', map { slurp_file($node{$_}->logfile) } @names), qr/\Q$secret\E/, 'no password is in the log');
my $statements = join "\n",
	$log =~ /moving_c235 \d+ \S+ LOG:  (?:statement|execute [^:]*): (.*?)(?=\n\d{4}-\d\d-\d\d )/sg;
my %word = map { $_ => 1 } $statements =~ /\b([a-z_][a-z0-9_]*)\b/g;
my %sign = map { $_ => 1 } $statements =~ m{(?<=[\s\w)'])([-+*/<>=~!@#%^&|]+)(?=[\s\w('\$])}g;
cmp_ok(scalar keys %word, '>', 200, 'the statements are in the log');
my $words = join ',', map { "'$_'" } sort keys %word;
my $signs = join ',', map { "'$_'" } sort keys %sign;
my $decoys = qq{
	CREATE FUNCTION pg_temp.decoys(place name) RETURNS int LANGUAGE plpgsql AS \$decoys\$
	DECLARE found record; made int := 0; types text;
	BEGIN
		FOR found IN SELECT oid, proname, prokind, prorettype, pronargs, proargtypes::oid[] AS arguments FROM pg_proc
			WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN ($words) AND prokind IN ('f', 'a') LOOP
			-- As it is declared, and as a literal, a number or a name would match better.
			FOR types IN SELECT DISTINCT (
					SELECT coalesce(string_agg(CASE WHEN format_type(t, NULL) = a THEN b ELSE format_type(t, NULL) END,
						', ' ORDER BY n), '')
					FROM unnest(found.arguments) WITH ORDINALITY AS u (t, n))
				FROM (VALUES ('', ''), ('bigint', 'integer'), ('bigint', 'smallint'), ('integer', 'smallint'), ('name', 'text'),
					('regclass', 'text'), ('oid', 'regclass'), ('text', 'name')) AS v (a, b) LOOP
				BEGIN
					EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', place, found.proname,
						types, found.prorettype::regtype, 'BEGIN RAISE EXCEPTION ''decoy ' || found.proname || '''; END');
					made := made + 1;
				EXCEPTION WHEN OTHERS THEN NULL;
				END;
			END LOOP;
		END LOOP;
		FOR found IN SELECT DISTINCT oprname, l::regtype AS l, r::regtype AS r FROM pg_operator,
			unnest('{text,name,int2,int4,int8,oid,bool,uuid,pg_lsn,"char",timestamptz,regclass,iuid}'::regtype[]) AS l,
			unnest('{text,name,int2,int4,int8,oid,bool,uuid,pg_lsn,"char",timestamptz,regclass,iuid}'::regtype[]) AS r
			WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprname IN ($signs) AND oprleft <> 0 LOOP
			BEGIN
				EXECUTE format('CREATE OR REPLACE FUNCTION %I.decoy(%s, %s) RETURNS bool LANGUAGE plpgsql AS %L',
					place, found.l, found.r, 'BEGIN RAISE EXCEPTION ''decoy of an operator''; END');
				EXECUTE format('CREATE OPERATOR %I.%s (FUNCTION = %I.decoy, LEFTARG = %s, RIGHTARG = %s)', place,
					found.oprname, place, found.l, found.r);
				made := made + 1;
			EXCEPTION WHEN OTHERS THEN NULL;
			END;
		END LOOP;
		FOR found IN SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'p')
		AND typname IN ($words, 'int4', 'int8', 'text', 'bool') LOOP
			BEGIN
				EXECUTE format('CREATE DOMAIN %I.%I AS pg_catalog.text CHECK (false)', place, found.typname);
				made := made + 1;
			EXCEPTION WHEN OTHERS THEN NULL;
			END;
		END LOOP;
		RETURN made;
	END \$decoys\$};
for my $name (@names)
{
	my @made = split /\n/, at_machine($name, qq{SET search_path = pg_catalog, public;
		CREATE SCHEMA shop AUTHORIZATION shop; GRANT ALL ON SCHEMA shop TO PUBLIC; $decoys;
		SELECT pg_temp.decoys('shop'); SELECT pg_temp.decoys('public')});
	cmp_ok($_, '>', 500, "decoys at $name") for @made;
	like((attempt($name, q{SET search_path = public, pg_catalog;
		SELECT hashtextextended('a'::pg_catalog.text, 0::pg_catalog.int4)}))[2],
		qr/decoy/, "a decoy at $name is called by who lets it");
}
# By the owner, as the mover and as the superuser.
like(move($_, 'jakarta', 'almaty'), qr/^done: /, "$_ among decoys") for 'plan', 'copy', 'switch', 'finish';
is(at('almaty', $rows), $moved, 'the rows are back');

$_->stop for values %node;
done_testing();
