# The example of pages and terms: two sessions that come between each other in a fixed order.
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
# What the server knows of the tables is what this test says.
$node->append_conf('postgresql.conf', 'autovacuum = off');
$node->start;
$node->safe_psql('postgres', "CREATE EXTENSION iuid;\n\\i examples/digest/schema.sql");

# All pages, with the day of their creation, their tags, and where they moved; no posting of another
# page or term is left out.
sub state
{
	return $node->safe_psql('postgres', q{
		SELECT string_agg(text, ' ' ORDER BY text) FROM (
			SELECT concat_ws(' ', p.url, p.status || extract(day FROM p.created_at AT TIME ZONE 'UTC'), m.url,
				string_agg(t.term, ' ' ORDER BY t.term)) || ';' AS text
			FROM pages AS p LEFT JOIN pages AS m ON m.id = p.moved_to
				FULL JOIN postings AS o ON o.page = p.id FULL JOIN terms AS t ON t.id = o.term
			WHERE p.id IS NOT NULL OR o.page IS NOT NULL GROUP BY p.id, m.id) AS x});
}

# Page a: of the second of January 2020, with tag x; page b: deleted, of the third; the others: not there.
sub start_over
{
	$node->safe_psql('postgres', q{
		TRUNCATE pages, terms, postings;
		SELECT count(*) FROM add_pages('{a:, b:}', '{x, x}');
		SELECT count(*) FROM delete_pages('{b:}');
		UPDATE pages
			SET created_at = CASE url WHEN 'a:' THEN '2020-01-02 00:00+00' ELSE '2020-01-03 00:00+00' END::timestamptz});
}

sub add { return "SELECT count(*) FROM add_pages('{$_[0]}', '{$_[1]}');" }
sub delete_page { return "SELECT count(*) FROM delete_pages('{$_[0]}');" }
sub set_tags { return "SELECT count(*) FROM set_postings('$_[0]', 'tag', '{$_[1]}');" }
sub rename_page { return "SELECT (rename_page('$_[0]', '$_[1]')).status;" }

my ($one, $two, $three) = map { open_session($node) } 1 .. 3;
my $today = $node->safe_psql('postgres', q{SELECT extract(day FROM now() AT TIME ZONE 'UTC')});

start_over();
is(state(), 'a: live2 x; b: deleted3;', 'before each case');

# One session does the first and stays in its transaction; the other does the second and waits; then
# the first commits.  What both said, and what is there then.
my $by_hand = q{DELETE FROM postings WHERE page = page_id('a:'); DELETE FROM pages WHERE id = page_id('a:');};
my $term_by_hand = q{DELETE FROM postings WHERE term = term_id('tag', 'x');
	DELETE FROM terms WHERE id = term_id('tag', 'x');};
