-- The registry: filled in at one node, here mexico.  Logical replication keeps it
-- the same at the other nodes.
-- Run it once, after mesh.sql, as a superuser, with the variables of mesh.sql:
--   psql -v almaty=HOST -v mexico=HOST -v jakarta=HOST -f registry.sql
\connect shop - :mexico 5432
-- The numbers are the organisation's own, given out once and never changed.
INSERT INTO iuid_countries VALUES
	(7, 'KZ', 'Kazakhstan'), (8, 'MX', 'Mexico'), (9, 'ID', 'Indonesia'), (10, 'UZ', 'Uzbekistan'), (11, 'CO', 'Colombia'),
	(12, 'PE', 'Peru'), (13, 'MY', 'Malaysia'), (14, 'KG', 'Kyrgyzstan'), (15, 'VN', 'Vietnam'), (16, 'CL', 'Chile');
INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order'), (2, 'Wallet', 'Account');
-- The name of each node, its region, and the name of its foreign server at the others.
INSERT INTO iuid_nodes VALUES
	('almaty', 'Central Asia', 'almaty'), ('mexico', 'Latin America', 'mexico'), ('jakarta', 'South-East Asia', 'jakarta');
-- A route of a country without an entity is for all entities of that country.
INSERT INTO iuid_routes
SELECT country, NULL, CASE WHEN code IN ('KZ', 'UZ', 'KG') THEN 'almaty' WHEN code IN ('ID', 'MY', 'VN') THEN 'jakarta' ELSE 'mexico' END
FROM iuid_countries;

-- Only a superuser can publish the tables.
CREATE ROLE registry LOGIN REPLICATION;
CREATE PUBLICATION registry FOR TABLE iuid_countries, iuid_entities, iuid_nodes, iuid_routes;
\set publisher 'host=' :mexico ' port=5432 dbname=shop user=registry'

-- Each subscription has a name of its own, which is also the name of its slot at mexico.
\connect shop - :almaty 5432
CREATE SUBSCRIPTION registry_almaty CONNECTION :'publisher' PUBLICATION registry;
\connect shop - :jakarta 5432
CREATE SUBSCRIPTION registry_jakarta CONNECTION :'publisher' PUBLICATION registry;
