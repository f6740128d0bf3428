/*-------------------------------------------------------------------------
 *
 * generate.h
 *	  Makes new identifiers.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_GENERATE_H
#define IUID_GENERATE_H

#include "compat.h"

/*
 * Makes a new identifier of this moment, for a country and entity, 0 to 255
 * each.  22008 if the system clock is outside the 48 bits of milliseconds.
 */
extern Datum iuid_generate(int country, int entity);

/* The country in the setting iuid.country; 22023 if it is not set. */
extern int iuid_country_here(void);

#endif /* IUID_GENERATE_H */
