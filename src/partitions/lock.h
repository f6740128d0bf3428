/*-------------------------------------------------------------------------
 *
 * lock.h
 *	  Locks several tables together, without a deadlock.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_LOCK_H
#define IUID_LOCK_H

#include "compat.h"

#include "lock_list.h"

/*
 * Takes all locks that wanted(arg) lists.  The function calls wanted() before
 * it takes the locks, and again when it holds them: if the two lists differ,
 * it gives up the locks and starts again.  So the last call of wanted() has
 * seen the tables while they are locked.  wanted() may raise an error.
 *
 * 55P03 if the locks cannot all be taken within lock_timeout, or within one
 * minute if lock_timeout is 0.  25006 in a read-only transaction, and so on a
 * standby, which knows no such locks.
 *
 * On return lock_timeout is short, until iuid_restore_user(): a later
 * statement must not wait long for a lock that the list lacks.
 */
typedef List *(*WantedLocks)(void *arg);
extern void iuid_take_locks(WantedLocks wanted, void *arg);

/*
 * The number of tables like this one, with indexes and TOAST, that one call
 * may make or drop without filling the server's lock table: at least 1.
 * 53200 if the lock table has no room for one such table.
 */
extern int iuid_tables_per_call(Oid table);

#endif /* IUID_LOCK_H */
