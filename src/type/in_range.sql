--
-- Window frames: a range of time before and after a row
--

CREATE FUNCTION @extschema@.iuid_in_range(@extschema@.iuid, @extschema@.iuid, interval, boolean, boolean)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_in_range'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_in_range(@extschema@.iuid, @extschema@.iuid, interval, boolean, boolean) IS
'internal: window frames RANGE with an interval, in byte order: compares the first 48 bits as times, in whole milliseconds; a negative distance: 22013';
