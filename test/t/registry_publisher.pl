# The command that compares the registries of the nodes, and makes another node their publisher: in use, after
# the death of the old one, and after its restore; killed after each statement, and started again.
#
# One version is enough: the command uses statements that are the same on each version.
use strict;
use warnings;

use lib 'test/t';
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;
use Time::HiRes 'sleep';

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my $registry = join ' UNION ALL ',
	map { "SELECT '$_' || t::text FROM iuid_$_ AS t" } qw(countries entities nodes routes);
my @names = ('almaty', 'jakarta', 'lima', 'mexico');
my %node = start_nodes(@names);
for (@names)
{
	$node{$_}->append_conf('postgresql.conf',
		"wal_retrieve_retry_interval = 200ms\nmax_replication_slots = 20\nmax_wal_senders = 20");
	$node{$_}->restart;
}
my $passwords = join '|', slurp_file(passwords()) =~ /^\\set \w+ '(\w+)'$/gm;
run_example($node{mexico}->connstr('shop'), 'registry.sql');
# A role whose name needs quotes may change routes, too.
at_machine($_, q{CREATE ROLE "it's ""he"""}) for @names;
at_machine('mexico', q{GRANT UPDATE, INSERT ON iuid_routes TO "it's ""he"""});
follow_registry($_, 'mexico') for grep { $_ ne 'mexico' } @names;
equal();

sub start_registry
{
	my ($out, @arguments) = @_;
	return IPC::Run::start([ '/usr/bin/python3', 'tools/iuid', 'registry', @arguments ], '>', $out, '2>&1',
		IPC::Run::timeout(300));
}

# The exit status, and what the command says.
sub registry
{
	my $command = start_registry(\my $out, @_);
	$command->finish;
	note "@_\n$out";
	unlike($out, qr/Traceback|$passwords/, 'the command ends in order, and says no password');
	return ($command->full_result >> 8, $out);
}

sub is_done
{
	my ($what, @arguments) = @_;
	my ($status, $out) = registry('publisher', @arguments);
	is($status, 0, $what) or diag $out;
	return $out;
}

sub registry_at { return at_machine($_[0], "SELECT string_agg(r, ' ' ORDER BY r) FROM ($registry) AS x (r)") }

# All nodes have one registry, at last.
sub equal
{
	my @there = @_ ? @_ : @names;
	for (1 .. 300)
	{
		my %found = map { registry_at($_) => 1 } @there;
		return 1 if keys %found == 1;
		sleep 0.1;
	}
	return 0;
}

# What the command may change, beside the registry.
sub state_of
{
	return join "\n", map { at_machine($_, q{
		SELECT subname, subenabled, subslotname, subconninfo, subpublications, oid FROM pg_subscription ORDER BY 1;
		SELECT pubname, oid, obj_description(oid, 'pg_publication') FROM pg_publication ORDER BY 1;
		SELECT slot_name FROM pg_replication_slots ORDER BY 1;
		SELECT relname, relacl FROM pg_class WHERE relname ~ '^iuid_(countries|entities|nodes|routes)$' ORDER BY 1}) } @_;
}

# A change at the publisher comes to all others; and only there it can be made.
my $round = 0;
sub is_publisher
{
	my ($name, @there) = @_;
	@there = @names unless @there;
	my $region = 'round ' . ++$round;
	at_machine($name, "UPDATE iuid_nodes SET region = '$region' WHERE node = 'almaty'");
	my $has_arrived = "SELECT region = '$region' FROM iuid_nodes WHERE node = 'almaty'";
	my $arrived = grep { $node{$_}->poll_query_until('shop', $has_arrived) } @there;
	is($arrived, scalar @there, "$name publishes to all");
	for my $other (@there)
	{
		is(at_machine($other, q{SELECT string_agg(a.grantee::regrole || ' ' || privilege_type, ', '
				ORDER BY a.grantee::regrole::text COLLATE "C", privilege_type)
			FROM pg_class AS c, aclexplode(relacl) AS a
			WHERE relname = 'iuid_routes' AND privilege_type <> 'SELECT' AND grantee <> relowner}),
			$other eq $name ? q{"it's ""he""" INSERT, "it's ""he""" UPDATE, shop UPDATE} : '',
			"who may change routes at $other");
		is(at_machine($other, 'SELECT count(*) FROM pg_replication_slots'), $other eq $name ? scalar(@there) - 1 : 0,
			"slots at $other");
		is(at_machine($other, 'SELECT count(*) FROM pg_publication'), $other eq $name ? 1 : 0, "publications at $other");
	}
	return;
}

# --- A planned change, while a writer changes routes at the old publisher, or where it may -------

# What somebody may do at a subscriber is taken from him, and he gets it nowhere.
at_machine('lima', 'GRANT DELETE ON iuid_routes TO desk');
my $at_first = state_of(@names);
my ($dry, $would) = registry('publisher', 'jakarta', '--dry-run', machines('jakarta', 'lima'));
is($dry, 0, 'a dry run');
like($would, qr/^\Q$_\E/m, 'it says what would be done') for 'jakarta    CREATE PUBLICATION registry',
	'mexico     REVOKE UPDATE', 'lima       REVOKE DELETE', 'jakarta    DROP SUBSCRIPTION',
	"almaty     DO \$block", 'mexico     DROP PUBLICATION', 'jakarta    GRANT UPDATE';
