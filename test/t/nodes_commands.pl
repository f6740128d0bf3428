# A command runs on all nodes at once, over connections of a role that is no
# superuser, with passwords.  What goes wrong at a node is the row of that node,
# and nothing of it is left for the next call.
use strict;
use warnings;

use lib 'test/t';
use Faults qw(stop_processes go_on);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @names = ('almaty', 'jakarta', 'mexico');
my %country = (almaty => 7, jakarta => 9, mexico => 8);
my %node;

for my $name (@names)
{
	my $node = $node{$name} = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf',
		"fsync = off\npassword_encryption = 'scram-sha-256'\nlog_statement = all\nlog_connections = on");
	$node->append_conf('pg_hba.conf', '');
	open my $hba, '>', $node->data_dir . '/pg_hba.conf' or die "pg_hba.conf: $!";
	print $hba "local all postgres trust\nlocal all passed scram-sha-256\nlocal all all "
		. ($name eq 'almaty' ? 'trust' : 'scram-sha-256') . "\n";
	close $hba;
	$node->start;
	$node->safe_psql('postgres', qq{
		CREATE ROLE app LOGIN PASSWORD 'secret of $name';
		CREATE ROLE other LOGIN PASSWORD 'secret of $name';
		GRANT other TO app;
		CREATE DATABASE shop;
		ALTER DATABASE shop SET iuid.node = '$name'});
	$node->safe_psql('shop', qq{
		CREATE EXTENSION iuid_regions CASCADE;
		GRANT CREATE, USAGE ON SCHEMA public TO app, other;
		CREATE TABLE orders (id iuid PRIMARY KEY, customer int, note text);
		ALTER TABLE orders OWNER TO app;
		INSERT INTO orders SELECT gen_iuid($country{$name}, 1,
			timestamptz '2026-01-01' + (n * 3 + $country{$name} % 3) * interval '1 hour'), n % 3, '$name ' || n
			FROM generate_series(1, 60) AS n});
}

my $here = $node{almaty};
$here->safe_psql('shop', q{
	CREATE EXTENSION postgres_fdw;
	INSERT INTO iuid_nodes
		VALUES ('mexico', 'america', 'mexico'), ('almaty', 'asia', NULL), ('jakarta', 'asia', 'server of jakarta')});
my %server = (mexico => 'mexico', jakarta => '"server of jakarta"');
for my $name ('jakarta', 'mexico')
{
	my ($host, $port) = ($node{$name}->host, $node{$name}->port);
	$here->safe_psql('shop', qq{
		CREATE SERVER $server{$name} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'shop');
		GRANT USAGE ON FOREIGN SERVER $server{$name} TO app, other;
		CREATE USER MAPPING FOR app SERVER $server{$name} OPTIONS (user 'app', password 'secret of $name');
		CREATE USER MAPPING FOR other SERVER $server{$name} OPTIONS (user 'other', password 'secret of $name')});
}

# It lives longer than one query may take.
sub open_session
{
	my $session = $here->background_psql('shop', on_error_stop => 0, extra_params => [ '-U', 'app' ]);
	$session->set_query_timer_restart;
	return $session;
}
my $app = open_session();

# The rows of a call, each on a line, and its error, with its SQLSTATE.
sub query
{
	my ($query) = @_;
	$app->{stderr} = '';
	my $out = $app->query("\\set VERBOSITY verbose\n$query");
	return $app->{stderr} eq '' ? $out : $app->{stderr};
}

sub call
{
	my ($command, $arguments) = @_;
	return query("SELECT * FROM iuid_run_on_nodes(\$command\$$command\$command\$"
		. ($arguments ? ", $arguments" : '') . ')');
}

# The row of one node, and those of the others, each as one text.
sub rows_of
{
	my ($rows, $name) = @_;
	my @lines = split /\n(?=(?:almaty|jakarta|mexico)\|)/, $rows;
	return (join("\n", grep { /^$name\|/ } @lines), join("\n", grep { !/^$name\|/ } @lines));
}

sub everywhere { my ($result) = @_; return join "\n", map { "$_|t|$result" } @names }
my $which = q{SELECT current_setting('iuid.node')};
my $all = "almaty|t|almaty\njakarta|t|jakarta\nmexico|t|mexico";
my $others = "almaty|t|almaty\njakarta|t|jakarta";

