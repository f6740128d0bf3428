--
-- Comparing the registry here with that of another node
--

CREATE TYPE @extschema@.iuid_registry AS (countries pg_catalog.jsonb, entities pg_catalog.jsonb, nodes pg_catalog.jsonb, routes pg_catalog.jsonb);
COMMENT ON TYPE @extschema@.iuid_registry IS 'internal: the rows of the four tables, an array each, as a node gives them at once';
COMMENT ON TYPE @extschema@.iuid_registry[] IS 'internal: array of iuid_registry';

CREATE FUNCTION @extschema@.iuid_registry_here()
RETURNS @extschema@.iuid_registry LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT ROW((SELECT coalesce(pg_catalog.jsonb_agg(x.*), '[]'::pg_catalog.jsonb) FROM @extschema@.iuid_countries AS x), (SELECT coalesce(pg_catalog.jsonb_agg(x.*), '[]'::pg_catalog.jsonb) FROM @extschema@.iuid_entities AS x),
		(SELECT coalesce(pg_catalog.jsonb_agg(x.*), '[]'::pg_catalog.jsonb) FROM @extschema@.iuid_nodes AS x), (SELECT coalesce(pg_catalog.jsonb_agg(x.*), '[]'::pg_catalog.jsonb) FROM @extschema@.iuid_routes AS x))::@extschema@.iuid_registry;
END;
COMMENT ON FUNCTION @extschema@.iuid_registry_here() IS 'internal: the registry here';

CREATE FUNCTION @extschema@.iuid_registry_query()
RETURNS pg_catalog.text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT 'SELECT ' || string_agg(format('(SELECT COALESCE(pg_catalog.jsonb_agg(x.*), ''[]''::pg_catalog.jsonb) FROM %s.%I AS x) AS %I', '@extschema@', 'iuid_' || t.name, t.name), ', ' ORDER BY t.name)
	FROM unnest('{countries,entities,nodes,routes}'::text[]) AS t (name)
$$;
COMMENT ON FUNCTION @extschema@.iuid_registry_query() IS 'internal: the same, as a query for another node';

-- A call of a function that takes anything could be another one's.
CREATE FUNCTION @extschema@.iuid_registry_on_nodes("rows" @extschema@.iuid_registry, command pg_catalog.text, nodes pg_catalog.text[], timeout interval, skip_failed boolean)
RETURNS SETOF @extschema@.iuid_registry
AS 'MODULE_PATHNAME', 'iuid_select_on_nodes'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_registry_on_nodes(@extschema@.iuid_registry, pg_catalog.text, pg_catalog.text[], interval, boolean) IS 'internal: iuid_select_on_nodes for this row type';

CREATE FUNCTION @extschema@.iuid_other_node(node pg_catalog.text)
RETURNS pg_catalog.text LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF node = current_setting('iuid.node', true) THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('node "%s" is this node', node), HINT = 'Give the name of another node.';
	END IF;
	RETURN node;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_other_node(pg_catalog.text) IS 'internal: a name; 22023 for that of this node';

-- What an empty answer would call for is to delete all rows.  A number such as 1e131071 would be a long one in each remedy.
CREATE FUNCTION @extschema@.iuid_whole_registry(node pg_catalog.text, said @extschema@.iuid_registry[], relations pg_catalog.regclass[])
RETURNS @extschema@.iuid_registry LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF cardinality(said) = 1 AND said[1] IS NOT NULL AND NOT EXISTS (
		SELECT FROM (VALUES (1, said[1].countries), (2, said[1].entities), (3, said[1].nodes), (4, said[1].routes)) AS t (place, list)
		WHERE jsonb_typeof(t.list) <> 'array' OR EXISTS (
			SELECT FROM jsonb_array_elements(CASE jsonb_typeof(t.list) WHEN 'array' THEN t.list ELSE '[]' END) AS r (content)
			WHERE ARRAY(SELECT k.key COLLATE "C" FROM jsonb_object_keys(CASE jsonb_typeof(r.content) WHEN 'object' THEN r.content ELSE '{}' END) AS k (key) ORDER BY 1)
				<> ARRAY(SELECT a.attname::text COLLATE "C" FROM pg_attribute AS a WHERE a.attrelid = relations[t.place] AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1)
				OR EXISTS (SELECT FROM jsonb_each(CASE jsonb_typeof(r.content) WHEN 'object' THEN r.content ELSE '{}' END) AS v
					WHERE CASE jsonb_typeof(v.value) WHEN 'number' THEN scale(v.value::numeric) > 0 OR abs(v.value::numeric) >= 1e10 ELSE jsonb_typeof(v.value) IN ('array', 'object') END))) THEN
		RETURN said[1];
	END IF;
	RAISE EXCEPTION USING ERRCODE = 'protocol_violation', MESSAGE = format('node "%s" does not give its registry', node),
		DETAIL = 'Its answer has not the rows of four tables, with the columns that they have here, and with values for them.', HINT = 'See what answers there: it is no node, or one of another version, or one that answers wrongly.';
