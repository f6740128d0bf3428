--
-- Global tables: a local table, with a foreign table for each country of another node
--

CREATE FUNCTION @extschema@.iuid_global_name(global pg_catalog.text, local pg_catalog.regclass, OUT schema pg_catalog.text, OUT name pg_catalog.text, OUT relation pg_catalog.regclass)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	path text[] := parse_ident(global);
BEGIN
	IF cardinality(path) > 2 THEN
		RAISE EXCEPTION USING ERRCODE = 'syntax_error', MESSAGE = format('improper qualified name (too many dotted names): %s', global),
			HINT = 'Give the name, with its schema in front if that is not the schema of the local table.';
	ELSIF greatest(octet_length(path[1]), octet_length(path[2])) > 63 THEN
		RAISE EXCEPTION USING ERRCODE = 'name_too_long', MESSAGE = format('name "%s" is too long', global), HINT = 'Give names of at most 63 bytes.';
	END IF;
	name := path[cardinality(path)];
	schema := coalesce(CASE WHEN cardinality(path) = 2 THEN path[1] END, (SELECT l.schema FROM @extschema@.iuid_relation_name(local) AS l));
	relation := (SELECT c.oid FROM pg_class AS c WHERE c.relnamespace = quote_ident(schema)::regnamespace AND c.relname = name);
END $$;
COMMENT ON FUNCTION @extschema@.iuid_global_name(pg_catalog.text, pg_catalog.regclass) IS 'internal: schema and name of a global table or view, and what has that name; 22023, 42601, 42622, 3F000';

CREATE FUNCTION @extschema@.iuid_stands_on(foreign_table pg_catalog.regclass, server pg_catalog.text, local pg_catalog.regclass, name pg_catalog.text)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT EXISTS (SELECT FROM pg_foreign_table AS f JOIN pg_foreign_server AS s ON s.oid = f.ftserver, pg_class AS l JOIN pg_namespace AS n ON n.oid = l.relnamespace
		WHERE f.ftrelid = foreign_table AND s.srvname = server AND l.oid = local AND f.ftoptions @> ARRAY['schema_name=' || n.nspname, 'table_name=' || name])
$$;
COMMENT ON FUNCTION @extschema@.iuid_stands_on(pg_catalog.regclass, pg_catalog.text, pg_catalog.regclass, pg_catalog.text) IS 'internal: whether a foreign table is on a server, and stands on a relation of this name in the schema that a local table has here';

CREATE FUNCTION @extschema@.iuid_plan_global_table(local pg_catalog.regclass, global pg_catalog.text, entity int)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	g record;
	countries jsonb;
