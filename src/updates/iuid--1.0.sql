-- iuid: identifiers that carry their time, country and entity.
--
-- This part opens the script of the extension; the Makefile says which parts
-- follow.  Every name has its schema, and every argument its exact type, so that
-- the server finds no other object, whatever the search_path is.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION iuid" to load this file. \quit
--
-- Type: text and binary, and casts from and to uuid
--

CREATE TYPE @extschema@.iuid;

CREATE FUNCTION @extschema@.iuid_in(pg_catalog.cstring)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_in(pg_catalog.cstring) IS
'internal: text to iuid, in the forms that core''s uuid takes; anything but a UUID of version 8 and variant 10, Nil or Max: 22P02 (RFC 9562, sections 4 and 5.8)';

CREATE FUNCTION @extschema@.iuid_out(@extschema@.iuid)
RETURNS pg_catalog.cstring
AS 'MODULE_PATHNAME', 'iuid_out'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_out(@extschema@.iuid) IS
'internal: iuid to its canonical lower-case text, 36 characters (RFC 9562, section 4)';

CREATE FUNCTION @extschema@.iuid_recv(pg_catalog.internal)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_recv'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_recv(pg_catalog.internal) IS
'internal: binary to iuid, 16 bytes; anything but a UUID of version 8 and variant 10, Nil or Max: 22P03 (RFC 9562, section 5.8)';

CREATE FUNCTION @extschema@.iuid_send(@extschema@.iuid)
RETURNS pg_catalog.bytea
AS 'MODULE_PATHNAME', 'iuid_send'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_send(@extschema@.iuid) IS
'internal: iuid to binary, 16 bytes, most significant first';

CREATE TYPE @extschema@.iuid (
	INPUT = @extschema@.iuid_in,
	OUTPUT = @extschema@.iuid_out,
	RECEIVE = @extschema@.iuid_recv,
	SEND = @extschema@.iuid_send,
	INTERNALLENGTH = 16,
	ALIGNMENT = char,
	STORAGE = plain
);
COMMENT ON TYPE @extschema@.iuid IS
'identifier that carries its time (Unix milliseconds), country (0-255) and entity (0-255): a UUID of version 8 (RFC 9562, section 5.8; doc/format.md)';
COMMENT ON TYPE @extschema@.iuid[] IS
'array of iuid';

-- postgres_fdw sends a condition with an array, such as IN, only if the array type is
-- in the extension.  From PostgreSQL 17 on the server puts it there.
DO $do$
BEGIN
	IF pg_catalog.current_setting('server_version_num'::pg_catalog.text)::int OPERATOR(pg_catalog.<) 170000 THEN
		ALTER EXTENSION iuid ADD TYPE @extschema@.iuid[];
	END IF;
END
$do$;

CREATE FUNCTION @extschema@.iuid(pg_catalog.uuid)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_core_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid(pg_catalog.uuid) IS
'uuid to iuid, the same 16 bytes; anything but a UUID of version 8 and variant 10, Nil or Max: 22023 (RFC 9562, section 5.8)';

CREATE CAST (@extschema@.iuid AS pg_catalog.uuid) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (@extschema@.iuid AS pg_catalog.uuid) IS
'the same 16 bytes, at no cost; lets every function on uuid take an iuid';

CREATE CAST (pg_catalog.uuid AS @extschema@.iuid) WITH FUNCTION @extschema@.iuid(pg_catalog.uuid) AS ASSIGNMENT;
COMMENT ON CAST (pg_catalog.uuid AS @extschema@.iuid) IS
'the same 16 bytes, checked; anything but a UUID of version 8 and variant 10, Nil or Max: 22023';
--
-- Reading: the fields of an identifier
--

CREATE FUNCTION @extschema@.iuid_timestamp(@extschema@.iuid)
RETURNS pg_catalog.timestamptz
AS 'MODULE_PATHNAME', 'iuid_timestamp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_timestamp(@extschema@.iuid) IS
'time of an identifier, 1970 to 10889, to the millisecond; NULL for layout 1, whose time bits are a digest, for Nil, Max and the reserved layouts 2-15 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_country(@extschema@.iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_country'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country(@extschema@.iuid) IS
'country of an identifier, 0-255; NULL for Nil, Max and the reserved layouts 2-15 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_entity(@extschema@.iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_entity'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_entity(@extschema@.iuid) IS
'entity of an identifier, 0-255; NULL for Nil, Max and the reserved layouts 2-15 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_random(@extschema@.iuid)
RETURNS bigint
AS 'MODULE_PATHNAME', 'iuid_random'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_random(@extschema@.iuid) IS
'random bits of an identifier, 0 to 2^54 - 1; NULL for Nil, Max and the reserved layouts 2-15 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_layout(@extschema@.iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_layout'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_layout(@extschema@.iuid) IS
'layout of an identifier, 0-15: 0 has a time, 1 is derived from a name, the others are reserved; NULL for Nil and Max (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_fields(@extschema@.iuid, OUT "timestamp" pg_catalog.timestamptz, OUT country int,
	OUT entity int, OUT random bigint, OUT layout int)
AS 'MODULE_PATHNAME', 'iuid_fields'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_fields(@extschema@.iuid) IS
'all fields of an identifier as one record, each as iuid_timestamp, iuid_country, iuid_entity, iuid_random and iuid_layout return it';

CREATE FUNCTION @extschema@.iuid_chunk_time(@extschema@.iuid)
RETURNS pg_catalog.timestamptz
AS 'MODULE_PATHNAME', 'iuid_chunk_time'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_chunk_time(@extschema@.iuid) IS
'position of an identifier in time, by its first 48 bits whatever the layout, plus one microsecond: TimescaleDB''s partition_func; never NULL (doc/other-partitioning.md)';

CREATE CAST (@extschema@.iuid AS pg_catalog.timestamptz) WITH FUNCTION @extschema@.iuid_timestamp(@extschema@.iuid);
COMMENT ON CAST (@extschema@.iuid AS pg_catalog.timestamptz) IS
'time of an identifier, as iuid_timestamp returns it';
--
-- Making new identifiers
--

