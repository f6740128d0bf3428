# Stands for the distance to a node: whatever comes to a port of the loopback address arrives at
# another port so many milliseconds later, and so do the answers.
#   perl relay.pl MILLISECONDS PORT TARGET
#
# A process for each connection, all in one group: stopped by kill -STOP, the node hangs.
use strict;
use warnings;

use IO::Select;
use IO::Socket::INET;
use Socket qw(IPPROTO_TCP TCP_NODELAY);
use Time::HiRes qw(sleep time);

my ($milliseconds, $port, $target) = @ARGV;
my $delay = $milliseconds / 1000;
my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 128, ReuseAddr => 1)
	or die "cannot listen on port $port: $@\n";

setpgrp;
$SIG{CHLD} = 'IGNORE';
while (1)
{
	my $client = $listener->accept or next;
	relay($client) if fork == 0;
}

sub relay
{
	my $client = shift;
	my $server = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $target);
	# TCP opens a connection in a round trip, and then the client sends.
	sleep 2 * $delay;
	exit unless $server;

	my %other = ($client => $server, $server => $client);
	my $sockets = IO::Select->new($client, $server);
	my @underway;
	setsockopt $_, IPPROTO_TCP, TCP_NODELAY, 1 for $client, $server;
	while (1)
	{
		my $wait = @underway ? $underway[0]{arrives} - time : undef;
		for my $from ($sockets->can_read(defined $wait && $wait < 0 ? 0 : $wait))
		{
			$sockets->remove($from) unless sysread $from, my $bytes, 65536;
			push @underway, { arrives => time + $delay, to => $other{$from}, bytes => $bytes };
		}
		while (@underway && $underway[0]{arrives} <= time)
		{
			my $next = shift @underway;
			# Whoever has closed a connection reads no more of it.
			exit if $next->{bytes} eq '';
			print { $next->{to} } $next->{bytes};
		}
	}
}
