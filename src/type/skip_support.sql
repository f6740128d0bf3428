--
-- Skip support in byte order, which servers take from PostgreSQL 18 on
--
-- After pg_upgrade from an older server, a superuser adds it to the family (doc/packages.md).
--

CREATE FUNCTION @extschema@.iuid_skipsupport(pg_catalog.internal)
RETURNS pg_catalog.void
AS 'MODULE_PATHNAME', 'iuid_skipsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_skipsupport(pg_catalog.internal) IS
'internal: skip support in byte order, from Nil to Max; before PostgreSQL 18: 0A000';

DO $do$
BEGIN
	IF pg_catalog.current_setting('server_version_num'::pg_catalog.text)::pg_catalog.int4 OPERATOR(pg_catalog.>=) 180000 THEN
		ALTER OPERATOR FAMILY @extschema@.iuid_ops USING btree ADD
			FUNCTION 6 (@extschema@.iuid, @extschema@.iuid) @extschema@.iuid_skipsupport(pg_catalog.internal);
	END IF;
END
$do$;
