# From PostgreSQL 16 on no superuser is needed to move a country (examples/regions/move): the owner of
# the tables subscribes.  What the command says of each right that is missing, and a move.
use strict;
use warnings;

use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Regions;
use Programs;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my %node = start_nodes('almaty', 'jakarta');
if ($node{almaty}->pg_version < 16)
{
	$_->stop for values %node;
	plan skip_all => 'SKIPPED: before PostgreSQL 16 only a superuser subscribes';
}
run_example($node{almaty}->connstr('shop'), 'registry.sql');
at_machine('almaty', q{UPDATE iuid_routes SET node = 'jakarta' WHERE node = 'mexico'; DELETE FROM iuid_nodes WHERE node = 'mexico'});
follow_registry('jakarta', 'almaty');
$node{jakarta}->poll_query_until('shop', q{SELECT iuid_node(125, 1) = 'almaty'}) or die 'the registry does not arrive';
for my $name (sort keys %node)
{
	run_example("service=$name", 'tables.sql');
}
run_example('service=almaty', 'load.sql', country => 125);
my $rows = at('almaty', q{SELECT count(*), min(id), max(id) FROM orders WHERE iuid_is_from(id, 125)});

sub move
{
	my ($command) = @_;
	my $out;
	my $done = IPC::Run::run([ '/usr/bin/python3', 'examples/regions/move', $command, '125', 'almaty', 'jakarta' ], '>', \$out, '2>&1');
	note $out;
	return ($done, $out);
}

my $may_not = qr/this role may not subscribe at jakarta/;
my ($done, $out) = move('plan');
like($out, $may_not, 'without a right');
at_machine('jakarta', 'GRANT CREATE ON DATABASE shop TO shop; GRANT pg_create_subscription TO shop WITH INHERIT FALSE');
like((move('copy'))[1], $may_not, 'a member who does not inherit the right');
at_machine('jakarta', 'GRANT pg_create_subscription TO shop WITH INHERIT TRUE');
($done, $out) = move('plan');
ok($done, 'with both rights');
like($out, qr/How much of the disk is free is not checked/, 'what is not checked is said');
for my $command ('copy', 'switch', 'finish')
{
	($done, $out) = move($command);
	ok($done, $command) or diag $out;
}
is(at('jakarta', q{SELECT count(*), min(id), max(id) FROM orders WHERE iuid_is_from(id, 125)}), $rows, 'the rows are at the new node');
is(at('almaty', q{SELECT count(*), min(id), max(id) FROM orders_global WHERE iuid_is_from(id, 125)}), $rows, 'and the old node reads them there');

$_->stop for values %node;
done_testing();
