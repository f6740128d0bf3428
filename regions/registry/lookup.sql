--
-- Look-ups: what the registry has for an identifier
--

CREATE FUNCTION @extschema@.iuid_node(pg_catalog.uuid)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_node'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_node(pg_catalog.uuid) IS
'node that has the row of an identifier, by the routes; NULL without a route or where it has no node, and for layouts 2-15, Nil, Max and other UUIDs (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_node(country int, entity int)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_node_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_node(country int, entity int) IS
'node that has the rows of a country and entity, 0-255 each, by the routes; NULL without a route or where it has no node (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_is_local(pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_is_local'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_is_local(pg_catalog.uuid) IS
'whether the setting iuid.node is the node that has the row of an identifier; NULL if iuid.node is not set, or where iuid_node is NULL (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_inspect(id pg_catalog.uuid, OUT "time" pg_catalog.timestamptz, OUT country int, OUT code pg_catalog.text, OUT name pg_catalog.text,
	OUT service pg_catalog.text, OUT entity int, OUT key pg_catalog.text, OUT node pg_catalog.text, OUT region pg_catalog.text, OUT layout int)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT f."time", f.country, c.code, c.name, e.service, f.entity, e.key, r.node, n.region, f.layout
	FROM @extschema@.iuid_fields(id) AS f
	LEFT JOIN @extschema@.iuid_countries AS c ON c.country OPERATOR(pg_catalog.=) f.country
	LEFT JOIN @extschema@.iuid_entities AS e ON e.entity OPERATOR(pg_catalog.=) f.entity
	LEFT JOIN LATERAL (SELECT @extschema@.iuid_node(id)) AS r (node) ON true
	LEFT JOIN @extschema@.iuid_nodes AS n ON n.node OPERATOR(pg_catalog.=) r.node;
END;
COMMENT ON FUNCTION @extschema@.iuid_inspect(pg_catalog.uuid) IS
'what is known of an identifier: time, country with code and name, service, entity with key, node with region, and layout; NULL for what is not registered or what it does not have (doc/registry.md)';
