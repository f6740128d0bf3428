-- The node of an identifier of 50 countries, by iuid_node and by an SQL function over the tables
INSERT INTO iuid_nodes SELECT 'node ' || n, 'region' FROM generate_series(1, 3) AS n;
INSERT INTO iuid_routes SELECT n, NULL, 'node ' || n % 3 + 1 FROM generate_series(0, 49) AS n;
CREATE FUNCTION node_by_sql(id iuid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT node FROM iuid_routes
	WHERE (country = iuid_country(id) OR country IS NULL) AND (entity = iuid_entity(id) OR entity IS NULL)
	ORDER BY country IS NULL, entity IS NULL LIMIT 1
$$;
CREATE TABLE ids AS SELECT gen_iuid(n % 50, 1) AS id FROM generate_series(1, :million / 5) AS n;
SELECT bench.compare(format('%s identifiers', bench.shown(:million / 5)), '{an SQL function over the tables,iuid_node}',
	ARRAY['SELECT count(node_by_sql(id)) FROM ids', 'SELECT count(iuid_node(id)) FROM ids'],
	baseline => 'SELECT count(id) FROM ids', things => :million / 5);
