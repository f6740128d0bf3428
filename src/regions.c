/*-------------------------------------------------------------------------
 *
 * regions.c
 *	  Partitions for the countries that are routed here, and tables over all
 *	  regions: the functions in SQL.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "funcapi.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/tuplestore.h"

#include "attach.h"
#include "codec.h"
#include "datum.h"
#include "lock.h"
#include "owner.h"
#include "partition.h"
#include "registry.h"
#include "settings.h"

#define COUNTRIES (IUID_COUNTRY_MAX + 1)

/* With a step: the table itself, its DEFAULT partition, and those of time. */
#define TABLES_OF_COUNTRY (2 + 1 + IUID_AHEAD_DEFAULT)

/* A table in country order, and the countries that are to have a partition. */
typedef struct Countries
{
	Oid parent; /* may be none yet */
	Oid local;	/* the one below it, of a global table */
	Oid schema; /* of the extension */
	bool wanted[COUNTRIES];
	bool missing[COUNTRIES];
	int limit;
	bool unfinished;
	Partitioned *table;
} Countries;

static int entity_arg(FunctionCallInfo fcinfo, int n, const char *hint);
static void check_node(FunctionCallInfo fcinfo);
static void list_countries(FunctionCallInfo fcinfo, int entity, bool here,
						   bool *wanted);
static List *plan_country_partitions(void *arg);
static List *plan_global_table(void *arg);
static int find_missing(Countries *countries);
static Oid create_country(const Countries *countries, int country, Step *step);
static Oid open_global(FunctionCallInfo fcinfo, const char *global,
					   Countries *countries, char **schema, char **name);
static void create_foreign(FunctionCallInfo fcinfo, const Countries *countries,
						   int country, int entity, const char *schema,
						   const char *name);
static void bounds_of(int country, Iuid *lower, Iuid *upper,
					  char from[IUID_TEXT_LEN + 1], char to[IUID_TEXT_LEN + 1]);
static void report(FunctionCallInfo fcinfo, Oid table);

/*
 * iuid_create_country_partitions(parent, entity, step): one for each country
 * whose rows of an entity are routed to this node.
 */
PG_FUNCTION_INFO_V1(iuid_create_country_partitions);
Datum
iuid_create_country_partitions(PG_FUNCTION_ARGS)
{
	int entity =
		entity_arg(fcinfo, 1,
				   "Give the table in country order, and the number of the entity that is in it.");
	bool has_step = !PG_ARGISNULL(2);
	Step step;
	Countries countries = { .parent = PG_GETARG_OID(0),
							.schema = get_func_namespace(fcinfo->flinfo->fn_oid) };
	NewPartition *new = palloc0(sizeof(NewPartition) * COUNTRIES);
	int count = 0;
	char from[IUID_TEXT_LEN + 1], to[IUID_TEXT_LEN + 1];
	Restricted saved;

	if (has_step)
		step = iuid_step(PG_GETARG_INTERVAL_P(2));
	iuid_check_owner(countries.parent);
	(void) iuid_read_partitioned(countries.parent, ORDER_OF_COUNTRY,
								 countries.schema);
	list_countries(fcinfo, entity, true, countries.wanted);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	saved = iuid_become_owner(countries.parent);
	countries.limit = iuid_tables_per_call(countries.parent);
	if (has_step)
		countries.limit = Max(countries.limit / TABLES_OF_COUNTRY, 1);
	iuid_take_locks(plan_country_partitions, &countries);
	for (int c = 0; c < COUNTRIES; c++)
	{
		if (!countries.missing[c])
			continue;
		new[count].table = create_country(&countries, c, has_step ? &step : NULL);
		bounds_of(c, &new[count].lower, &new[count].upper, from, to);
		count++;
	}
	iuid_attach(countries.table, new, count);
	for (int i = 0; i < count; i++)
		report(fcinfo, new[i].table);
	iuid_return(&saved);

	if (countries.unfinished)
		ereport(WARNING,
				(errmsg("not all partitions of %s could be made in one call",
						iuid_qualified_name(countries.parent)),
				 errdetail("%d were made: more would need too many locks.", count),
				 errhint(
					 "Call it again, in another transaction: it goes on from there.")));
	return (Datum) 0;
}