CREATE FUNCTION @extschema@.gen_iuid(country int, entity int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'gen_iuid'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.gen_iuid(country int, entity int) IS
'new identifier of this moment for a country and entity, 0-255 each; NULL: 22004; outside 0-255: 22023; a clock outside 48 bits of milliseconds: 22008 (doc/format.md)';

CREATE FUNCTION @extschema@.gen_iuid(country int, entity int, at pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'gen_iuid_at'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.gen_iuid(country int, entity int, at pg_catalog.timestamptz) IS
'new identifier of a given time, rounded down to the millisecond, for a country and entity, 0-255 each; NULL: 22004; outside 0-255: 22023; a time before 1970 or outside 48 bits of milliseconds: 22008 (doc/format.md)';

CREATE FUNCTION @extschema@.gen_iuid(entity int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'gen_iuid_here'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.gen_iuid(entity int) IS
'new identifier of this moment for an entity, 0-255, and the country in the setting iuid.country; NULL: 22004; outside 0-255, or iuid.country not set: 22023; a clock outside 48 bits of milliseconds: 22008 (doc/format.md)';
--
-- Deriving identifiers: the same input gives the same identifier
--
-- A NULL name or uuid gives NULL, as there is nothing to derive from.
--

CREATE FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.text)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_text'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.text) IS
'named identifier (layout 1): country and entity, 0-255 each, and a BLAKE2b digest of a text, taken as UTF-8 in every database; the same input gives the same identifier; NULL for a NULL name; country or entity NULL: 22004, outside 0-255: 22023 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.text, at pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_text'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.text, at pg_catalog.timestamptz) IS
'identifier of a given time, rounded down to the millisecond (layout 0), whose random bits are a BLAKE2b digest of a text, taken as UTF-8 in every database; the same input gives the same identifier; NULL for a NULL name; country or entity NULL: 22004, outside 0-255: 22023; time NULL: 22004, before 1970 or outside 48 bits of milliseconds: 22008 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.bytea)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_bytea'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.bytea) IS
'named identifier (layout 1): country and entity, 0-255 each, and a BLAKE2b digest of bytes; the same input gives the same identifier; NULL for a NULL name; country or entity NULL: 22004, outside 0-255: 22023 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.bytea, at pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_bytea'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_name(country int, entity int, name pg_catalog.bytea, at pg_catalog.timestamptz) IS
'identifier of a given time, rounded down to the millisecond (layout 0), whose random bits are a BLAKE2b digest of bytes; the same input gives the same identifier; NULL for a NULL name; country or entity NULL: 22004, outside 0-255: 22023; time NULL: 22004, before 1970 or outside 48 bits of milliseconds: 22008 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_uuid(id pg_catalog.uuid, country int, entity int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_uuid'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_uuid(id pg_catalog.uuid, country int, entity int) IS
'identifier with the time of a uuid of version 1, 6 or 7 (RFC 9562, section 5); those of version 7 keep their order; the same input gives the same identifier; NULL for a NULL uuid; another version: 22023; a time before 1970: 22008; country or entity NULL: 22004, outside 0-255: 22023 (doc/format.md)';

