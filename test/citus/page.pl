# What doc/citus.md says of the tables of a cluster: its blocks, each line of its tables, and the
# errors that it promises.  What it says of other nodes is in node.pl.  ./dev citus runs this.
use strict;
use warnings;

use lib 'test/t', 'test/citus';
use CitusCluster;
use Pages;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, @workers) = start_cluster();
make_database('orders');
my $citus = query('SELECT citus_version()');
note $citus;

# The names of the machines on the page.
my %place = map { ("worker$_" => sprintf "'%s', %d", $workers[ $_ - 1 ]->host, $workers[ $_ - 1 ]->port) } 1, 2;
check_page($coordinator, 'orders', 'doc/citus.md', has => 'Citus', edit => sub { shift =~ s/'(worker\d)', 5432/$place{$1}/gr });
is(query('SELECT count(*) FROM pg_extension WHERE extname ~ $$^iuid(_regions)?$$', $_), '2', 'the extensions are on the workers') for @workers;

# --- the table of statements ---------------------------------------------

# The same rows in a distributed and in a plain table: of ten countries and 40 days.
query(q{
	CREATE TABLE plain (id iuid PRIMARY KEY, note text);
	INSERT INTO plain SELECT gen_iuid(n % 10 + 120, 1, now() - n * interval '14 minutes 24 seconds'), n::text FROM generate_series(0, 3999) AS n;
	CREATE TABLE staged (id iuid PRIMARY KEY, note text);
	SELECT create_distributed_table('staged', 'id');
	INSERT INTO staged SELECT * FROM plain});
query('INSERT INTO orders SELECT * FROM staged');
query('INSERT INTO items SELECT id, n FROM staged, generate_series(1, 2) AS n');
my $all = query(q{SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'orders'::regclass});
cmp_ok($all, '>', 8, 'there are many shards');
is(query(q{SELECT count(DISTINCT get_shard_id_for_distribution_column('orders', id)) FROM plain WHERE iuid_country(id) = 125}), $all,
	'each has rows of every country');

my $x = query('SELECT id FROM plain ORDER BY id LIMIT 1');
my $shard = q{get_shard_id_for_distribution_column('orders', %s)};
my $of_shard = "SELECT id FROM plain WHERE @{[ sprintf $shard, 'id' ]} %s @{[ sprintf $shard, qq{'$x'::iuid} ]} AND id <> '$x' LIMIT 1";
my $y = query(sprintf $of_shard, '<>');
my $beside = query(sprintf $of_shard, '=');
my $new = query('SELECT gen_iuid(125, 1)');

