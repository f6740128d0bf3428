--
-- ISO 3166-1, as an optional start
--

CREATE FUNCTION @extschema@.iuid_iso_countries()
RETURNS TABLE (country int, code pg_catalog.text, name pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_iso_countries'
LANGUAGE C STABLE PARALLEL SAFE ROWS 249;
COMMENT ON FUNCTION @extschema@.iuid_iso_countries() IS
'countries of ISO 3166-1 by their alpha-2 codes, with English short names, and the numbers 1-249 that iuid_register_iso_countries() gives them; names are without accents where the database is not in UTF8 (doc/countries.md)';

CREATE FUNCTION @extschema@.iuid_register_iso_countries()
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_register_iso_countries'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_register_iso_countries() IS
'registers the countries of iuid_iso_countries() that are not there yet, and gives how many those were; what is there keeps its name; a number or a code that is taken for another: 23505, and nothing is registered; without the right to INSERT: 42501, without the table: 42P01 or 42809 (doc/countries.md)';
