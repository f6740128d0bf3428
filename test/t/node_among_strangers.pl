# The commands iuid node add, rename, remove and credentials, and iuid column, among owners of the database who plant
# things, roles of the same names, and operators who err.
#
# One version is enough: the commands use statements that are the same on each version.
use strict;
use warnings;

use lib 'test/t';
use Faults 'go_on', 'stop_processes';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my @names = ('almaty', 'mexico');
my %node = start_nodes(@names);
make_regions(@names);

sub start_iuid
{
	my ($out, @arguments) = @_;
	note "@arguments";
	return IPC::Run::start([ '/usr/bin/python3', 'tools/iuid', @arguments ],
		'>', $out, '2>&1', IPC::Run::timeout(120));
}

# The exit status, and what a command has said at its end.
sub ended
{
	my ($command, $out) = @_;
	$command->finish;
	note $$out;
	unlike($$out, qr/Traceback/, 'the command ends in order');
	return ($command->full_result >> 8) . ": $$out";
}

sub iuid
{
	my $out;
	return ended(start_iuid(\$out, @_), \$out);
}

sub state_of_all
{
	return join "\n", map { at_machine($_, q{
		SELECT srvname, srvoptions, srvacl FROM pg_foreign_server ORDER BY 1;
		SELECT srvname, usename, umoptions FROM pg_user_mappings ORDER BY 1, 2;
		SELECT subname, subslotname, subconninfo FROM pg_subscription ORDER BY 1;
		SELECT slot_name FROM pg_replication_slots ORDER BY 1;
		SELECT rolname, rolcanlogin, rolsuper, rolpassword FROM pg_authid ORDER BY 1;
		SELECT setdatabase, setrole, setconfig FROM pg_db_role_setting ORDER BY 1, 2;
		SELECT * FROM iuid_nodes ORDER BY 1}) } @names;
}

sub changes_nothing
{
	my ($what, $pattern, @arguments) = @_;
	my $before = state_of_all();
	like(iuid(@arguments), $pattern, $what);
	is(state_of_all(), $before, "$what: nothing has changed");
	return;
}

sub passwords_have { append_to_file(passwords(), join '', map { "\\set $_\n" } @_); return }

my @credentials = ('node', 'credentials');
my @file = ('--passwords', passwords());
my @there = machines(@names);

# --- The schema of the extension has a name that ends a string, and a role has that schema in a setting -----------

