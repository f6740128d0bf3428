-- Step 4: the foreign keys of the new tables, when all rows have come.  Each is added NOT VALID, and
-- validated beside writers.  Until the swap the triggers write both tables, so what a key refers to
-- may come later in the same transaction: the keys of the new tables are deferred.

-- Indexes that are built in tables that keep their key: each is a command of its own.
CREATE FUNCTION migration.index_commands() RETURNS SETOF text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT format('CREATE INDEX CONCURRENTLY IF NOT EXISTS %I ON %s (%I)', left(t.name || '_' || r.new_column, 63), t.old, r.new_column)
	FROM migration.tables AS t JOIN migration.refs AS r ON r.old = t.old WHERE r.moved AND t.country IS NULL ORDER BY t.place
$$;

CREATE PROCEDURE migration.constrain() LANGUAGE plpgsql AS $$
DECLARE
	command text;
	r record;
	keys jsonb;
BEGIN
	IF EXISTS (SELECT FROM migration.tables WHERE complete IS NULL) THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = 'not every table is complete', HINT = 'CALL migration.backfill().';
	END IF;
	-- What refers to a row that is set aside cannot stay, and neither what refers to that.
	LOOP
		SELECT * INTO r FROM migration.dangling() AS d LIMIT 1;
		EXIT WHEN NOT FOUND;
		FOR keys IN SELECT pg_catalog.jsonb_agg(x.key) FROM pg_catalog.jsonb_array_elements(r.keys) WITH ORDINALITY AS x (key, n) GROUP BY x.n OPERATOR(pg_catalog./) 500 LOOP
			WHILE NOT migration.take_out(r.old, keys, r.reason) LOOP
				COMMIT;
				PERFORM pg_catalog.pg_sleep(0.1);
			END LOOP;
			COMMIT;
		END LOOP;
	END LOOP;
	-- Each command is a transaction.  Called again after a crash, it goes on with what is left.
	FOR command IN SELECT * FROM migration.constraint_commands() LOOP
		IF command LIKE '%VALIDATE CONSTRAINT%' THEN
			EXECUTE command;
			COMMIT;
		ELSE
			CALL migration.run(ARRAY[command]);
		END IF;
	END LOOP;
	UPDATE migration.tables SET constrained = true;
END $$;

-- New rows that refer to nothing: only what refers to a row that is set aside does.
CREATE FUNCTION migration.dangling() RETURNS TABLE (old regclass, keys jsonb, reason text) LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
	r record;
BEGIN
	PERFORM set_config('search_path', migration.path(), true);
	FOR r IN
		SELECT t.old, t.new, p.new AS parent, p.name AS parent_name, x.new_column, k.columns, migration.new_names(t.old, k.columns) AS names
		FROM migration.refs AS x JOIN migration.tables AS t ON t.old = x.old JOIN migration.tables AS p ON p.old = x.parent JOIN migration.keys AS k ON k.old = t.old
		WHERE x.moved AND t.country IS NOT NULL AND EXISTS (SELECT FROM migration.set_aside AS s WHERE s.old = x.parent)
	LOOP
		RETURN QUERY EXECUTE format('SELECT %L::regclass, pg_catalog.jsonb_agg(%s), %L FROM %s AS n WHERE n.%I IS NOT NULL AND NOT EXISTS (SELECT FROM %s AS p WHERE p.id = n.%5$I) HAVING count(*) > 0',
			r.old::oid, migration.json_of('n.', r.names, r.columns), format('it refers to a row of %s that is set aside', r.parent_name), r.new, r.new_column, r.parent);
	END LOOP;
END $$;

CREATE FUNCTION migration.take_out(of regclass, keys jsonb, why text) RETURNS boolean LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET lock_timeout = '200ms' AS $$
DECLARE
	t migration.tables;
	k migration.keys;
