# Nodes for the tests of regions, by the files of examples/regions: each is a server of its own, and
# speaks TCP on the loopback address, over TLS, with passwords.
package Regions;
use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes 'sleep';

our @EXPORT = qw(start_nodes make_regions start_nodes_of_model start_another_node make_servers call_node follow_registry
	copy_disk restore_disk $copies at_machine machines at at_last attempt run_example passwords);

my $files = 'examples/regions';
my $host = '127.0.0.1';
my $folder = PostgreSQL::Test::Utils::tempdir_short;
my $root = "$folder/root.crt";
our $copies = PostgreSQL::Test::Utils::tempdir_short;   # of disks
my %node;

# Starts nodes, with mesh.sql and servers.sql at each.  Returns the nodes by their names.  Their registry
# is empty.
sub start_nodes
{
	my @names = @_;

	PostgreSQL::Test::Utils::system_or_bail('sh', "$files/certificates.sh", $folder, $host);
	PostgreSQL::Test::Utils::system_or_bail('sh', "$files/passwords.sh", $folder);
	# The servers find the services, too, by which they copy from one another.
	@ENV{ 'PGSERVICEFILE', 'PGPASSFILE' } = ("$folder/services", "$folder/pgpass");
	start_another_node($_) for @names;
	make_servers($_) for @names;
	return %node;
}

# The ways of a node to all others.
sub make_servers
{
	my $name = shift;
	run_example($node{$name}->connstr('shop'), 'servers.sql', root => $root);
	return;
}

# The registry, at mexico, which the other nodes follow, and the tables at all of these nodes.
sub make_regions
{
	my @names = @_;
	run_example($node{mexico}->connstr('shop'), 'registry.sql');
	my $routes = at_machine('mexico', 'SELECT count(*) FROM iuid_routes');
	follow_registry($_, 'mexico') for grep { $_ ne 'mexico' } @names;
	$node{$_}->poll_query_until('shop', "SELECT count(*) = $routes FROM iuid_routes")
		or die "the registry does not come to $_" for @names;
	run_example("service=$_", 'tables.sql') for @names;
	return;
}

# The four nodes of the models in Python, with lines of configuration, and with orders and trips.
sub start_nodes_of_model
{
	my @lines = @_;
	my %country = (almaty => 125, mexico => 157, jakarta => 101, lagos => 164);
	my @names = ('almaty', 'mexico', 'jakarta', 'lagos');
	start_nodes(@names);
	for my $name (@names)
	{
		$node{$name}->append_conf('postgresql.conf', join "\n", 'log_statement = none', 'max_worker_processes = 20',
			'max_connections = 100', @lines);
		$node{$name}->restart;
	}
	run_example($node{mexico}->connstr('shop'), 'registry.sql');
	at_machine('mexico', q{INSERT INTO iuid_entities VALUES (3, 'Ayan', 'Trip')});
	follow_registry($_, 'mexico') for grep { $_ ne 'mexico' } @names;
	for my $name (@names)
	{
		run_example("service=$name", 'tables.sql');
		run_example("service=$name", '../../test/models/move.sql');
		run_example("service=$name", 'load.sql', country => $country{$name});
	}
	return %node;
}

# A node more, which psql finds by its name, as the role shop.
sub start_another_node
{
	my $name = shift;
	$node{$name} = start_node($name);
	write_file("$folder/services",
		map { "[$_]\n" . join("\n", way_to($_), 'dbname=shop', 'user=shop') . "\n" } sort keys %node);
	write_list();
	run_example($node{$name}->connstr('postgres'), 'mesh.sql', node => $name);
	return $node{$name};
}

# A node has another name, by which at() and at_machine() know it.
sub call_node
{
	my ($old, $new) = @_;
	$node{$new} = delete $node{$old};
	return $node{$new};
}

