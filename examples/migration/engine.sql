-- A migration of live tables to new tables whose key is an iuid: what is the same for every table.
--
-- Each old table gets a new table with all of its columns, the old key among them, and an iuid as its
-- key.  One of the two is what clients write, and a trigger makes each change in the other one, in
-- the same transaction: first the old table, and after the swap the new one.  doc/migration.md has
-- the steps, and the way back from each.
--
-- The functions and procedures belong to whoever runs this file: the role that has the tables.  They
-- look for iuid in the schema public.

CREATE SCHEMA migration;
CREATE SCHEMA v2;   -- the new tables: new clients have search_path = v2, public

-- The old tables, and how far they have come.
CREATE TABLE migration.tables (
	old regclass PRIMARY KEY,        -- an oid: it stays the same when the table gets another name
	place int GENERATED ALWAYS AS IDENTITY,
	schema name NOT NULL,
	name name NOT NULL,              -- what clients call it; after the swap, this is a view
	key name NOT NULL,
	key_type text NOT NULL,
	new regclass UNIQUE,             -- NULL: the table stays, and only a column is filled
	columns name[] NOT NULL,         -- those of the old table, or the one that is filled
	new_columns name[],
	arriving regclass,               -- see migration.define()
	map regclass,
	map_key name,
	watermark text,                  -- the backfill has been at all old keys up to this one
	rows_come bigint NOT NULL DEFAULT 0,
	begun timestamptz,
	complete timestamptz,
	swapped boolean NOT NULL DEFAULT false,
	silenced name[] NOT NULL DEFAULT '{}'   -- triggers that are off in the old table since the swap
);

-- The rows that are in an old table only, each with its reason.  The row itself is in the old table.
CREATE TABLE migration.set_aside (
	old regclass REFERENCES migration.tables,
	key text,
	reason text NOT NULL,
	since timestamptz NOT NULL DEFAULT clock_timestamp(),
	PRIMARY KEY (old, key)
);

CREATE VIEW migration.progress AS
SELECT name, swapped, watermark, rows_come, greatest(reltuples, 0)::bigint AS rows_about,
	(SELECT count(*) FROM migration.set_aside AS s WHERE s.old = t.old) AS set_aside, begun, complete
FROM migration.tables AS t JOIN pg_class AS c ON c.oid = t.old
ORDER BY place;

--
-- Changes of tables, without a queue behind them
--

-- Runs commands in one transaction as soon as none of their locks is in use.  Whoever comes behind a
-- lock that is waited for waits, too: so this waits a tenth of a second for a lock, gives up all
-- locks, and tries again a second later.  It is called outside of a transaction.
CREATE PROCEDURE migration.run(commands text[], patience interval DEFAULT '1 hour') LANGUAGE plpgsql AS $$
DECLARE
	until timestamptz := pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) patience;
BEGIN
	WHILE NOT migration.try(commands, pg_catalog.clock_timestamp() OPERATOR(pg_catalog.>) until) LOOP
		COMMIT;
		PERFORM pg_catalog.pg_sleep(0.5 OPERATOR(pg_catalog.+) pg_catalog.random());
	END LOOP;
	COMMIT;
END $$;

CREATE FUNCTION migration.try(commands text[], last boolean) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	command text;
BEGIN
	PERFORM pg_catalog.set_config('lock_timeout', '100ms', true);
	-- A VACUUM that the server began gives way to whoever has waited for deadlock_timeout.
	IF pg_catalog.has_parameter_privilege('deadlock_timeout', 'SET') THEN
		PERFORM pg_catalog.set_config('deadlock_timeout', '10ms', true);
	END IF;
	FOREACH command IN ARRAY commands LOOP
		EXECUTE command;
	END LOOP;
	RETURN true;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
	IF last THEN
		RAISE;
	END IF;
	RETURN false;
END $$;

--
-- Step 1: say what becomes of what
--

