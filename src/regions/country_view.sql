--
-- The view on a country's partition for the other nodes
--
-- The foreign tables of other nodes stand on this view, and never on the partition.  To
-- change a row that it cannot describe, postgres_fdw asks for the row's ctid, and then
-- changes what has that ctid.  In a table that has partitions of its own, a row of each
-- partition has it.  So there the first column of the view is a NULL of type json, which
-- the server compares with nothing.
--

CREATE FUNCTION @extschema@.iuid_country_view_name(tbl pg_catalog.regclass, country int, entity int)
RETURNS pg_catalog.text LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT @extschema@.iuid_shortened_name(c.relname::text, format('_c%s_e%s', country, entity)) FROM pg_class AS c WHERE c.oid = tbl
$$;
COMMENT ON FUNCTION @extschema@.iuid_country_view_name(pg_catalog.regclass, int, int) IS 'internal: the name of the view of a country, in the schema of its table';

CREATE FUNCTION @extschema@.iuid_country_view(parent pg_catalog.regclass, country int, entity int, OUT view pg_catalog.regclass, OUT taken pg_catalog.regclass)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN v.is_ours THEN v.oid END, CASE WHEN NOT v.is_ours THEN v.oid END
	FROM (SELECT c.oid, c.relkind = 'v' AND c.relowner = p.relowner AND (@extschema@.iuid_columns(c.oid))[1] = 'ctid'
			-- none for a country that no node has
			AND NOT EXISTS (SELECT FROM @extschema@.iuid_tables_of_view(c.oid) AS t (tbl) JOIN pg_class AS b ON b.oid = t.tbl WHERE b.relkind = 'f' HAVING count(*) > 0)
			AND (SELECT count(*) FROM @extschema@.iuid_tables_of_view(c.oid)) <= 1 AS is_ours
		FROM pg_class AS p JOIN pg_class AS c ON c.relnamespace = p.relnamespace AND c.relname = @extschema@.iuid_country_view_name(parent, country, entity)
		WHERE p.oid = parent) AS v
$$;