# All is well: a call is answered by all, and no connection waits for anything.
sub all_is_well
{
	my ($what) = @_;
	is(call($which), $all, "$what: all answer");
	for my $name (grep { $_ ne 'almaty' } @names)
	{
		ok($node{$name}->poll_query_until('postgres', q{SELECT count(*) FROM pg_stat_activity
			WHERE usename = 'app' AND state <> 'idle'}, '0'), "$what: no connection to $name is busy");
	}
	return;
}

# --- Answers ------------------------------------------------------------------

all_is_well('first');
is(call($which, q{ARRAY['mexico', 'almaty', 'mexico']}), "mexico|t|mexico\nalmaty|t|almaty",
	'those that are named, once each');
is(call($which, q{'{}'}), '', 'none');
is(call($which, q{timeout => '1 day'}), $all, 'the longest timeout');

for my $case (
	[ 'SELECT 1 WHERE false', '', 'no row' ],
	[ 'SELECT NULL', '', 'NULL' ],
	[ q{SELECT ''}, '', 'the empty text' ],
	[ 'SHOW max_identifier_length', '63', 'a value of a command' ],
	[ 'CREATE TABLE copied AS SELECT * FROM orders LIMIT 4', 'SELECT 4', 'CREATE TABLE AS' ],
	[ 'SELECT * INTO copied2 FROM orders LIMIT 2', 'SELECT 2', 'SELECT INTO' ],
	[ 'ALTER TABLE copied ADD x int', 'ALTER TABLE', 'ALTER TABLE' ],
	[ q{UPDATE copied SET x = 1}, 'UPDATE 4', 'UPDATE' ],
	[ 'INSERT INTO copied SELECT * FROM copied LIMIT 2', 'INSERT 0 2', 'INSERT' ],
	[ 'DELETE FROM copied WHERE x = 3 RETURNING x', '', 'RETURNING nothing' ],
	[ 'DELETE FROM copied', 'DELETE 6', 'DELETE' ],
	[ 'INSERT INTO copied (x) VALUES (5) RETURNING x + 1', '6', 'RETURNING' ],
	[ 'DO $$ BEGIN DROP TABLE copied, copied2; END $$', 'DO', 'DO' ],
	[ 'SELECT length(repeat(\'iuid\', 2000000))', '8000000', 'a large value' ])
{
	my ($command, $result, $what) = @$case;
	is(call($command), everywhere($result), $what);
}
is(query(q{SELECT string_agg((result IS NULL)::text, ' ') FROM iuid_run_on_nodes('SELECT NULL')}),
	'true true true', 'NULL is NULL');
is(query(q{SELECT string_agg(length(result)::text, ' ')
	FROM iuid_run_on_nodes('SELECT repeat(''iuid'', 2000000)', timeout => '1 minute')}),
	'8000000 8000000 8000000', 'a large answer');
is(call("SELECT current_setting('client_connection_check_interval')", q{ARRAY['jakarta']}),
	'jakarta|t|1s', 'a node looks whether it is still asked');

# The last orders of a customer, as rows again.
my %orders;
$orders{$_} = $node{$_}->safe_psql('shop', 'SELECT * FROM orders WHERE customer = 1') for @names;
my @last = (reverse sort map { split /\n/ } values %orders)[ 0 .. 7 ];
my $of_node = 'SELECT * FROM orders WHERE customer = 1 ORDER BY id DESC LIMIT 8';
is(query(qq{SELECT o.* FROM iuid_run_on_nodes('SELECT json_agg(o) FROM ($of_node) AS o') AS n,
		json_populate_recordset(NULL::orders, result::json) AS o ORDER BY id DESC LIMIT 8}),
	join("\n", @last), 'the last orders of a customer, typed again');
cmp_ok(scalar(keys %{ { map { (split / /, (split /\|/)[2])[0] => 1 } @last } }), '==', 3, 'they are of all nodes');

# --- Input --------------------------------------------------------------------