-- Which times are those of a row, and which ones a faulty clock's?
CREATE FUNCTION migration.is_believable(at timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(at >= timestamptz '2000-01-01 00:00+00' AND at < timestamptz '2100-01-01 00:00+00', false);

CREATE FUNCTION migration.columns_of(arriving regclass) RETURNS name[] LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT array_agg(a.attname ORDER BY a.attname) FROM pg_attribute AS a
	WHERE a.attrelid = arriving AND a.attnum > 0 AND a.attname NOT IN ('key', 'id', 'reason')
$$;

-- Columns as a list, each with a prefix.
CREATE FUNCTION migration.list(prefix text, columns name[]) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(prefix || quote_ident(c), ', ' ORDER BY place) FROM unnest(columns) WITH ORDINALITY AS x (c, place)
$$;

-- The new table is there: its key is "id", and it has each column of the old table, the old key among
-- them.  "renamed" has the columns that have another name: {"old name": "new name"}.
--
-- "arriving" is a view of what the old rows become, with these columns:
--   * key: the old key;
--   * id: the iuid, or NULL if the row has no time;
--   * reason: why the row cannot come, if not for its time, or NULL;
--   * all other columns of the new table that a row brings along.
-- "map" has the old key, under the name that it has in the new table, and id, of each row that has
-- come: the new table itself, or a table that a trigger of the new table keeps.  The old key is unique
-- there.
CREATE PROCEDURE migration.define(old regclass, new regclass, renamed jsonb, arriving regclass, map regclass)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
	t migration.tables;
	olds text;         -- the columns of the old table
	from_new text;     -- what a new row has in them
	news text;         -- the columns of the new table that a row brings along
	arrived text;      -- what it brings
	part record;
BEGIN
	SELECT a.attname, format_type(a.atttypid, NULL), n.nspname, c.relname, c.oid INTO STRICT t.key, t.key_type, t.schema, t.name, t.old
	FROM pg_index AS i
		JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
		JOIN pg_class AS c ON c.oid = i.indrelid
		JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE i.indrelid = define.old AND i.indisprimary AND i.indnkeyatts = 1;
	IF EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = define.old AND a.attgenerated <> '') THEN
		RAISE feature_not_supported USING MESSAGE = format('table %s has a generated column', define.old),
			HINT = 'Make it a plain column with a trigger, or leave it out of the new table and of this script.';
	END IF;
	SELECT array_agg(a.attname ORDER BY a.attnum), array_agg(coalesce(renamed ->> a.attname, a.attname)::name ORDER BY a.attnum)
	INTO t.columns, t.new_columns FROM pg_attribute AS a WHERE a.attrelid = define.old AND a.attnum > 0 AND NOT a.attisdropped;
	IF 'id' = ANY (t.new_columns) THEN
		RAISE invalid_parameter_value USING MESSAGE = format('column "id" of table %s is for the iuid', define.new),
			HINT = 'Say in "renamed" which column has the "id" of the old table.';
	END IF;
	t.map_key := t.new_columns[array_position(t.columns, t.key)];
	INSERT INTO migration.tables (old, schema, name, key, key_type, new, columns, new_columns, arriving, map, map_key)
	VALUES (t.old, t.schema, t.name, t.key, t.key_type, define.new, t.columns, t.new_columns, define.arriving, define.map, t.map_key);

	olds := migration.list('', t.columns);
	from_new := migration.list('NEW.', t.new_columns);
	news := migration.list('', migration.columns_of(define.arriving));
	arrived := migration.list('a.', migration.columns_of(define.arriving));

	-- What the old clients see after the swap: the new table, in the shape of the old one.
	EXECUTE format('CREATE VIEW migration.%I AS SELECT %s FROM %s', t.name,
		(SELECT string_agg(format('%I AS %I', n, o), ', ' ORDER BY place) FROM unnest(t.columns, t.new_columns) WITH ORDINALITY AS c (o, n, place)), new);
	FOR part IN
		SELECT a.attname AS name, CASE WHEN a.attidentity <> '' THEN format('nextval(%L::regclass)', pg_get_serial_sequence(define.old::text, a.attname))
			ELSE pg_get_expr(d.adbin, d.adrelid) END AS value
		FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		WHERE a.attrelid = define.old AND (a.attidentity <> '' OR d.oid IS NOT NULL)
	LOOP
		EXECUTE format('ALTER VIEW migration.%I ALTER COLUMN %I SET DEFAULT %s', t.name, part.name, part.value);
	END LOOP;
	FOR part IN
		SELECT x.privilege_type AS privilege, CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END AS role
		FROM pg_class AS c, aclexplode(c.relacl) AS x
		WHERE c.oid = t.old AND x.grantee <> c.relowner AND x.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
	LOOP
		EXECUTE format('GRANT %s ON migration.%I TO %s', part.privilege, t.name, part.role);
	END LOOP;

	-- A change of an old row, in the new table.  Who changes an old row has locked it: so for each row
	-- one transaction at a time comes here, or to the backfill.
	EXECUTE format($f$
		CREATE FUNCTION migration.%9$I() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
		SET search_path = pg_catalog, public, pg_temp SET migration.writing = 'on' AS $t$
		DECLARE
			come iuid;
			a %1$s%%ROWTYPE;
			why text;
		BEGIN
			IF TG_OP <> 'INSERT' THEN
				DELETE FROM migration.set_aside AS s WHERE s.old = %2$s AND s.key = OLD.%3$I::text;
				come := (SELECT m.id FROM %4$s AS m WHERE m.%5$I = OLD.%3$I);
			END IF;
			IF TG_OP = 'DELETE' THEN
				DELETE FROM %6$s AS n WHERE n.id = come;
				RETURN NULL;
			END IF;
			SELECT * INTO a FROM %1$s AS x WHERE x.key = NEW.%3$I;
			IF NOT FOUND THEN
				-- The same command has deleted the row meanwhile.
				RETURN NULL;
			END IF;
			why := CASE WHEN coalesce(come, a.id) IS NULL THEN 'no time that an identifier can have' ELSE a.reason END;
			IF why IS NOT NULL THEN
				DELETE FROM %6$s AS n WHERE n.id = come;
				INSERT INTO migration.set_aside AS s (old, key, reason) VALUES (%2$s, NEW.%3$I::text, why)
				ON CONFLICT ON CONSTRAINT set_aside_pkey DO UPDATE SET reason = excluded.reason;
			ELSIF come IS NULL THEN
				-- If a transaction with an old snapshot does not see what is there, this is a 40001.
				INSERT INTO %6$s (id, %7$s) VALUES (a.id, %8$s) ON CONFLICT DO NOTHING;
				IF NOT FOUND THEN
					RAISE unique_violation USING MESSAGE = pg_catalog.format('two rows have one identifier: %%s', a.id),
						DETAIL = pg_catalog.format('The old key of one of them is %%s.', a.key);
				END IF;
			ELSE
				UPDATE %6$s AS n SET (%7$s) = ROW (%8$s) WHERE n.id = come;
			END IF;
			RETURN NULL;
		END $t$ $f$,
		arriving, t.old::oid, t.key, map, t.map_key, new, news, arrived, 'forward_' || t.name);

	-- A change of a new row, in the old table, after the swap.
	EXECUTE format($f$
		CREATE FUNCTION migration.%I() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
		SET search_path = pg_catalog, public, pg_temp SET migration.writing = 'on' AS $t$
		BEGIN
			IF TG_OP = 'DELETE' THEN
				-- A cascade among the old tables may have been there before.
				DELETE FROM %2$s AS o WHERE o.%3$I = OLD.%4$I;
				RETURN NULL;
			END IF;
			IF TG_OP = 'INSERT' THEN
				INSERT INTO %2$s (%5$s) OVERRIDING SYSTEM VALUE VALUES (%6$s) ON CONFLICT (%3$I) DO NOTHING;
				IF FOUND THEN
					RETURN NULL;
				END IF;
				-- Only a row that was set aside, and comes now, is there.
				DELETE FROM migration.set_aside AS s WHERE s.old = %7$s AND s.key = NEW.%4$I::text;
				IF NOT FOUND THEN
					RAISE unique_violation USING MESSAGE = pg_catalog.format('there is another row with %%s = %%s', %8$L, NEW.%4$I);
				END IF;
			END IF;
			UPDATE %2$s AS o SET (%5$s) = ROW (%6$s) WHERE o.%3$I = CASE TG_OP WHEN 'INSERT' THEN NEW.%4$I ELSE OLD.%4$I END;
			IF NOT FOUND THEN
				RAISE data_exception USING MESSAGE = pg_catalog.format('%%s has no row with %%s = %%s', %9$L, %8$L, OLD.%4$I);
			END IF;
			RETURN NULL;
		END $t$ $f$,
		'reverse_' || t.name, format('%I.%I', t.schema, t.name || '_old'), t.key, t.map_key,
		olds, from_new, t.old::oid, t.key, t.name || '_old');

	-- Nobody writes the new table until the swap.
	EXECUTE format('CREATE TRIGGER migration_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s EXECUTE FUNCTION migration.refuse()', new);
