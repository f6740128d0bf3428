/*-------------------------------------------------------------------------
 *
 * module.c
 *	  The library of extension iuid_regions, with its own copy of the helpers that
 *	  that of iuid has, too.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

PG_MODULE_MAGIC_EXT(.name = "iuid_regions", .version = IUID_EXTENSION_VERSION);

#include "../src/datum.c"
#include "../src/extension.c"
#include "../src/owner.c"
#include "../src/relation.c"
