-- A country whose route changes: the foreign tables of the other nodes follow.
\set SHOW_CONTEXT never
CREATE EXTENSION postgres_fdw;
CREATE SERVER middle FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'iuid');
CREATE SERVER "The south" FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'iuid');
INSERT INTO iuid_nodes VALUES ('north', NULL, NULL), ('middle', NULL, 'middle'), ('south', NULL, 'The south');
INSERT INTO iuid_routes VALUES (7, NULL, 'north'), (8, NULL, 'middle'), (9, NULL, 'south');
SET iuid.node = 'north';
CREATE TABLE trips (id iuid PRIMARY KEY, n int DEFAULT 7) PARTITION BY RANGE (id iuid_origin_ops);
SELECT iuid_create_routed_partitions('trips', 1);
SELECT iuid_create_global_table('trips_global', 'trips', 1);
CREATE VIEW home AS
SELECT ftrelid::regclass AS country, srvname AS server
FROM pg_foreign_table JOIN pg_foreign_server ON pg_foreign_server.oid = ftserver ORDER BY 1;

-- from another node to a third one
UPDATE iuid_routes SET node = 'south' WHERE country = 8;
CREATE VIEW report AS SELECT n FROM trips_global_c8;
SELECT iuid_create_global_table('trips_global', 'trips', 1);
DROP VIEW report;
SELECT iuid_create_global_table('trips_global', 'trips', 1);
SELECT iuid_create_global_table('trips_global', 'trips', 1);
SELECT * FROM home;
-- to this node
UPDATE iuid_routes SET node = 'north' WHERE country = 9;
SELECT iuid_create_global_table('trips_global', 'trips', 1);
SELECT iuid_create_routed_partitions('trips', 1);
SELECT * FROM home;
INSERT INTO trips_global VALUES (gen_iuid(9, 1)) RETURNING tableoid::regclass, n;
-- from this node, with its row
UPDATE iuid_routes SET node = 'middle' WHERE country = 9;
SELECT iuid_create_routed_partitions('trips', 1);
SELECT to_regclass('trips_c9_e1') AS view_stays;
SELECT iuid_create_global_table('trips_global', 'trips', 1);
\echo :LAST_ERROR_SQLSTATE
-- and without
TRUNCATE trips;
SELECT iuid_create_routed_partitions('trips', 1);
SELECT iuid_create_global_table('trips_global', 'trips', 1);
SELECT * FROM home;

-- what needs a partition, or its view, keeps both
UPDATE iuid_routes SET node = 'north' WHERE country = 9;
SELECT iuid_create_routed_partitions('trips', 1);
CREATE VIEW report AS SELECT n, id FROM trips_c9;
UPDATE iuid_routes SET node = 'middle' WHERE country = 9;
SELECT iuid_create_routed_partitions('trips', 1);
SELECT to_regclass('trips_c9_e1'), to_regclass('trips_c9');
DROP VIEW report;
CREATE VIEW report AS SELECT n, id FROM trips_c9_e1;
SELECT iuid_create_routed_partitions('trips', 1);
DROP VIEW report;
SELECT iuid_create_routed_partitions('trips', 1);
SELECT to_regclass('trips_c9_e1'), to_regclass('trips_c9');
-- the only other node with a server is gone, and a country that no node has stays on it
UPDATE iuid_routes SET node = NULL WHERE country = 8;
SELECT iuid_create_global_table('trips_global', 'trips', 1);
SELECT * FROM home;
UPDATE iuid_nodes SET server = NULL;
UPDATE iuid_routes SET node = 'north' WHERE country = 9;
SELECT iuid_create_routed_partitions('trips', 1);
SELECT iuid_create_global_table('trips_global', 'trips', 1);
SELECT * FROM home;
UPDATE iuid_nodes SET server = CASE node WHEN 'middle' THEN 'middle' WHEN 'south' THEN 'The south' END;
UPDATE iuid_routes SET node = 'south' WHERE country = 8;

-- a country without a route, and a node without a country, are told
INSERT INTO iuid_countries SELECT n, 'X' || n, 'Nowhere' FROM unnest('{0,30,31,33,34,35,255}'::int[]) AS n;
SELECT iuid_create_routed_partitions('trips', 1);
DELETE FROM iuid_countries;
UPDATE iuid_routes SET node = 'south';
SELECT iuid_create_routed_partitions('trips', 1);

DROP VIEW home;
SELECT iuid_drop_global('trips_global');
DROP TABLE trips CASCADE;
DROP EXTENSION postgres_fdw CASCADE;
TRUNCATE iuid_routes, iuid_nodes;
RESET iuid.node;
