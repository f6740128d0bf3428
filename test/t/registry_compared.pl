# iuid_compare_registry(): its remedies, run in the order given, make the registry here that of the other
# node, whatever differs.  What a node says is a value in them, and a node that says nonsense is an error.
use strict;
use warnings;

use lib 'test/t';
use FakeNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $server = PostgreSQL::Test::Cluster->new('main');
$server->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$server->append_conf('postgresql.conf', "fsync = off\nlog_statement = all");
$server->start;
my ($host, $port) = ($server->host, $server->port);
sub at { my ($node, $sql) = @_; return $server->safe_psql($node, "SET client_min_messages = error; $sql") }

# The nodes themselves are in each registry.
for my $node ('here', 'there')
{
	at('postgres', "CREATE DATABASE $node");
	at('postgres', "ALTER DATABASE $node SET iuid.node = '$node'");
	at($node, qq{CREATE EXTENSION iuid_regions CASCADE; CREATE EXTENSION postgres_fdw;
		INSERT INTO iuid_nodes VALUES ('here', NULL, 'here'), ('there', NULL, 'there');
		CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw
			OPTIONS (host '$host', port '$port', dbname 'there', extensions 'iuid');
		CREATE USER MAPPING FOR PUBLIC SERVER there});
}
my $compare = q{SELECT * FROM iuid_compare_registry('there')};
my $registry = join ' UNION ALL ',
	map { "SELECT '$_' || t::text FROM iuid_$_ AS t" } qw(countries entities nodes routes);

# Runs what is to be done in one transaction, under search_paths that would find something else, or each alone.
sub mend
{
	my ($is_whole) = @_;
	my $before = at('there', "SELECT string_agg(r, ',' ORDER BY r) FROM ($registry) AS x (r)");
	my $remedies = at('here', q{SELECT remedy FROM iuid_compare_registry('there')});
	at('here', $is_whole ? "BEGIN; SET LOCAL search_path = trap, pg_catalog; $remedies; COMMIT" : $remedies);
	is(at('here', "SELECT string_agg(r, ',' ORDER BY r) FROM ($registry) AS x (r)"),
		$before, 'the registry here is that of the node');
	is(at('here', $compare), '', 'and nothing is left to do');
	return;
}
at('here', q{CREATE SCHEMA trap; CREATE FUNCTION trap.never(int, int) RETURNS boolean LANGUAGE sql RETURN false;
	CREATE OPERATOR trap.= (FUNCTION = trap.never, LEFTARG = int, RIGHTARG = int)});

is(at('here', $compare), '', 'equal registries');
# Each kind of row, each kind of difference.
at('here', q{INSERT INTO iuid_countries VALUES (1, 'A', 'only here'), (2, 'B', 'old');
	INSERT INTO iuid_nodes VALUES ('gone', 'x', NULL);
	INSERT INTO iuid_routes VALUES (1, NULL, 'gone'), (2, NULL, 'here')});
at('there', q{INSERT INTO iuid_countries VALUES (2, 'B', 'new'), (3, 'C', 'only there');
	INSERT INTO iuid_entities VALUES (1, '', 'it''s \\'); INSERT INTO iuid_nodes VALUES ('new', NULL, NULL);
	INSERT INTO iuid_routes VALUES (NULL, NULL, 'new'), (2, NULL, NULL)});
# Of each row its table, what is here, what is there, and what mends it.
my @differences = (
	[ 'iuid_routes', '{"node": "gone", "entity": null, "country": 1}', '',
		'DELETE FROM public.iuid_routes WHERE country OPERATOR(pg_catalog.=) 1 AND entity IS NULL;' ],
	[ 'iuid_countries', '{"code": "A", "name": "only here", "country": 1}', '',
		'DELETE FROM public.iuid_countries WHERE country OPERATOR(pg_catalog.=) 1;' ],
	[ 'iuid_countries', '{"code": "B", "name": "old", "country": 2}', '{"code": "B", "name": "new", "country": 2}',
		q{UPDATE public.iuid_countries SET name = 'new' WHERE country OPERATOR(pg_catalog.=) 2;} ],
	[ 'iuid_countries', '', '{"code": "C", "name": "only there", "country": 3}',
		q{INSERT INTO public.iuid_countries (code, country, name) VALUES ('C', 3, 'only there');} ],
	[ 'iuid_entities', '', q({"name": "it's \\\\", "entity": 1, "service": ""}),
		q{INSERT INTO public.iuid_entities (entity, name, service) VALUES (1, E'it''s \\\\', '');} ],
	[ 'iuid_nodes', '', '{"node": "new", "region": null, "server": null}',
		q{INSERT INTO public.iuid_nodes (node, region, server) VALUES ('new', NULL, NULL);} ],
	[ 'iuid_routes', '{"node": "here", "entity": null, "country": 2}', '{"node": null, "entity": null, "country": 2}',
		'UPDATE public.iuid_routes SET node = NULL WHERE country OPERATOR(pg_catalog.=) 2 AND entity IS NULL;' ],
	[ 'iuid_routes', '', '{"node": "new", "entity": null, "country": null}',
		q{INSERT INTO public.iuid_routes (country, entity, node) VALUES (NULL, NULL, 'new');} ],
	[ 'iuid_nodes', '{"node": "gone", "region": "x", "server": null}', '',
		q{DELETE FROM public.iuid_nodes WHERE node OPERATOR(pg_catalog.=) 'gone';} ]);
