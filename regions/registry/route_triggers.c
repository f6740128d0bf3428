/*-------------------------------------------------------------------------
 *
 * route_triggers.c
 *	  The triggers that keep the node of each route registered.
 *
 * They do what a foreign key from iuid_routes to iuid_nodes would do.  Like its
 * triggers, they see what is committed now, and lock the node of a new route, so
 * that nobody deletes it meanwhile.  But a restore may fill iuid_routes first:
 * pg_restore -j does not know of foreign keys between the tables of an
 * extension.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "access/relation.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "extension.h"
#include "registry_table.h"

/* A row of a table whose node is looked for; NULL: any node. */
typedef struct NodeScan
{
	Relation table;
	AttrNumber attnum;
	const char *node;
} NodeScan;

static const RegistryColumn node_column = { "node", TEXTOID };

static TriggerData *trigger_data(FunctionCallInfo fcinfo, const char *function,
								 const char *table, int events);
static int event_of(const TriggerData *trigger);
static char *node_in(const TriggerData *trigger, TupleTableSlot *slot);
static bool find_node(FunctionCallInfo fcinfo, const char *table,
					  const char *node, bool lock);
static bool is_wanted(const NodeScan *wanted, TupleTableSlot *slot);
static bool lock_row(const NodeScan *wanted, TupleTableSlot *slot,
					 Snapshot snapshot);

/*
 * iuid_require_node(): raises 23503 if the node of a new route is not in
 * iuid_nodes.  check_function_bodies is off while a dump is restored, which is
 * how the server itself knows that what is missing may come later.  39P01 as by
 * trigger_data(), 42P01 and 55000 as in registry.h.
 */
PG_FUNCTION_INFO_V1(iuid_require_node);
Datum
iuid_require_node(PG_FUNCTION_ARGS)
{
	TriggerData *trigger =
		trigger_data(fcinfo, "iuid_require_node", "iuid_routes",
					 TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE);
	bool update = TRIGGER_FIRED_BY_UPDATE(trigger->tg_event);
	char *node =
		node_in(trigger, update ? trigger->tg_newslot : trigger->tg_trigslot);
	char *old_node = update ? node_in(trigger, trigger->tg_trigslot) : NULL;

	/* An UPDATE that leaves the node is no new route, as for a foreign key. */
	if (node != NULL && old_node != NULL && strcmp(node, old_node) == 0)
		return PointerGetDatum(NULL);
	if (node != NULL && check_function_bodies &&
		!find_node(fcinfo, "iuid_nodes", node, true))
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("node \"%s\" is not registered", node),
				 errdetail("The route would lead nowhere."),
				 errhint("Insert the node into iuid_nodes first.")));
	return PointerGetDatum(NULL);
}

/*
 * iuid_keep_node(): raises 23503 if a node that has routes was deleted, or got
 * another name, or if all nodes were truncated and there are routes to nodes.
 * 39P01 as by trigger_data(), 42P01 and 55000 as in registry.h.
 */
PG_FUNCTION_INFO_V1(iuid_keep_node);
Datum
iuid_keep_node(PG_FUNCTION_ARGS)
{
	TriggerData *trigger =
		trigger_data(fcinfo, "iuid_keep_node", "iuid_nodes",
					 TRIGGER_TYPE_UPDATE | TRIGGER_TYPE_DELETE |
						 TRIGGER_TYPE_TRUNCATE);
	char *node;

	if (TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event))
	{
		if (find_node(fcinfo, "iuid_routes", NULL, false))
			ereport(ERROR,
					(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
					 errmsg("nodes have routes"),
					 errdetail("The routes would lead nowhere."),
					 errhint("Truncate iuid_routes in the same statement.")));
		return PointerGetDatum(NULL);
	}

	node = node_in(trigger, trigger->tg_trigslot);
	if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
	{
		char *new_node = node_in(trigger, trigger->tg_newslot);

		if (node != NULL && new_node != NULL && strcmp(node, new_node) == 0)
			return PointerGetDatum(NULL);
	}
	if (node != NULL && find_node(fcinfo, "iuid_routes", node, false))
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("node \"%s\" has routes", node),
				 errdetail("The routes would lead nowhere."),
				 errhint(
					 "Delete them from iuid_routes, or give them another node, first.")));
	return PointerGetDatum(NULL);
}