END $$;

-- For a table that keeps its key: one column of it is filled, by a trigger of the table.
CREATE PROCEDURE migration.define_column(old regclass, filled name) LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	INSERT INTO migration.tables (old, schema, name, key, key_type, columns)
	SELECT i.indrelid, n.nspname, c.relname, a.attname, format_type(a.atttypid, NULL), ARRAY[filled]
	FROM pg_index AS i
		JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
		JOIN pg_class AS c ON c.oid = i.indrelid
		JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE i.indrelid = define_column.old AND i.indisprimary AND i.indnkeyatts = 1;
END $$;

-- Of the two tables, one is written by clients, and the other one by the triggers only.
CREATE FUNCTION migration.refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF current_setting('migration.writing', true) = 'on' THEN
		RETURN NULL;
	ELSIF TG_OP = 'TRUNCATE' THEN
		RAISE feature_not_supported USING MESSAGE = format('table %s is being migrated, and cannot be truncated', TG_RELID::regclass),
			HINT = 'Use DELETE.';
	ELSE
		RAISE object_not_in_prerequisite_state USING MESSAGE = format('table %s is written by the migration only', TG_RELID::regclass),
			HINT = 'Write the other table of the two: see migration.progress, whether the swap has been.';
	END IF;
END $$;

--
-- Step 2: from now on, each change of the old table is made in the new one
--

