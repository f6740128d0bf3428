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

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "node_answer.h"
#include "owner.h"

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
	return row;
}
