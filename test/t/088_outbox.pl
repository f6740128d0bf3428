# Transfers between wallets of three nodes: examples/outbox beside its model, test/models/outbox.py, with
# few transfers; ./dev models outbox has many.
#
# One version is enough: the example is SQL, and what it uses has tests of its own.
use strict;
use warnings;

use lib 'test/t';
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my @names = ('almaty', 'mexico', 'jakarta');
my %node = start_nodes(@names);
for my $name (@names)
{
	$node{$name}->append_conf('postgresql.conf',
		"log_statement = none\nmax_connections = 100\nmax_worker_processes = 20\nrestart_after_crash = on");
	$node{$name}->restart;
}
run_example($node{mexico}->connstr('shop'), 'registry.sql');
follow_registry($_, 'mexico') for 'almaty', 'jakarta';
run_example("service=$_", 'tables.sql') for @names;
passes('outbox', '/usr/bin/python3', 'test/models/outbox.py', '--rows', 1000, '--pause', 0.5,
	map { ('--node', "$_=" . $node{$_}->host . ':' . $node{$_}->port) } @names);

# The page's statements run.
my ($transfer, $send, $waiting) = map { $_->{text} }
	grep { $_->{language} eq 'sql' } blocks_of(slurp_file('doc/global-services.md'));
my $order = at('almaty', 'SELECT gen_iuid(125, 1)');
my $wallets = 'SELECT gen_iuid(125, 4), id, gen_iuid(125, 2) FROM outbox.wallets WHERE balance > 300 LIMIT 1';
$transfer =~ s/;.*/ FROM ($wallets) AS t (id, payer, payee);/;
$send =~ s/'019b[^']*'/'$order'/;
at('almaty', "$transfer WITH orders AS (SELECT '$order'::iuid AS id) $send $waiting");
is(at('almaty', qq{SELECT kind FROM outbox.messages
		WHERE id = iuid_from_name(125, 5, '["sms","$order"]', iuid_timestamp('$order'))}),
	'http', 'the message of the page');

$_->stop for values %node;
done_testing();
