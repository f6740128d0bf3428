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
#include "catalog/pg_class.h"
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
#include "function.h"
#include "owner.h"
#include "partitioned.h"
#include "relation.h"

/* The keys that are counted, and what came of it; NULL: no bound, no key. */
typedef struct Keys
{
	const Iuid *lower;
	const Iuid *upper;
	int64 count;
	Iuid *least;
	Iuid *greatest;
} Keys;

static List *tables_above(Oid partition);
static void check_sees_all_rows(List *above);
static void count_keys(Keys *keys, Oid table, const char *column);
static void count_key(Keys *keys, const Iuid *key);
static void keep_key(Iuid **kept, const Iuid *key);

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
 * who may not SELECT from that table, or may not see all of its rows.
 */
PG_FUNCTION_INFO_V1(iuid_keys_between);
Datum
iuid_keys_between(PG_FUNCTION_ARGS)
{
	Oid partition, schema = iuid_schema_of(fcinfo->flinfo->fn_oid);
	List *above;
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
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	partition = PG_GETARG_OID(0);
	above = tables_above(partition);
	check_sees_all_rows(above);
	parent = iuid_read_partitioned(linitial_oid(above), KEY_ORDER_ANY, schema);
	/* Who waits for the lock may have lost the right, or the partition its place. */
	LockRelationOid(partition, AccessShareLock);
	check_sees_all_rows(tables_above(partition));
	foreach (lc, find_all_inheritors(partition, AccessShareLock, NULL))
	{
		count_keys(&keys, lfirst_oid(lc), parent->key);
	}
	values[0] = Int64GetDatum(keys.count);
	values[1] = PointerGetDatum(keys.least);
	values[2] = PointerGetDatum(keys.greatest);
	nulls[1] = nulls[2] = keys.count == 0;
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, nulls)));
}

/* The tables whose rows include those of a partition, its parent first. */
static List *
tables_above(Oid partition)
{
	List *above = iuid_class_of(partition).relispartition ?
		get_partition_ancestors(partition) :
		NIL;

	if (above == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("%s is not a partition", iuid_qualified_name(partition)),
				 errdetail(
					 "A partition that is pending to be detached is none either.")));
	return above;
}

/*
 * Who may SELECT from any table above without a policy can see all rows.
 * Otherwise what is in the way is said of the parent.
 */
static void
check_sees_all_rows(List *above)
{
	Oid parent = linitial_oid(above);
	ListCell *lc;

	foreach (lc, above)
	{
		Oid table = lfirst_oid(lc);

		if (pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK &&
			check_enable_rls(table, InvalidOid, true) != RLS_ENABLED)
			return;
	}
	iuid_check_reader(parent);
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("row security of table %s hides rows from \"%s\"",
					iuid_qualified_name(parent),
					GetUserNameFromId(GetUserId(), false)),
			 errhint(
				 "Only who can see all rows can count them: the owner of the table, "
				 "if row security is not forced, or a role with BYPASSRLS.")));
}

/* Counts the keys of a table; of one without rows of its own, none. */
static void
count_keys(Keys *keys, Oid table, const char *column)
{
	Relation relation = relation_open(table, NoLock);
	AttrNumber attnum = get_attnum(table, column);
	TupleTableSlot *slot;
	TableScanDesc scan;

	if (relation->rd_rel->relkind == RELKIND_RELATION)
	{
		slot = table_slot_create(relation, NULL);
		scan = table_beginscan(relation, GetActiveSnapshot(), 0, NULL, 0);
		while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
		{
			bool is_null;
			Datum key = slot_getattr(slot, attnum, &is_null);

			CHECK_FOR_INTERRUPTS();
			if (!is_null)
				count_key(keys, DatumGetIuidP(key));
		}
		table_endscan(scan);
		ExecDropSingleTupleTableSlot(slot);
	}
	relation_close(relation, NoLock);
}

static void
count_key(Keys *keys, const Iuid *key)
{
	if ((keys->lower != NULL && iuid_compare(key, keys->lower) < 0) ||
		(keys->upper != NULL && iuid_compare(key, keys->upper) >= 0))
		return;
	keys->count++;
	if (keys->least == NULL || iuid_compare(key, keys->least) < 0)
		keep_key(&keys->least, key);
	if (keys->greatest == NULL || iuid_compare(key, keys->greatest) > 0)
		keep_key(&keys->greatest, key);
}

static void
keep_key(Iuid **kept, const Iuid *key)
{
	if (*kept == NULL)
		*kept = palloc(sizeof(Iuid));
	**kept = *key;
}
