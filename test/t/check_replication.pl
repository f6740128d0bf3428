# iuid_check_regions() on a bad day: who does not follow the publisher of the registry, whose subscription does
# not run or came out of a dump, and who takes no writes.  Each is one row, and what it says mends it.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Three nodes, of which the first publishes.
my @nodes = ('mexico', 'almaty', 'lima');
my %server = map { $_ => PostgreSQL::Test::Cluster->new($_) } @nodes;
for my $server (values %server)
{
	$server->init(allows_streaming => 'logical');
	$server->append_conf('postgresql.conf', "fsync = off\nwal_retrieve_retry_interval = 100");
	$server->start;
}
sub at { my ($node, $sql) = @_; return $server{$node}->safe_psql($node, $sql) }
sub make_node
{
	my ($node, $dump) = @_;
	$server{$node}->safe_psql('postgres', "CREATE DATABASE $node");
	$server{$node}->safe_psql('postgres', "ALTER DATABASE $node SET iuid.node = '$node'");
	return;
}
for my $node (@nodes)
{
	make_node($node);
	at($node, q{SET client_min_messages = error; CREATE EXTENSION iuid_regions CASCADE; CREATE EXTENSION postgres_fdw;
		INSERT INTO iuid_nodes SELECT n, NULL, n FROM unnest('{mexico,almaty,lima}'::text[]) AS n;
		INSERT INTO iuid_countries VALUES (1, 'A', 'old')});
	for my $other (grep { $_ ne $node } @nodes)
	{
		my ($host, $port) = ($server{$other}->host, $server{$other}->port);
		at($node, qq{
			CREATE SERVER $other FOREIGN DATA WRAPPER postgres_fdw
				OPTIONS (host '$host', port '$port', dbname '$other', extensions 'iuid');
			CREATE USER MAPPING FOR PUBLIC SERVER $other});
	}
}
sub subscribe
{
	my ($node, $publication) = @_;
	my $way = sprintf 'host=%s port=%s dbname=mexico', $server{mexico}->host, $server{mexico}->port;
	at($node, "CREATE SUBSCRIPTION registry_$node CONNECTION '$way' PUBLICATION registry WITH (copy_data = false)");
	return;
}

# As soon as nobody reads it.
sub drop_slot
{
	my ($node, $slot) = @_;
	$server{$node}->poll_query_until($node,
		"SELECT NOT active FROM pg_replication_slots WHERE slot_name = '$slot'") or die;
	at($node, "SELECT pg_drop_replication_slot('$slot')");
	return;
}

# What all nodes come to say, each.
sub all_say
{
	my ($expected, $what) = @_;
	for my $node (grep { -e $server{$_}->data_dir . '/postmaster.pid' } @nodes)
	{
		my $found;
		for (1 .. 300)
		{
			$found = at($node, 'SELECT problem, node FROM iuid_check_regions() ORDER BY 1, 2');
			last if $found eq $expected;
			select undef, undef, undef, 0.1;
		}
		is($found, $expected, "$what, seen at $node");
	}
	return;
}
# The one remedy, as a node says it, typed where it says.
sub mend
{
	my ($by) = @_;
	my ($node, $remedy) = split /\|/, at($by, 'SELECT node, remedy FROM iuid_check_regions()'), 2;
	like($remedy, $node eq $by ? qr/;$/ : qr/; -- (.*)at that node$/, "a remedy: $remedy");
	at($node, $remedy);
	return;
}

# Without a publication, each node has a registry of its own.
all_say('', 'without replication');
at('mexico', 'CREATE PUBLICATION everything FOR ALL TABLES');
all_say('', 'a publication of other things');
at('mexico', $_) for 'DROP PUBLICATION everything',
	'CREATE PUBLICATION registry FOR TABLE iuid_countries, iuid_entities, iuid_nodes, iuid_routes';
