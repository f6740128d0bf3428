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

#include "maintenance.h"

/*
 * The part of iuid_maintain() that removes.  iuid_plan_old() plans to remove
 * the partitions that ended at or before work->older_than.
 * iuid_add_locks_of_removal() adds the locks for that; none if there is nothing
 * to remove.  iuid_remove_old() removes the partitions that can go; the others
 * stay, with a WARNING.
 *
 * An open-ended first partition without pages stays, and grows over what is
 * removed.  One with pages goes like any other, and a new one takes its place.
 * Neither takes the place of rows in the DEFAULT partition.
 */
extern void iuid_plan_old(Maintenance *work);
extern List *iuid_add_locks_of_removal(List *locks, Maintenance *work);
extern void iuid_remove_old(Maintenance *work, ReturnSetInfo *rsinfo,
							MaintenanceReport report);

#endif /* IUID_REMOVAL_H */
