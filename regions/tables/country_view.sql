--
-- The view on a country's partition for the other nodes
--
-- The foreign tables of other nodes stand on this view, and never on the partition.  To
-- change a row that it cannot describe, postgres_fdw asks for the row's ctid, and then
-- changes what has that ctid.  In a table that has partitions of its own, a row of each
-- partition has it.  So there the first column of the view is a NULL of type json, which
-- the server compares with nothing.
--
-- The name of a view ends in the country and the entity, which checks read there.
--

CREATE FUNCTION @extschema@.iuid_country_view_name(tbl pg_catalog.regclass, country int, entity int)
RETURNS pg_catalog.text LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT @extschema@.iuid_shortened_name(r.name, pg_catalog.format('_c%s_e%s', country, entity)) FROM @extschema@.iuid_relation_name(tbl) AS r;
END;
COMMENT ON FUNCTION @extschema@.iuid_country_view_name(pg_catalog.regclass, int, int) IS 'internal: the name of the view of a country, in the schema of its table';

CREATE FUNCTION @extschema@.iuid_view_of_name(parent pg_catalog.regclass, name pg_catalog.text, OUT view pg_catalog.regclass, OUT taken pg_catalog.regclass)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN v.is_ours THEN v.oid END, CASE WHEN NOT v.is_ours THEN v.oid END
	FROM (SELECT c.oid, c.relkind = 'v' AND c.relowner = p.relowner
			AND EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum = 1 AND a.attname = 'ctid')
			AND (SELECT count(DISTINCT b.oid) = 1 AND count(*) FILTER (WHERE b.relkind = 'f') = 0 FROM pg_rewrite AS r
				JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
				JOIN pg_class AS b ON b.oid = d.refobjid WHERE r.ev_class = c.oid AND b.oid <> c.oid) AS is_ours
		FROM pg_class AS p JOIN pg_class AS c ON c.relnamespace = p.relnamespace AND c.relname = iuid_view_of_name.name WHERE p.oid = parent) AS v
$$;
COMMENT ON FUNCTION @extschema@.iuid_view_of_name(pg_catalog.regclass, pg_catalog.text) IS 'internal: the view of this name that a table has for a country, or what else has the name: of another kind or owner, or another view';

CREATE FUNCTION @extschema@.iuid_country_view(parent pg_catalog.regclass, country int, entity int, OUT view pg_catalog.regclass, OUT taken pg_catalog.regclass)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT v.view, v.taken FROM @extschema@.iuid_view_of_name(parent, @extschema@.iuid_country_view_name(parent, country, entity)) AS v;
END;
COMMENT ON FUNCTION @extschema@.iuid_country_view(pg_catalog.regclass, int, int) IS 'internal: the view of a country that a table has, or what else has its name';

CREATE FUNCTION @extschema@.iuid_is_current_view(view pg_catalog.regclass, partition pg_catalog.regclass, parent pg_catalog.regclass)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT coalesce((@extschema@.iuid_columns(view))[2:] OPERATOR(pg_catalog.=) @extschema@.iuid_columns(parent), false)
		AND ARRAY(SELECT @extschema@.iuid_tables_of_view(view)) OPERATOR(pg_catalog.=) ARRAY[partition::pg_catalog.oid];
END;
COMMENT ON FUNCTION @extschema@.iuid_is_current_view(pg_catalog.regclass, pg_catalog.regclass, pg_catalog.regclass) IS 'internal: whether a view shows a partition, with the columns that its parent has now, in their order there';

CREATE FUNCTION @extschema@.iuid_no_node(country int)
RETURNS SETOF record LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('no node has the rows of country %s', country),
		DETAIL = 'Its route in iuid_routes has no node.';
END $$;
COMMENT ON FUNCTION @extschema@.iuid_no_node(int) IS 'internal: 55000, for the view of a country whose route has no node';

CREATE FUNCTION @extschema@.iuid_make_country_view(parent pg_catalog.regclass, partition pg_catalog.regclass, country int, entity int)
RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v record;
	-- Only a plain table has a ctid that says which row it is.
	place text := coalesce((SELECT 'ctid' FROM pg_class AS c WHERE c.oid = partition AND c.relkind = 'r'), 'NULL::pg_catalog.json');
BEGIN
	SELECT c.* INTO v FROM @extschema@.iuid_country_view(parent, country, entity) AS c;
	IF v.taken IS NOT NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'duplicate_table', MESSAGE = format('relation %s already exists', v.taken),
			DETAIL = format('A view on the partition of country %s needs that name.', country),
			HINT = format('Rename the relation or, if it is that view, give it the owner of %s.', parent);
	ELSIF @extschema@.iuid_is_current_view(v.view, coalesce(partition, parent), parent) THEN
		RETURN;
	-- No column of a view gets another type.
	ELSIF EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = v.view AND a.attnum = 1 AND a.atttypid <> CASE place WHEN 'ctid' THEN 'tid' ELSE 'json' END::regtype) THEN
		PERFORM @extschema@.iuid_run_as_owner(parent, format('DROP VIEW %s', v.view));
	ELSIF v.view IS NOT NULL THEN
		PERFORM @extschema@.iuid_rename_columns(v.view, parent);
	END IF;
	PERFORM @extschema@.iuid_run_as_owner(parent, (
		SELECT format('CREATE OR REPLACE VIEW %I.%I WITH (security_invoker = true) AS SELECT %s AS ctid, %s', p.schema,
			@extschema@.iuid_country_view_name(parent, country, entity), place, @extschema@.iuid_column_definitions(parent, CASE WHEN partition IS NULL THEN 'p.' ELSE '' END || '%1$I'))
			-- OFFSET, as the server would not call the function if it knew that no row of NULLs fits.
			|| CASE WHEN partition IS NOT NULL THEN format(' FROM %s', partition) ELSE format(' FROM %s.iuid_no_node(%s) AS t (n int) LEFT JOIN %s AS p ON false OFFSET 0', '@extschema@', country, parent) END
		FROM @extschema@.iuid_relation_name(parent) AS p));
END $$;
COMMENT ON FUNCTION @extschema@.iuid_make_country_view(pg_catalog.regclass, pg_catalog.regclass, int, int) IS 'internal: makes the view of a country''s partition as it is now, or one whose every use is an error (NULL), and leaves one that is so already; 42P07';
