/*-------------------------------------------------------------------------
 *
 * registry.c
 *	  Keeps the registry in a cache in each session, and looks it up there.
 *
 * The tables are small, and a query needs them for every row (benchmark route).
 * So the cache reads all of them at once, and drops all of them when one
 * changes.  Within one process, a statement sees one registry from its first
 * look-up to its end: each place of a query that calls a function (call site)
 * has a pin on the registry that it saw, and uses it as long as the snapshot is
 * the same.  A parallel worker is a process of its own.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/xact.h"
#include "lib/ilist.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "function.h"
#include "registry.h"
#include "registry_load.h"
#include "registry_trigger.h"

/* How often the tables are read, at most, while they change. */
#define TRIES_MAX 3

/*
 * Tells the snapshots of one transaction apart.  When another transaction
 * ends, either xmax gets higher, or one transaction less is in progress below
 * xmax.  So snapshots with the same xmax and the same counts have the same
 * transactions in progress.
 */
typedef struct Moment
{
	TransactionId xmax; /* invalid: none */
	uint32 xcnt;
	int32 subxcnt;
	CommandId curcid;
} Moment;

/* A place of a query that calls a function; flinfo->fn_extra points to it. */
typedef struct CallSite
{
	dlist_node node;
	Moment moment;
	Registry *registry; /* as seen at that moment, pinned; NULL at first */
	MemoryContextCallback callback;
} CallSite;

static Registry *cache; /* pinned; NULL: the tables must be read */
static bool changed;	/* a table has changed since load() began to read */
static Oid tables[IUID_REGISTRY_TABLES];

/* All call sites; the one that was used last comes first. */
static dlist_head call_sites = DLIST_STATIC_INIT(call_sites);

/*
 * The registry that the last call has seen, and when.  A statement can make
 * and end a call site for each row; all of them see this registry.
 */
static Registry *latest; /* pinned, until the end of the transaction */
static Moment latest_moment;
static TimestampTz latest_statement;

static pg_noinline const Registry *find_registry(FmgrInfo *flinfo, Snapshot now);
static CallSite *make_call_site(FmgrInfo *flinfo);
static void end_call_site(void *arg);
static Registry *registry_at(Snapshot now);
static void load(Oid schema, Registry **pin);
static void move_pin(Registry **pin, Registry *registry);
static void register_callbacks(void);
static void forget_changed(Datum arg, Oid relid);
static void forget_since(SubTransactionId subxact);
static void end_transaction(XactEvent event, void *arg);
static void end_subtransaction(SubXactEvent event, SubTransactionId subxact,
							   SubTransactionId parent, void *arg);

static inline bool
is_moment(const Moment *moment, Snapshot snapshot)
{
	return moment->xmax == snapshot->xmax && moment->xcnt == snapshot->xcnt &&
		moment->subxcnt == snapshot->subxcnt &&
		moment->curcid == snapshot->curcid;
}

static Moment
get_moment(Snapshot snapshot)
{
	if (snapshot == NULL)
		return (Moment){ .xmax = InvalidTransactionId };
	return (Moment){
		.xmax = snapshot->xmax,
		.xcnt = snapshot->xcnt,
		.subxcnt = snapshot->subxcnt,
		.curcid = snapshot->curcid,
	};
}

/* The registry for a call: one for all calls of a statement and snapshot. */
static inline const Registry *
get_registry(FunctionCallInfo fcinfo)
{
	const CallSite *site = fcinfo->flinfo->fn_extra;
	Snapshot now = ActiveSnapshotSet() ? GetActiveSnapshot() : NULL;

	if (likely(site != NULL && now != NULL && is_moment(&site->moment, now)))
		return site->registry;
	return find_registry(fcinfo->flinfo, now);
}

static const Registry *
find_registry(FmgrInfo *flinfo, Snapshot now)
{
	CallSite *site = flinfo->fn_extra;
	Registry *registry;

	register_callbacks();
	if (site == NULL)
		site = make_call_site(flinfo);
	site->moment.xmax = InvalidTransactionId;

	registry = now == NULL ? NULL : registry_at(now);
	if (registry == NULL)
	{
		/*
		 * Learn of changes that other sessions have committed.  The server
		 * does that when a statement locks a table; this one may have none.
		 */
		AcceptInvalidationMessages();
		registry = cache;
	}
	if (registry != NULL)
		move_pin(&site->registry, registry);
	else
		load(iuid_schema_of(flinfo->fn_oid), &site->registry);

	site->moment = get_moment(now);
	dlist_move_head(&call_sites, &site->node);
	move_pin(&latest, site->registry);
	latest_moment = site->moment;
	latest_statement = GetCurrentStatementStartTimestamp();
	return site->registry;
}