for my $case (
	[ q{INSERT INTO orders (note) VALUES ('new')}, 1 ],
	[ qq{INSERT INTO orders VALUES ('$new', 'new')}, 1 ],
	[ qq{INSERT INTO orders VALUES ('$x', 'new') ON CONFLICT (id) DO UPDATE SET note = excluded.note}, 1 ],
	[ qq{UPDATE orders SET note = 'changed' WHERE id = '$x'}, 1 ],
	[ qq{DELETE FROM items WHERE order_id = '$x'}, 1 ],
	[ qq{SELECT * FROM orders WHERE id = '$x'}, 1 ],
	[ qq{SELECT * FROM orders WHERE id = '$x'::uuid}, 1 ],
	[ qq{SELECT * FROM orders JOIN items ON order_id = id WHERE id = '$x'}, 1 ],
	[ qq{SELECT * FROM orders JOIN items ON order_id = id WHERE id = '$x'::uuid}, 1 ],
	[ qq{SELECT * FROM orders WHERE id IN ('$x', '$y')}, 2 ],
	[ qq{SELECT * FROM orders WHERE id IN ('$x', '$beside')}, 1 ],
	[ q{SELECT * FROM orders WHERE id >= now() - interval '1 day'}, $all ],
	[ q{SELECT * FROM orders WHERE id <@ tstzrange(now() - interval '2 days', now())}, $all ],
	[ q{SELECT * FROM orders WHERE iuid_is_from(id, 125)}, $all ],
	[ q{SELECT * FROM orders JOIN items ON order_id = id}, $all ],
	[ q{SELECT min(id) FROM orders}, $all ],
	[ q{SELECT count(*) FROM orders}, $all ],
	[ q{SELECT iuid_country(id), count(*) FROM orders GROUP BY iuid_country(id)}, $all ],
	[ q{SELECT * FROM orders ORDER BY id DESC LIMIT 3}, $all ])
{
	my ($statement, $shards) = @$case;
	is(tasks($statement), $shards, $statement =~ s/'[0-9a-f-]{36}'/X/gr . ": $shards shards");
}
for my $type ('iuid', 'uuid')
{
	for my $case (
		[ 'custom', 'orders', 'plain' ],
		[ 'generic', 'orders', 'plain' ],
		[ 'custom', 'orders JOIN items ON order_id = id', 'plain, generate_series(1, 2)' ])
	{
		my ($mode, $from, $same) = @$case;
		my $prepare = "SET plan_cache_mode = force_${mode}_plan; PREPARE by_id ($type) AS SELECT note FROM $from WHERE id = \$1";
		is(tasks("EXECUTE by_id ('$x')", $prepare), 1, "$from, id = \$1 of type $type, a $mode plan: one shard");
		is(query("$prepare; EXECUTE by_id ('$y')"), query("SELECT note FROM $same WHERE id = '$y'"), 'and the row of it');
	}
	my $prepare = "PREPARE by_id ($type) AS SELECT note FROM orders JOIN items ON order_id = id WHERE id = \$1";
	is(query($prepare . "; EXECUTE by_id ('$y')" x 8), join("\n", (query("SELECT note FROM plain WHERE id = '$y'")) x 16), 'the join, where the server chooses the plan');
}
for my $predicate (q{id >= now() - interval '1 day'}, q{id <@ tstzrange('2026-06-29', '2026-07-06')})
{
	my @ranges = plan_of("SELECT * FROM orders WHERE $predicate") =~ /Index Cond: .*\bid >= /g;
	is(scalar @ranges, $all, "$predicate: each shard gets the range, for its index");
}
query('CREATE INDEX by_country ON orders (id iuid_origin_ops)');
my @countries = plan_of('SELECT * FROM orders WHERE iuid_is_from(id, 125)') =~ /(?:on|using) by_country_\d+.*\n\s+Index Cond: .*\bid ~>=~ /g;
is(scalar @countries, $all, 'iuid_is_from: each gets the range, for an index in the order of countries');
my @sent = plan_of('SELECT * FROM orders ORDER BY id DESC LIMIT 3') =~ /->  Limit\n\s+->  Index Scan Backward/g;
is(scalar @sent, $all, 'the LIMIT is sent');

# The answers, compared with those of the plain table.
for my $question (
	'SELECT count(*), min(id), max(id) FROM T',
	q{SELECT * FROM T WHERE id >= now() - interval '1 day' ORDER BY id},
	q{SELECT * FROM T WHERE id <@ tstzrange(now() - interval '9 days', now() - interval '3 days') ORDER BY id},
	'SELECT * FROM T WHERE iuid_is_from(id, 125) ORDER BY id',
	'SELECT iuid_country(id), count(*) FROM T GROUP BY 1 ORDER BY 1',
	'SELECT * FROM T ORDER BY id DESC LIMIT 7',
	"SELECT * FROM T WHERE id IN ('$x', '$y') ORDER BY id",
	"SELECT * FROM T WHERE id IN ('$x'::uuid, '$y'::uuid) ORDER BY id")
{
	my $answer = query($question =~ s/\bT\b/orders/r);
	is($answer, query($question =~ s/\bT\b/plain/r), "$question is right");
	isnt($answer, '', 'and not empty');
}
query(qq{COPY orders FROM STDIN;\n$new\tcopied\n\\.\n});
query(q{INSERT INTO orders (note) VALUES ('through a worker')}, $workers[0]);
is(query(q{SELECT note FROM orders WHERE note IN ('copied', 'through a worker') ORDER BY 1}), "copied\nthrough a worker", 'COPY, and an INSERT through a worker');

# --- uuid ----------------------------------------------------------------

