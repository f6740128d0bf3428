-- iuid 1.0: identifiers that carry their time, country and entity.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION iuid" to load this file. \quit

--
-- Type
--

CREATE TYPE iuid;

CREATE FUNCTION iuid_in(cstring)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_in(cstring) IS
'text to iuid; takes what core''s uuid takes; anything but a UUID of version 8 and variant 10, Nil or Max: 22P02 (RFC 9562, sections 4 and 5.8)';

CREATE FUNCTION iuid_out(iuid)
RETURNS cstring
AS 'MODULE_PATHNAME', 'iuid_out'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_out(iuid) IS
'iuid to its canonical lower-case text, 36 characters (RFC 9562, section 4)';

CREATE FUNCTION iuid_recv(internal)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_recv'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_recv(internal) IS
'binary to iuid, 16 bytes; anything but a UUID of version 8 and variant 10, Nil or Max: 22P03 (RFC 9562, section 5.8)';

CREATE FUNCTION iuid_send(iuid)
RETURNS bytea
AS 'MODULE_PATHNAME', 'iuid_send'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_send(iuid) IS
'iuid to binary, 16 bytes, most significant first';

CREATE TYPE iuid (
	INPUT = iuid_in,
	OUTPUT = iuid_out,
	RECEIVE = iuid_recv,
	SEND = iuid_send,
	INTERNALLENGTH = 16,
	ALIGNMENT = char,
	STORAGE = plain
);
COMMENT ON TYPE iuid IS
'identifier that carries its time (Unix milliseconds), country (0-255) and entity (0-255): a UUID of version 8 (RFC 9562, section 5.8; doc/format.md)';
COMMENT ON TYPE iuid[] IS
'array of iuid';

--
-- Reading
--

CREATE FUNCTION iuid_timestamp(iuid)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'iuid_timestamp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_timestamp(iuid) IS
'time of an identifier, 1970 to 10889, to the millisecond; NULL for layout 1, whose time bits are a digest, for Nil, Max and the reserved layouts 2-15 (doc/format.md)';

