/*-------------------------------------------------------------------------
 *
 * bounds.c
 *	  The boundaries of times and countries in the key, and the predicates
 *	  that compare an identifier with them.
 *
 * A predicate is a comparison with the boundary and nothing more, so that
 * the planner may put the boundary in its place (planner.c).
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "utils/rangetypes.h"
#include "utils/timestamp.h"

#include "datum.h"

static Iuid time_boundary(TimestampTz at, bool after);
static Iuid origin_boundary(int country, int entity);
static void country_boundaries(FunctionCallInfo fcinfo, int n, Iuid *lower,
							   Iuid *upper);

/* iuid_floor(timestamptz): the smallest iuid at or after a time. */
PG_FUNCTION_INFO_V1(iuid_floor);
Datum
iuid_floor(PG_FUNCTION_ARGS)
{
	PG_RETURN_IUID(time_boundary(PG_GETARG_TIMESTAMPTZ(0), false));
}

/* iuid_floor_after(timestamptz): the smallest iuid after a time. */
PG_FUNCTION_INFO_V1(iuid_floor_after);
Datum
iuid_floor_after(PG_FUNCTION_ARGS)
{
	PG_RETURN_IUID(time_boundary(PG_GETARG_TIMESTAMPTZ(0), true));
}

static Iuid
time_boundary(TimestampTz at, bool after)
{
	int64 usecs, ms;

	if (TIMESTAMP_IS_NOEND(at))
		return IUID_MAX;

	/* One microsecond on is the next time there is; it cannot overflow. */
	if (after && !TIMESTAMP_IS_NOBEGIN(at))
		at++;
	if (at < IUID_UNIX_EPOCH)
		return IUID_NIL;
	if (at > iuid_ms_to_timestamp(IUID_MS_MAX))
		return IUID_MAX;

	usecs = at - IUID_UNIX_EPOCH;
	ms = (usecs + IUID_USECS_PER_MS - 1) / IUID_USECS_PER_MS;
	return iuid_make(ms, IUID_LAYOUT_TIME, 0, 0, 0);
}

/*
 * The comparisons with a time; id and at are argument numbers.
 *
 *	  id >= at	 is	 id >= floor(at)			 id <	at	its negation
 *	  id >	at	 is	 id >= floor_after(at)		 id <= at	its negation
 */
static inline bool
reaches(FunctionCallInfo fcinfo, int id, int at, bool after)
{
	Iuid boundary = time_boundary(PG_GETARG_TIMESTAMPTZ(at), after);

	return iuid_compare(PG_GETARG_IUID_P(id), &boundary) >= 0;
}

#define TIME_COMPARISON(name, result) \
	PG_FUNCTION_INFO_V1(name); \
	Datum name(PG_FUNCTION_ARGS) \
	{ \
		PG_RETURN_BOOL(result); \
	} \
	extern Datum name(PG_FUNCTION_ARGS)

TIME_COMPARISON(iuid_lt_timestamptz, !reaches(fcinfo, 0, 1, false));
TIME_COMPARISON(iuid_le_timestamptz, !reaches(fcinfo, 0, 1, true));
TIME_COMPARISON(iuid_ge_timestamptz, reaches(fcinfo, 0, 1, false));
TIME_COMPARISON(iuid_gt_timestamptz, reaches(fcinfo, 0, 1, true));

TIME_COMPARISON(timestamptz_lt_iuid, reaches(fcinfo, 1, 0, true));
TIME_COMPARISON(timestamptz_le_iuid, reaches(fcinfo, 1, 0, false));
TIME_COMPARISON(timestamptz_ge_iuid, !reaches(fcinfo, 1, 0, true));
TIME_COMPARISON(timestamptz_gt_iuid, !reaches(fcinfo, 1, 0, false));

/*
 * The first identifier within a range of times, and the first behind it.
 * An empty range has its lower boundary at Max and its upper at Nil.
 */
static void
range_boundaries(FunctionCallInfo fcinfo, int n, Iuid *lower, Iuid *upper)
{
	RangeType *range = PG_GETARG_RANGE_P(n);
	TypeCacheEntry *typcache = range_get_typcache(fcinfo, RangeTypeGetOid(range));
	RangeBound from, to;
	bool empty;

	range_deserialize(typcache, range, &from, &to, &empty);

	*lower = empty ? IUID_MAX : IUID_NIL;
	if (!empty && !from.infinite)
		*lower = time_boundary(DatumGetTimestampTz(from.val), !from.inclusive);

	*upper = empty ? IUID_NIL : IUID_MAX;
	if (!empty && !to.infinite)
		*upper = time_boundary(DatumGetTimestampTz(to.val), to.inclusive);
}

