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

CREATE FUNCTION @extschema@.iuid_time_decoder(id pg_catalog.text)
RETURNS pg_catalog.timestamptz
AS 'MODULE_PATHNAME', 'iuid_time_decoder'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_time_decoder(pg_catalog.text) IS
'time of an identifier, of a UUID of version 7 and variant 0b10, or of a bound of a uuid column, whose last 80 bits are 0, given as text: pg_partman''s time_decoder; NULL for layouts without a time and for Max; any other text: 22P02 (doc/other-partitioning.md)';
