# The registry's cache while others change the tables: one statement has one
# answer, the next one a new answer, and nobody waits for a quiet moment.
use strict;
use warnings;

use lib 'test/t';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sessions qw(waits_in_loop);
use Test::More;

my $server = PostgreSQL::Test::Cluster->new('main');
$server->init;
$server->append_conf('postgresql.conf', 'max_prepared_transactions = 2');
$server->start;
$server->safe_psql('postgres', q{
	CREATE EXTENSION iuid_regions CASCADE;
	INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL), ('mexico', 'america', NULL);
	INSERT INTO iuid_routes VALUES (7, NULL, 'almaty');
	CREATE FUNCTION node_by_function(entity int) RETURNS text STABLE LANGUAGE plpgsql AS $$
	DECLARE
		node text;
	BEGIN
		SELECT iuid_node(7, entity) INTO node FROM pg_database WHERE datname = current_database();
		RETURN node;
	END $$;
	CREATE FUNCTION node_by_loop() RETURNS text STABLE LANGUAGE plpgsql AS $$
	DECLARE
		found record;
	BEGIN
		FOR found IN SELECT iuid_node(7, 2) AS node FROM pg_database WHERE datname = current_database() LOOP
			RETURN found.node;
		END LOOP;
	END $$;
	CREATE FUNCTION wait() RETURNS bool VOLATILE PARALLEL UNSAFE LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM pg_advisory_xact_lock_shared(1);
		RETURN true;
	END $$;
	CREATE FUNCTION node_after_wait() RETURNS text VOLATILE LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM wait();
		RETURN iuid_node(7, 1);
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
	for my $case (
		[ 'SELECT iuid_node(7, 1), wait(), iuid_node(7, 1)', 'almaty|t|almaty', 'two calls' ],
		[ q{SELECT iuid_node(7, 1), wait(), (iuid_inspect(iuid_from_name(7, 2, 'x'))).region}, 'almaty|t|asia', 'two functions' ],
		[ 'SELECT DISTINCT iuid_node(7, n % 3) FROM generate_series(1, 1000) AS n WHERE n <> 500 OR wait()', 'almaty', 'a thousand rows' ],
		[ 'SELECT node_by_function(1), wait(), node_by_function(1)', 'almaty|t|almaty', 'a function that looks for itself' ],
		[ 'SELECT DISTINCT node_by_function(n % 3) FROM generate_series(1, 100) AS n WHERE n <> 50 OR wait()', 'almaty', 'the same for many rows' ])
	{
		my ($query, $expected, $what) = @$case;
		$reader->query_safe("BEGIN ISOLATION LEVEL $level");
		is(ask_while_it_moves($query), $expected, "$level: one answer in $what");
		is($reader->query_safe($node), 'mexico', "$level: and a new one in the next statement");
		$reader->query_safe('COMMIT');
		is($reader->query_safe($node), 'mexico', "$level: and in the next transaction");
	}

	# A volatile function, such as a trigger, has statements of its own, which in READ COMMITTED see what is
	# committed now.  What the query around it asks after that is still asked by the query: or else an INSERT
	# whose trigger asks for a node would be checked by one registry before the trigger, and by another after it.
	my $inside = $level eq 'READ COMMITTED' ? 'mexico' : 'almaty';
	$reader->query_safe("BEGIN ISOLATION LEVEL $level");
	is(ask_while_it_moves('SELECT iuid_node(7, 1), node_after_wait(), iuid_node(7, 2)'), "almaty|$inside|almaty", "$level: one answer around statements of a function");

	# What runs the expression of a function in PL/pgSQL lives for the whole transaction.  The snapshot may do so,
	# too.  A service that calls such a function in each of its statements would never see a country move.
	$writer->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});
	is($reader->query_safe('SELECT node_after_wait()'), 'almaty', "$level: an expression of a function");
	$writer->query_safe(q{UPDATE iuid_routes SET node = 'mexico'});
	is($reader->query_safe('SELECT node_after_wait()'), 'mexico', "$level: and a new answer in the next statement");
	is($reader->query_safe($node), 'mexico', "$level: which a statement beside it has, too");
	$reader->query_safe('COMMIT');
}

