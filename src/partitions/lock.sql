--
-- Locks of several tables, taken together or not at all
--
-- Who waits for a lock while holding another can become part of a deadlock.  So an
-- attempt waits for far less than deadlock_timeout, and then gives up all that it got.
-- Modes have the numbers that the server gives them: 1 is ACCESS SHARE, 8 ACCESS EXCLUSIVE.
--

CREATE FUNCTION @extschema@.iuid_tables_below(tables pg_catalog.oid[])
RETURNS SETOF pg_catalog.oid LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH RECURSIVE t (tbl) AS (
		SELECT unnest(tables) UNION SELECT i.inhrelid FROM t JOIN pg_inherits AS i ON i.inhparent = t.tbl)
	SELECT t.tbl FROM t
$$;
COMMENT ON FUNCTION @extschema@.iuid_tables_below(pg_catalog.oid[]) IS 'internal: tables, and all partitions below them';

CREATE FUNCTION @extschema@.iuid_referred_tables(tables pg_catalog.oid[], own boolean)
RETURNS SETOF pg_catalog.oid LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT @extschema@.iuid_tables_below(array_agg(c.confrelid)) FROM pg_constraint AS c
	WHERE c.conrelid = ANY (tables) AND c.contype = 'f' AND (NOT own OR c.conparentid = 0)
$$;
COMMENT ON FUNCTION @extschema@.iuid_referred_tables(pg_catalog.oid[], boolean) IS 'internal: the tables that tables refer to by foreign keys, or by those only that they do not have from a parent, with their partitions';

CREATE FUNCTION @extschema@.iuid_referring_tables(parent pg_catalog.regclass)
RETURNS SETOF pg_catalog.oid LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT c.conrelid FROM pg_constraint AS c WHERE c.confrelid = parent AND c.contype = 'f' AND NOT EXISTS (
		SELECT FROM pg_constraint AS whole WHERE whole.oid = c.conparentid AND whole.confrelid = c.confrelid)
$$;
COMMENT ON FUNCTION @extschema@.iuid_referring_tables(pg_catalog.regclass) IS 'internal: the tables that refer to a table by foreign keys; of a partitioned table, not its partitions';

CREATE FUNCTION @extschema@.iuid_lock_list(parent pg_catalog.regclass, tables pg_catalog.oid[], modes int[])
RETURNS pg_catalog.jsonb LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce(jsonb_agg(jsonb_build_object('tbl', w.tbl::bigint, 'mode', w.mode) ORDER BY w.tbl <> parent, w.tbl), '[]')
	FROM (SELECT u.tbl, max(u.mode) FROM (SELECT unnest(tables), unnest(modes) UNION ALL
		SELECT a.relid, 1 FROM pg_partition_ancestors(parent) AS a WHERE a.relid <> parent) AS u (tbl, mode) GROUP BY u.tbl) AS w (tbl, mode)
	JOIN pg_class AS c ON c.oid = w.tbl AND c.relkind IN ('r', 'p') JOIN pg_class AS p ON p.oid = parent
	-- What the owner may not lock, the statements lock.
	WHERE has_schema_privilege(p.relowner, c.relnamespace, 'USAGE')
		AND has_table_privilege(p.relowner, c.oid, CASE w.mode WHEN 1 THEN 'SELECT, ' ELSE '' END || 'UPDATE, DELETE, TRUNCATE')
$$;
COMMENT ON FUNCTION @extschema@.iuid_lock_list(pg_catalog.regclass, pg_catalog.oid[], int[]) IS 'internal: the locks, each once and in the strongest of its modes, that the owner of a table may take on these tables and on those above it';

CREATE FUNCTION @extschema@.iuid_locks_of_create(parent pg_catalog.regclass)
RETURNS pg_catalog.jsonb LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH source AS (SELECT b.partition, b.is_default AND NOT (c.relkind = 'r' AND pg_relation_size(c.oid) > 0) AS is_empty_default
		FROM @extschema@.iuid_partition_bounds(parent) AS b JOIN pg_class AS c ON c.oid = b.partition WHERE b.lower IS NULL OR b.upper IS NULL),
	w (tbl, mode) AS (
		-- No INSERT that has chosen DEFAULT, and no query that looks there, may miss the rows that move.
		SELECT parent::oid, coalesce((SELECT max(CASE WHEN s.is_empty_default THEN 6 ELSE 8 END) FROM source AS s), 4)
		UNION ALL SELECT @extschema@.iuid_tables_below(ARRAY(SELECT s.partition::oid FROM source AS s)), 8
		UNION ALL SELECT @extschema@.iuid_referred_tables(ARRAY[parent::oid], false), 6
		UNION ALL SELECT @extschema@.iuid_referring_tables(parent), 6)
	SELECT @extschema@.iuid_lock_list(parent, array_agg(w.tbl), array_agg(w.mode)) FROM w
