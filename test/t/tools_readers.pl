# What change streams, JDBC's metadata and a pooler make of a column of type uuid, of a domain over it and
# of type iuid: doc/other-tools.md.
#
# One version is enough: the protocol and the types of the columns are the same in each.
use strict;
use warnings;

use IPC::Run;
use lib 'test/t';
use OtherExtensions;
use Pooler;
use PostgreSQL::Test::Utils;
use Test::More;

my ($node) = start_with([], allows_streaming => 'logical');
my $plugins = query(q{SELECT current_setting('output_plugin_libraries', true)});
$node->append_conf('postgresql.conf', "output_plugin_libraries = '$plugins, wal2json'") if $plugins;
$node->append_conf('postgresql.conf', qq{listen_addresses = '127.0.0.1'});
$node->restart;
my $key = '019b76da-a87b-807d-8041-23456789abcd';
query(q{CREATE EXTENSION iuid;
	CREATE DOMAIN order_id AS uuid CHECK (iuid_is_valid(VALUE));
	CREATE TABLE orders (u uuid PRIMARY KEY, d order_id, i iuid);
	CREATE PUBLICATION all_tables FOR ALL TABLES;
	SELECT pg_create_logical_replication_slot('core', 'pgoutput')});

# The messages of the protocol: Type has an OID with the name of a type that is not core's, and of a domain
# that of its base type; Relation has the OID of each column.
query("INSERT INTO orders VALUES ('$key', '$key', '$key')");
my @messages = map { pack 'H*', $_ } split /\n/, query(q{SELECT encode(data, 'hex')
	FROM pg_logical_slot_get_binary_changes('core', NULL, NULL, 'proto_version', '1', 'publication_names', 'all_tables')});
my (%type, %column, @values);
for (@messages)
{
	my $kind = substr($_, 0, 1);
	if ($kind eq 'Y') { my ($oid, $schema, $name) = unpack 'x N Z* Z*', $_; $type{$oid} = $name; }
	if ($kind eq 'I') { @values = unpack 'x N x n (x N/a)*', $_; }
	if ($kind eq 'R')
	{
		my (undef, undef, undef, undef, undef, @rest) = unpack 'x N Z* Z* a n (C Z* N N)*', $_;
		%column = map { $rest[4 * $_ + 1] => $rest[4 * $_ + 2] } 0 .. 2;
	}
}
is_deeply({ map { $_ => $type{ $column{$_} } // $column{$_} } keys %column },
	{ u => 2950, d => 'uuid', i => 'iuid' }, 'pgoutput: core knows the number of uuid, and names the others');
is_deeply([ @values[ -3 .. -1 ] ], [ ($key) x 3 ], 'each value is the same text');

SKIP:
{
	skip 'SKIPPED: wal2json is not installed', 1
		unless -e query(q{SELECT setting FROM pg_config WHERE name = 'PKGLIBDIR'}) . '/wal2json.so';
	query(q{SELECT pg_create_logical_replication_slot('json', 'wal2json')});
	query("UPDATE orders SET i = i");
	my $data = query(q{SELECT data FROM pg_logical_slot_get_changes('json', NULL, NULL, 'format-version', '2')
		WHERE data LIKE '%"U"%'});
	my $columns = join ',', map { qq(\\{"name":"$_->[0]","type":"$_->[1]","value":"$key"\\}) }
		[ u => 'uuid' ], [ d => 'order_id' ], [ i => '(?:public\.)?iuid' ];
	like($data, qr/"columns":\[$columns\]/, 'wal2json names the type as SQL does');
}

SKIP:
{
	my $driver = '/usr/share/java/postgresql.jar';
	skip 'SKIPPED: no Java, or pgjdbc is not installed', 1 if !-e $driver || system('java -version >/dev/null 2>&1') != 0;
	query('CREATE ROLE app LOGIN; GRANT SELECT ON orders TO app');
	append_to_file($node->data_dir . '/pg_hba.conf', "\nhost all app 127.0.0.1/32 trust\n");
	$node->reload;
	my ($out, $err);
	IPC::Run::run([ 'java', '-cp', $driver, 'test/readers/Metadata.java',
		'jdbc:postgresql://127.0.0.1:' . $node->port . '/postgres?user=app' ], '>', \$out, '2>', \$err) or diag $err;
	# Types.OTHER is 1111, Types.DISTINCT 2001.
	is($out, "u 1111 uuid 1111 uuid\nd 1111 uuid 2001 order_id\ni 1111 iuid 1111 iuid\n",
		'pgjdbc: a domain is a uuid in a result, and DISTINCT in the metadata of the table');
}

SKIP:
{
	skip 'SKIPPED: pgbouncer is not installed', 1 unless -x '/usr/sbin/pgbouncer';
	my ($pooler, $folder) = start_pgbouncer($node, 'postgres');
	IPC::Run::run([ 'psql', '-XAtq', '-h', $folder, '-p', 6432, '-U', 'postgres', '-d', 'postgres', '-c', q{
		SELECT iuid_country(u), iuid_country(d), iuid_country(i) FROM orders
		WHERE u >= iuid_floor('2026-01-01 00:00+00') AND i >= timestamptz '2026-01-01 00:00+00'} ],
		'>', \my $found, '2>', \my $error);
	is($found, "125|125|125\n", 'PgBouncer passes all of them on') or diag $error;
	$pooler->kill_kill;
}
$node->stop;
done_testing();
