/*-------------------------------------------------------------------------
 *
 * partitioned.c
 *	  Reads the key and the partitions of a table partitioned by identifiers, and
 *	  the SQL function that gives the key.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_am.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_partitioned_table.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "datum.h"
#include "extension.h"
#include "owner.h"
#include "partitioned.h"
#include "relation.h"
#include "codec.h"
#include "valid.h"

static Partitioned *read_partitioned(Oid table, KeyOrder order, Oid schema,
									 bool with_partitions);
static void check_rights(Oid table, bool as_owner);
static void read_key(Partitioned *parent, Relation relation, Oid schema);
static void check_key(Oid table);
static void check_time_key(const Partitioned *parent);
static void check_country_key(const Partitioned *parent, Oid family);
static Oid origin_family(Oid schema);
static void read_partitions(Partitioned *parent, Relation relation);
static Iuid bound_of(PartitionBoundInfo bounds, int n);

/*
 * iuid_partition_key(parent, in_origin_order, as_owner, keep_lock): the key of a table
 * partitioned by identifiers: its column; whether that is of type uuid, and not iuid,
 * or of a domain over it; whether the order is that by origin; whether a bound may be
 * any UUID; and whether each key is an iuid.  in_origin_order is the order that it must
 * have, NULL for either.
 *
 * as_owner: 42501 unless the current user may SET ROLE to the owner, 25006 in a
 * read-only transaction; else 42501 without the right to SELECT.  42P01 if there
 * is no such table; 42809 for another key.  The table is locked for a moment; or
 * for the owner, until the transaction ends, so that no partition comes or goes.
 * By its name, LOCK would find another table after a wait.
 */
PG_FUNCTION_INFO_V1(iuid_partition_key);
Datum
iuid_partition_key(PG_FUNCTION_ARGS)
{
	Oid table = PG_GETARG_OID(0);
	KeyOrder order = PG_ARGISNULL(1) ? KEY_ORDER_ANY :
		PG_GETARG_BOOL(1)			 ? KEY_ORDER_ORIGIN :
									   KEY_ORDER_TIME;
	bool as_owner = PG_GETARG_BOOL(2);
	Oid schema;
	Partitioned *parent;
	TupleDesc desc;
	Datum values[5];
	bool nulls[5] = { false };

	if (PG_ARGISNULL(0) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
		PG_RETURN_NULL();
	schema = iuid_schema_of(fcinfo->flinfo->fn_oid);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	check_rights(table, as_owner);
	if (as_owner && PG_GETARG_BOOL(3))
		LockRelationOid(table, ShareUpdateExclusiveLock);
	parent = read_partitioned(table, order, schema, false);
	/* Who waited for the lock may have lost the right. */
	check_rights(table, as_owner);
	if (as_owner)
		PreventCommandIfReadOnly("ALTER TABLE");
	values[0] = CStringGetTextDatum(parent->key);
	values[1] = BoolGetDatum(parent->base_type == UUIDOID);
	values[2] = BoolGetDatum(parent->order == KEY_ORDER_ORIGIN);
	values[3] = BoolGetDatum(parent->takes_any_bound);
	values[4] = BoolGetDatum(parent->is_valid);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, nulls)));
}

static void
check_rights(Oid table, bool as_owner)
{
	FormData_pg_class row = iuid_class_of(table);

	if (!as_owner)
		iuid_check_reader(table);
	else if (!member_can_set_role(GetUserId(), row.relowner))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(row.relkind),
					   NameStr(row.relname));
}

Partitioned *
iuid_read_partitioned(Oid table, KeyOrder order, Oid schema)
{
	return read_partitioned(table, order, schema, true);
}

static Partitioned *
read_partitioned(Oid table, KeyOrder order, Oid schema, bool with_partitions)
{
	Partitioned *parent = palloc0(sizeof(Partitioned));
	Relation relation = try_relation_open(table, AccessShareLock);

	if (relation == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", table)));
	parent->table = table;
	parent->order = order;
	read_key(parent, relation, schema);
	if (with_partitions)
		read_partitions(parent, relation);
	relation_close(relation, AccessShareLock);
	return parent;
}

static void
read_key(Partitioned *parent, Relation relation, Oid schema)
{
	Oid iuid_type = iuid_find_type(schema);
	PartitionKey key;
	AttrNumber column;

	check_key(parent->table);
	key = RelationGetPartitionKey(relation);
	column = key->partattrs[0];
	parent->key = get_attname(parent->table, column, false);
	parent->opfamily = key->partopfamily[0];
	parent->key_type = key->parttypid[0];
	parent->base_type = getBaseType(parent->key_type);
	if (parent->base_type != UUIDOID && parent->base_type != iuid_type)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table %s is partitioned by a column of type %s",
						iuid_qualified_name(parent->table),
						format_type_be(parent->key_type)),
				 errhint(
					 "The functions for partitions need a key of type iuid or uuid.")));
	parent->takes_any_bound = parent->key_type == UUIDOID;
	parent->is_valid = iuid_type_is_valid(parent->key_type, iuid_type) ||
		iuid_column_is_valid(relation, column);
	if (parent->order == KEY_ORDER_ANY)
		parent->order = parent->opfamily == origin_family(schema) ?
			KEY_ORDER_ORIGIN :
			KEY_ORDER_TIME;
	if (parent->order == KEY_ORDER_ORIGIN)
		check_country_key(parent, origin_family(schema));
	else
		check_time_key(parent);
}

static Oid
origin_family(Oid schema)
{
	return GetSysCacheOid3(OPFAMILYAMNAMENSP, Anum_pg_opfamily_oid,
						   ObjectIdGetDatum(BTREE_AM_OID),
						   CStringGetDatum("iuid_origin_ops"),
						   ObjectIdGetDatum(schema));
}

