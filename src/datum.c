/*-------------------------------------------------------------------------
 *
 * datum.c
 *	  Converts identifiers to Datums and back, and checks SQL arguments.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "datum.h"

#include "utils/timestamp.h"

static void
check_not_null(FunctionCallInfo fcinfo, int n, const char *name)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", name),
				 errdetail("Each identifier has a time, a country and an entity."),
				 errhint("Give a value, or leave the whole identifier NULL.")));
}

void
iuid_reject_country(FunctionCallInfo fcinfo, int n, int limit)
{
	check_not_null(fcinfo, n, "country");
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("country %d is out of range for type %s",
					PG_GETARG_INT32(n), "iuid"),
			 errdetail("The country is a number from 0 to %d.", limit),
			 errhint("Give each country a number of its own in that range.")));
}

void
iuid_reject_entity(FunctionCallInfo fcinfo, int n, int limit)
{
	check_not_null(fcinfo, n, "entity");
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("entity %d is out of range for type %s", PG_GETARG_INT32(n),
					"iuid"),
			 errdetail("The entity is a number from 0 to %d.", limit),
			 errhint("Give each entity a number of its own in that range.")));
}

int64
iuid_ms_arg(FunctionCallInfo fcinfo, int n)
{
	TimestampTz at;

	check_not_null(fcinfo, n, "at");
	at = PG_GETARG_TIMESTAMPTZ(n);

	/* This refuses both infinities, too. */
	if (at < IUID_UNIX_EPOCH || at >= iuid_ms_to_timestamp(IUID_MS_MAX + 1))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("time \"%s\" is out of range for type %s",
						timestamptz_to_str(at), "iuid"),
				 errdetail("An iuid holds times from %s up to, not including, %s.",
						   "1970-01-01 00:00:00 UTC",
						   "10889-08-02 05:31:50.656 UTC"),
				 errhint(
					 "Check the unit of the value the time was made from: seconds and milliseconds are easily mistaken.")));
	return (at - IUID_UNIX_EPOCH) / IUID_USECS_PER_MS;
}
