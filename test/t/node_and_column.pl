# What a node is as a whole, and a column at all nodes: iuid node add, rename, remove, credentials, and iuid
# column.  regions_changed runs them while rows are read.
#
# One version is enough: the commands have statements of the server, the same on each version.
use strict;
use warnings;

use lib 'test/t';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my @names = ('almaty', 'jakarta', 'mexico');
my %node = start_nodes(@names);
my $log = sub { return join '', map { slurp_file($_->logfile) } values %node };
my @secrets;

sub start_command
{
	my ($out, @arguments) = @_;
	return IPC::Run::start([ '/usr/bin/python3', 'tools/iuid', @arguments ], '>', $out, '2>&1', IPC::Run::timeout(300));
}

# The exit status, and what the command says.
sub said_by
{
	my $command = start_command(\my $out, @_);
	$command->finish;
	note "@_\n$out";
	my $secrets = join '|', @secrets, slurp_file(passwords()) =~ /^\\set \w+ '(\w+)'$/gm;
	unlike($out, qr/Traceback|$secrets/, 'the command ends in order, and says no password');
	return ($command->full_result >> 8) . ": $out";
}

# On the machine of one node after the other, in any order, until nothing is left.
sub in_turn
{
	my ($what, $there, @arguments) = @_;
	my $said = '';
	for my $round (1 .. 6)
	{
		$said = said_by(@arguments, machines($_)) for @$there;
		return is($round, $round, "$what, in $round rounds") if $said =~ /^0/;
	}
	return is($said, 0, $what);
}

# Whether the nodes are well, and know each other.
sub are_well
{
	my ($what, @there) = @_;
	is(at_last($_, q{SELECT string_agg(concat_ws(' ', problem, relation, node, detail), '; ') FROM iuid_check_regions()},
		qr/^$/), '', "$what: all is well at $_") for @there;
	return;
}

# What the commands may change at the nodes.
sub state_of
{
	return join "\n", map { at_machine($_, q{
		SELECT srvname, srvoptions, srvacl FROM pg_foreign_server ORDER BY 1;
		SELECT srvname, usename, umoptions FROM pg_user_mappings ORDER BY 1, 2;
		SELECT subname, subslotname, subconninfo FROM pg_subscription ORDER BY 1;
		SELECT slot_name FROM pg_replication_slots ORDER BY 1;
		SELECT rolname, rolcanlogin, rolpassword FROM pg_authid ORDER BY 1;
		SELECT setdatabase, setrole, setconfig FROM pg_db_role_setting ORDER BY 1, 2;
		SELECT attrelid::regclass, attname, format_type(atttypid, atttypmod)
			FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = attrelid
			WHERE c.relname ~ '^orders' AND attnum > 0 ORDER BY c.relname, attnum;
		SELECT * FROM iuid_nodes ORDER BY 1}) } @_;
}

sub changes_nothing
{
	my ($what, $pattern, @arguments) = @_;
	my $before = state_of(keys %node);
	like(said_by(@arguments), $pattern, $what);
	is(state_of(keys %node), $before, "$what: nothing has changed");
	return;
}

# A server like that of mexico, at another port.
sub make_server_of
{
	my ($name, $port, $where) = @_;
	at_machine($where, qq{CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw
		OPTIONS (host '127.0.0.1', port '$port', dbname 'shop', extensions 'iuid')});
	return;
}

make_regions(@names);
my %code = (almaty => 'KZ', jakarta => 'ID', mexico => 'MX');
at($_, qq{INSERT INTO orders SELECT gen_iuid(country, 1), 42, '' FROM iuid_countries, generate_series(1, 10)
	WHERE code = '$code{$_}'}) for @names;
are_well('at the beginning', @names);

# --- A new node --------------------------------------------------------------------------------

my @add = ('node', 'add', 'lima', '127.0.0.1', 1, '--region', 'Peru');
changes_nothing('a node that is not there', qr/^3: .*lima/s, @add, machines(@names));
$node{lima} = start_another_node('lima');
$add[4] = $node{lima}->port;
my @all = (@names, 'lima');
changes_nothing('a node that reaches no other one',
	qr/^1: .*lima has no server of almaty, jakarta, mexico: run .*servers\.sql there/s, @add, machines(@all));
make_servers('lima');
changes_nothing('another address', qr/^1: .*is not lima/s,
	@add[ 0 .. 3 ], $node{jakarta}->port, @add[ 5, 6 ], machines(@all));
