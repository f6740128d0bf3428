/*-------------------------------------------------------------------------
 *
 * check.h
 *	  The CHECK constraints of a partition.
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
#include "nodes/nodes.h"
#include "nodes/pg_list.h"

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

/* The column of a name, as a CHECK of its table has it. */
extern Node *iuid_make_key(Oid table, const char *name);

/* A call of a function of one argument. */
extern Node *iuid_make_call(Oid function, Node *argument);

/*
 * The comparison of an expression with a constant of the same type, by the
 * operator of a btree family.
 */
extern Node *iuid_compare_with_constant(Oid opfamily, StrategyNumber strategy,
										Node *left, Datum constant);

/*
 * Adds a CHECK of these clauses to a table that no other session can see yet.
 * They have their functions and operators by OID: by name, other objects of a
 * schema could be found in their place.
 */
extern void iuid_add_check(Oid table, List *clauses);

#endif /* IUID_CHECK_H */
