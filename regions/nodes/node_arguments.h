/*-------------------------------------------------------------------------
 *
 * node_arguments.h
 *	  The arguments of SQL functions that ask several nodes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_NODE_ARGUMENTS_H
#define IUID_NODE_ARGUMENTS_H

#include "compat.h"

#include "registry/registry.h"

/* Argument n, a command; 22004 for NULL. */
extern char *iuid_command_arg(FunctionCallInfo fcinfo, int n);

/* Argument n, a time limit in microseconds; 22004, and 22023 unless 0 < n <= 1 day. */
extern int64 iuid_timeout_arg(FunctionCallInfo fcinfo, int n);

/* Argument n, whether a node that fails is passed over; 22004 for NULL. */
extern bool iuid_skip_failed_arg(FunctionCallInfo fcinfo, int n);

/*
 * Argument n, names of nodes: their NodeServers, each once; all nodes for NULL.
 * 22004 for a name that is NULL, 22023 for one that is not registered, and
 * errors as by iuid_check_node().
 */
extern List *iuid_nodes_arg(FunctionCallInfo fcinfo, int n);

#endif /* IUID_NODE_ARGUMENTS_H */
