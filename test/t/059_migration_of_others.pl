# examples/migration with tables of other kinds, those of test/models/migration: references to itself
# and to each other, an identity column, keys of several columns, partitions by time, a natural key,
# views, a trigger, and a logical subscriber.  Then each thing that the engine refuses.
#
# One version is enough: examples are SQL, and what they use has tests of its own.
use strict;
use warnings;

use lib 'test/t';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sessions;
use Test::More;

my ($node, $follower) = map { PostgreSQL::Test::Cluster->new($_) } 'main', 'follower';
for ($node, $follower)
{
	$_->init(allows_streaming => 'logical');
	$_->append_conf('postgresql.conf', "timezone = 'UTC'\nlog_statement = none\nwal_retrieve_retry_interval = 100ms");
	$_->start;
}
my $quiet = 'SET client_min_messages = warning;';
sub sql { return $node->safe_psql('postgres', "$quiet $_[0]") }
sub file { my ($name, @variables) = @_; $node->safe_psql('postgres', "$quiet \\i $name", extra_params => [ map { ('-v', $_) } @variables ]); return }

# The SQLSTATE and the text of an error, with its detail.
sub error
{
	my (undef, undef, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$_[0]");
	return $err =~ /ERROR:  (.*)/s ? $1 : "no error: $err";
}
sub in_step { return is(sql('SELECT string_agg(name, \' \') FROM migration.compare() WHERE same IS NOT TRUE'), '', "$_[0]: old and new tables are in step") }

sql('CREATE EXTENSION iuid; CREATE ROLE old_application LOGIN');
file('test/models/migration/tables.sql');
file('test/models/migration/rows.sql', 'accounts=200', 'readings=1000', 'documents=100');
sql(q{
	GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO old_application;
	GRANT USAGE ON SEQUENCE readings_id_seq TO old_application;
	CREATE PUBLICATION lake FOR TABLE accounts, teams, readings WITH (publish_via_partition_root = true);
	CREATE TABLE first AS SELECT * FROM accounts});
my @published = ('teams', 'accounts', 'readings');
$follower->safe_psql('postgres', "CREATE EXTENSION iuid");
file_at_follower('test/models/migration/tables.sql');
sub file_at_follower { $follower->safe_psql('postgres', "$quiet \\i $_[0]"); return }
$follower->safe_psql('postgres', q{
	ALTER TABLE accounts DROP CONSTRAINT accounts_parent_id_fkey, DROP CONSTRAINT accounts_team_fkey; DROP TRIGGER count_changes ON accounts;
	ALTER TABLE teams DROP CONSTRAINT teams_leader_id_fkey; ALTER TABLE readings DROP CONSTRAINT readings_account_id_fkey;
	CREATE SUBSCRIPTION lake CONNECTION '} . ($node->connstr('postgres') =~ s/'/''/gr) . q{' PUBLICATION lake});
$follower->wait_for_subscription_sync($node, 'lake', 'postgres');

# --- one place for what is said, one for what is in the way ---------------------------------------

file('examples/migration/engine.sql');
my @said = grep { /^[^-]/ } split /\n/, slurp_file('test/models/migration/move.sql');
cmp_ok(scalar @said, '<=', 10, 'a line for each table');
file('test/models/migration/move.sql');
is(sql(q{SELECT name, what FROM migration.plan() WHERE step = '!'}), 'accounts|before swap: trigger count_changes is not on the new table.  CREATE TRIGGER … ON v2.accounts, or name it in "leave".', 'one thing is in the way');
is(sql(q{SELECT string_agg(step || ': ' || name, E'\n' ORDER BY step, name) FROM (SELECT DISTINCT step, name FROM migration.plan() WHERE step IN ('finish', 'look', 'swap') AND what ~ 'depends') AS x}),
	"finish: materialized view public.totals\nlook: function public.children(bigint)\nlook: new clients\nswap: view public.balances", 'the plan names what depends on the tables');
sql('CALL migration.make()');
sql('CREATE TRIGGER count_changes BEFORE UPDATE OF balance ON v2.accounts FOR EACH ROW WHEN (current_setting(\'migration.writing\', true) IS DISTINCT FROM \'on\') EXECUTE FUNCTION count_changes()');

# --- a subscriber ---------------------------------------------------------------------------------

like(error('CALL migration.follow()'), qr/^55000: this step, follow, cannot be taken yet.*lake: the subscribers of this publication do not have the new tables/s, 'nothing begins before the subscribers are ready');
my $statements = sql(q{SELECT statement FROM migration.subscriber_statements() WHERE moment = 'before follow()'});
$follower->safe_psql('postgres', $statements =~ s/ALTER SUBSCRIPTION … /ALTER SUBSCRIPTION lake /r);
sql(q{CALL migration.subscriber_is_ready('lake')});
sub follower_is_equal
{
	my ($what) = @_;
	$node->wait_for_catchup('lake');
	for my $table (@published)
	{
		my $digest = "SELECT count(*), md5(string_agg(x::text, ',' ORDER BY x::text)) FROM %s AS x";
		for my $relation ($table, "v2.$table")
		{
			# The new table of the subscriber has its columns in the same order, without those that are generated.
			my $columns = $node->safe_psql('postgres', "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = '$relation'::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'name_length'");
			my $query = sprintf $digest, "(SELECT $columns FROM $relation)";
			is($follower->safe_psql('postgres', $query), sql($query), "$what: the subscriber's $relation");
		}
	}
	return;
}

# --- the rows come --------------------------------------------------------------------------------

sql(q{
	CALL migration.follow();
	INSERT INTO accounts (parent_id, team, name) VALUES (200, 'T2', 'meanwhile');
	UPDATE teams SET code = 'T10b' WHERE code = 'T10';
	UPDATE accounts SET parent_id = 1 WHERE id = 102;
	DELETE FROM accounts WHERE id = 101;
	UPDATE readings SET created_at = '2026-01-15' WHERE id = 1;
	UPDATE documents SET file_number = 'KZ/1/2024' WHERE file_number = 'KZ/1/2025';
	CALL migration.backfill()});

# Who has read a table writes it while a key that refers to it is adopted.
my $reader = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=sqlstate', '-d', $node->connstr('postgres'),
	'-c', q{BEGIN; LOCK TABLE v2.accounts IN ACCESS SHARE MODE; SET statement_timeout = '60 s'},
	'-c', q{DO $$ BEGIN LOOP
			EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE relation = 'v2.accounts'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted);
		END LOOP; END $$},
	'-c', 'LOCK TABLE v2.accounts IN ROW EXCLUSIVE MODE; COMMIT' ], '>', \my $said, '2>&1');
