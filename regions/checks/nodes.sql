--
-- Checking what the other nodes say
--
-- A node can answer anything.  What it says is compared, and never executed; a name of its own is quoted.
--

CREATE FUNCTION @extschema@.iuid_stood_on(foreign_table pg_catalog.regclass)
RETURNS pg_catalog.text LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT substring(o.option FROM 12) FROM pg_foreign_table AS f, unnest(f.ftoptions) AS o (option) WHERE f.ftrelid = foreign_table AND o.option LIKE 'table\_name=%'
$$;
COMMENT ON FUNCTION @extschema@.iuid_stood_on(pg_catalog.regclass) IS 'internal: the name of what a foreign table stands on';

CREATE FUNCTION @extschema@.iuid_wanted_relations(global pg_catalog.regclass)
RETURNS TABLE (relation pg_catalog.regclass, node pg_catalog.text, country int, schema pg_catalog.text, name pg_catalog.text, columns pg_catalog.text[], remedy pg_catalog.text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
	SELECT g.relation, NULL::pg_catalog.text, NULL::int, r.schema, r.name, @extschema@.iuid_typed_columns(g.local), NULL::pg_catalog.text
	FROM @extschema@.iuid_global_locals(global) AS g, LATERAL @extschema@.iuid_relation_name(g.local) AS r
	UNION ALL
	SELECT c.relation, c.node, c.country, r.schema, v.name, @extschema@.iuid_typed_columns(c.there), pg_catalog.format('SELECT %s.iuid_create_routed_partitions(%L::pg_catalog.regclass, %s); -- at that node', '@extschema@', c.local, c.entity)
	FROM @extschema@.iuid_country_states(global) AS c, LATERAL @extschema@.iuid_relation_name(c.local) AS r, LATERAL @extschema@.iuid_stood_on(c.there) AS v (name)
	WHERE c.is_foreign AND NOT c.is_here AND c.node IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.iuid_wanted_relations(pg_catalog.regclass) IS 'internal: what other nodes (NULL: all) need for global tables and views: the local table, and the views on which foreign tables stand';

CREATE FUNCTION @extschema@.iuid_inventory_query(schemas pg_catalog.text[], names pg_catalog.text[], replication pg_catalog.text, with_registry boolean)
RETURNS pg_catalog.text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT format($query$SELECT pg_catalog.json_build_object('extensions'::pg_catalog.text, (
			SELECT pg_catalog.json_object_agg(e.extname, pg_catalog.json_build_object('schema'::pg_catalog.text, n.nspname, 'version'::pg_catalog.text, e.extversion))
			FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace),
		'relations'::pg_catalog.text, (
			SELECT pg_catalog.json_object_agg(pg_catalog.concat(n.nspname, '.'::pg_catalog.text, c.relname), pg_catalog.json_build_object('columns'::pg_catalog.text, (
					SELECT pg_catalog.json_agg(pg_catalog.concat_ws(' '::pg_catalog.text, a.attname, tn.nspname, t.typname, a.atttypmod) ORDER BY a.attname)
					FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) a.atttypid
					JOIN pg_catalog.pg_namespace AS tn ON tn.oid OPERATOR(pg_catalog.=) t.typnamespace
					WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.>) 0::pg_catalog.int2
						AND NOT a.attisdropped AND a.attname OPERATOR(pg_catalog.<>) 'ctid'::pg_catalog.name),
				'usage'::pg_catalog.text, pg_catalog.has_schema_privilege(n.oid, 'USAGE'::pg_catalog.text),
				-- The view of a country is security_invoker, so the role needs the right to read what the view stands on, too.
				'unread'::pg_catalog.text, (
					SELECT pg_catalog.json_build_array(un.nspname, u.relname) FROM (
						SELECT c.oid UNION ALL SELECT d.refobjid FROM pg_catalog.pg_rewrite AS r
						JOIN pg_catalog.pg_depend AS d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass::pg_catalog.oid
							AND d.objid OPERATOR(pg_catalog.=) r.oid AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
						WHERE r.ev_class OPERATOR(pg_catalog.=) c.oid AND c.relkind OPERATOR(pg_catalog.=) 'v'::pg_catalog."char") AS x (oid)
					JOIN pg_catalog.pg_class AS u ON u.oid OPERATOR(pg_catalog.=) x.oid JOIN pg_catalog.pg_namespace AS un ON un.oid OPERATOR(pg_catalog.=) u.relnamespace
					WHERE NOT pg_catalog.has_any_column_privilege(x.oid, 'SELECT'::pg_catalog.text) ORDER BY un.nspname, u.relname LIMIT 1)))
			FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
			WHERE n.nspname OPERATOR(pg_catalog.=) ANY (%1$L::pg_catalog.name[]) AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,v,f}'::pg_catalog."char"[])
				AND (c.relname OPERATOR(pg_catalog.=) ANY (%2$L::pg_catalog.name[]) OR c.relname::pg_catalog.text OPERATOR(pg_catalog.~) '_c[0-9]+_e[0-9]+$'::pg_catalog.text)),
		'replication'::pg_catalog.text, %3$s, 'role'::pg_catalog.text, CURRENT_USER::pg_catalog.text,
		'clock'::pg_catalog.text, pg_catalog.date_part('epoch'::pg_catalog.text, pg_catalog.clock_timestamp())%4$s)$query$,
		schemas, names, replication, CASE WHEN with_registry THEN format($query$, 'registry'::pg_catalog.text, pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(
			pg_catalog.concat_ws(E'\n\n'::pg_catalog.text, %s), 'UTF8'::pg_catalog.name)), 'hex'::pg_catalog.text)$query$, (
			SELECT string_agg(format($query$(SELECT pg_catalog.string_agg(t.row, E'\n'::pg_catalog.text ORDER BY t.row) FROM (
				SELECT (x.*)::pg_catalog.text COLLATE pg_catalog."C" AS row FROM %s.%I AS x) AS t)$query$, '@extschema@', t.name), ', ' ORDER BY t.name)
			FROM unnest('{iuid_countries,iuid_entities,iuid_nodes,iuid_routes}'::text[]) AS t (name))) END)
