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
use Sessions;
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
make_regions(@names);
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
		WHERE id = iuid_from_name(125, 6, '["sms","$order"]', iuid_timestamp('$order'))}),
	'http', 'the message of the page');

# What an application may call.  The SQLSTATE, or what came out.
at_machine('almaty', 'CREATE ROLE app; GRANT USAGE ON SCHEMA outbox TO app;
	GRANT EXECUTE ON FUNCTION outbox.transfer, outbox.message_id, outbox.send_http TO app');
my $app = open_session($node{almaty}, 'shop');
run($app, 'SET ROLE app;');
my $payer = at('almaty', 'SELECT id FROM outbox.wallets WHERE balance > 300 AND iuid_country(id) = 125 LIMIT 1');
my ($locked, $payee) = split /\n/,
	at('jakarta', 'SELECT id FROM outbox.wallets WHERE balance < 1e9 AND iuid_country(id) = 101 ORDER BY 1 LIMIT 2');

sub transfer
{
	my ($id, $to) = @_;
	return run($app, "SELECT outbox.transfer('$id', '$payer', '$to', 1);");
}

for my $name ('credit', 'refund')
{
	my $id = at('almaty', 'SELECT gen_iuid(125, 4)');
	is(run($app, qq{SELECT outbox.send_http(
			iuid_from_name(101, 5, '["$name","$id"]', iuid_timestamp('$id')), '{}');}),
		'23514', "a message to the provider takes no identifier of a $name");
	is(transfer($id, $payee), '', 'the transfer is done');
}
is(run($app, q{SELECT outbox.message_id(125, now(), 'a', NULL) = iuid_from_name(125, 6, '["a",null]', now());}),
	't', 'NULL in a name is null');
is(run($app, q{SELECT outbox.send_http(outbox.message_id(125, now(), 'long'), to_jsonb(1e131071::numeric));}),
	'23514', 'a message too long for the workers');
is(transfer(at('almaty', 'SELECT gen_iuid(125, 4)'), at('almaty', 'SELECT gen_iuid(251, 2)')),
	'23503', 'a wallet of a country that no node has');
my $old = at('almaty', q{SELECT iuid_from_name(125, 4, 'old', now() - interval '2 days')});
is(transfer($old, $payee), '22023', 'an old transfer is not done');
at('almaty', "INSERT INTO outbox.transfers VALUES ('$old', '$payer', '$payee', 1)");
is(transfer($old, $payee), '', 'a client that asks late is told that it was done');

# A wallet that a transaction holds keeps no other one waiting.
my $holder = open_session($node{jakarta}, 'shop');
run($holder, "BEGIN; UPDATE outbox.wallets SET balance = balance WHERE id = '$locked';");
is(at('jakarta', qq{SET statement_timeout = '60s';
		SELECT answer, left(failure, 5), is_final
		FROM outbox.receive_all(ARRAY[gen_iuid(101, 5), gen_iuid(101, 5)], '{credit,credit}',
			ARRAY['{"payee": "$locked", "amount": 1}', '{"payee": "$payee", "amount": 1}']::jsonb[])}),
	"|55P03|f\ndone||f", 'a credit beside one that waits');
run($holder, 'ROLLBACK;');

# What a node says of a message that it was not given is not noted.
my $liar = q{
import asyncio, sys
sys.path.insert(0, 'examples/outbox')
import worker
class Liar:
    name = 'jakarta'
    async def ask(self, *_):
        return [(id, 'done', None, False) for id in ('given', 'other')]
print(*(id for id, *_ in asyncio.run(worker.deliver(Liar(), None, [('given', 'credit', '{}')]))))};
is((run_command([ '/usr/bin/python3', '-B', '-c', $liar ]))[0], 'given', 'a node answers for what it was given');

# A receiver keeps for longer what it received than the sender keeps what it sent.
my $sums = 'SELECT sum(sent) - sum(received), sum(dead) FROM outbox.reconcile()';
my $before = at('jakarta', $sums);
at('jakarta', q{INSERT INTO outbox.received
	VALUES (iuid_from_name(101, 5, 'old', now() - interval '4 months'), 'credit', '{"amount": 5}')});
is(at('jakarta', $sums), $before, 'the sums without old messages');

# A message that comes again when the receiver does not keep it any more has no second effect.
my $late = qq{SELECT answer, left(failure, 5), is_final FROM outbox.receive_all(
	ARRAY[iuid_from_name(101, 5, 'late', now() - interval '8 months')],
	'{credit}', ARRAY['{"payee": "$payee", "amount": 1}']::jsonb[])};
at('jakarta', qq{INSERT INTO outbox.received VALUES (iuid_from_name(101, 5, 'late', now() - interval '8 months'),
	'credit', '{"payee": "$payee", "amount": 1}'); SELECT outbox.maintain()});
is(at('jakarta', $late), '|22023|t', 'a message that is too old');

$_->quit for $app, $holder;
$_->stop for values %node;
done_testing();
