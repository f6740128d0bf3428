/*-------------------------------------------------------------------------
 *
 * step.h
 *	  The steps of time partitions, in UTC.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_STEP_H
#define IUID_STEP_H

#include "compat.h"

#include "datatype/timestamp.h"

/* One of the two is 0: whole months, 1 to 12, or microseconds, in whole minutes. */
typedef struct Step
{
	int months;
	int64 usecs;
} Step;

/*
 * A step of 1 hour to 1 year: whole months, or days, hours and minutes.
 * 22023 for any other interval.
 */
extern Step iuid_step(Interval *interval);

/*
 * The start of the step in which a time lies: months count from January,
 * weeks from Monday, days from midnight.
 */
extern TimestampTz iuid_step_start(const Step *step, TimestampTz at);

/* A number of steps later; 22008 if that is no time any more. */
extern TimestampTz iuid_step_add(const Step *step, TimestampTz at, int steps);

/* At most this many bytes, with the final NUL. */
#define IUID_STEP_NAME_LEN 32

/*
 * How a partition is called that starts at a time: as finely as the step
 * needs, and as finely as can be where it starts within a step.
 */
extern void iuid_step_name(const Step *step, TimestampTz start,
						   char name[IUID_STEP_NAME_LEN]);

/* A time in UTC, in the style of ISO 8601. */
extern char *iuid_time_text(TimestampTz at);

#endif /* IUID_STEP_H */
