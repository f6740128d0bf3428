# The changes of doc/running-regions.md: its blocks and commands, run as they stand on four nodes, while all rows
# are read.
#
# One version is enough: the page has statements of the server, the same on each version.
use strict;
use warnings;

use lib 'test/t';
use Commands;
use IPC::Run;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my @names = ('almaty', 'jakarta', 'lima', 'mexico');
my %node = start_nodes(@names);
my $page = 'doc/running-regions.md';
my ($check) = blocks_of(part_of($page));
my @of_page = blocks_of(part_of($page, 'Changes'));
my @blocks = grep { $_->{language} eq 'sql' } @of_page;
my @commands = map { commands_in($_->{text}) } grep { $_->{language} eq 'sh' } @of_page;
# move_beside_writers, registry_publisher and node_and_column have the others.
@commands = grep { "@$_" !~ /^(?:move|registry publisher|node add|node roots) / } @commands;

# Runs the next block of the page at the nodes that it names, as the role shop; what each gives.
sub next_block
{
	my $block = shift @blocks;
	my ($nodes) = $block->{needs} =~ /^needs (.*)/;
	return map { at_machine($_, "SET ROLE shop;\n$block->{text}") } split /, /, $nodes;
}

# Runs the next command of the page, which does not need a machine.
sub next_command
{
	my ($status, $said) = run_iuid(shift @commands);
	is($status, 0, 'the command ends well') or diag $said;
	return;
}

