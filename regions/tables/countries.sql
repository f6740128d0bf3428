--
-- The partitions of countries here
--

CREATE FUNCTION @extschema@.iuid_country_tables(parent pg_catalog.regclass)
RETURNS TABLE (country int, tbl pg_catalog.regclass, is_own boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT c.country, b.partition, coalesce(b.lower OPERATOR(pg_catalog.=) c.lower::pg_catalog.uuid AND b.upper OPERATOR(pg_catalog.=) c.upper::pg_catalog.uuid, false)
	FROM (SELECT g.n, @extschema@.iuid_country_floor(g.n, 0), @extschema@.iuid_country_floor(g.n OPERATOR(pg_catalog.+) 1, 0)
		FROM pg_catalog.generate_series(0, 255) AS g (n)) AS c (country, lower, upper)
	JOIN @extschema@.iuid_partition_bounds(parent) AS b ON NOT b.is_default
		AND (b.lower IS NULL OR b.lower OPERATOR(@extschema@.~<=~) c.lower) AND (b.upper IS NULL OR b.upper OPERATOR(@extschema@.~>=~) c.upper);
END;
COMMENT ON FUNCTION @extschema@.iuid_country_tables(pg_catalog.regclass) IS 'internal: the partitions of a table in order by origin that have the keys of a country, and whether no others';

CREATE FUNCTION @extschema@.iuid_is_empty(tbl pg_catalog.regclass)
RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT NOT EXISTS (SELECT FROM @extschema@.iuid_tables_below(ARRAY[tbl::oid]) AS t (tbl) JOIN pg_class AS c ON c.oid = t.tbl
		WHERE c.relkind <> 'p' AND (c.relkind <> 'r' OR pg_relation_size(c.oid) > 0))
$$;
COMMENT ON FUNCTION @extschema@.iuid_is_empty(pg_catalog.regclass) IS 'internal: whether the files of a table and of all partitions below it are empty';
