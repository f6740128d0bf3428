/*-------------------------------------------------------------------------
 *
 * ask_nodes.c
 *	  Runs a command on several nodes at once.
 *
 * First the command goes out on the connections that are open.  While those
 * nodes work, it runs here.  Then the other connections are opened, all at once,
 * and the answers are collected as they come.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/lsyscache.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "ask_nodes.h"
#include "attempt.h"
#include "datum.h"
#include "other_node.h"
#include "registry/registry.h"
#include "statement.h"

/* What is said of a node that did not answer in time. */
#define TOO_LATE "the node did not answer within the timeout"
#define NO_TIME	 "no time was left to connect to the node"
#define NO_ENTRY "could not connect to the node in time"

/*
 * How long to wait, at most, before the connections are read again: libpq can
 * have bytes that TLS has read already, and of which the socket does not tell.
 */
#define LOOK_MS 100

/* The events of a wait that are not of a node: latch and postmaster. */
#define OWN_EVENTS 2

typedef struct Call
{
	const Question *question;
	Statement statement; /* of the question */
	char **texts;		 /* of its parameters */
	TimestampTz end;
	List *others;	  /* OtherNode */
	NodeAnswer *here; /* of this node; NULL: it is not asked */
} Call;

static char **texts_of_parameters(const Question *question);
static NodeAnswer *add_node(Call *call, const NodeServer *node);
static bool ask_all(void *arg);
static void run_here(Call *call);
static bool execute_here(void *arg);
static TextRows *read_rows_here(const Question *question);
static bool is_waiting(OtherNode *node, TimestampTz now);
static void wait_for_others(Call *call);
static void wait_once(Call *call, TimestampTz now);

List *
iuid_ask_nodes(const Question *question, List *nodes, int64 limit)
{
	static bool running;
	Call call = { .question = question,
				  .statement = iuid_parse_statement(question->command),
				  .texts = texts_of_parameters(question) };
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
	call.end = GetCurrentTimestamp() + limit;
	iuid_close_stale_connections();
	foreach (lc, nodes)
	{
		answers = lappend(answers, add_node(&call, lfirst(lc)));
	}

	running = true;
	PG_TRY();
	{
		(void) iuid_try(ask_all, &call, &error);
	}
	PG_FINALLY();
	{
		running = false;
	}
	PG_END_TRY();
	foreach (lc, call.others)
	{
		OtherNode *node = lfirst(lc);

		iuid_give_up_node(node, ERRCODE_CONNECTION_FAILURE,
						  node->step == NODE_TO_OPEN ? NO_TIME : TOO_LATE);
	}
	if (error != NULL)
		ReThrowError(error);
	return answers;
}

/* As a node reads them, whatever the settings: arrays of texts and of identifiers. */
static char **
texts_of_parameters(const Question *question)
{
	char **texts = palloc(sizeof(char *) * Max(question->parameter_count, 1));

	for (int i = 0; i < question->parameter_count; i++)
	{
		Oid output;
		bool varlena;

		getTypeOutputInfo(question->types[i], &output, &varlena);
		texts[i] = OidOutputFunctionCall(output, question->parameters[i]);
	}
	return texts;
}

/* A server has one connection, so it can be the server of one node. */
static NodeAnswer *
add_node(Call *call, const NodeServer *node)
{
	NodeAnswer *answer = palloc0(sizeof(NodeAnswer));
	OtherNode *other;
	ListCell *lc;

	answer->node = node->node;
	if (node->host == 0 && strcmp(node->node, iuid_this_node()) == 0)
	{
		call->here = answer;
		return answer;
	}
	foreach (lc, call->others)
	{
		other = lfirst(lc);
		if (node->server == NULL || other->server == NULL ||
			node->host != other->host || strcmp(node->server, other->server) != 0)
			continue;
		iuid_set_failure(answer, ERRCODE_DUPLICATE_OBJECT,
						 psprintf("the server of the node is that of node \"%s\", too",
								  other->answer->node));
		return answer;
	}
	other = palloc0(sizeof(OtherNode));
	other->question = call->question;
	other->texts = call->texts;
	other->server = node->server;
	other->host = node->host;
	other->answer = answer;
	call->others = lappend(call->others, other);
	return answer;
}