for my $case (
	[ add('a:', 'y'), 1, delete_page('a:'), 1, 'a: deleted2; b: deleted3;' ],
	[ delete_page('a:'), 1, add('a:', 'y'), 1, 'a: live2 y; b: deleted3;' ],
	[ add('a:', 'y'), 1, rename_page('a:', 'b:'), 'live', 'a: moved2 b:; b: live2 x y;' ],
	[ rename_page('a:', 'b:'), 'live', add('a:', 'y'), 1, 'a: live2 y; b: live2 x;' ],
	[ add('b:', 'y'), 1, rename_page('a:', 'b:'), 'live', 'a: moved2 b:; b: live2 x y;' ],
	[ rename_page('a:', 'b:'), 'live', add('b:', 'y'), 1, 'a: moved2 b:; b: live2 x y;' ],
	[ rename_page('a:', 'b:'), 'live', delete_page('a:'), 0, 'a: moved2 b:; b: live2 x;' ],
	[ delete_page('a:'), 1, rename_page('a:', 'b:'), 'P0002', 'a: deleted2; b: deleted3;' ],
	[ rename_page('a:', 'b:'), 'live', rename_page('a:', 'c:'), 'P0002', 'a: moved2 b:; b: live2 x;' ],
	[ rename_page('a:', 'b:'), 'live', rename_page('b:', 'a:'), 'live', 'a: live2 x; b: moved2 a:;' ],
	[ add('b:', 'x'), 1, add('b:', 'y'), 1, 'a: live2 x; b: live3 x y;' ],
	[ add('c:', 'z'), 1, add('c:', 'z'), 0, "a: live2 x; b: deleted3; c: live$today z;" ],
	[ add('a:', 'z'), 1, add('b:', 'z'), 1, 'a: live2 x z; b: live3 z;' ],
	[ add('a:', 'y'), 1, set_tags('a:', 'z'), 3, 'a: live2 z; b: deleted3;' ],
	[ add('a:', 'y'), 1, set_tags('a:', ''), 2, 'a: live2; b: deleted3;' ],
	[ set_tags('a:', 'z'), 2, add('a:', 'y'), 1, 'a: live2 y z; b: deleted3;' ],
	[ set_tags('a:', ''), 1, add('a:', 'y'), 1, 'a: live2 y; b: deleted3;' ],
	[ set_tags('a:', 'y, z'), 3, set_tags('a:', 'z, w'), 2, 'a: live2 w z; b: deleted3;' ],
	[ set_tags('c:', 'z'), 1, set_tags('c:', 'w'), 2, "a: live2 x; b: deleted3; c: live$today w;" ],
	[ delete_page('a:'), 1, set_tags('a:', 'y'), 1, 'a: live2 y; b: deleted3;' ],
	[ delete_page('a:'), 1, set_tags('a:', ''), 0, 'a: deleted2; b: deleted3;' ],
	[ set_tags('a:', 'y'), 2, delete_page('a:'), 1, 'a: deleted2; b: deleted3;' ],
	[ rename_page('a:', 'b:'), 'live', set_tags('a:', ''), 0, 'a: moved2 b:; b: live2 x;' ],
	[ rename_page('a:', 'b:'), 'live', set_tags('b:', 'y'), 2, 'a: moved2 b:; b: live2 y;' ],
	[ set_tags('b:', 'y'), 1, rename_page('a:', 'b:'), 'live', 'a: moved2 b:; b: live2 x y;' ],
	[ add('a:', 'y'), 1, $by_hand, '23503', 'a: live2 x y; b: deleted3;' ],
	[ $by_hand, '', add('a:', 'y'), 1, "a: live$today y; b: deleted3;" ],
	[ add('b:', 'x'), 1, $term_by_hand, '23503', 'a: live2 x; b: live3 x;' ],
	[ $term_by_hand, '', add('b:', 'x'), 1, 'a: live2; b: live3 x;' ])
{
	my ($first, $said_first, $second, $said_second, $state) = @$case;
	start_over();
	is(run($one, 'BEGIN;', $first), $said_first, $first);
	# Statements by hand are a transaction, too.
	ok(waits($two, "BEGIN; $second COMMIT;", $one), "waits: $second");
	run($one, 'COMMIT;');
	is(outcome($two), $said_second, 'and then goes on');
	is(state(), $state, "then there is: $state");
}

# A row that somebody has locked is no reason to wait for INSERT ... ON CONFLICT DO NOTHING, and may be
# gone when it is to be held.
for my $case (
	[ 'pages', q{page_id('b:')}, add('b:', 'y'), "a: live2 x; b: live$today y;" ],
	[ 'terms', q{term_id('tag', 'w')}, add('a:', 'w'), 'a: live2 w x; b: deleted3;' ])
{
	my ($table, $id, $add, $state) = @$case;
	start_over();
	$node->safe_psql('postgres', q{INSERT INTO terms (field, term) VALUES ('tag', 'w')});
	run($one, "BEGIN; SELECT FROM $table WHERE id = $id FOR UPDATE;");
	ok(waits($two, $add, $one), "waits for the lock on $table: $add");
	is(run($one, "DELETE FROM $table WHERE id = $id; COMMIT;"), '', 'the row goes');
	is(outcome($two), '1', 'the other makes it anew');
	is(state(), $state, "then there is: $state");
}

# A call that waits for a page holds none that comes later, in whatever order it was given them: so
# no two calls wait for each other.  The order of these two texts is not that of their identifiers.
my ($low, $high) = split /\|/, $node->safe_psql('postgres', q{
	SELECT l, h FROM unnest('{e:, f:, g:, h:}'::text[]) AS l, unnest('{e:, f:, g:, h:}'::text[]) AS h
	WHERE l > h AND page_id(l) < page_id(h) ORDER BY l, h LIMIT 1});
for my $call (add("$high, $low", 'y, y'), delete_page("$high, $low"), rename_page($low, $high),
	rename_page($high, $low))
{
	start_over();
	$node->safe_psql('postgres', add("$low, $high", 'x, x'));
	for my $case ([ $low, $high, '' ], [ $high, $low, '55P03' ])
	{
		my ($locked, $other, $error) = @$case;
		run($one, "BEGIN; SELECT FROM pages WHERE url = '$locked' FOR UPDATE;");
		ok(waits($two, "BEGIN; $call ROLLBACK;", $one), "waits for $locked: $call");
		is(run($three, "SELECT FROM pages WHERE url = '$other' FOR UPDATE NOWAIT;"),
			$error, $error ? "and holds $other" : "and does not hold $other");
		run($one, 'COMMIT;');
		unlike(outcome($two), qr/^[0-9A-Z]{5}$/, 'and goes on');
	}
}

