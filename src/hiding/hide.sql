--
-- A public face: identifiers that tell nothing without a key
--

CREATE FUNCTION @extschema@.iuid_hide(id @extschema@.iuid, key pg_catalog.bytea)
RETURNS pg_catalog.uuid
AS 'MODULE_PATHNAME', 'iuid_hide'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_hide(id @extschema@.iuid, key pg_catalog.bytea) IS
'hidden identifier: a uuid of version 4 that tells nothing of the identifier without the key of 32 bytes; equal identifiers give equal ones; iuid_reveal takes it back; another length of the key, Nil, Max and layouts 2-15: 22023 (doc/hiding.md)';

CREATE FUNCTION @extschema@.iuid_reveal(hidden pg_catalog.uuid, key pg_catalog.bytea)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_reveal'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_reveal(hidden pg_catalog.uuid, key pg_catalog.bytea) IS
'identifier that iuid_hide has hidden with the same key of 32 bytes; NULL for a uuid of another version and for most that iuid_hide never gave; the others give an identifier that no row has; no uuid is an error; another length of the key: 22023 (doc/hiding.md)';
