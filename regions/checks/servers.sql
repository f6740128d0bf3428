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
	SELECT format($query$(SELECT pg_catalog.json_agg(pg_catalog.json_build_array(x.kind, x.name, x.whose) ORDER BY x.kind, x.name, x.whose) FROM (
		SELECT k.kind, s.subname AS name, s.subslotname AS whose
		FROM pg_catalog.pg_subscription AS s JOIN pg_catalog.pg_database AS d ON d.oid OPERATOR(pg_catalog.=) s.subdbid
		CROSS JOIN LATERAL (
			SELECT pg_catalog.bool_or(r.srsubstate OPERATOR(pg_catalog.<>) 'r'::pg_catalog."char") AS uncopied
			FROM pg_catalog.pg_subscription_rel AS r JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) r.srrelid
			JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
			WHERE r.srsubid OPERATOR(pg_catalog.=) s.oid AND n.nspname OPERATOR(pg_catalog.=) %1$L::pg_catalog.name
				AND c.relname OPERATOR(pg_catalog.=) ANY ('{iuid_countries,iuid_entities,iuid_nodes,iuid_routes}'::pg_catalog.name[])) AS r
		CROSS JOIN LATERAL (
			SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_stat_subscription AS w
				WHERE w.subid OPERATOR(pg_catalog.=) s.oid AND w.relid IS NULL AND w.pid IS NOT NULL) AS stands) AS w
		CROSS JOIN LATERAL (VALUES (7, r.uncopied IS NOT NULL), (0, NOT s.subenabled AND r.uncopied IS NOT NULL AND s.subslotname IS NOT NULL),
			(5, NOT s.subenabled AND r.uncopied IS NOT NULL AND s.subslotname IS NULL), (2, s.subenabled AND r.uncopied), (1, s.subenabled AND NOT r.uncopied AND w.stands),
			(9, s.subenabled AND w.stands AND s.subname::pg_catalog.text OPERATOR(pg_catalog.~) '^moving_c[0-9]+$'::pg_catalog.text)) AS k (kind, holds)
		WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database() AND k.holds
		-- As pg_dump makes it: it knows no table of the publications that it is to bring.
		UNION ALL SELECT 8, s.subname, p.publication::pg_catalog.name
		FROM pg_catalog.pg_subscription AS s JOIN pg_catalog.pg_database AS d ON d.oid OPERATOR(pg_catalog.=) s.subdbid CROSS JOIN LATERAL pg_catalog.unnest(s.subpublications) AS p (publication)
		WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database() AND NOT s.subenabled
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_subscription_rel AS r WHERE r.srsubid OPERATOR(pg_catalog.=) s.oid)
		UNION ALL SELECT 6, p.pubname, NULL FROM pg_catalog.pg_publication AS p
		WHERE 4 OPERATOR(pg_catalog.=) (SELECT pg_catalog.count(*)::int FROM pg_catalog.pg_publication_rel AS r JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) r.prrelid
			JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
			WHERE r.prpubid OPERATOR(pg_catalog.=) p.oid AND n.nspname OPERATOR(pg_catalog.=) %1$L::pg_catalog.name
				AND c.relname OPERATOR(pg_catalog.=) ANY ('{iuid_countries,iuid_entities,iuid_nodes,iuid_routes}'::pg_catalog.name[]))
		UNION ALL SELECT CASE WHEN s.wal_status OPERATOR(pg_catalog.=) 'lost'::pg_catalog.text THEN 4 ELSE 3 END, s.slot_name, NULL
		FROM pg_catalog.pg_replication_slots AS s CROSS JOIN LATERAL pg_catalog.to_jsonb(s) AS j
		WHERE NOT s.active AND (s.slot_type OPERATOR(pg_catalog.=) 'physical'::pg_catalog.text OR s.database OPERATOR(pg_catalog.=) pg_catalog.current_database())
			-- A standby has slots that are kept in step with those of its primary.
			AND COALESCE(j OPERATOR(pg_catalog.->>) 'synced'::pg_catalog.text, ''::pg_catalog.text) OPERATOR(pg_catalog.<>) 'true'::pg_catalog.text
			-- From 17 on it is known since when: a reader comes back within seconds.
			AND COALESCE((j OPERATOR(pg_catalog.->>) 'inactive_since'::pg_catalog.text)::pg_catalog.timestamptz OPERATOR(pg_catalog.<) (pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) '10 s'::pg_catalog.interval), true)
		UNION ALL SELECT 10, 'standby', NULL WHERE pg_catalog.pg_is_in_recovery()
		-- A role of its own that only reads is none.
		UNION ALL SELECT CASE WHEN s.source OPERATOR(pg_catalog.=) 'database'::pg_catalog.text THEN 11 ELSE 12 END,
			CASE WHEN s.source OPERATOR(pg_catalog.=) 'database'::pg_catalog.text THEN pg_catalog.current_database() ELSE s.source::pg_catalog.name END, NULL
		FROM pg_catalog.pg_settings AS s WHERE s.name OPERATOR(pg_catalog.=) 'default_transaction_read_only'::pg_catalog.text AND s.setting OPERATOR(pg_catalog.=) 'on'::pg_catalog.text
			AND s.source OPERATOR(pg_catalog.=) ANY ('{configuration file,command line,environment variable,global,database}'::pg_catalog.text[]) AND NOT pg_catalog.pg_is_in_recovery()) AS x)$query$,
		(parse_ident('@extschema@'))[1])
