--
-- The countries of an entity, the nodes that have them, and their partitions here
--

CREATE FUNCTION @extschema@.iuid_registered_nodes(only_others boolean)
RETURNS TABLE (node pg_catalog.text, server pg_catalog.text, is_here boolean)
AS 'MODULE_PATHNAME', 'iuid_list_nodes' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_registered_nodes(boolean) IS 'internal: the nodes with their servers, by name, and which is this one; or only the others, and 22023 unless this is a node';

CREATE FUNCTION @extschema@.iuid_listed_countries(entity int)
RETURNS TABLE (country int, node pg_catalog.text, has_route boolean)
AS 'MODULE_PATHNAME', 'iuid_list_countries' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_listed_countries(int) IS 'internal: the countries that have a code, or a route of their own, with the node of an entity''s rows; a NULL node with a route: no node has them; 22023';

CREATE FUNCTION @extschema@.iuid_routed_countries(entity int)
RETURNS TABLE (country int, node pg_catalog.text, server pg_catalog.text, has_route boolean, is_here boolean)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT c.country, c.node, n.server, c.has_route, coalesce(c.node OPERATOR(pg_catalog.=) s.own, false)
	FROM pg_catalog.current_setting('iuid.node'::pg_catalog.text, true) AS s (own) CROSS JOIN @extschema@.iuid_listed_countries(entity) AS c
	LEFT JOIN @extschema@.iuid_registered_nodes(false) AS n ON n.node OPERATOR(pg_catalog.=) c.node ORDER BY c.country;
END;
COMMENT ON FUNCTION @extschema@.iuid_routed_countries(int) IS 'internal: the same, with the server of the node, and whether it is this one';

CREATE FUNCTION @extschema@.iuid_check_node()
RETURNS void LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT FROM @extschema@.iuid_registered_nodes(true);
END;
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
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT c.country, b.partition, coalesce(b.lower OPERATOR(pg_catalog.=) c.lower::pg_catalog.uuid AND b.upper OPERATOR(pg_catalog.=) c.upper::pg_catalog.uuid, false)
	FROM (SELECT g.n, @extschema@.iuid_country_floor(g.n, 0), @extschema@.iuid_country_floor(g.n OPERATOR(pg_catalog.+) 1, 0)
		FROM pg_catalog.generate_series(0, 255) AS g (n)) AS c (country, lower, upper)
	JOIN @extschema@.iuid_partition_bounds(parent) AS b ON NOT b.is_default
		AND (b.lower IS NULL OR b.lower OPERATOR(@extschema@.~<=~) c.lower) AND (b.upper IS NULL OR b.upper OPERATOR(@extschema@.~>=~) c.upper);
END;
COMMENT ON FUNCTION @extschema@.iuid_country_tables(pg_catalog.regclass) IS 'internal: the partitions of a table in order by origin that have the keys of a country, and whether no others';

CREATE FUNCTION @extschema@.iuid_is_empty(tbl pg_catalog.regclass)
RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT NOT EXISTS (SELECT FROM @extschema@.iuid_tables_below(ARRAY[tbl::oid]) AS t (tbl) JOIN pg_class AS c ON c.oid = t.tbl
		WHERE c.relkind <> 'p' AND (c.relkind <> 'r' OR pg_relation_size(c.oid) > 0))
$$;
COMMENT ON FUNCTION @extschema@.iuid_is_empty(pg_catalog.regclass) IS 'internal: whether the files of a table and of all partitions below it are empty';