END $$;
COMMENT ON FUNCTION @extschema@.iuid_whole_registry(pg_catalog.text, @extschema@.iuid_registry[], pg_catalog.regclass[]) IS 'internal: the registry that a node gave; 08P01 unless it is one, and whole';

CREATE FUNCTION @extschema@.iuid_registry_rows(registry @extschema@.iuid_registry, relations pg_catalog.regclass[])
RETURNS TABLE (relation pg_catalog.regclass, place int, "key" pg_catalog.jsonb, other_key pg_catalog.text, content pg_catalog.jsonb)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	-- The server generates the key of an entity.
	SELECT relations[t.place], t.place, (SELECT jsonb_object_agg(k.name, r.content -> k.name) FROM unnest(t.names) AS k (name)),
		CASE t.place WHEN 1 THEN r.content ->> 'code' WHEN 2 THEN concat(r.content ->> 'service', r.content ->> 'name') END, CASE t.place WHEN 2 THEN r.content - 'key' ELSE r.content END
	FROM (VALUES (1, registry.countries, '{country}'::text[]), (2, registry.entities, '{entity}'), (3, registry.nodes, '{node}'), (4, registry.routes, '{country,entity}')) AS t (place, list, names),
		LATERAL jsonb_array_elements(t.list) AS r (content)
$$;
COMMENT ON FUNCTION @extschema@.iuid_registry_rows(@extschema@.iuid_registry, pg_catalog.regclass[]) IS 'internal: the rows of a registry, with what each is found by, and what else is unique';

