/*-------------------------------------------------------------------------
 *
 * uuid_column.c
 *	  Support function for comparisons of a uuid with an iuid.
 *
 * An index on a uuid column, and partitions by one, have core's operators on two
 * uuids only, but core does not estimate a range of uuids.  So our operator, which
 * has an estimator, stays in the query where only an index has to know it:
 * the index asks this function for a condition of its own (SupportRequestIndexCondition).
 * Partition pruning asks nobody, and a foreign server may not have our operator.
 * There the comparison is replaced while the planner folds constants
 * (SupportRequestSimplify).  So is each = : core estimates that.
 *
 * An index on an iuid column has all these operators, as the cast to uuid does not
 * change the value.  So a join of two columns can use either index.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/nbtree.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "expressions.h"

static Node *simplify(SupportRequestSimplify *req);
static List *index_condition(SupportRequestIndexCondition *req);
static Node *core_comparison(StrategyNumber strategy, Node *left, Node *right);
static bool is_of_plain_tables(PlannerInfo *root, Node *expr);

/* For < <= = >= > of an iuid with a uuid, on either side. */
PG_FUNCTION_INFO_V1(iuid_uuid_support);
Datum
iuid_uuid_support(PG_FUNCTION_ARGS)
{
	Node *req = (Node *) PG_GETARG_POINTER(0);

	if (IsA(req, SupportRequestSimplify))
		PG_RETURN_POINTER(simplify((SupportRequestSimplify *) req));
	if (IsA(req, SupportRequestIndexCondition))
		PG_RETURN_POINTER(index_condition((SupportRequestIndexCondition *) req));
	PG_RETURN_POINTER(NULL);
}

/* NULL if the comparison stays as it is. */
static Node *
simplify(SupportRequestSimplify *req)
{
	StrategyNumber strategy = iuid_comparison_strategy(req->fcall->funcid);
	Node *left = linitial(req->fcall->args);
	Node *right = lsecond(req->fcall->args);
	Node *uuid = exprType(left) == UUIDOID ? left : right;

	if (!contain_var_clause(uuid))
		return NULL;
	if (strategy != BTEqualStrategyNumber && is_of_plain_tables(req->root, uuid))
		return NULL;
	return core_comparison(strategy, left, right);
}

/* NIL if the index cannot use it.  The key of the index comes first. */
static List *
index_condition(SupportRequestIndexCondition *req)
{
	StrategyNumber strategy = iuid_comparison_strategy(req->funcid);
	List *args;
	Node *comparison;

	if (!is_opclause(req->node))
		return NIL;
	args = ((OpExpr *) req->node)->args;
	if (req->indexarg != 0)
		strategy = BTCommuteStrategyNumber(strategy);
	comparison = core_comparison(strategy, list_nth(args, req->indexarg),
								 list_nth(args, 1 - req->indexarg));
	if (comparison == NULL ||
		!op_in_opfamily(((OpExpr *) comparison)->opno, req->opfamily))
		return NIL;
	req->lossy = false;
	return list_make1(comparison);
}

/* Compares two values as uuids. */
static Node *
core_comparison(StrategyNumber strategy, Node *left, Node *right)
{
	left = applyRelabelType(left, UUIDOID, -1, InvalidOid, COERCE_IMPLICIT_CAST,
							-1, false);
	right = applyRelabelType(right, UUIDOID, -1, InvalidOid,
							 COERCE_IMPLICIT_CAST, -1, false);
	return iuid_make_comparison(iuid_default_opfamily(UUIDOID), strategy, left,
								right);
}

/*
 * Whether all columns of an expression are columns of ordinary tables, or of
 * subqueries: a condition that goes into one is simplified there once more.  Not so
 * of UNION ALL (inh), whose partitions are pruned by the condition as it is.
 *
 * Without a query, it is of an index, which has to match the queries of its table.
 * The query can be another one than that of the columns: core simplifies the WHERE of
 * an EXISTS, and a CHECK, as if their columns were the query's own.  They may not be in
 * its range table at all; what is made of them then is simplified again, or compared by
 * its operators.
 */
static bool
is_of_plain_tables(PlannerInfo *root, Node *expr)
{
	Relids relids;
	int relid = -1;

	if (root == NULL || root->parse == NULL)
		return true;
	relids = pull_varnos(root, expr);
	while ((relid = bms_next_member(relids, relid)) >= 0)
	{
		RangeTblEntry *rte;

		if (relid > list_length(root->parse->rtable))
			return true;
		rte = rt_fetch(relid, root->parse->rtable);
		switch (rte->rtekind)
		{
			case RTE_RELATION:
				if (rte->relkind != RELKIND_RELATION &&
					rte->relkind != RELKIND_MATVIEW)
					return false;
				break;
			case RTE_SUBQUERY:
				if (rte->inh)
					return false;
				break;
			case RTE_JOIN: /* an outer one, which can make it NULL */
				break;
			default:
				return false;
		}
	}
	return true;
}
