/*-------------------------------------------------------------------------
 *
 * countries.h
 *	  The countries whose rows are here, or elsewhere, and their partitions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_COUNTRIES_H
#define IUID_COUNTRIES_H

#include "compat.h"

#include "partitions/attach.h"
#include "partitions/partitioned.h"

/* A table in country order, and the countries that are to have a partition. */
typedef struct Countries
{
	Oid parent; /* may be none yet */
	Oid local;	/* the one below it, of a global table */
	Oid schema; /* of the extension */
	bool wanted[IUID_COUNTRIES];
	bool missing[IUID_COUNTRIES]; /* of the wanted, up to the limit */
	int limit;
	bool unfinished; /* more are missing */
	Partitioned *table;
} Countries;

/*
 * Argument n is the entity, 0 to 255: 22023.  It, and the arguments before
 * it, must not be NULL: 22004, with the hint.
 */
extern int iuid_entity_of_table(FunctionCallInfo fcinfo, int n, const char *hint);

/*
 * Fills in the wanted ones: those that are registered, or named by a route,
 * and routed here or elsewhere.  22023 if this database is no node.
 */
extern void iuid_want_countries(FunctionCallInfo fcinfo, Countries *countries,
								int entity, bool here);

/* Reads the parent, and fills in the missing ones; gives their number. */
extern int iuid_find_missing(Countries *countries);

/* The range of a country's identifiers in country order. */
extern NewPartition iuid_range_of_country(int country);

/* Adds a table to what the function gives. */
extern void iuid_give_table(FunctionCallInfo fcinfo, Oid table);

#endif /* IUID_COUNTRIES_H */