CREATE FUNCTION iuid_country(iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_country'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country(iuid) IS
'country of an identifier, 0-255; NULL for Nil, Max and the reserved layouts 2-15 (doc/format.md)';

CREATE FUNCTION iuid_entity(iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_entity'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_entity(iuid) IS
'entity of an identifier, 0-255; NULL for Nil, Max and the reserved layouts 2-15 (doc/format.md)';

CREATE FUNCTION iuid_random(iuid)
RETURNS bigint
AS 'MODULE_PATHNAME', 'iuid_random'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_random(iuid) IS
'random bits of an identifier, 0 to 2^54 - 1; NULL for Nil, Max and the reserved layouts 2-15 (doc/format.md)';

CREATE FUNCTION iuid_layout(iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_layout'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_layout(iuid) IS
'layout of an identifier, 0-15: 0 has a time, 1 is derived from a name, the others are reserved; NULL for Nil and Max (doc/format.md)';

CREATE FUNCTION iuid_fields(iuid, OUT "timestamp" timestamptz, OUT country int,
	OUT entity int, OUT random bigint, OUT layout int)
AS 'MODULE_PATHNAME', 'iuid_fields'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_fields(iuid) IS
'all fields of an identifier as one record, each as iuid_timestamp, iuid_country, iuid_entity, iuid_random and iuid_layout give it';

--
-- Casts
--

CREATE FUNCTION iuid(uuid)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_from_core_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid(uuid) IS
'uuid to iuid, the same 16 bytes; anything but a UUID of version 8 and variant 10, Nil or Max: 22023 (RFC 9562, section 5.8)';

CREATE CAST (iuid AS uuid) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (iuid AS uuid) IS
'the same 16 bytes, at no cost; lets every function on uuid take an iuid';

CREATE CAST (uuid AS iuid) WITH FUNCTION iuid(uuid) AS ASSIGNMENT;
COMMENT ON CAST (uuid AS iuid) IS
'the same 16 bytes, checked: a UUID of another version is 22023';

CREATE CAST (iuid AS timestamptz) WITH FUNCTION iuid_timestamp(iuid);
COMMENT ON CAST (iuid AS timestamptz) IS
'time of an identifier, as iuid_timestamp gives it';

--
-- Making identifiers
--

CREATE FUNCTION gen_iuid(country int, entity int)
RETURNS iuid
AS 'MODULE_PATHNAME', 'gen_iuid'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gen_iuid(country int, entity int) IS
'new identifier of this moment for a country and entity, 0-255 each; NULL: 22004; outside 0-255: 22023; a clock outside 48 bits of milliseconds: 22008 (doc/format.md)';

CREATE FUNCTION gen_iuid(country int, entity int, at timestamptz)
RETURNS iuid
AS 'MODULE_PATHNAME', 'gen_iuid_at'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gen_iuid(country int, entity int, at timestamptz) IS
'new identifier of a given time, rounded down to the millisecond, for a country and entity, 0-255 each; NULL: 22004; outside 0-255: 22023; a time before 1970 or outside 48 bits of milliseconds: 22008 (doc/format.md)';

CREATE FUNCTION gen_iuid(entity int)
RETURNS iuid
AS 'MODULE_PATHNAME', 'gen_iuid_here'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gen_iuid(entity int) IS
'new identifier of this moment for an entity, 0-255, and the country in the setting iuid.country; NULL: 22004; outside 0-255: 22023, as is an unset country; a clock outside 48 bits of milliseconds: 22008 (doc/format.md)';

--
-- Deriving identifiers
--

-- A NULL name or uuid gives NULL, as there is nothing to derive from.

CREATE FUNCTION iuid_from_name(country int, entity int, name text)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_text'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION iuid_from_name(country int, entity int, name text) IS
'named identifier (layout 1): country and entity, 0-255 each, and a BLAKE2b digest of a text, taken as UTF-8 in every database; the same input gives the same identifier; NULL for a NULL name; country or entity NULL: 22004, outside 0-255: 22023 (doc/format.md)';

CREATE FUNCTION iuid_from_name(country int, entity int, name text, at timestamptz)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_text'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION iuid_from_name(country int, entity int, name text, at timestamptz) IS
'identifier of a given time, rounded down to the millisecond (layout 0), with a BLAKE2b digest of a text, taken as UTF-8 in every database as its random bits; the same input gives the same identifier; NULL for a NULL name; country or entity NULL: 22004, outside 0-255: 22023; time NULL: 22004, before 1970 or outside 48 bits of milliseconds: 22008 (doc/format.md)';

CREATE FUNCTION iuid_from_name(country int, entity int, name bytea)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_bytea'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION iuid_from_name(country int, entity int, name bytea) IS
'named identifier (layout 1): country and entity, 0-255 each, and a BLAKE2b digest of bytes; the same input gives the same identifier; NULL for a NULL name; country or entity NULL: 22004, outside 0-255: 22023 (doc/format.md)';

CREATE FUNCTION iuid_from_name(country int, entity int, name bytea, at timestamptz)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_from_name_bytea'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION iuid_from_name(country int, entity int, name bytea, at timestamptz) IS
'identifier of a given time, rounded down to the millisecond (layout 0), with a BLAKE2b digest of bytes as its random bits; the same input gives the same identifier; NULL for a NULL name; country or entity NULL: 22004, outside 0-255: 22023; time NULL: 22004, before 1970 or outside 48 bits of milliseconds: 22008 (doc/format.md)';

CREATE FUNCTION iuid_from_uuid(id uuid, country int, entity int)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_from_uuid'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION iuid_from_uuid(id uuid, country int, entity int) IS
'identifier with the time of a uuid of version 1, 6 or 7 (RFC 9562, section 5), in whose order version 7 stays; the same input gives the same identifier; NULL for a NULL uuid; another version: 22023; a time before 1970: 22008; country or entity NULL: 22004, outside 0-255: 22023 (doc/format.md)';

CREATE FUNCTION iuid_from_uuid(id uuid, country int, entity int, at timestamptz)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_from_uuid'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION iuid_from_uuid(id uuid, country int, entity int, at timestamptz) IS
'identifier of a given time, rounded down to the millisecond, for a uuid of any version, with a BLAKE2b digest of it as random bits; the same input gives the same identifier; NULL for a NULL uuid; country or entity NULL: 22004, outside 0-255: 22023; time NULL: 22004, before 1970 or outside 48 bits of milliseconds: 22008 (doc/format.md)';

--
-- Boundaries
--

CREATE FUNCTION iuid_floor(timestamptz)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_floor'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_floor(timestamptz) IS
'smallest iuid at or after a time (part of a millisecond rounds up): Nil before 1970 and for -infinity, Max past the 48 bits and for infinity (doc/predicates.md)';

CREATE FUNCTION iuid_floor_after(timestamptz)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_floor_after'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_floor_after(timestamptz) IS
'smallest iuid after a time: iuid_floor of the next microsecond; what id > time and id <= time are compared with (doc/predicates.md)';

CREATE FUNCTION iuid_range_lower(tstzrange)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_range_lower'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_range_lower(tstzrange) IS
'smallest iuid that may lie within a range of times: Nil for no lower bound, Max for an empty range (doc/predicates.md)';

CREATE FUNCTION iuid_range_upper(tstzrange)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_range_upper'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_range_upper(tstzrange) IS
'smallest iuid behind a range of times: Max for no upper bound, Nil for an empty range (doc/predicates.md)';

CREATE FUNCTION iuid_country_floor(country int, entity int DEFAULT 0)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_country_floor'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_floor(country int, entity int) IS
'smallest iuid of a country and entity in country order, 0-255 each; country 256 gives Max, entity 256 means the next country; outside 0-256: 22023 (doc/predicates.md)';

CREATE FUNCTION iuid_country_ceiling(country int)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_country_ceiling'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_ceiling(country int) IS
'smallest iuid behind those of a country, 0-255, in country order; outside 0-255: 22023 (doc/predicates.md)';

CREATE FUNCTION iuid_country_ceiling(country int, entity int)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_country_ceiling'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_ceiling(country int, entity int) IS
'smallest iuid behind those of a country and entity, 0-255 each, in country order; outside 0-255: 22023 (doc/predicates.md)';

--
-- Planner support
--

-- These come before what they support.

CREATE FUNCTION iuid_comparison_support(internal)
RETURNS internal
AS 'MODULE_PATHNAME', 'iuid_comparison_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_comparison_support(internal) IS
'planner support for < <= = >= > between iuid and timestamptz or uuid: puts the predicate into a form that indexes and partition pruning use (doc/predicates.md)';

CREATE FUNCTION iuid_range_support(internal)
RETURNS internal
AS 'MODULE_PATHNAME', 'iuid_range_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_range_support(internal) IS
'planner support for iuid <@ tstzrange and tstzrange @> iuid: puts the predicate into a form that indexes and partition pruning use (doc/predicates.md)';

CREATE FUNCTION iuid_is_from_support(internal)
RETURNS internal
AS 'MODULE_PATHNAME', 'iuid_is_from_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_is_from_support(internal) IS
'planner support for iuid_is_from: puts the predicate into a form that indexes and partition pruning use (doc/predicates.md)';

--
-- Comparison in byte order, of iuid and of iuid with uuid
--

CREATE FUNCTION iuid_lt(iuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_lt(iuid, iuid) IS
'implementation of iuid < iuid';

CREATE FUNCTION iuid_le(iuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_le(iuid, iuid) IS
'implementation of iuid <= iuid';

CREATE FUNCTION iuid_eq(iuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_eq(iuid, iuid) IS
'implementation of iuid = iuid';

CREATE FUNCTION iuid_ge(iuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_ge(iuid, iuid) IS
'implementation of iuid >= iuid';

CREATE FUNCTION iuid_gt(iuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_gt(iuid, iuid) IS
'implementation of iuid > iuid';

CREATE FUNCTION iuid_ne(iuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ne'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_ne(iuid, iuid) IS
'implementation of iuid <> iuid';

CREATE FUNCTION iuid_lt(iuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_lt(iuid, uuid) IS
'implementation of iuid < uuid';

CREATE FUNCTION iuid_le(iuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_le(iuid, uuid) IS
'implementation of iuid <= uuid';

CREATE FUNCTION iuid_eq(iuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_eq(iuid, uuid) IS
'implementation of iuid = uuid';

CREATE FUNCTION iuid_ge(iuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_ge(iuid, uuid) IS
'implementation of iuid >= uuid';

CREATE FUNCTION iuid_gt(iuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_gt(iuid, uuid) IS
'implementation of iuid > uuid';

CREATE FUNCTION iuid_ne(iuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ne'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_ne(iuid, uuid) IS
'implementation of iuid <> uuid';

CREATE FUNCTION iuid_lt(uuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_lt(uuid, iuid) IS
'implementation of uuid < iuid';

CREATE FUNCTION iuid_le(uuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_le(uuid, iuid) IS
'implementation of uuid <= iuid';

CREATE FUNCTION iuid_eq(uuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_eq(uuid, iuid) IS
'implementation of uuid = iuid';

CREATE FUNCTION iuid_ge(uuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_ge(uuid, iuid) IS
'implementation of uuid >= iuid';

CREATE FUNCTION iuid_gt(uuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_gt(uuid, iuid) IS
'implementation of uuid > iuid';

CREATE FUNCTION iuid_ne(uuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ne'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_ne(uuid, iuid) IS
'implementation of uuid <> iuid';

CREATE OPERATOR < (
	FUNCTION = iuid_lt, LEFTARG = iuid, RIGHTARG = iuid,
	COMMUTATOR = >, NEGATOR = >=,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (iuid, iuid) IS
'less than, in byte order: time, then country, then entity';

CREATE OPERATOR <= (
	FUNCTION = iuid_le, LEFTARG = iuid, RIGHTARG = iuid,
	COMMUTATOR = >=, NEGATOR = >,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (iuid, iuid) IS
'less than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR = (
	FUNCTION = iuid_eq, LEFTARG = iuid, RIGHTARG = iuid,
	COMMUTATOR = =, NEGATOR = <>,
	RESTRICT = eqsel, JOIN = eqjoinsel,
	HASHES, MERGES
);
COMMENT ON OPERATOR = (iuid, iuid) IS
'equal';

CREATE OPERATOR >= (
	FUNCTION = iuid_ge, LEFTARG = iuid, RIGHTARG = iuid,
	COMMUTATOR = <=, NEGATOR = <,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (iuid, iuid) IS
'greater than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR > (
	FUNCTION = iuid_gt, LEFTARG = iuid, RIGHTARG = iuid,
	COMMUTATOR = <, NEGATOR = <=,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (iuid, iuid) IS
'greater than, in byte order: time, then country, then entity';

CREATE OPERATOR <> (
	FUNCTION = iuid_ne, LEFTARG = iuid, RIGHTARG = iuid,
	COMMUTATOR = <>, NEGATOR = =,
	RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (iuid, iuid) IS
'not equal';

CREATE OPERATOR < (
	FUNCTION = iuid_lt, LEFTARG = iuid, RIGHTARG = uuid,
	COMMUTATOR = >, NEGATOR = >=,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (iuid, uuid) IS
'less than, in byte order: time, then country, then entity';

CREATE OPERATOR <= (
	FUNCTION = iuid_le, LEFTARG = iuid, RIGHTARG = uuid,
	COMMUTATOR = >=, NEGATOR = >,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (iuid, uuid) IS
'less than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR = (
	FUNCTION = iuid_eq, LEFTARG = iuid, RIGHTARG = uuid,
	COMMUTATOR = =, NEGATOR = <>,
	RESTRICT = eqsel, JOIN = eqjoinsel,
	HASHES, MERGES
);
COMMENT ON OPERATOR = (iuid, uuid) IS
'equal';

CREATE OPERATOR >= (
	FUNCTION = iuid_ge, LEFTARG = iuid, RIGHTARG = uuid,
	COMMUTATOR = <=, NEGATOR = <,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (iuid, uuid) IS
'greater than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR > (
	FUNCTION = iuid_gt, LEFTARG = iuid, RIGHTARG = uuid,
	COMMUTATOR = <, NEGATOR = <=,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (iuid, uuid) IS
'greater than, in byte order: time, then country, then entity';

CREATE OPERATOR <> (
	FUNCTION = iuid_ne, LEFTARG = iuid, RIGHTARG = uuid,
	COMMUTATOR = <>, NEGATOR = =,
	RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (iuid, uuid) IS
'not equal';

CREATE OPERATOR < (
	FUNCTION = iuid_lt, LEFTARG = uuid, RIGHTARG = iuid,
	COMMUTATOR = >, NEGATOR = >=,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (uuid, iuid) IS
'less than, in byte order: time, then country, then entity';

CREATE OPERATOR <= (
	FUNCTION = iuid_le, LEFTARG = uuid, RIGHTARG = iuid,
	COMMUTATOR = >=, NEGATOR = >,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (uuid, iuid) IS
'less than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR = (
	FUNCTION = iuid_eq, LEFTARG = uuid, RIGHTARG = iuid,
	COMMUTATOR = =, NEGATOR = <>,
	RESTRICT = eqsel, JOIN = eqjoinsel,
	HASHES, MERGES
);
COMMENT ON OPERATOR = (uuid, iuid) IS
'equal';

CREATE OPERATOR >= (
	FUNCTION = iuid_ge, LEFTARG = uuid, RIGHTARG = iuid,
	COMMUTATOR = <=, NEGATOR = <,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (uuid, iuid) IS
'greater than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR > (
	FUNCTION = iuid_gt, LEFTARG = uuid, RIGHTARG = iuid,
	COMMUTATOR = <, NEGATOR = <=,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (uuid, iuid) IS
'greater than, in byte order: time, then country, then entity';

CREATE OPERATOR <> (
	FUNCTION = iuid_ne, LEFTARG = uuid, RIGHTARG = iuid,
	COMMUTATOR = <>, NEGATOR = =,
	RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (uuid, iuid) IS
'not equal';

--
-- Comparison in country order, of iuid and of iuid with uuid
--

CREATE FUNCTION iuid_country_lt(iuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_lt(iuid, iuid) IS
'implementation of iuid ~<~ iuid';

CREATE FUNCTION iuid_country_le(iuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_le(iuid, iuid) IS
'implementation of iuid ~<=~ iuid';

CREATE FUNCTION iuid_country_ge(iuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_ge(iuid, iuid) IS
'implementation of iuid ~>=~ iuid';

CREATE FUNCTION iuid_country_gt(iuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_gt(iuid, iuid) IS
'implementation of iuid ~>~ iuid';

CREATE FUNCTION iuid_country_lt(iuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_lt(iuid, uuid) IS
'implementation of iuid ~<~ uuid';

CREATE FUNCTION iuid_country_le(iuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_le(iuid, uuid) IS
'implementation of iuid ~<=~ uuid';

CREATE FUNCTION iuid_country_ge(iuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_ge(iuid, uuid) IS
'implementation of iuid ~>=~ uuid';

CREATE FUNCTION iuid_country_gt(iuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_gt(iuid, uuid) IS
'implementation of iuid ~>~ uuid';

CREATE FUNCTION iuid_country_lt(uuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_lt(uuid, iuid) IS
'implementation of uuid ~<~ iuid';

CREATE FUNCTION iuid_country_le(uuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_le(uuid, iuid) IS
'implementation of uuid ~<=~ iuid';

CREATE FUNCTION iuid_country_ge(uuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_ge(uuid, iuid) IS
'implementation of uuid ~>=~ iuid';

CREATE FUNCTION iuid_country_gt(uuid, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_gt(uuid, iuid) IS
'implementation of uuid ~>~ iuid';

CREATE FUNCTION iuid_country_lt(uuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_lt(uuid, uuid) IS
'implementation of uuid ~<~ uuid';

CREATE FUNCTION iuid_country_le(uuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_le(uuid, uuid) IS
'implementation of uuid ~<=~ uuid';

CREATE FUNCTION iuid_country_ge(uuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_ge(uuid, uuid) IS
'implementation of uuid ~>=~ uuid';

CREATE FUNCTION iuid_country_gt(uuid, uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_country_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_gt(uuid, uuid) IS
'implementation of uuid ~>~ uuid';

CREATE OPERATOR ~<~ (
	FUNCTION = iuid_country_lt, LEFTARG = iuid, RIGHTARG = iuid,
	COMMUTATOR = ~>~, NEGATOR = ~>=~,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR ~<~ (iuid, iuid) IS
'less than, in country order: country, then entity, then bytes';

CREATE OPERATOR ~<=~ (
	FUNCTION = iuid_country_le, LEFTARG = iuid, RIGHTARG = iuid,
	COMMUTATOR = ~>=~, NEGATOR = ~>~,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR ~<=~ (iuid, iuid) IS
'less than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR ~>=~ (
	FUNCTION = iuid_country_ge, LEFTARG = iuid, RIGHTARG = iuid,
	COMMUTATOR = ~<=~, NEGATOR = ~<~,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR ~>=~ (iuid, iuid) IS
'greater than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR ~>~ (
	FUNCTION = iuid_country_gt, LEFTARG = iuid, RIGHTARG = iuid,
	COMMUTATOR = ~<~, NEGATOR = ~<=~,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR ~>~ (iuid, iuid) IS
'greater than, in country order: country, then entity, then bytes';

CREATE OPERATOR ~<~ (
	FUNCTION = iuid_country_lt, LEFTARG = iuid, RIGHTARG = uuid,
	COMMUTATOR = ~>~, NEGATOR = ~>=~,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR ~<~ (iuid, uuid) IS
'less than, in country order: country, then entity, then bytes';

CREATE OPERATOR ~<=~ (
	FUNCTION = iuid_country_le, LEFTARG = iuid, RIGHTARG = uuid,
	COMMUTATOR = ~>=~, NEGATOR = ~>~,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR ~<=~ (iuid, uuid) IS
'less than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR ~>=~ (
	FUNCTION = iuid_country_ge, LEFTARG = iuid, RIGHTARG = uuid,
	COMMUTATOR = ~<=~, NEGATOR = ~<~,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR ~>=~ (iuid, uuid) IS
'greater than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR ~>~ (
	FUNCTION = iuid_country_gt, LEFTARG = iuid, RIGHTARG = uuid,
	COMMUTATOR = ~<~, NEGATOR = ~<=~,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR ~>~ (iuid, uuid) IS
'greater than, in country order: country, then entity, then bytes';

CREATE OPERATOR ~<~ (
	FUNCTION = iuid_country_lt, LEFTARG = uuid, RIGHTARG = iuid,
	COMMUTATOR = ~>~, NEGATOR = ~>=~,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR ~<~ (uuid, iuid) IS
'less than, in country order: country, then entity, then bytes';

CREATE OPERATOR ~<=~ (
	FUNCTION = iuid_country_le, LEFTARG = uuid, RIGHTARG = iuid,
	COMMUTATOR = ~>=~, NEGATOR = ~>~,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR ~<=~ (uuid, iuid) IS
'less than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR ~>=~ (
	FUNCTION = iuid_country_ge, LEFTARG = uuid, RIGHTARG = iuid,
	COMMUTATOR = ~<=~, NEGATOR = ~<~,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR ~>=~ (uuid, iuid) IS
'greater than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR ~>~ (
	FUNCTION = iuid_country_gt, LEFTARG = uuid, RIGHTARG = iuid,
	COMMUTATOR = ~<~, NEGATOR = ~<=~,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR ~>~ (uuid, iuid) IS
'greater than, in country order: country, then entity, then bytes';

CREATE OPERATOR ~<~ (
	FUNCTION = iuid_country_lt, LEFTARG = uuid, RIGHTARG = uuid,
	COMMUTATOR = ~>~, NEGATOR = ~>=~,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR ~<~ (uuid, uuid) IS
'less than, in country order: country, then entity, then bytes';

CREATE OPERATOR ~<=~ (
	FUNCTION = iuid_country_le, LEFTARG = uuid, RIGHTARG = uuid,
	COMMUTATOR = ~>=~, NEGATOR = ~>~,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR ~<=~ (uuid, uuid) IS
'less than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR ~>=~ (
	FUNCTION = iuid_country_ge, LEFTARG = uuid, RIGHTARG = uuid,
	COMMUTATOR = ~<=~, NEGATOR = ~<~,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR ~>=~ (uuid, uuid) IS
'greater than or equal, in country order: country, then entity, then bytes';

CREATE OPERATOR ~>~ (
	FUNCTION = iuid_country_gt, LEFTARG = uuid, RIGHTARG = uuid,
	COMMUTATOR = ~<~, NEGATOR = ~<=~,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR ~>~ (uuid, uuid) IS
'greater than, in country order: country, then entity, then bytes';

--
-- Comparison with a time
--

CREATE FUNCTION iuid_lt(iuid, timestamptz)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_lt_timestamptz'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_lt(iuid, timestamptz) IS
'implementation of iuid < timestamptz';

CREATE FUNCTION iuid_le(iuid, timestamptz)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_le_timestamptz'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_le(iuid, timestamptz) IS
'implementation of iuid <= timestamptz';

CREATE FUNCTION iuid_ge(iuid, timestamptz)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ge_timestamptz'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_ge(iuid, timestamptz) IS
'implementation of iuid >= timestamptz';

CREATE FUNCTION iuid_gt(iuid, timestamptz)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_gt_timestamptz'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_gt(iuid, timestamptz) IS
'implementation of iuid > timestamptz';

CREATE FUNCTION iuid_lt(timestamptz, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'timestamptz_lt_iuid'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_lt(timestamptz, iuid) IS
'implementation of timestamptz < iuid';

CREATE FUNCTION iuid_le(timestamptz, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'timestamptz_le_iuid'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_le(timestamptz, iuid) IS
'implementation of timestamptz <= iuid';

CREATE FUNCTION iuid_ge(timestamptz, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'timestamptz_ge_iuid'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_ge(timestamptz, iuid) IS
'implementation of timestamptz >= iuid';

CREATE FUNCTION iuid_gt(timestamptz, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'timestamptz_gt_iuid'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT iuid_comparison_support;
COMMENT ON FUNCTION iuid_gt(timestamptz, iuid) IS
'implementation of timestamptz > iuid';

CREATE OPERATOR < (
	FUNCTION = iuid_lt, LEFTARG = iuid, RIGHTARG = timestamptz,
	COMMUTATOR = >, NEGATOR = >=,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (iuid, timestamptz) IS
'before, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR <= (
	FUNCTION = iuid_le, LEFTARG = iuid, RIGHTARG = timestamptz,
	COMMUTATOR = >=, NEGATOR = >,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (iuid, timestamptz) IS
'at or before, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR >= (
	FUNCTION = iuid_ge, LEFTARG = iuid, RIGHTARG = timestamptz,
	COMMUTATOR = <=, NEGATOR = <,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (iuid, timestamptz) IS
'at or after, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR > (
	FUNCTION = iuid_gt, LEFTARG = iuid, RIGHTARG = timestamptz,
	COMMUTATOR = <, NEGATOR = <=,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (iuid, timestamptz) IS
'after, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR < (
	FUNCTION = iuid_lt, LEFTARG = timestamptz, RIGHTARG = iuid,
	COMMUTATOR = >, NEGATOR = >=,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (timestamptz, iuid) IS
'before, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR <= (
	FUNCTION = iuid_le, LEFTARG = timestamptz, RIGHTARG = iuid,
	COMMUTATOR = >=, NEGATOR = >,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (timestamptz, iuid) IS
'at or before, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR >= (
	FUNCTION = iuid_ge, LEFTARG = timestamptz, RIGHTARG = iuid,
	COMMUTATOR = <=, NEGATOR = <,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (timestamptz, iuid) IS
'at or after, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR > (
	FUNCTION = iuid_gt, LEFTARG = timestamptz, RIGHTARG = iuid,
	COMMUTATOR = <, NEGATOR = <=,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (timestamptz, iuid) IS
'after, by the position of the time in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE FUNCTION iuid_contained_by(iuid, tstzrange)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_contained_by_range'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT iuid_range_support;
COMMENT ON FUNCTION iuid_contained_by(iuid, tstzrange) IS
'implementation of iuid <@ tstzrange';

CREATE FUNCTION iuid_contains(tstzrange, iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_range_contains'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT iuid_range_support;
COMMENT ON FUNCTION iuid_contains(tstzrange, iuid) IS
'implementation of tstzrange @> iuid';

CREATE OPERATOR <@ (
	FUNCTION = iuid_contained_by, LEFTARG = iuid, RIGHTARG = tstzrange,
	COMMUTATOR = @>,
	RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@ (iuid, tstzrange) IS
'of a time within the range, by position in byte order; uses the key''s index and partitions (doc/predicates.md)';

CREATE OPERATOR @> (
	FUNCTION = iuid_contains, LEFTARG = tstzrange, RIGHTARG = iuid,
	COMMUTATOR = <@,
	RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @> (tstzrange, iuid) IS
'contains the time, by position in byte order; uses the key''s index and partitions (doc/predicates.md)';

--
-- Country predicates
--

CREATE FUNCTION iuid_is_from(id iuid, country int)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_is_from'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT iuid_is_from_support;
COMMENT ON FUNCTION iuid_is_from(id iuid, country int) IS
'whether an identifier is of a country, 0-255, by position in country order; uses indexes and partitions of iuid_country_ops; outside 0-255: 22023 (doc/predicates.md)';

CREATE FUNCTION iuid_is_from(id iuid, country int, entity int)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_is_from'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT iuid_is_from_support;
COMMENT ON FUNCTION iuid_is_from(id iuid, country int, entity int) IS
'whether an identifier is of a country and entity, 0-255 each, by position in country order; uses indexes and partitions of iuid_country_ops; outside 0-255: 22023 (doc/predicates.md)';

--
-- Operator class support functions
--

CREATE FUNCTION iuid_cmp(iuid, iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_cmp(iuid, iuid) IS
'less-equal-greater in byte order: negative, zero or positive';

CREATE FUNCTION iuid_cmp(iuid, uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_cmp(iuid, uuid) IS
'less-equal-greater in byte order: negative, zero or positive';

CREATE FUNCTION iuid_cmp(uuid, iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_cmp(uuid, iuid) IS
'less-equal-greater in byte order: negative, zero or positive';

CREATE FUNCTION iuid_country_cmp(iuid, iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_country_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_cmp(iuid, iuid) IS
'less-equal-greater in country order: negative, zero or positive';

CREATE FUNCTION iuid_country_cmp(iuid, uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_country_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_cmp(iuid, uuid) IS
'less-equal-greater in country order: negative, zero or positive';

CREATE FUNCTION iuid_country_cmp(uuid, iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_country_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_cmp(uuid, iuid) IS
'less-equal-greater in country order: negative, zero or positive';

CREATE FUNCTION iuid_country_cmp(uuid, uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_country_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_cmp(uuid, uuid) IS
'less-equal-greater in country order: negative, zero or positive';

CREATE FUNCTION iuid_hash(iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_hash'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_hash(iuid) IS
'hash of an identifier, 32 bits; the value of core''s uuid_hash for the same bytes';

CREATE FUNCTION iuid_hash_extended(iuid, bigint)
RETURNS bigint
AS 'MODULE_PATHNAME', 'iuid_hash_extended'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_hash_extended(iuid, bigint) IS
'hash of an identifier with a seed, 64 bits; the value of core''s uuid_hash_extended for the same bytes';

CREATE FUNCTION iuid_sortsupport(internal)
RETURNS void
AS 'MODULE_PATHNAME', 'iuid_sortsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_sortsupport(internal) IS
'sort support in byte order, with abbreviated keys';

CREATE FUNCTION iuid_country_sortsupport(internal)
RETURNS void
AS 'MODULE_PATHNAME', 'iuid_country_sortsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION iuid_country_sortsupport(internal) IS
'sort support in country order, with abbreviated keys';

--
-- Operator classes
--

-- Families are complete over iuid and uuid, so that every join method can use them.

CREATE OPERATOR FAMILY iuid_ops USING btree;
COMMENT ON OPERATOR FAMILY iuid_ops USING btree IS
'byte order of iuid and uuid: time, then country, then entity';

CREATE OPERATOR FAMILY iuid_country_ops USING btree;
COMMENT ON OPERATOR FAMILY iuid_country_ops USING btree IS
'country order of iuid and uuid: country, then entity, then bytes';

CREATE OPERATOR FAMILY iuid_ops USING hash;
COMMENT ON OPERATOR FAMILY iuid_ops USING hash IS
'hashing of iuid and uuid, with core''s values for uuid';

CREATE OPERATOR FAMILY iuid_minmax_ops USING brin;
COMMENT ON OPERATOR FAMILY iuid_minmax_ops USING brin IS
'byte order of iuid and uuid: least and greatest of a block range';

CREATE OPERATOR FAMILY iuid_minmax_multi_ops USING brin;
COMMENT ON OPERATOR FAMILY iuid_minmax_multi_ops USING brin IS
'byte order of iuid and uuid: several intervals of a block range';

CREATE OPERATOR FAMILY iuid_bloom_ops USING brin;
COMMENT ON OPERATOR FAMILY iuid_bloom_ops USING brin IS
'equality of iuid and uuid: a Bloom filter of a block range';

CREATE OPERATOR CLASS iuid_ops
DEFAULT FOR TYPE iuid USING btree FAMILY iuid_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 iuid_cmp(iuid, iuid),
	FUNCTION 2 iuid_sortsupport(internal),
	FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS iuid_ops USING btree IS
'byte order: time, then country, then entity';

ALTER OPERATOR FAMILY iuid_ops USING btree ADD
	OPERATOR 1 < (iuid, uuid),
	OPERATOR 2 <= (iuid, uuid),
	OPERATOR 3 = (iuid, uuid),
	OPERATOR 4 >= (iuid, uuid),
	OPERATOR 5 > (iuid, uuid),
	FUNCTION 1 (iuid, uuid) iuid_cmp(iuid, uuid),
	FUNCTION 2 (iuid, uuid) iuid_sortsupport(internal),
	OPERATOR 1 < (uuid, iuid),
	OPERATOR 2 <= (uuid, iuid),
	OPERATOR 3 = (uuid, iuid),
	OPERATOR 4 >= (uuid, iuid),
	OPERATOR 5 > (uuid, iuid),
	FUNCTION 1 (uuid, iuid) iuid_cmp(uuid, iuid),
	FUNCTION 2 (uuid, iuid) iuid_sortsupport(internal),
	OPERATOR 1 < (uuid, uuid),
	OPERATOR 2 <= (uuid, uuid),
	OPERATOR 3 = (uuid, uuid),
	OPERATOR 4 >= (uuid, uuid),
	OPERATOR 5 > (uuid, uuid),
	FUNCTION 1 (uuid, uuid) uuid_cmp(uuid, uuid),
	FUNCTION 2 (uuid, uuid) uuid_sortsupport(internal);

-- Skip support is new in PostgreSQL 18.
DO $do$
BEGIN
	IF current_setting('server_version_num')::int >= 180000 THEN
		CREATE FUNCTION iuid_skipsupport(internal)
		RETURNS void
		AS 'MODULE_PATHNAME', 'iuid_skipsupport'
		LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
		COMMENT ON FUNCTION iuid_skipsupport(internal) IS
		'skip support in byte order, from Nil to Max';

		ALTER OPERATOR FAMILY iuid_ops USING btree ADD
			FUNCTION 6 (iuid, iuid) iuid_skipsupport(internal);
	END IF;
END
$do$;

CREATE OPERATOR CLASS iuid_country_ops
FOR TYPE iuid USING btree FAMILY iuid_country_ops AS
	OPERATOR 1 ~<~,
	OPERATOR 2 ~<=~,
	OPERATOR 3 =,
	OPERATOR 4 ~>=~,
	OPERATOR 5 ~>~,
	FUNCTION 1 iuid_country_cmp(iuid, iuid),
	FUNCTION 2 iuid_country_sortsupport(internal),
	FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS iuid_country_ops USING btree IS
'country order: country, then entity, then bytes';

ALTER OPERATOR FAMILY iuid_country_ops USING btree ADD
	OPERATOR 1 ~<~ (iuid, uuid),
	OPERATOR 2 ~<=~ (iuid, uuid),
	OPERATOR 3 = (iuid, uuid),
	OPERATOR 4 ~>=~ (iuid, uuid),
	OPERATOR 5 ~>~ (iuid, uuid),
	FUNCTION 1 (iuid, uuid) iuid_country_cmp(iuid, uuid),
	FUNCTION 2 (iuid, uuid) iuid_country_sortsupport(internal),
	OPERATOR 1 ~<~ (uuid, iuid),
	OPERATOR 2 ~<=~ (uuid, iuid),
	OPERATOR 3 = (uuid, iuid),
	OPERATOR 4 ~>=~ (uuid, iuid),
	OPERATOR 5 ~>~ (uuid, iuid),
	FUNCTION 1 (uuid, iuid) iuid_country_cmp(uuid, iuid),
	FUNCTION 2 (uuid, iuid) iuid_country_sortsupport(internal),
	OPERATOR 1 ~<~ (uuid, uuid),
	OPERATOR 2 ~<=~ (uuid, uuid),
	OPERATOR 3 = (uuid, uuid),
	OPERATOR 4 ~>=~ (uuid, uuid),
	OPERATOR 5 ~>~ (uuid, uuid),
	FUNCTION 1 (uuid, uuid) iuid_country_cmp(uuid, uuid),
	FUNCTION 2 (uuid, uuid) iuid_country_sortsupport(internal);

CREATE OPERATOR CLASS iuid_ops
DEFAULT FOR TYPE iuid USING hash FAMILY iuid_ops AS
	OPERATOR 1 =,
	FUNCTION 1 iuid_hash(iuid),
	FUNCTION 2 iuid_hash_extended(iuid, bigint);
COMMENT ON OPERATOR CLASS iuid_ops USING hash IS
'equality, with core''s hash values for the same bytes';

ALTER OPERATOR FAMILY iuid_ops USING hash ADD
	OPERATOR 1 = (iuid, uuid),
	OPERATOR 1 = (uuid, iuid),
	OPERATOR 1 = (uuid, uuid),
	FUNCTION 1 (uuid, uuid) uuid_hash(uuid),
	FUNCTION 2 (uuid, uuid) uuid_hash_extended(uuid, bigint);

CREATE OPERATOR CLASS iuid_minmax_ops
DEFAULT FOR TYPE iuid USING brin FAMILY iuid_minmax_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 brin_minmax_opcinfo(internal),
	FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
	FUNCTION 4 brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR CLASS iuid_minmax_ops USING brin IS
'least and greatest of a block range, in byte order';

ALTER OPERATOR FAMILY iuid_minmax_ops USING brin ADD
	OPERATOR 1 < (iuid, uuid),
	OPERATOR 2 <= (iuid, uuid),
	OPERATOR 3 = (iuid, uuid),
	OPERATOR 4 >= (iuid, uuid),
	OPERATOR 5 > (iuid, uuid);

CREATE OPERATOR CLASS iuid_minmax_multi_ops
FOR TYPE iuid USING brin FAMILY iuid_minmax_multi_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 brin_minmax_multi_opcinfo(internal),
	FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
	FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
	FUNCTION 5 brin_minmax_multi_options(internal),
	FUNCTION 11 brin_minmax_multi_distance_uuid(internal, internal);
COMMENT ON OPERATOR CLASS iuid_minmax_multi_ops USING brin IS
'several intervals of a block range, in byte order';

ALTER OPERATOR FAMILY iuid_minmax_multi_ops USING brin ADD
	OPERATOR 1 < (iuid, uuid),
	OPERATOR 2 <= (iuid, uuid),
	OPERATOR 3 = (iuid, uuid),
	OPERATOR 4 >= (iuid, uuid),
	OPERATOR 5 > (iuid, uuid);

CREATE OPERATOR CLASS iuid_bloom_ops
FOR TYPE iuid USING brin FAMILY iuid_bloom_ops AS
	OPERATOR 1 =,
	FUNCTION 1 brin_bloom_opcinfo(internal),
	FUNCTION 2 brin_bloom_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_bloom_consistent(internal, internal, internal, integer),
	FUNCTION 4 brin_bloom_union(internal, internal, internal),
	FUNCTION 5 brin_bloom_options(internal),
	FUNCTION 11 iuid_hash(iuid);
COMMENT ON OPERATOR CLASS iuid_bloom_ops USING brin IS
'a Bloom filter of a block range';

ALTER OPERATOR FAMILY iuid_bloom_ops USING brin ADD
	OPERATOR 1 = (iuid, uuid);

--
-- Aggregates
--

CREATE FUNCTION iuid_smaller(iuid, iuid)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_smaller'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_smaller(iuid, iuid) IS
'smaller of two, in byte order';

CREATE AGGREGATE min(iuid) (
	SFUNC = iuid_smaller,
	STYPE = iuid,
	COMBINEFUNC = iuid_smaller,
	SORTOP = <,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(iuid) IS
'smallest of all, in byte order: of the earliest time';

CREATE FUNCTION iuid_larger(iuid, iuid)
RETURNS iuid
AS 'MODULE_PATHNAME', 'iuid_larger'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION iuid_larger(iuid, iuid) IS
'larger of two, in byte order';

CREATE AGGREGATE max(iuid) (
	SFUNC = iuid_larger,
	STYPE = iuid,
	COMBINEFUNC = iuid_larger,
	SORTOP = >,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(iuid) IS
'largest of all, in byte order: of the latest time';
