--
-- What each function that changes partitions checks first
--
-- Who owns the schema of the extension can rename it, and make another one of its name,
-- with functions of their own.  All functions of the extension stand in one schema, and
-- only a superuser can replace them.  So where a superuser owns one, all are ours.
--

CREATE FUNCTION @extschema@.iuid_check_call(caller pg_catalog.text, has_null boolean, needed pg_catalog.text, time_checks boolean, lock_wait interval)
RETURNS void LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp SET "IntervalStyle" = 'postgres' AS $$
BEGIN
	IF has_null OR time_checks IS NULL OR lock_wait IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed',
			MESSAGE = format('arguments of %s must not be null', caller), HINT = format('Give %s.', needed);
	ELSIF lock_wait < '0' THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('lock_wait "%s" is negative', lock_wait), HINT = 'Give an interval of 0 or more.';
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_check_call(pg_catalog.text, boolean, pg_catalog.text, boolean, interval) IS 'internal: 22004 or 22023 for arguments that all functions have that change partitions';

CREATE FUNCTION @extschema@.iuid_owned_key(parent pg_catalog.regclass, is_by_origin boolean, time_checks boolean, OUT name pg_catalog.text, OUT is_uuid boolean)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	by_origin boolean;
BEGIN
	-- This waits for who changes the table, so its owner is looked up afterwards, by another snapshot.
	SELECT k.name, k.is_uuid, k.by_origin INTO name, is_uuid, by_origin FROM @extschema@.iuid_partition_key(parent) AS k;
	IF EXISTS (SELECT FROM pg_class AS c WHERE c.oid = parent AND NOT pg_has_role(c.relowner,
		CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END)) THEN
		RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
			MESSAGE = format('must be owner of table %s', (SELECT c.relname FROM pg_class AS c WHERE c.oid = parent));
	ELSIF current_setting('transaction_read_only')::boolean THEN
		RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction',
			MESSAGE = 'cannot execute ALTER TABLE in a read-only transaction';
	END IF;
	IF is_by_origin AND (is_uuid OR NOT by_origin) THEN
		RAISE EXCEPTION USING ERRCODE = 'wrong_object_type', MESSAGE = format('table %s is not partitioned in order by origin', parent),
			HINT = 'Create it with PARTITION BY RANGE (id iuid_origin_ops).';
	ELSIF by_origin AND NOT is_by_origin THEN
		RAISE EXCEPTION USING ERRCODE = 'wrong_object_type',
			MESSAGE = format('table %s is partitioned in another order than that of time', parent),
			DETAIL = format('Its partition key is %s.', pg_get_partkeydef(parent)),
			HINT = 'Time partitions can stand below each of its partitions.';
	ELSIF time_checks AND is_uuid THEN
		RAISE EXCEPTION USING ERRCODE = 'wrong_object_type',
			MESSAGE = format('partitions of %s cannot have time checks', parent),
			DETAIL = 'Its key is of type uuid, and takes UUIDs that are no iuids and have no time.',
			HINT = 'Give false for time_checks.';
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_owned_key(pg_catalog.regclass, boolean, boolean) IS 'internal: the key of a table that is partitioned in this order; 42501 unless the caller has the rights of its owner, 25006, 42809, 42P01';
