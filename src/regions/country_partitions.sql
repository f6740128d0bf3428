--
-- Country partitions: one for each country that is routed to this node
--

CREATE FUNCTION @extschema@.iuid_create_country_partitions(parent pg_catalog.regclass, entity int, step interval DEFAULT NULL, time_checks boolean DEFAULT false)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_country_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_country_partitions(pg_catalog.regclass, int, interval, boolean) IS
'makes the partitions <parent>_c<country> that are missing, one for each country whose rows of an entity are routed to this node, and returns them; each partition has its country and its bounds as a CHECK, and a view <parent>_c<country>_e<entity> for the other nodes; a later call makes what is missing and brings the views up to date; it drops an empty partition of a country that is routed elsewhere, and warns of one with rows; with a step, each new partition has time partitions of that step, from the present on, and an open-ended one on either side; with time_checks, those have CHECKs of their times; the owner of the parent owns all of them; one call makes and drops as many partitions as the server''s lock table has room for, and warns if more are left; it warns if no country is routed here, or one has no route; NULL: 22004, an iuid.node that is not set or not registered, an entity outside 0-255, or a step out of range: 22023, no such table: 42P01, a table that is not in country order: 42809, a caller without the rights of the owner: 42501; a function iuid_country or iuid_refuse_ctid that has another name now: 42883, a view or table of another owner that has the name: 42P07; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000; otherwise as iuid_create_partitions (doc/regions.md)';
