-- A registry of so many countries and nodes: country n is routed to node n modulo the nodes, plus 1.
-- Tables by an earlier one are dropped.
SELECT format('DROP %s IF EXISTS %I CASCADE', CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END, relname)
FROM pg_class WHERE relowner = 'shop'::regrole AND relkind IN ('p', 'v', 'f') AND NOT relispartition
\gexec
TRUNCATE iuid_countries, iuid_entities, iuid_nodes, iuid_routes;
INSERT INTO iuid_countries SELECT n, 'C' || n, 'Country ' || n FROM generate_series(0, :countries - 1) AS n;
INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order');
INSERT INTO iuid_nodes SELECT 'n' || n, 'region ' || n, 'n' || n FROM generate_series(1, :nodes) AS n;
INSERT INTO iuid_routes SELECT n, NULL, 'n' || n % :nodes + 1 FROM generate_series(0, :countries - 1) AS n;
