/*-------------------------------------------------------------------------
 *
 * lock_list.h
 *	  Which tables a statement locks: above, below, and joined to a table.
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

#endif /* IUID_LOCK_LIST_H */
