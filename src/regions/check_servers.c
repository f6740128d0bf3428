/*-------------------------------------------------------------------------
 *
 * check_servers.c
 *	  Finds what is wrong with the foreign servers of the other nodes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "foreign/foreign.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/varlena.h"

#include "check_servers.h"
#include "foreign.h"
#include "problem.h"
#include "registry/registry.h"
#include "settings.h"

static void check_server(FunctionCallInfo fcinfo, const NodeServer *node);
static bool lists_iuid(const char *extensions);

void
iuid_check_servers(FunctionCallInfo fcinfo, List *nodes)
{
	ListCell *lc;

	foreach (lc, nodes)
	{
		const NodeServer *node = lfirst(lc);

		if (strcmp(node->node, iuid_setting_node) != 0)
			check_server(fcinfo, node);
	}
}

static void
check_server(FunctionCallInfo fcinfo, const NodeServer *node)
{
	ForeignServer *server;
	const char *others;

	if (node->server == NULL)
	{
		iuid_report_problem(fcinfo, InvalidOid, "no server", IUID_NO_COUNTRY,
							node->node, "The node has no server in iuid_nodes.",
							psprintf("UPDATE iuid_nodes SET server = '...' WHERE node = %s; -- at the node that publishes the registry",
									 quote_literal_cstr(node->node)));
		return;
	}
	server = GetForeignServerByName(node->server, true);
	if (server == NULL)
	{
		iuid_report_problem(fcinfo, InvalidOid, "no server", IUID_NO_COUNTRY,
							node->node,
							psprintf("Server \"%s\" does not exist.",
									 node->server),
							psprintf("CREATE SERVER %s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (...);",
									 quote_identifier(node->server)));
		return;
	}
	if (!iuid_has_mapping(GetUserId(), server->serverid))
		iuid_report_mapping(fcinfo, InvalidOid, node->node, server->serverid,
							GetUserId());
	others = iuid_option(server->options, "extensions");
	if (others != NULL && lists_iuid(others))
		return;
	iuid_report_problem(fcinfo, InvalidOid, "option extensions without iuid",
						IUID_NO_COUNTRY, node->node,
						psprintf("Server \"%s\" does not send conditions on identifiers.",
								 node->server),
						psprintf("ALTER SERVER %s OPTIONS (%s extensions %s);",
								 quote_identifier(node->server),
								 others == NULL ? "ADD" : "SET",
								 quote_literal_cstr(
									 others == NULL ?
										 "iuid" :
										 psprintf("%s, iuid", others))));
}

void
iuid_report_mapping(FunctionCallInfo fcinfo, Oid relation, const char *node,
					Oid server, Oid role)
{
	char *name = GetUserNameFromId(role, false);
	const char *at = GetForeignServer(server)->servername;

	iuid_report_problem(fcinfo, relation, "no user mapping", IUID_NO_COUNTRY,
						node,
						psprintf("Role \"%s\" has no user mapping for server \"%s\".",
								 name, at),
						psprintf("CREATE USER MAPPING FOR %s SERVER %s OPTIONS (user '...', password '...');",
								 quote_identifier(name), quote_identifier(at)));
}

/* Whether a list of extensions, as postgres_fdw takes it, has iuid. */
static bool
lists_iuid(const char *extensions)
{
	List *names;
	ListCell *lc;

	if (!SplitIdentifierString(pstrdup(extensions), ',', &names))
		return false;
	foreach (lc, names)
	{
		if (strcmp(lfirst(lc), "iuid") == 0)
			return true;
	}
	return false;
}
