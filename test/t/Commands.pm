# The commands of iuid that a page has, run as they stand on the machines of nodes.
package Commands;
use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use Regions;
use Test::More;
use Text::ParseWords 'shellwords';
use Time::HiRes 'sleep';

our @EXPORT = qw(commands_in run_iuid in_turn);

# The commands in a block, each as a list of words without the first one.
sub commands_in
{
	my $text = shift;
	return map { [ shellwords(s/ +#.*//r) ] } $text =~ /^iuid (.*)$/gm;
}

# Runs a command, whose --machine leads to the machines of these nodes, and whose file of passwords is that of
# the tests.  Its exit status, and what it says.
sub run_iuid
{
	my ($command, @machines) = @_;
	my @words = @$command;
	my @given;
	while (defined(my $word = shift @words))
	{
		my %values = (
			'--machine' => [ map { $_->connstr('shop') . ' user=postgres' } @machines ],
			'--passwords' => [ passwords() ]);
		shift @words if $values{$word};
		push @given, $values{$word} ? map { ($word, $_) } @{ $values{$word} } : $word;
	}
	IPC::Run::run([ '/usr/bin/python3', 'tools/iuid', @given ], '>', \my $out, '2>&1', IPC::Run::timeout(300));
	my $status = $? >> 8;
	note "iuid @$command\n$out";
	return ($status, $out);
}

# Runs a command on the machine of one node after the other, until it has ended well on each; whether it has.
sub in_turn
{
	my ($command, @machines) = @_;
	for (1 .. 20)
	{
		@machines = grep { (run_iuid($command, $_))[0] } @machines or return 1;
		sleep 0.5;
	}
	return 0;
}

1;
