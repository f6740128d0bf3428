--
-- Country partitions: one for each country that is routed to this node
--

CREATE FUNCTION @extschema@.iuid_plan_countries(parent pg_catalog.regclass, entity int)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	countries jsonb;
	gone jsonb;
BEGIN
	PERFORM @extschema@.iuid_check_node();
	PERFORM @extschema@.iuid_require_valid(parent);
	countries := (SELECT coalesce(jsonb_agg(x), '[]') FROM (
		SELECT r.country, r.node, r.has_route, r.is_here, t.tbl::oid, t.is_own, t.tbl::text AS name, v.view::oid, c.relowner = p.relowner AS is_owners,
			r.has_route AND NOT r.is_here AND t.is_own AND c.relowner = p.relowner AND @extschema@.iuid_is_empty(t.tbl) AS goes, false AS is_pending, false AS is_empty
		FROM @extschema@.iuid_routed_countries(entity) AS r LEFT JOIN @extschema@.iuid_country_tables(parent) AS t ON t.country = r.country
		JOIN pg_class AS p ON p.oid = parent LEFT JOIN pg_class AS c ON c.oid = t.tbl
		LEFT JOIN LATERAL @extschema@.iuid_country_view(parent, r.country, entity) AS v ON true) AS x);
	gone := jsonb_path_query_array(countries, '$[*] ? (@.goes == true)');
	RETURN jsonb_build_object('countries', countries, 'locks', @extschema@.iuid_all_locks(ARRAY[jsonb_build_object(parent::oid, 4),
		CASE WHEN countries @? '$[*] ? (@.is_here == true && @.tbl == null)' THEN @extschema@.iuid_locks_to_make(parent) END,
		CASE WHEN gone <> '[]' THEN @extschema@.iuid_locks_to_remove(parent, gone, true) END,
		-- LOCK TABLE would lock what is below a view, too; so these only say who is in the way.
		(SELECT jsonb_object_agg(v.view, 8) FROM jsonb_to_recordset(countries) AS v (view oid) WHERE v.view IS NOT NULL)]));
END $$;
COMMENT ON FUNCTION @extschema@.iuid_plan_countries(pg_catalog.regclass, int) IS 'internal: the countries with their routes, partitions and views, which partitions go, and the locks for that; 22023, 42501, 42809, 42P01';

CREATE FUNCTION @extschema@.iuid_drop_countries(parent pg_catalog.regclass, countries pg_catalog.jsonb)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	reports jsonb := '[]';
	report jsonb;
	c jsonb;
	state text;
	message text;
	detail text;
BEGIN
	-- A country of another node keeps its view with its partition, as other nodes may still read there.
	PERFORM @extschema@.iuid_run_as_owner(parent, format('DROP VIEW %s', (v.c ->> 'view')::oid::regclass)) FROM jsonb_array_elements(countries) AS v (c)
		WHERE v.c -> 'view' <> 'null' AND v.c -> 'node' <> 'null' AND v.c @> '{"is_here": false}' AND NOT v.c @> '{"is_own": true}';
	FOR c IN SELECT jsonb_path_query(countries, '$[*] ? (@.goes == true)') LOOP
		-- Before the lock, it could get rows.
		CONTINUE WHEN NOT @extschema@.iuid_is_empty((c ->> 'tbl')::oid::regclass);
		report := NULL;
		BEGIN
			-- A table that Citus distributes has an empty file here, and its rows on other servers.
			PERFORM @extschema@.iuid_run_as_owner(parent, format('DO %L', format('BEGIN IF EXISTS (SELECT FROM %s) THEN RAISE too_many_rows; END IF; END', (c ->> 'tbl')::oid::regclass)));
			IF c -> 'view' <> 'null' THEN
				PERFORM @extschema@.iuid_run_as_owner(parent, format('DROP VIEW %s', (c ->> 'view')::oid::regclass));
			END IF;
			report := @extschema@.iuid_remove_planned(parent, jsonb_build_array(c), true, false) -> 0;
			IF report ? 'state' THEN
				RAISE EXCEPTION USING ERRCODE = report ->> 'state', MESSAGE = report ->> 'message', DETAIL = report ->> 'detail';
			END IF;
			reports := reports || report;
		EXCEPTION
			WHEN too_many_rows THEN
			WHEN dependent_objects_still_exist OR foreign_key_violation OR insufficient_privilege THEN
				GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
				reports := reports || (c || jsonb_build_object('state', state, 'message', CASE WHEN report IS NULL THEN format('partition %s stays: ', c ->> 'name') ELSE '' END || message, 'detail', detail));
		END;
	END LOOP;
	RETURN reports;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_drop_countries(pg_catalog.regclass, pg_catalog.jsonb) IS 'internal: drops the views of the countries of other nodes that have no partition here, and the partitions with their views that a query, too, finds empty; reports on these';

CREATE FUNCTION @extschema@.iuid_report_countries(parent pg_catalog.regclass, entity int, countries pg_catalog.jsonb, reports pg_catalog.jsonb)
RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	c record;
	unrouted text;
