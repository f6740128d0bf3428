-- Planning a look-up by identifier: 249 countries, half of them elsewhere, with and without months
CREATE EXTENSION postgres_fdw;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw;
SET iuid.node = 'here';
INSERT INTO iuid_nodes VALUES ('here', 'region', NULL), ('elsewhere', 'region', 'elsewhere');
INSERT INTO iuid_countries SELECT n, 'C' || n, 'Country ' || n FROM generate_series(1, 249) AS n;
INSERT INTO iuid_routes SELECT n, NULL, CASE n % 2 WHEN 0 THEN 'here' ELSE 'elsewhere' END FROM generate_series(1, 249) AS n;

CREATE TABLE by_country (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE by_month (LIKE by_country INCLUDING ALL) PARTITION BY RANGE (id iuid_origin_ops);
SELECT iuid_create_routed_partitions('by_country', 1);
-- A call makes as many partitions as the lock table has room for.
SET client_min_messages = error;
DO $$
BEGIN
	WHILE (SELECT count(*) FROM pg_inherits WHERE inhparent = 'by_month'::regclass) < 124 LOOP
		PERFORM iuid_create_routed_partitions('by_month', 1, '1 month');
		COMMIT;
	END LOOP;
END $$;
RESET client_min_messages;
SELECT iuid_create_global_table('by_country_global', 'by_country', 1);
SELECT iuid_create_global_table('by_month_global', 'by_month', 1);

SELECT bench.compare(format('%s, an identifier of %s', work, place), '{by country,by country and month}',
	ARRAY(SELECT format('SELECT bench.plan($q$ SELECT note FROM %s%s WHERE id = %L $q$, 100)', way, suffix, gen_iuid(country, 1)) FROM unnest('{by_country,by_month}'::text[]) WITH ORDINALITY AS w(way, n) ORDER BY n),
	things => 100)
FROM (VALUES ('local table', '', 'this node', 8), ('global table', '_global', 'this node', 8), ('global table', '_global', 'another node', 9)) AS v(work, suffix, place, country);

TRUNCATE iuid_countries, iuid_nodes, iuid_routes;
