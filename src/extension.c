/*-------------------------------------------------------------------------
 *
 * extension.c
 *	  Finds what belongs to an extension: its schema, functions and type.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "extension.h"
#include "iuid.h"

bool
iuid_is_function(Oid function, PGFunction code)
{
	FmgrInfo info;

	if (!OidIsValid(function))
		return false;
	fmgr_info(function, &info);
	return info.fn_addr == code;
}

Oid
iuid_find_function(Oid schema, const char *name, PGFunction code,
				   const Oid *types, int count)
{
	Oid function =
		GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
						PointerGetDatum(buildoidvector(types, count)),
						ObjectIdGetDatum(schema));

	return iuid_is_function(function, code) ? function : InvalidOid;
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

/*
 * Anyone can give the name of a type that was renamed to a domain or to another
 * type of their own; only a superuser can make a base type.
 */
Oid
iuid_find_type(Oid schema)
{
	Oid type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
							   CStringGetDatum("iuid"), ObjectIdGetDatum(schema));

	if (!OidIsValid(type) || get_typtype(type) != TYPTYPE_BASE ||
		get_typlen(type) != IUID_LEN)
		return InvalidOid;
	return type;
}
