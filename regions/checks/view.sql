--
-- Checking global views, as seen here
--

CREATE FUNCTION @extschema@.iuid_mapped_server(server pg_catalog.text, role pg_catalog.oid)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT EXISTS (SELECT FROM pg_foreign_server AS s JOIN pg_user_mappings AS m ON m.srvid = s.oid WHERE s.srvname = server AND m.umuser IN (0, role))
$$;
COMMENT ON FUNCTION @extschema@.iuid_mapped_server(pg_catalog.text, pg_catalog.oid) IS 'internal: whether a role has a user mapping for a server, of its own or of PUBLIC';

CREATE FUNCTION @extschema@.iuid_reader_of(view pg_catalog.regclass)
RETURNS pg_catalog.oid LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT c.relowner FROM pg_class AS c WHERE c.oid = view AND NOT EXISTS (SELECT FROM unnest(c.reloptions) AS o (option) WHERE substring(o.option FROM '^security_invoker=(.*)$')::boolean)
$$;
COMMENT ON FUNCTION @extschema@.iuid_reader_of(pg_catalog.regclass) IS 'internal: the role as which a view reads; NULL: whoever asks';

CREATE FUNCTION @extschema@.iuid_global_views(global pg_catalog.regclass)
RETURNS TABLE (relation pg_catalog.regclass, local pg_catalog.regclass, node pg_catalog.text, tbl pg_catalog.regclass, is_foreign boolean, make pg_catalog.text)
LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT p.relation, p.local, p.node, p.tbl, p.is_foreign, pg_catalog.format('SELECT %s.iuid_create_global_view(%L::pg_catalog.text, %L::pg_catalog.regclass);', '@extschema@', p.relation, p.local)
	FROM (
		SELECT g.relation, g.local, v.node, v.tbl, @extschema@.iuid_is_foreign(v.tbl) AS is_foreign, pg_catalog.bool_or(v.tbl IS NULL) OVER w AS is_more,
			pg_catalog.count(*) FILTER (WHERE v.tbl OPERATOR(pg_catalog.=) g.local) OVER w AS locals, pg_catalog.count(*) OVER w AS parts,
			EXISTS (SELECT FROM @extschema@.iuid_registered_nodes(false) AS n WHERE n.node OPERATOR(pg_catalog.=) v.node) AS is_node
		FROM @extschema@.iuid_global_relations(global) AS g, LATERAL @extschema@.iuid_printed(g.relation, global IS NOT NULL) AS d, LATERAL @extschema@.iuid_parts_of(d.texts[1]) AS v
		WHERE g.is_view AND d.texts IS NOT NULL WINDOW w AS (PARTITION BY g.relation)) AS p
	-- One without foreign tables is a global view if it names a node.
	WHERE NOT p.is_more AND p.locals OPERATOR(pg_catalog.=) 1 AND (p.parts OPERATOR(pg_catalog.>) 1 OR p.is_node);
END;
COMMENT ON FUNCTION @extschema@.iuid_global_views(pg_catalog.regclass) IS 'internal: the global views with their parts, and what makes them anew; in the place of one, all that no other session keeps readers out of';

CREATE FUNCTION @extschema@.iuid_global_locals(global pg_catalog.regclass)
RETURNS TABLE (relation pg_catalog.regclass, local pg_catalog.regclass) LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT g.relation, g.local FROM @extschema@.iuid_global_relations(global) AS g
	WHERE NOT g.is_view OR g.relation OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT v.relation FROM @extschema@.iuid_global_views(global) AS v));
END;
COMMENT ON FUNCTION @extschema@.iuid_global_locals(pg_catalog.regclass) IS 'internal: the global tables and views, with the local table of each';

