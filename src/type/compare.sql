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
SUPPORT @extschema@.iuid_uuid_support;
COMMENT ON FUNCTION @extschema@.iuid_lt(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid < uuid';

CREATE FUNCTION @extschema@.iuid_le(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_uuid_support;
COMMENT ON FUNCTION @extschema@.iuid_le(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid <= uuid';

CREATE FUNCTION @extschema@.iuid_eq(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_uuid_support;
COMMENT ON FUNCTION @extschema@.iuid_eq(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid = uuid';

CREATE FUNCTION @extschema@.iuid_ge(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_uuid_support;
COMMENT ON FUNCTION @extschema@.iuid_ge(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid >= uuid';

CREATE FUNCTION @extschema@.iuid_gt(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_uuid_support;
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
SUPPORT @extschema@.iuid_uuid_support;
COMMENT ON FUNCTION @extschema@.iuid_lt(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid < iuid';

CREATE FUNCTION @extschema@.iuid_le(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_uuid_support;
COMMENT ON FUNCTION @extschema@.iuid_le(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid <= iuid';

CREATE FUNCTION @extschema@.iuid_eq(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_uuid_support;
COMMENT ON FUNCTION @extschema@.iuid_eq(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid = iuid';

CREATE FUNCTION @extschema@.iuid_ge(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_uuid_support;
COMMENT ON FUNCTION @extschema@.iuid_ge(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid >= iuid';

CREATE FUNCTION @extschema@.iuid_gt(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT @extschema@.iuid_uuid_support;
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
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.< (@extschema@.iuid, @extschema@.iuid) IS
'less than, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.<= (
	FUNCTION = @extschema@.iuid_le, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.>=), NEGATOR = OPERATOR(@extschema@.>),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarlejoinsel
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
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.>= (@extschema@.iuid, @extschema@.iuid) IS
'greater than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.> (
	FUNCTION = @extschema@.iuid_gt, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.<), NEGATOR = OPERATOR(@extschema@.<=),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargtjoinsel
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
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.< (@extschema@.iuid, pg_catalog.uuid) IS
'less than, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.<= (
	FUNCTION = @extschema@.iuid_le, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.>=), NEGATOR = OPERATOR(@extschema@.>),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarlejoinsel
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
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.>= (@extschema@.iuid, pg_catalog.uuid) IS
'greater than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.> (
	FUNCTION = @extschema@.iuid_gt, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.<), NEGATOR = OPERATOR(@extschema@.<=),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargtjoinsel
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
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.< (pg_catalog.uuid, @extschema@.iuid) IS
'less than, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.<= (
	FUNCTION = @extschema@.iuid_le, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.>=), NEGATOR = OPERATOR(@extschema@.>),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarlejoinsel
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
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.>= (pg_catalog.uuid, @extschema@.iuid) IS
'greater than or equal, in byte order: time, then country, then entity';

CREATE OPERATOR @extschema@.> (
	FUNCTION = @extschema@.iuid_gt, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.<), NEGATOR = OPERATOR(@extschema@.<=),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargtjoinsel
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
