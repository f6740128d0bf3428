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
'smallest iuid of a country and entity in order by origin, 0-255 each; country 256 gives Max, entity 256 means the next country (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_country_lower(country int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_country_lower'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_lower(country int) IS
'internal: smallest iuid of a country, 0-255, in order by origin: the lower bound of iuid_is_from; outside 0-255: 22023 (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_country_lower(country int, entity int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_country_lower'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_lower(country int, entity int) IS
'internal: smallest iuid of a country and entity, 0-255 each, in order by origin: the lower bound of iuid_is_from; outside 0-255: 22023 (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_country_upper(country int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_country_upper'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_upper(country int) IS
'internal: smallest iuid after those of a country, 0-255, in order by origin: the upper bound of iuid_is_from; outside 0-255: 22023 (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_country_upper(country int, entity int)
RETURNS @extschema@.iuid
AS 'MODULE_PATHNAME', 'iuid_country_upper'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_country_upper(country int, entity int) IS
'internal: smallest iuid after those of a country and entity, 0-255 each, in order by origin: the upper bound of iuid_is_from; outside 0-255: 22023 (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_lt(@extschema@.iuid, pg_catalog.timestamptz)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_lt_timestamptz'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_time_support;
COMMENT ON FUNCTION @extschema@.iuid_lt(@extschema@.iuid, pg_catalog.timestamptz) IS
'internal: implementation of iuid < timestamptz';

CREATE FUNCTION @extschema@.iuid_le(@extschema@.iuid, pg_catalog.timestamptz)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_le_timestamptz'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_time_support;
COMMENT ON FUNCTION @extschema@.iuid_le(@extschema@.iuid, pg_catalog.timestamptz) IS
'internal: implementation of iuid <= timestamptz';

CREATE FUNCTION @extschema@.iuid_ge(@extschema@.iuid, pg_catalog.timestamptz)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ge_timestamptz'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_time_support;
COMMENT ON FUNCTION @extschema@.iuid_ge(@extschema@.iuid, pg_catalog.timestamptz) IS
'internal: implementation of iuid >= timestamptz';

CREATE FUNCTION @extschema@.iuid_gt(@extschema@.iuid, pg_catalog.timestamptz)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_gt_timestamptz'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_time_support;
COMMENT ON FUNCTION @extschema@.iuid_gt(@extschema@.iuid, pg_catalog.timestamptz) IS
'internal: implementation of iuid > timestamptz';

CREATE FUNCTION @extschema@.iuid_lt(pg_catalog.timestamptz, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'timestamptz_lt_iuid'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_time_support;
COMMENT ON FUNCTION @extschema@.iuid_lt(pg_catalog.timestamptz, @extschema@.iuid) IS
'internal: implementation of timestamptz < iuid';

CREATE FUNCTION @extschema@.iuid_le(pg_catalog.timestamptz, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'timestamptz_le_iuid'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_time_support;
COMMENT ON FUNCTION @extschema@.iuid_le(pg_catalog.timestamptz, @extschema@.iuid) IS
'internal: implementation of timestamptz <= iuid';

CREATE FUNCTION @extschema@.iuid_ge(pg_catalog.timestamptz, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'timestamptz_ge_iuid'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_time_support;
COMMENT ON FUNCTION @extschema@.iuid_ge(pg_catalog.timestamptz, @extschema@.iuid) IS
'internal: implementation of timestamptz >= iuid';

CREATE FUNCTION @extschema@.iuid_gt(pg_catalog.timestamptz, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'timestamptz_gt_iuid'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_time_support;
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

CREATE FUNCTION @extschema@.iuid_is_from(id pg_catalog.uuid, country int)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_is_from'
LANGUAGE C IMMUTABLE PARALLEL SAFE
SUPPORT @extschema@.iuid_is_from_support;
COMMENT ON FUNCTION @extschema@.iuid_is_from(id pg_catalog.uuid, country int) IS
'whether an identifier is of a country, 0-255; uses indexes and partitions of iuid_origin_ops and uuid_origin_ops; false for what is no iuid, NULL if an argument is NULL (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_is_from(id pg_catalog.uuid, country int, entity int)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_is_from'
LANGUAGE C IMMUTABLE PARALLEL SAFE
SUPPORT @extschema@.iuid_is_from_support;
COMMENT ON FUNCTION @extschema@.iuid_is_from(id pg_catalog.uuid, country int, entity int) IS
'whether an identifier is of a country and entity, 0-255 each, by indexes and partitions of iuid_origin_ops and uuid_origin_ops; false for no iuid, NULL if an argument is NULL (doc/predicates.md)';
