/*-------------------------------------------------------------------------
 *
 * registry.c
 *	  Reads the nodes and the countries of the registry.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "function.h"
#include "registry.h"
#include "registry_table.h"

static void add_node(const Datum *values, const bool *nulls, void *arg);
static int compare_nodes(const ListCell *a, const ListCell *b);
static void note_country(const Datum *values, const bool *nulls, void *arg);

List *
iuid_registered_nodes(FunctionCallInfo fcinfo)
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
	NodeServer *node = palloc(sizeof(NodeServer));

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

void
iuid_registered_countries(FunctionCallInfo fcinfo,
						  bool registered[IUID_COUNTRIES])
{
	static const RegistryColumn columns[] = { { "country", INT4OID } };
	Oid schema = iuid_schema_of(fcinfo->flinfo->fn_oid);

	memset(registered, 0, sizeof(bool) * IUID_COUNTRIES);
	iuid_read_registry(schema, "iuid_countries", columns, lengthof(columns),
					   note_country, registered);
	iuid_read_registry(schema, "iuid_routes", columns, lengthof(columns),
					   note_country, registered);
}

static void
note_country(const Datum *values, const bool *nulls, void *arg)
{
	bool *registered = arg;
	int country = nulls[0] ? -1 : DatumGetInt32(values[0]);

	if (country >= 0 && country < IUID_COUNTRIES)
		registered[country] = true;
}