static CallSite *
make_call_site(FmgrInfo *flinfo)
{
	CallSite *site = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(CallSite));

	site->callback.func = end_call_site;
	site->callback.arg = site;
	MemoryContextRegisterResetCallback(flinfo->fn_mcxt, &site->callback);
	dlist_push_head(&call_sites, &site->node);
	flinfo->fn_extra = site;
	return site;
}

static void
end_call_site(void *arg)
{
	CallSite *site = arg;

	dlist_delete(&site->node);
	move_pin(&site->registry, NULL);
}

/* The registry that an earlier call with this snapshot saw; NULL for none. */
static Registry *
registry_at(Snapshot now)
{
	dlist_iter i;

	/* The next statement may have the same snapshot, but must look anew. */
	if (latest != NULL && is_moment(&latest_moment, now) &&
		latest_statement == GetCurrentStatementStartTimestamp())
		return latest;

	dlist_foreach(i, &call_sites)
	{
		CallSite *site = dlist_container(CallSite, node, i.cur);

		if (is_moment(&site->moment, now))
			return site->registry;
	}
	return NULL;
}

/*
 * Reads the tables, and reads them again if they change meanwhile.  If they
 * change during the last try, too, this call sees what was read, which was true
 * at that moment; but it does not become the cache.
 */
static void
load(Oid schema, Registry **pin)
{
	Registry *registry;

	for (int tries = 1;; tries++)
	{
		changed = false;
		registry = iuid_load_registry(schema, tables);
		if (!changed || tries == TRIES_MAX)
			break;
		MemoryContextDelete(registry->context);
	}
	MemoryContextSetParent(registry->context, CacheMemoryContext);
	move_pin(pin, registry);
	if (!changed)
	{
		move_pin(&cache, registry);
		iuid_check_triggers(schema, tables);
	}
}

/* Moves a pin to another registry, or NULL; frees a registry without a pin. */
static void
move_pin(Registry **pin, Registry *registry)
{
	Registry *before = *pin;

	if (registry != NULL)
		registry->pins++;
	*pin = registry;
	if (before != NULL && --before->pins == 0)
		MemoryContextDelete(before->context);
}

static void
register_callbacks(void)
{
	static bool done;

	if (done)
		return;
	CacheRegisterRelcacheCallback(forget_changed, (Datum) 0);
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
	done = true;
}

static void
forget_changed(Datum arg pg_attribute_unused(), Oid relid)
{
	bool ours = !OidIsValid(relid);

	for (int i = 0; i < IUID_REGISTRY_TABLES; i++)
		ours = ours || relid == tables[i];
	if (ours)
	{
		changed = true;
		move_pin(&cache, NULL);
	}
}

/*
 * Forgets what was read since a subtransaction began that is rolled back.  It
 * may have rows that only this transaction could see, and whose triggers have
 * not run yet, so that the rollback would not invalidate the cache.
 */
static void
forget_since(SubTransactionId subxact)
{
	dlist_iter i;

	if (cache != NULL && cache->loaded_in >= subxact)
		move_pin(&cache, NULL);
	if (latest != NULL && latest->loaded_in >= subxact)
		move_pin(&latest, NULL);
	dlist_foreach(i, &call_sites)
	{
		CallSite *site = dlist_container(CallSite, node, i.cur);

		if (site->registry != NULL && site->registry->loaded_in >= subxact)
			site->moment.xmax = InvalidTransactionId;
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
			if (cache != NULL)
				cache->loaded_in = InvalidSubTransactionId;
			break;
		default:
			return;
	}
	move_pin(&latest, NULL);
	dlist_foreach(i, &call_sites)
	{
		CallSite *site = dlist_container(CallSite, node, i.cur);

		site->moment.xmax = InvalidTransactionId;
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
