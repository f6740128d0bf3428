--
-- Dropping global tables and views
--

CREATE FUNCTION @extschema@.iuid_plan_drop_global(global pg_catalog.regclass)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	local regclass;
	gone oid[] := ARRAY[global::oid] || ARRAY(SELECT f::oid FROM @extschema@.iuid_foreign_tables(global) AS f);
BEGIN
	IF (SELECT c.relkind = 'v' FROM pg_class AS c WHERE c.oid = global) THEN
		IF NOT @extschema@.iuid_is_global_view(global) THEN
			RAISE EXCEPTION USING ERRCODE = 'wrong_object_type', MESSAGE = format('%s is not a global view', global),
				DETAIL = 'Its first column or its foreign tables are not those that iuid_create_global_view() makes.', HINT = 'Use DROP VIEW.';
		END IF;
		RETURN jsonb_build_object('gone', to_jsonb(gone), 'locks', jsonb_build_object(global::oid, 8));
	END IF;
	PERFORM @extschema@.iuid_partition_key(global, true, true, false);
	-- DROP must not take rows of this node along.
	local := (SELECT nullif(p.partdefid, 0) FROM pg_partitioned_table AS p WHERE p.partrelid = global);
	IF local IS NULL OR EXISTS (SELECT FROM @extschema@.iuid_partition_bounds(global) AS b JOIN pg_class AS c ON c.oid = b.partition WHERE NOT b.is_default AND c.relkind <> 'f') THEN
		RAISE EXCEPTION USING ERRCODE = 'wrong_object_type', MESSAGE = format('%s is not a global table', global),
			DETAIL = 'A global table has the local table as its DEFAULT partition, and all others are foreign tables.',
			HINT = 'Detach the partitions that are to stay, and use DROP TABLE.';
	END IF;
	RETURN jsonb_build_object('gone', to_jsonb(gone), 'local', local::oid, 'locks',
		@extschema@.iuid_locks_to_remove(global, (SELECT coalesce(jsonb_agg(jsonb_build_object('tbl', b.partition::oid)), '[]') FROM @extschema@.iuid_partition_bounds(global) AS b WHERE NOT b.is_default), true));
END $$;
COMMENT ON FUNCTION @extschema@.iuid_plan_drop_global(pg_catalog.regclass) IS 'internal: what goes with a global table or view, which table stays, and the locks for that; 42501, 42809, 42P01';

CREATE FUNCTION @extschema@.iuid_drop_planned_global(global pg_catalog.regclass, plan pg_catalog.jsonb)
RETURNS pg_catalog.regclass[] LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	name text := global;
	local regclass := (plan ->> 'local')::oid;
	gone oid[] := ARRAY(SELECT t::oid FROM jsonb_array_elements_text(plan -> 'gone') AS t);
BEGIN
	IF local IS NOT NULL THEN
		PERFORM @extschema@.iuid_run_as_owner(global, format('ALTER TABLE %s DETACH PARTITION %s', global, local));
		PERFORM @extschema@.iuid_run_as_owner(global, format('DROP TABLE %s', global));
	ELSE
		-- The view lets its foreign tables go first, as they go by the rights of its owner.
		PERFORM @extschema@.iuid_run_as_owner(global, format('CREATE OR REPLACE VIEW %s AS SELECT %s', global, @extschema@.iuid_column_definitions(global, 'NULL::%2$s%3$s AS %1$I'::text)));
		PERFORM @extschema@.iuid_run_as_owner(global, format('DROP FOREIGN TABLE %s', t.tbl::regclass)) FROM unnest(gone) AS t (tbl) WHERE t.tbl <> global;
		PERFORM @extschema@.iuid_run_as_owner(global, format('DROP VIEW %s', global));
	END IF;
	-- as at the end of iuid_change_regions()
	IF EXISTS (SELECT FROM pg_class AS c WHERE c.oid = ANY (gone)) OR EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhrelid = local) THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('%s was changed or renamed meanwhile', name), HINT = 'Try again.';
	END IF;
	RETURN '{}';
END $$;
COMMENT ON FUNCTION @extschema@.iuid_drop_planned_global(pg_catalog.regclass, pg_catalog.jsonb) IS 'internal: drops a planned global table or view with its foreign tables, and detaches the local table';

CREATE FUNCTION @extschema@.iuid_drop_global(global pg_catalog.regclass, lock_wait interval DEFAULT '10 s')
RETURNS void LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT @extschema@.iuid_check_call('iuid_drop_global'::pg_catalog.text, global IS NULL, 'the global table or global view'::pg_catalog.text, NULL::interval, NULL::pg_catalog.timestamptz, lock_wait);
	SELECT @extschema@.iuid_change_regions('drop'::pg_catalog.text, global, NULL::pg_catalog.text, NULL::int, NULL::interval, false, lock_wait);
END;
COMMENT ON FUNCTION @extschema@.iuid_drop_global(pg_catalog.regclass, interval) IS
'drops a global table or a global view with its foreign tables; the local table is detached, and stays with its rows (doc/regions.md)';
