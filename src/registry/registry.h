/*-------------------------------------------------------------------------
 *
 * registry.h
 *	  What this database knows of countries, entities, nodes and routes.
 *
 * Every function here takes the fcinfo of a function of the extension: its
 * schema has the tables.  It keeps what it knows in flinfo->fn_extra, which
 * that function must leave alone.  Within one snapshot it answers the same,
 * whatever others commit.  42P01 if a table is missing, 42809 if something
 * else has its name, 42703 and 42804 for its columns, 23502, 23505 and 23514
 * for its rows, 54000 for more than a session should keep in memory.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_REGISTRY_H
#define IUID_REGISTRY_H

#include "compat.h"

/*
 * What is registered of a country and entity; NULL for what is not.  The
 * strings stay until the function is called with another snapshot.
 */
typedef struct Registered
{
	const char *code; /* of the country */
	const char *name;
	const char *service; /* of the entity */
	const char *key;
	const char *node; /* by the routes */
	const char *region;
	const char *server;
} Registered;

/* Country and entity are within 0 to 255. */
extern Registered iuid_registered(FunctionCallInfo fcinfo, int country,
								  int entity);

/* The node of that alone, NULL for none. */
extern const char *iuid_registered_node(FunctionCallInfo fcinfo, int country,
										int entity);

/* Whether a country, 0 to 255, has a code or a route of its own. */
extern bool iuid_is_registered_country(FunctionCallInfo fcinfo, int country);

/* Whether a node is in iuid_nodes. */
extern bool iuid_is_registered_node(FunctionCallInfo fcinfo, const char *node);

/* The number, 0 to 255, of a country's code or an entity's key; -1 for none. */
extern int iuid_find_country(FunctionCallInfo fcinfo, const char *code);
extern int iuid_find_entity(FunctionCallInfo fcinfo, const char *key);

#endif /* IUID_REGISTRY_H */
