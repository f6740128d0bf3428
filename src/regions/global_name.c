/*-------------------------------------------------------------------------
 *
 * global_name.c
 *	  Reads the name of a global table or global view.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/namespace.h"
#include "nodes/pg_list.h"
#include "nodes/value.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "global_name.h"
#include "relation.h"

void
iuid_read_global_name(text *global, Oid local, char **schema, char **name)
{
	List *path = textToQualifiedNameList(global);

	if (list_length(path) > 2)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("improper qualified name (too many dotted names): %s",
						text_to_cstring(global)),
				 errhint(
					 "Give the name, with its schema in front if that is not the schema of the local table.")));
	*name = strVal(llast(path));
	*schema = list_length(path) == 2 ? strVal(linitial(path)) :
									   iuid_relation_schema(local);
	(void) get_namespace_oid(*schema, false);
}
