# What somebody else may have prepared, and names and types of every kind, do no harm: neither to who
# runs what tools/moving_in.sql prints, nor to clients.
#
# One version is enough: what the statements use is the same in each.
use strict;
use warnings;

use lib 'test/t';
use MovingIn;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\nclient_min_messages = warning\nautovacuum = off");
$node->start;

sub sql { return $node->safe_psql('postgres', $_[0]) }

sub refused { return failure($node, 'postgres', $_[0]) }

# What is printed for some arguments, once
my %printed;
sub statements
{
	my ($arguments, $first, $last) = @_;
	return of_steps($first, $last, @{ $printed{$arguments} //= [ printed($node, 'postgres', $arguments) ] });
}

sub steps { sql($_) for statements(@_); return }

sub problems { return sql("SELECT string_agg(problem || ': ' || object, '; ') FROM moving_in.problems($_[0])") }

sql(q{
	CREATE SCHEMA ext;
	CREATE EXTENSION iuid SCHEMA ext;
	CREATE ROLE vic; CREATE ROLE eve; CREATE ROLE app;
	GRANT pg_read_all_stats TO app;
	CREATE SCHEMA a AUTHORIZATION vic;
	GRANT USAGE, CREATE ON SCHEMA a TO eve;
	GRANT USAGE ON SCHEMA a TO app;
	ALTER DEFAULT PRIVILEGES FOR ROLE vic GRANT EXECUTE ON FUNCTIONS TO app;
	ALTER DATABASE postgres SET search_path = public, ext});
$node->safe_psql('postgres', '\i tools/moving_in.sql');

# --- rights ---------------------------------------------------------------------------

sql(q{
	SET ROLE vic;
	CREATE TABLE a.o (id int PRIMARY KEY, o_id int REFERENCES a.o);
	CREATE TABLE a.i (id int, o_id int REFERENCES a.o);
	INSERT INTO a.o VALUES (1);
	GRANT ALL ON a.o, a.i TO eve});
is(problems(q{'a.o', '1', '1'}), 'schema: ext', 'the owner of the functions may use what they use');
like(refused(q{SELECT * FROM moving_in.statements('a.o', '1', '1')}),
	qr/^55000: .*schema: ext/, 'before the first statement');
sql(q{GRANT USAGE ON SCHEMA ext TO vic, eve});
is(problems(q{'a.o', '1', '1'}), '', 'what is to be done helps');
sql(q{SET ROLE eve;
	CREATE FUNCTION a.i_o_iuid_moving_in() RETURNS trigger
		LANGUAGE plpgsql AS E'\n-- made by moving_in\nBEGIN RETURN NEW; END'});
like(problems(q{'a.o', '1', '1'}), qr/^function: a\.i_o_iuid_moving_in\(\)/,
	'a function of a stranger is not taken for ours, whatever it says');
sql(q{DROP FUNCTION a.i_o_iuid_moving_in()});

steps(q{'a.o', '1', '1'}, 1, 2);
sql(q{SET ROLE eve;
	CREATE FUNCTION a.o_identifier(record) RETURNS ext.iuid LANGUAGE plpgsql
		AS $$ BEGIN RAISE 'eve is %', current_user; END $$});
sql(q{SET ROLE eve; INSERT INTO a.o VALUES (11, 1)});
is(sql(q{SELECT count(*) FROM a.o WHERE o_iuid IS NOT NULL}),
	1, 'a function of a stranger that fits better is not called');
for my $function ('a.o_moving_in', 'a.o_o_iuid_moving_in', 'a.i_o_iuid_moving_in')
{
	for my $timing ('BEFORE INSERT OR UPDATE', 'AFTER INSERT', 'BEFORE DELETE')
	{
		like(refused(qq{SET ROLE app;
			CREATE TYPE pg_temp.evil AS (x int);
			CREATE FUNCTION pg_temp.take(ext.iuid) RETURNS pg_temp.evil LANGUAGE plpgsql
				AS 'BEGIN RAISE ''app is %'', current_user; END';
			CREATE CAST (ext.iuid AS pg_temp.evil) WITH FUNCTION pg_temp.take(ext.iuid) AS ASSIGNMENT;
			CREATE TEMP TABLE o (id int, iuid pg_temp.evil, o_id int, o_iuid pg_temp.evil);
			INSERT INTO o VALUES (1);
			CREATE TRIGGER z $timing ON o FOR EACH ROW EXECUTE FUNCTION $function();
			} . ($timing =~ /DELETE/ ? 'DELETE FROM o' : 'INSERT INTO o VALUES (1, NULL, 1, NULL)')),
			qr/^(39P01: this function is for triggers of its owner's tables|42501: permission denied for schema ext)/,
			"$function serves its own table: $timing");
	}
	like(refused(qq{SET ROLE app;
		CREATE TEMP TABLE o (id int); CREATE TRIGGER z BEFORE TRUNCATE ON o EXECUTE FUNCTION $function();
		TRUNCATE o}), qr/^39P01/, "$function: at another level");
}

# --- names ----------------------------------------------------------------------------

sql(q{CREATE ROLE bob; CREATE SCHEMA b AUTHORIZATION bob; GRANT USAGE ON SCHEMA ext TO bob; SET ROLE bob;
	CREATE TABLE b.o (id int, note text,
		CONSTRAINT " USING btree (id);ALTER ROLE bob SUPERUSER;--" PRIMARY KEY (id) INCLUDE (note) WITH (fillfactor = 70));
	CREATE TABLE b."x
END $moving_in$; ALTER ROLE bob SUPERUSER; --{owner}{'key'}" ("{""key""}" int PRIMARY KEY, "NEW.y" int REFERENCES b.o);
	CREATE TABLE b.words (found timestamptz, "new" text, "old" text, tg_op text, p text, by_old text, found_id text,
		c int, t int, free int, PRIMARY KEY (found, p));
	CREATE TABLE b."back\\slash" (id int PRIMARY KEY, p_id int REFERENCES b."back\\slash");
	INSERT INTO b."back\\slash" VALUES (1, 1), (2, 2);
	CREATE TABLE b.uses (found_key timestamptz, p text, by_new int, FOREIGN KEY (found_key, p) REFERENCES b.words);
	INSERT INTO b.o VALUES (1); INSERT INTO b.words (found, p) VALUES ('2026-01-01', 'a');
	INSERT INTO b.uses VALUES ('2026-01-01', 'a', 1)});
sql(qq{SET ROLE bob; INSERT INTO b."x\nEND \$moving_in\$; ALTER ROLE bob SUPERUSER; --{owner}{'key'}" VALUES (1, 1)});
my $x = qq{\$x\$b."x\nEND \$moving_in\$; ALTER ROLE bob SUPERUSER; --{owner}{'key'}"\$x\$};
sql(q{ALTER DATABASE postgres SET plpgsql.extra_errors = 'all'});
for my $arguments (q{'b.o', '1', '1'}, q{'b."back\\slash"', '1', '1'}, qq{$x, '1', '1', key_column => '"{owner}'},
	q{'b.words', 'c', 't', 'found', columns => '{"uses_found_key_p_fkey": "found"}'})
{
	sql('UPDATE b.words SET c = 7, t = 9');
	steps($arguments, 1, 6);
	ok(1, 'moves: ' . substr($arguments, 0, 20) =~ s/\n.*//sr);
	sql(q{INSERT INTO b.words (found, p, c, t) VALUES (clock_timestamp(), 'b', 7, 9);
		UPDATE b.uses SET found_key = (SELECT max(found) FROM b.words), p = 'b'});
}
sql(q{UPDATE b."back\\slash" SET id = 3, p_id = 3 WHERE id = 1; ALTER DATABASE postgres RESET plpgsql.extra_errors});
is(sql(q{SELECT count(*) FROM b."back\\slash" AS r JOIN b."back\\slash" AS p ON p.id = r.p_id WHERE r.p_iuid = p.iuid}),
	2, 'a row that refers to itself');
is(sql(q{SELECT rolsuper FROM pg_roles WHERE rolname = 'bob'}), 'f', 'no name is executed');
is(sql(q{SELECT pg_get_indexdef(conindid) FROM pg_constraint WHERE conrelid = 'b.o'::regclass AND contype = 'u'}),
	q{CREATE UNIQUE INDEX " USING btree (id);ALTER ROLE bob SUPERUSER;--" ON b.o USING btree (id) INCLUDE (note) }
		. q{WITH (fillfactor='70')}, 'the index of the old key is as it was');
is(sql(q{SELECT count(*) FROM b.uses AS u JOIN b.words AS w ON w.iuid = u.found WHERE w.found = found_key}),
	1, 'variables and columns of one name');
is(sql(q{SELECT count(*) FROM b.words
	WHERE (ext.iuid_country(iuid), ext.iuid_entity(iuid), ext.iuid_timestamp(iuid))
		= (7, 9, date_trunc('milliseconds', found))}),
	sql('SELECT count(*) FROM b.words'), 'the expressions are of columns');

sql(q{CREATE SCHEMA c;
	CREATE TABLE c.groups (id int PRIMARY KEY);
	CREATE TABLE c.user (role_group_id int REFERENCES c.groups);
	CREATE TABLE c.user_role (group_id int REFERENCES c.groups);
	CREATE TABLE c.long (} . 'c' x 58 . q{ int REFERENCES c.groups, src int);
	CREATE TABLE c.twins (} . 'c' x 60 . q{_a int REFERENCES c.groups, } . 'c' x 60 . q{_b int REFERENCES c.groups);
	CREATE FUNCTION c.set_it() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.} . 'c' x 58 . q{ := NEW.src;
		RETURN NEW; END';
	CREATE TRIGGER set_it BEFORE UPDATE ON c.long FOR EACH ROW EXECUTE FUNCTION c.set_it();
	INSERT INTO c.groups VALUES (1), (7); INSERT INTO c.long VALUES (1, 1); INSERT INTO c.twins VALUES (1, 7)});
like(problems(q{'c.groups', '1', '1'}),
	qr/^function: c\.user_role_group_iuid_moving_in/, 'two functions of one name');
my $groups = q{'c.groups', '1', '1', columns => '{"user_role_group_id_fkey": "to_group"}'};
is(problems($groups), '', 'what is to be done helps');
steps($groups, 1, 6);
sql(q{UPDATE c.long SET src = 7});
is(sql(q{SELECT g.id FROM c.long JOIN c.groups AS g ON g.iuid IN (SELECT value::ext.iuid
	FROM jsonb_each_text(to_jsonb(long)) WHERE value ~ '-')}), 7, 'a long name sorts after the triggers that were there');
is(sql(q{SELECT string_agg(g.id::text, ' ' ORDER BY g.id) FROM c.twins
	JOIN c.groups AS g ON g.iuid IN (SELECT value::ext.iuid FROM jsonb_each_text(to_jsonb(twins)) WHERE value ~ '-')}),
	'1 7', 'two long names that begin alike');

# --- types and keys of several references ---------------------------------------------------

sql(q{CREATE SCHEMA d; CREATE EXTENSION ltree SCHEMA ext;
	CREATE TABLE d.o (id ltree PRIMARY KEY);
	CREATE TABLE d.i (o_id ltree REFERENCES d.o ON UPDATE CASCADE);
	INSERT INTO d.o VALUES ('a.b'); INSERT INTO d.i VALUES ('a.b')});
like(problems(q{'d.o', '1', '1'}), qr/^type of the key: id/, 'the text of a type that we do not know');
steps(q{'d.o', '1', '1', guessable => false}, 1, 6);
sql(q{INSERT INTO d.o VALUES ('a.c'); INSERT INTO d.i VALUES ('a.c'); UPDATE d.o SET id = 'a.d' WHERE id = 'a.c'});
is(sql(q{SELECT count(*) FROM d.i JOIN d.o ON o.id = o_id AND o.iuid = o_iuid}),
	2, 'a type whose operators are not in pg_catalog');

sql(q{CREATE TABLE d.a (tenant int, a int, PRIMARY KEY (tenant, a));
	CREATE TABLE d.b (tenant int, b int, PRIMARY KEY (tenant, b));
	CREATE TABLE d.c (id int, tenant int, a int, b int,
		CONSTRAINT a FOREIGN KEY (tenant, a) REFERENCES d.a, CONSTRAINT b FOREIGN KEY (tenant, b) REFERENCES d.b);
	INSERT INTO d.a SELECT 1 + n / 2, 1 + n % 2 FROM generate_series(0, 3) AS n; INSERT INTO d.b SELECT * FROM d.a;
	INSERT INTO d.c VALUES (1, 1, 1, 1), (2, 1, 2, 1)});
steps(q{'d.a', '1', '1', columns => '{"a": "to_a"}'}, 1, 6);
steps(q{'d.b', '1', '2', columns => '{"b": "to_b"}'}, 1, 6);
sql(q{UPDATE d.c SET to_a = NULL WHERE id = 1});
is(sql(q{SELECT tenant, a, b, to_b IS NULL FROM d.c WHERE id = 1}),
	'1||1|f', 'a reference that goes leaves the tenant of another one');
like(refused(q{INSERT INTO d.c (id, tenant, to_a, to_b)
	VALUES (3, 1, (SELECT iuid FROM d.a WHERE (tenant, a) = (1, 1)), (SELECT iuid FROM d.b WHERE (tenant, b) = (2, 2)))}),
	qr/^23503/, 'two tenants');
like(refused(q{UPDATE d.c SET to_a = (SELECT iuid FROM d.a WHERE (tenant, a) = (2, 1)) WHERE id = 1}),
	qr/^23503/, 'a reference takes no tenant along');
sql(q{
	INSERT INTO d.c (id, tenant, to_a, to_b)
		VALUES (4, 2, (SELECT iuid FROM d.a WHERE (tenant, a) = (2, 1)), (SELECT iuid FROM d.b WHERE (tenant, b) = (2, 2)));
	UPDATE d.c SET tenant = 2, to_a = (SELECT iuid FROM d.a WHERE (tenant, a) = (2, 2)),
		to_b = (SELECT iuid FROM d.b WHERE (tenant, b) = (2, 1)) WHERE id = 2});
is(sql(q{SELECT string_agg(concat_ws(',', id, tenant, a, b), ' ' ORDER BY id) FROM d.c WHERE id IN (2, 4)}),
	'2,2,2,1 4,2,1,2', 'one tenant, and one that changes');
is(sql(q{SELECT count(*) FROM d.c LEFT JOIN d.a USING (tenant, a) LEFT JOIN d.b USING (tenant, b)
	WHERE (a.iuid, b.iuid) IS DISTINCT FROM (to_a, to_b)}), 0, 'all references are those of their rows');

sql(q{CREATE TABLE d.p (id int PRIMARY KEY); CREATE TABLE d.q (id int PRIMARY KEY);
	CREATE TABLE d.both (
		x int CONSTRAINT p REFERENCES d.p ON DELETE SET NULL CONSTRAINT q REFERENCES d.q ON UPDATE CASCADE,
		y int CONSTRAINT y REFERENCES d.p);
	INSERT INTO d.p VALUES (1), (2); INSERT INTO d.q VALUES (1), (2); INSERT INTO d.both VALUES (1, 1)});
steps(q{'d.p', '1', '1', columns => '{"p": "to_p", "y": "z"}'}, 1, 6);
steps(q{'d.q', '1', '2', columns => '{"q": "to_q"}'}, 1, 6);
like(refused(q{UPDATE d.both SET to_p = (SELECT iuid FROM d.p WHERE id = 2)}),
	qr/^23503/, 'a column of two references is what the client says');
sql(q{UPDATE d.both SET x = 2, to_p = (SELECT iuid FROM d.p WHERE id = 2);
	UPDATE d.both SET z = (SELECT iuid FROM d.p WHERE id = 2)});
is(sql('SELECT x, y, (SELECT id FROM d.p WHERE iuid = to_p), (SELECT id FROM d.q WHERE iuid = to_q) FROM d.both'),
	'2|2|2|2', 'and both follow it');
sql('UPDATE d.both SET y = NULL; DELETE FROM d.p WHERE id = 2');
is(sql('SELECT x, to_p, to_q FROM d.both'), '||', 'ON DELETE SET NULL');
sql(q{CREATE TABLE d.r (id int PRIMARY KEY);
	CREATE TABLE d.s (r int CONSTRAINT one REFERENCES d.r CONSTRAINT two REFERENCES d.r)});
is(problems(q{'d.r', '1', '1', columns => '{"two": "other"}'}),
	'foreign key: two of d.s', 'two foreign keys of the same columns');

# The columns in the order of the key, in each session the same text, from the first millisecond
sql(q{CREATE TABLE d.k (b text, at timestamptz, a bytea, PRIMARY KEY (a, b));
	INSERT INTO d.k VALUES ('x', '1970-01-01 00:00+00', '\\xff'), ('y', '1969-12-31 23:59:59.999+00', '\\xff');
	ALTER DATABASE postgres SET bytea_output = 'escape'});
steps(q{'d.k', '1', '4', 'at'}, 1, 6);
is(sql(q{SELECT string_agg(b || ext.iuid_layout(iuid), ' ' ORDER BY b) FROM d.k WHERE iuid = CASE b
		WHEN 'x' THEN ext.iuid_from_name(1, 4, 'k/["\\\\xff","x"]', at)
		ELSE ext.iuid_from_name(1, 4, 'k/["\\\\xff","y"]') END}),
	'x0 y1', 'the name of a row, and a time that an identifier can hold');
sql(q{ALTER DATABASE postgres SET datestyle = 'SQL, DMY'; ALTER DATABASE postgres SET intervalstyle = sql_standard;
	ALTER DATABASE postgres SET extra_float_digits = 0});
for my $case ([ date => '2026-01-02' ], [ timestamp => '2026-01-02 03:04:05' ], [ interval => '-1 days +02:03:04' ],
	[ float4 => '0.33333334' ], [ float8 => '0.30000000000000004' ])
{
	my ($type, $text) = @$case;
	sql(qq{CREATE TABLE d.of_$type (id $type PRIMARY KEY); INSERT INTO d.of_$type VALUES ('$text')});
	steps("'d.of_$type', '1', '4'", 1, 6);
	is(sql("SELECT iuid = ext.iuid_from_name(1, 4, 'of_$type/$text') FROM d.of_$type"),
		't', "the name of a row with a $type");
}
sql(q{ALTER DATABASE postgres RESET ALL});

# ON DELETE for one column of two, whichever of the two foreign keys comes first
sql(q{CREATE TABLE d.w (tenant int, a int, PRIMARY KEY (tenant, a));
	INSERT INTO d.w SELECT 1, n FROM generate_series(1, 4) AS n;
	CREATE TABLE d.n (id int, tenant int, a int, CONSTRAINT n
		FOREIGN KEY (tenant, a) REFERENCES d.w ON DELETE SET NULL (a)); INSERT INTO d.n VALUES (1, 1, 1), (2, 1, 2);
	CREATE TABLE d.x (id int, tenant int DEFAULT 9, a int DEFAULT 4, CONSTRAINT s
		FOREIGN KEY (tenant, a) REFERENCES d.w ON DELETE SET DEFAULT (a)); INSERT INTO d.x VALUES (1, 1, 1), (2, 1, 3)});
steps(q{'d.w', '1', '5', columns => '{"n": "p", "s": "p"}'}, 1, 6);
sql(q{UPDATE d.n SET p = NULL WHERE id = 2; DELETE FROM d.w WHERE a = 1;
	ALTER TABLE d.x DROP CONSTRAINT s, ADD CONSTRAINT s
		FOREIGN KEY (tenant, a) REFERENCES d.w (tenant, a) ON DELETE SET DEFAULT (a); DELETE FROM d.w WHERE a = 3});
is(sql(q{SELECT string_agg(concat_ws(',', id, tenant, a, p), ' ' ORDER BY id) FROM d.n}),
	'1,1 2,1', 'SET NULL leaves the column that is not listed');
is(sql(q{SELECT count(*) FROM d.x JOIN d.w ON w.iuid = x.p WHERE (x.tenant, x.a, w.a) = (1, 4, 4)}),
	2, 'so does SET DEFAULT');

# A row before the one that it refers to, of a new client, and of who fires no trigger of the tables
sql(q{CREATE TABLE d.f (id int PRIMARY KEY); CREATE TABLE d.l (f_id int REFERENCES d.f DEFERRABLE INITIALLY DEFERRED)});
steps(q{'d.f', '1', '6'}, 1, 6);
sql(q{BEGIN; INSERT INTO d.l (f_iuid) VALUES ('0199dd6b-2e00-8000-8000-000000000001');
	INSERT INTO d.f VALUES (1, '0199dd6b-2e00-8000-8000-000000000001'); SET CONSTRAINTS ALL IMMEDIATE; COMMIT;
	BEGIN; SET LOCAL session_replication_role = replica; INSERT INTO d.l VALUES (2); INSERT INTO d.f VALUES (2); COMMIT});
is(sql('SELECT count(*) FROM d.l JOIN d.f ON id = f_id AND iuid = f_iuid'), 2, 'what a row refers to comes after it');

# --- a dump -----------------------------------------------------------------------------

$node->safe_psql('postgres', 'CREATE DATABASE restored; ALTER DATABASE restored SET search_path = public, ext');
$node->command_ok([ 'pg_dump', '-Fc', '-N', 'moving_in', '-f', $node->basedir . '/dump', $node->connstr('postgres') ],
	'a dump');
$node->command_ok([ 'pg_restore', '-e', '-d', $node->connstr('restored'), $node->basedir . '/dump' ], 'is restored');
is($node->safe_psql('restored', q{SELECT count(*) FROM pg_trigger WHERE tgname ~ '^zz_moving_in'}),
	sql(q{SELECT count(*) FROM pg_trigger WHERE tgname ~ '^zz_moving_in'}), 'with all triggers');
is($node->safe_psql('restored', q{UPDATE d.both SET x = 1;
	SELECT count(*) FROM d.both JOIN d.q ON q.iuid = to_q AND q.id = x}), 1, 'that work');

# --- a table that is no more ---------------------------------------------------------------

sql(q{DROP TABLE a.i; SET ROLE eve; CREATE TYPE a.evil AS (x int);
	CREATE FUNCTION a.take(ext.iuid) RETURNS a.evil LANGUAGE plpgsql AS 'BEGIN RAISE ''eve is %'', current_user; END';
	CREATE CAST (ext.iuid AS a.evil) WITH FUNCTION a.take(ext.iuid) AS ASSIGNMENT;
	CREATE TABLE a.i (id int, o_id int, o_iuid a.evil);
	CREATE TRIGGER z BEFORE INSERT ON a.i FOR EACH ROW EXECUTE FUNCTION a.i_o_iuid_moving_in()});
like(refused('SET ROLE eve; INSERT INTO a.i (o_id) VALUES (1)'), qr/^39P01/, 'a table of another owner under its name');

# --- what is not filled is seen -----------------------------------------------------------

sql(q{CREATE SCHEMA e;
	CREATE TABLE e.o (id int PRIMARY KEY); CREATE TABLE e.i (by int REFERENCES e.o, n int DEFAULT 0);
	CREATE TABLE e.d (o_id int DEFAULT 1 + floor(random() * 2)::int REFERENCES e.o, user_id name DEFAULT CURRENT_USER);
	CREATE TABLE e.v (o_id int); INSERT INTO e.v VALUES (-1);
	ALTER TABLE e.v ADD FOREIGN KEY (o_id) REFERENCES e.o NOT VALID;
	CREATE INDEX ON e.d (o_id) WHERE user_id <> 'nobody';
	INSERT INTO e.o SELECT generate_series(1, 1000); INSERT INTO e.i SELECT generate_series(1, 1000); ANALYZE;
	ALTER ROLE CURRENT_USER SET default_transaction_isolation = 'serializable'});
sql(q{CREATE TABLE e.t (id text PRIMARY KEY, o_id int, t_id text REFERENCES e.t DEFERRABLE);
	INSERT INTO e.t SELECT n, 7000, (n * 7) % 50 + 1 FROM generate_series(1, 50) AS n;
	ALTER TABLE e.t ADD FOREIGN KEY (o_id) REFERENCES e.o NOT VALID});
steps(q{'e.t', '1', '1', guessable => false}, 1, 6);
is(sql('SELECT count(*) FROM e.t AS r JOIN e.t AS p ON p.id = r.t_id AND p.iuid = r.t_iuid'),
	50, 'rows that another foreign key would not take');
my $o = q{'e.o', '1', '1', guessable => false, batch => 1};
steps($o, 1, 2);
my ($old, $writer) = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 2;
$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM e.o');
$writer->query_safe('BEGIN ISOLATION LEVEL READ COMMITTED; INSERT INTO e.i VALUES (3)');
steps($o, 3, 3);
like($old->query("INSERT INTO e.i VALUES (4);\n\\echo :SQLSTATE"),
	qr/40001/, 'a snapshot that is older than an identifier is told so');
$old->quit;
$writer->query_safe('COMMIT');
$writer->quit;
steps($o, 4, 4);
like(refused(statements($o, 5, 5)), qr/^55000: by_iuid of e\.i is not the identifier/,
	'a row that came in meanwhile stops the exchange');
steps($o, 3, 6);
sql(q{ALTER ROLE CURRENT_USER RESET default_transaction_isolation});
is(sql('SELECT count(*) FROM e.i JOIN e.o ON by = id WHERE by_iuid = iuid'), 1001, 'step 3 again fills it');
is(sql(q{SELECT count(*) FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
	WHERE a.attrelid = 'e.d'::regclass AND a.attname = 'o_iuid'}), 1, 'a partial index of a reference has one beside it');
is(sql(q{CREATE TEMP TABLE had AS SELECT id, iuid FROM e.o; UPDATE e.o SET iuid = NULL;
	SELECT count(*) FROM e.o JOIN had USING (id, iuid)}), 1000, 'an identifier that a client takes away stays');
sql(q{INSERT INTO e.d (o_iuid) SELECT iuid FROM e.o WHERE id = 3 AND length(md5(random()::text)) = 32;
	INSERT INTO e.d (o_iuid) SELECT o_iuid FROM e.d; INSERT INTO e.d (o_iuid) SELECT o_iuid FROM e.d;
	INSERT INTO e.d DEFAULT VALUES});
is(sql('SELECT count(*) FILTER (WHERE o_id = 3), count(*) FILTER (WHERE iuid = o_iuid) FROM e.d JOIN e.o ON id = o_id'),
	'4|5', 'a default that is another one each time is not the client\'s word');

# A parent that is deleted and inserted again with its key: at once, or while a row is inserted that
# has looked it up, before its foreign key does
sql(q{CREATE TABLE d.shops (id int PRIMARY KEY, main_id int REFERENCES d.shops);
	CREATE TABLE d.sales (
		id int PRIMARY KEY, shop_id int NOT NULL REFERENCES d.shops DEFERRABLE, other_id int REFERENCES d.shops);
	CREATE FUNCTION d.wait() RETURNS trigger LANGUAGE plpgsql
	AS 'BEGIN PERFORM pg_advisory_xact_lock(56); RETURN NEW; END';
	CREATE TRIGGER "A_wait" AFTER INSERT ON d.sales FOR EACH ROW WHEN (NEW.id = 2) EXECUTE FUNCTION d.wait();
	CREATE TRIGGER "A_wait" AFTER INSERT ON d.shops FOR EACH ROW WHEN (NEW.id = 12) EXECUTE FUNCTION d.wait();
	INSERT INTO d.shops SELECT generate_series(1, 5)});
my $shops = q{'d.shops', '1', '9', guessable => false};
steps($shops, 1, 3);
sql(q{INSERT INTO d.sales VALUES (1, 1, NULL);
	BEGIN; SET CONSTRAINTS ALL DEFERRED; DELETE FROM d.shops WHERE id = 1; INSERT INTO d.shops VALUES (1); COMMIT});
my ($again, @inserting) = map { $node->background_psql('postgres') } 1 .. 3;
$again->query_safe('BEGIN; SELECT pg_advisory_xact_lock(56)');
$inserting[0]->query_until(qr/begun/, "\\echo begun\nINSERT INTO d.sales VALUES (2, 2, 3);\n");
$inserting[1]->query_until(qr/begun/, "\\echo begun\nINSERT INTO d.shops VALUES (12, 4);\n");
ok( $node->poll_query_until('postgres',
		q{SELECT count(*) = 2 FROM pg_stat_activity WHERE wait_event = 'advisory' AND query ~ '^INSERT'}),
	'rows have looked up what they refer to');
$again->query_safe('DELETE FROM d.shops WHERE id BETWEEN 2 AND 4; INSERT INTO d.shops VALUES (2), (3), (4); COMMIT');
$_->query_safe('SELECT 1') for @inserting;
$_->quit for $again, @inserting;
my $differ = q{SELECT count(*) FILTER (WHERE r.new IS DISTINCT FROM p.iuid) || ' of ' || count(*)
	FROM (SELECT shop_id, shop_iuid FROM d.sales UNION ALL SELECT other_id, other_iuid FROM d.sales
		UNION ALL SELECT main_id, main_iuid FROM d.shops) AS r (old, new) JOIN d.shops AS p ON p.id = r.old};
is(sql($differ), '4 of 4', 'they refer to rows that have other identifiers now');
steps($shops, 4, 4);
like(refused(statements($shops, 5, 5)), qr/^55000: \S+ of d\.\S+ is not the identifier/, 'this stops the exchange');
my ($holder, $other) = map { $node->background_psql('postgres') } 1 .. 2;
$holder->query_safe('BEGIN; SELECT FROM d.sales WHERE id = 1 FOR UPDATE');
$other->query_safe('BEGIN; SELECT FROM d.shops WHERE id = 3 FOR UPDATE');
steps($shops, 3, 3);
$_->quit for $holder, $other;
is(sql($differ), '2 of 4', 'step 3 mends it, and waits for no row');
steps($shops, 3, 3);
is(sql($differ), '0 of 4', 'step 3 mends the others');
is(sql(q{SELECT string_agg(concat_ws(',', id, shop_id, other_id), ' ' ORDER BY id) FROM d.sales}),
	'1,1 2,2,3', 'what they refer to stays');
steps($shops, 5, 6);

# --- locks ----------------------------------------------------------------------------

sql(q{
	CREATE TABLE d.paths (id int PRIMARY KEY, path text, lower_path text GENERATED ALWAYS AS (lower(path)) STORED UNIQUE,
		n int DEFAULT 0);
	CREATE TABLE d.counters (path_id int UNIQUE REFERENCES d.paths, n int);
	INSERT INTO d.paths (id, path) SELECT n, 'P' || n FROM generate_series(1, 100) AS n});
my $paths = q{'d.paths', '1', '3', pause => '0.3 s'};
steps($paths, 1, 2);
my ($one, $two) = map { $node->background_psql('postgres') } 1 .. 2;
$one->query_safe('BEGIN; INSERT INTO d.counters VALUES (50, 1) ON CONFLICT (path_id) DO UPDATE SET n = counters.n + 1');
$two->query_until(qr/filling/,
	"SET deadlock_timeout = '10ms';\n\\echo filling\n" . (statements($paths, 3, 3))[0] . "\n\\echo filled\n");
ok($node->poll_query_until('postgres', 'SELECT count(*) >= 99 FROM d.paths WHERE iuid IS NOT NULL'),
	'a batch waits for no row');
ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity
	WHERE application_name = '1 rows of paths are locked'}), 'what waits is told');
ok($node->poll_query_until('postgres',
	q{SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name ~ '^99 of about '}), 'and what is done');
$one->query_safe('UPDATE d.paths SET n = n + 1 WHERE id = 10; COMMIT');
$two->query_until(qr/filled/, '');
$one->query_safe('BEGIN; INSERT INTO d.counters VALUES (2, 1) ON CONFLICT (path_id) DO UPDATE SET n = counters.n + 1');
$two->query_until(qr/begun/,
	"\\echo begun\nINSERT INTO d.counters VALUES (2, 1) ON CONFLICT (path_id) DO UPDATE SET n = counters.n + 1;\n");
ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity
	WHERE wait_event_type = 'Lock' AND query ~ '^INSERT INTO d.counters'}), 'a second session waits for the first one');
