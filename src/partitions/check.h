/*-------------------------------------------------------------------------
 *
 * check.h
 *	  The CHECK constraints of a partition, and the comparisons in them.
 *
 * A CHECK is code of the table's owner, and whoever asks what it says is not
 * always the owner.  So nothing of it is evaluated here: the planner would
 * evaluate calls of functions, and the constraints of domains.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_CHECK_H
#define IUID_CHECK_H

#include "compat.h"

#include "access/stratnum.h"
#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

/* A CHECK of a table that is enforced. */
typedef struct Check
{
	char *name;
	bool is_valid;	   /* false: NOT VALID, so that it proves nothing */
	bool is_inherited; /* the parent has it, too */
	List *clauses;	   /* its parts joined by AND, as they are stored */
} Check;

/* Reads the CHECKs of a table, and locks nothing. */
extern List *iuid_checks_of(Oid table);

/*
 * How a clause compares an expression with another one of the same type: the
 * strategy of the operator in a btree family, with the expression on its left,
 * and the other one.  InvalidStrategy for any other clause.
 */
extern StrategyNumber iuid_read_comparison(Node *clause, const Expr *expression,
										   Oid opfamily, Node **other);

/*
 * The comparison of an expression with a constant of the same type, by the
 * operator of a btree family.
 */
extern Expr *iuid_make_comparison(Oid opfamily, StrategyNumber strategy,
								  Expr *left, Datum bound);

/*
 * Adds a CHECK of these clauses to a table that no other session can see yet.
 * They have their functions and operators by OID: by name, other objects of a
 * schema could be found in their place.
 */
extern void iuid_add_check(Oid table, List *clauses);

#endif /* IUID_CHECK_H */
