/*-------------------------------------------------------------------------
 *
 * node_arguments.c
 *	  The arguments of SQL functions that ask several nodes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "node_arguments.h"

/* The longest time limit. */
#define LIMIT_MAX USECS_PER_DAY

static void check_not_null(FunctionCallInfo fcinfo, int n, const char *name);

static void
check_not_null(FunctionCallInfo fcinfo, int n, const char *name)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", name),
				 errhint(
					 "Give a command, the names of nodes or NULL for all, and a timeout.")));
}

char *
iuid_command_arg(FunctionCallInfo fcinfo, int n)
{
	check_not_null(fcinfo, n, "command");
	return text_to_cstring(PG_GETARG_TEXT_PP(n));
}

int64
iuid_timeout_arg(FunctionCallInfo fcinfo, int n)
{
	const Interval *interval;
	int64 limit;

	check_not_null(fcinfo, n, "timeout");
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

bool
iuid_skip_failed_arg(FunctionCallInfo fcinfo, int n)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", "skip_failed"),
				 errhint("Give true or false, or leave it out.")));
	return PG_GETARG_BOOL(n);
}

List *
iuid_nodes_arg(FunctionCallInfo fcinfo, int n)
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
