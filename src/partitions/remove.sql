--
-- Removing time partitions, and covering what they covered
--

CREATE FUNCTION @extschema@.iuid_remove_one(parent pg_catalog.regclass, old pg_catalog.jsonb, is_referred boolean, is_drop boolean, is_last boolean, OUT report pg_catalog.jsonb)
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	partition regclass := (old ->> 'tbl')::oid;
	is_pending boolean := (old ->> 'is_pending')::boolean;
	stays text := format('partition %s stays: ', old ->> 'name');
	state text;
	message text;
	detail text;
BEGIN
	report := old;
	-- DETACH looks whether foreign keys refer to rows of the partition.
	IF NOT is_drop OR is_pending OR is_referred THEN
		-- DETACH would drop triggers that are deferred.  This changes nothing, and is refused while there are any.
		IF NOT is_pending THEN
			PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE ONLY %s SET WITHOUT OIDS', partition));
		END IF;
		PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE %s DETACH PARTITION %s%s', parent, partition,
			CASE WHEN is_pending THEN ' FINALIZE' END));
	END IF;
	IF is_drop THEN
		PERFORM @extschema@.iuid_run_as_owner(parent, format('DROP %sTABLE %s',
			(SELECT 'FOREIGN ' FROM pg_class AS c WHERE c.oid = partition AND c.relkind = 'f'), partition));
	END IF;
EXCEPTION
	WHEN lock_not_available OR deadlock_detected THEN
		IF NOT is_last THEN
			RAISE;
		END IF;
		report := report || jsonb_build_object('state', SQLSTATE, 'message', stays || 'something that needs it is in use',
			'detail', 'The call leaves it as it is, and goes on.', 'hint', 'Call this again later.');
	WHEN dependent_objects_still_exist OR foreign_key_violation OR insufficient_privilege THEN
		GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
		report := report || jsonb_build_object('state', state, 'message', stays || message,
			'detail', coalesce(nullif(detail, ''), 'The call leaves it as it is, and goes on.'),
			'hint', CASE state WHEN '42501' THEN 'Give it to the owner of the table.' ELSE 'Remove what needs it, and call this again.' END);
END $$;
COMMENT ON FUNCTION @extschema@.iuid_remove_one(pg_catalog.regclass, pg_catalog.jsonb, boolean, boolean, boolean) IS 'internal: drops or detaches a partition, and finalizes that if it is pending; or says why the partition stays';

CREATE FUNCTION @extschema@.iuid_report_removal(report pg_catalog.jsonb, is_drop boolean)
RETURNS void LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' AS $$
BEGIN
	IF report ->> 'state' IS NULL THEN
		RAISE NOTICE '% partition %, which ended at %', CASE WHEN is_drop THEN 'dropped' ELSE 'detached' END,
			report ->> 'name', @extschema@.iuid_time_of_bound((report ->> 'upper')::uuid);
	ELSE
		RAISE WARNING USING ERRCODE = report ->> 'state', MESSAGE = report ->> 'message', DETAIL = report ->> 'detail', HINT = report ->> 'hint';
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_report_removal(pg_catalog.jsonb, boolean) IS 'internal: says that a partition was dropped or detached, or why it stays';

CREATE FUNCTION @extschema@.iuid_move_open_end(parent pg_catalog.regclass, open_end pg_catalog.regclass, upper pg_catalog.uuid)
RETURNS void LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' AS $$
DECLARE
	before jsonb := (SELECT jsonb_object_agg(t.tgname, t.tgenabled) FROM pg_trigger AS t WHERE t.tgrelid = open_end AND NOT t.tgisinternal);
	c record;
BEGIN
	-- refused while triggers are deferred, as in iuid_remove_one
	PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE ONLY %s SET WITHOUT OIDS', open_end));
	PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE %s DETACH PARTITION %s', parent, open_end));
	PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (MINVALUE) TO (%L)', parent, open_end, upper));
	FOR c IN SELECT t.tgname, before ->> t.tgname::text AS enabled FROM pg_trigger AS t
		WHERE t.tgrelid = open_end AND NOT t.tgisinternal AND t.tgenabled::text <> before ->> t.tgname::text
	LOOP
		PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE %s %s TRIGGER %I', open_end,
			CASE c.enabled WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA' WHEN 'A' THEN 'ENABLE ALWAYS' ELSE 'ENABLE' END, c.tgname));
	END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_move_open_end(pg_catalog.regclass, pg_catalog.regclass, pg_catalog.uuid) IS 'internal: attaches the first partition, which has no lower bound, with another upper one';