/*
 * iuid_create_global_table(global, local, entity): a table of which the local
 * one is the DEFAULT partition, and each country that is routed elsewhere a
 * foreign table.
 */
PG_FUNCTION_INFO_V1(iuid_create_global_table);
Datum
iuid_create_global_table(PG_FUNCTION_ARGS)
{
	int entity =
		entity_arg(fcinfo, 2,
				   "Give the name of the global table, the local table, and the number of the entity that is in them.");
	Countries countries = { .local = PG_GETARG_OID(1),
							.schema = get_func_namespace(fcinfo->flinfo->fn_oid),
							.limit = COUNTRIES };
	char *schema, *name;
	bool is_new;
	Restricted saved;

	iuid_check_owner(countries.local);
	(void) iuid_read_partitioned(countries.local, ORDER_OF_COUNTRY,
								 countries.schema);
	countries.parent = open_global(fcinfo, text_to_cstring(PG_GETARG_TEXT_PP(0)),
								   &countries, &schema, &name);
	is_new = !OidIsValid(countries.parent);
	list_countries(fcinfo, entity, false, countries.wanted);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	saved = iuid_become_owner(countries.local);
	iuid_take_locks(plan_global_table, &countries);
	if (is_new)
	{
		const char *key = iuid_read_partitioned(countries.local, ORDER_OF_COUNTRY,
												countries.schema)
							  ->key;
		const char *global = quote_qualified_identifier(schema, name);

		iuid_execute("CREATE TABLE %s (LIKE %s INCLUDING COMMENTS INCLUDING CONSTRAINTS INCLUDING DEFAULTS INCLUDING GENERATED)"
					 " PARTITION BY RANGE (%s %s)",
					 global, iuid_qualified_name(countries.local),
					 quote_identifier(key),
					 quote_qualified_identifier(get_namespace_name(
													countries.schema),
												"iuid_country_ops"));
		iuid_execute("ALTER TABLE %s ATTACH PARTITION %s DEFAULT", global,
					 iuid_qualified_name(countries.local));
		countries.parent =
			get_relname_relid(name, get_namespace_oid(schema, false));
		report(fcinfo, countries.parent);
		(void) find_missing(&countries);
	}
	for (int c = 0; c < COUNTRIES; c++)
	{
		if (countries.missing[c])
			create_foreign(fcinfo, &countries, c, entity, schema, name);
	}
	iuid_return(&saved);
	return (Datum) 0;
}

/* Argument n, with those before it: none may be NULL. */
static int
entity_arg(FunctionCallInfo fcinfo, int n, const char *hint)
{
	for (int i = 0; i <= n; i++)
	{
		if (PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("table and entity must not be null"),
					 errhint("%s", hint)));
	}
	return iuid_entity_arg(fcinfo, n, IUID_ENTITY_MAX);
}

static void
check_node(FunctionCallInfo fcinfo)
{
	if (iuid_setting_node[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("this database is no node yet"),
				 errdetail("The configuration parameter \"%s\" is not set.",
						   "iuid.node"),
				 errhint(
					 "Set it to the name of this node in iuid_nodes, with ALTER DATABASE ... SET iuid.node.")));
	if (!iuid_is_registered_node(fcinfo, iuid_setting_node))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("node \"%s\" is not registered", iuid_setting_node),
				 errdetail("That is the configuration parameter \"%s\" of this database.",
						   "iuid.node"),
				 errhint(
					 "Insert it into iuid_nodes, or set the parameter to the name of this node there.")));
}

