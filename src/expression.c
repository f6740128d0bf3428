/*-------------------------------------------------------------------------
 *
 * expression.c
 *	  Comparisons of a btree family as parts of expressions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "expression.h"

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
