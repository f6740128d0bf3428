# From PostgreSQL 17 on a subscriber of the registry goes on when its publisher fails over: the block of
# doc/running-regions.md that needs that version.
use strict;
use warnings;

use lib 'test/t';
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Regions;
use Test::More;

my %node = start_nodes('jakarta', 'lima');
if ($node{jakarta}->pg_version < 17)
{
	$_->stop for values %node;
	plan skip_all => 'SKIPPED: before PostgreSQL 17 a standby keeps no slots of its primary';
}
my ($block) = grep { $_->{language} eq 'sql' && $_->{needs} =~ /^needs lima, from 17$/ }
	blocks_of(part_of('doc/running-regions.md', 'Bad days'));

run_example($node{jakarta}->connstr('shop'), 'registry.sql');
follow_registry('lima', 'jakarta');

sub peru_is_at
{
	return $node{lima}->poll_query_until('shop',
		"SELECT iuid_node(country, 1) = '$_[0]' FROM iuid_countries WHERE code = 'PE'");
}

ok(peru_is_at('lima'), 'the subscriber follows');

# A standby with the settings of the page.
my $jakarta = $node{jakarta};
$jakarta->append_conf('pg_hba.conf', 'local replication all trust');
$jakarta->safe_psql('shop', q{SELECT pg_create_physical_replication_slot('standby')});
$jakarta->append_conf('postgresql.conf', q{synchronized_standby_slots = 'standby'});
$jakarta->reload;
$jakarta->backup('for_standby');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($jakarta, 'for_standby', has_streaming => 1);
my $way = $jakarta->connstr('shop');
$standby->append_conf('postgresql.conf', qq{
sync_replication_slots = on
hot_standby_feedback = on
primary_slot_name = 'standby'
synchronized_standby_slots = ''
primary_conninfo = '@{[ $way =~ s/'/''/gr ]}'});
$standby->start;

at_machine('lima', $block->{text});
ok($standby->poll_query_until('shop',
	q{SELECT count(*) = 1 FROM pg_replication_slots WHERE slot_name = 'registry_lima' AND synced AND NOT temporary}),
	'the standby has the slot');

# The subscriber knows both addresses, as the page says.
my $connection = at_machine('lima', q{SELECT subconninfo FROM pg_subscription WHERE subname = 'registry_lima'});
my $both = $connection =~ s/host=(\S+) port=(\d+)/"host=$1,$1 port=$2," . $standby->port/er
	. ' target_session_attrs=read-write';
at_machine('lima', "ALTER SUBSCRIPTION registry_lima CONNECTION \$\$$both\$\$");

sub route_peru_to
{
	return $_[0]->safe_psql('shop', qq{UPDATE iuid_routes SET node = '$_[1]' FROM iuid_countries AS c
		WHERE c.country = iuid_routes.country AND code = 'PE'});
}

route_peru_to($jakarta, 'jakarta');
ok(peru_is_at('jakarta'), 'the subscriber follows the primary');
$jakarta->wait_for_catchup($standby);
$jakarta->stop('immediate');
$standby->promote;
route_peru_to($standby, 'lima');
ok(peru_is_at('lima'), 'and the standby that was promoted');

$_->stop for $standby, $node{lima};
done_testing();
