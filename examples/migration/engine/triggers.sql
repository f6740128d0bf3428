-- The functions of the triggers, which are made for each table.

-- A change of an old row, in the new table.  Who changes an old row has locked it: so for each row one
-- transaction at a time comes here, or to the backfill.  It is done at the end of the transaction: then
-- whatever the row refers to is there, in which order ever it was written.
CREATE FUNCTION migration.make_forward(t migration.tables) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	k migration.keys;
	names name[];
	brought name[];    -- the columns of the new table that a row brings along
	changed name[];    -- those of them that can change
BEGIN
	SELECT * INTO k FROM migration.keys WHERE old = t.old;
	names := migration.new_names(t.old, k.columns);
	brought := migration.brought(t.old, true);
	changed := migration.brought(t.old, false);
	EXECUTE migration.fill_in($f$
		CREATE FUNCTION migration.@function@() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
		SET search_path = @path@ SET timezone = 'UTC' AS $t$
		DECLARE
			come iuid;
			first iuid;
			a migration.@arriving@%ROWTYPE;
			why text;
			before text := current_setting('migration.writing', true);
		BEGIN
			PERFORM set_config('migration.writing', 'on', true);
			<<change>>
			BEGIN
				IF TG_OP <> 'INSERT' THEN
					DELETE FROM migration.set_aside AS s WHERE s.old = @oid@ AND s.key = @old_json@;
					come := (SELECT m.id FROM @map@ AS m WHERE @is_old@);
				END IF;
				IF TG_OP = 'DELETE' THEN
					DELETE FROM @new@ AS n WHERE n.id = come;
					EXIT change;
				END IF;
				SELECT * INTO a FROM migration.@arriving@ AS x WHERE @is_new@;
				IF NOT FOUND THEN
					-- The same transaction has deleted the row meanwhile, or given it another key.
					UPDATE @new@ AS n SET (@set_names@) = ROW (@new_key@) WHERE n.id = come AND (@names@) IS DISTINCT FROM (@new_key@);
					EXIT change;
				END IF;
				@as_it_was@
				-- What refers to this row may have come already, with the identifier of the row as it was.
				IF come IS NOT NULL THEN
					first := come;
				ELSIF TG_OP = 'UPDATE' THEN
					first := migration.@id_of@(@old_row@);
				ELSE
					first := migration.@id_of@(@new_row@);
				END IF;
				first := coalesce(first, a.migration_id);
				why := CASE WHEN first IS NULL THEN 'no time, country or entity that an identifier can have' ELSE coalesce(a.migration_reason, a.migration_parent) END;
				IF why IS NOT NULL THEN
					DELETE FROM @new@ AS n WHERE n.id = come;
					INSERT INTO migration.set_aside AS s (old, key, reason) VALUES (@oid@, @new_json@, why)
					ON CONFLICT ON CONSTRAINT set_aside_pkey DO UPDATE SET reason = excluded.reason;
				ELSIF come IS NULL THEN
					-- If a transaction with an old snapshot does not see what is there, this is a 40001.
					INSERT INTO @new@ (id, @brought@) OVERRIDING SYSTEM VALUE VALUES (first, @values@) ON CONFLICT DO NOTHING;
					IF NOT FOUND THEN
						RAISE unique_violation USING MESSAGE = pg_catalog.format('two rows have one identifier: %s', first),
							DETAIL = pg_catalog.format('The old key of one of them is %s.', @new_json@);
					END IF;
				ELSE
					UPDATE @new@ AS n SET (@changed@) = ROW (@changes@) WHERE n.id = first;
				END IF;
			END;
			-- What the client does next is its own.
			PERFORM set_config('migration.writing', coalesce(before, ''), true);
			RETURN NULL;
		END $t$ $f$,
		jsonb_build_object('function', quote_ident('forward_' || t.name), 'path', migration.path(), 'arriving', quote_ident('arriving_' || t.name), 'oid', t.old::oid,
			'old_json', migration.json_of('OLD.', k.columns, k.columns), 'new_json', migration.json_of('NEW.', k.columns, k.columns), 'map', t.map::text, 'new', t.new::text,
			'is_old', migration.equal('m.', names, 'OLD.', k.columns), 'is_new', migration.equal('x.', names, 'NEW.', k.columns),
			'names', migration.list('n.', names), 'set_names', migration.list('', names), 'new_key', migration.list('NEW.', k.columns),
			'id_of', quote_ident('id_of_' || t.name), 'new_row', migration.row_of(t.old, 'NEW.'), 'old_row', migration.row_of(t.old, 'OLD.'),
			-- Where other columns are unique, the row goes the way that it went in the transaction: else two rows
			-- that exchange their values would meet.
			'as_it_was', CASE WHEN EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = t.old AND (i.indisunique OR i.indisexclusion) AND NOT i.indisprimary)
				THEN (SELECT string_agg(format('a.%I := NEW.%I;', new_name, name), ' ') FROM migration.columns WHERE old = t.old AND NOT generated) ELSE '' END,
			'brought', migration.list('', brought), 'values', migration.list('a.', brought),
			'changed', coalesce(migration.list('', changed), 'id'), 'changes', coalesce(migration.list('a.', changed), 'n.id')));
