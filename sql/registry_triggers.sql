-- Without its triggers a table of the registry would change unnoticed.  Who reads the tables is told of what is missing.
INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL);
INSERT INTO iuid_routes VALUES (7, NULL, 'almaty');
SELECT iuid_node(7, 1);

-- pg_restore --disable-triggers leaves triggers that replication does not set off.
BEGIN;
ALTER TABLE iuid_routes DISABLE TRIGGER ALL;
ALTER TABLE iuid_routes ENABLE TRIGGER ALL;
SELECT iuid_node(7, 1);
-- Each warning comes once.
SELECT iuid_node(7, 1);
-- What a hint says ends its warning.
ALTER TABLE public.iuid_routes ENABLE ALWAYS TRIGGER iuid_changed;
SELECT iuid_node(7, 1);
ALTER TABLE public.iuid_routes ENABLE ALWAYS TRIGGER iuid_truncated;
SELECT iuid_node(7, 1);
UPDATE iuid_nodes SET node = 'mexico';
SELECT iuid_node(7, 1);
ROLLBACK;

-- The triggers are gone.
BEGIN;
DROP TRIGGER iuid_changed ON iuid_countries;
DROP TRIGGER iuid_truncated ON iuid_entities;
SELECT iuid_node(7, 1);
-- The hints bring them back.
CREATE OR REPLACE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON public.iuid_countries FOR EACH ROW EXECUTE FUNCTION public.iuid_registry_changed(); ALTER TABLE public.iuid_countries ENABLE ALWAYS TRIGGER iuid_changed;
CREATE OR REPLACE TRIGGER iuid_truncated AFTER TRUNCATE ON public.iuid_entities FOR EACH STATEMENT EXECUTE FUNCTION public.iuid_registry_changed(); ALTER TABLE public.iuid_entities ENABLE ALWAYS TRIGGER iuid_truncated;
SELECT iuid_node(7, 1);
ROLLBACK;

-- The hints quote names.
BEGIN;
DROP EXTENSION iuid_regions, iuid;
CREATE SCHEMA "a.b";
CREATE EXTENSION iuid_regions CASCADE SCHEMA "a.b";
DROP TRIGGER iuid_truncated ON "a.b".iuid_nodes;
SELECT "a.b".iuid_node(7, 1);
ROLLBACK;

-- Triggers of the same name that do less.  From here on, the warnings are in one line.
\set VERBOSITY terse

-- A trigger for replicas only.
BEGIN;
ALTER TABLE iuid_routes ENABLE REPLICA TRIGGER iuid_changed;
SELECT iuid_node(7, 1);
ROLLBACK;

-- A trigger that calls another function.
BEGIN;
CREATE FUNCTION does_nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE OR REPLACE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON iuid_routes FOR EACH ROW EXECUTE FUNCTION does_nothing();
ALTER TABLE iuid_routes ENABLE ALWAYS TRIGGER iuid_changed;
SELECT iuid_node(7, 1);
ROLLBACK;

-- A trigger that leaves an event out.
BEGIN;
CREATE OR REPLACE TRIGGER iuid_changed AFTER INSERT OR DELETE ON iuid_routes FOR EACH ROW EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_routes ENABLE ALWAYS TRIGGER iuid_changed;
SELECT iuid_node(7, 1);

-- Another trigger for that event, with a condition.
CREATE TRIGGER some_rows AFTER UPDATE ON iuid_routes FOR EACH ROW WHEN (new.node > 'm') EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_routes ENABLE ALWAYS TRIGGER some_rows;
SELECT iuid_node(7, 1);

-- A third one, without a condition: now the triggers together do as much.
CREATE TRIGGER all_rows AFTER UPDATE ON iuid_routes FOR EACH ROW EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_routes ENABLE ALWAYS TRIGGER all_rows;
SELECT iuid_node(7, 1);
ROLLBACK;

-- A trigger for changes of one column.
BEGIN;
CREATE OR REPLACE TRIGGER iuid_changed AFTER INSERT OR UPDATE OF node OR DELETE ON iuid_routes FOR EACH ROW EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_routes ENABLE ALWAYS TRIGGER iuid_changed;
SELECT iuid_node(7, 1);
ROLLBACK;

-- A trigger for each statement.
BEGIN;
CREATE OR REPLACE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON iuid_routes FOR EACH STATEMENT EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_routes ENABLE ALWAYS TRIGGER iuid_changed;
SELECT iuid_node(7, 1);
ROLLBACK;

-- A trigger before the change.
BEGIN;
CREATE OR REPLACE TRIGGER iuid_changed BEFORE INSERT OR UPDATE OR DELETE ON iuid_routes FOR EACH ROW EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_routes ENABLE ALWAYS TRIGGER iuid_changed;
SELECT iuid_node(7, 1);
ROLLBACK;

-- A trigger at the end of the transaction.
BEGIN;
DROP TRIGGER iuid_changed ON iuid_routes;
CREATE CONSTRAINT TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON iuid_routes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_routes ENABLE ALWAYS TRIGGER iuid_changed;
SELECT iuid_node(7, 1);
ROLLBACK;

-- A trigger with another name is as good.
BEGIN;
ALTER TRIGGER iuid_truncated ON iuid_routes RENAME TO emptied;
SELECT iuid_node(7, 1);
ROLLBACK;

-- So is a function with another name, and one that has taken its name is not.
BEGIN;
ALTER FUNCTION iuid_registry_changed() RENAME TO renamed;
TRUNCATE iuid_routes;
SELECT iuid_node(7, 1);
CREATE FUNCTION iuid_registry_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE OR REPLACE TRIGGER iuid_truncated AFTER TRUNCATE ON iuid_routes FOR EACH STATEMENT EXECUTE FUNCTION iuid_registry_changed();
ALTER TABLE iuid_routes ENABLE ALWAYS TRIGGER iuid_truncated;
SELECT iuid_node(7, 1);
ROLLBACK;
\set VERBOSITY default

-- All is as it was.
SELECT iuid_node(7, 1);
TRUNCATE iuid_routes, iuid_nodes;
