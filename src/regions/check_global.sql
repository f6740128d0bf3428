--
-- Checking: the global tables and views, and what they are made for
--
-- What checks reads catalogs, and locks a table only to print a CHECK or a view.  As it runs for
-- whoever may read a table, its functions hold each other (BEGIN ATOMIC), and those that are text
-- call none of ours.
--

CREATE FUNCTION @extschema@.iuid_global_relations(global pg_catalog.regclass)
RETURNS TABLE (relation pg_catalog.regclass, is_view boolean, local pg_catalog.regclass, "key" pg_catalog.text, is_locked boolean)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH candidate AS (
		SELECT c.oid, c.relkind = 'v' AS is_view, CASE WHEN c.relkind = 'p' THEN ARRAY[p.partdefid] ELSE ARRAY(
				SELECT DISTINCT d.refobjid FROM pg_rewrite AS r JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
				WHERE r.ev_class = c.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> c.oid) END AS tables, a.attname AS key
		FROM pg_class AS c LEFT JOIN pg_partitioned_table AS p ON p.partrelid = c.oid
		LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = CASE WHEN c.relkind = 'p' THEN p.partattrs[0] ELSE 1 END
		WHERE has_table_privilege(c.oid, 'SELECT') AND (c.oid = global OR global IS NULL AND c.relpersistence <> 't')
			AND (c.relkind = 'v' AND a.attname = 'node' OR c.relkind = 'p' AND p.partstrat = 'r' AND p.partnatts = 1 AND EXISTS (
				SELECT FROM pg_opclass AS o JOIN pg_namespace AS n ON n.oid = o.opcnamespace
				WHERE o.oid = p.partclass[0] AND o.opcname = 'iuid_origin_ops' AND n.nspname = (parse_ident('@extschema@'))[1])))
	SELECT c.oid::regclass, c.is_view, l.oid::regclass, c.key, EXISTS (
		SELECT FROM pg_locks AS k WHERE (k.relation = ANY (c.tables || c.oid) OR k.relation IN (SELECT i.inhrelid FROM pg_inherits AS i WHERE i.inhparent = l.oid)) AND k.mode = 'AccessExclusiveLock'
		AND k.granted AND k.pid IS DISTINCT FROM pg_backend_pid() AND k.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()))
	FROM candidate AS c JOIN pg_class AS l ON l.oid = ANY (c.tables) AND (l.relkind = 'p' OR c.is_view AND l.relkind = 'r')
	WHERE NOT c.is_view OR 1 = (SELECT count(*) FROM pg_class AS t WHERE t.oid = ANY (c.tables) AND t.relkind <> 'f')
		AND NOT EXISTS (SELECT FROM pg_foreign_table AS f WHERE f.ftrelid = ANY (c.tables) AND NOT f.ftoptions @> '{updatable=false,truncatable=false,async_capable=true}')
$$;
COMMENT ON FUNCTION @extschema@.iuid_global_relations(pg_catalog.regclass) IS 'internal: the global tables and views that the caller may read, or one of them, with the local table, the key of a table, and whether another session keeps readers out';

CREATE FUNCTION @extschema@.iuid_view_parts(view pg_catalog.regclass)
RETURNS TABLE (node pg_catalog.text, tbl pg_catalog.regclass)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on SET quote_all_identifiers = off AS $$
	SELECT replace(m.found[1], '''''', ''''), t.oid::regclass
	FROM regexp_split_to_table(rtrim(pg_get_viewdef(view), ';'), E'\nUNION ALL\n') AS p (part)
	LEFT JOIN LATERAL regexp_match(p.part, '^\s*SELECT ''((?:[^'']|'''')*)''::text(?: AS \S+)?(?:,.*)?\n\s+FROM (\S.*)$') AS m (found) ON true
	LEFT JOIN (pg_class AS t JOIN pg_namespace AS n ON n.oid = t.relnamespace) ON t.relkind IN ('r', 'p', 'f') AND format('%I.%I', n.nspname, t.relname) = m.found[2]
