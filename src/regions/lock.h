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
 * Takes all locks that wanted(arg) lists, after it has read the table.  The
 * function calls wanted() before it takes the locks, and again when it holds
 * them: if the two lists differ, it gives up the locks and starts again.  So the
 * last call of wanted() has seen the tables while they are locked.  wanted()
 * checks the rights, and may raise an error.
 *
 * 55P03 if the locks cannot all be taken within lock_timeout, or within one
 * minute if lock_timeout is 0, or ten seconds after another session begins to
 * wait for a lock that the transaction held before.  25006 in a read-only
 * transaction, and so on a standby, which knows no such locks.
 *
 * On return lock_timeout is short, until iuid_restore_user(): a later
 * statement must not wait long for a lock that the list lacks.
 */
typedef List *(*WantedLocks)(void *arg);
extern void iuid_take_locks(Oid table, WantedLocks wanted, void *arg);

/* Sets lock_timeout until the subtransaction or iuid_restore_user() ends that. */
extern void iuid_wait_at_most(int64 ms);

/*
 * The number of tables like this one, with indexes and TOAST, that one call
 * may make without filling the server's lock table, or make and drop: at least
 * 1.
 */
extern int iuid_tables_per_call(Oid table, bool drop);

#endif /* IUID_LOCK_H */
