/*-------------------------------------------------------------------------
 *
 * problem.c
 *	  The rows of iuid_check_regions().
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "problem.h"

/* The columns, as the SQL script declares them. */
enum
{
	PROBLEM_COLUMN,
	RELATION_COLUMN,
	COUNTRY_COLUMN,
	NODE_COLUMN,
	DETAIL_COLUMN,
	HINT_COLUMN,
	COLUMNS
};

void
iuid_report_problem(FunctionCallInfo fcinfo, Oid relation, const char *problem,
					int country, const char *node, const char *detail,
					const char *hint)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum values[COLUMNS] = { 0 };
	bool nulls[COLUMNS] = { false };

	values[PROBLEM_COLUMN] = CStringGetTextDatum(problem);
	values[RELATION_COLUMN] = ObjectIdGetDatum(relation);
	nulls[RELATION_COLUMN] = !OidIsValid(relation);
	values[COUNTRY_COLUMN] = Int32GetDatum(country);
	nulls[COUNTRY_COLUMN] = country == IUID_NO_COUNTRY;
	nulls[NODE_COLUMN] = node == NULL;
	if (node != NULL)
		values[NODE_COLUMN] = CStringGetTextDatum(node);
	values[DETAIL_COLUMN] = CStringGetTextDatum(detail);
	values[HINT_COLUMN] = CStringGetTextDatum(hint);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}
