/*-------------------------------------------------------------------------
 *
 * registry.h
 *	  Reads the registry: routes, nodes and countries.
 *
 * Every function here takes the fcinfo of an SQL function of the extension,
 * whose schema has the tables.  It sees what a SELECT of the tables' owner
 * would see in the place of that function: the active snapshot decides.
 *
 * 42P01 if a table is missing; 55000 if its name belongs to something else than
 * a table of a superuser's, or if it lacks a column.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_REGISTRY_H
#define IUID_REGISTRY_H

#include "regions_compat.h"

#include "nodes/pg_list.h"

#include "iuid.h"

/*
 * The node of the most specific route for a country and entity, 0 to 255 each:
 * of both, else of the country, else of the entity, else of neither (route.c).
 * NULL without a route, or if that route has no node.  The text stays until the
 * next call.
 */
extern const char *iuid_routed_node(FunctionCallInfo fcinfo, int country,
									int entity);

/* Whether there is such a route, with a node or without; and one of the country's own. */
extern bool iuid_has_route(FunctionCallInfo fcinfo, int country, int entity);
extern bool iuid_has_own_route(FunctionCallInfo fcinfo, int country);

/* The name of this node, by iuid.node; "" if that is not set.  It stays until that is set. */
extern const char *iuid_this_node(void);

/* A node of iuid_nodes, and its server; NULL for none. */
typedef struct NodeServer
{
	char *node;
	char *server;
	int host; /* of the server's hosts, from 1 on; 0: as its options choose */
} NodeServer;

/* The node of a name among the NodeServers; NULL for none. */
extern NodeServer *iuid_node_of_name(List *nodes, const char *name);

/*
 * The NodeServers of all registered nodes, by name; they are the caller's.  22023 if
 * iuid.node is not set, or is not the name of one.
 */
extern List *iuid_check_node(FunctionCallInfo fcinfo);

#endif /* IUID_REGISTRY_H */