subscribe('almaty');
all_say('no subscription|lima', 'a script that ended between DROP SUBSCRIPTION and the next one');
like(at('lima', 'SELECT detail FROM iuid_check_regions()'),
	qr/^Node "mexico" publishes the registry.* subscribe, with copy_data = false if the registries are equal\.$/,
	'what to do');
subscribe('lima');
all_say('', 'it subscribes');

# A registry that is behind: the remedy says what differs, and that mends it.
at('lima', q{UPDATE iuid_countries SET name = 'strange'});
is(at('mexico', 'SELECT problem, node, remedy FROM iuid_check_regions()'),
	q{another registry|lima|SELECT * FROM public.iuid_compare_registry('lima'::pg_catalog.text);}, 'another registry');
at('lima', at('lima', q{SELECT remedy FROM iuid_compare_registry('mexico')}));
all_say('', 'mended as iuid_compare_registry says');

# A subscription that is disabled holds its slot: that is one row.
at('lima', 'ALTER SUBSCRIPTION registry_lima DISABLE');
$server{mexico}->poll_query_until('mexico',
	q{SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'registry_lima'}) or die;
all_say('subscription disabled|lima', 'a subscription that is disabled');
mend('mexico');
all_say('', 'enabled');
# One that has given up its slot as well: it is not enabled again.
at('lima', 'ALTER SUBSCRIPTION registry_lima DISABLE; ALTER SUBSCRIPTION registry_lima SET (slot_name = NONE)');
drop_slot('mexico', 'registry_lima');
all_say('subscription disabled|lima', 'a subscription without a slot');
mend('almaty');
all_say('no subscription|lima', 'it is dropped');
subscribe('lima');
all_say('', 'and made anew');

# A subscriber that is down, and comes back, is one row at most in each look.
$server{lima}->stop('immediate');
my %seen = map { $_ => 1 } split /\n/, at('mexico', q{SELECT problem || ' ' || node FROM iuid_check_regions()});
delete $seen{'no answer lima'};
is(join(', ', keys %seen), $server{mexico}->pg_version >= 17 ? '' : 'inactive slot mexico',
	'a subscriber that is down');
$server{lima}->start;
my $most = 0;
for (1 .. 100)
{
	my $rows = grep { !/^subscription does not run/ } split /\n/, at('almaty',
		q{SELECT problem, node FROM iuid_check_regions()});
	$most = $rows if $rows > $most;
	last if at('lima', 'SELECT count(*) FROM pg_stat_subscription WHERE pid IS NOT NULL');
}
cmp_ok($most, '<=', 1, 'it starts again');
all_say('', 'all is well');
# Nor does the publisher's restart say of each slot that nobody reads it.
$server{mexico}->stop('immediate');
$server{mexico}->start;
my @rows = split /\n/, at('almaty', q{SELECT problem FROM iuid_check_regions() WHERE problem LIKE '%slot'});
cmp_ok(scalar @rows, '<=', 2, 'the publisher starts again');
all_say('', 'all is well');
# A slot under the name of a subscription that runs, from another publisher, is one that nobody reads.
at('almaty', q{SELECT pg_create_logical_replication_slot('registry_lima', 'pgoutput')});
sleep 11 if $server{almaty}->pg_version >= 17;
all_say('inactive slot|almaty', 'a slot of another publisher');
mend('lima');
all_say('', 'dropped');

# A database that comes out of pg_dump.  Its subscription is disabled, and knows no tables.
my $dump = PostgreSQL::Test::Utils::tempdir . '/dump';
$server{lima}->run_log([ 'pg_dump', '-d', $server{lima}->connstr('lima'), '-f', $dump ]) or die;
at('lima', 'DROP SUBSCRIPTION registry_lima');
$server{lima}->safe_psql('postgres', 'DROP DATABASE lima WITH (FORCE)');
make_node('lima');
$server{lima}->run_log([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $server{lima}->connstr('lima'),
	'-f', $dump ]) or die;
is(at('lima', 'SELECT subenabled FROM pg_subscription'), 'f', 'a dump is restored');
all_say('no subscription|lima', 'a dump is restored');
like(at('mexico', 'SELECT detail FROM iuid_check_regions()'), qr/Subscription registry_lima is of pg_dump/,
	'the subscription of the dump');