BEGIN
	PERFORM set_config('migration.writing', 'on', true);
	PERFORM set_config('search_path', migration.path(), true);
	SELECT * INTO STRICT t FROM migration.tables WHERE old = of;
	SELECT * INTO STRICT k FROM migration.keys WHERE old = of;
	-- Who changes an old row has locked it.
	EXECUTE format('SELECT FROM %s AS o JOIN %s ON %s FOR NO KEY UPDATE OF o', t.old, migration.rows_of('$1', k), migration.equal('o.', k.columns, 'k.', k.columns)) USING keys;
	EXECUTE format('DELETE FROM %s AS n USING %s WHERE %s', t.new, migration.rows_of('$1', k), migration.equal('n.', migration.new_names(of, k.columns), 'k.', k.columns)) USING keys;
	EXECUTE format('INSERT INTO migration.set_aside (old, key, reason) SELECT %s, %s, $2 FROM %s AS o JOIN %s ON %s ON CONFLICT DO NOTHING', of::oid,
		migration.json_of('k.', k.columns, k.columns), t.old, migration.rows_of('$1', k), migration.equal('o.', k.columns, 'k.', k.columns)) USING keys, why;
	RETURN true;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
	RETURN false;
END $$;

-- A foreign key of an old table, for the new one.  Among new tables it is by iuid.
CREATE FUNCTION migration.foreign_key(r migration.refs) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT format('FOREIGN KEY (%s) REFERENCES %s ON DELETE %s%s DEFERRABLE INITIALLY DEFERRED',
		CASE WHEN r.moved THEN quote_ident(r.new_column) ELSE migration.list('', migration.new_names(r.old, r.columns)) END,
		CASE WHEN r.moved THEN (SELECT p.new || ' (id)' FROM migration.tables AS p WHERE p.old = r.parent)
			ELSE format('%s (%s)%s', r.parent, migration.list('', r.parent_columns), CASE r.confmatchtype WHEN 'f' THEN ' MATCH FULL' ELSE '' END) END,
		a.words ->> r.confdeltype::text, CASE WHEN NOT r.moved THEN ' ON UPDATE ' || (a.words ->> r.confupdtype::text) ELSE '' END)
	FROM (SELECT jsonb '{"a": "NO ACTION", "r": "RESTRICT", "c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}') AS a (words)
$$;

-- What refers to a row that is set aside.
CREATE FUNCTION migration.has_null(of regclass, of_column name, OUT has boolean) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	EXECUTE format('SELECT EXISTS (SELECT FROM %s AS o WHERE o.%I IS NULL)', of, of_column) INTO has;
END $$;

-- Before version 18 a table with partitions takes no NOT VALID: then each partition gets the key, and
-- last the table above them, which adopts what is valid.  That drops triggers of the table that the
-- key refers to, which needs its strongest lock.  Whoever has read that table and then writes it would
-- be the victim of a deadlock if this had a weaker lock before.
CREATE FUNCTION migration.constraint_commands() RETURNS SETOF text LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	r migration.refs;
	t migration.tables;
	one regclass;
	base regclass;
	referred regclass;
	con name;
	leaves regclass[];