for my $case (
	[ 'NULL',                    '22004', qr/argument "command" must not be null/ ],
	[ q{'SELECT 1', ARRAY[NULL, 'mexico']}, '22004', qr/name of a node must not be null/ ],
	[ q{'SELECT 1', NULL, NULL}, '22004', qr/argument "timeout" must not be null/ ],
	(map { [ "'SELECT 1', NULL, '$_'", '22023', qr/timeout is out of range/ ] } '0', '-1 second', '1 month',
		'25 hours', '2 days', '1 day 1 microsecond', '1 day -25 hours'),
	[ q{'CREATE TABLE never ()', ARRAY['mexico', 'paris']}, '22023', qr/node "paris" is not registered/ ],
	(map { [ "'$_'", '42601', qr/must be one statement/ ] } '', ';', '--', 'CREATE TABLE never (); CREATE TABLE never ()'),
	[ q{'SELEKT 1'},             '42601', qr/syntax error.*QUERY:  SELEKT 1/s ],
	(map { [ "'$_'", '0A000', qr/(BEGIN|START TRANSACTION|COMMIT|SAVEPOINT|PREPARE TRANSACTION) cannot run on/ ] }
		'BEGIN', 'START TRANSACTION', 'COMMIT', 'SAVEPOINT s', q{PREPARE TRANSACTION ''x''}),
	(map { [ "'$_'", '0A000', qr/COPY cannot/ ] } 'COPY orders TO STDOUT', 'COPY orders FROM STDIN'))
{
	my ($arguments, $state, $message) = @$case;
	my $error = query("SELECT * FROM iuid_run_on_nodes($arguments)");
	like($error, qr/ERROR:  $state: .*$message/s, "refused: $arguments");
	like($error, qr/HINT:  /, 'with a hint') unless $state eq '42601' && $error =~ /SELEKT/;
}
is(query(q{SELECT * FROM iuid_run_on_nodes(repeat(' ', 20000000) || 'SELECT 1', timeout => '1 minute')}),
	everywhere(1), 'a long command');
is(call(q{SELECT to_regclass('never') IS NULL}), everywhere('t'), 'nothing was sent');
$here->safe_psql('postgres', q{ALTER DATABASE shop SET iuid.node = 'paris'});
like(($here->psql('shop', $_->[1] . q{SELECT iuid_run_on_nodes('SELECT 1')}))[2], $_->[0], 'a node must know its name')
	for [ qr/node "paris" is not registered/, '' ], [ qr/this database is no node yet/, q{SET iuid.node = '';} ];
$here->safe_psql('postgres', q{ALTER DATABASE shop SET iuid.node = 'almaty'});

# --- Failures at a node ----------------------------------------------------------

like(call('SELECT 1 / 0'),
	qr/^almaty\|f\|22012: division by zero\njakarta\|f\|22012: division by zero\nmexico\|f\|22012: division by zero$/,
	'an error at all');
like(call('SELECT no_such'), qr/^(?:\w+\|f\|42703: column "no_such" does not exist\n?){3}$/, 'another');
like(call('SELECT 1 FROM orders'),
	qr/^(?:\w+\|f\|21000: the command gives more than one value\nDETAIL:  .*\nHINT:  .*json_agg.*\n?){3}$/,
	'several rows');
like(call('SELECT 1, 2'),
	qr/^(?:\w+\|f\|21000: the command gives more than one value\nDETAIL:  .*\nHINT:  .*json_agg.*\n?){3}$/,
	'several columns');
like(call('SELECT'), qr/^(?:\w+\|f\|21000: .*\nDETAIL:  .*\nHINT:  .*\n?){3}$/, 'no column');
all_is_well('after errors');

