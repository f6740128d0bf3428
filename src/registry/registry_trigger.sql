--
-- Triggers that tell every session of a change in the registry
--

CREATE FUNCTION @extschema@.iuid_registry_changed()
RETURNS pg_catalog.trigger
AS 'MODULE_PATHNAME', 'iuid_registry_changed'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_registry_changed() IS
'internal: trigger of the registry tables: makes every session read them again; at another event or level: 39P01 (doc/registry.md)';
REVOKE ALL ON FUNCTION @extschema@.iuid_registry_changed() FROM PUBLIC;

-- Logical replication fires triggers for each row only, and only those enabled ALWAYS.

CREATE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.iuid_countries
	FOR EACH ROW EXECUTE FUNCTION @extschema@.iuid_registry_changed();
CREATE TRIGGER iuid_truncated AFTER TRUNCATE ON @extschema@.iuid_countries
	FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.iuid_registry_changed();
ALTER TABLE @extschema@.iuid_countries ENABLE ALWAYS TRIGGER iuid_changed;
ALTER TABLE @extschema@.iuid_countries ENABLE ALWAYS TRIGGER iuid_truncated;

CREATE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.iuid_entities
	FOR EACH ROW EXECUTE FUNCTION @extschema@.iuid_registry_changed();
CREATE TRIGGER iuid_truncated AFTER TRUNCATE ON @extschema@.iuid_entities
	FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.iuid_registry_changed();
ALTER TABLE @extschema@.iuid_entities ENABLE ALWAYS TRIGGER iuid_changed;
ALTER TABLE @extschema@.iuid_entities ENABLE ALWAYS TRIGGER iuid_truncated;

CREATE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.iuid_nodes
	FOR EACH ROW EXECUTE FUNCTION @extschema@.iuid_registry_changed();
CREATE TRIGGER iuid_truncated AFTER TRUNCATE ON @extschema@.iuid_nodes
	FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.iuid_registry_changed();
ALTER TABLE @extschema@.iuid_nodes ENABLE ALWAYS TRIGGER iuid_changed;
ALTER TABLE @extschema@.iuid_nodes ENABLE ALWAYS TRIGGER iuid_truncated;

CREATE TRIGGER iuid_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.iuid_routes
	FOR EACH ROW EXECUTE FUNCTION @extschema@.iuid_registry_changed();
CREATE TRIGGER iuid_truncated AFTER TRUNCATE ON @extschema@.iuid_routes
	FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.iuid_registry_changed();
ALTER TABLE @extschema@.iuid_routes ENABLE ALWAYS TRIGGER iuid_changed;
ALTER TABLE @extschema@.iuid_routes ENABLE ALWAYS TRIGGER iuid_truncated;
