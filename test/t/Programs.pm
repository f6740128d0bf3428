# Programs of the tree that are tests: the exit status says whether they pass.
package Programs;
use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use Test::More;

our @EXPORT = qw(passes lacks_psycopg);

# What the program says is in the notes, and in the output if it fails.
sub passes
{
	my ($name, @command) = @_;
	my ($out, $err);
	my $passed = IPC::Run::run(\@command, '>', \$out, '2>', \$err);
	ok($passed, $name) or diag "@command\n$out$err";
	note $out;
	return;
}

# Debian's Python, whatever else is in the path.
sub lacks_psycopg { return system('/usr/bin/python3 -c "import psycopg" 2>/dev/null') != 0 }

1;
