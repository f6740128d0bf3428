# What an untyped literal or parameter means to the functions and operators of iuid does not change
# when iuid_regions comes.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION iuid;
	-- each function with no type for its arguments, and each operator with none for one side
	CREATE TABLE call AS
	SELECT format('%s(%s)', proname, string_agg('$' || n, ', ' ORDER BY n)) AS call, max(n) AS arguments
	FROM pg_depend JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid, generate_series(1, pronargs) AS n
	WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'iuid') GROUP BY proname, p.oid
	UNION SELECT format(form, oprname), 1
	FROM pg_depend JOIN pg_operator AS o ON classid = 'pg_operator'::regclass AND objid = o.oid,
		unnest(ARRAY['gen_iuid(7, 1) %s $1', '$1 %s gen_iuid(7, 1)', 'gen_random_uuid() %s $1',
			'$1 %s gen_random_uuid()']) AS form
	WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'iuid');

	-- for parameters their types, for literals the function or operator; or the error
	CREATE FUNCTION meaning(call text, literal boolean) RETURNS text LANGUAGE plpgsql AS $function$
	DECLARE
		result text;
	BEGIN
		IF literal THEN
			EXECUTE 'CREATE VIEW probe AS SELECT ' || regexp_replace(call, '[$][0-9]+', 'NULL', 'g') || ' AS x';
			SELECT string_agg(pg_describe_object(d.refclassid, d.refobjid, 0), ', ' ORDER BY 1) INTO result
			FROM pg_rewrite AS r JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
			WHERE ev_class = 'probe'::regclass AND refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass);
			DROP VIEW probe;
		ELSE
			EXECUTE 'PREPARE probe AS SELECT ' || call;
			SELECT parameter_types::text INTO result FROM pg_prepared_statements WHERE name = 'probe';
			DEALLOCATE probe;
		END IF;
		RETURN result;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLERRM;
	END $function$;
});
my $meanings = q{SELECT call, literal, meaning(call, literal) FROM call, unnest('{f,t}'::boolean[]) AS literal
	ORDER BY call COLLATE "C", 2, 3};
my $before = $node->safe_psql('postgres', $meanings);
cmp_ok(scalar(split /\n/, $before), '>', 150, 'there are functions and operators');
like($before, qr/^gen_iuid\(\$1, \$2\)\|f\|\{integer,integer\}$/m, 'two parameters of gen_iuid are numbers');
like($before, qr/^gen_iuid\(\$1, \$2\)\|t\|function gen_iuid\(integer,integer\)$/m, 'and so are two literals');
$node->safe_psql('postgres', 'CREATE EXTENSION iuid_regions');
is($node->safe_psql('postgres', $meanings), $before, 'and with iuid_regions all mean the same');

$node->stop;
done_testing();
