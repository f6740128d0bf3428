# Writers that keep what the server has acknowledged, servers that are killed, and what must hold
# of a database after that.  The oracles are the server's own: amcheck, its catalogs, and the
# identifiers as texts.
package Faults;
use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sessions;
use Test::More;

our @EXPORT = qw(rounds start_writers written stop_writers install_steps steps_of start_halted kill_server
	kill_backend stop_processes go_on catalog not_once check_indexes);

# Processes that stand still until go_on(); the number of those that do.  The tests' end must not wait
# for one.
my @stopped;
sub stop_processes { push @stopped, @_; return kill 'STOP', @_ }
sub go_on { kill 'CONT', @stopped; @stopped = (); return }
END { my $status = $?; go_on(); $? = $status }

my $folder = PostgreSQL::Test::Utils::tempdir;
my $number = 0;

# How often a fault comes: as seconds allow, or as the user says.
sub rounds { return $ENV{FAULT_ROUNDS} || shift }

# Starts a session for each script, which repeats the script until its connection breaks.  What a
# script prints is kept: an INSERT ... RETURNING outside of a transaction prints its row when the
# server has said that it is committed.
sub start_writers
{
	my ($connection, @scripts) = @_;
	my @writers;
	for my $script (@scripts)
	{
		my $file = "$folder/" . $number++;
		append_to_file("$file.sql", "$script\n" x 20_000);
		push @writers, { file => $file, psql => IPC::Run::start([ 'psql', '-XAtq', '-d', $connection, '-f', "$file.sql" ],
			'>', "$file.out", '2>', "$file.err") };
	}
	return @writers;
}

# What was acknowledged until now, in whole lines.
sub written { return map { slurp_file("$_->{file}.out") =~ /^(.+)\n/mg } @_ }

# The same, when the writers have ended; and what errors they had, without that of the connection.
sub stop_writers
{
	my @writers = @_;
	IPC::Run::finish($_->{psql}) for @writers;
	return (join('', map { slurp_file("$_->{file}.err") =~ /^.*ERROR: .*\n/mg } @writers), written(@writers));
}

# Each command is a step from here on, and so is each row that a CHECK or an index calls
# step_of_row() for.  A session with a setting test.halt waits at the step of that number, also
# where iuid has set a lock_timeout.  A sequence counts the steps, as it knows no rollback.
sub install_steps
{
	my ($node, $database) = @_;
	$node->safe_psql($database, q{
		CREATE SEQUENCE steps;
		GRANT USAGE ON SEQUENCE steps TO PUBLIC;
		CREATE FUNCTION step() RETURNS boolean LANGUAGE plpgsql SET lock_timeout = 0 AS $$
		BEGIN
			IF current_setting('test.halt', true) <> '' THEN
				IF nextval('public.steps') = current_setting('test.halt')::int THEN
					PERFORM pg_advisory_xact_lock(1);
				END IF;
			END IF;
			RETURN true;
		END $$;
		CREATE FUNCTION step_of_command() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM public.step(); END';
		CREATE FUNCTION step_of_row(id iuid) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN public.step(); END';
		CREATE EVENT TRIGGER steps ON ddl_command_start EXECUTE FUNCTION step_of_command()});
	return;
}

# How many steps some statements have: they are rolled back.
sub steps_of
{
	my ($node, $database, $statements, @parameters) = @_;
	$node->safe_psql($database, q{SELECT setval('steps', 1, false)});
	$node->safe_psql($database, qq{SET client_min_messages = warning; SET test.halt = 0; BEGIN; $statements;
		ROLLBACK}, @parameters);
	return $node->safe_psql($database, 'SELECT last_value FROM steps');
}

# Starts statements that wait at a step, or at none if it is 0.  Returns what is to be finished, and
# the process of the session that waits.
sub start_halted
{
	my ($node, $database, $connection, $statements, $halt) = @_;
	my $held = q{SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND };
	$node->safe_psql($database, q{SELECT setval('steps', 1, false)});
	my $holder = start_psql($node->connstr($database), 'SELECT pg_advisory_lock(1), pg_sleep(600)', '/dev/null');
	$node->poll_query_until($database, "SELECT count(*) = 1 FROM ($held granted) AS x") or die 'the lock is not held';
	local $ENV{PGOPTIONS} = "-c test.halt=$halt";
	my $halted = start_psql($connection, $statements, \my $out);
	my $pid = '';
	for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		last if !$halt || ($pid = $node->safe_psql($database, "$held NOT granted"));
		$halted->pump_nb;
		last unless $halted->pumpable;
		select undef, undef, undef, 0.1;
	}
	BAIL_OUT("step $halt does not come: $out") if $halt && !$pid;
	return ([ $holder, $halted ], $pid);
}

# Waits until a server that was killed has no process left, and starts it.  All that is removed is
# what the server itself removes.
sub kill_server
{
	my $node = shift;
	my ($server) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	my @left = ($server, split /\n/,
		$node->safe_psql('postgres', 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()'));
	$node->kill9;
	for (1 .. 20 * $PostgreSQL::Test::Utils::timeout_default)
	{
		@left = grep { kill 0, $_ } @left or last;
		select undef, undef, undef, 0.05;
	}
	is("@left", '', 'the processes of a killed server end');
	$node->start;
	return;
}

# The server starts all its processes anew when one of them was killed.
sub kill_backend
{
	my ($node, $pid) = @_;
	my $from = -s $node->logfile;
	kill 'KILL', $pid or die "$pid: $!";
	$node->wait_for_log(qr/all server processes terminated; reinitializing/, $from);
	$node->poll_query_until('postgres', undef, '') or die 'the server does not recover';
	return;
}

# The relations of the schema public, and their bounds as partitions.
sub catalog
{
	my ($node, $database) = @_;
	return $node->safe_psql($database, q{
		SELECT c.oid::regclass, c.relkind, i.inhparent::regclass, pg_get_expr(c.relpartbound, c.oid), x.indisvalid
		FROM pg_class AS c LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid LEFT JOIN pg_index AS x ON x.indexrelid = c.oid
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind <> 'S' ORDER BY c.oid::regclass::text COLLATE "C"});
}

# What was acknowledged and is not there, and what is there more than once.
sub not_once
{
	my ($acknowledged, $there) = @_;
	my %times = map { $_ => 0 } @$acknowledged;
	$times{$_}++ for @$there;
	my @wrong = map { "$_: $times{$_}" } grep { $times{$_} != 1 } sort keys %times;
	return join ' ', @wrong > 9 ? (@wrong[ 0 .. 8 ], scalar @wrong) : @wrong;
}

# Every btree of the tables of a schema, with all rows of its table, and found from the root.
sub check_indexes
{
	my ($node, $database, $what) = @_;
	my ($status, $out, $err) = $node->psql($database, q{
		SET client_min_messages = warning;
		CREATE EXTENSION IF NOT EXISTS amcheck;
		SELECT count(bt_index_parent_check(index => i.oid, heapallindexed => true, rootdescend => true)::text) > 10
		FROM pg_class AS i JOIN pg_am AS a ON a.oid = i.relam
		WHERE a.amname = 'btree' AND i.relkind = 'i' AND i.relnamespace = 'public'::regnamespace});
	is("$out$err", 't', "$what: the indexes have every row");
	return;
}

1;
