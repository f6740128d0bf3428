# pg_cancel_backend and pg_terminate_backend at random moments of every function that changes
# partitions and regions, or reads them: the catalog and the rows are those from before the call or
# those after it, no lock, connection or temporary table is left, and a session that was cancelled
# is what it was, and can do the same call.
#
# FAULT_ROUNDS=100 ./dev test faults_cancel cancels and ends each call a hundred times, which takes
# twenty minutes.  FAULT_SEED gives the moments of another run, as parts of the time that a call takes.
#
# One version is enough: iuid leaves it to the server to undo what was not committed.
use strict;
use warnings;

# The long form takes longer than one test should.
BEGIN { $ENV{PG_TEST_TIMEOUT_DEFAULT} //= 7200 if $ENV{FAULT_ROUNDS} }

use lib 'test/t';
use Faults qw(stop_processes go_on);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sessions;
use Test::More;
use Time::HiRes qw(time);

my $rounds = $ENV{FAULT_ROUNDS} // 2;
my $seed = srand($ENV{FAULT_SEED} // int(time));
note "FAULT_SEED=$seed";

# The database "postgres" is a node, and "there" is another one.
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf',
	"fsync = off\ntimezone = 'UTC'\nlog_statement = none\nmax_locks_per_transaction = 256\nautovacuum = off");
$node->start;
my ($host, $port) = ($node->host, $node->port);
$node->safe_psql('postgres', 'CREATE DATABASE there');
$node->safe_psql('there', 'CREATE EXTENSION iuid_regions CASCADE');
$node->safe_psql('postgres', qq{
	CREATE ROLE keeper; CREATE ROLE clerk IN ROLE keeper; CREATE ROLE caller IN ROLE clerk;
	CREATE EXTENSION iuid_regions CASCADE; CREATE EXTENSION postgres_fdw;
	CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw
		OPTIONS (host '$host,$host', port '$port', dbname 'there', extensions 'iuid');
	CREATE USER MAPPING FOR PUBLIC SERVER there;
	GRANT USAGE ON FOREIGN SERVER there TO keeper;
	GRANT INSERT, UPDATE ON iuid_countries TO keeper;
	GRANT CREATE ON DATABASE postgres TO keeper;
	INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'there');
	INSERT INTO iuid_routes VALUES (NULL, NULL, 'there');
	INSERT INTO iuid_routes SELECT n, NULL, CASE WHEN n <= 10 THEN 'here' ELSE 'there' END
		FROM generate_series(1, 20) AS n;
	ALTER DATABASE postgres SET iuid.node = 'here'});