sql('CALL migration.constrain()');
IPC::Run::finish($reader);
is($said, '', 'who has read a table writes it while foreign keys come');
is(sql('TABLE migration.set_aside'), '', 'no row is set aside for its reference');
in_step('after the backfill');
is(sql(q{BEGIN; SET LOCAL migration.writing = 'on'; UPDATE v2.accounts SET balance = balance + 1 WHERE old_id = 7; SELECT name FROM migration.compare() WHERE NOT same; ROLLBACK}), 'accounts', 'one other value is seen');
is(sql(q{SELECT count(*) FROM v2.accounts AS a LEFT JOIN v2.accounts AS p ON p.id = a.parent_id WHERE p.old_id IS DISTINCT FROM a.old_parent_id}), 0, 'references to the table itself, in a chain and in circles');
is(sql(q{SELECT count(*) FROM v2.teams AS t JOIN v2.accounts AS a ON a.id = t.leader_id JOIN v2.teams AS own ON own.id = a.team WHERE own.code <> t.code OR a.old_id <> t.old_leader_id}), 0, 'two tables refer to each other');
is(sql(q{SELECT count(*) FROM first AS f JOIN v2.accounts AS a ON a.old_id = f.id WHERE a.id <> iuid_from_name(125, 11, 'accounts/' || f.id, f.opened AT TIME ZONE 'Asia/Almaty')}), 0, 'a time without zone is that of its zone');
is(sql(q{SELECT count(*), bool_and(n.id = iuid_from_name(125, 15, 'documents/' || d.file_number, d.filed AT TIME ZONE 'UTC')) FROM documents AS d JOIN v2.documents AS n USING (file_number) WHERE file_number <> 'KZ/1/2024'}), '99|t', 'a natural key');
is(sql(q{SELECT count(*) FROM v2.invoice_lines AS l JOIN v2.invoices AS i ON i.id = l.invoices_id WHERE (i.old_account_id, i.number) = (l.account_id, l.invoice)}), sql('SELECT count(*) FROM invoice_lines'), 'references of several columns');
is(sql(q{SELECT count(*) FROM pg_constraint WHERE conrelid::regclass::text ~ '^v2' AND contype = 'f' AND NOT convalidated}), 0, 'all foreign keys are valid');
follower_is_equal('after the backfill');
like(error('TRUNCATE readings_2026_01'), qr/^0A000: table public.readings_2026_01 is being migrated, and cannot be truncated/, 'nor a partition');

