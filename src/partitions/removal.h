/*-------------------------------------------------------------------------
 *
 * removal.h
 *	  Removes time partitions that ended before a time.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_REMOVAL_H
#define IUID_REMOVAL_H

#include "compat.h"

#include "nodes/execnodes.h"

#include "partitioned.h"

/* What is to be removed, and the plan for it. */
typedef struct Removal
{
	bool drop; /* by DROP; false: by DETACH */
	TimestampTz older_than;
	double random; /* 0 to 1: where among the old partitions to begin */

	/* iuid_plan_removal() and iuid_add_locks_of_removal() fill in these. */
	Partition *old; /* partitions to remove */
	int count;
	bool referred;		/* foreign keys refer to the table */
	bool is_open_ended; /* the first partition is an open-ended one */
} Removal;

/*
 * Is called for each partition that was made or removed.  action is "created",
 * "dropped" or "detached".
 */
typedef void (*PartitionReport)(ReturnSetInfo *rsinfo, const char *action,
								Oid partition, const char *name);

/*
 * Plans to remove the partitions that ended at or before older_than; with all
 * below them they are at most limit tables, but at least one partition is in
 * the plan.  False if older ones than those are left.
 *
 * An open-ended first partition without pages stays, and grows over what is
 * removed.  One with pages goes like any other, and a new one takes its place.
 * Neither takes the place of rows in the DEFAULT partition.
 */
extern bool iuid_plan_removal(Removal *removal, const Partitioned *table,
							  int limit);

/* Adds the locks for that; none if there is nothing to remove. */
extern List *iuid_add_locks_of_removal(List *locks, Removal *removal,
									   const Partitioned *table);

/* Removes the partitions that can go; the others stay, with a WARNING. */
extern void iuid_remove(const Removal *removal, const Partitioned *table,
						ReturnSetInfo *rsinfo, PartitionReport report);

#endif /* IUID_REMOVAL_H */
