# A node whose foreign server has several hosts: iuid_check_regions() asks each, and has a row if two of them take
# writes.  What a host says is compared, and one that does not answer is no problem.
use strict;
use warnings;

use lib 'test/t';
use FakeNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($here, $first) = map { PostgreSQL::Test::Cluster->new($_) } 'here', 'first';
for my $server ($here, $first)
{
	$server->init(allows_streaming => 1, extra => [ '--encoding=UTF8', '--locale=C' ]);
	$server->append_conf('postgresql.conf', "fsync = off\nlog_connections = on\nlog_statement = all");
	$server->start;
	$server->safe_psql('postgres', q{SET client_min_messages = error; CREATE EXTENSION iuid_regions CASCADE;
		CREATE EXTENSION postgres_fdw;
		INSERT INTO iuid_nodes VALUES ('here', NULL, 'here'), ('there', NULL, 'there')});
}
$here->safe_psql('postgres', q{ALTER DATABASE postgres SET iuid.node = 'here'});
$first->safe_psql('postgres', q{ALTER DATABASE postgres SET iuid.node = 'there'});
$first->backup('of_first');
my ($second, $third) = map {
	my $standby = PostgreSQL::Test::Cluster->new($_);
	$standby->init_from_backup($first, 'of_first', has_streaming => 1);
	$standby->start;
	$standby } 'second', 'third';
sub at_here { my $sql = shift; return $here->safe_psql('postgres', $sql) }
sub problems { return at_here(q{SELECT problem, node FROM iuid_check_regions() ORDER BY 1, 2}) }
sub detail { return at_here(q{SELECT detail FROM iuid_check_regions() WHERE problem = 'two primaries'}) }
sub hosts { return join ',', map { ref $_ ? $_->host : $_ } @_ }
sub ports { return join ',', map { ref $_ ? $_->port : 5432 } @_ }
my $named = sub { my $server = shift; return $server->host . ':' . $server->port };

my ($hosts, $ports) = (hosts($first, $second, $third), ports($first, $second, $third));
at_here(qq{
	CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw
		OPTIONS (host '$hosts', port '$ports', dbname 'postgres', target_session_attrs 'read-write', extensions 'iuid');
	CREATE USER MAPPING FOR PUBLIC SERVER there});
is(problems(), '', 'a primary with two standbys');
is(at_here(q{SELECT count(*), count(*) FILTER (WHERE success), count(DISTINCT result)
	FROM iuid_run_on_hosts('SELECT system_identifier FROM pg_control_system()', '3 s')}), '3|3|1', 'all hosts are asked');
my $each = q{SELECT string_agg(host || ' ' || result, ', ')
	FROM iuid_run_on_hosts('SELECT pg_is_in_recovery()', '3 s')};
my $answers = join ', ', map { $named->($_->[0]) . " $_->[1]" } [ $first, 'f' ], [ $second, 't' ], [ $third, 't' ];
is(at_here($each), $answers, 'each by its name');
is(at_here("ALTER SERVER there OPTIONS (ADD hostaddr ',,'); $each; ALTER SERVER there OPTIONS (DROP hostaddr)"),
	$answers, 'which counts where there is no address');
{
	local $ENV{PGTARGETSESSIONATTRS} = 'standby';
	$here->restart;
}
is(at_here(qq{ALTER SERVER there OPTIONS (DROP target_session_attrs);
	$each; ALTER SERVER there OPTIONS (ADD target_session_attrs 'read-write')}),
	$answers, 'whatever the environment of the server says');
$here->restart;

# The old primary goes on, which nobody has fenced.
$second->promote;
is(problems(), 'two primaries|there', 'two primaries');
my $apart = 'take writes, and each lacks those of the other. Fence';
is(detail(), sprintf("Hosts %s (timeline 1) and %s (timeline 2) $apart %s, which has the lower timeline: stop it.",
	map { $named->($_) } $first, $second, $first), 'which to fence');
# As libpq looks for a host: one that is read-only is not taken.
$first->safe_psql('postgres', 'ALTER SYSTEM SET default_transaction_read_only = on');
$first->reload;
$here->poll_query_until('postgres', q{SELECT count(*) = 0 FROM iuid_check_regions() WHERE problem = 'two primaries'});
is(problems(), '', 'one of them is read-only');
$first->append_conf('postgresql.auto.conf', 'default_transaction_read_only = off');
$first->reload;
ok($here->poll_query_until('postgres', q{SELECT count(*) = 1 FROM iuid_check_regions()}), 'and is no more');
# Whoever may not ask for the timeline hears less.
for my $server ($first, $second)
{
	$server->safe_psql('postgres', q{REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC;
		CREATE ROLE mesh LOGIN; ALTER ROLE mesh SET search_path = public});
}
at_here(q{ALTER USER MAPPING FOR PUBLIC SERVER there OPTIONS (ADD user 'mesh')});
is(detail(), sprintf("Hosts %s $apart the one that was the primary before: stop it.",
	join ' and ', sort map { $named->($_) . ' (timeline unknown)' } $first, $second), 'without the timelines');
