--
-- The locks that a change of partitions needs, as src/lock.sql takes them
--

CREATE FUNCTION @extschema@.iuid_locks_to_plan(parent pg_catalog.regclass)
RETURNS pg_catalog.jsonb LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT jsonb_object_agg(l.tbl, l.mode) FROM (
		SELECT parent::oid, 4
		UNION ALL SELECT b.partition::oid, 1 FROM @extschema@.iuid_partition_bounds(parent) AS b
			WHERE b.is_default OR b.is_open) AS l (tbl, mode)
$$;
COMMENT ON FUNCTION @extschema@.iuid_locks_to_plan(pg_catalog.regclass) IS 'internal: the locks under which no partition comes or goes, and the sizes of those are read that rows may leave';

CREATE FUNCTION @extschema@.iuid_locks_to_make(parent pg_catalog.regclass)
RETURNS pg_catalog.jsonb LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	-- No INSERT that has chosen DEFAULT, and no query that looks there, may miss the rows that move.
	WITH source AS (SELECT b.partition::oid AS tbl, CASE WHEN b.is_default AND NOT (c.relkind = 'r' AND pg_relation_size(c.oid) > 0) THEN 6 ELSE 8 END AS mode
		FROM @extschema@.iuid_partition_bounds(parent) AS b JOIN pg_class AS c ON c.oid = b.partition
		WHERE b.is_default OR b.lower IS NULL OR b.upper IS NULL)
	SELECT jsonb_object_agg(l.tbl, l.mode ORDER BY l.mode) FROM (
		SELECT a.relid::oid, 1 FROM pg_partition_ancestors(parent) AS a
		UNION ALL SELECT parent, coalesce((SELECT max(s.mode) FROM source AS s), 4)
		UNION ALL SELECT @extschema@.iuid_tables_below(ARRAY(SELECT s.tbl FROM source AS s)), 8
		UNION ALL SELECT @extschema@.iuid_referring_tables(parent), 6
		UNION ALL SELECT @extschema@.iuid_tables_below(ARRAY(SELECT c.confrelid FROM pg_constraint AS c WHERE c.conrelid = parent AND c.contype = 'f')), 6) AS l (tbl, mode)
$$;
COMMENT ON FUNCTION @extschema@.iuid_locks_to_make(pg_catalog.regclass) IS 'internal: the locks that attaching partitions needs';

CREATE FUNCTION @extschema@.iuid_locks_to_remove(parent pg_catalog.regclass, plan pg_catalog.jsonb, is_drop boolean)
RETURNS pg_catalog.jsonb LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH referring (tbl) AS (SELECT @extschema@.iuid_referring_tables(parent)),
	gone (tbl) AS (SELECT @extschema@.iuid_tables_below(ARRAY(SELECT o.tbl FROM jsonb_to_recordset(plan) AS o (tbl oid))))
	SELECT jsonb_object_agg(l.tbl, l.mode ORDER BY l.mode) FROM (
		SELECT a.relid::oid, 1 FROM pg_partition_ancestors(parent) AS a
		-- DETACH, and ATTACH of an open end made anew, give a table the foreign keys of its parent, or take them.
		UNION ALL SELECT @extschema@.iuid_tables_below(ARRAY(SELECT c.confrelid FROM pg_constraint AS c WHERE c.conrelid = parent AND c.contype = 'f')),
			CASE WHEN is_drop AND EXISTS (SELECT FROM referring) THEN 8 ELSE 6 END WHERE NOT is_drop OR plan @> '[{"is_open": true}]' OR EXISTS (SELECT FROM referring)
		-- DROP locks what a partition refers to by foreign keys of its own.
		UNION ALL SELECT @extschema@.iuid_tables_below(ARRAY(SELECT c.confrelid FROM pg_constraint AS c JOIN gone AS g ON g.tbl = c.conrelid
			WHERE c.contype = 'f' AND c.conparentid = 0)), 8 WHERE is_drop
		UNION ALL SELECT r.tbl, 8 FROM referring AS r
		UNION ALL SELECT @extschema@.iuid_tables_below(ARRAY(SELECT p.partdefid FROM pg_partitioned_table AS p WHERE p.partrelid = parent AND p.partdefid <> 0)), 8
		UNION ALL SELECT g.tbl, 8 FROM gone AS g
		UNION ALL SELECT parent, 8) AS l (tbl, mode)
$$;
COMMENT ON FUNCTION @extschema@.iuid_locks_to_remove(pg_catalog.regclass, pg_catalog.jsonb, boolean) IS 'internal: the locks that dropping or detaching planned partitions needs';
