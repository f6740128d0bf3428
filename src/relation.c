/*-------------------------------------------------------------------------
 *
 * relation.c
 *	  A relation's row of pg_class, and its names.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/htup_details.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "relation.h"

FormData_pg_class
iuid_class_of(Oid relation)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	FormData_pg_class class;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	class = *(Form_pg_class) GETSTRUCT(tuple);
	ReleaseSysCache(tuple);
	return class;
}

char *
iuid_relation_name(Oid relation)
{
	FormData_pg_class class = iuid_class_of(relation);

	return pstrdup(NameStr(class.relname));
}

char *
iuid_relation_schema(Oid relation)
{
	return get_namespace_name(iuid_class_of(relation).relnamespace);
}

char *
iuid_qualified_name(Oid relation)
{
	FormData_pg_class class = iuid_class_of(relation);

	return quote_qualified_identifier(get_namespace_name(class.relnamespace),
									  NameStr(class.relname));
}

void
iuid_check_name(Oid relation, const char *name)
{
	char *now = iuid_qualified_name(relation);

	if (strcmp(now, name) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table %s was renamed while it was changed", name),
				 errdetail("Its name is %s now.", now), errhint("Try again.")));
}

void
iuid_reject_missing_table(const char *name, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("table \"%s\" of extension \"%s\" is missing", name,
					"iuid_regions"),
			 errdetail("%s", detail), errhint("Give the table back its name.")));
}
