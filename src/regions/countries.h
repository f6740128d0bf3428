/*-------------------------------------------------------------------------
 *
 * countries.h
 *	  The countries routed to this node or to others, and their partitions.
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
	Oid parent; /* InvalidOid for a global table that is not made yet */
	Oid local;	/* the local table, if the parent is a global table */
	Oid schema; /* of the extension */
	bool wanted[IUID_COUNTRIES];
	bool missing[IUID_COUNTRIES]; /* wanted, without partition, to the limit */
	int limit;
	bool unfinished;	/* more than the limit are missing */
	Partitioned *table; /* the parent, as iuid_find_missing() read it */
} Countries;

/*
 * Returns argument n, the entity of a table, 0 to 255.  22004, with the hint,
 * if it or an argument before it is NULL; 22023 if it is out of range.
 */
extern int iuid_entity_of_table(FunctionCallInfo fcinfo, int n, const char *hint);

/* 22023 if iuid.node is not set, or is not the name of a registered node. */
extern void iuid_check_node(FunctionCallInfo fcinfo);

/*
 * Fills in countries->wanted: the countries that are registered, or have a
 * route of their own, and whose rows of the entity are routed to this node, or,
 * if here is false, to another.  22023 if iuid.node is not set, or is not the
 * name of a registered node.
 */
extern void iuid_want_countries(FunctionCallInfo fcinfo, Countries *countries,
								int entity, bool here);

/*
 * Reads the parent, fills in countries->missing, and returns the number of
 * countries in it.  Errors as by iuid_read_partitioned().
 */
extern int iuid_find_missing(Countries *countries);

/* The bounds of a country, 0 to 255, in country order; the table is not set. */
extern NewPartition iuid_range_of_country(int country);

/* Adds a table to the set that the SQL function returns. */
extern void iuid_give_table(FunctionCallInfo fcinfo, Oid table);

#endif /* IUID_COUNTRIES_H */
