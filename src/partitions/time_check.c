/*-------------------------------------------------------------------------
 *
 * time_check.c
 *	  The CHECK by which a time partition has the times of its bounds.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "check.h"
#include "datum.h"
#include "execute.h"
#include "function.h"
#include "relation.h"
#include "time_check.h"

static Expr *time_of_key(const Partitioned *parent, Oid table, Oid function);
static List *make_range(const Partitioned *parent, const Partition *partition,
						Expr *time);
static bool is_of_times(Node *clause, const Expr *time);
static bool refuses(const Check *check, const Expr *time, List *range);
static bool has_other_parts(const Check *check, const Expr *time);

void
iuid_require_time_key(const Partitioned *parent)
{
	if (parent->is_uuid)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("partitions of %s cannot have CHECKs of their times",
						iuid_qualified_name(parent->table)),
				 errdetail(
					 "Its key is of type uuid, and takes UUIDs that are no iuids and have no time."),
				 errhint("Give false for time_checks.")));
}

void
iuid_add_time_check(const Partitioned *parent, const NewPartition *partition)
{
	Oid type =
		get_atttype(partition->table, get_attnum(partition->table, parent->key));
	Oid function = iuid_require_function(parent->schema, "iuid_timestamp",
										 &type, 1, "iuid");
	Partition bounds = { .table = partition->table,
						 .lower = partition->lower,
						 .upper = partition->upper,
						 .has_lower = true,
						 .has_upper = true };
	Expr *time = time_of_key(parent, partition->table, function);

	iuid_add_check(partition->table,
				   make_andclause(make_range(parent, &bounds, time)));
}

/* iuid_timestamp(key) */
static Expr *
time_of_key(const Partitioned *parent, Oid table, Oid function)
{
	AttrNumber column = get_attnum(table, parent->key);
	Var *key = makeVar(1, column, get_atttype(table, column), -1, InvalidOid, 0);

	return (Expr *) makeFuncExpr(function, TIMESTAMPTZOID, list_make1(key),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/*
 * The same for a partition that there is; NULL if it cannot have CHECKs of its
 * times, because the key is a uuid, or the function has another name.
 */
static Expr *
find_time_of_key(const Partitioned *parent, Oid table)
{
	Oid type = get_atttype(table, get_attnum(table, parent->key));
	Oid function = iuid_find_function(parent->schema, "iuid_timestamp", &type, 1);

	return OidIsValid(function) ? time_of_key(parent, table, function) : NULL;
}

/* The times that the rows of a partition can have, as a list of comparisons. */
static List *
make_range(const Partitioned *parent, const Partition *partition, Expr *time)
{
	Oid opfamily =
		lookup_type_cache(TIMESTAMPTZOID, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	TimestampTz lower = iuid_time_of_bound(&partition->lower);
	TimestampTz upper = iuid_time_of_bound(&partition->upper);
	List *range = NIL;

	/* The millisecond in which a partition ends is one of its own. */
	if (!iuid_is_first_of_millisecond(parent, &partition->upper))
		upper += IUID_USECS_PER_MS;
	if (partition->has_lower)
		range =
			lappend(range,
					iuid_make_comparison(opfamily, BTGreaterEqualStrategyNumber,
										 time, TimestampTzGetDatum(lower)));
	if (partition->has_upper)
		range = lappend(range,
						iuid_make_comparison(opfamily, BTLessStrategyNumber,
											 time, TimestampTzGetDatum(upper)));
	return range;
}

TimeCheck
iuid_time_check_of(const Partitioned *parent, const Partition *partition)
{
	Expr *time = find_time_of_key(parent, partition->table);
	List *range, *checks;
	ListCell *lc;

	if (time == NULL)
		return TIME_CHECK_NONE;
	range = make_range(parent, partition, time);
	checks = iuid_checks_of(partition->table);
	foreach (lc, checks)
	{
		if (refuses(lfirst(lc), time, range))
			return TIME_CHECK_NARROW;
	}
	return iuid_checks_prove(checks, range) ? TIME_CHECK_RIGHT : TIME_CHECK_NONE;
}

/* Whether a clause compares the time of the key with a constant. */
static bool
is_of_times(Node *clause, const Expr *time)
{
	OpExpr *comparison = (OpExpr *) clause;

	return IsA(clause, OpExpr) && list_length(comparison->args) == 2 &&
		((equal(linitial(comparison->args), time) &&
		  IsA(lsecond(comparison->args), Const)) ||
		 (IsA(linitial(comparison->args), Const) &&
		  equal(lsecond(comparison->args), time)));
}

/*
 * Whether a CHECK of the partition itself refuses some of the times of a range.
 * What the parent refuses does not belong to the partition.
 */
static bool
refuses(const Check *check, const Expr *time, List *range)
{
	ListCell *lc;

	if (check->is_inherited)
		return false;
	foreach (lc, check->clauses)
	{
		if (is_of_times(lfirst(lc), time) &&
			!predicate_implied_by(list_make1(lfirst(lc)), range, true))
			return true;
	}
	return false;
}

/* Whether a CHECK says more than what times the key has. */
static bool
has_other_parts(const Check *check, const Expr *time)
{
	ListCell *lc;

	foreach (lc, check->clauses)
	{
		if (!is_of_times(lfirst(lc), time))
			return true;
	}
	return false;
}

void
iuid_drop_outgrown_time_checks(const Partitioned *parent, const Partition *now,
							   const Partition *soon)
{
	Expr *time = find_time_of_key(parent, now->table);
	List *range_now, *range_soon;
	ListCell *lc;

	if (time == NULL)
		return;
	range_now = make_range(parent, now, time);
	range_soon = make_range(parent, soon, time);
	foreach (lc, iuid_checks_of(now->table))
	{
		const Check *check = lfirst(lc);
		char *name = iuid_qualified_name(now->table);

		if (has_other_parts(check, time) || refuses(check, time, range_now) ||
			!refuses(check, time, range_soon))
			continue;
		iuid_execute("ALTER TABLE %s DROP CONSTRAINT %s", name,
					 quote_identifier(check->name));
		ereport(NOTICE,
				(errmsg("dropped constraint \"%s\" of %s", check->name, name),
				 errdetail(
					 "It refused rows that belong to the partition from now on.")));
	}
}