BEGIN
	FOR c IN
		SELECT t.country, CASE WHEN t.node IS NULL THEN format('No node has country %s.', t.country) ELSE format('Country %s is routed to node "%s".', t.country, t.node) END AS detail, t.name, t.is_owners, r.report
		FROM jsonb_to_recordset(countries) AS t (country int, node text, has_route boolean, is_here boolean, tbl oid, is_own boolean, name text, is_owners boolean)
		LEFT JOIN jsonb_array_elements(reports) AS r (report) ON (r.report ->> 'tbl')::oid = t.tbl WHERE t.has_route AND NOT t.is_here AND t.is_own ORDER BY t.country
	LOOP
		IF c.report IS NULL THEN
			RAISE WARNING USING ERRCODE = 'object_not_in_prerequisite_state',
				MESSAGE = format('partition %s stays: it %s', c.name, CASE WHEN c.is_owners THEN 'has rows' ELSE 'belongs to another role' END),
				DETAIL = c.detail, HINT = 'Move the rows to the node that has the country, or change its route.';
		ELSIF c.report ? 'state' THEN
			RAISE WARNING USING ERRCODE = c.report ->> 'state', MESSAGE = c.report ->> 'message', DETAIL = coalesce(c.report ->> 'detail', c.detail),
				HINT = 'Remove what needs it, and call this again.';
		ELSE
			RAISE NOTICE USING MESSAGE = format('dropped partition %s, which had no rows', c.name), DETAIL = c.detail;
		END IF;
	END LOOP;
	-- Of a run of numbers, the first and the last one are named.
	SELECT string_agg(CASE WHEN s.least = s.greatest THEN s.least::text ELSE format('%s-%s', s.least, s.greatest) END, ', ' ORDER BY s.least) INTO unrouted
	FROM (SELECT min(t.country), max(t.country) FROM (
		SELECT u.country, u.country - row_number() OVER (ORDER BY u.country) AS run FROM jsonb_to_recordset(countries) AS u (country int, has_route boolean) WHERE NOT u.has_route) AS t
		GROUP BY t.run) AS s (least, greatest);
	IF unrouted IS NOT NULL THEN
		RAISE WARNING USING MESSAGE = format('countries without a route: %s', unrouted),
			DETAIL = format('They are registered, but no route fits them and entity %s, so no node has their rows.', entity), HINT = 'Insert their routes into iuid_routes.';
	ELSIF NOT countries @> '[{"is_here": true}]' THEN
		RAISE WARNING USING MESSAGE = format('no country is routed to node "%s"', current_setting('iuid.node')),
			DETAIL = format('So table %s gets no partition for entity %s.', parent, entity),
			HINT = 'Insert the countries into iuid_countries, and their routes into iuid_routes.';
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_report_countries(pg_catalog.regclass, int, pg_catalog.jsonb, pg_catalog.jsonb) IS 'internal: says which partitions were dropped or stay, and which countries are not as their routes say';

CREATE FUNCTION @extschema@.iuid_make_country_views(parent pg_catalog.regclass, entity int)
RETURNS void LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT @extschema@.iuid_make_country_view(parent, CASE WHEN r.is_here THEN t.tbl END, r.country, entity)
	FROM @extschema@.iuid_routed_countries(entity) AS r LEFT JOIN @extschema@.iuid_country_tables(parent) AS t ON t.country = r.country
	WHERE r.is_here AND t.is_own OR r.has_route AND r.node IS NULL
$$;
COMMENT ON FUNCTION @extschema@.iuid_make_country_views(pg_catalog.regclass, int) IS 'internal: makes the views of the countries of this node, and of those that no node has';

CREATE FUNCTION @extschema@.iuid_make_countries(parent pg_catalog.regclass, entity int, step interval, time_checks boolean, plan pg_catalog.jsonb)
RETURNS pg_catalog.regclass[] LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	countries jsonb := plan -> 'countries';
	reports jsonb := @extschema@.iuid_drop_countries(parent, countries);
	here int[] := ARRAY(SELECT c.country FROM jsonb_to_recordset(countries) AS c (country int, is_here boolean) WHERE c.is_here);
	made regclass[] := '{}';
BEGIN
	-- Views that somebody reads are locked before work is done, and those of new partitions are made after it.
	PERFORM @extschema@.iuid_make_country_views(parent, entity);
	IF here <> '{}' THEN
		-- The locks are held.
		made := ARRAY(SELECT @extschema@.iuid_create_country_partitions(parent, entity, here, step, time_checks, interval '0'));
		PERFORM @extschema@.iuid_make_country_views(parent, entity);
	END IF;
	PERFORM @extschema@.iuid_report_countries(parent, entity, countries, reports);
	RETURN made;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_make_countries(pg_catalog.regclass, int, interval, boolean, pg_catalog.jsonb) IS 'internal: makes the partitions and views of the countries of this node, and the views of those that no node has, and drops what is of other nodes';

CREATE FUNCTION @extschema@.iuid_create_routed_partitions(parent pg_catalog.regclass, entity int, step interval DEFAULT NULL, time_checks boolean DEFAULT false,
	lock_wait interval DEFAULT '10 s')
RETURNS SETOF pg_catalog.regclass LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT @extschema@.iuid_check_call('iuid_create_routed_partitions'::pg_catalog.text, parent IS NULL OR entity IS NULL OR time_checks IS NULL,
		'the table in order by origin, and the number of the entity that is in it'::pg_catalog.text, step, NULL::pg_catalog.timestamptz, lock_wait);
	SELECT c.made FROM @extschema@.iuid_change_regions('countries'::pg_catalog.text, parent, NULL::pg_catalog.text, entity, step, time_checks, lock_wait) AS c (made);
END;
COMMENT ON FUNCTION @extschema@.iuid_create_routed_partitions(pg_catalog.regclass, int, interval, boolean, interval) IS
'makes the partition and the view of each country whose rows of an entity, 0-255, are routed here, with a step by time, too; returns the partitions; drops empty ones of other countries (doc/regions.md)';