changes_nothing('a dry run', qr/^1: .*almaty +DO \$block\$/s, @add, '--dry-run', machines('almaty'));
$node{jakarta}->stop;
like(said_by(@add, machines('almaty', 'mexico', 'lima')), qr/^3: .*a node comes when all nodes answer/s,
	'a node that is down');
$node{jakarta}->start;
# A server of that name, which leads elsewhere.
make_server_of('lima', $node{mexico}->port, 'almaty');
changes_nothing('a server of that name that leads elsewhere',
	qr/^1: .*the server "lima" at almaty leads to 127\.0\.0\.1, port \d+, and not to/s, @add, machines(@all));
at_machine('almaty', 'DROP SERVER lima CASCADE');
like(said_by(@add, machines('mexico', 'lima')), qr/^1: .*not done at almaty, jakarta/s, 'two of four machines');
is(at_machine('mexico', q{SELECT count(*) FROM iuid_nodes WHERE node = 'lima'}),
	'0', 'it is no node before all others have its server');

# A server of lima in each of the others; killed when it is registered, and when its slot is made.
for my $when (qr/INSERT INTO public\.iuid_nodes/, qr/pg_create_logical_replication_slot/)
{
	my $command = start_command(\my $out, @add, machines(@all));
	$command->pump until $out =~ $when || !$command->pumpable;
	like($out, $when, 'the command is killed');
	$command->kill_kill(grace => 0);
}
like(said_by(@add, machines('almaty', 'lima')),
	qr/^1: .*lima has the registry, and no public\.orders with a global table or view: let the owner make them there/s,
	'then its tables are to be made');
run_example('service=lima', 'tables.sql');
in_turn('a new node', \@all, @add);
are_well('a new node', @all);
is(at_machine($_, q{SELECT string_agg(m.usename || ' ' || o.option_value, ', ' ORDER BY m.usename)
	FROM pg_user_mappings AS m, pg_options_to_table(umoptions) AS o
	WHERE srvname = 'lima' AND option_name = 'user'}), 'desk desk, registry registry, shop mesh',
	"who comes in at lima from $_") for @names;
is(at_machine('almaty', q{SELECT count(*), count(DISTINCT o.options) FROM pg_foreign_server,
	LATERAL (SELECT array_agg(option_name || option_value ORDER BY 1) AS options
		FROM pg_options_to_table(srvoptions) WHERE option_name NOT IN ('host', 'port')) AS o}),
	'3|1', 'its server is like the others');
is(at('mexico', q{SELECT count(*) FROM orders_all}), '30', 'the global view asks it');

# It gets a country.
at('mexico',
	q{UPDATE iuid_routes SET node = 'lima' WHERE country = (SELECT country FROM iuid_countries WHERE code = 'PE')});
$node{lima}->poll_query_until('shop', q{SELECT count(*) = 1 FROM iuid_routes WHERE node = 'lima'}) or die;
at('lima', q{SELECT iuid_create_routed_partitions('orders', 1)});
at($_, q{SELECT iuid_create_routed_partitions('orders', 1);
	SELECT iuid_create_global_table('orders_global', 'orders', 1)}) for @all;
at('lima', q{INSERT INTO orders SELECT gen_iuid(country, 1), 42, 'of lima' FROM iuid_countries, generate_series(1, 10)
	WHERE code = 'PE'});
are_well('its country', @all);
is(at($_, 'SELECT count(*) FROM orders_global'), '40', "$_ finds all rows") for @all;
my $follows = q{SELECT oid, xmin FROM pg_subscription};
my $subscription = at_machine('lima', $follows);
changes_nothing('once more', qr/^0: .*lima is a node, and all nodes know it/s, @add, machines(@all));
like(said_by(@add, machines('almaty')), qr/^0: /, 'also from one machine');
is(at_machine('lima', $follows), $subscription, 'nothing is left, and the subscription is the same');
# Another node answers in its place.
at_machine('almaty', "ALTER SERVER lima OPTIONS (SET port '" . $node{mexico}->port . "')");
like(said_by(@add, machines(@all)), qr/^1: .*almaty does not come in at lima: mexico answers/s,
	'another node that answers in its place');
at_machine('almaty', "ALTER SERVER lima OPTIONS (SET port '" . $node{lima}->port . "')");

# --- A column ------------------------------------------------------------------------------------

