/*-------------------------------------------------------------------------
 *
 * removal.c
 *	  Removes time partitions that ended before a time.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_class.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "attach.h"
#include "datum.h"
#include "default_rows.h"
#include "execute.h"
#include "lock.h"
#include "lock_list.h"
#include "open_end.h"
#include "relation.h"
#include "removal.h"
#include "step.h"
#include "subtransaction.h"

/* Others may have waited for almost deadlock_timeout, so this is not long. */
#define WAIT_FOR_WHAT_NEEDS_IT_MS 10

/* The removal of one partition. */
typedef struct RemovalOfOne
{
	const Removal *removal;
	Oid parent;
	Oid partition;
} RemovalOfOne;

static bool open_ended_first_stays(const Partitioned *table);
static bool is_old(TimestampTz older_than, const Iuid *upper);
static bool remove_one(const Removal *removal, Oid parent, Oid partition);
static bool remove_partition(void *arg);
static void cover_removed(const Removal *removal, const Partitioned *table);

/*
 * If the old partitions are too many for one call, the call begins with any of
 * them, at random.  Otherwise each call would try the same ones, and if these
 * have to stay, because something needs them, no call would get to the others.
 */
bool
iuid_plan_removal(Removal *removal, const Partitioned *table, int limit)
{
	int tables = 0;
	int begin = open_ended_first_stays(table) ? 1 : 0;
	int end = begin;
	int count, first;

	while (end < table->count &&
		   is_old(removal->older_than, &table->partitions[end].upper))
		tables += list_length(iuid_tables_below(table->partitions[end++].table));
	count = end - begin;
	first = tables > limit ? (int) (removal->random * count) : 0;

	tables = 0;
	removal->count = 0;
	removal->old = palloc(sizeof(Partition) * Max(count, 1));
	for (int i = 0; i < count; i++)
	{
		const Partition *partition =
			&table->partitions[begin + (first + i) % count];

		tables += list_length(iuid_tables_below(partition->table));
		if (tables > limit && removal->count > 0)
			return false;
		removal->old[removal->count++] = *partition;
	}
	return true;
}

static bool
open_ended_first_stays(const Partitioned *table)
{
	const Partition *open_end = iuid_open_ended_first(table);

	return open_end != NULL && !iuid_may_have_movable_rows(open_end->table);
}

/*
 * Whether a partition with this upper bound has no key of older_than or later.
 * The upper bound need not be the first key of a millisecond: the smallest
 * iuid of a millisecond is greater than all keys of the milliseconds before.
 */
static bool
is_old(TimestampTz older_than, const Iuid *upper)
{
	/* From the year 294247 on, the difference would overflow. */
	TimestampTz at = Min(older_than, iuid_ms_to_timestamp(IUID_MS_MAX));
	int64 ms = (at - IUID_UNIX_EPOCH) / IUID_USECS_PER_MS;
	Iuid limit = iuid_make(ms, IUID_LAYOUT_TIME, 0, 0, 0);

	return older_than >= IUID_UNIX_EPOCH && iuid_compare(upper, &limit) <= 0;
}

/*
 * Adds the locks for removing partitions.  DETACH removes the partition's part
 * of the foreign keys that refer to the parent, and gives the partition its own
 * foreign keys to the tables that the parent refers to; DROP then removes those
 * again.  If no foreign key refers to the parent, DROP alone is enough, and it
 * locks none of the tables that foreign keys join to the parent.
 */
List *
iuid_add_locks_of_removal(List *locks, Removal *removal, const Partitioned *table)
{
	const Partition *open_end = iuid_open_ended_first(table);
	List *referring;
	ListCell *lc;

	if (removal->count == 0)
		return locks;
	referring = iuid_add_referring_locks(NIL, table->table, AccessExclusiveLock);

	/* A table that refers to itself is in this list, too. */
	removal->referred = referring != NIL;
	removal->is_open_ended = open_end != NULL;
	locks = iuid_add_lock(locks, table->table, AccessExclusiveLock);
	for (int i = 0; i < removal->count; i++)
	{
		Oid partition = removal->old[i].table;

		if (!removal->drop)
		{
			locks = iuid_add_lock_of_all(locks, partition, AccessExclusiveLock);
			continue;
		}
		locks = iuid_add_locks_of_drop(locks, partition);
		foreach (lc, iuid_tables_below(partition))
			locks = iuid_add_own_referred_locks(locks, lfirst_oid(lc),
												AccessExclusiveLock);
	}
	if (OidIsValid(table->default_partition))
		locks =
			iuid_add_lock(locks, table->default_partition, AccessExclusiveLock);
	if (open_end != NULL)
		locks = iuid_add_lock(locks, open_end->table, AccessExclusiveLock);
	if (!removal->drop || open_end != NULL)
		locks =
			iuid_add_referred_locks(locks, table->table, ShareRowExclusiveLock);
	if (removal->drop && removal->referred)
		locks = iuid_add_referred_locks(locks, table->table, AccessExclusiveLock);
	foreach (lc, referring)
		locks = iuid_add_lock(locks, ((TableLock *) lfirst(lc))->table,
							  AccessExclusiveLock);
	return iuid_add_locks_above(locks, table->table);
}

