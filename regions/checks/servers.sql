--
-- Checking the servers of the nodes, and the replication of the registry
--

CREATE FUNCTION @extschema@.iuid_server_of(foreign_table pg_catalog.regclass)
RETURNS pg_catalog.text LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT s.srvname FROM pg_foreign_table AS f JOIN pg_foreign_server AS s ON s.oid = f.ftserver WHERE f.ftrelid = foreign_table
$$;
COMMENT ON FUNCTION @extschema@.iuid_server_of(pg_catalog.regclass) IS 'internal: the name of the server of a foreign table';

CREATE FUNCTION @extschema@.iuid_server(name pg_catalog.text)
RETURNS TABLE (is_mapped boolean, has_extensions boolean, extensions pg_catalog.text, connect_seconds numeric) LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT EXISTS (SELECT FROM pg_user_mappings AS m WHERE m.srvid = s.oid AND (m.umuser = 0 OR m.umuser = (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user))),
		e.option IS NOT NULL, nullif(btrim(substring(e.option FROM 12)), ''), coalesce(substring(t.option FROM '^connect_timeout=\s*([0-9]{1,9})'), '0')::numeric
	FROM pg_foreign_server AS s LEFT JOIN LATERAL unnest(s.srvoptions) AS e (option) ON e.option LIKE 'extensions=%'
	LEFT JOIN LATERAL unnest(s.srvoptions) AS t (option) ON t.option LIKE 'connect\_timeout=%' WHERE s.srvname = name
$$;
COMMENT ON FUNCTION @extschema@.iuid_server(pg_catalog.text) IS 'internal: of a foreign server, whether the caller has a user mapping, and the options extensions and connect_timeout';

CREATE FUNCTION @extschema@.iuid_check_servers()
RETURNS TABLE (problem pg_catalog.text, relation pg_catalog.regclass, country int, node pg_catalog.text, detail pg_catalog.text, remedy pg_catalog.text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT 'no server', NULL::pg_catalog.regclass, NULL::int, n.node, 'The node has no server: enter its name into iuid_nodes, at the node that publishes the registry.', NULL
	FROM @extschema@.iuid_registered_nodes(true) AS n WHERE n.server IS NULL
	UNION ALL
	SELECT 'no server', NULL, NULL, n.node, pg_catalog.format('Server "%s" does not exist: make it, for postgres_fdw.', n.server), NULL
	FROM @extschema@.iuid_registered_nodes(true) AS n WHERE n.server IS NOT NULL AND NOT EXISTS (SELECT FROM @extschema@.iuid_server(n.server))
	UNION ALL
	SELECT 'no user mapping', NULL, NULL, n.node, pg_catalog.format('Role "%s" has no user mapping for server "%s": make one.', CURRENT_USER, n.server), NULL
	FROM @extschema@.iuid_registered_nodes(true) AS n, LATERAL @extschema@.iuid_server(n.server) AS s WHERE NOT s.is_mapped
	UNION ALL
	SELECT 'option extensions without iuid', NULL, NULL, n.node, pg_catalog.format('Server "%s" does not send conditions on identifiers.', n.server),
		pg_catalog.format('ALTER SERVER %I OPTIONS (%s extensions %L);', n.server, CASE WHEN s.has_extensions THEN 'SET' ELSE 'ADD' END, pg_catalog.concat_ws(', ', s.extensions, 'iuid'))
	FROM @extschema@.iuid_registered_nodes(true) AS n, LATERAL @extschema@.iuid_server(n.server) AS s
	WHERE NOT coalesce(s.extensions OPERATOR(pg_catalog.~*) '(^|,)\s*iuid\s*(,|$)', false);
END;
COMMENT ON FUNCTION @extschema@.iuid_check_servers() IS 'internal: what is wrong with the foreign servers of other nodes, and their user mappings';

CREATE FUNCTION @extschema@.iuid_replication_query()
RETURNS pg_catalog.text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT format($query$(SELECT pg_catalog.json_agg(pg_catalog.json_build_array(x.kind, x.name) ORDER BY x.kind, x.name) FROM (
		SELECT CASE WHEN NOT s.subenabled THEN 0 WHEN r.uncopied THEN 2 ELSE 1 END AS kind, s.subname AS name
		FROM pg_catalog.pg_subscription AS s JOIN pg_catalog.pg_database AS d ON d.oid OPERATOR(pg_catalog.=) s.subdbid
		CROSS JOIN LATERAL (
			SELECT pg_catalog.bool_or(r.srsubstate OPERATOR(pg_catalog.<>) 'r'::pg_catalog."char") AS uncopied
			FROM pg_catalog.pg_subscription_rel AS r JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) r.srrelid
			JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
			WHERE r.srsubid OPERATOR(pg_catalog.=) s.oid AND n.nspname OPERATOR(pg_catalog.=) %L::pg_catalog.name
				AND c.relname OPERATOR(pg_catalog.=) ANY ('{iuid_countries,iuid_entities,iuid_nodes,iuid_routes}'::pg_catalog.name[])) AS r
		WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database() AND r.uncopied IS NOT NULL
			AND (NOT s.subenabled OR r.uncopied OR NOT EXISTS (SELECT FROM pg_catalog.pg_stat_subscription AS w
				WHERE w.subid OPERATOR(pg_catalog.=) s.oid AND w.relid IS NULL AND w.pid IS NOT NULL))
		UNION ALL SELECT CASE WHEN s.wal_status OPERATOR(pg_catalog.=) 'lost'::pg_catalog.text THEN 4 ELSE 3 END, s.slot_name
		FROM pg_catalog.pg_replication_slots AS s
		WHERE NOT s.active AND (s.slot_type OPERATOR(pg_catalog.=) 'physical'::pg_catalog.text OR s.database OPERATOR(pg_catalog.=) pg_catalog.current_database())
			-- A standby has slots that are kept in step with those of its primary.
			AND COALESCE(pg_catalog.to_jsonb(s) OPERATOR(pg_catalog.->>) 'synced'::pg_catalog.text, ''::pg_catalog.text) OPERATOR(pg_catalog.<>) 'true'::pg_catalog.text) AS x)$query$,
		(parse_ident('@extschema@'))[1])
