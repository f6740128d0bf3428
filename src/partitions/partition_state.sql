--
-- Time partitions: listing and checking them
--

CREATE FUNCTION @extschema@.iuid_partitions(parent pg_catalog.regclass)
RETURNS TABLE (partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz, is_default boolean,
	estimated_rows bigint, bytes bigint)
AS 'MODULE_PATHNAME', 'iuid_partitions'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.iuid_partitions(pg_catalog.regclass) IS
'time partitions of a table, in order, the DEFAULT partition last: lower bound and upper bound as times (infinite for MINVALUE and MAXVALUE, NULL for the DEFAULT partition), rows as last estimated by ANALYZE or VACUUM (NULL if never), bytes with indexes and TOAST; no such table: 42P01, a table of another shape: 42809, a table that the caller may not read: 42501 (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_check_partitions(parent pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz,
	detail pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_check_partitions'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.iuid_check_partitions(pg_catalog.regclass) IS
'faults of the time partitions of a table, one row for each: gaps between partitions, bounds that are not the first value of a millisecond, rows in the DEFAULT partition whose times lie between those of the partitions, partitions without a time check where others have one, with the CHECK that is missing, CHECKs that refuse times within the bounds; no such table: 42P01, a table of another shape: 42809, a table or DEFAULT partition that the caller may not read: 42501 (doc/partitions.md)';
