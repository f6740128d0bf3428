# The ways to make a key that test/bench/contention/README.md compares, from sessions that come
# between each other in a fixed order: what the wrong ones do, what repairs them, and what the right
# ones guarantee.  The statements are those of the benchmark.
#
# One version is enough: examples are SQL, and what they use has tests of its own.
use strict;
use warnings;

use lib 'test/t';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sessions;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION iuid');

# The tables, as they are before each case.
sub start_over
{
	$node->safe_psql('postgres', join ';', 'SET client_min_messages = warning',
		'DROP TABLE IF EXISTS counter, by_counter, blocks, by_blocks, by_sequence, by_cache, by_gen_iuid',
		'DROP TABLE IF EXISTS naive, by_naive, by_max, shared, by_shared',
		slurp_file('test/bench/contention/tables.sql'), @_);
}

# The statements of a way, but for those that begin and end its transaction.
sub statements_of
{
	my $script = slurp_file("test/bench/contention/$_[0].pgbench");
	$script =~ s/^\s*(?:--|\\|BEGIN|COMMIT).*\n//gm;
	return $script =~ /^\s*(.+?(?:;|\\gset))$/gms;
}

sub ids { return $node->safe_psql('postgres', "SELECT string_agg(id::text, ' ' ORDER BY id) FROM $_[0]") }

my ($one, $two, $three) = map { open_session($node) } 1 .. 3;

# --- the naive counter ---------------------------------------------------

my ($read, @write) = statements_of('naive');
for my $case (
	[ 'READ COMMITTED', '', '', '1 1', 'two rows get one number' ],
	[ 'READ COMMITTED', 'ALTER TABLE by_naive ADD PRIMARY KEY (id)', '23505', '1', 'with a primary key, an error' ],
	[ 'REPEATABLE READ', '', '40001', '1', 'in REPEATABLE READ, an error' ])
{
	my ($level, $alter, $error, $ids, $what) = @$case;
	start_over($alter);
	run($_, "BEGIN ISOLATION LEVEL $level;", $read) for $one, $two;
	is(run($one, @write), '', 'naive: the first has no error');
	ok(waits($two, $write[0], $one), 'naive: the second waits');
	run($one, 'COMMIT;');
	my $updated = outcome($two);
	is($updated || run($two, $write[1]), $error, "naive: the second, $what");
	run($two, 'COMMIT;');
	is(ids('by_naive'), $ids, "naive: $what");
}

# The repair: the lock comes before the read.
my $locked = $read =~ s/(?= \\gset)/ FOR UPDATE/r;
start_over();
run($one, 'BEGIN;', $locked);
run($two, 'BEGIN;');
ok(waits($two, $locked, $one), 'FOR UPDATE: the second waits before it reads');
run($one, @write, 'COMMIT;');
is(outcome($two), '', 'FOR UPDATE: and then reads');
is(run($two, @write, 'COMMIT;'), '', 'FOR UPDATE: no error');
is(ids('by_naive'), '1 2', 'FOR UPDATE: no duplicate');

# --- max(id) + 1 ---------------------------------------------------------

my ($max) = statements_of('max');
for my $level ('READ COMMITTED', 'REPEATABLE READ')
{
	start_over();
	is(run($_, "BEGIN ISOLATION LEVEL $level;", $max), '', "max, $level: neither waits nor fails") for $one, $two;
	is(run($_, 'COMMIT;'), '', "max, $level: and commits") for $one, $two;
	is(ids('by_max'), '1 1', "max, $level: two rows get one number");
}
start_over();
run($_, 'BEGIN ISOLATION LEVEL SERIALIZABLE;', $max) for $one, $two;
is(run($one, 'COMMIT;'), '', 'max, SERIALIZABLE: the first commits');
is(run($two, 'COMMIT;'), '40001', 'max, SERIALIZABLE: the second gets an error');
start_over('ALTER TABLE by_max ADD PRIMARY KEY (id)');
run($one, 'BEGIN;', $max);
ok(waits($two, $max, $one), 'max, with a primary key: the second waits for the transaction of the first');
run($one, 'COMMIT;');
is(outcome($two), '23505', 'max, with a primary key: and gets an error');
is(run($two, $max), '', 'max, with a primary key: repeated, it gets the next number');
is(ids('by_max'), '1 2', 'max, with a primary key: no duplicate');
is(run($one, 'DELETE FROM by_max WHERE id = 2 RETURNING id;', $max), '2', 'max: the last row is deleted');
is(ids('by_max'), '1 2', 'max: the next row has its key again');

