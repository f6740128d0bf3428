/*-------------------------------------------------------------------------
 *
 * check_table.c
 *	  Finds what is wrong with a global table, as seen here.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include <ctype.h>

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "check_nodes.h"
#include "check_table.h"
#include "countries.h"
#include "country_check.h"
#include "country_view.h"
#include "foreign.h"
#include "problem.h"
#include "registry/registry.h"
#include "relation.h"

typedef struct Check
{
	FunctionCallInfo fcinfo;
	Countries global; /* with the routes */
	Countries local;
	char *make_local;  /* what to enter to make partitions and views */
	char *make_global; /* what to enter to make foreign tables */
} Check;

static List *wanted_elsewhere(const Check *check);
static Oid local_of(const Partitioned *global);
static int find_entity(const Countries *global, const Countries *local);
static int entity_in_name(const char *name);
static bool is_divided(const Countries *local);
static void check_country(const Check *check, int c);
static void report_left(const Check *check, int c);
static void check_here(const Check *check, int c);
static void report_taken(const Check *check, int c, Oid taken);
static void check_elsewhere(const Check *check, int c);
static bool is_empty(Oid table);

List *
iuid_check_table(FunctionCallInfo fcinfo, Oid global, Oid schema, bool wait)
{
	Check *check = palloc0(sizeof(Check));
	List *wanted = NIL;
	char *local;

	check->fcinfo = fcinfo;
	check->global.parent = global;
	check->global.schema = check->local.schema = schema;
	iuid_find_partitions(&check->global);
	check->local.parent = local_of(check->global.table);
	iuid_lock_to_read(check->local.parent, wait);
	iuid_find_partitions(&check->local);
	check->global.entity = check->local.entity =
		find_entity(&check->global, &check->local);
	iuid_read_routes(fcinfo, &check->global);

	local = quote_literal_cstr(iuid_qualified_name(check->local.parent));
	check->make_local =
		psprintf("SELECT iuid_create_routed_partitions(%s, %d%s);", local,
				 check->local.entity, is_divided(&check->local) ? ", '...'" : "");
	check->make_global =
		psprintf("SELECT iuid_create_global_table(%s, %s, %d);",
				 quote_literal_cstr(iuid_qualified_name(global)), local,
				 check->global.entity);
	wanted = wanted_elsewhere(check);
	for (int c = 0; c < IUID_COUNTRIES; c++)
		check_country(check, c);
	UnlockRelationOid(check->local.parent, AccessShareLock);
	return wanted;
}

/* The local table, and the views on which the foreign tables stand. */
static List *
wanted_elsewhere(const Check *check)
{
	Oid local = check->local.parent;
	const char *schema = iuid_relation_schema(local);
	List *wanted = list_make1(iuid_want_table(check->global.parent, local));
	char *remedy =
		psprintf("SELECT iuid_create_routed_partitions(%s, %d); -- at that node",
				 quote_literal_cstr(iuid_qualified_name(local)),
				 check->global.entity);

	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		const Country *country = &check->global.country[c];
		const char *view;

		if (country->place != PLACE_ELSEWHERE || !OidIsValid(country->partition) ||
			get_rel_relkind(country->partition) != RELKIND_FOREIGN_TABLE)
			continue;
		view = iuid_foreign_option(country->partition, "table_name");
		if (view != NULL)
			wanted = lappend(wanted,
							 iuid_want_view(check->global.parent, country->node,
											c, schema, view, country->partition,
											remedy));
	}
	return wanted;
}

/* 42809 unless the table has a local table as its DEFAULT partition. */
static Oid
local_of(const Partitioned *global)
{
	if (!OidIsValid(global->default_partition))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("%s is not a global table",
						iuid_qualified_name(global->table)),
				 errdetail(
					 "A global table has the local table as its DEFAULT partition."),
				 errhint("Give a table that iuid_create_global_table() made.")));
	return global->default_partition;
}

