--
-- Time partitions: making, dropping and detaching them
--
-- These run as the owner of the table, in a security-restricted operation
-- (doc/partitions.md).
--

CREATE FUNCTION @extschema@.iuid_create_partitions(parent pg_catalog.regclass, step interval,
	first pg_catalog.timestamptz, last pg_catalog.timestamptz)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_partitions(pg_catalog.regclass, interval, pg_catalog.timestamptz, pg_catalog.timestamptz) IS
'makes the time partitions that are missing from first up to last, in whole steps of 1 hour to 1 year in UTC, and gives them; what existing partitions cover stays as it is; rows that wait in the DEFAULT partition move into the new ones; makes as many in one call as the server''s lock table has room for, and warns if there are more; NULL: 22004, a step out of range: 22023, a time out of range: 22008, no such table: 42P01, a table of another shape: 42809, not the owner''s rights: 42501, a relation of the new name: 42P07, rows in DEFAULT that cannot move: 23502, 23503, 23514, 42501, 42809, 55000 or 55006, locks not to be had within lock_timeout, or a minute: 55P03, no room for more locks: 53200 (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_drop_partitions(parent pg_catalog.regclass, older_than pg_catalog.timestamptz)
RETURNS SETOF pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_drop_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_drop_partitions(pg_catalog.regclass, pg_catalog.timestamptz) IS
'drops the time partitions that end at or before a time, and gives their names; the DEFAULT partition stays; one that a view, a foreign key or anything else needs stays, too, with a warning; drops as many in one call as the server''s lock table has room for, and warns if there are more; NULL: 22004, an infinite time: 22008, no such table: 42P01, a table of another shape: 42809, not the owner''s rights: 42501, locks not to be had within lock_timeout, or a minute: 55P03, no room for more locks: 53200 (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_detach_partitions(parent pg_catalog.regclass, older_than pg_catalog.timestamptz)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_detach_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_detach_partitions(pg_catalog.regclass, pg_catalog.timestamptz) IS
'detaches the time partitions that end at or before a time, and gives them: they are tables of their own then; otherwise as iuid_drop_partitions (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_maintain_partitions(parent pg_catalog.regclass, step interval, ahead int DEFAULT 4, keep interval DEFAULT NULL)
RETURNS TABLE (action pg_catalog.text, partition pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_maintain_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_maintain_partitions(pg_catalog.regclass, interval, int, interval) IS
'for cron: makes the time partitions from the last one to the present and a number of steps ahead, 0-1000, drops those that ended longer ago than keep (NULL keeps all), and gives what it did, created or dropped; parent or step NULL: 22004, ahead out of range, or keep that does not end in the past: 22023; otherwise as iuid_create_partitions and iuid_drop_partitions (doc/partitions.md)';
