/*-------------------------------------------------------------------------
 *
 * module.c
 *	  What happens when the library is loaded; the configuration parameters.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include <sodium.h>

#include "utils/guc.h"

#include "iuid.h"
#include "settings.h"

PG_MODULE_MAGIC_EXT(.name = "iuid", .version = IUID_EXTENSION_VERSION);

int iuid_setting_country = IUID_COUNTRY_UNSET;
bool iuid_setting_monotonic = true;

/* The extension iuid_regions asks the server for it. */
static char *setting_node = "";

void _PG_init(void);

void
_PG_init(void)
{
	if (sodium_init() < 0)
		ereport(ERROR,
				(errcode(ERRCODE_SYSTEM_ERROR),
				 errmsg("could not initialize libsodium"),
				 errdetail(
					 "Without it there are no random bits to make identifiers from."),
				 errhint(
					 "Check that the operating system gives random numbers: getrandom() or /dev/urandom.")));

	DefineCustomIntVariable("iuid.country",
							"Country number of the identifiers that gen_iuid(entity) makes.",
							"From 0 to 255; -1 means that none is set. Meant to be set per database.",
							&iuid_setting_country, IUID_COUNTRY_UNSET,
							IUID_COUNTRY_UNSET, IUID_COUNTRY_MAX, PGC_USERSET,
							0, NULL, NULL, NULL);
	DefineCustomBoolVariable("iuid.monotonic",
							 "Makes identifiers ascend within a millisecond, too.",
							 "When on, the random bits start with the fraction of the millisecond. When off, all 54 bits are random.",
							 &iuid_setting_monotonic, true, PGC_USERSET, 0,
							 NULL, NULL, NULL);
	DefineCustomStringVariable("iuid.node",
							   "Name of the node that this database is, as it stands in the routes.",
							   "Empty means that none is set.", &setting_node,
							   "", PGC_USERSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("iuid");
}
