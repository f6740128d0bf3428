/*-------------------------------------------------------------------------
 *
 * global_table.c
 *	  Makes a global table.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "countries.h"
#include "country_view.h"
#include "empty.h"
#include "execute.h"
#include "foreign.h"
#include "function.h"
#include "global_name.h"
#include "lock.h"
#include "name.h"
#include "owner.h"
#include "relation.h"

typedef struct Work
{
	Countries countries; /* of the global table */
	char *schema;		 /* of the global table */
	char *name;
	Oid local;
	bool drop[IUID_COUNTRIES]; /* the foreign table of the country */
	bool make[IUID_COUNTRIES]; /* a foreign table for the country */
} Work;

static Oid find_global(const Work *work);
static List *plan_work(void *arg);
static bool plan_foreign(Work *work);
static bool is_current(const Work *work, int country);
static void check_local(const Work *work);
static void create_parent(Work *work);
static void change_foreign(FunctionCallInfo fcinfo, const Work *work);
static void create_foreign(const Work *work, int country, const char *foreign);

/*
 * iuid_create_global_table(global, local, entity): makes a table with the
 * local table as its DEFAULT partition, and with a foreign table for each
 * country that is routed to another node.  If the table is there already, makes
 * its foreign tables as the routes say.
 */
PG_FUNCTION_INFO_V1(iuid_create_global_table);
Datum
iuid_create_global_table(PG_FUNCTION_ARGS)
{
	int entity =
		iuid_entity_of_table(fcinfo, 2,
							 "Give the name of the global table, the local table, and the number of the entity that is in them.");
	Work *work = palloc0(sizeof(Work));
	Countries *countries = &work->countries;
	SavedUser saved;
	char *local;

	work->local = PG_GETARG_OID(1);
	countries->entity = entity;
	countries->schema = iuid_schema_of(fcinfo->flinfo->fn_oid);
	iuid_check_owner(work->local);
	iuid_read_global_name(PG_GETARG_TEXT_PP(0), work->local, &work->schema,
						  &work->name);
	iuid_read_routes(fcinfo, countries);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	saved = iuid_become_owner(work->local);
	iuid_take_locks(work->local, plan_work, work);
	local = iuid_qualified_name(work->local);
	check_local(work);
	if (!OidIsValid(countries->parent))
	{
		create_parent(work);
		iuid_return_table(fcinfo, countries->parent);
	}
	change_foreign(fcinfo, work);
	iuid_check_name(work->local, local);
	iuid_check_name(countries->parent,
					quote_qualified_identifier(work->schema, work->name));
	iuid_restore_user(&saved);
	return (Datum) 0;
}

/*
 * Returns the global table of a name; InvalidOid if it is not made yet.  55000
 * if the table has another DEFAULT partition than the local table.
 */
static Oid
find_global(const Work *work)
{
	Oid table =
		get_relname_relid(work->name, get_namespace_oid(work->schema, false));
	Partitioned *parent;

	if (!OidIsValid(table))
		return InvalidOid;
	iuid_check_owner(table);
	parent =
		iuid_read_partitioned(table, KEY_ORDER_ORIGIN, work->countries.schema);
	if (parent->default_partition != work->local)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("%s is not the DEFAULT partition of %s",
						iuid_qualified_name(work->local),
						iuid_qualified_name(table)),
				 errdetail(
					 "A global table has one local table, as its DEFAULT partition."),
				 errhint(
					 "Give the local table that the global one was made with, or the name of a new global table.")));
	return table;
}

/*
 * Plans the foreign tables, and returns the locks for that.  CREATE FOREIGN
 * TABLE ... PARTITION OF locks the parent, and the DEFAULT partition with all
 * partitions below it.
 */
static List *
plan_work(void *arg)
{
	Work *work = arg;
	List *locks = NIL;
	Oid parent;

	iuid_check_owner(work->local);
	(void) iuid_read_partitioned(work->local, KEY_ORDER_ORIGIN,
								 work->countries.schema);
	work->countries.parent = parent = find_global(work);
	if (OidIsValid(parent))
		iuid_find_partitions(&work->countries);
	if (!plan_foreign(work) && OidIsValid(parent))
		return NIL;
	if (OidIsValid(parent))
	{
		locks = iuid_add_lock(locks, parent, AccessExclusiveLock);
		for (int c = 0; c < IUID_COUNTRIES; c++)
		{
			if (work->drop[c])
				locks = iuid_add_lock(locks, work->countries.country[c].partition,
									  AccessExclusiveLock);
		}
		locks = iuid_add_referred_locks(locks, parent, ShareRowExclusiveLock);
		locks = iuid_add_referring_locks(locks, parent, ShareRowExclusiveLock);
		locks = iuid_add_locks_above(locks, parent);
	}
	return iuid_add_lock_of_all(locks, work->local, AccessExclusiveLock);
}

