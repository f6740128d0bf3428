/*-------------------------------------------------------------------------
 *
 * owner.h
 *	  Changing somebody's table: as its owner, and not able to do more.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_OWNER_H
#define IUID_OWNER_H

#include "compat.h"

#include "catalog/pg_class.h"

/* Who we were before. */
typedef struct Restricted
{
	Oid user;
	int sec_context;
	int guc_level;
} Restricted;

/*
 * Runs what follows as a user, in a security-restricted operation, with
 * nothing but the server's own schema in the search_path: as VACUUM and
 * REINDEX run what a table brings along.  An error ends it, too.
 */
extern Restricted iuid_become(Oid user);

/*
 * The same, as the owner of a table.  A temporary table has to be made
 * outside of such an operation, so its owner does that, and nobody else:
 * 42501.
 */
extern Restricted iuid_become_owner(Oid table);

extern void iuid_return(Restricted *saved);

/*
 * These raise 42P01 for what does not exist, and 42501 if the current user
 * has not the rights of the owner, or may not read.  They take no lock.
 */
extern void iuid_check_owner(Oid table);
extern void iuid_check_reader(Oid table);

/* The owner if the current user has that owner's rights, else the current user. */
extern Oid iuid_owner_or_caller(Oid table);

/* Executes a statement, in which every name is qualified and quoted. */
extern void iuid_execute(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * The one value of a query's one row, or the default if that is NULL.  The
 * query sees what is committed now, under REPEATABLE READ, too.
 */
extern int64 iuid_query_int64(const char *query, int64 null_value);

/* The row of pg_class without what varies in length; 42P01 if there is none. */
extern FormData_pg_class iuid_class_of(Oid relation);

/* Schema and name, quoted where that is needed. */
extern char *iuid_qualified_name(Oid relation);

#endif /* IUID_OWNER_H */
