/*-------------------------------------------------------------------------
 *
 * registry.c
 *	  The registry tables, in a cache in each backend.
 *
 * The tables are small and read for every row of a query, so all of them are
 * read at once, and dropped at once when one of them changes.  A change
 * makes a relation invalidation (iuid_registry_changed, a trigger), which the
 * server brings to each backend at commit, and to its own at the end of the
 * command and at rollback.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/table.h"
#include "access/tableam.h"
#include "commands/trigger.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "datum.h"
#include "registry.h"

#define COUNTRIES (IUID_COUNTRY_MAX + 1)
#define ENTITIES  (IUID_ENTITY_MAX + 1)
#define ANY		  (-1) /* a NULL in a route */
#define NO_NODE	  0

/* The tables, in the order in which they are read. */
enum
{
	COUNTRY_TABLE,
	ENTITY_TABLE,
	NODE_TABLE,
	ROUTE_TABLE,
	TABLES
};

static const char *const table_names[TABLES] = {
	[COUNTRY_TABLE] = "iuid_countries",
	[ENTITY_TABLE] = "iuid_entities",
	[NODE_TABLE] = "iuid_nodes",
	[ROUTE_TABLE] = "iuid_routes",
};

typedef struct RegisteredCountry
{
	char *code; /* NULL: not registered */
	char *name;
} RegisteredCountry;

typedef struct RegisteredEntity
{
	char *key; /* NULL: not registered */
	char *service;
} RegisteredEntity;

typedef struct RegisteredNode
{
	char *node;
	char *region; /* may be NULL */
	char *server;
} RegisteredNode;

typedef struct Route
{
	int country; /* or ANY */
	int entity;	 /* or ANY */
	uint16 node;
} Route;

typedef struct Registry
{
	RegisteredCountry countries[COUNTRIES];
	RegisteredEntity entities[ENTITIES];
	List *nodes;  /* of RegisteredNode; the first is that of NO_NODE */
	List *routes; /* of Route */
	uint16 node_of[COUNTRIES][ENTITIES];
} Registry;

static Registry *cache; /* NULL: to be read */
static bool changed;	/* while it is read */
static Oid table_oids[TABLES];

static Registry *get_registry(FunctionCallInfo fcinfo);
static void forget_registry(Datum arg, Oid relid);
static void read_table(Registry *registry, int table);
static void read_row(Registry *registry, int table, TupleTableSlot *slot);
static void apply_routes(Registry *registry);
static uint16 find_node(Registry *registry, const char *name);
static char *text_column(TupleTableSlot *slot, int column);
static int int_column(TupleTableSlot *slot, int column);

/* Trigger of the registry tables: every backend is to read them again. */
PG_FUNCTION_INFO_V1(iuid_registry_changed);
Datum
iuid_registry_changed(PG_FUNCTION_ARGS)
{
	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("%s must be called as a trigger",
						"iuid_registry_changed")));
	CacheInvalidateRelcache(((TriggerData *) fcinfo->context)->tg_relation);
	return PointerGetDatum(NULL);
}

/* The registry of the extension that the called function belongs to. */
static Registry *
get_registry(FunctionCallInfo fcinfo)
{
	static MemoryContext context;
	Oid schema;
	Registry *registry;
	MemoryContext caller;

	/* What others have committed; a statement without tables would not ask. */
	AcceptInvalidationMessages();
	if (cache != NULL)
		return cache;

	if (context == NULL)
	{
		context = AllocSetContextCreate(CacheMemoryContext, "iuid registry",
										ALLOCSET_DEFAULT_SIZES);
		CacheRegisterRelcacheCallback(forget_registry, (Datum) 0);
	}

	schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	for (int i = 0; i < TABLES; i++)
	{
		table_oids[i] = get_relname_relid(table_names[i], schema);
		if (!OidIsValid(table_oids[i]))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_TABLE),
					 errmsg("table \"%s\" of extension \"%s\" is missing",
							table_names[i], "iuid"),
					 errhint("Give it back the name that it had.")));
	}

	/* A change that comes while the tables are read makes them be read again. */
	caller = MemoryContextSwitchTo(context);
	do
	{
		changed = false;
		MemoryContextReset(context);
		registry = palloc0(sizeof(Registry));
		registry->nodes = list_make1(palloc0(sizeof(RegisteredNode)));
		for (int i = 0; i < TABLES; i++)
			read_table(registry, i);
	} while (changed);
	apply_routes(registry);
	MemoryContextSwitchTo(caller);

	cache = registry;
	return registry;
}

static void
forget_registry(Datum arg pg_attribute_unused(), Oid relid)
{
	bool ours = !OidIsValid(relid);

	for (int i = 0; i < TABLES; i++)
		ours = ours || relid == table_oids[i];
	if (ours)
	{
		changed = true;
		cache = NULL;
	}
}

/*
 * What is committed now, or changed by this transaction: not by a snapshot of
 * old.  That of the catalogs is the one that parallel workers can have, too.
 */
static void
read_table(Registry *registry, int table)
{
	Relation relation = table_open(table_oids[table], AccessShareLock);
	TupleTableSlot *slot = table_slot_create(relation, NULL);
	Snapshot snapshot = RegisterSnapshot(GetCatalogSnapshot(table_oids[table]));
	TableScanDesc scan = table_beginscan(relation, snapshot, 0, NULL, 0);

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
		read_row(registry, table, slot);

	table_endscan(scan);
	UnregisterSnapshot(snapshot);
	ExecDropSingleTupleTableSlot(slot);
	table_close(relation, AccessShareLock);
}