/* Plans which foreign tables to drop and to make; false if none. */
static bool
plan_foreign(Work *work)
{
	bool any = false;

	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		const Country *country = &work->countries.country[c];
		bool is_foreign = country->has_own &&
			get_rel_relkind(country->partition) == RELKIND_FOREIGN_TABLE;

		work->drop[c] = is_foreign &&
			(country->place == PLACE_HERE ||
			 (country->place == PLACE_ELSEWHERE && !is_current(work, c)));
		work->make[c] = country->place == PLACE_ELSEWHERE &&
			(work->drop[c] || !OidIsValid(country->partition));
		if (work->make[c])
			iuid_require_server(country->node, country->server,
								psprintf("Country %d is routed to that node.", c));
		any = any || work->drop[c] || work->make[c];
	}
	return any;
}

/*
 * Whether a foreign table is on the server of its route, on the view that has
 * the local table's name now.
 */
static bool
is_current(const Work *work, int country)
{
	const Country *found = &work->countries.country[country];

	return iuid_stands_on(found->partition, found->server, work->local,
						  iuid_country_view_name(iuid_relation_name(work->local),
												 country, work->countries.entity));
}

/*
 * 55000 if the local table has a partition with rows of a country that is to
 * be a foreign table: the rows would be out of reach.
 */
static void
check_local(const Work *work)
{
	Countries local = work->countries;

	local.parent = work->local;
	iuid_find_partitions(&local);
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		Country *country = &local.country[c];

		if (!work->make[c] || !country->has_own ||
			iuid_is_empty(country->partition))
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("country %d is routed to node \"%s\", but this node has rows of it",
						c, country->node),
				 errdetail("The rows are in partition %s.",
						   iuid_qualified_name(country->partition)),
				 errhint(
					 "Copy the rows to that node and detach the partition, or change the route.")));
	}
}

/* Makes the global table, with the local table as its DEFAULT partition. */
static void
create_parent(Work *work)
{
	Countries *countries = &work->countries;
	const char *key =
		iuid_read_partitioned(work->local, KEY_ORDER_ORIGIN, countries->schema)->key;
	const char *global = quote_qualified_identifier(work->schema, work->name);

	iuid_execute("CREATE TABLE %s (LIKE %s INCLUDING COMMENTS INCLUDING CONSTRAINTS INCLUDING DEFAULTS INCLUDING GENERATED)"
				 " PARTITION BY RANGE (%s %s)",
				 global, iuid_qualified_name(work->local), quote_identifier(key),
				 quote_qualified_identifier(get_namespace_name(countries->schema),
											"iuid_origin_ops"));
	iuid_execute("ALTER TABLE %s ATTACH PARTITION %s DEFAULT", global,
				 iuid_qualified_name(work->local));
	countries->parent =
		get_relname_relid(work->name, get_namespace_oid(work->schema, false));
}

static void
change_foreign(FunctionCallInfo fcinfo, const Work *work)
{
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		char *foreign = iuid_shortened_name(work->name, psprintf("_c%d", c));

		if (work->drop[c])
			iuid_drop(work->countries.country[c].partition);
		if (!work->make[c])
			continue;
		create_foreign(work, c, foreign);
		iuid_return_table(fcinfo,
						  get_relname_relid(foreign,
											get_namespace_oid(work->schema,
															  false)));
	}
}

/*
 * The foreign table stands on the view that the node of the country has, which
 * has no TRUNCATE.
 */
static void
create_foreign(const Work *work, int country, const char *foreign)
{
	const Countries *countries = &work->countries;
	NewPartition range = iuid_range_of_country(country);

	iuid_execute("CREATE FOREIGN TABLE %s PARTITION OF %s FOR VALUES FROM ('%s') TO ('%s') SERVER %s"
				 " OPTIONS (schema_name %s, table_name %s, truncatable 'false')",
				 quote_qualified_identifier(work->schema, foreign),
				 iuid_qualified_name(countries->parent),
				 iuid_text_of_bound(&range.lower),
				 iuid_text_of_bound(&range.upper),
				 quote_identifier(countries->country[country].server),
				 quote_literal_cstr(iuid_relation_schema(work->local)),
				 quote_literal_cstr(
					 iuid_country_view_name(iuid_relation_name(work->local),
											country, countries->entity)));
}
