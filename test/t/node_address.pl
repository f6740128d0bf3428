# A node has another address: iuid node address.  Here the publisher of the registry fails over to a standby.
#
# One version is enough: the command has statements of the server, the same on each version.
use strict;
use warnings;

use lib 'test/t';
use Moves;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my %node = start_nodes_of_move();
my $id = at('mexico',
	q{INSERT INTO orders SELECT gen_iuid(country, 1), 1, 'of mexico' FROM iuid_countries WHERE code = 'MX' RETURNING id});
my %machine = map { $_ => $node{$_}->connstr('shop') . ' user=postgres' } keys %node;

sub address
{
	my ($port, @options) = @_;
	my $command = IPC::Run::start([ '/usr/bin/python3', 'tools/iuid', 'node', 'address', 'mexico', '127.0.0.1',
		$port, @options ], '>', \my $out, '2>&1');
	$command->finish;
	note $out;
	return ($command->full_result >> 8) . ": $out";
}

sub at_port_of_server
{
	return at_machine($_[0], q{SELECT option_value FROM pg_foreign_server, pg_options_to_table(srvoptions)
		WHERE srvname = 'mexico' AND option_name = 'port'});
}

# The standby, on the loopback address, too.
$node{mexico}->backup('backup', backup_options => [ '-U', 'postgres' ]);
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node{mexico}, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', "listen_addresses = '127.0.0.1'\nport = " . $standby->port);
$standby->start;
my @all = map { ('--machine', $machine{$_}) } 'almaty', 'jakarta';

like(address(1, @all), qr/^3: .*nothing answers as mexico at 127.0.0.1, port 1, .*Connection refused/s,
	'an address where nothing answers');
like(address($standby->port, @all), qr/^1: .*is not mexico, or is a standby/s, 'a standby');
like(address($node{jakarta}->port, @all), qr/^1: .*is not mexico, or is a standby/s, 'another node');
$standby->safe_psql('shop', 'SELECT pg_promote()');
like(address($standby->port, @all),
	qr/^1: .*mexico takes writes at 127.0.0.1, port \d+, too: rows that come there are lost/s,
	'the old primary has to be gone');
is(at_port_of_server('almaty'), $node{mexico}->port, 'nothing has changed');
at_machine('almaty', q{ALTER SERVER mexico OPTIONS (SET host '127.0.0.2,127.0.0.1')});
like(address($standby->port, @all), qr/^1: .*mexico takes writes at 127.0.0.1, port \d+, too/s,
	'the second host of a server, with the port of both');
at_machine('almaty', q{ALTER SERVER mexico OPTIONS (SET host '127.0.0.1')});
$node{mexico}->stop;
like(address($standby->port, @all, '--dry-run'),
	qr/^0: .*ALTER SUBSCRIPTION "registry_almaty" CONNECTION '...'.*ALTER SERVER/s, 'what would be done');
is(at_port_of_server('almaty'), $node{mexico}->port, 'is not done');
like(address($standby->port, '--machine', $machine{almaty}), qr/^1: .*jakarta still has the old address/s,
	'one of two machines');
like(address($standby->port, @all), qr/^0: .*jakarta +ALTER SERVER.*mexico is reached at 127.0.0.1/s, 'both');
my $out = address($standby->port, @all);
unlike($out, qr/ALTER/, 'once more: nothing is left');
my ($secret) = slurp_file(passwords()) =~ /registry '(\w+)'/;
unlike($out . join('', map { slurp_file($node{$_}->logfile) } 'almaty', 'jakarta'),
	qr/\Q$secret/, 'the password is in no log');
for my $name ('almaty', 'jakarta')
{
	is(at($name, "SELECT note FROM iuid_find(NULL::orders, '$id')"), 'of mexico', "$name finds its rows");
	like(at_machine($name, q{SELECT subconninfo FROM pg_subscription}), qr/\bport='?@{[ $standby->port ]}\b/,
		"$name follows the registry there");
}
like(slurp_file($ENV{PGSERVICEFILE}), qr/^\[mexico\]\nhost=127.0.0.1\nport=@{[ $standby->port ]}\n/m,
	'and the service leads there');
is((grep { /^port=/ } split /\n/, slurp_file($ENV{PGSERVICEFILE})), 3, 'the other services are as they were');

# A service that has no port, as it had that of PostgreSQL.
my $services = slurp_file($ENV{PGSERVICEFILE});
$ENV{PGSERVICEFILE} = "$copies/services";
append_to_file($ENV{PGSERVICEFILE}, $services =~ s/(\[mexico\]\nhost=.*\n)port=.*\n/$1/r);
like(address($standby->port, @all), qr/^0: /, 'a service without a port');
is(at('mexico', 'SHOW iuid.node'), 'mexico', 'leads there');

$standby->stop;
$node{$_}->stop for 'almaty', 'jakarta';
done_testing();
