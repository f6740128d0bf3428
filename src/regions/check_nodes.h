/*-------------------------------------------------------------------------
 *
 * check_nodes.h
 *	  Finds what is wrong with a table over all regions, as seen by others.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_CHECK_NODES_H
#define IUID_CHECK_NODES_H

#include "compat.h"

#include "nodes/pg_list.h"

#include "countries.h"

/*
 * Asks the other ones of the NodeServers what they have, and reports each
 * problem.  global is the global table, with its partitions and routes read;
 * local is its local table.  Errors as by iuid_ask_nodes().
 */
extern void iuid_check_nodes(FunctionCallInfo fcinfo, List *nodes,
							 const Countries *global, Oid local);

#endif /* IUID_CHECK_NODES_H */
