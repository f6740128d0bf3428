/*-------------------------------------------------------------------------
 *
 * registry_rows.h
 *	  The registry as it was at one moment, in memory.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_REGISTRY_ROWS_H
#define IUID_REGISTRY_ROWS_H

#include "compat.h"

#include "nodes/pg_list.h"
#include "utils/hsearch.h"

#include "iuid.h"

/* The indexes in Registry.routes that stand for NULL, which means any. */
#define IUID_ANY_COUNTRY IUID_COUNTRIES
#define IUID_ANY_ENTITY	 IUID_ENTITIES

typedef struct RegistryCountry
{
	const char *code; /* NULL: not registered */
	const char *name;
} RegistryCountry;

typedef struct RegistryEntity
{
	const char *key; /* NULL: not registered */
	const char *service;
} RegistryEntity;

typedef struct RegistryNode
{
	const char *node;
	const char *region; /* may be NULL */
	const char *server; /* may be NULL */
	bool has_row;		/* false: only a route names the node */
} RegistryNode;

typedef struct Registry
{
	RegistryCountry countries[IUID_COUNTRIES];
	RegistryEntity entities[IUID_ENTITIES];

	HTAB *codes; /* countries by code */
	HTAB *keys;	 /* entities by key */
	HTAB *nodes; /* nodes by name */

	/* routes[country][entity]; routes[country] is NULL without any route. */
	RegistryNode **routes[IUID_COUNTRIES + 1];

	MemoryContext context; /* of the registry and all in it */
	int pins;
	SubTransactionId loaded_in; /* invalid: it has only committed rows */
} Registry;

/* Makes an empty registry in CurrentMemoryContext. */
extern Registry *iuid_new_registry(void);

/* The value of a column: a number, where -1 is NULL, or a text. */
typedef union RegistryValue
{
	int number;
	char *text;
} RegistryValue;

/*
 * These functions add a row.  The caller has checked each value by itself; the
 * values stand in the order of registry_load.c.  23505 if the registry has the
 * number, the name or the route already; 54000 for too many nodes.
 */
#define IUID_REGISTRY_COLUMNS 3
extern void iuid_add_country(Registry *registry, const RegistryValue *values);
extern void iuid_add_entity(Registry *registry, const RegistryValue *values);
extern void iuid_add_node(Registry *registry, const RegistryValue *values);
extern void iuid_add_route(Registry *registry, const RegistryValue *values);

/* The number, or the node, that has a name; -1, or NULL, if none has. */
extern int iuid_find_number(HTAB *names, const char *name);
extern const RegistryNode *iuid_find_node(const Registry *registry,
										  const char *name);

/* The RegistryNodes that have a row, in the order of their names. */
extern List *iuid_list_nodes(const Registry *registry);

/*
 * The node of the most specific route: of the country and entity, else of the
 * country, else of the entity, else of neither; NULL without a route.
 */
static inline const RegistryNode *
iuid_find_route(const Registry *registry, int country, int entity)
{
	RegistryNode **row = registry->routes[country];

	if (row != NULL && row[entity] != NULL)
		return row[entity];
	if (row != NULL && row[IUID_ANY_ENTITY] != NULL)
		return row[IUID_ANY_ENTITY];
	row = registry->routes[IUID_ANY_COUNTRY];
	if (row != NULL && row[entity] != NULL)
		return row[entity];
	return row == NULL ? NULL : row[IUID_ANY_ENTITY];
}

#endif /* IUID_REGISTRY_ROWS_H */
