-- Step 1: the new tables, and the views between old and new.

CREATE PROCEDURE migration.make() LANGUAGE plpgsql AS $$
DECLARE
	t migration.tables;
	p record;
BEGIN
	PERFORM migration.refuse_before('make');
	PERFORM pg_catalog.set_config('search_path', migration.path(), true);
	FOR t IN SELECT * FROM migration.tables WHERE country IS NOT NULL AND new IS NULL ORDER BY place LOOP
		PERFORM migration.make_table(t);
		PERFORM migration.make_identifier(t);
	END LOOP;
	FOR t IN SELECT * FROM migration.tables WHERE country IS NOT NULL ORDER BY place LOOP
		PERFORM migration.make_arriving(t);
		PERFORM migration.make_statements(t);
		PERFORM migration.make_view(t);
		PERFORM migration.make_forward(t);
		PERFORM migration.make_reverse(t);
		PERFORM migration.make_fill(t);
		EXECUTE format('CREATE TRIGGER migration_fill BEFORE INSERT OR UPDATE ON %s FOR EACH ROW
			WHEN (current_setting(''migration.writing'', true) IS DISTINCT FROM ''on'') EXECUTE FUNCTION migration.%I()', t.new, 'fill_' || t.name);
		-- Nobody writes the new table until the swap.
		EXECUTE format('CREATE TRIGGER migration_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s EXECUTE FUNCTION migration.refuse()', t.new);
	END LOOP;
	FOR t IN SELECT * FROM migration.tables WHERE country IS NULL ORDER BY place LOOP
		PERFORM migration.make_fill(t);
		PERFORM migration.make_statements(t);
	END LOOP;
	-- A new table is published under its own name, whatever partitions it has.
	FOR p IN
		SELECT b.pubname, string_agg(x.new::text, ', ') AS tables, concat_ws(', ', CASE WHEN b.pubinsert THEN 'insert' END, CASE WHEN b.pubupdate THEN 'update' END,
			CASE WHEN b.pubdelete THEN 'delete' END, CASE WHEN b.pubtruncate THEN 'truncate' END) AS changes
		FROM pg_publication AS b JOIN pg_publication_rel AS r ON r.prpubid = b.oid JOIN migration.tables AS x ON x.old = r.prrelid
		GROUP BY b.oid, b.pubname
	LOOP
		INSERT INTO migration.publications VALUES (p.pubname);
		IF p.tables IS NOT NULL THEN
			EXECUTE format('CREATE PUBLICATION %I FOR TABLE %s WITH (publish_via_partition_root = true, publish = %L)', left(p.pubname, 60) || '_v2', p.tables, p.changes);
		END IF;
	END LOOP;
END $$;

-- The new table.  The server itself copies and renames what belongs to columns: "shape" is the old
-- table under the new names.
CREATE FUNCTION migration.make_table(t migration.tables) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	k migration.keys;
	c migration.columns;
	r migration.refs;
	options text[];
	uniques text[];
	new_table text := format('v2.%I', t.name);
	map_table text := CASE WHEN t.monthly_from IS NULL THEN new_table ELSE format('v2.%I', t.name || '_keys') END;
	names name[];
BEGIN
	SELECT * INTO k FROM migration.keys WHERE old = t.old;
	names := migration.new_names(t.old, k.columns);
	EXECUTE format('CREATE TABLE migration.shape (LIKE %s INCLUDING ALL)', t.old);
	EXECUTE (SELECT format('ALTER TABLE migration.shape DROP CONSTRAINT %I', conname) FROM pg_constraint WHERE conrelid = 'migration.shape'::regclass AND contype = 'p');
	FOR c IN SELECT * FROM migration.columns WHERE old = t.old ORDER BY attnum LOOP
		-- The trigger "fill" gives these to new clients, who have no right to the sequence.
		IF c.serial OR c.name = k.columns[1] AND k.types = ARRAY['uuid'::regtype] THEN
			EXECUTE format('ALTER TABLE migration.shape ALTER COLUMN %I DROP DEFAULT', c.name);
		END IF;
		IF c.new_name <> c.name THEN
			EXECUTE format('ALTER TABLE migration.shape RENAME COLUMN %I TO %I', c.name, c.new_name);
		END IF;
	END LOOP;
	-- In a table with partitions by iuid the old key cannot be unique.
	IF t.monthly_from IS NULL THEN
		EXECUTE format('ALTER TABLE migration.shape ADD UNIQUE (%s)', migration.list('', names));
		-- A number within an invoice stays unique when nobody fills the old key of the invoice any more.
		uniques := ARRAY(SELECT format(', UNIQUE (%s)', migration.list('', x.new_column || ARRAY(SELECT n FROM unnest(k.columns, names) AS y (o, n) WHERE o <> ALL (x.columns))))
			FROM migration.refs AS x WHERE x.old = t.old AND x.moved AND x.columns <@ k.columns);
	ELSE
		EXECUTE format('CREATE INDEX ON migration.shape (%s)', migration.list('', names));
	END IF;
	EXECUTE format('CREATE TABLE %s (id iuid PRIMARY KEY%s%s, LIKE migration.shape INCLUDING ALL%s)%s', new_table,
		-- The time says which partition a row belongs to, before a trigger can say the country: see make_fill().
		CASE WHEN t.country || t.entity ~ '^\d+$' THEN format(' DEFAULT gen_iuid(%s, %s)', t.country, t.entity) ELSE ' DEFAULT gen_iuid(0, 0)' END,
		(SELECT string_agg(format(', %I iuid', new_column), '') FROM migration.refs WHERE old = t.old AND moved),
		array_to_string(uniques, ''), CASE WHEN t.monthly_from IS NOT NULL THEN ' PARTITION BY RANGE (id)' END);
	DROP TABLE migration.shape;
	FOR r IN SELECT * FROM migration.refs WHERE old = t.old AND moved LOOP
		EXECUTE format('CREATE INDEX ON %s (%I)', new_table, r.new_column);
	END LOOP;
	options := (SELECT reloptions FROM pg_class WHERE oid = t.old AND relkind = 'r');
	IF t.monthly_from IS NOT NULL THEN
		-- Rows of other times are in DEFAULT, so no client has an error for want of a month.
		EXECUTE format('CREATE TABLE v2.%I PARTITION OF %s DEFAULT', t.name || '_other', new_table);
		PERFORM iuid_create_partitions(new_table::regclass, '1 month', t.monthly_from, now() + interval '4 months');
		EXECUTE format('CREATE TABLE %s (%s, id iuid NOT NULL UNIQUE, PRIMARY KEY (%s))', map_table,
			(SELECT string_agg(format('%I %s', n, d), ', ') FROM unnest(names, k.declared) AS x (n, d)), migration.list('', names));
		EXECUTE migration.fill_in($f$
			CREATE FUNCTION migration.@function@() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = @path@ AS $t$
			BEGIN
				IF TG_OP <> 'INSERT' THEN
					DELETE FROM @map@ AS m WHERE @is_old@;
				END IF;
				IF TG_OP <> 'DELETE' THEN
					-- If a transaction with an old snapshot does not see what is there, this is a 40001.
					INSERT INTO @map@ (@keys@, id) VALUES (@new_keys@, NEW.id) ON CONFLICT (@keys@) DO NOTHING;
					IF NOT FOUND THEN
						RAISE unique_violation USING MESSAGE = 'duplicate key value violates the key of ' || @name@,
							DETAIL = pg_catalog.format('There is another row with %s.', ROW (@new_keys@));
					END IF;
				END IF;
				RETURN NULL;
			END $t$ $f$,
			jsonb_build_object('function', quote_ident('keep_keys_' || t.name), 'path', migration.path(), 'map', map_table, 'name', quote_literal(t.name), 'keys', migration.list('', names),
				'is_old', migration.equal('m.', names, 'OLD.', names), 'new_keys', migration.list('NEW.', names)));
		EXECUTE format('CREATE TRIGGER migration_keys AFTER INSERT OR DELETE OR UPDATE OF id, %s ON %s FOR EACH ROW EXECUTE FUNCTION migration.%I()',
			migration.list('', names), new_table, 'keep_keys_' || t.name);
	ELSIF options IS NOT NULL THEN
		EXECUTE format('ALTER TABLE %s SET (%s)', new_table, array_to_string(options, ', '));
	END IF;
	UPDATE migration.tables SET new = new_table::regclass, map = map_table::regclass, columns = ARRAY(SELECT attnum FROM migration.columns WHERE old = t.old) WHERE old = t.old;
END $$;

-- The identifier of an old row, from its key and time.
CREATE FUNCTION migration.make_identifier(t migration.tables) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	k migration.keys;
	parts text[];      -- the key as text that does not depend on settings
	uuid text;
BEGIN
	SELECT * INTO k FROM migration.keys WHERE old = t.old;
	parts := ARRAY(SELECT CASE WHEN y IN ('timestamp'::regtype, 'timestamptz'::regtype, 'date'::regtype) THEN format('extract(epoch FROM %I)', c)
		WHEN y = 'bytea'::regtype THEN format('encode(%I, ''hex'')', c) ELSE quote_ident(c) END FROM unnest(k.columns, k.types) AS x (c, y));
	uuid := CASE WHEN k.types = ARRAY['uuid'::regtype] THEN parts[1] END;
	EXECUTE format('CREATE TYPE migration.%I AS (%s)', 'row_of_' || t.name, (SELECT string_agg(format('%I %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
		CASE WHEN a.attcollation <> 0 THEN format(' COLLATE %I.%I', n.nspname, o.collname) END), ', ' ORDER BY a.attnum)
		FROM migration.columns AS c JOIN pg_attribute AS a ON a.attrelid = c.old AND a.attnum = c.attnum
			LEFT JOIN pg_collation AS o ON o.oid = a.attcollation LEFT JOIN pg_namespace AS n ON n.oid = o.collnamespace WHERE c.old = t.old));
	EXECUTE migration.fill_in($f$
		CREATE FUNCTION migration.@function@(o migration.@type@) RETURNS iuid LANGUAGE sql STABLE RETURN (
			SELECT @identifier@ FROM (
				SELECT x.*, CASE WHEN (@country@) BETWEEN 0 AND 255 THEN (@country@)::int END AS migration_country,
					CASE WHEN (@entity@) BETWEEN 0 AND 255 THEN (@entity@)::int END AS migration_entity,
					CASE WHEN migration.is_believable(@at@) THEN @at@ ELSE @without_time@ END AS migration_at
				FROM (SELECT (o).*) AS x) AS x
			WHERE migration_at IS NOT NULL AND migration_country IS NOT NULL AND migration_entity IS NOT NULL) $f$,
		jsonb_build_object('function', quote_ident('id_of_' || t.name), 'type', quote_ident('row_of_' || t.name), 'country', t.country, 'entity', t.entity,
			'at', coalesce('(' || t.at || ')', format('(CASE WHEN %s::text ~ ''^.{14}7.{4}[89ab]'' THEN iuid_timestamp(iuid_from_uuid(%1$s, 0, 0)) END)', uuid)),
			'without_time', coalesce(quote_literal(t.without_time), 'NULL') || '::timestamptz',
			'identifier', CASE WHEN uuid IS NOT NULL THEN format('iuid_from_uuid(%s, migration_country, migration_entity, migration_at)', uuid)
				ELSE format('iuid_from_name(migration_country, migration_entity, %L || %s, migration_at)', t.name || '/',
					CASE cardinality(parts) WHEN 1 THEN parts[1] ELSE format('jsonb_build_array(%s)::text', array_to_string(parts, ', ')) END) END));
	-- A view names the table itself, whatever the table is called meanwhile.
	EXECUTE format('CREATE VIEW migration.%I AS SELECT o.*, migration.%I(%s) AS migration_id FROM %s AS o', 'ids_' || t.name, 'id_of_' || t.name, migration.row_of(t.old, 'o.'), t.old);
END $$;

-- What the old rows become: migration_id, or NULL if the row has no time; what is in its way, or NULL;
-- and the columns of the new table.  What a row refers to has an identifier before it has come: so no
-- table waits for another one, and a table can refer to itself.
CREATE FUNCTION migration.make_arriving(t migration.tables) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	r record;
	columns text;
	joins text := '';
	reasons text := '';
	parents text := '';
BEGIN
	columns := (SELECT string_agg(format(', o.%I AS %I', name, new_name), '' ORDER BY attnum) FROM migration.columns WHERE old = t.old AND NOT generated);
	FOR r IN
		SELECT x.*, p.map, p.name AS parent_name, k.columns AS key, row_number() OVER (ORDER BY x.con) AS n
		FROM migration.refs AS x JOIN migration.tables AS p ON p.old = x.parent JOIN migration.keys AS k ON k.old = x.parent
		WHERE x.old = t.old AND x.moved
	LOOP
		columns := columns || format(', coalesce(m%1$s.id, migration.%2$I(%4$s)) AS %3$I', r.n, 'id_of_' || r.parent_name, r.new_column, migration.row_of(r.parent, format('p%s.', r.n)));
		joins := joins || format(' LEFT JOIN %1$s AS p%2$s ON %3$s LEFT JOIN %4$s AS m%2$s ON %5$s', r.parent, r.n, migration.equal(format('p%s.', r.n), r.parent_columns, 'o.', r.columns),
			r.map, migration.equal(format('m%s.', r.n), migration.new_names(r.parent, r.key), format('p%s.', r.n), r.key));
		reasons := reasons || format(', CASE WHEN %1$s AND m%2$s.id IS NULL AND migration.%3$I(%5$s) IS NULL THEN %4$L END',
			migration.list('o.', r.columns, ' IS NOT NULL AND ') || ' IS NOT NULL', r.n, 'id_of_' || r.parent_name, format('it refers to a row of %s that has no identifier', r.parent_name),
			migration.row_of(r.parent, format('p%s.', r.n)));
		parents := parents || format(', CASE WHEN m%s.id IS NULL AND %s AND EXISTS (SELECT FROM migration.set_aside AS s WHERE s.old = %s AND s.key = %s AND s.reason <> ''in use'') THEN %L END',
			r.n, CASE WHEN r.parent = t.old THEN format('NOT (%s)', migration.equal(format('p%s.', r.n), r.key, 'o.', r.key)) ELSE 'true' END,
			r.parent::oid, migration.json_of(format('p%s.', r.n), r.key, r.key), format('it refers to a row of %s that is set aside', r.parent_name));
	END LOOP;
	EXECUTE format('CREATE VIEW migration.%I AS SELECT migration.%I(%s) AS migration_id, coalesce(NULL::text%s) AS migration_reason, coalesce(NULL::text%s) AS migration_parent%s FROM %s AS o%s',
		'arriving_' || t.name, 'id_of_' || t.name, migration.row_of(t.old, 'o.'), reasons, parents, columns, t.old, joins);
END $$;

-- What the old clients see after the swap: the new table, in the shape of the old one, with its defaults.
CREATE FUNCTION migration.make_view(t migration.tables) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	part record;
BEGIN
	EXECUTE format('CREATE VIEW migration.%I AS SELECT %s FROM %s', t.name,
		(SELECT string_agg(format('%I AS %I', new_name, name), ', ' ORDER BY attnum) FROM migration.columns WHERE old = t.old), t.new);
	FOR part IN SELECT name, default_value AS value FROM migration.columns WHERE old = t.old AND default_value IS NOT NULL LOOP
		EXECUTE format('ALTER VIEW migration.%I ALTER COLUMN %I SET DEFAULT %s', t.name, part.name, part.value);
	END LOOP;
END $$;

-- Who may do what with one relation may do it with the other one, and nobody else.
CREATE FUNCTION migration.grant_as(of regclass, on_relation regclass) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	part record;
BEGIN
	FOR part IN SELECT * FROM migration.grants(on_relation) LOOP
		EXECUTE format('REVOKE %s%s ON %s FROM %s', part.privilege, part.of_column, on_relation, part.role);
	END LOOP;
	FOR part IN SELECT * FROM migration.grants(of) LOOP
		EXECUTE format('GRANT %s%s ON %s TO %s%s', part.privilege, part.of_column, on_relation, part.role, part.option);
	END LOOP;
END $$;
