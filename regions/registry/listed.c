/*-------------------------------------------------------------------------
 *
 * listed.c
 *	  Lists the nodes and the countries of the registry.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "datum.h"
#include "extension.h"
#include "registry.h"
#include "registry_table.h"

static void add_node(const Datum *values, const bool *nulls, void *arg);
static int compare_nodes(const ListCell *a, const ListCell *b);
static void note_country(const Datum *values, const bool *nulls, void *arg);

const char *
iuid_this_node(void)
{
	const char *node = GetConfigOption("iuid.node", true, false);

	return node == NULL ? "" : node;
}

/* The NodeServers of all registered nodes, by name. */
static List *
registered_nodes(FunctionCallInfo fcinfo)
{
	static const RegistryColumn columns[] = { { "node", TEXTOID },
											  { "server", TEXTOID } };
	List *nodes = NIL;

	iuid_read_registry(iuid_schema_of(fcinfo->flinfo->fn_oid), "iuid_nodes",
					   columns, lengthof(columns), add_node, &nodes);
	list_sort(nodes, compare_nodes);
	return nodes;
}

static void
add_node(const Datum *values, const bool *nulls, void *arg)
{
	List **nodes = arg;
	NodeServer *node = palloc0(sizeof(NodeServer));

	if (nulls[0])
		return;
	node->node = text_to_cstring(DatumGetTextPP(values[0]));
	node->server = nulls[1] ? NULL : text_to_cstring(DatumGetTextPP(values[1]));
	*nodes = lappend(*nodes, node);
}

static int
compare_nodes(const ListCell *a, const ListCell *b)
{
	const NodeServer *first = lfirst(a);
	const NodeServer *second = lfirst(b);

	return strcmp(first->node, second->node);
}

NodeServer *
iuid_node_of_name(List *nodes, const char *name)
{
	ListCell *lc;

	foreach (lc, nodes)
	{
		NodeServer *node = lfirst(lc);

		if (strcmp(node->node, name) == 0)
			return node;
	}
	return NULL;
}

/*
 * Loads the library of iuid, as a call of one of its functions does: the owner of the
 * database may set only what the server knows.
 */
static void
know_settings(Oid schema)
{
	Oid type = iuid_find_type(schema);
	Oid input, parameter;
	FmgrInfo function;

	if (!OidIsValid(type))
		return;
	getTypeInputInfo(type, &input, &parameter);
	fmgr_info(input, &function);
}

List *
iuid_check_node(FunctionCallInfo fcinfo)
{
	const char *here = iuid_this_node();
	List *nodes;

	if (here[0] == '\0')
	{
		know_settings(iuid_schema_of(fcinfo->flinfo->fn_oid));
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("this database is no node yet"),
				 errdetail("The configuration parameter \"%s\" is not set.",
						   "iuid.node"),
				 errhint(
					 "Set it to the name of this node in iuid_nodes, with ALTER DATABASE ... SET iuid.node.")));
	}
	nodes = registered_nodes(fcinfo);
	if (iuid_node_of_name(nodes, here) != NULL)
		return nodes;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("node \"%s\" is not registered", here),
			 errdetail("The configuration parameter \"%s\" of this database has that value.",
					   "iuid.node"),
			 errhint(
				 "Insert it into iuid_nodes at the node that publishes the registry, or set the parameter to the name of this node there.")));
}

/*
 * iuid_registered_nodes(only_others): the nodes with their servers, by name, and
 * which is this one; or only the others, and 22023 unless this is a node.  As for
 * look-ups, EXECUTE is the right to read this; the errors are those of registry.h.
 */
PG_FUNCTION_INFO_V1(iuid_list_nodes);
Datum
iuid_list_nodes(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	bool only_others = PG_GETARG_BOOL(0);
	const char *here = iuid_this_node();
	List *nodes =
		only_others ? iuid_check_node(fcinfo) : registered_nodes(fcinfo);
	ListCell *lc;

	InitMaterializedSRF(fcinfo, 0);
	foreach (lc, nodes)
	{
		const NodeServer *node = lfirst(lc);
		bool is_here = strcmp(node->node, here) == 0;
		Datum values[3] = { CStringGetTextDatum(node->node) };
		bool nulls[3] = { false, node->server == NULL, false };

		if (is_here && only_others)
			continue;
		if (node->server != NULL)
			values[1] = CStringGetTextDatum(node->server);
		values[2] = BoolGetDatum(is_here);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * iuid_listed_countries(entity): the countries that have a code, or a route of
 * their own, with the node of the rows of an entity, 0 to 255, and whether there
 * is a route for that.  22023 outside of that.
 */
PG_FUNCTION_INFO_V1(iuid_list_countries);
Datum
iuid_list_countries(PG_FUNCTION_ARGS)
{
	static const RegistryColumn columns[] = { { "country", INT4OID } };
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int entity = iuid_entity_arg(fcinfo, 0, IUID_ENTITY_MAX);
	bool registered[IUID_COUNTRIES] = { false };

	InitMaterializedSRF(fcinfo, 0);
	iuid_read_registry(iuid_schema_of(fcinfo->flinfo->fn_oid), "iuid_countries",
					   columns, lengthof(columns), note_country, registered);
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		const char *node = iuid_routed_node(fcinfo, c, entity);
		Datum values[3] = { Int32GetDatum(c) };
		bool nulls[3] = { false, node == NULL, false };

		if (!registered[c] && !iuid_has_own_route(fcinfo, c))
			continue;
		if (node != NULL)
			values[1] = CStringGetTextDatum(node);
		values[2] = BoolGetDatum(iuid_has_route(fcinfo, c, entity));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

static void
note_country(const Datum *values, const bool *nulls, void *arg)
{
	bool *registered = arg;
	int country = nulls[0] ? -1 : DatumGetInt32(values[0]);

	if (country >= 0 && country < IUID_COUNTRIES)
		registered[country] = true;
}