/* Those that are registered, or named by a route, and routed here or elsewhere. */
static void
list_countries(FunctionCallInfo fcinfo, int entity, bool here, bool *wanted)
{
	check_node(fcinfo);
	for (int c = 0; c < COUNTRIES; c++)
	{
		const char *node = iuid_registered(fcinfo, c, entity).node;

		wanted[c] = node != NULL && iuid_is_registered_country(fcinfo, c) &&
			(strcmp(node, iuid_setting_node) == 0) == here;
	}
}

static List *
plan_country_partitions(void *arg)
{
	Countries *countries = arg;

	iuid_check_owner(countries->parent);
	if (find_missing(countries) == 0)
		return NIL;
	return iuid_add_locks_of_attach(NIL, countries->table);
}

/* CREATE FOREIGN TABLE ... PARTITION OF locks the parent, and DEFAULT with all below. */
static List *
plan_global_table(void *arg)
{
	Countries *countries = arg;
	List *locks = NIL;

	iuid_check_owner(countries->local);
	if (OidIsValid(countries->parent))
	{
		iuid_check_owner(countries->parent);
		if (find_missing(countries) == 0)
			return NIL;
		locks = iuid_add_lock(locks, countries->parent, AccessExclusiveLock);
		locks = iuid_add_referred_locks(locks, countries->parent,
										ShareRowExclusiveLock);
		locks = iuid_add_referring_locks(locks, countries->parent,
										 ShareRowExclusiveLock);
	}
	return iuid_add_lock_of_all(locks, countries->local, AccessExclusiveLock);
}

/* How many of the wanted countries have no partition, up to the limit. */
static int
find_missing(Countries *countries)
{
	Partitioned *table =
		iuid_read_partitioned(countries->parent, ORDER_OF_COUNTRY,
							  countries->schema);
	char from[IUID_TEXT_LEN + 1], to[IUID_TEXT_LEN + 1];
	int count = 0;

	countries->table = table;
	countries->unfinished = false;
	for (int c = 0; c < COUNTRIES; c++)
	{
		Iuid lower, upper;

		bounds_of(c, &lower, &upper, from, to);
		countries->missing[c] = countries->wanted[c];
		for (int i = 0; i < table->count; i++)
		{
			if (iuid_compare_keys(table, &table->partitions[i].lower, &lower) <=
					0 &&
				iuid_compare_keys(table, &upper, &table->partitions[i].upper) <= 0)
				countries->missing[c] = false;
		}
		if (countries->missing[c] && count == countries->limit)
		{
			countries->missing[c] = false;
			countries->unfinished = true;
		}
		count += countries->missing[c];
	}
	return count;
}

/*
 * By the bounds as a CHECK the server knows that rows of no other country are
 * there, and need not look.
 */
static Oid
create_country(const Countries *countries, int country, Step *step)
{
	char *base = get_rel_name(countries->parent);
	const char *schema = quote_identifier(get_namespace_name(countries->schema));
	const char *key = quote_identifier(countries->table->key);
	char from[IUID_TEXT_LEN + 1], to[IUID_TEXT_LEN + 1];
	Iuid lower, upper;
	char *check;
	Oid table, rest;

	bounds_of(country, &lower, &upper, from, to);
	check =
		psprintf(", CHECK (%1$s.iuid_country(%2$s) OPERATOR(pg_catalog.=) %3$d"
				 " AND %2$s OPERATOR(%1$s.~>=~) '%4$s'::%1$s.iuid AND %2$s OPERATOR(%1$s.~<~) '%5$s'::%1$s.iuid)",
				 schema, key, country, from, to);
	table =
		iuid_create_like(countries->parent,
						 iuid_shortened_name(base, psprintf("_c%d", country)),
						 check,
						 step == NULL ?
							 "" :
							 psprintf(" PARTITION BY RANGE (%s %s.iuid_ops)",
									  key, schema));
	if (step == NULL)
		return table;

	rest = iuid_create_like(table,
							iuid_shortened_name(base,
												psprintf("_c%d_rest", country)),
							"", "");
	iuid_execute("ALTER TABLE %s ATTACH PARTITION %s DEFAULT",
				 iuid_qualified_name(table), iuid_qualified_name(rest));
	iuid_cover_present(table, countries->schema, step);
	return table;
}