/*
 * The entity that the tables were made for: it is in the names of the views on
 * which the foreign tables stand, and in those of the views here.  0 if there
 * is neither.
 */
static int
find_entity(const Countries *global, const Countries *local)
{
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		Oid foreign = global->country[c].partition;
		const char *view;

		if (!OidIsValid(foreign) ||
			get_rel_relkind(foreign) != RELKIND_FOREIGN_TABLE)
			continue;
		view = iuid_foreign_option(foreign, "table_name");
		if (view != NULL && entity_in_name(view) >= 0)
			return entity_in_name(view);
	}
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		Oid taken;

		for (int e = 0; local->country[c].has_own && e < IUID_ENTITIES; e++)
		{
			if (OidIsValid(
					iuid_look_for_country_view(local->parent, c, e, &taken)))
				return e;
		}
	}
	return 0;
}

/* The number after the last "_e" of a name; -1 if there is none. */
static int
entity_in_name(const char *name)
{
	const char *end = strrchr(name, '_');
	char *rest;
	unsigned long entity;

	if (end == NULL || end[1] != 'e' || !isdigit((unsigned char) end[2]))
		return -1;
	entity = strtoul(end + 2, &rest, 10);
	return *rest == '\0' && entity <= IUID_ENTITY_MAX ? (int) entity : -1;
}

/* Whether countries have time partitions, so that a new one needs a step. */
static bool
is_divided(const Countries *local)
{
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		if (local->country[c].has_own &&
			get_rel_relkind(local->country[c].partition) ==
				RELKIND_PARTITIONED_TABLE)
			return true;
	}
	return false;
}

static void
check_country(const Check *check, int c)
{
	const Country *country = &check->global.country[c];

	if (country->place == PLACE_HERE)
		check_here(check, c);
	else if (country->place == PLACE_ELSEWHERE)
		check_elsewhere(check, c);
	else if (country->has_own &&
			 get_rel_relkind(country->partition) == RELKIND_FOREIGN_TABLE)
		report_left(check, c);
	if (country->place == PLACE_NOWHERE && country->registered)
		iuid_report_problem(check->fcinfo, check->global.parent, "no route", c,
							NULL,
							psprintf("No route fits country %d and entity %d.",
									 c, check->global.entity),
							"INSERT INTO iuid_routes (country, node) VALUES (...); -- at the node that publishes the registry");
}

/* A country without a route, whose foreign table shows rows all the same. */
static void
report_left(const Check *check, int c)
{
	char *name = iuid_qualified_name(check->global.country[c].partition);

	iuid_report_problem(check->fcinfo, check->global.parent,
						"foreign table without a route", c, NULL,
						psprintf("No route fits the country, and its rows are looked for in %s.",
								 name),
						psprintf("DROP FOREIGN TABLE %s;", name));
}

/* A country of this node: its partition, with CHECK and view. */
static void
check_here(const Check *check, int c)
{
	const Country *country = &check->local.country[c];
	const char *node = check->global.country[c].node;
	FunctionCallInfo fcinfo = check->fcinfo;
	char *name;
	Oid view, taken;

	if (OidIsValid(check->global.country[c].partition))
		iuid_report_problem(fcinfo, check->global.parent,
							"foreign table of a country of this node", c, node,
							psprintf("The country is routed to this node, and its rows are looked for in %s.",
									 iuid_qualified_name(
										 check->global.country[c].partition)),
							check->make_global);
	if (!OidIsValid(country->partition))
	{
		iuid_report_problem(fcinfo, check->global.parent, "no partition", c,
							node, "The country is routed to this node.",
							check->make_local);
		return;
	}
	name = iuid_qualified_name(country->partition);
	if (!iuid_has_country_check(&check->local, country->partition, c))
	{
		NewPartition range = iuid_range_of_country(c);
		const char *key = quote_identifier(check->local.table->key);

		iuid_report_problem(fcinfo, check->global.parent, "no CHECK", c, node,
							psprintf("Partition %s has no CHECK of its country and its bounds.",
									 name),
							psprintf("ALTER TABLE %s ADD CHECK (iuid_country(%s) = %d AND %s ~>=~ '%s' AND %s ~<~ '%s');",
									 name, key, c, key,
									 iuid_text_of_bound(&range.lower), key,
									 iuid_text_of_bound(&range.upper)));
	}
	view = iuid_look_for_country_view(check->local.parent, c,
									  check->local.entity, &taken);
	if (OidIsValid(taken))
		report_taken(check, c, taken);
	else if (country->has_own && !OidIsValid(view))
		iuid_report_problem(fcinfo, check->global.parent, "no view", c, node,
							psprintf("Other nodes have no way to partition %s.",
									 name),
							check->make_local);
	else if (country->has_own &&
			 !iuid_is_current_view(view, country->partition, check->local.parent))
		iuid_report_problem(fcinfo, check->global.parent, "old view", c, node,
							psprintf("View %s does not show partition %s as it is now.",
									 iuid_qualified_name(view), name),
							check->make_local);
}

