-- Step 2: from now on, each change of an old table is made in the new one.  All tables begin at once: a
-- row may come before what it refers to, whose identifier must not change meanwhile.

CREATE PROCEDURE migration.follow() LANGUAGE plpgsql AS $$
BEGIN
	PERFORM migration.refuse_before('follow');
	CALL migration.run(ARRAY['SELECT migration.follow_now()']);
END $$;

-- The word of the subscribers of a publication, that they have the new tables, or have them no more.
CREATE PROCEDURE migration.subscriber_is_ready(publication name, has_new boolean DEFAULT true) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	UPDATE migration.publications AS p SET ready = has_new WHERE p.name = publication;
	IF NOT FOUND THEN
		RAISE undefined_object USING MESSAGE = format('publication %I has no table of the migration', publication), HINT = 'See migration.publications.';
	END IF;
END $$;

CREATE FUNCTION migration.follow_now() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	t migration.tables;
BEGIN
	IF EXISTS (SELECT FROM migration.tables AS x WHERE x.country IS NOT NULL AND x.new IS NULL) THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = 'not every table has a new table', HINT = 'CALL migration.make().';
	END IF;
	PERFORM migration.lock(ARRAY(SELECT x.old FROM migration.tables AS x WHERE x.country IS NULL ORDER BY x.place), 'ACCESS EXCLUSIVE');
	PERFORM migration.lock(ARRAY(SELECT x.old FROM migration.tables AS x WHERE x.country IS NOT NULL ORDER BY x.place), 'SHARE ROW EXCLUSIVE');
	FOR t IN SELECT * FROM migration.tables AS x ORDER BY x.place LOOP
		PERFORM migration.follow_table(t);
	END LOOP;
END $$;

CREATE FUNCTION migration.follow_table(t migration.tables) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	command text;
BEGIN
	FOREACH command IN ARRAY migration.follow_commands(t) LOOP
		EXECUTE command;
	END LOOP;
	UPDATE migration.tables AS x SET partitions = ARRAY(SELECT p.relid::oid FROM pg_partition_tree(t.old) AS p) WHERE x.old = t.old;
END $$;

CREATE FUNCTION migration.follow_commands(t migration.tables) RETURNS text[] LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN t.country IS NULL THEN
		ARRAY(SELECT format('ALTER TABLE %s ADD COLUMN %I %I.iuid', t.old, r.new_column, (SELECT n.nspname FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'iuid'))
			FROM migration.refs AS r WHERE r.old = t.old AND r.moved)
		|| format('CREATE TRIGGER migration_fill BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION migration.%I()', t.old, 'fill_' || t.name)
	ELSE ARRAY[
		format('CREATE CONSTRAINT TRIGGER migration_forward AFTER INSERT OR UPDATE OR DELETE ON %s DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION migration.%I()', t.old, 'forward_' || t.name),
		-- Replicated changes, too.
		format('ALTER TABLE %s ENABLE ALWAYS TRIGGER migration_forward', t.old)]
		|| ARRAY(SELECT format('CREATE TRIGGER migration_truncate BEFORE TRUNCATE ON %s EXECUTE FUNCTION migration.refuse()', one) FROM migration.tree(t.old) AS one)
	END
$$;

-- The way back: nothing is left of the migration in the old tables, and the new tables are empty.
-- follow() begins again.
CREATE PROCEDURE migration.unfollow() LANGUAGE plpgsql AS $$
BEGIN
	CALL migration.run(ARRAY['SELECT migration.unfollow_now()']);
END $$;

CREATE FUNCTION migration.unfollow_now() RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	t migration.tables;
	r record;
BEGIN
	PERFORM set_config('migration.writing', 'on', true);
	IF EXISTS (SELECT FROM migration.tables AS x WHERE x.swapped) THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = 'the swap has been', HINT = 'Call migration.swap_back() first.';
	END IF;
	FOR t IN SELECT * FROM migration.tables AS x ORDER BY x.place LOOP
		PERFORM migration.drop_trigger(g, t.old) FROM unnest(ARRAY['migration_forward', 'migration_truncate', 'migration_fill']) AS g;
		FOR r IN SELECT * FROM migration.refs AS x WHERE x.old = t.old AND x.moved AND t.country IS NULL LOOP
			EXECUTE format('ALTER TABLE %s DROP COLUMN IF EXISTS %I', t.old, r.new_column);
		END LOOP;
	END LOOP;
	FOR r IN SELECT c.conrelid::regclass AS new, c.conname FROM pg_constraint AS c JOIN migration.tables AS x ON x.new = c.conrelid WHERE c.contype = 'f' AND c.conparentid = 0 LOOP
		EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', r.new, r.conname);
	END LOOP;
	-- Without CASCADE, which would empty the tables that refer to them, too.
	EXECUTE (SELECT format('TRUNCATE %s', string_agg(DISTINCT x::text, ', '))
		FROM migration.tables AS y, unnest(ARRAY[y.new, y.map]) AS x WHERE y.new IS NOT NULL);
	DELETE FROM migration.set_aside;
	UPDATE migration.tables SET watermark = NULL, rows_come = 0, begun = NULL, complete = NULL, constrained = false;
END $$;
