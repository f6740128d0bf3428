-- Step 7: the end, and the way back before the swap.

-- No old client is left: their views go, and the old tables.  Nothing is dropped that you have made:
-- what depends on an old table is in the way, and is in migration.dependents().  What is set aside is
-- kept for good, in a table of its own.
CREATE PROCEDURE migration.finish() LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM migration.tables AS x WHERE x.country IS NOT NULL AND NOT x.swapped) THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = 'the swap has not been';
	END IF;
	PERFORM migration.refuse_before('finish');
	CALL migration.run(ARRAY['SELECT migration.finish_now()']);
END $$;

CREATE FUNCTION migration.finish_now() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	t migration.tables;
	k migration.keys;
	r record;
	c migration.columns;
	command text;
	commands text[] := '{}';
BEGIN
	CREATE TABLE v2.set_aside (name name, key jsonb, reason text NOT NULL, since timestamptz NOT NULL, old_row jsonb NOT NULL, PRIMARY KEY (name, key));
	FOR t IN SELECT * FROM migration.tables AS x ORDER BY x.place LOOP
		SELECT * INTO k FROM migration.keys AS x WHERE x.old = t.old;
		EXECUTE format('INSERT INTO v2.set_aside SELECT %L, s.key, s.reason, s.since, to_jsonb(o) FROM migration.set_aside AS s JOIN %s AS o ON %s = s.key WHERE s.old = %s',
			t.name, t.old, migration.json_of('o.', k.columns, k.columns), t.old::oid);
		IF t.country IS NULL THEN
			commands := commands || format('DROP TRIGGER migration_fill ON %s', t.old);
		ELSE
			EXECUTE format('DROP VIEW %I.%I', t.schema, t.name);
			FOR r IN SELECT g.tgname FROM pg_trigger AS g WHERE g.tgrelid = t.new AND g.tgname LIKE 'migration\_%' AND NOT g.tgisinternal LOOP
				EXECUTE format('DROP TRIGGER %I ON %s', r.tgname, t.new);
			END LOOP;
			EXECUTE format('DROP VIEW migration.%I', 'arriving_' || t.name);
			-- New rows get no old key any more.  Without partitions, those of old rows stay in the table; else
			-- they are in the table of old keys.
			FOR c IN SELECT * FROM migration.columns AS x WHERE x.old = t.old AND x.new_name <> x.name AND x.name = ANY (k.columns) LOOP
				commands := commands || CASE WHEN t.map = t.new THEN format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY IF EXISTS, ALTER COLUMN %2$I DROP NOT NULL', t.new, c.new_name)
					ELSE format('ALTER TABLE %s DROP COLUMN %I', t.new, c.new_name) END;
			END LOOP;
		END IF;
		-- What refers to a table with a new key does so by iuid alone.
		FOR r IN SELECT x.name, x.naming FROM migration.refs AS x WHERE x.old = t.old AND x.moved LOOP
			IF t.country IS NULL THEN
				commands := commands || format('ALTER TABLE %s DROP CONSTRAINT %I', t.old, r.name);
			END IF;
			IF r.naming <> ALL (k.columns) THEN
				commands := commands || format('ALTER TABLE %s DROP COLUMN %I', coalesce(t.new, t.old), CASE WHEN t.country IS NULL THEN r.naming ELSE (migration.new_names(t.old, ARRAY[r.naming]))[1] END);
			END IF;
		END LOOP;
	END LOOP;
	FOREACH command IN ARRAY commands LOOP
		EXECUTE command;
	END LOOP;
	FOR t IN SELECT * FROM migration.tables AS x WHERE x.country IS NOT NULL LOOP
		EXECUTE format('DROP VIEW migration.%I', 'ids_' || t.name);
		EXECUTE format('DROP FUNCTION migration.%I', 'id_of_' || t.name);
	END LOOP;
	EXECUTE (SELECT format('DROP TABLE %s', string_agg(x.old::text, ', ')) FROM migration.tables AS x WHERE x.country IS NOT NULL);
END $$;

-- The way back before the swap, or after migration.swap_back(): the new tables go, too.
CREATE PROCEDURE migration.back() LANGUAGE plpgsql AS $$
BEGIN
	CALL migration.unfollow();
	PERFORM migration.drop_publications();
END $$;

CREATE FUNCTION migration.drop_publications() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	p name;
BEGIN
	FOR p IN SELECT b.pubname FROM migration.publications AS m JOIN pg_publication AS b ON b.pubname = left(m.name, 60) || '_v2' LOOP
		EXECUTE format('DROP PUBLICATION %I', p);
	END LOOP;
END $$;
