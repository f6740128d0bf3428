# The files of examples/regions, run as they stand on three servers.  move_beside_writers moves a country.
#
# One version is enough: regions_of_three tests on each version what the example uses.
use strict;
use warnings;

use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;

my @names = ('almaty', 'mexico', 'jakarta');
my %code = (almaty => 'KZ', mexico => 'MX', jakarta => 'ID');
my %country = (almaty => 125, mexico => 157, jakarta => 101);
my %node = start_nodes(@names);

# The owner of the database has made a schema with the name of the superuser.
my $schema = at_machine('mexico', 'SELECT quote_ident(current_user)');
at('mexico', qq{CREATE SCHEMA $schema; CREATE TABLE $schema.iuid_countries (LIKE iuid_countries);
	GRANT ALL ON SCHEMA $schema TO PUBLIC});
run_example($node{mexico}->connstr('shop'), 'registry.sql');
is(at('mexico', "SELECT count(*) FROM $schema.iuid_countries"), '0', 'the superuser uses the tables of iuid');
at('mexico', "DROP SCHEMA $schema CASCADE");
follow_registry($_, 'mexico') for 'almaty', 'jakarta';
run_example("service=$_", 'tables.sql') for @names;
run_example("service=$_", 'load.sql', country => $country{$_}) for @names;

sub everywhere
{
	my ($query, $expected, $what) = @_;
	is(at($_, $query), $expected, "$what, at $_") for @names;
}

for my $table ('iuid_countries', 'iuid_entities', 'iuid_nodes', 'iuid_routes')
{
	my $rows = "SELECT string_agg(t::text, ' ' ORDER BY t::text) FROM $table AS t";
	everywhere($rows, at('mexico', $rows), "the same $table");
}
# A thousand orders of each of ten countries, and a new one at each node.
everywhere("SELECT count(*), count(DISTINCT id), count(DISTINCT iuid_country(id)) FROM $_", '10003|10003|10',
	"the orders of all in $_") for 'orders_global', 'orders_all';
everywhere('SELECT count(*) FROM orders_all WHERE node <> iuid_node(id)', '0', 'each with its node');
everywhere(q{SELECT count(*) FROM orders WHERE NOT iuid_is_local(id)}, '0', 'its own in its own table');

# Each id at each node: the look-up goes to the owner, once for each way of asking, and to no other.
sub queries
{
	my ($name, $from) = @_;
	my $log = slurp_file($node{$name}->logfile, $from);
	return scalar(() = $log =~ /DECLARE c\d+ CURSOR|execute <unnamed>: SELECT \* FROM public.iuid_find_here/g);
}

sub look_up
{
	my ($asking, $owner, $id, $row) = @_;
	my %from = map { $_ => -s $node{$_}->logfile } @names;
	is(run_example("service=$asking user=desk", 'look_up.sql', id => $id),
		"$row\n$row", "$asking finds an order of $owner");
	is(queries($_, $from{$_}), $_ eq $owner && $_ ne $asking ? 2 : 0, "queries to $_") for @names;
	return;
}

for my $owner (@names)
{
	my $id = at($owner, q{SELECT id FROM orders WHERE note = 'a new order'});
	look_up($_, $owner, $id, "$owner|$code{$owner}|42|a new order") for @names;
}

my @history = split /\n/, run_example('service=mexico user=desk', 'history.sql', customer => 42);
is(join(' ', map { (split /\|/)[1] } @history[ 0 .. 7 ]),
	'ID MX KZ VN UZ PE MY MX', 'the last orders of a customer, newest first');
like($history[8], qr/^ *Remote SQL: .* ORDER BY id DESC NULLS FIRST$/, 'sorted by each node');
is(run_example('service=mexico user=desk', 'history_at_once.sql', customer => 42),
	join("\n", @history[ 0 .. 7 ]), 'the same from all nodes at once');
# The support desk reads, and comes in as a role that only reads.
is( $node{mexico}->safe_psql('shop',
		q{SELECT count(*) FROM iuid_run_on_nodes('DELETE FROM orders') WHERE NOT success AND result LIKE '25006: %'},
		connstr => 'service=mexico user=desk'), '3', 'the support desk deletes at no node');
my %from = map { $_ => -s $node{$_}->logfile } @names;
run_example('service=mexico user=desk', 'history.sql', customer => 42);
is(queries($_, $from{$_}), $_ eq 'mexico' ? 0 : 1, "one query to $_") for @names;

SKIP:
{
	skip 'SKIPPED: python3-flask, python3-psycopg-pool or python3-waitress is not installed', 1
		if system('/usr/bin/python3', '-c', 'import flask, psycopg_pool, waitress') != 0;
	run_example("service=mexico", '../../tools/desk/desk.sql');
	passes('the desk', '/usr/bin/python3', 'test/browser/pages.py',
		map { "$_=" . $node{$_}->host . ':' . $node{$_}->port } 'mexico', 'jakarta', 'almaty');
}

# The logs have each statement, but no password; nor has an argument of a process.
my @passwords = slurp_file(passwords()) =~ /^\\set \w+ '(\w+)'$/gm;
is(scalar(@passwords), 5, 'the passwords');
for my $name (@names)
{
	my $log = slurp_file($node{$name}->logfile);
	like($log, qr/statement: SELECT/, "$name has a log");
	is(scalar(grep { index($log, $_) >= 0 } @passwords), 0, 'which has no password');
}
my @files = glob 'doc/*.md examples/*/*.{md,sql,sh} test/*/*.{sh,pl,pm}';
is(join(' ', grep { slurp_file($_) =~ /-v[', ]*"?\w+="?\S*(?:password\b|secret)/i } @files),
	'', 'no file tells to put a password into an argument');

$_->stop for map { $node{$_} } reverse @names;
done_testing();