# What a node cancels by itself is a failure of that node; so is what it reads as several statements.
sub set_at { my ($name, $setting) = @_; $node{$name}->safe_psql('postgres', "ALTER ROLE app $setting"); return }
set_at('mexico', q{SET statement_timeout = '200ms'});
$app->quit;
$app = open_session();
my ($mexico, $rest) = rows_of(call(q{SELECT pg_sleep(1) IS NULL}), 'mexico');
like($mexico, qr/^mexico\|f\|57014: canceling statement due to statement timeout/, 'cancelled by the node itself');
is($rest, "almaty|t|f\njakarta|t|f", 'the others answer');
set_at('mexico', 'RESET statement_timeout');
SKIP:
{
	skip 'SKIPPED: this server reads strings in one way only', 2
		if $here->safe_psql('postgres', 'SHOW server_version_num') >= 190000;
	set_at('mexico', 'SET standard_conforming_strings = off');
	$app->quit;
	$app = open_session();
	($mexico, $rest) = rows_of(call(q{SELECT 'a\' || '; BEGIN; --'}), 'mexico');
	like($mexico, qr/^mexico\|f\|42601: cannot insert multiple commands/, 'what a node reads as several statements');
	is($node{mexico}->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity
		WHERE usename = 'app' AND state LIKE 'idle in%'}), '0', 'leaves no transaction open');
	set_at('mexico', 'RESET standard_conforming_strings');
	$app->quit;
	$app = open_session();
}
all_is_well('after that');

# A node that is down, with a connection open and without; and one that was restarted between two calls.
$node{mexico}->stop('immediate');
for my $what ('its connection is open', 'there is no connection')
{
	($mexico, $rest) = rows_of(call($which), 'mexico');
	like($mexico, qr/^mexico\|f\|08\w+: .*(?:failed|closed|could not)/s, "a node is down, and $what");
	is($rest, $others, 'the others answer');
}
$node{mexico}->start;
all_is_well('after it was down');
for my $mode ('fast', 'immediate')
{
	$node{mexico}->stop($mode);
	$node{mexico}->start;
	all_is_well("restarted, $mode");
}

# A connection that breaks when the command has been sent: it may have run, so it is not sent again.
my $breaks = q{DO $$ BEGIN IF current_setting('iuid.node') = 'mexico' THEN
	PERFORM pg_terminate_backend(pg_backend_pid()); END IF; END $$};
my $log = -s $node{mexico}->logfile;
($mexico, $rest) = rows_of(call($breaks), 'mexico');
like($mexico, qr/^mexico\|f\|57P01: /, 'a connection breaks');
is($rest, "almaty|t|DO\njakarta|t|DO", 'the others answer');
is(scalar(() = slurp_file($node{mexico}->logfile, $log) =~ /execute <unnamed>: DO/g), 1, 'the command was sent once');
all_is_well('after a connection broke');

# A password that is wrong.
$app->quit;
$app = open_session();
$node{mexico}->safe_psql('postgres', q{ALTER ROLE app PASSWORD 'another'});
($mexico, $rest) = rows_of(call($which), 'mexico');
like($mexico, qr/^mexico\|f\|08001: .*password authentication failed/s, 'a node refuses');
is($rest, $others, 'the others answer');
$node{mexico}->safe_psql('postgres', q{ALTER ROLE app PASSWORD 'secret of mexico'});
all_is_well('after it refused');

# --- Time -------------------------------------------------------------------------

# A command that takes long at one node.
sub slow_at
{
	my ($name) = @_;
	return qq{SELECT pg_sleep(CASE current_setting('iuid.node') WHEN '$name' THEN 1000 ELSE 0 END) IS NULL};
}

sub queries_at
{
	my ($name, $expected) = @_;
	return $node{$name}->poll_query_until('postgres', q{SELECT count(*) FROM pg_stat_activity
		WHERE state = 'active' AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()}, $expected);
}
for my $name (@names)
{
	my $begin = time;
	my ($row, $rest) = rows_of(call(slow_at($name), q{timeout => '1 second'}), $name);
	cmp_ok(time - $begin, '<', 120, "$name is slow: the call ends");
	is($row, "$name|f|08006: the node did not answer within the timeout", 'its row says so');
	is($rest, join("\n", map { "$_|t|f" } grep { $_ ne $name } @names), 'the others answer');
	ok(queries_at($name, '0'), 'and soon its query ends');
	all_is_well("after $name was slow");
}

# A node that hangs: one that was connected, and one that lets nobody in.
my ($pid) = call('SELECT pg_backend_pid()', q{ARRAY['mexico']}) =~ /^mexico\|t\|(\d+)$/;
stop_processes($pid) or die "kill: $!";
my $begin = time;
($mexico, $rest) = rows_of(call($which . ' ' x 10_000_000, "timeout => '20 seconds'"), 'mexico');
cmp_ok(time - $begin, '<', 120, 'a node hangs: the call ends');
is($mexico, 'mexico|f|08006: the node did not answer within the timeout', 'its row says so');
is($rest, $others, 'the others answer');
is(call($which), $all, 'the next call has another connection');
go_on();

my $postmaster = slurp_file($node{jakarta}->data_dir . '/postmaster.pid');
($postmaster) = $postmaster =~ /^(\d+)/;
stop_processes($postmaster) or die "kill: $!";
is(call($which), $all, 'nobody is let in: those who are in stay in');
$app->quit;
$app = open_session();
for my $time ('1 second', '3 seconds', '5 seconds')
{
	$begin = time;
	my ($jakarta, $rest) = rows_of(call($which, "timeout => '$time'"), 'jakarta');
	cmp_ok(time - $begin, '<', 120, "nobody is let in, $time: the call ends");
	like($jakarta, qr/^jakarta\|f\|08001: (?:could not connect to the node in time|.*timeout expired)/s,
		'its row says so');
	like($rest, $time eq '1 second' ? qr/^almaty\|/ : qr/^almaty\|t\|almaty\nmexico\|t\|mexico$/, 'the others answer');
}

# Several such nodes take no longer than one.
my ($host, $port) = ($node{jakarta}->host, $node{jakarta}->port);
$here->safe_psql('shop', qq{
	CREATE SERVER $_ FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'shop');
	GRANT USAGE ON FOREIGN SERVER $_ TO app;
	CREATE USER MAPPING FOR app SERVER $_ OPTIONS (user 'app', password 'secret of jakarta');
	INSERT INTO iuid_nodes VALUES ('$_', NULL, '$_')}) for 'a1', 'a2';
