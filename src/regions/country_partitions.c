/*-------------------------------------------------------------------------
 *
 * country_partitions.c
 *	  Makes the partitions of the countries that are routed to this node.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_class.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "countries.h"
#include "country_check.h"
#include "country_view.h"
#include "datum.h"
#include "execute.h"
#include "function.h"
#include "name.h"
#include "owner.h"
#include "partitions/default_rows.h"
#include "partitions/lock.h"
#include "partitions/maintenance.h"
#include "relation.h"
#include "settings.h"
#include "view.h"

/*
 * The tables of a country with a step: its partition, and below that the two
 * open-ended ones, one for the present step, and those ahead.
 */
#define TABLES_OF_COUNTRY (3 + 1 + IUID_AHEAD_DEFAULT)

/* What a call is to do for a table. */
typedef struct Work
{
	Countries countries;
	int make_limit; /* how many countries one call may make */
	int drop_limit; /* how many tables one call may drop */
	bool has_step;
	Step step;
	bool time_checks; /* its partitions of a step get CHECKs of their times */
	bool unfinished;  /* a limit leaves countries for another call */
	NewPartition missing[IUID_COUNTRIES];
	int number[IUID_COUNTRIES]; /* their countries */
	int count;
	List *empty; /* partitions that go: countries routed elsewhere, as ints */
	List *later; /* those that another call drops */
} Work;

static List *plan_work(void *arg);
static void plan_missing(Work *work);
static bool is_owners(const Work *work, int c);
static void plan_drop(Work *work, int c, int *dropped);
static List *add_locks_of_empty(List *locks, const Work *work);
static List *add_locks_of_views(List *locks, const Work *work);
static void ask_empty(Work *work);
static void drop_empty(const Work *work);
static void create_country(Work *work, int n);
static void keep_views(const Work *work);
static bool is_unrouted(const Country *country);
static void warn(const Work *work);

/*
 * iuid_create_country_partitions(parent, entity, step, time_checks): makes the
 * partitions and views that are missing, for the countries whose rows of an
 * entity are routed to this node, and drops the empty partitions of other
 * countries.
 */
PG_FUNCTION_INFO_V1(iuid_create_country_partitions);
Datum
iuid_create_country_partitions(PG_FUNCTION_ARGS)
{
	int entity =
		iuid_entity_of_table(fcinfo, 1,
							 "Give the table in order by origin, and the number of the entity that is in it.");
	Oid parent = PG_GETARG_OID(0);
	Work *work = palloc0(sizeof(Work));
	Countries *countries = &work->countries;
	SavedUser saved;
	char *name;

	countries->parent = parent;
	countries->schema = iuid_schema_of(fcinfo->flinfo->fn_oid);
	countries->entity = entity;
	work->has_step = !PG_ARGISNULL(2);
	if (work->has_step)
		work->step = iuid_step_of_interval(PG_GETARG_INTERVAL_P(2));
	work->time_checks = iuid_bool_arg(fcinfo, 3, "time_checks");
	if (work->time_checks && !work->has_step)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("time checks are for time partitions, and there is no step"),
				 errdetail(
					 "Without a step the partition of a country has no time partitions."),
				 errhint("Give a step, or false for time_checks.")));
	iuid_check_owner(parent);
	iuid_read_routes(fcinfo, countries);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	saved = iuid_become_owner(parent);
	iuid_take_locks(parent, plan_work, work);
	name = iuid_qualified_name(parent);
	ask_empty(work);
	drop_empty(work);
	for (int i = 0; i < work->count; i++)
		create_country(work, i);
	iuid_attach(countries->table, work->missing, work->count);
	keep_views(work);
	iuid_check_name(parent, name);
	for (int i = 0; i < work->count; i++)
		iuid_return_table(fcinfo, work->missing[i].table);
	iuid_restore_user(&saved);

	warn(work);
	return (Datum) 0;
}

static List *
plan_work(void *arg)
{
	Work *work = arg;
	List *locks = NIL;

	iuid_check_owner(work->countries.parent);
	iuid_find_partitions(&work->countries);
	work->make_limit = iuid_tables_per_call(work->countries.parent, false);
	work->drop_limit = iuid_tables_per_call(work->countries.parent, true);
	if (work->has_step)
		work->make_limit = Max(work->make_limit / TABLES_OF_COUNTRY, 1);
	plan_missing(work);
	locks = add_locks_of_empty(locks, work);
	if (work->count > 0)
		locks = iuid_add_locks_of_attach(locks, work->countries.table,
										 work->missing, work->count);
	return add_locks_of_views(locks, work);
}