/* The global table, if there is one, and how it is called. */
static Oid
open_global(FunctionCallInfo fcinfo pg_attribute_unused(), const char *global,
			Countries *countries, char **schema, char **name)
{
	List *path = stringToQualifiedNameList(global, NULL);
	Oid namespace, table;
	Partitioned *parent;

	if (list_length(path) > 2)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("improper qualified name (too many dotted names): %s",
						global),
				 errhint(
					 "Give the name of the global table, and before it that of its schema if it is another than that of the local table.")));
	*name = strVal(llast(path));
	*schema = list_length(path) == 2 ?
		strVal(linitial(path)) :
		get_namespace_name(get_rel_namespace(countries->local));
	namespace = get_namespace_oid(*schema, false);
	table = get_relname_relid(*name, namespace);
	if (!OidIsValid(table))
		return InvalidOid;

	iuid_check_owner(table);
	parent = iuid_read_partitioned(table, ORDER_OF_COUNTRY, countries->schema);
	if (parent->default_partition != countries->local)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("%s is not the DEFAULT partition of %s",
						iuid_qualified_name(countries->local),
						iuid_qualified_name(table)),
				 errdetail(
					 "A global table has one local table, as its DEFAULT partition."),
				 errhint(
					 "Give the local table that the global one was made with, or the name of a new global table.")));
	return table;
}

static void
create_foreign(FunctionCallInfo fcinfo, const Countries *countries, int country,
			   int entity, const char *schema, const char *name)
{
	Registered registered = iuid_registered(fcinfo, country, entity);
	char *suffix = psprintf("_c%d", country);
	char *foreign = iuid_shortened_name(name, suffix);
	char from[IUID_TEXT_LEN + 1], to[IUID_TEXT_LEN + 1];
	Iuid lower, upper;

	if (registered.server == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("node \"%s\" has no server",
						registered.node ? registered.node : ""),
				 errdetail("Country %d is routed to it.", country),
				 errhint(
					 "Make a postgres_fdw server for it, and set its name in iuid_nodes.")));
	bounds_of(country, &lower, &upper, from, to);
	iuid_execute("CREATE FOREIGN TABLE %s PARTITION OF %s FOR VALUES FROM ('%s') TO ('%s') SERVER %s OPTIONS (schema_name %s, table_name %s)",
				 quote_qualified_identifier(schema, foreign),
				 iuid_qualified_name(countries->parent), from, to,
				 quote_identifier(registered.server),
				 quote_literal_cstr(
					 get_namespace_name(get_rel_namespace(countries->local))),
				 quote_literal_cstr(
					 iuid_shortened_name(get_rel_name(countries->local), suffix)));
	report(fcinfo, get_relname_relid(foreign, get_namespace_oid(schema, false)));
}

/* The bounds of a country in country order, as they are and as text. */
static void
bounds_of(int country, Iuid *lower, Iuid *upper, char from[IUID_TEXT_LEN + 1],
		  char to[IUID_TEXT_LEN + 1])
{
	*lower = iuid_make(0, IUID_LAYOUT_TIME, country, 0, 0);
	*upper = country == IUID_COUNTRY_MAX ?
		IUID_MAX :
		iuid_make(0, IUID_LAYOUT_TIME, country + 1, 0, 0);
	iuid_encode(lower, from);
	iuid_encode(upper, to);
}

static void
report(FunctionCallInfo fcinfo, Oid table)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum value = ObjectIdGetDatum(table);
	bool isnull = false;

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value, &isnull);
}
