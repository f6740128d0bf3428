/*-------------------------------------------------------------------------
 *
 * countries.c
 *	  The countries, where their rows are routed, and their partitions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "funcapi.h"
#include "utils/tuplestore.h"

#include "countries.h"
#include "datum.h"
#include "registry/registry.h"
#include "settings.h"

int
iuid_entity_of_table(FunctionCallInfo fcinfo, int n, const char *hint)
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

void
iuid_read_routes(FunctionCallInfo fcinfo, Countries *countries)
{
	List *nodes = iuid_check_node(fcinfo);
	bool registered[IUID_COUNTRIES];

	iuid_registered_countries(fcinfo, registered);
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		Country *country = &countries->country[c];
		const char *node = iuid_routed_node(fcinfo, c, countries->entity);
		const NodeServer *there;

		country->registered = registered[c];
		if (!country->registered || node == NULL)
			continue;
		country->node = pstrdup(node);
		there = iuid_node_of_name(nodes, node);
		country->server = there != NULL ? there->server : NULL;
		country->place = strcmp(country->node, iuid_setting_node) == 0 ?
			PLACE_HERE :
			PLACE_ELSEWHERE;
	}
}

List *
iuid_check_node(FunctionCallInfo fcinfo)
{
	List *nodes;

	if (iuid_setting_node[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("this database is no node yet"),
				 errdetail("The configuration parameter \"%s\" is not set.",
						   "iuid.node"),
				 errhint(
					 "Set it to the name of this node in iuid_nodes, with ALTER DATABASE ... SET iuid.node.")));
	nodes = iuid_registered_nodes(fcinfo);
	if (iuid_node_of_name(nodes, iuid_setting_node) != NULL)
		return nodes;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("node \"%s\" is not registered", iuid_setting_node),
			 errdetail("The configuration parameter \"%s\" of this database has that value.",
					   "iuid.node"),
			 errhint(
				 "Insert it into iuid_nodes at the node that publishes the registry, or set the parameter to the name of this node there.")));
}

void
iuid_find_partitions(Countries *countries)
{
	Partitioned *table =
		iuid_read_partitioned(countries->parent, KEY_ORDER_ORIGIN,
							  countries->schema);

	countries->table = table;
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		Country *country = &countries->country[c];
		NewPartition range = iuid_range_of_country(c);

		country->partition = InvalidOid;
		country->has_own = false;
		for (int i = 0; i < table->count; i++)
		{
			const Partition *partition = &table->partitions[i];
			int lower = iuid_compare_keys(table, &partition->lower, &range.lower);
			int upper = iuid_compare_keys(table, &range.upper, &partition->upper);

			if (lower > 0 || upper > 0)
				continue;
			country->partition = partition->table;
			country->has_own = lower == 0 && upper == 0;
		}
	}
}

NewPartition
iuid_range_of_country(int country)
{
	Iuid end = country == IUID_COUNTRY_MAX ?
		iuid_max :
		iuid_make(0, IUID_LAYOUT_TIME, country + 1, 0, 0);

	return (NewPartition){ .lower = iuid_make(0, IUID_LAYOUT_TIME, country, 0, 0),
						   .upper = end };
}

void
iuid_return_table(FunctionCallInfo fcinfo, Oid table)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum value = ObjectIdGetDatum(table);
	bool isnull = false;

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value, &isnull);
}
