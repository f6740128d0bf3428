/*-------------------------------------------------------------------------
 *
 * cancel.c
 *	  Finds a cancel of the statement that the server has lost.
 *
 * A user's cancel is a SIGINT of another process.  The server's timeouts send
 * that signal, too, but from this process.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include <signal.h>

#include "miscadmin.h"
#include "utils/timeout.h"

#include "cancel.h"

static volatile sig_atomic_t cancels;
static struct sigaction server_action;

static void count_cancel(int signal, siginfo_t *info, void *context);

/* The server's own handler stays in force: it is called by this one. */
CancelWatch
iuid_watch_cancels(void)
{
	static bool done;
	struct sigaction action;

	if (!done && sigaction(SIGINT, NULL, &server_action) == 0 &&
		server_action.sa_handler != SIG_IGN &&
		server_action.sa_handler != SIG_DFL)
	{
		action = server_action;
		action.sa_flags |= SA_SIGINFO;
		action.sa_sigaction = count_cancel;
		done = sigaction(SIGINT, &action, NULL) == 0;
	}
	return (CancelWatch){ .cancels = cancels,
						  .has_timeout = get_timeout_active(STATEMENT_TIMEOUT) };
}

static void
count_cancel(int signal, siginfo_t *info, void *context)
{
	if (info->si_pid != MyProcPid)
		cancels++;
	if (server_action.sa_flags & SA_SIGINFO)
		server_action.sa_sigaction(signal, info, context);
	else
		server_action.sa_handler(signal);
}

void
iuid_raise_cancel(const CancelWatch *since)
{
	/* What the server has not lost, it raises itself. */
	CHECK_FOR_INTERRUPTS();
	if (cancels != since->cancels)
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("canceling statement due to user request")));
	if (since->has_timeout && !get_timeout_active(STATEMENT_TIMEOUT))
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("canceling statement due to statement timeout")));
}