CREATE PROCEDURE migration.follow(old regclass) LANGUAGE plpgsql AS $$
BEGIN
	CALL migration.run(migration.follow_commands(old));
END $$;

CREATE FUNCTION migration.follow_commands(of regclass) RETURNS text[] LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
	SELECT ARRAY[
		format('CREATE TRIGGER migration_forward AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION migration.%I()', t.old, 'forward_' || t.name),
		format('CREATE TRIGGER migration_truncate BEFORE TRUNCATE ON %s EXECUTE FUNCTION migration.refuse()', t.old),
		-- Replicated changes, too.
		format('ALTER TABLE %s ENABLE ALWAYS TRIGGER migration_forward', t.old)]
	FROM migration.tables AS t WHERE t.old = of
$$;

-- The way back: the new tables are emptied, and nothing of the migration is left in the old ones.  A
-- table that keeps its key must no longer refer to a new table.
CREATE PROCEDURE migration.unfollow() LANGUAGE plpgsql AS $$
BEGIN
	CALL migration.run(ARRAY['SELECT migration.unfollow_now()']);
END $$;

CREATE FUNCTION migration.unfollow_now() RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET migration.writing = 'on' AS $$
DECLARE
	t migration.tables;
BEGIN
	IF EXISTS (SELECT FROM migration.tables AS x WHERE x.swapped) THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = 'the swap has been', HINT = 'Call migration.swap_back() first.';
	END IF;
	FOR t IN SELECT * FROM migration.tables AS x WHERE x.new IS NOT NULL ORDER BY x.place LOOP
		EXECUTE format('DROP TRIGGER IF EXISTS migration_forward ON %s', t.old);
		EXECUTE format('DROP TRIGGER IF EXISTS migration_truncate ON %s', t.old);
	END LOOP;
	-- Without CASCADE, which would empty the tables that refer to them, too.
	EXECUTE (SELECT format('TRUNCATE %s', string_agg(DISTINCT x::text, ', '))
		FROM migration.tables AS y, unnest(ARRAY[y.new, y.map]) AS x WHERE y.new IS NOT NULL);
	DELETE FROM migration.set_aside;
	DELETE FROM migration.tables AS x WHERE x.new IS NULL;
	UPDATE migration.tables SET watermark = NULL, rows_come = 0, begun = NULL, complete = NULL;
