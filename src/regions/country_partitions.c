/*-------------------------------------------------------------------------
 *
 * country_partitions.c
 *	  Keeps the partitions and views of the countries that are routed here.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "countries.h"
#include "country_view.h"
#include "datum.h"
#include "empty.h"
#include "execute.h"
#include "function.h"
#include "lock.h"
#include "name.h"
#include "owner.h"
#include "relation.h"
#include "settings.h"
#include "view.h"

/* What a call is to do for a table. */
typedef struct Work
{
	Countries countries;
	int here[IUID_COUNTRIES]; /* the countries that are routed to this node */
	int count;
	int missing; /* how many of them have no partition */
	List *empty; /* partitions that go: countries routed elsewhere, as ints */
} Work;

static List *plan_work(void *arg);
static void plan_partitions(Work *work);
static bool is_owners(const Work *work, int c);
static List *add_locks_of_missing(List *locks, const Work *work);
static List *add_locks_of_empty(List *locks, const Work *work);
static List *add_locks_of_views(List *locks, const Work *work);
static void ask_empty(Work *work);
static void drop_empty(const Work *work);
static void create_countries(FunctionCallInfo fcinfo, const Work *work);
static void check_function(Oid schema);
static void keep_views(const Work *work);
static bool is_unrouted(const Country *country);
static void warn(const Work *work);

/*
 * iuid_create_routed_partitions(parent, entity, step, time_checks): makes the
 * partitions and views that are missing, for the countries whose rows of an
 * entity are routed to this node, and drops the empty partitions of other
 * countries.
 */
PG_FUNCTION_INFO_V1(iuid_create_routed_partitions);
Datum
iuid_create_routed_partitions(PG_FUNCTION_ARGS)
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
	iuid_check_owner(parent);
	iuid_read_routes(fcinfo, countries);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	saved = iuid_become_owner(parent);
	iuid_take_locks(parent, plan_work, work);
	name = iuid_qualified_name(parent);
	ask_empty(work);
	drop_empty(work);
	iuid_restore_user(&saved);
	if (work->count > 0)
		create_countries(fcinfo, work);
	saved = iuid_become_owner(parent);
	keep_views(work);
	iuid_check_name(parent, name);
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
	plan_partitions(work);
	locks = add_locks_of_empty(locks, work);
	if (work->missing > 0)
		locks = add_locks_of_missing(locks, work);
	return add_locks_of_views(locks, work);
}

static void
plan_partitions(Work *work)
{
	work->count = work->missing = 0;
	work->empty = NIL;
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		const Country *country = &work->countries.country[c];

		if (country->place == PLACE_ELSEWHERE && country->has_own &&
			is_owners(work, c) && iuid_is_empty(country->partition))
			work->empty = lappend_int(work->empty, c);
		if (country->place != PLACE_HERE)
			continue;
		work->here[work->count++] = c;
		work->missing += !OidIsValid(country->partition);
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

/*
 * The locks that iuid_create_country_partitions() takes.  They are taken with
 * those of what is dropped and of the views, all together or none.
 */
static List *
add_locks_of_missing(List *locks, const Work *work)
{
	Oid parent = work->countries.parent;
	Oid rest = work->countries.table->default_partition;
	LOCKMODE mode = ShareUpdateExclusiveLock;

	if (OidIsValid(rest))
	{
		mode = iuid_may_have_rows(rest) ? AccessExclusiveLock :
										  ShareRowExclusiveLock;
		locks = iuid_add_lock_of_all(locks, rest, AccessExclusiveLock);
	}
	locks = iuid_add_lock(locks, parent, mode);
	locks = iuid_add_referred_locks(locks, parent, ShareRowExclusiveLock);
	locks = iuid_add_referring_locks(locks, parent, ShareRowExclusiveLock);
	return iuid_add_locks_above(locks, parent);
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

/*
 * Makes what is missing by SQL, as the caller would, and returns it.  All
 * arguments are given: another function could have the types of fewer.
 */
static void
create_countries(FunctionCallInfo fcinfo, const Work *work)
{
	const Countries *countries = &work->countries;
	Oid types[] = { REGCLASSOID, INT4OID, INT4ARRAYOID, INTERVALOID, BOOLOID };
	Datum here[IUID_COUNTRIES];
	Datum values[5];
	char nulls[5];
	char *query =
		psprintf("SELECT made FROM %s.iuid_create_country_partitions($1, $2, $3, $4, $5, '10 s'::pg_catalog.interval) AS made",
				 quote_identifier(get_namespace_name(countries->schema)));

	for (int i = 0; i < work->count; i++)
		here[i] = Int32GetDatum(work->here[i]);
	values[0] = ObjectIdGetDatum(countries->parent);
	values[1] = Int32GetDatum(countries->entity);
	values[2] =
		PointerGetDatum(construct_array(here, work->count, INT4OID,
										sizeof(int32), true, TYPALIGN_INT));
	values[3] = PG_GETARG_DATUM(2);
	values[4] = PG_GETARG_DATUM(3);
	for (int i = 0; i < 5; i++)
		nulls[i] = i > 2 && PG_ARGISNULL(i - 1) ? 'n' : ' ';

	check_function(countries->schema);
	SPI_connect();
	if (SPI_execute_with_args(query, 5, types, values, nulls, false, 0) !=
		SPI_OK_SELECT)
		elog(ERROR, "could not execute \"%s\"", query);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		Datum made = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc,
								   1, &isnull);

		iuid_return_table(fcinfo, DatumGetObjectId(made));
	}
	SPI_finish();
}

/*
 * 55000 unless a superuser owns iuid_create_country_partitions(): who owns the
 * schema can rename it, and give its name to another function.
 */
static void
check_function(Oid schema)
{
	Oid types[] = { REGCLASSOID, INT4OID, INT4ARRAYOID,
					INTERVALOID, BOOLOID, INTERVALOID };
	HeapTuple function =
		SearchSysCache3(PROCNAMEARGSNSP,
						CStringGetDatum("iuid_create_country_partitions"),
						PointerGetDatum(buildoidvector(types, lengthof(types))),
						ObjectIdGetDatum(schema));

	if (!HeapTupleIsValid(function) ||
		!superuser_arg(((Form_pg_proc) GETSTRUCT(function))->proowner))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the functions of extension iuid are not those of a superuser"),
				 errhint(
					 "Look who owns the schema of the extension, and what it renamed.")));
	ReleaseSysCache(function);
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
			!list_member_int(work->empty, c))
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
