# What tools/moving_in.sql prints, and how it is run.
package MovingIn;
use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use MIME::Base64;
use Test::More;

our @EXPORT = qw(printed of_steps runs failure);

# What is printed for some arguments, as [step, statement]
sub printed
{
	my ($node, $database, $arguments) = @_;
	my $rows = $node->safe_psql($database,
		qq{SELECT step || '|' || translate(encode(convert_to(statement, 'UTF8'), 'base64'), E'\\n', '')
			FROM moving_in.statements($arguments) WHERE statement IS NOT NULL});
	return map { /(.*)\|(.*)/ ? [ $1, decode_base64($2) ] : () } split /\n/, $rows;
}

sub of_steps
{
	my ($first, $last, @printed) = @_;
	return map { $_->[1] } grep { $_->[0] >= $first && $_->[0] <= $last } @printed;
}

# Whether a statement runs, in a session of its own: one that was killed leaves nothing behind.
sub runs
{
	my ($node, $database, $statement, @before) = @_;
	my ($out, $err);
	my $done = IPC::Run::run([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1',
		'-d', $node->connstr($database), map { ('-c', $_) } @before, $statement ], '>', \$out, '2>', \$err);
	diag "$database: $statement\n$err" unless $done;
	return $done;
}

# The SQLSTATE and the words of an error
sub failure
{
	my ($node, $database, $sql) = @_;
	my (undef, undef, $err) = $node->psql($database, "\\set VERBOSITY verbose\n$sql");
	return $err =~ /ERROR:  (.*)/ ? $1 : "no error: $err";
}

1;
