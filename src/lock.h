/*-------------------------------------------------------------------------
 *
 * lock.h
 *	  Locks on several tables at once, at nobody's cost.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_LOCK_H
#define IUID_LOCK_H

#include "compat.h"

#include "nodes/pg_list.h"
#include "storage/lockdefs.h"

typedef struct TableLock
{
	Oid table;
	LOCKMODE mode;
} TableLock;

/*
 * Adds a table to a list of TableLock; one that is there gets the stronger
 * mode.  The second does so with all partitions below it, too; the third
 * with those that it is a partition of, whose bounds the server reads.
 */
extern List *iuid_add_lock(List *locks, Oid table, LOCKMODE mode);
extern List *iuid_add_lock_of_all(List *locks, Oid table, LOCKMODE mode);
extern List *iuid_add_locks_above(List *locks, Oid table);

/*
 * Adds the tables that foreign keys join to a table: those that it refers to,
 * with their partitions, by all of its foreign keys or by those that are its
 * own, and not its parent's; and those that refer to it.
 */
extern List *iuid_add_referred_locks(List *locks, Oid table, LOCKMODE mode);
extern List *iuid_add_own_referred_locks(List *locks, Oid table, LOCKMODE mode);
extern List *iuid_add_referring_locks(List *locks, Oid table, LOCKMODE mode);

/* A table with all partitions below it. What is dropped meanwhile is left out. */
extern List *iuid_tables_below(Oid table);

/*
 * Takes all the locks that wanted(arg) lists, or none.  It is asked again
 * when they are had, as what it saw may have changed until then.  It may
 * raise an error.  The wait ends after lock_timeout, or a minute if there is
 * none: 55P03.  From then on lock_timeout is short, as what else a statement
 * locks must not be waited for: until iuid_return().
 */
typedef List *(*WantedLocks)(void *arg);
extern void iuid_take_locks(WantedLocks wanted, void *arg);

/*
 * How many tables like this one, with indexes and TOAST, a call may make or
 * drop, so that the server's lock table does not fill: at least 1.  53200
 * where it is too full for one.
 */
extern int iuid_tables_per_call(Oid table);

#endif /* IUID_LOCK_H */
