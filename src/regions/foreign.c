/*-------------------------------------------------------------------------
 *
 * foreign.c
 *	  Reads what foreign tables stand on, and the options of foreign servers.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "nodes/parsenodes.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "foreign.h"
#include "relation.h"

bool
iuid_stands_on(Oid foreign, const char *server, Oid local, const char *name)
{
	const char *schema = iuid_foreign_option(foreign, "schema_name");
	const char *table = iuid_foreign_option(foreign, "table_name");

	return server != NULL && schema != NULL && table != NULL &&
		GetForeignTable(foreign)->serverid ==
		get_foreign_server_oid(server, true) &&
		strcmp(schema, iuid_relation_schema(local)) == 0 &&
		strcmp(table, name) == 0;
}

bool
iuid_is_of_global_view(Oid foreign)
{
	static const char *const wanted[][2] = { { "updatable", "false" },
											 { "truncatable", "false" },
											 { "async_capable", "true" } };

	for (size_t i = 0; i < lengthof(wanted); i++)
	{
		const char *value = iuid_foreign_option(foreign, wanted[i][0]);

		if (value == NULL || strcmp(value, wanted[i][1]) != 0)
			return false;
	}
	return true;
}

const char *
iuid_foreign_option(Oid foreign, const char *option)
{
	return iuid_option(GetForeignTable(foreign)->options, option);
}

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

bool
iuid_has_mapping(Oid role, Oid server)
{
	return SearchSysCacheExists2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(role),
								 ObjectIdGetDatum(server)) ||
		SearchSysCacheExists2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(InvalidOid),
							  ObjectIdGetDatum(server));
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
