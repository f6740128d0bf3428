--
-- Order by origin, of iuid and of iuid with uuid: ~<~ ~<=~ ~>=~ ~>~
--

CREATE FUNCTION @extschema@.iuid_origin_lt(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_lt(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid ~<~ iuid';

CREATE FUNCTION @extschema@.iuid_origin_le(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_le(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid ~<=~ iuid';

CREATE FUNCTION @extschema@.iuid_origin_ge(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_ge(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid ~>=~ iuid';

CREATE FUNCTION @extschema@.iuid_origin_gt(@extschema@.iuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_gt(@extschema@.iuid, @extschema@.iuid) IS
'internal: implementation of iuid ~>~ iuid';

CREATE FUNCTION @extschema@.iuid_origin_lt(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_lt(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid ~<~ uuid';

CREATE FUNCTION @extschema@.iuid_origin_le(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_le(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid ~<=~ uuid';

CREATE FUNCTION @extschema@.iuid_origin_ge(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_ge(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid ~>=~ uuid';

CREATE FUNCTION @extschema@.iuid_origin_gt(@extschema@.iuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_gt(@extschema@.iuid, pg_catalog.uuid) IS
'internal: implementation of iuid ~>~ uuid';

CREATE FUNCTION @extschema@.iuid_origin_lt(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_lt(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid ~<~ iuid';

CREATE FUNCTION @extschema@.iuid_origin_le(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_le(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid ~<=~ iuid';

CREATE FUNCTION @extschema@.iuid_origin_ge(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_ge(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid ~>=~ iuid';

CREATE FUNCTION @extschema@.iuid_origin_gt(pg_catalog.uuid, @extschema@.iuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_gt(pg_catalog.uuid, @extschema@.iuid) IS
'internal: implementation of uuid ~>~ iuid';

CREATE FUNCTION @extschema@.iuid_origin_lt(pg_catalog.uuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_lt(pg_catalog.uuid, pg_catalog.uuid) IS
'internal: implementation of uuid ~<~ uuid';

CREATE FUNCTION @extschema@.iuid_origin_le(pg_catalog.uuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_le(pg_catalog.uuid, pg_catalog.uuid) IS
'internal: implementation of uuid ~<=~ uuid';

CREATE FUNCTION @extschema@.iuid_origin_ge(pg_catalog.uuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_ge(pg_catalog.uuid, pg_catalog.uuid) IS
'internal: implementation of uuid ~>=~ uuid';

CREATE FUNCTION @extschema@.iuid_origin_gt(pg_catalog.uuid, pg_catalog.uuid)
RETURNS boolean
AS 'MODULE_PATHNAME', 'iuid_origin_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_gt(pg_catalog.uuid, pg_catalog.uuid) IS
'internal: implementation of uuid ~>~ uuid';

CREATE OPERATOR @extschema@.~<~ (
	FUNCTION = @extschema@.iuid_origin_lt, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~>~), NEGATOR = OPERATOR(@extschema@.~>=~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.~<~ (@extschema@.iuid, @extschema@.iuid) IS
'less than, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<=~ (
	FUNCTION = @extschema@.iuid_origin_le, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~>=~), NEGATOR = OPERATOR(@extschema@.~>~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.~<=~ (@extschema@.iuid, @extschema@.iuid) IS
'less than or equal, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>=~ (
	FUNCTION = @extschema@.iuid_origin_ge, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~<=~), NEGATOR = OPERATOR(@extschema@.~<~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.~>=~ (@extschema@.iuid, @extschema@.iuid) IS
'greater than or equal, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>~ (
	FUNCTION = @extschema@.iuid_origin_gt, LEFTARG = @extschema@.iuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~<~), NEGATOR = OPERATOR(@extschema@.~<=~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.~>~ (@extschema@.iuid, @extschema@.iuid) IS
'greater than, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<~ (
	FUNCTION = @extschema@.iuid_origin_lt, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~>~), NEGATOR = OPERATOR(@extschema@.~>=~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.~<~ (@extschema@.iuid, pg_catalog.uuid) IS
'less than, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<=~ (
	FUNCTION = @extschema@.iuid_origin_le, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~>=~), NEGATOR = OPERATOR(@extschema@.~>~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.~<=~ (@extschema@.iuid, pg_catalog.uuid) IS
'less than or equal, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>=~ (
	FUNCTION = @extschema@.iuid_origin_ge, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~<=~), NEGATOR = OPERATOR(@extschema@.~<~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.~>=~ (@extschema@.iuid, pg_catalog.uuid) IS
'greater than or equal, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>~ (
	FUNCTION = @extschema@.iuid_origin_gt, LEFTARG = @extschema@.iuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~<~), NEGATOR = OPERATOR(@extschema@.~<=~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.~>~ (@extschema@.iuid, pg_catalog.uuid) IS
'greater than, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<~ (
	FUNCTION = @extschema@.iuid_origin_lt, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~>~), NEGATOR = OPERATOR(@extschema@.~>=~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.~<~ (pg_catalog.uuid, @extschema@.iuid) IS
'less than, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<=~ (
	FUNCTION = @extschema@.iuid_origin_le, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~>=~), NEGATOR = OPERATOR(@extschema@.~>~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.~<=~ (pg_catalog.uuid, @extschema@.iuid) IS
'less than or equal, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>=~ (
	FUNCTION = @extschema@.iuid_origin_ge, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~<=~), NEGATOR = OPERATOR(@extschema@.~<~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.~>=~ (pg_catalog.uuid, @extschema@.iuid) IS
'greater than or equal, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>~ (
	FUNCTION = @extschema@.iuid_origin_gt, LEFTARG = pg_catalog.uuid, RIGHTARG = @extschema@.iuid,
	COMMUTATOR = OPERATOR(@extschema@.~<~), NEGATOR = OPERATOR(@extschema@.~<=~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.~>~ (pg_catalog.uuid, @extschema@.iuid) IS
'greater than, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<~ (
	FUNCTION = @extschema@.iuid_origin_lt, LEFTARG = pg_catalog.uuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~>~), NEGATOR = OPERATOR(@extschema@.~>=~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.~<~ (pg_catalog.uuid, pg_catalog.uuid) IS
'less than, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~<=~ (
	FUNCTION = @extschema@.iuid_origin_le, LEFTARG = pg_catalog.uuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~>=~), NEGATOR = OPERATOR(@extschema@.~>~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.~<=~ (pg_catalog.uuid, pg_catalog.uuid) IS
'less than or equal, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>=~ (
	FUNCTION = @extschema@.iuid_origin_ge, LEFTARG = pg_catalog.uuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~<=~), NEGATOR = OPERATOR(@extschema@.~<~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.~>=~ (pg_catalog.uuid, pg_catalog.uuid) IS
'greater than or equal, in order by origin: country, then entity, then bytes';

CREATE OPERATOR @extschema@.~>~ (
	FUNCTION = @extschema@.iuid_origin_gt, LEFTARG = pg_catalog.uuid, RIGHTARG = pg_catalog.uuid,
	COMMUTATOR = OPERATOR(@extschema@.~<~), NEGATOR = OPERATOR(@extschema@.~<=~),
	RESTRICT = @extschema@.iuid_rangesel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.~>~ (pg_catalog.uuid, pg_catalog.uuid) IS
'greater than, in order by origin: country, then entity, then bytes';

CREATE FUNCTION @extschema@.iuid_origin_cmp(@extschema@.iuid, @extschema@.iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_origin_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_cmp(@extschema@.iuid, @extschema@.iuid) IS
'internal: less-equal-greater in order by origin: negative, zero or positive';

CREATE FUNCTION @extschema@.iuid_origin_cmp(@extschema@.iuid, pg_catalog.uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_origin_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_cmp(@extschema@.iuid, pg_catalog.uuid) IS
'internal: less-equal-greater in order by origin: negative, zero or positive';

CREATE FUNCTION @extschema@.iuid_origin_cmp(pg_catalog.uuid, @extschema@.iuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_origin_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_cmp(pg_catalog.uuid, @extschema@.iuid) IS
'internal: less-equal-greater in order by origin: negative, zero or positive';

CREATE FUNCTION @extschema@.iuid_origin_cmp(pg_catalog.uuid, pg_catalog.uuid)
RETURNS int
AS 'MODULE_PATHNAME', 'iuid_origin_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_origin_cmp(pg_catalog.uuid, pg_catalog.uuid) IS
'internal: less-equal-greater in order by origin: negative, zero or positive';