passwords_have("mesh_2 'a2nd-password'", "registry_2 'a2nd-password'", "desk_2 'a2nd-password'");
$node{almaty}->safe_psql('shop', q{SET ROLE mesh; ALTER ROLE mesh SET application_name = '@iuid@'});
my $schema = q{',true);ALTER ROLE shop SUPERUSER;--};
at('almaty', qq{ALTER SCHEMA public RENAME TO "$schema"});
like(iuid(@credentials, 'mesh', 'mesh_2', @file, @there),
	qr/^1: .*the schema of the extension at almaty is called "',true\);ALTER/s,
	'a schema whose name ends a string is refused');
at('almaty', qq{ALTER SCHEMA "$schema" RENAME TO public});
is(at_machine('almaty', q{SELECT rolsuper FROM pg_roles WHERE rolname = 'shop'}), 'f', 'its owner is no superuser');

changes_nothing('a connection to a machine as no superuser',
	qr/^1: .*service=almaty does not lead to almaty as a superuser/s,
	@credentials, 'mesh', 'mesh_2', @file, '--machine', 'service=almaty');

# --- A node comes -------------------------------------------------------------------------------------------------

at_machine('almaty', 'CREATE USER MAPPING FOR postgres SERVER mexico');
$node{lima} = start_another_node('lima');
make_servers('lima');
@there = machines(@names, 'lima');
my @add = ('node', 'add', 'lima', '127.0.0.1', $node{lima}->port, '--region', 'Peru', @there);
at_machine('mexico', q{ALTER SERVER almaty RENAME TO lima;
	UPDATE iuid_nodes SET server = 'lima' WHERE node = 'almaty'});
changes_nothing('a server of this name is that of another node',
	qr/^1: .*lima is the server of almaty at the other nodes/s, @add);
at_machine('mexico', q{ALTER SERVER lima RENAME TO "o'ld";
	UPDATE iuid_nodes SET server = 'o''ld' WHERE node = 'almaty'});
changes_nothing('a server that has another name', qr/^1: .*ALTER SERVER "almaty" RENAME TO "o'ld"/s, @add);
at_machine('lima', q{ALTER SERVER almaty RENAME TO "o'ld"; INSERT INTO iuid_countries VALUES (7, 'AA', 'Nowhere')});
changes_nothing('a registry of its own', qr/^1: .*lima has a registry of its own, which nobody publishes/s, @add);
at_machine('lima', 'TRUNCATE iuid_countries CASCADE');
at_machine('almaty', q{ALTER SERVER mexico OPTIONS (ADD hostaddr '127.0.0.1')});
like(iuid(@add), qr/^1: .*let the owner make them there/s, 'a node comes');
is(at_machine('almaty',
	q{SELECT string_agg(usename || CASE WHEN umoptions IS NULL THEN '' ELSE '+' END, ' ' ORDER BY usename)
	FROM pg_user_mappings WHERE srvname = 'lima'}),
	'desk+ postgres registry+ shop+', 'a user mapping without options is one at its server, too');
is(at_machine('almaty', q{SELECT count(*) FROM pg_foreign_server, pg_options_to_table(srvoptions)
	WHERE srvname = 'lima' AND option_name = 'hostaddr'}), '0', 'its server has no address of another one');
at_machine('almaty', q{ALTER SERVER mexico OPTIONS (DROP hostaddr)});
run_example('service=lima', 'tables.sql');
my $mapping = q{SELECT format('CREATE USER MAPPING FOR shop SERVER mexico OPTIONS (%s)',
	string_agg(format('%I %L', option_name, option_value), ', ')) FROM pg_user_mappings, pg_options_to_table(umoptions)
	WHERE srvname = 'mexico' AND usename = 'shop'};
my $again = at_machine('lima', $mapping);
at_machine('lima', 'DROP USER MAPPING FOR shop SERVER mexico');
like(iuid(@add), qr/^1: .*lima does not come in at mexico/s, 'a node that reaches no other one');
at_machine('lima', "SET log_statement = none; $again");
# Another owner has a global table, too.
at_machine('almaty', q{CREATE ROLE second NOLOGIN; GRANT CREATE ON SCHEMA public TO second;
	GRANT USAGE ON FOREIGN SERVER mexico, lima TO second; SET ROLE second;
	CREATE TABLE seconds (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
	SELECT iuid_create_routed_partitions('seconds', 1); SELECT iuid_create_global_table('seconds_global', 'seconds', 1)});
like(iuid(@add), qr/^0: /, 'it has the tables');
at_machine('lima', 'ALTER SUBSCRIPTION registry_lima DISABLE');
$node{mexico}->poll_query_until('shop',
	q{SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'registry_lima'}) or die;
at_machine('mexico', q{SELECT pg_drop_replication_slot('registry_lima')});
like(iuid(@add), qr/^0: /, 'a node whose subscription brings nothing any more');
is(at_machine('mexico', q{SELECT active FROM pg_replication_slots WHERE slot_name = 'registry_lima'}),
	't', 'follows again');
push @names, 'lima';

# --- It gets another name, and goes -------------------------------------------------------------------------------

changes_nothing('its own name', qr/^1: .*the new name is another one/s, 'node', 'rename', 'lima', 'lima', @there);
changes_nothing('a name of two lines', qr/^1: .*the new name is another one, of one line/s,
	'node', 'rename', 'lima', "li\nma", @there);
my $services = slurp_file($ENV{PGSERVICEFILE});
append_to_file($ENV{PGSERVICEFILE}, $services =~ s/.*\[mexico\]/[cusco]/sr);
changes_nothing('a name that is the service of another node',
	qr/^1: .*there is a service cusco, which leads to mexico/s, 'node', 'rename', 'lima', 'cusco', @there);
$services = slurp_file($ENV{PGSERVICEFILE});
like(iuid('node', 'rename', 'cusco', 'quito', @there), qr/^1: .*the service cusco leads to mexico/s,
	'a service that leads to another node is not renamed');
is(slurp_file($ENV{PGSERVICEFILE}), $services, 'the file of services is as it was');
at_machine('lima', q{SET client_min_messages = error; CREATE SUBSCRIPTION moving_c157
	CONNECTION 'dbname=shop user=mover' PUBLICATION moving_c157 WITH (connect = false)});
changes_nothing('a name that another node has', qr/^1: .*(there is a node almaty already|leads to almaty)/s,
	'node', 'rename', 'lima', 'almaty', @there);
changes_nothing('a country that moves to it',
	qr/^1: .*lima copies country 157: let iuid move finish or abort end that first/s, 'node', 'remove', 'lima', @there);
changes_nothing('a role as which a country is copied',
	qr/^1: .*lima comes in at other nodes as mover: give a second role/s,
	@credentials, 'mover', @file, @there);
at_machine('lima', 'ALTER SUBSCRIPTION moving_c157 SET (slot_name = NONE); DROP SUBSCRIPTION moving_c157');
changes_nothing('the server of another node', qr/^1: .*mexico is the server of another node/s, 'node', 'remove', 'lima',
	'--server', 'mexico', @there);

# --- A column: who has rights on the views ------------------------------------------------------------------------

my $rights = q{SELECT string_agg(concat_ws(' ', relname, relacl, attname, attacl), ' ' ORDER BY relname, attnum)
	FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
	WHERE relname ~ '^orders_(all|c157_e1)$' AND attname IN ('id', 'note')};
at('mexico', q{REVOKE ALL ON orders_all, orders_c157_e1 FROM desk; GRANT SELECT (id) ON orders_all TO desk;
	REVOKE DELETE ON orders_c157_e1 FROM mesh});
my $had = at('mexico', $rights);
# Desk has a view of its own, with a name like one of a country.
at_machine('mexico', q{CREATE SCHEMA reports AUTHORIZATION desk; SET ROLE desk;
	CREATE VIEW reports.mine_c157_e1 AS SELECT id FROM public.orders_c157});
like(iuid('column', 'add', 'orders_global', 'more', 'int'), qr/^0: /, 'a column comes');
like(iuid('column', 'drop', 'orders_global', 'more'), qr/^0: /, 'and goes');
is(at('mexico', $rights), $had, 'who has rights on the views, by the defaults of the owner or without');
is(at_machine('mexico', 'SELECT count(*) FROM reports.mine_c157_e1'), '0', 'that of desk stays');

at('mexico', 'ALTER TABLE orders_global ADD COLUMN b int');
changes_nothing('a node that has both names', qr/^1: .*orders_global at mexico has both note and b/s,
	'column', 'rename', 'orders_global', 'note', 'b');
my $has_note = q{SELECT count(*) FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'note'};
is(join(' ', map { at($_, $has_note) } @names), '1 1 1', 'no node has the other name');
at('mexico', 'ALTER TABLE orders_global DROP COLUMN b CASCADE');
like(iuid('column', 'add', 'orders_global', 'more', 'int'), qr/^0: /, 'once more it comes');
at('mexico', 'GRANT SELECT (more) ON orders_all TO desk');
like(iuid('column', 'drop', 'orders_global', 'more'), qr/^0: /, 'a right on the column goes with it');

# --- A role that takes the place of another one -------------------------------------------------------------------

# Shop has USAGE on the servers, so it writes any user into its own user mapping, and reads what stands there then.
my $mine = at_machine('almaty', q{SELECT array_to_string(umoptions, ' ') FROM pg_user_mappings
	WHERE usename = 'shop' AND srvname = 'mexico'}) =~ s/.*password=//r;
at('almaty', q{ALTER USER MAPPING FOR shop SERVER mexico OPTIONS (SET user 'registry', SET password 'no')});
iuid(@credentials, 'registry', 'registry_2', @file, @there);
is(at('almaty', q{SELECT count(*) FROM pg_user_mappings WHERE umoptions::text ~ 'registry_2'}),
	'0', 'a planted user mapping gets no password of another role');
like(iuid(@credentials, 'registry', 'registry_2', @file, @there),
	qr/^1: .*the user mapping of shop for the server mexico at almaty does not let registry in/s, 'the command says so');
at_machine('almaty', qq{SET log_statement = none;
	ALTER USER MAPPING FOR shop SERVER mexico OPTIONS (SET user 'mesh', SET password '$mine')});
like(iuid(@credentials, 'registry', 'registry_2', @file, @there), qr/^(0|1: .*sessions of registry yet)/s,
	'without it the role is used');

# Settings of the role itself, of its database, and its roles.

changes_nothing('a role in its own place', qr/^1: .*mesh cannot take its own place/s,
	@credentials, 'mesh', 'mesh', @file, @there);
at_machine($_, q{SET log_statement = none; CREATE ROLE desk_3 SUPERUSER LOGIN PASSWORD 'a2nd-password';
	CREATE ROLE desk_4 LOGIN PASSWORD 'a2nd-password' IN ROLE mesh}) for @names;
passwords_have("desk_3 'a2nd-password'", "desk_4 'a2nd-password'", "registry_3 'a2nd-password'",
	"mesh_8 'a2nd-password'", "mesh_8 'a2nd-password'");
at_machine($_, q{SET log_statement = none;
	CREATE ROLE registry_3 LOGIN PASSWORD 'a2nd-password' IN ROLE registry}) for @names;
changes_nothing('a second role that may not replicate',
	qr/^1: .*has a role registry_3 already, which has other rights than registry/s,
	@credentials, 'registry', 'registry_3', @file, @there);
changes_nothing('two lines for one role', qr/^1: .*has 2 lines \\set mesh_8/s,
	@credentials, 'mesh', 'mesh_8', @file, @there);
changes_nothing("a superuser in the place of a role",
	qr/^1: .*has a role desk_3 already, which has other rights than desk/s, @credentials, 'desk', 'desk_3', @file, @there);
changes_nothing("another role's second one", qr/^1: .*has a role desk_4 already, which has other rights than desk/s,
	@credentials, 'desk', 'desk_4', @file, @there);
$node{almaty}->safe_psql('shop', q{SET ROLE mesh; ALTER ROLE mesh SET role = 'mesh';
	ALTER ROLE mesh SET statement_timeout = '17min'; ALTER ROLE mesh SET search_path = 'a b', public;
	ALTER ROLE mesh SET transaction_read_only = on; ALTER ROLE mesh IN DATABASE shop SET work_mem = '5MB'});
at('almaty', q{ALTER DATABASE shop SET password_encryption = 'md5'});
at_machine($_, q{CREATE ROLE reports; GRANT reports TO mesh; ALTER ROLE mesh BYPASSRLS}) for @names;
like(iuid(@credentials, 'mesh', 'mesh_2', @file, @there), qr/^(0|1: .*sessions of mesh yet)/s,
	'a role with settings of its own, and in another role');
my $settings = q{SELECT array_agg(concat_ws(' ', setdatabase, c) ORDER BY setdatabase, c)
	FROM pg_db_role_setting, unnest(setconfig) AS c WHERE setrole = (SELECT oid FROM pg_roles WHERE rolname = 'ROLE')};
is(at_machine('almaty', $settings =~ s/ROLE/mesh_2/r),
	at_machine('almaty', $settings =~ s/ROLE/mesh/r), 'the settings are the same');
is(at_machine('almaty', q{SELECT rolbypassrls, pg_has_role('mesh_2', 'mesh', 'USAGE'), rolpassword ~ '^SCRAM'
	FROM pg_authid WHERE rolname = 'mesh_2'}), 't|t|t', 'so are the rights, and the password is no MD5 hash');
is(at('almaty', q{SELECT count(*) FROM orders_all}), '0', 'the nodes come in');

# The file of passwords has lines for other servers, too, and is a link.
my $pass = $ENV{PGPASSFILE};
rename $pass, "$pass.real" or die;
symlink "$pass.real", $pass or die;
append_to_file("$pass.real", "db.example:5432:*:mover:kept\n*:*:other:mover:kept\n127.0.0.1:*:shop:mover:gone\n");
# The service of a node has no host, and the address alone.
append_to_file("$pass.real", "127.0.0.2:*:shop:mover:gone\nlocalhost:*:shop:mover:kept\n");
$services = slurp_file($ENV{PGSERVICEFILE});
append_to_file("$pass.services", $services =~ s/(\[lima\]\n)host=.*/$1hostaddr=127.0.0.2/r);
my $text = slurp_file(passwords());
$text =~ s/^(\\set mover ').*'$/${1}a2nd-password'/m;
open my $passwords, '>', passwords() or die;
print {$passwords} $text;
close $passwords;
{
	local $ENV{PGSERVICEFILE} = "$pass.services";
	like(iuid(@credentials, 'mover', @file, @there), qr/^0: /,
		'the password of a role that comes from outside');
}
is(join(' ', slurp_file("$pass.real") =~ /^(.*:mover:.*)$/mg),
	'*:*:*:mover:a2nd-password db.example:5432:*:mover:kept *:*:other:mover:kept'
	. ' 127.0.0.1:*:shop:mover:a2nd-password 127.0.0.2:*:shop:mover:a2nd-password'
	. ' localhost:*:shop:mover:kept',
	'lines for other servers keep theirs');
ok(-l $pass, 'the link is a link');

# --- A node goes ----------------------------------------------------------------------------------

# Its server has another name at the others.  One has no user mapping for it, one that of PUBLIC.
at_machine('mexico', q{UPDATE iuid_routes SET node = 'mexico' WHERE node = 'almaty'});
$node{lima}->poll_query_until('shop',
	q{SELECT count(*) = 0 FROM iuid_routes WHERE node = 'almaty'}) or die;
at($_, q{SELECT iuid_create_routed_partitions('orders', 1);
	SELECT iuid_create_global_table('orders_global', 'orders', 1)}) for 'mexico', 'lima';
at_machine('lima', qq{DROP USER MAPPING FOR $_ SERVER "o'ld"}) for 'shop', 'desk', 'registry';
at_machine('mexico', q{CREATE USER MAPPING FOR PUBLIC SERVER "o'ld"});
my @gone = ('node', 'remove', 'almaty');
like(iuid('node', 'remove', 'almata', '--lost', @there), qr/^1: .*there is no node almata/s,
	'a node that nobody knows');

# One has not heard of it yet: the command waits, and no other one comes in between.
at_machine('lima', 'ALTER SUBSCRIPTION registry_lima DISABLE');
my $removing = start_iuid(\my $said, @gone, machines('lima', 'mexico'));
$removing->pump until $said =~ /DELETE FROM/ || !$removing->pumpable;
like(iuid('column', 'add', 'orders_global', 'more', 'int'),
	qr/^4: .*lima: another command works on this/s, 'another command waits in vain');
at_machine('lima', 'ALTER SUBSCRIPTION registry_lima ENABLE');
like(ended($removing, \$said), qr/^1: .*not done at almaty, .* with --server o'ld/s,
	'a node goes at the others');
is(at_machine($_, q{SELECT count(*) FROM pg_foreign_server WHERE srvname = 'o''ld'}), '0',
	"$_ has no server of it") for 'lima', 'mexico';

# What sends it the registry takes its time, and the session with the lock is lost meanwhile.
my $slot = q{SELECT count(*) FROM pg_replication_slots WHERE slot_name = 'registry_almaty'};
stop_processes(at_machine('mexico', $slot =~ s/count\(\*\)/active_pid/r));
$removing = start_iuid(\$said, @gone, '--server', "o'ld", @there);
$removing->pump until $said =~ /DROP SUBSCRIPTION/ || !$removing->pumpable;
sleep 1;
at_machine('mexico', q{SELECT pg_terminate_backend(pid)
	FROM pg_locks JOIN pg_stat_activity USING (pid)
	WHERE locktype = 'advisory' AND usename = 'shop'});
go_on();
like(ended($removing, \$said), qr/^3: .*mexico does not answer/s,
	'a command that has lost its lock');
is(at_machine('mexico', $slot), '1', 'changes nothing any more');
like(iuid(@gone, @there), qr/^0: .*almaty is no node any more/s, $_)
	for 'the node goes', 'and is gone';
is(at_machine('mexico', $slot), '0', 'the publisher keeps no log for it');
is(at('lima', 'SELECT count(*) FROM orders_all'), '0', 'the others ask one another');

unlike(slurp_file($_->logfile), qr/a2nd-password/, 'no password in a log') for values %node;
$_->stop for values %node;
done_testing();