$one->query_safe(q{SET deadlock_timeout = '10ms'; SELECT FROM d.paths WHERE id = 2 FOR UPDATE; COMMIT});
$two->query_safe('SELECT 1');
$_->quit for $one, $two;
is(sql('SELECT n FROM d.counters WHERE path_id = 2'), 2, 'the triggers lock nothing before a foreign key does');

# --- what moves or fails meanwhile ------------------------------------------------------

sub statement { my ($arguments, $pattern) = @_; return (grep { /$pattern/ } statements($arguments, 1, 8))[0] }

sql(q{CREATE TABLE d.pages (id int PRIMARY KEY, filler text);
	INSERT INTO d.pages SELECT -n, repeat('x', 1000) FROM generate_series(1, 21) AS n});
my $pages = q{'d.pages', '1', '7', batch => 1, pause => '1 s'};
steps($pages, 1, 2);
my $backfill = $node->background_psql('postgres');
$backfill->query_until(qr/filling/, "SET default_transaction_isolation = 'repeatable read';\n\\echo filling\n"
	. statement($pages, 'SKIP LOCKED') . "\n\\echo filled\n");
ok($node->poll_query_until('postgres', 'SELECT count(*) > 0 FROM d.pages WHERE iuid IS NOT NULL'),
	'the first page is filled');
