/*-------------------------------------------------------------------------
 *
 * partition.c
 *	  Time partitions come and go: the functions in SQL.
 *
 * Each call finds out what is to be done, takes all the locks for that, looks
 * again, and does it.  What another call did meanwhile is not done twice.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "datum.h"
#include "lock.h"
#include "owner.h"
#include "partition.h"

/* What a table's partitions are to become; then, what that takes. */
typedef struct Work
{
	Oid parent;
	Oid schema; /* of the extension */

	bool create; /* those missing from first up to last, in whole steps */
	Step step;
	TimestampTz first;
	TimestampTz last;

	bool remove; /* those that ended before, by DROP or DETACH */
	bool drop;
	TimestampTz older_than;

	int limit; /* how many in one call */
	Partitioned *table;
	NewPartition *new;
	int new_count;
	Partition *old;
	int old_count;
	bool unfinished; /* there are more than the limit */
} Work;

typedef void (*Report)(ReturnSetInfo *rsinfo, const char *action, Oid partition,
					   const char *name);

static void reject_nulls(FunctionCallInfo fcinfo, int count, const char *hint);
static void maintained_span(const Partitioned *table, const Step *step,
							int ahead, TimestampTz *first, TimestampTz *last);
static void check_span(TimestampTz first, TimestampTz last);
static void check_limit_of_age(TimestampTz older_than);
static void do_work(FunctionCallInfo fcinfo, Work *work, Report report);
static List *plan_work(void *arg);
static void plan_new(Work *work);
static void add_new(Work *work, Iuid lower, Iuid upper);
static void plan_old(Work *work);
static void create_all(Work *work, ReturnSetInfo *rsinfo, Report report);
static void remove_all(Work *work, ReturnSetInfo *rsinfo, Report report);
static bool remove_one(const Work *work, Oid partition, bool referred);
static void report_nothing(ReturnSetInfo *rsinfo, const char *action,
						   Oid partition, const char *name);
static void report_table(ReturnSetInfo *rsinfo, const char *action,
						 Oid partition, const char *name);
static void report_name(ReturnSetInfo *rsinfo, const char *action,
						Oid partition, const char *name);
static void report_action(ReturnSetInfo *rsinfo, const char *action,
						  Oid partition, const char *name);

/*
 * iuid_create_partitions(parent, step, first, last): the time partitions that
 * are missing, and the rows that wait for them.
 */
PG_FUNCTION_INFO_V1(iuid_create_partitions);
Datum
iuid_create_partitions(PG_FUNCTION_ARGS)
{
	Work work = { .create = true };

	reject_nulls(fcinfo, 4,
				 "Give the table, the step, the first time and the time at which to end.");
	work.parent = PG_GETARG_OID(0);
	work.step = iuid_step(PG_GETARG_INTERVAL_P(1));
	work.first = PG_GETARG_TIMESTAMPTZ(2);
	work.last = PG_GETARG_TIMESTAMPTZ(3);
	check_span(work.first, work.last);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	do_work(fcinfo, &work, report_table);
	return (Datum) 0;
}

/* iuid_drop_partitions(parent, older_than): those that ended before a time go. */
PG_FUNCTION_INFO_V1(iuid_drop_partitions);
Datum
iuid_drop_partitions(PG_FUNCTION_ARGS)
{
	Work work = { .remove = true, .drop = true };

	reject_nulls(fcinfo, 2,
				 "Give the table, and the time before which its partitions are dropped.");
	work.parent = PG_GETARG_OID(0);
	work.older_than = PG_GETARG_TIMESTAMPTZ(1);
	check_limit_of_age(work.older_than);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	do_work(fcinfo, &work, report_name);
	return (Datum) 0;
}

/* iuid_detach_partitions(parent, older_than): they leave the parent, and stay. */
PG_FUNCTION_INFO_V1(iuid_detach_partitions);
Datum
iuid_detach_partitions(PG_FUNCTION_ARGS)
{
	Work work = { .remove = true, .drop = false };

	reject_nulls(fcinfo, 2,
				 "Give the table, and the time before which its partitions are detached.");
	work.parent = PG_GETARG_OID(0);
	work.older_than = PG_GETARG_TIMESTAMPTZ(1);
	check_limit_of_age(work.older_than);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	do_work(fcinfo, &work, report_table);
	return (Datum) 0;
}

/*
 * iuid_maintain_partitions(parent, step, ahead, keep): from the last partition
 * to the present and some steps more; what ended longer ago than keep goes.
 */
