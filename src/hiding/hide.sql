--
-- A public face: identifiers that tell nothing without a key
--

CREATE FUNCTION @extschema@.iuid_hide(id @extschema@.iuid, key pg_catalog.bytea)
RETURNS pg_catalog.uuid
AS 'MODULE_PATHNAME', 'iuid_hide'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_hide(id @extschema@.iuid, key pg_catalog.bytea) IS
'hidden identifier: a uuid of version 4 that tells nothing of an identifier of layout 0 or 1 without the key of 32 bytes; the same identifier and key give the same uuid (doc/hiding.md)';

CREATE FUNCTION @extschema@.iuid_reveal(hidden pg_catalog.uuid, key pg_catalog.bytea)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_reveal'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_reveal(hidden pg_catalog.uuid, key pg_catalog.bytea) IS
'identifier that iuid_hide has hidden with this key of 32 bytes; NULL for other uuids, but for one of eight of version 4, which gives an identifier that no row has (doc/hiding.md)';