static void
plan_missing(Work *work)
{
	int dropped = 0;

	work->count = 0;
	work->unfinished = false;
	work->empty = work->later = NIL;
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		const Country *country = &work->countries.country[c];

		if (country->place == PLACE_ELSEWHERE && country->has_own &&
			is_owners(work, c) && iuid_is_empty(country->partition))
			plan_drop(work, c, &dropped);
		if (country->place != PLACE_HERE || OidIsValid(country->partition))
			continue;
		if (work->count == work->make_limit)
		{
			work->unfinished = true;
			continue;
		}
		work->number[work->count] = c;
		work->missing[work->count++] = iuid_range_of_country(c);
	}
}

/* Whether the partition of a country belongs to the owner of the table. */
static bool
is_owners(const Work *work, int c)
{
	const Countries *countries = &work->countries;

	return iuid_class_of(countries->country[c].partition).relowner ==
		iuid_class_of(countries->parent).relowner;
}

/* Plans to drop a partition, by this call if the lock table has room for it. */
static void
plan_drop(Work *work, int c, int *dropped)
{
	*dropped +=
		list_length(iuid_tables_below(work->countries.country[c].partition));
	if (*dropped <= work->drop_limit || work->empty == NIL)
		work->empty = lappend_int(work->empty, c);
	else
	{
		work->later = lappend_int(work->later, c);
		work->unfinished = true;
	}
}

/* DETACH and DROP lock all tables that foreign keys join to the parent. */
static List *
add_locks_of_empty(List *locks, const Work *work)
{
	Oid parent = work->countries.parent;
	Oid rest = work->countries.table->default_partition;
	ListCell *lc;

	if (work->empty == NIL)
		return locks;
	locks = iuid_add_lock(locks, parent, AccessExclusiveLock);
	foreach (lc, work->empty)
		locks =
			iuid_add_locks_of_drop(locks,
								   work->countries.country[lfirst_int(lc)].partition);
	if (OidIsValid(rest))
		locks = iuid_add_lock(locks, rest, AccessExclusiveLock);
	locks = iuid_add_referred_locks(locks, parent, AccessExclusiveLock);
	locks = iuid_add_referring_locks(locks, parent, AccessExclusiveLock);
	return iuid_add_locks_above(locks, parent);
}

/*
 * The view of a country that is to go, or to be made anew; InvalidOid for none.
 * A country that is routed elsewhere keeps its view as long as it has a
 * partition with rows: other nodes may still read there.
 */
static Oid
changing_view(const Work *work, int c)
{
	const Countries *countries = &work->countries;
	const Country *country = &countries->country[c];
	Oid taken, view;

	if (country->place == PLACE_NOWHERE)
		return InvalidOid;
	view = iuid_look_for_country_view(countries->parent, c, countries->entity,
									  &taken);
	if (!OidIsValid(view))
		return InvalidOid;
	if (country->place == PLACE_ELSEWHERE)
		return country->has_own && !list_member_int(work->empty, c) ? InvalidOid :
																	  view;
	return country->has_own &&
			iuid_is_current_view(view, country->partition, countries->parent) ?
		InvalidOid :
		view;
}

/* Whether a partition of this node has no view, and other nodes no way to it. */
static bool
lacks_view(const Work *work, int c)
{
	const Countries *countries = &work->countries;
	const Country *country = &countries->country[c];

	return country->place == PLACE_HERE && country->has_own &&
		!OidIsValid(
			   iuid_find_country_view(countries->parent, c, countries->entity));
}

static List *
add_locks_of_views(List *locks, const Work *work)
{
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		const Country *country = &work->countries.country[c];
		Oid view = changing_view(work, c);

		/* Two calls that make a view come one after the other. */
		if (lacks_view(work, c))
			locks = iuid_add_lock(locks, work->countries.parent,
								  ShareUpdateExclusiveLock);
		if (!OidIsValid(view))
			continue;
		locks = iuid_add_lock(locks, view, AccessExclusiveLock);
		if (country->place == PLACE_HERE && OidIsValid(country->partition))
			locks = iuid_add_lock(locks, country->partition, AccessShareLock);
	}
	return locks;
}

/*
 * Leaves only the partitions that a query, too, finds empty.  A table that
 * Citus distributes has an empty file here, and its rows on other servers.
 */
static void
ask_empty(Work *work)
{
	List *empty = NIL;
	ListCell *lc;

	foreach (lc, work->empty)
	{
		Oid partition = work->countries.country[lfirst_int(lc)].partition;
		char *query =
			psprintf("SELECT (SELECT 1::pg_catalog.int8 FROM %s LIMIT 1)",
					 iuid_qualified_name(partition));

		if (iuid_query_int64(query, 0) == 0)
			empty = lappend_int(empty, lfirst_int(lc));
	}
	work->empty = empty;
}

