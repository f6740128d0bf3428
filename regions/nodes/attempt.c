/*-------------------------------------------------------------------------
 *
 * attempt.c
 *	  Runs a part of the work that may fail, or take too long.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include <signal.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timeout.h"

#include "attempt.h"

static bool read_only(void *arg);

bool
iuid_try(bool (*part)(void *arg), void *arg, ErrorData **error)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile caught = NULL;
	volatile bool done = false;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		done = part(arg);
		/* That can fail, too: postgres_fdw ends subtransactions of other nodes. */
		if (done)
			ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		caught = CopyErrorData();
		FlushErrorState();
		done = false;
	}
	PG_END_TRY();

	if (!done)
		RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;

	*error = caught;
	return done;
}

/* A part that reads, and its argument. */
typedef struct Reading
{
	void (*part)(void *arg);
	void *arg;
} Reading;

void
iuid_read(void (*part)(void *arg), void *arg)
{
	Reading reading = { .part = part, .arg = arg };
	ErrorData *error;

	(void) iuid_try(read_only, &reading, &error);
	if (error != NULL)
		ReThrowError(error);
}

/* Rolled back, and so the read-only mode ends, too. */
static bool
read_only(void *arg)
{
	const Reading *reading = arg;

	XactReadOnly = true;
	reading->part(reading->arg);
	return false;
}

static volatile sig_atomic_t is_over;

/* Cancels what runs, as a user does.  A cancel that came before is the user's. */
static void
end_time(void)
{
	if (QueryCancelPending)
		return;
	is_over = true;
	InterruptPending = true;
	QueryCancelPending = true;
	SetLatch(MyLatch);
}

bool
iuid_try_until(bool (*part)(void *arg), void *arg, TimestampTz end,
			   ErrorData **error, bool *late)
{
	static TimeoutId timer;
	bool has_timeout = get_timeout_active(STATEMENT_TIMEOUT);
	volatile bool done = false;
	bool cancelled, timed_out;

	if (timer < USER_TIMEOUT)
		timer = RegisterTimeout(USER_TIMEOUT, end_time);
	is_over = false;
	enable_timeout_at(timer, end);
	PG_TRY();
	{
		done = iuid_try(part, arg, error);
	}
	PG_FINALLY();
	{
		disable_timeout(timer, false);
	}
	PG_END_TRY();

	/* If the part ended before the timer, nothing is left to cancel. */
	timed_out = has_timeout && !get_timeout_active(STATEMENT_TIMEOUT);
	if (is_over && !timed_out)
		QueryCancelPending = false;
	cancelled = *error != NULL && (*error)->sqlerrcode == ERRCODE_QUERY_CANCELED;
	if (cancelled && (!is_over || timed_out))
		ReThrowError(*error);
	*late = cancelled;
	return done;
}
