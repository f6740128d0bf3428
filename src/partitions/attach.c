/*-------------------------------------------------------------------------
 *
 * attach.c
 *	  SQL function that attaches partitions, and moves the rows that wait for
 *	  them.
 *
 * The server refuses to attach a partition while the DEFAULT partition has rows
 * of it, or while a partition without an end overlaps it.  So these rows are
 * taken out before, the partition without an end gets another bound, and the
 * rows are put into the new partition afterwards.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "attach.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "datum.h"
#include "execute.h"
#include "extension.h"
#include "owner.h"
#include "relation.h"
#include "table.h"

static Datum *read_array(FunctionCallInfo fcinfo, int n, Oid type, bool **nulls,
						 int *count);
static Partition *read_partitions(FunctionCallInfo fcinfo, int *count);
static int compare_lower(const void *a, const void *b, void *parent);
static void sort_partitions(const Partitioned *parent, Partition *partitions,
							int count);
static void attach(Oid table, Oid schema, Partition *partitions, int count);
static Partitioned *lock_parent(Oid table, Oid schema, Partition *partitions,
								int count);
static LOCKMODE lock_needed(const Partitioned *parent,
							const Partition *partitions, int count);
static void check_owned(Oid table);
static void check_new(const Partitioned *parent, Oid table);
static void check_foreign_keys(const Partition *partitions, int count);

/*
 * iuid_attach_partitions(parent, partitions, lower, upper): attaches tables as
 * partitions for the keys from lower up to but not including upper, NULL for
 * MINVALUE and MAXVALUE.
 *
 * 22004 for a NULL argument or a NULL among the tables; 22023 for arrays that
 * are not of one dimension and equal length, bounds in the wrong order,
 * partitions that overlap, and those that leave a gap to a partition without an
 * end, or nothing of it; 42P01, 42501 and 42809 for the tables; 55000 for
 * foreign keys of a new partition's own, and for what changes while the
 * function runs; attach.h has the errors for rows that cannot move.
 */
PG_FUNCTION_INFO_V1(iuid_attach_partitions);
Datum
iuid_attach_partitions(PG_FUNCTION_ARGS)
{
	int count;
	Partition *partitions = read_partitions(fcinfo, &count);
	Oid parent = PG_GETARG_OID(0);
	FormData_pg_class row = iuid_class_of(parent);
	SavedUser saved;

	if (!has_privs_of_role(GetUserId(), row.relowner) &&
		!member_can_set_role(GetUserId(), row.relowner))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(row.relkind),
					   NameStr(row.relname));
	saved = iuid_become_owner_of(parent, row);
	attach(parent, iuid_schema_of(fcinfo->flinfo->fn_oid), partitions, count);
	iuid_restore_user(&saved);
	PG_RETURN_VOID();
}

/* The elements of argument n, which has one dimension, or no elements. */
static Datum *
read_array(FunctionCallInfo fcinfo, int n, Oid type, bool **nulls, int *count)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(n);
	Datum *elements;
	int16 length;
	bool by_value;
	char align;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg(
					 "partitions and their bounds must be arrays of one dimension")));
	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(array, type, length, by_value, align, &elements, nulls,
					  count);
	return elements;
}

static Partition *
read_partitions(FunctionCallInfo fcinfo, int *count)
{
	Datum *tables, *lower, *upper;
	bool *no_table, *no_lower, *no_upper;
	int lower_count, upper_count;
	Partition *partitions;

	for (int n = 0; n < 4; n++)
	{
		if (PG_ARGISNULL(n))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg(
						 "arguments of iuid_attach_partitions must not be null")));
	}
	tables = read_array(fcinfo, 1, REGCLASSOID, &no_table, count);
	lower = read_array(fcinfo, 2, UUIDOID, &no_lower, &lower_count);
	upper = read_array(fcinfo, 3, UUIDOID, &no_upper, &upper_count);
	if (lower_count != *count || upper_count != *count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("each partition must have a lower and an upper bound"),
				 errdetail("Partitions: %d.  Lower bounds: %d.  Upper bounds: %d.",
						   *count, lower_count, upper_count)));

	partitions = palloc(sizeof(Partition) * *count);
	for (int i = 0; i < *count; i++)
	{
		if (no_table[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("a partition must not be null")));
		partitions[i] = (Partition){
			.table = DatumGetObjectId(tables[i]),
			.lower = no_lower[i] ? iuid_nil : *DatumGetIuidP(lower[i]),
			.upper = no_upper[i] ? iuid_max : *DatumGetIuidP(upper[i]),
			.has_lower = !no_lower[i],
			.has_upper = !no_upper[i]
		};
	}
	return partitions;
}

static int
compare_lower(const void *a, const void *b, void *parent)
{
	return iuid_compare_keys(parent, &((const Partition *) a)->lower,
							 &((const Partition *) b)->lower);
}

/* Sorts the partitions by their bounds; 22023 if these overlap. */
static void
sort_partitions(const Partitioned *parent, Partition *partitions, int count)
{
	qsort_arg(partitions, count, sizeof(Partition), compare_lower,
			  unconstify(Partitioned *, parent));
	for (int i = 0; i < count; i++)
	{
		const Partition *one = &partitions[i];
		bool overlaps = i + 1 < count &&
			iuid_compare_keys(parent, &one->upper, &partitions[i + 1].lower) > 0;

		if (overlaps || iuid_compare_keys(parent, &one->lower, &one->upper) >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("partition %s would have no key, or overlap another one",
							iuid_qualified_name(one->table)),
					 errdetail("The lower bound is %s, the upper bound %s.",
							   iuid_text_of_bound(&one->lower),
							   iuid_text_of_bound(&one->upper))));
	}
}

