--
-- Views that the functions for regions make: their columns, and what they stand on
--

CREATE FUNCTION @extschema@.iuid_relation_name(relation pg_catalog.regclass, OUT schema pg_catalog.text, OUT name pg_catalog.text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT n.nspname, c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation
$$;
COMMENT ON FUNCTION @extschema@.iuid_relation_name(pg_catalog.regclass) IS 'internal: schema and name of a relation, not quoted';

CREATE FUNCTION @extschema@.iuid_columns(relation pg_catalog.regclass)
RETURNS pg_catalog.text[] LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT ARRAY(SELECT a.attname FROM pg_attribute AS a WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)
$$;
COMMENT ON FUNCTION @extschema@.iuid_columns(pg_catalog.regclass) IS 'internal: the names of the columns of a relation, in their order';

CREATE FUNCTION @extschema@.iuid_column_definitions(relation pg_catalog.regclass, form pg_catalog.text)
RETURNS pg_catalog.text LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(format(form, a.attname, format_type(a.atttypid, a.atttypmod), ' COLLATE ' || nullif(a.attcollation, 0)::regcollation), ', ' ORDER BY a.attnum)
	FROM pg_attribute AS a WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped
$$;
COMMENT ON FUNCTION @extschema@.iuid_column_definitions(pg_catalog.regclass, pg_catalog.text) IS 'internal: the columns of a relation in the form of a text with places for name, type and collation';

CREATE FUNCTION @extschema@.iuid_tables_of_view(view pg_catalog.regclass)
RETURNS SETOF pg_catalog.oid LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT DISTINCT d.refobjid FROM pg_rewrite AS r JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
	WHERE r.ev_class = view AND r.rulename = '_RETURN' AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> view
$$;
COMMENT ON FUNCTION @extschema@.iuid_tables_of_view(pg_catalog.regclass) IS 'internal: the relations in the query of a view';

CREATE FUNCTION @extschema@.iuid_is_foreign(tbl pg_catalog.regclass)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT EXISTS (SELECT FROM pg_foreign_table AS f WHERE f.ftrelid = tbl)
$$;
COMMENT ON FUNCTION @extschema@.iuid_is_foreign(pg_catalog.regclass) IS 'internal: whether a table is a foreign table';

CREATE FUNCTION @extschema@.iuid_foreign_tables(view pg_catalog.regclass)
RETURNS SETOF pg_catalog.regclass LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT t.tbl::pg_catalog.regclass FROM @extschema@.iuid_tables_of_view(view) AS t (tbl) WHERE @extschema@.iuid_is_foreign(t.tbl::pg_catalog.regclass);
END;
COMMENT ON FUNCTION @extschema@.iuid_foreign_tables(pg_catalog.regclass) IS 'internal: the foreign tables in the query of a view';

CREATE FUNCTION @extschema@.iuid_rename_columns(view pg_catalog.regclass, tbl pg_catalog.regclass)
RETURNS void LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	shown text[] := (@extschema@.iuid_columns(view))[2:];
	names text[] := @extschema@.iuid_columns(tbl);
BEGIN
	-- A column may have the name that another one gets, so each gets a temporary name first.
	PERFORM @extschema@.iuid_run_as_owner(view, format('ALTER VIEW %s RENAME COLUMN %I TO %I', view, r.old, r.new))
	FROM (SELECT 1, s.n, s.name, 'iuid renames column ' || s.n FROM unnest(shown) WITH ORDINALITY AS s (name, n) WHERE s.name <> names[s.n]
		UNION ALL SELECT 2, s.n, 'iuid renames column ' || s.n, names[s.n] FROM unnest(shown) WITH ORDINALITY AS s (name, n) WHERE s.name <> names[s.n]
		ORDER BY 1, 2) AS r (step, n, old, new);
END $$;
COMMENT ON FUNCTION @extschema@.iuid_rename_columns(pg_catalog.regclass, pg_catalog.regclass) IS 'internal: gives the columns of a view after its first one the names of those of a table, which has the same in the same order, as it can lose none while the view is there';