$$;
COMMENT ON FUNCTION @extschema@.iuid_replication_query() IS 'internal: an expression for what a node has of subscriptions, publications and slots, and whether it is read-only, as an array of numbers, names, and what they belong to; each node evaluates it';

CREATE FUNCTION @extschema@.iuid_evaluate(expression pg_catalog.text)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	result jsonb;
BEGIN
	EXECUTE 'SELECT ' || expression INTO result;
	RETURN result;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_evaluate(pg_catalog.text) IS 'internal: an expression, with the rights of the caller';

CREATE FUNCTION @extschema@.iuid_replication_states(found pg_catalog.jsonb)
RETURNS TABLE (kind pg_catalog.text, name pg_catalog.text, whose pg_catalog.text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT s.kind, s.name, s.whose
	FROM (SELECT e.kind, e.name, e.whose, row_number() OVER (PARTITION BY e.kind ORDER BY f.n) AS n
		FROM jsonb_array_elements(CASE WHEN jsonb_typeof(found) = 'array' THEN found ELSE '[]' END) WITH ORDINALITY AS f (element, n)
		CROSS JOIN LATERAL (SELECT f.element ->> 0, f.element ->> 1, f.element ->> 2) AS e (kind, name, whose) WHERE f.n <= 1000 AND e.kind IS NOT NULL AND e.name IS NOT NULL) AS s
	WHERE s.n <= 20
$$;
COMMENT ON FUNCTION @extschema@.iuid_replication_states(pg_catalog.jsonb) IS 'internal: what a node found, at most 20 rows of a kind';

CREATE FUNCTION @extschema@.iuid_replication_problem(kind pg_catalog.text, name pg_catalog.text, place pg_catalog.text)
RETURNS TABLE (problem pg_catalog.text, detail pg_catalog.text, remedy pg_catalog.text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce(k.problem, 'strange answer'), coalesce(format(k.detail, q.name), 'The answer has an unknown problem of subscriptions or slots.'), format(k.remedy, q.name) || place
	FROM (VALUES (kind)) AS g (kind) LEFT JOIN (VALUES
		('0', 'subscription disabled', 'Subscription %s brings no changes of the registry, and its slot holds the log of the publisher.', 'ALTER SUBSCRIPTION %s ENABLE;', false),
		('1', 'subscription does not run', 'Subscription %s of the registry has no worker: start the publisher, or mend what the log of the server says, and the worker starts by itself.', NULL, false),
		('2', 'registry not copied', 'Subscription %s has not copied all tables of the registry yet. If that does not end, the log of the server says why; if it is 23505, the rows are there: subscribe anew with copy_data = false.', NULL, false),
		('3', 'inactive slot', 'Nobody reads slot %s, which holds the log.', 'SELECT pg_catalog.pg_drop_replication_slot(%s); -- unless its reader comes back', true),
		('4', 'lost slot', 'The log that the reader of slot %s needs is gone: it has to begin anew.', 'SELECT pg_catalog.pg_drop_replication_slot(%s);', true),
		('5', 'subscription disabled', 'Subscription %s of the registry has no slot: drop it, and subscribe anew.', 'DROP SUBSCRIPTION %s;', false),
		('9', 'subscription does not run', 'Subscription %s of a move has no worker. If that does not end, the log of the server says why; if its slot is gone, abort the move, and copy again.', NULL, false),
		('10', 'read-only', 'The server of the node is a %s: promote it, or let the foreign server name the primary.', NULL, false),
		('11', 'read-only', 'Setting default_transaction_read_only is on for database %s.', 'BEGIN READ WRITE; ALTER DATABASE %s RESET default_transaction_read_only; COMMIT;', false),
		('12', 'read-only', 'Setting default_transaction_read_only is on, by %s: take it back.', NULL, false))
		AS k (kind, problem, detail, remedy, is_slot) ON k.kind = g.kind
	CROSS JOIN LATERAL (SELECT CASE WHEN k.is_slot THEN quote_literal(iuid_replication_problem.name) ELSE quote_ident(iuid_replication_problem.name) END) AS q (name)
$$;
COMMENT ON FUNCTION @extschema@.iuid_replication_problem(pg_catalog.text, pg_catalog.text, pg_catalog.text) IS 'internal: the problem that a number stands for';
