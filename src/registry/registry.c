/*-------------------------------------------------------------------------
 *
 * registry.c
 *	  Keeps the registry in a cache in each session, and looks it up there.
 *
 * The tables are small, and a query needs them for every row (benchmark route).
 * So the cache reads all of them at once, and reads them again when one has
 * changed.  Within one process, a statement sees one registry from its first
 * look-up to its end.  For that each place of a query that calls a function
 * pins the registry that it saw, and keeps when that was.  A parallel worker
 * is a process of its own.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/xact.h"
#include "lib/ilist.h"
#include "tcop/pquery.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"

#include "function.h"
#include "registry.h"
#include "registry_load.h"
#include "registry_trigger.h"

/* How often the tables are read, at most, while they change. */
#define TRIES_MAX 3

/*
 * Tells the statements of one transaction apart, by their snapshots.  When
 * another transaction ends, either xmax gets higher, or one transaction less is
 * in progress below xmax.  So snapshots with the same xmax and the same counts
 * have the same transactions in progress.  From REPEATABLE READ on all
 * statements have them, and a statement is told by the start of its portal; a
 * cursor has a portal of its own.
 */
typedef struct Moment
{
	TimestampTz portal;
	TransactionId xmax;
	uint32 xcnt;
	int32 subxcnt;
	CommandId curcid; /* InvalidCommandId: none */
} Moment;

/* Keeps the registry that was seen at a moment. */
typedef struct Pin
{
	dlist_node node;
	Registry *registry; /* NULL: none */
	Moment moment;
	MemoryContextCallback callback;
} Pin;

/*
 * All pins: the cache, and one for each place of a query that calls a function,
 * to which flinfo->fn_extra points.  The cache has the registry that was read
 * last, and the moment that looked at it last: places that come and go with
 * each row find it there.
 */
static dlist_head pins = DLIST_STATIC_INIT(pins);
static Pin cache;

static bool changed; /* a table has changed since load() began to read */
static Oid tables[IUID_REGISTRY_TABLES];

static pg_noinline const Registry *find_registry(FmgrInfo *flinfo,
												 const Moment *now);
static Pin *make_pin(FmgrInfo *flinfo);
static void end_pin(void *arg);
static void move_pin(Pin *pin, Registry *registry);
static Registry *registry_at(const Moment *moment);
static void load(Oid schema);
static void start_cache(void);
static void note_change(Datum arg, Oid relid);
static void forget_since(SubTransactionId subxact);
static void end_transaction(XactEvent event, void *arg);
static void end_subtransaction(SubXactEvent event, SubTransactionId subxact,
							   SubTransactionId parent, void *arg);

static inline Moment
get_moment(void)
{
	Moment now = { 0 };

	if (ActiveSnapshotSet())
	{
		Snapshot snapshot = GetActiveSnapshot();

		now.xmax = snapshot->xmax;
		now.xcnt = snapshot->xcnt;
		now.subxcnt = snapshot->subxcnt;
		now.curcid = snapshot->curcid;
	}
	if (IsolationUsesXactSnapshot() && ActivePortal != NULL)
		now.portal = ActivePortal->creation_time;
	return now;
}

static inline bool
has_seen(const Pin *pin, const Moment *moment)
{
	const Moment *seen = &pin->moment;

	return pin->registry != NULL && seen->curcid == moment->curcid &&
		seen->xmax == moment->xmax && seen->xcnt == moment->xcnt &&
		seen->subxcnt == moment->subxcnt && seen->portal == moment->portal;
}

/* The registry for a call: one for all calls of a statement. */
static inline const Registry *
get_registry(FunctionCallInfo fcinfo)
{
	const Pin *pin = fcinfo->flinfo->fn_extra;
	Moment now = get_moment();

	if (likely(pin != NULL && has_seen(pin, &now)))
		return pin->registry;
	return find_registry(fcinfo->flinfo, &now);
}

static const Registry *
find_registry(FmgrInfo *flinfo, const Moment *now)
{
	Pin *pin;
	Registry *registry;

	start_cache();
	pin = flinfo->fn_extra == NULL ? make_pin(flinfo) : flinfo->fn_extra;
	registry = registry_at(now);
	if (registry == NULL)
	{
		/*
		 * Learn of changes that other sessions have committed.  The server
		 * does that when a statement locks a table; this one may have none.
		 */
		AcceptInvalidationMessages();
		if (cache.registry == NULL || changed)
			load(iuid_schema_of(flinfo->fn_oid));
		cache.moment = *now;
		registry = cache.registry;
	}
	move_pin(pin, registry);
	pin->moment = *now;
	return registry;
}

static Pin *
make_pin(FmgrInfo *flinfo)
{
	Pin *pin = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(Pin));

	pin->callback.func = end_pin;
	pin->callback.arg = pin;
	MemoryContextRegisterResetCallback(flinfo->fn_mcxt, &pin->callback);
	dlist_push_head(&pins, &pin->node);
	flinfo->fn_extra = pin;
	return pin;
}

static void
end_pin(void *arg)
{
	Pin *pin = arg;

	dlist_delete(&pin->node);
	move_pin(pin, NULL);
}

/* Moves a pin to another registry, or NULL; frees a registry without a pin. */
static void
move_pin(Pin *pin, Registry *registry)
{
	Registry *before = pin->registry;

	if (registry != NULL)
		registry->pins++;
	pin->registry = registry;
	if (before != NULL && --before->pins == 0)
		MemoryContextDelete(before->context);
}

