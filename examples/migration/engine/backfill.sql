-- Step 3: bring the rows that are there.

-- Each batch is a transaction, with its watermark.  After an error or a crash, call it again.  Called
-- when it is complete, it tries the rows that are set aside.  Who writes a row of a batch waits for
-- the end of the batch: batches have as many rows as can come in the time "longest", but at least 50.  NULL: all tables,
-- one after the other; several sessions can fill several tables.
CREATE PROCEDURE migration.backfill(old regclass DEFAULT NULL, longest interval DEFAULT '50 ms', pause interval DEFAULT '0') LANGUAGE plpgsql AS $$
DECLARE
	lock bigint := pg_catalog.hashtextextended('migration.backfill', old::oid::bigint);
	size int := 100;
	since timestamptz;
	more boolean;
	after jsonb;
	come bigint;
	one regclass;
BEGIN
	IF old IS NULL THEN
		FOREACH one IN ARRAY ARRAY(SELECT t.old FROM migration.tables AS t ORDER BY place) LOOP
			CALL migration.backfill(one, longest, pause);
		END LOOP;
		RETURN;
	END IF;
	PERFORM migration.refuse_backfill(old);
	IF NOT pg_catalog.pg_try_advisory_lock(lock) THEN
		RAISE lock_not_available USING MESSAGE = pg_catalog.format('another session fills from %s', old);
	END IF;
	LOOP
		-- What a crash takes away comes again, with its watermark.
		PERFORM pg_catalog.set_config('synchronous_commit', 'off', true);
		since := pg_catalog.clock_timestamp();
		more := migration.try_batch(old, size);
		size := migration.next_size(size, longest, pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) since);
		COMMIT;
		EXIT WHEN NOT more;
		PERFORM pg_catalog.pg_sleep_for(pause);
	END LOOP;
	-- What is set aside, batch by batch, too, as long as some of it comes, or is in use.
	LOOP
		after := NULL;
		come := (SELECT rows_come FROM migration.tables AS t WHERE t.old OPERATOR(pg_catalog.=) backfill.old);
		LOOP
			since := pg_catalog.clock_timestamp();
			after := migration.try_leftovers(old, after, size);
			size := migration.next_size(size, longest, pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) since);
			COMMIT;
			EXIT WHEN after IS NULL;
			PERFORM pg_catalog.pg_sleep_for(pause);
		END LOOP;
		EXIT WHEN NOT migration.goes_on(old, come);
		PERFORM pg_catalog.pg_sleep(0.1);
	END LOOP;
	PERFORM pg_catalog.pg_advisory_unlock(lock);
END $$;

CREATE FUNCTION migration.refuse_backfill(of regclass) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	t migration.tables;
BEGIN
	SELECT * INTO t FROM migration.tables WHERE old = of;
	IF NOT FOUND THEN
		RAISE undefined_object USING MESSAGE = format('%s is no table of the migration', of);
	ELSIF t.swapped THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = 'the swap has been', HINT = 'Bring a row that is set aside with an INSERT into the view of the old clients.';
	ELSIF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = of AND tgname IN ('migration_forward', 'migration_fill')) THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = format('changes of %s are not yet made in the new table', of), HINT = 'CALL migration.follow() first.';
	ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = 'the backfill needs transactions of the isolation level READ COMMITTED';
	END IF;
END $$;

CREATE FUNCTION migration.next_size(size int, longest interval, took interval) RETURNS int LANGUAGE sql IMMUTABLE
RETURN greatest(50, least(10000, CASE WHEN took > longest THEN size / 2 WHEN took < longest / 2 THEN size * 5 / 4 + 1 ELSE size END));

CREATE FUNCTION migration.goes_on(of regclass, before bigint) RETURNS boolean LANGUAGE sql SET search_path = pg_catalog, pg_temp
RETURN EXISTS (SELECT FROM migration.set_aside WHERE old = of AND reason = 'in use')
	OR EXISTS (SELECT FROM migration.tables AS t JOIN migration.set_aside AS s USING (old) WHERE old = of AND t.rows_come > before);

