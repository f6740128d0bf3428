# The SQL of the README, of SECURITY.md and of the pages in doc/ does what the pages say.
#
# Each page is run from its beginning to its end, in a database of its own:
#
#   ```sql            is run.
#   ```sql fails      is run, and is an error.
#   ```sql needs ...  is not run: what it needs is not here.
#   ```text           right after a block that is run is what psql prints for the block.
#
# A comment at the end of a statement is a promise if it begins like this.  What stands behind a
# colon explains.
#
#   -- no row         The statement gives no row.
#   -- only A, B      The plan reads these tables, and no others.
#   -- gives A, B     The rows have these values, and no others.
#
# One version is enough: the pages promise the same for each version.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# As the pages show times.
$ENV{PGTZ} = 'UTC';

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

# The databases and roles that the pages speak of.
$node->safe_psql('postgres', $_) for 'CREATE DATABASE region', 'CREATE DATABASE shop', 'CREATE ROLE desk', 'CREATE ROLE orders_uz';

# The blocks of a page, in order.  An output has its block before it.
sub blocks_of
{
	my $page = shift;
	my (@blocks, $end);
	while ($page =~ /^( *)```(\w*) ?([^\n]*)\n(.*?)^\1```$/gms)
	{
		my ($indent, $language, $needs, $text, $first, $last) = ($1, $2, $3, $4, $-[0], $+[0]);
		$text =~ s/^$indent//gm;
		my $block = {
			language => $language, needs => $needs, text => $text,
			line => 1 + (substr($page, 0, $first) =~ tr/\n//) };
		$blocks[-1]{output} = $block
			if $language eq 'text' && @blocks && substr($page, $end, $first - $end) =~ /^\s*$/;
		push @blocks, $block;
		$end = $last;
	}
	return @blocks;
}

# The SQL of a block, with a mark before and after each statement that promises something.
sub marked
{
	my ($block) = @_;
	my @lines = split /\n/, $block->{text};
	for (my $n = 0; $n < @lines; $n++)
	{
		my ($promise) = $lines[$n] =~ /; +-- ((?:no row|only|gives)\b[^:]*)/ or next;
		my $first = $n;
		$first-- while $first > 0 && $lines[ $first - 1 ] !~ /^$|^--|;( +--.*)?$|^\\echo/;
		push @{ $block->{promises} }, $promise;
		splice @lines, $n + 1, 0, '\echo [kept]';
		splice @lines, $first, 0, '\echo [promise]';
		$n += 2;
	}
	@lines = ('\set ON_ERROR_STOP off', '\warn [fails]', @lines, '\warn [failed]', '\set ON_ERROR_STOP on') if $block->{needs} eq 'fails';
	return join "\n", '\echo [block]', @lines, '';
}

# What a statement gives, compared with its promise.
sub kept
{
	my ($promise, $out, $what) = @_;
	my ($word, $names) = split / /, $promise, 2;
	if ($word eq 'no')
	{
		like($out, qr/^\(0 rows\)$/m, $what);
		return;
	}
	my @found;
	if ($word eq 'only')
	{
		my %tables = map { $_ => 1 } $out =~ /(?<!Bitmap Index )Scan.*? on (?:public\.)?(\w+)/g;
		@found = sort keys %tables;
	}
	else
	{
		my ($rows) = $out =~ /^[-+]+\n(.*?)^\(\d+ rows?\)$/ms;
		@found = map { s/^ +| +$//gr } map { split /\|/ } split /\n/, $rows // '';
	}
	is(join(', ', @found), $names, $what) or diag $out;
	return;
}

sub trimmed
{
	my $text = shift;
	return $text =~ s/[ \t]+$//gmr =~ s/\n\n+/\n\n/gr =~ s/^\n+|\n+$//gr;
}

sub check_page
{
	my $page = shift;
	my @blocks = blocks_of(slurp_file($page));
	my @run;
	for (@blocks)
	{
		my $place = "$page, line $_->{line}";
		unlike($_->{text}, qr/^\s*(?:SELECT|INSERT|UPDATE|CREATE|ALTER|EXPLAIN)\b.*;( +--.*)?$/m, "$place: SQL is called sql")
			if $_->{language} =~ /^(?:text)?$/;
		next unless $_->{language} eq 'sql';
		if ($_->{needs} =~ /^(?:fails)?$/) { push @run, $_ }
		elsif ($_->{needs} =~ /^needs \w/)
		{
			SKIP: { skip "$place: $_->{needs}", 1 }
		}
		else { fail("$place: $_->{needs}: sql, sql fails, or sql needs ...") }
	}
	my $script = join '', map { marked($_) } @run;
	(my $database = $page) =~ s/\W/_/g;
	$node->safe_psql('postgres', qq{CREATE DATABASE "$database"});
	$node->safe_psql($database, 'CREATE EXTENSION iuid_regions CASCADE') unless $script =~ /CREATE EXTENSION iuid/;

	# As psql prints it for somebody who types it.
	my ($status, $out, $err) =
		$node->psql($database, "\\pset format aligned\n\\pset tuples_only off\n\\set QUIET off\n$script", on_error_stop => 1);
	is($status, 0, "$page: every example runs") or diag $err;

	my (undef, @outs) = split /^\[block\]\n/m, "$out\n";
	my @errors = "$err\n" =~ /^\[fails\]\n(.*?)^\[failed\]$/gms;
	for my $block (@run)
	{
		my $of_block = shift @outs // '';
		my $place = "$page, line $block->{line}";
		if ($block->{needs} eq 'fails')
		{
			$of_block = (shift @errors // '') =~ s/^psql:<stdin>:\d+: //gmr;
			like($of_block, qr/^ERROR: /m, "$place: fails");
		}
		my @given = $of_block =~ /^\[promise\]\n(.*?)^\[kept\]$/gms;
		kept($_, shift @given // '', "$place: $_") for @{ $block->{promises} };
		$of_block =~ s/^\[(?:promise|kept)\]\n//gm;
		is(trimmed($of_block), trimmed($block->{output}{text}), "$place: the output") if $block->{output};
	}
	return;
}

my @pages = ('README.md', 'SECURITY.md', glob 'doc/*.md');
check_page($_) for @pages;

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
for my $page (@pages, glob 'examples/README.md examples/*/README.md test/bench/*/README.md')
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

# The pages that COMMENTs, hints, tests and examples name are there.
my %named = map { $_ => 1 } map { slurp_file($_) =~ m{\b(doc/[\w-]+\.md)}g }
	glob 'META.json src/*.h src/*/*.{c,h,sql} sql/*.sql test/*/*.{pl,pm,py} examples/*/*.sql';
cmp_ok(scalar keys %named, '>', 8, 'pages that are named');
is(join(' ', grep { !-e } sort keys %named), '', 'each page that is named is there');

# The picture is the one that ./dev bits draws from the table of the fields.  The table says where
# the fields are that the server reads.
my $format = slurp_file('doc/format.md');
is(qx{"$^X" test/bits/draw.pl <doc/format.md}, slurp_file('doc/plots/bits.svg'), 'the picture of the bits: run ./dev bits');
my ($id) = $format =~ /^`([0-9a-f-]{36})` contains:$/m;
my %bits = map { /^\| (\d+)–(\d+) \| `(\w+)` \|/ ? ($3 => [ $1 + 1, $2 - $1 + 1 ]) : () } split /\n/, $format;
for my $case (
	[ unix_ts_ms => 'extract(epoch FROM iuid_timestamp(id)) * 1000' ],
	[ layout => 'iuid_layout(id)' ],
	[ country => 'iuid_country(id)' ],
	[ entity => 'iuid_entity(id)' ],
	[ random => 'iuid_random(id)' ])
{
	my ($name, $value) = @$case;
	my ($first, $count) = @{ $bits{$name} };
	is($node->safe_psql('README_md', qq{
		SELECT lpad(substring(('x' || translate(id::text, '-', ''))::bit(128) FROM $first FOR $count)::text, 64, '0')::bit(64)::bigint = $value
		FROM CAST('$id' AS iuid) AS id}), 't', "the bits of $name");
}

$node->stop;
done_testing();
