# clients/vectors.json, with which other programs check that they follow doc/format.md: the server
# gives the same answers.  The steps of the maker are asked of a module that has the code of the
# generator in it, and a clock and random bits that are given.
#
# One version is enough: the vectors have no statement in them, only values.
use strict;
use warnings;

use Cwd;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
my $folder = $node->basedir;
my ($headers) = run_command([ 'pg_config', '--includedir-server' ]);
command_ok(
	[ 'cc', '-shared', '-fPIC', '-Wl,-Bsymbolic', '-I', 'src', '-I', $headers,
		'-o', "$folder/given_maker.so", 'test/modules/given_maker.c' ],
	'a generator with a given clock');
$node->init(extra => [ '--encoding', 'UTF8' ]);
$node->start;
$node->safe_psql('postgres', qq{
	CREATE EXTENSION iuid;
	CREATE FUNCTION start() RETURNS text LANGUAGE c AS '$folder/given_maker';
	CREATE FUNCTION make(country int, entity int, random bytea, seconds bigint, nanoseconds int) RETURNS iuid
		LANGUAGE c AS '$folder/given_maker';
	CREATE FUNCTION make_at(country int, entity int, at timestamptz, random bytea) RETURNS iuid LANGUAGE c
		AS '$folder/given_maker';
} . q{
	CREATE FUNCTION at(microseconds text)
		RETURNS timestamptz RETURN 'epoch'::timestamptz + (microseconds || ' microseconds')::interval;
	CREATE FUNCTION bytes(hexadecimal text) RETURNS bytea RETURN decode(hexadecimal, 'hex');

	-- a is an argument, and c and e are country and entity.
	CREATE FUNCTION answer(call text, a text[], ids uuid[]) RETURNS jsonb LANGUAGE plpgsql AS $$
	DECLARE
		c int := CASE WHEN call ~ '^(name|make|country_floor)' THEN a[1] WHEN call = 'uuid' THEN a[2] END;
		e int := CASE WHEN call ~ '^(name|make|country_floor)' THEN a[2] WHEN call = 'uuid' THEN a[3] END;
	BEGIN
		RETURN jsonb_build_object('gives', CASE call
			WHEN 'read' THEN to_jsonb(a[1]::iuid)
			WHEN 'from_uuid_bits' THEN to_jsonb(a[1]::uuid::iuid)
			WHEN 'fields' THEN (SELECT jsonb_build_array((extract(epoch FROM time) * 1000)::bigint::text, country::text,
				entity::text, random::text, layout::text)
				FROM iuid_fields(a[1]::iuid))
			WHEN 'floor' THEN to_jsonb(iuid_floor(at(a[1])))
			WHEN 'country_floor' THEN to_jsonb(iuid_country_floor(c, e))
			WHEN 'byte_order' THEN (SELECT jsonb_agg(id::iuid ORDER BY id::iuid) FROM unnest(ids) AS id)
			WHEN 'country_order' THEN (SELECT jsonb_agg(id::iuid ORDER BY id::iuid USING ~<~) FROM unnest(ids) AS id)
			WHEN 'name' THEN to_jsonb(CASE WHEN a[4] IS NULL THEN iuid_from_name(c, e, a[3])
				ELSE iuid_from_name(c, e, a[3], at(a[4])) END)
			WHEN 'name_bytes' THEN to_jsonb(CASE WHEN a[4] IS NULL THEN iuid_from_name(c, e, bytes(a[3]))
				ELSE iuid_from_name(c, e, bytes(a[3]), at(a[4])) END)
			WHEN 'uuid' THEN to_jsonb(CASE WHEN a[4] IS NULL THEN iuid_from_uuid(a[1]::uuid, c, e)
				ELSE iuid_from_uuid(a[1]::uuid, c, e, at(a[4])) END)
			WHEN 'hide' THEN to_jsonb(iuid_hide(a[1]::iuid, bytes(a[2])))
			WHEN 'reveal' THEN to_jsonb(iuid_reveal(a[1]::uuid, bytes(a[2])))
			WHEN 'make_at' THEN to_jsonb(make_at(c, e, at(a[3]), bytes(a[4])))
			WHEN 'start' THEN to_jsonb(start())
			WHEN 'make' THEN to_jsonb(make(c, e, bytes(a[4]), split_part(a[3], '.', 1)::bigint,
				rpad(split_part(a[3], '.', 2), 9, '0')::int))
		END);
	EXCEPTION WHEN OTHERS THEN
		RETURN jsonb_build_object('error', SQLSTATE);
	END $$;
});

# The vectors that the server answers in another way, and of each rule how many there are.  One vector
# after the other, as the maker has a state.
my $file = getcwd . '/clients/vectors.json';
my $differences = $node->safe_psql('postgres', qq{
	CREATE TABLE vectors AS SELECT n, v
		FROM jsonb_array_elements(pg_read_file('$file')::jsonb -> 'vectors') WITH ORDINALITY AS x (v, n);
} . q{
	CREATE TABLE answers (n int, answer jsonb);
	DO $$
	DECLARE
		one record;
	BEGIN
		FOR one IN SELECT n, v ->> 'call' AS call, v -> 'given' AS given FROM vectors ORDER BY n LOOP
			INSERT INTO answers VALUES (one.n, CASE WHEN one.call ~ 'order'
				THEN answer(one.call, NULL, ARRAY(SELECT jsonb_array_elements_text(one.given -> 0)::uuid))
				ELSE answer(one.call, ARRAY(SELECT jsonb_array_elements_text(one.given)), NULL) END);
		END LOOP;
	END $$;
	SELECT v, answer FROM vectors JOIN answers USING (n) WHERE answer <> v - '{rule,call,given}'::text[] ORDER BY n});
is($differences, '', 'the server answers as the vectors say');
note $node->safe_psql('postgres',
	q{SELECT v ->> 'rule', count(*) FROM vectors GROUP BY 1 ORDER BY substr(v ->> 'rule', 2)::int});
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM answers'), '>', 800, 'all of them');

# The file is what its program writes, and its rules are those of the page.
my ($written) = run_command([ '/usr/bin/python3', 'test/clients/make_vectors.py' ]);
ok("$written\n" eq slurp_file($file), 'the file is what test/clients/make_vectors.py writes');
my %rules = map { $_ => 1 } slurp_file('doc/format.md') =~ /\*\*(R\d+)\.\*\*/g;
is(join(' ', grep { !$rules{$_} } split /\n/,
	$node->safe_psql('postgres', q{SELECT DISTINCT v ->> 'rule' FROM vectors})), '', 'each rule is on the page');
$node->stop;
done_testing();
