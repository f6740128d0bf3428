/*-------------------------------------------------------------------------
 *
 * functions.h
 *	  The C functions that the planner's support functions look for by address.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_FUNCTIONS_H
#define IUID_FUNCTIONS_H

#include "compat.h"

#include "fmgr.h"

extern PGDLLEXPORT Datum iuid_floor(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_floor_after(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_range_lower(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_range_upper(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_country_lower(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_country_upper(PG_FUNCTION_ARGS);

extern PGDLLEXPORT Datum iuid_origin_lt(PG_FUNCTION_ARGS);

#endif /* IUID_FUNCTIONS_H */
