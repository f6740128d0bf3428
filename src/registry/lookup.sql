--
-- Look-ups: what the registry has for an identifier
--

CREATE FUNCTION @extschema@.iuid_node(@extschema@.iuid)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_node'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_node(@extschema@.iuid) IS
'node that has an identifier''s row, by the routes; NULL without a route, for Nil, Max and the reserved layouts 2-15; errors of a registry that was changed (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_node(country int, entity int)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_node_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_node(country int, entity int) IS
'node that has the rows of a country and entity, 0-255 each, by the routes; NULL without a route; outside 0-255: 22023; errors of a registry that was changed (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_is_local(@extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_is_local'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_is_local(@extschema@.iuid) IS
'whether the setting iuid.node is the node that has an identifier''s row; NULL if iuid.node is not set, without a route, for Nil, Max and the reserved layouts 2-15; errors of a registry that was changed (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_country_code(@extschema@.iuid)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_country_code'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_code(@extschema@.iuid) IS
'registered code of an identifier''s country; NULL if the country is not registered, for Nil, Max and the reserved layouts 2-15; errors of a registry that was changed (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_entity_key(@extschema@.iuid)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_entity_key'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_entity_key(@extschema@.iuid) IS
'registered key of an identifier''s entity; NULL if the entity is not registered, for Nil, Max and the reserved layouts 2-15; errors of a registry that was changed (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_inspect(@extschema@.iuid, OUT "time" pg_catalog.timestamptz, OUT country int, OUT code pg_catalog.text, OUT name pg_catalog.text,
	OUT service pg_catalog.text, OUT entity int, OUT key pg_catalog.text, OUT node pg_catalog.text, OUT region pg_catalog.text, OUT layout int)
AS 'MODULE_PATHNAME', 'iuid_inspect'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_inspect(@extschema@.iuid) IS
'all that is known of an identifier: its time, country with code and name, service, entity with key, node with region, and layout; NULL for what is not registered or what the identifier does not have; errors of a registry that was changed (doc/registry.md)';
