/*-------------------------------------------------------------------------
 *
 * foreign.h
 *	  Reads what foreign tables stand on, and the options of foreign servers.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_FOREIGN_H
#define IUID_FOREIGN_H

#include "compat.h"

#include "nodes/pg_list.h"

/*
 * Whether a foreign table is on the server of a name, which may be NULL, and
 * stands on a relation of this name in the schema that local has here.
 */
extern bool iuid_stands_on(Oid foreign, const char *server, Oid local,
						   const char *name);

/*
 * Whether a foreign table has the options that the foreign tables of a view over
 * all nodes are made with.
 */
#define IUID_GLOBAL_VIEW_OPTIONS \
	"updatable 'false', truncatable 'false', async_capable 'true'"
extern bool iuid_is_of_global_view(Oid foreign);

/* The option of a foreign table; NULL if it is not set. */
extern const char *iuid_foreign_option(Oid foreign, const char *option);

/* The same in a list of options, as a foreign server has it, too. */
extern const char *iuid_option(List *options, const char *option);

/* Whether a role has a user mapping for a server, of its own or of PUBLIC. */
extern bool iuid_has_mapping(Oid role, Oid server);

/* 22023 if a node has no server in iuid_nodes; detail may be NULL. */
extern void iuid_require_server(const char *node, const char *server,
								const char *detail);

/* The hint for a node without a server, or with one of another wrapper. */
#define IUID_SERVER_HINT \
	"Make a postgres_fdw server for the node, and set the name of the server in iuid_nodes."

#endif /* IUID_FOREIGN_H */