$$;
COMMENT ON FUNCTION @extschema@.iuid_inventory_query(pg_catalog.text[], pg_catalog.text[], pg_catalog.text, boolean) IS 'internal: what each node is asked: its extensions, clock, subscriptions, publications and slots; columns of relations, and what the role of the user mapping may not read; a digest of the registry';

CREATE FUNCTION @extschema@.iuid_registry_digest()
RETURNS pg_catalog.text LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(pg_catalog.concat_ws(E'\n\n',
		(SELECT pg_catalog.string_agg(t.row, E'\n' ORDER BY t.row) FROM (SELECT (x.*)::pg_catalog.text COLLATE pg_catalog."C" AS row FROM @extschema@.iuid_countries AS x) AS t),
		(SELECT pg_catalog.string_agg(t.row, E'\n' ORDER BY t.row) FROM (SELECT (x.*)::pg_catalog.text COLLATE pg_catalog."C" AS row FROM @extschema@.iuid_entities AS x) AS t),
		(SELECT pg_catalog.string_agg(t.row, E'\n' ORDER BY t.row) FROM (SELECT (x.*)::pg_catalog.text COLLATE pg_catalog."C" AS row FROM @extschema@.iuid_nodes AS x) AS t),
		(SELECT pg_catalog.string_agg(t.row, E'\n' ORDER BY t.row) FROM (SELECT (x.*)::pg_catalog.text COLLATE pg_catalog."C" AS row FROM @extschema@.iuid_routes AS x) AS t)), 'UTF8')), 'hex');
END;
COMMENT ON FUNCTION @extschema@.iuid_registry_digest() IS 'internal: the digest of the registry here';

CREATE FUNCTION @extschema@.iuid_extensions_here()
RETURNS TABLE (name pg_catalog.text, schema pg_catalog.text, version pg_catalog.text) LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT e.extname, n.nspname, e.extversion FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname IN ('iuid', 'iuid_regions')
$$;
COMMENT ON FUNCTION @extschema@.iuid_extensions_here() IS 'internal: schema and version of the extensions';

CREATE FUNCTION @extschema@.iuid_as_object(answer pg_catalog.text)
RETURNS pg_catalog.jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN CASE WHEN jsonb_typeof(answer::jsonb) = 'object' THEN answer::jsonb END;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
	RETURN NULL;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_as_object(pg_catalog.text) IS 'internal: an object of JSON; NULL for any other text';