mend('mexico');
is(at('lima', 'SELECT count(*) FROM pg_subscription'), '0', 'it is dropped');
subscribe('lima');
all_say('', 'and made anew');

# The subscription of a move whose slot is gone.
my $way = sprintf 'host=%s port=%s dbname=almaty', $server{almaty}->host, $server{almaty}->port;
at('almaty', 'CREATE TABLE orders (id int PRIMARY KEY); CREATE PUBLICATION moving_c1 FOR TABLE orders');
at('lima', $_) for 'CREATE TABLE orders (id int PRIMARY KEY)',
	"CREATE SUBSCRIPTION moving_c1 CONNECTION '$way' PUBLICATION moving_c1";
all_say('', 'a country moves');
at('lima', 'ALTER SUBSCRIPTION moving_c1 DISABLE');
drop_slot('almaty', 'moving_c1');
at('lima', $_) for 'ALTER SUBSCRIPTION moving_c1 ENABLE';
my $said = '';
for (1 .. 300) { last if ($said = at('mexico', 'SELECT problem, node, detail FROM iuid_check_regions()')) =~ /moving/ }
my $no_worker = 'Subscription moving_c1 of a move has no worker\..*abort the move, and copy again\.';
like($said, qr/^subscription does not run\|lima\|$no_worker$/, 'a move without its slot');
at('lima', 'ALTER SUBSCRIPTION moving_c1 DISABLE; ALTER SUBSCRIPTION moving_c1 SET (slot_name = NONE)');
at('lima', 'DROP SUBSCRIPTION moving_c1; DROP TABLE orders');
at('almaty', 'DROP TABLE orders; DROP PUBLICATION moving_c1');
all_say('', 'the move is aborted');

# Nodes that take no writes.
at('lima', 'ALTER DATABASE lima SET default_transaction_read_only = on');
all_say('read-only|lima', 'a database that is read-only');
$server{lima}->safe_psql('lima', at('almaty', 'SELECT remedy FROM iuid_check_regions()'));
all_say('', 'it takes writes again');
$server{lima}->append_conf('postgresql.conf', 'default_transaction_read_only = on');
$server{lima}->reload;
all_say('read-only|lima', 'a server that is read-only');
like(at('mexico', 'SELECT detail FROM iuid_check_regions()'), qr/by "configuration file": take it back/, 'by what');
$server{lima}->append_conf('postgresql.conf', 'default_transaction_read_only = off');
$server{lima}->reload;
all_say('', 'it takes writes again');
# A role that only reads, as that of a support desk, is none.
$server{lima}->safe_psql('lima', 'CREATE ROLE desk LOGIN; ALTER ROLE desk SET default_transaction_read_only = on');
at('mexico', q{ALTER USER MAPPING FOR PUBLIC SERVER lima OPTIONS (ADD user 'desk')});
all_say('', 'a role that only reads');
at('mexico', 'ALTER USER MAPPING FOR PUBLIC SERVER lima OPTIONS (DROP user)');
$server{lima}->safe_psql('lima', 'ALTER SUBSCRIPTION registry_lima DISABLE');
# A standby under the address of the node.
$server{lima}->backup('of_lima');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($server{lima}, 'of_lima', has_streaming => 1);
$standby->start;
at('mexico', sprintf q{ALTER SERVER lima OPTIONS (SET port '%s', SET host '%s')}, $standby->port, $standby->host);
like(at('mexico', q{SELECT string_agg(detail, '') FROM iuid_check_regions() WHERE problem = 'read-only'}),
	qr/^The server of the node is a standby: promote it/, 'a standby');
like($standby->safe_psql('lima', q{SELECT string_agg(problem || node, ',') FROM iuid_check_regions()}),
	qr/read-onlylima/, 'and what it says itself');
$standby->stop;

$_->stop for values %server;
done_testing();