-- A batch that meets a lock gives up before a client that waits for the batch looks for a deadlock.
CREATE FUNCTION migration.try_batch(of regclass, size int) RETURNS boolean LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET lock_timeout = '200ms' SET jit = off AS $$
DECLARE
	t migration.tables;
	keys jsonb;
BEGIN
	SELECT * INTO STRICT t FROM migration.tables WHERE old = of;
	PERFORM set_config('search_path', t.statements ->> 'path', true);
	IF t.swapped OR t.complete IS NOT NULL THEN
		RETURN false;
	END IF;
	EXECUTE t.statements ->> CASE WHEN t.watermark IS NULL THEN 'first' ELSE 'next' END INTO keys USING t.watermark, size;
	IF keys IS NULL THEN
		UPDATE migration.tables SET complete = clock_timestamp() WHERE old = of;
		RETURN false;
	END IF;
	PERFORM migration.bring(t, keys);
	UPDATE migration.tables SET watermark = keys -> -1 WHERE old = of;
	RETURN true;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
	RETURN true;
END $$;

-- Tries a batch of what is set aside; the last key of the batch, or NULL if there are no more.
CREATE FUNCTION migration.try_leftovers(of regclass, after jsonb, size int) RETURNS jsonb LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET lock_timeout = '200ms' SET jit = off AS $$
DECLARE
	t migration.tables;
	keys jsonb;
BEGIN
	SELECT * INTO STRICT t FROM migration.tables WHERE old = of;
	PERFORM set_config('search_path', t.statements ->> 'path', true);
	SELECT jsonb_agg(key ORDER BY key) INTO keys
	FROM (SELECT key FROM migration.set_aside WHERE old = of AND (after IS NULL OR key > after) ORDER BY key LIMIT size) AS s;
	IF keys IS NOT NULL THEN
		PERFORM migration.bring(t, keys);
	END IF;
	RETURN keys -> -1;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
	-- The same batch again.
	RETURN coalesce(after, '{}');
END $$;

-- Brings rows, which it locks first: so no other transaction can change them, or has a change of them
-- that is not committed.  It never waits for a row while it has others: one that is in use is set
-- aside, and tried again.  The lock is the one of an UPDATE: what refers to the row can come.
CREATE FUNCTION migration.bring(t migration.tables, keys jsonb) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	locked jsonb;
	come bigint;
BEGIN
	PERFORM set_config('migration.writing', 'on', true);
	PERFORM set_config('search_path', t.statements ->> 'path', true);
	PERFORM migration.refuse_backfill(t.old);
	EXECUTE t.statements ->> 'lock' INTO locked USING keys;
	-- From here on each statement sees what is committed in these rows.
	EXECUTE t.statements ->> 'bring' USING locked, t.constrained;
	GET DIAGNOSTICS come = ROW_COUNT;
	UPDATE migration.tables SET rows_come = rows_come + come, begun = coalesce(begun, clock_timestamp()) WHERE old = t.old;
	EXECUTE t.statements ->> 'forget' USING keys, locked;
	IF jsonb_array_length(locked) <> jsonb_array_length(keys) THEN
		EXECUTE t.statements ->> 'in use' USING keys, locked;
	END IF;
END $$;

-- The statements of a batch, which are made once for each table.  $1 has keys as JSON.
CREATE FUNCTION migration.make_statements(t migration.tables) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	k migration.keys;
	names name[];
	brought name[];
	first text;
	next text;
	bring text;
	has_come text := 'false';
	rows text;
	key text;
	is_old text;