/* The registry that was seen at a moment; NULL for none. */
static Registry *
registry_at(const Moment *moment)
{
	dlist_iter i;

	dlist_foreach(i, &pins)
	{
		Pin *pin = dlist_container(Pin, node, i.cur);

		if (has_seen(pin, moment))
			return pin->registry;
	}
	return NULL;
}

/*
 * Reads the tables into the cache, and reads them again if they change
 * meanwhile.  If they change during the last try, too, this statement sees what
 * was read, which was true at that moment, and the next statement reads anew.
 */
static void
load(Oid schema)
{
	Registry *registry;

	move_pin(&cache, NULL);
	for (int tries = 1;; tries++)
	{
		changed = false;
		registry = iuid_load_registry(schema, tables);
		if (!changed || tries == TRIES_MAX)
			break;
		MemoryContextDelete(registry->context);
	}
	MemoryContextSetParent(registry->context, CacheMemoryContext);
	move_pin(&cache, registry);
	iuid_check_triggers(tables);
}

static void
start_cache(void)
{
	static bool done;

	if (done)
		return;
	dlist_push_head(&pins, &cache.node);
	CacheRegisterRelcacheCallback(note_change, (Datum) 0);
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
	done = true;
}

static void
note_change(Datum arg pg_attribute_unused(), Oid relid)
{
	changed = changed || !OidIsValid(relid);
	for (int i = 0; i < IUID_REGISTRY_TABLES; i++)
		changed = changed || relid == tables[i];
}

/*
 * Forgets what was read since a subtransaction began that is rolled back.  It
 * may have rows that only this transaction could see, and whose triggers have
 * not run yet, so that the rollback would not tell of a change.
 */
static void
forget_since(SubTransactionId subxact)
{
	dlist_iter i;

	dlist_foreach(i, &pins)
	{
		Pin *pin = dlist_container(Pin, node, i.cur);

		if (pin->registry != NULL && pin->registry->loaded_in >= subxact)
			move_pin(pin, NULL);
	}
}

/* A moment is one of a transaction, so all moments end with the transaction. */
static void
end_transaction(XactEvent event, void *arg pg_attribute_unused())
{
	dlist_iter i;

	switch (event)
	{
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PARALLEL_ABORT:
		case XACT_EVENT_PREPARE:
			forget_since(TopSubTransactionId);
			break;
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PARALLEL_COMMIT:
			if (cache.registry != NULL)
				cache.registry->loaded_in = InvalidSubTransactionId;
			break;
		default:
			return;
	}
	dlist_foreach(i, &pins)
	{
		Pin *pin = dlist_container(Pin, node, i.cur);

		pin->moment.curcid = InvalidCommandId;
	}
}

/* A registry cannot have rows of a subtransaction that began after the read. */
static void
end_subtransaction(SubXactEvent event, SubTransactionId subxact,
				   SubTransactionId parent pg_attribute_unused(),
				   void *arg pg_attribute_unused())
{
	if (event == SUBXACT_EVENT_ABORT_SUB)
		forget_since(subxact);
}

RegistryLookup
iuid_look_up(FunctionCallInfo fcinfo, int country, int entity)
{
	static const RegistryNode none;
	const Registry *registry = get_registry(fcinfo);
	const RegistryCountry *c = &registry->countries[country];
	const RegistryEntity *e = &registry->entities[entity];
	const RegistryNode *n = iuid_find_route(registry, country, entity);

	if (n == NULL)
		n = &none;
	return (RegistryLookup){
		.code = c->code,
		.name = c->name,
		.service = e->service,
		.key = e->key,
		.node = n->node,
		.region = n->region,
		.server = n->server,
	};
}

const char *
iuid_routed_node(FunctionCallInfo fcinfo, int country, int entity)
{
	const RegistryNode *n =
		iuid_find_route(get_registry(fcinfo), country, entity);

	return n == NULL ? NULL : n->node;
}

bool
iuid_is_registered_country(FunctionCallInfo fcinfo, int country)
{
	const Registry *registry = get_registry(fcinfo);

	return registry->countries[country].code != NULL ||
		registry->routes[country] != NULL;
}

bool
iuid_is_registered_node(FunctionCallInfo fcinfo, const char *node)
{
	const RegistryNode *found = iuid_find_node(get_registry(fcinfo), node);

	return found != NULL && found->has_row;
}

List *
iuid_registered_nodes(FunctionCallInfo fcinfo)
{
	List *nodes = iuid_list_nodes(get_registry(fcinfo));
	ListCell *lc;

	foreach (lc, nodes)
	{
		const RegistryNode *node = lfirst(lc);
		NodeServer *copy = palloc(sizeof(NodeServer));

		copy->node = pstrdup(node->node);
		copy->server = node->server == NULL ? NULL : pstrdup(node->server);
		lfirst(lc) = copy;
	}
	return nodes;
}

int
iuid_find_country(FunctionCallInfo fcinfo, const char *code)
{
	return iuid_find_number(get_registry(fcinfo)->codes, code);
}

int
iuid_find_entity(FunctionCallInfo fcinfo, const char *key)
{
	return iuid_find_number(get_registry(fcinfo)->keys, key);
}