sql('SET session_replication_role = replica; UPDATE accounts SET balance = balance + 1 WHERE id = 7');
in_step('a change by a session that fires no triggers of users');

# A partition that goes takes its rows with it, and those of the new table stay.
sql('CREATE TABLE readings_2025_11 PARTITION OF readings FOR VALUES FROM (MINVALUE) TO (\'2025-12-01 00:00+00\')');
is(sql(q{SELECT count(*) FROM migration.in_the_way() WHERE before = 'swap'}), 0, 'a partition that comes is followed');
like(error('BEGIN; ALTER TABLE readings DETACH PARTITION readings_2025_12; SELECT migration.refuse_before(\'swap\')'), qr/^55000: .*readings: a partition of the old table has gone, whose rows are in the new one/s, 'one that goes is in the way of the swap');

# --- the swap ---------------------------------------------------------------------------------------

sql(q{CALL migration.swap()});
in_step('after the swap');
is(sql(q{SELECT count(*) > 5, bool_and((n.condeferrable, n.condeferred) = (o.condeferrable, o.condeferred)) FROM migration.tables AS t JOIN pg_constraint AS n ON n.conrelid = t.new JOIN pg_constraint AS o ON o.conrelid = t.old AND o.conname = n.conname WHERE n.contype = 'f'}), 't|t', 'foreign keys are checked when those of the old tables were');
$node->wait_for_catchup('lake');
$follower->safe_psql('postgres', sql(q{SELECT statement FROM migration.subscriber_statements() WHERE moment = 'after the swap'}) =~ s/ALTER SUBSCRIPTION … /ALTER SUBSCRIPTION lake /r);
my $old = open_session($node, 'postgres');
run($old, 'SET ROLE old_application');
is(run($old, q{INSERT INTO accounts (parent_id, team, name) VALUES (7, 'T2', 'after') RETURNING id, parent_id, team, name_length}), '202|7|T2|5', 'an old client gets a number of the identity column');
is(run($old, q{INSERT INTO accounts (id, team, name) VALUES (5000, 'T2', 'own number')}), '428C9', 'which gives all numbers, as before');
is(run($old, 'UPDATE accounts SET id = 5000 WHERE id = 7'), '428C9', 'and lets nobody change one');
is(run($old, 'UPDATE accounts SET balance = 5 WHERE id = 7 RETURNING changes'), 1, 'a trigger fires once');
is(run($old, q{INSERT INTO readings (account_id, value) VALUES (7, 1) RETURNING id}), 1001, 'a number of the sequence');
is(run($old, q{INSERT INTO invoices VALUES (7, 10, 5) RETURNING number; INSERT INTO invoice_lines VALUES (7, 10, 1, 5) RETURNING line}), "10\n1", 'keys of several columns');
is(run($old, q{INSERT INTO invoice_lines VALUES (7, 11, 1, 5)}), '23503', 'a reference of several columns to nowhere');
is(run($old, q{INSERT INTO invoices VALUES (7, 10, 6)}), '23505', 'a key of several columns that is there');
is(run($old, q{UPDATE documents SET file_number = 'KZ/2/2024' WHERE file_number = 'KZ/2/2025' RETURNING title}), 'document 2', 'a natural key changes');
is(run($old, q{SELECT count(*) FROM balances}), 10, 'a view of theirs reads what old clients write');
run($old, 'RESET ROLE');
like(error(q{INSERT INTO readings_2026_01 VALUES (1, 7, 1, '2026-01-02')}), qr/^55000: table public.readings_2026_01 is written by the migration only/, 'nobody writes a partition of the old table');
like(error('CALL migration.backfill()'), qr/^55000: the swap has been/, 'a backfill says that there is none any more');
is(sql(q{INSERT INTO v2.accounts (parent_id, team, name) SELECT id, team, 'new' FROM v2.accounts WHERE old_id = 7 RETURNING old_id, old_parent_id, old_team}), '203|7|T8', 'a new client gets old keys');
in_step('with clients of both kinds');
follower_is_equal('after the swap');

# --- there and back, and the end ----------------------------------------------------------------------

