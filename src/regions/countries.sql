--
-- The countries of an entity, the nodes that have them, and their partitions here
--

CREATE FUNCTION @extschema@.iuid_registered_nodes()
RETURNS TABLE (node pg_catalog.text, server pg_catalog.text, is_here boolean)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT n.node, n.server, n.node OPERATOR(pg_catalog.=) pg_catalog.current_setting('iuid.node'::pg_catalog.text, true)
	FROM @extschema@.iuid_nodes AS n ORDER BY n.node COLLATE pg_catalog."C";
END;
COMMENT ON FUNCTION @extschema@.iuid_registered_nodes() IS 'internal: the nodes with their servers, by name';

CREATE FUNCTION @extschema@.iuid_routed_countries(entity int)
RETURNS TABLE (country int, node pg_catalog.text, server pg_catalog.text, has_route boolean, is_here boolean)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT c.country, l.node, n.server, EXISTS (
			SELECT FROM @extschema@.iuid_routes AS r WHERE (r.country IS NULL OR r.country OPERATOR(pg_catalog.=) c.country)
				AND (r.entity IS NULL OR r.entity OPERATOR(pg_catalog.=) iuid_routed_countries.entity)),
		coalesce(l.node OPERATOR(pg_catalog.=) pg_catalog.current_setting('iuid.node'::pg_catalog.text, true), false)
	FROM (SELECT t.country FROM @extschema@.iuid_countries AS t UNION SELECT r.country FROM @extschema@.iuid_routes AS r WHERE r.country IS NOT NULL) AS c
	CROSS JOIN LATERAL (SELECT @extschema@.iuid_node(c.country, iuid_routed_countries.entity)) AS l (node)
	LEFT JOIN @extschema@.iuid_nodes AS n ON n.node OPERATOR(pg_catalog.=) l.node ORDER BY c.country;
END;
COMMENT ON FUNCTION @extschema@.iuid_routed_countries(int) IS 'internal: the countries that have a code, or a route of their own, with the node of an entity''s rows; a NULL node with a route: no node has them';

CREATE FUNCTION @extschema@.iuid_check_node()
RETURNS void LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	own text := coalesce(current_setting('iuid.node', true), '');
BEGIN
	IF own = '' THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'this database is no node yet',
			DETAIL = 'The configuration parameter "iuid.node" is not set.',
			HINT = 'Set it to the name of this node in iuid_nodes, with ALTER DATABASE ... SET iuid.node.';
	ELSIF NOT EXISTS (SELECT FROM @extschema@.iuid_registered_nodes() AS n WHERE n.is_here) THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('node "%s" is not registered', own),
			DETAIL = 'The configuration parameter "iuid.node" of this database has that value.',
			HINT = 'Insert it into iuid_nodes at the node that publishes the registry, or set the parameter to the name of this node there.';
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_check_node() IS 'internal: 22023 unless iuid.node is the name of a registered node';

CREATE FUNCTION @extschema@.iuid_require_server(node pg_catalog.text, server pg_catalog.text, detail pg_catalog.text)
RETURNS pg_catalog.text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF server IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('node "%s" has no server', node), DETAIL = detail,
			HINT = 'Make a postgres_fdw server for the node, and set the name of the server in iuid_nodes.';
	END IF;
	RETURN server;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_require_server(pg_catalog.text, pg_catalog.text, pg_catalog.text) IS 'internal: the server of a node; 22023 for NULL';

CREATE FUNCTION @extschema@.iuid_country_tables(parent pg_catalog.regclass)
RETURNS TABLE (country int, tbl pg_catalog.regclass, is_own boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT c.country, b.partition, coalesce(b.lower = c.lower::uuid AND b.upper = c.upper::uuid, false)
	FROM (SELECT n, @extschema@.iuid_country_floor(n, 0), @extschema@.iuid_country_floor(n + 1, 0) FROM generate_series(0, 255) AS g (n)) AS c (country, lower, upper)
	JOIN @extschema@.iuid_partition_bounds(parent) AS b ON NOT b.is_default
		AND (b.lower IS NULL OR b.lower OPERATOR(@extschema@.~<=~) c.lower) AND (b.upper IS NULL OR b.upper OPERATOR(@extschema@.~>=~) c.upper)
$$;
COMMENT ON FUNCTION @extschema@.iuid_country_tables(pg_catalog.regclass) IS 'internal: the partitions of a table in order by origin that have the keys of a country, and whether no others';

CREATE FUNCTION @extschema@.iuid_is_empty(tbl pg_catalog.regclass)
RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT NOT EXISTS (SELECT FROM @extschema@.iuid_tables_below(ARRAY[tbl::oid]) AS t (tbl) JOIN pg_class AS c ON c.oid = t.tbl
		WHERE c.relkind <> 'p' AND (c.relkind <> 'r' OR pg_relation_size(c.oid) > 0))
$$;
COMMENT ON FUNCTION @extschema@.iuid_is_empty(pg_catalog.regclass) IS 'internal: whether the files of a table and of all partitions below it are empty';