my $other = '919108f7-52d1-4320-9bac-f847db4148a8';
is(query("SELECT count(*) FROM plain WHERE id = '$other'::uuid"), 0, 'a plain table finds no row of another version');
for my $case (
	[ "SELECT * FROM orders WHERE id = '$other'::uuid", 'a constant' ],
	[ "PREPARE by_id (uuid) AS SELECT * FROM orders WHERE id = \$1; EXECUTE by_id ('$other')", 'a parameter' ],
	[ "SELECT * FROM orders WHERE id IN ('$x'::uuid, '$other'::uuid)", 'IN' ],
	[ "SELECT * FROM orders WHERE id = ANY (ARRAY['$x', '$other']::uuid[])", 'ANY' ],
	[ "PREPARE by_id (uuid[]) AS SELECT * FROM orders WHERE id = ANY (\$1); EXECUTE by_id ('{$x,$other}')", 'ANY of a parameter' ])
{
	refuses($case->[0], '22023', "a uuid of another version is an error: $case->[1]");
}

# A key of type uuid, with time partitions.
query(q{
	CREATE TABLE payments (id uuid DEFAULT gen_iuid(125, 2) PRIMARY KEY CHECK (iuid_is_valid(id)), note text) PARTITION BY RANGE (id);
	SELECT create_distributed_table('payments', 'id');
	CREATE TABLE parts (payment_id uuid REFERENCES payments, line int, PRIMARY KEY (payment_id, line));
	SELECT create_distributed_table('parts', 'payment_id', colocate_with => 'payments')});
is(query(q{SELECT count(*) FROM iuid_create_partitions('payments', '1 month', now() - interval '41 days', now() + interval '1 day') AS p}) > 1, 1, 'a key of type uuid: iuid_create_partitions');
query('INSERT INTO payments SELECT id, note FROM plain');
query('INSERT INTO parts SELECT id, 1 FROM plain');
for my $value ("'$x'", "'$x'::uuid", "'$x'::iuid")
{
	is(tasks("SELECT * FROM payments WHERE id = $value"), 1, "a key of type uuid: id = $value: one shard" =~ s/$x/X/r);
	is(query("SELECT note FROM payments WHERE id = $value"), query("SELECT note FROM plain WHERE id = '$x'"), 'and the row of it');
}
is(tasks("SELECT * FROM payments JOIN parts ON payment_id = id WHERE id = '$x'"), 1, 'a join: one shard');
for my $type ('uuid', 'iuid')
{
	for my $mode ('custom', 'generic')
	{
		my $prepare = "SET plan_cache_mode = force_${mode}_plan; PREPARE by_id ($type) AS SELECT note FROM payments WHERE id = \$1";
		is(tasks("EXECUTE by_id ('$x')", $prepare), 1, "a key of type uuid, id = \$1 of type $type, a $mode plan: one shard");
		is(query("$prepare; EXECUTE by_id ('$x')"), query("SELECT note FROM plain WHERE id = '$x'"), 'and the row of it');
	}
}
is(query("SELECT count(*) FROM payments WHERE id = '$other'"), 0, 'a uuid of another version finds no row');
my $day = q{SELECT * FROM %s WHERE id >= iuid_floor(now() - interval '1 day') ORDER BY id};
is(query(sprintf $day, 'payments'), query(sprintf $day, 'plain'), 'a range of time');

# --- what comes before create_distributed_table --------------------------

query(q{
	CREATE TABLE late (id uuid PRIMARY KEY, note text);
	SELECT create_distributed_table('late', 'id');
	INSERT INTO late SELECT * FROM plain LIMIT 100});
for my $change ('SET DEFAULT gen_iuid(125, 1)', 'TYPE iuid USING id::iuid')
{
	refuses("ALTER TABLE late ALTER id $change", 'cannot execute ALTER TABLE command involving partition column', "$change after create_distributed_table");
}
query(q{
	SELECT undistribute_table('late');
	ALTER TABLE late ALTER id TYPE iuid, ALTER id SET DEFAULT gen_iuid(125, 1);
	SELECT create_distributed_table('late', 'id');
	INSERT INTO late DEFAULT VALUES});
is(query('SELECT count(*), count(DISTINCT iuid_timestamp(id)) > 1 FROM late'), '101|t', 'after undistribute_table they work');

# --- time partitions -----------------------------------------------------

query(q{
	CREATE TABLE log (id iuid PRIMARY KEY DEFAULT gen_iuid(125, 3), note text) PARTITION BY RANGE (id);
	CREATE TABLE log_other PARTITION OF log DEFAULT;
	SELECT create_distributed_table('log', 'id')});
