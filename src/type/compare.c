/*-------------------------------------------------------------------------
 *
 * compare.c
 *	  Comparison in byte order, which is the order of time.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "compare.h"

/* < <= = >= > <> of iuid_ops. */
COMPARISON(iuid_lt, iuid_compare, < 0)
COMPARISON(iuid_le, iuid_compare, <= 0)
COMPARISON(iuid_eq, iuid_compare, == 0)
COMPARISON(iuid_ge, iuid_compare, >= 0)
COMPARISON(iuid_gt, iuid_compare, > 0)
COMPARISON(iuid_ne, iuid_compare, != 0)

/* Negative, zero or positive. */
PG_FUNCTION_INFO_V1(iuid_cmp);
Datum
iuid_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(iuid_compare(PG_GETARG_IUID_P(0), PG_GETARG_IUID_P(1)));
}

/* The lesser of two, for min(iuid). */
PG_FUNCTION_INFO_V1(iuid_smaller);
Datum
iuid_smaller(PG_FUNCTION_ARGS)
{
	bool first = iuid_compare(PG_GETARG_IUID_P(0), PG_GETARG_IUID_P(1)) <= 0;

	PG_RETURN_DATUM(PG_GETARG_DATUM(first ? 0 : 1));
}

/* The greater of two, for max(iuid). */
PG_FUNCTION_INFO_V1(iuid_larger);
Datum
iuid_larger(PG_FUNCTION_ARGS)
{
	bool first = iuid_compare(PG_GETARG_IUID_P(0), PG_GETARG_IUID_P(1)) >= 0;

	PG_RETURN_DATUM(PG_GETARG_DATUM(first ? 0 : 1));
}
