/*-------------------------------------------------------------------------
 *
 * node_answer.c
 *	  What a node answers to a command.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "attempt.h"
#include "node_answer.h"
#include "owner.h"

static void set_failure(NodeAnswer *answer, const char *sqlstate,
						const char *message);
static bool check_text(NodeAnswer *answer, const char *text);

/* libpq does not check what bytes a node has sent. */
void
iuid_set_result(NodeAnswer *answer, const char *result)
{
	if (result != NULL && !check_text(answer, result))
		return;
	answer->success = true;
	answer->result = result == NULL ? NULL : pstrdup(result);
}

void
iuid_set_rows(NodeAnswer *answer, TextRows *rows)
{
	answer->success = true;
	answer->rows = rows;
}

void
iuid_set_error(NodeAnswer *answer, const ErrorData *error)
{
	iuid_set_remote_error(answer, unpack_sql_state(error->sqlerrcode),
						  error->message, error->detail, error->hint);
}

void
iuid_set_remote_error(NodeAnswer *answer, const char *sqlstate,
					  const char *message, const char *detail, const char *hint)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "%s: %s", sqlstate, message == NULL ? "" : message);
	if (detail != NULL)
		appendStringInfo(&text, "\nDETAIL:  %s", detail);
	if (hint != NULL)
		appendStringInfo(&text, "\nHINT:  %s", hint);
	while (text.len > 0 && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	if (!check_text(answer, text.data))
		return;
	set_failure(answer, sqlstate, message == NULL ? "" : message);
	answer->result = text.data;
	answer->detail = detail == NULL ? NULL : pchomp(detail);
	answer->hint = hint == NULL ? NULL : pchomp(hint);
}

void
iuid_set_failure(NodeAnswer *answer, int sqlstate, const char *message)
{
	set_failure(answer, unpack_sql_state(sqlstate), message);
	answer->result = psprintf("%s: %s", answer->sqlstate, message);
	answer->detail = answer->hint = NULL;
}

static void
set_failure(NodeAnswer *answer, const char *sqlstate, const char *message)
{
	answer->success = false;
	answer->rows = NULL;
	answer->sqlstate = pstrdup(sqlstate);
	answer->message = pchomp(message);
}

bool
iuid_try_answer(NodeAnswer *answer, bool (*read)(void *arg), void *arg)
{
	ErrorData *error;

	if (!answer->success)
		return false;
	if (iuid_try(read, arg, &error))
		return true;
	if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(error);
	iuid_set_error(answer, error);
	return false;
}

/* EXCEPTION WHEN OTHERS catches no 57014: that is for the caller's own cancel. */
void
iuid_report_failure(int elevel, const NodeAnswer *answer)
{
	const char *state = answer->sqlstate;
	int code = MAKE_SQLSTATE(state[0], state[1], state[2], state[3], state[4]);

	if (code == ERRCODE_QUERY_CANCELED)
		code = ERRCODE_CONNECTION_FAILURE;
	ereport(elevel,
			(errcode(code),
			 errmsg("node \"%s\" failed: %s", answer->node, answer->message),
			 answer->detail == NULL ? 0 : errdetail_internal("%s", answer->detail),
			 answer->hint == NULL ? 0 : errhint("%s", answer->hint)));
}

/* If a text cannot be an answer, that is the answer, and the result is false. */
static bool
check_text(NodeAnswer *answer, const char *text)
{
	size_t length = strlen(text);

	if (length > IUID_ANSWER_MAX)
		iuid_set_failure(answer, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
						 psprintf(IUID_ANSWER_TOO_LONG, IUID_ANSWER_MAX));
	else if (!pg_verifymbstr(text, length, true))
		iuid_set_failure(answer, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE,
						 IUID_ANSWER_NO_TEXT);
	else
		return true;
	return false;
}