static bool
ask_all(void *arg)
{
	Call *call = arg;
	ListCell *lc;

	foreach (lc, call->others)
	{
		iuid_send_if_open(lfirst(lc));
	}
	if (call->here != NULL)
		run_here(call);
	foreach (lc, call->others)
	{
		OtherNode *node = lfirst(lc);

		if (node->step == NODE_TO_OPEN && GetCurrentTimestamp() < call->end)
			iuid_open_node(node, call->end);
	}
	wait_for_others(call);
	return true;
}

static void
run_here(Call *call)
{
	ErrorData *error;
	bool late;

	if (iuid_try_until(execute_here, call, call->end, &error, &late))
		return;
	if (late)
		iuid_set_failure(call->here, ERRCODE_CONNECTION_FAILURE, TOO_LATE);
	else
		iuid_set_error(call->here, error);
}

static bool
execute_here(void *arg)
{
	Call *call = arg;

	if (call->question->columns > 0)
		iuid_set_rows(call->here, read_rows_here(call->question));
	else
		iuid_set_result(call->here, iuid_execute_statement(&call->statement));
	return true;
}

static TextRows *
read_rows_here(const Question *question)
{
	TextRows *rows = iuid_make_text_rows(question->columns);
	char **values = palloc(sizeof(char *) * question->columns);

	SPI_connect();
	if (SPI_execute_with_args(question->command, question->parameter_count,
							  unconstify(Oid *, question->types),
							  unconstify(Datum *, question->parameters), NULL,
							  false, 0) != SPI_OK_SELECT)
		elog(ERROR, "unexpected result of \"%s\"", question->command);
	for (uint64 r = 0; r < SPI_processed; r++)
	{
		for (int i = 0; i < question->columns; i++)
			values[i] = SPI_getvalue(SPI_tuptable->vals[r],
									 SPI_tuptable->tupdesc, i + 1);
		iuid_require_text_row(rows, values);
		for (int i = 0; i < question->columns; i++)
		{
			if (values[i] != NULL)
				pfree(values[i]);
		}
	}
	SPI_finish();
	return rows;
}

/* Until all are done, or the time is over. */
static void
wait_for_others(Call *call)
{
	for (;;)
	{
		TimestampTz now = GetCurrentTimestamp();
		bool waiting = false;
		ListCell *lc;

		foreach (lc, call->others)
		{
			waiting = is_waiting(lfirst(lc), now) || waiting;
		}
		if (!waiting || now >= call->end)
			return;
		wait_once(call, now);
		CHECK_FOR_INTERRUPTS();
	}
}

/* Whether a node waits for something; a node that connects has a limit. */
static bool
is_waiting(OtherNode *node, TimestampTz now)
{
	if (node->step == NODE_SETTING || node->step == NODE_STATEMENT)
		iuid_advance_node(node);
	else if (node->step == NODE_CONNECTING && now >= node->end)
		iuid_give_up_node(node,
						  ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
						  NO_ENTRY);
	return node->step != NODE_TO_OPEN && node->step != NODE_DONE;
}

/* Waits for an event of a node, but not long. */
static void
wait_once(Call *call, TimestampTz now)
{
	int most = list_length(call->others) + OWN_EVENTS;
	WaitEventSet *set = CreateWaitEventSet(CurrentResourceOwner, most);
	WaitEvent *events = palloc(sizeof(WaitEvent) * most);
	TimestampTz end = Min(call->end, now + LOOK_MS * IUID_USECS_PER_MS);
	ListCell *lc;
	int count;

	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	foreach (lc, call->others)
	{
		OtherNode *node = lfirst(lc);

		if (node->step != NODE_DONE && node->step != NODE_TO_OPEN)
			AddWaitEventToSet(set, node->events,
							  PQsocket(node->connection->conn), NULL, node);
		if (node->step == NODE_CONNECTING)
			end = Min(end, node->end);
	}
	count = WaitEventSetWait(set, TimestampDifferenceMilliseconds(now, end),
							 events, most, PG_WAIT_EXTENSION);
	FreeWaitEventSet(set);
	ResetLatch(MyLatch);
	for (int i = 0; i < count; i++)
	{
		OtherNode *node = events[i].user_data;

		if (node != NULL && node->step == NODE_CONNECTING)
			iuid_connect_node(node);
	}
	pfree(events);
}
