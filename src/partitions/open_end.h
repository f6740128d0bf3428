/*-------------------------------------------------------------------------
 *
 * open_end.h
 *	  The first and the last partition, where one has no end.
 *
 * A partition FROM (MINVALUE), and one TO (MAXVALUE), can keep the rows for
 * which no time partition is made yet, as a DEFAULT partition does.  If it is
 * a plain table of the parent's owner, new partitions are carved out of it.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_OPEN_END_H
#define IUID_OPEN_END_H

#include "partitioned.h"

/*
 * The first partition if it has no lower bound, or the last one if it has no
 * upper bound; NULL if the same partition has neither, or if it is not a plain
 * table of the parent's owner.
 */
extern const Partition *iuid_open_ended_first(const Partitioned *table);
extern const Partition *iuid_open_ended_last(const Partitioned *table);

/*
 * Moves the one bound that an open-ended partition has.  The caller holds an
 * ACCESS EXCLUSIVE lock on the parent and on the partition, the locks for
 * ATTACH on the tables of foreign keys, and answers for it that the partition
 * has no row outside the new bound.  A CHECK of its times that would refuse
 * rows within the new bound goes.  55000 if the partition or the name of the
 * parent was changed meanwhile, 55006 if the session uses the partition.
 */
extern void iuid_move_bound(const Partitioned *parent,
							const Partition *open_end, const Iuid *bound);

#endif /* IUID_OPEN_END_H */
