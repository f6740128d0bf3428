/*-------------------------------------------------------------------------
 *
 * module.c
 *	  The library of extension iuid_regions, with the helpers that it shares with
 *	  that of iuid.
 *
 * All else of iuid is called by SQL.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

PG_MODULE_MAGIC_EXT(.name = "iuid_regions", .version = IUID_EXTENSION_VERSION);

#include "../src/datum.c"
#include "../src/extension.c"
#include "../src/owner.c"
#include "../src/relation.c"
