/*-------------------------------------------------------------------------
 *
 * time_check.h
 *	  The CHECK by which a time partition has the times of its bounds.
 *
 * The server removes the partitions that a condition on the key excludes.  For
 * a condition on iuid_timestamp(key), such as a dashboard sends to a view, it
 * needs this CHECK.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_TIME_CHECK_H
#define IUID_TIME_CHECK_H

#include "partitioned.h"

/* 42809 if the key is of type uuid: a cast to iuid would refuse rows. */
extern void iuid_require_time_key(const Partitioned *parent);

/*
 * Adds CHECK (iuid_timestamp(key) >= lower AND iuid_timestamp(key) < upper) to
 * a new partition that is not attached yet.  The key is of type iuid, and lower
 * and upper are the times of the bounds.  If the upper bound lies within a
 * millisecond, that one belongs to the times.  42883 if the function
 * iuid_timestamp has another name.
 */
extern void iuid_add_time_check(const Partitioned *parent,
								const NewPartition *partition);

/*
 * The same CHECK as SQL text, for a partition that there is, with its times in
 * UTC.
 */
extern char *iuid_time_check_text(const Partitioned *parent,
								  const Partition *partition);

typedef enum TimeCheck
{
	TIME_CHECK_NONE,  /* the CHECKs leave the times of the partition open */
	TIME_CHECK_RIGHT, /* they say that all its times are within its bounds */
	TIME_CHECK_NARROW /* one refuses times within the bounds */
} TimeCheck;

/*
 * What the CHECKs of a partition say of its times, by comparisons of
 * iuid_timestamp(key) with constants of type timestamptz.  TIME_CHECK_NONE for a
 * key of type uuid, and if the function iuid_timestamp has another name.
 */
extern TimeCheck iuid_time_check_of(const Partitioned *parent,
									const Partition *partition);

/*
 * Drops the CHECKs that have such comparisons alone, and refuse no row within
 * the bounds that a partition had, but some within those that it has now, with a
 * NOTICE.  The caller holds an ACCESS EXCLUSIVE lock on the partition.  55000 if
 * the partition was renamed meanwhile.
 */
extern void iuid_drop_outgrown_time_checks(const Partitioned *parent,
										   const Partition *before,
										   const Partition *now);

#endif /* IUID_TIME_CHECK_H */