/* Drops the views of the countries routed elsewhere, then the partitions. */
static void
drop_empty(const Work *work)
{
	const Countries *countries = &work->countries;
	ListCell *lc;

	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		Oid view = changing_view(work, c);

		if (OidIsValid(view) && countries->country[c].place == PLACE_ELSEWHERE)
			iuid_drop(view);
	}
	foreach (lc, work->empty)
	{
		Oid partition = countries->country[lfirst_int(lc)].partition;
		char *name = iuid_qualified_name(partition);

		iuid_detach(countries->parent, partition);
		iuid_drop(partition);
		ereport(NOTICE,
				(errmsg("dropped partition %s, which had no rows", name),
				 errdetail("Country %d is routed to node \"%s\".", lfirst_int(lc),
						   countries->country[lfirst_int(lc)].node)));
	}
}

static void
create_country(Work *work, int n)
{
	const Countries *countries = &work->countries;
	NewPartition *partition = &work->missing[n];
	char *suffix = psprintf("_c%d", work->number[n]);
	char *rest = "";

	if (work->has_step)
		rest = psprintf(" PARTITION BY RANGE (%s %s)",
						quote_identifier(countries->table->key),
						quote_qualified_identifier(get_namespace_name(
													   countries->schema),
												   "iuid_ops"));
	partition->table =
		iuid_create_like(countries->parent,
						 iuid_shortened_name(iuid_relation_name(countries->parent),
											 suffix),
						 rest);
	iuid_add_country_check(countries, partition->table, work->number[n]);
	if (work->has_step)
		iuid_cover_present(partition->table, countries->schema, &work->step,
						   work->time_checks);
}

/* Makes the views of the countries here, and brings them up to date. */
static void
keep_views(const Work *work)
{
	Countries now = work->countries;

	iuid_find_partitions(&now);
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		const Country *country = &now.country[c];
		Oid view;

		if (country->place != PLACE_HERE || !country->has_own)
			continue;
		view = iuid_find_country_view(now.parent, c, now.entity);
		if (!OidIsValid(view) ||
			!iuid_is_current_view(view, country->partition, now.parent))
			iuid_make_country_view(country->partition, now.parent, c, now.entity);
	}
}

static bool
is_unrouted(const Country *country)
{
	return country->registered && country->node == NULL;
}

/* Says which countries are not as their routes say. */
static void
warn(const Work *work)
{
	const Countries *countries = &work->countries;
	char *table = iuid_qualified_name(countries->parent);
	StringInfoData unrouted;
	int here = 0;

	initStringInfo(&unrouted);
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		const Country *country = &countries->country[c];

		here += country->place == PLACE_HERE;
		/* Of a run of numbers, the first and the last one are named. */
		if (is_unrouted(country) && (c == 0 || !is_unrouted(country - 1)))
			appendStringInfo(&unrouted, "%s%d", unrouted.len > 0 ? ", " : "", c);
		else if (is_unrouted(country) &&
				 (c == IUID_COUNTRY_MAX || !is_unrouted(country + 1)))
			appendStringInfo(&unrouted, "-%d", c);
		if (country->place == PLACE_ELSEWHERE && country->has_own &&
			!list_member_int(work->empty, c) && !list_member_int(work->later, c))
			ereport(WARNING,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 is_owners(work, c) ?
						 errmsg("partition %s stays: it has rows",
								iuid_qualified_name(country->partition)) :
						 errmsg("partition %s stays: it belongs to another role",
								iuid_qualified_name(country->partition)),
					 errdetail("Country %d is routed to node \"%s\".", c,
							   country->node),
					 errhint(
						 "Move the rows to that node, or change the route of the country.")));
	}
	if (work->unfinished)
		ereport(WARNING,
				(errmsg("not all partitions of %s could be made or dropped in one call",
						table),
				 errdetail("Partitions made: %d.  Partitions dropped: %d.  More would need too many locks.",
						   work->count, list_length(work->empty)),
				 errhint(
					 "Call it again, in another transaction: it goes on from there.")));
	if (unrouted.len > 0)
		ereport(WARNING,
				(errmsg("countries without a route: %s", unrouted.data),
				 errdetail("They are registered, but no route fits them and entity %d, so no node has their rows.",
						   countries->entity),
				 errhint("Insert their routes into iuid_routes.")));
	else if (here == 0)
		ereport(WARNING,
				(errmsg("no country is routed to node \"%s\"", iuid_setting_node),
				 errdetail("So table %s gets no partition for entity %d.",
						   table, countries->entity),
				 errhint(
					 "Insert the countries into iuid_countries, and their routes into iuid_routes.")));
}