$app->quit;
$app = open_session();
like(call($which, "timeout => '5 seconds'"), qr/^mexico\|t\|mexico$/m, 'the others have their turn');
$here->safe_psql('shop', q{DELETE FROM iuid_nodes WHERE node LIKE 'a_'});
go_on();
all_is_well('after nobody was let in');

# A cancel by the user, or by statement_timeout, is an error of the statement.
for my $name ('almaty', 'mexico')
{
	my $error = query(qq{SET statement_timeout = '1s';
		SELECT * FROM iuid_run_on_nodes(\$\$} . slow_at($name) . q{$$, timeout => '1 hour'); RESET statement_timeout});
	like($error, qr/ERROR:  57014: canceling statement due to statement timeout/, "$name: a cancel");
	query('RESET statement_timeout');
	ok(queries_at($name, '0'), 'and soon its query ends');
	all_is_well("after a cancel, $name");
}
query(q{SET statement_timeout = '1s'});
query(q{DO $do$
BEGIN
	PERFORM iuid_run_on_nodes('SELECT pg_sleep(1000)', timeout => '1 hour');
EXCEPTION WHEN query_canceled THEN
	CREATE TABLE caught ();
END $do$});
query('RESET statement_timeout');
is(query('TABLE caught'), '', 'a cancel that is caught');
all_is_well('after a cancel that was caught');

# A cancel by the user is one, too, after a command that took too long.
call(slow_at('almaty'), q{timeout => '100 ms'});
my $session = query('SELECT pg_backend_pid()');
$app->{stderr} = '';
$app->query_until(qr/sent/,
	"\\echo sent\nSELECT * FROM iuid_run_on_nodes(\$\$" . slow_at('almaty') . "\$\$, timeout => '1 hour');\n");
$here->poll_query_until('postgres', "SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = $session")
	or die 'the command did not begin';
$here->safe_psql('postgres', "SELECT pg_cancel_backend($session)");
$app->query('SELECT 1');
like($app->{stderr}, qr/ERROR:  57014: canceling statement due to user request/, 'a cancel by the user');
all_is_well('after a cancel by the user');

# --- Transactions --------------------------------------------------------------------

query('BEGIN');
is(call('CREATE TABLE kept ()'), everywhere('CREATE TABLE'), 'in a transaction');
query('ROLLBACK');
is(call(q{SELECT to_regclass('kept') IS NOT NULL}), "almaty|t|f\njakarta|t|t\nmexico|t|t",
	'a rollback takes back what was done here');
call('DROP TABLE IF EXISTS kept');
query('BEGIN');
like(call(q{DO $$ BEGIN CREATE TABLE undone (); PERFORM 1 / 0; END $$}),
	qr/^(?:\w+\|f\|22012: division by zero\n?){3}$/, 'a failure here');
