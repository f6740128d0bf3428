--
-- Operator classes: btree in both orders, hash, BRIN
--
-- The btree and hash families have an operator for each pair of iuid and uuid, so
-- that every join method can use them.
--
-- Both btree families have the same =, and for a unique index of a partitioned table the server asks
-- for no more.  So a table in order by origin takes PRIMARY KEY (id), whose index is in byte order.
--
-- The operator = is in both btree families, and the planner sorts by the family with
-- the lower OID.  A new database makes them in the order of this file; pg_upgrade, in
-- the order in which the names of their classes sort.  So the name of the second one
-- sorts after iuid_ops.
--

CREATE OPERATOR FAMILY @extschema@.iuid_ops USING btree;
COMMENT ON OPERATOR FAMILY @extschema@.iuid_ops USING btree IS
'byte order of iuid and uuid: time, then country, then entity';

CREATE OPERATOR FAMILY @extschema@.iuid_origin_ops USING btree;
COMMENT ON OPERATOR FAMILY @extschema@.iuid_origin_ops USING btree IS
'order by origin of iuid and uuid: country, then entity, then bytes';

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
	FUNCTION 3 (@extschema@.iuid, interval) @extschema@.iuid_in_range(@extschema@.iuid, @extschema@.iuid, interval, boolean, boolean),
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

CREATE OPERATOR CLASS @extschema@.iuid_origin_ops
FOR TYPE @extschema@.iuid USING btree FAMILY @extschema@.iuid_origin_ops AS
	OPERATOR 1 @extschema@.~<~,
	OPERATOR 2 @extschema@.~<=~,
	OPERATOR 3 @extschema@.=,
	OPERATOR 4 @extschema@.~>=~,
	OPERATOR 5 @extschema@.~>~,
	FUNCTION 1 @extschema@.iuid_origin_cmp(@extschema@.iuid, @extschema@.iuid),
	FUNCTION 2 @extschema@.iuid_origin_sortsupport(pg_catalog.internal),
	FUNCTION 4 pg_catalog.btequalimage(pg_catalog.oid);
COMMENT ON OPERATOR CLASS @extschema@.iuid_origin_ops USING btree IS
'order by origin: country, then entity, then bytes';

ALTER OPERATOR FAMILY @extschema@.iuid_origin_ops USING btree ADD
	OPERATOR 1 @extschema@.~<~ (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 2 @extschema@.~<=~ (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 3 @extschema@.= (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 4 @extschema@.~>=~ (@extschema@.iuid, pg_catalog.uuid),
	OPERATOR 5 @extschema@.~>~ (@extschema@.iuid, pg_catalog.uuid),
	FUNCTION 1 (@extschema@.iuid, pg_catalog.uuid) @extschema@.iuid_origin_cmp(@extschema@.iuid, pg_catalog.uuid),
	FUNCTION 2 (@extschema@.iuid, pg_catalog.uuid) @extschema@.iuid_origin_sortsupport(pg_catalog.internal),
	OPERATOR 1 @extschema@.~<~ (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 2 @extschema@.~<=~ (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 3 @extschema@.= (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 4 @extschema@.~>=~ (pg_catalog.uuid, @extschema@.iuid),
	OPERATOR 5 @extschema@.~>~ (pg_catalog.uuid, @extschema@.iuid),
	FUNCTION 1 (pg_catalog.uuid, @extschema@.iuid) @extschema@.iuid_origin_cmp(pg_catalog.uuid, @extschema@.iuid),
	FUNCTION 2 (pg_catalog.uuid, @extschema@.iuid) @extschema@.iuid_origin_sortsupport(pg_catalog.internal);

CREATE OPERATOR CLASS @extschema@.uuid_origin_ops
FOR TYPE pg_catalog.uuid USING btree FAMILY @extschema@.iuid_origin_ops AS
	OPERATOR 1 @extschema@.~<~,
	OPERATOR 2 @extschema@.~<=~,
	OPERATOR 3 pg_catalog.=,
	OPERATOR 4 @extschema@.~>=~,
	OPERATOR 5 @extschema@.~>~,
	FUNCTION 1 @extschema@.iuid_origin_cmp(pg_catalog.uuid, pg_catalog.uuid),
	FUNCTION 2 @extschema@.iuid_origin_sortsupport(pg_catalog.internal),
	FUNCTION 4 pg_catalog.btequalimage(pg_catalog.oid);
COMMENT ON OPERATOR CLASS @extschema@.uuid_origin_ops USING btree IS
'order by origin of uuid: bits 56-63, then bits 66-73, then bytes; in an iuid these are country and entity';

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
