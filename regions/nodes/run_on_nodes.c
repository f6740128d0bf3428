/*-------------------------------------------------------------------------
 *
 * run_on_nodes.c
 *	  The SQL function that runs a command on several nodes at once.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "ask_nodes.h"
#include "node_arguments.h"

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
	char *command = iuid_command_arg(fcinfo, 0);
	int64 limit = iuid_timeout_arg(fcinfo, 2);
	List *nodes = iuid_nodes_arg(fcinfo, 1);
	ListCell *lc;

	/* The command can drop this function. */
	InitMaterializedSRF(fcinfo, 0);
	nodes = iuid_ask_nodes(command, nodes, limit);
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
