--
-- Global views: the rows of all nodes
--

CREATE FUNCTION @extschema@.iuid_is_of_global_view(foreign_table pg_catalog.regclass)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT EXISTS (SELECT FROM pg_foreign_table AS f WHERE f.ftrelid = foreign_table AND f.ftoptions @> '{updatable=false,truncatable=false,async_capable=true}')
$$;
COMMENT ON FUNCTION @extschema@.iuid_is_of_global_view(pg_catalog.regclass) IS 'internal: whether a foreign table has the options that those of a global view are made with';

CREATE FUNCTION @extschema@.iuid_is_global_view(view pg_catalog.regclass)
RETURNS boolean LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	-- To print a view, the server locks what is below it.
	SELECT CASE WHEN (@extschema@.iuid_columns(view))[1] = 'node' AND NOT EXISTS (SELECT FROM @extschema@.iuid_foreign_tables(view) AS f (tbl) WHERE NOT @extschema@.iuid_is_of_global_view(f.tbl))
		THEN NOT EXISTS (SELECT FROM @extschema@.iuid_view_parts(view) AS p WHERE p.tbl IS NULL) ELSE false END
$$;
COMMENT ON FUNCTION @extschema@.iuid_is_global_view(pg_catalog.regclass) IS 'internal: whether a view is as iuid_create_global_view makes it, by its first column and its foreign tables';

CREATE FUNCTION @extschema@.iuid_check_of_view(relation pg_catalog.regclass, local pg_catalog.regclass, kind "char")
RETURNS pg_catalog.regclass LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF relation IS NOT NULL AND NOT ((SELECT c.relkind = kind AND c.relowner = l.relowner FROM pg_class AS c, pg_class AS l WHERE c.oid = relation AND l.oid = local)
		AND (CASE kind WHEN 'v' THEN @extschema@.iuid_is_global_view(relation) ELSE @extschema@.iuid_is_of_global_view(relation) END))
	THEN
		RAISE EXCEPTION USING ERRCODE = 'duplicate_table', MESSAGE = format('relation %s already exists', relation), DETAIL = 'The view over all nodes needs that name.',
			HINT = format('Rename the relation, give the view another name or, if the relation was made for the view, give it the owner of %s.', local);
	END IF;
	RETURN relation;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_check_of_view(pg_catalog.regclass, pg_catalog.regclass, "char") IS 'internal: a relation, or NULL; 42P07 if it is of another kind or owner than a global view or its foreign table would be, or was not made as one';

CREATE FUNCTION @extschema@.iuid_plan_global_view(local pg_catalog.regclass, global pg_catalog.text)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	g record;
	others jsonb;
	gone oid[];
