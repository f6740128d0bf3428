# examples/migration by a role that is no superuser, and what happens to the tables meanwhile: names that
# must be quoted, columns and GRANTs that come, values that two rows exchange, kill -9 of the swap and of
# the step before, everything that depends on a table, and what is left at the end.
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

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nlog_statement = none\nrestart_after_crash = on");
$node->start;
my $as_owner = 'SET client_min_messages = warning; SET SESSION AUTHORIZATION owner;';
sub admin { return $node->safe_psql('postgres', $_[0]) }
sub sql { return $node->safe_psql('postgres', "$as_owner $_[0]") }

# The SQLSTATE and the text of an error, with its detail.
sub error
{
	my (undef, undef, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$as_owner $_[0]");
	return $err =~ /ERROR:  (.*)/s ? $1 : "no error: $err";
}
sub in_step { return is(sql('SELECT string_agg(name, \' \') FROM migration.compare() WHERE same IS NOT TRUE'), '', "$_[0]: old and new tables are in step") }

# What is in the way of a step: its messages, each for its table.
sub in_the_way { return sql("SELECT string_agg(name || ': ' || message, E'\\n' ORDER BY name, message) FROM migration.in_the_way() WHERE before = '$_[0]'") }

admin('CREATE EXTENSION iuid; CREATE ROLE owner LOGIN; GRANT CREATE ON DATABASE postgres TO owner; GRANT CREATE ON SCHEMA public TO owner;
	CREATE ROLE old_application LOGIN; CREATE ROLE late LOGIN; CREATE ROLE stranger LOGIN; CREATE ROLE another');
sql(q{
	CREATE TABLE people (
		id bigserial PRIMARY KEY,
		email text UNIQUE,
		ticket serial,                     -- a number that is not the key
		boss bigint REFERENCES people,
		at timestamptz NOT NULL DEFAULT now()
	);
	CREATE TABLE devices (uid uuid PRIMARY KEY DEFAULT gen_random_uuid(), person_id bigint REFERENCES people, at timestamptz DEFAULT now());
	CREATE INDEX by_person_and_time ON devices (person_id, at);
	CREATE TABLE seats (person bigint REFERENCES people, number int, at timestamptz DEFAULT now(), PRIMARY KEY (person, number));
	CREATE TABLE "The 'odd' ""one"" %s @x$1" ("a ""key"" @k" varchar(9) COLLATE "C", "%I" int, "when" timestamptz, "select" int REFERENCES "The 'odd' ""one"" %s @x$1", PRIMARY KEY ("%I"));
	CREATE TABLE logs (id int, at timestamptz, text text, land bigint DEFAULT 125, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
	CREATE TABLE logs_2026 PARTITION OF logs FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
	CREATE TABLE receipts (number int PRIMARY KEY, person_id bigint NOT NULL REFERENCES people);
	GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO old_application;
	GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO old_application;
	INSERT INTO people (email, boss) SELECT 'p' || n, nullif(n - 1, 0) FROM generate_series(1, 100) AS n;
	INSERT INTO devices (person_id) SELECT id FROM people;
	INSERT INTO seats SELECT id, n FROM people, generate_series(1, 2) AS n;
	INSERT INTO receipts SELECT id, id FROM people;
	INSERT INTO "The 'odd' ""one"" %s @x$1" SELECT n, n, '2026-01-01', nullif(n - 1, 0) FROM generate_series(1, 9) AS n;
	INSERT INTO logs SELECT n, timestamptz '2026-01-01' + n * interval '1 day' FROM generate_series(1, 100) AS n;
	-- What depends on them
	CREATE FUNCTION email_of(people) RETURNS text LANGUAGE sql AS 'SELECT $1.email';
	CREATE FUNCTION peoples() RETURNS int LANGUAGE sql AS 'SELECT 1 /* of the peoples */';
	CREATE VIEW counted AS SELECT p.*, count(*) AS count FROM people AS p JOIN devices AS d ON d.person_id = p.id GROUP BY p.id;
	CREATE VIEW later AS SELECT id FROM people AS p WHERE (iuid_floor(p.at), p.id) > (iuid_floor('2026-01-01'), 3);
	CREATE VIEW later_in AS SELECT id FROM people AS p WHERE (iuid_floor(p.at), p.id) IN (SELECT iuid_floor(q.at), q.id FROM people AS q);
	CREATE VIEW of_server AS SELECT id FROM people AS p WHERE (p.at, p.id) > ('2026-01-01', 3);
	CREATE VIEW of_receipts AS SELECT person_id FROM receipts;
	CREATE TABLE secrets (id bigint);
	CREATE POLICY only_people ON secrets USING (id IN (SELECT id FROM people));
	CREATE PUBLICATION leaf FOR TABLE logs_2026;
	CREATE PUBLICATION of_kept FOR TABLE receipts});

# --- who may --------------------------------------------------------------------------------------

sql('\i examples/migration/engine.sql');
sql(q{
	CALL migration.move('people', '125', '1', 'at');
	CALL migration.move('devices', '125', '2', 'at');
	CALL migration.move('seats', '125', '3', 'at');
	CALL migration.move('"The ''odd'' ""one"" %s @x$1"', '125', '4', '"when"');
	CALL migration.move('logs', 'land', '5', 'at', monthly_from => '2026-01-01');
	CALL migration.keep('receipts')});
for my $call ('SELECT migration.run(NULL)', q{CALL migration.backfill('people')}, 'CREATE TEMP TABLE t (); CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION migration.refuse()', 'SELECT count(*) FROM v2.people')
{
	my (undef, undef, $err) = $node->psql('postgres', "SET SESSION AUTHORIZATION stranger; $call");
	like($err, qr/permission denied for schema (migration|v2)/, "a stranger: $call");
}
admin('GRANT CREATE ON SCHEMA public TO PUBLIC');
is(in_the_way('make'), 'public: everybody may create functions in this schema, in which the engine looks for them', 'functions of strangers');
admin('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
admin('ALTER PUBLICATION leaf OWNER TO postgres; CREATE PUBLICATION of_another FOR TABLE logs');
is(in_the_way('make'), 'logs: the publication of_another belongs to postgres', 'a publication that the swap could not change');
admin('DROP PUBLICATION of_another');
is(in_the_way('make'), '', 'nothing is in the way');

# --- all that depends on the tables, at once --------------------------------------------------------

is(sql(q{SELECT step || ', ' || name FROM migration.plan() WHERE what ~ '^depends on|^before' ORDER BY 1}), join("\n",
	'!, logs', ('!, people') x 3, 'finish, function public.email_of(public.people)', 'finish, policy only_people on table public.secrets', 'finish, publication leaf', 'finish, view public.of_receipts',
	'look, function public.email_of(public.people)', 'look, index public.by_person_and_time', ('look, new clients') x 5,
	('swap, view public.counted') x 2, 'swap, view public.later', 'swap, view public.later_in', 'swap, view public.of_server'), 'the plan names all that depends on the tables');

# --- what applications do meanwhile -----------------------------------------------------------------

sql('CALL migration.make()');
is(sql(q{SELECT statement FROM migration.subscriber_statements() WHERE moment = 'before follow()'}), join("\n",
	'CREATE EXTENSION IF NOT EXISTS iuid; CREATE SCHEMA IF NOT EXISTS v2;', 'ALTER TABLE public.receipts ADD COLUMN person_iuid iuid;'), 'the subscriber of a table that keeps its key needs a column');
sql(q{CALL migration.subscriber_is_ready('of_kept'); CALL migration.follow(); CALL migration.backfill()});
in_step('after the backfill');
is(sql(q{BEGIN; UPDATE people SET email = 'x' WHERE id = 1; UPDATE people SET email = 'p1' WHERE id = 2; UPDATE people SET email = 'p2' WHERE id = 1; COMMIT; SELECT email FROM v2.people WHERE old_id IN (1, 2) ORDER BY old_id}),
	"p2\np1", 'two rows exchange a value that is unique');
is(sql(q{BEGIN; INSERT INTO people (id, email) VALUES (500, 'new'); UPDATE people SET email = 'p3' WHERE id = 500 AND false; UPDATE people SET email = 'free' WHERE id = 3; UPDATE people SET email = 'p3' WHERE id = 500; COMMIT;
	SELECT email FROM v2.people WHERE old_id IN (3, 500) ORDER BY old_id}), "free\np3", 'and a new row gets the value of another one');
is(sql(q{INSERT INTO logs VALUES (200, '2026-02-02', NULL, 398), (201, '2026-02-02', NULL, NULL), (202, '2026-02-02', NULL, 99999999999); SELECT key ->> 'id', reason FROM migration.set_aside ORDER BY 1}),
	join("\n", map { "$_|no time, country or entity that an identifier can have" } 200 .. 202), 'a row of no country stops nobody: it is set aside');
is(sql(q{UPDATE logs SET land = 7 WHERE id = 200; DELETE FROM logs WHERE id IN (201, 202); SELECT iuid_country(id), (SELECT count(*) FROM migration.set_aside) FROM v2.logs WHERE old_id = 200}), '7|0', 'until it is corrected');
is(sql(q{ALTER TABLE people ADD COLUMN later int; INSERT INTO people (email, later) VALUES ('after', 1); SELECT count(*) FROM v2.people WHERE email = 'after'}), 1, 'a column that comes stops no client');
in_step('with this column');
sql(q{UPDATE people SET later = 2 WHERE id = 1; CALL migration.backfill('people')});
like(in_the_way('swap'), qr/^people: the old table has got the column later, which the new one has not$/m, 'but the swap');
sql('ALTER TABLE people DROP COLUMN later');
sql('GRANT SELECT ON people TO late; GRANT UPDATE (email) ON people TO late');

# --- kill -9 ----------------------------------------------------------------------------------------

# The server kills the backend as soon as it waits for this lock: it waits for a tenth of a second.
sub kill_in
{
	my ($call, $relation) = @_;
	my $from = -s $node->logfile;
	my $started = start_psql($node->connstr('postgres') . ' user=owner', $call, \my $out);
	$node->psql('postgres', qq{SET statement_timeout = '20 s';
		DO \$\$ DECLARE it int;
		BEGIN
			LOOP
				it := (SELECT pid FROM pg_locks WHERE relation = '$relation'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted);
				EXIT WHEN it IS NOT NULL;
				PERFORM pg_sleep(0.001);
			END LOOP;
			EXECUTE format('COPY (SELECT) TO PROGRAM %L', 'kill -9 ' || it);
		END \$\$});
	$node->wait_for_log(qr/all server processes terminated; reinitializing/, $from);
	$node->poll_query_until('postgres', undef, '') or die 'the server does not recover';
	IPC::Run::finish($started);
	return;
}
my $blocker = sub { my $session = open_session($node); run($session, "BEGIN; $_[0]"); return $session };
# Of the step before the swap, when the foreign keys are there.
my $reader = $blocker->('SELECT count(*) FROM receipts');
kill_in('CALL migration.constrain()', 'receipts');
sql('ALTER TABLE receipts ADD CONSTRAINT migration_person_iuid CHECK (person_iuid IS NOT NULL) NOT VALID');   # one more of its commands
is(sql('CALL migration.constrain(); SELECT bool_and(constrained) FROM migration.tables'), 't', 'kill -9 of constrain(): it goes on');
is(sql(q{SELECT attnotnull, (SELECT count(*) FROM pg_constraint WHERE conname LIKE 'migration%' AND contype = 'c') FROM pg_attribute WHERE attrelid = 'receipts'::regclass AND attname = 'person_iuid'}), 't|0', 'and leaves nothing of its way');
is(in_the_way('swap'), join("\n", 'logs: the old table has no partition for later rows', 'people: view public.counted has GROUP BY with the primary key alone', 'people: view public.later compares rows by an operator of an extension', 'people: view public.later_in compares rows by an operator of an extension'), 'what old clients would meet after the swap is in its way');
sql('CREATE TABLE logs_rest PARTITION OF logs DEFAULT; CREATE OR REPLACE VIEW counted AS SELECT p.id, p.email, p.ticket, p.boss, p.at, count(*) AS count FROM people AS p JOIN devices AS d ON d.person_id = p.id GROUP BY 1, 2, 3, 4, 5; DROP VIEW later, later_in, of_server');

# Of the swap, when it has all its locks but one.
$reader = $blocker->('SELECT count(*) FROM v2.seats');
kill_in('CALL migration.swap()', 'v2.seats');
is(sql('SELECT bool_or(swapped) FROM migration.tables') . sql(q{SELECT relkind FROM pg_class WHERE oid = 'people'::regclass}), 'fr', 'kill -9 of the swap: nothing of it stays');
in_step('kill -9 of the swap');
sql(q{INSERT INTO people (email) VALUES ('between')});
sql('CALL migration.swap()');
in_step('after the swap');

# --- after the swap ---------------------------------------------------------------------------------

my $old = open_session($node);
run($old, 'SET ROLE late');
is(run($old, q{UPDATE people SET email = 'by late' WHERE id = 4 RETURNING id}), 4, 'GRANTs that came after make() hold for the view, also on columns');
is(run($old, 'DELETE FROM people'), '42501', 'and no more than these');
run($old, 'RESET ROLE; SET ROLE old_application');
is(run($old, q{BEGIN; UPDATE people SET email = 'y' WHERE id = 5; UPDATE people SET email = 'p5' WHERE id = 6; UPDATE people SET email = 'p6' WHERE id = 5; COMMIT}), '', 'two rows exchange a value through the view');
is(run($old, q{INSERT INTO "The 'odd' ""one"" %s @x$1" VALUES ('ten', 10, '2026-01-02', 9) RETURNING "%I"}), 10, 'odd names');
is(run($old, q{UPDATE "The 'odd' ""one"" %s @x$1" SET "select" = 3 WHERE "%I" = 10 RETURNING "a ""key"" @k"}), 'ten', 'odd names');
is(run($old, q{INSERT INTO logs VALUES (1, '2031-01-01', 'of later times') RETURNING id}), 1, 'rows of later times');
is(sql(q{INSERT INTO v2.logs (at, land, old_id) VALUES ('2031-01-01', 7, 2); SELECT iuid_country(id), iuid_entity(id), iuid_timestamp(id) > now() - interval '1 minute' FROM v2.logs WHERE at = '2031-01-01' ORDER BY old_id}), "125|5|t\n7|5|t",
	'a country from a column, in a table with partitions');
is(run($old, q{INSERT INTO people (email) VALUES ('old') RETURNING ticket = currval('people_ticket_seq') AND id = currval('people_id_seq')}), 't', 'currval()');
run($old, 'RESET ROLE');
in_step('with old clients');
sql('REVOKE SELECT ON people FROM late; CALL migration.swap_back()');
run($old, 'SET ROLE late');
is(run($old, 'SELECT count(id) FROM people'), '42501', 'a GRANT that was taken back stays so after the way back');
run($old, 'RESET ROLE');
in_step('after the way back');
sql('CALL migration.swap()');
$old->quit;

# --- the end ----------------------------------------------------------------------------------------

is(in_the_way('finish'), join("\n", 'function public.email_of(public.people_old): it depends on public.people_old', 'policy only_people on table public.secrets: it depends on public.people_old',
	'publication leaf: it depends on public.logs_2026', 'view public.counted: it depends on public.devices', 'view public.counted: it depends on public.people', 'view public.of_receipts: it depends on column person_id of public.receipts'), 'all that the end would break is in its way');
like(error('CALL migration.finish()'), qr/^55000: this step, finish, cannot be taken yet/, 'and it is not taken');
admin('DROP PUBLICATION leaf');
sql('DROP FUNCTION email_of; DROP POLICY only_people ON secrets; DROP VIEW counted, of_receipts; GRANT USAGE ON SCHEMA v2 TO late; GRANT ALL ON v2.people TO late');
sql('CALL migration.finish(); DROP SCHEMA migration CASCADE');
is(admin(q{SET ROLE late; INSERT INTO v2.people (email) VALUES ('last') RETURNING ticket > 0, old_id IS NULL}), 't|t', 'a number that is not the key goes on, also for who has no right to the old sequence');
is(sql('INSERT INTO v2.devices DEFAULT VALUES RETURNING uid IS NULL'), 't', 'a UUID that is no key any more may be left out');
is(sql(q{INSERT INTO v2.seats (person, number) SELECT id, 1 FROM v2.people WHERE email = 'last' RETURNING old_person IS NULL}), 't', 'a key of several columns');
like(error(q{INSERT INTO v2.seats (person, number) SELECT id, 1 FROM v2.people WHERE email = 'last'}), qr/^23505/, 'is unique as before');

# --- the way back -----------------------------------------------------------------------------------

admin('CREATE DATABASE back; GRANT CREATE ON DATABASE back TO owner');
$node->safe_psql('back', 'CREATE EXTENSION iuid; GRANT CREATE ON SCHEMA public TO owner');
my (undef, $left, $said) = $node->psql('back', qq{$as_owner
	CREATE TABLE things (id bigserial PRIMARY KEY, at timestamptz DEFAULT now());
	\\i examples/migration/engine.sql
	CALL migration.move('things', '125', '1', 'at');
	CALL migration.make();
	CREATE TABLE v2.mine (id int); INSERT INTO v2.mine VALUES (1);
	\\i examples/migration/back.sql
	SELECT count(*) FROM v2.mine}, on_error_stop => 0, extra_params => ['-q']);
like($said, qr/cannot drop schema v2 because other objects depend on it/, 'what you have made in v2 is not dropped on the way back');
is($left, 1, 'and has its rows');
is($node->safe_psql('back', q{SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relkind IN ('r', 'v') AND relnamespace::regnamespace::text IN ('v2', 'public')}), 'mine things', 'of the migration nothing is left');

$node->stop;
done_testing();
