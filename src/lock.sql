--
-- Locks of several tables, taken together or not at all
--
-- Whoever waits for a lock while holding another can become part of a deadlock.  So an
-- attempt waits for far less than deadlock_timeout, and then gives up all that it got.
-- Locks are an object of JSON: tables by OID, with the numbers that the server gives
-- to modes.  1 is ACCESS SHARE, 8 ACCESS EXCLUSIVE.
--

CREATE FUNCTION @extschema@.iuid_tables_below(tables pg_catalog.oid[])
RETURNS SETOF pg_catalog.oid LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY WITH RECURSIVE t (tbl) AS (SELECT unnest(tables) UNION SELECT i.inhrelid FROM t JOIN pg_inherits AS i ON i.inhparent = t.tbl)
		SELECT t.tbl FROM t;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_tables_below(pg_catalog.oid[]) IS 'internal: tables, and all partitions below them';

CREATE FUNCTION @extschema@.iuid_referring_tables(parent pg_catalog.regclass)
RETURNS SETOF pg_catalog.oid LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT c.conrelid FROM pg_constraint AS c WHERE c.confrelid = parent AND c.contype = 'f' AND NOT EXISTS (
		SELECT FROM pg_constraint AS whole WHERE whole.oid = c.conparentid AND whole.confrelid = c.confrelid)
$$;
COMMENT ON FUNCTION @extschema@.iuid_referring_tables(pg_catalog.regclass) IS 'internal: the tables that refer to a table by foreign keys; of a partitioned table, not its partitions';

CREATE FUNCTION @extschema@.iuid_lock_commands(parent pg_catalog.regclass, locks pg_catalog.jsonb, together boolean)
RETURNS TABLE (tbl pg_catalog.regclass, command pg_catalog.text) LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	owner oid := (SELECT p.relowner FROM pg_class AS p WHERE p.oid = parent);
BEGIN
	RETURN QUERY SELECT min(l.tbl::oid)::regclass, CASE WHEN l.mode IS NULL THEN 'ALTER TABLE ONLY ' || string_agg(l.tbl::text, '') || ' SET WITHOUT OIDS'
		ELSE format('LOCK TABLE %s IN %s MODE%s', string_agg('ONLY ' || l.tbl, ', ' ORDER BY l.tbl), l.mode, CASE WHEN together THEN ' NOWAIT' END) END
	FROM (
		SELECT c.oid::regclass, CASE WHEN c.relkind <> 'f' AND (c.relacl IS NULL AND c.relowner = owner
				OR has_table_privilege(owner, c.oid, CASE j.value WHEN '1' THEN 'SELECT, ' ELSE '' END || 'UPDATE, DELETE, TRUNCATE'))
			THEN ('{ACCESS SHARE,ROW SHARE,ROW EXCLUSIVE,SHARE UPDATE EXCLUSIVE,SHARE,SHARE ROW EXCLUSIVE,EXCLUSIVE,ACCESS EXCLUSIVE}'::text[])[j.value::int] END, c.relowner = owner
		FROM jsonb_each_text(locks) AS j JOIN pg_class AS c ON c.oid = j.key::oid AND c.relkind IN ('r', 'p', 'f')
		WHERE has_schema_privilege(owner, c.relnamespace, 'USAGE')) AS l (tbl, mode, is_own)
	WHERE l.mode IS NOT NULL OR l.is_own GROUP BY l.mode, CASE WHEN l.mode IS NULL OR NOT together THEN l.tbl END;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_lock_commands(pg_catalog.regclass, pg_catalog.jsonb, boolean) IS 'internal: statements that take the locks that the owner may take, all together without waiting, or one table each; ALTER TABLE, which changes nothing, where only the right of the owner locks';

CREATE FUNCTION @extschema@.iuid_attempt_timeout()
RETURNS int LANGUAGE sql STABLE PARALLEL SAFE
RETURN greatest(1::numeric, least(100::numeric, EXTRACT(epoch FROM pg_catalog.current_setting('deadlock_timeout'::pg_catalog.text)::interval) OPERATOR(pg_catalog.*) 250::numeric,
	nullif(EXTRACT(epoch FROM pg_catalog.current_setting('lock_timeout'::pg_catalog.text)::interval), 0::numeric) OPERATOR(pg_catalog.*) 1000::numeric));
COMMENT ON FUNCTION @extschema@.iuid_attempt_timeout() IS 'internal: the milliseconds for which an attempt waits: 100, but at most a quarter of deadlock_timeout, and the lock_timeout of the caller';

CREATE FUNCTION @extschema@.iuid_take_locks(parent pg_catalog.regclass, locks pg_catalog.jsonb, first pg_catalog.text, longest int)
RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	own_timeout text := current_setting('lock_timeout');
	stop timestamptz;
	tbl regclass;
	command text;
BEGIN
	BEGIN
		-- for ALTER TABLE
		PERFORM set_config('lock_timeout', '1', true);
		PERFORM @extschema@.iuid_run_as_owner(parent, c.command) FROM @extschema@.iuid_lock_commands(parent, locks, true) AS c;
		PERFORM set_config('lock_timeout', own_timeout, true);
		RETURN;
	EXCEPTION WHEN lock_not_available THEN
		IF longest IS NULL THEN
			RAISE;
		END IF;
	END;
	FOR tbl, command IN SELECT c.* FROM @extschema@.iuid_lock_commands(parent, locks, false) AS c ORDER BY c.tbl::oid::text IS DISTINCT FROM first, c.tbl <> parent, c.tbl LOOP
		PERFORM @extschema@.iuid_run_as_owner(parent, command);
		-- A session that holds one lock does not wait longer than that for all others together.
		stop := coalesce(stop, clock_timestamp() + longest * interval '1 millisecond');
		PERFORM set_config('lock_timeout', greatest(1, extract(epoch FROM stop - clock_timestamp()) * 1000)::int::text, true);
	END LOOP;
	PERFORM set_config('lock_timeout', own_timeout, true);
-- A table that is gone has no name, or only its number.
EXCEPTION WHEN lock_not_available OR deadlock_detected OR undefined_table OR syntax_error THEN
	RAISE EXCEPTION USING ERRCODE = 'lock_not_available', MESSAGE = SQLERRM, TABLE = coalesce(tbl::oid::text, '');
END $$;
COMMENT ON FUNCTION @extschema@.iuid_take_locks(pg_catalog.regclass, pg_catalog.jsonb, pg_catalog.text, int) IS 'internal: takes locks: all at once if they are free; else, unless longest is NULL, one table first, and the others within these milliseconds; 55P03 with the table that is in use or gone';

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

CREATE FUNCTION @extschema@.iuid_wait_to_try_again(parent pg_catalog.regclass, locks pg_catalog.jsonb, busy pg_catalog.text, lock_wait interval, attempt int, is_last boolean)
RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- The server forgets a statement_timeout that ends together with the wait for a lock.
	IF clock_timestamp() - statement_timestamp() > nullif(current_setting('statement_timeout')::interval, '0') THEN
		RAISE query_canceled USING MESSAGE = 'canceling statement due to statement timeout';
	ELSIF is_last THEN
		PERFORM @extschema@.iuid_fail_locked(parent, locks, busy, lock_wait);
	END IF;
	PERFORM pg_sleep(0.02 + random() * least(0.02 * attempt, 0.18));
END $$;
COMMENT ON FUNCTION @extschema@.iuid_wait_to_try_again(pg_catalog.regclass, pg_catalog.jsonb, pg_catalog.text, interval, int, boolean) IS 'internal: waits a random while after an attempt that got no lock, or raises 55P03 after the last one, or 57014';
