-- Without its triggers a table would change unnoticed: who fills the cache is told what to enter.
INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL);
INSERT INTO iuid_routes VALUES (7, NULL, 'almaty');
SELECT iuid_node(7, 1);

-- as pg_restore --disable-triggers leaves them; said once, and no more after what the hints say
BEGIN;
ALTER TABLE iuid_routes DISABLE TRIGGER ALL;
ALTER TABLE iuid_routes ENABLE TRIGGER ALL;
SELECT iuid_node(7, 1);
SELECT iuid_node(7, 1);
ALTER TABLE public.iuid_routes ENABLE ALWAYS TRIGGER iuid_changed;
SELECT iuid_node(7, 1);
ALTER TABLE public.iuid_routes ENABLE ALWAYS TRIGGER iuid_truncated;
SELECT iuid_node(7, 1);
UPDATE iuid_nodes SET node = 'mexico';
SELECT iuid_node(7, 1);
ROLLBACK;

-- one that is gone
BEGIN;
DROP TRIGGER iuid_changed ON iuid_countries;
DROP TRIGGER iuid_truncated ON iuid_entities;
SELECT iuid_node(7, 1);
CREATE OR REPLACE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON public.iuid_countries FOR EACH ROW EXECUTE FUNCTION public.iuid_registry_changed(); ALTER TABLE public.iuid_countries ENABLE ALWAYS TRIGGER iuid_changed;
CREATE OR REPLACE TRIGGER iuid_truncated AFTER TRUNCATE ON public.iuid_entities FOR EACH STATEMENT EXECUTE FUNCTION public.iuid_registry_changed(); ALTER TABLE public.iuid_entities ENABLE ALWAYS TRIGGER iuid_truncated;
SELECT iuid_node(7, 1);
ROLLBACK;

-- others that do less under the same names, for replicas only, for some rows, for some columns, once a statement, at the end
\set VERBOSITY terse
CREATE FUNCTION does_nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
BEGIN;
ALTER TABLE iuid_countries ENABLE REPLICA TRIGGER iuid_changed;
CREATE OR REPLACE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON iuid_entities FOR EACH ROW EXECUTE FUNCTION does_nothing();
ALTER TABLE iuid_entities ENABLE ALWAYS TRIGGER iuid_changed;
CREATE OR REPLACE TRIGGER iuid_changed AFTER INSERT OR UPDATE OF node OR DELETE ON iuid_nodes FOR EACH ROW EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_nodes ENABLE ALWAYS TRIGGER iuid_changed;
CREATE OR REPLACE TRIGGER iuid_changed AFTER INSERT OR DELETE ON iuid_routes FOR EACH ROW EXECUTE FUNCTION iuid_registry_changed();
CREATE TRIGGER only_some AFTER UPDATE ON iuid_routes FOR EACH ROW WHEN (new.node > 'm') EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_routes ENABLE ALWAYS TRIGGER iuid_changed, ENABLE ALWAYS TRIGGER only_some;
SELECT iuid_node(7, 1);
ROLLBACK;
BEGIN;
CREATE OR REPLACE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON iuid_countries FOR EACH STATEMENT EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_countries ENABLE ALWAYS TRIGGER iuid_changed;
CREATE OR REPLACE TRIGGER iuid_changed BEFORE INSERT OR UPDATE OR DELETE ON iuid_entities FOR EACH ROW EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_entities ENABLE ALWAYS TRIGGER iuid_changed;
DROP TRIGGER iuid_changed ON iuid_nodes;
CREATE CONSTRAINT TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON iuid_nodes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_nodes ENABLE ALWAYS TRIGGER iuid_changed;
SELECT iuid_node(7, 1);
ROLLBACK;
DROP FUNCTION does_nothing;
-- and some that do as much under other names
BEGIN;
ALTER TRIGGER iuid_truncated ON iuid_routes RENAME TO emptied;
CREATE OR REPLACE TRIGGER iuid_changed AFTER INSERT OR DELETE ON iuid_routes FOR EACH ROW EXECUTE FUNCTION iuid_registry_changed();
CREATE TRIGGER updated AFTER UPDATE ON iuid_routes FOR EACH ROW EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_routes ENABLE ALWAYS TRIGGER iuid_changed, ENABLE ALWAYS TRIGGER updated;
SELECT iuid_node(7, 1);
ROLLBACK;
\set VERBOSITY default

-- nor does a new name of their function, which others may have taken
BEGIN;
CREATE FUNCTION taken() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
ALTER FUNCTION iuid_registry_changed() RENAME TO renamed;
ALTER FUNCTION taken() RENAME TO iuid_registry_changed;
TRUNCATE iuid_routes;
SELECT iuid_node(7, 1);
DROP TRIGGER iuid_truncated ON iuid_routes;
SELECT iuid_node(7, 1);
ROLLBACK;

-- names are quoted
BEGIN;
DROP EXTENSION iuid_regions, iuid;
CREATE SCHEMA "a.b";
CREATE EXTENSION iuid_regions CASCADE SCHEMA "a.b";
DROP TRIGGER iuid_truncated ON "a.b".iuid_nodes;
SELECT "a.b".iuid_node(7, 1);
ROLLBACK;
SELECT iuid_node(7, 1);
TRUNCATE iuid_routes, iuid_nodes;
