# A server with another extension that makes partitions, for what doc/other-partitioning.md says.
package OtherPartitioning;
use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(start_with query refuses);

my $node;

# Starts a server.  Returns it and the version of the extension that this machine has; if it has none,
# the test ends here.
sub start_with
{
	my ($extension) = @_;
	$node = PostgreSQL::Test::Cluster->new('main');
	$node->init;
	$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\nclient_min_messages = error");
	$node->start;
	my $version = query("SELECT default_version FROM pg_available_extensions WHERE name = '$extension'");
	if (!$version)
	{
		$node->stop;
		plan skip_all => "SKIPPED: $extension is not installed";
	}
	note "$extension $version";
	return ($node, $version);
}

sub query { return $node->safe_psql('postgres', shift); }

sub refuses
{
	my ($statement, $message, $name) = @_;
	my (undef, undef, $err) = $node->psql('postgres', $statement);
	like($err, $message, $name);
	return;
}

1;