# The list of nodes, with those that were started.
sub write_list
{
	my %more = (lima => ['Peru', '{PE}'], lagos => ['West Africa', '{NG}']);
	my @lines = slurp_file("$files/nodes.sql");
	for my $name (sort keys %node)
	{
		my ($region, $countries) = @{ $more{$name} // [ $name, '{}' ] };
		my $port = $node{$name}->port;
		push @lines, qq{
			INSERT INTO nodes SELECT '$name', '$region', NULL, NULL, '$countries'
				WHERE NOT EXISTS (SELECT FROM nodes WHERE node = '$name');
			UPDATE nodes SET countries = array_remove(countries, 'PE') WHERE node <> '$name' AND '$name' = 'lima';
			UPDATE nodes SET host = '$host', port = $port WHERE node = '$name';\n};
	}
	write_file("$folder/nodes.sql", @lines, "DELETE FROM nodes WHERE host <> '$host';\n");
	return;
}

sub start_node
{
	my $name = shift;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(allows_streaming => 'logical');
	$node->append_conf(
		'postgresql.conf', qq{
fsync = off
log_statement = all
max_connections = 50
listen_addresses = '$host'
ssl = on
ssl_cert_file = '$folder/$host.crt'
ssl_key_file = '$folder/$host.key'});
	write_file($node->data_dir . '/pg_hba.conf', "local all all trust\n", slurp_file("$files/pg_hba.conf"));
	$node->start;
	return $node;
}

# In the words of libpq.
sub way_to
{
	my $name = shift;
	return ("host=$host", 'port=' . $node{$name}->port, 'sslmode=verify-full', 'channel_binding=require',
		"sslrootcert=$root");
}

# The registry of a node follows that of another one.
sub follow_registry
{
	my ($name, $other, %options) = @_;
	run_example($node{$name}->connstr('shop'), 'subscribe.sql', publisher => $other, root => $root, %options);
	return;
}

# A copy of the disk of a node.
sub copy_disk
{
	my $name = shift;
	$node{$name}->stop;
	PostgreSQL::Test::Utils::system_or_bail('cp', '-a', $node{$name}->data_dir, "$copies/$name");
	$node{$name}->start;
	return;
}

# The node as it was then.  Its slots come along with the disk, or not, as with pg_basebackup.  As a standby
# it is promoted.
sub restore_disk
{
	my ($name, %options) = @_;
	my $data = $node{$name}->data_dir;
	$node{$name}->stop('immediate');
	PostgreSQL::Test::Utils::system_or_bail('rm', '-rf', $data);
	PostgreSQL::Test::Utils::system_or_bail('mv', "$copies/$name", $data);
	PostgreSQL::Test::Utils::system_or_bail('sh', '-c', "rm -rf $data/pg_replslot/*") if $options{without_slots};
	append_to_file("$data/standby.signal", '') if $options{as_standby};
	$node{$name}->start;
	$node{$name}->safe_psql('shop', 'SELECT pg_promote()') if $options{as_standby};
	return;
}

# What a statement gives, as the superuser of the machine; and as the role shop, over TCP.
sub at_machine
{
	my ($name, $statement) = @_;
	return $node{$name}->safe_psql('shop', $statement);
}

sub at
{
	my ($name, $statement) = @_;
	return $node{$name}->safe_psql('shop', $statement, connstr => "service=$name");
}

# The options that lead iuid to the machines of nodes.
sub machines { return map { ('--machine', $node{$_}->connstr('shop') . ' user=postgres') } @_ }

# What a statement gives as the role shop as soon as that is like a pattern, or else after a minute:
# the workers of replication start and copy in their own time.
sub at_last
{
	my ($name, $statement, $pattern) = @_;
	my $found;
	for (1 .. 300)
	{
		$found = at($name, $statement);
		last if $found =~ $pattern;
		sleep 0.2;
	}
	return $found;
}

# As at(), whether it is done or not: the status of psql, what it gives, and its messages.
sub attempt
{
	my ($name, $statement) = @_;
	return $node{$name}->psql('shop', $statement, connstr => "service=$name", on_error_stop => 1);
}

# The file that a superuser reads before a statement that needs a password.
sub passwords { return "$folder/passwords.sql" }

# What a file gives, with psql's variables, which hold in the place of those of the list of nodes.
sub run_example
{
	my ($connection, $file, %variables) = @_;
	my @before = $connection =~ /^service=/ ? () : ('-f', passwords(), '-f', "$folder/nodes.sql");
	push @before, map { ('-c', "\\set $_ $variables{$_}") } grep { $_ eq 'publisher' } keys %variables;
	my ($out, $err);
	my $done = IPC::Run::run([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $connection,
		(map { ('-v', "$_=$variables{$_}") } sort keys %variables), @before, '-f', "$files/$file" ], '>', \$out, '2>', \$err);
	die "$file, $connection: $err" unless $done;
	chomp $out;
	return $out;
}

sub write_file
{
	my ($path, @text) = @_;
	open my $file, '>', $path or die "$path: $!";
	chmod 0600, $path or die "$path: $!";
	print {$file} @text;
	close $file or die "$path: $!";
	return;
}

1;