# What a call reads does not grow with the terms that there are, whether the server knows of them yet or not.
for my $analyze ('', 'ANALYZE pages, terms, postings;')
{
	start_over();
	$node->safe_psql('postgres', q{
		SELECT count(*) FROM add_pages(array_fill('many:'::text, ARRAY[2000]),
			ARRAY(SELECT 'term ' || n FROM generate_series(1, 2000) AS n));
		SELECT count(*) FROM add_pages('{a:, a:}', '{y, z}');} . $analyze);
	my $read = q{(SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))
		FROM pg_stat_xact_user_tables WHERE relname IN ('pages', 'terms', 'postings'))};
	for my $call (set_tags('a:', 'x, w'), set_tags('a:', ''), add('a:', 'v'), delete_page('a:'), rename_page('a:', 'b:'))
	{
		my $out = run($one, "BEGIN; SELECT $read AS before \\gset", $call, "SELECT $read - :before < 100; ROLLBACK;");
		is((split /\n/, $out)[-1], 't', "reads few rows: $analyze $call");
	}
}

# A page with many terms: not as many steps as their square, when the plans are those of any call, too.
start_over();
run($one, map { set_tags('a:', "x$_") } 1 .. 6);
my @many = map { qq{SELECT count(*) FROM set_postings('many:', 'word',
	ARRAY(SELECT 'term ' || n FROM generate_series($_, $_ + 39999) AS n));} } 1, 20_001;
is(run($one, "SET statement_timeout = '10s';", @many, $many[1], 'RESET statement_timeout;'),
	"40000\n40000\n0", 'many terms');
is(run($one, q{SELECT * FROM set_postings('a:', 'tag', '{y, z, x6, z, y}') ORDER BY 1;}),
	"y|t\nz|t", 'a term that is given twice comes once');
is(run($one, q{SELECT * FROM set_postings('a:', 'tag', '{w, NULL}');}), '22004', 'a term that is NULL is refused');
is(state() =~ s/; many: .*//r, 'a: live2 x6 y z; b: deleted3', 'and nothing came of that');

# Two names of one identifier, with a weaker function: in one call, in two, when a page moves, and in
# two sessions.
start_over();
$node->safe_psql('postgres', q{
	TRUNCATE pages, terms, postings;
	CREATE OR REPLACE FUNCTION page_id(url text) RETURNS iuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN iuid_from_name(125, 4, left(url, 1));
	CREATE OR REPLACE FUNCTION term_id(field text, term text) RETURNS iuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN iuid_from_name(125, 5, left(term, 1))});
is(run($one, add('a2, a1, b1', 'x, x, x')), '23U01', 'two pages of one identifier in one call');
is(run($one, add('d1, d1', 'z1, z2')), '23U01', 'two terms in one call');
is(run($one, add('a1, b1', 'x, x')), '2', 'one of each');
is(run($one, add('a2', 'x')), '23U01', 'another page of the same identifier');
is(run($one, add('a1', 'x2')), '23U01', 'another term');
is(run($one, rename_page('b1', 'a2')), '23U01', 'a page that moves there');
is(run($one, rename_page('a2', 'd1')), 'P0002', 'the other page is not there to be moved');
is(run($one, delete_page('a2')), '0', 'nor to be deleted');
is(run($one, set_tags('a2', 'x')), '23U01', 'a page whose tags are set');
is(run($one, set_tags('a2', '')), '0', 'or taken away');
is(run($one, set_tags('a1', 'x2')), '23U01', 'a tag that is set');
is(run($one, q{SELECT url FROM page('a2') UNION ALL SELECT url FROM live_page('a2')
	UNION ALL SELECT url FROM pages_with('tag', 'x2');}),
	'', 'nor to be found, and the other term has no page');
is(state(), "a1 live$today x; b1 live$today x;", 'nothing came of all that');
$node->safe_psql('postgres', 'TRUNCATE pages, terms, postings');
is(run($one, 'BEGIN;', add('d1', 'x')), '1', 'a page');
ok(waits($two, add('d2', 'y'), $one), 'waits: another of the same identifier');
run($one, 'COMMIT;');
is(outcome($two), '23U01', 'two names of one identifier');
is(state(), "d1 live$today x;", 'nothing came of the second');

$_->quit for $one, $two, $three;
$node->stop;
done_testing();
