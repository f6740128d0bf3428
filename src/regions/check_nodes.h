/*-------------------------------------------------------------------------
 *
 * check_nodes.h
 *	  Finds what is wrong with global tables and views, as seen by others.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_CHECK_NODES_H
#define IUID_CHECK_NODES_H

#include "compat.h"

#include "nodes/pg_list.h"

/* What a node must have, for a global table or view of this node. */
typedef struct Wanted
{
	Oid global;
	const char *node;	/* NULL: all other nodes */
	int country;		/* IUID_NO_COUNTRY: it is the local table */
	const char *schema; /* its name there */
	const char *name;
	const char *here; /* what has the same columns here, which may go meanwhile */
	const char *columns; /* as they are here */
	const char *remedy;
} Wanted;

/* The local table of a global table or view, which each node has. */
extern Wanted *iuid_want_table(Oid global, Oid local);

/* The view on which the foreign table of a country stands. */
extern Wanted *iuid_want_view(Oid global, const char *node, int country,
							  const char *schema, const char *name, Oid foreign,
							  const char *remedy);

/*
 * Asks the other ones of the NodeServers what they have, in one round trip, and
 * reports each problem.  wanted is a list of Wanted; schema is that of the
 * extension.  Errors as by iuid_ask_nodes().
 */
extern void iuid_check_nodes(FunctionCallInfo fcinfo, List *nodes, List *wanted,
							 Oid schema);

#endif /* IUID_CHECK_NODES_H */
