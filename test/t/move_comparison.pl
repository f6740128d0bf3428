# A country moves (tools/iuid): what a comparison, and the look at both nodes, must notice; and that
# another version of the command began the move.
#
# One version is enough: what differs between versions is who may subscribe.
use strict;
use warnings;

use lib 'test/t';
use Digest::MD5 qw(md5_hex);
use Moves;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();

my %node = start_nodes_of_move();

# Where one column of a foreign key is NULL, the row refers to nothing.
at($_, q{ALTER TABLE orders_global ADD country int, ADD city int;
	CREATE TABLE cities (country int, city int, PRIMARY KEY (country, city));
	ALTER TABLE orders ADD FOREIGN KEY (country, city) REFERENCES cities;
	SELECT iuid_create_routed_partitions('orders', 1)}) for sort keys %node;
at('almaty', q{UPDATE orders SET country = 1 WHERE iuid_is_from(id, 235) AND customer = 1});

# A derived identifier has no time, and its row is compared, too; and a comparison that failed does not count.
at('almaty', q{INSERT INTO orders VALUES (iuid_from_name(235, 1, 'orders/1'), 1, 'derived')});
done('copy');
at_machine('jakarta', q{SET session_replication_role = replica; DELETE FROM orders_c235 WHERE note = 'derived';
	INSERT INTO orders_c235 VALUES (gen_iuid(235, 1, '2020-01-01'), 1, 'derived')});
like(move('copy'), qr/^failed: .*2 rows of .* differ/s,
	'a derived identifier is compared, and what only the new node has');
at_machine('jakarta', q{SET session_replication_role = replica; DELETE FROM orders_c235 WHERE note = 'derived'});
at('almaty', q{UPDATE orders SET note = 'derived, and noted' WHERE note = 'derived'});
like(move('switch'), qr/^failed: .*1 rows of .* differ/s,
	'a comparison that failed is made again, and does not leave out what was noted before it');
at('almaty', q{DELETE FROM orders WHERE note ~ 'derived'});
done('abort');

# Row security that the new node has not.
done('copy');
at('almaty', q{ALTER TABLE orders_c235 ENABLE ROW LEVEL SECURITY;
	CREATE POLICY few ON orders_c235 TO desk USING (false)});
like(move('switch'), qr/^failed: .*row security of "public"."orders_c235" at jakarta is not that of almaty/s,
	'the new node has no policies');
at('almaty', q{DROP POLICY few ON orders_c235; ALTER TABLE orders_c235 DISABLE ROW LEVEL SECURITY});
at('jakarta', 'ALTER TABLE orders_c235 FORCE ROW LEVEL SECURITY');
like(move('switch'), qr/^failed: .*row security of "public"."orders_c235" at jakarta is not that of almaty/s,
	'the new node forces it on the owner');
at('jakarta', 'ALTER TABLE orders_c235 NO FORCE ROW LEVEL SECURITY');
# Between the nodes, a comparison has begun at the new one alone.
at('jakarta', 'UPDATE moving_c235.move SET number = number + 1');
done('copy', 'a command was ended between the nodes');
done('abort');

# A name has at most 63 bytes, and not letters.
my $long = 'ё' x 29;
my $kept = md5_hex($long) . '_moved';
at('almaty', qq{ALTER TABLE orders_c235 RENAME TO "$long"; CREATE TABLE "$kept" ()});
like(move('plan'), qr/^failed: .*"$kept" is there already/s, 'where the old node would keep the rows');
at('almaty', qq{ALTER TABLE "$long" RENAME TO orders_c235; DROP TABLE "$kept"});

# What belongs to another role.
at_machine('jakarta', q{ALTER TABLE orders OWNER TO desk});
like(move('plan'), qr/^failed: .*"public"."orders" at jakarta is not there, or belongs to another role/s,
	'a table of another role');
