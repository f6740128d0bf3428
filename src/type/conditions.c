/*-------------------------------------------------------------------------
 *
 * conditions.c
 *	  The conditions that stand beside a comparison.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"

#include "conditions.h"

/*
 * The arm of an OR in which the last comparison was found: the next one is near.
 * The pointer is compared, and never followed.
 */
static const List *last_arms;
static int last_arm;

static List *conditions_of_join(RestrictInfo *one, List *conditions);
static List *conditions_around(const List *args, List *conditions);
static List *conditions_in_arms(const List *args, const List *arms);

List *
iuid_conditions_of(PlannerInfo *root, RelOptInfo *rel, const List *args)
{
	List *conditions = conditions_around(args, rel->baserestrictinfo);
	ListCell *lc;

	if (conditions != NIL)
		return conditions;
	foreach (lc, rel->joininfo)
	{
		conditions =
			conditions_around(args,
							  conditions_of_join(lfirst(lc), rel->joininfo));
		if (conditions != NIL)
			return conditions;
	}
	return conditions_around(args, (List *) root->parse->havingQual);
}

/* The conditions that are evaluated where one of them is. */
static List *
conditions_of_join(RestrictInfo *one, List *conditions)
{
	List *result = NIL;
	ListCell *lc;

	foreach (lc, conditions)
	{
		RestrictInfo *other = lfirst(lc);

		if (bms_equal(other->required_relids, one->required_relids))
			result = lappend(result, other);
	}
	return result;
}

/* The same of a list whose conditions are joined by AND, and of those below it. */
static List *
conditions_around(const List *args, List *conditions)
{
	ListCell *lc;

	check_stack_depth();
	foreach (lc, conditions)
	{
		Node *condition = iuid_condition_of(lfirst(lc));
		List *found = NIL;

		if (IsA(condition, OpExpr) && ((OpExpr *) condition)->args == args)
			return conditions;
		if (IsA(condition, BooleanTest))
			found = conditions_around(args,
									  make_ands_implicit(
										  ((BooleanTest *) condition)->arg));
		else if (IsA(condition, BoolExpr))
			found = conditions_in_arms(args, ((BoolExpr *) condition)->args);
		if (found != NIL)
			return found;
	}
	return NIL;
}

/* The same of the arms of an OR, from the one on in which the last one was found. */
static List *
conditions_in_arms(const List *args, const List *arms)
{
	int count = list_length(arms);
	int first = arms == last_arms && last_arm < count ? last_arm : 0;

	for (int i = 0; i < count; i++)
	{
		int number = (first + i) % count;
		List *found =
			conditions_around(args, make_ands_implicit(list_nth(arms, number)));

		if (found != NIL)
		{
			last_arms = arms;
			last_arm = number;
			return found;
		}
	}
	return NIL;
}

Node *
iuid_condition_of(Node *node)
{
	RestrictInfo *info = (RestrictInfo *) node;

	if (!IsA(node, RestrictInfo))
		return node;
	return (Node *) (info->orclause != NULL ? info->orclause : info->clause);
}
