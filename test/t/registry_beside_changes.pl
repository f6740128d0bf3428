# A look-up while others change the routes: it says what a SELECT of the routes in its place would say.
use strict;
use warnings;

use lib 'test/t';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sessions;
use Test::More;

my $server = PostgreSQL::Test::Cluster->new('main');
$server->init;
$server->append_conf('postgresql.conf', q{
max_prepared_transactions = 2
wal_level = replica
max_wal_senders = 1
synchronous_standby_names = 'none'
synchronous_commit = local});
$server->start;
$server->safe_psql('postgres', q{
	CREATE EXTENSION iuid_regions CASCADE;
	INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL), ('mexico', 'america', NULL);
	INSERT INTO iuid_routes VALUES (7, NULL, 'almaty');
	-- the oracle: a STABLE function sees what the statement around it sees
	CREATE FUNCTION selected(c int, e int) RETURNS text STABLE LANGUAGE plpgsql AS $$
	BEGIN
		RETURN (SELECT node FROM iuid_routes AS r WHERE (country = c OR country IS NULL) AND (entity = e OR entity IS NULL)
			ORDER BY country IS NULL, entity IS NULL LIMIT 1);
	END $$;
	CREATE FUNCTION looked_up(c int, e int) RETURNS text STABLE LANGUAGE plpgsql AS $$
	BEGIN
		RETURN format('%s=%s', iuid_node(c, e), selected(c, e));
	END $$;
	CREATE FUNCTION wait() RETURNS bool VOLATILE PARALLEL UNSAFE LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM pg_advisory_xact_lock_shared(1);
		RETURN true;
	END $$;
	CREATE FUNCTION looked_up_after_wait() RETURNS text VOLATILE LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM wait();
		RETURN format('%s=%s', iuid_node(7, 1), selected(7, 1));
	END $$});

my $reader = $server->background_psql('postgres');
my $writer = $server->background_psql('postgres');
my $node = 'SELECT iuid_node(7, 1)';

# What a query gives while the writer moves the country, in the middle of it:
# the query waits for a lock that the writer gives back when it has committed.
sub ask_while_it_moves
{
	my ($query) = @_;
	$writer->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});
	$writer->query_safe('SELECT pg_advisory_lock(1)');
	$reader->query_until(qr/asked/, "\\echo asked\n$query;\n");
	$server->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted})
		or die "the query does not wait: $query";
	$writer->query_safe(q{UPDATE iuid_routes SET node = 'mexico'});
	$writer->query_safe('SELECT pg_advisory_unlock(1)');
	my $out = $reader->query_safe('SELECT 1');
	$out =~ s/\s*1$//;
	return $out;
}

for my $level ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
{
	# From READ COMMITTED on, the next statement sees the change; a transaction with one snapshot never does.
	my $next = $level eq 'READ COMMITTED' ? 'mexico' : 'almaty';
	for my $case (
		[ 'SELECT iuid_node(7, 1), selected(7, 1), wait(), iuid_node(7, 1), selected(7, 1)', 'almaty|almaty|t|almaty|almaty',
			'two calls' ],
		[ q{SELECT iuid_node(7, 1), wait(), (iuid_inspect(iuid_from_name(7, 2, 'x'))).region}, 'almaty|t|asia',
			'two functions' ],
		[ 'SELECT DISTINCT iuid_node(7, n % 3) FROM generate_series(1, 1000) AS n WHERE n <> 500 OR wait()',
			'almaty', 'a thousand rows' ],
		[ 'SELECT looked_up(7, 1), wait(), looked_up(7, 1)', 'almaty=almaty|t|almaty=almaty',
			'a function that looks for itself' ],
		[ 'SELECT DISTINCT looked_up(7, n % 3) FROM generate_series(1, 100) AS n WHERE n <> 50 OR wait()',
			'almaty=almaty', 'the same for many rows' ],
		# A volatile function, such as a trigger, has statements of its own.  The query around it goes on
		# with its snapshot.
		[ 'SELECT iuid_node(7, 1), looked_up_after_wait(), looked_up(7, 2)', "almaty|$next=$next|almaty=almaty",
			'a query around statements of a function' ])
	{
		my ($query, $expected, $what) = @$case;
		$writer->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});
		$reader->query_safe("BEGIN ISOLATION LEVEL $level; $node");
		is(ask_while_it_moves($query), $expected, "$level: $what");
		is($reader->query_safe('SELECT looked_up(7, 1)'), "$next=$next", "$level: the next statement");
		$reader->query_safe('COMMIT');
		is($reader->query_safe('SELECT looked_up(7, 1)'), 'mexico=mexico', "$level: the next transaction");
	}

	# What runs the expression of a function in PL/pgSQL lives for the whole transaction.
	$writer->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});
	$reader->query_safe("BEGIN ISOLATION LEVEL $level");
	is($reader->query_safe('SELECT looked_up_after_wait()'), 'almaty=almaty', "$level: an expression of a function");
	$writer->query_safe(q{UPDATE iuid_routes SET node = 'mexico'});
	is($reader->query_safe('SELECT looked_up_after_wait()'), "$next=$next", "$level: and in the next statement");
	$reader->query_safe('COMMIT');

	# A change of one's own, and one that is undone, also by a subtransaction of the same statement.
	$reader->query_safe("BEGIN ISOLATION LEVEL $level; SELECT looked_up(7, 1); UPDATE iuid_routes SET node = 'almaty'");
	is($reader->query_safe('SELECT looked_up(7, 1)'), 'almaty=almaty', "$level: a change of its own");
	$reader->query_safe(q{SAVEPOINT s; UPDATE iuid_routes SET node = 'mexico'});
	is($reader->query_safe('SELECT looked_up(7, 1)'), 'mexico=mexico', "$level: in a subtransaction");
	$reader->query_safe('ROLLBACK TO s');
	is($reader->query_safe('SELECT looked_up(7, 1)'), 'almaty=almaty', "$level: which is rolled back");
	$reader->query_safe('ROLLBACK');
	is($reader->query_safe('SELECT looked_up(7, 1)'), 'mexico=mexico', "$level: and all of it");
}

