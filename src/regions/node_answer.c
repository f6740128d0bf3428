/*-------------------------------------------------------------------------
 *
 * node_answer.c
 *	  What a node answers to a command.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"

#include "node_answer.h"

/* dblink does not check what bytes a node has sent. */
void
iuid_set_result(NodeAnswer *answer, const char *result)
{
	if (result != NULL && !pg_verifymbstr(result, strlen(result), true))
		iuid_set_failure(answer, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE,
						 "the answer is not a text in the encoding of this database");
	else
	{
		answer->success = true;
		answer->result = result;
	}
}

void
iuid_set_error(NodeAnswer *answer, const ErrorData *error)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, error->message);
	if (error->detail != NULL)
		appendStringInfo(&text, "\nDETAIL:  %s", error->detail);
	if (error->hint != NULL)
		appendStringInfo(&text, "\nHINT:  %s", error->hint);
	if (!pg_verifymbstr(text.data, text.len, true))
		iuid_set_failure(answer, error->sqlerrcode,
						 "the message is not a text in the encoding of this database");
	else
		iuid_set_failure(answer, error->sqlerrcode, text.data);
}

void
iuid_set_failure(NodeAnswer *answer, int sqlstate, const char *message)
{
	answer->success = false;
	answer->result = psprintf("%s: %s", unpack_sql_state(sqlstate), message);
}
