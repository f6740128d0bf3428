-- The registry: filled in at one node, here mexico, and the same at the others
-- by logical replication.  Once, after mesh.sql, with the variables of mesh.sql.
\connect shop - :mexico 5432
-- The organisation's own numbers, given out once and never changed.
INSERT INTO iuid_countries VALUES
	(7, 'KZ', 'Kazakhstan'), (8, 'MX', 'Mexico'), (9, 'ID', 'Indonesia'), (10, 'UZ', 'Uzbekistan'), (11, 'CO', 'Colombia'),
	(12, 'PE', 'Peru'), (13, 'MY', 'Malaysia'), (14, 'KG', 'Kyrgyzstan'), (15, 'VN', 'Vietnam'), (16, 'CL', 'Chile');
INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order'), (2, 'Wallet', 'Account');
-- What each node is called, and what the others call its server.
INSERT INTO iuid_nodes VALUES
	('almaty', 'Central Asia', 'almaty'), ('mexico', 'Latin America', 'mexico'), ('jakarta', 'South-East Asia', 'jakarta');
-- All entities of a country are at one node.
INSERT INTO iuid_routes
SELECT country, NULL, CASE WHEN code IN ('KZ', 'UZ', 'KG') THEN 'almaty' WHEN code IN ('ID', 'MY', 'VN') THEN 'jakarta' ELSE 'mexico' END
FROM iuid_countries;

CREATE ROLE registry LOGIN REPLICATION;
CREATE PUBLICATION registry FOR TABLE iuid_countries, iuid_entities, iuid_nodes, iuid_routes;
\set publisher 'host=' :mexico ' port=5432 dbname=shop user=registry'

-- The name of a subscription is that of its slot at the publisher: one for each node.
\connect shop - :almaty 5432
CREATE SUBSCRIPTION registry_almaty CONNECTION :'publisher' PUBLICATION registry;
\connect shop - :jakarta 5432
CREATE SUBSCRIPTION registry_jakarta CONNECTION :'publisher' PUBLICATION registry;