sql('CALL migration.swap_back()');
is(run($old, q{SET ROLE old_application; INSERT INTO accounts (team, name) VALUES ('T1', 'back') RETURNING id}), 204, 'after the way back numbers go on');
is(run($old, 'UPDATE accounts SET balance = 6 WHERE id = 7 RETURNING changes'), 2, 'and a trigger of the table fires again');
run($old, 'RESET ROLE');
in_step('after the way back');
follower_is_equal('after the way back');
sql('CALL migration.swap()');
like(error('CALL migration.finish()'), qr/^55000: this step, finish, cannot be taken yet.*view public.balances: it depends on public.accounts.*materialized view public.totals: it depends on public.invoices_old/s, 'nothing is dropped that has dependents');
is(sql('SELECT count(*) FROM balances'), 10, 'and all of them are there');
my $rows = join ' ', map { sql("SELECT count(*) FROM v2.$_") } 'teams', 'accounts', 'invoices', 'invoice_lines', 'readings', 'documents';
sql(q{
	CREATE OR REPLACE VIEW balances AS SELECT t.code, sum(a.balance) AS balance FROM v2.accounts AS a JOIN v2.teams AS t ON t.id = a.team GROUP BY t.code;
	DROP MATERIALIZED VIEW totals;
	CALL migration.finish();
	DROP SCHEMA migration CASCADE});
is(join(' ', map { sql("SELECT count(*) FROM v2.$_") } 'teams', 'accounts', 'invoices', 'invoice_lines', 'readings', 'documents'), $rows, 'the end takes no row');
is(sql(q{SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'v2.accounts'::regclass AND attnum > 0 AND NOT attisdropped}), 'id parent_id team old_id name name_length balance opened changes', 'of the old references nothing is left');
is(sql(q{INSERT INTO v2.accounts (name) VALUES ('last') RETURNING old_id IS NULL}), 't', 'a new row needs no old key');
is(sql(q{SELECT count(*) FROM pg_publication_tables WHERE pubname = 'lake_v2' AND schemaname = 'v2'}), 3, 'the new tables are published');
$old->quit;

# --- the way back of a subscriber -------------------------------------------------------------------------

