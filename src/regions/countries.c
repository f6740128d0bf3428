/*-------------------------------------------------------------------------
 *
 * countries.c
 *	  The countries routed to this node or to others, and their partitions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
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
iuid_want_countries(FunctionCallInfo fcinfo, Countries *countries, int entity,
					bool here)
{
	iuid_check_node(fcinfo);
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		const char *node = iuid_registered_node(fcinfo, c, entity);

		countries->wanted[c] = node != NULL &&
			iuid_is_registered_country(fcinfo, c) &&
			(strcmp(node, iuid_setting_node) == 0) == here;
	}
}

void
iuid_check_node(FunctionCallInfo fcinfo)
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
				 errdetail("The configuration parameter \"%s\" of this database has that value.",
						   "iuid.node"),
				 errhint(
					 "Insert it into iuid_nodes, or set the parameter to the name of this node there.")));
}

int
iuid_find_missing(Countries *countries)
{
	Partitioned *table =
		iuid_read_partitioned(countries->parent, ORDER_OF_COUNTRY,
							  countries->schema);
	int count = 0;

	countries->table = table;
	countries->unfinished = false;
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		NewPartition range = iuid_range_of_country(c);

		countries->missing[c] = countries->wanted[c];
		for (int i = 0; i < table->count; i++)
		{
			if (iuid_compare_keys(table, &table->partitions[i].lower,
								  &range.lower) <= 0 &&
				iuid_compare_keys(table, &range.upper,
								  &table->partitions[i].upper) <= 0)
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

NewPartition
iuid_range_of_country(int country)
{
	Iuid end = country == IUID_COUNTRY_MAX ?
		IUID_MAX :
		iuid_make(0, IUID_LAYOUT_TIME, country + 1, 0, 0);

	return (NewPartition){ .lower = iuid_make(0, IUID_LAYOUT_TIME, country, 0, 0),
						   .upper = end };
}

void
iuid_give_table(FunctionCallInfo fcinfo, Oid table)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum value = ObjectIdGetDatum(table);
	bool isnull = false;

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value, &isnull);
}
