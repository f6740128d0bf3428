/*-------------------------------------------------------------------------
 *
 * step.c
 *	  The steps of time partitions, in UTC.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

#include "datum.h"
#include "step.h"

/* Monday, 2000-01-03: timestamps count from Saturday, 2000-01-01. */
#define A_MONDAY (2 * USECS_PER_DAY)

#define LONGEST_STEP (366 * USECS_PER_DAY)

static fsec_t split_time(TimestampTz at, struct pg_tm *tm);
static int month_of(TimestampTz at);
static TimestampTz start_of_month(int month);
pg_noreturn static void reject_time(void);

Step
iuid_step_of_interval(Interval *interval)
{
	Step step = { .months = 0, .usecs = 0 };
	/*
	 * In UTC a day has 24 hours.  Larger numbers of days are no step, and
	 * could overflow when they are multiplied.
	 */
	bool in_range = interval->day >= -366 && interval->day <= 366 &&
		interval->time >= -LONGEST_STEP && interval->time <= LONGEST_STEP;
	int64 usecs = in_range ? interval->day * USECS_PER_DAY + interval->time : -1;

	if (interval->month >= 1 && interval->month <= MONTHS_PER_YEAR &&
		interval->day == 0 && interval->time == 0)
		step.months = interval->month;
	else if (interval->month == 0 && usecs >= USECS_PER_HOUR &&
			 usecs <= LONGEST_STEP && usecs % USECS_PER_MINUTE == 0)
		step.usecs = usecs;
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("step \"%s\" is out of range for time partitions",
						DatumGetCString(
							DirectFunctionCall1(interval_out,
												IntervalPGetDatum(interval)))),
				 errdetail(
					 "A step is 1 hour to 1 year: either whole months, or days, hours and minutes."),
				 errhint("For example: interval '1 day', interval '1 month'.")));
	return step;
}

TimestampTz
iuid_step_start(const Step *step, TimestampTz at)
{
	int64 since;

	if (step->months > 0)
	{
		int month = month_of(at);

		return start_of_month(month - month % step->months);
	}
	since = (at - A_MONDAY) % step->usecs;
	return at - since - (since < 0 ? step->usecs : 0);
}

TimestampTz
iuid_step_add(const Step *step, TimestampTz at, int steps)
{
	Interval interval = { .month = step->months * steps,
						  .time = step->usecs * steps };

	/* A timestamp has no time zone, so the sum is made in UTC. */
	return DatumGetTimestamp(DirectFunctionCall2(timestamp_pl_interval,
												 TimestampGetDatum(at),
												 IntervalPGetDatum(&interval)));
}

char *
iuid_step_name(const Step *step, TimestampTz start)
{
	struct pg_tm tm;
	int ms = split_time(start, &tm) / IUID_USECS_PER_MS;
	bool whole = iuid_step_start(step, start) == start;
	StringInfoData name;

	initStringInfo(&name);
	appendStringInfo(&name, "_%04d", tm.tm_year);
	if (!whole || step->months != MONTHS_PER_YEAR)
		appendStringInfo(&name, "_%02d", tm.tm_mon);
	if (!whole || step->months == 0)
		appendStringInfo(&name, "_%02d", tm.tm_mday);
	if (!whole || (step->months == 0 && step->usecs % USECS_PER_DAY != 0))
		appendStringInfo(&name, "_%02d%02d", tm.tm_hour, tm.tm_min);
	/* Whole steps begin at whole minutes. */
	if (tm.tm_sec != 0 || ms != 0)
		appendStringInfo(&name, "%02d", tm.tm_sec);
	if (ms != 0)
		appendStringInfo(&name, "_%03d", ms);
	return name.data;
}

char *
iuid_time_text(TimestampTz at)
{
	char text[MAXDATELEN + 1];
	struct pg_tm tm;
	fsec_t fsec;

	if (TIMESTAMP_NOT_FINITE(at))
		return pstrdup(TIMESTAMP_IS_NOBEGIN(at) ? EARLY : LATE);
	fsec = split_time(at, &tm);
	tm.tm_isdst = 0;
	EncodeDateTime(&tm, fsec, true, 0, NULL, USE_ISO_DATES, text);
	return pstrdup(text);
}

/* The fields of a time down to the second, and its microseconds. */
static fsec_t
split_time(TimestampTz at, struct pg_tm *tm)
{
	fsec_t fsec;

	if (timestamp2tm(at, NULL, tm, &fsec, NULL, NULL) != 0)
		reject_time();
	return fsec;
}

/* The months from January of the year 1 to a time. */
static int
month_of(TimestampTz at)
{
	struct pg_tm tm;

	(void) split_time(at, &tm);
	return (tm.tm_year - 1) * MONTHS_PER_YEAR + tm.tm_mon - 1;
}

static TimestampTz
start_of_month(int month)
{
	struct pg_tm tm = { .tm_year = month / MONTHS_PER_YEAR + 1,
						.tm_mon = month % MONTHS_PER_YEAR + 1,
						.tm_mday = 1 };
	Timestamp start;

	if (tm2timestamp(&tm, 0, NULL, &start) != 0)
		reject_time();
	return start;
}

static void
reject_time(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("timestamp out of range")));
}
