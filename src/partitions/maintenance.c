/*-------------------------------------------------------------------------
 *
 * maintenance.c
 *	  Makes and removes time partitions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

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
#include "name.h"
#include "open_end.h"
#include "owner.h"
#include "relation.h"
#include "time_check.h"

/* The start of the year 10889, in which the 48 bits end. */
#define LAST_BOUND_MS INT64CONST(281456553600000)

static List *plan_work(void *arg);
static void plan_missing(Maintenance *work);
static bool is_same_time(const Maintenance *work, const Iuid *a, const Iuid *b);
static void add_missing(Maintenance *work, Iuid lower, Iuid upper);
static void add_missing_below(Maintenance *work, Iuid lower, Iuid upper);
static TimestampTz first_time_of(const Iuid *lower);
static char *suffix_of(const Maintenance *work, const NewPartition *partition);
static void create_all(Maintenance *work, ReturnSetInfo *rsinfo,
					   PartitionReport report);
static void report_nothing(ReturnSetInfo *rsinfo, const char *action,
						   Oid partition, const char *name);

void
iuid_maintain(Maintenance *work, ReturnSetInfo *rsinfo, PartitionReport report)
{
	SavedUser saved;
	char *name;

	iuid_check_owner(work->parent);
	saved = iuid_become_owner(work->parent);
	work->removal.random = pg_prng_double(&pg_global_prng_state);
	iuid_take_locks(work->parent, plan_work, work);
	name = iuid_qualified_name(work->parent);
	create_all(work, rsinfo, report);
	if (work->remove)
		iuid_remove(&work->removal, work->table, rsinfo, report);
	iuid_check_name(work->parent, name);
	iuid_restore_user(&saved);

	if (work->unfinished)
		ereport(WARNING,
				(errmsg("not all partitions of %s could be made or removed in one call",
						iuid_qualified_name(work->parent)),
				 errdetail("Partitions made: %d.  Partitions removed: %d.  More would need too many locks.",
						   work->count, work->remove ? work->removal.count : 0),
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
		iuid_read_partitioned(work->parent, KEY_ORDER_TIME, work->schema);
	if (work->time_checks)
		iuid_require_time_key(work->table);
	work->limit =
		iuid_tables_per_call(work->parent, work->remove && work->removal.drop);
	work->unfinished = false;
	if (work->to_present)
		iuid_maintained_span(work->table, &work->step, work->ahead,
							 &work->first, &work->last);
	if (work->to_present && work->remove)
		work->first = Max(work->first, work->removal.older_than);
	plan_missing(work);
	if (work->remove)
	{
		if (!iuid_plan_removal(&work->removal, work->table,
							   work->limit - work->count))
			work->unfinished = true;
		locks = iuid_add_locks_of_removal(locks, &work->removal, work->table);
	}
	if (work->count > 0)
		locks = iuid_add_locks_of_attach(locks, work->table, work->missing,
										 work->count);
	return locks;
}

static Iuid
larger(Iuid a, Iuid b)
{
	return iuid_compare(&a, &b) > 0 ? a : b;
}

static Iuid
smaller(Iuid a, Iuid b)
{
	return iuid_compare(&a, &b) < 0 ? a : b;
}

/*
 * Plans new partitions, in whole steps, for what no partition covers.  An
 * open-ended partition covers nothing: new ones are carved out of it.
 */
static void
plan_missing(Maintenance *work)
{
	const Partitioned *table = work->table;
	const Partition *first = iuid_open_ended_first(table);
	const Partition *last = iuid_open_ended_last(table);
	int i = 0, count = table->count;
	TimestampTz start, stop;
	Iuid covered, end;

	work->count = 0;
	/* As first is not before 1970, a last time before 1970 ends here, too. */
	if (!work->create || work->last < work->first)
		return;
	work->missing = palloc(sizeof(NewPartition) * work->limit);

	/* The first step can begin before 1970. */
	start = Max(iuid_step_start(&work->step, work->first), IUID_UNIX_EPOCH);
	stop = iuid_step_start(&work->step, work->last);
	if (stop < work->last)
		stop = iuid_step_add(&work->step, stop, 1);
	/* If no step is asked for, none is made up to an open end either. */
	if (stop <= start)
		return;
	covered = iuid_bound_at(table, start);
	end = iuid_bound_at(table, stop);

	/* What is carved out of an open-ended partition leaves no gap to it. */
	if (first != NULL)
	{
		add_missing_below(work, covered, first->upper);
		covered = larger(covered, first->upper);
		i++;
	}
	if (last != NULL)
	{
		covered = smaller(covered, last->lower);
		count--;
	}

	for (; i <= count; i++)
	{
		const Partition *next = i < count ? &table->partitions[i] : NULL;

		if (next == NULL || iuid_compare(&next->lower, &end) >= 0)
		{
			add_missing(work, covered, end);
			break;
		}
		add_missing(work, covered, next->lower);
		covered = larger(covered, next->upper);
	}
}

/*
 * Whether two bounds are both the first of the same millisecond.  For a key of
 * type uuid there are two of these, and between them is no step.
 */
static bool
is_same_time(const Maintenance *work, const Iuid *a, const Iuid *b)
{
	return iuid_get_ms(a) == iuid_get_ms(b) &&
		iuid_is_first_of_millisecond(work->table, a) &&
		iuid_is_first_of_millisecond(work->table, b);
}

/* Plans the new partitions of a gap, one for each step. */
static void
add_missing(Maintenance *work, Iuid lower, Iuid upper)
{
	while (iuid_compare(&lower, &upper) < 0)
	{
		TimestampTz start = iuid_step_start(&work->step, first_time_of(&lower));
		Iuid next =
			iuid_bound_at(work->table, iuid_step_add(&work->step, start, 1));

		if (iuid_compare(&next, &upper) > 0 || is_same_time(work, &next, &upper))
			next = upper;
		if (work->count == work->limit)
		{
			work->unfinished = true;
			return;
		}
		work->missing[work->count++] =
			(NewPartition){ .lower = lower, .upper = next };
		lower = next;
	}
}

/*
 * Plans the new partitions below an upper bound, one for each step, and down to
 * a lower bound.  If there are too many, those next to the upper bound come
 * first.
 */
static void
add_missing_below(Maintenance *work, Iuid lower, Iuid upper)
{
	int from = work->count;

	while (iuid_compare(&lower, &upper) < 0)
	{
		/* The last time below the upper bound. */
		TimestampTz time = iuid_time_of_bound(&upper);
		Iuid next;

		if (iuid_is_first_of_millisecond(work->table, &upper))
			time -= IUID_USECS_PER_MS;
		next = iuid_bound_at(work->table,
							 Max(iuid_step_start(&work->step, time),
								 IUID_UNIX_EPOCH));
		next = larger(next, lower);
		if (work->count == work->limit)
		{
			work->unfinished = true;
			break;
		}
		work->missing[work->count++] =
			(NewPartition){ .lower = next, .upper = upper };
		upper = next;
	}
	for (int i = from, j = work->count - 1; i < j; i++, j--)
	{
		NewPartition swapped = work->missing[i];

		work->missing[i] = work->missing[j];
		work->missing[j] = swapped;
	}
}

/* The smallest uuid of 1970 is Nil; as a bound, Nil has an infinite time. */
static TimestampTz
first_time_of(const Iuid *lower)
{
	return Max(iuid_time_of_bound(lower), IUID_UNIX_EPOCH);
}

/*
 * The suffix of the name of a new partition: its lower bound.  Of the partitions
 * that begin in one millisecond, only the last one ends in another.  The others
 * get the bits that follow the time, too.
 */
static char *
suffix_of(const Maintenance *work, const NewPartition *partition)
{
	char *name = iuid_step_name(&work->step, first_time_of(&partition->lower));
	char *text = iuid_text_of_bound(&partition->lower);

	if (iuid_get_ms(&partition->lower) != iuid_get_ms(&partition->upper))
		return name;
	return psprintf("%s_%.4s%.4s%s", name, text + 14, text + 19, text + 24);
}

static void
create_all(Maintenance *work, ReturnSetInfo *rsinfo, PartitionReport report)
{
	char *base = iuid_relation_name(work->parent);

	for (int i = 0; i < work->count; i++)
	{
		char *suffix = suffix_of(work, &work->missing[i]);

		work->missing[i].table =
			iuid_create_like(work->parent, iuid_shortened_name(base, suffix), "");
		if (work->time_checks)
			iuid_add_time_check(work->table, &work->missing[i]);
	}
	iuid_attach(work->table, work->missing, work->count);
	for (int i = 0; i < work->count; i++)
		report(rsinfo, "created", work->missing[i].table,
			   iuid_qualified_name(work->missing[i].table));
}

void
iuid_cover_present(Oid table, Oid schema, const Step *step, bool time_checks)
{
	Maintenance work = { .parent = table,
						 .schema = schema,
						 .create = true,
						 .step = *step,
						 .time_checks = time_checks,
						 .limit = IUID_AHEAD_MAX };

	work.table = iuid_read_partitioned(table, KEY_ORDER_TIME, schema);
	iuid_maintained_span(work.table, step, IUID_AHEAD_DEFAULT, &work.first,
						 &work.last);
	plan_missing(&work);
	create_all(&work, NULL, report_nothing);
	iuid_create_open_ended_first(work.table, &work.missing[0].lower);
	iuid_create_open_ended_last(work.table, &work.missing[work.count - 1].upper);
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