$$;
COMMENT ON FUNCTION @extschema@.iuid_locks_of_create(pg_catalog.regclass) IS 'internal: the locks that attaching partitions needs';

CREATE FUNCTION @extschema@.iuid_locks_of_removal(parent pg_catalog.regclass, old pg_catalog.oid[], is_drop boolean)
RETURNS pg_catalog.jsonb LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH cover AS (SELECT b.partition, b.is_default FROM @extschema@.iuid_partition_bounds(parent) AS b WHERE b.is_default OR b.lower IS NULL),
	referring AS (SELECT @extschema@.iuid_referring_tables(parent) AS tbl),
	w (tbl, mode) AS (
		SELECT parent::oid, 8
		UNION ALL SELECT @extschema@.iuid_tables_below(old), 8
		UNION ALL SELECT c.partition, 8 FROM cover AS c
		UNION ALL SELECT r.tbl, 8 FROM referring AS r
		-- DROP locks what a partition refers to by foreign keys of its own.  DETACH gives it those of its parent.
		UNION ALL SELECT @extschema@.iuid_referred_tables(ARRAY(SELECT @extschema@.iuid_tables_below(old)), true), 8 WHERE is_drop
		UNION ALL SELECT @extschema@.iuid_referred_tables(ARRAY[parent::oid], false), 6 WHERE NOT is_drop OR EXISTS (SELECT FROM cover AS c WHERE NOT c.is_default)
		UNION ALL SELECT @extschema@.iuid_referred_tables(ARRAY[parent::oid], false), 8 WHERE is_drop AND EXISTS (SELECT FROM referring))
	SELECT @extschema@.iuid_lock_list(parent, array_agg(w.tbl), array_agg(w.mode)) FROM w
$$;
COMMENT ON FUNCTION @extschema@.iuid_locks_of_removal(pg_catalog.regclass, pg_catalog.oid[], boolean) IS 'internal: the locks that dropping or detaching partitions needs';

CREATE FUNCTION @extschema@.iuid_lock_limit()
RETURNS int LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET "IntervalStyle" = 'postgres' AS $$
	SELECT greatest(1, least(100, extract(epoch FROM current_setting('deadlock_timeout')::interval) * 250,
		nullif(extract(epoch FROM current_setting('lock_timeout')::interval), 0) * 1000))::int
$$;
COMMENT ON FUNCTION @extschema@.iuid_lock_limit() IS 'internal: the milliseconds to wait for a lock: 100, a quarter of deadlock_timeout, or lock_timeout, whichever is least';

CREATE FUNCTION @extschema@.iuid_take_locks(parent pg_catalog.regclass, locks pg_catalog.jsonb, first pg_catalog.text)
RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	names text[] := '{ACCESS SHARE,ROW SHARE,ROW EXCLUSIVE,SHARE UPDATE EXCLUSIVE,SHARE,SHARE ROW EXCLUSIVE,EXCLUSIVE,ACCESS EXCLUSIVE}';
	longest int := @extschema@.iuid_lock_limit();
	stop timestamptz;
	l record;