$$;
COMMENT ON FUNCTION @extschema@.iuid_replication_query() IS 'internal: an expression for what is wrong with subscriptions of the registry (0-2) and slots (3, 4), as an array of number and name; each node evaluates it';

CREATE FUNCTION @extschema@.iuid_evaluate(expression pg_catalog.text)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	result jsonb;
BEGIN
	EXECUTE 'SELECT ' || expression INTO result;
	RETURN result;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_evaluate(pg_catalog.text) IS 'internal: an expression, with the rights of the caller';

CREATE FUNCTION @extschema@.iuid_check_replication(node pg_catalog.text, found pg_catalog.jsonb, place pg_catalog.text)
RETURNS TABLE (problem pg_catalog.text, relation pg_catalog.regclass, country int, node_of pg_catalog.text, detail pg_catalog.text, remedy pg_catalog.text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT k.problem, NULL::regclass, NULL::int, node, format(k.detail, CASE WHEN k.is_slot THEN quote_literal(e.name) ELSE quote_ident(e.name) END),
		format(k.remedy, CASE WHEN k.is_slot THEN quote_literal(e.name) ELSE quote_ident(e.name) END) || place
	FROM jsonb_array_elements(CASE WHEN jsonb_typeof(found) = 'array' THEN found ELSE '[]' END) WITH ORDINALITY AS f (element, n)
	CROSS JOIN LATERAL (SELECT f.element ->> 0, f.element ->> 1) AS e (kind, name)
	LEFT JOIN (VALUES
		('0', 'subscription disabled', 'Subscription %s brings no changes of the registry.', 'ALTER SUBSCRIPTION %s ENABLE;', false),
		('1', 'subscription does not run', 'Subscription %s of the registry has no worker: start the publisher, or mend what the log of the server says, and the worker starts by itself.', NULL, false),
		('2', 'registry not copied', 'Subscription %s has not copied all tables of the registry yet. If that does not end, the log of the server says why; if it is 23505, the rows are there: subscribe anew with copy_data = false.', NULL, false),
		('3', 'inactive slot', 'Nobody reads slot %s, which holds the log.', 'SELECT pg_catalog.pg_drop_replication_slot(%s); -- unless its reader comes back', true),
		('4', 'lost slot', 'The log that the reader of slot %s needs is gone: it has to begin anew.', 'SELECT pg_catalog.pg_drop_replication_slot(%s);', true))
		AS k (kind, problem, detail, remedy, is_slot) ON k.kind = e.kind
	WHERE f.n <= 20 AND e.kind IS NOT NULL AND e.name IS NOT NULL
$$;
COMMENT ON FUNCTION @extschema@.iuid_check_replication(pg_catalog.text, pg_catalog.jsonb, pg_catalog.text) IS 'internal: what a node found wrong with subscriptions and slots, at most 20 rows; NULL for what is none of these';
