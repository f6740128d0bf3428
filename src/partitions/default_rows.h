/*-------------------------------------------------------------------------
 *
 * default_rows.h
 *	  Whether a DEFAULT partition has rows that would have to move.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_DEFAULT_ROWS_H
#define IUID_DEFAULT_ROWS_H

#include "attach.h"
#include "partitioned.h"

/* Whether there may be rows that can move; no lock is needed, or waited for. */
extern bool iuid_may_have_rows(Oid default_partition);

/* Whether it has rows of the new partitions, whatever kind of table it is. */
extern bool iuid_has_rows(const Partitioned *parent,
						  const NewPartition *partitions, int count);

#endif /* IUID_DEFAULT_ROWS_H */