is(query(q{SELECT count(*) FROM iuid_create_partitions('log', '1 month', '2026-01-01', '2026-05-01')}), 4, 'iuid_create_partitions');
query(q{INSERT INTO log SELECT gen_iuid(125, 3, timestamptz '2026-01-02' + n * interval '1 day'), n::text FROM generate_series(0, 110) AS n});
my ($april) = query(q{SELECT id FROM log WHERE note = '95'});
is(tasks("SELECT * FROM log WHERE id = '$april'"), 1, 'an identifier asks one shard');
my $tables = sub { my %read = map { $_ => 1 } plan_of(shift) =~ /\bon ((?:log|ends)\w*?)_\d+ /g; return join ' ', sort keys %read };
my ($month) = $tables->("SELECT * FROM log WHERE id = '$april'");
unlike($month, qr/ /, 'and one partition');
my $time = q{SELECT * FROM log WHERE id <@ tstzrange('2026-04-02', '2026-04-20')};
is($tables->($time), $month, 'a time asks the partitions of that time');
is(tasks($time), $all, 'of all shards');
is(query(q{SELECT count(*) FROM iuid_check_partitions('log')}), 0, 'iuid_check_partitions finds no fault');
like(query(q{CALL iuid_maintain_partitions('log', '1 month')}), qr/^[1-9]/, 'iuid_maintain_partitions');
is(query(q{SELECT count(*) FROM iuid_drop_partitions('log', '2026-02-01')}), 1, 'iuid_drop_partitions');
is(query('SELECT min(note::int) FROM log'), 30, 'drops in each shard');
is(query(q{ANALYZE log; SELECT max(estimated_rows) < 1 AND max(bytes) <= 16384 FROM iuid_partitions('log')}), 't', 'the sizes of iuid_partitions are those of empty tables');
cmp_ok(query(qq{SELECT citus_total_relation_size('$month')}), '>', 16384, 'citus_total_relation_size has the others');

query(q{INSERT INTO log VALUES (gen_iuid(125, 3, '2031-01-05'), 'waits')});
my $make = q{SELECT count(*) FROM iuid_create_partitions('log', '1 month', '2031-01-01', '2031-02-01')};
refuses($make, 'updated partition constraint for default partition ".*" would be violated by some row', 'rows in the DEFAULT partition do not move');
query(qq{
	BEGIN;
	CREATE TEMP TABLE waiting AS SELECT * FROM log WHERE id <@ tstzrange('2031-01-01', '2031-02-01');
	DELETE FROM log WHERE id <@ tstzrange('2031-01-01', '2031-02-01');
	$make;
	INSERT INTO log SELECT * FROM waiting;
	COMMIT});
unlike($tables->(q{SELECT * FROM log WHERE id <@ tstzrange('2031-01-02', '2031-01-20')}), qr/other/, 'moved by hand, they do');
is(query(q{SELECT note FROM log WHERE id <@ tstzrange('2031-01-02', '2031-01-20')}), 'waits', 'and are there');

