# iuid and iuid_regions are two libraries that know each other by SQL only: neither takes a symbol of the
# other, and a session that has one of them goes on when both are upgraded, and loads the new other one.
use strict;
use warnings;

use File::Basename;
use File::Copy;
use File::Path;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

sub config { my ($line) = run_command([ 'pg_config', "--$_[0]" ]); return $line }

my %folder = map { $_ => config($_) } qw(bindir pkglibdir sharedir);
my %file = map { $_ => "$folder{pkglibdir}/$_.so" } qw(iuid iuid_regions);

# The names that a library defines, or takes from others.
sub names
{
	my ($library, @which) = @_;
	my ($out, $err) = run_command([ 'nm', '-D', @which, $file{$library} ]);
	return map { /(\w+)(?:\@.*)?$/ ? $1 : () } split /\n/, $out;
}

my %defined = map { my $library = $_; $library => { map { $_ => 1 } names($library, '--defined-only') } } keys %file;
cmp_ok(scalar keys %{ $defined{$_} }, '>', 20, "$_ defines functions") for sort keys %file;
is(join(' ', grep { $defined{iuid_regions}{$_} && !/^(Pg_magic_func|_PG_init)$/ } sort keys %{ $defined{iuid} }),
	'', 'no name is defined twice');
my %other = (iuid => 'iuid_regions', iuid_regions => 'iuid');
for my $library (sort keys %file)
{
	is(join(' ', grep { $defined{ $other{$library} }{$_} } names($library, '--undefined-only')),
		'', "$library takes nothing from $other{$library}");
}
my %needs = map { $_ => (run_command([ 'objdump', '-p', $file{$_} ]))[0] } keys %file;
unlike($needs{iuid}, qr/NEEDED.*libpq/, 'who wants the type gets no libpq');
like($needs{iuid_regions}, qr/NEEDED.*libpq/, 'and the nodes have it');

# An installation that can be upgraded without another test seeing it.
my $prefix = $folder{bindir};
$prefix = dirname($prefix) while grep { index($_, "$prefix/") != 0 } values %folder;
my $copy = PostgreSQL::Test::Utils::tempdir_short() . '/copy';
for my $folder (values %folder)
{
	my $to = $copy . substr($folder, length $prefix);
	mkpath(dirname($to));
	system_or_bail('cp', '-aT', $folder, $to);
}
my %copied = map { $_ => $copy . substr($folder{$_}, length $prefix) } keys %folder;
my $node = PostgreSQL::Test::Cluster->new('main', install_path => dirname($copied{bindir}));
$node->init;
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION iuid_regions CASCADE;
	INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'there');
	INSERT INTO iuid_routes VALUES (7, NULL, 'here'), (8, NULL, 'there');
	ALTER DATABASE postgres SET iuid.node = 'here'});
my ($version) = $node->safe_psql('postgres', q{SELECT extversion FROM pg_extension WHERE extname = 'iuid'});

# Each asks first for what its name says.
my %first = (
	iuid => q{SELECT iuid_country(gen_iuid(7, 1))},
	iuid_regions => q{SELECT iuid_node(8, 1), is_here FROM iuid_registered_nodes(false) WHERE node = 'here'});
my %answer = (iuid => '7', iuid_regions => 'there|t');
my %session = map { $_ => $node->background_psql('postgres', on_error_stop => 1) } (keys %first, 'both');
is($session{$_}->query_safe($first{$_}), $answer{$_}, "a session that has $_") for sort keys %first;
$session{both}->query_safe($first{$_}) for sort keys %first;
my $generated = $session{both}->query_safe(q{SELECT gen_iuid(7, 1)});

# Other files of the same names, as a package manager leaves them.
for my $library (sort keys %file)
{
	my $new = "$copied{pkglibdir}/$library.so";
	copy($new, "$new.new") or die $!;
	rename "$new.new", $new or die $!;
	my $control = "$copied{sharedir}/extension/$library.control";
	my $text = slurp_file($control);
	$text =~ s/^default_version = .*$/default_version = 'next'/m or die 'no version';
	unlink $control;
	append_to_file($control, $text);
	append_to_file("$copied{sharedir}/extension/$library--$version--next.sql",
		"COMMENT ON FUNCTION \@extschema\@." . ($library eq 'iuid' ? 'iuid_country(uuid)' : 'iuid_node(uuid)')
			. " IS 'of the next version';");
}
$node->safe_psql('postgres', "ALTER EXTENSION $_ UPDATE") for sort keys %file;
is($node->safe_psql('postgres', q{SELECT string_agg(extversion, ' ') FROM pg_extension WHERE extname ~ '^iuid'}),
	'next next', 'both are upgraded');
for my $had (sort keys %session)
{
	is($session{$had}->query_safe($first{$_}), $answer{$_}, "a session that had $had asks $_") for sort keys %first;
	my $maps = slurp_file('/proc/' . $session{$had}->query_safe('SELECT pg_backend_pid()') . '/maps');
	my %mapped;
	$mapped{$2}{$1} = 1 while $maps =~ m{^\S+ \S+ \S+ \S+ (\d+) +\S*/(iuid\w*)\.so}mg;
	is(join(' ', map { "$_ " . keys %{ $mapped{$_} } } sort keys %mapped),
		'iuid 1 iuid_regions 1', "and has each library once");
}
is($session{both}->query_safe("SELECT gen_iuid(7, 1) > '$generated'"), 't', 'the generator goes on');
is($session{$_}->query_safe(q{SET iuid.node = 'there';
	SELECT iuid_is_local(gen_iuid(8, 1)), (SELECT node FROM iuid_registered_nodes(false) WHERE is_here)}),
	't|there', "a setting is heard where $_ was first")
	for sort keys %session;
$_->quit for values %session;
# Who is told to set iuid.node may do so.
$node->safe_psql('postgres', q{ALTER DATABASE postgres RESET iuid.node; CREATE ROLE owner LOGIN;
	ALTER DATABASE postgres OWNER TO owner});
my $owner = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'owner' ]);
$owner->query('SELECT * FROM iuid_registered_nodes(true)');
like($owner->{stderr}, qr/Set it .* with ALTER DATABASE/, 'who asks what this node is');
$owner->{stderr} = '';
$owner->query(q{ALTER DATABASE postgres SET iuid.node = 'here'});
is($owner->{stderr} =~ s/^background_psql.*\n//gmr, '', 'and owns the database');
$owner->quit;

SKIP:
{
	skip 'SKIPPED: pg_get_loaded_modules() needs PostgreSQL 18', 1 if $node->pg_version < 18;
	is($node->safe_psql('postgres', q{
		LOAD 'iuid_regions';
		SELECT module_name, version FROM pg_get_loaded_modules() WHERE module_name ~ '^iuid' ORDER BY 1}),
		"iuid_regions|$version", 'the library tells its name and version');
}
$node->stop;
done_testing();
