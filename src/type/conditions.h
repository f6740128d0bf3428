/*-------------------------------------------------------------------------
 *
 * conditions.h
 *	  The conditions that stand beside a comparison.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_CONDITIONS_H
#define IUID_CONDITIONS_H

#include "nodes/pathnodes.h"

/*
 * The list of conditions on the rows of a relation in which a comparison stands,
 * which is known by the list of its arguments; NIL if it stands in none.
 */
extern List *iuid_conditions_of(PlannerInfo *root, RelOptInfo *rel,
								const List *args);

/*
 * What a RestrictInfo, or a condition without one, has; of an OR, the form in
 * which the planner keeps the estimates of its arms.
 */
extern Node *iuid_condition_of(Node *node);

#endif /* IUID_CONDITIONS_H */
