-- A fourth node, and a second entity; at the node that publishes the registry.
INSERT INTO iuid_nodes VALUES ('lagos', 'West Africa', 'lagos');
INSERT INTO iuid_countries SELECT country, code, name FROM iuid_iso_countries() WHERE code = 'NG';
INSERT INTO iuid_routes VALUES (164, NULL, 'lagos');
INSERT INTO iuid_entities VALUES (3, 'Ayan', 'Trip');
