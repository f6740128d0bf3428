/*-------------------------------------------------------------------------
 *
 * generate.c
 *	  Making new identifiers.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include <time.h>

#include "miscadmin.h"

#include "datum.h"
#include "generate.h"
#include "random.h"
#include "settings.h"

/* How far the system clock may step back before identifiers follow it. */
#define CLOCK_STEP_MAX_MS 10000

/*
 * A new millisecond starts in the lower half of the random field.  Steps of
 * 1 to 2^32 then leave room for at least 2^21 identifiers in it.
 */
#define START_BITS(bits) ((bits) >> 11)
#define STEP(word)		 ((uint64) (word) + 1)

/*
 * The last identifier of this session.  Countries and entities share it:
 * what ascends for all of them ascends for each.
 */
static struct
{
	int owner;	 /* process id; a child starts anew */
	int64 clock; /* the reading that ms comes from */
	int64 ms;	 /* ahead of it once a millisecond was full */
	uint64 random;
} last;

static pg_attribute_always_inline Datum make_now(int country, int entity);
static inline void advance_to(int64 now);
static pg_noinline void follow_clock(int64 now);
static pg_noinline void start_millisecond(int64 ms);
static inline int64 read_clock(void);

/* gen_iuid(country, entity): a new identifier of this moment. */
PG_FUNCTION_INFO_V1(gen_iuid);
Datum
gen_iuid(PG_FUNCTION_ARGS)
{
	int country = iuid_country_arg(fcinfo, 0, IUID_COUNTRY_MAX);
	int entity = iuid_entity_arg(fcinfo, 1, IUID_ENTITY_MAX);

	return make_now(country, entity);
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
							 iuid_random_bits(MyProcPid) & IUID_RANDOM_MAX));
}

/* gen_iuid(entity): of this moment and of the country in iuid.country. */
PG_FUNCTION_INFO_V1(gen_iuid_here);
Datum
gen_iuid_here(PG_FUNCTION_ARGS)
{
	int entity = iuid_entity_arg(fcinfo, 0, IUID_ENTITY_MAX);

	if (iuid_setting_country == IUID_COUNTRY_UNSET)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no country is set for new identifiers"),
				 errdetail("The configuration parameter \"%s\" is %d, which means unset.",
						   "iuid.country", IUID_COUNTRY_UNSET),
				 errhint(
					 "Set it, for example with ALTER DATABASE ... SET iuid.country = 7, or call gen_iuid(country, entity).")));

	return make_now(iuid_setting_country, entity);
}

Datum
iuid_generate(int country, int entity)
{
	return make_now(country, entity);
}

static pg_attribute_always_inline Datum
make_now(int country, int entity)
{
	int64 ms = read_clock();
	uint64 random;

	if (likely(iuid_setting_monotonic))
	{
		advance_to(ms);
		ms = last.ms;
		random = last.random;
	}
	else
		random = iuid_random_bits(MyProcPid) & IUID_RANDOM_MAX;

	if (unlikely(ms < 0 || ms > IUID_MS_MAX))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("system clock is out of range for type %s", "iuid"),
				 errdetail("The clock shows " INT64_FORMAT
						   " ms since 1970; an iuid holds 0 to " INT64_FORMAT ".",
						   ms, IUID_MS_MAX),
				 errhint("Set the system clock.")));

	PG_RETURN_IUID(iuid_make(ms, IUID_LAYOUT_TIME, country, entity, random));
}

/* Moves the last identifier on to the next one, at a clock of now. */
static inline void
advance_to(int64 now)
{
	if (likely(last.owner == MyProcPid && now <= last.ms &&
			   last.clock - now <= CLOCK_STEP_MAX_MS))
	{
		last.random += STEP(iuid_random_word(MyProcPid));
		if (unlikely(last.random > IUID_RANDOM_MAX))
			start_millisecond(last.ms + 1);
	}
	else
		follow_clock(now);
}

static void
follow_clock(int64 now)
{
	if (last.owner == MyProcPid && last.clock - now > CLOCK_STEP_MAX_MS)
		ereport(LOG,
				(errmsg("system clock stepped back by " INT64_FORMAT " ms",
						last.clock - now),
				 errdetail(
					 "New identifiers follow the clock and sort before some that this session has made.")));
	last.owner = MyProcPid;
	last.clock = now;
	start_millisecond(now);
}

static void
start_millisecond(int64 ms)
{
	last.ms = ms;
	last.random = START_BITS(iuid_random_bits(MyProcPid));
}

/* Unix time in milliseconds. */
static inline int64
read_clock(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_SYSTEM_ERROR),
				 errmsg("could not read the system clock: %m")));
	return (int64) now.tv_sec * 1000 + (uint32) now.tv_nsec / 1000000;
}
