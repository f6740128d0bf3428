--
-- Country partitions: one for each country that is routed to this node
--

CREATE FUNCTION @extschema@.iuid_create_routed_partitions(parent pg_catalog.regclass, entity int, step interval DEFAULT NULL, time_checks boolean DEFAULT false)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_routed_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_routed_partitions(pg_catalog.regclass, int, interval, boolean) IS
'makes the partition and the view of each country whose rows of an entity, 0-255, are routed here, and returns the partitions; with a step, with time partitions; drops empty ones of other countries; 22004, 22023, and those of iuid_create_country_partitions (doc/regions.md)';
