--
-- Checking partitions: what is wrong with their bounds, their time checks and their rows
--

CREATE FUNCTION @extschema@.iuid_check_bounds(parent pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, partition pg_catalog.regclass, lower pg_catalog.uuid, upper pg_catalog.uuid, detail pg_catalog.text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
	SELECT 'gap', g.partition, g.upper, g.next, pg_catalog.format('nothing from %s up to %s', g.upper, g.next)
	FROM (SELECT b.*, pg_catalog.lead(b.lower) OVER (ORDER BY b.lower NULLS FIRST) AS next
		FROM @extschema@.iuid_partition_bounds(parent) AS b WHERE NOT b.is_default) AS g
	WHERE g.upper OPERATOR(pg_catalog.<) g.next
	UNION ALL
	SELECT 'bound within a millisecond', b.partition, b.lower, b.upper, pg_catalog.format('%s is not the first of its millisecond', v.bound)
	FROM @extschema@.iuid_partition_bounds(parent) AS b, LATERAL (VALUES (b.lower), (b.upper)) AS v (bound)
	WHERE NOT b.is_pending AND NOT @extschema@.iuid_is_whole_bound(v.bound)
	UNION ALL
	SELECT 'pending detach', b.partition, b.lower, b.upper, pg_catalog.format('ALTER TABLE %s DETACH PARTITION %s FINALIZE', parent, b.partition)
	FROM @extschema@.iuid_partition_bounds(parent) AS b WHERE b.is_pending;
END;
COMMENT ON FUNCTION @extschema@.iuid_check_bounds(pg_catalog.regclass) IS 'internal: gaps between partitions, bounds within a millisecond, and partitions whose DETACH CONCURRENTLY was not finished: no query of the table reads them, and their bounds are taken';

CREATE FUNCTION @extschema@.iuid_valid_checks(tbl pg_catalog.regclass)
RETURNS SETOF pg_catalog.text LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' AS $$
	SELECT pg_get_expr(c.conbin, c.conrelid) FROM pg_constraint AS c WHERE c.conrelid = tbl AND c.contype = 'c' AND c.convalidated
$$;
COMMENT ON FUNCTION @extschema@.iuid_valid_checks(pg_catalog.regclass) IS 'internal: the valid CHECKs of a table, as the server prints them';

CREATE FUNCTION @extschema@.iuid_check_times(parent pg_catalog.regclass, key pg_catalog.text)
RETURNS TABLE (problem pg_catalog.text, partition pg_catalog.regclass, lower pg_catalog.uuid, upper pg_catalog.uuid, detail pg_catalog.text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET quote_all_identifiers = off SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO'
BEGIN ATOMIC
	WITH judged AS (
		SELECT b.partition, b.lower, b.upper, d.detail, EXISTS (
			SELECT FROM @extschema@.iuid_valid_checks(b.partition) AS c (expression) WHERE c.expression OPERATOR(pg_catalog.=) ANY (d.as_printed)) AS is_right
		FROM @extschema@.iuid_partition_bounds(parent) AS b, LATERAL (
			SELECT pg_catalog.format('CHECK (%1$s(%2$I::pg_catalog.uuid) >= %3$L AND %1$s(%2$I::pg_catalog.uuid) < %4$L)', '@extschema@.iuid_timestamp', key, t.lower, t.upper),
				-- of a key of type uuid, and with the cast of any other
				ARRAY(SELECT pg_catalog.format('((%1$s(%2$s) >= %3$L::timestamp with time zone) AND (%1$s(%2$s) < %4$L::timestamp with time zone))',
					'@extschema@.iuid_timestamp', f.key, t.lower, t.upper) FROM pg_catalog.unnest(ARRAY[pg_catalog.quote_ident(key), pg_catalog.format('(%I)::uuid', key)]) AS f (key))
			FROM (SELECT @extschema@.iuid_time_of_bound(b.lower), @extschema@.iuid_time_of_bound(b.upper)) AS t (lower, upper)) AS d (detail, as_printed)
		WHERE b.lower IS NOT NULL AND b.upper IS NOT NULL AND NOT b.is_pending
			AND @extschema@.iuid_is_whole_bound(b.lower) AND @extschema@.iuid_is_whole_bound(b.upper))
	SELECT 'no time check', j.partition, j.lower, j.upper, j.detail
	FROM judged AS j WHERE NOT j.is_right AND EXISTS (SELECT FROM judged AS other WHERE other.is_right) ORDER BY j.lower;
END;
COMMENT ON FUNCTION @extschema@.iuid_check_times(pg_catalog.regclass, pg_catalog.text) IS 'internal: partitions without a valid time check, with its text, if others have one';

CREATE FUNCTION @extschema@.iuid_keys_between(partition pg_catalog.regclass, lower pg_catalog.uuid, upper pg_catalog.uuid,
	OUT rows bigint, OUT "least" pg_catalog.uuid, OUT "greatest" pg_catalog.uuid)
AS 'MODULE_PATHNAME', 'iuid_keys_between' LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.iuid_keys_between(pg_catalog.regclass, pg_catalog.uuid, pg_catalog.uuid) IS 'internal: the number, the least and the greatest of the keys of a partition from lower up to upper (NULL: no bound) in byte order, for callers that see all rows of its parent';

CREATE FUNCTION @extschema@.iuid_check_rows(parent pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, partition pg_catalog.regclass, lower pg_catalog.uuid, upper pg_catalog.uuid, detail pg_catalog.text)
LANGUAGE sql STABLE STRICT PARALLEL RESTRICTED
BEGIN ATOMIC
	WITH partitions AS (SELECT b.* FROM @extschema@.iuid_partition_bounds(parent) AS b WHERE NOT b.is_pending),
	ends AS (
		SELECT (pg_catalog.array_agg(p.lower ORDER BY p.lower NULLS FIRST))[1] AS lower, (pg_catalog.array_agg(p.upper ORDER BY p.upper DESC NULLS FIRST))[1] AS upper
		FROM partitions AS p WHERE NOT p.is_default HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 0),
	asked AS (
		SELECT p.partition, a.* FROM partitions AS p, ends AS e, LATERAL (VALUES
			(1, p.is_default, 'stranded rows', 'rows of times between those of the partitions', e.lower, e.upper),
			(2, p.is_default AND e.lower IS NOT NULL, 'rows before all partitions', 'rows of times before those of the partitions', NULL, e.lower),
			(3, p.is_default AND e.upper IS NOT NULL, 'rows after all partitions', 'rows of times after those of the partitions', e.upper, NULL),
			(4, NOT p.is_default AND (p.lower IS NULL OR p.upper IS NULL), 'rows in an open end', 'rows in a partition without an end', NULL, NULL))
			AS a (n, is_asked, problem, what, lower, upper) WHERE a.is_asked)
	SELECT a.problem, a.partition, k.least, k.greatest, pg_catalog.format('%s: %s', a.what, k.rows)
	FROM asked AS a, @extschema@.iuid_keys_between(a.partition, a.lower, a.upper) AS k
	WHERE k.rows OPERATOR(pg_catalog.>) 0 ORDER BY a.n, a.lower NULLS FIRST;
END;
COMMENT ON FUNCTION @extschema@.iuid_check_rows(pg_catalog.regclass) IS 'internal: rows in DEFAULT, by where their times lie, and rows in partitions without an end, with the least and the greatest key; 42501';

CREATE FUNCTION @extschema@.iuid_divided_partitions(parent pg_catalog.regclass)
RETURNS TABLE (tbl pg_catalog.regclass, key pg_catalog.text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT i.inhrelid, a.attname FROM pg_inherits AS i JOIN pg_partitioned_table AS p ON p.partrelid = i.inhrelid
		JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
		JOIN pg_opclass AS o ON o.oid = p.partclass[0] AND o.opcdefault AND o.opcintype IN ('uuid'::regtype, to_regtype('@extschema@.iuid'))
	WHERE i.inhparent = parent AND NOT i.inhdetachpending AND p.partstrat = 'r' AND p.partnatts = 1
$$;
COMMENT ON FUNCTION @extschema@.iuid_divided_partitions(pg_catalog.regclass) IS 'internal: the partitions that are themselves partitioned by time, with their keys';

CREATE FUNCTION @extschema@.iuid_check_partitions(parent pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz, detail pg_catalog.text)
LANGUAGE sql STABLE STRICT PARALLEL RESTRICTED
BEGIN ATOMIC
	SELECT f.problem, f.partition, @extschema@.iuid_shown_time(f.lower, '-infinity'::pg_catalog.timestamptz),
		@extschema@.iuid_shown_time(f.upper, 'infinity'::pg_catalog.timestamptz), f.detail
	FROM @extschema@.iuid_partition_key(parent, NULL::boolean, false, false) AS k, LATERAL (
		SELECT parent, k.name, NOT k.by_origin
		UNION ALL SELECT d.tbl, d.key, true FROM @extschema@.iuid_divided_partitions(parent) AS d WHERE k.by_origin) AS c (tbl, key, is_by_time),
	LATERAL (
		SELECT * FROM @extschema@.iuid_check_bounds(c.tbl) AS b WHERE c.is_by_time OR b.problem OPERATOR(pg_catalog.=) 'pending detach'
		UNION ALL SELECT * FROM @extschema@.iuid_check_times(c.tbl, c.key) WHERE c.is_by_time
		UNION ALL SELECT * FROM @extschema@.iuid_check_rows(c.tbl) WHERE c.is_by_time) AS f
	UNION ALL
	SELECT 'other UUIDs', parent, NULL, NULL, pg_catalog.format('%1$I can hold UUIDs that have no country: CHECK (%2$s.iuid_is_valid(%1$I::pg_catalog.uuid))', k.name, '@extschema@')
	FROM @extschema@.iuid_partition_key(parent, NULL::boolean, false, false) AS k WHERE k.by_origin AND NOT k.is_valid;
END;
COMMENT ON FUNCTION @extschema@.iuid_check_partitions(pg_catalog.regclass) IS 'faults of partitions, one row each: gaps, bounds within a millisecond, time checks, rows in DEFAULT or without an end, pending detaches, keys that take other UUIDs than iuids (doc/partitions.md)';
