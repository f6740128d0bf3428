--
-- The countries of ISO 3166-1, for organisations without numbers of their own
--

CREATE FUNCTION @extschema@.iuid_iso_countries()
RETURNS TABLE (country int, code pg_catalog.text, name pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_iso_countries'
LANGUAGE C STABLE PARALLEL SAFE ROWS 249;
COMMENT ON FUNCTION @extschema@.iuid_iso_countries() IS
'countries of ISO 3166-1: the numbers 1-249 that iuid_register_iso_countries() gives them, the alpha-2 codes, and the English short names, which have accents only if the database is in UTF8 (doc/registry.md)';

CREATE FUNCTION @extschema@.iuid_register_iso_countries()
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_register_iso_countries'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_register_iso_countries() IS
'registers the countries of iuid_iso_countries() that are missing, and returns their number; a registered country keeps its name; a number or code of another country: 23505; no right to INSERT: 42501; a table that is missing or something else: 42P01, 42809 (doc/registry.md)';
