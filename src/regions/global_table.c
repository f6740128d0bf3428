/*-------------------------------------------------------------------------
 *
 * global_table.c
 *	  Makes a table over all regions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "catalog/namespace.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "type/codec.h"
#include "countries.h"
#include "partitions/lock.h"
#include "owner.h"
#include "registry/registry.h"

static List *plan_global_table(void *arg);
static Oid open_global(text *global, const Countries *countries, char **schema,
					   char **name);
static void create_foreign(FunctionCallInfo fcinfo, const Countries *countries,
						   int country, int entity, const char *schema,
						   const char *name);

/*
 * iuid_create_global_table(global, local, entity): makes a table with the
 * local table as its DEFAULT partition, and with a foreign table for each
 * country that is routed to another node.  If the table is there already, adds
 * the foreign tables that are missing.
 */
PG_FUNCTION_INFO_V1(iuid_create_global_table);
Datum
iuid_create_global_table(PG_FUNCTION_ARGS)
{
	int entity =
		iuid_entity_of_table(fcinfo, 2,
							 "Give the name of the global table, the local table, and the number of the entity that is in them.");
	Countries countries = { .local = PG_GETARG_OID(1),
							.schema = get_func_namespace(fcinfo->flinfo->fn_oid),
							.limit = IUID_COUNTRIES };
	char *schema, *name;
	bool is_new;
	Restricted saved;

	iuid_check_owner(countries.local);
	(void) iuid_read_partitioned(countries.local, ORDER_OF_COUNTRY,
								 countries.schema);
	countries.parent =
		open_global(PG_GETARG_TEXT_PP(0), &countries, &schema, &name);
	is_new = !OidIsValid(countries.parent);
	iuid_want_countries(fcinfo, &countries, entity, false);

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
		iuid_give_table(fcinfo, countries.parent);
		(void) iuid_find_missing(&countries);
	}
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		if (countries.missing[c])
			create_foreign(fcinfo, &countries, c, entity, schema, name);
	}
	iuid_return(&saved);
	return (Datum) 0;
}

/*
 * Reads the name of the global table, and returns the table; InvalidOid if it
 * is not made yet.  42601 for a name of more than two parts; 55000 if the table
 * has another DEFAULT partition than the local table.
 */
static Oid
open_global(text *global, const Countries *countries, char **schema, char **name)
{
	List *path = textToQualifiedNameList(global);
	Oid namespace, table;
	Partitioned *parent;

	if (list_length(path) > 2)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("improper qualified name (too many dotted names): %s",
						text_to_cstring(global)),
				 errhint(
					 "Give the name of the global table, with its schema in front if that is not the schema of the local table.")));
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

/*
 * Finds the missing countries, and returns the locks for making their foreign
 * tables.  CREATE FOREIGN TABLE ... PARTITION OF locks the parent, and the
 * DEFAULT partition with all partitions below it.
 */
static List *
plan_global_table(void *arg)
{
	Countries *countries = arg;
	List *locks = NIL;

	iuid_check_owner(countries->local);
	if (OidIsValid(countries->parent))
	{
		iuid_check_owner(countries->parent);
		if (iuid_find_missing(countries) == 0)
			return NIL;
		locks = iuid_add_lock(locks, countries->parent, AccessExclusiveLock);
		locks = iuid_add_referred_locks(locks, countries->parent,
										ShareRowExclusiveLock);
		locks = iuid_add_referring_locks(locks, countries->parent,
										 ShareRowExclusiveLock);
		locks = iuid_add_locks_above(locks, countries->parent);
	}
	return iuid_add_lock_of_all(locks, countries->local, AccessExclusiveLock);
}

static void
create_foreign(FunctionCallInfo fcinfo, const Countries *countries, int country,
			   int entity, const char *schema, const char *name)
{
	Registered registered = iuid_registered(fcinfo, country, entity);
	char *suffix = psprintf("_c%d", country);
	char *foreign = iuid_shortened_name(name, suffix);
	char from[IUID_TEXT_LEN + 1], to[IUID_TEXT_LEN + 1];
	NewPartition range = iuid_range_of_country(country);

	if (registered.server == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("node \"%s\" has no server",
						registered.node ? registered.node : ""),
				 errdetail("Country %d is routed to that node.", country),
				 errhint(
					 "Make a postgres_fdw server for the node, and set the name of the server in iuid_nodes.")));
	iuid_encode(&range.lower, from);
	iuid_encode(&range.upper, to);
	iuid_execute("CREATE FOREIGN TABLE %s PARTITION OF %s FOR VALUES FROM ('%s') TO ('%s') SERVER %s OPTIONS (schema_name %s, table_name %s)",
				 quote_qualified_identifier(schema, foreign),
				 iuid_qualified_name(countries->parent), from, to,
				 quote_identifier(registered.server),
				 quote_literal_cstr(
					 get_namespace_name(get_rel_namespace(countries->local))),
				 quote_literal_cstr(
					 iuid_shortened_name(get_rel_name(countries->local), suffix)));
	iuid_give_table(fcinfo,
					get_relname_relid(foreign, get_namespace_oid(schema, false)));
}