sql('UPDATE d.pages SET id = id WHERE id = -10; CLUSTER d.pages USING pages_pkey');
$backfill->query_until(qr/filled/, '');
$backfill->quit;
is(sql('SELECT count(*) FROM d.pages WHERE iuid IS NULL'),
	0, 'rows that change, or that CLUSTER moves behind the backfill, are filled');
my $reader = $node->background_psql('postgres');
$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
like(refused("SET statement_timeout = '1s';\n" . statement($pages, '^CREATE UNIQUE INDEX .* pages_iuid_pkey')),
	qr/^57014/, 'an index that is given up while it waits for an old snapshot');
$reader->query_safe('COMMIT');
steps($pages, 4, 6);
is(sql(q{SELECT count(*) FROM pg_index WHERE indrelid = 'd.pages'::regclass AND indisvalid}),
	2, 'step 4 makes it again');

sql(q{CREATE TABLE d.skipped (id int PRIMARY KEY, filler text);
	INSERT INTO d.skipped SELECT n, repeat('x', 1000) FROM generate_series(1, 10) AS n;
	CREATE FUNCTION d.skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
	CREATE TRIGGER skip BEFORE UPDATE ON d.skipped FOR EACH ROW WHEN (OLD.id = 1) EXECUTE FUNCTION d.skip()});
my $skipped = q{'d.skipped', '1', '8', batch => 1};
steps($skipped, 1, 2);
$reader->query_safe('BEGIN; SELECT FROM d.skipped WHERE id = 10 FOR UPDATE');
like(refused("SET statement_timeout = '30s';\n" . statement($skipped, 'SKIP LOCKED')),
	qr/^55000: a trigger of d\.skipped skips the UPDATE of rows/,
	'a trigger that skips some rows is named, while others are locked');
$reader->quit;
$node->stop;
done_testing();