static void
attach(Oid table, Oid schema, Partition *partitions, int count)
{
	Partitioned *parent = lock_parent(table, schema, partitions, count);
	OpenEnd *first, *last;
	Move *waiting;

	for (int i = 0; i < count; i++)
		check_new(parent, partitions[i].table);
	first = iuid_open_first(parent, partitions, count);
	last = iuid_open_last(parent, partitions, count);
	waiting =
		iuid_begin_move(parent, parent->default_partition, partitions, count);

	(void) iuid_take_out(waiting);
	iuid_cut_open_end(first);
	iuid_cut_open_end(last);
	for (int i = 0; i < count; i++)
		iuid_attach_one(parent, &partitions[i]);
	check_foreign_keys(partitions, count);
	iuid_put_in(waiting);
	iuid_refill_open_end(first);
	iuid_refill_open_end(last);
}

/*
 * Locks the parent and the DEFAULT partition, and reads the parent under the
 * lock.  What the lock must be depends on what is read.
 */
static Partitioned *
lock_parent(Oid table, Oid schema, Partition *partitions, int count)
{
	LOCKMODE held = NoLock;
	Oid source = InvalidOid; /* the DEFAULT partition that is locked */

	for (;;)
	{
		Partitioned *parent = iuid_read_partitioned(table, KEY_ORDER_ANY, schema);
		LOCKMODE needed;

		sort_partitions(parent, partitions, count);
		needed = lock_needed(parent, partitions, count);
		if (needed <= held)
		{
			if (OidIsValid(parent->default_partition))
				check_owned(parent->default_partition);
			return parent;
		}
		/* With these, to wait for more is a deadlock with a reader who writes. */
		if (OidIsValid(source))
			UnlockRelationOid(source, AccessExclusiveLock);
		if (held != NoLock)
			UnlockRelationOid(table, held);
		LockRelationOid(table, needed);
		held = needed;
		source = parent->default_partition;
		if (OidIsValid(source))
			LockRelationOid(source, AccessExclusiveLock);
		/* It may have got another owner while the lock was waited for. */
		check_owned(table);
	}
}

/*
 * An INSERT that has chosen the DEFAULT partition for a row would fail if a new
 * partition for that row came meanwhile.  So with a DEFAULT partition, writing
 * to the parent waits.  A query that has read the list of partitions would look
 * in the DEFAULT partition for rows that have moved.  So if rows may move,
 * reading waits, too.  DETACH locks the parent as strongly.
 */
static LOCKMODE
lock_needed(const Partitioned *parent, const Partition *partitions, int count)
{
	if (iuid_open_first(parent, partitions, count) != NULL ||
		iuid_open_last(parent, partitions, count) != NULL)
		return AccessExclusiveLock;
	if (!OidIsValid(parent->default_partition))
		return ShareUpdateExclusiveLock;
	return iuid_may_have_rows(parent->default_partition) ? AccessExclusiveLock :
														   ShareRowExclusiveLock;
}

/*
 * The parent, its DEFAULT partition and the new ones have one owner, whose code
 * runs as the owner: CHECKs, and expressions of indexes.
 */
static void
check_owned(Oid table)
{
	if (iuid_class_of(table).relowner != GetUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("table %s belongs to another role than the partitioned table",
						iuid_qualified_name(table)),
				 errhint("Give both to one owner, or attach it by ALTER TABLE.")));
}

/* Checks of a new partition what ATTACH does not check. */
static void
check_new(const Partitioned *parent, Oid table)
{
	/* Nobody locks the table of another role. */
	check_owned(table);
	LockRelationOid(table, AccessExclusiveLock);
	check_owned(table);
	if (iuid_class_of(table).relpersistence !=
		iuid_class_of(parent->table).relpersistence)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table %s and table %s are not both permanent, unlogged or temporary",
						iuid_qualified_name(table),
						iuid_qualified_name(parent->table))));
}

/*
 * Rows move without a look at foreign keys.  Those of the parent hold for a row
 * wherever it is, and those of a partition alone would not have been checked.
 */
static void
check_foreign_keys(const Partition *partitions, int count)
{
	StringInfoData query;
	int64 table;

	initStringInfo(&query);
	appendStringInfoString(&query,
						   "SELECT pg_catalog.max(t.oid::pg_catalog.int8) FROM pg_catalog.pg_constraint, pg_catalog.unnest('{");
	for (int i = 0; i < count; i++)
		appendStringInfo(&query, i == 0 ? "%u" : ",%u", partitions[i].table);
	appendStringInfoString(&query,
						   "}'::pg_catalog.oid[]) AS t (oid)"
						   " WHERE contype OPERATOR(pg_catalog.=) 'f'::pg_catalog.\"char\" AND conparentid OPERATOR(pg_catalog.=) 0::pg_catalog.oid"
						   " AND t.oid OPERATOR(pg_catalog.=) ANY (ARRAY[conrelid, confrelid])");
	table = iuid_query_int64(query.data, InvalidOid);
	if (table != InvalidOid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table %s has a foreign key that its parent does not have, or one refers to it",
						iuid_qualified_name((Oid) table)),
				 errhint(
					 "Drop the foreign key, or attach the table by ALTER TABLE.")));
}
