# Runs a page: its SQL does what the page says.
#
# A page is run from its beginning to its end, in a database:
#
#   ```sql            is run.
#   ```sql fails      is run, and is an error.
#   ```sql needs ...  is not run, unless the caller has what it needs.
#   ```text           right after a block that is run is what psql prints for the block.
#
# A comment at the end of a statement is a promise if it begins like this.  What stands behind a
# colon explains.
#
#   -- no row         The statement gives no row.
#   -- only A, B      The plan reads these tables, and no others.
#   -- gives A, B     The rows have these values, and no others.
package Pages;
use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(blocks_of part_of check_page);

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

# The text of a page below a heading of the second level, or without a heading that before the first one.
sub part_of
{
	my ($page, $heading) = @_;
	my $begin = defined $heading ? qr/^## \Q$heading\E$/m : qr/\A/;
	my ($part) = slurp_file($page) =~ /$begin(.*?)(?=^## |\z)/ms or die "$page has no part $heading";
	return $part;
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
	@lines = ('\set ON_ERROR_STOP off', '\warn [fails]', @lines, '\warn [failed]', '\set ON_ERROR_STOP on')
		if $block->{needs} eq 'fails';
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

# Runs a page in a database of a node.  Of the options, has is what "needs" names and is here, and edit
# changes the text of a block.
sub check_page
{
	my ($node, $database, $page, %options) = @_;
	my @blocks = blocks_of(slurp_file($page));
	my @run;
	for (@blocks)
	{
		my $place = "$page, line $_->{line}";
		unlike($_->{text}, qr/^\s*(?:SELECT|INSERT|UPDATE|CREATE|ALTER|EXPLAIN)\b.*;( +--.*)?$/m, "$place: SQL is called sql")
			if $_->{language} =~ /^(?:text)?$/;
		next unless $_->{language} eq 'sql';
		$_->{needs} = '' if $options{has} && $_->{needs} eq "needs $options{has}";
		$_->{text} = $options{edit}->($_->{text}) if $options{edit};
		if ($_->{needs} =~ /^(?:fails)?$/) { push @run, $_ }
		elsif ($_->{needs} =~ /^needs \w/)
		{
			SKIP: { skip "$place: $_->{needs}", 1 }
		}
		else { fail("$place: $_->{needs}: sql, sql fails, or sql needs ...") }
	}
	my $script = join '', map { marked($_) } @run;
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

1;
