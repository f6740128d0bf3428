/*-------------------------------------------------------------------------
 *
 * maintenance.c
 *	  Makes and removes time partitions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "datum.h"
#include "lock.h"
#include "maintenance.h"
#include "owner.h"
#include "subtransaction.h"

/* The start of the year 10889, in which the 48 bits end. */
#define LAST_BOUND_MS INT64CONST(281456553600000)

typedef struct Removal
{
	const Maintenance *work;
	Oid partition;
} Removal;

static List *plan_work(void *arg);
static List *add_locks_of_removal(List *locks, Maintenance *work);
static void plan_new(Maintenance *work);
static void add_new(Maintenance *work, Iuid lower, Iuid upper);
static TimestampTz first_time_of(const Iuid *lower);
static void plan_old(Maintenance *work);
static bool is_old(const Maintenance *work, const Iuid *upper);
static void create_all(Maintenance *work, ReturnSetInfo *rsinfo,
					   MaintenanceReport report);
static void remove_all(Maintenance *work, ReturnSetInfo *rsinfo,
					   MaintenanceReport report);
static bool remove_one(const Maintenance *work, Oid partition);
static bool remove_partition(void *arg);
static void report_nothing(ReturnSetInfo *rsinfo, const char *action,
						   Oid partition, const char *name);

void
iuid_maintain(Maintenance *work, ReturnSetInfo *rsinfo, MaintenanceReport report)
{
	Restricted saved;

	iuid_check_owner(work->parent);
	saved = iuid_become_owner(work->parent);

	/* An error of the table is to be raised before one of its locks. */
	(void) iuid_read_partitioned(work->parent, ORDER_OF_TIME, work->schema);
	work->limit = iuid_tables_per_call(work->parent);
	work->where = pg_prng_double(&pg_global_prng_state);
	iuid_take_locks(plan_work, work);
	create_all(work, rsinfo, report);
	remove_all(work, rsinfo, report);
	iuid_return(&saved);

	if (work->unfinished)
		ereport(WARNING,
				(errmsg("not all partitions of %s could be made or removed in one call",
						iuid_qualified_name(work->parent)),
				 errdetail("%d were made, and %d removed: more would need too many locks.",
						   work->new_count, work->old_count),
				 errhint(
					 "Call it again, in another transaction: it goes on from there.")));
}

/*
 * Plans the work, and returns the locks for it.  Until the locks are held, the
 * table may get another owner, so each plan checks the owner, too.
 */
static List *
plan_work(void *arg)
{
	Maintenance *work = arg;
	List *locks = NIL;

	iuid_check_owner(work->parent);
	work->table =
		iuid_read_partitioned(work->parent, ORDER_OF_TIME, work->schema);
	work->unfinished = false;
	plan_new(work);
	plan_old(work);

	if (work->old_count > 0)
		locks = add_locks_of_removal(locks, work);
	if (work->new_count > 0)
		locks = iuid_add_locks_of_attach(locks, work->table);
	return locks;
}

/*
 * Adds the locks for removing partitions.  DETACH removes the partition's part
 * of the foreign keys that refer to the parent, and gives the partition its own
 * foreign keys to the tables that the parent refers to; DROP then removes those
 * again.  If no foreign key refers to the parent, DROP alone is enough, and it
 * locks none of the tables that foreign keys join to the parent.
 */
static List *
add_locks_of_removal(List *locks, Maintenance *work)
{
	List *referring =
		iuid_add_referring_locks(NIL, work->parent, AccessExclusiveLock);
	ListCell *lc;

	/* A table that refers to itself is in this list, too. */
	work->referred = referring != NIL;
	locks = iuid_add_lock(locks, work->parent, AccessExclusiveLock);
	for (int i = 0; i < work->old_count; i++)
	{
		List *tables = iuid_tables_below(work->old[i].table);

		foreach (lc, tables)
		{
			locks = iuid_add_lock(locks, lfirst_oid(lc), AccessExclusiveLock);
			if (work->drop)
				locks = iuid_add_own_referred_locks(locks, lfirst_oid(lc),
													AccessExclusiveLock);
		}
	}
	if (OidIsValid(work->table->default_partition))
		locks = iuid_add_lock(locks, work->table->default_partition,
							  AccessExclusiveLock);
	if (!work->drop)
		locks =
			iuid_add_referred_locks(locks, work->parent, ShareRowExclusiveLock);
	else if (work->referred)
		locks = iuid_add_referred_locks(locks, work->parent, AccessExclusiveLock);
	foreach (lc, referring)
		locks = iuid_add_lock(locks, ((TableLock *) lfirst(lc))->table,
							  AccessExclusiveLock);
	return iuid_add_locks_above(locks, work->parent);
}

