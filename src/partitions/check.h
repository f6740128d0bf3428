/*-------------------------------------------------------------------------
 *
 * check.h
 *	  The CHECK constraints of a partition, and what they prove.
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

/* A CHECK of a table. */
typedef struct Check
{
	char *name;
	bool is_valid; /* false: NOT VALID or NOT ENFORCED, so that it proves nothing */
	bool is_inherited; /* the parent has it, too */
	List *clauses;	   /* its parts joined by AND, with constants folded */
} Check;

/*
 * A comparison of an expression with a constant of the same type, by the
 * operator of a btree family.
 */
extern Expr *iuid_make_comparison(Oid opfamily, StrategyNumber strategy,
								  Expr *left, Datum bound);

/*
 * Adds a CHECK to a table that no other session can see yet.  The expression
 * has its functions and operators by OID: by name, other objects of a schema
 * could be found in their place.
 */
extern void iuid_add_check(Oid table, Expr *expression);

/*
 * Reads the CHECKs of a table, and locks nothing.  The constant parts of a
 * CHECK are evaluated; what calls a function of a user is left out.
 */
extern List *iuid_checks_of(Oid table);

/* Whether the valid ones of some CHECKs prove all of the clauses wanted. */
extern bool iuid_checks_prove(const List *checks, List *wanted);

#endif /* IUID_CHECK_H */
