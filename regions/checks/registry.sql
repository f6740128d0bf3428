--
-- Comparing the registry here with that of another node
--

CREATE TYPE @extschema@.iuid_registry AS (
	countries @extschema@.iuid_countries[], entities @extschema@.iuid_entities[], nodes @extschema@.iuid_nodes[], routes @extschema@.iuid_routes[]);
COMMENT ON TYPE @extschema@.iuid_registry IS 'internal: the rows of the four tables, as a node gives them at once';
COMMENT ON TYPE @extschema@.iuid_registry[] IS 'internal: array of iuid_registry';

CREATE FUNCTION @extschema@.iuid_registry_here()
RETURNS @extschema@.iuid_registry LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT ROW(ARRAY(SELECT x FROM @extschema@.iuid_countries AS x), ARRAY(SELECT x FROM @extschema@.iuid_entities AS x),
		ARRAY(SELECT x FROM @extschema@.iuid_nodes AS x), ARRAY(SELECT x FROM @extschema@.iuid_routes AS x))::@extschema@.iuid_registry;
END;
COMMENT ON FUNCTION @extschema@.iuid_registry_here() IS 'internal: the registry here';

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

-- What an empty answer would call for is to delete all rows.
CREATE FUNCTION @extschema@.iuid_whole_registry(node pg_catalog.text, said @extschema@.iuid_registry[])
RETURNS @extschema@.iuid_registry LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF cardinality(said) = 1 AND said[1] IS NOT NULL THEN
		RETURN said[1];
	END IF;
	RAISE EXCEPTION USING ERRCODE = 'protocol_violation', MESSAGE = format('node "%s" does not give its registry', node),
		HINT = 'See what answers there: it is no node, or one that answers wrongly.';
END $$;
COMMENT ON FUNCTION @extschema@.iuid_whole_registry(pg_catalog.text, @extschema@.iuid_registry[]) IS 'internal: the registry that a node gave; 08P01 unless it is one, and whole';

CREATE FUNCTION @extschema@.iuid_registry_rows(registry @extschema@.iuid_registry)
RETURNS TABLE (relation pg_catalog.regclass, place int, key_is pg_catalog.text, other_key pg_catalog.text, content pg_catalog.jsonb)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT '@extschema@.iuid_countries'::pg_catalog.regclass, 1, pg_catalog.format('country OPERATOR(pg_catalog.=) %s', x.country), x.code, pg_catalog.to_jsonb(x)
	FROM pg_catalog.unnest(registry.countries) AS x
	UNION ALL
	-- No statement sets the key, which the server generates.
	SELECT '@extschema@.iuid_entities'::pg_catalog.regclass, 2, pg_catalog.format('entity OPERATOR(pg_catalog.=) %s', x.entity), x.key, pg_catalog.to_jsonb(x) OPERATOR(pg_catalog.-) 'key'::pg_catalog.text
	FROM pg_catalog.unnest(registry.entities) AS x
	UNION ALL
	SELECT '@extschema@.iuid_nodes'::pg_catalog.regclass, 3, pg_catalog.format('node OPERATOR(pg_catalog.=) %L', x.node), NULL, pg_catalog.to_jsonb(x)
	FROM pg_catalog.unnest(registry.nodes) AS x
	UNION ALL
	SELECT '@extschema@.iuid_routes'::pg_catalog.regclass, 4, pg_catalog.format('country %s AND entity %s', CASE WHEN x.country IS NULL THEN 'IS NULL' ELSE pg_catalog.format('OPERATOR(pg_catalog.=) %s', x.country) END,
		CASE WHEN x.entity IS NULL THEN 'IS NULL' ELSE pg_catalog.format('OPERATOR(pg_catalog.=) %s', x.entity) END), NULL, pg_catalog.to_jsonb(x)
	FROM pg_catalog.unnest(registry.routes) AS x;
END;
COMMENT ON FUNCTION @extschema@.iuid_registry_rows(@extschema@.iuid_registry) IS 'internal: the rows of a registry, with the condition that finds each, and what else is unique';

