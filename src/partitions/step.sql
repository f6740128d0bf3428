--
-- The steps of time partitions, in UTC, and the names that partitions have by them
--

CREATE FUNCTION @extschema@.iuid_step_start(step interval, at pg_catalog.timestamptz)
RETURNS pg_catalog.timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' AS $$
	SELECT CASE WHEN s.months > 0
		THEN make_timestamptz((s.month - s.month % s.months) / 12 + 1, (s.month - s.month % s.months) % 12 + 1, 1, 0, 0, 0)
		ELSE at - ((s.since % s.length + s.length) % s.length) * interval '1 microsecond' END
	FROM (SELECT (extract(year FROM step) * 12 + extract(month FROM step))::int, (extract(year FROM at)::int - 1) * 12 + extract(month FROM at)::int - 1,
		-- Monday, 2000-01-03
		(extract(epoch FROM at) * 1000000)::bigint - 946857600000000,
		(extract(epoch FROM step) * 1000000)::bigint) AS s (months, month, since, length)
$$;
COMMENT ON FUNCTION @extschema@.iuid_step_start(interval, pg_catalog.timestamptz) IS 'internal: the start of the step in which a time lies; months count from January of the year 1, days, hours and minutes from Monday, 2000-01-03';

CREATE FUNCTION @extschema@.iuid_step_name(step interval, start pg_catalog.timestamptz, within boolean)
RETURNS pg_catalog.text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' AS $$
	SELECT to_char(start, concat('_YYYY', CASE WHEN within OR s.months <> 12 THEN '_MM' END, CASE WHEN within OR s.months = 0 THEN '_DD' END,
		CASE WHEN within OR s.months = 0 AND extract(epoch FROM step) % 86400 <> 0 THEN '_HH24MI' END,
		CASE WHEN extract(second FROM start) <> 0 THEN 'SS' END, CASE WHEN extract(second FROM start) % 1 <> 0 THEN '_MS' END))
	FROM (SELECT extract(year FROM step) * 12 + extract(month FROM step)) AS s (months)
$$;
COMMENT ON FUNCTION @extschema@.iuid_step_name(interval, pg_catalog.timestamptz, boolean) IS 'internal: the suffix of the name of a partition that starts at a time, at the start of a step or within it, as finely as they need it';
