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

/* A step is either whole months or whole minutes; the other field is 0. */
typedef struct Step
{
	int months;	 /* 1 to 12 */
	int64 usecs; /* 1 hour to 366 days, in microseconds */
} Step;

/*
 * Makes a step of an interval of 1 hour to 1 year: whole months, or days,
 * hours and minutes.  22023 for any other interval.
 */
extern Step iuid_step_of_interval(Interval *interval);

/*
 * The start of the step in which a time lies.  Months count from January of
 * the year 1; days, hours and minutes from 2000-01-03, so that weeks begin on
 * Monday and days at midnight.  22008 if the time is out of range.
 */
extern TimestampTz iuid_step_start(const Step *step, TimestampTz at);

/* The time a number of steps later; 22008 if that is past all timestamps. */
extern TimestampTz iuid_step_add(const Step *step, TimestampTz at, int steps);

/*
 * The suffix of the name of a partition that starts at a time, such as
 * "_2026_03": year, month, day, hour and minute, as far as the step needs them.
 * A partition that starts within a step gets them all, and seconds and
 * milliseconds if they are not 0.
 */
extern char *iuid_step_name(const Step *step, TimestampTz start);

/* The text of a time in UTC, in the style of ISO 8601, or of an infinity. */
extern char *iuid_time_text(TimestampTz at);

#endif /* IUID_STEP_H */
