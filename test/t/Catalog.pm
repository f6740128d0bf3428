# What the extensions have in the catalogs of a database, to compare it with that of another.
package Catalog;
use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(catalog_of is_catalog);

# All that pg_upgrade would carry over, in pg_dump's words: for an upgrade pg_dump dumps each object
# of an extension with all its properties, its comment and its rights, and says which tables have
# rows to dump.  Then what depends on what.  OIDs, positions in the log and ages differ anyway.
sub catalog_of
{
	my ($node, $database) = @_;
	my ($dump, $err) = run_command([ $node->config_data('--bindir') . '/pg_dump',
			'--binary-upgrade', '--schema-only', '--extension=iuid*', $node->connstr($database) ]);
	is($err, '', "pg_dump of $database");
	$dump =~ s/^\\(un)?restrict .*$//gm;
	$dump =~ s/\b[0-9A-F]+\/[0-9A-F]+\b/LSN/g;
	$dump =~ s/\b(?<!\.)\d{5,}\b(?=[',}])/OID/g;
	$dump =~ s/^SELECT .*create_empty_extension.*ARRAY\[\K(.*?)(?=\])/join ',', sort split m{,}, $1/gme;
	$dump =~ s/^SET relfrozenxid\K.*$//gm;
	# 15 gives a name to a constant in the body of a function, and later versions keep it.
	$dump =~ s/(?:'|NULL)::[\w ]+\K AS \w+(?=,?$)//gm;
	my $dependencies = $node->safe_psql($database, q{
		SELECT pg_describe_object(d.classid, d.objid, d.objsubid), d.deptype,
		pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
		FROM pg_depend AS m JOIN pg_depend AS d USING (classid, objid) JOIN pg_extension AS e ON m.refobjid = e.oid
		WHERE m.refclassid = 'pg_extension'::regclass AND m.deptype = 'e' AND extname LIKE 'iuid%'});
	# The members of a family stand in the order of their OIDs.
	my @objects = map { /Type: OPERATOR (CLASS|FAMILY)/ ? join "\n", sort split /[\s,;]*\n/ : $_ }
		map { s/^--.*\n//gmr } split /^--\n-- Name: /m, $dump;
	return join "\n", sort(@objects), sort split /\n/, $dependencies;
}

# Whether a database has this catalog; if not, the notes have the difference.
sub is_catalog
{
	my ($node, $database, $expected, $name) = @_;
	my $catalog = catalog_of($node, $database);
	my @files = map { $node->basedir . "/$_" } 'expected', $database;
	return if ok($catalog eq $expected, $name);
	append_to_file($files[0], $expected) unless -e $files[0];
	append_to_file($files[1], $catalog);
	diag scalar qx(diff -u @files);
	return;
}

1;
