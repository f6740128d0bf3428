/*-------------------------------------------------------------------------
 *
 * check.c
 *	  The CHECK constraints of a partition.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/heap.h"
#include "catalog/pg_constraint.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "check.h"
#include "expression.h"
#include "relation.h"

static List *flatten(Node *expression);

List *
iuid_checks_of(Oid table)
{
	List *checks = NIL;
	ListCell *lc;

	foreach (lc, iuid_constraints_of(table, CONSTRAINT_CHECK))
	{
		HeapTuple tuple = lfirst(lc);
		Form_pg_constraint constraint = (Form_pg_constraint) GETSTRUCT(tuple);
		Check *check;
		bool isnull;
		Datum expression = SysCacheGetAttr(CONSTROID, tuple,
										   Anum_pg_constraint_conbin, &isnull);

		if (!IS_ENFORCED(constraint))
			continue;
		check = palloc(sizeof(Check));
		check->name = pstrdup(NameStr(constraint->conname));
		check->is_valid = constraint->convalidated;
		check->is_inherited = constraint->coninhcount > 0;
		check->clauses = flatten(stringToNode(TextDatumGetCString(expression)));
		checks = lappend(checks, check);
	}
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

Node *
iuid_make_key(Oid table, const char *name)
{
	AttrNumber column = get_attnum(table, name);

	return (Node *) makeVar(1, column, get_atttype(table, column), -1,
							InvalidOid, 0);
}

Node *
iuid_make_call(Oid function, Node *argument)
{
	return (Node *) makeFuncExpr(function, get_func_rettype(function),
								 list_make1(copyObject(argument)), InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

Node *
iuid_compare_with_constant(Oid opfamily, StrategyNumber strategy, Node *left,
						   Datum constant)
{
	Oid type = exprType(left);
	int16 length;
	bool by_value;
	Node *comparison;

	get_typlenbyval(type, &length, &by_value);
	comparison =
		iuid_make_comparison(opfamily, strategy, copyObject(left),
							 (Node *) makeConst(type, -1, InvalidOid, length,
												constant, false, by_value));
	if (comparison == NULL)
		elog(ERROR, "missing operator %d(%u,%u) in opfamily %u", strategy, type,
			 type, opfamily);
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
