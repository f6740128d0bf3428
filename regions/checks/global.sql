--
-- Checking: the global tables and views, and what they are made for
--
-- What checks reads catalogs, and locks a table only while it prints a CHECK or a view.  As it runs for
-- whoever may read a table, its functions hold each other (BEGIN ATOMIC), and those that are text
-- call none of ours.
--

CREATE FUNCTION @extschema@.iuid_global_relations(global pg_catalog.regclass)
RETURNS TABLE (relation pg_catalog.regclass, is_view boolean, local pg_catalog.regclass, "key" pg_catalog.text, is_uuid boolean)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH by_origin (oid, partdefid, key, is_uuid) AS (
		SELECT p.partrelid, p.partdefid, p.partattrs[0], o.opcname = 'uuid_origin_ops' FROM pg_partitioned_table AS p JOIN pg_opclass AS o ON o.oid = p.partclass[0] JOIN pg_namespace AS n ON n.oid = o.opcnamespace
		WHERE p.partstrat = 'r' AND p.partnatts = 1 AND p.partattrs[0] <> 0 AND o.opcname IN ('iuid_origin_ops', 'uuid_origin_ops') AND n.nspname = (parse_ident('@extschema@'))[1]),
	candidate AS (
		SELECT c.oid, c.relkind = 'v' AS is_view, CASE WHEN c.relkind = 'p' THEN ARRAY[p.partdefid] ELSE ARRAY(
				SELECT DISTINCT d.refobjid FROM pg_rewrite AS r JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
				WHERE r.ev_class = c.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> c.oid) END AS tables, a.attname AS key, p.is_uuid
		FROM pg_class AS c LEFT JOIN by_origin AS p ON p.oid = c.oid
		LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = CASE WHEN c.relkind = 'p' THEN p.key ELSE 1 END
		WHERE has_table_privilege(c.oid, 'SELECT') AND (c.oid = global OR global IS NULL AND c.relpersistence <> 't')
			AND (c.relkind = 'v' AND a.attname = 'node' OR c.relkind = 'p' AND p.partdefid IN (SELECT l.oid FROM by_origin AS l)))
	SELECT c.oid::regclass, c.is_view, l.oid::regclass, c.key, c.is_uuid
	FROM candidate AS c JOIN pg_class AS l ON l.oid = ANY (c.tables) AND (l.relkind = 'p' OR c.is_view AND l.relkind = 'r')
	WHERE NOT c.is_view OR 1 = (SELECT count(*) FROM pg_class AS t WHERE t.oid = ANY (c.tables) AND t.relkind <> 'f')
		AND NOT EXISTS (SELECT FROM pg_foreign_table AS f WHERE f.ftrelid = ANY (c.tables) AND NOT f.ftoptions @> '{updatable=false,truncatable=false,async_capable=true}')
		-- what takes long to print is none of ours
		AND NOT EXISTS (SELECT FROM pg_rewrite AS r WHERE r.ev_class = c.oid AND (octet_length(r.ev_action::text) > 10000000 OR r.ev_action::text ~ '[ (]\{JOINEXPR'))
$$;
COMMENT ON FUNCTION @extschema@.iuid_global_relations(pg_catalog.regclass) IS 'internal: the global tables and views that the caller may read, or one of them, with the local table, and the key of a table, of type uuid or iuid';

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
	SELECT coalesce((
		SELECT min((regexp_match(o.option, '^table_name=.*_e(1?[0-9]{1,2}|2[0-4][0-9]|25[0-5])$'))[1]::int)
		FROM pg_inherits AS i JOIN pg_foreign_table AS f ON f.ftrelid = i.inhrelid, unnest(f.ftoptions) AS o (option) WHERE i.inhparent = global), (
		SELECT min((regexp_match(v.relname, '_c[0-9]+_e(1?[0-9]{1,2}|2[0-4][0-9]|25[0-5])$'))[1]::int)
		FROM pg_class AS l JOIN pg_inherits AS i ON i.inhparent = l.oid JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = i.inhrelid AND d.classid = 'pg_rewrite'::regclass
		JOIN pg_rewrite AS r ON r.oid = d.objid JOIN pg_class AS v ON v.oid = r.ev_class AND v.relnamespace = l.relnamespace AND v.relowner = l.relowner WHERE l.oid = local), 0)
$$;
COMMENT ON FUNCTION @extschema@.iuid_entity_of(pg_catalog.regclass, pg_catalog.regclass) IS 'internal: the entity that a global table was made for, by the names of the views on which its foreign tables stand, and of those here; 0 if there is neither';

CREATE FUNCTION @extschema@.iuid_step_of(local pg_catalog.regclass)
RETURNS interval LANGUAGE sql STABLE STRICT PARALLEL SAFE SET "TimeZone" = 'UTC'
BEGIN ATOMIC
	SELECT pg_catalog.age(@extschema@.iuid_time_of_bound(b.upper), @extschema@.iuid_time_of_bound(b.lower))
	FROM @extschema@.iuid_divided_partitions(local) AS c, LATERAL @extschema@.iuid_partition_bounds(c.tbl) AS b
	WHERE b.lower IS NOT NULL AND b.upper IS NOT NULL ORDER BY b.lower DESC LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.iuid_step_of(pg_catalog.regclass) IS 'internal: the step by which the countries of a table are divided, as their latest partition has it; NULL for none';

CREATE FUNCTION @extschema@.iuid_typed_columns(relation pg_catalog.regclass)
RETURNS pg_catalog.text[] LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT ARRAY(SELECT concat_ws(' ', a.attname, n.nspname, t.typname, a.atttypmod)
		FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid JOIN pg_namespace AS n ON n.oid = t.typnamespace
		WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attname)
$$;
COMMENT ON FUNCTION @extschema@.iuid_typed_columns(pg_catalog.regclass) IS 'internal: the columns of a relation with their types, as iuid_check_nodes asks for them';
