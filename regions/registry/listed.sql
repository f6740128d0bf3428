--
-- The nodes and countries of the registry, as DDL and checks read them
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
