/*-------------------------------------------------------------------------
 *
 * in_range.c
 *	  Window frames by time: RANGE BETWEEN '1 day' PRECEDING AND CURRENT ROW.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "datum.h"

/* The time of the first 48 bits, which all values have. */
static Datum
time_of(const Iuid *id)
{
	return TimestampTzGetDatum(iuid_ms_to_timestamp(iuid_get_ms(id)));
}

/*
 * iuid_in_range(value, base, distance, is_preceding, is_upper): whether the time
 * of the value is at or before, or else at or after, the time that lies the
 * distance before, or else after, the base.  Times are those of the first 48
 * bits, in whole milliseconds.  Days and months are those of the session's time
 * zone.  22013 for a negative distance.
 */
PG_FUNCTION_INFO_V1(iuid_in_range);
Datum
iuid_in_range(PG_FUNCTION_ARGS)
{
	return DirectFunctionCall5(in_range_timestamptz_interval,
							   time_of(PG_GETARG_IUID_P(0)),
							   time_of(PG_GETARG_IUID_P(1)), PG_GETARG_DATUM(2),
							   PG_GETARG_DATUM(3), PG_GETARG_DATUM(4));
}
