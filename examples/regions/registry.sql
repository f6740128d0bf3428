-- The registry: filled in at one node, which publishes it.  Logical replication keeps it the same at
-- the other nodes.
-- Run it once, after mesh.sql, at the publisher of nodes.sql, as a superuser:
--   psql -d shop -f nodes.sql -f registry.sql

SET search_path = pg_catalog, public, pg_temp;
-- The countries of the list, with the numbers of doc/iso-3166-1.csv: Kazakhstan is 125.
-- iuid_register_iso_countries() registers all countries.  An organisation that has numbers of its own
-- registers those.
INSERT INTO iuid_countries
SELECT country, code, name FROM iuid_iso_countries() WHERE code IN (SELECT unnest(countries) FROM pg_temp.nodes);
INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order'), (2, 'Wallet', 'Account');
-- The name of each node, its region, and the name of its foreign server at the others.
INSERT INTO iuid_nodes SELECT node, region, node FROM pg_temp.nodes;
-- A route of a country without an entity is for all entities of that country.
INSERT INTO iuid_routes SELECT country, NULL, node FROM pg_temp.nodes JOIN iuid_countries ON code = ANY (countries);

-- Only a superuser can publish the tables.
CREATE PUBLICATION registry FOR TABLE iuid_countries, iuid_entities, iuid_nodes, iuid_routes;

-- Here shop can move a country.
GRANT UPDATE ON iuid_routes TO shop;
