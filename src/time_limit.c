/*-------------------------------------------------------------------------
 *
 * time_limit.c
 *	  Runs a part of the work that may fail, or take too long.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include <signal.h>

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/timeout.h"

#include "cancel.h"
#include "subtransaction.h"
#include "time_limit.h"

static volatile sig_atomic_t is_over;

/* Cancels what runs, as a user does. */
static void
end_time(void)
{
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
	CancelWatch start = iuid_watch_cancels();
	bool done, cancelled;

	if (timer < USER_TIMEOUT)
		timer = RegisterTimeout(USER_TIMEOUT, end_time);
	is_over = false;
	enable_timeout_at(timer, end);
	done = iuid_try(part, arg, error);
	disable_timeout(timer, false);

	/* If the part ended before the timer, nothing is left to cancel. */
	if (is_over)
		QueryCancelPending = false;
	cancelled = *error != NULL && (*error)->sqlerrcode == ERRCODE_QUERY_CANCELED;
	if (cancelled && !is_over)
		ReThrowError(*error);
	if (is_over)
		iuid_raise_cancel(&start);
	*late = cancelled;
	return done;
}
