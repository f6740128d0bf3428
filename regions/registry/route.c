/*-------------------------------------------------------------------------
 *
 * route.c
 *	  Finds the node of a country and entity by the routes.
 *
 * A query asks once for each of its rows, and the routes are few.  So the first
 * question reads them all, and they are kept as long as the snapshot sees the same.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "pgstat.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "extension.h"
#include "registry.h"
#include "registry_table.h"

/* The place of routes for any country. */
#define ANY_COUNTRY IUID_COUNTRIES

/*
 * Tells what a snapshot sees.  When another transaction ends, the server counts
 * it; a snapshot that it did not make itself but was given has no such count,
 * and is another one if it differs in the others.  When this transaction has
 * changed something, curcid gets higher.
 */
typedef struct Sight
{
	LocalTransactionId lxid;
	uint64 completed;
	TransactionId xmin;
	TransactionId xmax;
	uint32 xcnt;
	int32 subxcnt;
	CommandId curcid;
} Sight;

/*
 * What this transaction has made of the table so far: also within a command, and
 * without what a subtransaction did that was rolled back.
 */
typedef struct Changes
{
	int64 rows; /* inserted, updated and deleted */
	Oid file;	/* another one after TRUNCATE, or when it is rewritten */
	int columns;
} Changes;

/* The nodes of a country: for any entity, and for each; NULL: no route. */
typedef struct Routes
{
	const char *any;
	const char **of_entity;
} Routes;

/*
 * The routes that were read last, and of which table, under which sight, and
 * after which changes of this transaction; context NULL: none.
 */
static MemoryContext context;
static Oid table;
static Sight seen;
static Changes changes_seen;
static Routes routes[IUID_COUNTRIES + 1];

/* The node of a country whose rows no node has. */
static const char *const nowhere = "";

static inline void see_routes(FunctionCallInfo fcinfo);
static const char *most_specific(int country, int entity);
static Changes get_changes(void);
static bool has_changed(void);
static void read_routes(Oid schema);
static void keep_route(const Datum *values, const bool *nulls, void *arg);

static inline Sight
get_sight(void)
{
	Snapshot snapshot;

	if (unlikely(!ActiveSnapshotSet()))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("routes cannot be read without a snapshot"),
				 errdetail(
					 "Between two transactions of a procedure, there is none."),
				 errhint("Look up a node in a query.")));
	snapshot = GetActiveSnapshot();
	return (Sight){ .lxid = MY_LXID,
					.completed = snapshot->snapXactCompletionCount,
					.xmin = snapshot->xmin,
					.xmax = snapshot->xmax,
					.xcnt = snapshot->xcnt,
					.subxcnt = snapshot->subxcnt,
					.curcid = snapshot->curcid };
}

static inline bool
is_same(const Sight *a, const Sight *b)
{
	return a->lxid == b->lxid && a->completed == b->completed &&
		a->xmin == b->xmin && a->xmax == b->xmax && a->xcnt == b->xcnt &&
		a->subxcnt == b->subxcnt && a->curcid == b->curcid;
}

const char *
iuid_routed_node(FunctionCallInfo fcinfo, int country, int entity)
{
	const char *node;

	see_routes(fcinfo);
	node = most_specific(country, entity);
	return node == nowhere ? NULL : node;
}

bool
iuid_has_route(FunctionCallInfo fcinfo, int country, int entity)
{
	see_routes(fcinfo);
	return most_specific(country, entity) != NULL;
}

bool
iuid_has_own_route(FunctionCallInfo fcinfo, int country)
{
	see_routes(fcinfo);
	return routes[country].any != NULL || routes[country].of_entity != NULL;
}

/* Makes the routes those that the active snapshot sees. */
static inline void
see_routes(FunctionCallInfo fcinfo)
{
	Sight now = get_sight();

	if (context != NULL && is_same(&now, &seen) && !has_changed())
		return;
	read_routes(iuid_schema_of(fcinfo->flinfo->fn_oid));
	seen = now;
	changes_seen = get_changes();
}

static const char *
most_specific(int country, int entity)
{
	for (int i = 0; i < 2; i++)
	{
		const Routes *found = &routes[i == 0 ? country : ANY_COUNTRY];

		if (found->of_entity != NULL && found->of_entity[entity] != NULL)
			return found->of_entity[entity];
		if (found->any != NULL)
			return found->any;
	}
	return NULL;
}

/*
 * The rows are counted by the server's statistics; without those, it is another
 * number each time.  The table has been locked since it was read.
 */
static Changes
get_changes(void)
{
	static int64 unknown = 0;
	Relation relation;
	Changes changes = { 0 };

	if (!TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return changes;
	relation = RelationIdGetRelation(table);
	if (relation == NULL ||
		(relation->pgstat_info == NULL && !relation->pgstat_enabled))
		changes.rows = --unknown;
	else if (relation->pgstat_info != NULL)
	{
		for (const PgStat_TableXactStatus *changed = relation->pgstat_info->trans;
			 changed != NULL; changed = changed->upper)
			changes.rows += changed->tuples_inserted + changed->tuples_updated +
				changed->tuples_deleted;
	}
	if (relation != NULL)
	{
		changes.file = relation->rd_rel->relfilenode;
		changes.columns = relation->rd_rel->relnatts;
		RelationClose(relation);
	}
	return changes;
}

static bool
has_changed(void)
{
	Changes now = get_changes();

	return now.rows != changes_seen.rows || now.file != changes_seen.file ||
		now.columns != changes_seen.columns;
}

static void
read_routes(Oid schema)
{
	static const RegistryColumn columns[] = { { "country", INT4OID },
											  { "entity", INT4OID },
											  { "node", TEXTOID } };
	MemoryContext new_context;

	if (context != NULL)
		MemoryContextDelete(context);
	context = NULL;
	memset(routes, 0, sizeof(routes));
	new_context = AllocSetContextCreate(CurrentMemoryContext, "iuid routes",
										ALLOCSET_DEFAULT_SIZES);
	table = iuid_read_registry(schema, "iuid_routes", columns,
							   lengthof(columns), keep_route, new_context);
	MemoryContextSetParent(new_context, CacheMemoryContext);
	context = new_context;
}

/* A route with a number that the format does not have is the route of nothing. */
static void
keep_route(const Datum *values, const bool *nulls, void *arg)
{
	MemoryContext caller = MemoryContextSwitchTo(arg);
	uint32 country = DatumGetUInt32(values[0]);
	uint32 entity = DatumGetUInt32(values[1]);

	if ((nulls[0] || country < IUID_COUNTRIES) &&
		(nulls[1] || entity < IUID_ENTITIES))
	{
		Routes *kept = &routes[nulls[0] ? ANY_COUNTRY : country];
		const char *node =
			nulls[2] ? nowhere : text_to_cstring(DatumGetTextPP(values[2]));

		if (nulls[1])
			kept->any = node;
		else
		{
			if (kept->of_entity == NULL)
				kept->of_entity = palloc0(sizeof(char *) * IUID_ENTITIES);
			kept->of_entity[entity] = node;
		}
	}
	MemoryContextSwitchTo(caller);
}
