/*-------------------------------------------------------------------------
 *
 * foreign.h
 *	  Reads the options of foreign servers.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_FOREIGN_H
#define IUID_FOREIGN_H

#include "compat.h"

#include "nodes/pg_list.h"

/* An option of a foreign server or user mapping; NULL if it is not set. */
extern const char *iuid_option(List *options, const char *option);

/* 22023 if a node has no server in iuid_nodes; detail may be NULL. */
extern void iuid_require_server(const char *node, const char *server,
								const char *detail);

/* The hint for a node without a server, or with one of another wrapper. */
#define IUID_SERVER_HINT \
	"Make a postgres_fdw server for the node, and set the name of the server in iuid_nodes."

#endif /* IUID_FOREIGN_H */
