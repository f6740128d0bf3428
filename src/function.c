/*-------------------------------------------------------------------------
 *
 * function.c
 *	  Finds SQL functions of the extensions by their C functions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/htup_details.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "function.h"

char *
iuid_c_function(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	char *name = NULL;
	bool isnull;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	if (((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId)
		name = TextDatumGetCString(
			SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull));
	ReleaseSysCache(tuple);
	return name;
}

Oid
iuid_find_function(Oid schema, const char *name, const Oid *types, int count)
{
	Oid function =
		GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
						PointerGetDatum(buildoidvector(types, count)),
						ObjectIdGetDatum(schema));
	char *found = iuid_c_function(function);

	return found != NULL && strcmp(found, name) == 0 ? function : InvalidOid;
}

Oid
iuid_require_function(Oid schema, const char *name, const Oid *types, int count,
					  const char *extension)
{
	Oid function = iuid_find_function(schema, name, types, count);

	if (!OidIsValid(function))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("function %s of extension \"%s\" is missing", name,
						extension),
				 errhint("Give the function back its name.")));
	return function;
}

Oid
iuid_schema_of(Oid function)
{
	Oid schema = get_func_namespace(function);

	if (!OidIsValid(schema))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("function with OID %u does not exist", function),
				 errdetail(
					 "Another session dropped the extension while this statement was using it."),
				 errhint("Try again if the extension is there.")));
	return schema;
}
