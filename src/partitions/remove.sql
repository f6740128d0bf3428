--
-- Removing time partitions, and covering what they covered
--

CREATE FUNCTION @extschema@.iuid_remove_one(parent pg_catalog.regclass, old pg_catalog.jsonb, is_referred boolean, is_drop boolean, is_last boolean, OUT report pg_catalog.jsonb)
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	partition regclass := (old ->> 'tbl')::oid;
	goes boolean := is_drop OR (old ->> 'is_empty')::boolean;
	is_pending boolean := (old ->> 'is_pending')::boolean;
	is_busy boolean;
	state text;
	message text;
	detail text;
BEGIN
	report := old;
	-- DETACH looks whether foreign keys refer to rows of the partition.
	IF NOT goes OR is_pending OR is_referred THEN
		-- DETACH would drop triggers that are deferred.  This changes nothing, and is refused while there are any.
		IF NOT is_pending THEN
			PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE ONLY %s SET WITHOUT OIDS', partition));
		END IF;
		PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE %s DETACH PARTITION %s%s', parent, partition,
			CASE WHEN is_pending THEN ' FINALIZE' END));
	END IF;
	IF goes THEN
		PERFORM @extschema@.iuid_run_as_owner(parent, format('DROP %sTABLE %s',
			(SELECT 'FOREIGN ' FROM pg_class AS c WHERE c.oid = partition AND c.relkind = 'f'), partition));
	END IF;
EXCEPTION WHEN lock_not_available OR deadlock_detected OR dependent_objects_still_exist OR foreign_key_violation OR insufficient_privilege THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	is_busy := state IN ('55P03', '40P01');
	IF is_busy AND NOT is_last THEN
		RAISE;
	END IF;
	report := report || jsonb_build_object('state', state,
		'message', format('partition %s stays: %s', old ->> 'name', CASE WHEN is_busy THEN 'something that needs it is in use' ELSE message END),
		'detail', coalesce(nullif(CASE WHEN NOT is_busy THEN detail END, ''), 'The call leaves it as it is, and goes on.'),
		'hint', CASE WHEN is_busy THEN 'Call this again later.' WHEN state = '42501' THEN 'Make the owner of the table its owner, too.'
			ELSE 'Remove what needs it, and call this again.' END);
END $$;
COMMENT ON FUNCTION @extschema@.iuid_remove_one(pg_catalog.regclass, pg_catalog.jsonb, boolean, boolean, boolean) IS 'internal: drops or detaches a partition, and finalizes that if it is pending; or says why the partition stays';

CREATE FUNCTION @extschema@.iuid_cover_removed(parent pg_catalog.regclass, removed pg_catalog.uuid)
RETURNS void LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	-- up to the first partition that stays
	bound uuid := coalesce((SELECT min(b.lower::text)::uuid FROM @extschema@.iuid_partition_bounds(parent) AS b), removed);
	name text;
	made regclass;
BEGIN
	FOR n IN 1 .. 2147483647 LOOP
		SELECT @extschema@.iuid_shortened_name(p.relname::text, '_before' || CASE WHEN n > 1 THEN '_' || n ELSE '' END) INTO name FROM pg_class AS p WHERE p.oid = parent;
		EXIT WHEN NOT EXISTS (SELECT FROM pg_class AS c JOIN pg_class AS p ON p.relnamespace = c.relnamespace WHERE p.oid = parent AND c.relname = name);
	END LOOP;
	made := (@extschema@.iuid_make_tables_like(parent, ARRAY[name], NULL::text))[1];
	PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (MINVALUE) TO (%L)', parent, made, bound));
	PERFORM @extschema@.iuid_take_replica_identity(parent, ARRAY[made]);
EXCEPTION WHEN check_violation THEN
	-- The DEFAULT partition has rows there, and is the one to cover that.
	RETURN;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_cover_removed(pg_catalog.regclass, pg_catalog.uuid) IS 'internal: makes a new open end in the place of a removed one, which covers what was removed, unless DEFAULT has rows there';

CREATE FUNCTION @extschema@.iuid_check_removed(parent pg_catalog.regclass, reports pg_catalog.jsonb)
RETURNS void LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Another session can give the names to other tables by renaming schemas.
	IF EXISTS (SELECT FROM jsonb_to_recordset(reports) AS r (tbl oid, state text) JOIN pg_inherits AS i ON i.inhrelid = r.tbl WHERE r.state IS NULL) THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
			MESSAGE = format('table %s was changed or renamed while it lost a partition', parent), HINT = 'Try again.';
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_check_removed(pg_catalog.regclass, pg_catalog.jsonb) IS 'internal: 55000 if one of the partitions that do not stay is still there';

CREATE FUNCTION @extschema@.iuid_drop_at_once(parent pg_catalog.regclass, plan pg_catalog.jsonb)
RETURNS boolean LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- These are detached first.
	IF plan @> '[{"is_pending": true}]' OR EXISTS (SELECT FROM pg_constraint AS c WHERE c.confrelid = parent AND c.contype = 'f') THEN
		RETURN false;
	END IF;
	-- DROP takes its locks before it drops the first one.
	PERFORM @extschema@.iuid_run_as_owner(parent, (SELECT 'DROP TABLE ' || string_agg(o.tbl::regclass::text, ', ') FROM jsonb_to_recordset(plan) AS o (tbl oid)));
	PERFORM @extschema@.iuid_check_removed(parent, plan);
	RETURN true;
EXCEPTION WHEN dependent_objects_still_exist OR insufficient_privilege OR lock_not_available OR deadlock_detected OR wrong_object_type OR syntax_error
	OR undefined_table OR invalid_schema_name OR object_not_in_prerequisite_state THEN
	RETURN false;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_drop_at_once(pg_catalog.regclass, pg_catalog.jsonb) IS 'internal: drops partitions, if nothing else needs them, and all locks are free; whether it has';

CREATE FUNCTION @extschema@.iuid_remove_planned(parent pg_catalog.regclass, plan pg_catalog.jsonb, is_drop boolean, is_last boolean)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	is_referred boolean := EXISTS (SELECT FROM pg_constraint AS c WHERE c.confrelid = parent AND c.contype = 'f');
	reports jsonb := '[]';
	old jsonb;
BEGIN
	IF plan @> '[{"is_open": true}]' THEN
		-- Before the locks, it could get rows.
		plan := (SELECT jsonb_agg(o || jsonb_build_object('is_empty', (o ->> 'is_open')::boolean AND pg_relation_size((o ->> 'tbl')::oid) = 0) ORDER BY n)
			FROM jsonb_array_elements(plan) WITH ORDINALITY AS p (o, n));
	END IF;
	IF is_drop AND @extschema@.iuid_drop_at_once(parent, plan) THEN
		reports := plan;
	ELSE
		FOR old IN SELECT jsonb_array_elements(plan) LOOP
			reports := reports || @extschema@.iuid_remove_one(parent, old, is_referred, is_drop, is_last);
		END LOOP;
		PERFORM @extschema@.iuid_check_removed(parent, reports);
	END IF;
	IF reports @? '$[*] ? (@.is_open == true && !exists(@.state))' THEN
		PERFORM @extschema@.iuid_cover_removed(parent, (plan -> -1 ->> 'upper')::uuid);
	END IF;
	RETURN reports;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_remove_planned(pg_catalog.regclass, pg_catalog.jsonb, boolean, boolean) IS 'internal: drops or detaches partitions, the oldest first, and reports on each; the locks are held';