is(at('here', $compare), join("\n", map { join '|', @$_ } @differences), 'what differs, and what mends it');
mend(1);

# Codes and keys that are exchanged: in a ring, along a chain, and with those of rows that come and go.
at('here', q{TRUNCATE iuid_countries, iuid_entities;
	INSERT INTO iuid_countries SELECT n, chr(64 + n), 'x' FROM generate_series(1, 8) AS n;
	INSERT INTO iuid_entities VALUES (1, 'a', 'bc'), (2, 'ab', 'd')});
at('there', q{TRUNCATE iuid_countries, iuid_entities;
	INSERT INTO iuid_countries SELECT n, (ARRAY['B','C','A','E','F','Z','H'])[n], 'x' FROM generate_series(1, 7) AS n;
	INSERT INTO iuid_countries VALUES (9, 'G', 'x'), (10, 'D', 'x');
	INSERT INTO iuid_entities VALUES (1, 'a', 'bd'), (2, 'ab', 'c')});
mend(0);

# Any two registries.
srand 71;
for my $round (1 .. 12)
{
	for my $node ('here', 'there')
	{
		my @code = sort { rand() <=> 0.5 } 'A' .. 'H';
		my @routed = map { $_ ? "'n" . int(rand 4) . "'" : 'NULL' } map { int rand 4 } 1 .. 20;
		at($node, join ';', 'TRUNCATE iuid_routes; TRUNCATE iuid_countries, iuid_entities',
			q{DELETE FROM iuid_nodes WHERE node LIKE 'n%'},
			(map { sprintf q{INSERT INTO iuid_countries VALUES (%d, '%s', 'name %d')}, $_, shift @code, rand 2 }
				grep { $_ > 2 || rand() < 0.5 } 0 .. 7),
			(map { sprintf q{INSERT INTO iuid_entities VALUES (%d, '%s', '%s') ON CONFLICT DO NOTHING},
				$_, 'a' x rand 3, 'a' x (1 + rand 3) } grep { rand() < 0.7 } 0 .. 5),
			(map { sprintf q{INSERT INTO iuid_nodes VALUES ('n%d', %s, 's%d')},
				$_, rand() < 0.5 ? 'NULL' : q{'r'}, rand 2 } 0 .. 3),
			(map { sprintf q{INSERT INTO iuid_routes VALUES (%s, %s, %s) ON CONFLICT DO NOTHING},
				(map { rand() < 0.3 ? 'NULL' : int rand 4 } 1, 2), $_ } @routed),
			q{DELETE FROM iuid_nodes WHERE node LIKE 'n%' AND random() < 0.5
				AND NOT EXISTS (SELECT FROM iuid_routes AS r WHERE r.node = iuid_nodes.node)});
	}
	mend($round % 2);
}

# One round trip.
my $session = $server->background_psql('here', extra_params => [ '-Xq' ]);
$session->query_safe($compare);
my $from = -s $server->logfile;
$session->query_safe($compare);
my @asked = slurp_file($server->logfile, $from) =~ /LOG:  execute .*iuid_select_here/g;
is(scalar @asked, 1, 'one round trip');
$session->quit;

