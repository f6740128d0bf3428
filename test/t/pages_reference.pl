# doc/reference.md names every object that users call, and nothing else.
#
# One version is enough: each version has the same objects.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION iuid_regions CASCADE; CREATE EXTENSION iuid_gist CASCADE');

# The objects of an extension that are not internal, each with its kind.  A
# function is there once for each number of arguments that it takes; types that
# come with another type or a table are left out.
sub objects_of
{
	my $extension = shift;
	return split /\n/, $node->safe_psql('postgres', qq{
		SELECT DISTINCT object FROM pg_depend AS d JOIN pg_extension AS e ON d.refobjid = e.oid, LATERAL (
			SELECT format('%s %s/%s', CASE prokind WHEN 'a' THEN 'aggregate' ELSE 'function' END, proname, arguments)
			FROM pg_proc, generate_series(pronargs::int - pronargdefaults, pronargs) AS arguments
			WHERE d.classid = 'pg_proc'::regclass AND oid = d.objid
			UNION ALL
			SELECT format('operator %s', oprname) FROM pg_operator WHERE d.classid = 'pg_operator'::regclass AND oid = d.objid
			UNION ALL
			SELECT format('operator class %s (%s)', opcname, amname)
			FROM pg_opclass JOIN pg_am ON opcmethod = pg_am.oid
			WHERE d.classid = 'pg_opclass'::regclass AND pg_opclass.oid = d.objid
			UNION ALL
			SELECT format('cast %s::%s', source.typname, target.typname)
			FROM pg_cast JOIN pg_type AS source ON castsource = source.oid JOIN pg_type AS target ON casttarget = target.oid
			WHERE d.classid = 'pg_cast'::regclass AND pg_cast.oid = d.objid
			UNION ALL
			SELECT format('type %s', typname) FROM pg_type
			WHERE d.classid = 'pg_type'::regclass AND oid = d.objid AND typrelid = 0 AND typelem = 0
			UNION ALL
			SELECT format('table %s', relname) FROM pg_class WHERE d.classid = 'pg_class'::regclass AND oid = d.objid
		) AS x (object)
		WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND extname = '$extension'
			AND (obj_description(d.objid, d.classid::regclass::name) LIKE 'internal%') IS NOT TRUE});
}

# The objects in the first columns of the tables.  The heading of a column is
# the kind of its objects; what is in brackets may be left out of a call.
sub objects_in
{
	my ($kind, @objects);
	for my $line (split /\n/, shift)
	{
		my ($first) = $line =~ /^\|(.*?)\|/;
		if (!defined $first)
		{
			undef $kind;
			next;
		}
		($kind) = $first =~ /^ ([\w ]+?) $/ unless defined $kind;
		for my $object ($first =~ /(`[^`]+`(?: \(\w+\))?)/g)
		{
			$object =~ tr/`//d;
			if (my ($name, $required, $optional) = $object =~ /^(\w+)\(([^\[]*)(.*)\)$/)
			{
				my $least = () = $required =~ /\w+/g;
				my $most = $least + (() = $optional =~ /\w+/g);
				push @objects, map { "$kind $name/$_" } $least .. $most;
			}
			else
			{
				push @objects, "$kind $object";
			}
		}
	}
	return @objects;
}

# Two lists, given by reference, have the same objects.
sub same
{
	my ($in_reference, $in_catalog, $what) = @_;
	my %in_reference = map { $_ => 1 } @$in_reference;
	my %in_catalog = map { $_ => 1 } @$in_catalog;
	is(join("\n", sort grep { !$in_reference{$_} } keys %in_catalog), '', "$what: nothing is left out");
	is(join("\n", sort grep { !$in_catalog{$_} } keys %in_reference), '', "$what: everything exists");
}

my ($reference) = slurp_file('doc/reference.md') =~ /^(## Extension iuid\n.*)/ms or die 'the page has no reference';
my (undef, %section) = split /^## (?:Extension )?(\w+)\n/m, $reference;
is_deeply([ sort keys %section ], [qw(Errors Settings iuid iuid_gist iuid_regions)], 'the sections of the reference');

my %object = map { $_ => [ objects_of($_) ] } qw(iuid iuid_regions iuid_gist);
my @settings = split /\n/, $node->safe_psql('postgres', q{
	LOAD 'iuid';
	SELECT 'setting ' || name FROM pg_settings WHERE name LIKE 'iuid.%'});
same([ objects_in($section{$_}) ], $object{$_}, $_) for sort keys %object;
same([ objects_in($section{Settings}) ], \@settings, 'settings');

# What the descriptions name exists, too.
my %known = map { $_ => 1 } keys %object, map { /[\w.]+/g } @settings, map { @$_ } values %object;
my @named = map { /\b((?:gen_)?iuid[\w.]*)/g } $reference =~ /`([^`]+)`/g;
cmp_ok(scalar @named, '>', 50, 'names in the reference');
is(join("\n", grep { !$known{$_} } @named), '', 'every name in the reference exists');

$node->stop;
done_testing();
