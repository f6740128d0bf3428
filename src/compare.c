/*-------------------------------------------------------------------------
 *
 * compare.c
 *	  Comparison in SQL.
 *
 * An iuid and a core uuid have the same bytes, so each function here serves
 * the operators of all three pairs of the two types, and core's own hash
 * functions serve the hash classes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "datum.h"

/* An SQL comparison: "compare(arguments) condition" in one of the orders. */
#define COMPARISON(name, compare, condition) \
	PG_FUNCTION_INFO_V1(name); \
	Datum name(PG_FUNCTION_ARGS) \
	{ \
		PG_RETURN_BOOL(compare(PG_GETARG_IUID_P(0), PG_GETARG_IUID_P(1)) \
						   condition); \
	} \
	extern Datum name(PG_FUNCTION_ARGS)

/* Byte order: < <= = >= > <> of iuid_ops. */
COMPARISON(iuid_lt, iuid_compare, < 0);
COMPARISON(iuid_le, iuid_compare, <= 0);
COMPARISON(iuid_eq, iuid_compare, == 0);
COMPARISON(iuid_ge, iuid_compare, >= 0);
COMPARISON(iuid_gt, iuid_compare, > 0);
COMPARISON(iuid_ne, iuid_compare, != 0);

/* Country order: ~<~ ~<=~ ~>=~ ~>~ of iuid_country_ops. */
COMPARISON(iuid_country_lt, iuid_compare_country, < 0);
COMPARISON(iuid_country_le, iuid_compare_country, <= 0);
COMPARISON(iuid_country_ge, iuid_compare_country, >= 0);
COMPARISON(iuid_country_gt, iuid_compare_country, > 0);

/* Negative, zero or positive, in byte order. */
PG_FUNCTION_INFO_V1(iuid_cmp);
Datum
iuid_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(iuid_compare(PG_GETARG_IUID_P(0), PG_GETARG_IUID_P(1)));
}

/* Negative, zero or positive, in country order. */
PG_FUNCTION_INFO_V1(iuid_country_cmp);
Datum
iuid_country_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(
		iuid_compare_country(PG_GETARG_IUID_P(0), PG_GETARG_IUID_P(1)));
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
