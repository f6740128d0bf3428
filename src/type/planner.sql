--
-- Planner support: predicates become ranges of the key
--

CREATE FUNCTION @extschema@.iuid_uuid_support(pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'iuid_uuid_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_uuid_support(pg_catalog.internal) IS
'internal: planner support for < <= = >= > between iuid and uuid: lets indexes and partitions of a uuid column use the predicate (doc/predicates.md)';

CREATE FUNCTION @extschema@.iuid_time_support(pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'iuid_time_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_time_support(pg_catalog.internal) IS
'internal: planner support for < <= >= > between iuid and timestamptz: puts the predicate into a form that indexes and partition pruning use (doc/predicates.md)';

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

CREATE FUNCTION @extschema@.iuid_cast_support(pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'iuid_cast_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.iuid_cast_support(pg_catalog.internal) IS
'internal: planner support for the cast of uuid to iuid: (id::uuid)::iuid is id, so that predicates on the column of a view use indexes and partition pruning (doc/predicates.md)';

ALTER FUNCTION @extschema@.iuid(pg_catalog.uuid) SUPPORT @extschema@.iuid_cast_support;
