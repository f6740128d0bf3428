/*-------------------------------------------------------------------------
 *
 * maintenance.h
 *	  Makes and removes time partitions.
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
#include "removal.h"
#include "step.h"

/* How many steps maintenance may make ahead. */
#define IUID_AHEAD_MAX	   1000
#define IUID_AHEAD_DEFAULT 4

/* What a call is to make and to remove, and the plan for it. */
typedef struct Maintenance
{
	Oid parent;
	Oid schema; /* of the extension */

	bool create;	  /* make what is missing from first up to last */
	Step step;		  /* the new partitions are whole steps */
	bool time_checks; /* each has a CHECK of its times */
	TimestampTz first;
	TimestampTz last;
	bool to_present; /* first and last are those of iuid_maintained_span() */
	int ahead; /* with these steps ahead, but not before removal.older_than */

	bool remove; /* remove what the removal says */
	Removal removal;

	/* iuid_maintain() fills in the fields from here on. */
	int limit; /* how many tables one call may make and remove */
	Partitioned *table;
	NewPartition *missing; /* partitions to make */
	int count;
	bool unfinished; /* the limit leaves work for another call */
} Maintenance;

/*
 * Does the work as the owner of the table.  The function plans the work, takes
 * the locks for it, and plans again when it holds them, so that it does not
 * repeat what another call has done meanwhile.  42P01, 42501 and 42809 for the
 * table, 55P03 and 53200 for the locks, 55000 if the table or its schema was
 * renamed meanwhile, and the errors of iuid_create_like() and iuid_attach().
 */
extern void iuid_maintain(Maintenance *work, ReturnSetInfo *rsinfo,
						  PartitionReport report);

/*
 * Sets the span in which maintenance makes what is missing.  The span begins
 * at the latest upper bound that lies in the past, so that no gap is left; at
 * the present if there is none.  It ends after the present step and ahead
 * more.  22008 as by iuid_check_span().
 */
extern void iuid_maintained_span(const Partitioned *table, const Step *step,
								 int ahead, TimestampTz *first,
								 TimestampTz *last);

/*
 * 22008 unless both times are finite, first is not before 1970, and last is
 * not after the start of the year 10889.
 */
extern void iuid_check_span(TimestampTz first, TimestampTz last);

/*
 * Makes the time partitions of the present step and of IUID_AHEAD_DEFAULT more
 * for a new table, and an open-ended one on either side.  No other session can
 * see the table yet, so the function takes no locks first.  schema is the
 * schema of the extension.  With time_checks, those that have both bounds get
 * a CHECK of their times.
 */
extern void iuid_cover_present(Oid table, Oid schema, const Step *step,
							   bool time_checks);

#endif /* IUID_MAINTENANCE_H */
