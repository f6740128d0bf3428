--
-- Names that are made of another name, and fit into 63 bytes
--

CREATE FUNCTION @extschema@.iuid_shortened_name(base pg_catalog.text, suffix pg_catalog.text)
RETURNS pg_catalog.text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF octet_length(base) + octet_length(suffix) <= 63 THEN
		RETURN base || suffix;
	END IF;
	-- whole characters, "_" and the hash
	RETURN (SELECT left(base, n) FROM generate_series(1, 63) AS n WHERE octet_length(left(base, n)) <= 54 - octet_length(suffix) ORDER BY n DESC LIMIT 1)
		|| '_' || left(encode(sha256(convert_to(base, getdatabaseencoding())), 'hex'), 8) || suffix;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_shortened_name(pg_catalog.text, pg_catalog.text) IS 'internal: a name with a suffix; if that has more than 63 bytes, the name is cut, and the first digits of its SHA-256 follow it';
