/*-------------------------------------------------------------------------
 *
 * extension.c
 *	  Finds what belongs to an extension: its schema and its type.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "extension.h"
#include "iuid.h"

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