/*
 * Checks the partition key by the catalog alone, before the server's cache is
 * asked.  To fill the cache, the server evaluates the constant parts of the
 * expressions in a key, with the rights of the user who asks first.  A key
 * that passes this check has no expressions.
 */
static void
check_key(Oid table)
{
	HeapTuple tuple = SearchSysCache1(PARTRELID, ObjectIdGetDatum(table));
	Form_pg_partitioned_table key;
	bool one_column;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table %s is not partitioned", iuid_qualified_name(table)),
				 errhint(
					 "Create it with PARTITION BY RANGE on a column of type iuid or uuid.")));
	key = (Form_pg_partitioned_table) GETSTRUCT(tuple);
	one_column = key->partstrat == PARTITION_STRATEGY_RANGE &&
		key->partnatts == 1 && key->partattrs.values[0] != 0;
	ReleaseSysCache(tuple);
	if (!one_column)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table %s is not partitioned by ranges of one column",
						iuid_qualified_name(table)),
				 errdetail("Its partition key is %s.",
						   TextDatumGetCString(
							   DirectFunctionCall1(pg_get_partkeydef,
												   ObjectIdGetDatum(table)))),
				 errhint(
					 "The functions for partitions need PARTITION BY RANGE on one column of type iuid or uuid.")));
}

static void
check_time_key(const Partitioned *parent)
{
	Oid opclass = GetDefaultOpClass(parent->base_type, BTREE_AM_OID);

	if (!OidIsValid(opclass) || get_opclass_family(opclass) != parent->opfamily)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table %s is partitioned in another order than that of time",
						iuid_qualified_name(parent->table)),
				 errdetail("Its partition key is %s.",
						   TextDatumGetCString(
							   DirectFunctionCall1(pg_get_partkeydef,
												   ObjectIdGetDatum(
													   parent->table)))),
				 errhint(
					 "Time partitions can stand below each of its partitions.")));
}

static void
check_country_key(const Partitioned *parent, Oid family)
{
	if (parent->opfamily != family)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table %s is not partitioned in order by origin",
						iuid_qualified_name(parent->table)),
				 errhint("Create it with PARTITION BY RANGE (id %s).",
						 parent->base_type == UUIDOID ? "uuid_origin_ops" :
														"iuid_origin_ops")));
}

/*
 * The server has one sorted list of bounds: where two partitions meet, the
 * upper bound of one and the lower bound of the next are one entry.
 * bounds->indexes[n] is the partition whose upper bound is entry n, or -1
 * above a gap.
 */
static void
read_partitions(Partitioned *parent, Relation relation)
{
	PartitionDesc desc = RelationGetPartitionDesc(relation, true);
	PartitionBoundInfo bounds = desc->boundinfo;

	if (bounds == NULL)
		return;
	parent->partitions = palloc(sizeof(Partition) * (bounds->ndatums + 1));
	for (int n = 1; n < bounds->ndatums; n++)
	{
		if (bounds->indexes[n] >= 0)
			parent->partitions[parent->count++] = (Partition){
				.table = desc->oids[bounds->indexes[n]],
				.lower = bound_of(bounds, n - 1),
				.upper = bound_of(bounds, n),
				.has_lower = bounds->kind[n - 1][0] == PARTITION_RANGE_DATUM_VALUE,
				.has_upper = bounds->kind[n][0] == PARTITION_RANGE_DATUM_VALUE
			};
	}
	if (partition_bound_has_default(bounds))
		parent->default_partition = desc->oids[bounds->default_index];
}

static Iuid
bound_of(PartitionBoundInfo bounds, int n)
{
	switch (bounds->kind[n][0])
	{
		case PARTITION_RANGE_DATUM_MINVALUE:
			return iuid_nil;
		case PARTITION_RANGE_DATUM_MAXVALUE:
			return iuid_max;
		default:
			return *DatumGetIuidP(bounds->datums[n][0]);
	}
}

AttrNumber
iuid_key_column(const Partitioned *parent, Relation relation)
{
	AttrNumber column = get_attnum(RelationGetRelid(relation), parent->key);

	if (column <= 0 ||
		TupleDescAttr(RelationGetDescr(relation), column - 1)->atttypid !=
			parent->key_type)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table %s has no column \"%s\" of type %s",
						iuid_qualified_name(RelationGetRelid(relation)),
						parent->key, format_type_be(parent->key_type)),
				 errdetail("It is no partition of %s any more, or soon.",
						   iuid_qualified_name(parent->table)),
				 errhint("Try again.")));
	return column;
}

int
iuid_compare_keys(const Partitioned *parent, const Iuid *a, const Iuid *b)
{
	return parent->order == KEY_ORDER_TIME ? iuid_compare(a, b) :
											 iuid_compare_origin(a, b);
}

int
iuid_partition_of(const Partitioned *parent, const Partition *partitions,
				  int count, TupleTableSlot *row, AttrNumber key)
{
	int first = 0, end = count;
	bool isnull;
	const Iuid *id = DatumGetIuidP(slot_getattr(row, key, &isnull));

	if (isnull)
		return -1;
	while (first < end)
	{
		int middle = first + (end - first) / 2;
		const Partition *partition = &partitions[middle];

		if (partition->has_lower &&
			iuid_compare_keys(parent, id, &partition->lower) < 0)
			end = middle;
		else if (partition->has_upper &&
				 iuid_compare_keys(parent, id, &partition->upper) >= 0)
			first = middle + 1;
		else
			return middle;
	}
	return -1;
}

char *
iuid_text_of_bound(const Iuid *bound)
{
	char *text = palloc(IUID_TEXT_LEN + 1);

	iuid_encode(bound, text);
	return text;
}
