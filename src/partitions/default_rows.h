/*-------------------------------------------------------------------------
 *
 * default_rows.h
 *	  Looks in a DEFAULT partition for rows that would have to move.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_DEFAULT_ROWS_H
#define IUID_DEFAULT_ROWS_H

#include "partitioned.h"

/*
 * Whether a DEFAULT partition, or an open-ended one, may have rows that can
 * move: it is a plain table, and it has pages or another session has locked it
 * exclusively.  The function waits for no lock and keeps none.
 */
extern bool iuid_may_have_movable_rows(Oid partition);

/*
 * Whether the DEFAULT partition has rows of the new partitions.  The function
 * reads the rows, whatever kind of table the DEFAULT partition is.
 */
extern bool iuid_default_has_rows(const Partitioned *parent,
								  const NewPartition *partitions, int count);

/*
 * Whether a plain table, a partition of the parent, has rows of the new
 * partitions, or any row if those are NULL.  As ATTACH does, the function reads
 * below row security, and runs no code of the table's owner.
 */
extern bool iuid_table_has_rows(const Partitioned *parent, Oid table,
								const NewPartition *partitions, int count);

/*
 * Whether a table and the partitions below it are plain tables, and none of
 * them has a page.  One that another session has locked exclusively may have.
 */
extern bool iuid_is_empty(Oid table);

#endif /* IUID_DEFAULT_ROWS_H */
