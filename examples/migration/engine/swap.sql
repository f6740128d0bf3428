-- Step 6: the swap, and the way back.  Subscribers have the new tables from step 2 on, and need no more:
-- the old ones leave their publications in the first swap, and come back in migration.back() only.

-- All tables at once, in one transaction of some milliseconds.  "set_aside" is the number of rows that
-- you know of, and that stay behind: old clients no longer see them.
CREATE PROCEDURE migration.swap(set_aside bigint DEFAULT 0, patience interval DEFAULT '1 hour') LANGUAGE plpgsql AS $$
BEGIN
	PERFORM migration.refuse_before('swap');
	CALL migration.run(ARRAY[pg_catalog.format('SELECT migration.swap_now(%s)', set_aside)], patience);
END $$;

CREATE PROCEDURE migration.swap_back(patience interval DEFAULT '1 hour') LANGUAGE plpgsql AS $$
BEGIN
	CALL migration.run(ARRAY['SELECT migration.swap_back_now()'], patience);
END $$;

-- Views as they are defined now, for when their names mean something else.
CREATE FUNCTION migration.views_of(of regclass) RETURNS SETOF text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT DISTINCT format('CREATE OR REPLACE VIEW %I.%I%s AS %s', n.nspname, v.relname, CASE WHEN v.reloptions IS NOT NULL THEN format(' WITH (%s)', array_to_string(v.reloptions, ', ')) END,
		pg_get_viewdef(v.oid))
	FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid AND d.classid = 'pg_rewrite'::regclass JOIN pg_class AS v ON v.oid = r.ev_class JOIN pg_namespace AS n ON n.oid = v.relnamespace
	WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = of AND v.oid <> of AND v.relkind = 'v' AND n.nspname <> 'migration'
$$;

-- Foreign keys of new tables are deferred as long as the triggers write them, and then as the old ones.
CREATE FUNCTION migration.defer(t migration.tables, always boolean) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	r migration.refs;
BEGIN
	FOR r IN SELECT * FROM migration.refs AS x WHERE x.old = t.old AND (x.moved OR t.country IS NOT NULL) LOOP
		EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I %s', coalesce(t.new, t.old), CASE WHEN t.country IS NULL THEN left(t.name || '_' || r.new_column, 58) || '_fkey' ELSE r.name END,
			CASE WHEN always OR r.condeferred THEN 'DEFERRABLE INITIALLY DEFERRED' WHEN r.condeferrable THEN 'DEFERRABLE INITIALLY IMMEDIATE' ELSE 'NOT DEFERRABLE' END);
	END LOOP;
END $$;

-- Identity columns of both tables go on where those of the other one are.
CREATE FUNCTION migration.set_sequence(to_table regclass, to_column name, from_table regclass, from_column name) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	EXECUTE format('SELECT setval(%L, last_value, is_called) FROM %s', pg_get_serial_sequence(to_table::text, to_column), pg_get_serial_sequence(from_table::text, from_column));
END $$;

CREATE FUNCTION migration.swap_now(known bigint) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	t migration.tables;
	one regclass;
	command text;
	commands text[] := '{}';
	aside bigint;
