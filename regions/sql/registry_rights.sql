-- Who may do what with the registry: all read; a superuser makes it, and grants the rest;
-- nobody else alters, watches or publishes it.
\set SHOW_CONTEXT never
CREATE ROLE regress_iuid_owner;
CREATE ROLE regress_iuid_clerk;
CREATE ROLE regress_iuid_reader;
GRANT CREATE ON DATABASE :"DBNAME" TO regress_iuid_owner;
CREATE SCHEMA "a.b" AUTHORIZATION regress_iuid_owner;
DROP EXTENSION iuid_regions, iuid;

-- whoever may create objects in a database makes iuid, and only a superuser iuid_regions
SET ROLE regress_iuid_owner;
CREATE EXTENSION iuid SCHEMA "a.b";
CREATE EXTENSION iuid_regions SCHEMA "a.b";
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
CREATE EXTENSION iuid_regions SCHEMA "a.b";
SET search_path = "a.b";
SELECT relname, r.rolsuper AS owned_by_superuser FROM pg_class AS c JOIN pg_roles AS r ON r.oid = relowner
WHERE relnamespace = '"a.b"'::regnamespace AND relkind = 'r' ORDER BY 1;
SELECT DISTINCT coalesce(g.rolname, 'PUBLIC') AS grantee, privilege_type, is_grantable
FROM pg_class AS c, aclexplode(relacl) AS a LEFT JOIN pg_roles AS g ON g.oid = grantee
WHERE relnamespace = '"a.b"'::regnamespace AND relkind = 'r' AND grantee <> relowner ORDER BY 1, 2;
SET ROLE regress_iuid_owner;
INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL);
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
GRANT INSERT, UPDATE, DELETE, TRUNCATE ON iuid_countries, iuid_entities, iuid_nodes, iuid_routes
	TO regress_iuid_owner WITH GRANT OPTION;
SET ROLE regress_iuid_owner;

-- who was given the rights writes, and lets others write
INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL), ('mexico', 'america', NULL);
INSERT INTO iuid_routes VALUES (7, NULL, 'almaty');
UPDATE iuid_nodes SET region = 'europe' WHERE node = 'almaty';
DELETE FROM iuid_nodes WHERE node = 'almaty';
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_node(7, 1);
DELETE FROM iuid_routes;
TRUNCATE iuid_routes, iuid_nodes;
COPY iuid_nodes FROM stdin;
almaty	asia	\N
\.
GRANT INSERT ON iuid_routes TO regress_iuid_clerk;
GRANT USAGE ON SCHEMA "a.b" TO regress_iuid_clerk, regress_iuid_reader;
SET ROLE regress_iuid_clerk;
INSERT INTO iuid_routes VALUES (7, NULL, 'almaty');
SELECT iuid_node(7, 1);
SET ROLE regress_iuid_reader;
SELECT iuid_node(7, 1), (SELECT count(*) FROM iuid_routes);
INSERT INTO iuid_routes VALUES (8, NULL, 'almaty');

-- and no more than that
SET ROLE regress_iuid_owner;
\set VERBOSITY sqlstate
ALTER TABLE iuid_countries DROP CONSTRAINT iuid_countries_country_check;
ALTER TABLE iuid_countries DISABLE TRIGGER ALL;
ALTER TABLE iuid_countries ENABLE ROW LEVEL SECURITY;
ALTER TABLE iuid_countries RENAME TO was;
DROP TABLE iuid_countries;
ALTER EXTENSION iuid_regions DROP TABLE iuid_countries;
CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER watch BEFORE INSERT ON iuid_countries FOR EACH ROW EXECUTE FUNCTION watch();
CREATE RULE watch AS ON INSERT TO iuid_countries DO ALSO NOTHING;
CREATE POLICY watch ON iuid_countries;
CREATE INDEX ON iuid_countries (name);
CREATE STATISTICS counted ON country, code FROM iuid_countries;
CREATE TABLE heir () INHERITS (iuid_countries);
CREATE TABLE refers (country int REFERENCES iuid_countries);
SET client_min_messages = error;
CREATE PUBLICATION registry FOR TABLE iuid_countries;
RESET client_min_messages;
ALTER SCHEMA "a.b" OWNER TO regress_iuid_reader;
CREATE VIEW watched AS TABLE iuid_countries;
\set VERBOSITY default
DROP VIEW watched;
DROP FUNCTION watch;

-- ISO's countries: who may insert may register them, in a schema of whatever name
SELECT iuid_register_iso_countries();
DELETE FROM iuid_countries;
SET ROLE regress_iuid_clerk;
SELECT iuid_register_iso_countries();
\echo :LAST_ERROR_SQLSTATE
SET ROLE regress_iuid_owner;
GRANT INSERT ON iuid_countries TO regress_iuid_clerk;
RESET ROLE;
ALTER SCHEMA "a.b" RENAME TO "c ""d""";
SET search_path = "c ""d""";
SET ROLE regress_iuid_clerk;
SELECT iuid_register_iso_countries();
SELECT iuid_register_iso_countries() AS again;
-- with the caller's rights, and no others
RESET ROLE;
REVOKE SELECT ON iuid_countries FROM PUBLIC;
SET ROLE regress_iuid_clerk;
\set VERBOSITY sqlstate
SELECT iuid_register_iso_countries();
\set VERBOSITY default
RESET ROLE;
GRANT SELECT ON iuid_countries TO PUBLIC;
RESET ROLE;
DELETE FROM iuid_countries;
-- into the table of the extension, whatever stands under its name
ALTER TABLE iuid_countries RENAME TO was;
CREATE VIEW iuid_countries AS SELECT country, code, name, 1 / 0 AS failure FROM was;
SELECT iuid_register_iso_countries();
SELECT count(*) FROM was;
DROP VIEW iuid_countries;

-- nor drops it
SET ROLE regress_iuid_owner;
DROP EXTENSION iuid_regions;
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;

RESET search_path;
DROP EXTENSION iuid_regions, iuid;
DROP SCHEMA "c ""d""";
DROP OWNED BY regress_iuid_owner, regress_iuid_clerk;
DROP ROLE regress_iuid_owner, regress_iuid_clerk, regress_iuid_reader;
CREATE EXTENSION iuid_regions CASCADE;