CREATE FUNCTION @extschema@.iuid_check_views(global pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, relation pg_catalog.regclass, country int, node pg_catalog.text, detail pg_catalog.text, remedy pg_catalog.text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
	WITH part AS (SELECT * FROM @extschema@.iuid_global_views(global)),
	views AS (SELECT DISTINCT p.relation, p.local, p.make FROM part AS p),
	nodes AS (SELECT * FROM @extschema@.iuid_registered_nodes(false)),
	-- each node that the view is to show, and its part
	n AS (SELECT v.relation, v.local, v.make, nodes.node, nodes.server, part.tbl, part.is_foreign, @extschema@.iuid_server_of(part.tbl) AS on_server
		FROM views AS v CROSS JOIN nodes LEFT JOIN part ON part.relation OPERATOR(pg_catalog.=) v.relation AND part.node OPERATOR(pg_catalog.=) nodes.node WHERE NOT nodes.is_here AND nodes.server IS NOT NULL)
	SELECT 'old view', v.relation, NULL::int, pg_catalog.current_setting('iuid.node'), pg_catalog.format('The view has other columns than %s.', v.local), v.make
	FROM views AS v WHERE (@extschema@.iuid_columns(v.relation))[2:] OPERATOR(pg_catalog.<>) @extschema@.iuid_columns(v.local)
	UNION ALL
	SELECT 'no foreign table', n.relation, NULL, n.node, 'The view does not show the rows of the node.', n.make FROM n WHERE n.tbl IS NULL
	UNION ALL
	SELECT 'old view', n.relation, NULL, n.node, pg_catalog.format('The view shows the rows of %s as those of the node.', n.tbl), n.make FROM n WHERE NOT n.is_foreign
	UNION ALL
	SELECT 'foreign table on another server', n.relation, NULL, n.node, pg_catalog.format('%s is on server "%s", and the server of the node is "%s".', n.tbl, n.on_server, n.server), n.make
	FROM n WHERE n.is_foreign AND n.on_server OPERATOR(pg_catalog.<>) n.server
	UNION ALL
	SELECT 'old view', n.relation, NULL, n.node, pg_catalog.format('%s does not stand on %s with its columns as they are now.', n.tbl, n.local), n.make
	FROM n, LATERAL @extschema@.iuid_relation_name(n.local) AS l WHERE n.is_foreign AND n.on_server OPERATOR(pg_catalog.=) n.server
		AND NOT (@extschema@.iuid_stands_on(n.tbl, n.server, n.local, l.name) AND @extschema@.iuid_column_definitions(n.tbl, '%1$I %2$s%3$s') OPERATOR(pg_catalog.=) @extschema@.iuid_column_definitions(n.local, '%1$I %2$s%3$s'))
	UNION ALL
	SELECT 'no user mapping', n.relation, NULL, n.node, pg_catalog.format('Role "%s", as which the view reads, has no user mapping for server "%s": make one.', pg_catalog.pg_get_userbyid(r.reader), n.on_server), NULL
	FROM n, LATERAL @extschema@.iuid_reader_of(n.relation) AS r (reader) WHERE n.is_foreign AND r.reader IS NOT NULL AND NOT @extschema@.iuid_mapped_server(n.on_server, r.reader)
	UNION ALL
	SELECT 'foreign table of no node', p.relation, NULL, p.node, pg_catalog.format('The node is not registered, and the view shows the rows of %s.', p.tbl), p.make
	FROM part AS p WHERE NOT EXISTS (SELECT FROM nodes WHERE nodes.node OPERATOR(pg_catalog.=) p.node)
	UNION ALL
	SELECT 'not checked', g.relation, NULL, NULL, 'Another session keeps readers out.', pg_catalog.format('SELECT * FROM %s.iuid_check_regions(%L::pg_catalog.regclass);', '@extschema@', g.relation)
	FROM @extschema@.iuid_global_relations(global) AS g, LATERAL @extschema@.iuid_printed(g.relation, global IS NOT NULL) AS d
	WHERE g.is_view AND d.is_locked AND EXISTS (SELECT FROM @extschema@.iuid_foreign_tables(g.relation));
END;
COMMENT ON FUNCTION @extschema@.iuid_check_views(pg_catalog.regclass) IS 'internal: what is wrong with the parts of global views';
