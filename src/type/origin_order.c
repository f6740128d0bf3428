/*-------------------------------------------------------------------------
 *
 * origin_order.c
 *	  Comparison in order by origin: country, then entity, then bytes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "compare.h"

/* ~<~ ~<=~ ~>=~ ~>~ of iuid_origin_ops; its equality is that of iuid_ops. */
COMPARISON(iuid_origin_lt, iuid_compare_origin, < 0)
COMPARISON(iuid_origin_le, iuid_compare_origin, <= 0)
COMPARISON(iuid_origin_ge, iuid_compare_origin, >= 0)
COMPARISON(iuid_origin_gt, iuid_compare_origin, > 0)

/* Negative, zero or positive. */
PG_FUNCTION_INFO_V1(iuid_origin_cmp);
Datum
iuid_origin_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(iuid_compare_origin(PG_GETARG_IUID_P(0), PG_GETARG_IUID_P(1)));
}
