/*-------------------------------------------------------------------------
 *
 * origins.h
 *	  The statistics that ANALYZE collects beside core's: how many rows each
 *	  origin has, which is a country with an entity.
 *
 * Core's histogram is in byte order, in which time comes first.  It says little
 * about countries.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_ORIGINS_H
#define IUID_ORIGINS_H

#include "compat.h"

#include "utils/selfuncs.h"

#define IUID_ORIGINS (IUID_COUNTRIES * IUID_ENTITIES)

/*
 * The part of the rows, 0-1, that come before the first identifier of an origin
 * in order by origin: 0 to IUID_ORIGINS.  Rows with NULL are not among them; their
 * part is *nulls.  Result: false if there are no such statistics.
 */
extern bool iuid_rows_before_origin(VariableStatData *variable, int origin,
									double *before, double *nulls);

#endif /* IUID_ORIGINS_H */
