--
-- What TimescaleDB and pg_partman call to know the time of an identifier
--

CREATE FUNCTION @extschema@.iuid_chunk_time(@extschema@.iuid)
RETURNS pg_catalog.timestamptz
AS 'MODULE_PATHNAME', 'iuid_chunk_time'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_chunk_time(@extschema@.iuid) IS
'position of an identifier in time, by its first 48 bits whatever the layout, plus one microsecond: TimescaleDB''s partition_func; never NULL (doc/other-tools.md)';

CREATE FUNCTION @extschema@.iuid_time_decoder(id pg_catalog.text)
RETURNS pg_catalog.timestamptz
AS 'MODULE_PATHNAME', 'iuid_time_decoder'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_time_decoder(pg_catalog.text) IS
'time of an identifier, of a UUID of version 7 and variant 0b10, or of a bound of a uuid column, whose last 80 bits are 0, given as text: pg_partman''s time_decoder; NULL for layouts without a time and for Max; any other text: 22P02 (doc/other-tools.md)';