END $$;

-- The columns that a row brings along.  The server lets nobody change an identity column that it
-- always generates.
CREATE FUNCTION migration.brought(of regclass, every boolean) RETURNS name[] LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT array_agg(x.name ORDER BY x.place) FROM (
		SELECT c.new_name, c.attnum FROM migration.columns AS c WHERE c.old = of AND NOT c.generated AND (every OR c.identity <> 'a')
		UNION ALL SELECT r.new_column, 10000 FROM migration.refs AS r WHERE r.old = of AND r.moved) AS x (name, place)
$$;

-- A change of a new row, in the old table, after the swap.
CREATE FUNCTION migration.make_reverse(t migration.tables) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	k migration.keys;
	names name[];
	olds name[];
	changed name[];
BEGIN
	SELECT * INTO k FROM migration.keys WHERE old = t.old;
	names := migration.new_names(t.old, k.columns);
	olds := ARRAY(SELECT name FROM migration.columns WHERE old = t.old AND NOT generated ORDER BY attnum);
	changed := ARRAY(SELECT name FROM migration.columns WHERE old = t.old AND NOT generated AND identity <> 'a' ORDER BY attnum);
	EXECUTE migration.fill_in($f$
		CREATE FUNCTION migration.@function@() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
		SET search_path = @path@ SET timezone = 'UTC' AS $t$
		DECLARE
			before text := current_setting('migration.writing', true);
		BEGIN
			PERFORM set_config('migration.writing', 'on', true);
			<<change>>
			BEGIN
				IF TG_OP = 'DELETE' THEN
					-- A cascade among the old tables may have been there before.
					DELETE FROM @old@ AS o WHERE @is_old@;
					EXIT change;
				END IF;
				IF TG_OP = 'INSERT' THEN
					INSERT INTO @old@ (@olds@) OVERRIDING SYSTEM VALUE VALUES (@values@) ON CONFLICT (@key@) DO NOTHING;
					IF FOUND THEN
						EXIT change;
					END IF;
					-- Only a row that was set aside, and comes now, is there.
					DELETE FROM migration.set_aside AS s WHERE s.old = @oid@ AND s.key = @new_json@;
					IF NOT FOUND THEN
						RAISE unique_violation USING MESSAGE = 'duplicate key value violates the key of ' || @name@,
							DETAIL = pg_catalog.format('There is another row with the key %s.', @new_json@);
					END IF;
					UPDATE @old@ AS o SET (@changed@) = ROW (@changes@) WHERE @is_new@;
				ELSE
					UPDATE @old@ AS o SET (@changed@) = ROW (@changes@) WHERE @is_old@;
				END IF;
				IF NOT FOUND THEN
					RAISE data_exception USING MESSAGE = pg_catalog.format('%s_old has no row with the key %s', @name@, @old_json@);
				END IF;
			END;
			PERFORM set_config('migration.writing', coalesce(before, ''), true);
			RETURN NULL;
		END $t$ $f$,
		jsonb_build_object('function', quote_ident('reverse_' || t.name), 'path', migration.path(), 'old', format('%I.%I', t.schema, t.name || '_old'), 'oid', t.old::oid, 'name', quote_literal(t.name),
			'is_old', migration.equal('o.', k.columns, 'OLD.', names), 'is_new', migration.equal('o.', k.columns, 'NEW.', names), 'key', migration.list('', k.columns),
			'olds', migration.list('', olds), 'values', migration.list('NEW.', migration.new_names(t.old, olds)),
			'changed', coalesce(migration.list('', changed), quote_ident(k.columns[1])), 'changes', coalesce(migration.list('NEW.', migration.new_names(t.old, changed)), 'o.' || quote_ident(k.columns[1])),
			'new_json', migration.json_of('NEW.', names, k.columns), 'old_json', migration.json_of('OLD.', names, k.columns)));
