# DBI and DBD::Pg.  Perl has no UUID value: the identifiers are strings.
use strict;
use utf8;
use warnings;

use DBD::Pg;
use DBI;

my ($A, $B) = map { "019b76da-a87b-807d-8041-23456789abc$_" } 'd', 'e';
my $database = DBI->connect('dbi:Pg:', '', '', { RaiseError => 1, PrintError => 0, AutoCommit => 1 });
binmode STDOUT, ':encoding(UTF-8)';

sub report { return print join("\t", @_), "\n" }

# Reports what a check gives, or the SQLSTATE of its error.
sub check
{
	my ($name, $run) = @_;
	my $result = eval { $run->() };
	$result = $database->state || 'die' if $@;
	return report($name, !defined $result || $result eq '' ? 'wrong' : $result eq '1' ? 'ok' : $result);
}

sub value { my ($sql, @parameters) = @_; return $database->selectrow_array($sql, undef, @parameters) }

sub rows_read
{
	value('SELECT pg_stat_force_next_flush()');
	return value("SELECT idx_tup_read FROM pg_stat_user_indexes WHERE relname = 'orders'");
}

sub look_up
{
	my $before = rows_read();
	return 0 unless value('SELECT note FROM orders WHERE id = $1', $A) eq 'A';
	return rows_read() == $before + 1 ? 'index' : 'scan';
}

sub copy_text
{
	my $back;
	$database->do('COPY copies FROM STDIN');
	$database->pg_putcopydata("$A\tA\n");
	$database->pg_putcopyend;
	$database->do('COPY copies TO STDOUT');
	$database->pg_getcopydata($back);
	my $line = $back;
	1 while $database->pg_getcopydata($back) >= 0;
	return $line eq "$A\tA\n";
}

sub array
{
	my $ids = value('SELECT array_agg(id) FROM orders');
	# SET-UP
	return kind($ids);
}

sub in_range
{
	my ($bound) = @_;
	return value(sprintf('SELECT count(*) FROM orders WHERE id >= %s AND id < %s', map { $bound =~ s/x/$_/r } '$1', '$2'),
		'2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z') == 2;
}

sub kind { my ($value) = @_; return ref $value ? 'string[]' : 'string' }

report('version', $DBD::Pg::VERSION);
$database->do('CREATE TABLE orders (id iuid DEFAULT gen_iuid(125, 1) PRIMARY KEY, note text)');
$database->do('CREATE TABLE copies (id iuid, note text)');
report('table', '–');
check('default', sub { value('INSERT INTO orders DEFAULT VALUES RETURNING iuid_country(id)') == 125 });
check('UUID', sub { value(q{INSERT INTO orders VALUES ($1, 'A'), ($2, 'B') RETURNING id::text}, $A, $B) eq $A });
check('look-up', \&look_up);
check('IN', sub { value('SELECT count(*) FROM orders WHERE id IN ($1, $2)', $A, $B) == 2 });
check('= ANY', sub { value('SELECT count(*) FROM orders WHERE id = ANY ($1)', [$A, $B]) == 2 });
check('reads as', sub { kind(value(q{SELECT id FROM orders WHERE note = 'A'})) });
check('array', \&array);
check('COPY text', \&copy_text);
report('COPY binary', '–');
check('id >= $1', sub { in_range('x') });
check('id >= iuid_floor($1)', sub { in_range('iuid_floor(x)') });
check('id >= $1::timestamptz', sub { in_range('x::timestamptz') });
check('gen_iuid($1, $2)', sub { value('SELECT iuid_country(gen_iuid($1, $2))', 125, 1) == 125 });
check('gen_iuid($1::int, $2::int)', sub { value('SELECT iuid_country(gen_iuid($1::int, $2::int))', 125, 1) == 125 });