$_->safe_psql('postgres', 'CREATE DATABASE there_and_back') for $node, $follower;
my $here = sub { return $node->safe_psql('there_and_back', "$quiet $_[0]") };
my $there = sub { return $follower->safe_psql('there_and_back', "$quiet $_[0]") };
my $say = sub { my ($moment) = @_; return $there->($here->("SELECT statement FROM migration.subscriber_statements() WHERE moment = '$moment'") =~ s/ALTER SUBSCRIPTION … /ALTER SUBSCRIPTION back /gr) };
my $is_equal = sub
{
	my ($query, $what) = @_;
	$node->wait_for_catchup('back');
	is($there->($query), $here->($query), $what);
	return;
};
$_->('CREATE EXTENSION iuid; CREATE TABLE things (id bigint PRIMARY KEY, at timestamptz)') for $here, $there;
$here->('INSERT INTO things SELECT n, now() FROM generate_series(1, 10) AS n; CREATE PUBLICATION back FOR TABLE things');
$there->('CREATE SUBSCRIPTION back CONNECTION ' . "'" . ($node->connstr('there_and_back') =~ s/'/''/gr) . "' PUBLICATION back");
$follower->wait_for_subscription_sync($node, 'back', 'there_and_back');
$here->("\\i examples/migration/engine.sql\n CALL migration.move('things', '1', '1', 'at'); CALL migration.make()");
$say->('before follow()');
$here->("CALL migration.subscriber_is_ready('back'); CALL migration.follow(); CALL migration.backfill(); CALL migration.constrain(); CALL migration.swap(); INSERT INTO things VALUES (11, now())");
$node->wait_for_catchup('back');
$say->('after the swap');
$here->('INSERT INTO things VALUES (12, now()); CALL migration.swap_back(); INSERT INTO things VALUES (13, now()); DELETE FROM things WHERE id = 1');
$is_equal->('SELECT id, at FROM things ORDER BY id', 'after swap_back() a subscriber goes on');
my (undef, undef, $not_yet) = $node->psql('there_and_back', 'CALL migration.back()');
like($not_yet, qr/this step, back, cannot be taken yet/, 'the new tables do not go before it lets go of them');
my $afterwards = $here->(q{SELECT statement FROM migration.subscriber_statements() WHERE moment = 'after back.sql'}) =~ s/… /back /r;
$say->('before back.sql');
$here->("CALL migration.subscriber_is_ready('back', false);\n \\i examples/migration/back.sql");
$there->($afterwards);
$follower->wait_for_subscription_sync($node, 'back', 'there_and_back');
$here->('INSERT INTO things VALUES (14, now()); DELETE FROM things WHERE id = 2');
$is_equal->('SELECT id, at FROM things ORDER BY id', 'after back.sql the subscriber has the old table again');
is($there->(q{SELECT relkind FROM pg_class WHERE oid = 'things'::regclass}), 'r', 'as a table');
$there->('DROP SUBSCRIPTION back');

# --- rows that wait for other rows ----------------------------------------------------------------

# Row 1 refers to row 2, and row 2 to row 3, which has no time.
$node->safe_psql('postgres', 'CREATE DATABASE waiting');
my $waiting = sub { return $node->safe_psql('waiting', "$quiet $_[0]") };
my $aside = q{SELECT string_agg(key ->> 'id', ' ' ORDER BY key) FROM migration.set_aside};
$waiting->(q{
	CREATE EXTENSION iuid;
	CREATE TABLE things (id int PRIMARY KEY, at timestamptz, other int REFERENCES things DEFERRABLE INITIALLY DEFERRED);
	CREATE TABLE parts (id int PRIMARY KEY, thing int NOT NULL REFERENCES things);
	INSERT INTO things VALUES (1, now(), 2), (2, now(), 3), (3, NULL, NULL);
	\i examples/migration/engine.sql
	CALL migration.move('things', '1', '1', 'at'); CALL migration.keep('parts');
	CALL migration.make(); CALL migration.follow(); CALL migration.backfill()});
is($waiting->($aside), '2 3', 'before constrain() a row is set aside for its own reason only');
my $writer = open_session($node, 'waiting');
run($writer, 'BEGIN; UPDATE things SET at = at WHERE id = 1');
is($waiting->(q{SELECT migration.take_out('things', '[{"id": 1}]', 'test')}), 'f', 'a row that somebody changes is not taken out meanwhile');
run($writer, 'ROLLBACK');
$writer->quit;
$waiting->('CALL migration.constrain()');
is($waiting->($aside), '1 2 3', 'constrain() sets aside what refers to a row that is set aside');
is($waiting->(q{SELECT attnotnull, (SELECT count(*) FROM pg_constraint WHERE contype = 'c' AND conname LIKE 'migration%') FROM pg_attribute WHERE attrelid = 'parts'::regclass AND attname = 'thing_iuid'}), 't|0', 'of the CHECK that NOT NULL comes from nothing is left');
is($waiting->("UPDATE things SET at = now() WHERE id = 3; CALL migration.backfill(); $aside"), '', 'one backfill brings a row, and then the row that waited for it');
is($waiting->(q{CALL migration.swap(); SELECT condeferrable, condeferred FROM pg_constraint WHERE conrelid = 'v2.things'::regclass AND contype = 'f'}), 't|t', 'a foreign key that was deferred is deferred after the swap');
is($waiting->("CALL migration.swap_back(); INSERT INTO things VALUES (4, NULL, NULL); $aside"), 4, 'after the way back a row is set aside');
is($waiting->("CALL migration.unfollow(); $aside"), '', 'and unfollow() forgets it');

# --- what is refused ------------------------------------------------------------------------------------

# The page has each message; … stands for anything.
my ($table) = slurp_file('doc/migration.md') =~ /^## What is refused\n(.*?)^## /ms;
my @messages = $table =~ /^\| `([^`]+)` \|/gm;
my %seen;
$node->safe_psql('postgres', 'CREATE DATABASE refused');
my $refused = sub { return $node->safe_psql('refused', "$quiet $_[0]") };
$refused->('CREATE EXTENSION iuid; CREATE ROLE another; CREATE TABLE things (id bigint PRIMARY KEY, at timestamptz, said timestamp, country text, other int); CREATE SCHEMA part');
my $move = q{CALL migration.move('things', '1', '1', 'at')};
for my $case (
	[ 'ALTER TABLE things DROP CONSTRAINT things_pkey', $move ],
	[ '', q{CALL migration.move('things', '1', '1')} ],
	[ '', q{CALL migration.move('things', '1', '1', 'said')} ],
	[ '', q{CALL migration.move('things', '1', '1', 'said::timestamptz')} ],
	[ '', q{CALL migration.move('things', '1', '1', 'other')} ],
	[ '', q{CALL migration.move('things', 'country', '1', 'at')} ],
	[ 'ALTER TABLE things OWNER TO another', $move ],
	[ 'ALTER TABLE things ENABLE ROW LEVEL SECURITY', $move ],
	[ 'CREATE TABLE under () INHERITS (things)', $move ],
	[ 'CREATE TABLE ' . 't' x 49 . ' (id int PRIMARY KEY)', q{CALL migration.move('} . 't' x 49 . q{', '1', '1', 'now()')} ],
	[ 'CREATE UNIQUE INDEX ON things (other)', q{CALL migration.move('things', '1', '1', 'at', monthly_from => now())} ],
	[ 'ALTER TABLE things ADD old_id int', $move ],
	[ 'CREATE TABLE parts (id int PRIMARY KEY, thing bigint REFERENCES things ON UPDATE SET NULL)', "$move; CALL migration.move('parts', '1', '2', 'now()')" ],
	[ 'CREATE TABLE parts (id int PRIMARY KEY, thing bigint REFERENCES things)', $move ],
	[ 'CREATE PUBLICATION whole FOR ALL TABLES', $move ],
	[ 'CREATE PUBLICATION whole FOR TABLES IN SCHEMA public', $move ],
	[ 'CREATE PUBLICATION whole FOR TABLE things (id)', $move ],
	[ 'CREATE TABLE part.things (id int PRIMARY KEY, at timestamptz)', "$move; CALL migration.move('part.things', '1', '2', 'at')" ],
	[ '', q{CALL migration.move('things', '256', '1', 'at')} ],
	[ '', q{CALL migration.move('things', '1', '1', 'at', renamed => '{"ad": "x"}')} ],
	[ '', q{CALL migration.move('things', '1', '1', 'at', leave => '{none}')} ],
	[ 'SELECT', $move, 'ALTER TABLE things OWNER TO another; CREATE PUBLICATION of_others FOR TABLE things; GRANT CREATE ON DATABASE refused TO another; SET ROLE another;' ],
	[ q{CREATE SUBSCRIPTION another CONNECTION '' PUBLICATION another WITH (connect = false, slot_name = NONE);
		INSERT INTO pg_subscription_rel SELECT oid, 'things'::regclass, 'r', NULL FROM pg_subscription}, $move ],
	[ 'GRANT CREATE ON SCHEMA public TO PUBLIC', $move ],
	[ 'CREATE TABLE v2.things ()', $move ],
	[ 'CREATE TABLE things_old ()', $move ])
{
	my ($fault, $call, $first) = (@$case, '');
	my $what = $refused->("BEGIN; $first \\i examples/migration/engine.sql\n $fault; $call; SELECT message FROM migration.in_the_way() WHERE before = 'make'; ROLLBACK");
	$seen{$_} = 1 for split /\n/, $what;
	my (undef, undef, $err) = $node->psql('refused', "BEGIN; $first \\i examples/migration/engine.sql\n $fault; $call; CALL migration.make()");
	like($err, qr/this step, make, cannot be taken yet/, $fault || $call);
}

# What is in the way later, step by step.
$node->safe_psql('postgres', 'CREATE DATABASE later');
my $later = join "\n", 'CREATE EXTENSION iuid;', map { $_, q{; SELECT message FROM migration.in_the_way();} } '\i examples/migration/engine.sql', q{
	CREATE TABLE things (id bigint, at timestamptz, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
	CREATE TABLE things_1 PARTITION OF things FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
	CREATE TABLE others (id bigint PRIMARY KEY, at timestamptz);
	CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
	CREATE TRIGGER own AFTER INSERT ON others FOR EACH ROW EXECUTE FUNCTION nothing();
	CREATE VIEW grouped AS SELECT id, at FROM others GROUP BY id;
	CREATE MATERIALIZED VIEW stored AS SELECT id FROM others;
	CREATE PUBLICATION sent FOR TABLE others;
	CALL migration.move('things', '1', '1', 'at'); CALL migration.move('others', '1', '2', 'at');
	CALL migration.make()}, q{CALL migration.subscriber_is_ready('sent')}, 'CALL migration.follow()', 'CALL migration.backfill()', 'ALTER TABLE others ADD COLUMN more int; ALTER TABLE things DETACH PARTITION things_1';
$seen{$_} = 1 for split /\n/, $node->safe_psql('later', "$quiet $later");
for my $message (@messages)
{
	my $pattern = join '.*', map { quotemeta } split /…/, $message, -1;
	my @fits = grep { /^$pattern$/ } keys %seen;
	isnt(@fits, 0, "the page says: $message");
	delete @seen{@fits};
}
is(join("\n", sort keys %seen), '', 'and it says all');

$_->stop for $node, $follower;
done_testing();