at_machine('jakarta', q{ALTER TABLE orders OWNER TO shop});
at_machine('almaty', q{ALTER FUNCTION iuid_node(int, int) OWNER TO desk});
like(move('plan'), qr/^failed: .*iuid_node\(.*\) at almaty is not what the extension made/s,
	'a function of another role');
at_machine('almaty', q{ALTER FUNCTION iuid_node(int, int) OWNER TO CURRENT_USER});

# The new node is restored from a backup of an earlier move between the same nodes.
done('copy');
copy_disk('jakarta');
subscribes_again();
done('abort');
write_rows('almaty', 'between');
done('copy');
restore_disk('jakarta');
subscribes_again('registry');
like(move('switch'), qr/^failed: .*know of two different moves/s, 'the other move');
at_machine('jakarta', $_) for 'ALTER SUBSCRIPTION moving_c235 DISABLE',
	'ALTER SUBSCRIPTION moving_c235 SET (slot_name = NONE)', 'DROP SUBSCRIPTION moving_c235',
	'DROP TABLE orders_c235; DROP SCHEMA moving_c235 CASCADE';
done('abort');

# Two versions of the command meet.  The second one keeps a move in a column of another name, and neither goes on with
# what the other one has begun.
my $commands = PostgreSQL::Test::Utils::tempdir;

sub install_command
{
	my ($name, %change) = @_;
	system_or_bail('make', '-s', '-C', 'tools', 'install', "PREFIX=$commands/$name");
	for my $file (sort keys %change)
	{
		my ($what, $by) = @{ $change{$file} };
		my $path = "$commands/$name/share/iuid/$file";
		my $text = slurp_file($path);
		$text =~ s/$what/$by/g or die "$file has no $what";
		unlink $path;
		append_to_file($path, $text);
	}
	return "$commands/$name/bin/iuid";
}

sub version_of_command
{
	IPC::Run::run([ @Moves::iuid, '--version' ], '>', \my $out) or die 'iuid --version fails';
	return $out =~ s/^iuid |\n//gr;
}

# The steps that are left are refused, and status says how far the move is.
sub other_version
{
	my ($when, $begun, $said, @steps) = @_;
	my ($version, $before) = (version_of_command(), state_of_all());
	my $why = "was begun by version \Q$begun\E of iuid, and this is version \Q$version\E: "
		. "go on, or abort, with version \Q$begun\E, ";
	for my $step (@steps)
	{
		my ($status, $out) = status_of($step);
		# Before that it has only looked.
		like("$status $out", qr/^1 (\w+ +-- [^\n]*\n)*iuid move $step: the move of country 235 $why/,
			"$when: $step of another version");
	}
	is(state_of_all(), $before, "$when: nothing is changed");
	like(status(), qr/^The registry: .*\nIt moves from almaty to jakarta\.\nIt $why.*$said/s,
		"$when: status of another version");
	return;
}

@Moves::iuid = install_command('one');
my $version = version_of_command();
my $second = install_command('two', 'iuid.control' => [ qr/^default_version = \K.*/m, "'$version.1'" ],
	'move/state.py' => [ qr/\brefused_pid\b/, 'refused_process' ]);
{
	local @Moves::iuid = $second;
	done('copy', 'copy of another version');
}
other_version('before the switch', "$version.1", qr/almaty:\n   serving since.*jakarta:\n   copying since/s,
	'plan', 'copy', 'switch', 'abort', 'finish');
{
	local @Moves::iuid = $second;
	done('abort', 'abort of the version that copied');
}
done('copy');
at_machine('almaty', "UPDATE pg_extension SET extversion = '$version.1' WHERE extname = 'iuid_regions'");
like(move('switch'), qr/^failed: .*\nPROBLEM   iuid_check_regions\(.*\) at almaty: another version, /s,
	'the extension was updated at one node');
at_machine('almaty', "UPDATE pg_extension SET extversion = '$version' WHERE extname = 'iuid_regions'");
switch_and(\my $begun, sub { $_[0]->signal('KILL') })->finish;
{
	local @Moves::iuid = $second;
	other_version('in the switch', $version, qr/almaty:\n   serving since.*jakarta:\n   copying since/s,
		'switch', 'abort');
}

