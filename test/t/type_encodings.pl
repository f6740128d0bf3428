# The same input gives the same identifier whatever the encoding of the
# database and the settings of the session.
#
# One version is enough: the bytes of a name and their digest are the same.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

my $names = q{('Größe'), ('naïve café'), (''), (E'it''s "quoted"'), (repeat('é', 1048576))};
my $query = qq{
	SET client_encoding = 'UTF8';
	SELECT string_agg(iuid_from_name(7, 1, name)::text || ' ' || iuid_from_name(7, 1, name, '2026-01-01 00:00+00')::text,
	' ' ORDER BY length(name))
	FROM (VALUES $names) AS v(name)};

# Python's hashlib, with the UTF-8 bytes of the first name (test/data/derived.tsv).
my ($expected) = slurp_file('test/data/derived.tsv') =~ /^name\t4772c3b6c39f65\t1\t7\t1\t\t(\S+)$/m;
my %result;
for my $encoding ('UTF8', 'LATIN1', 'LATIN9', 'WIN1252')
{
	$node->safe_psql('postgres', qq{
		CREATE DATABASE "$encoding" ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0});
	$node->safe_psql($encoding, 'CREATE EXTENSION iuid_regions CASCADE');
	$result{$encoding} = $node->safe_psql($encoding, $query);
	like($result{$encoding}, qr/\Q$expected\E/, "$encoding: as computed from the UTF-8 bytes");
	is($result{$encoding}, $result{UTF8}, "$encoding: all as in UTF8");
	is( $node->safe_psql($encoding, q{SELECT iuid_register_iso_countries();
		SELECT name FROM iuid_countries WHERE code = 'TR'}),
		$encoding eq 'UTF8' ? "249\nT\xc3\xbcrkiye" : "249\nTurkiye", "$encoding: names of countries");
}
for my $setting ("lc_numeric = 'C.UTF-8'", "lc_time = 'C.UTF-8'", "lc_monetary = 'C.UTF-8'", "timezone = 'Asia/Almaty'",
	"datestyle = 'German'", "extra_float_digits = -15", "bytea_output = 'escape'")
{
	is($node->safe_psql('LATIN1', "SET $setting;$query"), $result{UTF8}, "the same with $setting");
}

# A database without an encoding holds bytes: those of UTF-8 are taken, others refused.
$node->safe_psql('postgres',
	q{CREATE DATABASE bytes ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0});
$node->safe_psql('bytes', 'CREATE EXTENSION iuid_regions CASCADE');
is($node->safe_psql('bytes', q{SELECT iuid_from_name(7, 1, convert_from('\x4772c3b6c39f65', 'SQL_ASCII'))}),
	$expected, 'SQL_ASCII: bytes of UTF-8');
is($node->safe_psql('bytes', 'SELECT iuid_register_iso_countries()'), '249', 'SQL_ASCII: names of countries');
$node->safe_psql('postgres',
	q{CREATE DATABASE japanese ENCODING 'EUC_JP' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0});
$node->safe_psql('japanese', 'CREATE EXTENSION iuid_regions CASCADE');
is($node->safe_psql('japanese',
	q{SELECT count(*), string_agg(name, ', ') FILTER (WHERE code IN ('AX', 'TR')) FROM iuid_iso_countries()}),
	'249|Aland Islands, Turkiye', 'EUC_JP: names of countries');
my ($status, undef, $err) = $node->psql('bytes',
	q{SELECT iuid_from_name(7, 1, convert_from('\x4772f6df65', 'SQL_ASCII'))});
like($err, qr/invalid byte sequence for encoding "UTF8"/, 'SQL_ASCII: other bytes are refused');

$node->stop;
done_testing();