changes_nothing('a table that is not there',
	qr/^1: .*has no global table invoices of this role; it has public\.orders_global/s,
	'column', 'add', 'invoices', 'amount', 'numeric');
changes_nothing('a type that is not there', qr/^1: .*type "money\(" does not exist|^1: .*syntax error/s,
	'column', 'add', 'orders_global', 'amount', 'money(');
changes_nothing('a statement in the place of a type', qr/^1: .*(invalid type name|syntax error)/s,
	'column', 'add', 'orders_global', 'amount', 'int); DROP TABLE orders; --');
changes_nothing('a column that is not there', qr/^1: .*has no column amount/s,
	'column', 'rename', 'orders_global', 'amount', 'sum');
changes_nothing('a column that no node has',
	qr/^0: (?!.*All nodes have it).*No node had a column amount in orders_global/s,
	'column', 'drop', 'orders_global', 'amount');
changes_nothing('a column of another type', qr/^1: .*has a column customer of type integer/s,
	'column', 'add', 'orders_global', 'customer', 'text');
changes_nothing('a dry run', qr/^0: .*ALTER TABLE public\.orders_global ADD COLUMN "Amount"/s,
	'column', 'add', 'orders_global', 'Amount', 'numeric(10,2)', '--dry-run');
at('jakarta', 'ALTER TABLE orders_global ADD COLUMN "Amount" numeric(8,1)');
changes_nothing('a column of the same type with another modifier',
	qr/^1: .*jakarta has a column Amount of type numeric\(8,1\)/s,
	'column', 'add', 'orders_global', 'Amount', 'numeric(10,2)');
# One node has it already.
at('jakarta', 'ALTER TABLE orders_global ALTER COLUMN "Amount" TYPE numeric(10,2)');
like(said_by('column', 'add', 'orders_global', 'Amount', 'numeric(10,2)'),
	qr/^0: .*All nodes have it: almaty, jakarta, lima, mexico/s, 'a column comes');
are_well('a column', @all);
is(at('almaty', q{WITH changed AS (UPDATE orders_global SET "Amount" = 5 WHERE note = 'of lima' RETURNING 1)
	SELECT count(*) FROM changed}), '10', 'it is written from another node');
