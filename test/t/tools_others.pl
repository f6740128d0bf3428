# What doc/other-tools.md says of COPY, logical decoding and other extensions, on the versions that
# this machine has.
use strict;
use warnings;

use IPC::Run;
use lib 'test/t';
use OtherExtensions;
use PostgreSQL::Test::Utils;
use Test::More;

my ($node, %installed) = start_with([qw(file_fdw pg_stat_statements pg_visibility)], allows_streaming => 'logical');
my $library = query(q{SELECT setting FROM pg_config WHERE name = 'PKGLIBDIR'});
# The minor releases of 2026 have a list of the plugins that a slot may use.
my $plugins = query(q{SELECT current_setting('output_plugin_libraries', true)});
$node->append_conf('postgresql.conf', "output_plugin_libraries = '$plugins, wal2json'") if $plugins;
$node->append_conf('postgresql.conf',
	q{shared_preload_libraries = 'pg_stat_statements} . ($installed{pg_cron} ? q{, pg_cron'} : q{'}));
$node->append_conf('postgresql.conf', 'cron.host = ' . q{'} . $node->host . q{'}) if $installed{pg_cron};
$node->restart;
query('CREATE EXTENSION iuid');

# --- COPY, pg_dump, file_fdw -------------------------------------------------------------------

my @ids =
	qw(019b76da-a87b-8007-8041-23456789abcd 019c76da-a87b-807d-8041-23456789abcd 019d76da-a87b-8107-8041-23456789abcd);
my $csv = $node->basedir . '/in.csv';
append_to_file($csv, "id,note\n$ids[0],a\n$ids[1],b\n$ids[2],\"c\"\n");
query('CREATE TABLE copied (id iuid PRIMARY KEY DEFAULT gen_iuid(125, 1), note text)');
my $content = 'SELECT * FROM copied ORDER BY id';
my $all = "$ids[0]|a\n$ids[1]|b\n$ids[2]|c";

is(query(qq{BEGIN; TRUNCATE copied; COPY copied FROM '$csv' (FORMAT csv, HEADER, FREEZE); COMMIT;
	$content}), $all, 'COPY (FORMAT csv, FREEZE)');
is( query(q{CREATE EXTENSION pg_visibility; SELECT bool_and(all_frozen) FROM pg_visibility_map('copied')}),
	't', 'and the rows are frozen');
my $some = q{id >= timestamptz '2026-02-01' AND iuid_is_from(id, 125)};
is( query(qq{TRUNCATE copied;
		\\copy copied FROM '$csv' (FORMAT csv, HEADER) WHERE $some
		$content}), "$ids[1]|b", '\copy … WHERE takes the predicates of iuid');
for my $format ('text', 'csv', 'binary')
{
	my $file = $node->basedir . "/$format";
	is( query(qq{TRUNCATE copied; COPY copied FROM '$csv' (FORMAT csv, HEADER);
			\\copy copied TO '$file' (FORMAT $format)
			TRUNCATE copied;
			\\copy copied FROM '$file' (FORMAT $format)
			$content}), $all, "\\copy there and back (FORMAT $format)");
}
is(query(q{\copy (SELECT id FROM copied WHERE id < timestamptz '2026-02-01') TO STDOUT}), $ids[0], '\copy of a query');
my $bad = "COPY copied (id) FROM STDIN %s;
hello
019b76da-a87b-4007-8041-23456789abcd
019b76da-a87b-8007-8041-23456789abce
\\.
SELECT count(*) FROM copied";
refuses(sprintf($bad, ''), qr/invalid input syntax for type iuid: "hello"\n.*\n.*line 1, column id: "hello"/,
	'a bad value: its line and column are named');
if ($node->pg_version >= 17)
{
	is(query(sprintf $bad, '(ON_ERROR ignore)'), '4', 'ON_ERROR ignore skips the bad lines');
	query(q{DELETE FROM copied WHERE note IS NULL});
}

$node->safe_psql('postgres', 'CREATE DATABASE restored');
my ($dump) = run_command([ 'pg_dump', '--data-only', '--inserts', '-t', 'copied', $node->connstr('postgres') ]);
like($dump, qr/^INSERT INTO public\.copied VALUES \('$ids[1]', 'b'\);$/m, 'pg_dump --inserts writes text');
$node->safe_psql('restored', "CREATE EXTENSION iuid; CREATE TABLE copied (id iuid PRIMARY KEY, note text); $dump");
is($node->safe_psql('restored', 'SELECT * FROM public.copied ORDER BY id'), $all, 'and it restores');

query(qq{
	CREATE EXTENSION file_fdw;
	CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
	CREATE FOREIGN TABLE file (id iuid, note text) SERVER files OPTIONS (filename '$csv', format 'csv', header 'true')});
is(query(q{SELECT id FROM file WHERE id >= timestamptz '2026-02-01' AND iuid_is_from(id, 125)}), $ids[1], 'file_fdw');

# --- logical decoding --------------------------------------------------------------------------

query(q{
	CREATE TABLE orders (id iuid PRIMARY KEY DEFAULT gen_iuid(125, 1), list iuid[], note text);
	CREATE TABLE of_uuid (id uuid PRIMARY KEY DEFAULT gen_iuid(125, 1), note text);
	CREATE TABLE with_country (id iuid PRIMARY KEY DEFAULT gen_iuid(125, 1), note text,
		country smallint NOT NULL CHECK (country = iuid_country(id)))});
my ($operators, $functions, $types) =
	map { qr/invalid publication WHERE expression\n(?:.*\n)*?DETAIL:  User-defined $_/ }
	'operators', 'or built-in mutable functions', 'types';
refuses("CREATE PUBLICATION bad FOR TABLE $$_[0] WHERE ($$_[1])", $$_[2], "a row filter refuses $$_[1]") for (
	[ 'orders',  q{id >= timestamptz '2026-01-01'}, $operators ],
	[ 'orders',  'iuid_is_from(id, 125)',           $functions ],
	[ 'orders',  "id = '$ids[0]'",                  $operators ],
	[ 'orders',  "id::uuid = '$ids[0]'",            $types ],
	[ 'orders',  'id IS NOT NULL',                  $types ],
	[ 'of_uuid', q{id >= iuid_floor('2026-01-01')}, $operators ]);

# What pgoutput sends of a publication: the kinds of the changes.
sub kinds
{
	my ($publication, $changes) = @_;
	query(qq{SELECT FROM pg_create_logical_replication_slot('kinds', 'pgoutput')});
	query($changes);
	my $kinds = query(qq{SELECT string_agg(kind, '') FROM (SELECT chr(get_byte(data, 0)) AS kind
		FROM pg_logical_slot_get_binary_changes('kinds', NULL, NULL, 'proto_version', '1', 'publication_names',
			'$publication')) AS m WHERE kind IN ('I', 'U', 'D')});
	query(q{SELECT pg_drop_replication_slot('kinds')});
	return $kinds;
}
query(q{SELECT format('CREATE PUBLICATION since FOR TABLE of_uuid WHERE (id >= %L)', iuid_floor('2026-02-01')) \gexec});
is( kinds('since', q{
		INSERT INTO of_uuid SELECT gen_iuid(125, 1, at)
			FROM (VALUES (timestamptz '2026-01-31 23:59:59.999'), ('2026-02-01'), ('2026-02-02')) AS times (at);
		DELETE FROM of_uuid}), 'IIDD', 'a row filter on a uuid column, with the bound as a constant');
query(q{CREATE PUBLICATION country FOR TABLE with_country WHERE (country = 125)});
my $not_in_key = 'Column used in the publication WHERE expression is not part of the replica identity';
refuses(q{UPDATE with_country SET note = 'x'}, qr/cannot update table "with_country"\nDETAIL:  $not_in_key/,
	'the filter needs a replica identity with its columns');
query(q{CREATE UNIQUE INDEX key ON with_country (id, country);
	ALTER TABLE with_country REPLICA IDENTITY USING INDEX key});
is( kinds('country', q{
		INSERT INTO with_country SELECT gen_iuid(n, 1), NULL, n FROM generate_series(124, 126) AS n;
		UPDATE with_country SET note = 'x';
		DELETE FROM with_country}), 'IUD', 'and then filters by country');
query(q{
	CREATE TABLE by_country (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
	CREATE TABLE by_country_rest PARTITION OF by_country DEFAULT;
	CREATE TABLE by_country_125 PARTITION OF by_country
		FOR VALUES FROM (iuid_country_floor(125)) TO (iuid_country_floor(126));
	CREATE PUBLICATION partition FOR TABLE by_country_125});
is( kinds('partition', q{INSERT INTO by_country SELECT gen_iuid(n, 1) FROM generate_series(124, 126) AS n}),
	'I', 'or the partition of the country is published');
query('CREATE PUBLICATION list FOR TABLE orders (id, note)');
is(kinds('list', q{INSERT INTO orders (note) VALUES ('a'); UPDATE orders SET note = 'b';
	DELETE FROM orders}), 'IUD', 'a column list with the key');
query('ALTER PUBLICATION list SET TABLE orders (note)');
refuses(q{INSERT INTO orders (note) VALUES ('a'); UPDATE orders SET note = 'b'},
	qr/Column list used by the publication does not cover the replica identity/, 'a column list without the key');
query('DROP PUBLICATION list; TRUNCATE orders');

# The changes as the plugins write them.
my $changes = qq{
	INSERT INTO orders VALUES ('$ids[0]', '{$ids[1],NULL}', 'a');
	UPDATE orders SET id = '$ids[1]';
	DELETE FROM orders};
query(q{SELECT FROM pg_create_logical_replication_slot('test', 'test_decoding')});
query($changes);
my $others = "list[iuid[]]:'{$ids[1],NULL}' note[text]:'a'";
is( query(q{SELECT data FROM pg_logical_slot_get_changes('test', NULL, NULL, 'include-xids', 'false',
		'skip-empty-xacts', 'true') WHERE data LIKE 'table%'}),
	"table public.orders: INSERT: id[iuid]:'$ids[0]' $others
table public.orders: UPDATE: old-key: id[iuid]:'$ids[0]' new-tuple: id[iuid]:'$ids[1]' $others
table public.orders: DELETE: id[iuid]:'$ids[1]'", 'test_decoding');
SKIP:
{
	skip 'SKIPPED: wal2json is not installed', 1 unless -e "$library/wal2json.so";
	query(q{SELECT FROM pg_create_logical_replication_slot('json', 'wal2json')});
	query($changes);
	my $table = '"schema":"public","table":"orders"';
	my @key = map { qq({"name":"id","type":"iuid","value":"$_"}) } @ids;
	my $rest = qq({"name":"list","type":"iuid[]","value":"{$ids[1],NULL}"},{"name":"note","type":"text","value":"a"});
	is( query(q{SELECT data
			FROM pg_logical_slot_get_changes('json', NULL, NULL, 'format-version', '2', 'include-transaction', 'false')}),
		qq({"action":"I",$table,"columns":[$key[0],$rest]}
{"action":"U",$table,"columns":[$key[1],$rest],"identity":[$key[0]]}
{"action":"D",$table,"identity":[$key[1]]}), 'wal2json');
}

# A subscriber without the extension.  It is on the same server, so its slot is made first.
$node->safe_psql('postgres', 'CREATE DATABASE replica');
my $connection = $node->connstr . ' dbname=postgres';
for my $binary ('false', 'true')
{
	my $name = "binary_$binary";
	query(qq{CREATE TABLE $name (id iuid PRIMARY KEY, note text); INSERT INTO $name VALUES ('$ids[0]', 'first');
		CREATE PUBLICATION $name FOR TABLE $name});
	query(qq{SELECT FROM pg_create_logical_replication_slot('$name', 'pgoutput')});
	$node->safe_psql('replica', qq{CREATE TABLE $name (id uuid PRIMARY KEY, note text);
		CREATE SUBSCRIPTION $name CONNECTION '$connection' PUBLICATION $name WITH (create_slot = false, binary = $binary)});
	$node->wait_for_subscription_sync($node, $name, 'replica');
	query(qq{INSERT INTO $name VALUES ('$ids[1]', 'second'); UPDATE $name SET note = note || ' change';
		UPDATE $name SET id = '$ids[2]' WHERE id = '$ids[0]'});
	$node->wait_for_catchup($name);
	is( $node->safe_psql('replica', qq{SELECT * FROM $name ORDER BY id; DROP SUBSCRIPTION $name}),
		"$ids[1]|second change\n$ids[2]|first change", "a subscriber with columns of type uuid (binary = $binary)");
}

# --- extensions --------------------------------------------------------------------------------

SKIP:
{
	skip 'SKIPPED: pg_repack is not installed', 12 unless $installed{pg_repack};
	note 'pg_repack ', query(q{CREATE EXTENSION pg_repack;
		SELECT extversion FROM pg_extension WHERE extname = 'pg_repack'});
	query(q{
		CREATE TABLE packed (id iuid PRIMARY KEY DEFAULT gen_iuid(125, 1), other iuid NOT NULL, note text);
		CREATE INDEX packed_country ON packed (other iuid_origin_ops);
		INSERT INTO packed SELECT gen_iuid(125, 1), gen_iuid(n % 250, 2), repeat('x', 100)
			FROM generate_series(1, 20000) AS n;
		DELETE FROM packed WHERE iuid_country(other) % 2 = 0});
	my $filenode = q{SELECT pg_relation_filenode('packed')};
	my $digest = q{SELECT count(*), md5(string_agg(packed::text, ' ' ORDER BY id)) FROM packed WHERE note <> 'new'};
	my $definition = q{SELECT string_agg(indexdef, ';' ORDER BY indexdef) FROM pg_indexes WHERE tablename = 'packed'};
	my ($file, $rows, $indexes) = map { query($_) } $filenode, $digest, $definition;
	my $script = $node->basedir . '/write.sql';
	append_to_file($script, q{INSERT INTO packed (other, note) VALUES (gen_iuid(125, 2), 'new')});
	my $out = '';
	my $writers = IPC::Run::start([ 'pgbench', '-n', '-c', '2', '-R', '100', '-T', '600',
		'-f', $script, $node->connstr('postgres') ], '>', \$out, '2>', \$out);
	$node->poll_query_until('postgres', q{SELECT count(*) > 5 FROM packed WHERE note = 'new'});
	my $before = query(q{SELECT count(*) FROM packed WHERE note = 'new'});
	repack('-t', 'packed', '-o', 'other USING OPERATOR(public.~<~)');
	$node->poll_query_until('postgres', qq{SELECT count(*) > $before FROM packed WHERE note = 'new'});
	$writers->signal('TERM');
	IPC::Run::finish($writers);
	isnt(query($filenode), $file, 'pg_repack writes a table with a key of type iuid again');
	is(query($digest), $rows, 'and the rows are the same');
	unlike($out, qr/ERROR|aborted/, 'and no insert of other sessions fails');
	is(query($definition), $indexes, 'and the indexes are the same');
	is( query(q{SELECT count(*) FROM (SELECT other, lag(other) OVER (ORDER BY ctid) AS before FROM packed
		WHERE note <> 'new') AS p WHERE other ~<~ before}),
		'0', 'and the rows are in the order of countries');
	repack('-t', 'packed', '-o', 'other DESC');
	is( query(q{SELECT count(*) FROM (SELECT other, lag(other) OVER (ORDER BY ctid) AS before FROM packed) AS p
		WHERE other > before}),
		'0', 'or of time');
	query(q{
		CREATE TABLE months (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
		SELECT iuid_create_partitions('months', '1 month', '2026-01-01', '2026-03-01');
		INSERT INTO months SELECT gen_iuid(125, 1, timestamptz '2026-01-01' + n * interval '1 hour')
			FROM generate_series(1, 1000) AS n});
	my $partitions = q{SELECT pg_relation_filenode('months_2026_01') <> %s, pg_relation_filenode('months_2026_02') <> %s};
	my ($january, $february) = map { query("SELECT pg_relation_filenode('months_2026_0$_')") } 1, 2;
	repack('-t', 'months_2026_01');
	is(query(sprintf $partitions, $january, $february), 't|f', 'pg_repack of a partition');
	repack('-I', 'months');
	is(query(sprintf $partitions, $january, $february), 't|t', 'and of all partitions');
	is( query(q{SELECT (SELECT count(*) FROM months), (SELECT count(*) FROM iuid_check_partitions('months'))}),
		'1000|0', 'and they are still partitions, with their rows');
}

sub repack
{
	my ($out, $err) = run_command([ 'pg_repack', '-h', $node->host, '-p', $node->port, '-d', 'postgres', @_ ]);
	unlike($err, qr/ERROR|WARNING/, "pg_repack @_");
	return;
}

query('CREATE EXTENSION pg_stat_statements');
query(qq{
	SELECT * FROM copied WHERE id = '$ids[0]';
	SELECT * FROM copied WHERE id = '$ids[1]';
	SELECT * FROM copied WHERE id >= timestamptz '2026-01-01';
	SELECT * FROM copied WHERE id >= timestamptz '2026-02-01'});
is( query(q{SELECT query, calls FROM pg_stat_statements WHERE query LIKE 'SELECT * FROM copied WHERE id %' ORDER BY 1}),
	'SELECT * FROM copied WHERE id = $1|2
SELECT * FROM copied WHERE id >= timestamptz $1|2', 'pg_stat_statements: queries with other values are one entry');

SKIP:
{
	skip 'SKIPPED: hypopg is not installed', 1 unless $installed{hypopg};
	query(q{CREATE EXTENSION hypopg; CREATE TABLE plain AS SELECT gen_iuid(125, 1) AS id FROM generate_series(1, 10000);
		ANALYZE plain});
	like(query(qq{SET client_min_messages = error; SELECT FROM hypopg_create_index('CREATE INDEX ON plain (id)');
		EXPLAIN (COSTS OFF) SELECT * FROM plain WHERE id = '$ids[0]'}),
		qr/Index (?:Only )?Scan using .*btree_plain_id.*\n\s*Index Cond: /, 'hypopg');
}

SKIP:
{
	skip 'SKIPPED: pg_cron is not installed', 2 unless $installed{pg_cron};
	# A job of pg_cron 1.4 that is not to wait for a full minute is one that runs at the start.
	note 'pg_cron ', query(q{CREATE EXTENSION pg_cron; SELECT extversion FROM pg_extension WHERE extname = 'pg_cron'});
	query(q{
		CREATE TABLE log (id iuid PRIMARY KEY DEFAULT gen_iuid(125, 1), note text) PARTITION BY RANGE (id);
		SELECT iuid_create_partitions('log', '1 month', now() - interval '3 months', now() - interval '1 month');
		SELECT cron.schedule('log', '@reboot',
			$$CALL iuid_maintain_partitions('log', '1 month', ahead => 2, keep => '1 second')$$)});
	$node->restart;
	$node->poll_query_until('postgres',
		q{SELECT EXISTS (SELECT FROM cron.job_run_details WHERE status IN ('succeeded', 'failed'))});
	is(query(q{SELECT status FROM cron.job_run_details}), 'succeeded', 'pg_cron runs iuid_maintain_partitions');
	is( query(q{SELECT string_agg(partition::text, ' ' ORDER BY lower) FROM iuid_partitions('log')}),
		query(q{SELECT string_agg(to_char(date_trunc('month', now()) + n * interval '1 month', '"log_"YYYY_MM'), ' ')
			FROM generate_series(0, 2) AS n}),
		'and the partitions of the next months are there, and the old ones are not');
}

$node->stop;
done_testing();
