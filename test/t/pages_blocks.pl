# The SQL of the README, of SECURITY.md and of the pages in doc/ does what the pages say.
# Pages.pm has the rules.  Each page is run in a database of its own.
#
# One version is enough: the pages promise the same for each version.
use strict;
use warnings;

use lib 'test/t';
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# As the pages show times.
$ENV{PGTZ} = 'UTC';

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

# The databases and roles that the pages speak of.
$node->safe_psql('postgres', $_) for 'CREATE DATABASE shop', 'CREATE ROLE desk', 'CREATE ROLE orders_uz';

my @pages = ('README.md', 'SECURITY.md', glob 'doc/*.md');
for my $page (@pages)
{
	(my $database = $page) =~ s/\W/_/g;
	$node->safe_psql('postgres', qq{CREATE DATABASE "$database"});
	check_page($node, $database, $page);
}

# What doc/registry.md says of a superuser who is gone: the dump revokes nothing from a number.
$node->safe_psql('postgres', $_) for 'CREATE ROLE gone SUPERUSER', 'CREATE DATABASE of_gone';
$node->safe_psql('of_gone', 'SET SESSION AUTHORIZATION gone; CREATE EXTENSION iuid_regions CASCADE');
$node->safe_psql('of_gone', 'REASSIGN OWNED BY gone TO CURRENT_USER; DROP OWNED BY gone; DROP ROLE gone');
my ($block) = grep { $_->{needs} eq 'needs a superuser who is gone' } blocks_of(slurp_file('doc/registry.md'));
$node->safe_psql('of_gone', $block->{text});
my ($dump) = run_command([ 'pg_dump', $node->connstr('of_gone') ]);
like($dump, qr/CREATE EXTENSION IF NOT EXISTS iuid_regions/, 'a dump whose superuser is gone');
unlike($dump, qr/^REVOKE .* FROM "?\d+"?;$/m, 'it revokes nothing from a number');

# A link leads to a file, and to a heading of it.
my @more = glob 'CONTRIBUTING.md {clients,examples,tools}/README.md {examples,test/bench,tools/iuid}/*/README.md';
for my $page (@pages, @more)
{
	my ($folder) = $page =~ m{^(.*/)?};
	my @broken;
	for my $link (slurp_file($page) =~ s/`[^`\n]*`//gr =~ /\]\(([^):]+)\)/g)
	{
		my ($file, $heading) = split /#/, $link;
		my $path = $file eq '' ? $page : ($folder // '') . $file;
		my @headings = $heading && -f $path ? map { lc s/[^\w\- ]//gr =~ tr/ /-/r } slurp_file($path) =~ /^#+ (.*)$/gm : ();
		push @broken, $link unless -e $path && (!$heading || grep { $_ eq $heading } @headings);
	}
	is("@broken", '', "$page: the links");
}

# The signatures in clients/README.md are those of the files.
my %file = (python => 'python/iuid.py', go => 'go/iuid.go', ts => 'javascript/iuid.d.mts',
	java => 'java/Iuid.java', rust => 'rust/iuid.rs');
for my $block (grep { $file{ $_->{language} } } blocks_of(slurp_file('clients/README.md')))
{
	my $source = slurp_file("clients/$file{ $block->{language} }") =~ s/(?:&mut )?self, //gr;
	is(join("\n", grep { index($source, $_) < 0 } split /\n/, $block->{text}), '', "signatures: $block->{language}");
}

# The CHECK in clients/README.md takes an identifier of today, and refuses one of a wrong clock.
my ($visits) = grep { $_->{language} eq 'sql' } blocks_of(slurp_file('clients/README.md'));
$node->safe_psql('of_gone', "$visits->{text}; INSERT INTO visits VALUES (gen_iuid(125, 1))");
for my $time ('1970-01-02Z', '2099-01-01Z')
{
	my (undef, undef, $err) = $node->psql('of_gone', "INSERT INTO visits VALUES (gen_iuid(125, 1, '$time'))");
	like($err, qr/violates check constraint "visits_id_check"/, "an identifier of $time is refused");
}

# The pages that COMMENTs, hints, tests and examples name are there.
my @sources = glob 'META.json src/*.h {src,regions}/*/*.{c,h,sql} {.,regions}/sql/*.sql test/*/*.{pl,pm,py} '
	. 'examples/*/*.sql tools/iuid/{*,*/*}.py';
my %named = map { $_ => 1 } map { slurp_file($_) =~ m{\b(doc/[\w-]+\.md)}g } @sources;
cmp_ok(scalar keys %named, '>', 8, 'pages that are named');
is(join(' ', grep { !-e } sort keys %named), '', 'each page that is named is there');

# The picture is the one that ./dev bits draws from the table of the fields.  The table says where
# the fields are that the server reads.
my $format = slurp_file('doc/format.md');
is(qx{"$^X" test/bits/draw.pl <doc/format.md}, slurp_file('doc/plots/bits.svg'),
	'the picture of the bits: run ./dev bits');
my ($id) = $format =~ /^`([0-9a-f-]{36})` contains:$/m;
my %bits = map { /^\| (\d+)–(\d+) \| `(\w+)` \|/ ? ($3 => [ $1 + 1, $2 - $1 + 1 ]) : () } split /\n/, $format;
for my $case (
	[ unix_ts_ms => 'extract(epoch FROM iuid_timestamp(id)) * 1000' ],
	[ layout => 'iuid_layout(id)' ],
	[ country => 'iuid_country(id)' ],
	[ entity => 'iuid_entity(id)' ],
	[ random => 'iuid_random_bits(id)' ])
{
	my ($name, $value) = @$case;
	my ($first, $count) = @{ $bits{$name} };
	is($node->safe_psql('README_md', qq{
		SELECT lpad(substring(('x' || translate(id::text, '-', ''))::bit(128) FROM $first FOR $count)::text,
		64, '0')::bit(64)::bigint = $value
		FROM CAST('$id' AS iuid) AS id}), 't', "the bits of $name");
}

$node->stop;
done_testing();
