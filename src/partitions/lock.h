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

#include "lock_list.h"

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