END $$;

--
-- Step 3: bring the rows that are there
--

-- Each batch is a transaction, with its watermark.  After an error or a crash, call it again.  Called
-- when it is complete, it tries the rows that are set aside.  Who writes a row of a batch waits for
-- the end of the batch: batches have as many rows as can come in the time "longest".
CREATE PROCEDURE migration.backfill(old regclass, longest interval DEFAULT '50 ms', pause interval DEFAULT '0') LANGUAGE plpgsql AS $$
DECLARE
	lock bigint := pg_catalog.hashtextextended('migration.backfill', old::oid::bigint);
	size int := 100;
	since timestamptz;
	more boolean;
	after text;
BEGIN
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
	-- What is set aside, batch by batch, too, until no row of it is in use.
	LOOP
		after := '';
		LOOP
			since := pg_catalog.clock_timestamp();
			after := migration.try_leftovers(old, after, size);
			size := migration.next_size(size, longest, pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) since);
			COMMIT;
			EXIT WHEN after IS NULL;
			PERFORM pg_catalog.pg_sleep_for(pause);
		END LOOP;
		EXIT WHEN NOT migration.has_rows_in_use(old);
		PERFORM pg_catalog.pg_sleep(0.1);
	END LOOP;
	PERFORM pg_catalog.pg_advisory_unlock(lock);
END $$;

CREATE FUNCTION migration.next_size(size int, longest interval, took interval) RETURNS int LANGUAGE sql IMMUTABLE
RETURN greatest(1, least(10000, CASE WHEN took > longest THEN size / 2 WHEN took < longest / 2 THEN size * 5 / 4 + 1 ELSE size END));

-- A batch that meets a lock gives up before a client that waits for the batch looks for a deadlock.
CREATE FUNCTION migration.try_batch(of regclass, size int) RETURNS boolean LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
	t migration.tables;
	keys text[];
BEGIN
	SELECT * INTO STRICT t FROM migration.tables WHERE old = of;
	IF t.swapped OR t.complete IS NOT NULL THEN
		RETURN false;
	END IF;
	EXECUTE format('SELECT array_agg(k::text ORDER BY k) FROM (SELECT %1$I FROM %2$s %3$s ORDER BY %1$I LIMIT %4$s) AS o (k)', t.key, t.old,
		CASE WHEN t.watermark IS NOT NULL THEN format('WHERE %I > %L::%s', t.key, t.watermark, t.key_type) END, size) INTO keys;
	IF keys IS NULL THEN
		UPDATE migration.tables SET complete = clock_timestamp() WHERE old = of;
		RETURN false;
	END IF;
	PERFORM migration.bring(t, keys);
	UPDATE migration.tables SET watermark = keys[cardinality(keys)] WHERE old = of;
	RETURN true;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
	RETURN true;
END $$;

-- Tries a batch of what is set aside; the last key of the batch, or NULL if there are no more.
CREATE FUNCTION migration.try_leftovers(of regclass, after text, size int) RETURNS text LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
	t migration.tables;
	keys text[];
BEGIN
	SELECT * INTO STRICT t FROM migration.tables WHERE old = of;
	IF t.swapped THEN
		RETURN NULL;
	END IF;
	SELECT array_agg(key ORDER BY key) INTO keys
	FROM (SELECT key FROM migration.set_aside WHERE old = of AND key > after ORDER BY key LIMIT size) AS s;
	IF keys IS NOT NULL THEN
		PERFORM migration.bring(t, keys);
	END IF;
	RETURN keys[cardinality(keys)];
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
	RETURN after;
END $$;

