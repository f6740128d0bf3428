# The command that makes another node the publisher of the registry, among objects of the same names, names that
# need quotes, other commands, and nodes that are not what they seem: each refusal comes before the first change.
#
# One version is enough: the command uses statements that are the same on each version.
use strict;
use warnings;

use lib 'test/t';
use FakeNode;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my @names = ('almaty', 'jakarta', 'mexico');
my %node = start_nodes(@names);
# Jakarta has a name that needs quotes, and so have its server, and the password of the role registry.
my $name = q{Ja "k'a};
my $secret = q{it's \ "x};
run_example($node{mexico}->connstr('shop'), 'registry.sql');
for (@names)
{
	$node{$_}->append_conf('postgresql.conf', "wal_retrieve_retry_interval = 200ms\nmax_replication_slots = 20");
	$node{$_}->restart;
	my $quoted = q{'} . $secret =~ s/'/''/gr . q{'};
	at_machine($_, qq{SET log_statement = none;
		ALTER ROLE registry PASSWORD $quoted;
		DO \$\$
		DECLARE
			s text;
		BEGIN
			FOR s IN SELECT srvname FROM pg_user_mappings WHERE usename = 'registry' LOOP
				EXECUTE format('ALTER USER MAPPING FOR registry SERVER %I OPTIONS (SET password %L)', s, $quoted);
			END LOOP;
		END \$\$});
	at_machine($_, q{ALTER SERVER jakarta RENAME TO "a ""ser'ver"}) if $_ ne 'jakarta';
}
at_machine('jakarta', q{ALTER DATABASE shop SET iuid.node = 'Ja "k''a'});
at_machine('mexico', q{INSERT INTO iuid_nodes VALUES ('Ja "k''a', 'x', 'a "ser''ver');
	UPDATE iuid_routes SET node = 'Ja "k''a' WHERE node = 'jakarta'; DELETE FROM iuid_nodes WHERE node = 'jakarta'});
append_to_file($ENV{PGSERVICEFILE},
	"[$name]\n" . slurp_file($ENV{PGSERVICEFILE}) =~ s/.*\[jakarta\]\n(.*?)(\[.*|$)/$1/sr);

sub start_publisher
{
	my ($out, @arguments) = @_;
	return IPC::Run::start([ '/usr/bin/python3', 'tools/iuid', 'registry', 'publisher', @arguments, machines(@names) ],
		'>', $out, '2>&1', IPC::Run::timeout(300));
}

sub publisher
{
	my $command = start_publisher(\my $out, @_);
	$command->finish;
	note $out;
	unlike($out, qr/Traceback|\Q$secret/, 'the command ends in order, and says no password');
	return ($command->full_result >> 8, $out);
}

sub state_of_all
{
	return join "\n", map { at_machine($_, q{
		SELECT subname, subenabled, subslotname, subconninfo, oid FROM pg_subscription ORDER BY 1;
		SELECT pubname, oid, obj_description(oid, 'pg_publication') FROM pg_publication ORDER BY 1;
		SELECT slot_name FROM pg_replication_slots ORDER BY 1;
		SELECT relname, relacl FROM pg_class WHERE relname ~ '^iuid_(countries|entities|nodes|routes)$' ORDER BY 1}) } @names;
}

sub refused
{
	my ($what, $status, $pattern, @arguments) = @_;
	my $before = state_of_all();
	my ($found, $out) = publisher(@arguments);
	is($found, $status, "$what: the status");
	like($out, $pattern, "$what: the reason");
	is(state_of_all(), $before, "$what: nothing was changed");
	return;
}

# A change at the publisher comes to all.
my $round = 0;
sub is_publisher
{
	my ($where, $what) = @_;
	my $region = 'round ' . ++$round;
	at_machine($where, "UPDATE iuid_nodes SET region = '$region' WHERE node = 'almaty'");
	my $has_arrived = "SELECT region = '$region' FROM iuid_nodes WHERE node = 'almaty'";
	my $arrived = grep { $node{$_}->poll_query_until('shop', $has_arrived) } @names;
	is($arrived, 3, "$what: $where publishes to all");
	return;
}

# --- Nobody subscribes yet: the registries differ ------------------------------------------------

refused('an empty registry', 1, qr/the registry of almaty does not know almaty/, 'almaty');
for my $where ('almaty', 'jakarta')
{
	at_machine($where,
		q{INSERT INTO iuid_nodes VALUES (current_setting('iuid.node'), NULL, NULL), ('mexico', NULL, 'mexico')});
	at_machine($where, 'BEGIN; ' . at($where, q{SELECT remedy FROM iuid_compare_registry('mexico')}) . ' COMMIT');
}
my ($status) = publisher('mexico');
is($status, 0, 'the first subscriptions');
is_publisher('mexico', 'the first subscriptions');
($status, my $out) = publisher($name);
is($status, 0, 'names that need quotes');
like($out, qr/\Q"registry_Ja ""k'a"\E|registry_[0-9a-f]{32}|publishes/, 'are quoted');
is_publisher('jakarta', 'names that need quotes');
is((publisher('mexico'))[0], 0, 'and back');
is_publisher('mexico', 'back');
is(at_machine('mexico', q{SELECT count(*) FROM pg_replication_slots
	WHERE slot_name ~ '^registry_[0-9a-f]{32}$' AND active}), '1', 'a slot for a name that a slot cannot have');

# --- Objects of the same names --------------------------------------------------------------------

at_machine('jakarta', 'CREATE TABLE other (a int); CREATE PUBLICATION registry FOR TABLE other');
refused('a publication', 1, qr/the publication registry at .* is not of all rows of the four tables/, $name);
at_machine('jakarta', q{DROP PUBLICATION registry;
	CREATE PUBLICATION registry FOR TABLE iuid_countries, iuid_entities, iuid_nodes, iuid_routes WHERE (country IS NULL)});
refused('a publication of some rows', 1,
	qr/the publication registry at .* is not of all rows of the four tables/, $name);
at_machine('jakarta', 'DROP PUBLICATION registry');
at_machine('jakarta', q{SELECT pg_create_logical_replication_slot('registry_almaty', 'test_decoding')});
refused('a slot', 1, qr/the slot registry_almaty at .* is not of the registry of this database/, $name);
at_machine('jakarta', q{SELECT pg_drop_replication_slot('registry_almaty')});
$node{jakarta}->safe_psql('postgres', q{SELECT pg_create_logical_replication_slot('registry_almaty', 'pgoutput')});
refused('a slot of another database', 1,
	qr/the slot registry_almaty at .* is not of the registry of this database/, $name);
$node{jakarta}->safe_psql('postgres', q{SELECT pg_drop_replication_slot('registry_almaty')});
at_machine('mexico', 'GRANT UPDATE (node) ON iuid_routes TO desk');
refused('a right on a column', 1, qr/somebody has a right on single columns of the registry at mexico/, $name);
at_machine('mexico', q{REVOKE UPDATE (node) ON iuid_routes FROM desk; CREATE ROLE "only ""here";
	GRANT UPDATE ON iuid_routes TO "only ""here"});
refused('a role that is not there', 1, qr/has no role only "here, which may change/, $name);
at_machine('mexico', 'DROP OWNED BY "only ""here"; COMMENT ON PUBLICATION registry IS $$mine$$');
refused('a comment', 1, qr/has a comment that is not of this command/, $name);
at_machine('mexico', 'COMMENT ON PUBLICATION registry IS $$[["iuid_routes", "UPDATE", "shop; DROP TABLE x"]]$$');
refused('a note of a stranger', 1, qr/has no role shop; DROP TABLE x/, $name);
at_machine('mexico', 'COMMENT ON PUBLICATION registry IS NULL');

# A subscription of the same name in another database reads the slot.
$node{almaty}->safe_psql('postgres', 'CREATE DATABASE other');
$node{almaty}->safe_psql('other', 'CREATE EXTENSION iuid_regions CASCADE');
my $way = at_machine('almaty',
	q{SELECT subconninfo FROM pg_subscription}) =~ s/port='?\d+'?/'port=' . $node{jakarta}->port/er;
at_machine('jakarta', 'CREATE PUBLICATION registry FOR TABLE iuid_countries, iuid_entities, iuid_nodes, iuid_routes');
$node{almaty}->safe_psql('other', qq{SET log_statement = none;
	CREATE SUBSCRIPTION registry_almaty CONNECTION \$w\$$way\$w\$ PUBLICATION registry});
$node{almaty}->poll_query_until('other', q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel})
	or die 'it is not copied';
$node{jakarta}->poll_query_until('shop', q{SELECT count(*) = 1 AND bool_and(active) FROM pg_replication_slots})
	or die 'it does not read';
refused('the slot of a subscription in another database', 1,
	qr/somebody else than almaty reads the slot registry_almaty/, $name);
$node{almaty}->safe_psql('other', 'DROP SUBSCRIPTION registry_almaty');
at_machine('jakarta', 'DROP PUBLICATION registry');
at_machine('almaty', 'CREATE TABLE other (a int)');
at_machine('mexico', q{CREATE TABLE other (a int); GRANT SELECT ON other TO registry;
	ALTER PUBLICATION registry ADD TABLE other});
at_machine('almaty', 'ALTER SUBSCRIPTION registry_almaty REFRESH PUBLICATION');
$node{almaty}->poll_query_until('shop', q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel})
	or die 'it is not copied';
$node{mexico}->poll_query_until('shop', q{SELECT count(*) = 0 FROM pg_replication_slots WHERE slot_name ~ 'sync'})
	or die 'it is not copied';
refused('a subscription with other tables', 1,
	qr/the subscription registry_almaty at almaty brings other tables/, $name);
at_machine('mexico', 'ALTER PUBLICATION registry DROP TABLE other');
at_machine('almaty', 'ALTER SUBSCRIPTION registry_almaty REFRESH PUBLICATION');

# --- Without a way in, and nodes that are not what they seem ---------------------------------------

at_machine('almaty', q{DROP USER MAPPING FOR registry SERVER "a ""ser'ver"});
refused('no user mapping', 1, qr/almaty has no user mapping of the role registry for the server a "ser'ver/, $name);
at_machine('almaty',
	q{CREATE USER MAPPING FOR registry SERVER "a ""ser'ver" OPTIONS (user 'registry', password 'wrong')});
refused('a wrong password', 3, qr/password authentication failed for user "registry"/, $name);
at_machine('almaty', qq{SET log_statement = none;
	ALTER USER MAPPING FOR registry SERVER "a ""ser'ver" OPTIONS (SET password \$\$$secret\$\$)});
my $services = slurp_file($ENV{PGSERVICEFILE});
my %port = map { $_ => $node{$_}->port } @names;

sub services
{
	my $text = shift;
	open my $file, '>', $ENV{PGSERVICEFILE} or die $!;
	print {$file} $text;
	close $file or die $!;
	return;
}

services($services =~ s/port=$port{mexico}\b/port=$port{almaty}/gr);
refused('a service that leads to another node', 1, qr/the connection to mexico \(owner\) leads to almaty/, $name);
my $fake = start_fake_node(shop => { answer => answered_rows(4, [ ('{}') x 4 ], [ ('{}') x 4 ]) });
my ($folder) = $fake =~ /host '([^']+)'/;
services($services =~ s/host=\S+\nport=$port{mexico}\n/host=$folder\nport=5432\n/r
	=~ s/sslmode=\S+\nchannel_binding=\S+\n//gr);
refused('a service that leads to what is no node', 3, qr/If they are lost, say so: --without mexico/, $name);
services($services);
at_machine('almaty', qq{ALTER SERVER "a ""ser'ver"
	OPTIONS (SET host '$folder', SET port '5432', SET sslmode 'disable', DROP channel_binding)});
refused('a node that answers wrongly', 1, qr/almaty cannot compare its registry/, $name);
at_machine('almaty', qq{ALTER SERVER "a ""ser'ver"
	OPTIONS (SET host '127.0.0.1', SET port '$port{jakarta}', SET sslmode 'verify-full', ADD channel_binding 'require')});

# --- A transaction that has changed the registry ----------------------------------------------------

my $session = $node{mexico}->background_psql('shop', on_error_stop => 0);
$session->query("SET ROLE shop; BEGIN; UPDATE iuid_routes SET node = 'almaty' WHERE country = 157");
my $command = start_publisher(\$out, $name);
while ($out !~ /REVOKE/) { $command->pump }
sleep 2;
$session->query('COMMIT');
$session->query("UPDATE iuid_routes SET node = 'mexico' WHERE country = 157");
like($session->{stderr}, qr/permission denied/, 'the old publisher takes no change');
$session->quit;
$command->finish;
is($command->full_result >> 8, 0, 'the command waits for the transaction') or diag $out;
is(at_machine($_, 'SELECT node FROM iuid_routes WHERE country = 157'),
	'almaty', "$_ has what it has changed") for @names;
is_publisher('jakarta', 'a transaction');

# --- Two operators at once ----------------------------------------------------------------------------

for my $other ('mexico', 'almaty')
{
	my ($one, $two) = (start_publisher(\my $out_1, 'mexico'), start_publisher(\my $out_2, $other));
	$_->finish for $one, $two;
	my @status = map { $_->full_result >> 8 } $one, $two;
	note "$out_1\n$out_2";
	is(scalar(grep { $_ == 0 || $_ == 4 } @status), 2, "two at once: @status");
	is((publisher('mexico'))[0], 0, 'and then one');
	is_publisher('mexico', 'two at once');
}

# --- One that is frozen, and goes on when another one has done its work -----------------------------------

$command = start_publisher(\$out, $name);
while ($out !~ /REVOKE/) { $command->pump }
$command->signal('STOP');
is((publisher('almaty'))[0], 4, 'what is frozen has its locks');
sleep 60;
is((publisher('almaty'))[0], 0, 'for a minute');
my $before = state_of_all();
$command->signal('CONT');
$command->finish;
note $out;
isnt($command->full_result >> 8, 0, 'what was frozen fails');
unlike($out, qr/Traceback/, 'in order');
is(state_of_all(), $before, 'and has changed nothing');
is_publisher('almaty', 'frozen');

for (@names)
{
	my $log = slurp_file($node{$_}->logfile);
	is(index($log, $secret) + index($log, $secret =~ s/'/''/gr), -2, "no password in the log of $_");
}
$_->stop for values %node;
done_testing();
