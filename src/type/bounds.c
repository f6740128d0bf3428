/*-------------------------------------------------------------------------
 *
 * bounds.c
 *	  The bounds of times and countries in the key, and the predicates that
 *	  compare an identifier with bounds.
 *
 * A lower bound is the smallest iuid that belongs to something, and an upper
 * bound the smallest one that comes after it: lower <= id < upper.  A
 * predicate compares an identifier with bounds, and does nothing more.  So the
 * planner can put these comparisons in its place (planner.c).
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "utils/rangetypes.h"
#include "utils/timestamp.h"

#include "datum.h"

typedef struct Bounds
{
	Iuid lower;
	Iuid upper;
} Bounds;

static Iuid time_bound(TimestampTz at, bool after);
static Iuid country_bound(int country, int entity);
static Bounds country_bounds(FunctionCallInfo fcinfo, int n);

/* iuid_floor(timestamptz): the smallest iuid at or after a time. */
PG_FUNCTION_INFO_V1(iuid_floor);
Datum
iuid_floor(PG_FUNCTION_ARGS)
{
	PG_RETURN_IUID(time_bound(PG_GETARG_TIMESTAMPTZ(0), false));
}

/* iuid_floor_after(timestamptz): the smallest iuid after a time. */
PG_FUNCTION_INFO_V1(iuid_floor_after);
Datum
iuid_floor_after(PG_FUNCTION_ARGS)
{
	PG_RETURN_IUID(time_bound(PG_GETARG_TIMESTAMPTZ(0), true));
}

static Iuid
time_bound(TimestampTz at, bool after)
{
	int64 usecs, ms;

	if (TIMESTAMP_IS_NOEND(at))
		return iuid_max;

	/* The next time is one microsecond later; this cannot overflow. */
	if (after && !TIMESTAMP_IS_NOBEGIN(at))
		at++;
	if (at < IUID_UNIX_EPOCH)
		return iuid_nil;
	if (at > iuid_ms_to_timestamp(IUID_MS_MAX))
		return iuid_max;

	usecs = at - IUID_UNIX_EPOCH;
	ms = (usecs + IUID_USECS_PER_MS - 1) / IUID_USECS_PER_MS;
	return iuid_make(ms, IUID_LAYOUT_TIME, 0, 0, 0);
}

/*
 * The comparisons with a time; id and at are the numbers of the arguments.
 *
 *	  id >= at	 is	 id >= floor(at)			 id <	at	its negation
 *	  id >	at	 is	 id >= floor_after(at)		 id <= at	its negation
 */
static inline bool
is_at_or_after(FunctionCallInfo fcinfo, int id, int at, bool after)
{
	Iuid bound = time_bound(PG_GETARG_TIMESTAMPTZ(at), after);

	return iuid_compare(PG_GETARG_IUID_P(id), &bound) >= 0;
}

#define TIME_COMPARISON(name, result) \
	PG_FUNCTION_INFO_V1(name); \
	Datum name(PG_FUNCTION_ARGS) \
	{ \
		PG_RETURN_BOOL(result); \
	}

TIME_COMPARISON(iuid_lt_timestamptz, !is_at_or_after(fcinfo, 0, 1, false))
TIME_COMPARISON(iuid_le_timestamptz, !is_at_or_after(fcinfo, 0, 1, true))
TIME_COMPARISON(iuid_ge_timestamptz, is_at_or_after(fcinfo, 0, 1, false))
TIME_COMPARISON(iuid_gt_timestamptz, is_at_or_after(fcinfo, 0, 1, true))

TIME_COMPARISON(timestamptz_lt_iuid, is_at_or_after(fcinfo, 1, 0, true))
TIME_COMPARISON(timestamptz_le_iuid, is_at_or_after(fcinfo, 1, 0, false))
TIME_COMPARISON(timestamptz_ge_iuid, !is_at_or_after(fcinfo, 1, 0, true))
TIME_COMPARISON(timestamptz_gt_iuid, !is_at_or_after(fcinfo, 1, 0, false))

/*
 * The bounds of argument n, a range of times: the smallest iuid that can be in
 * the range, and the smallest one after it.  A range without a lower bound has
 * Nil, and one without an upper bound has Max.  An empty range has Max as the
 * lower bound, and Nil as the upper one.
 */
static Bounds
range_bounds(FunctionCallInfo fcinfo, int n)
{
	RangeType *range = PG_GETARG_RANGE_P(n);
	TypeCacheEntry *typcache = range_get_typcache(fcinfo, RangeTypeGetOid(range));
	RangeBound lower, upper;
	Bounds bounds = { .lower = iuid_nil, .upper = iuid_max };
	bool empty;

	range_deserialize(typcache, range, &lower, &upper, &empty);
	if (empty)
		return (Bounds){ .lower = iuid_max, .upper = iuid_nil };
	if (!lower.infinite)
		bounds.lower =
			time_bound(DatumGetTimestampTz(lower.val), !lower.inclusive);
	if (!upper.infinite)
		bounds.upper =
			time_bound(DatumGetTimestampTz(upper.val), upper.inclusive);
	return bounds;
}

