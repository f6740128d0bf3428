/*-------------------------------------------------------------------------
 *
 * country_check.c
 *	  The CHECK by which a partition has the rows of one country.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"

#include "country_check.h"
#include "datum.h"
#include "function.h"
#include "partitions/check.h"

/* The country and the bounds, as a list of comparisons. */
static List *
make_check(const Countries *countries, Oid table, int country)
{
	NewPartition range = iuid_range_of_country(country);
	Oid opfamily = countries->table->opfamily;
	AttrNumber column = get_attnum(table, countries->table->key);
	Oid type = get_atttype(table, column);
	Oid function = iuid_require_function(countries->schema, "iuid_country",
										 &type, 1, "iuid");
	Expr *key = (Expr *) makeVar(1, column, type, -1, InvalidOid, 0);
	Expr *country_of_key =
		(Expr *) makeFuncExpr(function, INT4OID, list_make1(copyObject(key)),
							  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);

	return list_make3(iuid_make_comparison(INTEGER_BTREE_FAM_OID,
										   BTEqualStrategyNumber, country_of_key,
										   Int32GetDatum(country)),
					  iuid_make_comparison(opfamily, BTGreaterEqualStrategyNumber,
										   key, iuid_to_datum(range.lower)),
					  iuid_make_comparison(opfamily, BTLessStrategyNumber, key,
										   iuid_to_datum(range.upper)));
}

void
iuid_add_country_check(const Countries *countries, Oid table, int country)
{
	iuid_add_check(table, make_andclause(make_check(countries, table, country)));
}

bool
iuid_has_country_check(const Countries *countries, Oid table, int country)
{
	return iuid_checks_prove(iuid_checks_of(table),
							 make_check(countries, table, country));
}