CREATE FUNCTION @extschema@.iuid_node_answers(global pg_catalog.regclass)
RETURNS TABLE (node pg_catalog.text, said pg_catalog.text, success boolean, answer pg_catalog.jsonb, refusal pg_catalog.text, asked pg_catalog.timestamptz, answered pg_catalog.timestamptz)
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
	WITH wanted AS (
		SELECT coalesce(pg_catalog.array_agg(DISTINCT r.schema), '{}') AS schemas, coalesce(pg_catalog.array_agg(DISTINCT r.name), '{}') AS names
		FROM @extschema@.iuid_global_locals(global) AS g, LATERAL @extschema@.iuid_relation_name(g.local) AS r),
	nodes AS (
		SELECT pg_catalog.array_agg(n.node) AS nodes, @extschema@.iuid_patience() AS timeout
		FROM @extschema@.iuid_registered_nodes(true) AS n, LATERAL @extschema@.iuid_server(n.server) AS s WHERE s.is_mapped HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 0),
	first AS MATERIALIZED (
		SELECT r.node, r.success, r.result, b.asked, pg_catalog.clock_timestamp() AS answered
		FROM wanted AS w, nodes AS n, LATERAL (SELECT pg_catalog.clock_timestamp() OFFSET 0) AS b (asked),
			-- asked no sooner than the clock is read
			LATERAL @extschema@.iuid_run_on_nodes(@extschema@.iuid_inventory_query(w.schemas, w.names, @extschema@.iuid_replication_query(), true), CASE WHEN b.asked IS NOT NULL THEN n.nodes END, n.timeout) AS r),
	-- A node that does not let its registry be read, or has none, is asked once more for all the rest.
	again AS MATERIALIZED (
		SELECT r.node, r.success, r.result, b.asked, pg_catalog.clock_timestamp() AS answered
		FROM wanted AS w, (SELECT pg_catalog.array_agg(f.node) AS nodes, pg_catalog.min(n.timeout) AS timeout FROM first AS f, nodes AS n
			WHERE NOT f.success AND f.result OPERATOR(pg_catalog.~) '^(42P01|42501):' HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 0) AS n, LATERAL (SELECT pg_catalog.clock_timestamp() OFFSET 0) AS b (asked),
			LATERAL @extschema@.iuid_run_on_nodes(@extschema@.iuid_inventory_query(w.schemas, w.names, @extschema@.iuid_replication_query(), false), CASE WHEN b.asked IS NOT NULL THEN n.nodes END, n.timeout) AS r)
	SELECT f.node, coalesce(a.result, f.result), coalesce(a.success, f.success), CASE WHEN coalesce(a.success, f.success) THEN @extschema@.iuid_as_object(coalesce(a.result, f.result)) END,
		CASE WHEN a.success THEN f.result END, coalesce(a.asked, f.asked), coalesce(a.answered, f.answered)
	FROM first AS f LEFT JOIN again AS a ON a.node OPERATOR(pg_catalog.=) f.node;
END;
COMMENT ON FUNCTION @extschema@.iuid_node_answers(pg_catalog.regclass) IS 'internal: what the other nodes answer, all at once: an object; and what a node said that refused its registry';

