--
-- Locks of several tables, taken together or not at all
--
-- Whoever waits for a lock while holding another can become part of a deadlock.  So an
-- attempt waits for far less than deadlock_timeout, and then gives up all that it got.
-- Locks are an object of JSON: tables by OID, with the numbers that the server gives
-- to modes.  1 is ACCESS SHARE, 8 ACCESS EXCLUSIVE.
--

CREATE FUNCTION @extschema@.iuid_tables_below(tables pg_catalog.oid[])
RETURNS SETOF pg_catalog.oid LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH RECURSIVE t (tbl) AS (SELECT unnest(tables) UNION SELECT i.inhrelid FROM t JOIN pg_inherits AS i ON i.inhparent = t.tbl)
	SELECT t.tbl FROM t
$$;
COMMENT ON FUNCTION @extschema@.iuid_tables_below(pg_catalog.oid[]) IS 'internal: tables, and all partitions below them';

CREATE FUNCTION @extschema@.iuid_referring_tables(parent pg_catalog.regclass)
RETURNS SETOF pg_catalog.oid LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT c.conrelid FROM pg_constraint AS c WHERE c.confrelid = parent AND c.contype = 'f' AND NOT EXISTS (
		SELECT FROM pg_constraint AS whole WHERE whole.oid = c.conparentid AND whole.confrelid = c.confrelid)
$$;
COMMENT ON FUNCTION @extschema@.iuid_referring_tables(pg_catalog.regclass) IS 'internal: the tables that refer to a table by foreign keys; of a partitioned table, not its partitions';

CREATE FUNCTION @extschema@.iuid_locks_to_plan(parent pg_catalog.regclass)
RETURNS pg_catalog.jsonb LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT jsonb_object_agg(l.tbl, l.mode) FROM (
		SELECT parent::oid, 4
		UNION ALL SELECT b.partition::oid, 1 FROM @extschema@.iuid_partition_bounds(parent) AS b
			WHERE (b.is_default OR b.lower IS NULL OR b.upper IS NULL) AND NOT b.is_pending) AS l (tbl, mode)
$$;
COMMENT ON FUNCTION @extschema@.iuid_locks_to_plan(pg_catalog.regclass) IS 'internal: the locks under which no partition comes or goes, and the sizes of those are read that rows may leave';

CREATE FUNCTION @extschema@.iuid_locks_needed(parent pg_catalog.regclass, old pg_catalog.oid[], is_drop boolean)
RETURNS pg_catalog.jsonb LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH source AS (SELECT b.partition::oid AS tbl, b.is_default, b.is_default AND NOT (c.relkind = 'r' AND pg_relation_size(c.oid) > 0) AS is_empty_default
		FROM @extschema@.iuid_partition_bounds(parent) AS b JOIN pg_class AS c ON c.oid = b.partition
		WHERE b.is_default OR b.lower IS NULL OR (b.upper IS NULL AND is_drop IS NULL)),
	referring (tbl) AS (SELECT @extschema@.iuid_referring_tables(parent)),
	gone (tbl) AS (SELECT @extschema@.iuid_tables_below(old)),
	w (tbl, mode) AS (
		-- No INSERT that has chosen DEFAULT, and no query that looks there, may miss the rows that move.
		SELECT parent::oid, CASE WHEN is_drop IS NULL THEN coalesce((SELECT max(CASE WHEN s.is_empty_default THEN 6 ELSE 8 END) FROM source AS s), 4) ELSE 8 END
		UNION ALL SELECT @extschema@.iuid_tables_below(ARRAY(SELECT s.tbl FROM source AS s WHERE is_drop IS NULL)
			|| ARRAY(SELECT p.partdefid FROM pg_partitioned_table AS p WHERE p.partrelid = parent AND p.partdefid <> 0 AND is_drop IS NOT NULL) || old), 8
		UNION ALL SELECT r.tbl, CASE WHEN is_drop IS NULL THEN 6 ELSE 8 END FROM referring AS r
		-- DROP locks what a partition refers to by foreign keys of its own.  DETACH gives it those of its parent.
		UNION ALL SELECT t.tbl, 8 FROM pg_constraint AS c JOIN gone AS g ON g.tbl = c.conrelid, @extschema@.iuid_tables_below(ARRAY[c.confrelid]) AS t (tbl)
			WHERE c.contype = 'f' AND c.conparentid = 0 AND is_drop
		UNION ALL SELECT t.tbl, m.mode FROM pg_constraint AS c, @extschema@.iuid_tables_below(ARRAY[c.confrelid]) AS t (tbl),
				LATERAL (SELECT CASE WHEN is_drop IS NOT TRUE THEN 6 WHEN EXISTS (SELECT FROM referring) THEN 8
					WHEN EXISTS (SELECT FROM source AS s WHERE NOT s.is_default) THEN 6 END) AS m (mode)
			WHERE c.contype = 'f' AND c.conrelid = parent AND m.mode IS NOT NULL
		UNION ALL SELECT a.relid, 1 FROM pg_partition_ancestors(parent) AS a)
	SELECT jsonb_object_agg(l.tbl, l.mode) FROM (SELECT w.tbl, max(w.mode) AS mode FROM w GROUP BY w.tbl) AS l
