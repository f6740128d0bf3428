--
-- Country partitions: one for each country that is routed to this node
--

CREATE FUNCTION @extschema@.iuid_create_country_partitions(parent pg_catalog.regclass, entity int, step interval DEFAULT NULL)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_country_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_country_partitions(pg_catalog.regclass, int, interval) IS
'makes the partitions <parent>_c<country> that are missing, one for each country whose rows of an entity are routed to this node, and returns them; each partition has its country and its bounds as a CHECK; with a step, each has time partitions of that step, from the present on, and a DEFAULT partition; the owner of the parent owns all of them; one call makes as many partitions as the server''s lock table has room for, and warns if more are missing; table or entity NULL: 22004, an iuid.node that is not set or not registered, an entity outside 0-255, or a step out of range: 22023, no such table: 42P01, a table that is not in country order: 42809, a caller without the rights of the owner: 42501; a function iuid_country that has another name now: 42883; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000; otherwise as iuid_create_partitions (doc/regions.md)';