BEGIN
	PERFORM @extschema@.iuid_check_node();
	IF NOT (SELECT c.relkind IN ('r', 'p') FROM pg_class AS c WHERE c.oid = local) THEN
		RAISE EXCEPTION USING ERRCODE = 'wrong_object_type', MESSAGE = format('%s is not a table', local), HINT = 'Give the table that each node has.';
	ELSIF 'node' = ANY (@extschema@.iuid_columns(local)) THEN
		RAISE EXCEPTION USING ERRCODE = 'duplicate_column', MESSAGE = format('column "node" of table %s is in the way', local),
			DETAIL = 'The view has a column of that name for the node.', HINT = 'Rename the column.';
	END IF;
	SELECT t.schema, t.name, @extschema@.iuid_check_of_view(t.relation, local, 'v'::"char") AS relation INTO g FROM @extschema@.iuid_global_name(global, local) AS t;
	others := (SELECT coalesce(jsonb_agg(x ORDER BY x.n), '[]') FROM (
		SELECT n.n, n.node, n.server, f.name, f.tbl::oid, coalesce(@extschema@.iuid_stands_on(f.tbl, n.server, local, l.relname::text)
			AND @extschema@.iuid_column_definitions(f.tbl, '%1$I %2$s%3$s'::text) = @extschema@.iuid_column_definitions(local, '%1$I %2$s%3$s'::text), false) AS stays
		FROM (SELECT row_number() OVER () AS n, r.node, @extschema@.iuid_require_server(r.node, r.server, 'A view over all nodes needs it.'::text) AS server
			FROM @extschema@.iuid_registered_nodes(true) AS r) AS n
		JOIN pg_class AS l ON l.oid = local, LATERAL (
			SELECT t.name, @extschema@.iuid_check_of_view(t.relation, local, 'f'::"char")
			FROM @extschema@.iuid_global_name(format('%I.%I', g.schema, @extschema@.iuid_shortened_name(format('%s_%s', g.name, n.node), ''::text)), local) AS t) AS f (name, tbl)) AS x);
	gone := ARRAY(SELECT f::oid FROM @extschema@.iuid_foreign_tables(g.relation) AS f UNION SELECT o.tbl FROM jsonb_to_recordset(others) AS o (tbl oid) WHERE o.tbl IS NOT NULL
		EXCEPT SELECT o.tbl FROM jsonb_to_recordset(others) AS o (tbl oid, stays boolean) WHERE o.stays);
	RETURN jsonb_build_object('name', to_jsonb(g), 'others', others, 'gone', to_jsonb(gone), 'locks', @extschema@.iuid_all_locks(ARRAY[jsonb_build_object(local::oid, 4), CASE WHEN g.relation IS NOT NULL THEN jsonb_build_object(g.relation::oid, 8) END,
		(SELECT jsonb_object_agg(t, 8) FROM unnest(gone) AS t), (SELECT jsonb_object_agg(o.tbl, 1) FROM jsonb_to_recordset(others) AS o (tbl oid, stays boolean) WHERE o.stays)]));
END $$;
COMMENT ON FUNCTION @extschema@.iuid_plan_global_view(pg_catalog.regclass, pg_catalog.text) IS 'internal: the foreign tables of a global view that go, stay and are made, and the locks for that; 22023, 42701, 42809, 42P07';

CREATE FUNCTION @extschema@.iuid_define_global_view(local pg_catalog.regclass, plan pg_catalog.jsonb, is_whole boolean)
RETURNS void LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT @extschema@.iuid_run_as_owner(local, format('CREATE OR REPLACE VIEW %I.%I AS SELECT %L::pg_catalog.text AS node, %s FROM %s%s', n.schema, n.name, current_setting('iuid.node'), l.columns, local,
		(SELECT string_agg(format(' UNION ALL SELECT %L::pg_catalog.text, %s FROM %I.%I', o.node, l.columns, n.schema, o.name), '' ORDER BY o.n)
			FROM jsonb_to_recordset(plan -> 'others') AS o (n int, node text, name text, stays boolean) WHERE o.stays OR is_whole)))
	FROM jsonb_to_record(plan -> 'name') AS n (schema text, name text), @extschema@.iuid_column_definitions(local, '%1$I'::text) AS l (columns)
$$;
COMMENT ON FUNCTION @extschema@.iuid_define_global_view(pg_catalog.regclass, pg_catalog.jsonb, boolean) IS 'internal: makes a global view, or puts it in the place of the existing one; whole, or without the foreign tables that do not stay';

CREATE FUNCTION @extschema@.iuid_make_global_view(local pg_catalog.regclass, plan pg_catalog.jsonb)
RETURNS pg_catalog.regclass[] LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	schema text := plan -> 'name' ->> 'schema';
	view regclass := plan -> 'name' ->> 'relation';
	view_name text := view;
	gone oid[] := ARRAY(SELECT t::oid FROM jsonb_array_elements_text(plan -> 'gone') AS t);
	made regclass[];
