/*-------------------------------------------------------------------------
 *
 * registry.h
 *	  Looks up countries, entities, nodes and routes in the registry.
 *
 * Every function here takes the fcinfo of an SQL function of the extension,
 * whose schema has the registry tables.  The SQL function must not use
 * flinfo->fn_extra, which is in use here.  Within one process and snapshot the
 * answers stay the same, whatever other sessions commit.
 *
 * 42P01 if a table is missing, 42809 if something else has its name, 42703
 * and 42804 for its columns, 23502, 23505 and 23514 for its rows, 54000 if the
 * registry is larger than a session should keep in memory.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_REGISTRY_H
#define IUID_REGISTRY_H

#include "compat.h"

#include "nodes/pg_list.h"

/*
 * What the registry has for a country and entity, 0 to 255 each.  NULL stands
 * for what it does not have.  The strings stay until the SQL function looks
 * again in another statement.
 */
typedef struct RegistryLookup
{
	const char *code; /* of the country */
	const char *name;
	const char *service; /* of the entity */
	const char *key;
	const char *node; /* by the routes */
	const char *region;
	const char *server;
} RegistryLookup;

extern RegistryLookup iuid_look_up(FunctionCallInfo fcinfo, int country,
								   int entity);

/* A node of iuid_nodes, and its server; NULL for none. */
typedef struct NodeServer
{
	char *node;
	char *server;
} NodeServer;

/* The NodeServers of all registered nodes, by name; they are the caller's. */
extern List *iuid_registered_nodes(FunctionCallInfo fcinfo);

/* The node that the routes give for a country and entity; NULL for none. */
extern const char *iuid_routed_node(FunctionCallInfo fcinfo, int country,
									int entity);

/* Whether a country, 0 to 255, has a code or a route of its own. */
extern bool iuid_is_registered_country(FunctionCallInfo fcinfo, int country);

/* Whether a node is in iuid_nodes. */
extern bool iuid_is_registered_node(FunctionCallInfo fcinfo, const char *node);

/*
 * The number, 0 to 255, of the country with a code or of the entity with a key;
 * -1 if there is none.
 */
extern int iuid_find_country(FunctionCallInfo fcinfo, const char *code);
extern int iuid_find_entity(FunctionCallInfo fcinfo, const char *key);

#endif /* IUID_REGISTRY_H */
