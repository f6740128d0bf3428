/*-------------------------------------------------------------------------
 *
 * check.c
 *	  The CHECK constraints of a partition, and the comparisons in them.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/heap.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "check.h"
#include "relation.h"

static List *flatten(Node *expression);

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
		Check *check;
		bool isnull;
		Datum expression = heap_getattr(tuple, Anum_pg_constraint_conbin,
										RelationGetDescr(catalog), &isnull);

		if (!IS_ENFORCED(constraint))
			continue;
		check = palloc(sizeof(Check));
		check->name = pstrdup(NameStr(constraint->conname));
		check->is_valid = constraint->convalidated;
		check->is_inherited = constraint->coninhcount > 0;
		check->clauses = flatten(stringToNode(TextDatumGetCString(expression)));
		checks = lappend(checks, check);
	}
	table_close(catalog, AccessShareLock);
	return checks;
}

/* The parts that AND joins.  BETWEEN is an AND in another one. */
static List *
flatten(Node *expression)
{
	List *open = list_make1(expression), *clauses = NIL;

	while (open != NIL)
	{
		Node *part = llast(open);

		open = list_delete_last(open);
		if (is_andclause(part))
			open = list_concat(open, ((BoolExpr *) part)->args);
		else
			clauses = lappend(clauses, part);
	}
	return clauses;
}

StrategyNumber
iuid_read_comparison(Node *clause, const Expr *expression, Oid opfamily,
					 Node **other)
{
	OpExpr *comparison = (OpExpr *) clause;
	Oid type = exprType((const Node *) expression);
	Oid operator;

	if (!IsA(clause, OpExpr) || list_length(comparison->args) != 2)
		return InvalidStrategy;
	operator= comparison->opno;
	*other = lsecond(comparison->args);
	if (!equal(linitial(comparison->args), expression))
	{
		if (!equal(lsecond(comparison->args), expression))
			return InvalidStrategy;
		operator= get_commutator(operator);
		*other = linitial(comparison->args);
	}
	if (!OidIsValid(operator) || exprType(*other) != type)
		return InvalidStrategy;
	return get_op_opfamily_strategy(operator, opfamily);
}

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
iuid_add_check(Oid table, List *clauses)
{
	Relation opened = table_open(table, NoLock);
	Constraint *check = makeNode(Constraint);

	check->contype = CONSTR_CHECK;
	check->location = -1;
	check->initially_valid = true;
	SET_ENFORCED(check);
	check->cooked_expr = nodeToString(make_andclause(clauses));
	AddRelationNewConstraints(opened, NIL, list_make1(check), false, true,
							  false, NULL);
	table_close(opened, NoLock);
	CommandCounterIncrement();
}