# --- the shared lock -----------------------------------------------------

# The first does not look for deadlocks, so that it is another who finds them.
($read, @write) = statements_of('shared');
start_over();
run($one, q{SET deadlock_timeout = '1h';});
run($_, q{SET deadlock_timeout = '10ms';}) for $two, $three;
run($_, 'BEGIN;', $read) for $one, $two;
ok(waits($one, $write[0], $two), 'shared lock: the first waits for the second');
is(run($two, $write[0]), '40P01', 'shared lock: the second waits for the first, which is a deadlock');
is(outcome($one), '', 'shared lock: then the first goes on');
run($two, 'ROLLBACK;');
is(run($one, $write[1], 'COMMIT;'), '', 'shared lock: and commits');
is(ids('by_shared'), '1', 'shared lock: one row of two');

# Whoever tries again has the shared lock again before the first is through.
start_over();
run($_, 'BEGIN;', $read) for $one, $two, $three;
waits($one, $write[0], $two);
for my $attempt (1 .. 6)
{
	my $next = $attempt % 2 ? $two : $three;
	ok(waits_for($one, $next), "shared lock, attempt $attempt: the first waits");
	is(run($next, $write[0]), '40P01', "shared lock, attempt $attempt: another gets an error");
	is(run($next, 'ROLLBACK; BEGIN;', $read), '', "shared lock, attempt $attempt: and has the shared lock again");
}
run($_, 'ROLLBACK;') for $two, $three;
is(outcome($one), '', 'shared lock: the first goes on when nobody tries again');
run($one, 'ROLLBACK;');

# --- what the right ways guarantee ---------------------------------------

my %insert = map { $_ => (grep { /INSERT/ } statements_of($_))[0] } qw(counter blocks sequence cache gen_iuid);
my ($take) = statements_of('blocks');
run($_, '\set size 10') for $one, $two;
my $step = 'SELECT :next + 1 AS next \gset';
sub number_of { return $node->safe_psql('postgres', "SELECT count(*) FROM by_$_[0]") }

# In the order of calls, so that who reads "all after the last key" can miss one.
for my $way (qw(blocks sequence cache gen_iuid))
{
	start_over();
	run($_, $way eq 'blocks' ? $take : ()) for $one, $two;
	is(run($one, 'BEGIN;', $insert{$way}), '', "$way: the first inserts");
	is(run($two, $insert{$way}), '', "$way: the second does not wait for its commit");
	my $last = $node->safe_psql('postgres', "SELECT id FROM by_$way");
	run($one, 'COMMIT;');
	is($node->safe_psql('postgres', "SELECT count(*), count(*) FILTER (WHERE id > '$last') FROM by_$way"),
		'2|0', "$way: who remembers the last key misses the row of the first");
}