/* Plans new partitions, in whole steps, for what no partition covers. */
static void
plan_new(Maintenance *work)
{
	const Partitioned *table = work->table;
	TimestampTz start, stop;
	Iuid covered, end;

	work->new_count = 0;
	/* As first is not before 1970, a last time before 1970 ends here, too. */
	if (!work->create || work->last < work->first)
		return;
	work->new = palloc(sizeof(NewPartition) * work->limit);

	/* The first step can begin before 1970. */
	start = Max(iuid_step_start(&work->step, work->first), IUID_UNIX_EPOCH);
	stop = iuid_step_start(&work->step, work->last);
	if (stop < work->last)
		stop = iuid_step_add(&work->step, stop, 1);
	covered = iuid_bound_at(table, start);
	end = iuid_bound_at(table, stop);

	for (int i = 0; i <= table->count; i++)
	{
		const Partition *next = i < table->count ? &table->partitions[i] : NULL;

		if (next == NULL || iuid_compare(&next->lower, &end) >= 0)
		{
			add_new(work, covered, end);
			break;
		}
		add_new(work, covered, next->lower);
		if (iuid_compare(&next->upper, &covered) > 0)
			covered = next->upper;
	}
}

/* Plans the new partitions of a gap, one for each step. */
static void
add_new(Maintenance *work, Iuid lower, Iuid upper)
{
	while (iuid_compare(&lower, &upper) < 0)
	{
		TimestampTz start = iuid_step_start(&work->step, first_time_of(&lower));
		Iuid next =
			iuid_bound_at(work->table, iuid_step_add(&work->step, start, 1));

		if (iuid_compare(&next, &upper) > 0)
			next = upper;
		if (work->new_count == work->limit)
		{
			work->unfinished = true;
			return;
		}
		work->new[work->new_count++] =
			(NewPartition){ .lower = lower, .upper = next };
		lower = next;
	}
}

/* The smallest uuid of 1970 is Nil; as a bound, Nil has an infinite time. */
static TimestampTz
first_time_of(const Iuid *lower)
{
	return Max(iuid_time_of_bound(lower), IUID_UNIX_EPOCH);
}

/*
 * Plans to remove the partitions that ended at or before older_than.  If they
 * are too many for one call, the call begins with any of them, at random.
 * Otherwise each call would try the same ones, and if these have to stay,
 * because something needs them, no call would get to the others.
 */
static void
plan_old(Maintenance *work)
{
	const Partitioned *table = work->table;
	int tables = work->new_count;
	int count = 0;
	int first;

	work->old_count = 0;
	if (!work->remove)
		return;
	while (count < table->count && is_old(work, &table->partitions[count].upper))
		tables +=
			list_length(iuid_tables_below(table->partitions[count++].table));
	first = tables > work->limit ? (int) (work->where * count) : 0;

	tables = work->new_count;
	work->old = palloc(sizeof(Partition) * work->limit);
	for (int i = 0; i < count; i++)
	{
		const Partition *partition = &table->partitions[(first + i) % count];

		tables += list_length(iuid_tables_below(partition->table));
		if (tables > work->limit && work->old_count > 0)
		{
			work->unfinished = true;
			return;
		}
		work->old[work->old_count++] = *partition;
	}
}

/*
 * Whether a partition with this upper bound has no key of older_than or later.
 * The upper bound need not be the first key of a millisecond: the smallest
 * iuid of a millisecond is greater than all keys of the milliseconds before.
 */
static bool
is_old(const Maintenance *work, const Iuid *upper)
{
	int64 ms = (work->older_than - IUID_UNIX_EPOCH) / IUID_USECS_PER_MS;
	Iuid limit = iuid_make(Min(ms, IUID_MS_MAX), IUID_LAYOUT_TIME, 0, 0, 0);

	return work->older_than >= IUID_UNIX_EPOCH &&
		iuid_compare(upper, &limit) <= 0;
}