BEGIN
	FOR t IN SELECT * FROM migration.tables AS x ORDER BY x.place LOOP
		base := coalesce(t.new, t.old);
		FOR r IN SELECT * FROM migration.refs AS x WHERE x.old = t.old AND (x.moved OR t.country IS NOT NULL) LOOP
			con := CASE WHEN t.country IS NULL THEN left(t.name || '_' || r.new_column, 58) || '_fkey' ELSE r.name END;
			CONTINUE WHEN EXISTS (SELECT FROM pg_constraint AS x WHERE x.conrelid = base AND x.conname = con AND x.convalidated);
			leaves := ARRAY[base];
			IF current_setting('server_version_num')::int < 180000 AND (SELECT relkind FROM pg_class WHERE oid = base) = 'p' THEN
				leaves := ARRAY(SELECT p.relid FROM pg_partition_tree(base) AS p WHERE p.isleaf);
			END IF;
			FOREACH one IN ARRAY leaves LOOP
				IF NOT EXISTS (SELECT FROM pg_constraint AS x WHERE x.conrelid = one AND x.conname = con) THEN
					RETURN NEXT format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', one, con, migration.foreign_key(r));
				END IF;
				RETURN NEXT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', one, con);
			END LOOP;
			IF leaves <> ARRAY[base] THEN
				referred := CASE WHEN r.moved THEN (SELECT p.new FROM migration.tables AS p WHERE p.old = r.parent) ELSE r.parent END;
				RETURN NEXT format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE; ', referred)
					|| format('ALTER TABLE %s ADD CONSTRAINT %I %s', base, con, migration.foreign_key(r));
			END IF;
		END LOOP;
		-- What the old table does not allow to be NULL, the new column does not, either.
		FOR r IN SELECT * FROM migration.refs AS x WHERE x.old = t.old AND x.moved
			AND NOT EXISTS (SELECT FROM migration.columns AS y WHERE y.old = t.old AND y.name = ANY (x.columns) AND NOT y.not_null)
		LOOP
			RETURN QUERY SELECT * FROM migration.not_null_commands(base, r.new_column) WHERE t.country IS NOT NULL OR NOT migration.has_null(base, r.new_column);
		END LOOP;
	END LOOP;
END $$;

-- The CHECK that was validated says that there is no NULL, so nobody looks for one under the lock.
CREATE FUNCTION migration.not_null_commands(of regclass, of_column name) RETURNS SETOF text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	con name := left('migration_' || of_column, 63);
	is_there boolean := EXISTS (SELECT FROM pg_constraint WHERE conrelid = of AND conname = con);
	is_done boolean := (SELECT attnotnull FROM pg_attribute WHERE attrelid = of AND attname = of_column);
BEGIN
	IF NOT is_done THEN
		IF NOT is_there THEN
			RETURN NEXT format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%I IS NOT NULL) NOT VALID', of, con, of_column);
		END IF;
		RETURN NEXT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', of, con);
		RETURN NEXT format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', of, of_column);
	END IF;
	IF is_there OR NOT is_done THEN
		RETURN NEXT format('ALTER TABLE %s DROP CONSTRAINT %I', of, con);
	END IF;
END $$;

--
-- Step 5: compare
--

-- Old and new rows in the columns of the old table, at one moment: their number, and a sum over them
-- that does not depend on their order.  Everybody goes on meanwhile.  The old rows that are set aside
-- are counted and left out.
CREATE FUNCTION migration.compare() RETURNS TABLE (name name, old_rows bigint, set_aside bigint, new_rows bigint, same boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
	t migration.tables;
	k migration.keys;
	columns name[];
BEGIN
	PERFORM set_config('search_path', migration.path(), true);
	FOR t IN SELECT * FROM migration.tables AS x WHERE x.new IS NOT NULL ORDER BY x.place LOOP
		SELECT * INTO k FROM migration.keys AS x WHERE x.old = t.old;
		columns := ARRAY(SELECT x.name FROM migration.columns AS x WHERE x.old = t.old ORDER BY x.attnum);
		RETURN QUERY EXECUTE format($f$
			WITH old AS (SELECT count(*) AS rows, count(*) FILTER (WHERE s.key IS NOT NULL) AS aside,
					sum(hashtextextended(ROW (%1$s)::text, 0)::numeric) FILTER (WHERE s.key IS NULL) AS digest
				FROM %3$s AS o LEFT JOIN migration.set_aside AS s ON s.old = %4$s AND s.key = %5$s),
			new AS (SELECT count(*) AS rows, sum(hashtextextended(ROW (%2$s)::text, 0)::numeric) AS digest FROM %6$s AS n)
			SELECT %7$L::name, old.rows, old.aside, new.rows, old.rows - old.aside = new.rows AND old.digest IS NOT DISTINCT FROM new.digest FROM old, new$f$,
			migration.list('o.', columns), migration.list('n.', migration.new_names(t.old, columns)), t.old, t.old::oid,
			migration.json_of('o.', k.columns, k.columns), t.new, t.name);
	END LOOP;
END $$;