BEGIN
	IF EXISTS (SELECT FROM migration.tables AS x WHERE x.swapped OR x.complete IS NULL) THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = 'not every table is complete, or the swap has been',
			HINT = 'See migration.progress.';
	END IF;
	-- Old clients lock the old table before the new one, and so does this.
	PERFORM migration.lock(ARRAY(SELECT x.old FROM migration.tables AS x WHERE x.country IS NOT NULL ORDER BY x.place), 'ACCESS EXCLUSIVE');
	SELECT count(*) INTO aside FROM migration.set_aside;
	IF aside <> known OR EXISTS (SELECT FROM migration.set_aside WHERE reason = 'in use') THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = format('the number of rows that are set aside is %s, and not %s', aside, known),
			HINT = 'See migration.set_aside, and call migration.backfill() again.';
	END IF;
	FOR t IN SELECT * FROM migration.tables AS x WHERE x.new IS NOT NULL ORDER BY x.place LOOP
		commands := commands || ARRAY(SELECT migration.views_of(t.old));
	END LOOP;
	FOR t IN SELECT * FROM migration.tables AS x ORDER BY x.place LOOP
		PERFORM migration.defer(t, false);
		CONTINUE WHEN t.country IS NULL;
		PERFORM migration.set_sequence(t.new, c.new_name, t.old, c.name) FROM migration.columns AS c WHERE c.old = t.old AND c.identity <> '';
		FOR command IN SELECT format('ALTER PUBLICATION %I DROP TABLE %s', p.pubname, t.old) FROM pg_publication_rel AS r JOIN pg_publication AS p ON p.oid = r.prpubid WHERE r.prrelid = t.old LOOP
			EXECUTE command;
		END LOOP;
		t.silenced := ARRAY(SELECT g.tgname FROM pg_trigger AS g WHERE g.tgrelid = t.old AND NOT g.tgisinternal
			AND g.tgenabled = 'O' AND g.tgname NOT LIKE 'migration\_%');
		FOREACH command IN ARRAY t.silenced LOOP
			EXECUTE format('ALTER TABLE %s DISABLE TRIGGER %I', t.old, command);
		END LOOP;
		EXECUTE format('DROP TRIGGER migration_forward ON %s', t.old);
		FOR one IN SELECT * FROM migration.tree(t.old) LOOP
			EXECUTE format('CREATE TRIGGER migration_guard BEFORE INSERT OR UPDATE OR DELETE ON %s EXECUTE FUNCTION migration.refuse()', one);
		END LOOP;
		EXECUTE format('DROP TRIGGER migration_guard ON %s', t.new);
		EXECUTE format('CREATE TRIGGER migration_reverse AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION migration.%I()',
			t.new, 'reverse_' || t.name);
		IF to_regproc(format('migration.%I', 'cascade_' || t.name)) IS NOT NULL THEN
			-- After "migration_reverse": the old table follows first.
			EXECUTE format('CREATE TRIGGER migration_update AFTER UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION migration.%I()', t.new, 'cascade_' || t.name);
		END IF;
		EXECUTE format('CREATE TRIGGER migration_truncate BEFORE TRUNCATE ON %s EXECUTE FUNCTION migration.refuse()', t.new);
		PERFORM migration.grant_as(t.old, format('migration.%I', t.name)::regclass);
		EXECUTE format('ALTER TABLE %s RENAME TO %I', t.old, t.name || '_old');
		EXECUTE format('ALTER VIEW migration.%I SET SCHEMA %I', t.name, t.schema);
		UPDATE migration.tables AS x SET swapped = true, silenced = t.silenced WHERE x.old = t.old;
	END LOOP;
	FOREACH command IN ARRAY commands LOOP
		EXECUTE command;
	END LOOP;
END $$;

CREATE FUNCTION migration.swap_back_now() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	t migration.tables;
	command text;
	commands text[] := '{}';
BEGIN
	IF NOT EXISTS (SELECT FROM migration.tables AS x WHERE x.swapped) THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = 'the swap has not been';
	END IF;
	-- The view, and what it reads; then the old table.
	FOR t IN SELECT * FROM migration.tables AS x WHERE x.swapped ORDER BY x.place LOOP
		commands := commands || ARRAY(SELECT migration.views_of(format('%I.%I', t.schema, t.name)::regclass));
		PERFORM migration.lock(ARRAY[format('%I.%I', t.schema, t.name)::regclass, t.old], 'ACCESS EXCLUSIVE');
	END LOOP;
	FOR t IN SELECT * FROM migration.tables AS x ORDER BY x.place LOOP
		PERFORM migration.defer(t, true);
		CONTINUE WHEN NOT t.swapped;
		PERFORM migration.set_sequence(t.old, c.name, t.new, c.new_name) FROM migration.columns AS c WHERE c.old = t.old AND c.identity <> '';
		PERFORM migration.drop_trigger(g, t.new) FROM unnest(ARRAY['migration_reverse', 'migration_update', 'migration_truncate']) AS g;
		EXECUTE format('CREATE TRIGGER migration_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s EXECUTE FUNCTION migration.refuse()', t.new);
		PERFORM migration.drop_trigger(g, t.old) FROM unnest(ARRAY['migration_guard', 'migration_truncate']) AS g;
		FOREACH command IN ARRAY t.silenced LOOP
			EXECUTE format('ALTER TABLE %s ENABLE TRIGGER %I', t.old, command);
		END LOOP;
		PERFORM migration.grant_as(format('%I.%I', t.schema, t.name)::regclass, t.old);
		EXECUTE format('ALTER VIEW %I.%I SET SCHEMA migration', t.schema, t.name);
		EXECUTE format('ALTER TABLE %s RENAME TO %I', t.old, t.name);
		PERFORM migration.follow_table(t);
		UPDATE migration.tables AS x SET swapped = false, silenced = '{}' WHERE x.old = t.old;
	END LOOP;
	FOREACH command IN ARRAY commands LOOP
		EXECUTE command;
	END LOOP;
END $$;