CREATE FUNCTION migration.has_rows_in_use(of regclass) RETURNS boolean LANGUAGE sql SET search_path = pg_catalog, pg_temp
RETURN EXISTS (SELECT FROM migration.set_aside WHERE old = of AND reason = 'in use');

-- Brings rows, which it locks first: so no other transaction can change them, or has a change of them
-- that is not committed.  It never waits for a row while it has others: one that is in use is set
-- aside, and tried again.  The lock is the one of an UPDATE: what refers to the row can come.
CREATE FUNCTION migration.bring(t migration.tables, keys text[]) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp SET migration.writing = 'on' AS $$
DECLARE
	locked text[];
	come bigint;
BEGIN
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = 'the backfill needs transactions of the isolation level READ COMMITTED';
	END IF;
	EXECUTE format('SELECT array_agg(k::text) FROM (SELECT %1$I FROM %2$s WHERE %1$I = ANY ($1::%3$s[]) FOR NO KEY UPDATE SKIP LOCKED) AS o (k)',
		t.key, t.old, t.key_type) INTO locked USING keys;
	-- From here on each statement sees what is committed in these rows.
	IF t.new IS NULL THEN
		EXECUTE format('UPDATE %1$s SET %2$I = %2$I WHERE %3$I = ANY ($1::%4$s[])', t.old, t.columns[1], t.key, t.key_type) USING locked;
		GET DIAGNOSTICS come = ROW_COUNT;
	ELSE
		EXECUTE format($f$
			WITH arriving AS MATERIALIZED (
				SELECT a.*, CASE WHEN a.id IS NULL THEN 'no time that an identifier can have' ELSE a.reason END AS why
				FROM %1$s AS a WHERE a.key = ANY ($1::%2$s[]) AND NOT EXISTS (SELECT FROM %3$s AS m WHERE m.%4$I = a.key)
			), aside AS (
				INSERT INTO migration.set_aside AS s (old, key, reason) SELECT %5$s, a.key::text, a.why FROM arriving AS a WHERE a.why IS NOT NULL
				ON CONFLICT ON CONSTRAINT set_aside_pkey DO UPDATE SET reason = excluded.reason WHERE s.reason <> excluded.reason
			)
			INSERT INTO %6$s (id, %7$s) SELECT a.id, %8$s FROM arriving AS a WHERE a.why IS NULL ORDER BY a.id$f$,
			t.arriving, t.key_type, t.map, t.map_key, t.old::oid, t.new,
			migration.list('', migration.columns_of(t.arriving)), migration.list('a.', migration.columns_of(t.arriving))) USING locked;
		GET DIAGNOSTICS come = ROW_COUNT;
	END IF;
	UPDATE migration.tables SET rows_come = rows_come + come, begun = coalesce(begun, clock_timestamp()) WHERE old = t.old;

	-- What has come is no longer set aside, nor what is gone.  What others have locked is.
	EXECUTE format('DELETE FROM migration.set_aside AS s WHERE s.old = %s AND s.key = ANY ($1)
		AND (%s OR NOT EXISTS (SELECT FROM %s AS o WHERE o.%I = s.key::%s))', t.old::oid,
		CASE WHEN t.new IS NULL THEN 's.key = ANY ($2)' ELSE format('EXISTS (SELECT FROM %s AS m WHERE m.%I = s.key::%s)', t.map, t.map_key, t.key_type) END,
		t.old, t.key, t.key_type) USING keys, locked;
	IF cardinality(locked) IS DISTINCT FROM cardinality(keys) THEN
		EXECUTE format('INSERT INTO migration.set_aside (old, key, reason)
			SELECT %s, o.%I::text, ''in use'' FROM %s AS o WHERE o.%2$I = ANY ($1::%4$s[]) AND o.%2$I <> ALL ($2::%4$s[]) AND %5$s
			ON CONFLICT DO NOTHING', t.old::oid, t.key, t.old, t.key_type,
			CASE WHEN t.new IS NULL THEN 'true' ELSE format('NOT EXISTS (SELECT FROM %s AS m WHERE m.%I = o.%I)', t.map, t.map_key, t.key) END)
			USING keys, coalesce(locked, '{}');
	END IF;
