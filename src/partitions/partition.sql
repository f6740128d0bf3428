--
-- Time partitions: making, dropping and detaching them
--
-- These functions run as the owner of the table, in a security-restricted
-- operation (doc/partitions.md).
--

CREATE FUNCTION @extschema@.iuid_create_partitions(parent pg_catalog.regclass, step interval,
	first pg_catalog.timestamptz, last pg_catalog.timestamptz, time_checks boolean DEFAULT false)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_partitions(pg_catalog.regclass, interval, pg_catalog.timestamptz, pg_catalog.timestamptz, boolean) IS
'makes the time partitions that are missing from first up to last, in whole steps of 1 hour to 1 year in UTC, and returns them; existing partitions, of whatever step, stay as they are; with time_checks, the new ones have CHECKs of their times, by which a condition on iuid_timestamp(key) prunes; rows of the new partitions move out of the DEFAULT partition; one call makes as many partitions as the server''s lock table has room for, and warns if more are missing; NULL: 22004, a step out of range: 22023, a time out of range: 22008, no such table: 42P01, a table of another shape, or time_checks with a key of type uuid: 42809, a caller without the rights of the owner: 42501, a new name that is taken: 42P07, rows in the DEFAULT partition that cannot move: 23502, 23503, 23514, 42501, 42809, 55000 or 55006, a table that is renamed meanwhile, or its schema: 55000, locks that cannot be taken within lock_timeout, or a minute: 55P03, a read-only transaction, also that of a standby: 25006, no room for more locks: 53200 (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_drop_partitions(parent pg_catalog.regclass, older_than pg_catalog.timestamptz)
RETURNS SETOF pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_drop_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_drop_partitions(pg_catalog.regclass, pg_catalog.timestamptz) IS
'drops the time partitions that end at or before a time, and returns their names; the DEFAULT partition stays; a partition that a view, a foreign key or anything else needs stays, too, with a warning; one call drops as many partitions as the server''s lock table has room for, and warns if there are more; NULL: 22004, an infinite time: 22008, no such table: 42P01, a table of another shape: 42809, a caller without the rights of the owner: 42501, a table that is renamed meanwhile, or its schema: 55000, locks that cannot be taken within lock_timeout, or a minute: 55P03, a read-only transaction, also that of a standby: 25006, no room for more locks: 53200 (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_detach_partitions(parent pg_catalog.regclass, older_than pg_catalog.timestamptz)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_detach_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_detach_partitions(pg_catalog.regclass, pg_catalog.timestamptz) IS
'detaches the time partitions that end at or before a time, and returns them; each stays as a table of its own, with its owner and with the views on it; a partition whose rows a foreign key to the parent refers to stays attached, with a warning; otherwise as iuid_drop_partitions (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_maintain_partitions(parent pg_catalog.regclass, step interval, ahead int DEFAULT 4, keep interval DEFAULT NULL,
	time_checks boolean DEFAULT false)
RETURNS TABLE (action pg_catalog.text, partition pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_maintain_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_maintain_partitions(pg_catalog.regclass, interval, int, interval, boolean) IS
'for cron: makes the time partitions from the last one to the present and a number of steps ahead, 0-1000, and drops the partitions that ended longer ago than keep (NULL keeps all); returns each action, created or dropped, with the name of the partition; parent, step or time_checks NULL: 22004, ahead NULL or out of range, or keep that does not end in the past: 22023; otherwise as iuid_create_partitions and iuid_drop_partitions (doc/partitions.md)';
