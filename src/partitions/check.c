/*-------------------------------------------------------------------------
 *
 * check.c
 *	  The CHECK constraints of a partition, and what they prove.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/heap.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "check.h"
#include "function.h"
#include "relation.h"

static List *clauses_of(const char *expression);
static bool has_code_of_users(Node *node, void *context);
static bool is_code_of_users(Oid function, void *context);

Expr *
iuid_make_comparison(Oid opfamily, StrategyNumber strategy, Expr *left,
					 Datum bound)
{
	Oid type = exprType((Node *) left);
	Oid operator= get_opfamily_member(opfamily, type, type, strategy);
	int16 length;
	bool by_value;
	Expr *comparison;

	if (!OidIsValid(operator))
		elog(ERROR, "missing operator %d(%u,%u) in opfamily %u", strategy, type,
			 type, opfamily);
	get_typlenbyval(type, &length, &by_value);
	comparison = make_opclause(operator, BOOLOID, false, copyObject(left),
							   (Expr *) makeConst(type, -1, InvalidOid, length,
												  bound, false, by_value),
							   InvalidOid, InvalidOid);
	set_opfuncid((OpExpr *) comparison);
	return comparison;
}

void
iuid_add_check(Oid table, Expr *expression)
{
	Relation opened = table_open(table, NoLock);
	Constraint *check = makeNode(Constraint);

	check->contype = CONSTR_CHECK;
	check->location = -1;
	check->initially_valid = true;
	SET_ENFORCED(check);
	check->cooked_expr = nodeToString(expression);
	AddRelationNewConstraints(opened, NIL, list_make1(check), false, true,
							  false, NULL);
	table_close(opened, NoLock);
	CommandCounterIncrement();
}

List *
iuid_checks_of(Oid table)
{
	Relation catalog = table_open(ConstraintRelationId, AccessShareLock);
	List *checks = NIL;
	ListCell *lc;

	foreach (lc, iuid_constraints_of(table, CONSTRAINT_CHECK))
	{
		HeapTuple tuple = lfirst(lc);
		Form_pg_constraint constraint = (Form_pg_constraint) GETSTRUCT(tuple);
		Check *check = palloc(sizeof(Check));
		bool isnull;
		Datum expression = heap_getattr(tuple, Anum_pg_constraint_conbin,
										RelationGetDescr(catalog), &isnull);

		check->name = pstrdup(NameStr(constraint->conname));
		check->is_valid = constraint->convalidated;
		check->is_inherited = constraint->coninhcount > 0;
		check->clauses = clauses_of(TextDatumGetCString(expression));
		checks = lappend(checks, check);
	}
	table_close(catalog, AccessShareLock);
	return checks;
}

static List *
clauses_of(const char *expression)
{
	List *clauses = NIL;
	ListCell *lc;

	foreach (lc, make_ands_implicit(stringToNode(expression)))
	{
		Node *clause = lfirst(lc);

		if (has_code_of_users(clause, NULL))
			continue;
		clause = eval_const_expressions(NULL, clause);
		clause = (Node *) canonicalize_qual((Expr *) clause, true);
		clauses = list_concat(clauses, make_ands_implicit((Expr *) clause));
	}
	return clauses;
}

/* Whether an expression calls a function that is neither built in nor in C. */
static bool
has_code_of_users(Node *node, void *context)
{
	return node != NULL &&
		(check_functions_in_node(node, is_code_of_users, context) ||
		 expression_tree_walker(node, has_code_of_users, context));
}

static bool
is_code_of_users(Oid function, void *context pg_attribute_unused())
{
	return function >= FirstNormalObjectId && iuid_c_function(function) == NULL;
}

bool
iuid_checks_prove(const List *checks, List *wanted)
{
	List *proven = NIL;
	ListCell *lc;

	foreach (lc, checks)
	{
		const Check *check = lfirst(lc);

		if (check->is_valid)
			proven = list_concat(proven, check->clauses);
	}
	return predicate_implied_by(wanted, proven, true);
}