BEGIN
	SELECT * INTO STRICT k FROM migration.keys WHERE old = t.old;
	rows := migration.rows_of('$1', k);
	key := migration.json_of('o.', k.columns, k.columns);
	is_old := migration.equal('o.', k.columns, 'k.', k.columns);
	first := format('SELECT pg_catalog.jsonb_agg(k ORDER BY n) FROM (SELECT %s, row_number() OVER (ORDER BY %s) FROM %s AS o', key, migration.list('o.', k.columns), t.old);
	next := format(' ORDER BY %s LIMIT $2) AS o (k, n)', migration.list('o.', k.columns));
	IF t.country IS NULL THEN
		bring := (SELECT format('UPDATE %s AS o SET %s FROM %s WHERE %s', t.old, string_agg(format('%I = o.%1$I', r.new_column), ', '), rows, is_old)
			FROM migration.refs AS r WHERE r.old = t.old AND r.moved);
	ELSE
		names := migration.new_names(t.old, k.columns);
		brought := migration.brought(t.old, true);
		has_come := format('EXISTS (SELECT FROM %s AS m WHERE %s)', t.map, migration.equal('m.', names, 'k.', k.columns));
		-- Before the foreign keys are there ($2), what is set aside for another row is left to constrain().
		bring := format($f$
			WITH arriving AS MATERIALIZED (
				SELECT a.*, CASE WHEN a.migration_id IS NULL THEN 'no time, country or entity that an identifier can have' ELSE coalesce(a.migration_reason, CASE WHEN $2 THEN a.migration_parent END) END AS migration_why
				FROM migration.%1$I AS a JOIN %2$s ON %3$s WHERE NOT %4$s
			), aside AS (
				INSERT INTO migration.set_aside AS s (old, key, reason) SELECT %5$s, %6$s, a.migration_why FROM arriving AS a WHERE a.migration_why IS NOT NULL
				ON CONFLICT ON CONSTRAINT set_aside_pkey DO UPDATE SET reason = excluded.reason WHERE s.reason <> excluded.reason
			)
			INSERT INTO %7$s (id, %8$s) OVERRIDING SYSTEM VALUE SELECT a.migration_id, %9$s FROM arriving AS a WHERE a.migration_why IS NULL ORDER BY a.migration_id$f$,
			'arriving_' || t.name, rows, migration.equal('a.', names, 'k.', k.columns), has_come,
			t.old::oid, migration.json_of('a.', names, k.columns), t.new, migration.list('', brought), migration.list('a.', brought));
	END IF;
	UPDATE migration.tables SET statements = jsonb_build_object(
		'path', migration.path(),
		'first', first || next,
		'next', first || format(' WHERE (%s) > (%s)', migration.list('o.', k.columns),
			(SELECT string_agg(format('($1 ->> %L)::%s', c, d), ', ' ORDER BY place) FROM unnest(k.columns, k.declared) WITH ORDINALITY AS x (c, d, place))) || next,
		'lock', format('SELECT coalesce(pg_catalog.jsonb_agg(j), ''[]'') FROM (SELECT %s FROM %s AS o JOIN %s ON %s FOR NO KEY UPDATE OF o SKIP LOCKED) AS o (j)', key, t.old, rows, is_old),
		'bring', bring,
		-- What has come is no longer set aside, nor what is gone.  What others have locked is.
		'forget', format('DELETE FROM migration.set_aside AS s USING %s WHERE s.old = %s AND s.key = %s AND (%s OR NOT EXISTS (SELECT FROM %s AS o WHERE %s))',
			rows, t.old::oid, migration.json_of('k.', k.columns, k.columns),
			CASE WHEN t.country IS NULL THEN 's.key IN (SELECT pg_catalog.jsonb_array_elements($2))' ELSE has_come END, t.old, is_old),
		'in use', format('INSERT INTO migration.set_aside (old, key, reason)
			SELECT %1$s, %2$s, ''in use'' FROM %3$s JOIN %4$s AS o ON %5$s WHERE %2$s NOT IN (SELECT pg_catalog.jsonb_array_elements($2)) AND NOT %6$s ON CONFLICT DO NOTHING',
			t.old::oid, migration.json_of('k.', k.columns, k.columns), rows, t.old, is_old, has_come))
	WHERE old = t.old;
END $$;
