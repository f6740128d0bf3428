/*-------------------------------------------------------------------------
 *
 * compare.h
 *	  Comparison in SQL, in one of the two orders.
 *
 * An iuid and a core uuid have the same bytes, so one C function serves the
 * operators of all pairs of the two types.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_COMPARE_H
#define IUID_COMPARE_H

#include "datum.h"

/* An SQL comparison: "compare(arguments) condition". */
#define COMPARISON(name, compare, condition) \
	PG_FUNCTION_INFO_V1(name); \
	Datum name(PG_FUNCTION_ARGS) \
	{ \
		PG_RETURN_BOOL(compare(PG_GETARG_IUID_P(0), PG_GETARG_IUID_P(1)) \
						   condition); \
	}

/* The operators that estimate.c knows, in byte order and in order by origin. */
extern PGDLLEXPORT Datum iuid_lt(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_le(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_ge(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_gt(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_origin_lt(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_origin_le(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_origin_ge(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_origin_gt(PG_FUNCTION_ARGS);

#endif /* IUID_COMPARE_H */