END $$;

--
-- Step 4: compare
--

-- Old and new rows in the columns of the old table, at one moment: their number, and a sum over them
-- that does not depend on their order.  Everybody goes on meanwhile.  The old rows that are set aside
-- are counted and left out.
CREATE FUNCTION migration.compare() RETURNS TABLE (name name, old_rows bigint, set_aside bigint, new_rows bigint, same boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
	t migration.tables;
BEGIN
	FOR t IN SELECT * FROM migration.tables AS x WHERE x.new IS NOT NULL ORDER BY x.place LOOP
		RETURN QUERY EXECUTE format($f$
			WITH old AS (SELECT count(*) AS rows, count(*) FILTER (WHERE s.key IS NOT NULL) AS aside,
					sum(hashtextextended(ROW (%1$s)::text, 0)::numeric) FILTER (WHERE s.key IS NULL) AS digest
				FROM %3$s AS o LEFT JOIN migration.set_aside AS s ON s.old = %4$s AND s.key = o.%5$I::text),
			new AS (SELECT count(*) AS rows, sum(hashtextextended(ROW (%2$s)::text, 0)::numeric) AS digest FROM %6$s AS n)
			SELECT %7$L::name, old.rows, old.aside, new.rows, old.rows - old.aside = new.rows AND old.digest IS NOT DISTINCT FROM new.digest FROM old, new$f$,
			migration.list('o.', t.columns), migration.list('n.', t.new_columns), t.old, t.old::oid, t.key, t.new, t.name);
	END LOOP;
END $$;

--
-- Step 5: the swap, and the way back
--

-- All tables at once, in one transaction of some milliseconds.  "set_aside" is the number of rows that
-- you know of, and that stay behind.
CREATE PROCEDURE migration.swap(set_aside bigint DEFAULT 0, patience interval DEFAULT '1 hour') LANGUAGE plpgsql AS $$
BEGIN
	CALL migration.run(ARRAY[pg_catalog.format('SELECT migration.swap_now(%s)', set_aside)], patience);
END $$;

CREATE PROCEDURE migration.swap_back(patience interval DEFAULT '1 hour') LANGUAGE plpgsql AS $$
BEGIN
	CALL migration.run(ARRAY['SELECT migration.swap_back_now()'], patience);
END $$;

CREATE FUNCTION migration.swap_now(known bigint) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	t migration.tables;
	command text;
	aside bigint;
BEGIN
	IF EXISTS (SELECT FROM migration.tables AS x WHERE x.swapped OR x.complete IS NULL) THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = 'not every table is complete, or the swap has been',
			HINT = 'See migration.progress.';
	END IF;
	-- Old clients lock the old table before the new one, and so does this.
	FOR t IN SELECT * FROM migration.tables AS x WHERE x.new IS NOT NULL ORDER BY x.place LOOP
		EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', t.old);
	END LOOP;
	SELECT count(*) INTO aside FROM migration.set_aside;
	IF aside <> known OR EXISTS (SELECT FROM migration.set_aside WHERE reason = 'in use') THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = format('the number of rows that are set aside is %s, and not %s', aside, known),
			HINT = 'See migration.set_aside, and call migration.backfill() again.';
	END IF;
	FOR t IN SELECT * FROM migration.tables AS x WHERE x.new IS NOT NULL ORDER BY x.place LOOP
		t.silenced := ARRAY(SELECT g.tgname FROM pg_trigger AS g WHERE g.tgrelid = t.old AND NOT g.tgisinternal
			AND g.tgenabled = 'O' AND g.tgname NOT LIKE 'migration\_%');
		FOREACH command IN ARRAY t.silenced LOOP
			EXECUTE format('ALTER TABLE %s DISABLE TRIGGER %I', t.old, command);
		END LOOP;
		EXECUTE format('DROP TRIGGER migration_forward ON %s', t.old);
		EXECUTE format('CREATE TRIGGER migration_guard BEFORE INSERT OR UPDATE OR DELETE ON %s EXECUTE FUNCTION migration.refuse()', t.old);
		EXECUTE format('DROP TRIGGER migration_guard ON %s', t.new);
		EXECUTE format('CREATE TRIGGER migration_reverse AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION migration.%I()',
			t.new, 'reverse_' || t.name);
		EXECUTE format('CREATE TRIGGER migration_truncate BEFORE TRUNCATE ON %s EXECUTE FUNCTION migration.refuse()', t.new);
		EXECUTE format('ALTER TABLE %s RENAME TO %I', t.old, t.name || '_old');
		EXECUTE format('ALTER VIEW migration.%I SET SCHEMA %I', t.name, t.schema);
		UPDATE migration.tables AS x SET swapped = true, silenced = t.silenced WHERE x.old = t.old;
	END LOOP;
END $$;

CREATE FUNCTION migration.swap_back_now() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	t migration.tables;
	command text;
BEGIN
	IF NOT EXISTS (SELECT FROM migration.tables AS x WHERE x.swapped) THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = 'the swap has not been';
	END IF;
	-- The view, and what it reads; then the old table.
	FOR t IN SELECT * FROM migration.tables AS x WHERE x.swapped ORDER BY x.place LOOP
		EXECUTE format('LOCK TABLE %I.%I IN ACCESS EXCLUSIVE MODE', t.schema, t.name);
		EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', t.old);
	END LOOP;
	FOR t IN SELECT * FROM migration.tables AS x WHERE x.swapped ORDER BY x.place LOOP
		EXECUTE format('DROP TRIGGER migration_reverse ON %s', t.new);
		EXECUTE format('DROP TRIGGER migration_truncate ON %s', t.new);
		EXECUTE format('CREATE TRIGGER migration_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s EXECUTE FUNCTION migration.refuse()', t.new);
		EXECUTE format('DROP TRIGGER migration_guard ON %s', t.old);
		EXECUTE format('DROP TRIGGER migration_truncate ON %s', t.old);
		FOREACH command IN ARRAY t.silenced LOOP
			EXECUTE format('ALTER TABLE %s ENABLE TRIGGER %I', t.old, command);
		END LOOP;
		EXECUTE format('ALTER VIEW %I.%I SET SCHEMA migration', t.schema, t.name);
		EXECUTE format('ALTER TABLE %s RENAME TO %I', t.old, t.name);
		FOREACH command IN ARRAY migration.follow_commands(t.old) LOOP
			EXECUTE command;
		END LOOP;
		UPDATE migration.tables AS x SET swapped = false, silenced = '{}' WHERE x.old = t.old;
	END LOOP;
END $$;

--
-- Step 6: the end
--

-- No old client is left: their views go, and the old tables are no longer kept in step.  What is set
-- aside is kept for good, in a table of its own.
CREATE PROCEDURE migration.finish() LANGUAGE plpgsql AS $$
BEGIN
	CALL migration.run(ARRAY['SELECT migration.finish_now()']);
END $$;

CREATE FUNCTION migration.finish_now() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	t migration.tables;
BEGIN
	IF EXISTS (SELECT FROM migration.tables AS x WHERE x.new IS NOT NULL AND NOT x.swapped) THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = 'the swap has not been';
	END IF;
	CREATE TABLE v2.set_aside (name name, key text, reason text NOT NULL, since timestamptz NOT NULL, old_row jsonb NOT NULL, PRIMARY KEY (name, key));
	FOR t IN SELECT * FROM migration.tables AS x WHERE x.swapped ORDER BY x.place LOOP
		EXECUTE format('INSERT INTO v2.set_aside SELECT %L, s.key, s.reason, s.since, to_jsonb(o)
			FROM migration.set_aside AS s JOIN %s AS o ON o.%I::text = s.key WHERE s.old = %s', t.name, t.old, t.key, t.old::oid);
		EXECUTE format('DROP VIEW %I.%I', t.schema, t.name);
		EXECUTE format('DROP TRIGGER migration_reverse ON %s', t.new);
		EXECUTE format('DROP TRIGGER migration_truncate ON %s', t.new);
	END LOOP;
END $$;
