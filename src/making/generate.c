/*-------------------------------------------------------------------------
 *
 * generate.c
 *	  Making new identifiers.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include <time.h>

#include "miscadmin.h"

#include "datum.h"
#include "random.h"
#include "settings.h"

/*
 * Time is counted in 4096ths of a millisecond since 1970, about 244 ns: the
 * bits of the milliseconds and those of the fraction are then one number.
 */
#define MS_OF(time)	   ((time) >> IUID_FRACTION_BITS)
#define PER_SECOND	   (INT64_C(1000) << IUID_FRACTION_BITS)
#define NS_PER_MS	   1000000
#define SECONDS_MAX	   (IUID_MS_MAX / 1000)
#define CLOCK_STEP_MAX (10 * PER_SECOND) /* back, before identifiers follow */

/*
 * The last identifier of this session.  Countries and entities share it:
 * what ascends for all of them ascends for each.
 */
static struct
{
	int pid;	 /* of the process that made it; a child starts anew */
	int64 clock; /* the latest reading that was followed */
	int64 time;	 /* ahead of it after a carry */
	uint64 tail; /* the random bits after the fraction */
} last;

static int country_here(void);
static Datum generate(int country, int entity);
static inline void advance_to(int64 now);
static pg_noinline void start_anew(int64 now);
static inline int64 read_clock(void);
pg_noreturn static void reject_clock(int64 seconds);

/* gen_iuid(country, entity): a new identifier of this moment. */
PG_FUNCTION_INFO_V1(gen_iuid);
Datum
gen_iuid(PG_FUNCTION_ARGS)
{
	int country = iuid_country_arg(fcinfo, 0, IUID_COUNTRY_MAX);
	int entity = iuid_entity_arg(fcinfo, 1, IUID_ENTITY_MAX);

	return generate(country, entity);
}

/* gen_iuid(country, entity, at): a new identifier of a given time. */
PG_FUNCTION_INFO_V1(gen_iuid_at);
Datum
gen_iuid_at(PG_FUNCTION_ARGS)
{
	int country = iuid_country_arg(fcinfo, 0, IUID_COUNTRY_MAX);
	int entity = iuid_entity_arg(fcinfo, 1, IUID_ENTITY_MAX);
	int64 ms = iuid_ms_arg(fcinfo, 2);

	PG_RETURN_IUID(iuid_make(ms, IUID_LAYOUT_TIME, country, entity,
							 iuid_draw(MyProcPid, 8) & IUID_RANDOM_MAX));
}

/* gen_iuid(entity): of this moment and of the country in iuid.country. */
PG_FUNCTION_INFO_V1(gen_iuid_here);
Datum
gen_iuid_here(PG_FUNCTION_ARGS)
{
	int entity = iuid_entity_arg(fcinfo, 0, IUID_ENTITY_MAX);

	return generate(country_here(), entity);
}

/* The country in the setting iuid.country; 22023 if it is not set. */
static int
country_here(void)
{
	if (iuid_setting_country == IUID_COUNTRY_UNSET)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no country is set for new identifiers"),
				 errdetail("The configuration parameter \"%s\" is %d, which means unset.",
						   "iuid.country", IUID_COUNTRY_UNSET),
				 errhint(
					 "Set it, for example with ALTER DATABASE ... SET iuid.country = 125, or call gen_iuid(country, entity).")));
	return iuid_setting_country;
}

/*
 * Makes a new identifier of this moment, for a country and entity, 0 to 255
 * each.  22008 if the system clock is outside the 48 bits of milliseconds.
 */
static Datum
generate(int country, int entity)
{
	int64 time = read_clock();
	uint64 random;

	if (likely(iuid_setting_monotonic))
	{
		advance_to(time);
		time = last.time;
		random = ((uint64) time << IUID_TAIL_BITS | last.tail) & IUID_RANDOM_MAX;
	}
	else
		random = iuid_draw(MyProcPid, 8) & IUID_RANDOM_MAX;

	if (unlikely(MS_OF(time) > IUID_MS_MAX))
	{
		last.pid = 0; /* what comes next goes by the clock */
		reject_clock(time / PER_SECOND);
	}
	PG_RETURN_IUID(
		iuid_make(MS_OF(time), IUID_LAYOUT_TIME, country, entity, random));
}

/*
 * Sets last to the next identifier, at a moment for which the clock says now.
 * If the clock is not past the time of the last one, the next one is the last
 * one and up to 2^32 more.
 */
static inline void
advance_to(int64 now)
{
	uint64 random = iuid_draw(MyProcPid, 6);

	if (unlikely(last.pid != MyProcPid || last.clock - now > CLOCK_STEP_MAX))
		start_anew(now);

	if (now > last.time)
	{
		last.clock = last.time = now;
		last.tail = random & IUID_TAIL_MAX;
	}
	else
	{
		uint64 tail = last.tail + (random & UINT32_MAX) + 1;

		last.time += tail >> IUID_TAIL_BITS;
		last.tail = tail & IUID_TAIL_MAX;
	}
}

/* Makes the next identifier take the time of the clock. */
static pg_noinline void
start_anew(int64 now)
{
	if (last.pid == MyProcPid)
		ereport(LOG,
				(errmsg("system clock stepped back by %lld ms",
						(long long) MS_OF(last.clock - now)),
				 errdetail(
					 "New identifiers follow the clock and sort before some that this session has made.")));
	last.pid = MyProcPid;
	last.time = now - 1;
}

/* In 4096ths of a millisecond since 1970. */
static inline int64
read_clock(void)
{
	struct timespec now;

	if (timespec_get(&now, TIME_UTC) != TIME_UTC)
		ereport(ERROR,
				(errcode(ERRCODE_SYSTEM_ERROR),
				 errmsg("could not read the system clock")));
	if (unlikely(now.tv_sec < 0 || now.tv_sec > SECONDS_MAX))
		reject_clock(now.tv_sec);
	return now.tv_sec * PER_SECOND +
		(int64) (((uint64) now.tv_nsec << IUID_FRACTION_BITS) / NS_PER_MS);
}

static void
reject_clock(int64 seconds)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("system clock is out of range for type %s", "iuid"),
			 errdetail("The clock shows %lld seconds since 1970; an iuid holds 0 to %lld milliseconds.",
					   (long long) seconds, (long long) IUID_MS_MAX),
			 errhint("Set the system clock.")));
}