CREATE FUNCTION @extschema@.iuid_from_uuid(id pg_catalog.uuid, country int, entity int, at pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_from_uuid'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_from_uuid(id pg_catalog.uuid, country int, entity int, at pg_catalog.timestamptz) IS
'identifier of a given time, rounded down to the millisecond, for a uuid of any version, whose BLAKE2b digest is the random bits; the same input gives the same identifier; NULL for a NULL uuid; country or entity NULL: 22004, outside 0-255: 22023; time NULL: 22004, before 1970 or outside 48 bits of milliseconds: 22008 (doc/format.md)';
--
-- Planner support: predicates become ranges of the key
--

CREATE FUNCTION @extschema@.iuid_comparison_support(pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'iuid_comparison_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_comparison_support(pg_catalog.internal) IS
'internal: planner support for < <= = >= > between iuid and timestamptz or uuid: puts the predicate into a form that indexes and partition pruning use (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_range_support(pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'iuid_range_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_range_support(pg_catalog.internal) IS
'internal: planner support for iuid <@ tstzrange and tstzrange @> iuid: puts the predicate into a form that indexes and partition pruning use (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_is_from_support(pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'iuid_is_from_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_is_from_support(pg_catalog.internal) IS
'internal: planner support for iuid_is_from: puts the predicate into a form that indexes and partition pruning use (doc/predicates.md)';
--
-- Bounds, and the predicates on time and country that compare with them
--

CREATE FUNCTION @extschema@.iuid_floor(pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_floor'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_floor(pg_catalog.timestamptz) IS
'smallest iuid at or after a time (part of a millisecond rounds up): Nil before 1970 and for -infinity, Max past the 48 bits and for infinity (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_floor_after(pg_catalog.timestamptz)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_floor_after'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_floor_after(pg_catalog.timestamptz) IS
'internal: smallest iuid after a time: iuid_floor of the next microsecond; id > time and id <= time compare the identifier with it (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_range_lower(pg_catalog.tstzrange)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_range_lower'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_range_lower(pg_catalog.tstzrange) IS
'internal: smallest iuid that can be in a range of times: Nil without a lower bound, Max for an empty range (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_range_upper(pg_catalog.tstzrange)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_range_upper'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_range_upper(pg_catalog.tstzrange) IS
'internal: smallest iuid after a range of times: Max without an upper bound, Nil for an empty range (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_country_floor(country int, entity int DEFAULT 0)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_country_floor'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_floor(country int, entity int) IS
'smallest iuid of a country and entity in country order, 0-255 each; country 256 gives Max, entity 256 means the next country; outside 0-256: 22023 (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_country_lower(country int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_country_lower'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_lower(country int) IS
'internal: smallest iuid of a country, 0-255, in country order: the lower bound of iuid_is_from; outside 0-255: 22023 (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_country_lower(country int, entity int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_country_lower'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_lower(country int, entity int) IS
'internal: smallest iuid of a country and entity, 0-255 each, in country order: the lower bound of iuid_is_from; outside 0-255: 22023 (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_country_upper(country int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_country_upper'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_upper(country int) IS
'internal: smallest iuid after those of a country, 0-255, in country order: the upper bound of iuid_is_from; outside 0-255: 22023 (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_country_upper(country int, entity int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_country_upper'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_upper(country int, entity int) IS
'internal: smallest iuid after those of a country and entity, 0-255 each, in country order: the upper bound of iuid_is_from; outside 0-255: 22023 (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_lt(@extschema@.iuid, pg_catalog.timestamptz)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_lt_timestamptz'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_lt(@extschema@.iuid, pg_catalog.timestamptz) IS
'internal: implementation of iuid < timestamptz';

CREATE FUNCTION @extschema@.iuid_le(@extschema@.iuid, pg_catalog.timestamptz)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_le_timestamptz'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_le(@extschema@.iuid, pg_catalog.timestamptz) IS
'internal: implementation of iuid <= timestamptz';

CREATE FUNCTION @extschema@.iuid_ge(@extschema@.iuid, pg_catalog.timestamptz)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ge_timestamptz'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_ge(@extschema@.iuid, pg_catalog.timestamptz) IS
'internal: implementation of iuid >= timestamptz';

CREATE FUNCTION @extschema@.iuid_gt(@extschema@.iuid, pg_catalog.timestamptz)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_gt_timestamptz'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_gt(@extschema@.iuid, pg_catalog.timestamptz) IS
'internal: implementation of iuid > timestamptz';

CREATE FUNCTION @extschema@.iuid_lt(pg_catalog.timestamptz, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'timestamptz_lt_iuid'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_lt(pg_catalog.timestamptz, @extschema@.iuid) IS
'internal: implementation of timestamptz < iuid';

CREATE FUNCTION @extschema@.iuid_le(pg_catalog.timestamptz, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'timestamptz_le_iuid'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_le(pg_catalog.timestamptz, @extschema@.iuid) IS
'internal: implementation of timestamptz <= iuid';

CREATE FUNCTION @extschema@.iuid_ge(pg_catalog.timestamptz, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'timestamptz_ge_iuid'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_ge(pg_catalog.timestamptz, @extschema@.iuid) IS
'internal: implementation of timestamptz >= iuid';

CREATE FUNCTION @extschema@.iuid_gt(pg_catalog.timestamptz, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'timestamptz_gt_iuid'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_gt(pg_catalog.timestamptz, @extschema@.iuid) IS
'internal: implementation of timestamptz > iuid';

CREATE OPERATOR @extschema@.< (
	FUNCTION = @extschema@.iuid_lt, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.timestamptz,
	COMMUTATOR = OPERATOR(@extschema@.>), NEGATOR = OPERATOR(@extschema@.>=),
	RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.< (@extschema@.iuid, pg_catalog.timestamptz) IS
'before, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR @extschema@.<= (
	FUNCTION = @extschema@.iuid_le, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.timestamptz,
	COMMUTATOR = OPERATOR(@extschema@.>=), NEGATOR = OPERATOR(@extschema@.>),
	RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.<= (@extschema@.iuid, pg_catalog.timestamptz) IS
'at or before, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR @extschema@.>= (
	FUNCTION = @extschema@.iuid_ge, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.timestamptz,
	COMMUTATOR = OPERATOR(@extschema@.<=), NEGATOR = OPERATOR(@extschema@.<),
	RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.>= (@extschema@.iuid, pg_catalog.timestamptz) IS
'at or after, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR @extschema@.> (
	FUNCTION = @extschema@.iuid_gt, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.timestamptz,
	COMMUTATOR = OPERATOR(@extschema@.<), NEGATOR = OPERATOR(@extschema@.<=),
	RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.> (@extschema@.iuid, pg_catalog.timestamptz) IS
'after, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR @extschema@.< (
	FUNCTION = @extschema@.iuid_lt, LEFTARG = pg_catalog.timestamptz, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.>), NEGATOR = OPERATOR(@extschema@.>=),
	RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.< (pg_catalog.timestamptz, @extschema@.iuid) IS
'before, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR @extschema@.<= (
	FUNCTION = @extschema@.iuid_le, LEFTARG = pg_catalog.timestamptz, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.>=), NEGATOR = OPERATOR(@extschema@.>),
	RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.<= (pg_catalog.timestamptz, @extschema@.iuid) IS
'at or before, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR @extschema@.>= (
	FUNCTION = @extschema@.iuid_ge, LEFTARG = pg_catalog.timestamptz, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.<=), NEGATOR = OPERATOR(@extschema@.<),
	RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.>= (pg_catalog.timestamptz, @extschema@.iuid) IS
'at or after, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR @extschema@.> (
	FUNCTION = @extschema@.iuid_gt, LEFTARG = pg_catalog.timestamptz, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.<), NEGATOR = OPERATOR(@extschema@.<=),
	RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.> (pg_catalog.timestamptz, @extschema@.iuid) IS
'after, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

-- If the operators took tstzrange itself, the server would read the literal in
-- tstzrange @> 'literal' as an iuid.  As they take a domain, core's polymorphic
-- operator comes first for the literal, and an iuid still finds these operators.
CREATE DOMAIN @extschema@.iuid_tstzrange AS pg_catalog.tstzrange;
COMMENT ON DOMAIN @extschema@.iuid_tstzrange IS
'internal: tstzrange, as the operators with an iuid take it; the server casts a tstzrange to it implicitly';
COMMENT ON TYPE @extschema@.iuid_tstzrange[] IS
'internal: array of iuid_tstzrange';

CREATE FUNCTION @extschema@.iuid_contained_by(@extschema@.iuid, @extschema@.iuid_tstzrange)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_contained_by_range'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT @extschema@.iuid_range_support;
COMMENT ON FUNCTION @extschema@.iuid_contained_by(@extschema@.iuid, @extschema@.iuid_tstzrange) IS
'internal: implementation of iuid <@ tstzrange';

CREATE FUNCTION @extschema@.iuid_contains(@extschema@.iuid_tstzrange, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_range_contains'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT @extschema@.iuid_range_support;
COMMENT ON FUNCTION @extschema@.iuid_contains(@extschema@.iuid_tstzrange, @extschema@.iuid) IS
'internal: implementation of tstzrange @> iuid';

CREATE OPERATOR @extschema@.<@ (
	FUNCTION = @extschema@.iuid_contained_by, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid_tstzrange,
	COMMUTATOR = OPERATOR(@extschema@.@>),
	RESTRICT = pg_catalog.contsel, JOIN = pg_catalog.contjoinsel
);
COMMENT ON OPERATOR @extschema@.<@ (@extschema@.iuid, @extschema@.iuid_tstzrange) IS
'has a time within the range, by position in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR @extschema@.@> (
	FUNCTION = @extschema@.iuid_contains, LEFTARG = @extschema@.iuid_tstzrange, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.<@),
	RESTRICT = pg_catalog.contsel, JOIN = pg_catalog.contjoinsel
);
COMMENT ON OPERATOR @extschema@.@> (@extschema@.iuid_tstzrange, @extschema@.iuid) IS
'contains the time of the identifier, by position in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_is_from(id @extschema@.iuid, country int)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_is_from'
LANGUAGE C IMMUTABLE PARALLEL SAFE
SUPPORT @extschema@.iuid_is_from_support;
COMMENT ON FUNCTION @extschema@.iuid_is_from(id @extschema@.iuid, country int) IS
'whether an identifier is of a country, 0-255, by position in country order; uses indexes and partitions of iuid_country_ops; NULL if an argument is NULL; outside 0-255, even for a NULL identifier: 22023 (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_is_from(id @extschema@.iuid, country int, entity int)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_is_from'
LANGUAGE C IMMUTABLE PARALLEL SAFE
SUPPORT @extschema@.iuid_is_from_support;
COMMENT ON FUNCTION @extschema@.iuid_is_from(id @extschema@.iuid, country int, entity int) IS
'whether an identifier is of a country and entity, 0-255 each, by position in country order; uses indexes and partitions of iuid_country_ops; NULL if an argument is NULL; outside 0-255, even for a NULL identifier: 22023 (doc/predicates.md)';
--
-- Byte order, of iuid and of iuid with uuid: < <= = >= > <>, min and max
--

CREATE FUNCTION @extschema@.iuid_lt(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_lt(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid < iuid';

CREATE FUNCTION @extschema@.iuid_le(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_le(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid <= iuid';

CREATE FUNCTION @extschema@.iuid_eq(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_eq(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid = iuid';

CREATE FUNCTION @extschema@.iuid_ge(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_ge(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid >= iuid';

CREATE FUNCTION @extschema@.iuid_gt(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_gt(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid > iuid';

CREATE FUNCTION @extschema@.iuid_ne(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ne'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_ne(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid <> iuid';

CREATE FUNCTION @extschema@.iuid_lt(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_lt(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid < uuid';

CREATE FUNCTION @extschema@.iuid_le(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_le(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid <= uuid';

CREATE FUNCTION @extschema@.iuid_eq(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_eq(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid = uuid';

CREATE FUNCTION @extschema@.iuid_ge(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_ge(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid >= uuid';

CREATE FUNCTION @extschema@.iuid_gt(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_gt(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid > uuid';

CREATE FUNCTION @extschema@.iuid_ne(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ne'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_ne(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid <> uuid';

CREATE FUNCTION @extschema@.iuid_lt(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_lt(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid < iuid';

CREATE FUNCTION @extschema@.iuid_le(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_le(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid <= iuid';

CREATE FUNCTION @extschema@.iuid_eq(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_eq(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid = iuid';

CREATE FUNCTION @extschema@.iuid_ge(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_ge(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid >= iuid';

CREATE FUNCTION @extschema@.iuid_gt(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_comparison_support;
COMMENT ON FUNCTION @extschema@.iuid_gt(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid > iuid';

CREATE FUNCTION @extschema@.iuid_ne(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ne'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_ne(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid <> iuid';

CREATE OPERATOR @extschema@.< (
	FUNCTION = @extschema@.iuid_lt, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.>), NEGATOR = OPERATOR(@extschema@.>=),
	RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.< (@extschema@.iuid, @extschema@.iuid) IS
'less than, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.<= (
	FUNCTION = @extschema@.iuid_le, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.>=), NEGATOR = OPERATOR(@extschema@.>),
	RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.<= (@extschema@.iuid, @extschema@.iuid) IS
'less than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.= (
	FUNCTION = @extschema@.iuid_eq, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.=), NEGATOR = OPERATOR(@extschema@.<>),
	RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel,
	HASHES, MERGES
);
COMMENT ON OPERATOR @extschema@.= (@extschema@.iuid, @extschema@.iuid) IS
'equal';

CREATE OPERATOR @extschema@.>= (
	FUNCTION = @extschema@.iuid_ge, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.<=), NEGATOR = OPERATOR(@extschema@.<),
	RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.>= (@extschema@.iuid, @extschema@.iuid) IS
'greater than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.> (
	FUNCTION = @extschema@.iuid_gt, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.<), NEGATOR = OPERATOR(@extschema@.<=),
	RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.> (@extschema@.iuid, @extschema@.iuid) IS
'greater than, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.<> (
	FUNCTION = @extschema@.iuid_ne, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.<>), NEGATOR = OPERATOR(@extschema@.=),
	RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
COMMENT ON OPERATOR @extschema@.<> (@extschema@.iuid, @extschema@.iuid) IS
'not equal';

CREATE OPERATOR @extschema@.< (
	FUNCTION = @extschema@.iuid_lt, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.>), NEGATOR = OPERATOR(@extschema@.>=),
	RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.< (@extschema@.iuid, pg_catalog.uuid) IS
'less than, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.<= (
	FUNCTION = @extschema@.iuid_le, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.>=), NEGATOR = OPERATOR(@extschema@.>),
	RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.<= (@extschema@.iuid, pg_catalog.uuid) IS
'less than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.= (
	FUNCTION = @extschema@.iuid_eq, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.=), NEGATOR = OPERATOR(@extschema@.<>),
	RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel,
	HASHES, MERGES
);
COMMENT ON OPERATOR @extschema@.= (@extschema@.iuid, pg_catalog.uuid) IS
'equal';

CREATE OPERATOR @extschema@.>= (
	FUNCTION = @extschema@.iuid_ge, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.<=), NEGATOR = OPERATOR(@extschema@.<),
	RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.>= (@extschema@.iuid, pg_catalog.uuid) IS
'greater than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.> (
	FUNCTION = @extschema@.iuid_gt, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.<), NEGATOR = OPERATOR(@extschema@.<=),
	RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.> (@extschema@.iuid, pg_catalog.uuid) IS
'greater than, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.<> (
	FUNCTION = @extschema@.iuid_ne, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.<>), NEGATOR = OPERATOR(@extschema@.=),
	RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
COMMENT ON OPERATOR @extschema@.<> (@extschema@.iuid, pg_catalog.uuid) IS
'not equal';

CREATE OPERATOR @extschema@.< (
	FUNCTION = @extschema@.iuid_lt, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.>), NEGATOR = OPERATOR(@extschema@.>=),
	RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.< (pg_catalog.uuid, @extschema@.iuid) IS
'less than, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.<= (
	FUNCTION = @extschema@.iuid_le, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.>=), NEGATOR = OPERATOR(@extschema@.>),
	RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.<= (pg_catalog.uuid, @extschema@.iuid) IS
'less than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.= (
	FUNCTION = @extschema@.iuid_eq, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.=), NEGATOR = OPERATOR(@extschema@.<>),
	RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel,
	HASHES, MERGES
);
COMMENT ON OPERATOR @extschema@.= (pg_catalog.uuid, @extschema@.iuid) IS
'equal';

CREATE OPERATOR @extschema@.>= (
	FUNCTION = @extschema@.iuid_ge, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.<=), NEGATOR = OPERATOR(@extschema@.<),
	RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.>= (pg_catalog.uuid, @extschema@.iuid) IS
'greater than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.> (
	FUNCTION = @extschema@.iuid_gt, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.<), NEGATOR = OPERATOR(@extschema@.<=),
	RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.> (pg_catalog.uuid, @extschema@.iuid) IS
'greater than, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.<> (
	FUNCTION = @extschema@.iuid_ne, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.<>), NEGATOR = OPERATOR(@extschema@.=),
	RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
COMMENT ON OPERATOR @extschema@.<> (pg_catalog.uuid, @extschema@.iuid) IS
'not equal';

CREATE FUNCTION @extschema@.iuid_cmp(@extschema@.iuid, @extschema@.iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_cmp(@extschema@.iuid, @extschema@.iuid) IS
'internal: less-equal-greater in byte order: negative, zero or positive';

CREATE FUNCTION @extschema@.iuid_cmp(@extschema@.iuid, pg_catalog.uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_cmp(@extschema@.iuid, pg_catalog.uuid) IS
'internal: less-equal-greater in byte order: negative, zero or positive';

CREATE FUNCTION @extschema@.iuid_cmp(pg_catalog.uuid, @extschema@.iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_cmp(pg_catalog.uuid, @extschema@.iuid) IS
'internal: less-equal-greater in byte order: negative, zero or positive';

CREATE FUNCTION @extschema@.iuid_smaller(@extschema@.iuid, @extschema@.iuid)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_smaller'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_smaller(@extschema@.iuid, @extschema@.iuid) IS
'internal: smaller of two, in byte order';

CREATE AGGREGATE @extschema@.min(@extschema@.iuid) (
	SFUNC = @extschema@.iuid_smaller,
	STYPE = @extschema@.iuid,
	COMBINEFUNC = @extschema@.iuid_smaller,
	SORTOP = OPERATOR(@extschema@.<),
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.min(@extschema@.iuid) IS
'smallest identifier, in byte order: one of the earliest time';

CREATE FUNCTION @extschema@.iuid_larger(@extschema@.iuid, @extschema@.iuid)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_larger'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_larger(@extschema@.iuid, @extschema@.iuid) IS
'internal: larger of two, in byte order';

CREATE AGGREGATE @extschema@.max(@extschema@.iuid) (
	SFUNC = @extschema@.iuid_larger,
	STYPE = @extschema@.iuid,
	COMBINEFUNC = @extschema@.iuid_larger,
	SORTOP = OPERATOR(@extschema@.>),
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.max(@extschema@.iuid) IS
'largest identifier, in byte order: one of the latest time';
--
-- Country order, of iuid and of iuid with uuid: ~<~ ~<=~ ~>=~ ~>~
--

CREATE FUNCTION @extschema@.iuid_country_lt(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_lt(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid ~<~ iuid';

CREATE FUNCTION @extschema@.iuid_country_le(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_le(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid ~<=~ iuid';

CREATE FUNCTION @extschema@.iuid_country_ge(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_ge(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid ~>=~ iuid';

CREATE FUNCTION @extschema@.iuid_country_gt(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_gt(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid ~>~ iuid';

CREATE FUNCTION @extschema@.iuid_country_lt(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_lt(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid ~<~ uuid';

CREATE FUNCTION @extschema@.iuid_country_le(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_le(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid ~<=~ uuid';

CREATE FUNCTION @extschema@.iuid_country_ge(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_ge(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid ~>=~ uuid';

CREATE FUNCTION @extschema@.iuid_country_gt(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_gt(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid ~>~ uuid';

CREATE FUNCTION @extschema@.iuid_country_lt(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_lt(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid ~<~ iuid';

CREATE FUNCTION @extschema@.iuid_country_le(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_le(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid ~<=~ iuid';

CREATE FUNCTION @extschema@.iuid_country_ge(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_ge(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid ~>=~ iuid';

CREATE FUNCTION @extschema@.iuid_country_gt(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_gt(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid ~>~ iuid';

CREATE FUNCTION @extschema@.iuid_country_lt(pg_catalog.uuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_lt(pg_catalog.uuid, pg_catalog.uuid) IS
'internal: implementation of uuid ~<~ uuid';

CREATE FUNCTION @extschema@.iuid_country_le(pg_catalog.uuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_le(pg_catalog.uuid, pg_catalog.uuid) IS
'internal: implementation of uuid ~<=~ uuid';

CREATE FUNCTION @extschema@.iuid_country_ge(pg_catalog.uuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_ge(pg_catalog.uuid, pg_catalog.uuid) IS
'internal: implementation of uuid ~>=~ uuid';

CREATE FUNCTION @extschema@.iuid_country_gt(pg_catalog.uuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_gt(pg_catalog.uuid, pg_catalog.uuid) IS
'internal: implementation of uuid ~>~ uuid';

CREATE OPERATOR @extschema@.~<~ (
	FUNCTION = @extschema@.iuid_country_lt, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~>~), NEGATOR = OPERATOR(@extschema@.~>=~),
	RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.~<~ (@extschema@.iuid, @extschema@.iuid) IS
'less than, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<=~ (
	FUNCTION = @extschema@.iuid_country_le, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~>=~), NEGATOR = OPERATOR(@extschema@.~>~),
	RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.~<=~ (@extschema@.iuid, @extschema@.iuid) IS
'less than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>=~ (
	FUNCTION = @extschema@.iuid_country_ge, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~<=~), NEGATOR = OPERATOR(@extschema@.~<~),
	RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.~>=~ (@extschema@.iuid, @extschema@.iuid) IS
'greater than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>~ (
	FUNCTION = @extschema@.iuid_country_gt, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~<~), NEGATOR = OPERATOR(@extschema@.~<=~),
	RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.~>~ (@extschema@.iuid, @extschema@.iuid) IS
'greater than, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<~ (
	FUNCTION = @extschema@.iuid_country_lt, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~>~), NEGATOR = OPERATOR(@extschema@.~>=~),
	RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.~<~ (@extschema@.iuid, pg_catalog.uuid) IS
'less than, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<=~ (
	FUNCTION = @extschema@.iuid_country_le, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~>=~), NEGATOR = OPERATOR(@extschema@.~>~),
	RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.~<=~ (@extschema@.iuid, pg_catalog.uuid) IS
'less than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>=~ (
	FUNCTION = @extschema@.iuid_country_ge, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~<=~), NEGATOR = OPERATOR(@extschema@.~<~),
	RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.~>=~ (@extschema@.iuid, pg_catalog.uuid) IS
'greater than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>~ (
	FUNCTION = @extschema@.iuid_country_gt, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~<~), NEGATOR = OPERATOR(@extschema@.~<=~),
	RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.~>~ (@extschema@.iuid, pg_catalog.uuid) IS
'greater than, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<~ (
	FUNCTION = @extschema@.iuid_country_lt, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~>~), NEGATOR = OPERATOR(@extschema@.~>=~),
	RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.~<~ (pg_catalog.uuid, @extschema@.iuid) IS
'less than, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<=~ (
	FUNCTION = @extschema@.iuid_country_le, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~>=~), NEGATOR = OPERATOR(@extschema@.~>~),
	RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.~<=~ (pg_catalog.uuid, @extschema@.iuid) IS
'less than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>=~ (
	FUNCTION = @extschema@.iuid_country_ge, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~<=~), NEGATOR = OPERATOR(@extschema@.~<~),
	RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.~>=~ (pg_catalog.uuid, @extschema@.iuid) IS
'greater than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>~ (
	FUNCTION = @extschema@.iuid_country_gt, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~<~), NEGATOR = OPERATOR(@extschema@.~<=~),
	RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.~>~ (pg_catalog.uuid, @extschema@.iuid) IS
'greater than, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<~ (
	FUNCTION = @extschema@.iuid_country_lt, LEFTARG = pg_catalog.uuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~>~), NEGATOR = OPERATOR(@extschema@.~>=~),
	RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.~<~ (pg_catalog.uuid, pg_catalog.uuid) IS
'less than, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<=~ (
	FUNCTION = @extschema@.iuid_country_le, LEFTARG = pg_catalog.uuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~>=~), NEGATOR = OPERATOR(@extschema@.~>~),
	RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.~<=~ (pg_catalog.uuid, pg_catalog.uuid) IS
'less than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>=~ (
	FUNCTION = @extschema@.iuid_country_ge, LEFTARG = pg_catalog.uuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~<=~), NEGATOR = OPERATOR(@extschema@.~<~),
	RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.~>=~ (pg_catalog.uuid, pg_catalog.uuid) IS
'greater than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>~ (
	FUNCTION = @extschema@.iuid_country_gt, LEFTARG = pg_catalog.uuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~<~), NEGATOR = OPERATOR(@extschema@.~<=~),
	RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.~>~ (pg_catalog.uuid, pg_catalog.uuid) IS
'greater than, in country order: country, then entity, then bytes';

CREATE FUNCTION @extschema@.iuid_country_cmp(@extschema@.iuid, @extschema@.iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_country_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_cmp(@extschema@.iuid, @extschema@.iuid) IS
'internal: less-equal-greater in country order: negative, zero or positive';

CREATE FUNCTION @extschema@.iuid_country_cmp(@extschema@.iuid, pg_catalog.uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_country_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_cmp(@extschema@.iuid, pg_catalog.uuid) IS
'internal: less-equal-greater in country order: negative, zero or positive';

CREATE FUNCTION @extschema@.iuid_country_cmp(pg_catalog.uuid, @extschema@.iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_country_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_cmp(pg_catalog.uuid, @extschema@.iuid) IS
'internal: less-equal-greater in country order: negative, zero or positive';

CREATE FUNCTION @extschema@.iuid_country_cmp(pg_catalog.uuid, pg_catalog.uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_country_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_cmp(pg_catalog.uuid, pg_catalog.uuid) IS
'internal: less-equal-greater in country order: negative, zero or positive';
--
-- Sort support in both orders
--

CREATE FUNCTION @extschema@.iuid_sortsupport(pg_catalog.internal)
RETURNS pg_catalog.void
AS 'MODULE_PATHNAME', 'iuid_sortsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_sortsupport(pg_catalog.internal) IS
'internal: sort support in byte order, with abbreviated keys';

CREATE FUNCTION @extschema@.iuid_country_sortsupport(pg_catalog.internal)
RETURNS pg_catalog.void
AS 'MODULE_PATHNAME', 'iuid_country_sortsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_sortsupport(pg_catalog.internal) IS
'internal: sort support in country order, with abbreviated keys';
--
-- Operator classes: btree in both orders, hash, BRIN
--
-- The btree and hash families have an operator for each pair of iuid and uuid, so
-- that every join method can use them.
--

CREATE OPERATOR FAMILY @extschema@.iuid_ops USING btree;
COMMENT ON OPERATOR FAMILY @extschema@.iuid_ops USING btree IS
'byte order of iuid and uuid: time, then country, then entity';

CREATE OPERATOR FAMILY @extschema@.iuid_country_ops USING btree;
COMMENT ON OPERATOR FAMILY @extschema@.iuid_country_ops USING btree IS
'country order of iuid and uuid: country, then entity, then bytes';

CREATE OPERATOR FAMILY @extschema@.iuid_ops USING hash;
COMMENT ON OPERATOR FAMILY @extschema@.iuid_ops USING hash IS
'hashing of iuid and uuid, by core''s functions for uuid';

CREATE OPERATOR FAMILY @extschema@.iuid_minmax_ops USING brin;
COMMENT ON OPERATOR FAMILY @extschema@.iuid_minmax_ops USING brin IS
'byte order of iuid and uuid: least and greatest value of a block range';

CREATE OPERATOR FAMILY @extschema@.iuid_minmax_multi_ops USING brin;
COMMENT ON OPERATOR FAMILY @extschema@.iuid_minmax_multi_ops USING brin IS
'byte order of iuid and uuid: several intervals of a block range';

CREATE OPERATOR FAMILY @extschema@.iuid_bloom_ops USING brin;
COMMENT ON OPERATOR FAMILY @extschema@.iuid_bloom_ops USING brin IS
'equality of iuid and uuid: a Bloom filter of a block range';

CREATE OPERATOR CLASS @extschema@.iuid_ops
DEFAULT FOR TYPE @extschema@.iuid USING btree FAMILY @extschema@.iuid_ops AS
	OPERATOR 1 @extschema@.<,
	OPERATOR 2 @extschema@.<=,
	OPERATOR 3 @extschema@.=,
	OPERATOR 4 @extschema@.>=,
	OPERATOR 5 @extschema@.>,
	FUNCTION 1 @extschema@.iuid_cmp(@extschema@.iuid, @extschema@.iuid),
	FUNCTION 2 @extschema@.iuid_sortsupport(pg_catalog.internal),
	FUNCTION 4 pg_catalog.btequalimage(pg_catalog.oid);
COMMENT ON OPERATOR CLASS @extschema@.iuid_ops USING btree IS
'byte order: time, then country, then entity';

ALTER OPERATOR FAMILY @extschema@.iuid_ops USING btree ADD
	OPERATOR 1 @extschema@.< (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 2 @extschema@.<= (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 3 @extschema@.= (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 4 @extschema@.>= (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 5 @extschema@.> (@extschema@.iuid, pg_catalog.uuid),
	FUNCTION 1 (@extschema@.iuid, pg_catalog.uuid) @extschema@.iuid_cmp(@extschema@.iuid, pg_catalog.uuid),
	FUNCTION 2 (@extschema@.iuid, pg_catalog.uuid) @extschema@.iuid_sortsupport(pg_catalog.internal),
	OPERATOR 1 @extschema@.< (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 2 @extschema@.<= (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 3 @extschema@.= (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 4 @extschema@.>= (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 5 @extschema@.> (pg_catalog.uuid, @extschema@.iuid),
	FUNCTION 1 (pg_catalog.uuid, @extschema@.iuid) @extschema@.iuid_cmp(pg_catalog.uuid, @extschema@.iuid),
	FUNCTION 2 (pg_catalog.uuid, @extschema@.iuid) @extschema@.iuid_sortsupport(pg_catalog.internal),
	OPERATOR 1 pg_catalog.< (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 2 pg_catalog.<= (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 3 pg_catalog.= (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 4 pg_catalog.>= (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 5 pg_catalog.> (pg_catalog.uuid, pg_catalog.uuid),
	FUNCTION 1 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.uuid_cmp(pg_catalog.uuid, pg_catalog.uuid),
	FUNCTION 2 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.uuid_sortsupport(pg_catalog.internal);

-- Skip support is new in PostgreSQL 18.
DO $do$
BEGIN
	IF pg_catalog.current_setting('server_version_num'::pg_catalog.text)::int OPERATOR(pg_catalog.>=) 180000 THEN
		CREATE FUNCTION @extschema@.iuid_skipsupport(pg_catalog.internal)
		RETURNS pg_catalog.void
		AS 'MODULE_PATHNAME', 'iuid_skipsupport'
		LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
		COMMENT ON FUNCTION @extschema@.iuid_skipsupport(pg_catalog.internal) IS
		'internal: skip support in byte order, from Nil to Max';

		ALTER OPERATOR FAMILY @extschema@.iuid_ops USING btree ADD
			FUNCTION 6 (@extschema@.iuid, @extschema@.iuid) @extschema@.iuid_skipsupport(pg_catalog.internal);
	END IF;
END
$do$;

CREATE OPERATOR CLASS @extschema@.iuid_country_ops
FOR TYPE @extschema@.iuid USING btree FAMILY @extschema@.iuid_country_ops AS
	OPERATOR 1 @extschema@.~<~,
	OPERATOR 2 @extschema@.~<=~,
	OPERATOR 3 @extschema@.=,
	OPERATOR 4 @extschema@.~>=~,
	OPERATOR 5 @extschema@.~>~,
	FUNCTION 1 @extschema@.iuid_country_cmp(@extschema@.iuid, @extschema@.iuid),
	FUNCTION 2 @extschema@.iuid_country_sortsupport(pg_catalog.internal),
	FUNCTION 4 pg_catalog.btequalimage(pg_catalog.oid);
COMMENT ON OPERATOR CLASS @extschema@.iuid_country_ops USING btree IS
'country order: country, then entity, then bytes';

ALTER OPERATOR FAMILY @extschema@.iuid_country_ops USING btree ADD
	OPERATOR 1 @extschema@.~<~ (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 2 @extschema@.~<=~ (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 3 @extschema@.= (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 4 @extschema@.~>=~ (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 5 @extschema@.~>~ (@extschema@.iuid, pg_catalog.uuid),
	FUNCTION 1 (@extschema@.iuid, pg_catalog.uuid) @extschema@.iuid_country_cmp(@extschema@.iuid, pg_catalog.uuid),
	FUNCTION 2 (@extschema@.iuid, pg_catalog.uuid) @extschema@.iuid_country_sortsupport(pg_catalog.internal),
	OPERATOR 1 @extschema@.~<~ (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 2 @extschema@.~<=~ (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 3 @extschema@.= (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 4 @extschema@.~>=~ (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 5 @extschema@.~>~ (pg_catalog.uuid, @extschema@.iuid),
	FUNCTION 1 (pg_catalog.uuid, @extschema@.iuid) @extschema@.iuid_country_cmp(pg_catalog.uuid, @extschema@.iuid),
	FUNCTION 2 (pg_catalog.uuid, @extschema@.iuid) @extschema@.iuid_country_sortsupport(pg_catalog.internal),
	OPERATOR 1 @extschema@.~<~ (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 2 @extschema@.~<=~ (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 3 pg_catalog.= (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 4 @extschema@.~>=~ (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 5 @extschema@.~>~ (pg_catalog.uuid, pg_catalog.uuid),
	FUNCTION 1 (pg_catalog.uuid, pg_catalog.uuid) @extschema@.iuid_country_cmp(pg_catalog.uuid, pg_catalog.uuid),
	FUNCTION 2 (pg_catalog.uuid, pg_catalog.uuid) @extschema@.iuid_country_sortsupport(pg_catalog.internal);

-- The hash functions are core's own, as an iuid is binary-coercible to uuid.  So an
-- iuid and its uuid have one hash value, even for code that calls the hash function
-- of uuid and not that of the operator class.

CREATE OPERATOR CLASS @extschema@.iuid_ops
DEFAULT FOR TYPE @extschema@.iuid USING hash FAMILY @extschema@.iuid_ops AS
	OPERATOR 1 @extschema@.=,
	FUNCTION 1 (@extschema@.iuid, @extschema@.iuid) pg_catalog.uuid_hash(pg_catalog.uuid),
	FUNCTION 2 (@extschema@.iuid, @extschema@.iuid) pg_catalog.uuid_hash_extended(pg_catalog.uuid, bigint);
COMMENT ON OPERATOR CLASS @extschema@.iuid_ops USING hash IS
'equality, by core''s hash functions for uuid';

ALTER OPERATOR FAMILY @extschema@.iuid_ops USING hash ADD
	OPERATOR 1 @extschema@.= (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 1 @extschema@.= (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 1 pg_catalog.= (pg_catalog.uuid, pg_catalog.uuid),
	FUNCTION 1 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.uuid_hash(pg_catalog.uuid),
	FUNCTION 2 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.uuid_hash_extended(pg_catalog.uuid, bigint);

-- The indexes store a uuid, which has the same bytes.  Without a type to store, BRIN looks for
-- the operators of the column's type, and a domain over iuid has none of its own.
CREATE OPERATOR CLASS @extschema@.iuid_minmax_ops
DEFAULT FOR TYPE @extschema@.iuid USING brin FAMILY @extschema@.iuid_minmax_ops AS
	OPERATOR 1 @extschema@.<,
	OPERATOR 2 @extschema@.<=,
	OPERATOR 3 @extschema@.=,
	OPERATOR 4 @extschema@.>=,
	OPERATOR 5 @extschema@.>,
	STORAGE pg_catalog.uuid,
	FUNCTION 1 pg_catalog.brin_minmax_opcinfo(pg_catalog.internal),
	FUNCTION 2 pg_catalog.brin_minmax_add_value(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal, pg_catalog.internal),
	FUNCTION 3 pg_catalog.brin_minmax_consistent(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal),
	FUNCTION 4 pg_catalog.brin_minmax_union(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal);
COMMENT ON OPERATOR CLASS @extschema@.iuid_minmax_ops USING brin IS
'least and greatest value of a block range, in byte order';

ALTER OPERATOR FAMILY @extschema@.iuid_minmax_ops USING brin ADD
	OPERATOR 1 @extschema@.< (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 2 @extschema@.<= (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 3 @extschema@.= (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 4 @extschema@.>= (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 5 @extschema@.> (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 1 @extschema@.< (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 2 @extschema@.<= (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 3 @extschema@.= (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 4 @extschema@.>= (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 5 @extschema@.> (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 1 pg_catalog.< (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 2 pg_catalog.<= (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 3 pg_catalog.= (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 4 pg_catalog.>= (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 5 pg_catalog.> (pg_catalog.uuid, pg_catalog.uuid),
	FUNCTION 1 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.brin_minmax_opcinfo(pg_catalog.internal),
	FUNCTION 2 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.brin_minmax_add_value(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal, pg_catalog.internal),
	FUNCTION 3 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.brin_minmax_consistent(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal),
	FUNCTION 4 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.brin_minmax_union(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal);

CREATE OPERATOR CLASS @extschema@.iuid_minmax_multi_ops
FOR TYPE @extschema@.iuid USING brin FAMILY @extschema@.iuid_minmax_multi_ops AS
	OPERATOR 1 @extschema@.<,
	OPERATOR 2 @extschema@.<=,
	OPERATOR 3 @extschema@.=,
	OPERATOR 4 @extschema@.>=,
	OPERATOR 5 @extschema@.>,
	STORAGE pg_catalog.uuid,
	FUNCTION 1 pg_catalog.brin_minmax_multi_opcinfo(pg_catalog.internal),
	FUNCTION 2 pg_catalog.brin_minmax_multi_add_value(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal, pg_catalog.internal),
	FUNCTION 3 pg_catalog.brin_minmax_multi_consistent(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal, int),
	FUNCTION 4 pg_catalog.brin_minmax_multi_union(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal),
	FUNCTION 5 pg_catalog.brin_minmax_multi_options(pg_catalog.internal),
	FUNCTION 11 pg_catalog.brin_minmax_multi_distance_uuid(pg_catalog.internal, pg_catalog.internal);
COMMENT ON OPERATOR CLASS @extschema@.iuid_minmax_multi_ops USING brin IS
'several intervals of a block range, in byte order';

ALTER OPERATOR FAMILY @extschema@.iuid_minmax_multi_ops USING brin ADD
	OPERATOR 1 @extschema@.< (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 2 @extschema@.<= (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 3 @extschema@.= (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 4 @extschema@.>= (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 5 @extschema@.> (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 1 @extschema@.< (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 2 @extschema@.<= (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 3 @extschema@.= (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 4 @extschema@.>= (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 5 @extschema@.> (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 1 pg_catalog.< (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 2 pg_catalog.<= (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 3 pg_catalog.= (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 4 pg_catalog.>= (pg_catalog.uuid, pg_catalog.uuid),
	OPERATOR 5 pg_catalog.> (pg_catalog.uuid, pg_catalog.uuid),
	FUNCTION 1 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.brin_minmax_multi_opcinfo(pg_catalog.internal),
	FUNCTION 2 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.brin_minmax_multi_add_value(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal, pg_catalog.internal),
	FUNCTION 3 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.brin_minmax_multi_consistent(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal, int),
	FUNCTION 4 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.brin_minmax_multi_union(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal),
	FUNCTION 5 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.brin_minmax_multi_options(pg_catalog.internal),
	FUNCTION 11 (pg_catalog.uuid, pg_catalog.uuid) pg_catalog.brin_minmax_multi_distance_uuid(pg_catalog.internal, pg_catalog.internal);

CREATE OPERATOR CLASS @extschema@.iuid_bloom_ops
FOR TYPE @extschema@.iuid USING brin FAMILY @extschema@.iuid_bloom_ops AS
	OPERATOR 1 @extschema@.=,
	FUNCTION 1 pg_catalog.brin_bloom_opcinfo(pg_catalog.internal),
	FUNCTION 2 pg_catalog.brin_bloom_add_value(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal, pg_catalog.internal),
	FUNCTION 3 pg_catalog.brin_bloom_consistent(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal, int),
	FUNCTION 4 pg_catalog.brin_bloom_union(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal),
	FUNCTION 5 pg_catalog.brin_bloom_options(pg_catalog.internal),
	FUNCTION 11 (@extschema@.iuid, @extschema@.iuid) pg_catalog.uuid_hash(pg_catalog.uuid);
COMMENT ON OPERATOR CLASS @extschema@.iuid_bloom_ops USING brin IS
'a Bloom filter of a block range';

ALTER OPERATOR FAMILY @extschema@.iuid_bloom_ops USING brin ADD
	OPERATOR 1 @extschema@.= (@extschema@.iuid, pg_catalog.uuid);
--
-- Time partitions: making, dropping and detaching them
--
-- These functions run as the owner of the table, in a security-restricted
-- operation (doc/partitions.md).
--

CREATE FUNCTION @extschema@.iuid_create_partitions(parent pg_catalog.regclass, step interval,
	first pg_catalog.timestamptz, last pg_catalog.timestamptz)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_create_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_create_partitions(pg_catalog.regclass, interval, pg_catalog.timestamptz, pg_catalog.timestamptz) IS
'makes the time partitions that are missing from first up to last, in whole steps of 1 hour to 1 year in UTC, and returns them; existing partitions, of whatever step, stay as they are; rows of the new partitions move out of the DEFAULT partition; one call makes as many partitions as the server''s lock table has room for, and warns if more are missing; NULL: 22004, a step out of range: 22023, a time out of range: 22008, no such table: 42P01, a table of another shape: 42809, a caller without the rights of the owner: 42501, a new name that is taken: 42P07, rows in the DEFAULT partition that cannot move: 23502, 23503, 23514, 42501, 42809, 55000 or 55006, locks that cannot be taken within lock_timeout, or a minute: 55P03, no room for more locks: 53200 (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_drop_partitions(parent pg_catalog.regclass, older_than pg_catalog.timestamptz)
RETURNS SETOF pg_catalog.text
AS 'MODULE_PATHNAME', 'iuid_drop_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_drop_partitions(pg_catalog.regclass, pg_catalog.timestamptz) IS
'drops the time partitions that end at or before a time, and returns their names; the DEFAULT partition stays; a partition that a view, a foreign key or anything else needs stays, too, with a warning; one call drops as many partitions as the server''s lock table has room for, and warns if there are more; NULL: 22004, an infinite time: 22008, no such table: 42P01, a table of another shape: 42809, a caller without the rights of the owner: 42501, locks that cannot be taken within lock_timeout, or a minute: 55P03, no room for more locks: 53200 (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_detach_partitions(parent pg_catalog.regclass, older_than pg_catalog.timestamptz)
RETURNS SETOF pg_catalog.regclass
AS 'MODULE_PATHNAME', 'iuid_detach_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_detach_partitions(pg_catalog.regclass, pg_catalog.timestamptz) IS
'detaches the time partitions that end at or before a time, and returns them; each stays as a table of its own, with its owner and with the views on it; a partition whose rows a foreign key to the parent refers to stays attached, with a warning; otherwise as iuid_drop_partitions (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_maintain_partitions(parent pg_catalog.regclass, step interval, ahead int DEFAULT 4, keep interval DEFAULT NULL)
RETURNS TABLE (action pg_catalog.text, partition pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_maintain_partitions'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.iuid_maintain_partitions(pg_catalog.regclass, interval, int, interval) IS
'for cron: makes the time partitions from the last one to the present and a number of steps ahead, 0-1000, and drops the partitions that ended longer ago than keep (NULL keeps all); returns each action, created or dropped, with the name of the partition; parent or step NULL: 22004, ahead NULL or out of range, or keep that does not end in the past: 22023; otherwise as iuid_create_partitions and iuid_drop_partitions (doc/partitions.md)';
--
-- Time partitions: listing and checking them
--

CREATE FUNCTION @extschema@.iuid_partitions(parent pg_catalog.regclass)
RETURNS TABLE (partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz, is_default boolean,
	estimated_rows bigint, bytes bigint)
AS 'MODULE_PATHNAME', 'iuid_partitions'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.iuid_partitions(pg_catalog.regclass) IS
'time partitions of a table, in order, the DEFAULT partition last: lower bound and upper bound as times (infinite for MINVALUE and MAXVALUE, NULL for the DEFAULT partition), rows as last estimated by ANALYZE or VACUUM (NULL if never), bytes with indexes and TOAST; no such table: 42P01, a table of another shape: 42809, a table that the caller may not read: 42501 (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_check_partitions(parent pg_catalog.regclass)
RETURNS TABLE (problem pg_catalog.text, partition pg_catalog.regclass, lower pg_catalog.timestamptz, upper pg_catalog.timestamptz,
	detail pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_check_partitions'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.iuid_check_partitions(pg_catalog.regclass) IS
'faults of the time partitions of a table, one row for each: gaps between partitions, bounds that are not the first value of a millisecond, rows in the DEFAULT partition whose times lie between those of the partitions; no such table: 42P01, a table of another shape: 42809, a table or DEFAULT partition that the caller may not read: 42501 (doc/partitions.md)';

CREATE FUNCTION @extschema@.iuid_time_decoder(id pg_catalog.text)
RETURNS pg_catalog.timestamptz
AS 'MODULE_PATHNAME', 'iuid_time_decoder'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_time_decoder(pg_catalog.text) IS
'time of an identifier, of a UUID of version 7, or of a bound of a uuid column, given as text: pg_partman''s time_decoder; NULL for layouts without a time and for Max; any other text: 22P02 (doc/other-partitioning.md)';
