--
-- Checking global tables, as seen here
--

CREATE FUNCTION @extschema@.iuid_has_country_check(checks pg_catalog.text[], "key" pg_catalog.text, is_uuid boolean, country int)
RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE SET quote_all_identifiers = off
BEGIN ATOMIC
	SELECT EXISTS (
		SELECT FROM pg_catalog.unnest(checks) AS c (expression),
			LATERAL (SELECT CASE WHEN is_uuid THEN 'uuid' ELSE '@extschema@.iuid' END, @extschema@.iuid_country_floor(country, 0), @extschema@.iuid_country_floor(country OPERATOR(pg_catalog.+) 1, 0)) AS f (type, lower, upper),
			LATERAL (VALUES (pg_catalog.format('%L::%s', f.lower, f.type), pg_catalog.format('%L::%s', f.upper, f.type)),
				(pg_catalog.format('%s.iuid_country_floor(%s)', '@extschema@', country), pg_catalog.format('%s.iuid_country_floor(%s)', '@extschema@', country OPERATOR(pg_catalog.+) 1))) AS b (lower, upper),
			-- the key as an argument of iuid_country(), and as one of an operator: with a cast, it is of another type
			LATERAL (VALUES (pg_catalog.quote_ident("key")), (pg_catalog.format('(%I)::uuid', "key"))) AS u (argument),
			LATERAL (VALUES (pg_catalog.quote_ident("key")), (pg_catalog.format('(%I)::%s', "key", f.type))) AS k (operand)
		WHERE c.expression OPERATOR(pg_catalog.=) pg_catalog.format('((%1$s.iuid_country(%2$s) = %3$s) AND (%4$s OPERATOR(%1$s.~>=~) %5$s) AND (%4$s OPERATOR(%1$s.~<~) %6$s))',
			'@extschema@', u.argument, country, k.operand, b.lower, b.upper));
END;
COMMENT ON FUNCTION @extschema@.iuid_has_country_check(pg_catalog.text[], pg_catalog.text, boolean, int) IS 'internal: whether one of these CHECKs says, as iuid_create_country_partitions does or with iuid_country_floor(), that a table has the rows of a country alone';