# The next switch goes on.  While it waits for the new node, a subscription cannot write at the old one, either.
copy_disk('almaty');
subscribes_again();
my $reader = $node{jakarta}->background_psql('shop', on_error_stop => 0);
my $switch = switch_and(\my $out, sub { $reader->query(q{BEGIN; LOCK TABLE orders_global IN ACCESS SHARE MODE}) },
	'--limit', 30);
says($switch, \$out, qr/once more/);
my (undef, undef, $error) = $node{almaty}->psql('shop', q{SET session_replication_role = replica;
	INSERT INTO orders VALUES (gen_iuid(235, 1), 1, 'replicated')});
like($error, qr/these rows are moving to another node/, 'nor is a row of a subscription written');
$reader->query('ROLLBACK');
$reader->quit;
ok($switch->finish, 'the switch goes on');
{
	local @Moves::iuid = $second;
	other_version('after the switch', $version, qr/almaty:\n   given up since.*jakarta:\n   serving since/s,
		'switch', 'abort', 'finish');
}

# Many changes are looked up in time, and identifiers that are changed are noted.
at('jakarta', q{INSERT INTO orders SELECT gen_iuid(235, 1), 1, 'many' FROM generate_series(1, 60000)});
at('jakarta', q{UPDATE orders SET id = gen_iuid(235, 1) WHERE id = (SELECT min(id) FROM orders_c235)});
done('finish', 'finish after an identifier was changed');

# The old node is restored, after that, from a backup of before the switch.
write_rows('jakarta', 'moved');
my $confirmed = at('jakarta', $rows);
restore_disk('almaty');
registry_again('almaty');
like(move($_), qr/^failed: .*keeps a move of which jakarta, which has the country, knows nothing.*Nothing is dropped/s,
	"$_ drops nothing") for 'copy', 'switch', 'abort', 'finish';
is(at('jakarta', $rows), $confirmed, 'all rows are there');
is(at_machine('mexico', 'SELECT iuid_node(235, 1)'), 'jakarta', 'and the route leads to them');
at_machine('almaty', q{ALTER TABLE orders DETACH PARTITION orders_c235; DROP TABLE orders_c235 CASCADE;
	DROP SCHEMA moving_c235 CASCADE; DROP PUBLICATION moving_c235});
at('almaty', q{SELECT iuid_create_global_table('orders_global', 'orders', 1)});
at_machine('almaty',
	q{SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = 'moving_c235'});

# The country moves back, and the new node is restored from a backup of before the switch, when the old one
# has given the country up.
move_back();
at('jakarta', 'GRANT SELECT, UPDATE ON orders_c235 TO desk');
my $granted = q{SELECT relacl FROM pg_class WHERE relname = 'orders_c235'};
my $before = at('jakarta', $granted);
done('copy', 'copy back');
copy_disk('almaty');
subscribes_again();
write_rows('jakarta', 'late');
arrives('late');
done('switch', 'switch back');
restore_disk('almaty');
subscribes_again('registry');
like(move('switch'), qr/^failed: .*rows of .* differ.*Nothing is dropped/s, 'the new node lacks rows');

# Somebody brings the rows, and the switch ends, with the rights of others.
registry_again('almaty');
system_or_bail('sh', '-c', q{psql -Xqc 'COPY orders_c235_moved TO STDOUT' service=jakarta >"$0" &&
	psql -Xqc 'ALTER TABLE orders_c235 DISABLE TRIGGER USER; TRUNCATE orders_c235' \\
		-c '\copy orders_c235 FROM '"$0" -c 'ALTER TABLE orders_c235 ENABLE TRIGGER USER' service=almaty}, "$copies/rows");
done('switch', 'and when it has them');
is(at('almaty', $granted), $before, 'others have the rights that they had');

$_->stop for values %node;
done_testing();