BEGIN
	PERFORM set_config('lock_timeout', longest::text, true);
	FOR l IN SELECT j.lock ->> 'tbl' AS tbl, (j.lock ->> 'mode')::int AS mode
		FROM jsonb_array_elements(locks) WITH ORDINALITY AS j (lock, n) ORDER BY j.lock ->> 'tbl' IS DISTINCT FROM first, j.n
	LOOP
		IF l.tbl::oid::regclass::text = l.tbl THEN
			RAISE undefined_table;
		END IF;
		PERFORM @extschema@.iuid_run_as_owner(parent, format('LOCK TABLE ONLY %s IN %s MODE', l.tbl::oid::regclass, names[l.mode]));
		-- Who holds one lock does not wait longer than that for all others together.  Most often none has to be waited for.
		IF stop IS NULL THEN
			stop := clock_timestamp() + longest * interval '1 millisecond';
			BEGIN
				PERFORM @extschema@.iuid_run_as_owner(parent, format('LOCK TABLE %s IN %s MODE NOWAIT',
						string_agg('ONLY ' || w.tbl::regclass, ', ' ORDER BY w.tbl), names[w.mode]))
					FROM jsonb_to_recordset(locks) AS w (tbl oid, mode int) GROUP BY w.mode;
				EXIT;
			EXCEPTION WHEN lock_not_available OR undefined_table OR syntax_error THEN
			END;
		END IF;
		PERFORM set_config('lock_timeout', greatest(1, extract(epoch FROM stop - clock_timestamp()) * 1000)::int::text, true);
	END LOOP;
	PERFORM set_config('lock_timeout', longest::text, true);
EXCEPTION WHEN lock_not_available OR deadlock_detected OR undefined_table THEN
	RAISE EXCEPTION USING ERRCODE = 'lock_not_available', MESSAGE = SQLERRM, TABLE = l.tbl;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_take_locks(pg_catalog.regclass, pg_catalog.jsonb, pg_catalog.text) IS 'internal: takes locks, one table first, then all others at once if they are free; 55P03 with the table that is in use or gone';

CREATE FUNCTION @extschema@.iuid_lock_failed(parent pg_catalog.regclass, locks pg_catalog.jsonb, missing pg_catalog.text, attempt int, is_last boolean, lock_wait interval)
RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' SET "IntervalStyle" = 'postgres' AS $$
BEGIN
	-- The server forgets a statement_timeout that ends together with the wait for a lock.
	IF clock_timestamp() - statement_timestamp() > nullif(current_setting('statement_timeout')::interval, '0') THEN
		RAISE query_canceled USING MESSAGE = 'canceling statement due to statement timeout';
	ELSIF NOT is_last THEN
		PERFORM pg_sleep(0.02 + random() * least(0.02 * attempt, 0.18));
		RETURN;
	END IF;
	RAISE EXCEPTION USING ERRCODE = 'lock_not_available',
		MESSAGE = format('could not lock table %s', coalesce(nullif(missing, '')::oid::regclass, parent)),
		HINT = format('Within lock_wait, %s, the table was never free together with the others. Try again later.', lock_wait),
		DETAIL = coalesce((SELECT string_agg(h.holder, chr(10) ORDER BY h.since, h.holder)
			FROM (SELECT j.tbl, j.mode FROM jsonb_to_recordset(locks) AS j (tbl oid, mode int)
				UNION ALL SELECT t, 1 FROM @extschema@.iuid_tables_below(ARRAY[parent::oid]) AS t WHERE locks IS NULL) AS w (tbl, mode)
			JOIN pg_locks AS l ON l.relation = w.tbl AND l.granted AND l.pid IS DISTINCT FROM pg_backend_pid()
				AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
				AND array_position('{AccessShareLock,RowShareLock,RowExclusiveLock,ShareUpdateExclusiveLock,ShareLock,ShareRowExclusiveLock,ExclusiveLock,AccessExclusiveLock}', l.mode)
					-- the weakest mode that conflicts
					>= ('{8,7,5,4,3,3,2,1}'::int[])[w.mode]
			LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
			LEFT JOIN pg_prepared_xacts AS p ON l.pid IS NULL AND p.transaction::text = split_part(l.virtualtransaction, '/', 2),
			LATERAL (VALUES (coalesce(a.xact_start, p.prepared), concat(coalesce('Process ' || l.pid, 'Prepared transaction ' || quote_literal(p.gid)),
				' holds ', w.tbl::regclass, ' since ' || coalesce(a.xact_start, p.prepared), ': ' || nullif(regexp_replace(left(a.query, 200), '[[:space:];]+$', ''), '<insufficient privilege>'), '.')))
				AS h (since, holder)), 'Who held it has let it go.');
END $$;
COMMENT ON FUNCTION @extschema@.iuid_lock_failed(pg_catalog.regclass, pg_catalog.jsonb, pg_catalog.text, int, boolean, interval) IS 'internal: waits for a random while before the next attempt; 55P03 after the last one, with who is in the way as far as the caller may see it';