CREATE FUNCTION @extschema@.iuid_country_states(global pg_catalog.regclass)
RETURNS TABLE (relation pg_catalog.regclass, local pg_catalog.regclass, "key" pg_catalog.text, is_uuid boolean, entity int, country int, is_registered boolean, node pg_catalog.text, server pg_catalog.text, has_route boolean, is_here boolean,
	there pg_catalog.regclass, is_foreign boolean, here pg_catalog.regclass, is_own boolean, make_local pg_catalog.text, make_global pg_catalog.text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	WITH t AS (
		SELECT g.relation, g.local, g."key", g.is_uuid, e.entity, @extschema@.iuid_step_of(g.local) AS step
		FROM @extschema@.iuid_global_relations(global) AS g, LATERAL (SELECT @extschema@.iuid_entity_of(g.relation, g.local)) AS e (entity)
		WHERE NOT g.is_view),
	there AS (SELECT t.relation, c.country, c.tbl, c.is_own AND @extschema@.iuid_is_foreign(c.tbl) AS is_foreign FROM t, LATERAL @extschema@.iuid_country_tables(t.relation) AS c),
	here AS (SELECT t.relation, c.country, c.tbl, c.is_own FROM t, LATERAL @extschema@.iuid_country_tables(t.local) AS c),
	countries AS (
		SELECT t.relation, r.country, true AS is_registered, r.node, r.server, r.has_route, r.is_here FROM t, LATERAL @extschema@.iuid_routed_countries(t.entity) AS r
		UNION ALL SELECT x.relation, x.country, false, NULL, NULL, false, false FROM there AS x JOIN t ON t.relation OPERATOR(pg_catalog.=) x.relation
		WHERE x.is_foreign AND NOT EXISTS (SELECT FROM @extschema@.iuid_routed_countries(t.entity) AS r WHERE r.country OPERATOR(pg_catalog.=) x.country))
	SELECT t.relation, t.local, t."key", t.is_uuid, t.entity, c.country, c.is_registered, c.node, c.server, c.has_route, c.is_here, there.tbl, coalesce(there.is_foreign, false), here.tbl, coalesce(here.is_own, false),
		pg_catalog.format('SELECT %s.iuid_create_routed_partitions(%L::pg_catalog.regclass, %s%s);', '@extschema@', t.local, t.entity, CASE WHEN t.step IS NOT NULL THEN pg_catalog.format(', %L::pg_catalog.interval', t.step) END),
		pg_catalog.format('SELECT %s.iuid_create_global_table(%L::pg_catalog.text, %L::pg_catalog.regclass, %s);', '@extschema@', t.relation, t.local, t.entity)
	FROM countries AS c JOIN t ON t.relation OPERATOR(pg_catalog.=) c.relation
	LEFT JOIN there ON there.relation OPERATOR(pg_catalog.=) c.relation AND there.country OPERATOR(pg_catalog.=) c.country
	LEFT JOIN here ON here.relation OPERATOR(pg_catalog.=) c.relation AND here.country OPERATOR(pg_catalog.=) c.country;
END;
COMMENT ON FUNCTION @extschema@.iuid_country_states(pg_catalog.regclass) IS 'internal: of each global table the countries, with their routes, the partitions of the global and of the local table, and what makes these anew';

CREATE FUNCTION @extschema@.iuid_check_countries_here(global pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, relation pg_catalog.regclass, country int, node pg_catalog.text, detail pg_catalog.text, remedy pg_catalog.text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
	WITH c AS (
		SELECT s.*, v.view, v.taken, k.texts AS checks, k.is_locked FROM @extschema@.iuid_country_states(global) AS s, LATERAL @extschema@.iuid_country_view(s.local, s.country, s.entity) AS v,
			LATERAL @extschema@.iuid_printed(s.here, global IS NOT NULL) AS k WHERE s.is_here)
	SELECT 'foreign table of a country of this node', c.relation, c.country, c.node, pg_catalog.format('The country is routed to this node, and its rows are looked for in %s.', c.there), c.make_global
	FROM c WHERE c.there IS NOT NULL
	UNION ALL
	SELECT 'no partition', c.relation, c.country, c.node, 'The country is routed to this node.', c.make_local FROM c WHERE c.here IS NULL
	UNION ALL
	SELECT 'no CHECK', c.relation, c.country, c.node, pg_catalog.format('Partition %s has no CHECK of its country and its bounds.', c.here),
		pg_catalog.format('ALTER TABLE %s ADD %s;', c.here, @extschema@.iuid_country_check(c."key", c.is_uuid, c.country))
	FROM c WHERE c.here IS NOT NULL AND NOT c.is_locked AND @extschema@.iuid_has_country_check(c.checks, c."key", c.is_uuid, c.country) IS NOT TRUE
	UNION ALL
	SELECT DISTINCT 'not checked', c.relation, NULL::int, NULL, 'Another session keeps readers out.', pg_catalog.format('SELECT * FROM %s.iuid_check_regions(%L::pg_catalog.regclass);', '@extschema@', c.relation)
	FROM c WHERE c.is_locked
	UNION ALL
	SELECT 'name of a view taken', c.relation, c.country, c.node, pg_catalog.format('%s is no view of the owner of %s: rename it, or give it that owner.', c.taken, c.local), NULL
	FROM c WHERE c.here IS NOT NULL AND c.taken IS NOT NULL
	UNION ALL
	SELECT 'no view', c.relation, c.country, c.node, pg_catalog.format('Other nodes have no way to partition %s.', c.here), c.make_local
	FROM c WHERE c.is_own AND c.view IS NULL AND c.taken IS NULL
	UNION ALL
	SELECT 'old view', c.relation, c.country, c.node, pg_catalog.format('View %s does not show partition %s as it is now.', c.view, c.here), c.make_local
	FROM c WHERE c.is_own AND c.view IS NOT NULL AND NOT @extschema@.iuid_is_current_view(c.view, c.here, c.local);
END;
COMMENT ON FUNCTION @extschema@.iuid_check_countries_here(pg_catalog.regclass) IS 'internal: what is wrong with the countries of this node: their partitions, CHECKs and views';

CREATE FUNCTION @extschema@.iuid_check_countries_elsewhere(global pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, relation pg_catalog.regclass, country int, node pg_catalog.text, detail pg_catalog.text, remedy pg_catalog.text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
	WITH c AS (
		SELECT s.*, v.view, CASE WHEN s.node IS NULL THEN 'No node has the country.' ELSE pg_catalog.format('The country is routed to node "%s".', s.node) END AS says
		FROM @extschema@.iuid_country_states(global) AS s, LATERAL @extschema@.iuid_country_view(s.local, s.country, s.entity) AS v WHERE NOT s.is_here)
	SELECT 'partition of a country of another node', c.relation, c.country, c.node,
		pg_catalog.format('%s This node has partition %s: move its rows, or change the route. Without rows, the partition is dropped.', c.says, c.here), c.make_local
	FROM c WHERE c.has_route AND c.is_own
	UNION ALL
	SELECT 'no foreign table', c.relation, c.country, c.node, c.says, c.make_global FROM c WHERE c.there IS NULL AND c.has_route AND (c.node IS NOT NULL
		OR EXISTS (SELECT FROM @extschema@.iuid_registered_nodes(true) AS n WHERE n.server IS NOT NULL))
	UNION ALL
	SELECT 'foreign table on another server', c.relation, c.country, c.node, pg_catalog.format('%s is on server "%s", and the route says server "%s".', c.there, f.server, c.server), c.make_global
	FROM c, LATERAL @extschema@.iuid_server_of(c.there) AS f (server) WHERE c.is_foreign AND f.server OPERATOR(pg_catalog.<>) c.server AND EXISTS (SELECT FROM @extschema@.iuid_server(c.server))
	UNION ALL
	SELECT 'no view', c.relation, c.country, NULL, 'No node has the country, and a look-up here is no error.', c.make_local
	FROM c WHERE c.has_route AND c.node IS NULL AND @extschema@.iuid_is_current_view(c.view, c.local, c.local) IS NOT TRUE
	UNION ALL
	SELECT 'no route', c.relation, c.country, NULL, pg_catalog.format('No route fits country %s and entity %s: insert one into iuid_routes, at the node that publishes the registry.', c.country, c.entity), NULL
	FROM c WHERE c.is_registered AND NOT c.has_route
	UNION ALL
	SELECT 'foreign table without a route', c.relation, c.country, NULL, pg_catalog.format('No route fits the country, and its rows are looked for in %s.', c.there), pg_catalog.format('DROP FOREIGN TABLE %s;', c.there)
	FROM c WHERE c.is_foreign AND NOT c.has_route;
END;
COMMENT ON FUNCTION @extschema@.iuid_check_countries_elsewhere(pg_catalog.regclass) IS 'internal: what is wrong with the countries of other nodes, of none, and without a route';
