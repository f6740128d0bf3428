/*-------------------------------------------------------------------------
 *
 * maintenance.h
 *	  Time partitions that are to be made or removed.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_MAINTENANCE_H
#define IUID_MAINTENANCE_H

#include "compat.h"

#include "nodes/execnodes.h"

#include "attach.h"
#include "partitioned.h"
#include "step.h"

/* How many steps maintenance may make ahead. */
#define IUID_AHEAD_MAX	   1000
#define IUID_AHEAD_DEFAULT 4

/* What a table's partitions are to become; then, what that takes. */
typedef struct Maintenance
{
	Oid parent;
	Oid schema; /* of the extension */

	bool create; /* those missing from first up to last, in whole steps */
	Step step;
	TimestampTz first;
	TimestampTz last;

	bool remove; /* those that ended before, by DROP or DETACH */
	bool drop;
	TimestampTz older_than;

	/* From here on it is iuid_maintain() that fills in. */
	int limit;	  /* how many in one call */
	double where; /* 0 to 1: with which of them to begin to remove */
	Partitioned *table;
	NewPartition *new;
	int new_count;
	Partition *old;
	int old_count;
	bool referred;	 /* foreign keys of other tables refer to the parent */
	bool unfinished; /* there are more than the limit */
} Maintenance;

/* What was done, one at a time; action is "created" or "dropped". */
typedef void (*MaintenanceReport)(ReturnSetInfo *rsinfo, const char *action,
								  Oid partition, const char *name);

/*
 * Finds out what there is to do, takes the locks for that, looks again, and
 * does it, as the owner of the table: what another call did meanwhile is not
 * done twice.
 */
extern void iuid_maintain(Maintenance *work, ReturnSetInfo *rsinfo,
						  MaintenanceReport report);

/*
 * The times between which maintenance makes what is missing: from where the
 * last partition ended, if that is in the past, so that no gap is left.
 */
extern void iuid_maintained_span(const Partitioned *table, const Step *step,
								 int ahead, TimestampTz *first,
								 TimestampTz *last);

/* 22008 for times between which there can be no partitions. */
extern void iuid_check_span(TimestampTz first, TimestampTz last);

/*
 * Gives a new table, which nobody else knows yet, the time partitions of the
 * present step and of those ahead.  schema is that of the extension.
 */
extern void iuid_cover_present(Oid table, Oid schema, const Step *step);

#endif /* IUID_MAINTENANCE_H */