# A role has rights on the view, and on the view of a country.
at('mexico', 'GRANT SELECT ON orders_all TO desk; GRANT SELECT ON orders_c157_e1 TO mover WITH GRANT OPTION;
	GRANT SELECT (note) ON orders_all TO mover');
my $rights = q{SELECT string_agg(concat(relname, relacl, attname, attacl), ' ' ORDER BY relname) FROM pg_class
	JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'note' WHERE relname IN ('orders_all', 'orders_c157_e1')};
my $before = at('mexico', $rights);
changes_nothing('a type that changes all rows', qr/^1: .*write all rows of orders_global anew/s,
	'column', 'type', 'orders_global', 'Amount', 'double precision');
like(said_by('column', 'type', 'public.orders_global', 'Amount', 'numeric(12,2)'), qr/^0/, 'it gets another type');
like(said_by('column', 'type', 'public.orders_global', 'Amount', 'decimal( 12,2)'),
	qr/^0: (?!.*ALTER TABLE)/s, 'which it has, by whichever name of the type');
is(at('mexico', $rights), $before, 'the views have the rights that they had');
is(at('jakarta', q{SELECT sum("Amount") FROM orders_global}), '50.00', 'its values are there');
is(at($_, q{SELECT string_agg(DISTINCT format_type(atttypid, atttypmod), ' ') FROM pg_attribute
	WHERE attname = 'Amount'}), 'numeric(12,2)', "$_ has the type") for @all;
are_well('another type', @all);
like(said_by('column', 'rename', 'orders_global', 'Amount', 'amount; "paid"'), qr/^0/, 'it gets another name');
like(said_by('column', 'rename', 'orders_global', 'Amount', 'amount; "paid"'), qr/^0/, 'and has it');
are_well('another name', @all);
# What stands on the view keeps it.
at('lima', 'CREATE VIEW mine AS SELECT * FROM orders_all');
like(said_by('column', 'drop', 'orders_global', 'amount; "paid"'),
	qr/^1: .*lima: cannot drop view .*mine.*done at almaty, jakarta, mexico: start/s,
	'a view of somebody keeps the column at one node');
at('lima', 'DROP VIEW mine');
like(said_by('column', 'drop', 'orders_global', 'amount; "paid"'), qr/^0/, 'then it goes');
is(at('mexico', $rights), $before, 'and no right comes or goes with it');
are_well('a column less', @all);
is(at($_, q{SELECT count(*), count(*) FILTER (WHERE a.attname ~ 'amount') FROM orders_all,
	(SELECT string_agg(attname, ' ') FROM pg_attribute WHERE attrelid = 'orders'::regclass AND NOT attisdropped)
		AS a (attname)}),
	'40|0', "$_ has all rows") for @all;

# --- Credentials ---------------------------------------------------------------------------------

@secrets = ('the-2nd-password', 'a3rd:password');
append_to_file(passwords(), "\\set mesh_2 '$secrets[0]'\n\\set registry_2 '$secrets[0]'\n\\set desk_2 '$secrets[1]'\n");
my @credentials = ('node', 'credentials');
my @file = ('--passwords', passwords());
changes_nothing('a role without a password', qr/^1: .*has no lines \\set mesh_9/s,
	@credentials, 'mesh', 'mesh_9', @file, machines(@all));
changes_nothing('a role that is not there', qr/^1: .*has no role nobody/s,
	@credentials, 'nobody', 'mesh_2', @file, machines(@all));
changes_nothing('a role of nodes without a second one', qr/^1: .*comes in at other nodes as mesh: give a second role/s,
	@credentials, 'mesh', @file, machines(@all));

# A session is open at each node, as mesh.  One role that is not let in stops it all.
my %session = map { $_ => $node{$_}->background_psql('shop', on_error_stop => 0) } @all;
$session{$_}->query('SET ROLE shop;') for @all;
my $look_up = sub { return $session{ $_[0] }->query('SELECT count(*) FROM orders_global;') };
is($look_up->($_), '40', "$_ finds all rows") for @all;
my $hba = $node{lima}->data_dir . '/pg_hba.conf';
my $lines = slurp_file($hba);
PostgreSQL::Test::Utils::system_or_bail('sed', '-i', 's/ +mesh,/ mesh,/', $hba);
$node{lima}->reload;
like(said_by(@credentials, 'mesh', 'mesh_2', @file, machines(@all)),
	qr/^1: .*lima does not let mesh_2 in: .*no pg_hba.conf entry/s, 'a node that does not let the new role in');
is(at_machine('almaty', q{SELECT count(*) FROM pg_user_mappings WHERE umoptions @> '{user=mesh}'}),
	'3', 'the old one is used');
PostgreSQL::Test::Utils::system_or_bail('sed', '-i', 's/ mesh,/ +mesh,/', $hba);
is(slurp_file($hba), $lines, 'it is to be let in');
$node{lima}->reload;
like(said_by(@credentials, 'mesh', 'mesh_2', @file, machines(@all)), qr/^1: .*has \d+ sessions of mesh yet/s,
	'sessions of the old role are left');
is($look_up->($_), '40', "$_ finds all rows, in an open session") for @all;
# A user mapping that came after all were changed.
my ($first_password) = slurp_file(passwords()) =~ /set mesh '(\w+)'/;
at_machine('almaty', qq{SET log_statement = none;
	ALTER USER MAPPING FOR shop SERVER jakarta OPTIONS (SET user 'mesh', SET password '$first_password')});
in_turn('another password of mesh', \@all, @credentials, 'mesh', 'mesh_2', @file);
is($look_up->($_), '40', "$_ finds all rows as mesh_2") for @all;
is(at_machine('almaty', q{SELECT count(*) FROM pg_user_mappings WHERE umoptions @> '{user=mesh}'}),
	'0', 'no user mapping has the role that may not log in');
is(at_machine($_, q{SELECT string_agg(usename::text, ',')
	FROM (SELECT DISTINCT usename FROM pg_stat_activity WHERE usename ~ '^mesh') AS x}),
	'mesh_2', "who comes in at $_") for @all;
is(at_machine($_, q{SELECT r.rolcanlogin, (SELECT setconfig FROM pg_db_role_setting WHERE setrole = 'mesh_2'::regrole)
	FROM pg_roles AS r WHERE rolname = 'mesh'}),
	'f|{idle_in_transaction_session_timeout=5min}', "the settings of mesh_2 at $_") for @all;
$session{$_}->quit for @all;
is($session{$_}{stderr}, '', "$_ saw no error") for @all;
in_turn('another password of registry', \@all, @credentials, 'registry', 'registry_2', @file);
is(at_machine('mexico', q{SELECT string_agg(DISTINCT usename::text, ',') || count(*) FROM pg_stat_replication}),
	'registry_23', 'who follows the registry');
is(at_machine($_, q{SELECT rolcanlogin FROM pg_roles WHERE rolname = 'registry'}),
	'f', "the first role may not log in at $_") for @all;
like(said_by(@credentials, 'desk', 'desk_2', @file, machines(@all)),
	qr/^0: .*desk goes on to log in itself.*All nodes come in as desk_2/s, 'another password of desk');
append_to_file(passwords(), "\\set mesh_3 '$secrets[1]'\n");
in_turn('a third one of mesh', \@all, @credentials, 'mesh_2', 'mesh_3', @file);
is(at_machine('jakarta', q{SELECT string_agg(roleid::regrole::text, ',') FROM pg_auth_members
	WHERE member = 'mesh_3'::regrole}), 'mesh', 'is in the role that pg_hba.conf names');
are_well('other passwords', @all);

# A role that comes from outside.
my $text = slurp_file(passwords());
my ($old) = $text =~ /set desk '(\w+)'/;
$text =~ s/(set desk ')\w+/$1$secrets[1]/;
open my $file, '>', passwords() or die;
print {$file} $text;
close $file;
like(said_by(@credentials, 'desk', @file, machines('almaty')),
	qr/^0: .*Start this command on the machine of jakarta, lima, mexico, too/s, 'the role itself, at one node');
like(said_by(@credentials, 'desk', @file, machines(@all)), qr/^0: /s, 'at all');
like(slurp_file($ENV{PGPASSFILE}), qr/^\*:\*:\*:desk:a3rd\\:password$/m, 'the file of passwords has it');
is($node{$_}->safe_psql('shop', 'SELECT count(*) FROM orders_global', connstr => "service=$_ user=desk"),
	'40', "desk logs in at $_") for @all;
my $logs = $log->();
unlike($logs, qr/\Q$secrets[0]\E|\Q$secrets[1]\E|$old/, 'no log has a password');

# --- Another root of certificates ----------------------------------------------------------------

my $folder = PostgreSQL::Test::Utils::tempdir_short;
PostgreSQL::Test::Utils::system_or_bail('sh', 'examples/regions/certificates.sh', $folder, '127.0.0.1');
my ($root) = slurp_file($ENV{PGSERVICEFILE}) =~ /^sslrootcert=(.*)$/m;
my $first = slurp_file($root);
my @roots = ('node', 'roots', "$folder/root.crt");
chmod 0644, $root or die;
sub roots_in { return scalar(() = slurp_file($_[0]) =~ /BEGIN CERTIFICATE/g) }
# A server knows its clients by a file in its folder, another one its publisher by its own file.
my $clients = $node{almaty}->data_dir . '/clients.crt';
my $publisher = "$folder/publisher.crt";
PostgreSQL::Test::Utils::system_or_bail('cp', $root, $_) for $clients, $publisher;
$node{almaty}->append_conf('postgresql.conf', q{ssl_ca_file = 'clients.crt'});
$node{almaty}->reload;
at_machine('jakarta', qq{DO \$\$ BEGIN
	EXECUTE format('ALTER SUBSCRIPTION registry_jakarta CONNECTION %L',
		(SELECT replace(subconninfo, '$root', '$publisher') FROM pg_subscription)); END \$\$});
my $refused = qr/almaty shows no certificate of these roots yet: .*certificate verify failed/;
like(said_by(@roots, '--only', machines(@all)), qr/^1: .*$refused.*Nothing is changed/s,
	'the old root is needed');
like(said_by(@roots, '--dry-run', machines(@all)), qr/^0: .*root\.crt: 1 certificates, and then 2/s, 'a dry run');
is(slurp_file($root), $first, 'nothing has changed');
my %read = map { $_ => at_machine($_, 'SELECT pg_conf_load_time()') } @all;
like(said_by(@roots, machines($_)), qr/^0: .*$refused/s, "both roots, at $_") for @all;
is(roots_in($_), 2, 'each once') for $root, $clients, $publisher;
ok($node{$_}->poll_query_until('shop', "SELECT pg_conf_load_time() > '$read{$_}'"),
	"$_ has read its files anew") for @all;
is((stat $root)[2] & 07777, 0644, 'others may read them as before');
are_well('both roots', @all);
for my $part ('crt', 'key')
{
	my $file = $root =~ s/root\.crt$/127.0.0.1.$part/r;
	PostgreSQL::Test::Utils::system_or_bail('cp', "$folder/127.0.0.1.$part", $file);
}
$node{$_}->reload for @all;
sleep 1;
# A node that cannot be asked may need the old root.
append_to_file("$folder/services", slurp_file($ENV{PGSERVICEFILE}) =~ s/^\[lima\]/[quito]/mr);
{
	local $ENV{PGSERVICEFILE} = "$folder/services";
	like(said_by(@roots, '--only', machines(@all)), qr/^1: .*lima .*Nothing is changed/s,
		'a node to which no service leads');
}
is(roots_in($root), 2, 'both are left');
like(said_by(@roots, '--only', machines(@all)), qr/^0: .*root\.crt: 2 certificates, and then 1/s, 'the new one alone');
is(slurp_file($_), slurp_file("$folder/root.crt"), 'is left') for $root, $clients, $publisher;
$node{$_}->restart for @all;
are_well('another root', @all);

# --- Another name --------------------------------------------------------------------------------

my $name = "Cusco's (2)";
changes_nothing('a name that another node has', qr/^1: .*(leads to|there is a node almaty already)/s,
	'node', 'rename', 'lima', 'almaty', machines(@all));
changes_nothing('a node that is not there', qr/^3: /s, 'node', 'rename', 'paris', 'rome', machines(@all));
changes_nothing('the publisher comes first', qr/^1: .*start this command on the machine of mexico/s,
	'node', 'rename', 'lima', $name, machines('lima'));
# The registries of the node and of another one are behind.
at_machine($_, "ALTER SUBSCRIPTION registry_$_ DISABLE") for 'lima', 'almaty';
like(said_by('node', 'rename', 'lima', $name, machines('mexico')),
	qr/^1: .*at once, start this command on the machine of lima/s, 'the registry has the name');
# An open session asks it, and has it by its new name.
my $open = $node{almaty}->background_psql('shop', on_error_stop => 0);
$open->query('SET ROLE shop; SELECT count(*) FROM orders_all;');
my $in = $node{lima}->background_psql('shop', on_error_stop => 0);
my $pid = $in->query('SELECT pg_backend_pid();');
my $renames = start_command(\my $renamed, 'node', 'rename', 'lima', $name, machines('lima'));
$node{lima}->poll_query_until('shop',
	q{SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name ~ '^rename '}) or die;
sleep 1;
is(at_machine('lima', 'SHOW iuid.node'), 'lima',
	'the node has no name that its registry does not know');
at_machine('lima', 'ALTER SUBSCRIPTION registry_lima ENABLE');
$renames->pump until $renamed =~ /ALTER DATABASE/ || !$renames->pumpable;
at_machine('almaty', 'ALTER SUBSCRIPTION registry_almaty ENABLE');
$renames->finish;
like(($renames->full_result >> 8) . ": $renamed", qr/^0: .*lima is called Cusco's/s,
	'the node has the name, and waits for one that does not know it yet');
is(at_machine('lima', "SELECT count(*) FROM pg_stat_activity WHERE pid = $pid"), '0', 'who was in at the node is out');
eval { $in->quit };
is($open->query(q{SELECT count(*) FROM iuid_find(NULL::orders, VARIADIC ARRAY(SELECT id FROM orders_global
	WHERE note = 'of lima'));}), '10', 'an open session of another node finds its rows');
$open->quit;
like(said_by('node', 'rename', 'lima', $name, machines($_)), qr/^0: /s, "the command at $_") for @names;
delete $node{lima};
$node{$name} = call_node('lima', $name);
@all = (@names, $name);
my $routed = q{SELECT count(*) = 1 FROM iuid_routes WHERE node = 'Cusco''s (2)'};
ok($node{$_}->poll_query_until('shop', $routed), "$_ knows the new name") for @all;
is(at($_, q{SELECT count(*) FROM iuid_find(NULL::orders,
	VARIADIC ARRAY(SELECT id FROM orders_all WHERE node = 'Cusco''s (2)'))}), '10',
	"$_ finds its rows") for @names;
are_well('a new name', @names);
is(at_machine('mexico', q{SELECT count(*) FROM pg_replication_slots WHERE slot_name = 'registry_lima'}),
	'0', 'the old slot is gone');
at_machine('mexico', q{UPDATE iuid_nodes SET region = 'the Andes' WHERE node = 'Cusco''s (2)'});
ok($node{$name}->poll_query_until('shop', q{SELECT count(*) = 1 FROM iuid_nodes WHERE region = 'the Andes'}),
	'it follows');
# Back, as the way of a program to a node is its name.
at_machine($name, q{ALTER ROLE shop IN DATABASE shop SET iuid.node = 'Cusco''s (2)'});
my @back = ('node', 'rename', $name, 'lima', machines(@all));
like(said_by(@back), qr/^1: .*has another setting iuid\.node beside that of its database/s,
	'a role has the name in a setting, too');
at_machine($name, 'ALTER ROLE shop IN DATABASE shop RESET iuid.node');
like(said_by(@back), qr/^0: .*is called lima/s, 'back');
delete $node{$name};
$node{lima} = call_node($name, 'lima');
@all = (@names, 'lima');
are_well('the old name', @all);
# The publisher has a name, too.
like(said_by('node', 'rename', 'mexico', 'puebla', machines(@all)),
	qr/^0: .*is called puebla/s, 'the publisher gets another name');
delete $node{mexico};
$node{puebla} = call_node('mexico', 'puebla');
@all = sort keys %node;
ok($node{$_}->poll_query_until('shop', q{SELECT count(*) > 0 FROM iuid_routes WHERE node = 'puebla'}),
	"$_ knows it") for @all;
are_well('another name of the publisher', @all);

# --- A node less -----------------------------------------------------------------------------------

my @gone = ('node', 'remove', 'lima');
changes_nothing('a node with rows', qr/^1: .*lima has rows, by the registry: country 174\. Move them first/s,
	@gone, machines(@all));
changes_nothing('the publisher', qr/^1: .*none of the other nodes: let one of them publish it first/s,
	'node', 'remove', 'puebla', machines(@all));
at('lima', 'TRUNCATE orders');
at_machine('puebla', q{UPDATE iuid_routes SET node = 'puebla' WHERE node = 'lima'});
$node{$_}->poll_query_until('shop', q{SELECT count(*) = 0 FROM iuid_routes WHERE node = 'lima'}) or die for @all;
at($_, q{SELECT iuid_create_routed_partitions('orders', 1);
	SELECT iuid_create_global_table('orders_global', 'orders', 1)}) for @all;
my $drops = qr/DROP SERVER "lima".*DROP SUBSCRIPTION "registry_lima".*pg_drop_replication_slot/s;
changes_nothing('a dry run', qr/^0: .*DELETE FROM public\.iuid_nodes.*$drops/s,
	@gone, '--dry-run', machines(@all));
in_turn('a node less', \@all, @gone);
my @stay = grep { $_ ne 'lima' } @all;
are_well('a node less', @stay);
is(at_machine($_, q{SELECT (SELECT count(*) FROM pg_foreign_server WHERE srvname = 'lima'),
	(SELECT count(*) FROM iuid_nodes WHERE node = 'lima')}), '0|0', "$_ knows nothing of it") for @stay;
is(at_machine('puebla', q{SELECT count(*) FROM pg_replication_slots}), '2', 'the publisher keeps no log for it');
is(at_machine('lima', q{SELECT count(*) FROM pg_subscription}), '0', 'it follows no more');
is(at($_, 'SELECT count(*) FROM orders_all'), '30', "$_ counts the rows that are left") for @stay;

# A node that is lost.
at_machine('puebla', q{UPDATE iuid_routes SET node = 'almaty' WHERE node = 'jakarta'});
$node{jakarta}->stop('immediate');
@stay = ('almaty', 'puebla');
$node{almaty}->poll_query_until('shop', q{SELECT count(*) = 0 FROM iuid_routes WHERE node = 'jakarta'}) or die;
like(said_by('node', 'remove', 'jakarta', machines(@stay)), qr/^3: /s, 'a node that does not answer');
like(said_by('node', 'remove', 'jakarta', '--lost', machines(@stay)),
	qr/^0: .*jakarta is no node any more/s, 'is lost');
at($_, q{SELECT iuid_create_routed_partitions('orders', 1)}) for @stay;
are_well('a node lost', @stay);

$_->stop for grep { $_ != $node{jakarta} } values %node;
done_testing();