$$;
COMMENT ON FUNCTION @extschema@.iuid_locks_needed(pg_catalog.regclass, pg_catalog.oid[], boolean) IS 'internal: the locks that attaching partitions needs (is_drop NULL), or dropping or detaching old ones';

CREATE FUNCTION @extschema@.iuid_lockable_tables(parent pg_catalog.regclass, locks pg_catalog.jsonb)
RETURNS TABLE (tbl pg_catalog.regclass, mode pg_catalog.text) LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY SELECT c.oid::regclass, m.mode
	FROM jsonb_each_text(locks) AS j JOIN pg_class AS c ON c.oid = j.key::oid AND c.relkind IN ('r', 'p', 'f') JOIN pg_class AS p ON p.oid = parent,
		LATERAL (SELECT CASE WHEN c.relkind <> 'f' AND (c.relacl IS NULL AND c.relowner = p.relowner
				OR has_table_privilege(p.relowner, c.oid, CASE j.value WHEN '1' THEN 'SELECT, ' ELSE '' END || 'UPDATE, DELETE, TRUNCATE'))
			THEN ('{ACCESS SHARE,ROW SHARE,ROW EXCLUSIVE,SHARE UPDATE EXCLUSIVE,SHARE,SHARE ROW EXCLUSIVE,EXCLUSIVE,ACCESS EXCLUSIVE}'::text[])[j.value::int] END) AS m (mode)
	WHERE (m.mode IS NOT NULL OR c.relowner = p.relowner) AND has_schema_privilege(p.relowner, c.relnamespace, 'USAGE');
END $$;
COMMENT ON FUNCTION @extschema@.iuid_lockable_tables(pg_catalog.regclass, pg_catalog.jsonb) IS 'internal: the tables among the locks that the owner may lock, with the names of the modes; NULL: by no right but that of the owner, ACCESS EXCLUSIVE; the others the server locks as it comes to them';

CREATE FUNCTION @extschema@.iuid_take_free_locks(parent pg_catalog.regclass, locks pg_catalog.jsonb)
RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	own_timeout text := current_setting('lock_timeout');
	l record;
BEGIN
	FOR l IN SELECT t.mode, array_agg('ONLY ' || t.tbl ORDER BY t.tbl) AS tables FROM @extschema@.iuid_lockable_tables(parent, locks) AS t GROUP BY t.mode LOOP
		IF l.mode IS NOT NULL THEN
			PERFORM @extschema@.iuid_run_as_owner(parent, format('LOCK TABLE %s IN %s MODE NOWAIT', array_to_string(l.tables, ', '), l.mode));
		ELSE
			PERFORM set_config('lock_timeout', '1ms', true);
			-- changes nothing
			PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE %s SET WITHOUT OIDS', t.tbl)) FROM unnest(l.tables) AS t (tbl);
			PERFORM set_config('lock_timeout', own_timeout, true);
		END IF;
	END LOOP;
-- A table that is gone has no name, or only its number.
EXCEPTION WHEN undefined_table OR syntax_error THEN
	RAISE EXCEPTION USING ERRCODE = 'lock_not_available', MESSAGE = SQLERRM;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_take_free_locks(pg_catalog.regclass, pg_catalog.jsonb) IS 'internal: takes locks without waiting, or for a millisecond where only the right of the owner locks; 55P03 if a table is in use or gone';