BEGIN
	PERFORM @extschema@.iuid_check_node();
	PERFORM @extschema@.iuid_require_valid(local);
	SELECT t.* INTO g FROM @extschema@.iuid_global_name(global, local) AS t;
	IF g.relation IS NOT NULL THEN
		PERFORM @extschema@.iuid_require_valid(g.relation);
		IF NOT EXISTS (SELECT FROM pg_partitioned_table AS p WHERE p.partrelid = g.relation AND p.partdefid = local) THEN
			RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('%s is not the DEFAULT partition of %s', local, g.relation),
				DETAIL = 'A global table has one local table, as its DEFAULT partition.',
				HINT = 'Give the local table that the global one was made with, or the name of a new global table.';
		END IF;
	END IF;
	countries := (SELECT jsonb_agg(x) FROM (
		SELECT r.country, r.node, CASE WHEN f.goes IS NOT FALSE AND r.node IS NOT NULL AND NOT r.is_here
				THEN @extschema@.iuid_require_server(r.node, s.server, format('Country %s is routed to that node.', r.country)) ELSE s.server END AS server,
			CASE WHEN f.goes THEN t.tbl::oid END AS old, NOT r.is_here AND coalesce(r.node, s.server) IS NOT NULL AND f.goes IS NOT FALSE AS is_made
		FROM @extschema@.iuid_routed_countries(entity) AS r
		-- The view of a country that no node has is an error at each of them.
		CROSS JOIN LATERAL (SELECT CASE WHEN r.node IS NOT NULL THEN r.server
			ELSE (SELECT n.server FROM @extschema@.iuid_registered_nodes(true) AS n WHERE n.server IS NOT NULL LIMIT 1) END) AS s (server)
		LEFT JOIN @extschema@.iuid_country_tables(g.relation) AS t ON t.country = r.country
		LEFT JOIN LATERAL (SELECT t.is_own AND c.relkind = 'f' AND (r.is_here
			OR coalesce(r.node, s.server) IS NOT NULL AND NOT @extschema@.iuid_stands_on(t.tbl, s.server, local, @extschema@.iuid_country_view_name(local, r.country, entity)))
			FROM pg_class AS c WHERE c.oid = t.tbl) AS f (goes) ON true
		WHERE r.has_route) AS x WHERE x.old IS NOT NULL OR x.is_made);
	RETURN jsonb_build_object('name', to_jsonb(g), 'countries', coalesce(countries, '[]'), 'locks', CASE WHEN countries IS NULL AND g.relation IS NOT NULL THEN '{}' ELSE
		@extschema@.iuid_all_locks(ARRAY[(SELECT jsonb_object_agg(b, 8) FROM @extschema@.iuid_tables_below(ARRAY[local::oid]) AS b),
			CASE WHEN g.relation IS NOT NULL THEN @extschema@.iuid_locks_to_make(g.relation) || jsonb_build_object(g.relation::oid, 8) END,
			(SELECT jsonb_object_agg(c.old, 8) FROM jsonb_to_recordset(countries) AS c (old oid) WHERE c.old IS NOT NULL)]) END);
END $$;
COMMENT ON FUNCTION @extschema@.iuid_plan_global_table(pg_catalog.regclass, pg_catalog.text, int) IS 'internal: the foreign tables of a global table that go and that are made, and the locks for that; 22023, 42501, 42809, 42P01, 55000';

CREATE FUNCTION @extschema@.iuid_make_global_table(local pg_catalog.regclass, entity int, plan pg_catalog.jsonb)
RETURNS pg_catalog.regclass[] LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	made regclass[] := '{}';
	g record;
	k record;
	c record;
