# A server with other extensions, for what doc/other-tools.md says.
package OtherExtensions;
use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(start_with query refuses);

my $node;

# Starts a server, whose init() has options.  Returns it, and the versions of all extensions that this
# machine has; if one of those that are named is missing, the test ends here.
sub start_with
{
	my ($extensions, @options) = @_;
	$node = PostgreSQL::Test::Cluster->new('main');
	$node->init(@options);
	$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\nclient_min_messages = error");
	$node->start;
	my %version = map { split /\|/ } split /\n/, query('SELECT name, default_version FROM pg_available_extensions');
	if (my @missing = grep { !$version{$_} } @$extensions)
	{
		$node->stop;
		plan skip_all => "SKIPPED: not installed: @missing";
	}
	note "$_ $version{$_}" for @$extensions;
	return ($node, %version);
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
