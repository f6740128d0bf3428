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
			IF t.country || t.entity !~ '^\d+$' THEN
				commands := commands || format('ALTER TABLE %s ALTER COLUMN id DROP DEFAULT', t.new);
			END IF;
			-- Nobody fills these any more.  Those of old rows stay.
			FOR c IN SELECT * FROM migration.columns AS x WHERE x.old = t.old AND (x.name = ANY (k.columns) AND (x.new_name <> x.name OR k.types = ARRAY['uuid'::regtype])
				OR EXISTS (SELECT FROM migration.refs AS f WHERE f.old = t.old AND f.moved AND x.name = ANY (f.columns))) LOOP
				IF NOT EXISTS (SELECT FROM migration.going AS g WHERE g.relation = t.new AND g.attname = c.new_name) THEN
					commands := commands || format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY IF EXISTS, ALTER COLUMN %2$I DROP NOT NULL', t.new, c.new_name);
				END IF;
			END LOOP;
			-- Those whose default the trigger "fill" has given get it again; the sequence stays.
			FOR c IN SELECT * FROM migration.columns AS x WHERE x.old = t.old AND x.serial AND (x.name <> ALL (k.columns) OR x.new_name = x.name) LOOP
				commands := commands || format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', t.new, c.new_name, c.default_value)
					|| ARRAY(SELECT format('ALTER SEQUENCE %s OWNED BY NONE', s) FROM pg_get_serial_sequence(t.old::text, c.name) AS s WHERE s IS NOT NULL)
					|| ARRAY(SELECT format('GRANT USAGE ON SEQUENCE %s TO %s', s, g.role) FROM pg_get_serial_sequence(t.old::text, c.name) AS s, migration.grants(t.new) AS g
						WHERE s IS NOT NULL AND g.privilege = 'INSERT');
			END LOOP;
		END IF;
		commands := commands || ARRAY(SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', t.old, x.name) FROM migration.refs AS x WHERE x.old = t.old AND x.moved AND t.country IS NULL)
			|| ARRAY(SELECT format('ALTER TABLE %s DROP COLUMN %I', g.relation, g.attname) FROM migration.going AS g WHERE g.relation = coalesce(t.new, t.old));
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

-- The way back before the swap, or after migration.swap_back(): the new tables go, too, but not with
-- what you have made of them.
CREATE PROCEDURE migration.back() LANGUAGE plpgsql AS $$
BEGIN
	PERFORM migration.refuse_before('back');
	CALL migration.unfollow();
	CALL migration.run(ARRAY['SELECT migration.back_now()']);
END $$;

CREATE FUNCTION migration.back_now() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	p record;
	t migration.tables;
BEGIN
	FOR p IN
		SELECT m.name, x.old, x.old IN (SELECT o.prrelid FROM pg_publication_rel AS o JOIN pg_publication AS b ON b.oid = o.prpubid WHERE b.pubname = m.name) AS is_there
		FROM migration.publications AS m JOIN pg_publication AS b ON b.pubname = left(m.name, 60) || '_v2'
			JOIN pg_publication_rel AS r ON r.prpubid = b.oid JOIN migration.tables AS x ON x.new = r.prrelid
	LOOP
		IF NOT p.is_there THEN
			EXECUTE format('ALTER PUBLICATION %I ADD TABLE %s', p.name, p.old);
		END IF;
		EXECUTE format('DROP PUBLICATION IF EXISTS %I', left(p.name, 60) || '_v2');
	END LOOP;
	FOR t IN SELECT * FROM migration.tables AS x WHERE x.new IS NOT NULL LOOP
		EXECUTE format('DROP VIEW migration.%I, migration.%I', t.name, 'arriving_' || t.name);
	END LOOP;
	EXECUTE (SELECT format('DROP TABLE %s', string_agg(DISTINCT x::text, ', ')) FROM migration.tables AS y, unnest(ARRAY[y.new, y.map]) AS x WHERE y.new IS NOT NULL);
	UPDATE migration.tables SET new = NULL, map = NULL;
END $$;