static void
create_all(Maintenance *work, ReturnSetInfo *rsinfo, MaintenanceReport report)
{
	char *base = get_rel_name(work->parent);

	for (int i = 0; i < work->new_count; i++)
	{
		char suffix[IUID_STEP_NAME_LEN];

		iuid_step_name(&work->step, first_time_of(&work->new[i].lower), suffix);
		work->new[i].table =
			iuid_create_like(work->parent, iuid_shortened_name(base, suffix), "");
	}
	iuid_attach(work->table, work->new, work->new_count);
	for (int i = 0; i < work->new_count; i++)
		report(rsinfo, "created", work->new[i].table,
			   iuid_qualified_name(work->new[i].table));
}

static void
remove_all(Maintenance *work, ReturnSetInfo *rsinfo, MaintenanceReport report)
{
	const char *action = work->drop ? "dropped" : "detached";

	for (int i = 0; i < work->old_count; i++)
	{
		Oid partition = work->old[i].table;
		char *name = iuid_qualified_name(partition);

		if (!remove_one(work, partition))
			continue;
		ereport(NOTICE,
				(errmsg("%s partition %s, which ended at %s", action, name,
						iuid_time_text(iuid_time_of_bound(&work->old[i].upper)))));
		report(rsinfo, action, partition, name);
	}
}

/*
 * Removes a partition.  If something else needs it, or it has another owner,
 * the partition stays, with a WARNING, and the result is false.
 */
static bool
remove_one(const Maintenance *work, Oid partition)
{
	Removal removal = { .work = work, .partition = partition };
	char *name = iuid_qualified_name(partition);
	ErrorData *error;

	if (iuid_try(remove_partition, &removal, &error))
		return true;
	if (error->sqlerrcode != ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST &&
		error->sqlerrcode != ERRCODE_FOREIGN_KEY_VIOLATION &&
		error->sqlerrcode != ERRCODE_INSUFFICIENT_PRIVILEGE)
		ReThrowError(error);
	ereport(WARNING,
			(errcode(error->sqlerrcode),
			 errmsg("partition %s stays: %s", name, error->message),
			 error->detail ? errdetail("%s", error->detail) : 0,
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
	const Removal *removal = arg;
	const Maintenance *work = removal->work;
	char *name = iuid_qualified_name(removal->partition);
	const char *kind =
		get_rel_relkind(removal->partition) == RELKIND_FOREIGN_TABLE ?
		"FOREIGN TABLE" :
		"TABLE";

	if (work->referred || !work->drop)
		iuid_execute("ALTER TABLE %s DETACH PARTITION %s",
					 iuid_qualified_name(work->parent), name);
	if (work->drop)
		iuid_execute("DROP %s %s", kind, name);
	return true;
}

void
iuid_cover_present(Oid table, Oid schema, const Step *step)
{
	Maintenance work = { .parent = table,
						 .schema = schema,
						 .create = true,
						 .step = *step,
						 .limit = IUID_AHEAD_MAX };

	work.table = iuid_read_partitioned(table, ORDER_OF_TIME, schema);
	iuid_maintained_span(work.table, step, IUID_AHEAD_DEFAULT, &work.first,
						 &work.last);
	plan_new(&work);
	create_all(&work, NULL, report_nothing);
}

static void
report_nothing(ReturnSetInfo *rsinfo pg_attribute_unused(),
			   const char *action pg_attribute_unused(),
			   Oid partition pg_attribute_unused(),
			   const char *name pg_attribute_unused())
{
}

void
iuid_maintained_span(const Partitioned *table, const Step *step, int ahead,
					 TimestampTz *first, TimestampTz *last)
{
	TimestampTz now = GetCurrentTransactionStartTimestamp();

	*first = DT_NOBEGIN;
	for (int i = 0; i < table->count; i++)
	{
		TimestampTz upper = iuid_time_of_bound(&table->partitions[i].upper);

		if (upper < now)
			*first = Max(*first, upper);
	}
	if (*first == DT_NOBEGIN)
		*first = now;
	*last = iuid_step_add(step, iuid_step_start(step, now), ahead + 1);
	iuid_check_span(*first, *last);
}

void
iuid_check_span(TimestampTz first, TimestampTz last)
{
	if (first < IUID_UNIX_EPOCH || TIMESTAMP_IS_NOEND(first) ||
		TIMESTAMP_IS_NOBEGIN(last) || last > iuid_ms_to_timestamp(LAST_BOUND_MS))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("time partitions from %s to %s are out of range for type %s",
						iuid_time_text(first), iuid_time_text(last), "iuid"),
				 errdetail("An iuid holds times from 1970 to the year 10889."),
				 errhint("Give finite times within that range.")));
}
