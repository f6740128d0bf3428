/*-------------------------------------------------------------------------
 *
 * floor.c
 *	  What a C function must do at the least to make an identifier of this
 *	  moment: read the clock and return 16 bytes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <time.h>

#include "fmgr.h"

PG_MODULE_MAGIC;

/* bench_floor(): the seconds and nanoseconds of the clock, as they are. */
PG_FUNCTION_INFO_V1(bench_floor);
Datum
bench_floor(PG_FUNCTION_ARGS)
{
	struct timespec *now = palloc(sizeof(*now));

	clock_gettime(CLOCK_REALTIME, now);
	PG_RETURN_POINTER(now);
}
