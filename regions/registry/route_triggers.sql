--
-- Triggers that keep the node of each route registered
--
-- A foreign key would do that, too.  But pg_restore -j fills the tables of an extension in any
-- order, and a foreign key would refuse the routes that come before their nodes.

CREATE FUNCTION @extschema@.iuid_require_node()
RETURNS pg_catalog.trigger
AS 'MODULE_PATHNAME', 'iuid_require_node'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_require_node() IS
'internal: trigger of iuid_routes: a route must lead to a node in iuid_nodes, unless check_function_bodies is off, as it is while a dump is restored (doc/registry.md)';
REVOKE ALL ON FUNCTION @extschema@.iuid_require_node() FROM PUBLIC;

CREATE FUNCTION @extschema@.iuid_keep_node()
RETURNS pg_catalog.trigger
AS 'MODULE_PATHNAME', 'iuid_keep_node'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_keep_node() IS
'internal: trigger of iuid_nodes: a node that has routes is not deleted, truncated or renamed (doc/registry.md)';
REVOKE ALL ON FUNCTION @extschema@.iuid_keep_node() FROM PUBLIC;

CREATE TRIGGER iuid_require_node AFTER INSERT OR UPDATE ON @extschema@.iuid_routes
	FOR EACH ROW EXECUTE FUNCTION @extschema@.iuid_require_node();
CREATE TRIGGER iuid_keep_node AFTER UPDATE OR DELETE ON @extschema@.iuid_nodes
	FOR EACH ROW EXECUTE FUNCTION @extschema@.iuid_keep_node();
CREATE TRIGGER iuid_keep_nodes AFTER TRUNCATE ON @extschema@.iuid_nodes
	FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.iuid_keep_node();
