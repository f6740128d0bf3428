/*-------------------------------------------------------------------------
 *
 * expression.h
 *	  Comparisons of a btree family as parts of expressions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_EXPRESSION_H
#define IUID_EXPRESSION_H

#include "compat.h"

#include "access/stratnum.h"
#include "nodes/nodes.h"

/*
 * The comparison of two expressions by the operator that a btree family has for
 * their types; NULL if it has none.
 */
extern Node *iuid_make_comparison(Oid opfamily, StrategyNumber strategy,
								  Node *left, Node *right);

#endif /* IUID_EXPRESSION_H */