/* iuid_range_lower(tstzrange): the smallest iuid that may be within. */
PG_FUNCTION_INFO_V1(iuid_range_lower);
Datum
iuid_range_lower(PG_FUNCTION_ARGS)
{
	Iuid lower, upper;

	range_boundaries(fcinfo, 0, &lower, &upper);
	PG_RETURN_IUID(lower);
}

/* iuid_range_upper(tstzrange): the smallest iuid behind the range. */
PG_FUNCTION_INFO_V1(iuid_range_upper);
Datum
iuid_range_upper(PG_FUNCTION_ARGS)
{
	Iuid lower, upper;

	range_boundaries(fcinfo, 0, &lower, &upper);
	PG_RETURN_IUID(upper);
}

static bool
is_within(FunctionCallInfo fcinfo, int id, int range)
{
	Iuid lower, upper;

	range_boundaries(fcinfo, range, &lower, &upper);
	return iuid_compare(PG_GETARG_IUID_P(id), &lower) >= 0 &&
		iuid_compare(PG_GETARG_IUID_P(id), &upper) < 0;
}

/* iuid <@ tstzrange */
PG_FUNCTION_INFO_V1(iuid_contained_by_range);
Datum
iuid_contained_by_range(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(is_within(fcinfo, 0, 1));
}

/* tstzrange @> iuid */
PG_FUNCTION_INFO_V1(iuid_range_contains);
Datum
iuid_range_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(is_within(fcinfo, 1, 0));
}

/*
 * iuid_country_floor(country, entity): the smallest iuid of that country and
 * entity in country order.  256 stands for the end of either.
 */
PG_FUNCTION_INFO_V1(iuid_country_floor);
Datum
iuid_country_floor(PG_FUNCTION_ARGS)
{
	int country = iuid_country_arg(fcinfo, 0, IUID_COUNTRY_MAX + 1);
	int entity = iuid_entity_arg(fcinfo, 1, IUID_ENTITY_MAX + 1);

	PG_RETURN_IUID(origin_boundary(country, entity));
}

/* iuid_country_lower(country [, entity]): the first in country order. */
PG_FUNCTION_INFO_V1(iuid_country_lower);
Datum
iuid_country_lower(PG_FUNCTION_ARGS)
{
	Iuid lower, upper;

	country_boundaries(fcinfo, 0, &lower, &upper);
	PG_RETURN_IUID(lower);
}

/* iuid_country_upper(country [, entity]): the first behind them. */
PG_FUNCTION_INFO_V1(iuid_country_upper);
Datum
iuid_country_upper(PG_FUNCTION_ARGS)
{
	Iuid lower, upper;

	country_boundaries(fcinfo, 0, &lower, &upper);
	PG_RETURN_IUID(upper);
}

/*
 * iuid_is_from(id, country [, entity]): whether it lies between the two.
 * A number that cannot be is an error even where the identifier is NULL, as
 * it is where the planner has put the boundaries in place of this.
 */
PG_FUNCTION_INFO_V1(iuid_is_from);
Datum
iuid_is_from(PG_FUNCTION_ARGS)
{
	Iuid lower, upper;

	if (PG_ARGISNULL(1) || (PG_NARGS() > 2 && PG_ARGISNULL(2)))
		PG_RETURN_NULL();
	country_boundaries(fcinfo, 1, &lower, &upper);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(iuid_compare_country(PG_GETARG_IUID_P(0), &lower) >= 0 &&
				   iuid_compare_country(PG_GETARG_IUID_P(0), &upper) < 0);
}

static Iuid
origin_boundary(int country, int entity)
{
	if (entity > IUID_ENTITY_MAX)
	{
		country++;
		entity = 0;
	}
	if (country > IUID_COUNTRY_MAX)
		return IUID_MAX;
	return iuid_make(0, IUID_LAYOUT_TIME, country, entity, 0);
}

/*
 * The first identifier of a country, or of a country and entity, and the
 * first behind them.  Argument n is the country; the one behind it, if there
 * is one, the entity.
 */
static void
country_boundaries(FunctionCallInfo fcinfo, int n, Iuid *lower, Iuid *upper)
{
	bool has_entity = PG_NARGS() > n + 1;
	int country = iuid_country_arg(fcinfo, n, IUID_COUNTRY_MAX);
	int entity = has_entity ? iuid_entity_arg(fcinfo, n + 1, IUID_ENTITY_MAX) : 0;

	*lower = origin_boundary(country, entity);
	*upper = has_entity ? origin_boundary(country, entity + 1) :
						  origin_boundary(country + 1, 0);
}
