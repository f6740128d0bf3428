--
-- Partitions by country, which may be divided by time
--
-- The partition of a country is made with all that is below it, and then attached.
--

CREATE FUNCTION @extschema@.iuid_missing_countries(parent pg_catalog.regclass, countries int[])
RETURNS TABLE (name pg_catalog.text, lower pg_catalog.uuid, upper pg_catalog.uuid, country int)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT @extschema@.iuid_shortened_name(p.relname::text, '_c' || m.country), m.lower::uuid, m.upper::uuid, m.country
	FROM pg_class AS p, (SELECT DISTINCT c, @extschema@.iuid_country_floor(c, 0), @extschema@.iuid_country_floor(c + 1, 0)
		FROM unnest(countries) AS t (c)) AS m (country, lower, upper)
	WHERE p.oid = parent AND NOT EXISTS (SELECT FROM @extschema@.iuid_partition_bounds(parent) AS b WHERE NOT b.is_default
		AND (b.lower IS NULL OR b.lower OPERATOR(@extschema@.~<=~) m.lower) AND (b.upper IS NULL OR b.upper OPERATOR(@extschema@.~>=~) m.upper))
$$;
COMMENT ON FUNCTION @extschema@.iuid_missing_countries(pg_catalog.regclass, int[]) IS 'internal: the names and bounds of the partitions of those countries that no partition has';

-- The bounds let ATTACH do without reading; the country keeps an UPDATE by another node from changing it.
CREATE FUNCTION @extschema@.iuid_country_check("key" pg_catalog.text, is_uuid boolean, country int)
RETURNS pg_catalog.text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN pg_catalog.format('CHECK (%1$s.iuid_country(%2$I::pg_catalog.uuid) OPERATOR(pg_catalog.=) %3$s AND %2$I::%4$s OPERATOR(%1$s.~>=~) %5$L::%4$s AND %2$I::%4$s OPERATOR(%1$s.~<~) %6$L::%4$s)',
	'@extschema@', "key", country, CASE WHEN is_uuid THEN 'pg_catalog.uuid' ELSE '@extschema@.iuid' END, @extschema@.iuid_country_floor(country, 0), @extschema@.iuid_country_floor(country OPERATOR(pg_catalog.+) 1, 0));
COMMENT ON FUNCTION @extschema@.iuid_country_check(pg_catalog.text, boolean, int) IS 'internal: the CHECK that a key, of type uuid or iuid, is of a country, 0-255, and within its bounds';

CREATE FUNCTION @extschema@.iuid_make_country(parent pg_catalog.regclass, name pg_catalog.text, country int, step interval, time_checks boolean)
RETURNS pg_catalog.regclass LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	k record;
	made regclass;
	base text;
	plan jsonb;
BEGIN
	SELECT * INTO k FROM @extschema@.iuid_partition_key(parent, true, true, false);
	made := (@extschema@.iuid_make_tables_like(parent, ARRAY[name], CASE WHEN step IS NOT NULL THEN format(' PARTITION BY RANGE (%I)', k.name) END))[1];
	base := (SELECT c.relname FROM pg_class AS c WHERE c.oid = made);
	PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE %s ADD %s', made, @extschema@.iuid_country_check(k.name, k.is_uuid, country)));
	IF step IS NOT NULL THEN
		plan := (SELECT jsonb_agg(m ORDER BY m.lower)
			FROM @extschema@.iuid_missing_partitions(made, k.takes_any_bound, step, now(), @extschema@.iuid_step_start(step, now()) + 5 * step) AS m);
		PERFORM @extschema@.iuid_make_planned(made, plan
			|| jsonb_build_object('name', @extschema@.iuid_shortened_name(base, '_before'::text), 'upper', plan -> 0 -> 'lower')
			|| jsonb_build_object('name', @extschema@.iuid_shortened_name(base, '_after'::text), 'lower', plan -> -1 -> 'upper'), NULL::interval, time_checks);
	END IF;
	RETURN made;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_make_country(pg_catalog.regclass, pg_catalog.text, int, interval, boolean) IS 'internal: makes the table of a country, with its CHECK and, with a step, time partitions for the present and 4 steps more, and an open-ended one on either side';

CREATE FUNCTION @extschema@.iuid_check_countries(countries int[], entity int, step interval, time_checks boolean)
RETURNS void LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF countries = '{}' OR array_position(countries, NULL) IS NOT NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'countries must not be none, or null', HINT = 'Give the number of each country.';
	END IF;
	PERFORM @extschema@.iuid_country_lower(c, entity) FROM unnest(countries) AS t (c);
	IF time_checks AND step IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'time checks are for time partitions, and there is no step',
			DETAIL = 'Without a step the partition of a country has no time partitions.', HINT = 'Give a step, or false for time_checks.';
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_check_countries(int[], int, interval, boolean) IS 'internal: 22004 for a NULL or none among the countries, 22023 for countries or an entity outside 0-255, and for time checks without a step';

CREATE FUNCTION @extschema@.iuid_create_country_partitions(parent pg_catalog.regclass, entity int, countries int[],
	step interval DEFAULT NULL, time_checks boolean DEFAULT false, lock_wait interval DEFAULT '10 s')
RETURNS SETOF pg_catalog.regclass LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT @extschema@.iuid_check_call('iuid_create_country_partitions'::pg_catalog.text, parent IS NULL OR entity IS NULL OR countries IS NULL OR time_checks IS NULL,
		'the table, the number of the entity that is in it, and the number of each country'::pg_catalog.text, step, NULL::pg_catalog.timestamptz, lock_wait);
	SELECT @extschema@.iuid_check_countries(countries, entity, step, time_checks);
	SELECT c.partition FROM @extschema@.iuid_change_partitions(parent, ROW(step, NULL, NULL, countries, NULL, NULL, time_checks, NULL)::@extschema@.iuid_task, lock_wait) AS c;
END;
COMMENT ON FUNCTION @extschema@.iuid_create_country_partitions(pg_catalog.regclass, int, int[], interval, boolean, interval) IS 'makes a partition for each of the countries, 0-255, of a table of an entity, in order by origin, that has none; with a step, divided by time; returns them (doc/partitions.md)';
