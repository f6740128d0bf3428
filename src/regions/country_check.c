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

#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/heap.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "country_check.h"
#include "datum.h"
#include "function.h"

static bool has_code_of_users(Node *node, void *context);
static bool is_code_of_users(Oid function, void *context);
static Expr *make_comparison(Oid family, StrategyNumber strategy, Var *key,
							 const Iuid *bound);

/*
 * The expression has its function and operators by OID: by name, other objects
 * of the schema could be found in their place.
 */
static Expr *
make_check(const Countries *countries, Oid table, int country)
{
	NewPartition range = iuid_range_of_country(country);
	AttrNumber column = get_attnum(table, countries->table->key);
	Oid type = get_atttype(table, column);
	Oid function = iuid_require_function(countries->schema, "iuid_country",
										 &type, 1, "iuid");
	Var *key = makeVar(1, column, type, -1, InvalidOid, 0);
	Expr *is_country;

	is_country =
		make_opclause(Int4EqualOperator, BOOLOID, false,
					  (Expr *) makeFuncExpr(function, INT4OID,
											list_make1(copyObject(key)),
											InvalidOid, InvalidOid,
											COERCE_EXPLICIT_CALL),
					  (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
										 Int32GetDatum(country), false, true),
					  InvalidOid, InvalidOid);
	set_opfuncid((OpExpr *) is_country);
	return make_andclause(
		list_make3(is_country,
				   make_comparison(countries->table->opfamily,
								   BTGreaterEqualStrategyNumber, key,
								   &range.lower),
				   make_comparison(countries->table->opfamily,
								   BTLessStrategyNumber, key, &range.upper)));
}

void
iuid_add_country_check(const Countries *countries, Oid table, int country)
{
	Relation opened = table_open(table, NoLock);
	Constraint *check = makeNode(Constraint);

	check->contype = CONSTR_CHECK;
	check->location = -1;
	check->initially_valid = true;
	SET_ENFORCED(check);
	check->cooked_expr = nodeToString(make_check(countries, table, country));
	AddRelationNewConstraints(opened, NIL, list_make1(check), false, true,
							  false, NULL);
	table_close(opened, NoLock);
	CommandCounterIncrement();
}

bool
iuid_has_country_check(const Countries *countries, Oid table, int country)
{
	Relation opened = table_open(table, AccessShareLock);
	TupleConstr *all = RelationGetDescr(opened)->constr;
	List *proven = NIL;
	List *wanted = make_ands_implicit(make_check(countries, table, country));

	for (int i = 0; all != NULL && i < all->num_check; i++)
	{
		List *parts = make_ands_implicit(stringToNode(all->check[i].ccbin));
		ListCell *lc;

		if (!all->check[i].ccvalid)
			continue;
		foreach (lc, parts)
		{
			Node *part = lfirst(lc);

			if (has_code_of_users(part, NULL))
				continue;
			part = eval_const_expressions(NULL, part);
			proven = list_concat(proven,
								 make_ands_implicit(
									 canonicalize_qual((Expr *) part, true)));
		}
	}
	table_close(opened, AccessShareLock);
	return predicate_implied_by(wanted, proven, true);
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

/* A comparison of the key with a bound, by an operator of country order. */
static Expr *
make_comparison(Oid family, StrategyNumber strategy, Var *key, const Iuid *bound)
{
	Oid operator=
		get_opfamily_member(family, key->vartype, key->vartype, strategy);
	Expr *comparison;

	if (!OidIsValid(operator))
		elog(ERROR, "missing operator %d(%u,%u) in opfamily %u", strategy,
			 key->vartype, key->vartype, family);
	comparison =
		make_opclause(operator, BOOLOID, false, (Expr *) copyObject(key),
					  (Expr *) makeConst(key->vartype, -1, InvalidOid, IUID_LEN,
										 iuid_to_datum(*bound), false, false),
					  InvalidOid, InvalidOid);
	set_opfuncid((OpExpr *) comparison);
	return comparison;
}
