/*-------------------------------------------------------------------------
 *
 * check_servers.h
 *	  Finds what is wrong with the foreign servers of the other nodes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_CHECK_SERVERS_H
#define IUID_CHECK_SERVERS_H

#include "compat.h"

#include "nodes/pg_list.h"

/*
 * Reports each of the other ones of the NodeServers without a usable server, or
 * to which the current user has no user mapping.
 */
extern void iuid_check_servers(FunctionCallInfo fcinfo, List *nodes);

/* Reports that a role has no user mapping, in the way of that report. */
extern void iuid_report_mapping(FunctionCallInfo fcinfo, Oid relation,
								const char *node, Oid server, Oid role);

#endif /* IUID_CHECK_SERVERS_H */
