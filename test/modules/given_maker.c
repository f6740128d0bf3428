/*-------------------------------------------------------------------------
 *
 * given_maker.c
 *	  The generator of making/generate.c, with a clock and random bits that are
 *	  given.
 *
 * A module of its own, with the code of generate.c in it.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <time.h>

#include "fmgr.h"

static struct timespec given_clock;

static int
read_given_clock(struct timespec *now, int base)
{
	*now = given_clock;
	return base;
}

#define timespec_get read_given_clock
#include "making/generate.c"
#include "datum.c"

PG_MODULE_MAGIC;

int iuid_setting_country = IUID_COUNTRY_UNSET;
bool iuid_setting_monotonic = true;
IuidPool iuid_pool;

void
iuid_fill_pool(int pid)
{
	(void) pid;
	elog(ERROR, "the generator takes more random bytes than are given");
}

/* start(): the session has no last identifier. */
PG_FUNCTION_INFO_V1(start);
Datum
start(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	last.pid = 0;
	PG_RETURN_NULL();
}

/* What is drawn next; the generator must take all of it. */
static void
give_random(bytea *random)
{
	iuid_pool.pid = MyProcPid;
	iuid_pool.left = VARSIZE_ANY_EXHDR(random);
	memcpy(iuid_pool.bytes, VARDATA_ANY(random), iuid_pool.left);
}

/* make(country, entity, random bytea, seconds bigint, nanoseconds int) */
PG_FUNCTION_INFO_V1(make);
Datum
make(PG_FUNCTION_ARGS)
{
	give_random(PG_GETARG_BYTEA_PP(2));
	given_clock.tv_sec = PG_GETARG_INT64(3);
	given_clock.tv_nsec = PG_GETARG_INT32(4);
	return gen_iuid(fcinfo);
}

/* make_at(country, entity, at, random bytea) */
PG_FUNCTION_INFO_V1(make_at);
Datum
make_at(PG_FUNCTION_ARGS)
{
	give_random(PG_GETARG_BYTEA_PP(3));
	return gen_iuid_at(fcinfo);
}
