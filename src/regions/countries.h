/*-------------------------------------------------------------------------
 *
 * countries.h
 *	  The countries, where their rows are routed, and their partitions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_COUNTRIES_H
#define IUID_COUNTRIES_H

#include "compat.h"

#include "iuid.h"
#include "partitioned.h"

typedef enum Place
{
	PLACE_NOWHERE,	/* the country is not registered, or has no route */
	PLACE_HERE,		/* it is routed to this node */
	PLACE_ELSEWHERE /* it is routed to another node */
} Place;

typedef struct Country
{
	Place place;
	bool registered;	/* it has a code, or a route of its own */
	const char *node;	/* NULL: no route */
	const char *server; /* of the node; may be NULL */
	Oid partition;		/* the one with the country's keys, or InvalidOid */
	bool has_own;		/* that partition has no other keys */
} Country;

/* A table in order by origin, and all countries. */
typedef struct Countries
{
	Oid parent; /* InvalidOid for a global table that is not made yet */
	Oid schema; /* of the extension */
	int entity;
	Country country[IUID_COUNTRIES];
	Partitioned *table; /* the parent, as iuid_find_partitions() read it */
} Countries;

/*
 * Returns argument n, the entity of a table, 0 to 255.  22004, with the hint,
 * if it or an argument before it is NULL; 22023 if it is out of range.
 */
extern int iuid_entity_of_table(FunctionCallInfo fcinfo, int n, const char *hint);

/*
 * The NodeServers of all registered nodes; 22023 if iuid.node is not set, or is
 * not the name of one.
 */
extern List *iuid_check_node(FunctionCallInfo fcinfo);

/*
 * Fills in where the rows of countries->entity are routed, for the countries
 * that are registered or have a route of their own.  Errors as by
 * iuid_check_node().
 */
extern void iuid_read_routes(FunctionCallInfo fcinfo, Countries *countries);

/*
 * Reads the parent, and fills in the partitions of the countries.  Errors as
 * by iuid_read_partitioned().
 */
extern void iuid_find_partitions(Countries *countries);

/* The bounds of a country, 0 to 255, in order by origin; the table is not set. */
extern NewPartition iuid_range_of_country(int country);

/* Adds a table to the set that the SQL function returns. */
extern void iuid_return_table(FunctionCallInfo fcinfo, Oid table);

#endif /* IUID_COUNTRIES_H */
