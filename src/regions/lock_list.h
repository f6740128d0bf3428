/*-------------------------------------------------------------------------
 *
 * lock_list.h
 *	  Lists of the tables that a statement has to lock.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_LOCK_LIST_H
#define IUID_LOCK_LIST_H

#include "compat.h"

#include "nodes/pg_list.h"
#include "storage/lockdefs.h"

typedef struct TableLock
{
	Oid table;
	LOCKMODE mode;
} TableLock;

/*
 * These functions add to a list of TableLock, and return the list.  A table
 * that is in the list already gets the stronger of the two modes.
 *
 * iuid_add_lock() adds the table itself, and iuid_add_lock_of_all() the table
 * with all partitions below it.  iuid_add_locks_above() adds the tables that
 * the table is a partition of, at all levels, in ACCESS SHARE mode, as the
 * server reads their bounds.  iuid_add_locks_of_drop() adds the table with all
 * partitions below it, and what goes with them: their TOAST tables, which
 * autovacuum locks alone, and their sequences.
 */
extern List *iuid_add_lock(List *locks, Oid table, LOCKMODE mode);
extern List *iuid_add_lock_of_all(List *locks, Oid table, LOCKMODE mode);
extern List *iuid_add_locks_of_drop(List *locks, Oid table);
extern List *iuid_add_locks_above(List *locks, Oid table);

/*
 * These functions add the tables that foreign keys join to a table.
 *
 * iuid_add_referred_locks() adds the tables that the table refers to, with
 * their partitions.  iuid_add_own_referred_locks() does so for those foreign
 * keys only that the table does not have from its parent.
 * iuid_add_referring_locks() adds the tables that refer to the table; of a
 * partitioned table that refers to it, not the partitions.
 */
extern List *iuid_add_referred_locks(List *locks, Oid table, LOCKMODE mode);
extern List *iuid_add_own_referred_locks(List *locks, Oid table, LOCKMODE mode);
extern List *iuid_add_referring_locks(List *locks, Oid table, LOCKMODE mode);

/*
 * The OIDs of a table and of all partitions below it.  Nothing is locked, so
 * a table in the list may be gone.
 */
extern List *iuid_tables_below(Oid table);

#endif /* IUID_LOCK_LIST_H */
