/*-------------------------------------------------------------------------
 *
 * ask_nodes.c
 *	  Runs a command on several nodes at once.
 *
 * First the command goes out on the connections that are open.  While those
 * nodes work, it runs here, and the other connections are opened, one after the
 * other, as dblink waits for each.  A node that lets nobody in can take all the
 * time that is left, so it comes last.  Then the answers are collected.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "ask_nodes.h"
#include "datum.h"
#include "other_node.h"
#include "registry/registry.h"
#include "settings.h"
#include "statement.h"
#include "subtransaction.h"
#include "time_limit.h"

/* What is said of a node that did not answer in time. */
#define TOO_LATE "the node did not answer within the timeout"
#define NO_TIME	 "no time was left to connect to the node"

typedef struct Call
{
	Dblink dblink;
	Statement statement;
	TimestampTz start;
	TimestampTz end;
	List *others;	  /* OtherNode */
	NodeAnswer *here; /* of this node; NULL: it is not asked */
} Call;

static NodeAnswer *add_node(Call *call, const NodeServer *node);
static bool ask_all(void *arg);
static void open_others(Call *call);
static void run_here(Call *call);
static bool execute_here(void *arg);
static bool advance_others(Call *call);
static void wait_for_others(Call *call);

List *
iuid_ask_nodes(const char *command, List *nodes, int64 limit)
{
	static bool running;
	Call call = { .statement = iuid_parse_statement(command),
				  .start = GetCurrentTimestamp() };
	ErrorData *error;
	List *answers = NIL;
	ListCell *lc;

	if (running)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("the connections to other nodes are in use"),
				 errdetail(
					 "A command that runs on several nodes runs a command on several nodes itself."),
				 errhint("Run the inner command alone.")));
	call.end = call.start + limit;
	iuid_find_dblink(&call.dblink);
	foreach (lc, nodes)
	{
		answers = lappend(answers, add_node(&call, lfirst(lc)));
	}

	running = true;
	(void) iuid_try(ask_all, &call, &error);
	running = false;
	foreach (lc, call.others)
	{
		OtherNode *node = lfirst(lc);

		iuid_give_up_node(node, ERRCODE_QUERY_CANCELED,
						  node->step == NODE_TO_OPEN ? NO_TIME : TOO_LATE);
	}
	if (error != NULL)
		ReThrowError(error);
	return answers;
}

/* A server has one connection, so it can be the server of one node. */
static NodeAnswer *
add_node(Call *call, const NodeServer *node)
{
	NodeAnswer *answer = palloc0(sizeof(NodeAnswer));
	OtherNode *other;
	ListCell *lc;

	answer->node = node->node;
	if (strcmp(node->node, iuid_setting_node) == 0)
	{
		call->here = answer;
		return answer;
	}
	foreach (lc, call->others)
	{
		other = lfirst(lc);
		if (node->server == NULL || other->server == NULL ||
			strcmp(node->server, other->server) != 0)
			continue;
		iuid_set_failure(answer, ERRCODE_DUPLICATE_OBJECT,
						 psprintf("the server of the node is that of node \"%s\", too",
								  other->answer->node));
		return answer;
	}
	other = palloc0(sizeof(OtherNode));
	other->dblink = &call->dblink;
	other->statement = call->statement.text;
	other->server = node->server;
	other->answer = answer;
	call->others = lappend(call->others, other);
	return answer;
}

static bool
ask_all(void *arg)
{
	Call *call = arg;
	List *open = iuid_list_connections(&call->dblink);
	ListCell *lc;

	foreach (lc, call->others)
	{
		iuid_send_if_open(lfirst(lc), open);
	}
	if (call->here != NULL)
		run_here(call);
	open_others(call);
	wait_for_others(call);
	return true;
}

/*
 * Opens what is not open.  Each call goes on after the node at which the last
 * one ended, as nodes that let nobody in can take all the time of a call.
 */
static void
open_others(Call *call)
{
	static uint32 begin;
	uint32 count = list_length(call->others);
	uint32 last = begin;

	for (uint32 i = 0; i < count; i++)
	{
		OtherNode *node = list_nth(call->others, (begin + i) % count);

		if (node->step == NODE_TO_OPEN && GetCurrentTimestamp() < call->end)
		{
			last = begin + i + 1;
			iuid_open_node(node, call->end);
		}
		(void) advance_others(call);
	}
	begin = last;
}

static void
run_here(Call *call)
{
	ErrorData *error;
	bool late;

	if (iuid_try_until(execute_here, call, call->end, &error, &late))
		call->here->success = true;
	else if (late)
		iuid_set_failure(call->here, ERRCODE_QUERY_CANCELED, TOO_LATE);
	else
		iuid_set_error(call->here, error);
}

static bool
execute_here(void *arg)
{
	Call *call = arg;

	call->here->result = iuid_execute_statement(&call->statement);
	return true;
}

/* Returns whether any of the others has something to do still. */
static bool
advance_others(Call *call)
{
	bool waiting = false;
	ListCell *lc;

	foreach (lc, call->others)
	{
		OtherNode *node = lfirst(lc);

		iuid_advance_node(node);
		waiting = waiting || node->step != NODE_DONE;
	}
	return waiting;
}

/* Until all are done, or the time is over. */
static void
wait_for_others(Call *call)
{
	for (;;)
	{
		TimestampTz now = GetCurrentTimestamp();
		int64 pause;

		if (!advance_others(call) || now >= call->end)
			return;

		/* An answer waits here for at most a 20th of the time that it took. */
		pause =
			Min((now - call->start) / 20, call->end - now) / IUID_USECS_PER_MS;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 Max(pause, 1), PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}
