# Who delegates credentials by GSSAPI needs no password at other nodes, as with postgres_fdw.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The module is there from PostgreSQL 17 on, and sets itself up before this runs.
my $has_module;
BEGIN { $has_module = eval { require PostgreSQL::Test::Kerberos; 1 } }

plan skip_all => 'SKIPPED: the tools for tests have no Kerberos before PostgreSQL 17' if !$has_module;
for my $program ('krb5-config', 'kinit', 'klist', 'kdb5_util', 'kadmin.local', 'krb5kdc')
{
	plan skip_all => "SKIPPED: $program is missing" if !grep { -x "$_/$program" } split(/:/, $ENV{PATH}), '/usr/sbin';
}
$ENV{with_krb_srvnam} //= 'postgres';

my ($host, $address) = ('node.iuid.example', '127.0.0.1');
my $kerberos = PostgreSQL::Test::Kerberos->new($host, $address, 'IUID.EXAMPLE');
$kerberos->create_principal('app', 'secret');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off
listen_addresses = '$address'
krb_server_keyfile = '$kerberos->{keytab}'
gss_accept_delegation = on");
my $hba = $node->data_dir . '/pg_hba.conf';
unlink $hba or die;
append_to_file($hba, "local all all trust\nhost open app all trust\nhost all app all gss include_realm=0\n");
$node->start;
$node->safe_psql('postgres', "CREATE DATABASE $_") for 'there', 'open';
my $server = "FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', hostaddr '$address', port '" . $node->port . "'";
$node->safe_psql('postgres', qq{
	CREATE ROLE app LOGIN;
	CREATE EXTENSION iuid_regions CASCADE;
	CREATE EXTENSION postgres_fdw;
	ALTER DATABASE postgres SET iuid.node = 'here';
	INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'there'), ('open', NULL, 'open');
	CREATE SERVER there $server, dbname 'there');
	CREATE SERVER open $server, dbname 'open', gssencmode 'disable');
	GRANT USAGE ON FOREIGN SERVER there, open TO app;
	CREATE USER MAPPING FOR app SERVER there OPTIONS (user 'app');
	CREATE USER MAPPING FOR app SERVER open OPTIONS (user 'app')});

# What the role app gets from a node, when it comes in by a ticket.
sub from
{
	my ($name, $delegates) = @_;
	my ($status, $out, $err) = $node->psql('postgres',
		"SELECT result FROM iuid_run_on_nodes('SELECT current_user', '{$name}', '30 s')",
		connstr => $node->connstr('postgres') . " user=app host=$host hostaddr=$address gssdelegation=$delegates");
	return "$out$err";
}

$kerberos->create_ticket('app', 'secret', forwardable => 1);
is(from('there', 1), 'app', 'with delegated credentials');
like(from('there', 0), qr/^2F003: password is required/, 'without them');
like(from('open', 1), qr/^2F003: password is required\n.*does not request a password/,
	'at a node that does not ask for them');

$node->stop;
done_testing();
