# Draws the bits of an identifier as SVG: the fields of the table in doc/format.md, which comes on
# standard input, and the bits and values of the identifier that the page takes as its example.
use strict;
use warnings;
no warnings 'portable';   # of numbers of more than 32 bits
use utf8;
use open ':std', ':encoding(UTF-8)';

my ($row_bits, $bit, $left, $bar, $row) = (64, 12, 26, 30, 124);
my $width = 2 * $left + $row_bits * $bit;
my %fill = (
	unix_ts_ms => '#cfe3f5', ver => '#e2e2e2', layout => '#e6dbf3', country => '#fbd5bf',
	var => '#e2e2e2', entity => '#d0ebcf', random => '#f6edba');

my $page = do { local $/; <STDIN> };
my @fields = map { /^\| (\d+)–(\d+) \| `(\w+)` \|/ ? { first => $1, last => $2, name => $3 } : () } split /\n/, $page;
my ($text) = $page =~ /^`([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})` contains:$/m or die 'no identifier in the page';
my $bits = join '', map { sprintf '%04b', hex } $text =~ /[0-9a-f]/g;

my $next = 0;
for (@fields)
{
	die "field $_->{name} begins at bit $_->{first}, not at $next" unless $_->{first} == $next;
	die "field $_->{name} goes over the end of a row" unless int($_->{first} / $row_bits) == int($_->{last} / $row_bits);
	$next = $_->{last} + 1;
}
die "the fields end at bit $next" unless $next == 128;

# The value of a field, for the reader.
sub value
{
	my ($name, $digits) = @_;
	return '' if $name eq 'var';
	my $number = oct "0b$digits";
	return sprintf '0x%x', $number if $name eq 'random';
	return $number unless $name eq 'unix_ts_ms';
	my ($second, $minute, $hour, $day, $month, $year) = gmtime int $number / 1000;
	return sprintf '%04d-%02d-%02d %02d:%02d:%02d.%03d UTC', $year + 1900, $month + 1, $day, $hour, $minute, $second, $number % 1000;
}

my $height = 290;
print <<"SVG";
<?xml version="1.0" encoding="utf-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $width $height" font-family="monospace" font-size="12" text-anchor="middle" fill="#222222">
<title>The bits of the identifier $text</title>
<rect width="$width" height="$height" fill="#ffffff"/>
<text x="@{[ $width / 2 ]}" y="34" font-size="20">$text</text>
SVG
for (@fields)
{
	my $count = $_->{last} - $_->{first} + 1;
	my $x = $left + $_->{first} % $row_bits * $bit;
	my $y = 84 + $row * int($_->{first} / $row_bits);
	my $middle = $x + $count * $bit / 2;
	my $digits = substr $bits, $_->{first}, $count;
	printf qq{<text x="%g" y="%g" font-family="sans-serif" font-weight="bold">%s</text>\n}, $middle, $y - 20, $_->{name};
	printf qq{<text x="%g" y="%g" font-size="9" fill="#666666">%s</text>\n}, $middle, $y - 7, $_->{first} . '–' . $_->{last};
	printf qq{<rect x="%g" y="%g" width="%g" height="%g" fill="%s" stroke="#444444"/>\n}, $x, $y, $count * $bit, $bar, $fill{ $_->{name} };
	printf qq{<text x="%g" y="%g">%s</text>\n}, $x + ($_ + 0.5) * $bit, $y + 19, substr($digits, $_, 1) for 0 .. $count - 1;
	printf qq{<text x="%g" y="%g" font-family="sans-serif">%s</text>\n}, $middle, $y + $bar + 38, value($_->{name}, $digits);
}
# The digits of the text, each below its four bits.
my @hex = $text =~ /[0-9a-f]/g;
for my $n (0 .. $#hex)
{
	printf qq{<text x="%g" y="%g" fill="#666666">%s</text>\n}, $left + (4 * $n % $row_bits + 2) * $bit,
		84 + $row * int(4 * $n / $row_bits) + $bar + 16, $hex[$n];
}
print "</svg>\n";
