# The programs of clients/ follow the rules of doc/format.md, in the languages that this machine has,
# and make identifiers in four processes beside four sessions of a server: the server takes all, none
# twice, and in the order of their times, to the millisecond.
#
# One version is enough: the generator takes nothing from the server but its clock.
use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION iuid; CREATE TABLE made (id iuid PRIMARY KEY)');
my $script = $node->basedir . '/make.sql';
append_to_file($script, "INSERT INTO made SELECT gen_iuid(7, 1) FROM generate_series(1, 100);\n\\sleep 1 ms\n");
my $said = '';
my $sessions = IPC::Run::start([ 'pgbench', '-n', '-c', '4', '-T', '600', '-f', $script, $node->connstr('postgres') ],
	'>', \$said, '2>', \$said);
$node->poll_query_until('postgres', 'SELECT count(*) > 0 FROM made') or die "the sessions make no identifiers: $said";

# The caches of the compilers are there, too.
my $folder = PostgreSQL::Test::Utils::tempdir;
local @ENV{qw(HOME CLIENT_IDS CLIENT_SERVER)} = ($folder, $folder, $node->connstr('postgres'));
for my $language (qw(python go javascript java rust))
{
	my ($out, $err) = run_command([ 'bash', 'test/run/clients.sh', $language ]);
	SKIP:
	{
		skip $out, 3 if $out =~ /^SKIPPED: /;
		like($out, qr/its own checks hold$/, $language) or diag "$out\n$err";
		note $out;
		$node->psql('postgres', "COPY made FROM '$folder/$language.ids'", stderr => \my $error);
		is($error, '', "$language: the server takes all identifiers, and has none of them");
		cmp_ok(-s "$folder/$language.ids", '==', 100_000 * 37, "$language: a hundred thousand");
	}
}
$sessions->signal('TERM');
IPC::Run::finish($sessions);
unlike($said, qr/ERROR|aborted/, 'nor has a session made one of a client');
$node->stop;
done_testing();