$second->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) TO PUBLIC');
like(detail(), qr/timeline 2\).*timeline unknown\).*was the primary before/, 'with one of them');
$first->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) TO PUBLIC');
# What is planted there is not found.
$first->safe_psql('postgres', q{CREATE FUNCTION public.pg_is_in_recovery() RETURNS boolean LANGUAGE sql RETURN true;
	CREATE FUNCTION public.pg_walfile_name(pg_lsn) RETURNS text LANGUAGE sql RETURN 'x';
	CREATE FUNCTION public.same(text, text) RETURNS boolean LANGUAGE sql RETURN false;
	CREATE OPERATOR public.= (FUNCTION = public.same, LEFTARG = text, RIGHTARG = text);
	ALTER ROLE mesh SET search_path = public, pg_catalog});
like(detail(), qr/timeline 1\).*timeline 2\)/, 'functions that are planted');
at_here('ALTER USER MAPPING FOR PUBLIC SERVER there OPTIONS (DROP user)');

# The other node does not ask itself.
$second->safe_psql('postgres', qq{
	CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$hosts', port '$ports');
	CREATE USER MAPPING FOR PUBLIC SERVER there});
is($second->safe_psql('postgres', q{SELECT count(*) FROM iuid_run_on_hosts('SELECT 1', '3 s')}),
	'0', 'a node is not asked for its own hosts');

# What the row calls for.
$first->stop;
is(problems(), '', 'the old primary is stopped');
# One host alone, in two addresses.
at_here(sprintf q{ALTER SERVER there OPTIONS (SET host '%s', SET port '%s')}, hosts($second, $second),
	ports($second, $second));
is(problems(), '', 'two addresses of one server');
at_here(sprintf q{ALTER SERVER there OPTIONS (SET host '%s', SET port '%s')}, hosts($second, $second), $second->port);
is(at_here(q{SELECT string_agg(result, ' ') FROM iuid_run_on_hosts('SHOW port', '3 s')}),
	join(' ', ($second->port) x 2), 'one port for two hosts');

# The rule on passwords holds for each host, and so do the rights.
$here->safe_psql('postgres', q{CREATE ROLE weak});
is(at_here(q{SET ROLE weak; SELECT DISTINCT left(result, 5) FROM iuid_run_on_hosts('SELECT 1', '3 s')}),
	'42501', 'no right to the server');
is(at_here(q{GRANT USAGE ON FOREIGN SERVER there TO weak; SET ROLE weak;
	SELECT DISTINCT left(result, 5) FROM iuid_run_on_hosts('SELECT 1', '3 s')}), '2F003', 'no password');
is(at_here(q{ALTER USER MAPPING FOR PUBLIC SERVER there OPTIONS (ADD user 'postgres', ADD password 'x');
	SET ROLE weak; SELECT DISTINCT left(result, 5) FROM iuid_run_on_hosts('SELECT 1', '3 s')}),
	'2F003', 'a password that is not asked for');
at_here(q{ALTER USER MAPPING FOR PUBLIC SERVER there OPTIONS (DROP user, DROP password)});

# A host that changes is another connection, and the other one goes.
my $session = $here->background_psql('postgres');
my $pids = q{SELECT string_agg(result, ' ' ORDER BY host, result)
	FROM iuid_run_on_hosts('SELECT pg_backend_pid()', '3 s')};
my $before = $session->query($pids);
is($session->query($pids), $before, 'the connections are kept');
$session->query(sprintf q{ALTER SERVER there OPTIONS (SET port '%s,%s')}, $second->port, $third->port);
isnt($session->query($pids), $before, 'until the server is altered');
$session->quit;

# Hosts that answer what they like, or do not.
my $said;
for my $case ([ q{00000001 12.5}, 'two primaries|there' ], [ undef, '' ], [ 'x', '' ], [ '00000001 12.5 DROP', '' ],
	[ "'); DROP TABLE x; --", '' ], [ 'FFFFFFFF 1e9', 'two primaries|there' ], [ '? ' . '9' x 41, '' ])
{
	my $way = start_fake_node(postgres => { answer => answered(row($case->[0]), command_done('SELECT 1'), ready()) });
	my ($folder) = $way =~ /host '(.*?)'/;
	at_here(sprintf q{ALTER SERVER there OPTIONS (SET host '%s', SET port '%s')}, hosts($second, $folder),
		ports($second, $folder));
	is(problems(), $case->[1], 'a host says ' . ($case->[0] // 'NULL'));
	like(detail(), qr/timeline 4294967295/, 'a timeline that is as long as can be') if $case->[0] && $case->[0] =~ /^F/;
}
for my $behaviour ({ welcome => sub { sleep 300 } }, { answer => sub { sleep 300 } },
	{ answer => answered(error('42501', 'no'), ready()) })
{
	my ($folder) = start_fake_node(postgres => $behaviour) =~ /host '(.*?)'/;
	at_here(sprintf q{ALTER SERVER there OPTIONS (SET host '%s', SET port '%s')}, hosts($second, $folder),
		ports($second, $folder));
	my $begin = time;
	is(problems(), '', 'a host that is silent, or refuses');
	cmp_ok(time - $begin, '<', 30, 'in its time');
}

$_->stop for $second, $third, $here;
done_testing();
