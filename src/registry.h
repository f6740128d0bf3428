/*-------------------------------------------------------------------------
 *
 * registry.h
 *	  What this database knows of countries, entities, nodes and routes.
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
 * strings may go away with the next access to a table.
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

/*
 * Country and entity are within 0 to 255.  fcinfo is that of a function of
 * the extension: its schema has the tables.  42P01 if one of them is missing.
 */
extern Registered iuid_registered(FunctionCallInfo fcinfo, int country,
								  int entity);

/* The number, 0 to 255, of a country's code or an entity's key; -1 for none. */
extern int iuid_find_country(FunctionCallInfo fcinfo, const char *code);
extern int iuid_find_entity(FunctionCallInfo fcinfo, const char *key);

extern bool iuid_is_registered_country(FunctionCallInfo fcinfo, int country);
extern bool iuid_is_registered_node(FunctionCallInfo fcinfo, const char *node);
#endif /* IUID_REGISTRY_H */