# A cursor is one statement, whatever is asked in between: a report that is fetched page by page has one registry.
for my $level ('READ COMMITTED', 'REPEATABLE READ')
{
	$writer->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});
	$reader->query_safe(qq{BEGIN ISOLATION LEVEL $level;
		DECLARE c CURSOR FOR SELECT iuid_node(7, 1), looked_up(7, 2) FROM generate_series(1, 3)});
	$writer->query_safe(q{UPDATE iuid_routes SET node = 'mexico'});
	is($reader->query_safe('FETCH c'), 'almaty|almaty=almaty', "$level: a cursor that is asked after a change");
	is($reader->query_safe('SELECT looked_up(7, 1)'), $level eq 'READ COMMITTED' ? 'mexico=mexico' : 'almaty=almaty',
		'another statement beside it');
	is($reader->query_safe('FETCH c'), 'almaty|almaty=almaty', 'the cursor goes on as it began');
	$reader->query_safe(q{INSERT INTO iuid_routes VALUES (7, 2, 'almaty')});
	is($reader->query_safe('SELECT looked_up(7, 2)'), 'almaty=almaty', 'a change of its own');
	$reader->query_safe('ROLLBACK');
}

# The transaction that moves the country may be older than others that have ended already.  Then the
# snapshots before and after its end have the same xmax.
$server->safe_psql('postgres', 'CREATE TABLE others (n int)');
$writer->query_safe(q{BEGIN; UPDATE iuid_routes SET node = 'almaty'});
$server->safe_psql('postgres', 'INSERT INTO others VALUES (1)');
is($reader->query_safe("BEGIN; $node"), 'mexico', 'before a commit');
$writer->query_safe('COMMIT');
is($reader->query_safe($node), 'almaty', 'after it, with the same xmax');
$reader->query_safe('COMMIT');

# Each expression of PL/pgSQL is a statement, though what runs it lives for the whole transaction.
$writer->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});
waits_in_loop($reader, q{iuid_node(7, 1) = 'almaty'}, $server) or die 'nobody waits';
$writer->query_safe(q{UPDATE iuid_routes SET node = 'mexico'});
is($reader->query_safe(q{SELECT current_setting('test.seen', true)}),
	'mexico', 'a loop that waits for a change sees it');

# What is prepared is not committed, and then it is.
$writer->query_safe(q{BEGIN; UPDATE iuid_routes SET node = 'almaty'});
is($writer->query_safe($node), 'almaty', 'changed by its own transaction');
$writer->query_safe(q{PREPARE TRANSACTION 'moved'});
is($_->query_safe($node), 'mexico', 'prepared, it is not seen') for $writer, $reader;
$writer->query_safe(q{COMMIT PREPARED 'moved'});
is($_->query_safe($node), 'almaty', 'committed, it is') for $writer, $reader;
# The next transaction may come in the same message: then no snapshot and no time tells the two apart.
$writer->query_safe(q{BEGIN\; UPDATE iuid_routes SET node = 'mexico'\;
	SELECT set_config('test.seen', iuid_node(7, 1), false)\; PREPARE TRANSACTION 'moved'\; }
	. q{BEGIN\; INSERT INTO iuid_routes VALUES (8, NULL, 'almaty')\;
		SELECT set_config('test.seen', iuid_node(7, 1), false)\; COMMIT});
