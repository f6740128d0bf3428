--
-- Views and CHECKs as the server prints them, and the parts of such a view
--

CREATE FUNCTION @extschema@.iuid_printed(relation pg_catalog.regclass, waits boolean, OUT texts pg_catalog.text[], OUT is_locked boolean)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on SET quote_all_identifiers = off SET "DateStyle" = 'ISO' AS $$
BEGIN
	is_locked := false;
	IF NOT waits THEN
		PERFORM set_config('lock_timeout', '1', true);
	END IF;
	texts := CASE WHEN EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND c.relkind = 'v') THEN ARRAY[pg_get_viewdef(relation)]
		ELSE ARRAY(SELECT pg_get_expr(c.conbin, c.conrelid) FROM pg_constraint AS c WHERE c.conrelid = relation AND c.contype = 'c' AND c.convalidated) END;
	-- gives the locks back, and the setting
	RAISE no_data_found;
EXCEPTION
	WHEN lock_not_available THEN
		IF waits THEN
			RAISE;
		END IF;
		is_locked := true;
	-- or what somebody nested deeply, or dropped while nodes were asked
	WHEN no_data_found OR program_limit_exceeded OR undefined_table OR internal_error THEN
END $$;
COMMENT ON FUNCTION @extschema@.iuid_printed(pg_catalog.regclass, boolean) IS 'internal: the definition of a view, or the valid CHECKs of a table, as the server prints them, or that another session keeps readers out; NULL for what it cannot print';

CREATE FUNCTION @extschema@.iuid_parts_of(definition pg_catalog.text)
RETURNS TABLE (node pg_catalog.text, tbl pg_catalog.regclass) LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT replace(m.found[1], '''''', ''''), t.oid::regclass
	FROM regexp_split_to_table(rtrim(definition, ';'), E'\nUNION ALL\n') AS p (part)
	LEFT JOIN LATERAL regexp_match(p.part, '^\s*SELECT ''((?:[^'']|'''')*)''::text(?: AS \S+)?(?:,.*)?\n\s+FROM (\S.*)$') AS m (found) ON true
	LEFT JOIN (pg_class AS t JOIN pg_namespace AS n ON n.oid = t.relnamespace) ON t.relkind IN ('r', 'p', 'f') AND format('%I.%I', n.nspname, t.relname) = m.found[2]
$$;
COMMENT ON FUNCTION @extschema@.iuid_parts_of(pg_catalog.text) IS 'internal: the parts of a view that are joined by UNION ALL: the text that is the first column, and the table whose rows they show; NULLs for a part that is more than that';

CREATE FUNCTION @extschema@.iuid_view_parts(view pg_catalog.regclass)
RETURNS TABLE (node pg_catalog.text, tbl pg_catalog.regclass) LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT v.node, v.tbl FROM @extschema@.iuid_printed(view, true) AS p, LATERAL @extschema@.iuid_parts_of(p.texts[1]) AS v WHERE p.texts IS NOT NULL
	UNION ALL SELECT NULL, NULL FROM @extschema@.iuid_printed(view, true) AS p WHERE p.texts IS NULL;
END;
COMMENT ON FUNCTION @extschema@.iuid_view_parts(pg_catalog.regclass) IS 'internal: the same of a view';
