--
-- Time partitions: listing and checking them
--

CREATE FUNCTION @extschema@.iuid_partitions(parent pg_catalog.regclass)
RETURNS TABLE (partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz, is_default boolean,
	estimated_rows bigint, bytes bigint)
AS 'MODULE_PATHNAME', 'iuid_partitions'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.iuid_partitions(pg_catalog.regclass) IS
'time partitions of a table in order, the DEFAULT partition last: bounds as times (infinite for MINVALUE and MAXVALUE, NULL for DEFAULT), rows as ANALYZE or VACUUM estimated them (NULL if never), bytes with indexes and TOAST; 42501, 42809, 42P01 (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_check_partitions(parent pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz,
	detail pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_check_partitions'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.iuid_check_partitions(pg_catalog.regclass) IS
'faults of the time partitions of a table, one row for each: gaps, bounds within a millisecond, rows in DEFAULT that belong elsewhere, a time check that is missing, with its text, or that refuses times within the bounds; 42501, 42809, 42P01 (doc/partitions.md)';
