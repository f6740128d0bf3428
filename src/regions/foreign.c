/*-------------------------------------------------------------------------
 *
 * foreign.c
 *	  Reads what foreign tables stand on at the other nodes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "nodes/parsenodes.h"
#include "utils/lsyscache.h"

#include "foreign.h"

bool
iuid_stands_on(Oid foreign, const char *server, Oid local, const char *name)
{
	const char *schema = iuid_foreign_option(foreign, "schema_name");
	const char *table = iuid_foreign_option(foreign, "table_name");

	return server != NULL && schema != NULL && table != NULL &&
		GetForeignTable(foreign)->serverid ==
		get_foreign_server_oid(server, true) &&
		strcmp(schema, get_namespace_name(get_rel_namespace(local))) == 0 &&
		strcmp(table, name) == 0;
}

const char *
iuid_foreign_option(Oid foreign, const char *option)
{
	ListCell *lc;

	foreach (lc, GetForeignTable(foreign)->options)
	{
		DefElem *element = lfirst(lc);

		if (strcmp(element->defname, option) == 0)
			return defGetString(element);
	}
	return NULL;
}
