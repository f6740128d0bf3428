/*-------------------------------------------------------------------------
 *
 * on_nodes.c
 *	  SQL functions that run a command on several nodes at once, and that give
 *	  the rows of a query on several nodes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "ask_nodes.h"
#include "attempt.h"
#include "extension.h"
#include "registry/registry.h"
#include "row_type.h"
#include "rows_as_text.h"
#include "server_options.h"
#include "statement.h"

/* The longest time limit. */
#define LIMIT_MAX USECS_PER_DAY

/* The columns, as the SQL script declares them. */
enum
{
	NODE_COLUMN,
	SUCCESS_COLUMN,
	RESULT_COLUMN,
	HOST_COLUMN, /* of iuid_run_on_hosts() alone */
	COLUMNS
};

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

static void return_answers(FunctionCallInfo fcinfo, List *answers, List *hosts);
static bool read_answer(void *arg);
static void select_rows(void *arg);

/* What to give in the place of NULL. */
#define ASKING \
	"Give a command, the names of nodes or NULL for all, and a timeout."
#define SKIPPING "Give true or false, or leave it out."

static void
check_not_null(FunctionCallInfo fcinfo, int n, const char *name, const char *hint)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", name),
				 errhint("%s", hint)));
}

/* Argument n, a command; 22004 for NULL. */
static char *
command_arg(FunctionCallInfo fcinfo, int n)
{
	check_not_null(fcinfo, n, "command", ASKING);
	return text_to_cstring(PG_GETARG_TEXT_PP(n));
}

/* Argument n, a time limit in microseconds; 22004, and 22023 unless 0 < n <= 1 day. */
static int64
timeout_arg(FunctionCallInfo fcinfo, int n)
{
	const Interval *interval;
	int64 limit;

	check_not_null(fcinfo, n, "timeout", ASKING);
	interval = PG_GETARG_INTERVAL_P(n);
	if (interval->month == 0 && interval->day >= 0 && interval->day <= 1 &&
		interval->time >= 0 && interval->time <= LIMIT_MAX)
	{
		limit = interval->day * USECS_PER_DAY + interval->time;
		if (limit > 0 && limit <= LIMIT_MAX)
			return limit;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("timeout is out of range"),
			 errdetail("It must be more than 0, and one day at most."),
			 errhint("Give a time such as '3 seconds'.")));
}

/* Argument n, whether a node that fails is passed over; 22004 for NULL. */
static bool
skip_failed_arg(FunctionCallInfo fcinfo, int n)
{
	check_not_null(fcinfo, n, "skip_failed", SKIPPING);
	return PG_GETARG_BOOL(n);
}

/*
 * Argument n, names of nodes: their NodeServers, each once; all nodes for NULL.
 * 22004 for a name that is NULL, 22023 for one that is not registered, and
 * errors as by iuid_check_node().
 */
static List *
nodes_arg(FunctionCallInfo fcinfo, int n)
{
	List *registered = iuid_check_node(fcinfo);
	List *chosen = NIL;
	Datum *names;
	bool *nulls;
	int count;

	if (PG_ARGISNULL(n))
		return registered;
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(n), TEXTOID, -1, false,
					  TYPALIGN_INT, &names, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		NodeServer *node = NULL;

		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("the name of a node must not be null"),
					 errhint("Give the names of nodes, or NULL for all nodes.")));
		node = iuid_node_of_name(registered, TextDatumGetCString(names[i]));
		if (node == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("node \"%s\" is not registered",
							TextDatumGetCString(names[i])),
					 errdetail("The command was sent to no node."),
					 errhint("Insert the node into iuid_nodes, or leave it out.")));
		chosen = list_append_unique_ptr(chosen, node);
	}
	return chosen;
}

/*
 * iuid_run_on_nodes(command, nodes, timeout): runs a command on nodes, all at
 * once, and returns a row for each: its name, whether it succeeded, and its
 * result, or the message of its error.
 */
PG_FUNCTION_INFO_V1(iuid_run_on_nodes);
Datum
iuid_run_on_nodes(PG_FUNCTION_ARGS)
{
	Question question = { .command = command_arg(fcinfo, 0) };
	int64 limit = timeout_arg(fcinfo, 2);
	List *nodes = nodes_arg(fcinfo, 1);

	/* The command can drop this function. */
	InitMaterializedSRF(fcinfo, 0);
	return_answers(fcinfo, iuid_ask_nodes(&question, nodes, limit), NIL);
	return (Datum) 0;
}

/*
 * iuid_run_on_hosts(command, timeout): runs a command on each host of the other nodes
 * whose server has several, all at once, and returns a row for each.
 */
PG_FUNCTION_INFO_V1(iuid_run_on_hosts);
Datum
iuid_run_on_hosts(PG_FUNCTION_ARGS)
{
	Question question = { .command = command_arg(fcinfo, 0) };
	int64 limit = timeout_arg(fcinfo, 1);
	List *asked = NIL, *hosts = NIL;
	ListCell *lc;

	foreach (lc, iuid_check_node(fcinfo))
	{
		const NodeServer *node = lfirst(lc);
		List *its = strcmp(node->node, iuid_this_node()) == 0 ?
			NIL :
			iuid_hosts_of_server(node->server);

		for (int i = 1; i <= list_length(its); i++)
		{
			NodeServer *host = palloc(sizeof(NodeServer));

			*host = *node;
			host->host = i;
			asked = lappend(asked, host);
		}
		hosts = list_concat(hosts, its);
	}
	InitMaterializedSRF(fcinfo, 0);
	return_answers(fcinfo, iuid_ask_nodes(&question, asked, limit), hosts);
	return (Datum) 0;
}

/* Returns answers as rows, with the hosts that gave them, unless that is NIL. */
static void
return_answers(FunctionCallInfo fcinfo, List *answers, List *hosts)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	for (int i = 0; i < list_length(answers); i++)
	{
		const NodeAnswer *answer = list_nth(answers, i);
		Datum values[COLUMNS];
		bool nulls[COLUMNS] = { false };

		values[NODE_COLUMN] = CStringGetTextDatum(answer->node);
		values[SUCCESS_COLUMN] = BoolGetDatum(answer->success);
		nulls[RESULT_COLUMN] = answer->result == NULL;
		values[RESULT_COLUMN] =
			answer->result == NULL ? 0 : CStringGetTextDatum(answer->result);
		if (hosts != NIL)
			values[HOST_COLUMN] = CStringGetTextDatum(list_nth(hosts, i));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

/*
 * iuid_select_on_nodes(rows, command, nodes, timeout, skip_failed): the rows of
 * a query on nodes, all at once, in the row type of the first argument.
 */
PG_FUNCTION_INFO_V1(iuid_select_on_nodes);
Datum
iuid_select_on_nodes(PG_FUNCTION_ARGS)
{
	TupleDesc rows = iuid_row_type_arg(fcinfo);
	char *command = command_arg(fcinfo, 1);
	List *nodes = nodes_arg(fcinfo, 2);
	int64 limit = timeout_arg(fcinfo, 3);
	bool skip_failed = skip_failed_arg(fcinfo, 4);
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
	nodes = iuid_ask_nodes(&question, nodes, limit);
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

	(void) iuid_parse_statement(selection.query);
	iuid_read(select_rows, &selection);
	iuid_return_text_rows(fcinfo, selection.rows);
	return (Datum) 0;
}

static void
select_rows(void *arg)
{
	Selection *selection = arg;

	selection->rows =
		iuid_read_rows_as_text(selection->query, &selection->columns);
}
