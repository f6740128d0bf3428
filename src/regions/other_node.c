/*-------------------------------------------------------------------------
 *
 * other_node.c
 *	  Runs a statement on another node, without waiting for its answer.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "miscadmin.h"
#include "utils/timestamp.h"

#include "foreign.h"
#include "other_node.h"
#include "statement.h"
#include "subtransaction.h"

/*
 * What a new connection is told first: to end a query soon after this side has
 * closed the connection.  A server that cannot do that refuses, and goes on.
 */
#define SETTING "SET client_connection_check_interval = '1s'"

#define BROKEN "the connection to the node broke"

static bool find_connection(void *arg);
static bool read_result(void *arg);
static void take_result(OtherNode *node, ErrorData *error);
static void send_next(OtherNode *node, const char *query, NodeStep step);
static bool is_refusal(const ErrorData *error);
static bool has_wrong_columns(const ErrorData *error);
static bool reject_values(void *arg);
static void fail(OtherNode *node, const ErrorData *error);
static void close_connection(OtherNode *node);

void
iuid_send_if_open(OtherNode *node, List *open)
{
	const char *name = node->connection.name;
	ErrorData *error;
	ListCell *lc;

	if (!iuid_try(find_connection, node, &error))
	{
		/* The catalogs may be locked: that is a wait of the statement. */
		if (error != NULL && error->sqlerrcode == ERRCODE_QUERY_CANCELED)
			ReThrowError(error);
		fail(node, error);
		return;
	}
	foreach (lc, open)
	{
		bool same = strcmp(lfirst(lc), name) == 0;

		if (same && iuid_is_alive(node->dblink, name) &&
			iuid_send_query(node->dblink, name, node->statement))
			node->step = NODE_STATEMENT_RESULT;
		else if (same || iuid_is_stale(&node->connection, lfirst(lc)))
			iuid_disconnect(node->dblink, lfirst(lc));
	}
}

static bool
find_connection(void *arg)
{
	OtherNode *node = arg;

	iuid_require_server(node->answer->node, node->server, NULL);
	node->connection = iuid_find_connection(node->server);
	return true;
}

void
iuid_open_node(OtherNode *node, TimestampTz end)
{
	ErrorData *error;
	bool late;

	if (iuid_connect(node->dblink, &node->connection, end, &error, &late))
		send_next(node, SETTING, NODE_SETTING_RESULT);
	else if (late)
		iuid_give_up_node(node,
						  ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
						  "could not connect to the node in time");
	else
		fail(node, error);
}

/*
 * While a result is read, this statement cannot be cancelled.  So an error with
 * the SQLSTATE of a cancel comes from the node.
 */
void
iuid_advance_node(OtherNode *node)
{
	while (node->step > NODE_TO_OPEN && node->step < NODE_DONE &&
		   !iuid_is_busy(node->dblink, node->connection.name))
	{
		ErrorData *error;

		HOLD_CANCEL_INTERRUPTS();
		if (iuid_try(read_result, node, &error))
			RESUME_CANCEL_INTERRUPTS(); /* an error does that itself */
		take_result(node, error);
	}
}

static bool
read_result(void *arg)
{
	OtherNode *node = arg;

	node->rows =
		iuid_read_result(node->dblink, node->connection.name, &node->value);
	if (node->rows > 1)
		iuid_reject_values();
	return true;
}

static void
take_result(OtherNode *node, ErrorData *error)
{
	switch (node->step)
	{
		case NODE_SETTING_RESULT:
			if (error == NULL || is_refusal(error))
				node->step = NODE_SETTING_END;
			else
				fail(node, error);
			break;
		case NODE_SETTING_END:
			if (error == NULL)
				send_next(node, node->statement, NODE_STATEMENT_RESULT);
			else
				fail(node, error);
			break;
		case NODE_STATEMENT_RESULT:
			if (error != NULL && has_wrong_columns(error))
				(void) iuid_try(reject_values, NULL, &error);
			if (error != NULL)
				fail(node, error);
			else
			{
				iuid_set_result(node->answer, node->value);
				node->step = NODE_STATEMENT_END;
			}
			break;
		default:
			/* The node may have read several statements where there is one. */
			if (error == NULL && node->rows > 0 &&
				!iuid_try(reject_values, NULL, &error))
				fail(node, error);
			else if (error != NULL)
				close_connection(node);
			node->step = NODE_DONE;
	}
}

static void
send_next(OtherNode *node, const char *query, NodeStep step)
{
	node->step = step;
	if (!iuid_send_query(node->dblink, node->connection.name, query))
		iuid_give_up_node(node, ERRCODE_CONNECTION_FAILURE, BROKEN);
}

/* Whether the node has understood a command, and refused it. */
static bool
is_refusal(const ErrorData *error)
{
	int category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	return category == ERRCODE_DATA_EXCEPTION ||
		category == ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION;
}

/* Whether dblink says that a result has not the one column it must have. */
static bool
has_wrong_columns(const ErrorData *error)
{
	static const char *const message = "remote query result rowtype";

	return error->sqlerrcode == ERRCODE_DATATYPE_MISMATCH &&
		strncmp(error->message, message, strlen(message)) == 0;
}

static bool
reject_values(void *arg pg_attribute_unused())
{
	iuid_reject_values();
}

static void
fail(OtherNode *node, const ErrorData *error)
{
	iuid_set_error(node->answer, error);
	close_connection(node);
}

void
iuid_give_up_node(OtherNode *node, int sqlstate, const char *message)
{
	if (node->step == NODE_DONE)
		return;
	if (node->step != NODE_STATEMENT_END)
		iuid_set_failure(node->answer, sqlstate, message);
	close_connection(node);
}

/* It is not open if connecting failed, or if a user's command closed it. */
static void
close_connection(OtherNode *node)
{
	ListCell *lc;

	foreach (lc, iuid_list_connections(node->dblink))
	{
		if (strcmp(lfirst(lc), node->connection.name) == 0)
			iuid_disconnect(node->dblink, lfirst(lc));
	}
	node->step = NODE_DONE;
}
