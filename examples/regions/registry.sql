-- The registry: filled in at one node, here mexico.  Logical replication keeps it
-- the same at the other nodes.
-- Run it once, at mexico, after mesh.sql, as a superuser:
--   psql -d shop -f registry.sql

SET search_path = pg_catalog, public, pg_temp;
-- The countries of this example, with their numbers of ISO 3166-1 (doc/registry.md): Kazakhstan is
-- 125.  iuid_register_iso_countries() registers all countries.  An organisation that has numbers of
-- its own registers those.
INSERT INTO iuid_countries
SELECT country, code, name FROM iuid_iso_countries()
WHERE code IN ('KZ', 'KG', 'UZ', 'MX', 'CL', 'CO', 'PE', 'ID', 'MY', 'VN');
INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order'), (2, 'Wallet', 'Account');
-- The name of each node, its region, and the name of its foreign server at the others.
INSERT INTO iuid_nodes VALUES
	('almaty', 'Central Asia', 'almaty'), ('mexico', 'Latin America', 'mexico'), ('jakarta', 'South-East Asia', 'jakarta');
-- A route of a country without an entity is for all entities of that country.
INSERT INTO iuid_routes
SELECT country, NULL, CASE WHEN code IN ('KZ', 'UZ', 'KG') THEN 'almaty' WHEN code IN ('ID', 'MY', 'VN') THEN 'jakarta' ELSE 'mexico' END
FROM iuid_countries;

-- Only a superuser can publish the tables.
CREATE PUBLICATION registry FOR TABLE iuid_countries, iuid_entities, iuid_nodes, iuid_routes;

-- Here shop can move a country.
GRANT UPDATE ON iuid_routes TO shop;
