/*-------------------------------------------------------------------------
 *
 * other_node.c
 *	  Runs a statement on another node, without waiting for its answer.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "access/xact.h"
#include "mb/pg_wchar.h"
#include "storage/latch.h"
#include "utils/timestamp.h"

#include "attempt.h"
#include "other_node.h"
#include "statement.h"

/*
 * What a new connection is told first: to end a query soon after this side has
 * closed the connection.  A server that cannot do that refuses, and goes on.
 */
#define SETTING "SET client_connection_check_interval = '1s'"

#define BROKEN		 "the connection to the node broke"
#define NOT_POSTGRES "the node does not answer as PostgreSQL does"

#define SQLSTATE_LENGTH 5

/*
 * libpq keeps a buffer for the longest statement and one for the longest answer, so
 * after a longer one the connection goes.
 */
#define KEPT_BUFFER 1048576

static bool find_connection(void *arg);
static bool start_connection(void *arg);
static bool check_password_used(void *arg);
static void send_question(OtherNode *node);
static void send_query(OtherNode *node, const Question *query, char **texts,
					   NodeStep step);
static void read_results(OtherNode *node);
static void take_result(OtherNode *node, const PGresult *result);
static void take_row(OtherNode *node, const PGresult *result);
static bool check_encoding(OtherNode *node);
static void take_value(OtherNode *node, const PGresult *result);
static void take_error(OtherNode *node, const PGresult *result);
static void end_query(OtherNode *node);
static bool is_long(const OtherNode *node);
static bool try_node(OtherNode *node, bool (*part)(void *arg));
static bool reject_values(void *arg);
static void close_node(OtherNode *node);

void
iuid_send_if_open(OtherNode *node)
{
	if (try_node(node, find_connection) && node->connection->conn != NULL)
		send_question(node);
}

static bool
find_connection(void *arg)
{
	OtherNode *node = arg;

	node->connection =
		iuid_find_connection(node->answer->node, node->server, node->host);
	return true;
}

void
iuid_open_node(OtherNode *node, TimestampTz end)
{
	int seconds;

	if (!try_node(node, start_connection))
		return;
	seconds = node->connection->connect_seconds;
	node->end = end;
	if (seconds > 0)
		node->end = Min(end, GetCurrentTimestamp() + seconds * USECS_PER_SEC);
	/* As PQconnectPoll() wants to be called for the first time. */
	node->events = WL_SOCKET_WRITEABLE;
	node->step = NODE_CONNECTING;
}

static bool
start_connection(void *arg)
{
	iuid_start_connection(((OtherNode *) arg)->connection);
	return true;
}

