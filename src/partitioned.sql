--
-- The key of a table that is partitioned by identifiers
--

CREATE FUNCTION @extschema@.iuid_partition_key(parent pg_catalog.regclass, in_origin_order boolean, as_owner boolean, keep_lock boolean,
	OUT name pg_catalog.text, OUT is_uuid boolean, OUT by_origin boolean, OUT takes_any_bound boolean, OUT is_valid boolean)
AS 'MODULE_PATHNAME', 'iuid_partition_key'
LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.iuid_partition_key(pg_catalog.regclass, boolean, boolean, boolean) IS 'internal: key of a table partitioned by identifiers, by origin (true), time (false) or either (NULL), for callers that may read it, or change it (then locked SHARE UPDATE EXCLUSIVE)';

CREATE FUNCTION @extschema@.iuid_require_valid(parent pg_catalog.regclass)
RETURNS void LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	k record;
	name text;
BEGIN
	SELECT * INTO k FROM @extschema@.iuid_partition_key(parent, true, true, false);
	IF NOT k.is_valid THEN
		name := @extschema@.iuid_shortened_name(k.name, '_is_iuid'::text);
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('table %s takes UUIDs that are no iuids', parent),
			DETAIL = format('Column %I can hold other UUIDs. They have no country, and would be in the partition of some country.', k.name),
			HINT = CASE WHEN NOT EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = parent AND c.conname = name)
				THEN format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%s.iuid_is_valid(%I::pg_catalog.uuid)) NOT VALID; ', parent, name, '@extschema@', k.name) ELSE '' END
				|| format('ALTER TABLE %s VALIDATE CONSTRAINT %I;', parent, name);
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_require_valid(pg_catalog.regclass) IS 'internal: 55000 unless each key of a table in order by origin is an iuid, by its type, or by a CHECK with iuid_is_valid';
