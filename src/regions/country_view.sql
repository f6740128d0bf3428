--
-- The view on a country's partition for the other nodes
--

CREATE FUNCTION @extschema@.iuid_refuse_ctid()
RETURNS tid
AS 'MODULE_PATHNAME', 'iuid_refuse_ctid'
LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.iuid_refuse_ctid() IS
'internal: in the place of the ctid of a row in a view on a country that is divided by time, where rows of several partitions have the same ctid; in a query that only locks rows, a ctid that no row has; otherwise an error: 0A000 (doc/regions.md)';