# The same on the machine of each node in turn; the command.
sub next_command_in_turn
{
	my ($first, @others) = @_;
	my $command = shift @commands;
	ok(in_turn($command, @node{ $first, @others }), "@$command[0, 1, 2]: nothing is left");
	return $command;
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
		my $script = "\\set ids {$ids}\n" . "$loop\nSELECT pg_sleep(0.1);\n" x 10;
		my ($out, $err) = ('', '');
		$err{$name} = \$err;
		$reader{$name} = IPC::Run::start(
			[ 'sh', '-c', 'while [ ! -e "$0" ]; do psql -XqAt -v ON_ERROR_STOP=1 -d "$1" -f "$2" || exit; done',
				$file, "service=$name", script($name, $script) ],
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
	is(at_last($_, $check->{text}, qr/^$/), '', "$what: all is well at $_") for @there;
	return;
}

make_regions(@names);
my %code = (almaty => 'KZ', jakarta => 'ID', lima => 'PE', mexico => 'MX');
at($_, qq{INSERT INTO orders SELECT gen_iuid(country, 1, now() - n * interval '10 days'), 42, ''
	FROM iuid_countries, generate_series(0, 9) AS n WHERE code = '$code{$_}'}) for @names;
all_is_well('at the beginning', @names);

# A column comes, gets another name and another type, and goes.
while_they_read('a new column', \&next_command);
at('almaty', q{UPDATE orders_global SET amount = 5 WHERE id = (SELECT max(id) FROM orders_all WHERE node = 'lima')});
is(at('lima', 'SELECT sum(amount) FROM orders'), '5.00', 'the column is there at all nodes');
all_is_well('a new column', @names);
while_they_read('another name', \&next_command);
while_they_read('another type', \&next_command);
is(at('almaty', q{SELECT total, (SELECT format_type(atttypid, atttypmod) FROM pg_attribute
	WHERE attrelid = 'orders'::regclass AND attname = 'total') FROM orders_all WHERE total IS NOT NULL}),
	'5.00|numeric(12,2)', 'the column has the name and the type');
all_is_well('another type', @names);
is(at_machine($_, q{SET ROLE desk; SELECT count(*) FROM orders_all}),
	'40', "$_: the support desk has its rights") for @names;
while_they_read('a column less', \&next_command);
all_is_well('a column less', @names);

# Months for Mexico.
while_they_read('months', sub { next_block(); next_block() });
is(at('mexico', q{SELECT count(*) FILTER (WHERE isleaf) >= 5, (SELECT count(*) FROM orders_c157),
	(SELECT count(*) FROM orders_c157_before)
	FROM pg_partition_tree('orders_c157')}), 't|10|10', 'Mexico has months, and its rows');
at('mexico', q{SELECT iuid_create_partitions('orders_c157', '1 month', now() - interval '50 days', now())});
is(at('mexico', q{SELECT count(*) < 10, (SELECT count(*) FROM orders_c157) FROM orders_c157_before}),
	't|10', 'old months are cut out');
all_is_well('months', @names);
is(scalar(@blocks), 0, 'every block was run');

# New passwords.
append_to_file(passwords(), "\\set mesh_2 'the-second-password'\n\\set registry_2 'another-password'\n");
while_they_read('passwords', sub {
	my $command = next_command_in_turn(@names);
	ok(in_turn([ map { s/mesh/registry/r } @$command ], @node{@names}), 'the same for the subscriptions');
});
is(at_machine($_,
	q{SELECT string_agg(rolname, ' ' ORDER BY rolname) FROM pg_roles WHERE rolname ~ '^(mesh|registry)' AND rolcanlogin}),
	'mesh_2 registry_2', "$_: the second roles come in, and the first ones do not") for @names;
ok($node{mexico}->poll_query_until('shop',
	q{SELECT count(*) = 3 FROM pg_stat_replication WHERE usename = 'registry_2'}), 'subscribers come in as registry_2');
at('mexico', q{UPDATE iuid_routes SET node = 'almaty' WHERE node = 'lima'});
at('mexico', q{UPDATE iuid_routes SET node = 'lima' FROM iuid_countries AS c
	WHERE c.country = iuid_routes.country AND code = 'PE'});
ok($node{jakarta}->poll_query_until('shop', q{SELECT count(*) = 1 FROM iuid_routes WHERE node = 'lima'}), 'and follow');
all_is_well('passwords', @names);

# The password of a role that logs in from outside.
my ($old) = slurp_file(passwords()) =~ /^\\set shop '(.*)'$/m;
PostgreSQL::Test::Utils::system_or_bail('sed', '-i', "s/$old/the-new-one/", passwords());
next_command_in_turn(@names);
like(slurp_file($ENV{PGPASSFILE}), qr/:shop:the-new-one$/m, 'it is in the file of passwords');
is(at($_, 'SELECT current_user'), 'shop', "$_ lets the role in") for @names;
all_is_well('another password', @names);

# Lima becomes Cusco, and Lima again.
sub of_lima
{
	my ($name, $called) = @_;
	return at($name,
		"SELECT count(*) FROM iuid_find(NULL::orders, VARIADIC ARRAY(SELECT id FROM orders_all WHERE node = '$called'))");
}

my $command = next_command_in_turn('mexico', 'lima', 'almaty', 'jakarta');
is($node{lima}->safe_psql('shop', 'SHOW iuid.node', connstr => 'service=cusco'),
	'cusco', 'the service has the new name');
is(of_lima($_, 'cusco'), '10', "$_ finds its rows") for 'almaty', 'jakarta', 'mexico';
all_is_well('a new name', 'almaty', 'jakarta', 'mexico');
my ($word, $rename, $from, $to, @rest) = @$command;
ok(in_turn([ $word, $rename, $to, $from, @rest ], @node{ 'mexico', 'lima', 'almaty', 'jakarta' }), 'the old name');
is(of_lima($_, 'lima'), '10', "$_ finds its rows") for @names;
all_is_well('the old name', @names);

# Its country goes to Mexico; here it has no rows that would have to move.  Then the region goes.
at('lima', 'DELETE FROM orders');
at('mexico', q{UPDATE iuid_routes SET node = 'mexico' WHERE node = 'lima'});
$node{$_}->poll_query_until('shop', q{SELECT count(*) = 0 FROM iuid_routes WHERE node = 'lima'}) or die for @names;
at('mexico', q{SELECT iuid_create_global_table('orders_global', 'orders', 1);
	SELECT iuid_create_routed_partitions('orders', 1)});
next_command_in_turn(@names);
is(scalar(@commands), 0, 'every command was run');
my @stay = grep { $_ ne 'lima' } @names;
all_is_well('a region less', @stay);
is(at_machine('mexico', q{SELECT count(*) FROM pg_replication_slots WHERE slot_name ~ 'lima|cusco'}),
	'0', 'the publisher keeps no log for it');
is(at_machine($_, q{SELECT count(*) FROM pg_foreign_server WHERE srvname = 'lima'}),
	'0', "$_ has no way to it") for @stay;
is(at($_, 'SELECT count(*) FROM orders_all'), '30', "$_ counts the rows that are left") for @stay;

$_->stop for values %node;
done_testing();