/*
 * What a trigger function is called with.  39P01 unless a trigger of a table of
 * the registry calls it after one of the events, TRIGGER_TYPE_*, for each row
 * or, for TRUNCATE, statement.
 */
static TriggerData *
trigger_data(FunctionCallInfo fcinfo, const char *function, const char *table,
			 int events)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_AFTER(trigger->tg_event) ||
		(event_of(trigger) & events) == 0 ||
		(TRIGGER_FIRED_FOR_STATEMENT(trigger->tg_event) &&
		 !TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event)) ||
		RelationGetRelid(trigger->tg_relation) !=
			get_relname_relid(table, iuid_schema_of(fcinfo->flinfo->fn_oid)))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("%s was not called by a trigger of extension \"%s\"",
						function, "iuid_regions"),
				 errhint("Drop the other trigger.")));
	return trigger;
}

static int
event_of(const TriggerData *trigger)
{
	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		return TRIGGER_TYPE_INSERT;
	if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
		return TRIGGER_TYPE_UPDATE;
	if (TRIGGER_FIRED_BY_DELETE(trigger->tg_event))
		return TRIGGER_TYPE_DELETE;
	return TRIGGER_TYPE_TRUNCATE;
}

/* The node of a row of either table; NULL if it is NULL. */
static char *
node_in(const TriggerData *trigger, TupleTableSlot *slot)
{
	AttrNumber attnum = iuid_registry_column(trigger->tg_relation, &node_column);
	bool is_null;
	Datum node = slot_getattr(slot, attnum, &is_null);

	return is_null ? NULL : TextDatumGetCString(node);
}

/*
 * Whether a table has a row with a node, or with any, by what is committed now
 * and what this transaction has changed.  Locked, the row keeps its node until
 * the transaction ends.
 */
static bool
find_node(FunctionCallInfo fcinfo, const char *table, const char *node, bool lock)
{
	NodeScan wanted = { .node = node };
	Snapshot snapshot;
	TupleTableSlot *slot;
	TableScanDesc scan;
	bool found = false;

	wanted.table =
		iuid_open_registry(iuid_schema_of(fcinfo->flinfo->fn_oid), table,
						   lock ? RowShareLock : AccessShareLock);
	wanted.attnum = iuid_registry_column(wanted.table, &node_column);
	/* As a foreign key, it sees what this command has written. */
	CommandCounterIncrement();
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	slot = table_slot_create(wanted.table, NULL);
	scan = table_beginscan(wanted.table, snapshot, 0, NULL, 0);
	while (!found && table_scan_getnextslot(scan, ForwardScanDirection, slot))
		found = is_wanted(&wanted, slot) &&
			(!lock || lock_row(&wanted, slot, snapshot));
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	UnregisterSnapshot(snapshot);
	relation_close(wanted.table, NoLock);
	return found;
}

static bool
is_wanted(const NodeScan *wanted, TupleTableSlot *slot)
{
	bool is_null;
	Datum node = slot_getattr(slot, wanted->attnum, &is_null);

	return !is_null &&
		(wanted->node == NULL ||
		 strcmp(TextDatumGetCString(node), wanted->node) == 0);
}

/* Whether the row is still there with its node when it is locked. */
static bool
lock_row(const NodeScan *wanted, TupleTableSlot *slot, Snapshot snapshot)
{
	ItemPointerData tid = slot->tts_tid;
	TM_FailureData failure;

	return table_tuple_lock(wanted->table, &tid, snapshot, slot,
							GetCurrentCommandId(false), LockTupleKeyShare,
							LockWaitBlock,
							TUPLE_LOCK_FLAG_LOCK_UPDATE_IN_PROGRESS |
								TUPLE_LOCK_FLAG_FIND_LAST_VERSION,
							&failure) == TM_Ok &&
		is_wanted(wanted, slot);
}