CREATE FUNCTION @extschema@.iuid_cover_removed(parent pg_catalog.regclass, removed pg_catalog.uuid)
RETURNS void LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	open_end record;
	base text := (SELECT c.relname FROM pg_class AS c WHERE c.oid = parent);
	-- up to the first partition that stays
	bound uuid := coalesce((SELECT b.lower FROM @extschema@.iuid_time_bounds(parent) AS b WHERE b.lower IS NOT NULL ORDER BY b.lower LIMIT 1), removed);
	name text;
	made regclass;
BEGIN
	SELECT b.partition, b.upper INTO open_end FROM @extschema@.iuid_time_bounds(parent) AS b WHERE b.lower IS NULL AND b.is_open;
	IF NOT FOUND THEN
		FOR n IN 1 .. 2147483647 LOOP
			name := @extschema@.iuid_shortened_name(base, '_before' || CASE WHEN n > 1 THEN '_' || n ELSE '' END);
			EXIT WHEN NOT EXISTS (SELECT FROM pg_class AS c JOIN pg_class AS p ON p.relnamespace = c.relnamespace WHERE p.oid = parent AND c.relname = name);
		END LOOP;
		made := @extschema@.iuid_make_table_like(parent, name, NULL::text);
		PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (MINVALUE) TO (%L)', parent, made, bound));
		PERFORM @extschema@.iuid_take_replica_identity(parent, ARRAY[made]);
	ELSIF open_end.upper < bound THEN
		PERFORM @extschema@.iuid_move_open_end(parent, open_end.partition, bound);
	END IF;
EXCEPTION WHEN check_violation OR foreign_key_violation THEN
	-- The DEFAULT partition has rows there, and is the one to cover that; or foreign keys need rows of the open end.
	RETURN;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_cover_removed(pg_catalog.regclass, pg_catalog.uuid) IS 'internal: covers what was removed by the open-ended first partition, or by a new one if that was removed, too';

CREATE FUNCTION @extschema@.iuid_remove_planned(parent pg_catalog.regclass, plan pg_catalog.jsonb, is_drop boolean, is_last boolean)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	had_open_end boolean := EXISTS (SELECT FROM @extschema@.iuid_time_bounds(parent) AS b WHERE b.lower IS NULL AND b.is_open);
	is_referred boolean := EXISTS (SELECT FROM @extschema@.iuid_referring_tables(parent));
	reports jsonb := '[]';
	old jsonb;
BEGIN
	-- Most often nothing needs any of them.
	IF is_drop AND NOT is_referred
		AND NOT plan @> '[{"is_pending": true}]' THEN
		BEGIN
			PERFORM @extschema@.iuid_run_as_owner(parent, (SELECT 'DROP TABLE ' || string_agg(o.tbl::regclass::text, ', ') FROM jsonb_to_recordset(plan) AS o (tbl oid)));
			reports := plan;
		EXCEPTION WHEN dependent_objects_still_exist OR insufficient_privilege OR lock_not_available OR deadlock_detected OR wrong_object_type OR syntax_error THEN
		END;
	END IF;
	FOR old IN SELECT jsonb_array_elements(plan) WHERE reports = '[]' LOOP
		reports := reports || @extschema@.iuid_remove_one(parent, old, is_referred, is_drop, is_last);
	END LOOP;
	IF had_open_end AND EXISTS (SELECT FROM jsonb_array_elements(reports) AS r (report) WHERE NOT r.report ? 'state') THEN
		PERFORM @extschema@.iuid_cover_removed(parent, (plan -> -1 ->> 'upper')::uuid);
	END IF;
	RETURN reports;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_remove_planned(pg_catalog.regclass, pg_catalog.jsonb, boolean, boolean) IS 'internal: drops or detaches partitions, the oldest first, and reports on each; the locks are held';