BEGIN
	-- A view that is right is not touched.
	IF (@extschema@.iuid_columns(view))[2:] = @extschema@.iuid_columns(local) AND gone = '{}' AND NOT plan -> 'others' @> '[{"stays": false}]'
		AND ARRAY(SELECT format('%s %s', p.tbl::oid, p.node) FROM @extschema@.iuid_view_parts(view) AS p ORDER BY 1) = ARRAY(SELECT format('%s %s', o.tbl, o.node)
			FROM jsonb_to_recordset(plan -> 'others') AS o (node text, tbl oid) UNION ALL SELECT format('%s %s', local::oid, current_setting('iuid.node')) ORDER BY 1) THEN
		RETURN '{}';
	ELSIF view IS NOT NULL THEN
		PERFORM @extschema@.iuid_rename_columns(view, local);
	END IF;
	-- Those of a view that is gone are dropped, too.
	IF gone <> '{}' THEN
		IF view IS NOT NULL THEN
			PERFORM @extschema@.iuid_define_global_view(local, plan, false);
		END IF;
		PERFORM @extschema@.iuid_run_as_owner(local, format('DROP FOREIGN TABLE %s', t.tbl::regclass)) FROM unnest(gone) AS t (tbl);
	END IF;
	-- On the local table of the other node, whatever partitions that has.  So they must not change rows there:
	-- postgres_fdw would name a row by its ctid, which a row of each partition has.
	PERFORM @extschema@.iuid_run_as_owner(local, format('CREATE FOREIGN TABLE %I.%I (%s) SERVER %I OPTIONS (schema_name %L, table_name %L,'
			' updatable ''false'', truncatable ''false'', async_capable ''true'')', schema, o.name, @extschema@.iuid_column_definitions(local, '%1$I %2$s%3$s'::text), o.server, l.schema_here, l.name_here))
		FROM jsonb_to_recordset(plan -> 'others') AS o (name text, server text, stays boolean), @extschema@.iuid_relation_name(local) AS l (schema_here, name_here) WHERE NOT o.stays;
	PERFORM @extschema@.iuid_define_global_view(local, plan, true);
	made := ARRAY(SELECT g.relation FROM (SELECT 0, plan -> 'name' ->> 'name' WHERE view IS NULL
		UNION ALL SELECT o.n, o.name FROM jsonb_to_recordset(plan -> 'others') AS o (n int, name text, stays boolean) WHERE NOT o.stays) AS t (n, name),
		LATERAL @extschema@.iuid_global_name(format('%I.%I', schema, t.name), local) AS g ORDER BY t.n);
	-- as at the end of iuid_change_regions()
	IF view_name <> view::text OR array_position(made, NULL) IS NOT NULL OR EXISTS (SELECT FROM pg_class AS c WHERE c.oid = ANY (gone)) THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('%s was changed or renamed meanwhile', coalesce(view_name, local::text)), HINT = 'Try again.';
	END IF;
	RETURN made;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_make_global_view(pg_catalog.regclass, pg_catalog.jsonb) IS 'internal: makes a planned global view and its foreign tables, and drops those that go';

CREATE FUNCTION @extschema@.iuid_create_global_view(global pg_catalog.text, local pg_catalog.regclass, lock_wait interval DEFAULT '10 s')
RETURNS SETOF pg_catalog.regclass LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT @extschema@.iuid_check_call('iuid_create_global_view'::pg_catalog.text, global IS NULL OR local IS NULL,
		'the name of the view, and the local table'::pg_catalog.text, NULL::interval, NULL::pg_catalog.timestamptz, lock_wait);
	SELECT c.made FROM @extschema@.iuid_change_regions('view'::pg_catalog.text, local, global, NULL::int, NULL::interval, false, lock_wait) AS c (made);
END;
COMMENT ON FUNCTION @extschema@.iuid_create_global_view(pg_catalog.text, pg_catalog.regclass, interval) IS
'makes a view over the rows of all nodes, with the column node, or changes it to the nodes and columns as they are; returns what it made (doc/regions.md)';