PG_FUNCTION_INFO_V1(iuid_maintain_partitions);
Datum
iuid_maintain_partitions(PG_FUNCTION_ARGS)
{
	Work work = { .create = true, .drop = true };
	int ahead = PG_ARGISNULL(2) ? -1 : PG_GETARG_INT32(2);
	TimestampTz now = GetCurrentTransactionStartTimestamp();

	reject_nulls(fcinfo, 2, "Give the table and the step.");
	if (ahead < 0 || ahead > IUID_AHEAD_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of steps to make ahead is out of range"),
				 errdetail("It is a number from 0 to %d.", IUID_AHEAD_MAX)));
	work.parent = PG_GETARG_OID(0);
	work.schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	work.step = iuid_step(PG_GETARG_INTERVAL_P(1));

	iuid_check_owner(work.parent);
	maintained_span(iuid_read_partitioned(work.parent, ORDER_OF_TIME, work.schema),
					&work.step, ahead, &work.first, &work.last);
	if (!PG_ARGISNULL(3))
	{
		/* Without a time zone, which is UTC. */
		work.remove = true;
		work.older_than = DatumGetTimestamp(
			DirectFunctionCall2(timestamp_mi_interval, TimestampGetDatum(now),
								PG_GETARG_DATUM(3)));
		if (work.older_than >= now || TIMESTAMP_NOT_FINITE(work.older_than))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the time to keep partitions for must end in the past"),
					 errdetail("From now, it is up to %s.",
							   iuid_time_text(work.older_than)),
					 errhint(
						 "Give a positive interval, or NULL to keep everything.")));
		work.first = Max(work.first, work.older_than);
	}

	InitMaterializedSRF(fcinfo, 0);
	do_work(fcinfo, &work, report_action);
	return (Datum) 0;
}

/* The table is new, and nobody else's yet. */
void
iuid_cover_present(Oid table, Oid schema, const Step *step)
{
	Work work = { .parent = table,
				  .schema = schema,
				  .create = true,
				  .step = *step,
				  .limit = IUID_AHEAD_MAX };

	work.table = iuid_read_partitioned(table, ORDER_OF_TIME, schema);
	maintained_span(work.table, step, IUID_AHEAD_DEFAULT, &work.first,
					&work.last);
	plan_new(&work);
	create_all(&work, NULL, report_nothing);
}

/* From where the last partition ended, if that is in the past: no gap is left. */
static void
maintained_span(const Partitioned *table, const Step *step, int ahead,
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
	check_span(*first, *last);
}

static void
reject_nulls(FunctionCallInfo fcinfo, int count, const char *hint)
{
	for (int i = 0; i < count; i++)
	{
		if (PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("arguments of %s must not be null",
							get_func_name(fcinfo->flinfo->fn_oid)),
					 errhint("%s", hint)));
	}
}

static void
check_span(TimestampTz first, TimestampTz last)
{
	if (first < IUID_UNIX_EPOCH || TIMESTAMP_IS_NOEND(first) ||
		TIMESTAMP_IS_NOBEGIN(last) ||
		last > iuid_ms_to_timestamp(IUID_LAST_BOUND_MS))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("time partitions from %s to %s are out of range for type %s",
						iuid_time_text(first), iuid_time_text(last), "iuid"),
				 errdetail("An iuid holds times from 1970 to the year 10889."),
				 errhint("Give finite times within that range.")));
}

static void
check_limit_of_age(TimestampTz older_than)
{
	if (TIMESTAMP_NOT_FINITE(older_than))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("time %s is out of range for removing partitions",
						iuid_time_text(older_than)),
				 errhint("Give a finite time: what ended before it is removed.")));
}

static void
do_work(FunctionCallInfo fcinfo, Work *work, Report report)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Restricted saved;

	work->schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	iuid_check_owner(work->parent);
	saved = iuid_become_owner(work->parent);

	/* What is wrong with the table comes before what is wrong with its locks. */
	(void) iuid_read_partitioned(work->parent, ORDER_OF_TIME, work->schema);
	work->limit = iuid_tables_per_call(work->parent);
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

/* What there is to do, and the locks for it. The owner may have changed, too. */
static List *
plan_work(void *arg)
{
	Work *work = arg;
	List *locks = NIL;

	iuid_check_owner(work->parent);
	work->table =
		iuid_read_partitioned(work->parent, ORDER_OF_TIME, work->schema);
	work->unfinished = false;
	plan_new(work);
	plan_old(work);

	if (work->old_count > 0)
	{
		locks = iuid_add_lock(locks, work->parent, AccessExclusiveLock);
		for (int i = 0; i < work->old_count; i++)
			locks = iuid_add_lock_of_all(locks, work->old[i].table,
										 AccessExclusiveLock);
		if (OidIsValid(work->table->default_partition))
			locks = iuid_add_lock(locks, work->table->default_partition,
								  AccessExclusiveLock);
		/* Foreign keys lose a part each, on both tables. */
		locks =
			iuid_add_referring_locks(locks, work->parent, AccessExclusiveLock);
		locks = iuid_add_referred_locks(locks, work->parent, AccessExclusiveLock);
	}
	if (work->new_count > 0)
		locks = iuid_add_locks_of_attach(locks, work->table);
	return locks;
}

