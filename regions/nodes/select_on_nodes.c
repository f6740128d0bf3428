/*-------------------------------------------------------------------------
 *
 * select_on_nodes.c
 *	  The SQL function that gives the rows of a query on several nodes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "ask_nodes.h"
#include "extension.h"
#include "node_arguments.h"
#include "row_type.h"
#include "rows_as_text.h"
#include "statement.h"
#include "subtransaction.h"

/* The answer of a node, and its rows as HeapTuples. */
typedef struct SelectedRows
{
	TupleDesc rows;
	NodeAnswer *answer;
	List *tuples;
} SelectedRows;

/* A query of iuid_select_here(), and its rows. */
typedef struct Selection
{
	const char *query;
	TextColumns columns;
	TextRows *rows;
} Selection;

static bool read_answer(void *arg);
static bool select_read_only(void *arg);

/*
 * iuid_select_on_nodes(rows, command, nodes, timeout, skip_failed): the rows of
 * a query on nodes, all at once, in the row type of the first argument.
 */
PG_FUNCTION_INFO_V1(iuid_select_on_nodes);
Datum
iuid_select_on_nodes(PG_FUNCTION_ARGS)
{
	TupleDesc rows = iuid_row_type_arg(fcinfo);
	char *command = iuid_command_arg(fcinfo, 1);
	List *nodes = iuid_nodes_arg(fcinfo, 2);
	int64 limit = iuid_timeout_arg(fcinfo, 3);
	bool skip_failed = iuid_skip_failed_arg(fcinfo, 4);
	ArrayType *names, *types;
	const Oid parameter_types[] = { TEXTOID, TEXTARRAYOID, TEXTARRAYOID };
	Datum parameters[lengthof(parameter_types)];
	Question question = { .parameter_count = lengthof(parameter_types),
						  .types = parameter_types,
						  .parameters = parameters };
	ListCell *lc;

	/* The same errors here, before a node is asked. */
	(void) iuid_parse_statement(command);
	InitMaterializedSRF(fcinfo, 0);
	iuid_columns_of_rows(rows, &names, &types);
	parameters[0] = CStringGetTextDatum(command);
	parameters[1] = PointerGetDatum(names);
	parameters[2] = PointerGetDatum(types);
	question.columns = ARR_DIMS(names)[0];
	question.command =
		psprintf("SELECT * FROM %s.iuid_select_here($1, $2, $3) AS r (%s)",
				 quote_identifier(
					 get_namespace_name(iuid_schema_of(fcinfo->flinfo->fn_oid))),
				 iuid_text_columns(question.columns));
	nodes = iuid_ask_question(&question, nodes, limit);
	foreach (lc, nodes)
	{
		SelectedRows reading = { .rows = rows, .answer = lfirst(lc) };

		if (iuid_try_answer(reading.answer, read_answer, &reading))
			iuid_return_tuples(fcinfo, reading.tuples);
		else
			iuid_report_failure(skip_failed ? WARNING : ERROR, reading.answer);
	}
	return (Datum) 0;
}

static bool
read_answer(void *arg)
{
	SelectedRows *reading = arg;

	reading->tuples =
		iuid_tuples_of_text_rows(reading->rows, reading->answer->rows, 0);
	return true;
}

/*
 * iuid_select_here(command, names, types): the rows of a query, which runs READ
 * ONLY, as texts.
 */
PG_FUNCTION_INFO_V1(iuid_select_here);
Datum
iuid_select_here(PG_FUNCTION_ARGS)
{
	Selection selection = { .query = text_to_cstring(PG_GETARG_TEXT_PP(0)),
							.columns = { .names = PG_GETARG_ARRAYTYPE_P(1),
										 .types = PG_GETARG_ARRAYTYPE_P(2) } };
	ErrorData *error;

	(void) iuid_parse_statement(selection.query);
	if (!iuid_try(select_read_only, &selection, &error))
		ReThrowError(error);
	iuid_return_text_rows(fcinfo, selection.rows);
	return (Datum) 0;
}

/* The end of the subtransaction, in which this runs, ends the read-only mode. */
static bool
select_read_only(void *arg)
{
	Selection *selection = arg;

	XactReadOnly = true;
	selection->rows =
		iuid_read_rows_as_text(selection->query, &selection->columns);
	return true;
}
