/*-------------------------------------------------------------------------
 *
 * drop_global.c
 *	  Drops a global table or a global view.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_class.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "function.h"
#include "lock.h"
#include "owner.h"
#include "partitioned.h"
#include "relation.h"
#include "view.h"

typedef struct Work
{
	Oid global;
	Oid schema;	   /* of the extension */
	Oid local;	   /* the DEFAULT partition of a global table */
	List *foreign; /* the foreign tables of a global view */
} Work;

static List *plan_work(void *arg);
static void check_table(Work *work);
static void check_view(Work *work);

/*
 * iuid_drop_global(global): drops a global table or view, and its foreign
 * tables.  The local table of a global table is detached first, and stays.
 */
PG_FUNCTION_INFO_V1(iuid_drop_global);
Datum
iuid_drop_global(PG_FUNCTION_ARGS)
{
	Work work = { .schema = iuid_schema_of(fcinfo->flinfo->fn_oid) };
	SavedUser saved;
	ListCell *lc;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("table must not be null"),
				 errhint("Give the global table or global view.")));
	work.global = PG_GETARG_OID(0);
	iuid_check_owner(work.global);
	saved = iuid_become_owner(work.global);
	iuid_take_locks(work.global, plan_work, &work);
	if (OidIsValid(work.local))
		iuid_detach(work.global, work.local);
	iuid_drop(work.global);
	foreach (lc, work.foreign)
	{
		iuid_drop(lfirst_oid(lc));
	}
	iuid_restore_user(&saved);
	PG_RETURN_VOID();
}

static List *
plan_work(void *arg)
{
	Work *work = arg;
	List *locks;
	ListCell *lc;

	iuid_check_owner(work->global);
	work->local = InvalidOid;
	work->foreign = NIL;
	if (get_rel_relkind(work->global) == RELKIND_VIEW)
		check_view(work);
	else
		check_table(work);

	locks = iuid_add_lock_of_all(NIL, work->global, AccessExclusiveLock);
	foreach (lc, work->foreign)
		locks = iuid_add_lock(locks, lfirst_oid(lc), AccessExclusiveLock);
	locks = iuid_add_referred_locks(locks, work->global, AccessExclusiveLock);
	locks = iuid_add_referring_locks(locks, work->global, AccessExclusiveLock);
	return iuid_add_locks_above(locks, work->global);
}

/*
 * 42809 unless the table is as iuid_create_global_table() makes it: DROP must
 * not take rows of this node along.
 */
static void
check_table(Work *work)
{
	Partitioned *global =
		iuid_read_partitioned(work->global, KEY_ORDER_ORIGIN, work->schema);

	work->local = global->default_partition;
	for (int i = 0; i < global->count; i++)
	{
		if (get_rel_relkind(global->partitions[i].table) != RELKIND_FOREIGN_TABLE)
			work->local = InvalidOid;
	}
	if (!OidIsValid(work->local))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("%s is not a global table",
						iuid_qualified_name(work->global)),
				 errdetail(
					 "A global table has the local table as its DEFAULT partition, and all others are foreign tables."),
				 errhint(
					 "Detach the partitions that are to stay, and use DROP TABLE.")));
}

/*
 * 42809 unless the view is as iuid_create_global_view() makes it, 42501 if a
 * foreign table of it belongs to another role.
 */
static void
check_view(Work *work)
{
	work->foreign = iuid_own_foreign_tables(work->global);
	if (!iuid_is_global_view(work->global))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("%s is not a global view",
						iuid_qualified_name(work->global)),
				 errdetail(
					 "Its first column or its foreign tables are not those that iuid_create_global_view() makes."),
				 errhint("Use DROP VIEW.")));
}