/* The columns are those of the SQL script, and checked by the tables. */
static void
read_row(Registry *registry, int table, TupleTableSlot *slot)
{
	if (table == COUNTRY_TABLE)
	{
		RegisteredCountry *country = &registry->countries[int_column(slot, 1)];

		country->code = text_column(slot, 2);
		country->name = text_column(slot, 3);
	}
	else if (table == ENTITY_TABLE)
	{
		RegisteredEntity *entity = &registry->entities[int_column(slot, 1)];

		entity->service = text_column(slot, 2);
		entity->key = text_column(slot, 4);
	}
	else if (table == NODE_TABLE)
	{
		uint16 node = find_node(registry, text_column(slot, 1));

		((RegisteredNode *) list_nth(registry->nodes, node))->region =
			text_column(slot, 2);
		((RegisteredNode *) list_nth(registry->nodes, node))->server =
			text_column(slot, 3);
	}
	else
	{
		Route *route = palloc(sizeof(Route));

		route->country = int_column(slot, 1);
		route->entity = int_column(slot, 2);
		route->node = find_node(registry, text_column(slot, 3));
		registry->routes = lappend(registry->routes, route);
	}
}

/* From the least specific to the most, so that each overrides those before. */
static void
apply_routes(Registry *registry)
{
	for (int specific = 0; specific < 4; specific++)
	{
		ListCell *lc;

		foreach (lc, registry->routes)
		{
			Route *route = lfirst(lc);
			bool any_country = route->country == ANY;
			bool any_entity = route->entity == ANY;

			if (specific != (any_country ? 0 : 2) + (any_entity ? 0 : 1))
				continue;
			for (int c = any_country ? 0 : route->country;
				 c <= (any_country ? IUID_COUNTRY_MAX : route->country); c++)
				for (int e = any_entity ? 0 : route->entity;
					 e <= (any_entity ? IUID_ENTITY_MAX : route->entity); e++)
					registry->node_of[c][e] = route->node;
		}
	}
}

/* The node's place in the list, where it is put if it is not there. */
static uint16
find_node(Registry *registry, const char *name)
{
	RegisteredNode *node;

	for (int i = NO_NODE + 1; i < list_length(registry->nodes); i++)
	{
		node = list_nth(registry->nodes, i);
		if (strcmp(node->node, name) == 0)
			return i;
	}
	if (list_length(registry->nodes) > PG_UINT16_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many nodes in table \"%s\"", table_names[NODE_TABLE]),
				 errdetail("There may be %d.", PG_UINT16_MAX),
				 errhint(
					 "There are no more countries and entities than that to route.")));
	node = palloc0(sizeof(RegisteredNode));
	node->node = pstrdup(name);
	registry->nodes = lappend(registry->nodes, node);
	return list_length(registry->nodes) - 1;
}

static char *
text_column(TupleTableSlot *slot, int column)
{
	bool isnull;
	Datum value = slot_getattr(slot, column, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

static int
int_column(TupleTableSlot *slot, int column)
{
	bool isnull;
	Datum value = slot_getattr(slot, column, &isnull);

	return isnull ? ANY : DatumGetInt32(value);
}

Registered
iuid_registered(FunctionCallInfo fcinfo, int country, int entity)
{
	Registry *registry = get_registry(fcinfo);
	const RegisteredCountry *c = &registry->countries[country];
	const RegisteredEntity *e = &registry->entities[entity];
	const RegisteredNode *n =
		list_nth(registry->nodes, registry->node_of[country][entity]);

	return (Registered){
		.code = c->code,
		.name = c->name,
		.service = e->service,
		.key = e->key,
		.node = n->node,
		.region = n->region,
		.server = n->server,
	};
}

int
iuid_find_country(FunctionCallInfo fcinfo, const char *code)
{
	Registry *registry = get_registry(fcinfo);

	for (int i = 0; i < COUNTRIES; i++)
	{
		if (registry->countries[i].code != NULL &&
			strcmp(registry->countries[i].code, code) == 0)
			return i;
	}
	return -1;
}

int
iuid_find_entity(FunctionCallInfo fcinfo, const char *key)
{
	Registry *registry = get_registry(fcinfo);

	for (int i = 0; i < ENTITIES; i++)
	{
		if (registry->entities[i].key != NULL &&
			strcmp(registry->entities[i].key, key) == 0)
			return i;
	}
	return -1;
}

bool iuid_is_registered_country(FunctionCallInfo fcinfo, int country)
{
	Registry *registry = get_registry(fcinfo);
	ListCell *lc;
	foreach(lc, registry->routes) if (((Route*)lfirst(lc))->country == country) return true;
	return registry->countries[country].code != NULL;
}
bool iuid_is_registered_node(FunctionCallInfo fcinfo, const char *node)
{
	Registry *registry = get_registry(fcinfo);
	for (int i = 1; i < list_length(registry->nodes); i++) if (strcmp(((RegisteredNode*)list_nth(registry->nodes, i))->node, node) == 0) return true;
	return false;
}