CREATE FUNCTION @extschema@.iuid_check_nodes(global pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, relation pg_catalog.regclass, country int, node pg_catalog.text, detail pg_catalog.text, remedy pg_catalog.text)
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
	WITH a AS MATERIALIZED (SELECT * FROM @extschema@.iuid_node_answers(global)),
	e AS (
		SELECT a.node, h.name, h.schema AS here, h.version AS version_here, a.answer OPERATOR(pg_catalog.->) 'extensions' OPERATOR(pg_catalog.->) h.name OPERATOR(pg_catalog.->>) 'schema' AS schema,
			a.answer OPERATOR(pg_catalog.->) 'extensions' OPERATOR(pg_catalog.->) h.name OPERATOR(pg_catalog.->>) 'version' AS version
		FROM a, @extschema@.iuid_extensions_here() AS h WHERE a.answer IS NOT NULL),
	-- what can be compared
	n AS (
		SELECT a.node, a.answer, a.refusal, a.asked, a.answered, a.answer OPERATOR(pg_catalog.->>) 'role' AS role, a.answer OPERATOR(pg_catalog.->>) 'clock' AS clock
		FROM a WHERE a.answer IS NOT NULL AND NOT EXISTS (SELECT FROM e WHERE e.node OPERATOR(pg_catalog.=) a.node AND e.schema IS DISTINCT FROM e.here)),
	w AS (
		SELECT n.node, n.role, r.relation, r.country, r.schema, r.name, r.columns, r.remedy, n.answer OPERATOR(pg_catalog.->) 'relations' OPERATOR(pg_catalog.->) pg_catalog.concat(r.schema, '.', r.name) AS there
		FROM n JOIN @extschema@.iuid_wanted_relations(global) AS r ON r.node IS NULL OR r.node OPERATOR(pg_catalog.=) n.node),
	c AS (
		SELECT w.*, ARRAY(SELECT t.name FROM pg_catalog.jsonb_array_elements_text(w.there OPERATOR(pg_catalog.->) 'columns') AS t (name)) AS columns_there
		FROM w WHERE pg_catalog.jsonb_typeof(w.there OPERATOR(pg_catalog.->) 'columns') OPERATOR(pg_catalog.=) 'array'),
	d AS (
		SELECT c.relation, c.node, c.country, c.name AS of, c.remedy, x.name, false AS is_there FROM c, LATERAL (SELECT t.name FROM pg_catalog.unnest(c.columns) AS t (name) EXCEPT SELECT t.name FROM pg_catalog.unnest(c.columns_there) AS t (name)) AS x
		UNION ALL
		SELECT c.relation, c.node, c.country, c.name, c.remedy, x.name, true FROM c, LATERAL (SELECT t.name FROM pg_catalog.unnest(c.columns_there) AS t (name) EXCEPT SELECT t.name FROM pg_catalog.unnest(c.columns) AS t (name)) AS x),
	-- this node, too
	r AS MATERIALIZED (
		SELECT x.node, x.place, s.* FROM (
			SELECT pg_catalog.current_setting('iuid.node'::pg_catalog.text), @extschema@.iuid_evaluate(@extschema@.iuid_replication_query()), ''
			UNION ALL SELECT n.node, n.answer OPERATOR(pg_catalog.->) 'replication', ' -- at that node' FROM n) AS x (node, found, place) LEFT JOIN LATERAL @extschema@.iuid_replication_states(x.found) AS s ON true),
	-- who publishes the registry, and who does not follow
	f AS (
		SELECT r.node, r.place, pg_catalog.min(o.node) AS publisher, pg_catalog.min(d.name) AS dumped
		FROM r JOIN r AS o ON o.kind OPERATOR(pg_catalog.=) '6' LEFT JOIN r AS d ON d.node OPERATOR(pg_catalog.=) r.node AND d.kind OPERATOR(pg_catalog.=) '8' AND d.whose OPERATOR(pg_catalog.=) o.name
		GROUP BY r.node, r.place HAVING pg_catalog.bool_and((r.kind OPERATOR(pg_catalog.=) ANY ('{6,7}')) IS NOT TRUE))
	SELECT 'no answer', NULL::pg_catalog.regclass, NULL::int, a.node, pg_catalog.concat(a.said, E'\nStart the node, or repair the way to it, from the user mapping here to pg_hba.conf there.'), NULL FROM a WHERE NOT a.success
	UNION ALL
	SELECT 'strange answer', NULL, NULL, a.node, 'See what answers there: it is no node, or one that answers wrongly.', NULL FROM a WHERE a.success AND a.answer IS NULL
	UNION ALL
	SELECT 'extension missing', NULL, NULL, e.node, pg_catalog.format('The node has no extension "%s".', e.name), pg_catalog.format('CREATE EXTENSION %I SCHEMA %I; -- at that node', e.name, e.here) FROM e WHERE e.schema IS NULL
	UNION ALL
	SELECT 'extension in another schema', NULL, NULL, e.node, pg_catalog.format('Extension "%s" is in schema "%s" there, and in "%s" here. It cannot move: make it in a new database.', e.name, e.schema, e.here), NULL
	FROM e WHERE e.schema OPERATOR(pg_catalog.<>) e.here
	UNION ALL
	SELECT 'another version', NULL, NULL, e.node, pg_catalog.format('Extension "%s" has version %s there, and %s here.', e.name, e.version, e.version_here), pg_catalog.format('ALTER EXTENSION %I UPDATE; -- at the older one', e.name)
	FROM e WHERE e.schema OPERATOR(pg_catalog.=) e.here AND e.version IS DISTINCT FROM e.version_here
	UNION ALL
	SELECT CASE WHEN w.country IS NULL THEN 'no table there' ELSE 'no view there' END, w.relation, w.country, w.node, pg_catalog.format('The node has no relation %I.%I.', w.schema, w.name), w.remedy
	FROM w WHERE pg_catalog.jsonb_typeof(w.there OPERATOR(pg_catalog.->) 'columns') IS DISTINCT FROM 'array'
	UNION ALL
	SELECT 'other columns there', d.relation, NULL, d.node, pg_catalog.format('%s: not there: %s; not here: %s', pg_catalog.string_agg(DISTINCT d.of, ', '),
			coalesce(pg_catalog.string_agg(DISTINCT d.name, ', ') FILTER (WHERE NOT d.is_there), '-'), coalesce(pg_catalog.string_agg(DISTINCT d.name, ', ') FILTER (WHERE d.is_there), '-')),
		-- A table gets the columns of the others by hand, and then the views follow.
		CASE WHEN pg_catalog.bool_and(d.country IS NOT NULL) THEN pg_catalog.min(d.remedy) END
	FROM d GROUP BY d.relation, d.node
	UNION ALL
	SELECT 'no right there', w.relation, w.country, w.node, pg_catalog.format('Role "%s" of the user mapping cannot read %I.%I: it needs SELECT, also on what a view stands on, and USAGE on the schema.', w.role, w.schema, w.name), g.remedy
	FROM w, LATERAL (SELECT w.there OPERATOR(pg_catalog.->>) 'usage' OPERATOR(pg_catalog.=) 'false', w.there OPERATOR(pg_catalog.->) 'unread' OPERATOR(pg_catalog.->>) 0,
			w.there OPERATOR(pg_catalog.->) 'unread' OPERATOR(pg_catalog.->>) 1) AS u (no_usage, schema, name),
		-- PUBLIC is no role.
		LATERAL (SELECT CASE WHEN w.role IS NULL OR w.role OPERATOR(pg_catalog.=) 'public' THEN NULL WHEN u.no_usage THEN pg_catalog.format('GRANT USAGE ON SCHEMA %I TO %I; -- at that node', w.schema, w.role)
			WHEN u.schema IS NOT NULL AND u.name IS NOT NULL THEN pg_catalog.format('GRANT SELECT ON %I.%I TO %I; -- at that node', u.schema, u.name, w.role) END) AS g (remedy) WHERE u.no_usage OR u.name IS NOT NULL
	UNION ALL
	SELECT p.problem, NULL, NULL, r.node, p.detail, p.remedy FROM r, LATERAL @extschema@.iuid_replication_problem(r.kind, r.name, r.place) AS p
	-- A slot whose subscription is a row of its own is none.
	WHERE (r.kind OPERATOR(pg_catalog.<>) ALL ('{6,7,8}')) AND NOT (r.kind OPERATOR(pg_catalog.=) '3' AND EXISTS (SELECT FROM r AS o WHERE o.kind OPERATOR(pg_catalog.=) ANY ('{0,1,2,9}') AND o.whose OPERATOR(pg_catalog.=) r.name))
	UNION ALL
	SELECT 'no subscription', NULL, NULL, f.node, pg_catalog.concat_ws(' ', pg_catalog.format('Node "%s" publishes the registry, and this one does not follow it: subscribe, with copy_data = false if the registries are equal.', f.publisher),
			CASE WHEN f.dumped IS NOT NULL THEN pg_catalog.format('Subscription %I is of pg_dump, and knows no tables: drop it before.', f.dumped) END),
		CASE WHEN f.dumped IS NOT NULL THEN pg_catalog.concat(pg_catalog.format('ALTER SUBSCRIPTION %1$I SET (slot_name = NONE); DROP SUBSCRIPTION %1$I;', f.dumped), f.place) END
	FROM f
	UNION ALL
	SELECT 'no registry', NULL, NULL, n.node, n.refusal, NULL FROM n WHERE n.refusal IS NOT NULL
	UNION ALL
	SELECT 'another registry', NULL, NULL, n.node, 'The rows of iuid_countries, iuid_entities, iuid_nodes or iuid_routes are not those of this node.', pg_catalog.format('SELECT * FROM %s.iuid_compare_registry(%L::pg_catalog.text);', '@extschema@', n.node)
	FROM n WHERE n.refusal IS NULL AND n.answer OPERATOR(pg_catalog.->>) 'registry' IS DISTINCT FROM @extschema@.iuid_registry_digest()
	UNION ALL
	SELECT CASE WHEN n.clock IS NULL THEN 'strange answer' ELSE 'another clock' END, NULL, NULL, n.node, CASE WHEN t.distance IS NULL THEN 'The node does not say what its clock says.'
		ELSE pg_catalog.format('The clock of the node differs by %s seconds: let NTP set both clocks.', least(pg_catalog.round(t.distance, 1), 9999999999)) END, NULL
	FROM n, LATERAL (SELECT CASE WHEN pg_catalog.jsonb_typeof(n.answer OPERATOR(pg_catalog.->) 'clock') OPERATOR(pg_catalog.=) 'number' AND pg_catalog.length(n.clock) OPERATOR(pg_catalog.<) 100 THEN
		greatest(EXTRACT(epoch FROM n.asked) OPERATOR(pg_catalog.-) n.clock::numeric, n.clock::numeric OPERATOR(pg_catalog.-) EXTRACT(epoch FROM n.answered)) END) AS t (distance) WHERE (t.distance OPERATOR(pg_catalog.<=) 1) IS NOT TRUE;
END;
COMMENT ON FUNCTION @extschema@.iuid_check_nodes(pg_catalog.regclass) IS 'internal: what is wrong with the answers of other nodes';
