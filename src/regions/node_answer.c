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

#include "compat.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "node_answer.h"
#include "owner.h"

/* The longest answer, in bytes (64 MB): it is in memory, several times. */
#define ANSWER_MAX 67108864

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
	answer->success = false;
	answer->result = text.data;
}

void
iuid_set_failure(NodeAnswer *answer, int sqlstate, const char *message)
{
	answer->success = false;
	answer->result = psprintf("%s: %s", unpack_sql_state(sqlstate), message);
}

/* If a text cannot be an answer, that is the answer, and the result is false. */
static bool
check_text(NodeAnswer *answer, const char *text)
{
	size_t length = strlen(text);

	if (length > ANSWER_MAX)
		iuid_set_failure(answer, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
						 psprintf("the answer has more than %d bytes",
								  ANSWER_MAX));
	else if (!pg_verifymbstr(text, length, true))
		iuid_set_failure(answer, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE,
						 "the answer is no text in the encoding of this database");
	else
		return true;
	return false;
}

char **
iuid_read_json(const char *query, const char *json, int count)
{
	MemoryContext caller = CurrentMemoryContext;
	char **row = palloc0(sizeof(char *) * count);
	Oid type = TEXTOID;
	Datum parameter;
	SavedUser saved;

	if (json == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the answer is NULL")));
	parameter = CStringGetTextDatum(json);
	saved = iuid_become(GetUserId());
	SPI_connect();
	if (SPI_execute_with_args(query, 1, &type, &parameter, NULL, true, 0) !=
			SPI_OK_SELECT ||
		SPI_processed != 1)
		elog(ERROR, "unexpected result of \"%s\"", query);
	for (int i = 0; i < count; i++)
	{
		char *text =
			SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1);

		row[i] = text == NULL ? NULL : MemoryContextStrdup(caller, text);
	}
	SPI_finish();
	iuid_restore_user(&saved);
	/* It can be long, and is read for each country. */
	pfree(DatumGetPointer(parameter));
	return row;
}