CREATE FUNCTION @extschema@.iuid_take_locks(parent pg_catalog.regclass, locks pg_catalog.jsonb, first pg_catalog.text, longest int)
RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	stop timestamptz;
	l record;
BEGIN
	-- Most often none has to be waited for.
	BEGIN
		PERFORM @extschema@.iuid_take_free_locks(parent, locks);
		RETURN;
	EXCEPTION WHEN lock_not_available THEN
	END;
	FOR l IN SELECT * FROM @extschema@.iuid_lockable_tables(parent, locks) AS t
		ORDER BY t.tbl::oid::text IS DISTINCT FROM first, t.tbl <> parent, t.tbl
	LOOP
		PERFORM @extschema@.iuid_run_as_owner(parent, format(CASE WHEN l.mode IS NULL THEN 'ALTER TABLE ONLY %s SET WITHOUT OIDS' ELSE 'LOCK TABLE ONLY %s IN %s MODE' END, l.tbl, l.mode));
		-- A session that holds one lock does not wait longer than that for all others together.
		IF stop IS NULL THEN
			stop := clock_timestamp() + longest * interval '1 millisecond';
			BEGIN
				PERFORM @extschema@.iuid_take_free_locks(parent, locks);
				EXIT;
			EXCEPTION WHEN lock_not_available THEN
			END;
		END IF;
		PERFORM set_config('lock_timeout', greatest(1, extract(epoch FROM stop - clock_timestamp()) * 1000)::int::text, true);
	END LOOP;
	PERFORM set_config('lock_timeout', longest::text, true);
EXCEPTION WHEN lock_not_available OR deadlock_detected OR undefined_table OR syntax_error THEN
	RAISE EXCEPTION USING ERRCODE = 'lock_not_available', MESSAGE = SQLERRM, TABLE = l.tbl::oid;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_take_locks(pg_catalog.regclass, pg_catalog.jsonb, pg_catalog.text, int) IS 'internal: takes locks: all at once if they are free; else one table first, and all others at once if they are free now, or each within the milliseconds that are left; 55P03 with the table that is in use or gone';

CREATE FUNCTION @extschema@.iuid_fail_locked(parent pg_catalog.regclass, locks pg_catalog.jsonb, busy pg_catalog.text, lock_wait interval)
RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' SET "IntervalStyle" = 'postgres' AS $$
BEGIN
	RAISE EXCEPTION USING ERRCODE = 'lock_not_available',
		MESSAGE = format('could not lock table %s', coalesce(substring(busy FROM '^[0-9]+$')::oid::regclass, parent)),
		HINT = format('Within lock_wait, %s, the table was never free together with the others. Try again later.', lock_wait),
		DETAIL = coalesce((SELECT string_agg(h.holder, chr(10) ORDER BY h.since, h.holder)
			FROM jsonb_each_text(locks) AS w
			JOIN pg_locks AS l ON l.relation = w.key::oid AND l.granted AND l.pid IS DISTINCT FROM pg_backend_pid()
				AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
				AND array_position('{AccessShareLock,RowShareLock,RowExclusiveLock,ShareUpdateExclusiveLock,ShareLock,ShareRowExclusiveLock,ExclusiveLock,AccessExclusiveLock}', l.mode)
					-- the weakest mode that conflicts
					>= ('{8,7,5,4,3,3,2,1}'::int[])[w.value::int]
			LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
			LEFT JOIN (pg_locks AS x JOIN pg_prepared_xacts AS p ON x.pid IS NULL AND x.transactionid = p.transaction)
				ON l.pid IS NULL AND x.virtualtransaction = l.virtualtransaction,
			LATERAL (VALUES (coalesce(a.xact_start, p.prepared), concat(coalesce('Process ' || l.pid, 'Prepared transaction ' || quote_literal(p.gid)),
				' holds ', l.relation::regclass, ' since ' || coalesce(a.xact_start, p.prepared), ': ' || nullif(regexp_replace(left(a.query, 200), '[[:space:];]+$', ''), '<insufficient privilege>'), '.')))
				AS h (since, holder)), 'Who held it has let it go.');
END $$;
COMMENT ON FUNCTION @extschema@.iuid_fail_locked(pg_catalog.regclass, pg_catalog.jsonb, pg_catalog.text, interval) IS 'internal: 55P03, with who is in the way as far as the caller may see it';
