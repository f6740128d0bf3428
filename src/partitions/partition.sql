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
'makes the time partitions that are missing from first up to last, in whole steps of 1 hour to 1 year in UTC, and returns them; with time_checks, each has a CHECK of its times; 22004, 22008, 22023, 23502, 23503, 23514, 25006, 42501, 42809, 42P01, 42P07, 53200, 55000, 55006, 55P03 (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_drop_partitions(parent pg_catalog.regclass, older_than pg_catalog.timestamptz)
RETURNS SETOF pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_drop_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_drop_partitions(pg_catalog.regclass, pg_catalog.timestamptz) IS
'drops the time partitions that end at or before a time, and returns their names; the DEFAULT partition stays, and so does, with a warning, what something else needs; 22004, 22008, 25006, 42501, 42809, 42P01, 53200, 55000, 55P03 (doc/partitions.md)';

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
'for cron: makes the time partitions up to the present step and ahead (0-1000) steps more, and drops those that ended longer ago than keep (NULL: none); returns each action; ahead or keep out of range: 22023; otherwise the errors of iuid_create_partitions and iuid_drop_partitions (doc/partitions.md)';