void
iuid_remove(const Removal *removal, const Partitioned *table,
			ReturnSetInfo *rsinfo, PartitionReport report)
{
	const char *action = removal->drop ? "dropped" : "detached";
	bool removed = false;

	for (int i = 0; i < removal->count; i++)
	{
		Oid partition = removal->old[i].table;
		char *name = iuid_qualified_name(partition);
		const char *at;

		if (!remove_one(removal, table->table, partition))
			continue;
		removed = true;
		at = iuid_time_text(iuid_time_of_bound(&removal->old[i].upper));
		ereport(NOTICE,
				(removal->drop ?
					 errmsg("dropped partition %s, which ended at %s", name, at) :
					 errmsg("detached partition %s, which ended at %s", name,
							at)));
		report(rsinfo, action, partition, name);
	}
	if (removed && removal->is_open_ended)
		cover_removed(removal, table);
}

/*
 * Covers what was removed, up to the first partition that is left, by the
 * open-ended first partition, or by a new one if that was removed, too.  If
 * the DEFAULT partition has rows there, which came in through a gap, it is the
 * one to cover that.
 */
static void
cover_removed(const Removal *removal, const Partitioned *table)
{
	Partitioned *left =
		iuid_read_partitioned(table->table, table->order, table->schema);
	const Partition *open_end = iuid_open_ended_first(left);
	int next = open_end == NULL ? 0 : 1;
	Iuid bound = iuid_nil;
	NewPartition covered;

	for (int i = 0; i < removal->count; i++)
	{
		if (iuid_compare(&removal->old[i].upper, &bound) > 0)
			bound = removal->old[i].upper;
	}
	if (next < left->count)
		bound = left->partitions[next].lower;
	covered =
		(NewPartition){ .lower = open_end == NULL ? iuid_nil : open_end->upper,
						.upper = bound };
	if (OidIsValid(left->default_partition) &&
		iuid_default_has_rows(left, &covered, 1))
		return;
	if (open_end == NULL)
		iuid_create_open_ended_first(left, &bound);
	else if (iuid_compare(&open_end->upper, &bound) < 0)
		iuid_move_bound(left, open_end, &bound);
}

/*
 * Removes a partition.  If something else needs it, or it has another owner,
 * the partition stays, with a WARNING, and the result is false.  The server
 * locks what needs the partition, such as a view, before it says so.  That is
 * in no list of locks, so it is not waited for.
 */
static bool
remove_one(const Removal *removal, Oid parent, Oid partition)
{
	RemovalOfOne one = { .removal = removal,
						 .parent = parent,
						 .partition = partition };
	char *name = iuid_qualified_name(partition);
	bool in_use;
	ErrorData *error;

	if (iuid_try(remove_partition, &one, &error))
		return true;
	in_use = error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE ||
		error->sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED;
	if (!in_use && error->sqlerrcode != ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST &&
		error->sqlerrcode != ERRCODE_FOREIGN_KEY_VIOLATION &&
		error->sqlerrcode != ERRCODE_INSUFFICIENT_PRIVILEGE)
		ReThrowError(error);
	ereport(WARNING,
			(errcode(error->sqlerrcode),
			 in_use ?
				 errmsg("partition %s stays: something that needs it is in use",
						name) :
				 errmsg("partition %s stays: %s", name, error->message),
			 !in_use && error->detail ? errdetail("%s", error->detail) : 0,
			 in_use ? errhint("Call this again later.") :
				 error->sqlerrcode != ERRCODE_INSUFFICIENT_PRIVILEGE ?
					  errhint("Remove what needs it, and call this again.") :
					  0));
	return false;
}

/*
 * If foreign keys refer to the parent, DETACH checks that none of them refers
 * to a row of the partition.  Otherwise DROP alone is enough, and takes fewer
 * locks.
 */
static bool
remove_partition(void *arg)
{
	const RemovalOfOne *one = arg;

	iuid_wait_at_most(WAIT_FOR_WHAT_NEEDS_IT_MS);
	if (one->removal->referred || !one->removal->drop)
		iuid_detach(one->parent, one->partition);
	if (one->removal->drop)
		iuid_drop(one->partition);
	return true;
}
