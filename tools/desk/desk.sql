-- What the desk needs at its node: the types of what it asks all nodes.
--   psql service=almaty -f desk.sql
BEGIN;
CREATE SCHEMA iuid_desk;
GRANT USAGE ON SCHEMA iuid_desk TO PUBLIC;
CREATE TYPE iuid_desk.minute AS (ago int, country int, ids bigint);
CREATE TYPE iuid_desk.move AS (country int, "from" text, "to" text, state text);
CREATE TYPE iuid_desk.state AS (node text, as_of text, size text, slots text, subscriptions text);
COMMIT;