/*
 * Another relation has the name of a country's view, or another role the view.
 */
static void
report_taken(const Check *check, int c, Oid taken)
{
	Oid parent = check->local.parent;
	char *name = iuid_qualified_name(taken);
	char *owner = GetUserNameFromId(iuid_class_of(parent).relowner, false);

	iuid_report_problem(check->fcinfo, check->global.parent,
						"name of a view taken", c, check->global.country[c].node,
						psprintf("%s is no view of the owner of %s.", name,
								 iuid_qualified_name(parent)),
						get_rel_relkind(taken) == RELKIND_VIEW ?
							psprintf("ALTER VIEW %s OWNER TO %s;", name,
									 quote_identifier(owner)) :
							psprintf("ALTER TABLE %s RENAME TO ...;", name));
}

/* A country of another node: its foreign table, on the server of that node. */
static void
check_elsewhere(const Check *check, int c)
{
	const Country *country = &check->global.country[c];
	Oid local = check->local.country[c].partition;
	Oid server = country->server == NULL ?
		InvalidOid :
		get_foreign_server_oid(country->server, true);
	FunctionCallInfo fcinfo = check->fcinfo;

	if (check->local.country[c].has_own)
		iuid_report_problem(fcinfo, check->global.parent,
							"partition of a country of another node", c,
							country->node,
							psprintf("The country is routed to node \"%s\", and this node has partition %s.",
									 country->node, iuid_qualified_name(local)),
							is_empty(local) ?
								check->make_local :
								"Move the rows to that node, or detach the partition if they are there, or change the route.");
	if (!OidIsValid(country->partition))
		iuid_report_problem(fcinfo, check->global.parent, "no foreign table", c,
							country->node,
							psprintf("The country is routed to node \"%s\".",
									 country->node),
							check->make_global);
	else if (get_rel_relkind(country->partition) == RELKIND_FOREIGN_TABLE &&
			 OidIsValid(server) &&
			 GetForeignTable(country->partition)->serverid != server)
		iuid_report_problem(fcinfo, check->global.parent,
							"foreign table on another server", c, country->node,
							psprintf("%s is on server \"%s\", and the route says server \"%s\".",
									 iuid_qualified_name(country->partition),
									 GetForeignServer(
										 GetForeignTable(country->partition)->serverid)
										 ->servername,
									 country->server),
							check->make_global);
}

/* Whether no file of a table, and of what is below it, has a page. */
static bool
is_empty(Oid table)
{
	ListCell *lc;

	foreach (lc, find_all_inheritors(table, NoLock, NULL))
	{
		char kind = get_rel_relkind(lfirst_oid(lc));

		if (kind != RELKIND_PARTITIONED_TABLE &&
			(kind != RELKIND_RELATION || iuid_may_have_rows(lfirst_oid(lc))))
			return false;
	}
	return true;
}