is(query('SELECT 1'), '1', 'leaves the transaction as it was');
query('COMMIT');
is(call(q{SELECT to_regclass('undone') IS NULL}), everywhere('t'), 'and undoes what the command did');
my ($almaty) = rows_of(call(q{SELECT count(*) FROM iuid_run_on_nodes('SELECT 1')}, q{ARRAY['almaty']}), 'almaty');
like($almaty, qr/^almaty\|f\|55006: /, 'a command of a command');
all_is_well('after that');

# --- Connections ----------------------------------------------------------------------

sub pid_at { my ($name) = @_; return (call('SELECT pg_backend_pid()', "ARRAY['$name']") =~ /\|t\|(\d+)$/)[0] }
my $before = pid_at('mexico');
is(pid_at('mexico'), $before, 'a connection is kept');
for my $change (
	[ q{ALTER SERVER mexico OPTIONS (ADD application_name 'changed')} ],
	[ q{ALTER USER MAPPING FOR app SERVER mexico OPTIONS (SET password 'secret of mexico')} ],
	[ q{GRANT USAGE ON FOREIGN SERVER mexico TO pg_monitor} ])
{
	$here->safe_psql('shop', @$change);
	my $after = pid_at('mexico');
	isnt($after, $before, "another connection after @$change") or next;
	ok($node{mexico}->poll_query_until('postgres', "SELECT count(*) FROM pg_stat_activity WHERE pid = $before", '0'),
		'the old one is closed');
	$before = $after;
}
query('SET ROLE other');
is(call('SELECT session_user', q{ARRAY['mexico']}), 'mexico|t|other', 'SET ROLE: the connection of that role');
query('RESET ROLE');
is(pid_at('mexico'), $before, 'RESET ROLE: the connection from before');
$here->safe_psql('shop', 'REVOKE USAGE ON FOREIGN SERVER mexico FROM app, other');
($mexico, $rest) = rows_of(call($which), 'mexico');
is($mexico, 'mexico|f|42501: permission denied for foreign server mexico', 'a server that the user may not use');
is($rest, $others, 'the others answer');
$here->safe_psql('shop', 'GRANT USAGE ON FOREIGN SERVER mexico TO app, other');
all_is_well('after the servers changed');

# What the registry says is a server, and nothing else.
my $string = sprintf q{host=%s port=%s dbname=shop user=app password='secret of mexico'},
	$node{mexico}->host, $node{mexico}->port;
(my $quoted = $string) =~ s/'/''/g;
$here->safe_psql('shop', q{CREATE FOREIGN DATA WRAPPER another; CREATE SERVER strange FOREIGN DATA WRAPPER another;
	GRANT USAGE ON FOREIGN SERVER strange TO app});
for my $case (
	[ "'$quoted'", '42704', 'a connection string' ],
	[ "'postgresql:///shop'", '42704', 'a URI' ],
	[ "'paris'", '42704', 'a server that does not exist' ],
	[ "'strange'", '42809', 'a server of another wrapper' ],
	[ 'NULL', '22023', 'no server' ],
	[ "'server of jakarta'", '42710', 'the server of another node' ])
{
	my ($server, $state, $what) = @$case;
	$here->safe_psql('shop', "UPDATE iuid_nodes SET server = $server WHERE node = 'mexico'");
	my $mark = -s $node{mexico}->logfile;
	($mexico, $rest) = rows_of(call($which), 'mexico');
	like($mexico, qr/^mexico\|f\|$state: /, $what);
	is($rest, $others, 'the others answer');
	unlike(slurp_file($node{mexico}->logfile, $mark), qr/connection received/, 'nobody connects');
}
$here->safe_psql('shop', q{UPDATE iuid_nodes SET server = 'mexico' WHERE node = 'mexico'});
all_is_well('with the server again');

# --- Rights ---------------------------------------------------------------------------

