# The blocks of doc/changing-regions.md, run as they stand on four nodes, while all rows are read.
#
# One version is enough: the page has statements of the server, the same on each version.
use strict;
use warnings;

use lib 'test/t';
use IPC::Run;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Regions;
use Test::More;

my @names = ('almaty', 'jakarta', 'lima', 'mexico');
my %node = start_nodes(@names);
my @blocks = grep { $_->{language} eq 'sql' } blocks_of(slurp_file('doc/changing-regions.md'));
my $variables = "\\i " . passwords() . "\n\\set mesh_2 the-second-password\n\\set registry_2 another-password\n";

# Runs the next block of the page at the nodes that it names, as the role shop but where it says
# otherwise; what each gives.
sub next_block
{
	my $block = shift @blocks;
	my ($nodes) = $block->{needs} =~ /^needs (.*)/;
	my $as = $block->{text} =~ /^--.*superuser/ ? '' : "SET ROLE shop;\n";
	return map { at_machine($_, $variables . $as . $block->{text}) } split /, /, $nodes;
}

# Reads the rows of all nodes at each node, through the global table, until the block is done.  Every
# look-up must be there, once.
sub while_they_read
{
	my ($what, $block) = @_;
	my $loop = q{SELECT count(*) AS rows FROM orders_global WHERE id = ANY (:'ids') \gset
SELECT :rows = 4 AS right \gset
\if :right
\else
	\warn wrong :rows
\endif
};
	my $file = PostgreSQL::Test::Utils::tempdir_short . '/done';
	my (%reader, %err);
	my $ids = join ',', map { at($_, "SELECT id FROM orders WHERE customer = 42 LIMIT 1") } @names;
	for my $name (@names)
	{
		my $script = "\\set ids {$ids}\n" . "$loop\n" x 3;
		my ($out, $err) = ('', '');
		$err{$name} = \$err;
		$reader{$name} = IPC::Run::start(
			[ 'sh', '-c', 'while [ ! -e "$0" ]; do psql -XqAt -v ON_ERROR_STOP=1 -d "$1" -f "$2" || exit; done', $file, "service=$name", script($name, $script) ],
			'>', \$out, '2>', $err{$name});
	}
	$block->();
	append_to_file($file, '');
	for my $name (@names)
	{
		ok(IPC::Run::finish($reader{$name}) && ${ $err{$name} } eq '', "$what: $name reads on") or diag ${ $err{$name} };
	}
	return;
}

sub script
{
	my ($name, $text) = @_;
	my $path = PostgreSQL::Test::Utils::tempdir_short . "/$name.sql";
	append_to_file($path, $text);
	return $path;
}

# At each of some nodes the check must find nothing.
sub all_is_well
{
	my ($what, @there) = @_;
	is(at_last($_, 'SELECT * FROM iuid_check_regions()', qr/^$/), '', "$what: all is well at $_") for @there;
	return;
}

run_example($node{mexico}->connstr('shop'), 'registry.sql');
follow_registry($_, 'mexico') for grep { $_ ne 'mexico' } @names;
$node{$_}->poll_query_until('shop', 'SELECT count(*) = 10 FROM iuid_routes') or die for @names;
run_example("service=$_", 'tables.sql') for @names;
my %code = (almaty => 'KZ', jakarta => 'ID', lima => 'PE', mexico => 'MX');
at($_, "INSERT INTO orders SELECT gen_iuid(country, 1, now() - n * interval '10 days'), 42, '' FROM iuid_countries, generate_series(0, 9) AS n WHERE code = '$code{$_}'") for @names;
all_is_well('at the beginning', @names);

# A column comes and goes.
while_they_read('a new column', \&next_block);
at('almaty', q{UPDATE orders_global SET amount = 5 WHERE id = (SELECT max(id) FROM orders_all WHERE node = 'lima')});
is(at('lima', 'SELECT sum(amount) FROM orders'), '5', 'the column is there at all nodes');
all_is_well('a new column', @names);
while_they_read('a column less', \&next_block);
all_is_well('a column less', @names);

# Months for Mexico.
while_they_read('months', sub { next_block(); next_block() });
is(at('mexico', q{SELECT count(*) FILTER (WHERE isleaf) >= 5, (SELECT count(*) FROM orders_c157), (SELECT count(*) FROM orders_c157_before)
	FROM pg_partition_tree('orders_c157')}), 't|10|10', 'Mexico has months, and its rows');
at('mexico', q{SELECT iuid_create_partitions('orders_c157', '1 month', now() - interval '50 days', now())});
is(at('mexico', q{SELECT count(*) < 10, (SELECT count(*) FROM orders_c157) FROM orders_c157_before}), 't|10', 'old months are cut out');
all_is_well('months', @names);

# New passwords.
while_they_read('passwords', sub { next_block() for 1 .. 3 });
while_they_read('passwords', sub { });
is(at_machine('jakarta', q{SELECT count(*) FROM pg_stat_activity WHERE usename = 'mesh'}), '0', 'nobody comes in as mesh');
next_block() for 1 .. 2;
ok($node{mexico}->poll_query_until('shop', q{SELECT count(*) = 3 FROM pg_stat_replication WHERE usename = 'registry_2'}), 'subscribers come in as registry_2');
next_block();
at('mexico', q{UPDATE iuid_routes SET node = 'almaty' WHERE node = 'lima'});
at('mexico', q{UPDATE iuid_routes SET node = 'lima' FROM iuid_countries AS c WHERE c.country = iuid_routes.country AND code = 'PE'});
ok($node{jakarta}->poll_query_until('shop', q{SELECT count(*) = 1 FROM iuid_routes WHERE node = 'lima'}), 'and follow');
all_is_well('passwords', @names);

# Lima becomes Cusco.
next_block() for 1 .. 3;
ok($node{$_}->poll_query_until('shop', q{SELECT count(*) = 1 FROM iuid_routes WHERE node = 'cusco'}), "$_ knows the new name") for @names;
is(at($_, q{SELECT count(*) FROM iuid_find(NULL::orders, VARIADIC ARRAY(SELECT id FROM orders_all WHERE node = 'cusco'))}), '10', "$_ finds its rows") for @names;
all_is_well('a new name', @names);

# Its country goes to Mexico; here it has no rows that would have to move.  Then the region goes.
at('lima', 'DELETE FROM orders');
at('mexico', q{UPDATE iuid_routes SET node = 'mexico' WHERE node = 'cusco'});
$node{$_}->poll_query_until('shop', q{SELECT count(*) = 0 FROM iuid_routes WHERE node = 'cusco'}) or die for @names;
at('mexico', q{SELECT iuid_create_global_table('orders_global', 'orders', 1); SELECT iuid_create_routed_partitions('orders', 1)});
next_block() for 1 .. 4;
is(scalar(@blocks), 0, 'every block was run');
my @stay = grep { $_ ne 'lima' } @names;
$node{$_}->poll_query_until('shop', q{SELECT count(*) = 0 FROM iuid_nodes WHERE node = 'cusco'}) or die for @stay;
all_is_well('a region less', @stay);
is(at_machine('mexico', q{SELECT count(*) FROM pg_replication_slots WHERE slot_name ~ 'lima|cusco'}), '0', 'the publisher keeps no log for it');
is(at($_, 'SELECT count(*) FROM orders_all'), '30', "$_ counts the rows that are left") for @stay;

$_->stop for values %node;
done_testing();
