--
-- Checking time partitions: each function lists the faults of one kind
--

CREATE FUNCTION @extschema@.iuid_check_bounds(parent pg_catalog.regclass, is_uuid boolean)
RETURNS TABLE (problem pg_catalog.text, partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz,
	detail pg_catalog.text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT 'gap', g.partition, @extschema@.iuid_shown_time(g.upper, NULL::timestamptz), @extschema@.iuid_shown_time(g.next, NULL::timestamptz),
		format('nothing from %s up to %s', g.upper, g.next)
	FROM (SELECT b.*, lead(b.lower) OVER (ORDER BY b.lower NULLS FIRST) AS next
		FROM @extschema@.iuid_partition_bounds(parent) AS b WHERE NOT b.is_default) AS g
	WHERE g.upper < g.next
	UNION ALL
	SELECT 'bound within a millisecond', b.partition, @extschema@.iuid_shown_time(b.lower, '-infinity'::timestamptz),
		@extschema@.iuid_shown_time(b.upper, 'infinity'::timestamptz), format('%s is not the first of its millisecond', v.bound)
	FROM @extschema@.iuid_partition_bounds(parent) AS b, unnest(ARRAY[b.lower, b.upper]) AS v (bound)
	WHERE NOT b.is_pending AND NOT @extschema@.iuid_is_whole_bound(v.bound, is_uuid)
$$;
COMMENT ON FUNCTION @extschema@.iuid_check_bounds(pg_catalog.regclass, boolean) IS 'internal: gaps between time partitions, and bounds within a millisecond; what is pending to be detached leaves no gap';

CREATE FUNCTION @extschema@.iuid_check_pending(parent pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz,
	detail pg_catalog.text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT 'pending detach', b.partition, @extschema@.iuid_shown_time(b.lower, '-infinity'::timestamptz),
		@extschema@.iuid_shown_time(b.upper, 'infinity'::timestamptz),
		format('ALTER TABLE %s DETACH PARTITION %s FINALIZE', parent, b.partition)
	FROM @extschema@.iuid_partition_bounds(parent) AS b WHERE b.is_pending
$$;
COMMENT ON FUNCTION @extschema@.iuid_check_pending(pg_catalog.regclass) IS 'internal: partitions whose DETACH CONCURRENTLY was not finished: no query of the table reads them, and their bounds are taken';

-- A CHECK is read if it has nothing but comparisons of the time of the key with constants.
CREATE FUNCTION @extschema@.iuid_time_checks_of(partition pg_catalog.regclass, key pg_catalog.text)
RETURNS TABLE (lower pg_catalog.timestamptz, upper pg_catalog.timestamptz, is_valid boolean, is_inherited boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' SET "IntervalStyle" = 'postgres' AS $$
	WITH pattern (comparison) AS (
		VALUES ('[(]# (<=?|=|>=?) ''([^'']*)''::timestamp with time zone[)]|[(]''([^'']*)''::timestamp with time zone (<=?|=|>=?) #[)]')),
	said AS (
		SELECT c.oid, c.convalidated, c.coninhcount > 0 AS is_inherited,
			replace(pg_get_expr(c.conbin, c.conrelid), '@extschema@.iuid_timestamp(' || quote_ident(key) || ')', '#') AS expression
		FROM pg_constraint AS c
		WHERE c.conrelid = partition AND c.contype = 'c' AND coalesce(to_jsonb(c) ->> 'conenforced', 'true') = 'true'),
	compared AS (
		SELECT s.*, coalesce(m.part[1], translate(m.part[4], '<>', '><')) AS operator, least(coalesce(m.part[2], m.part[3])::timestamptz, '20000-01-01 00:00:00+00') AS at
		FROM pattern AS p, said AS s, regexp_matches(s.expression, p.comparison, 'g') AS m (part)
		WHERE regexp_replace(s.expression, p.comparison, '', 'g') ~ '^[()]*( AND [()]*)*$'),
	whole AS (
		SELECT c.*, date_trunc('milliseconds', c.at + interval '999 microseconds') AS since,
			date_trunc('milliseconds', c.at) + interval '1 millisecond' AS after FROM compared AS c)
	SELECT max(CASE w.operator WHEN '>' THEN w.after WHEN '>=' THEN w.since WHEN '=' THEN w.since END),
		min(CASE w.operator WHEN '<' THEN w.since WHEN '<=' THEN w.after WHEN '=' THEN w.after END), w.convalidated, w.is_inherited
	FROM whole AS w GROUP BY w.oid, w.convalidated, w.is_inherited
$$;
COMMENT ON FUNCTION @extschema@.iuid_time_checks_of(pg_catalog.regclass, pg_catalog.text) IS 'internal: the times from lower up to upper, in whole milliseconds, that each CHECK of the time of the key takes';

CREATE FUNCTION @extschema@.iuid_check_times(parent pg_catalog.regclass, key pg_catalog.text)
RETURNS TABLE (problem pg_catalog.text, partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz,
	detail pg_catalog.text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' SET "IntervalStyle" = 'postgres' AS $$
	WITH own AS (
		SELECT b.partition, b.lower IS NOT NULL AND b.upper IS NOT NULL AS is_bounded,
			@extschema@.iuid_shown_time(b.lower, '-infinity'::timestamptz) AS shown_lower, @extschema@.iuid_shown_time(b.upper, 'infinity'::timestamptz) AS shown_upper,
			@extschema@.iuid_time_of_bound(coalesce(b.lower, '00000000-0000-0000-0000-000000000000'::uuid)) AS lower,
			@extschema@.iuid_time_of_bound(coalesce(b.upper, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
				+ CASE WHEN @extschema@.iuid_is_whole_bound(b.upper, false) THEN interval '0' ELSE interval '1 millisecond' END AS upper
		FROM @extschema@.iuid_partition_bounds(parent) AS b WHERE NOT b.is_default AND NOT b.is_pending),
	judged AS (
		SELECT o.*, c.is_narrow IS TRUE AS is_narrow, c.is_right IS TRUE AS is_right
		FROM own AS o, LATERAL (
			SELECT bool_or(NOT t.is_inherited AND (t.lower > o.lower OR t.upper < o.upper)),
				max(t.lower) FILTER (WHERE t.is_valid) >= o.lower AND min(t.upper) FILTER (WHERE t.is_valid) <= o.upper
			FROM @extschema@.iuid_time_checks_of(o.partition, key) AS t) AS c (is_narrow, is_right))
	SELECT CASE WHEN j.is_narrow THEN 'narrow time check' ELSE 'no time check' END, j.partition, j.shown_lower, j.shown_upper,
		CASE WHEN j.is_narrow THEN 'a CHECK refuses times between the bounds'
			ELSE format('CHECK (%1$s >= %2$L AND %1$s < %3$L)', '@extschema@.iuid_timestamp(' || quote_ident(key) || ')', j.lower, j.upper) END
	FROM judged AS j
	WHERE j.is_narrow
		OR NOT j.is_right AND j.is_bounded AND EXISTS (SELECT FROM judged AS other WHERE other.is_right AND NOT other.is_narrow)
	ORDER BY j.shown_lower
$$;
COMMENT ON FUNCTION @extschema@.iuid_check_times(pg_catalog.regclass, pg_catalog.text) IS 'internal: time checks that refuse times within the bounds of their partition, and those that are missing, with their text, if others have one';

CREATE FUNCTION @extschema@.iuid_check_rows(parent pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz,
	detail pg_catalog.text)
LANGUAGE sql STABLE STRICT PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	WITH partitions AS (SELECT b.* FROM @extschema@.iuid_partition_bounds(parent) AS b WHERE NOT b.is_pending),
	ends AS (
		SELECT (array_agg(p.lower ORDER BY p.lower NULLS FIRST))[1] AS lower, (array_agg(p.upper ORDER BY p.upper DESC NULLS FIRST))[1] AS upper
		FROM partitions AS p WHERE NOT p.is_default HAVING count(*) > 0),
	asked AS (
		SELECT 1 AS n, 'stranded rows' AS problem, 'rows of times between those of the partitions' AS what, p.partition, e.lower, e.upper
		FROM partitions AS p, ends AS e WHERE p.is_default
		UNION ALL SELECT 2, 'rows before all partitions', 'rows of times before those of the partitions', p.partition, NULL, e.lower
		FROM partitions AS p, ends AS e WHERE p.is_default AND e.lower IS NOT NULL
		UNION ALL SELECT 3, 'rows after all partitions', 'rows of times after those of the partitions', p.partition, e.upper, NULL
		FROM partitions AS p, ends AS e WHERE p.is_default AND e.upper IS NOT NULL
		UNION ALL SELECT 4, 'rows in an open end', 'rows in a partition without an end', p.partition, NULL, NULL
		FROM partitions AS p WHERE NOT p.is_default AND (p.lower IS NULL OR p.upper IS NULL))
	SELECT a.problem, a.partition, @extschema@.iuid_shown_time(k.least, NULL::timestamptz), @extschema@.iuid_shown_time(k.greatest, NULL::timestamptz),
		format('%s: %s', a.what, k.rows)
	FROM asked AS a, @extschema@.iuid_keys_between(a.partition, a.lower, a.upper) AS k
	WHERE k.rows > 0
	ORDER BY a.n, a.lower NULLS FIRST
$$;
COMMENT ON FUNCTION @extschema@.iuid_check_rows(pg_catalog.regclass) IS 'internal: rows in DEFAULT, by where their times lie, and rows in partitions without an end, with the least and the greatest time; 42501';

CREATE FUNCTION @extschema@.iuid_check_time_partitions(parent pg_catalog.regclass, key pg_catalog.text, is_uuid boolean)
RETURNS TABLE (problem pg_catalog.text, partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz,
	detail pg_catalog.text)
LANGUAGE sql STABLE STRICT PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT * FROM @extschema@.iuid_check_bounds(parent, is_uuid)
	UNION ALL SELECT * FROM @extschema@.iuid_check_times(parent, key) WHERE NOT is_uuid
	UNION ALL SELECT * FROM @extschema@.iuid_check_rows(parent)
	UNION ALL SELECT * FROM @extschema@.iuid_check_pending(parent)
$$;
COMMENT ON FUNCTION @extschema@.iuid_check_time_partitions(pg_catalog.regclass, pg_catalog.text, boolean) IS 'internal: all checks of a table that is partitioned by time';

CREATE FUNCTION @extschema@.iuid_check_partitions(parent pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz,
	detail pg_catalog.text)
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	key record;
BEGIN
	IF (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) AND NOT current_setting('transaction_read_only')::boolean THEN
		PERFORM FROM pg_namespace AS n WHERE n.oid = to_regnamespace('@extschema@') FOR KEY SHARE;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_proc AS p JOIN pg_roles AS r ON r.oid = p.proowner AND r.rolsuper
		WHERE p.oid = to_regprocedure('@extschema@.iuid_run_as_owner(pg_catalog.regclass,pg_catalog.text)')) THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'schema @extschema@ is not that of extension iuid',
			HINT = 'If the schema of the extension was renamed, give it its name back.';
	END IF;
	SELECT k.name, k.is_uuid, k.by_origin INTO key FROM @extschema@.iuid_key_for_reader(parent) AS k;
	IF NOT key.by_origin THEN
		RETURN QUERY SELECT f.* FROM @extschema@.iuid_check_time_partitions(parent, key.name, key.is_uuid) AS f;
		RETURN;
	END IF;
	RETURN QUERY SELECT f.* FROM @extschema@.iuid_check_pending(parent) AS f;
	RETURN QUERY WITH divided AS MATERIALIZED (
		SELECT b.partition, a.attname::text AS key, a.atttypid = 'uuid'::regtype AS is_uuid
		FROM @extschema@.iuid_partition_bounds(parent) AS b JOIN pg_partitioned_table AS p ON p.partrelid = b.partition
			JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
			JOIN pg_opclass AS o ON o.oid = p.partclass[0] AND o.opcintype = a.atttypid AND o.opcdefault
		WHERE NOT b.is_pending AND p.partstrat = 'r' AND p.partnatts = 1 AND a.atttypid IN ('uuid'::regtype, '@extschema@.iuid'::regtype))
	SELECT f.* FROM divided AS d, @extschema@.iuid_check_time_partitions(d.partition, d.key, d.is_uuid) AS f;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_check_partitions(pg_catalog.regclass) IS 'faults of partitions, one row each: gaps, bounds within a millisecond, time checks, rows in DEFAULT or without an end, pending detaches; of a table in order by origin, those of each partition by time; 42501, 42809, 42P01 (doc/partitions.md)';