CREATE FUNCTION @extschema@.iuid_registry_change(relation pg_catalog.regclass, kind pg_catalog.text, key_is pg_catalog.text, here pg_catalog.jsonb, there pg_catalog.jsonb)
RETURNS pg_catalog.text LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE kind WHEN 'DELETE' THEN format('DELETE FROM %s WHERE %s;', relation, key_is)
		WHEN 'UPDATE' THEN format('UPDATE %s SET %s WHERE %s;', relation, string_agg(format('%I = %s', c.name, c.literal), ', ' ORDER BY c.name) FILTER (WHERE c.is_other), key_is)
		ELSE format('INSERT INTO %s (%s) VALUES (%s);', relation, string_agg(quote_ident(c.name), ', ' ORDER BY c.name), string_agg(c.literal, ', ' ORDER BY c.name)) END
	FROM (SELECT t.key, CASE WHEN jsonb_typeof(t.value) = 'number' THEN t.value::text ELSE quote_nullable(there ->> t.key) END, here -> t.key IS DISTINCT FROM t.value FROM jsonb_each(there) AS t) AS c (name, literal, is_other)
$$;
COMMENT ON FUNCTION @extschema@.iuid_registry_change(pg_catalog.regclass, pg_catalog.text, pg_catalog.text, pg_catalog.jsonb, pg_catalog.jsonb) IS 'internal: the statement that deletes, inserts or updates a row of the registry';

CREATE FUNCTION @extschema@.iuid_compare_registry(node pg_catalog.text, timeout interval DEFAULT '3 seconds')
RETURNS TABLE (relation pg_catalog.regclass, here pg_catalog.jsonb, there pg_catalog.jsonb, remedy pg_catalog.text)
LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
	WITH said AS MATERIALIZED (
		SELECT @extschema@.iuid_whole_registry(node, ARRAY(SELECT s FROM @extschema@.iuid_registry_on_nodes(NULL::@extschema@.iuid_registry,
			'SELECT ARRAY(SELECT x FROM @extschema@.iuid_countries AS x) AS countries, ARRAY(SELECT x FROM @extschema@.iuid_entities AS x) AS entities,
				ARRAY(SELECT x FROM @extschema@.iuid_nodes AS x) AS nodes, ARRAY(SELECT x FROM @extschema@.iuid_routes AS x) AS routes'::pg_catalog.text,
			ARRAY[@extschema@.iuid_other_node(node)], timeout, false) AS s)) AS registry),
	t AS MATERIALIZED (SELECT r.* FROM said, LATERAL @extschema@.iuid_registry_rows(said.registry) AS r),
	h AS MATERIALIZED (SELECT r.* FROM @extschema@.iuid_registry_rows(@extschema@.iuid_registry_here()) AS r),
	d AS (
		SELECT coalesce(h.relation, t.relation) AS relation, coalesce(h.place, t.place) AS place, coalesce(h.key_is, t.key_is) AS key_is, h.content AS here, t.content AS there,
			-- Another row here still has what is to be unique: this one goes, and comes again when that one has changed.
			h.content IS NOT NULL AND EXISTS (SELECT FROM h AS o WHERE o.place OPERATOR(pg_catalog.=) t.place AND o.other_key OPERATOR(pg_catalog.=) t.other_key AND o.key_is OPERATOR(pg_catalog.<>) t.key_is) AS is_taken
		FROM h FULL JOIN t ON t.place OPERATOR(pg_catalog.=) h.place AND t.key_is OPERATOR(pg_catalog.=) h.key_is WHERE h.content IS DISTINCT FROM t.content),
	-- Routes go before what they name, and come after it; a node with routes does not go.
	step (kind, rank) AS (VALUES ('DELETE', 1), ('UPDATE', 2), ('INSERT', 3))
	SELECT d.relation, d.here, d.there, @extschema@.iuid_registry_change(d.relation, step.kind, d.key_is, d.here, d.there)
	FROM d JOIN step ON CASE step.kind WHEN 'DELETE' THEN d.there IS NULL OR d.is_taken WHEN 'UPDATE' THEN d.here IS NOT NULL AND d.there IS NOT NULL AND NOT d.is_taken ELSE d.here IS NULL OR d.is_taken END
	ORDER BY CASE WHEN step.rank OPERATOR(pg_catalog.>) 1 THEN 2 WHEN d.place OPERATOR(pg_catalog.=) 4 THEN 0 WHEN d.place OPERATOR(pg_catalog.=) 3 THEN 3 ELSE 1 END, d.place, step.rank, d.key_is COLLATE pg_catalog."C";
END;
COMMENT ON FUNCTION @extschema@.iuid_compare_registry(pg_catalog.text, interval) IS
'rows of the registry that differ here and at another node, with the statement for each that makes the registry here that of the node; run them in this order; 22004, 22023, 08P01, 42501, and those of iuid_select_on_nodes (doc/regions.md)';
