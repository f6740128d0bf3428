/*-------------------------------------------------------------------------
 *
 * keys_between.c
 *	  SQL function that counts the keys of a partition between two values.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/tableam.h"
#include "catalog/partition.h"
#include "catalog/pg_inherits.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#include "datum.h"
#include "extension.h"
#include "owner.h"
#include "partitioned.h"
#include "relation.h"

/* The keys that are counted, and what came of it; NULL: no bound. */
typedef struct Keys
{
	const Iuid *lower, *upper;
	int64 count;
	Iuid least, greatest;
} Keys;

/*
 * The parent of a partition of which the caller may see all rows: by SELECT
 * from any table above, without a policy.  Otherwise what is in the way is said
 * of the parent.
 */
static Oid
parent_of_seen(Oid partition)
{
	List *above = iuid_class_of(partition).relispartition ?
		get_partition_ancestors(partition) :
		NIL;
	ListCell *lc;

	if (above == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("%s is not a partition", iuid_qualified_name(partition)),
				 errdetail(
					 "A partition whose detach is pending does not count as one.")));
	foreach (lc, above)
	{
		Oid table = lfirst_oid(lc);

		if (pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK &&
			check_enable_rls(table, InvalidOid, true) != RLS_ENABLED)
			return linitial_oid(above);
	}
	iuid_check_reader(linitial_oid(above));
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("row security of table %s hides rows from \"%s\"",
					iuid_qualified_name(linitial_oid(above)),
					GetUserNameFromId(GetUserId(), false)),
			 errhint(
				 "Only a role that can see all rows can count them: the owner of the table, "
				 "if row security is not forced, or a role with BYPASSRLS.")));
}

static void
count_key(Keys *keys, const Iuid *key)
{
	if ((keys->lower != NULL && iuid_compare(key, keys->lower) < 0) ||
		(keys->upper != NULL && iuid_compare(key, keys->upper) >= 0))
		return;
	if (keys->count == 0 || iuid_compare(key, &keys->least) < 0)
		keys->least = *key;
	if (keys->count == 0 || iuid_compare(key, &keys->greatest) > 0)
		keys->greatest = *key;
	keys->count++;
}

/* Counts the keys of a table; of one without rows of its own, none. */
static void
count_keys(Keys *keys, Oid table, const Partitioned *parent)
{
	Relation relation = relation_open(table, NoLock);

	if (relation->rd_rel->relkind == RELKIND_RELATION)
	{
		AttrNumber column = iuid_key_column(parent, relation);
		TupleTableSlot *slot = table_slot_create(relation, NULL);
		TableScanDesc scan =
			table_beginscan(relation, GetActiveSnapshot(), 0, NULL, 0);

		while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
		{
			bool is_null;
			Datum key = slot_getattr(slot, column, &is_null);

			CHECK_FOR_INTERRUPTS();
			if (!is_null)
				count_key(keys, DatumGetIuidP(key));
		}
		table_endscan(scan);
		ExecDropSingleTupleTableSlot(slot);
	}
	relation_close(relation, NoLock);
}

/*
 * iuid_keys_between(partition, lower, upper): counts the keys of a partition
 * with lower <= key < upper in byte order, and returns the least and the
 * greatest of them.  A bound that is NULL is none.
 *
 * The partition brings along code of its owner, so it is read below the
 * executor, for whoever may read all of its rows by a table above it.  What is
 * in foreign tables is not counted.
 *
 * 22004 for NULL; 42P01 if there is no such table; 42809 if it is no partition
 * of a table partitioned by identifiers, or pending to be detached; 42501 for
 * who may not SELECT from that table, or may not see all of its rows; 55000
 * without a snapshot, and if the table or its key is another one meanwhile.
 */
PG_FUNCTION_INFO_V1(iuid_keys_between);
Datum
iuid_keys_between(PG_FUNCTION_ARGS)
{
	Oid partition, table, schema;
	TupleDesc desc;
	Partitioned *parent;
	Keys keys = { .lower = PG_ARGISNULL(1) ? NULL : PG_GETARG_IUID_P(1),
				  .upper = PG_ARGISNULL(2) ? NULL : PG_GETARG_IUID_P(2) };
	ListCell *lc;
	Datum values[3];
	bool nulls[3] = { false };

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("partition must not be null"),
				 errhint("Give a partition of a table.")));
	schema = iuid_schema_of(fcinfo->flinfo->fn_oid);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (!ActiveSnapshotSet())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("keys cannot be read without a snapshot"),
				 errhint("Call the function in a query.")));
	partition = PG_GETARG_OID(0);
	/* In the order of a query.  The partition may be another table's when a wait ends. */
	table = parent_of_seen(partition);
	LockRelationOid(table, AccessShareLock);
	LockRelationOid(partition, AccessShareLock);
	if (parent_of_seen(partition) != table)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("partition %s got another parent meanwhile",
						iuid_qualified_name(partition)),
				 errhint("Try again.")));
	parent = iuid_read_partitioned(table, KEY_ORDER_ANY, schema);
	foreach (lc, find_all_inheritors(partition, AccessShareLock, NULL))
	{
		count_keys(&keys, lfirst_oid(lc), parent);
	}
	values[0] = Int64GetDatum(keys.count);
	values[1] = PointerGetDatum(&keys.least);
	values[2] = PointerGetDatum(&keys.greatest);
	nulls[1] = nulls[2] = keys.count == 0;
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, nulls)));
}