# A cursor is one statement, whatever is asked in between: a report that is fetched page by page has one registry.
for my $level ('READ COMMITTED', 'REPEATABLE READ')
{
	$writer->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});
	$reader->query_safe("BEGIN ISOLATION LEVEL $level; DECLARE c CURSOR FOR SELECT iuid_node(7, 1) FROM generate_series(1, 3)");
	is($reader->query_safe('FETCH c'), 'almaty', "$level: a cursor");
	$writer->query_safe(q{UPDATE iuid_routes SET node = 'mexico'});
	is($reader->query_safe($node), 'mexico', 'another statement beside it');
	is($reader->query_safe('FETCH c'), 'almaty', 'the cursor goes on as it began');
	$reader->query_safe(q{INSERT INTO iuid_routes VALUES (7, 2, 'almaty')});
	is($reader->query_safe('SELECT iuid_node(7, 2)'), 'almaty', 'a change of its own');
	is($reader->query_safe('FETCH c'), 'almaty', 'is not of the cursor');
	$reader->query_safe('ROLLBACK');
}

# So is a query by the extended protocol, which comes in several messages, and a loop within it belongs to it.
# A cursor comes in several messages, too.
$writer->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});
$reader->query_safe('BEGIN; DECLARE c CURSOR FOR SELECT iuid_node(7, 1), node_by_loop() FROM generate_series(1, 2)');
is($reader->query_safe('FETCH c'), 'almaty|almaty', 'a cursor with a loop in it');
$writer->query_safe(q{UPDATE iuid_routes SET node = 'mexico'});
is($reader->query_safe('FETCH c'), 'almaty|almaty', 'both go on as they began');
$reader->query_safe('COMMIT');

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
is($reader->query_safe(q{SELECT current_setting('test.seen', true)}), 'mexico', 'a loop that waits for a change sees it');

# What is prepared is not committed, and then it is.
$writer->query_safe(q{BEGIN; UPDATE iuid_routes SET node = 'almaty'});
is($writer->query_safe($node), 'almaty', 'changed by its own transaction');
$writer->query_safe(q{PREPARE TRANSACTION 'moved'});
is($_->query_safe($node), 'mexico', 'prepared, it is not seen') for $writer, $reader;
$writer->query_safe(q{COMMIT PREPARED 'moved'});
is($_->query_safe($node), 'almaty', 'committed, it is') for $writer, $reader;
# The next transaction may come in the same message: then no snapshot and no time tells the two apart.
$writer->query_safe(q{BEGIN\; UPDATE iuid_routes SET node = 'mexico'\; SELECT set_config('test.seen', iuid_node(7, 1), false)\; PREPARE TRANSACTION 'moved'\; }
	. q{BEGIN\; INSERT INTO iuid_routes VALUES (8, NULL, 'almaty')\; SELECT set_config('test.seen', iuid_node(7, 1), false)\; COMMIT});
is($writer->query_safe(q{SELECT current_setting('test.seen')}), 'almaty', 'prepared, it is not seen by the rest of the message');
$writer->query_safe(q{ROLLBACK PREPARED 'moved'; DELETE FROM iuid_routes WHERE country = 8});

# Two transactions can have the same snapshots: here each has made one change of its own, and the last
# transaction that ended is one that began in the meantime.  What the first one moved is seen by the second.
$reader->query_safe('BEGIN; INSERT INTO others VALUES (1)');
$writer->query_safe('INSERT INTO others VALUES (2)');
is($reader->query_safe($node), 'almaty', 'a transaction looks');
$reader->query_safe(q{UPDATE iuid_routes SET node = 'mexico'; COMMIT; BEGIN; INSERT INTO others VALUES (3)});
is($reader->query_safe($node), 'mexico', 'moves the country, and the next one looks at the same snapshot');
$reader->query_safe(q{COMMIT; UPDATE iuid_routes SET node = 'almaty'});

