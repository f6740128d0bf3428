# The programs of clients/ follow the rules of doc/format.md, in the languages that this machine has.
#
# One version is enough: no server takes part.
use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

# The caches of the compilers.
$ENV{HOME} = PostgreSQL::Test::Utils::tempdir;

for my $language (qw(python go javascript java rust))
{
	my ($out, $err) = run_command([ 'bash', 'test/clients.sh', $language ]);
	SKIP:
	{
		skip $out, 1 if $out =~ /^SKIPPED: /;
		like($out, qr/its own checks hold$/, $language) or diag "$out\n$err";
		note $out;
	}
}
done_testing();
