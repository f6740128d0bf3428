/*-------------------------------------------------------------------------
 *
 * expressions.c
 *	  What the planner's support functions read and make.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "expressions.h"

StrategyNumber
iuid_comparison_strategy(Oid function)
{
	static const char *const operators[] = {
		[BTLessStrategyNumber] = "<",	 [BTLessEqualStrategyNumber] = "<=",
		[BTEqualStrategyNumber] = "=",	 [BTGreaterEqualStrategyNumber] = ">=",
		[BTGreaterStrategyNumber] = ">",
	};
	Oid schema = get_func_namespace(function);
	Oid *types;
	int count;

	get_func_signature(function, &types, &count);
	for (StrategyNumber s = BTLessStrategyNumber; s <= BTMaxStrategyNumber; s++)
	{
		Oid found = GetSysCacheOid4(OPERNAMENSP, Anum_pg_operator_oid,
									CStringGetDatum(operators[s]),
									ObjectIdGetDatum(types[0]),
									ObjectIdGetDatum(types[1]),
									ObjectIdGetDatum(schema));

		if (OidIsValid(found) && get_opcode(found) == function)
			return s;
	}
	return InvalidStrategy;
}

Oid
iuid_default_opfamily(Oid type)
{
	return lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
}

Node *
iuid_make_comparison(Oid opfamily, StrategyNumber strategy, Node *left,
					 Node *right)
{
	Oid opno =
		get_opfamily_member(opfamily, exprType(left), exprType(right), strategy);
	Expr *comparison;

	if (!OidIsValid(opno))
		return NULL;

	comparison = make_opclause(opno, BOOLOID, false, (Expr *) left,
							   (Expr *) right, InvalidOid, InvalidOid);
	set_opfuncid((OpExpr *) comparison);
	return (Node *) comparison;
}
