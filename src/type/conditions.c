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
static bool stands_in(const List *args, const List *conditions);
static List *find_arm(const List *args, const List *arms);

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
	List *lists = list_make1(conditions);
	ListCell *list, *lc;

	foreach (list, lists)
	{
		if (stands_in(args, lfirst(list)))
			return lfirst(list);
		foreach (lc, (List *) lfirst(list))
		{
			Node *condition = iuid_condition_of(lfirst(lc));
			List *arms = NIL, *found;
			ListCell *arm;

			if (IsA(condition, BooleanTest))
				arms = list_make1(((BooleanTest *) condition)->arg);
			else if (IsA(condition, BoolExpr))
				arms = ((BoolExpr *) condition)->args;
			found = find_arm(args, arms);
			if (found != NIL)
				return found;
			foreach (arm, arms)
				lists = lappend(lists, make_ands_implicit(lfirst(arm)));
		}
	}
	return NIL;
}

/* Whether a comparison is one of some conditions. */
static bool
stands_in(const List *args, const List *conditions)
{
	ListCell *lc;

	foreach (lc, conditions)
	{
		Node *condition = iuid_condition_of(lfirst(lc));

		if (IsA(condition, OpExpr) && ((OpExpr *) condition)->args == args)
			return true;
	}
	return false;
}

/* The arm in which it stands, from the one on in which the last one was found. */
static List *
find_arm(const List *args, const List *arms)
{
	int count = list_length(arms);
	int first = arms == last_arms && last_arm < count ? last_arm : 0;

	for (int i = 0; i < count; i++)
	{
		int number = (first + i) % count;
		List *arm = make_ands_implicit(list_nth(arms, number));

		if (stands_in(args, arm))
		{
			last_arms = arms;
			last_arm = number;
			return arm;
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
