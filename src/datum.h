/*-------------------------------------------------------------------------
 *
 * datum.h
 *	  Converts identifiers to Datums and back, and checks SQL arguments.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_DATUM_H
#define IUID_DATUM_H

#include "compat.h"

#include "datatype/timestamp.h"

#include "iuid.h"

#define DatumGetIuidP(datum) ((const Iuid *) DatumGetPointer(datum))
#define PG_GETARG_IUID_P(n)	 DatumGetIuidP(PG_GETARG_DATUM(n))
#define PG_RETURN_IUID(id)	 return iuid_to_datum(id)

static inline Datum
iuid_to_datum(Iuid id)
{
	Iuid *result = palloc(sizeof(Iuid));

	*result = id;
	return PointerGetDatum(result);
}

/* Timestamps of the server count microseconds from 2000, Unix from 1970. */
#define IUID_UNIX_EPOCH \
	((UNIX_EPOCH_JDATE - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY)
#define IUID_USECS_PER_MS INT64CONST(1000)

static inline TimestampTz
iuid_ms_to_timestamp(int64 ms)
{
	return ms * IUID_USECS_PER_MS + IUID_UNIX_EPOCH;
}

/*
 * These functions check argument n of an SQL function.  22004 for NULL, 22023
 * for a country or entity outside 0 to limit, 22008 for a time before 1970 or
 * outside the 48 bits.  limit is IUID_COUNTRY_MAX or IUID_ENTITY_MAX, or one
 * more for functions that take the number after the last one, too.
 *
 * iuid_ms_arg() returns a time in Unix milliseconds, rounded down.
 */
pg_noreturn IUID_HIDDEN extern void iuid_reject_country(FunctionCallInfo fcinfo,
														int n, int limit);
pg_noreturn IUID_HIDDEN extern void iuid_reject_entity(FunctionCallInfo fcinfo,
													   int n, int limit);
IUID_HIDDEN extern int64 iuid_ms_arg(FunctionCallInfo fcinfo, int n);

static inline int
iuid_country_arg(FunctionCallInfo fcinfo, int n, int limit)
{
	int32 country = PG_GETARG_INT32(n);

	if (unlikely(PG_ARGISNULL(n) || country < 0 || country > limit))
		iuid_reject_country(fcinfo, n, limit);
	return country;
}

static inline int
iuid_entity_arg(FunctionCallInfo fcinfo, int n, int limit)
{
	int32 entity = PG_GETARG_INT32(n);

	if (unlikely(PG_ARGISNULL(n) || entity < 0 || entity > limit))
		iuid_reject_entity(fcinfo, n, limit);
	return entity;
}

#endif /* IUID_DATUM_H */
