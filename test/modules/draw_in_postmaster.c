/*-------------------------------------------------------------------------
 *
 * draw_in_postmaster.c
 *	  Makes an identifier in the postmaster, so that every session is forked
 *	  from a process whose random bits and last identifier are in use.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;

void _PG_init(void);

void
_PG_init(void)
{
	PGFunction make = (PGFunction) load_external_function("iuid", "gen_iuid", true, NULL);

	(void) DirectFunctionCall2(make, Int32GetDatum(7), Int32GetDatum(1));
}