# What cannot be compared.
sub refused
{
	my ($arguments, $sqlstate, $message) = @_;
	my (undef, undef, $err) = $server->psql('here',
		"\\set VERBOSITY verbose\nSELECT * FROM iuid_compare_registry($arguments)");
	like($err, qr/ERROR:  $sqlstate: .*$message/, $arguments);
	return;
}
refused(q{'here'}, '22023', 'node "here" is this node');
refused(q{'nowhere'}, '22023', 'node "nowhere" is not registered');
refused('NULL', '22004', 'must not be null');
at('there', 'ALTER TABLE iuid_routes RENAME TO hidden');
refused(q{'there'}, '42P01', 'relation "public.iuid_routes" does not exist');
at('there', 'ALTER TABLE hidden RENAME TO iuid_routes; ALTER TABLE iuid_nodes ADD more int');
refused(q{'there'}, '08P01', 'does not give its registry');
at('there', 'ALTER TABLE iuid_nodes DROP more');
$server->safe_psql('here', 'CREATE ROLE stranger; GRANT USAGE ON FOREIGN SERVER there TO stranger');
refused(q{'there'); SET ROLE stranger; SELECT iuid_compare_registry('there'}, '2F003', 'password is required');
at('here', 'REVOKE SELECT ON iuid_nodes FROM PUBLIC');
refused(q{'there'); SET ROLE stranger; SELECT iuid_compare_registry('there'}, '42501',
	'permission denied for table iuid_nodes');
at('here', 'GRANT SELECT ON iuid_nodes TO PUBLIC');

# Nodes that answer what they like.
my %answer = (
	nothing => [ 4 ],
	nulls => [ 4, [ undef, undef, undef, undef ] ],
	one_null => [ 4, [ '[]', '[]', '[]', undef ] ],
	json_null => [ 4, [ '[]', '[]', '[]', 'null' ] ],
	twice => [ 4, [ ('[]') x 4 ], [ ('[]') x 4 ] ],
	object => [ 4, [ '{}', '[]', '[]', '[]' ] ],
	scalars => [ 4, [ '[1]', '["x"]', '[[]]', '[null]' ] ],
	other_columns => [ 4, [ '[{"country": 1, "code": "A", "name": "x", "more": 1}]', '[]', '[]', '[]' ] ],
	fewer_columns => [ 4, [ '[]', '[]', '[{"node": "here"}]', '[]' ] ],
	(map { $_->[0] => [ 4, [ qq([{"country": 1, "code": "A", "name": $_->[1]}]), '[]', '[]', '[]' ] ] }
		[ large => '1e131071' ], [ small => '0e-16383' ], [ fraction => '1.5' ], [ list => '[1]' ],
		[ nested => '{"x": 1}' ]),
	text => [ 4, [ ('x') x 4 ] ],
	columns => [ 5, [ ('[]') x 5 ] ]);
my $lie = '"\'); DROP TABLE iuid_routes; --\\u0027\\\\"';
my @lies = (
	qq<[{"country": 1, "code": $lie, "name": $lie}, {"country": $lie, "code": false, "name": 1e9}]>,
	'[{"entity": null, "service": true, "name": null, "key": -1}]',
	qq<[{"node": $lie, "region": $lie, "server": -15}]>, qq<[{"country": 1e9, "entity": $lie, "node": $lie}]>);
my $way = start_fake_node((map { my $rows = $answer{$_}; $_ => { answer => answered_rows(@$rows) } } keys %answer),
	silent => { answer => sub { sleep 300 } }, liar => { answer => answered_rows(4, \@lies) });
at('here', qq{INSERT INTO iuid_nodes VALUES ('$_', NULL, '$_');
	CREATE SERVER $_ FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($way, dbname '$_');
	CREATE USER MAPPING FOR PUBLIC SERVER $_ OPTIONS (user 'x', password 'x')}) for keys %answer, 'silent', 'liar';
refused("'$_'", '08P01', 'does not give its registry') for grep { !/^(?:text|columns)$/ } sort keys %answer;
refused(q{'text'}, '22P02', 'invalid input syntax for type json');
refused(q{'columns'}, '08(006|P01)', '');
refused(q{'silent', '1 second'}, '08006', 'did not answer within the timeout');
# A lie is a value, and the tables here refuse what cannot be.
my @remedies = split /\n/, at('here', q{SELECT remedy FROM iuid_compare_registry('liar') WHERE here IS NULL});
is(scalar @remedies, 5, 'the rows of a liar') or diag join "\n", @remedies;
$server->psql('here', "BEGIN; SAVEPOINT s; $_; ROLLBACK") for @remedies;
unlike(slurp_file($server->logfile), qr/statement: DROP TABLE/, 'nothing of them is executed');
ok(at('here', q{SELECT to_regclass('iuid_routes') IS NOT NULL}), 'all tables are there');

$server->stop;
done_testing();
