-- The extension iuid_regions as a set of catalog objects: complete, consistent, described.
CREATE EXTENSION iuid;

-- it stands in the schema of iuid
\set SHOW_CONTEXT never
CREATE SCHEMA elsewhere;
CREATE EXTENSION iuid_regions SCHEMA elsewhere;
\echo :LAST_ERROR_SQLSTATE
DROP SCHEMA elsewhere;
CREATE EXTENSION iuid_regions;

-- it is not trusted; what users write into its tables is dumped
SELECT name, superuser, trusted, relocatable, requires
FROM pg_available_extension_versions JOIN pg_available_extensions USING (name)
WHERE name = 'iuid_regions' AND version = default_version;
SELECT extname, relname, c.oid = ANY (extconfig) AS is_dumped
FROM pg_extension AS e JOIN pg_depend ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
JOIN pg_class AS c ON classid = 'pg_class'::regclass AND objid = c.oid WHERE extname = 'iuid_regions' ORDER BY relname;

\set extension iuid_regions
\i ../sql/members.psql
DROP VIEW member_function, member;
