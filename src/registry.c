/*-------------------------------------------------------------------------
 *
 * registry.c
 *	  Look-ups in the registry tables, from a cache in each backend.
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
#include "catalog/namespace.h"
#include "commands/trigger.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "datum.h"
#include "registry.h"
#include "settings.h"

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
static bool has_origin(const Iuid *id);
static const RegisteredNode *get_node(Registry *registry, int country,
									  int entity);
static Datum text_or_null(FunctionCallInfo fcinfo, const char *value);

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
	Registry *registry = cache;
	MemoryContext caller;

	if (registry != NULL)
		return registry;

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

/* What is committed now, or changed by this transaction: not by a snapshot of old. */
static void
read_table(Registry *registry, int table)
{
	Relation relation = table_open(table_oids[table], AccessShareLock);
	TupleTableSlot *slot = table_slot_create(relation, NULL);
	Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
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

/* As the extractors have it: not Nil, not Max, not of a reserved layout. */
static bool
has_origin(const Iuid *id)
{
	return !iuid_is_end(id) && iuid_get_layout(id) <= IUID_LAYOUT_NAME;
}

static const RegisteredNode *
get_node(Registry *registry, int country, int entity)
{
	return list_nth(registry->nodes, registry->node_of[country][entity]);
}

static Datum
text_or_null(FunctionCallInfo fcinfo, const char *value)
{
	if (value == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(value));
}

/* iuid_node(iuid): the node that the routes give; NULL for none. */
PG_FUNCTION_INFO_V1(iuid_node);
Datum
iuid_node(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);

	if (!has_origin(id))
		PG_RETURN_NULL();
	return text_or_null(fcinfo,
						get_node(get_registry(fcinfo), iuid_get_country(id),
								 iuid_get_entity(id))
							->node);
}

/* iuid_node(country, entity): the same for a country and entity, 0 to 255. */
PG_FUNCTION_INFO_V1(iuid_node_of);
Datum
iuid_node_of(PG_FUNCTION_ARGS)
{
	int country = iuid_country_arg(fcinfo, 0, IUID_COUNTRY_MAX);
	int entity = iuid_entity_arg(fcinfo, 1, IUID_ENTITY_MAX);

	return text_or_null(fcinfo,
						get_node(get_registry(fcinfo), country, entity)->node);
}

/* iuid_is_local(iuid): whether its node is iuid.node; NULL if either is unknown. */
PG_FUNCTION_INFO_V1(iuid_is_local);
Datum
iuid_is_local(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);
	const RegisteredNode *node;

	if (!has_origin(id) || iuid_setting_node[0] == '\0')
		PG_RETURN_NULL();
	node = get_node(get_registry(fcinfo), iuid_get_country(id),
					iuid_get_entity(id));
	if (node->node == NULL)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(strcmp(node->node, iuid_setting_node) == 0);
}

/* iuid_country_code(iuid): the registered code of its country; NULL for none. */
PG_FUNCTION_INFO_V1(iuid_country_code);
Datum
iuid_country_code(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);

	if (!has_origin(id))
		PG_RETURN_NULL();
	return text_or_null(fcinfo,
						get_registry(fcinfo)->countries[iuid_get_country(id)].code);
}

/* iuid_entity_key(iuid): the registered key of its entity; NULL for none. */
PG_FUNCTION_INFO_V1(iuid_entity_key);
Datum
iuid_entity_key(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);

	if (!has_origin(id))
		PG_RETURN_NULL();
	return text_or_null(fcinfo,
						get_registry(fcinfo)->entities[iuid_get_entity(id)].key);
}

/* iuid_inspect(iuid): everything that is known about it. */
PG_FUNCTION_INFO_V1(iuid_inspect);
Datum
iuid_inspect(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);
	Datum values[10];
	bool nulls[10];
	TupleDesc tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	memset(nulls, true, sizeof(nulls));
	if (has_origin(id))
	{
		Registry *registry = get_registry(fcinfo);
		const RegisteredCountry *country =
			&registry->countries[iuid_get_country(id)];
		const RegisteredEntity *entity = &registry->entities[iuid_get_entity(id)];
		const RegisteredNode *node =
			get_node(registry, iuid_get_country(id), iuid_get_entity(id));
		const char *const texts[10] = {
			[2] = country->code, [3] = country->name, [4] = entity->service,
			[6] = entity->key,	 [7] = node->node,	  [8] = node->region,
		};

		for (int i = 0; i < 10; i++)
		{
			nulls[i] = texts[i] == NULL;
			if (!nulls[i])
				values[i] = CStringGetTextDatum(texts[i]);
		}
		values[1] = Int32GetDatum(iuid_get_country(id));
		values[5] = Int32GetDatum(iuid_get_entity(id));
		nulls[1] = nulls[5] = false;
	}
	if (!iuid_is_end(id))
	{
		values[0] = TimestampTzGetDatum(iuid_ms_to_timestamp(iuid_get_ms(id)));
		nulls[0] = iuid_get_layout(id) != IUID_LAYOUT_TIME;
		values[9] = Int32GetDatum(iuid_get_layout(id));
		nulls[9] = false;
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(tupdesc, values, nulls)));
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
