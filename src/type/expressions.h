/*-------------------------------------------------------------------------
 *
 * expressions.h
 *	  What the planner's support functions read and make.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_EXPRESSIONS_H
#define IUID_EXPRESSIONS_H

#include "postgres.h"

#include "access/stratnum.h"
#include "nodes/nodes.h"

/*
 * The btree strategy of the operator < <= = >= > that calls a function of the
 * extension; InvalidStrategy if none of them does.  No operator can be renamed.
 */
extern StrategyNumber iuid_comparison_strategy(Oid function);

/* The default btree family of a type. */
extern Oid iuid_default_opfamily(Oid type);

/*
 * Makes a comparison by the operator that a btree family has for both types; NULL if
 * it has none.
 */
extern Node *iuid_make_comparison(Oid opfamily, StrategyNumber strategy,
								  Node *left, Node *right);

#endif /* IUID_EXPRESSIONS_H */