void
iuid_connect_node(OtherNode *node)
{
	static const Question setting = { .command = SETTING };
	PGconn *conn = node->connection->conn;

	switch (PQconnectPoll(conn))
	{
		case PGRES_POLLING_READING:
			node->events = WL_SOCKET_READABLE;
			break;
		case PGRES_POLLING_WRITING:
			node->events = WL_SOCKET_WRITEABLE;
			break;
		case PGRES_POLLING_OK:
			if (try_node(node, check_password_used))
				send_query(node, &setting, NULL, NODE_SETTING);
			break;
		default:
			iuid_set_remote_error(node->answer,
								  unpack_sql_state(
									  ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
								  "could not connect to the node",
								  PQerrorMessage(conn), NULL);
			close_node(node);
	}
}

static bool
check_password_used(void *arg)
{
	iuid_check_password_used(((OtherNode *) arg)->connection);
	return true;
}

static void
send_question(OtherNode *node)
{
	if (node->question->columns > 0)
		node->rows = iuid_make_text_rows(node->question->columns);
	else if (XactReadOnly)
		/* The next one does not find what a command sets, as a policy can run it. */
		node->connection->is_stale = true;
	send_query(node, node->question, node->texts, NODE_STATEMENT);
}

/*
 * The extended protocol: the node takes one statement, however it reads the
 * text.  Row by row: what has more than one is known at the second.
 */
static void
send_query(OtherNode *node, const Question *query, char **texts, NodeStep step)
{
	PGconn *conn = node->connection->conn;

	node->step = step;
	node->has_answered = false;
	node->answer->asked = GetCurrentTimestamp();
	if (PQsendQueryParams(conn, query->command, query->parameter_count,
						  query->types, (const char *const *) texts, NULL, NULL,
						  0) == 0 ||
		PQsetSingleRowMode(conn) == 0)
		iuid_give_up_node(node, ERRCODE_CONNECTION_FAILURE, BROKEN);
	/* What the socket has not taken yet, iuid_advance_node() sends. */
	node->events = WL_SOCKET_READABLE | WL_SOCKET_WRITEABLE;
}

void
iuid_advance_node(OtherNode *node)
{
	PGconn *conn = node->connection->conn;
	int unsent = PQflush(conn);

	if (unsent < 0 || PQconsumeInput(conn) == 0)
	{
		/* What came before the end is read, as it may say why. */
		read_results(node);
		iuid_give_up_node(node, ERRCODE_CONNECTION_FAILURE, BROKEN);
		return;
	}
	node->events = WL_SOCKET_READABLE | (unsent > 0 ? WL_SOCKET_WRITEABLE : 0);
	read_results(node);
}

static void
read_results(OtherNode *node)
{
	NodeStep step = node->step;

	while (node->step == step && !PQisBusy(node->connection->conn))
	{
		PGresult *result = PQgetResult(node->connection->conn);

		if (result == NULL)
			end_query(node);
		else
			take_result(node, result);
		PQclear(result);
	}
}

static void
take_result(OtherNode *node, const PGresult *result)
{
	switch (PQresultStatus(result))
	{
		case PGRES_SINGLE_TUPLE:
		case PGRES_TUPLES_OK:
		case PGRES_COMMAND_OK:
			if (node->step == NODE_STATEMENT && node->rows != NULL)
				take_row(node, result);
			else if (node->step == NODE_STATEMENT)
				take_value(node, result);
			break;
		case PGRES_FATAL_ERROR:
			/* The node may not know the setting. */
			if (node->step == NODE_STATEMENT)
				take_error(node, result);
			break;
		default:
			iuid_give_up_node(node, ERRCODE_PROTOCOL_VIOLATION, NOT_POSTGRES);
	}
}

/* A row, or the end of the rows. */
static void
take_row(OtherNode *node, const PGresult *result)
{
	int columns = node->rows->columns;
	char **values;
	bool fits = true;

	if (node->has_answered || PQnfields(result) != columns)
	{
		iuid_give_up_node(node, ERRCODE_PROTOCOL_VIOLATION, NOT_POSTGRES);
		return;
	}
	if (!check_encoding(node))
		return;
	if (PQntuples(result) == 0)
	{
		node->has_answered = true;
		node->answer->answered = GetCurrentTimestamp();
		iuid_set_rows(node->answer, node->rows);
		return;
	}
	values = palloc(sizeof(char *) * columns);
	for (int i = 0; i < columns; i++)
	{
		values[i] = PQgetisnull(result, 0, i) ? NULL : PQgetvalue(result, 0, i);
		fits = fits &&
			(values[i] == NULL ||
			 pg_verifymbstr(values[i], strlen(values[i]), true));
	}
	if (!fits)
		iuid_give_up_node(node, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE,
						  IUID_ANSWER_NO_TEXT);
	else if (!iuid_add_text_row(node->rows, values))
		iuid_give_up_node(node, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
						  psprintf(IUID_ANSWER_TOO_LONG, IUID_ANSWER_MAX));
	pfree(values);
}

static bool
check_encoding(OtherNode *node)
{
	if (PQclientEncoding(node->connection->conn) == GetDatabaseEncoding())
		return true;
	iuid_give_up_node(node, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE,
					  IUID_ANSWER_NO_TEXT);
	return false;
}

/* A result with one row, the end of such a result, or a command's tag. */
static void
take_value(OtherNode *node, const PGresult *result)
{
	bool is_command = PQresultStatus(result) == PGRES_COMMAND_OK;
	bool is_row = PQntuples(result) > 0;

	if ((!is_command && PQnfields(result) != 1) || (is_row && node->has_answered))
	{
		(void) try_node(node, reject_values);
		return;
	}
	if (node->has_answered)
		return;
	if (!check_encoding(node))
		return;
	node->has_answered = true;
	node->answer->answered = GetCurrentTimestamp();
	if (is_command)
		iuid_set_result(node->answer,
						PQcmdStatus(unconstify(PGresult *, result)));
	else if (is_row && !PQgetisnull(result, 0, 0))
		iuid_set_result(node->answer, PQgetvalue(result, 0, 0));
	else
		iuid_set_result(node->answer, NULL);
}

static void
take_error(OtherNode *node, const PGresult *result)
{
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	/* libpq's own error has no SQLSTATE; a second error is not read. */
	if (sqlstate == NULL || strlen(sqlstate) != SQLSTATE_LENGTH ||
		(node->has_answered && !node->answer->success))
	{
		iuid_give_up_node(node, ERRCODE_CONNECTION_FAILURE, BROKEN);
		return;
	}
	node->has_answered = true;
	node->answer->answered = GetCurrentTimestamp();
	iuid_set_remote_error(node->answer, sqlstate,
						  PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY),
						  PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL),
						  PQresultErrorField(result, PG_DIAG_MESSAGE_HINT));
}

/* The node is ready for the next query. */
static void
end_query(OtherNode *node)
{
	if (node->step == NODE_SETTING)
		send_question(node);
	else if (!node->has_answered)
		iuid_give_up_node(node, ERRCODE_PROTOCOL_VIOLATION, NOT_POSTGRES);
	else if (is_long(node))
		close_node(node);
	else
		node->step = NODE_DONE;
}

static bool
is_long(const OtherNode *node)
{
	const char *result = node->answer->result;
	size_t sent = strlen(node->question->command);

	for (int i = 0; i < node->question->parameter_count; i++)
		sent += strlen(node->texts[i]);
	return sent > KEPT_BUFFER ||
		(result != NULL && strlen(result) > KEPT_BUFFER) ||
		(node->rows != NULL && node->rows->size > KEPT_BUFFER);
}

/* Does a part of the work; an error in it is the answer of the node. */
static bool
try_node(OtherNode *node, bool (*part)(void *arg))
{
	ErrorData *error;

	if (iuid_try(part, node, &error))
		return true;
	/* The catalogs may be locked: that is a wait of this statement. */
	if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(error);
	iuid_set_error(node->answer, error);
	close_node(node);
	return false;
}

static bool
reject_values(void *arg pg_attribute_unused())
{
	iuid_reject_values();
}

void
iuid_give_up_node(OtherNode *node, int sqlstate, const char *message)
{
	if (node->step == NODE_DONE)
		return;
	/* An error counts without its end, but a value can still be rolled back. */
	if (!node->has_answered || node->answer->success)
		iuid_set_failure(node->answer, sqlstate, message);
	close_node(node);
}

static void
close_node(OtherNode *node)
{
	if (node->connection != NULL && node->connection->conn != NULL)
		iuid_close_connection(node->connection);
	node->step = NODE_DONE;
}
