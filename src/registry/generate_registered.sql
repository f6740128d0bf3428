--
-- Making new identifiers by registered code and key
--

CREATE FUNCTION @extschema@.gen_registered_iuid(country pg_catalog.text, entity pg_catalog.text)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'gen_registered_iuid'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.gen_registered_iuid(country pg_catalog.text, entity pg_catalog.text) IS
'new identifier of this moment, for the country with a registered code and the entity with a registered key; NULL: 22004; not registered: 22023; a clock outside 48 bits of milliseconds: 22008; errors of a registry that was changed (doc/registry.md)';

CREATE FUNCTION @extschema@.gen_registered_iuid(entity pg_catalog.text)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'gen_registered_iuid_here'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.gen_registered_iuid(entity pg_catalog.text) IS
'new identifier of this moment, for the country in iuid.country and the entity with a registered key; NULL: 22004; not registered, or iuid.country not set: 22023; a clock outside 48 bits of milliseconds: 22008; errors of a registry that was changed (doc/registry.md)';