/* What no partition covers of the whole steps between first and last. */
static void
plan_new(Work *work)
{
	const Partitioned *table = work->table;
	TimestampTz start, stop;
	Iuid covered, end;

	work->new_count = 0;
	if (!work->create)
		return;
	work->new = palloc(sizeof(NewPartition) * work->limit);

	/* The first step can begin before there are times. */
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

/* A gap, step by step. */
static void
add_new(Work *work, Iuid lower, Iuid upper)
{
	while (iuid_compare(&lower, &upper) < 0)
	{
		TimestampTz start =
			iuid_step_start(&work->step, iuid_time_of_bound(&lower));
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

/* Those that hold nothing of the time or later, whatever their exact bound. */
static void
plan_old(Work *work)
{
	const Partitioned *table = work->table;

	work->old_count = 0;
	if (!work->remove)
		return;
	work->old = palloc(sizeof(Partition) * work->limit);
	for (int i = 0; i < table->count; i++)
	{
		const Iuid *upper = &table->partitions[i].upper;
		Iuid next_millisecond =
			iuid_make(iuid_get_ms(upper), IUID_LAYOUT_TIME, 0, 0, 0);

		if (iuid_time_of_bound(upper) > work->older_than ||
			iuid_compare(upper, &next_millisecond) > 0)
			continue;
		if (work->old_count + work->new_count >= work->limit &&
			work->old_count > 0)
		{
			work->unfinished = true;
			return;
		}
		work->old[work->old_count++] = table->partitions[i];
	}
}

static void
create_all(Work *work, ReturnSetInfo *rsinfo, Report report)
{
	char *base = get_rel_name(work->parent);

	for (int i = 0; i < work->new_count; i++)
	{
		char suffix[IUID_STEP_NAME_LEN];

		iuid_step_name(&work->step, iuid_time_of_bound(&work->new[i].lower),
					   suffix);
		work->new[i].table =
			iuid_create_like(work->parent, iuid_shortened_name(base, suffix), "");
	}
	iuid_attach(work->table, work->new, work->new_count);
	for (int i = 0; i < work->new_count; i++)
		report(rsinfo, "created", work->new[i].table,
			   iuid_qualified_name(work->new[i].table));
}

static void
remove_all(Work *work, ReturnSetInfo *rsinfo, Report report)
{
	bool referred = work->old_count > 0 &&
		iuid_add_referring_locks(NIL, work->parent, AccessExclusiveLock) != NIL;

	for (int i = 0; i < work->old_count; i++)
	{
		Oid partition = work->old[i].table;
		char *name = iuid_qualified_name(partition);

		if (!remove_one(work, partition, referred))
			continue;
		ereport(NOTICE,
				(errmsg("%s partition %s, which ended at %s",
						work->drop ? "dropped" : "detached", name,
						iuid_time_text(iuid_time_of_bound(&work->old[i].upper)))));
		report(rsinfo, "dropped", partition, name);
	}
}

/*
 * A partition that something else needs stays, and does not keep the others.
 * Where foreign keys refer to the parent, DETACH sees to it that none refers
 * to these rows; otherwise DROP is enough, and locks less.
 */
static bool
remove_one(const Work *work, Oid partition, bool referred)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile error = NULL;
	char *name = iuid_qualified_name(partition);
	const char *kind = get_rel_relkind(partition) == RELKIND_FOREIGN_TABLE ?
		"FOREIGN TABLE" :
		"TABLE";

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		if (referred || !work->drop)
			iuid_execute("ALTER TABLE %s DETACH PARTITION %s",
						 iuid_qualified_name(work->parent), name);
		if (work->drop)
			iuid_execute("DROP %s %s", kind, name);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;

	if (error == NULL)
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

static void
report_nothing(ReturnSetInfo *rsinfo pg_attribute_unused(),
			   const char *action pg_attribute_unused(),
			   Oid partition pg_attribute_unused(),
			   const char *name pg_attribute_unused())
{
}

static void
report_table(ReturnSetInfo *rsinfo, const char *action pg_attribute_unused(),
			 Oid partition, const char *name pg_attribute_unused())
{
	Datum value = ObjectIdGetDatum(partition);
	bool isnull = false;

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value, &isnull);
}

static void
report_name(ReturnSetInfo *rsinfo, const char *action pg_attribute_unused(),
			Oid partition pg_attribute_unused(), const char *name)
{
	Datum value = CStringGetTextDatum(name);
	bool isnull = false;

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value, &isnull);
}

static void
report_action(ReturnSetInfo *rsinfo, const char *action,
			  Oid partition pg_attribute_unused(), const char *name)
{
	Datum values[] = { CStringGetTextDatum(action), CStringGetTextDatum(name) };
	bool nulls[] = { false, false };

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}