is($writer->query_safe(q{SELECT current_setting('test.seen')}),
	'almaty', 'prepared, it is not seen by the rest of the message');
$writer->query_safe(q{ROLLBACK PREPARED 'moved'; DELETE FROM iuid_routes WHERE country = 8});

# Two transactions can have the same snapshots: here each has made one change of its own, and the last
# transaction that ended is one that began in the meantime.  What the first one moved is seen by the second.
$reader->query_safe('BEGIN; INSERT INTO others VALUES (1)');
$writer->query_safe('INSERT INTO others VALUES (2)');
is($reader->query_safe($node), 'almaty', 'a transaction looks');
$reader->query_safe(q{UPDATE iuid_routes SET node = 'mexico'; COMMIT; BEGIN; INSERT INTO others VALUES (3)});
is($reader->query_safe($node), 'mexico', 'moves the country, and the next one looks at the same snapshot');
$reader->query_safe(q{COMMIT; UPDATE iuid_routes SET node = 'almaty'});

# Who has looked up a route keeps others from emptying the table, as who has selected from it.
$reader->query_safe("BEGIN ISOLATION LEVEL REPEATABLE READ; $node");
my (undef, undef, $waited) = $server->psql('postgres', q{SET lock_timeout = 100; TRUNCATE iuid_routes});
like($waited, qr/lock timeout/, 'TRUNCATE waits for a transaction that has looked up a route');
$reader->query_safe('COMMIT');

# A transaction that is being prepared is in progress twice, until a standby has it.  So the number of those
# in progress is the same before it and after another one has ended.
my ($first, $preparer) = map { open_session($server) } 1, 2;
run($first, q{BEGIN; UPDATE iuid_routes SET node = 'mexico'});
run($preparer, 'SET synchronous_commit = on; BEGIN; INSERT INTO others VALUES (5)');
$server->safe_psql('postgres', 'INSERT INTO others VALUES (6)');
is($reader->query_safe("BEGIN; $node"), 'almaty', 'two transactions are in progress');
$preparer->query_until(qr/sent/, "\\echo sent\nPREPARE TRANSACTION 'twice';\n");
$server->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'})
	or die 'nothing waits for a standby';
run($first, 'COMMIT');
is($reader->query_safe($node), 'mexico', 'one of them has ended, and the other one is there twice');
$reader->query_safe('COMMIT');
$server->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'});
run($preparer, q{SET synchronous_commit = local; ROLLBACK PREPARED 'twice'});
$_->quit for $first, $preparer;
$writer->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});

# SERIALIZABLE: who has looked up a route has read it.
my $serial = open_session($server);
run($serial, "BEGIN ISOLATION LEVEL SERIALIZABLE; $node; INSERT INTO others VALUES (4)");
$writer->query_safe(q{BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM others;
	UPDATE iuid_routes SET node = 'mexico'; COMMIT});
is(run($serial, 'COMMIT'), '40001', 'a look-up and a change that depend on each other cannot be in a row');
$serial->quit;
$writer->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});

# All 65,536 routes, and others who change them all the time.
$server->safe_psql('postgres', q{
	INSERT INTO iuid_routes SELECT c, e, 'almaty' FROM generate_series(0, 255) AS c, generate_series(0, 255) AS e});
my $script = $server->basedir . '/change.sql';
append_to_file($script, q{\set c random(0, 255)
\set e random(0, 255)
UPDATE iuid_routes SET node = CASE node WHEN 'almaty' THEN 'mexico' ELSE 'almaty' END
	WHERE country = :c AND entity = :e;
});
my ($out, $err) = ('', '');
my $changing = IPC::Run::start([ 'pgbench', '-n', '-c', '4', '-T', '600', '-f', $script, $server->connstr('postgres') ],
	'>', \$out, '2>', \$err);
$server->poll_query_until('postgres', q{SELECT count(*) > 1000 FROM iuid_routes WHERE node = 'mexico'})
	or die "nobody changes anything: $err";
my $every_route = q{SELECT count(*) FROM iuid_routes
	WHERE country IS NOT NULL AND entity IS NOT NULL AND node <> iuid_node(country, entity)};
is($server->safe_psql('postgres', $every_route), '0', 'every route is as the statement sees it') for 1 .. 5;
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;';
is($server->safe_psql('postgres', "$parallel $every_route"), '0', 'for parallel workers, too') for 1 .. 5;
$changing->kill_kill;

$_->quit for $reader, $writer;
$server->stop;
done_testing();
