/*-------------------------------------------------------------------------
 *
 * foreign.c
 *	  Reads the options of foreign servers.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "commands/defrem.h"
#include "nodes/parsenodes.h"

#include "foreign.h"

const char *
iuid_option(List *options, const char *option)
{
	ListCell *lc;

	foreach (lc, options)
	{
		DefElem *element = lfirst(lc);

		if (strcmp(element->defname, option) == 0)
			return defGetString(element);
	}
	return NULL;
}

void
iuid_require_server(const char *node, const char *server, const char *detail)
{
	if (server == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("node \"%s\" has no server", node),
				 detail ? errdetail("%s", detail) : 0, errhint(IUID_SERVER_HINT)));
}
