/*-------------------------------------------------------------------------
 *
 * run_on_nodes.c
 *	  The SQL function that runs a command on several nodes at once.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "ask_nodes.h"
#include "countries.h"
#include "registry/registry.h"

/* The longest time limit. */
#define LIMIT_MAX USECS_PER_DAY

static int64 get_limit(FunctionCallInfo fcinfo, int n);
static List *choose_nodes(FunctionCallInfo fcinfo, ArrayType *names);
static NodeServer *find_node(List *nodes, const char *name);
static void reject_null(const char *what);

/* The columns, as the SQL script declares them. */
enum
{
	NODE_COLUMN,
	SUCCESS_COLUMN,
	RESULT_COLUMN,
	COLUMNS
};

/*
 * iuid_run_on_nodes(command, nodes, timeout): runs a command on nodes, all at
 * once, and returns a row for each: its name, whether it succeeded, and its
 * result, or the message of its error.
 */
PG_FUNCTION_INFO_V1(iuid_run_on_nodes);
Datum
iuid_run_on_nodes(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	List *nodes;
	ListCell *lc;
	int64 limit;

	if (PG_ARGISNULL(0))
		reject_null("command");
	limit = get_limit(fcinfo, 2);
	iuid_check_node(fcinfo);
	nodes =
		choose_nodes(fcinfo, PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1));
	/* The command can drop this function. */
	InitMaterializedSRF(fcinfo, 0);
	nodes = iuid_ask_nodes(text_to_cstring(PG_GETARG_TEXT_PP(0)), nodes, limit);
	foreach (lc, nodes)
	{
		const NodeAnswer *answer = lfirst(lc);
		Datum values[COLUMNS];
		bool nulls[COLUMNS] = { false };

		values[NODE_COLUMN] = CStringGetTextDatum(answer->node);
		values[SUCCESS_COLUMN] = BoolGetDatum(answer->success);
		nulls[RESULT_COLUMN] = answer->result == NULL;
		values[RESULT_COLUMN] =
			answer->result == NULL ? 0 : CStringGetTextDatum(answer->result);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* A time limit in microseconds; 22023 if it is not positive, or too long. */
static int64
get_limit(FunctionCallInfo fcinfo, int n)
{
	const Interval *interval;
	int64 limit;

	if (PG_ARGISNULL(n))
		reject_null("timeout");
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

/*
 * The nodes of these names, each once; all nodes for NULL.  22004 for a name
 * that is NULL, 22023 for one that is not registered.
 */
static List *
choose_nodes(FunctionCallInfo fcinfo, ArrayType *names)
{
	List *registered = iuid_registered_nodes(fcinfo);
	List *chosen = NIL;
	Datum *values;
	bool *nulls;
	int count;

	if (names == NULL)
		return registered;
	deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls,
					  &count);
	for (int i = 0; i < count; i++)
	{
		if (nulls[i])
			reject_null("the name of a node");
		chosen =
			list_append_unique_ptr(chosen,
								   find_node(registered,
											 TextDatumGetCString(values[i])));
	}
	return chosen;
}

static NodeServer *
find_node(List *nodes, const char *name)
{
	ListCell *lc;

	foreach (lc, nodes)
	{
		NodeServer *node = lfirst(lc);

		if (strcmp(node->node, name) == 0)
			return node;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("node \"%s\" is not registered", name),
			 errdetail("The command was sent to no node."),
			 errhint("Insert the node into iuid_nodes, or leave it out.")));
}

static void
reject_null(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("%s must not be null", what),
			 errhint(
				 "Give a command, the names of nodes or NULL for all, and a timeout.")));
}
