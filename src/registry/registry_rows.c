/*-------------------------------------------------------------------------
 *
 * registry_rows.c
 *	  The registry in memory: adds checked rows to it, and finds them.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "common/hashfn.h"

#include "registry_rows.h"

/* An entry of a hash table: a name, and the node or number that has it. */
typedef struct Named
{
	const char *name;
	RegistryNode *node;
	int number;
} Named;

/* As many as there can be routes; each of the two numbers can be "any", too. */
#define NODES_MAX ((IUID_COUNTRIES + 1L) * (IUID_ENTITIES + 1))

/* The number of names for which a hash table has room at first. */
#define FEW_NAMES 16

static HTAB *make_names(const char *what);
static Named *add_name(HTAB *names, const char *name, const char *table,
					   const char *column);
static const char *show_number(int number);
pg_noreturn static void reject_twice(const char *table, const char *columns,
									 const char *values);

Registry *
iuid_new_registry(void)
{
	Registry *registry = palloc0(sizeof(Registry));

	registry->context = CurrentMemoryContext;
	registry->codes = make_names("iuid codes");
	registry->keys = make_names("iuid keys");
	registry->nodes = make_names("iuid nodes");
	return registry;
}

static uint32
hash_name(const void *key, Size size pg_attribute_unused())
{
	const char *name = *(const char *const *) key;

	return hash_bytes((const unsigned char *) name, strlen(name));
}

static int
compare_names(const void *a, const void *b, Size size pg_attribute_unused())
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

static HTAB *
make_names(const char *what)
{
	HASHCTL info = {
		.keysize = sizeof(const char *),
		.entrysize = sizeof(Named),
		.hash = hash_name,
		.match = compare_names,
		.hcxt = CurrentMemoryContext,
	};

	return hash_create(what, FEW_NAMES, &info,
					   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}

void
iuid_add_country(Registry *registry, const RegistryValue *values)
{
	const char *table = "iuid_countries";
	int number = values[0].number;
	RegistryCountry *country = &registry->countries[number];

	if (country->code != NULL)
		reject_twice(table, "country", show_number(number));
	country->code = values[1].text;
	country->name = values[2].text;
	add_name(registry->codes, country->code, table, "code")->number = number;
}

void
iuid_add_entity(Registry *registry, const RegistryValue *values)
{
	const char *table = "iuid_entities";
	int number = values[0].number;
	RegistryEntity *entity = &registry->entities[number];

	if (entity->key != NULL)
		reject_twice(table, "entity", show_number(number));
	entity->service = values[1].text;
	entity->key = values[2].text;
	add_name(registry->keys, entity->key, table, "key")->number = number;
}

void
iuid_add_node(Registry *registry, const RegistryValue *values)
{
	RegistryNode *node = palloc(sizeof(RegistryNode));

	if (hash_get_num_entries(registry->nodes) >= NODES_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("there are too many nodes in table \"%s\"", "iuid_nodes"),
				 errdetail("There can be no more than %ld routes to nodes.",
						   NODES_MAX),
				 errhint("Delete the nodes that no route names.")));

	node->node = values[0].text;
	node->region = values[1].text;
	node->server = values[2].text;
	node->has_row = true;
	add_name(registry->nodes, node->node, "iuid_nodes", "node")->node = node;
}

/*
 * The node of a route need not have a row: logical replication copies one
 * table after another, so a route can arrive before its node.
 */
void
iuid_add_route(Registry *registry, const RegistryValue *values)
{
	int country = values[0].number < 0 ? IUID_ANY_COUNTRY : values[0].number;
	int entity = values[1].number < 0 ? IUID_ANY_ENTITY : values[1].number;
	RegistryNode ***row = &registry->routes[country];
	bool found;
	Named *named =
		hash_search(registry->nodes, &values[2].text, HASH_ENTER, &found);

	if (*row == NULL)
		*row = palloc0((IUID_ENTITIES + 1) * sizeof(RegistryNode *));
	if ((*row)[entity] != NULL)
		reject_twice("iuid_routes", "country, entity",
					 psprintf("%s, %s", show_number(values[0].number),
							  show_number(values[1].number)));
	if (found)
		pfree(values[2].text);
	else
	{
		named->node = palloc0(sizeof(RegistryNode));
		named->node->node = named->name;
	}
	(*row)[entity] = named->node;
}

static Named *
add_name(HTAB *names, const char *name, const char *table, const char *column)
{
	bool found;
	Named *named = hash_search(names, &name, HASH_ENTER, &found);

	if (found)
		reject_twice(table, column, name);
	return named;
}

static const char *
show_number(int number)
{
	return number < 0 ? "null" : psprintf("%d", number);
}

static void
reject_twice(const char *table, const char *columns, const char *values)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNIQUE_VIOLATION),
			 errmsg("duplicate key value in table \"%s\"", table),
			 errdetail("Key (%s)=(%s) is there twice.", columns, values),
			 errhint(
				 "Delete one of the rows, and give the table back its primary key or unique constraint.")));
}

int
iuid_find_number(HTAB *names, const char *name)
{
	Named *named = hash_search(names, &name, HASH_FIND, NULL);

	return named == NULL ? -1 : named->number;
}

const RegistryNode *
iuid_find_node(const Registry *registry, const char *name)
{
	Named *named = hash_search(registry->nodes, &name, HASH_FIND, NULL);

	return named == NULL ? NULL : named->node;
}

static int
compare_nodes(const ListCell *a, const ListCell *b)
{
	const RegistryNode *first = lfirst(a);
	const RegistryNode *second = lfirst(b);

	return strcmp(first->node, second->node);
}

List *
iuid_list_nodes(const Registry *registry)
{
	HASH_SEQ_STATUS status;
	Named *named;
	List *nodes = NIL;

	hash_seq_init(&status, registry->nodes);
	while ((named = hash_seq_search(&status)) != NULL)
	{
		if (named->node->has_row)
			nodes = lappend(nodes, named->node);
	}
	list_sort(nodes, compare_nodes);
	return nodes;
}
