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

#include "utils/hsearch.h"

#include "iuid.h"

/* The places of a NULL in a route, behind the numbers. */
#define IUID_ANY_COUNTRY IUID_COUNTRIES
#define IUID_ANY_ENTITY	 IUID_ENTITIES

typedef struct RegisteredCountry
{
	const char *code; /* NULL: not registered */
	const char *name;
} RegisteredCountry;

typedef struct RegisteredEntity
{
	const char *key; /* NULL: not registered */
	const char *service;
} RegisteredEntity;

typedef struct RegisteredNode
{
	const char *node;
	const char *region; /* may be NULL */
	const char *server; /* may be NULL */
	bool registered;	/* false: it is in a route only */
} RegisteredNode;

typedef struct Registry
{
	RegisteredCountry countries[IUID_COUNTRIES];
	RegisteredEntity entities[IUID_ENTITIES];

	/* What has a name: numbers of countries and entities, nodes. */
	HTAB *codes;
	HTAB *keys;
	HTAB *nodes;

	/* A row by entity, NULL for a country without any. */
	RegisteredNode **routes[IUID_COUNTRIES + 1];

	/* Of who has it; everything is in the context. */
	MemoryContext context;
	int pins;
	SubTransactionId loaded_in;
} Registry;

/* A new one, empty, in CurrentMemoryContext. */
extern Registry *iuid_new_registry(void);

/* Of a number, -1 for NULL, or of a text. */
typedef union RegistryValue
{
	int number;
	char *text;
} RegistryValue;

/*
 * A row, each value of which may stand in its column; the order is that of
 * the table.  23505 for one that is there already.
 */
#define IUID_COLUMNS 3
extern void iuid_add_country(Registry *registry, const RegistryValue *values);
extern void iuid_add_entity(Registry *registry, const RegistryValue *values);
extern void iuid_add_node(Registry *registry, const RegistryValue *values);
extern void iuid_add_route(Registry *registry, const RegistryValue *values);

/* The number behind a name, -1 for none; the node, NULL for none. */
extern int iuid_find_number(HTAB *names, const char *name);
extern const RegisteredNode *iuid_find_node(const Registry *registry,
											const char *name);

/* The node of the most specific route, NULL for none. */
static inline const RegisteredNode *
iuid_find_route(const Registry *registry, int country, int entity)
{
	RegisteredNode **row = registry->routes[country];

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
