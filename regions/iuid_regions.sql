-- iuid_regions: what the numbers in identifiers mean, and which node has the rows.
--
-- This part opens the script of the extension; the Makefile says which parts
-- follow.  As in iuid, every name has its schema, every argument its type.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION iuid_regions" to load this file. \quit

-- A function of one extension looks for objects of the other in its own schema,
-- so both extensions must be in one schema.
DO $do$
DECLARE
	schema_of_iuid pg_catalog.oid;
BEGIN
	SELECT e.extnamespace INTO schema_of_iuid
	FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'iuid'::pg_catalog.name;

	IF schema_of_iuid OPERATOR(pg_catalog.<>) '@extschema@'::pg_catalog.regnamespace::pg_catalog.oid THEN
		RAISE EXCEPTION 'extension "iuid_regions" must be in the schema of extension "iuid"'
			USING ERRCODE = 'invalid_schema_name',
				DETAIL = pg_catalog.format('Extension "iuid" is in schema %s.'::pg_catalog.text,
					schema_of_iuid::pg_catalog.regnamespace),
				HINT = pg_catalog.format('Use: CREATE EXTENSION iuid_regions SCHEMA %s;'::pg_catalog.text,
					schema_of_iuid::pg_catalog.regnamespace);
	END IF;
END
$do$;