# While it reads the tables, one of them changes: it has read a snapshot from before, and reads again.
# A session that is new has nothing in its cache.
$writer->query_safe(q{BEGIN; LOCK TABLE iuid_routes; UPDATE iuid_routes SET node = 'mexico'});
my $new = $server->background_psql('postgres');
$new->query_until(qr/asked/, "\\echo asked\n$node;\n");
$server->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE relation = 'iuid_routes'::regclass AND NOT granted})
	or die 'the look-up does not wait';
$writer->query_safe('COMMIT');
like($new->query_safe('SELECT 1'), qr/^mexico\s+1$/, 'a change while the registry is read');
$new->quit;

# The server keeps some thousand messages of changes.  Who has missed some of them is told that all
# has changed.  A session that waits reads none.
$writer->query_safe('SELECT pg_advisory_lock(1)');
$reader->query_safe("$node; SET log_min_messages = debug4");
$reader->query_until(qr/asked/, "\\echo asked\nSELECT pg_advisory_xact_lock_shared(1);\n");
$server->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) or die 'nobody waits';
$writer->query_safe(q{UPDATE iuid_routes SET node = 'almaty'});
for (1 .. 50)
{
	$server->safe_psql('postgres', q{DO $$ BEGIN
		FOR i IN 1 .. 40 LOOP EXECUTE format('CREATE TEMP TABLE t%s (a int, b int, c int, d int)', i); END LOOP; END $$});
}
my $log = -s $server->logfile;
$writer->query_safe('SELECT pg_advisory_unlock(1)');
like($reader->query_safe($node), qr/almaty$/, 'after more messages than the server keeps, the registry is read again');
like(slurp_file($server->logfile, $log), qr/cache state reset/, 'and the server had lost some');
$reader->query_safe('RESET log_min_messages');

# All 65,536 routes, and others who change them all the time.
$server->safe_psql('postgres', q{
	INSERT INTO iuid_routes SELECT c, e, 'almaty' FROM generate_series(0, 255) AS c, generate_series(0, 255) AS e});
my $script = $server->basedir . '/change.sql';
append_to_file($script, q{\set c random(0, 255)
\set e random(0, 255)
UPDATE iuid_routes SET node = CASE node WHEN 'almaty' THEN 'mexico' ELSE 'almaty' END WHERE country = :c AND entity = :e;
});
my ($out, $err) = ('', '');
my $changing = IPC::Run::start([ 'pgbench', '-n', '-c', '4', '-T', '600', '-f', $script, $server->connstr('postgres') ], '>', \$out, '2>', \$err);
$server->poll_query_until('postgres', q{SELECT count(*) > 1000 FROM iuid_routes WHERE node = 'mexico'}) or die "nobody changes anything: $err";
my $asked = 0;
for my $n (1 .. 10)
{
	my ($status, $node_now) = $server->psql('postgres', q{SET statement_timeout = '10s'; SELECT count(*), count(DISTINCT iuid_node(7, 1 + n * 0)) FROM generate_series(1, 1000) AS n});
	$asked++ if $status == 0 && $node_now eq '1000|1';
}
is($asked, 10, 'look-ups of a registry that never rests');
my $parallel = q{
	SET statement_timeout = '10s'; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SELECT count(iuid_node(7, relnatts % 2)) > 0 FROM pg_class};
is($server->safe_psql('postgres', $parallel), 't', 'by parallel workers, too');
$changing->kill_kill;
$server->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'pgbench'}) or die 'pgbench goes on';
is($server->safe_psql('postgres', 'SELECT count(*) FROM iuid_routes AS r WHERE country IS NOT NULL AND entity IS NOT NULL AND node <> iuid_node(country, entity)'),
	'0', 'when it rests, every route is as it stands');

$_->quit for $reader, $writer;
$server->stop;
done_testing();
