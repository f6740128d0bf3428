# A node that speaks PostgreSQL's protocol, version 3, and answers whatever a test wants.
package FakeNode;
use strict;
use warnings;

use Exporter 'import';
use IO::Socket::UNIX;
use POSIX ();
use PostgreSQL::Test::Utils;

our @EXPORT = qw(start_fake_node message row described command_done error notice setting ready answered answered_rows);

my @processes;
END { my $status = $?; kill 'KILL', map { -$_ } @processes if @processes; $? = $status }

# Starts a node whose databases are the names of behaviours: what it sends when somebody has come in,
# and what it sends for each query.  Each is a function that is given the socket, and returns when it
# is done.  Returns the options of a server.
sub start_fake_node
{
	my %behaviours = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir_short;
	my $socket = IO::Socket::UNIX->new(Local => "$folder/.s.PGSQL.5432", Listen => 50) or die "socket: $!";
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		# With all that it starts, it is ended as one.
		setpgrp;
		$SIG{CHLD} = 'IGNORE';
		while (1)
		{
			my $client = $socket->accept or next;
			my $child;
			# Without a process to spare, who comes in waits.
			sleep 1 until defined($child = fork);
			next if $child;
			serve($client, \%behaviours);
			POSIX::_exit(0);
		}
	}
	push @processes, $pid;
	return "host '$folder', port '5432'";
}

sub serve
{
	my ($client, $behaviours) = @_;
	local $SIG{PIPE} = sub { POSIX::_exit(0) };
	# An orphan of the test ends by itself.
	alarm 300;
	my ($length) = unpack 'N', read_bytes($client, 4);
	my (undef, %startup) = unpack 'N(Z*)*', read_bytes($client, $length - 4) =~ s/\0\z//r;
	my $behaviour = $behaviours->{ $startup{database} };
	($behaviour->{welcome} // \&welcome)->($client);
	my $queries = 0;
	while (1)
	{
		my $type = read_bytes($client, 1);
		read_bytes($client, unpack('N', read_bytes($client, 4)) - 4);
		POSIX::_exit(0) if $type eq 'X';
		next if $type ne 'S';
		# The first one is the setting of a new connection.
		if ($queries++ == 0)
		{
			print {$client} message('1'), message('2'), message('n'), command_done('SET'), ready();
			$client->flush;
		}
		else { $behaviour->{answer}->($client) }
	}
	return;
}

sub read_bytes
{
	my ($client, $count) = @_;
	my $bytes = '';
	while (length $bytes < $count)
	{
		read($client, $bytes, $count - length $bytes, length $bytes) or POSIX::_exit(0);
	}
	return $bytes;
}

sub welcome
{
	my $client = shift;
	print {$client} message('R', pack 'N', 0), setting('client_encoding', 'UTF8'), ready();
	$client->flush;
	return;
}

# The messages of the protocol.
sub message { my ($type, $content) = @_; return $type . pack('N', 4 + length($content // '')) . ($content // '') }
sub setting { my ($name, $value) = @_; return message('S', "$name\0$value\0") }
sub ready { return message('Z', shift // 'I') }
sub command_done { return message('C', shift . "\0") }

sub row
{
	return message('D', pack('n', scalar @_) . join '', map { defined ? pack('N/a*', $_) : pack('N', 4294967295) } @_);
}

sub described
{
	my $columns = shift // 1;
	return message('1') . message('2')
		. message('T', pack('n', $columns) . ("x\0" . pack('NnNnNn', 0, 0, 25, 65535, 4294967295, 0)) x $columns);
}

sub error { my ($state, $text) = @_; return message('E', "SERROR\0" . ($state ? "C$state\0" : '') . "M$text\0\0") }
sub notice { return message('N', "SNOTICE\0C00000\0M" . shift . "\0\0") }

# A query that is answered by these rows, each an array with undef for NULL, of so many columns.
sub answered_rows
{
	my ($columns, @rows) = @_;
	my $messages = described($columns) . join('', map { row(@$_) } @rows) . command_done('SELECT ' . @rows) . ready();
	return sub { my $client = shift; print {$client} $messages; $client->flush; return };
}

# A query that is answered by these messages.
sub answered
{
	my @messages = @_;
	return sub { my $client = shift; print {$client} described(), @messages; $client->flush; return };
}

1;