BEGIN
	SELECT n.schema, n.name, format('%I.%I', n.schema, n.name) AS global, n.relation INTO g FROM jsonb_to_record(plan -> 'name') AS n (schema text, name text, relation text);
	SELECT p.country, p.node, t.tbl INTO c FROM jsonb_to_recordset(plan -> 'countries') AS p (country int, node text, is_made boolean)
		JOIN @extschema@.iuid_country_tables(local) AS t ON t.country = p.country AND t.is_own WHERE p.is_made AND NOT @extschema@.iuid_is_empty(t.tbl) ORDER BY p.country LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('country %s is routed to %s, but this node has rows of it', c.country, CASE WHEN c.node IS NULL THEN 'no node' ELSE format('node "%s"', c.node) END),
			DETAIL = format('The rows are in partition %s.', c.tbl), HINT = 'Copy the rows to that node and detach the partition, or change the route.';
	END IF;
	IF g.relation IS NULL THEN
		SELECT * INTO k FROM @extschema@.iuid_partition_key(local, true, true, false);
		IF EXISTS (SELECT FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid WHERE a.attrelid = local AND a.attname = k.name AND t.typtype = 'd') THEN
			RAISE WARNING USING MESSAGE = format('each look-up in %s reads all rows of a country of another node', g.global),
				DETAIL = format('Column %I is of a domain, and postgres_fdw sends no condition on that.', k.name),
				HINT = 'Let it be of type uuid, with CHECK (iuid_is_valid(...)), or of type iuid. iuid_find() reads one row in any case.';
		END IF;
		PERFORM @extschema@.iuid_run_as_owner(local, format('CREATE TABLE %s (LIKE %s INCLUDING COMMENTS INCLUDING CONSTRAINTS INCLUDING DEFAULTS INCLUDING GENERATED)'
			' PARTITION BY RANGE (%I %s.%I)', g.global, local, k.name, '@extschema@', CASE WHEN k.is_uuid THEN 'uuid_origin_ops' ELSE 'iuid_origin_ops' END));
		PERFORM @extschema@.iuid_run_as_owner(local, format('ALTER TABLE %s ATTACH PARTITION %s DEFAULT', g.global, local));
		made := made || (SELECT i.inhparent::regclass FROM pg_inherits AS i WHERE i.inhrelid = local);
	END IF;
	FOR c IN SELECT p.*, @extschema@.iuid_shortened_name(g.name, '_c' || p.country) AS name FROM jsonb_to_recordset(plan -> 'countries') AS p (country int, server text, old oid, is_made boolean) ORDER BY p.country LOOP
		IF c.old IS NOT NULL THEN
			PERFORM @extschema@.iuid_run_as_owner(local, format('DROP FOREIGN TABLE %s', c.old::regclass));
		END IF;
		IF c.is_made THEN
			-- on the view that the node of the country has, which has no TRUNCATE
			PERFORM @extschema@.iuid_run_as_owner(local, (SELECT format('CREATE FOREIGN TABLE %I.%I PARTITION OF %s FOR VALUES FROM (%L) TO (%L) SERVER %I OPTIONS (schema_name %L, table_name %L, truncatable ''false'')',
				g.schema, c.name, g.global, @extschema@.iuid_country_floor(c.country, 0), @extschema@.iuid_country_floor(c.country + 1, 0), c.server,
				l.schema, @extschema@.iuid_country_view_name(local, c.country, entity)) FROM @extschema@.iuid_relation_name(local) AS l));
			made := made || (SELECT r.relation FROM @extschema@.iuid_global_name(format('%I.%I', g.schema, c.name), local) AS r);
		END IF;
	END LOOP;
	-- as at the end of iuid_change_regions()
	IF g.global <> (SELECT format('%I.%I', r.schema, r.name) FROM pg_inherits AS i, @extschema@.iuid_relation_name(i.inhparent::regclass) AS r WHERE i.inhrelid = local)
		OR array_position(made, NULL) IS NOT NULL OR EXISTS (SELECT FROM jsonb_to_recordset(plan -> 'countries') AS p (old oid) JOIN pg_class AS t ON t.oid = p.old) THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('%s was changed or renamed meanwhile', g.global), HINT = 'Try again.';
	END IF;
	RETURN made;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_make_global_table(pg_catalog.regclass, int, pg_catalog.jsonb) IS 'internal: makes a planned global table, and changes its foreign tables; 55000 for a country with rows here, which would be out of reach';

CREATE FUNCTION @extschema@.iuid_create_global_table(global pg_catalog.text, local pg_catalog.regclass, entity int, lock_wait interval DEFAULT '10 s')
RETURNS SETOF pg_catalog.regclass LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT @extschema@.iuid_check_call('iuid_create_global_table'::pg_catalog.text, global IS NULL OR local IS NULL OR entity IS NULL,
		'the name of the global table, the local table, and the number of the entity that is in them'::pg_catalog.text, NULL::interval, NULL::pg_catalog.timestamptz, lock_wait);
	SELECT c.made FROM @extschema@.iuid_change_regions('table'::pg_catalog.text, local, global, entity, NULL::interval, false, lock_wait) AS c (made);
END;
COMMENT ON FUNCTION @extschema@.iuid_create_global_table(pg_catalog.text, pg_catalog.regclass, int, interval) IS
'makes a global table: a local table, with a foreign table for each country of another node; or makes it as the routes are now; returns what it made; the entity is 0-255 (doc/regions.md)';
