# The blocks of doc/bad-days.md, run as they stand on four nodes.
#
# One version is enough: the page has statements of the server, the same on each version.
use strict;
use warnings;

use lib 'test/t';
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Regions;
use Test::More;

my @names = ('almaty', 'jakarta', 'lima', 'mexico');
my @left = @names[ 0 .. 2 ];
my %node = start_nodes(@names);
my @blocks = grep { $_->{language} eq 'sql' } blocks_of(slurp_file('doc/bad-days.md'));
my $passwords = "\\set registry the-registry-password\n\\set mesh_2 the-second-password\n";

# Runs the next block of the page at the nodes that it names; what each gives.
sub next_block
{
	my $block = shift @blocks;
	my ($nodes) = $block->{needs} =~ /^needs (.*)/;
	return map { at_machine($_, $passwords . $block->{text}) } split /, /, $nodes;
}

run_example($node{mexico}->connstr('shop'), 'registry.sql');
$node{mexico}->safe_psql('shop', q{INSERT INTO iuid_nodes VALUES ('lima', 'Peru', 'lima');
	UPDATE iuid_routes SET node = 'lima' WHERE country = (SELECT country FROM iuid_countries WHERE code = 'PE')});
follow_registry($_, 'mexico') for @left;
$node{$_}->poll_query_until('shop', 'SELECT count(*) = 10 FROM iuid_routes') or die for @left;
run_example("service=$_", 'tables.sql') for @names;
my $id = at('lima', q{INSERT INTO orders VALUES (gen_registered_iuid('PE', 'AyanOrder'), 42, 'of Lima') RETURNING id});

# The publisher dies for good.
my $from = -s $node{almaty}->logfile;
$node{mexico}->stop('immediate');
$node{almaty}->wait_for_log(qr/could not connect to the publisher/, $from);
next_block();
next_block();
my %registries = map { $_ => 1 } next_block();
is(keys %registries, 1, 'the nodes that are left have one registry');
follow_registry($_, 'jakarta', copy_data => 'false') for 'almaty', 'lima';
at('jakarta', q{UPDATE iuid_routes SET node = 'jakarta' WHERE node = 'mexico'});
for my $name ('almaty', 'lima')
{
	ok($node{$name}->poll_query_until('shop', q{SELECT count(*) = 0 FROM iuid_routes WHERE node = 'mexico'}),
		"$name follows the new publisher");
}

# A new password.
next_block() for 1 .. 3;
is(scalar(@blocks), 0, 'every block was run');
is(at($_, "SELECT note FROM orders_global WHERE id = '$id'"), 'of Lima', "$_ finds a row after the old role is shut out") for @left;

$_->stop for map { $node{$_} } @left;
done_testing();
