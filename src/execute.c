/*-------------------------------------------------------------------------
 *
 * execute.c
 *	  Executes SQL statements from C.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "utils/snapmgr.h"

#include "execute.h"

void
iuid_execute(const char *format, ...)
{
	StringInfoData statement;
	int result;

	initStringInfo(&statement);
	for (;;)
	{
		va_list args;
		int needed;

		va_start(args, format);
		needed = appendStringInfoVA(&statement, format, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&statement, needed);
	}

	SPI_connect();
	result = SPI_execute(statement.data, false, 0);
	if (result < 0)
		elog(ERROR, "could not execute \"%s\": %s", statement.data,
			 SPI_result_code_string(result));
	SPI_finish();
	pfree(statement.data);
}

int64
iuid_query_int64(const char *query, int64 null_value)
{
	bool isnull;
	Datum value;

	/* See what is committed now, whatever the isolation level is. */
	CommandCounterIncrement();
	PushActiveSnapshot(GetLatestSnapshot());
	SPI_connect();
	if (SPI_execute(query, true, 0) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "unexpected result of \"%s\"", query);
	value =
		SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	SPI_finish();
	PopActiveSnapshot();
	return isnull ? null_value : DatumGetInt64(value);
}
