/*-------------------------------------------------------------------------
 *
 * route_node.c
 *	  The triggers that keep the node of each route registered.
 *
 * They do what a foreign key from iuid_routes to iuid_nodes with ON UPDATE
 * CASCADE would do, and as its triggers they see what is committed now, and
 * lock the node of a new route, so that nobody deletes it meanwhile.  But a
 * restore may fill iuid_routes first: pg_restore -j does not know of foreign
 * keys between the tables of an extension.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/xact.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "function.h"
#include "owner.h"
#include "registry_load.h"
#include "registry_trigger.h"
#include "relation.h"

static char *node_in(TriggerData *trigger, HeapTuple row);
static uint64 execute(FunctionCallInfo fcinfo, const char *table_name,
					  const char *statement, const char *node,
					  const char *new_node);

/*
 * iuid_require_node(): raises 23503 if the node of a new route is not in
 * iuid_nodes.  check_function_bodies is off while a dump is restored, which is
 * how the server itself knows that what is missing may come later.  42P01 and
 * 42501 as by execute(), 39P01 as by iuid_trigger_data().
 */
PG_FUNCTION_INFO_V1(iuid_require_node);
Datum
iuid_require_node(PG_FUNCTION_ARGS)
{
	TriggerData *trigger =
		iuid_trigger_data(fcinfo, "iuid_require_node",
						  TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE);
	bool update = TRIGGER_FIRED_BY_UPDATE(trigger->tg_event);
	char *node =
		node_in(trigger, update ? trigger->tg_newtuple : trigger->tg_trigtuple);

	if (node != NULL && check_function_bodies &&
		execute(fcinfo, "iuid_nodes",
				"SELECT FROM %s AS n"
				" WHERE n.node OPERATOR(pg_catalog.=) $1 FOR KEY SHARE",
				node, NULL) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("node \"%s\" is not registered", node),
				 errdetail("The route would lead nowhere."),
				 errhint("Insert the node into iuid_nodes first.")));
	return PointerGetDatum(NULL);
}

/*
 * iuid_keep_node(): gives the routes of a node its new name.  23503 if the
 * node was deleted, or all of them truncated, and there are routes.  42P01 and
 * 42501 as by execute(), 39P01 as by iuid_trigger_data().
 */
PG_FUNCTION_INFO_V1(iuid_keep_node);
Datum
iuid_keep_node(PG_FUNCTION_ARGS)
{
	TriggerData *trigger =
		iuid_trigger_data(fcinfo, "iuid_keep_node",
						  TRIGGER_TYPE_UPDATE | TRIGGER_TYPE_DELETE |
							  TRIGGER_TYPE_TRUNCATE);
	char *node;

	if (TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event))
	{
		if (execute(fcinfo, "iuid_routes", "SELECT FROM %s LIMIT 1", NULL,
					NULL) > 0)
			ereport(ERROR,
					(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
					 errmsg("nodes have routes"),
					 errdetail("The routes would lead nowhere."),
					 errhint("Truncate iuid_routes in the same statement.")));
		return PointerGetDatum(NULL);
	}

	node = node_in(trigger, trigger->tg_trigtuple);
	if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
	{
		char *new_node = node_in(trigger, trigger->tg_newtuple);

		if (node != NULL && new_node != NULL && strcmp(node, new_node) != 0)
			execute(fcinfo, "iuid_routes",
					"UPDATE %s AS r SET node = $2"
					" WHERE r.node OPERATOR(pg_catalog.=) $1",
					node, new_node);
	}
	else if (node != NULL &&
			 execute(fcinfo, "iuid_routes",
					 "SELECT FROM %s AS r"
					 " WHERE r.node OPERATOR(pg_catalog.=) $1 LIMIT 1",
					 node, NULL) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("node \"%s\" has routes", node),
				 errdetail("The routes would lead nowhere."),
				 errhint(
					 "Delete them from iuid_routes, or give them another node, first.")));
	return PointerGetDatum(NULL);
}

/* The node of a row of either table; NULL if it is NULL. */
static char *
node_in(TriggerData *trigger, HeapTuple row)
{
	TupleDesc tupdesc = RelationGetDescr(trigger->tg_relation);
	int column = SPI_fnumber(tupdesc, "node");

	if (column <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of table \"%s\" is missing", "node",
						RelationGetRelationName(trigger->tg_relation))));
	return SPI_getvalue(row, tupdesc, column);
}

/*
 * Executes a statement on the other table, as its owner, and returns the number
 * of rows.  It sees what is committed now; a row that the transaction's own
 * snapshot does not see cannot be changed (40001).  42P01 without the table.
 * 42501 unless both tables have one owner: then somebody has put the trigger on
 * a table of their own, or such a table into the place of one of ours.
 */
static uint64
execute(FunctionCallInfo fcinfo, const char *table_name, const char *statement,
		const char *node, const char *new_node)
{
	Relation own = ((TriggerData *) fcinfo->context)->tg_relation;
	Oid schema = iuid_schema_of(fcinfo->flinfo->fn_oid);
	Oid table = get_relname_relid(table_name, schema);
	Oid types[] = { TEXTOID, TEXTOID };
	Datum values[2] = { 0 };
	int count = 0;
	Snapshot crosscheck = InvalidSnapshot;
	SavedUser saved;
	SPIPlanPtr plan;
	uint64 rows;

	if (!OidIsValid(table))
		iuid_reject_missing_table(table_name);
	if (iuid_class_of(table).relowner != own->rd_rel->relowner)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("tables \"%s\" and \"%s\" have different owners",
						RelationGetRelationName(own), table_name),
				 errhint("Give both tables the same owner.")));
	if (node != NULL)
		values[count++] = CStringGetTextDatum(node);
	if (new_node != NULL)
		values[count++] = CStringGetTextDatum(new_node);
	if (IsolationUsesXactSnapshot())
		crosscheck = GetTransactionSnapshot();

	saved = iuid_become_owner(table);
	SPI_connect();
	plan = SPI_prepare(psprintf(statement, iuid_qualified_name(table)), count,
					   types);
	if (plan == NULL ||
		SPI_execute_snapshot(plan, values, NULL, GetLatestSnapshot(),
							 crosscheck, false, false, 0) < 0)
		elog(ERROR, "could not execute \"%s\"", statement);
	rows = SPI_processed;
	SPI_finish();
	iuid_restore_user(&saved);
	return rows;
}