CREATE FUNCTION @extschema@.iuid_registry_change(relation pg_catalog.regclass, kind pg_catalog.text, "key" pg_catalog.jsonb, here pg_catalog.jsonb, there pg_catalog.jsonb)
RETURNS pg_catalog.text LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE kind WHEN 'DELETE' THEN format('DELETE FROM %s WHERE %s;', relation, c.key_is) WHEN 'UPDATE' THEN format('UPDATE %s SET %s WHERE %s;', relation, c.changes, c.key_is)
		ELSE format('INSERT INTO %s (%s) VALUES (%s);', relation, c.names, c.literals) END
	FROM (
		SELECT string_agg(quote_ident(v.name), ', ' ORDER BY v.name) FILTER (WHERE NOT v.is_key), string_agg(v.literal, ', ' ORDER BY v.name) FILTER (WHERE NOT v.is_key),
			string_agg(format('%I = %s', v.name, v.literal), ', ' ORDER BY v.name) FILTER (WHERE NOT v.is_key AND here -> v.name IS DISTINCT FROM v.value),
			string_agg(CASE WHEN v.value = 'null' THEN format('%I IS NULL', v.name) ELSE format('%I OPERATOR(pg_catalog.=) %s', v.name, v.literal) END, ' AND ' ORDER BY v.name) FILTER (WHERE v.is_key)
		FROM (
			SELECT x.key COLLATE "C", x.value, CASE WHEN jsonb_typeof(x.value) = 'number' AND x.value::text ~ '^[0-9]{1,9}$' THEN x.value::text ELSE quote_nullable(x.value #>> '{}') END, x.is_key
			FROM (SELECT k.*, true AS is_key FROM jsonb_each("key") AS k UNION ALL SELECT t.*, false FROM jsonb_each(there) AS t) AS x) AS v (name, value, literal, is_key)) AS c (names, literals, changes, key_is)
$$;
COMMENT ON FUNCTION @extschema@.iuid_registry_change(pg_catalog.regclass, pg_catalog.text, pg_catalog.jsonb, pg_catalog.jsonb, pg_catalog.jsonb) IS 'internal: the statement that deletes, inserts or updates a row of the registry';

CREATE FUNCTION @extschema@.iuid_compare_registry(node pg_catalog.text, timeout interval DEFAULT '3 seconds')
RETURNS TABLE (relation pg_catalog.regclass, here pg_catalog.jsonb, there pg_catalog.jsonb, remedy pg_catalog.text)
LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
	WITH tables AS (SELECT ARRAY['@extschema@.iuid_countries'::pg_catalog.regclass, '@extschema@.iuid_entities'::pg_catalog.regclass, '@extschema@.iuid_nodes'::pg_catalog.regclass,
		'@extschema@.iuid_routes'::pg_catalog.regclass] AS relations),
	said AS MATERIALIZED (
		SELECT tables.relations, @extschema@.iuid_whole_registry(node, ARRAY(SELECT s FROM @extschema@.iuid_registry_on_nodes(NULL::@extschema@.iuid_registry, @extschema@.iuid_registry_query(),
			ARRAY[@extschema@.iuid_other_node(node)], timeout, false) AS s), tables.relations) AS registry FROM tables),
	t AS MATERIALIZED (SELECT r.* FROM said, LATERAL @extschema@.iuid_registry_rows(said.registry, said.relations) AS r),
	h AS MATERIALIZED (SELECT r.* FROM tables, LATERAL @extschema@.iuid_registry_rows(@extschema@.iuid_registry_here(), tables.relations) AS r),
	d AS (
		SELECT coalesce(h.relation, t.relation) AS relation, coalesce(h.place, t.place) AS place, coalesce(h."key", t."key") AS "key", h.content AS here, t.content AS there,
			-- Another row here still has what is to be unique: this one goes, and comes again when that one has changed.
			h.content IS NOT NULL AND EXISTS (SELECT FROM h AS o WHERE o.place OPERATOR(pg_catalog.=) t.place AND o.other_key OPERATOR(pg_catalog.=) t.other_key AND o."key" OPERATOR(pg_catalog.<>) t."key") AS is_taken
		FROM h FULL JOIN t ON t.place OPERATOR(pg_catalog.=) h.place AND t."key" OPERATOR(pg_catalog.=) h."key" WHERE h.content IS DISTINCT FROM t.content),
	-- Routes go before what they name, and come after it; a node with routes does not go.
	step (kind, rank) AS (VALUES ('DELETE', 1), ('UPDATE', 2), ('INSERT', 3))
	SELECT d.relation, d.here, d.there, @extschema@.iuid_registry_change(d.relation, step.kind, d."key", d.here, d.there)
	FROM d JOIN step ON CASE step.kind WHEN 'DELETE' THEN d.there IS NULL OR d.is_taken WHEN 'UPDATE' THEN d.here IS NOT NULL AND d.there IS NOT NULL AND NOT d.is_taken ELSE d.here IS NULL OR d.is_taken END
	ORDER BY CASE WHEN step.rank OPERATOR(pg_catalog.>) 1 THEN 2 WHEN d.place OPERATOR(pg_catalog.=) 4 THEN 0 WHEN d.place OPERATOR(pg_catalog.=) 3 THEN 3 ELSE 1 END, d.place, step.rank, d."key";
END;
COMMENT ON FUNCTION @extschema@.iuid_compare_registry(pg_catalog.text, interval) IS
'rows of the registry that differ here and at another node, with the statement for each that makes the registry here that of the node; run them in this order (doc/regions.md)';