END $$;

-- What a client leaves out: an old client names what a row refers to by its old key, and a new client
-- by its iuid; here is the other one.  In an INSERT, all columns of OLD are NULL.
CREATE FUNCTION migration.make_fill(t migration.tables) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	k migration.keys;
	r record;
	keys text := '';
	refs text := '';
	updates text := '';
BEGIN
	SELECT * INTO k FROM migration.keys WHERE old = t.old;
	IF t.country IS NOT NULL THEN
		IF t.country || t.entity !~ '^\d+$' THEN
			keys := format('IF iuid_country(NEW.id) = 0 AND iuid_entity(NEW.id) = 0 THEN NEW.id := (SELECT gen_iuid((%s)::int, (%s)::int, iuid_timestamp(NEW.id)) FROM (SELECT %s) AS x); END IF; ', t.country, t.entity,
				(SELECT string_agg(format('NEW.%I AS %I', new_name, name), ', ') FROM migration.columns WHERE old = t.old));
		END IF;
		keys := keys || coalesce((SELECT string_agg(format('NEW.%I := coalesce(NEW.%1$I, %s); ', new_name, CASE WHEN serial THEN default_value ELSE 'NEW.id::uuid' END), '')
			FROM migration.columns WHERE old = t.old AND (serial OR name = k.columns[1] AND k.types = ARRAY['uuid'::regtype])), '');
	END IF;
	FOR r IN
		SELECT x.*, p.new, p.map, p.name AS parent_name, x.parent = t.old AS is_self, p.map <> p.new AND y.columns @> x.parent_columns AND x.parent_columns @> y.columns AS by_key,
			CASE WHEN t.country IS NULL THEN x.columns ELSE migration.new_names(t.old, x.columns) END AS mine, migration.new_names(x.parent, x.parent_columns) AS theirs
		FROM migration.refs AS x JOIN migration.tables AS p ON p.old = x.parent JOIN migration.keys AS y ON y.old = x.parent
		WHERE x.old = t.old AND x.moved
	LOOP
		refs := refs || migration.fill_in($f$
			IF NEW.@ref@ IS NOT DISTINCT FROM OLD.@ref@ AND ((@new_cols@) IS DISTINCT FROM (@old_cols@)@or_empty@) THEN
				NEW.@ref@ := @look_up@;
				IF NEW.@ref@ IS NULL AND @is_reference@ AND @is_strict@ THEN
					RAISE foreign_key_violation USING MESSAGE = 'insert or update on table ' || @name@ || ' violates foreign key constraint ' || @con@,
						DETAIL = 'There is no such row in ' || @parent_name@ || '.';
				END IF;
			ELSIF NEW.@ref@ IS DISTINCT FROM OLD.@ref@ THEN
				IF NEW.@ref@ IS NULL THEN
					IF (@new_cols@) IS NOT DISTINCT FROM (@old_cols@) THEN
						@empty@
					END IF;
				ELSE
					SELECT @theirs@ INTO x FROM @new@ AS p WHERE p.id = NEW.@ref@;
					IF FOUND THEN
						@give@
					@self@
					END IF;
				END IF;
			END IF; $f$,
			jsonb_build_object('ref', quote_ident(r.new_column), 'new_cols', migration.list('NEW.', r.mine), 'old_cols', migration.list('OLD.', r.mine),
				'or_empty', CASE WHEN t.country IS NULL THEN format(' OR NEW.%I IS NULL', r.new_column) ELSE '' END,
				-- The view finds what has not come, or is not yet made in the new table.
				'look_up', format('coalesce(%s(SELECT p.id FROM %s AS p WHERE %s)%s%s)',
					CASE WHEN r.is_self THEN format('CASE WHEN %s THEN NEW.id END, ', migration.equal('NEW.', r.theirs, 'NEW.', r.mine)) END,
					CASE WHEN r.by_key THEN r.map ELSE r.new END, migration.equal('p.', r.theirs, 'NEW.', r.mine),
					CASE WHEN r.by_key THEN format(', (SELECT p.id FROM %s AS p WHERE %s)', r.new, migration.equal('p.', r.theirs, 'NEW.', r.mine)) END,
					CASE WHEN t.country IS NULL THEN format(', (SELECT p.migration_id FROM migration.%I AS p WHERE %s)', 'ids_' || r.parent_name, migration.equal('p.', r.parent_columns, 'NEW.', r.mine)) END),
				'is_reference', migration.list('NEW.', r.mine, ' IS NOT NULL AND ') || ' IS NOT NULL', 'is_strict', CASE WHEN t.country IS NULL THEN 'false' ELSE 'true' END,
				'name', quote_literal(quote_ident(t.name)), 'con', quote_literal(quote_ident(r.name)), 'parent_name', quote_literal(r.parent_name), 'new', r.new::text, 'theirs', migration.list('p.', r.theirs),
				'empty', coalesce((SELECT string_agg(format('NEW.%I := NULL;', CASE WHEN t.country IS NULL THEN c.name ELSE c.new_name END), ' ')
					FROM migration.columns AS c WHERE c.old = t.old AND c.name = ANY (r.columns) AND NOT c.not_null), 'NULL;'),
				'give', (SELECT string_agg(format('NEW.%I := x.%I;', a, b), ' ') FROM unnest(r.mine, r.theirs) AS y (a, b)),
				'self', CASE WHEN r.is_self THEN format('ELSIF NEW.%I = NEW.id THEN %s', r.new_column,
					(SELECT string_agg(format('NEW.%I := NEW.%I;', a, b), ' ') FROM unnest(r.mine, r.theirs) AS y (a, b))) ELSE '' END));
	END LOOP;
	EXECUTE migration.fill_in($f$
		CREATE FUNCTION migration.@function@() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = @path@ AS $t$
		DECLARE
			x record;
		BEGIN
			IF TG_OP = 'INSERT' THEN
				@keys@
			END IF;
			@refs@
			RETURN NEW;
		END $t$ $f$,
		jsonb_build_object('function', quote_ident('fill_' || t.name), 'path', migration.path(), 'keys', keys, 'refs', refs));

	-- An old key that changes changes in what refers to it, as it does among the old tables.
	FOR r IN
		SELECT c.new, x.new_column, migration.new_names(x.old, x.columns) AS theirs, migration.new_names(t.old, x.parent_columns) AS mine
		FROM migration.refs AS x JOIN migration.tables AS c ON c.old = x.old
		WHERE x.parent = t.old AND x.confupdtype = 'c' AND c.country IS NOT NULL AND t.country IS NOT NULL
	LOOP
		updates := updates || format('UPDATE %s AS c SET (%s) = ROW (%s) WHERE c.%I = NEW.id AND (%s) IS DISTINCT FROM (%s); ', r.new, migration.list('', r.theirs), migration.list('NEW.', r.mine),
			r.new_column, migration.list('c.', r.theirs), migration.list('NEW.', r.mine));
	END LOOP;
	IF updates <> '' THEN
		EXECUTE format('CREATE FUNCTION migration.%I() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = %s AS $t$ BEGIN %s RETURN NULL; END $t$',
			'cascade_' || t.name, migration.path(), updates);
	END IF;
END $$;

-- Of the two tables, one is written by clients, and the other one by the triggers only.
CREATE FUNCTION migration.refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- A cascade from a table that is not part of the migration comes to both.
	IF current_setting('migration.writing', true) = 'on' OR pg_trigger_depth() > 1 AND TG_OP <> 'TRUNCATE' THEN
		RETURN NULL;
	ELSIF TG_OP = 'TRUNCATE' THEN
		RAISE feature_not_supported USING MESSAGE = format('table %s is being migrated, and cannot be truncated', TG_RELID::regclass),
			HINT = 'Use DELETE.';
	ELSE
		RAISE object_not_in_prerequisite_state USING MESSAGE = format('table %s is written by the migration only', TG_RELID::regclass),
			HINT = 'Write the other table of the two: see migration.progress, whether the swap has been.';
	END IF;
END $$;