/* iuid_range_lower(tstzrange): the smallest iuid that can be in a range. */
PG_FUNCTION_INFO_V1(iuid_range_lower);
Datum
iuid_range_lower(PG_FUNCTION_ARGS)
{
	PG_RETURN_IUID(range_bounds(fcinfo, 0).lower);
}

/* iuid_range_upper(tstzrange): the smallest iuid after a range. */
PG_FUNCTION_INFO_V1(iuid_range_upper);
Datum
iuid_range_upper(PG_FUNCTION_ARGS)
{
	PG_RETURN_IUID(range_bounds(fcinfo, 0).upper);
}

static bool
is_in_range(FunctionCallInfo fcinfo, int id, int range)
{
	Bounds bounds = range_bounds(fcinfo, range);

	return iuid_compare(PG_GETARG_IUID_P(id), &bounds.lower) >= 0 &&
		iuid_compare(PG_GETARG_IUID_P(id), &bounds.upper) < 0;
}

/* iuid <@ tstzrange */
PG_FUNCTION_INFO_V1(iuid_contained_by_range);
Datum
iuid_contained_by_range(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(is_in_range(fcinfo, 0, 1));
}

/* tstzrange @> iuid */
PG_FUNCTION_INFO_V1(iuid_range_contains);
Datum
iuid_range_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(is_in_range(fcinfo, 1, 0));
}

/*
 * iuid_country_floor(country, entity): the smallest iuid of a country and
 * entity in order by origin.  Country 256 gives Max, and entity 256 the smallest
 * iuid of the next country.  22023 outside 0 to 256.
 */
PG_FUNCTION_INFO_V1(iuid_country_floor);
Datum
iuid_country_floor(PG_FUNCTION_ARGS)
{
	int country = iuid_country_arg(fcinfo, 0, IUID_COUNTRY_MAX + 1);
	int entity = iuid_entity_arg(fcinfo, 1, IUID_ENTITY_MAX + 1);

	PG_RETURN_IUID(country_bound(country, entity));
}

/*
 * iuid_country_lower(country [, entity]): the smallest iuid of a country, or of
 * a country and entity, in order by origin.  22023 outside 0 to 255.
 */
PG_FUNCTION_INFO_V1(iuid_country_lower);
Datum
iuid_country_lower(PG_FUNCTION_ARGS)
{
	PG_RETURN_IUID(country_bounds(fcinfo, 0).lower);
}

/*
 * iuid_country_upper(country [, entity]): the smallest iuid after those of a
 * country, or of a country and entity, in order by origin; Max after the last
 * country.  22023 outside 0 to 255.
 */
PG_FUNCTION_INFO_V1(iuid_country_upper);
Datum
iuid_country_upper(PG_FUNCTION_ARGS)
{
	PG_RETURN_IUID(country_bounds(fcinfo, 0).upper);
}

/*
 * iuid_is_from(id, country [, entity]): whether an identifier lies between the
 * bounds of a country, or of a country and entity; false for a UUID that is not
 * an iuid.  A number outside 0 to 255 is 22023 even if the identifier is NULL,
 * because it is 22023, too, where the planner has put comparisons with the bounds
 * in place of the call.
 */
PG_FUNCTION_INFO_V1(iuid_is_from);
Datum
iuid_is_from(PG_FUNCTION_ARGS)
{
	Bounds bounds;
	const Iuid *id;

	if (PG_ARGISNULL(1) || (PG_NARGS() > 2 && PG_ARGISNULL(2)))
		PG_RETURN_NULL();
	bounds = country_bounds(fcinfo, 1);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	id = PG_GETARG_IUID_P(0);
	PG_RETURN_BOOL(iuid_compare_origin(id, &bounds.lower) >= 0 &&
				   iuid_compare_origin(id, &bounds.upper) < 0 &&
				   iuid_is_valid(id));
}

static Iuid
country_bound(int country, int entity)
{
	if (entity > IUID_ENTITY_MAX)
	{
		country++;
		entity = 0;
	}
	if (country > IUID_COUNTRY_MAX)
		return iuid_max;
	return iuid_make(0, IUID_LAYOUT_TIME, country, entity, 0);
}

/*
 * The bounds of a country, or of a country and entity, in order by origin.
 * Argument n is the country.  The entity, if there is one, is the next
 * argument.
 */
static Bounds
country_bounds(FunctionCallInfo fcinfo, int n)
{
	bool has_entity = PG_NARGS() > n + 1;
	int country = iuid_country_arg(fcinfo, n, IUID_COUNTRY_MAX);
	int entity = has_entity ? iuid_entity_arg(fcinfo, n + 1, IUID_ENTITY_MAX) : 0;

	return (Bounds){ .lower = country_bound(country, entity),
					 .upper = has_entity ? country_bound(country, entity + 1) :
										   country_bound(country + 1, 0) };
}