# What there is, by name, and the rows of each table.
$node->safe_psql('postgres', q{
	CREATE FUNCTION state(OUT line text) RETURNS SETOF text LANGUAGE plpgsql AS $$
	DECLARE
		leaf regclass;
	BEGIN
		RETURN QUERY
		SELECT format('class %s %s %s %s %s %s %s', oid::regclass, relkind, relowner::regrole, relacl, reloptions,
			relispartition, pg_get_expr(relpartbound, oid))
			FROM pg_class WHERE oid >= 16384 AND relkind <> 't' AND relname NOT LIKE 'pg_toast%'
		UNION ALL SELECT format('column %s %s %s %s %s %s', attrelid::regclass, attnum, attname, atttypid::regtype,
			attnotnull, pg_get_expr(adbin, adrelid))
			FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
			WHERE attrelid >= 16384 AND attnum > 0 AND attrelid::regclass::text NOT LIKE 'pg_toast%'
		UNION ALL SELECT format('inherits %s %s', inhrelid::regclass, inhparent::regclass) FROM pg_inherits
		UNION ALL SELECT format('constraint %s %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid),
			convalidated)
			FROM pg_constraint WHERE oid >= 16384
		UNION ALL SELECT format('index %s %s', pg_get_indexdef(indexrelid), indisvalid)
			FROM pg_index WHERE indexrelid >= 16384 AND indexrelid::regclass::text NOT LIKE 'pg_toast%'
		UNION ALL SELECT format('trigger %s %s', tgrelid::regclass, pg_get_triggerdef(oid))
			FROM pg_trigger WHERE NOT tgisinternal
		UNION ALL SELECT format('view %s %s', oid::regclass, pg_get_viewdef(oid))
			FROM pg_class WHERE oid >= 16384 AND relkind = 'v'
		UNION ALL SELECT format('foreign table %s %s %s', ftrelid::regclass, ftserver, ftoptions) FROM pg_foreign_table
		UNION ALL SELECT format('server %s %s %s', srvname, srvacl, srvoptions) FROM pg_foreign_server
		UNION ALL SELECT format('mapping %s %s %s', srvid, umuser, umoptions) FROM pg_user_mappings
		UNION ALL SELECT format('depend %s %s %s %s', classid::regclass, refclassid::regclass, deptype, count(*))
			FROM pg_depend GROUP BY classid, refclassid, deptype;
		FOR leaf IN SELECT oid FROM pg_class
			WHERE relkind = 'r' AND (relnamespace = to_regnamespace('work') OR relname LIKE 'iuid%')
		LOOP
			RETURN QUERY EXECUTE format('SELECT format(%L, %L, count(*),
				md5(string_agg(t::text, chr(10) ORDER BY t::text))) FROM ONLY %s AS t', 'rows %s %s %s', leaf, leaf);
		END LOOP;
	END $$;

	-- Waits for a statement of a session, and for a time after it began.  Then cancels or ends it.
	CREATE FUNCTION interrupt(target int, statement text, after interval, how text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		a record;
		rest interval;
	BEGIN
		LOOP
			PERFORM pg_stat_clear_snapshot();
			SELECT * INTO a FROM pg_stat_activity WHERE pid = target;
			IF a.query LIKE statement || '%' THEN
				IF a.state <> 'active' THEN
					RETURN 'it was over';
				END IF;
				rest := a.query_start + after - clock_timestamp();
				IF rest <= interval '0' THEN
					RETURN CASE how WHEN 'cancel' THEN pg_cancel_backend(target) ELSE pg_terminate_backend(target) END;
				END IF;
			END IF;
			IF rest IS NULL OR rest > interval '2 ms' THEN
				PERFORM pg_sleep(0.001);
			END IF;
		END LOOP;
	END $$});

# --- The calls ------------------------------------------------------------------

# Identifiers that are the same each time.
my $orders = q{
	CREATE TABLE orders (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
	CREATE INDEX ON orders (note, id);
	CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
	INSERT INTO orders SELECT iuid_from_name(7, 1, n::text, timestamptz '2026-01-01' + n * interval '6 hours'),
		'order ' || n FROM generate_series(1, 1000) AS n;
	CREATE TABLE lines (order_id iuid REFERENCES orders);
	INSERT INTO lines SELECT id FROM orders LIMIT 100;};
my $months = q{SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-10-01');};
my $places = q{
	CREATE TABLE places (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id iuid_origin_ops);};
my $waiting = q{
	CREATE TABLE places_rest PARTITION OF places DEFAULT;
	INSERT INTO places SELECT iuid_from_name(n % 10 + 1, 1, n::text, timestamptz '2026-01-01' + n * interval '6 hours'),
		'place ' || n FROM generate_series(1, 1000) AS n;};
my $countries = q{SELECT iuid_create_routed_partitions('places', 1);};
my $divided = q{
	SELECT iuid_create_routed_partitions('places', 1, '1 year');
	INSERT INTO places SELECT iuid_from_name(n % 2 + 1, 1, n::text, timestamptz '2020-01-01' + n * interval '1 day'),
		'place ' || n FROM generate_series(1, 1000) AS n;};
my $table = q{SELECT iuid_create_global_table('places_global', 'places', 1)};
my $view = q{SELECT iuid_create_global_view('places_all', 'places')};
my $lock = 'LOCK TABLE work.%s IN ACCESS EXCLUSIVE MODE';

# What there is before, the call, and the table for which it waits if that is locked.
my @scenarios = (
	[ $orders, q{SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-10-01')}, 'orders_rest' ],
	[ "$places $divided", q{SELECT iuid_create_partitions('places_c1', '1 year', '2019-01-01', '2025-01-01')},
		'places_c1_before' ],
	[ "$orders $months DELETE FROM lines", q{SELECT iuid_drop_partitions('orders', '2026-07-01')}, 'orders' ],
	[ "$orders $months DELETE FROM lines", q{SELECT iuid_detach_partitions('orders', '2026-07-01')}, 'orders' ],
	[ "$places $divided SELECT iuid_create_partitions('places_c1', '1 year', '2019-01-01', '2025-01-01')",
		q{SELECT iuid_maintenance_step('places_c1', '1 year', 8, '5 years', false, '1 min', 0, 0, '{}')}, 'places_c1_after' ],
	[ "$orders CREATE TABLE march (LIKE orders)",
		q{SELECT iuid_attach_partitions('orders', '{march}', ARRAY[iuid_floor('2026-03-01')]::uuid[],
			ARRAY[iuid_floor('2026-04-01')]::uuid[])}, 'orders_rest' ],
	# An open end with a foreign key: all its rows go out, and those that stay come back.
	[ "$orders DROP TABLE lines; ALTER TABLE orders DETACH PARTITION orders_rest;
		ALTER TABLE orders ATTACH PARTITION orders_rest FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-10-01'));
		CREATE TABLE lines (order_id iuid REFERENCES orders); INSERT INTO lines SELECT id FROM orders;
		CREATE TABLE september (LIKE orders)",
		q{SELECT iuid_attach_partitions('orders', '{september}', ARRAY[iuid_floor('2026-08-01')]::uuid[],
			ARRAY[iuid_floor('2026-10-01')]::uuid[])}, 'lines' ],
	[ $orders, q{SELECT iuid_run_as_owner('orders', 'UPDATE work.orders SET note = note || 1')}, 'orders_rest' ],
	[ $orders . $months, q{SELECT iuid_partitions('orders')}, 'orders' ],
	[ $orders, q{SELECT iuid_check_partitions('orders')}, 'orders' ],
	[ $places . $waiting, q{SELECT iuid_create_country_partitions('places', 1, '{1,2,3}')}, 'places_rest' ],
	[ $places, q{SELECT iuid_create_country_partitions('places', 1, '{1,2,3}', '1 year')}, 'places' ],
	[ $places . $waiting, q{SELECT iuid_create_routed_partitions('places', 1)}, 'places_rest' ],
	[ $places, q{SELECT iuid_create_routed_partitions('places', 1, '1 year')}, 'places' ],
	[ $places . $countries, $table, 'places' ],
	[ $places . $countries, $view, 'places' ],
	[ qq{$places $countries $table;
		DROP FOREIGN TABLE places_global_c12, places_global_c17;
		ALTER TABLE places_global ADD COLUMN more text}, $table, 'places_global' ],
	[ "$places $countries $table", q{SELECT iuid_drop_global('places_global')}, 'places' ],
	[ "$places $countries $view; ALTER TABLE places ADD COLUMN more text", $view, 'places' ],
	[ "$places $countries $view", q{SELECT iuid_drop_global('places_all')}, 'places_all' ],
	[ "$places $countries $table", q{SELECT iuid_check_regions('places_global')}, 'places', 'postgres' ],
	[ "$places $countries $table; $view", q{SELECT iuid_check_regions('places_all')}, 'places', 'postgres' ],
	[ "$places $countries $table; $view", q{SELECT iuid_check_regions()}, undef, 'postgres' ],
	[ $places, q{SELECT iuid_run_on_nodes('SELECT pg_sleep(0.02) IS NULL', timeout => '20 seconds')}, undef, 'postgres' ],
	[ $places, q{SELECT count(*) FROM iuid_select_on_nodes(NULL::iuid_nodes,
		'SELECT n.* FROM iuid_nodes AS n, pg_sleep(0.02)', timeout => '20 seconds')}, undef, 'postgres' ],
	[ $places, q{SELECT count(*) FROM iuid_run_on_hosts('SELECT pg_sleep(0.02) IS NULL', '20 seconds')},
		undef, 'postgres' ],
	[ $places, q{SELECT count(*) FROM iuid_registry_on_nodes(NULL, 'SELECT NULL::jsonb AS countries,
		NULL::jsonb AS entities, NULL::jsonb AS nodes, NULL::jsonb AS routes FROM pg_sleep(0.02)',
		NULL, '20 seconds', false)}, undef, 'postgres' ],
	[ $places, q{SELECT count(*) FROM iuid_compare_registry('there', '20 seconds')}, undef, 'postgres' ],
	[ $places,
		q{SELECT * FROM iuid_select_here('SELECT pg_sleep(0.02) IS NULL AS slept', '{slept}', '{boolean}') AS r (slept text)},
		undef, 'postgres' ],
	[ $places . $waiting, q{SELECT count(*) FROM iuid_find(NULL::places,
		VARIADIC ARRAY(SELECT id::uuid FROM places WHERE iuid_country(id) <= 10))}, undef, 'postgres' ],
	[ $places . $waiting, q{SELECT count(*) FROM iuid_find_here('places', '{id}', '{public.iuid}',
		ARRAY(SELECT id::uuid FROM places WHERE iuid_country(id) <= 10),
		ARRAY(SELECT 'here'::text FROM places WHERE iuid_country(id) <= 10)) AS r (found text, node text, id text)},
		undef, 'postgres' ],
	[ q{TRUNCATE iuid_countries}, q{SELECT iuid_register_iso_countries()}, 'iuid_countries' ]);

is( $node->safe_psql('postgres', q{
		SELECT string_agg(DISTINCT proname, ' ' ORDER BY proname)
		FROM pg_proc JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e'
			JOIN pg_extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid AND extname LIKE 'iuid%'
		WHERE NOT (prokind = 'f' AND (provolatile = 's' OR prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c'))
			AND obj_description(pg_proc.oid, 'pg_proc') LIKE 'internal:%')
			AND ('regclass'::regtype = ANY (proargtypes)
			OR provolatile = 'v' AND prorettype NOT IN ('iuid'::regtype, 'trigger'::regtype, 'tid'::regtype))}),
	join(' ',
		sort keys %{ { map { $_->[1] =~ /(iuid_\w+)/; $1 =~ s/maintenance_step/maintain_partitions/r => 1 } @scenarios } }),
	'every function has a scenario');

# --- What is seen after each ------------------------------------------------------

my ($monitor, $killer) = map { $node->background_psql('postgres') } 1 .. 2;
$_->set_query_timer_restart for $monitor, $killer;   # each lives longer than one query may take
my ($session, $pid, $settings);
my $mark = 0;
my %count;

sub state
{
	return $monitor->query_safe('SELECT md5(string_agg(line, chr(10) ORDER BY line COLLATE "C")) FROM state()');
}

sub prepare
{
	my ($before) = @_;
	$node->safe_psql('postgres', "SET client_min_messages = warning; DROP SCHEMA IF EXISTS work CASCADE");
	$before = "SET ROLE keeper; CREATE SCHEMA work; SET search_path = work, public; $before" unless $before =~ /TRUNCATE/;
	$node->safe_psql('postgres', "SET client_min_messages = warning; $before");
	return state();
}

# The caller has a role and settings of its own.  Those of PL/pgSQL are there once a function is.
sub settings
{
	return run($session, q{
		SELECT current_user, session_user, md5(string_agg(name || ' ' || setting, ',' ORDER BY name)) FROM pg_settings
			WHERE name NOT LIKE 'plpgsql.%' GROUP BY 1, 2});
}

sub begin_session
{
	my ($role) = @_;
	$session = open_session($node);
	$pid = run($session, 'SELECT pg_backend_pid()');
	# The libraries have settings of their own.
	run($session, q{LOAD 'iuid'; LOAD 'iuid_regions'; LOAD 'plpgsql'; LOAD 'postgres_fdw'});
	run($session, q{SET client_min_messages = error; SET search_path = work, public; SET lock_timeout = '30s';
		SET iuid.country = 3}
		. ($role ? "; SET SESSION AUTHORIZATION $role" : '; SET SESSION AUTHORIZATION caller; SET ROLE clerk'));
	$settings = settings();
	return;
}

sub nothing_left
{
	my ($what) = @_;
	my $left = $monitor->query_safe(qq{SELECT (SELECT count(*) FROM pg_locks WHERE pid = $pid),
		(SELECT count(*) FROM pg_class WHERE relpersistence = 't'), (SELECT count(*) FROM pg_prepared_xacts)});
	return $left eq '0|0|0' ? '' : "$what: locks, temporary tables, prepared transactions: $left\n";
}

# Nothing that this session has asked runs at the other node any more.
sub asked_there
{
	my ($states, $what) = @_;
	return $node->poll_query_until('postgres', qq{SELECT count(*) = 0 FROM pg_stat_activity
		WHERE datname = 'there' AND state IN ($states)}) ? '' : "$what: a connection to the other node is left\n";
}

# A session that was cancelled is what it was: it is in no restricted operation, either.
sub is_as_before
{
	my ($what) = @_;
	my $fault = '';
	my $now = settings();
	$fault .= "$what: the session has other settings: $now, not $settings\n" if $now ne $settings;
	my $made = run($session, 'CREATE TEMPORARY TABLE made (); DROP TABLE made');
	$fault .= "$what: the session cannot make a temporary table: $made\n" if $made ne '';
	return $fault;
}

# What a call gives, or that the session has ended.
sub call
{
	my ($call) = @_;
	my $out = eval { run($session, $call) };
	return $out if defined $out;
	eval { $session->{run}->finish };
	return 'ended';
}

# On a busy machine the timeout can end the statement that resets it.
sub no_timeouts
{
	1 until run($session, q{SET lock_timeout = '30s'; RESET statement_timeout}) eq '';
	return;
}

# The same, if the call is interrupted some seconds after it began.
sub interrupted
{
	my ($how, $seconds, $call) = @_;
	my $comment = sprintf '/* %d */', ++$mark;
	$killer->query_until(qr/sent/, "\\echo sent\nSELECT interrupt($pid, '$comment', '$seconds s', '$how');\n");
	my $out = call("$comment $call");
	my $sent = $killer->query_safe('');
	# The session may have done the call just before it was told to end.
	return $how eq 'terminate' && $sent eq 'true' ? 'ended' : $out;
}

# Sends the call, and lets it be interrupted at a random moment of its time.  What is wrong then.
sub interrupt_once
{
	my ($how, $call, $seconds, $before, $after, $result) = @_;
	my $moment = sprintf '%.6f', rand() * $seconds;
	my $what = "$call: $how after $moment s";
	my $out = interrupted($how, $moment, $call);
	if ($out eq 'ended')
	{
		my $gone = $node->poll_query_until('postgres', qq{SELECT (SELECT count(*) FROM pg_stat_activity
			WHERE pid = $pid) + (SELECT count(*) FROM pg_locks WHERE pid = $pid) = 0});
		$count{ended}++;
		my $fault = ($gone ? '' : "$what: the backend is there\n") . nothing_left($what)
			. asked_there(q{'idle', 'active'}, $what);
		my $now = state();
		$fault .= "$what: half done\n" unless $now eq $before || $now eq $after;
		return ($fault, $now ne $before);
	}
	my $cancelled = $out eq '57014';
	$count{ $cancelled ? 'cancelled' : 'done' }++;
	my $fault = nothing_left($what) . is_as_before($what) . asked_there(q{'active'}, $what);
	my $now = state();
	$fault .= "$what: half done\n" if $now ne ($out eq $result ? $after : $before);
	$fault .= "$what: $out, not $result\n" if !$cancelled && $out ne $result;
	return ($fault, $now ne $before);
}

for (@scenarios)
{
	my ($make, $call, $locked, $role) = @$_;
	my ($name) = $call =~ /SELECT (.*)/;

	# The call alone: what it takes, gives, and leaves.
	my $before = prepare($make);
	begin_session($role);
	my $begin = time;
	my $result = call($call);
	my $seconds = time - $begin;
	my $after = state();
	unlike($result, qr/^\d{5}$|^\w{5}$/, "$name: is done");
	my $fault = is_as_before('done');

	# At random moments.
	for my $how ('cancel', 'terminate')
	{
		my $done = 1;
		for my $round (1 .. $rounds)
		{
			$fault .= "prepared otherwise\n" if $done && prepare($make) ne $before;
			(my $more, $done) = interrupt_once($how, $call, $seconds, $before, $after, $result);
			$fault .= $more;
			begin_session($role) if !$monitor->query_safe("SELECT count(*) FROM pg_stat_activity WHERE pid = $pid");
		}
		# The same session, or a new one, does the same call.
		$fault .= "prepared otherwise\n" if $done && prepare($make) ne $before;
		my $again = call($call);
		$fault .= "after $how: $again, not $result\n" if $again ne $result;
		$fault .= "after $how: something else is done\n" if state() ne $after;
	}

	# While it waits for a lock.
	if (defined $locked)
	{
		my $holder = open_session($node);
		prepare($make);
		for my $end ('cancel', 'lock_timeout', 'statement_timeout', 'terminate')
		{
			# A step of maintenance says so, and goes on with the others.
			next if $end eq 'lock_timeout' && $name =~ /^iuid_maintenance_step/;
			my $what = "while it waits, $end";
			my $timeout = $end =~ /timeout/;
			run($holder, sprintf 'BEGIN; LOCK TABLE %s IN %s MODE', $locked =~ /iuid/ ? $locked : "work.$locked",
				$locked eq 'places_all' ? 'ACCESS SHARE' : 'ACCESS EXCLUSIVE');
			run($session, "SET $end = '50ms'") if $timeout;
			my $out = $timeout ? call($call) : interrupted($end, '0.05', $call);
			# A cancel of the moment in which an attempt's time ends is lost, as for everyone who catches that.
			for (1 .. 4)
			{
				$out = interrupted($end, rand() * 0.1, $call) if $end eq 'cancel' && $out eq '55P03';
			}
			no_timeouts() if $timeout;
			run($holder, 'ROLLBACK');
			my $expected = $end eq 'lock_timeout' ? '55P03' : $end eq 'terminate' ? 'ended' : '57014';
			$fault .= "$what: $out, not $expected\n" if $out ne $expected;
			$fault .= "$what: half done\n" if state() ne $before;
			$fault .= nothing_left($what);
			$fault .= is_as_before($what) if $end ne 'terminate';
		}
		$holder->quit;
		begin_session($role);
	}
	is($fault, '', "$name: interrupted, nothing is half done") or diag "FAULT_SEED=$seed";
	$session->quit;
}
note join ', ', map { "$_: $count{$_}" } sort keys %count;
# On a busy machine most calls are over before the moment that was chosen.
ok($count{cancelled} > 0 && $count{ended} > 0, 'calls were cancelled, and sessions ended, while they ran');

# --- A statement_timeout that ends together with a wait ---------------------------------

# A process that is stopped finds both when it goes on.
sub is_waiting
{
	return $monitor->query_safe("SELECT count(*) FROM pg_locks WHERE pid = $pid AND NOT granted AND relation IS NOT NULL");
}

sub is_asleep
{
	return $monitor->query_safe("SELECT count(*) FROM pg_stat_activity WHERE pid = $pid AND wait_event = 'PgSleep'");
}

# Sends a statement; stops the session when something is so, until its wait and statement_timeout are
# over; and returns what comes of it.  Meanwhile the server is asked nothing, as the session may have
# stopped while it held what others need.
sub time_out
{
	my ($statement, $until) = @_;
	run($session, q{SET statement_timeout = '1500ms'});
	$session->query_until(qr/sent/, "\\echo sent\n$statement;\n");
	1 until $until->();
	stop_processes($pid) or die "kill: $!";
	sleep 2;
	go_on();
	my $outcome = outcome($session);
	no_timeouts();
	return $outcome;
}

prepare($orders);
begin_session();
my $holder = open_session($node);
run($holder, 'BEGIN; LOCK TABLE work.orders_rest IN ACCESS EXCLUSIVE MODE');
run($session, q{SET lock_timeout = '10s'});
is(time_out($scenarios[0][1], \&is_waiting), '57014', 'statement_timeout, when the wait for a lock ends');
run($holder, 'ROLLBACK');
$session->quit;
begin_session('postgres');
is(time_out(q{SELECT * FROM iuid_run_on_nodes('SELECT pg_sleep(10)', ARRAY['here'], '1600 ms')}, \&is_asleep),
	'57014', 'statement_timeout, when the time of a command on nodes ends');
is(run($session, q{SELECT * FROM iuid_run_on_nodes('SELECT 1')}), "here|t|1\nthere|t|1", 'and the next command runs');
$session->quit;

# A node is looked up in the server's catalogs, which may be locked.
begin_session('postgres');
run($holder, 'BEGIN; LOCK TABLE pg_foreign_server IN ACCESS EXCLUSIVE MODE');
is(interrupted('cancel', '0.1', q{SELECT * FROM iuid_run_on_nodes('SELECT 1')}),
	'57014', 'cancel, while a node is looked up');
run($holder, 'ROLLBACK');
$_->quit for $session, $holder;

# What takes long at another node ends there, too, whether the call is cancelled or the session ends.
for my $how ('cancel', 'terminate')
{
	begin_session('postgres');
	my $out = interrupted($how, '0.2',
		q{SELECT * FROM iuid_run_on_nodes('SELECT pg_sleep(3600)', ARRAY['there'], '1 hour')});
	is($out, $how eq 'cancel' ? '57014' : 'ended', "$how, while another node works");
	is(asked_there(q{'active'}, $how), '', 'which ends the command');
	next if $how eq 'terminate';
	is(run($session, q{SELECT * FROM iuid_run_on_nodes('SELECT 1')}), "here|t|1\nthere|t|1", 'and runs the next one');
	$session->quit;
}

$_->quit for $monitor, $killer;
my $log = slurp_file($node->logfile);
unlike($log, qr/PANIC|TRAP|was terminated by signal|in recovery mode/, 'no process crashed');
$node->stop;
done_testing();
