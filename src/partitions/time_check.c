/*-------------------------------------------------------------------------
 *
 * time_check.c
 *	  The CHECK by which a time partition has the times of its bounds.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "check.h"
#include "datum.h"
#include "execute.h"
#include "expression.h"
#include "function.h"
#include "relation.h"
#include "step.h"
#include "time_check.h"
#include "type/functions.h"

/* Times with lower <= time < upper, in whole milliseconds. */
typedef struct TimeRange
{
	TimestampTz lower;
	TimestampTz upper;
} TimeRange;

static Node *time_of_key(const Partitioned *parent, Oid table, bool missing_ok);
static TimeRange range_of_partition(const Partitioned *parent,
									const Partition *partition);
static bool read_check(const Check *check, Node *time, TimeRange *said);
static bool refuses(const Check *check, TimeRange said, TimeRange range);

void
iuid_require_time_key(const Partitioned *parent)
{
	if (parent->is_uuid)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("partitions of %s cannot have time checks",
						iuid_qualified_name(parent->table)),
				 errdetail(
					 "Its key is of type uuid, and takes UUIDs that are no iuids and have no time."),
				 errhint("Give false for time_checks.")));
}

static Oid
family_of_times(void)
{
	return lookup_type_cache(TIMESTAMPTZOID, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
}

void
iuid_add_time_check(const Partitioned *parent, const NewPartition *partition)
{
	Partition bounds = { .lower = partition->lower,
						 .upper = partition->upper,
						 .has_lower = true,
						 .has_upper = true };
	TimeRange range = range_of_partition(parent, &bounds);
	Node *time = time_of_key(parent, partition->table, false);

	iuid_add_check(partition->table,
				   list_make2(iuid_compare_with_constant(family_of_times(),
														 BTGreaterEqualStrategyNumber,
														 time,
														 TimestampTzGetDatum(
															 range.lower)),
							  iuid_compare_with_constant(family_of_times(),
														 BTLessStrategyNumber, time,
														 TimestampTzGetDatum(
															 range.upper))));
}

/*
 * iuid_timestamp(key).  If that is missing, because the key is a uuid or the
 * function has another name: NULL if missing_ok, or else 42883.
 */
static Node *
time_of_key(const Partitioned *parent, Oid table, bool missing_ok)
{
	Node *key = iuid_make_key(table, parent->key);
	Oid type = exprType(key);
	Oid function = missing_ok ?
		iuid_find_function(parent->schema, "iuid_timestamp", iuid_timestamp,
						   &type, 1) :
		iuid_require_function(parent->schema, "iuid_timestamp", iuid_timestamp,
							  &type, 1, "iuid");

	return OidIsValid(function) ? iuid_make_call(function, key) : NULL;
}

/* The times that the rows of a partition can have. */
static TimeRange
range_of_partition(const Partitioned *parent, const Partition *partition)
{
	TimeRange range = { .lower = IUID_UNIX_EPOCH,
						.upper = iuid_ms_to_timestamp(IUID_MS_MAX + 1) };

	if (partition->has_lower)
		range.lower = Max(range.lower, iuid_time_of_bound(&partition->lower));
	if (partition->has_upper)
		range.upper = Min(range.upper, iuid_time_of_bound(&partition->upper));
	/* The millisecond in which a partition ends is one of its own. */
	if (partition->has_upper &&
		!iuid_is_first_of_millisecond(parent, &partition->upper))
		range.upper += IUID_USECS_PER_MS;
	return range;
}

char *
iuid_time_check_text(const Partitioned *parent, const Partition *partition)
{
	TimeRange range = range_of_partition(parent, partition);
	char *time =
		psprintf("%s(%s)",
				 quote_qualified_identifier(get_namespace_name(parent->schema),
											"iuid_timestamp"),
				 quote_identifier(parent->key));

	return psprintf("CHECK (%s >= '%s' AND %s < '%s')", time,
					iuid_time_text(range.lower), time,
					iuid_time_text(range.upper));
}

TimeCheck
iuid_time_check_of(const Partitioned *parent, const Partition *partition)
{
	Node *time = time_of_key(parent, partition->table, true);
	TimeRange range, proven = { DT_NOBEGIN, DT_NOEND };
	ListCell *lc;

	if (time == NULL)
		return TIME_CHECK_NONE;
	range = range_of_partition(parent, partition);
	foreach (lc, iuid_checks_of(partition->table))
	{
		const Check *check = lfirst(lc);
		TimeRange said;

		(void) read_check(check, time, &said);
		if (refuses(check, said, range))
			return TIME_CHECK_NARROW;
		if (!check->is_valid)
			continue;
		proven.lower = Max(proven.lower, said.lower);
		proven.upper = Min(proven.upper, said.upper);
	}
	return proven.lower >= range.lower && proven.upper <= range.upper ?
		TIME_CHECK_RIGHT :
		TIME_CHECK_NONE;
}

/* The first whole millisecond at a time or, if after, past it. */
static TimestampTz
whole_ms(TimestampTz at, bool after)
{
	int64 past;

	if (TIMESTAMP_NOT_FINITE(at))
		return at;
	past = at % IUID_USECS_PER_MS;
	if (past < 0)
		past += IUID_USECS_PER_MS;
	if (past > 0 || after)
		at += IUID_USECS_PER_MS - past;
	return at;
}

/*
 * Which times a CHECK takes, by its comparisons of the time of the key with
 * constants.  False if the CHECK says more than that.
 */
static bool
read_check(const Check *check, Node *time, TimeRange *said)
{
	bool is_whole = true;
	ListCell *lc;

	*said = (TimeRange){ DT_NOBEGIN, DT_NOEND };
	foreach (lc, check->clauses)
	{
		Node *other;
		StrategyNumber strategy =
			iuid_read_comparison(lfirst(lc), time, family_of_times(), &other);
		TimestampTz bound;

		if (strategy == InvalidStrategy || !IsA(other, Const) ||
			((Const *) other)->constisnull)
		{
			is_whole = false;
			continue;
		}
		bound = DatumGetTimestampTz(((Const *) other)->constvalue);
		if (strategy >= BTEqualStrategyNumber)
			said->lower =
				Max(said->lower,
					whole_ms(bound, strategy == BTGreaterStrategyNumber));
		if (strategy <= BTEqualStrategyNumber)
			said->upper = Min(said->upper,
							  whole_ms(bound, strategy != BTLessStrategyNumber));
	}
	return is_whole;
}

/*
 * Whether a CHECK of the partition itself refuses some of the times of a range.
 * What the parent refuses does not belong to the partition.
 */
static bool
refuses(const Check *check, TimeRange said, TimeRange range)
{
	return !check->is_inherited &&
		(said.lower > range.lower || said.upper < range.upper);
}

void
iuid_drop_outgrown_time_checks(const Partitioned *parent,
							   const Partition *before, const Partition *now)
{
	Node *time = time_of_key(parent, now->table, true);
	char *name = iuid_qualified_name(now->table);
	ListCell *lc;

	if (time == NULL)
		return;
	foreach (lc, iuid_checks_of(now->table))
	{
		const Check *check = lfirst(lc);
		TimeRange said;

		if (!read_check(check, time, &said) ||
			refuses(check, said, range_of_partition(parent, before)) ||
			!refuses(check, said, range_of_partition(parent, now)))
			continue;
		iuid_execute("ALTER TABLE %s DROP CONSTRAINT %s", name,
					 quote_identifier(check->name));
		iuid_check_name(now->table, name);
		ereport(NOTICE,
				(errmsg("dropped constraint \"%s\" of %s", check->name, name),
				 errdetail(
					 "It refused rows that belong to the partition from now on.")));
	}
}
