# PgBouncer, before a server.
package Pooler;
use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(start_pgbouncer);

# Starts PgBouncer in transaction mode before a database that a role of the same name uses: the program,
# and the folder of its socket, whose port is 6432.
sub start_pgbouncer
{
	my ($node, $database) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir_short;
	my ($host, $port) = ($node->host, $node->port);
	append_to_file("$folder/users", qq{"$database" ""\n});
	append_to_file("$folder/ini", qq{[databases]
$database = host=$host port=$port
[pgbouncer]
listen_addr =
unix_socket_dir = $folder
listen_port = 6432
auth_type = trust
auth_file = $folder/users
pool_mode = transaction
ignore_startup_parameters = options,extra_float_digits
logfile = $folder/log
pidfile = $folder/pid
});
	my $pooler = IPC::Run::start([ '/usr/sbin/pgbouncer', "$folder/ini" ], '>', \my $out, '2>&1');
	for (1 .. 100) { last if -e "$folder/.s.PGSQL.6432"; select undef, undef, undef, 0.1 }
	return ($pooler, $folder);
}

1;
