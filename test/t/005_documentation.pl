# Every SQL example of the README, of SECURITY.md and of the pages in doc/ runs as it stands.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

# The database that the README speaks of.
$node->safe_psql('postgres', 'CREATE DATABASE region');

for my $page ('README.md', 'SECURITY.md', glob 'doc/*.md')
{
	my $examples = join "\n", slurp_file($page) =~ /^```sql\n(.*?)^```$/gms;
	(my $database = $page) =~ s/\W/_/g;
	$node->safe_psql('postgres', qq{CREATE DATABASE "$database"});
	$node->safe_psql($database, 'CREATE EXTENSION iuid_regions CASCADE') unless $examples =~ /CREATE EXTENSION iuid/;

	my ($status, $out, $err) = $node->psql($database, $examples, on_error_stop => 1);
	is($status, 0, "$page: every example runs") or diag $err;
}

$node->stop;
done_testing();
