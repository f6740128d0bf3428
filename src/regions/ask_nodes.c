/*-------------------------------------------------------------------------
 *
 * ask_nodes.c
 *	  Runs a command on several nodes at once.
 *
 * The command goes to all nodes before any answer is read.  First it goes out
 * on the connections that are open; then the others are opened, one after the
 * other, as dblink waits for each; then it runs here; and then the answers are
 * collected.
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
static void run_here(Call *call);
static bool execute_here(void *arg);
static void wait_for(Call *call, Step step);

List *
iuid_ask_nodes(const char *command, List *nodes, int64 limit)
{
	static bool running;
	Call call = { .statement = iuid_parse_statement(command),
				  .start = GetCurrentTimestamp() };
	ErrorData *error;
	List *answers = NIL;
	ListCell *cell;

	if (running)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("the connections to other nodes are in use"),
				 errdetail(
					 "A command that runs on several nodes runs a command on several nodes itself."),
				 errhint("Run the inner command alone.")));
	call.end = call.start + limit;
	iuid_find_dblink(&call.dblink);
	foreach (cell, nodes)
	{
		answers = lappend(answers, add_node(&call, lfirst(cell)));
	}

	running = true;
	(void) iuid_try(ask_all, &call, &error);
	running = false;
	foreach (cell, call.others)
	{
		iuid_give_up_node(lfirst(cell), ERRCODE_QUERY_CANCELED, IUID_TOO_LATE);
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
	ListCell *cell;

	answer->node = node->node;
	if (strcmp(node->node, iuid_setting_node) == 0)
	{
		call->here = answer;
		return answer;
	}
	foreach (cell, call->others)
	{
		other = lfirst(cell);
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
	List *open = iuid_open_connections(&call->dblink);
	ListCell *cell;

	foreach (cell, call->others)
	{
		iuid_send_if_open(lfirst(cell), open);
	}
	foreach (cell, call->others)
	{
		OtherNode *node = lfirst(cell);

		if (node->step == TO_OPEN)
			iuid_open_node(node, call->end);
	}
	wait_for(call, STATEMENT_RESULT);
	if (call->here != NULL)
		run_here(call);
	wait_for(call, DONE);
	return true;
}

static void
run_here(Call *call)
{
	ErrorData *error;
	bool late;

	if (iuid_try_until(execute_here, call, call->end, &error, &late))
		call->here->success = true;
	else if (late)
		iuid_set_failure(call->here, ERRCODE_QUERY_CANCELED, IUID_TOO_LATE);
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

/* Takes the others on, until all are at a step or the time is over. */
static void
wait_for(Call *call, Step step)
{
	for (;;)
	{
		TimestampTz now = GetCurrentTimestamp();
		bool waiting = false;
		ListCell *cell;
		int64 pause;

		foreach (cell, call->others)
		{
			OtherNode *node = lfirst(cell);

			iuid_advance_node(node);
			waiting = waiting || node->step < step;
		}
		if (!waiting || now >= call->end)
			return;

		/* So an answer is read late by a 20th of its time at most. */
		pause =
			Min((now - call->start) / 20, call->end - now) / IUID_USECS_PER_MS;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 Max(pause, 1), PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}
