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

CREATE FUNCTION @extschema@.iuid_make_country(parent pg_catalog.regclass, name pg_catalog.text, key pg_catalog.text, country int, step interval, time_checks boolean)
RETURNS pg_catalog.regclass LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' SET "IntervalStyle" = 'postgres' AS $$
DECLARE
	made regclass := @extschema@.iuid_make_table_like(parent, name,
		CASE WHEN step IS NOT NULL THEN format(' PARTITION BY RANGE (%I %s.iuid_ops)', key, '@extschema@') END);
	base text := (SELECT c.relname FROM pg_class AS c WHERE c.oid = made);
	bounds record;
BEGIN
	-- The bounds let ATTACH do without reading; the country keeps an UPDATE by another node from changing it.
	PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE %1$s ADD CHECK (%2$s.iuid_country(%3$I) OPERATOR(pg_catalog.=) %4$s'
		' AND %3$I OPERATOR(%2$s.~>=~) %5$L::%2$s.iuid AND %3$I OPERATOR(%2$s.~<~) %6$L::%2$s.iuid)', made, '@extschema@', key, country,
		@extschema@.iuid_country_floor(country, 0), @extschema@.iuid_country_floor(country + 1, 0)));
	IF step IS NOT NULL THEN
		PERFORM @extschema@.iuid_make_planned(made, (SELECT jsonb_agg(m ORDER BY m.lower)
			FROM @extschema@.iuid_missing_partitions(made, step, now(), @extschema@.iuid_step_start(step, now()) + 5 * step) AS m), NULL::interval, time_checks);
		SELECT min(b.lower_at) AS first, max(b.upper_at) AS last INTO bounds FROM @extschema@.iuid_time_bounds(made) AS b;
		PERFORM @extschema@.iuid_run_as_owner(made, format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (MINVALUE) TO (%L)', made,
			@extschema@.iuid_make_table_like(made, @extschema@.iuid_shortened_name(base, '_before'::text), NULL::text), @extschema@.iuid_bound_at(bounds.first, false)));
		PERFORM @extschema@.iuid_run_as_owner(made, format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (MAXVALUE)', made,
			@extschema@.iuid_make_table_like(made, @extschema@.iuid_shortened_name(base, '_after'::text), NULL::text), @extschema@.iuid_bound_at(bounds.last, false)));
	END IF;
	RETURN made;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_make_country(pg_catalog.regclass, pg_catalog.text, pg_catalog.text, int, interval, boolean) IS 'internal: makes the table of a country, with its CHECK and, with a step, time partitions for the present and 4 steps more, and an open-ended one on either side';

CREATE FUNCTION @extschema@.iuid_create_country_partitions(parent pg_catalog.regclass, entity int, countries int[],
	step interval DEFAULT NULL, time_checks boolean DEFAULT false, lock_wait interval DEFAULT '10 s')
RETURNS SETOF pg_catalog.regclass LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' SET "IntervalStyle" = 'postgres' AS $$
DECLARE
	of_default int;
BEGIN
	IF (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) AND NOT current_setting('transaction_read_only')::boolean THEN
		PERFORM FROM pg_namespace AS n WHERE n.oid = to_regnamespace('@extschema@') FOR KEY SHARE;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_proc AS p JOIN pg_roles AS r ON r.oid = p.proowner AND r.rolsuper
		WHERE p.oid = to_regprocedure('@extschema@.iuid_run_as_owner(pg_catalog.regclass,pg_catalog.text)')) THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'schema @extschema@ is not that of extension iuid',
			HINT = 'If the schema of the extension was renamed, give it its name back.';
	END IF;
	PERFORM @extschema@.iuid_check_call('iuid_create_country_partitions'::text, parent IS NULL OR entity IS NULL OR coalesce(cardinality(countries), 0) = 0
		OR EXISTS (SELECT FROM unnest(countries) AS t (c) WHERE c IS NULL), 'the table, the number of the entity that is in it, and the number of each country'::text, time_checks, lock_wait);
	PERFORM @extschema@.iuid_country_lower(c, entity) FROM unnest(countries) AS t (c);
	PERFORM @extschema@.iuid_step_months(step);
	IF time_checks AND step IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'time checks are for time partitions, and there is no step',
			DETAIL = 'Without a step the partition of a country has no time partitions.', HINT = 'Give a step, or false for time_checks.';
	END IF;
	-- Without the table the expression is read without a lock.
	SELECT substring(pg_get_expr(d.adbin, 0) FROM 'gen_iuid"?[(](?:[0-9]+, )?([0-9]{1,3})[,)]')::int INTO of_default
	FROM pg_attrdef AS d JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
	WHERE d.adrelid = parent AND a.attname = (@extschema@.iuid_owned_key(parent, true, false)).name AND a.attgenerated = '';
	IF of_default <> entity THEN
		RAISE WARNING USING MESSAGE = format('the default of the key of table %s is of entity %s', parent, of_default),
			DETAIL = format('The partitions are made for entity %s.', entity);
	END IF;
	RETURN QUERY SELECT (r.report ->> 'tbl')::oid::regclass
		FROM jsonb_array_elements(@extschema@.iuid_change_partitions(parent, jsonb_build_object('countries', countries, 'step', step, 'time_checks', time_checks), lock_wait))
			WITH ORDINALITY AS r (report, n) ORDER BY r.n;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_create_country_partitions(pg_catalog.regclass, int, int[], interval, boolean, interval) IS 'makes a partition for each of the countries, 0-255, of a table of an entity, in order by origin, that has none; with a step, divided by time; returns them (doc/partitions.md)';
