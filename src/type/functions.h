/*-------------------------------------------------------------------------
 *
 * functions.h
 *	  The C functions of the type that other parts call, or look for by address.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_FUNCTIONS_H
#define IUID_FUNCTIONS_H

#include "compat.h"

#include "fmgr.h"

extern PGDLLEXPORT Datum iuid_from_core_uuid(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_timestamp(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_country(PG_FUNCTION_ARGS);

extern PGDLLEXPORT Datum iuid_floor(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_floor_after(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_range_lower(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_range_upper(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_country_floor(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_country_lower(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_country_upper(PG_FUNCTION_ARGS);

extern PGDLLEXPORT Datum iuid_origin_lt(PG_FUNCTION_ARGS);

#endif /* IUID_FUNCTIONS_H */