# In the order of commits.
start_over();
run($one, 'BEGIN;', $insert{counter});
ok(waits($two, $insert{counter}, $one), 'counter: the second waits for the commit of the first');
run($one, 'COMMIT;');
is(outcome($two), '', 'counter: and goes on');
is(ids('by_counter'), '1 2', 'counter: one after the other');
run($_, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT;') for $one, $two;
run($one, $insert{counter}, 'COMMIT;');
is(run($two, $insert{counter}), '40001', 'counter: in REPEATABLE READ an error, and no duplicate');
run($two, 'ROLLBACK;');

# A rollback.
start_over();
for my $way (qw(counter sequence cache))
{
	run($one, 'BEGIN;', $insert{$way}, 'ROLLBACK;', $insert{$way});
	is(ids("by_$way"), $way eq 'counter' ? 1 : 2, "$way: after a rollback");
}

# Blocks, and the cache of a session.
start_over();
run($one, $take, $insert{blocks}, $step, 'BEGIN;', $insert{blocks}, 'ROLLBACK;', $step, $insert{blocks});
run($two, $take, $insert{blocks});
run($one, $step, $insert{blocks});
is(ids('by_blocks'), '1 3 4 11', 'blocks: ascending within a session, and a rollback leaves a gap');
run($one, $insert{cache});
is($node->safe_psql('postgres', q{SELECT last_value FROM by_cache_id_seq}), '100', 'cache: takes 100 numbers');
run($one, ($insert{cache}) x 99);
is($node->safe_psql('postgres', q{SELECT last_value FROM by_cache_id_seq}), '100', 'cache: for 100 calls');
run($one, $insert{cache});
run($two, $insert{cache});
run($one, $insert{cache});
is($node->safe_psql('postgres', 'SELECT string_agg(id::text, $$ $$ ORDER BY id) FROM by_cache WHERE id > 100'),
	'101 102 201', 'cache: ascending within a session');
$_->quit for $one, $two, $three;
$one = open_session($node);
run($one, '\set size 10', $take, $insert{blocks}, $insert{cache});
is($node->safe_psql('postgres', 'SELECT (SELECT max(id) FROM by_blocks), (SELECT max(id) FROM by_cache)'),
	'21|301', 'a session that ends loses what it has not used');

# A crash.
start_over();
run($one, ($insert{$_}) x 2) for qw(counter sequence cache);
run($one, 'CREATE SEQUENCE steps INCREMENT BY 100;', (q{SELECT nextval('steps');}) x 2);
$one->quit;
$node->safe_psql('postgres', 'CREATE DATABASE keys');
$node->safe_psql('keys', slurp_file('examples/keys.sql'));

sub next_of
{
	return $node->safe_psql('keys', q{SELECT string_agg(concat_ws(' ', of, next), ', ' ORDER BY of::text) FROM blocks});
}

my $next = next_of();
is($next, 'archive.payments 11, payments 1351, refunds 18', 'blocks of tables: each has its own, also in two schemas');
my $open = $node->background_psql('keys');
$open->query_safe(q{BEGIN; SELECT take_block('payments', 10)});
$node->safe_psql('keys', q{SELECT take_block('archive.payments', 10)});
$node->stop('immediate');
eval { $open->quit };
$node->start;
is(next_of(), $next =~ s/archive.payments 11/archive.payments 21/r,
	'blocks of tables: after a crash, what was committed stays taken, and nothing else');
$node->safe_psql('postgres', join '', @insert{qw(counter sequence cache)});
is(ids('by_counter'), '1 2 3', 'counter: nothing is lost in a crash');
my ($lost) = ids('by_sequence') =~ /^1 2 (\d+)$/;
cmp_ok($lost - 3, '>', 0, 'sequence: numbers are lost in a crash');
cmp_ok($lost - 3, '<=', 32, 'sequence: up to 32');
my ($lost_with_cache) = ids('by_cache') =~ /^1 2 (\d+)$/;
cmp_ok($lost_with_cache - 3, '>', 32, 'cache: more than that');
my $blocks = ($node->safe_psql('postgres', q{SELECT nextval('steps')}) - 1) / 100;
cmp_ok($blocks, '>', 2, 'a sequence that counts blocks: blocks are lost in a crash');
cmp_ok($blocks, '<=', 2 + 32, 'a sequence that counts blocks: up to 32');

$node->stop;
done_testing();
