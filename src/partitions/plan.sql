--
-- Which partitions a task makes or removes
--

CREATE TYPE @extschema@.iuid_task AS (
	-- makes time partitions: those missing from first up to last
	step interval, first pg_catalog.timestamptz, last pg_catalog.timestamptz,
	-- makes partitions of countries, divided by step if that is given
	countries int[],
	-- drops (true) or detaches (false) partitions that ended; NULL for what makes some
	older_than pg_catalog.timestamptz, is_drop boolean,
	-- gives each time partition that is made a CHECK of its times
	time_checks boolean,
	-- of all these the one of this name, as the plan has it; NULL for all
	name pg_catalog.text);
COMMENT ON TYPE @extschema@.iuid_task IS 'internal: a change of partitions: what does not belong to it is NULL';
COMMENT ON TYPE @extschema@.iuid_task[] IS 'internal: array of iuid_task';

CREATE FUNCTION @extschema@.iuid_missing_partitions(parent pg_catalog.regclass, takes_any_bound boolean, step interval,
	first pg_catalog.timestamptz, last pg_catalog.timestamptz)
RETURNS TABLE (name pg_catalog.text, lower pg_catalog.uuid, upper pg_catalog.uuid)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' AS $$
DECLARE
	start timestamptz;
	stop timestamptz;
BEGIN
	IF first < '1970-01-01 00:00+00' OR first = 'infinity' OR last = '-infinity' OR last > '10889-01-01 00:00+00' THEN
		RAISE EXCEPTION USING ERRCODE = 'datetime_field_overflow', MESSAGE = format('time partitions from %s to %s are out of range for type iuid', first, last),
			DETAIL = 'An iuid holds times from 1970 to the year 10889.', HINT = 'Give finite times within that range.';
	END IF;
	-- The first step can begin before 1970.
	start := greatest(@extschema@.iuid_step_start(step, first), '1970-01-01 00:00+00');
	stop := @extschema@.iuid_step_start(step, last - interval '1 microsecond') + step;
	IF last < first OR stop <= start THEN
		RETURN;
	END IF;
	RETURN QUERY WITH b AS (SELECT * FROM @extschema@.iuid_time_bounds(parent)),
	-- An open end covers nothing, and no gap is left between it and what is carved out of it.
	span AS (
		SELECT least(start, min(b.lower_at) FILTER (WHERE b.is_open AND b.upper IS NULL)) AS start,
			greatest(stop, max(b.upper_at) FILTER (WHERE b.is_open AND b.lower IS NULL)) AS stop,
			range_agg(tstzrange(b.lower_at, b.upper_at)) FILTER (WHERE NOT b.is_open) AS covered FROM b),
	-- The starts of steps, and the bounds that are there, as a time has two bounds if the key is a uuid
	cuts AS (
		SELECT c.at, max(c.ends::text)::uuid AS ends, min(c.starts::text)::uuid AS starts FROM span AS s, LATERAL (
			SELECT greatest(g.at, s.start), NULL::uuid, NULL::uuid FROM generate_series(@extschema@.iuid_step_start(step, s.start), s.stop, step) AS g (at)
			UNION ALL SELECT b.upper_at, b.upper, NULL FROM b
			UNION ALL SELECT b.lower_at, NULL, b.lower FROM b
			UNION ALL SELECT s.stop, NULL, NULL) AS c (at, ends, starts)
		WHERE c.at BETWEEN s.start AND s.stop GROUP BY c.at),
	pieces AS (
		SELECT c.at, lead(c.at) OVER w AS next_at, coalesce(c.ends, c.starts, @extschema@.iuid_bound_at(c.at, takes_any_bound)) AS lower,
			lead(coalesce(c.starts, c.ends, @extschema@.iuid_bound_at(c.at, takes_any_bound))) OVER w AS upper FROM cuts AS c WINDOW w AS (ORDER BY c.at))
	SELECT @extschema@.iuid_shortened_name(c.relname::text, @extschema@.iuid_step_name(step, p.at, p.at <> @extschema@.iuid_step_start(step, p.at))), p.lower, p.upper
	FROM pg_class AS c, span AS s, pieces AS p WHERE c.oid = parent AND p.next_at IS NOT NULL AND (s.covered @> tstzrange(p.at, p.next_at)) IS NOT TRUE
	ORDER BY p.at;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_missing_partitions(pg_catalog.regclass, boolean, interval, pg_catalog.timestamptz, pg_catalog.timestamptz) IS 'internal: the names and bounds of the partitions that are missing, in whole steps from first up to last; 22008';

CREATE FUNCTION @extschema@.iuid_plan(parent pg_catalog.regclass, task @extschema@.iuid_task, takes_any_bound boolean)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF task.countries IS NOT NULL THEN
		PERFORM @extschema@.iuid_require_valid(parent);
		RETURN (SELECT jsonb_agg(m ORDER BY m.country) FROM @extschema@.iuid_missing_countries(parent, task.countries) AS m);
	ELSIF task.older_than IS NULL THEN
		RETURN (SELECT jsonb_agg(m ORDER BY m.lower) FROM @extschema@.iuid_missing_partitions(parent, takes_any_bound, task.step, task.first, task.last) AS m
			WHERE m.name = coalesce(task.name, m.name));
	END IF;
	-- An open end goes with each of the others, as a new one covers what they covered.
	RETURN (SELECT CASE WHEN NOT bool_and(o.is_empty) THEN jsonb_agg(o ORDER BY o.upper) END FROM (
		SELECT b.partition::text AS name, b.partition::oid AS tbl, b.upper, b.is_pending, b.is_open, b.is_open AND pg_relation_size(b.partition) = 0 AS is_empty
		FROM @extschema@.iuid_time_bounds(parent) AS b
		WHERE b.upper_at <= task.older_than AND (b.is_open OR task.name IS NULL OR b.partition::text = task.name)) AS o);
END $$;
COMMENT ON FUNCTION @extschema@.iuid_plan(pg_catalog.regclass, @extschema@.iuid_task, boolean) IS 'internal: the partitions that a task makes or removes, NULL for none; under the lock of the parent; 55000 for countries of a key that takes other UUIDs than iuids';