is(state_of(@names), $at_first, 'it changes nothing');
my $done = PostgreSQL::Test::Utils::tempdir_short . '/done';
my $writer = <<'END';
import os, sys, time, psycopg
nodes, n = sys.argv[2:], 0
at = {node: psycopg.connect(f"service={node}", autocommit=True) for node in nodes}
while not os.path.exists(sys.argv[1]):
    for node in nodes:
        n += 1
        try:
            changed = at[node].execute(
                "UPDATE iuid_routes SET node = %s WHERE country = (SELECT country FROM iuid_countries"
                " ORDER BY country OFFSET %s LIMIT 1) RETURNING country, node",
                [nodes[n // 10 % len(nodes)], n % 10]).fetchone()
            print(node, *changed, flush=True)
            break
        except psycopg.errors.InsufficientPrivilege:
            pass
    time.sleep(0.002)
END
my ($written, $complaint) = ('', '');
my $writing = IPC::Run::start([ '/usr/bin/python3', '-c', $writer, $done, 'mexico', 'jakarta', 'almaty', 'lima' ],
	'>', \$written, '2>', \$complaint);
while ($written !~ /mexico \d+ almaty/) { $writing->pump }
is_done('planned', 'jakarta', machines(@names));
while ($written !~ /(?:jakarta \d+ \w+\s+){30}/) { $writing->pump_nb; sleep 0.1 }
append_to_file($done, '');
$writing->finish;
is($complaint, '', 'the writer is well');
my (%confirmed, %count);
for (split /\n/, $written) { my ($where, $country, $to) = split / /; $confirmed{$country} = $to; $count{$where}++ }
note "confirmed: ", join ', ', map { "$_: $count{$_}" } sort keys %count;
ok(equal(), 'all nodes have one registry');
is(at($_, 'SELECT string_agg(country || node, $$ $$ ORDER BY country) FROM iuid_routes'),
	join(' ', map { "$_$confirmed{$_}" } sort { $a <=> $b } keys %confirmed), "$_ has each confirmed change") for @names;
is_publisher('jakarta');
is((registry('compare'))[0], 0, 'compare');

my $before = state_of(@names);
is_done('a second run', 'jakarta', machines(@names));
is(state_of(@names), $before, 'it changes nothing');

at('jakarta', q{UPDATE iuid_routes SET node = 'mexico'});
is((registry('publisher'))[0], 0, 'who publishes');

# --- Killed after each statement in turn, and started again -------------------------------------

# What it was that is said so far: each begins a message to a node.
sub statements { return scalar(() = $_[0] =~ /^\S+ +(?:BEGIN|SELECT pg_create)/gm) }

my ($new, $killed) = ('mexico', 0);
for my $after (1 .. 100)
{
	my $command = start_registry(\my $out, 'publisher', $new, machines(@names));
	while (statements($out) < $after && $command->pumpable) { $command->pump }
	sleep rand 0.05;
	my $ended = $out =~ /all nodes follow it/;
	$command->kill_kill(grace => 0) unless $ended;
	eval { $command->finish };
	last if $ended;
	note "killed after: $out";
	$killed++;
	is_done("after $after statements", $new, machines(@names));
	is_publisher($new);
	$new = (grep { $_ ne $new } @names)[ $after % 3 ];
}
cmp_ok($killed, '>=', 10, 'it was killed after each statement');
is_done('the last', 'mexico', machines(@names));
is_publisher('mexico');

# --- On the machine of one node after the other -------------------------------------------------

my %runs;
for (1 .. 12)
{
	my ($status) = (0);
	for my $name ('lima', 'mexico', 'almaty', 'jakarta')
	{
		my ($status, $out) = registry('publisher', 'lima', machines($name));
		$runs{$name}++;
		next if $status == 0;
		is($status, 1, "not done on the machine of $name alone") or diag $out;
		like($out, qr/not done at (?!.*\b$name\b)/, 'it says where it was not done');
	}
	last if (registry('publisher', 'lima'))[0] == 0;
}
is_publisher('lima');
note join ', ', map { "$_: $runs{$_} runs" } sort keys %runs;

# --- A node is down meanwhile, and comes back ----------------------------------------------------

$node{almaty}->stop;
my ($status, $out) = registry('publisher', 'mexico', machines(@names));
is($status, 3, 'a machine whose server is down');
($status, $out) = registry('publisher', 'mexico', machines('jakarta', 'lima', 'mexico'));
is($status, 3, 'without a node that does not answer');
like($out, qr/lima +-- Keeps its log for almaty, which does not follow mexico yet/,
	'for which the old publisher keeps its log');
at('mexico', q{UPDATE iuid_routes SET node = 'almaty' WHERE country = 125});
$node{almaty}->start;
ok($node{almaty}->poll_query_until('shop', q{SELECT node = 'almaty' FROM iuid_routes WHERE country = 125}),
	'it follows the old publisher');
is_done('and then the new one', 'mexico', machines(@names));
is_publisher('mexico');
is_done('back', 'lima', machines(@names));

# --- The publisher dies, and a node is down meanwhile -------------------------------------------

$node{lima}->stop('immediate');
$node{almaty}->stop;
my $before_it = state_of('jakarta', 'mexico');
($status, $out) = registry('publisher', 'jakarta', '--without', 'lima', machines('jakarta', 'mexico'));
is($status, 3, 'a node that does not answer could publish');
like($out, qr/If they are lost, say so: --without almaty\./, 'which is said');
is(state_of('jakarta', 'mexico'), $before_it, 'nothing was changed');
($status, $out) = registry('publisher', 'jakarta', '--without', 'lima',
	'--without', 'almaty', machines('jakarta', 'mexico'));
is($status, 3, 'without nodes that do not answer');
like($out, qr/jakarta publishes the registry.*Not done, as there is no answer: almaty, lima/s, 'which are named');
is(at_machine('jakarta', q{SELECT string_agg(a.grantee::regrole::text, ',') FROM pg_class AS c, aclexplode(relacl) AS a
	WHERE relname = 'iuid_routes' AND privilege_type = 'UPDATE' AND grantee <> relowner}),
	'shop', 'the role of the service may change routes');
at('jakarta', q{UPDATE iuid_routes SET node = 'jakarta' WHERE country = 157});
ok($node{mexico}->poll_query_until('shop', q{SELECT node = 'jakarta' FROM iuid_routes WHERE country = 157}),
	'the one that is there follows');

# It comes back, and lacks what was changed meanwhile.
$node{almaty}->start;
my $of_all = state_of('almaty', 'jakarta', 'mexico');
($status, $out) = registry('publisher', 'jakarta', machines('almaty', 'jakarta', 'mexico'));
is($status, 5, 'a node that lacks a change');
is(state_of('almaty', 'jakarta', 'mexico'), $of_all, 'nothing was changed');
# Runs what is said to have the registry of another node.
sub mend
{
	my ($out, $name) = @_;
	my ($said) = $out =~ /^If \w+ is right:\n(.*)/ms;
	my $statements = join "\n", map { /^$name +([^-].*)/ ? $1 : () } split /\n/, $said;
	note "$name: $statements";
	at_machine($name, "BEGIN; $statements COMMIT");
	return;
}
mend($out, 'almaty');
is((registry('publisher', 'jakarta', machines('almaty', 'jakarta', 'mexico')))[0], 3, 'it is mended, and follows');

# So does the old publisher, with a change that nobody else has.
$node{lima}->start;
at('lima', q{UPDATE iuid_routes SET node = 'lima' WHERE country = 101});
($status, $out) = registry('publisher', 'jakarta', machines(@names));
is($status, 5, 'the old publisher differs');
my $update = quotemeta q{UPDATE public.iuid_routes SET node = 'lima' WHERE country OPERATOR(pg_catalog.=) 101};
like($out, qr/^jakarta +-- Differs from lima\.  If they are right, .*^jakarta +$update/ms, 'either may be right');
is((registry('compare', '--json'))[0], 5, 'compare says so, too');
at('jakarta', q{UPDATE iuid_routes SET node = 'lima' WHERE country = 101});
($status, $out) = registry('publisher', 'jakarta', machines(@names));
is($status, 5, 'half is mended');
mend($out, 'lima');
is_done('all is mended', 'jakarta', machines(@names));
is_publisher('jakarta');

# --- The publisher is restored ------------------------------------------------------------------

for my $without (0, 1)
{
	my $what = $without ? 'without slots' : 'with slots';
	copy_disk('jakarta');
	my $to = $without ? 'lima' : 'almaty';
	at('jakarta', "UPDATE iuid_routes SET node = '$to' WHERE country = 235");
	at_machine('jakarta', q{INSERT INTO iuid_countries VALUES (7, 'XX', 'since the backup')}) if $without;
	at_machine('jakarta', 'CREATE TABLE much AS SELECT repeat(md5(n::text), 10) FROM generate_series(1, 30000) AS n');
	ok(equal(), "$what: all have the change");
	$node{jakarta}->wait_for_catchup("registry_$_") for 'almaty', 'lima', 'mexico';
	restore_disk('jakarta', without_slots => $without);
	($status, $out) = registry('publisher', 'jakarta', machines(@names));
	is($status, 5, "$what: it lacks what all others have");
	like($out,
		qr/^jakarta +-- Differs from almaty, lima, mexico\..*^jakarta +UPDATE public.iuid_routes SET node = '$to'/ms,
		'and says what');
	at_machine('jakarta', join "\n", map { /^jakarta +([^-].*)/ ? $1 : () } split /\n/, $out =~ s/^If .*//msr);
	is((registry('compare'))[0], 0, "$what: the registries are equal") or diag $out;
	is_done("$what: they follow again", 'jakarta', machines(@names));
	is_publisher('jakarta');
	at_machine('jakarta', 'DROP TABLE IF EXISTS much');
}

$_->stop for values %node;
done_testing();
