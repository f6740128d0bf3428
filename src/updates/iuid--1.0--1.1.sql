-- iuid: from version 1.0 to 1.1

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION iuid UPDATE" to load this file. \quit

CREATE FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.int8)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_bigint'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.int8) IS
'named identifier (layout 1): what the decimal digits of the number, with a minus sign if it is negative, give as a text; the same input gives the same identifier; NULL for a NULL number; country or entity NULL: 22004, outside 0-255: 22023 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.int8, at pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_bigint'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.int8, at pg_catalog.timestamptz) IS
'identifier of a given time, rounded down to the millisecond (layout 0): what the decimal digits of the number, with a minus sign if it is negative, give as a text; the same input gives the same identifier; NULL for a NULL number; country or entity NULL: 22004, outside 0-255: 22023; time NULL: 22004, before 1970 or outside 48 bits of milliseconds: 22008 (doc/format.md)';

COMMENT ON FUNCTION @extschema@.iuid_create_partitions(pg_catalog.regclass, interval, pg_catalog.timestamptz, pg_catalog.timestamptz) IS
'makes the time partitions that are missing from first up to last, in whole steps of 1 hour to 1 year in UTC, and returns them; existing partitions, of whatever step, stay as they are; rows of the new partitions move out of the DEFAULT partition; one call makes as many partitions as the server''s lock table has room for, and warns if more are missing; NULL: 22004, a step out of range: 22023, a time out of range: 22008, no such table: 42P01, a table of another shape: 42809, a caller without the rights of the owner: 42501, a new name that is taken: 42P07, rows in the DEFAULT partition that cannot move: 23502, 23503, 23514, 42501, 42809, 55000 or 55006, a table that is renamed meanwhile, or its schema: 55000, locks that cannot be taken within lock_timeout, or a minute: 55P03, a read-only transaction, also that of a standby: 25006, no room for more locks: 53200 (doc/partitions.md)';

COMMENT ON FUNCTION @extschema@.iuid_drop_partitions(pg_catalog.regclass, pg_catalog.timestamptz) IS
'drops the time partitions that end at or before a time, and returns their names; the DEFAULT partition stays; a partition that a view, a foreign key or anything else needs stays, too, with a warning; one call drops as many partitions as the server''s lock table has room for, and warns if there are more; NULL: 22004, an infinite time: 22008, no such table: 42P01, a table of another shape: 42809, a caller without the rights of the owner: 42501, a table that is renamed meanwhile, or its schema: 55000, locks that cannot be taken within lock_timeout, or a minute: 55P03, a read-only transaction, also that of a standby: 25006, no room for more locks: 53200 (doc/partitions.md)';

COMMENT ON FUNCTION @extschema@.iuid_time_decoder(pg_catalog.text) IS
'time of an identifier, of a UUID of version 7 and variant 0b10, or of a bound of a uuid column, whose last 80 bits are 0, given as text: pg_partman''s time_decoder; NULL for layouts without a time and for Max; any other text: 22P02 (doc/other-partitioning.md)';

CREATE FUNCTION @extschema@.iuid_typanalyze(pg_catalog.internal)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_typanalyze'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_typanalyze(pg_catalog.internal) IS
'internal: what ANALYZE collects about a column: core''s statistics, and how many rows each country and entity has';

ALTER TYPE @extschema@.iuid SET (ANALYZE = @extschema@.iuid_typanalyze);

CREATE FUNCTION @extschema@.iuid_rangesel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, int)
RETURNS pg_catalog.float8
AS 'MODULE_PATHNAME', 'iuid_rangesel'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_rangesel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, int) IS
'internal: estimator of < <= >= > in byte order: the part of the rows within a bound, 0-1, given the bounds before it';

ALTER OPERATOR @extschema@.< (@extschema@.iuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.<= (@extschema@.iuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.>= (@extschema@.iuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.> (@extschema@.iuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.< (@extschema@.iuid, pg_catalog.uuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.<= (@extschema@.iuid, pg_catalog.uuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.>= (@extschema@.iuid, pg_catalog.uuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.> (@extschema@.iuid, pg_catalog.uuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.< (pg_catalog.uuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.<= (pg_catalog.uuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.>= (pg_catalog.uuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.> (pg_catalog.uuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~<~ (@extschema@.iuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~<=~ (@extschema@.iuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~>=~ (@extschema@.iuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~>~ (@extschema@.iuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~<~ (@extschema@.iuid, pg_catalog.uuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~<=~ (@extschema@.iuid, pg_catalog.uuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~>=~ (@extschema@.iuid, pg_catalog.uuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~>~ (@extschema@.iuid, pg_catalog.uuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~<~ (pg_catalog.uuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~<=~ (pg_catalog.uuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~>=~ (pg_catalog.uuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~>~ (pg_catalog.uuid, @extschema@.iuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~<~ (pg_catalog.uuid, pg_catalog.uuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~<=~ (pg_catalog.uuid, pg_catalog.uuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~>=~ (pg_catalog.uuid, pg_catalog.uuid) SET (RESTRICT = @extschema@.iuid_rangesel);
ALTER OPERATOR @extschema@.~>~ (pg_catalog.uuid, pg_catalog.uuid) SET (RESTRICT = @extschema@.iuid_rangesel);

CREATE FUNCTION @extschema@.iuid_in_range(@extschema@.iuid, @extschema@.iuid, interval, boolean, boolean)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_in_range'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_in_range(@extschema@.iuid, @extschema@.iuid, interval, boolean, boolean) IS
'internal: window frames RANGE with an interval, in byte order: compares the first 48 bits as times, in whole milliseconds; a negative distance: 22013';

ALTER OPERATOR FAMILY @extschema@.iuid_ops USING btree ADD
	FUNCTION 3 (@extschema@.iuid, interval) @extschema@.iuid_in_range(@extschema@.iuid, @extschema@.iuid, interval, boolean, boolean);
