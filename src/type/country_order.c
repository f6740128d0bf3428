/*-------------------------------------------------------------------------
 *
 * country_order.c
 *	  Comparison in country order: country, then entity, then bytes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "compare.h"

/* ~<~ ~<=~ ~>=~ ~>~ of iuid_country_ops; its equality is that of iuid_ops. */
COMPARISON(iuid_country_lt, iuid_compare_country, < 0)
COMPARISON(iuid_country_le, iuid_compare_country, <= 0)
COMPARISON(iuid_country_ge, iuid_compare_country, >= 0)
COMPARISON(iuid_country_gt, iuid_compare_country, > 0)

/* Negative, zero or positive. */
PG_FUNCTION_INFO_V1(iuid_country_cmp);
Datum
iuid_country_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(
		iuid_compare_country(PG_GETARG_IUID_P(0), PG_GETARG_IUID_P(1)));
}
