--
-- Skip support in byte order, which servers take from PostgreSQL 18 on
--
-- This part is a script of its own: the update from the version of older servers to the
-- version of these.  Version 1.0 had skip support already where the server takes it.

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION iuid UPDATE" to load this file. \quit

DO $do$
BEGIN
	IF pg_catalog.to_regprocedure('@extschema@.iuid_skipsupport(pg_catalog.internal)'::pg_catalog.text) IS NULL THEN
		CREATE FUNCTION @extschema@.iuid_skipsupport(pg_catalog.internal)
		RETURNS pg_catalog.void
		AS 'MODULE_PATHNAME', 'iuid_skipsupport'
		LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
		COMMENT ON FUNCTION @extschema@.iuid_skipsupport(pg_catalog.internal) IS
		'internal: skip support in byte order, from Nil to Max';

		ALTER OPERATOR FAMILY @extschema@.iuid_ops USING btree ADD
			FUNCTION 6 (@extschema@.iuid, @extschema@.iuid) @extschema@.iuid_skipsupport(pg_catalog.internal);
	END IF;
END
$do$;