# Open ends.
query(q{
	CREATE TABLE ends (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
	CREATE TABLE ends_first PARTITION OF ends FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01 00:00+00'));
	CREATE TABLE ends_last PARTITION OF ends FOR VALUES FROM (iuid_floor('2026-04-01 00:00+00')) TO (MAXVALUE);
	SELECT create_distributed_table('ends', 'id');
	SELECT iuid_create_partitions('ends', '1 month', '2026-01-01', '2026-04-01')});
for my $first ('2025-11-01', '2026-06-01')
{
	like(query("SELECT iuid_create_partitions('ends', '1 month', '$first', timestamptz '$first' + interval '1 month')"), qr/^ends_20/, "an open end: a partition of $first");
}
query(q{SELECT iuid_drop_partitions('ends', '2026-02-01')});
query(q{INSERT INTO ends SELECT gen_iuid(125, 3, t), t::date::text FROM unnest('{2026-01-05,2026-08-05}'::timestamptz[]) AS t});
is(query('SELECT note FROM ends ORDER BY id'), "2026-01-05\n2026-08-05", 'rows of the times before and after all partitions');
is(query(q{SELECT count(*) FROM iuid_check_partitions('ends')}), 0, 'which iuid_check_partitions does not see');
for my $first ('2026-01-01', '2026-08-01')
{
	my $carve = "SELECT count(*) FROM iuid_create_partitions('ends', '1 month', '$first', timestamptz '$first' + interval '1 month')";
	refuses($carve, 'partition constraint of relation ".*" is violated by some row', "rows in an open end do not move: $first");
	query(qq{
		BEGIN;
		CREATE TEMP TABLE waiting AS SELECT * FROM ends;
		DELETE FROM ends;
		$carve;
		INSERT INTO ends SELECT * FROM waiting;
		COMMIT});
	is($tables->("SELECT * FROM ends WHERE id <@ tstzrange('$first', timestamptz '$first' + interval '1 day')"), 'ends_' . $first =~ s/-/_/r =~ s/-01$//r, 'moved by hand, they do');
}
is(query('SELECT note FROM ends ORDER BY id'), "2026-01-05\n2026-08-05", 'and are there');

# Citus' own functions.
my @refused = ([ q{SELECT create_time_partitions('events', '1 month', '2030-01-01')}, 'must be date, timestamp or timestamptz' ],
	[ q{CALL drop_old_time_partitions('events', '2026-01-01')}, 'must be date, timestamp or timestamptz' ],
	[ q{CALL alter_old_partitions_set_access_method('events', '2026-01-01', 'columnar')}, 'cannot be cast to a timestamptz' ]);
refuses(@$_, "refused: $_->[0]") for @refused;
query(q{SELECT iuid_create_partitions('events', '1 month', '2023-01-01', '2023-04-01');
	INSERT INTO events SELECT gen_iuid(125, 4, timestamptz '2023-01-02' + n * interval '1 day'), n::text FROM generate_series(0, 80) AS n});
my $rows = 'SELECT * FROM events ORDER BY id';
my $before = query($rows);
my ($convert) = slurp_file('doc/citus.md') =~ /^(SELECT alter_table_set_access_method.*?;)$/ms;
$convert =~ s/now\(\) - interval '1 year'/timestamptz '2023-03-01'/ or die;
query($convert) for 1 .. 2;
is(query(q{SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_class AS c JOIN pg_am AS a ON a.oid = c.relam WHERE a.amname = 'columnar'}),
	'events_2023_01 events_2023_02', 'the partitions of that time are columnar');
is(query($rows), $before, 'and have their rows');
query(q{INSERT INTO events VALUES (gen_iuid(125, 4, '2023-02-05'), 'more')});
is(query(q{SELECT count(*) FROM events WHERE id <@ tstzrange('2023-02-05', '2023-02-06')}), 2, 'a row more');
refuses("$_ WHERE id <@ tstzrange('2023-02-05', '2023-02-06')", 'not supported for ColumnarScan', "columnar: $_") for 'DELETE FROM events', q{UPDATE events SET note = 'changed'};
is(query(q{SELECT count(*) FROM iuid_drop_partitions('events', '2023-02-01')}), 1, 'iuid_drop_partitions');

# Foreign keys.
query(q{
	CREATE TABLE billed (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
	SELECT create_distributed_table('billed', 'id');
	SELECT iuid_create_partitions('billed', '1 month', '2023-01-01', '2023-04-01')});
my $unsupported = 'alter table command is currently unsupported';
refuses(q{SELECT iuid_detach_partitions('billed', '2023-02-01')}, $unsupported, 'iuid_detach_partitions');
query(q{
	CREATE TABLE bills (id iuid PRIMARY KEY REFERENCES billed, note text) PARTITION BY RANGE (id);
	SELECT create_distributed_table('bills', 'id', colocate_with => 'billed');
	SELECT iuid_create_partitions('bills', '1 month', '2023-01-01', '2023-02-01')});
refuses(q{SELECT iuid_drop_partitions('billed', '2023-02-01')}, $unsupported, 'iuid_drop_partitions of a table that is referred to');
refuses(q{SELECT alter_table_set_access_method('bills_2023_01', 'columnar')}, 'Foreign keys and AFTER ROW triggers are not supported for columnar tables', 'columnar: a foreign key');
query('ALTER TABLE billed DETACH PARTITION billed_2023_01; DROP TABLE billed_2023_01');
is(query(q{SELECT count(*) FROM iuid_partitions('billed')}), 2, 'DETACH and DROP by hand');

# --- a country on a machine of its own -----------------------------------

refuses(q{
	CREATE TABLE generated (id iuid, country int GENERATED ALWAYS AS (iuid_country(id)) STORED);
	SELECT create_distributed_table('generated', 'country')},
	'Distribution column must not use GENERATED ALWAYS AS \(\.\.\.\) STORED', 'no generated column');
query(q{INSERT INTO rides SELECT c, gen_iuid(c, 1), 'ride ' || c FROM generate_series(100, 140) AS c});
my $ride = query('SELECT id FROM rides WHERE country = 125');
is(tasks("SELECT note FROM rides WHERE country = iuid_country('$ride'::iuid) AND id = '$ride'"), 1, 'country and identifier: one shard');
is(tasks("EXECUTE ride ('$ride')", 'PREPARE ride (iuid) AS SELECT note FROM rides WHERE country = iuid_country($1) AND id = $1'), 1, 'as parameters, too');
is( tasks("SELECT note FROM rides WHERE id = '$ride'"), query(q{SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'rides'::regclass}),
	'by the identifier alone: all of them');
my $at = q{SELECT nodename || ' ' || nodeport FROM citus_shards WHERE table_name = '%s'::regclass
	AND shardid = get_shard_id_for_distribution_column('%1$s', 125)};
my $alone = q{SELECT shardminvalue = shardmaxvalue FROM pg_dist_shard WHERE logicalrelid = 'rides'::regclass AND shardid = get_shard_id_for_distribution_column('rides', 125)};
is(query($alone), 't', 'the country has a shard of its own');
is(query(sprintf $at, 'rides'), join(' ', $workers[1]->host, $workers[1]->port), 'which is on the other machine');
query(q{
	CREATE TABLE ride_notes (country int, id iuid, line int, PRIMARY KEY (country, id, line));
	SELECT create_distributed_table('ride_notes', 'country', colocate_with => 'rides');
	SELECT citus_move_shard_placement(get_shard_id_for_distribution_column('rides', 125), } . "$place{worker2}, $place{worker1}, 'block_writes')");
is(query(sprintf $at, $_), join(' ', $workers[0]->host, $workers[0]->port), "$_ moves with the shard") for 'rides', 'ride_notes';

query(q{
	CREATE TABLE busy (id iuid PRIMARY KEY DEFAULT gen_iuid(125, 1), note text);
	INSERT INTO busy SELECT * FROM plain;
	CREATE TABLE busy_items (id iuid, line int, PRIMARY KEY (id, line));
	INSERT INTO busy_items SELECT id, 1 FROM plain});
my $distribute = q{SELECT create_distributed_table_concurrently('busy', 'id')};
my $isolate = q{SELECT isolate_tenant_to_new_shard('rides', 101, 'CASCADE')};
if (query(q{SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'}) > 0)
{
	refuses($_, 'library "citus" may not be used as an output plugin', $_) for $isolate, $distribute;
	$_->safe_psql('postgres', q{ALTER SYSTEM SET output_plugin_libraries = 'citus', 'pgoutput'}) for $coordinator, @workers;
	$_->restart for $coordinator, @workers;
}
like(query($isolate), qr/^\d+$/, 'with the setting it works without block_writes');
is(query($alone =~ s/125/101/r), 't', 'and the country is alone');

refuses("BEGIN; $distribute; ROLLBACK", 'cannot run inside a transaction block', 'create_distributed_table_concurrently in a transaction block');
for my $level ('replica', 'logical')
{
	refuses($distribute, 'logical decoding requires "?wal_level"? >= "?logical', 'create_distributed_table_concurrently with another wal_level') if $level eq 'logical';
	$coordinator->safe_psql('postgres', "ALTER SYSTEM SET wal_level = '$level'");
	$coordinator->restart;
}
my $add = 'ALTER TABLE busy_items ADD FOREIGN KEY (id) REFERENCES busy';
query($add);
refuses($_, 'foreign key', "with a foreign key: $_") for $distribute, $distribute =~ s/busy/busy_items/r;
query('ALTER TABLE busy_items DROP CONSTRAINT busy_items_id_fkey');
query($distribute);
query(q{SELECT create_distributed_table_concurrently('busy_items', 'id', colocate_with => 'busy')});
query($add);
is(query('SELECT count(*) FROM busy JOIN busy_items USING (id)'), 4000, 'without, it works, and the foreign key is added afterwards');

# --- the registry --------------------------------------------------------

is(query('SELECT code FROM iuid_countries WHERE country = 125', $_), 'KZ', 'the registry of each machine') for $coordinator, @workers;
refuses(q{SELECT create_reference_table('iuid_routes')}, 'cannot distribute relation "iuid_routes" because it has triggers', 'the registry stays local');
my $known = q{SELECT count(iuid_node(id)) FROM orders WHERE iuid_is_from(id, 125)};
query(q{INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL); INSERT INTO iuid_routes VALUES (125, NULL, 'almaty')}, $_) for $coordinator, @workers;
cmp_ok(query($known), '>', 0, 'the workers look into theirs');
is(query(q{SHOW iuid.country}, $_), 125, 'ALTER DATABASE reaches each machine') for $coordinator, @workers;
query(q{
	CREATE TABLE source (id iuid PRIMARY KEY DEFAULT gen_iuid(125, 2), note text);
	CREATE TABLE target (id iuid PRIMARY KEY DEFAULT gen_iuid(2), note text);
	SELECT create_distributed_table('source', 'id'), create_distributed_table('target', 'id');
	INSERT INTO source (note) SELECT 'n' FROM generate_series(1, 20)});
my $countries = 'SELECT string_agg(DISTINCT iuid_country(id)::text, $$ $$) FROM target';
is(query("SET iuid.country = 101; INSERT INTO target (note) SELECT note FROM source; $countries"), 125, 'SET does not reach the workers');
query('DELETE FROM target');
is( query(qq{BEGIN; SET citus.propagate_set_commands = 'local'; SET LOCAL iuid.country = 101; INSERT INTO target (note) SELECT note FROM source; COMMIT; $countries}),
	101, 'SET LOCAL does, where it is propagated');
is(query('BEGIN; DELETE FROM target; INSERT INTO target SELECT gen_iuid(101, 2), note FROM source; COMMIT; ' . $countries), 101, 'gen_iuid(101, 2) needs no setting');
query('DELETE FROM iuid_countries; DELETE FROM iuid_routes', $_) for @workers;
is(query($known), 0, 'where the registry is empty, nothing is found');
is(query('SELECT count(*) FROM orders, LATERAL iuid_inspect(id) AS i WHERE i.code IS NOT NULL'), 0, 'by iuid_inspect, too');

# --- what does not work --------------------------------------------------

query(q{
	CREATE TABLE notes (order_id uuid, note text);
	SELECT create_distributed_table('notes', 'order_id');
	INSERT INTO notes SELECT id::uuid, 'n' FROM plain;
	CREATE TABLE of_uuid (id uuid PRIMARY KEY);
	SELECT create_distributed_table('of_uuid', 'id')});
refuses(q{CREATE TABLE beside (id uuid); SELECT create_distributed_table('beside', 'id', colocate_with => 'orders')}, q{Distribution column types don't match},
	'uuid beside iuid');
my $join = 'SELECT count(*) FROM staged AS o JOIN notes AS n ON n.order_id = o.id';
refuses($join, 'complex joins are only supported when', 'uuid joined with iuid');
refuses("SET citus.enable_repartition_joins = on; $join", 'complex joins are only supported when', 'with repartitioning, too');
is(query('SELECT count(*) FROM staged AS o JOIN (SELECT * FROM notes OFFSET 0) AS n ON n.order_id = o.id'), 4000, 'a sub-query with OFFSET 0');
query(q{
	CREATE TABLE reference (order_id uuid, note text);
	INSERT INTO reference SELECT * FROM notes;
	CREATE TABLE here AS SELECT * FROM reference;
	SELECT create_reference_table('reference')});
is(query($join =~ s/notes/$_/r), 4000, "a table that is not distributed: $_") for 'reference', 'here';

query(q{CREATE TABLE trips (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id iuid_origin_ops);
	ALTER DATABASE orders SET iuid.node = 'almaty'});
query(q{CREATE TABLE by_month (LIKE trips INCLUDING ALL) PARTITION BY RANGE (id iuid_origin_ops);
	SELECT iuid_create_routed_partitions('by_month', 1, '1 month');
	SELECT iuid_create_routed_partitions('trips', 1)});
refuses(q{SELECT create_distributed_table('by_month', 'id')}, 'distributing multi-level partitioned tables is not supported', 'partitions by country and then by time');
is(query(q{SELECT create_distributed_table('trips', 'id'); INSERT INTO trips VALUES (gen_iuid(125, 1), 'n'); SELECT note FROM trips WHERE iuid_is_from(id, 125)}),
	"\nn", 'by country alone');

refuses(qq{UPDATE orders SET id = '$new' WHERE id = '$x'}, 'modifying the partition value of rows is not allowed', 'an UPDATE of id');
refuses('CREATE UNIQUE INDEX ON orders (note)', 'creating unique indexes on non-partition columns is currently unsupported', 'a unique index without id');
for my $case (
	[ 'text', 'SELECT * FROM orders WHERE id = $1::iuid', $x ],
	[ 'iuid', 'SELECT * FROM rides WHERE country = iuid_country($1) AND id = $1', $ride ],
	[ 'iuid[]', 'SELECT * FROM orders WHERE id = ANY ($1)', "{$x}" ],
	[ 'iuid', 'SELECT * FROM orders JOIN items ON order_id = id WHERE id = $1', $x ],
	[ 'text', 'SELECT * FROM of_uuid WHERE id = $1::uuid', $x ])
{
	my ($type, $statement, $value) = @$case;
	my $execute = "PREPARE p ($type) AS $statement; EXECUTE p ('$value')";
	refuses("SET plan_cache_mode = force_generic_plan; $execute", 'could not create distributed plan', "force_generic_plan: $statement");
	my ($status) = ask($execute);
	is($status, 0, 'and it works without');
}
my $prepare = 'PREPARE by_id (iuid) AS SELECT * FROM orders WHERE id = $1; EXPLAIN';
like(query("$prepare EXECUTE by_id ('$x')"), qr/Could not get remote plan/, 'EXPLAIN EXECUTE');
for my $aggregate ('min', 'max')
{
	my $explain = "EXPLAIN ANALYZE SELECT $aggregate(id) FROM orders";
	if ($citus =~ /^Citus 13/) { refuses($explain, 'column "field_0" has pseudo-type cstring', $explain) }
	else { like(query($explain), qr/Task Count: $all/, $explain) }
}
like(query("$prepare ANALYZE EXECUTE by_id ('$x')"), qr/Task Count: 1/, 'EXPLAIN ANALYZE');

# --- a worker is down ----------------------------------------------------

my %id_on = map { split /\|/ } split /\n/, query(q{
	SELECT DISTINCT ON (nodeport) nodeport, id FROM plain
	JOIN citus_shards ON shardid = get_shard_id_for_distribution_column('orders', id)});
my ($here, $gone) = map { $id_on{ $_->port } } @workers;
$workers[1]->stop('immediate');
is(query("SELECT id FROM orders WHERE id = '$here'"), $here, 'a worker is down: the identifiers of the others');
my $down = 'could not connect|connection to .* failed|terminat|failed to execute task';
refuses($_->[0], $down, "a worker is down: $_->[1]") for [ "SELECT id FROM orders WHERE id = '$gone'", 'an identifier there' ],
	[ q{SELECT * FROM orders WHERE id >= now() - interval '1 day'}, 'a question of time' ],
	[ q{SELECT iuid_create_partitions('log', '1 month', '2032-01-01', '2032-02-01')}, 'making partitions' ];
my @failed = grep { (ask(q{INSERT INTO orders (note) VALUES ('while it is down')}))[0] } 1 .. 24;
ok(@failed > 0 && @failed < 24, 'a worker is down: some INSERTs fail, and the others do not');

# Last, as the test's servers stay down after a crash.
is((ask('SELECT * FROM time_partitions'))[0], 2, 'time_partitions crashes the server');
$coordinator->stop('immediate', fail_ok => 1);
$workers[0]->stop;
done_testing();
