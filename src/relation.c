/*-------------------------------------------------------------------------
 *
 * relation.c
 *	  A relation's row of pg_class, and its name.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

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
	FormData_pg_class row;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	row = *(Form_pg_class) GETSTRUCT(tuple);
	ReleaseSysCache(tuple);
	return row;
}

char *
iuid_qualified_name(Oid relation)
{
	FormData_pg_class class = iuid_class_of(relation);

	return quote_qualified_identifier(get_namespace_name(class.relnamespace),
									  NameStr(class.relname));
}
