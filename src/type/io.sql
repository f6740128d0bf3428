--
-- Type: text and binary, and casts from and to uuid
--

CREATE TYPE @extschema@.iuid;

CREATE FUNCTION @extschema@.iuid_in(pg_catalog.cstring)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_in(pg_catalog.cstring) IS
'internal: text to iuid, in the forms that core''s uuid takes; anything but a UUID of version 8 and variant 10, Nil or Max: 22P02 (RFC 9562, sections 4 and 5.8)';

CREATE FUNCTION @extschema@.iuid_out(@extschema@.iuid)
RETURNS pg_catalog.cstring
AS 'MODULE_PATHNAME', 'iuid_out'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_out(@extschema@.iuid) IS
'internal: iuid to its canonical lower-case text, 36 characters (RFC 9562, section 4)';

CREATE FUNCTION @extschema@.iuid_recv(pg_catalog.internal)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_recv'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_recv(pg_catalog.internal) IS
'internal: binary to iuid, 16 bytes; anything but a UUID of version 8 and variant 10, Nil or Max: 22P03 (RFC 9562, section 5.8)';

CREATE FUNCTION @extschema@.iuid_send(@extschema@.iuid)
RETURNS pg_catalog.bytea
AS 'MODULE_PATHNAME', 'iuid_send'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_send(@extschema@.iuid) IS
'internal: iuid to binary, 16 bytes, most significant first';

CREATE TYPE @extschema@.iuid (
	INPUT = @extschema@.iuid_in,
	OUTPUT = @extschema@.iuid_out,
	RECEIVE = @extschema@.iuid_recv,
	SEND = @extschema@.iuid_send,
	ANALYZE = @extschema@.iuid_typanalyze,
	INTERNALLENGTH = 16,
	ALIGNMENT = char,
	STORAGE = plain
);
COMMENT ON TYPE @extschema@.iuid IS
'identifier that carries its time (Unix milliseconds), country (0-255) and entity (0-255): a UUID of version 8 (RFC 9562, section 5.8; doc/format.md)';
COMMENT ON TYPE @extschema@.iuid[] IS
'array of iuid';

-- postgres_fdw sends a condition with an array, such as IN, only if the array type is
-- in the extension.  From PostgreSQL 17 on the server puts it there.
DO $do$
BEGIN
	IF pg_catalog.current_setting('server_version_num'::pg_catalog.text)::int OPERATOR(pg_catalog.<) 170000 THEN
		ALTER EXTENSION iuid ADD TYPE @extschema@.iuid[];
	END IF;
END
$do$;

CREATE FUNCTION @extschema@.iuid(pg_catalog.uuid)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_core_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid(pg_catalog.uuid) IS
'uuid to iuid, the same 16 bytes, of a UUID of version 8 and variant 10, Nil or Max only (RFC 9562, section 5.8)';

CREATE CAST (@extschema@.iuid AS pg_catalog.uuid) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (@extschema@.iuid AS pg_catalog.uuid) IS
'the same 16 bytes, at no cost; lets every function on uuid take an iuid';

CREATE CAST (pg_catalog.uuid AS @extschema@.iuid) WITH FUNCTION @extschema@.iuid(pg_catalog.uuid) AS ASSIGNMENT;
COMMENT ON CAST (pg_catalog.uuid AS @extschema@.iuid) IS
'the same 16 bytes, of a UUID of version 8 and variant 10, Nil or Max only';