$here->safe_psql('shop', 'DROP USER MAPPING FOR app SERVER mexico');
($mexico, $rest) = rows_of(call($which), 'mexico');
like($mexico, qr/^mexico\|f\|42704: user mapping not found for/, 'without a user mapping');
$here->safe_psql('shop', q{CREATE USER MAPPING FOR app SERVER mexico OPTIONS (user 'app')});
($mexico, $rest) = rows_of(call($which), 'mexico');
like($mexico, qr/^mexico\|f\|2F003: password/, 'without a password');
is($rest, $others, 'the others answer');
$here->safe_psql('shop', q{ALTER USER MAPPING FOR app SERVER mexico OPTIONS (ADD password '')});
($mexico) = rows_of(call($which), 'mexico');
like($mexico, qr/^mexico\|f\|2F003: password/, 'with an empty one');
# The node lets this user in as whoever comes from its own machine.
$here->safe_psql('shop',
	q{ALTER USER MAPPING FOR app SERVER mexico OPTIONS (SET user 'postgres', SET password 'of no use')});
($mexico) = rows_of(call('CREATE TABLE never ()'), 'mexico');
like($mexico, qr/^mexico\|f\|2F003: password.*\nDETAIL:  .*does not request a password/,
	'with one that the node does not ask for');
is($node{mexico}->safe_psql('shop', q{SELECT to_regclass('never') IS NULL}), 't', 'the command was not sent');
# Unless a superuser says that it needs no password: as with a client's certificate, and through a foreign table.
$here->safe_psql('shop',
	q{ALTER USER MAPPING FOR app SERVER mexico OPTIONS (DROP password, ADD password_required 'false')});
($mexico) = rows_of(call('SELECT current_user'), 'mexico');
like($mexico, qr/^mexico\|t\|postgres/, 'where a superuser has said that no password is required');
($mexico) = rows_of(call('SELECT current_user'), 'mexico');
like($mexico, qr/^mexico\|t\|postgres/, 'and by the connection that is kept');
$here->safe_psql('shop', q{ALTER USER MAPPING FOR app SERVER mexico OPTIONS (SET password_required 'true')});
($mexico) = rows_of(call('SELECT current_user'), 'mexico');
like($mexico, qr/^mexico\|f\|2F003: password/, 'and where it is required again');

SKIP:
{
	skip 'SKIPPED: before PostgreSQL 18 the keys of a SCRAM login cannot be passed on', 5 if $here->pg_version < 18;
	my $secret = $node{mexico}->safe_psql('shop', q{CREATE ROLE passed LOGIN PASSWORD 'secret of passed';
		SELECT rolpassword FROM pg_authid WHERE rolname = 'passed'});
	$here->safe_psql('shop', qq{CREATE ROLE passed LOGIN PASSWORD '$secret';
		GRANT USAGE ON FOREIGN SERVER mexico TO passed;
		CREATE USER MAPPING FOR passed SERVER mexico OPTIONS (user 'passed', use_scram_passthrough 'true')});
	local $ENV{PGPASSWORD} = 'secret of passed';
	my $as_passed = sub {
		return ($here->psql('shop', q{SELECT * FROM iuid_run_on_nodes('SELECT current_user', '{mexico}')},
			extra_params => [ '-U', 'passed' ]))[1];
	};
	like($as_passed->(), qr/^mexico\|t\|passed/, 'the keys of a SCRAM login are passed on');
	$here->safe_psql('shop', q{ALTER USER MAPPING FOR passed SERVER mexico OPTIONS (SET use_scram_passthrough 'false')});
	like($as_passed->(), qr/^mexico\|f\|2F003: password/, 'unless that is off');
	$here->safe_psql('shop', q{ALTER SERVER mexico OPTIONS (ADD use_scram_passthrough 'true')});
	like($as_passed->(), qr/^mexico\|f\|2F003: password/, 'whatever the server has, as the user mapping comes first');
	$here->safe_psql('shop', q{ALTER USER MAPPING FOR passed SERVER mexico OPTIONS (DROP use_scram_passthrough)});
	like($as_passed->(), qr/^mexico\|t\|passed/, 'where only the server has it');
	# A node that asks for nothing has not shown who it lets in.
	$here->safe_psql('shop', q{ALTER USER MAPPING FOR passed SERVER mexico OPTIONS (SET user 'postgres')});
	like($as_passed->(), qr/^mexico\|f\|08001: .*authentication method requirement "scram-sha-256" failed/s,
		'the node must ask for them');
}

$app->quit;
$_->stop for reverse map { $node{$_} } @names;
done_testing();
