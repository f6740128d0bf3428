--
-- Country partitions: one for each country that is routed here
--

CREATE FUNCTION @extschema@.iuid_create_country_partitions(parent pg_catalog.regclass, entity int, step interval DEFAULT NULL)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_country_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_country_partitions(pg_catalog.regclass, int, interval) IS
'makes a partition <parent>_c<country> for each country whose rows of an entity are routed to this node, where there is none yet, and gives them; each has its country and its bounds as a CHECK; with a step it has time partitions of that step, from the present on, and a DEFAULT one; all are of the owner of the parent; makes as many in one call as the server''s lock table has room for, and warns if there are more; NULL: 22004, no iuid.node or one that is not registered, or an entity outside 0-255: 22023, no such table: 42P01, a table that is not in country order: 42809, not the owner''s rights: 42501 (doc/regions.md)';