$$;
COMMENT ON FUNCTION @extschema@.iuid_view_parts(pg_catalog.regclass) IS 'internal: the parts of a view that are joined by UNION ALL: the text that is the first column, and the table whose rows they show; NULLs for a part that is more than that';

CREATE FUNCTION @extschema@.iuid_refuse_global(global pg_catalog.regclass)
RETURNS void LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = global) THEN
		RAISE EXCEPTION USING ERRCODE = 'undefined_table', MESSAGE = format('relation with OID %s does not exist', global::oid);
	ELSIF NOT has_table_privilege(global, 'SELECT') THEN
		RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format('permission denied for %s', global);
	END IF;
	RAISE EXCEPTION USING ERRCODE = 'wrong_object_type', MESSAGE = format('%s is neither a global table nor a global view', global),
		HINT = 'Give a table or view that iuid_create_global_table() or iuid_create_global_view() made.';
END $$;
COMMENT ON FUNCTION @extschema@.iuid_refuse_global(pg_catalog.regclass) IS 'internal: 42P01, 42501 or 42809 for what is no global table or view that the caller may read';

CREATE FUNCTION @extschema@.iuid_entity_of(global pg_catalog.regclass, local pg_catalog.regclass)
RETURNS int LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce(min(e.entity) FILTER (WHERE e.entity <= 255), 0) FROM (
		SELECT (regexp_match(o.option, '^table_name=.*_e([0-9]{1,3})$'))[1]::int
		FROM pg_inherits AS i JOIN pg_foreign_table AS f ON f.ftrelid = i.inhrelid, unnest(f.ftoptions) AS o (option) WHERE i.inhparent = global
		UNION ALL SELECT (regexp_match(v.relname, '_c[0-9]+_e([0-9]{1,3})$'))[1]::int
		FROM pg_inherits AS i JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = i.inhrelid AND d.classid = 'pg_rewrite'::regclass
		JOIN pg_rewrite AS r ON r.oid = d.objid JOIN pg_class AS v ON v.oid = r.ev_class WHERE i.inhparent = local) AS e (entity)
$$;
COMMENT ON FUNCTION @extschema@.iuid_entity_of(pg_catalog.regclass, pg_catalog.regclass) IS 'internal: the entity that a global table was made for, by the names of the views on which its foreign tables stand, and of those here; 0 if there is neither';

CREATE FUNCTION @extschema@.iuid_step_of(local pg_catalog.regclass)
RETURNS interval LANGUAGE sql STABLE STRICT PARALLEL SAFE SET "TimeZone" = 'UTC'
BEGIN ATOMIC
	SELECT pg_catalog.age(@extschema@.iuid_time_of_bound(b.upper), @extschema@.iuid_time_of_bound(b.lower))
	FROM @extschema@.iuid_country_tables(local) AS c, LATERAL @extschema@.iuid_partition_bounds(c.tbl) AS b
	WHERE c.is_own AND b.lower IS NOT NULL AND b.upper IS NOT NULL ORDER BY b.lower DESC LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.iuid_step_of(pg_catalog.regclass) IS 'internal: the step by which the countries of a table are divided, as their latest partition has it; NULL for none';

CREATE FUNCTION @extschema@.iuid_typed_columns(relation pg_catalog.regclass)
RETURNS pg_catalog.text[] LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT ARRAY(SELECT concat_ws(' ', a.attname, n.nspname, t.typname, a.atttypmod)
		FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid JOIN pg_namespace AS n ON n.oid = t.typnamespace
		WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'ctid' ORDER BY a.attname)
$$;
COMMENT ON FUNCTION @extschema@.iuid_typed_columns(pg_catalog.regclass) IS 'internal: the columns of a relation with their types, but for the ctid of a view, as iuid_check_nodes asks for them';
